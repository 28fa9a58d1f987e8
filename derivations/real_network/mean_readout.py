"""Finite width: the mean of the readout as one more direction of the kernel, and what it costs."""

import sys
from types import SimpleNamespace

from sympy import Eq, Function, Limit, Matrix, Symbol, eye, oo, solve, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..sampled import sampled
from .finite_width import kernel_instances, weak_instances
from .forms import known
from .notation import V1, V2, Vhat1, alpha, alpha0, b, beta, d, g, kappa, level, mean, p, step, z

m, mhat, theta, thetahat, psihat = symbols("m mhat theta thetahat psihat", real=True)
K00, Kvv = symbols("K_00 K_vv", positive=True)
Kvz = Symbol("K_vz", real=True)
M00, M11 = symbols("M_00 M_11", positive=True)
M01, b0, b1 = symbols("M_01 b_0 b_1", real=True)


def derivation():
    """K_00, the term m^2/(2 p V2) of the free energy, and the common row of a trained bulk."""
    doc = Derivation(
        "The mean of the readout at finite width", "beyond arXiv 2402.04980: the constant direction, p explicit",
        "The readout w of p = beta d units has the mean m = 1'w/sqrt(p), which the limit of infinite width leaves "
        "free. K is the positive matrix of the second stage, V2 = tr K^(-1)/p. Directions a = sqrt(d) W u have the "
        "coordinates a'w/sqrt(p d) and the kernel a'K^(-1) a'/p, as in real_network.kernel.")
    _cost(doc)
    _direction(doc)
    _stationary(doc)
    _system(doc)
    _small_width(doc)
    _common_row(doc)
    _random(doc)
    return doc


def _cost(doc):
    k11, k12, k22, w1 = symbols("k11 k12 k22 w1", real=True)
    K = Matrix([[k11, k12], [k12, k22]])
    ones = Matrix([1, 1])
    w = Matrix([w1, Symbol("u", real=True) - w1])
    quadratic = (w.T * K * w)[0] / 2
    u = Symbol("u", real=True)
    best = solve(quadratic.diff(w1), w1)[0]
    doc.step("The least w'K w/2 with a given sum u of the entries (here two units).",
             exact(quadratic.subs(w1, best), u**2 / (2 * (ones.T * K.inv() * ones)[0]), "cancel"),
             shown=r"\min_{1^\top w = u} \tfrac12 w^\top K w = \frac{u^2}{2\cdot 1^\top K^{-1} 1}")
    doc.step("u = sqrt(p) m; the ones do not know the eigenvectors of K, so that 1'K^(-1) 1 is tr K^(-1) = p V2 "
             "(sampled below). Per unit the cost is:",
             exact((p * m**2) / (2 * p * V2) / p, m**2 / (2 * p * V2), "cancel"),
             shown=r"\frac{m^2}{2 p V_2}")


def _direction(doc):
    doc.step("In the coordinates of a direction the mean is the one with a = sqrt(d) 1: its kernel is d 1'K^(-1) 1/p.",
             exact((d * p * V2 / p).subs(d, p / beta), p / beta * V2, "cancel"),
             shown=Eq(K00, p * V2 / beta, evaluate=False))
    conjugate = (m * mhat - K00 * mhat**2 / 2) / beta
    doc.step("Such a direction enters the free energy with a conjugate, (m mhat - K_00 mhat^2/2)/beta; it is "
             "stationary at mhat = m/K_00,",
             exact(conjugate.diff(mhat).subs(mhat, m / K00), 0, "cancel"),
             shown=Eq(mhat, m / K00, evaluate=False))
    doc.step("and there it is the cost again (Legendre's transform).",
             exact(conjugate.subs(mhat, m / K00).subs(K00, p / beta * V2), m**2 / (2 * p * V2), "cancel"))
    doc.step("Infinite width: K_00 is infinite, mhat vanishes, and m is free.",
             exact(Limit((m / K00).subs(K00, p / beta * V2), p, oo), 0, "close_limit"))
    sources = (mhat**2 * p / beta**2).subs(mhat, m * beta / (p * V2))
    square = Symbol("Q", positive=True)
    doc.step("With the other directions it is a source of q2, <1/S^2> K_00 mhat^2/(beta V2): the ones are generic (Q "
             "is <1/S^2>); of q1 likewise with <D/S^2>.",
             exact(square * sources, square * (m / V2) ** 2 / p, "cancel"))


def _stationary(doc):
    mu0, h = Applied("mu0", kappa), Applied("h", kappa)
    V = Applied("V", kappa)
    slope = Applied("mu1", kappa)
    C = mu0 * m + kappa * slope * theta
    energy = alpha / (2 * beta) * E((C**2 - 2 * C * h) / (1 + V), kappa)
    doc.step("The data fix mhat: R contains C^2 - 2 C h, C = mu0 m + kappa mu1 theta, so that the derivative by m of "
             "the data's part and of m mhat/beta gives:",
             exact(-beta * energy.diff(m), alpha * E(mu0 * (h - C) / (1 + V), kappa), ("split", "join")),
             shown=Eq(mhat, alpha * E(mu0 * (h - C) / (1 + V), kappa), evaluate=False))


def _solution():
    """m, theta and the conjugates of the system with two directions."""
    A = eye(2) + alpha * Matrix([[M00, M01], [M01, M11]]) * Matrix([[K00, 0], [0, Kvv]])
    right = alpha * (Matrix([b0, b1]) - Matrix([[M00, M01], [M01, M11]]) * Matrix([0, Kvz]) * psihat)
    hats = A.inv() * right
    return SimpleNamespace(hats=hats, m=K00 * hats[0], theta=Kvv * hats[1] + Kvz * psihat)


def _system(doc):
    found = _solution()
    for row, (lhs, words) in enumerate(((M00, "constant"), (M01, "spike's"))):
        other = M01 if row == 0 else M11
        rhs = alpha * ((b0, b1)[row] - lhs * found.m - other * found.theta)
        doc.step(f"With M_jk and b_j the means of B_j B_k/(1 + V) and B_j h/(1 + V), B = (mu0, kappa mu1): the linear "
                 f"system for the conjugates, which has no 0/0 at r = 0 where M_00 = 0; the {words} row."
                 if row == 0 else f"The {words} row (K_vz brings the target in).",
                 exact(found.hats[row], rhs, "cancel"),
                 shown=r"(1 + \alpha M K)\,\hat\theta = \alpha\,(b - M k\,\hat\psi)")
    schur, load = M11 - M01**2 / M00, b1 - M01 * b0 / M00
    strict = alpha * (load - schur * Kvz * psihat) / (1 + alpha * schur * Kvv)
    doc.step("Infinite width: what is left is the Schur complement,",
             exact(Limit(found.hats[1], K00, oo), strict, ("close_limit", "cancel")),
             shown=Eq(thetahat, strict, evaluate=False))
    doc.step("and the readout's mean absorbs the rest: m is (b_0 - M_01 theta)/M_00 up to mhat/(alpha M_00),",
             exact(found.m + found.hats[0] / (alpha * M00), (b0 - M01 * found.theta) / M00, "cancel"),
             shown=Eq(m, (b0 - M01 * theta) / M00 - mhat / (alpha * M00), evaluate=False))
    doc.step("which falls like 1/p.", exact(Limit(found.hats[0], K00, oo), 0, "close_limit"),
             shown=Eq(Limit(mhat, K00, oo), 0, evaluate=False))
    doc.step("Without a spike, an odd student has mu0 = 0, and m = 0.",
             exact(found.m.subs({M00: 0, M01: 0, b0: 0}), 0, "cancel"))


def _small_width(doc):
    x = Symbol("x", real=True)
    eps, curvature = symbols("eps A", positive=True)
    pull = Symbol("B", real=True)
    reduced = curvature * m**2 / 2 - pull * m + eps * m**2 / 2
    least = reduced.subs(m, pull / (curvature + eps))
    doc.step("First order in the width (envelope): a cost eps m^2/2 beside any quadratic form in m raises its least "
             "value by m^2/2 at the m without cost.",
             exact(Limit(least.diff(eps), eps, 0), (m**2 / 2).subs(m, pull / curvature), ("close_limit", "cancel")),
             shown=Eq(Function("F")(eps).diff(eps), m**2 / 2, evaluate=False))
    doc.step("The minimised objective, epsilon_t + lam (beta/alpha) q2, is 2 (beta/alpha) times the free energy, so it "
             "rises by:",
             exact(2 * beta / alpha * (m**2 / 2) * (1 / (p * V2)), beta / alpha * m**2 / (p * V2), "cancel"),
             shown=Eq(Symbol("rise"), beta / alpha * m**2 / (p * V2), evaluate=False))
    doc.step("A spike that falls like 1/sqrt(p) needs m of order sqrt(p): mu0 = f/sqrt(p), m = sqrt(p) x. Then data "
             "and cost are of one order, and x is between 0 (random features) and its limit B/A (strong spikes).",
             exact(solve((curvature * x**2 / 2 - pull * x + x**2 / (2 * V2)).diff(x), x)[0],
                   V2 * pull / (1 + V2 * curvature), "cancel"),
             shown=Eq(x, V2 * pull / (1 + V2 * curvature), evaluate=False))


def _common_row(doc):
    """What the rows of a trained bulk have in common."""
    length = Symbol("q", positive=True)
    slope = Applied("f", sqrt(length) * z)
    third = E((z**2 - 1) * Applied("f", z), z)
    doc.step("A trained bulk has a common row. f = student' - h1 averages over the rows to a function of |x|^2/d = q, "
             "which is 0 at q = 1 with the slope s3/2, s3 = E[(z^2 - 1) f] ...",
             exact(E(slope, z).diff(length).subs(length, 1), third / 2, ("stein", "split", "expand")))
    doc.step("... and q is 1 + delta, delta of variance 2/d. The common row u is the mean of a y (s3/2) delta x over "
             "the batch, so that u'B u has the terms of one sample only.",
             exact(d * E((z**2 - 1) ** 2, z) / d**2, 2 / d, "split"),
             shown=Eq(Symbol("E_delta^2"), 2 / d, evaluate=False))
    s3 = Symbol("s3", real=True)
    form = (step * s3 / 2) ** 2 * 2 / d * b / alpha0 * mean(lambda y, tau: y**2 * known().weight(y))
    down = known().common_row(step, s3)
    x1, x2 = symbols("x_1 x_2", real=True)
    D = 1 + Vhat1 * V2 * p * Symbol("u_Bu", real=True)
    own = (D - 1) / (Vhat1 * V2 * p) / level
    solved = {x2: p * level * V2 / D, x1: 1 / D}
    closed = {V1: (1 - level * V2) / Vhat1}
    doc.step("With r the sum of the other parts of the rows, W = W' + 1 u', 1'W H is x_1 r'H' + x_2 u'H', H = "
             "(Lambda + Vhat1 W'W)^(-1) and H' without u (r'H' r = p V1, u'H' u = u'B u/Lambda, r'H' u is small). "
             "Times 1/H it is r + p u: r's coefficient ...",
             exact((x1 + Vhat1 * x2 * own).subs(solved), 1, "cancel"), shown=Eq(x1, 1 / Symbol("D"), evaluate=False))
    doc.step("... and that of u, D = 1 + Vhat1 V2 p u'B u.",
             exact((x2 + Vhat1 * (x1 * p * V1 + p * x2 * own)).subs(solved).subs(closed), p, "cancel"),
             shown=Eq(x2, p * level * V2 / Symbol("D"), evaluate=False))
    doc.step("The ones: Lambda 1'K^(-1) 1 is p - Vhat1 1'W H W'1, which D divides.",
             exact((p - Vhat1 * (x1 * p * V1 + x2 * p * own)).subs(solved).subs(closed), p * level * V2 / D, "cancel"),
             shown=r"\tfrac1p\, 1^\top K^{-1} 1 = V_2/D")
    doc.step("u'B u is of order 1/d, so that D is not 1 (V2 = g/(beta Vhat1), w(y) as in real_network.forms).",
             exact((1 + Vhat1 * V2 * p * form).subs({p: beta * d, V2: g / (beta * Vhat1)}), down, "cancel"),
             shown=Eq(Symbol("D"), down, evaluate=False))
    doc.step("So K_00 is (p/beta) V2/D. For a weak spike a is small and D is 1, as for rows without a common part.",
             exact(down.subs(step, 0), 1, "cancel"), shown=Eq(Limit(down, step, 0), 1, evaluate=False))


def _random(doc):
    where = "(p = 1.2 d, Lambda = 0.4, Vhat1 = 1)"
    doc.step(f"Sampled: 1'K^(-1) 1/p is V2 for rows on the sphere {where}.",
             sampled(beta * K00 / p, V2, kernel_instances, "sphere"))
    doc.step("The constant has no entry with a direction that the rows do not know.",
             sampled(Symbol("K_0theta"), 0, kernel_instances, "cross"))
    doc.step("The trained bulk of tanh on sin, a = 4, alpha0 = 1/2: less, by its common row.",
             sampled(beta * K00 / p, V2 / Symbol("divisor"), kernel_instances, "trained"))
    doc.step("Sampled ridge regressions on features tanh(kappa)/sqrt(p) + exp(-kappa^2/8) xi, target sin(kappa), alpha "
             "= 3/2, beta = 1, lam = 0.3, noise 0.1: the mean of the readout over p ...",
             sampled(m / p**0.5, Symbol("x"), weak_instances, "x"))
    doc.step("... and the minimised objective, in which V = exp(-kappa^2/4) V2.",
             sampled(Symbol("objective"), 2 * beta / alpha * Symbol("F"), weak_instances, "objective"))


if __name__ == "__main__":
    sys.exit(main(derivation))
