"""Students that are not odd: the bulk's matrix has a square, which a matrix of two by two blocks makes linear."""

import sys
from functools import cache
from types import SimpleNamespace

from sympy import Eq, Matrix, Symbol, diag, eye, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..sampled import Instances, sampled
from . import batch
from .forms import known
from .notation import alpha0, b, first, g, label, mean, omega, overload, second, tau, w

ell, y = symbols("ell y", real=True)
#: a general block matrix of two by two numbers, and the one of the target's direction
G = Matrix(2, 2, symbols("G11 G12 G21 G22"))
Gt = Matrix(2, 2, symbols("H11 H12 H21 H22"))
C = Matrix([[1, -1], [g, 1]])


def M(y):
    """What one sample adds to the blocks."""
    return Matrix([[g * omega * y**2, -ell * y], [g * ell * y, 0]])


def derivation():
    """Forms of the resolvent of (1 + ell A1)^2 + omega A2."""
    doc = Derivation(
        "Forms of the resolvent for students that are not odd", "beyond arXiv 2402.04980: linearisation in blocks",
        "S = K^2 + omega A2, K = 1 + ell A1, A_k the mean of y^k x x' over n0 = alpha0 d samples, y the residual at "
        "the start, Q = (1 + g S)^(-1). L is the matrix of blocks (1 + g omega A2, -K; g K, 1); G is the matrix of the "
        "traces of the blocks of its inverse over d, H that between the target's direction theta and itself; o = "
        "1/alpha0. With q = sqrt(g) and both off-diagonal blocks times q it is the same up to diag(1, q).")
    _blocks(doc)
    _one_out(doc)
    _vectors(doc)
    _odd(doc)
    _without_division(doc)
    _random(doc)
    return doc


def _blocks(doc):
    """Products of matrices that do not commute; Y is the inverse of Q."""
    K, Y = symbols("K Y", commutative=False)
    Q = Y**-1
    L = [[Y - g * K**2, -K], [g * K, 1]]
    inverse = [[Q, Q * K], [-g * K * Q, 1 - g * K * Q * K]]
    names = {(0, 0): "first", (0, 1): "second", (1, 0): "third", (1, 1): "last"}
    doc.step("The inverse of L has the blocks Q, Q K, -g K Q, 1 - g K Q K. Row by column (1 + g omega A2 is 1/Q - g "
             "K^2): the sum of all four products is 2, ...",
             exact(sum(L[i][k] * inverse[k][i] for i in range(2) for k in range(2)), 2, "expand"),
             shown=r"L^{-1} = \begin{pmatrix} Q & QK \\ -gKQ & 1 - gKQK \end{pmatrix}")
    for (i, j), name in names.items():
        doc.step(f"... the {name} block of the product,",
                 exact(sum(L[i][k] * inverse[k][j] for k in range(2)), int(i == j), "expand"),
                 shown=f"(L L^{{-1}})_{{{i + 1}{j + 1}}} = {int(i == j)}")
    q = sqrt(g)
    scaled = diag(1, q) ** -1 * (C + M(y)) * diag(1, q)
    doc.step("L is a constant C and one term M(y) x x'/n0 for each sample. Scaled by diag(1, q) the constant and the "
             "terms are antisymmetric off the diagonal, with the root of g in them (second row, first column).",
             exact(scaled[1, 0], q * (1 + ell * y), "expand"),
             shown=r"C = \begin{pmatrix} 1 & -1 \\ g & 1 \end{pmatrix},\quad "
                   r"M = \begin{pmatrix} g \omega y^2 & -\ell y \\ g \ell y & 0 \end{pmatrix}")
    doc.step("The same in the first row, second column.", exact(scaled[0, 1], -q * (1 + ell * y), "expand"))


def _one_out(doc):
    """The rule with a matrix in place of a number, on integers and general M and x in two dimensions."""
    x1, x2 = symbols("x1 x2", real=True)
    out = Matrix([[3, 1, -1, 0], [1, 4, 0, -2], [2, 0, 3, 1], [0, 1, 1, 5]])
    x = Matrix([[x1, 0], [x2, 0], [0, x1], [0, x2]])
    own = (x.T * out.inv() * x).applyfunc(lambda e: e.expand())
    term = Matrix(2, 2, symbols("m11 m12 m21 m22"))
    both = out + x * term * x.T
    left, right = Matrix([[1, 2]]), Matrix([3, -1])
    with_it = (left * x.T * (both.adjugate() / both.det()) * x * right)[0]
    doc.step("A sample is taken out: x'L^(-1) x = P (1 + M P)^(-1), P = x'R x with the inverse R without it (here in "
             "two dimensions, between two vectors of the blocks).",
             exact(with_it, (left * own * (eye(2) + term * own).inv() * right)[0], "cancel"),
             shown=r"x^\top L^{-1} x = P\,(1 + M P)^{-1}")
    general = Matrix(2, 2, symbols("m11 m12 m21 m22"))
    pushed = general * (eye(2) + G * general).inv() * G - general * G * (eye(2) + general * G).inv()
    total = sum(symbols("c1:5")[i] * e for i, e in enumerate(pushed))
    doc.step("P concentrates at d G. In the trace of L L^(-1) = 1 the factor G can be put last: M G (1 + M G)^(-1) = M "
             "(1 + G M)^(-1) G (all four entries, M here with its 1/alpha0).", exact(total, 0, "cancel"),
             shown=r"\left(C + E\left[M\,(1 + o\,G M)^{-1}\right]\right) G = 1")
    swapped = (eye(2) + general * G).inv() - G.inv() * (eye(2) + G * general).inv() * G
    doc.step("The same from the other side.", exact(sum(c * e for c, e in zip(symbols("c1:5"), swapped)), 0, "cancel"),
             shown=r"(1 + M G)^{-1} = G^{-1} (1 + G M)^{-1} G")


def _weights():
    """The entries of I = (1 + o G M)^(-1) as functions of the label that need not be known."""
    return Matrix(2, 2, [Applied(name, label) for name in ("I11", "I12", "I21", "I22")])


def _entrywise(f):
    """A matrix of means."""
    return Matrix(2, 2, [mean(lambda y, tau, i=i: f(y, tau)[i]) for i in range(4)])


def _vectors(doc):
    I = _weights()
    across = Matrix(2, 2, symbols("s1:5", real=True))
    coefficients = symbols("c1:5", real=True)

    def together(matrix):
        return sum(c * e for c, e in zip(coefficients, matrix))

    doc.step("x'L^(-1) theta is I (tau H + other components), I = (1 + o G M)^(-1): between s_F and theta stands E_F "
             "H, E_F = E[F tau I].",
             exact(together(_entrywise(lambda y, tau: E(first(y) * 1, w) * I * (tau * Gt))),
                   together(_entrywise(lambda y, tau: first(y) * tau * I) * Gt), ("split", "expand")),
             shown=r"s_F^\top L^{-1}\theta = \mathcal{E}_F H,\quad H^{-1} = C + E[\tau^2 M I]")
    Y = Matrix(2, 2, symbols("Y11 Y12 Y21 Y22", real=True))
    inner = tau * Y + second(label) * G / alpha0 + w * across
    averaged = Matrix(2, 2, [E(e, w) for e in _entrywise(lambda y, tau: first(y) * I * inner)])
    known_parts = (_entrywise(lambda y, tau: first(y) * tau * I) * Y
                   + _entrywise(lambda y, tau: first(y) * second(y) * I) * G / alpha0)
    doc.step("Between s_F and s_F' the sample itself adds F' G/alpha0 (Y the blocks between theta and s_F').",
             exact(together(averaged), together(known_parts), ("split", "expand")),
             shown=r"X_{FF'} = o\,E[F F' I]\,G + \mathcal{E}_F Y_{F'},\quad Y_F = H G^{-1} \mathcal{E}_F G")


def _odd(doc):
    """ell = 0."""
    f = known()
    at_y = M(y).subs(ell, 0)
    I = (eye(2) + G * at_y / alpha0).inv()
    added = at_y * I
    doc.step("ell = 0, an odd student: a sample adds to the first entry only, ...",
             exact(added[0, 0], g * omega * y**2 / (1 + y**2 * g * omega * G[0, 0] / alpha0), "cancel"))
    doc.step("... and the others are 0.",
             exact(sum(c * e for c, e in zip(symbols("c1:4"), (added[0, 1], added[1, 0], added[1, 1]))), 0, "cancel"),
             shown=r"(M I)_{12} = (M I)_{21} = (M I)_{22} = 0")
    trace, along = symbols("k_b k_theta", positive=True)
    of_trace, of_theta = ((C + diag(k, 0)).inv() for k in (trace, along))
    doc.step("So G11 is b: 1/G11 is 1 + g + g omega E[y^2 w(y)], ...",
             exact((1 / of_trace[0, 0]).subs(trace, g * omega * mean(lambda y, tau: y**2 * f.weight(y))) * b - 1,
                   f.excess(), ("cancel", "expand")), shown=Eq(f.excess(), 0, evaluate=False))
    doc.step("... H11 is T, ...",
             exact(of_theta[0, 0].subs(along, g * omega * mean(lambda y, tau: y**2 * tau**2 * f.weight(y))), f.T,
                   "cancel"))
    e1, e2, r1, r2 = symbols("e_F e_G r1 r2", real=True)
    E1, E2 = Matrix([[e1, 0], [r1, startF]]), Matrix([[e2, 0], [r2, startG]])
    doc.step("... and X11 is o E[F G w(y)] b + e_F e_G T (the first row of I is (w(y), 0), whatever the second).",
             exact((E1 * of_theta * of_trace.inv() * E2 * of_trace)[0, 0], e1 * e2 * of_theta[0, 0], "cancel"),
             shown=r"\left(\mathcal{E}_F H G^{-1} \mathcal{E}_G G\right)_{11} = e_F\, e_G\, T")


startF, startG = symbols("m_F m_G", real=True)


def _without_division(doc):
    """zeta = (theta - gamma v)/rho, with matrices in place of numbers."""
    phi1 = Symbol("phi1", real=True)
    h2 = Symbol("h2", positive=True)
    s2 = phi1**2 + overload * h2
    # E_y = phi1 - o D, D = E[tau y G M I]
    Em, Ht, Gn, P = symbols("E H G P", commutative=False)
    Ginv = Gn**-1
    U = h2 + phi1 * (phi1 - Em) / overload
    general = M(y)
    less = eye(2) - (eye(2) + overload * G * general).inv() - overload * G * general * (
        eye(2) + overload * G * general).inv()
    doc.step("phi1 - E_y has the factor o: 1 - I is o G M I, with phi1 = E[y tau].",
             exact(sum(c * e for c, e in zip(symbols("c1:5"), less)), 0, "cancel"),
             shown=r"1 - I = o\,G M I,\quad \phi_1 - \mathcal{E}_y = o\,E[\tau y\,G M I]")
    doc.step("So |s|^2 - phi1 E_y = o U with U = h2 + phi1 E[tau y G M I], |s|^2 = phi1^2 + o h2, h2 = E[y^2].",
             exact(s2 - phi1 * Em, overload * U, "expand"), shown=r"|s|^2 - \phi_1\,\mathcal{E}_y = o\,U")
    between_s = overload * P * Gn + Em * Ht * Ginv * Em * Gn
    forms = s2**2 * Ht - phi1 * s2 * (Em * Ht + Ht * Ginv * Em * Gn) + phi1**2 * between_s
    doc.step("zeta'Q zeta without a division by rho = sqrt(o h2)/|s|: o, U and P = E[y^2 I] in the first entry of a "
             "product. It holds at o = 0, and with numbers for matrices it is that of the odd student.",
             exact(forms, overload * (overload * U * Ht * Ginv * U * Gn + phi1**2 * P * Gn), "expand"),
             shown=r"B_{\zeta\zeta} = \frac{1}{h_2 |s|^2}\left(o\,U H G^{-1} U G + \phi_1^2\, P G\right)_{11}")
    crossed = Em * Ht * s2 - phi1 * between_s
    doc.step("v'Q zeta.", exact(crossed, overload * (Em * Ht * Ginv * U * Gn - phi1 * P * Gn), "expand"),
             shown=r"B_{v\zeta} = \frac{\sqrt{o}}{\sqrt{h_2}\,|s|^2}\left(\mathcal{E}_y H G^{-1} U G"
                   r" - \phi_1\, P G\right)_{11}")
    A1, A2, Qn = symbols("A1 A2 Q", commutative=False)
    K = 1 + ell * A1
    doc.step("The trace of N = S Q without the difference 1 - G11: that of K Q K + omega A2 Q, where Q K has the trace "
             "G12 and x'L^(-1) x is d I G.",
             exact(K * Qn * K + omega * A2 * Qn, Qn * K + ell * A1 * Qn * K + omega * A2 * Qn, "expand"),
             shown=r"\tau_b = G_{12} + \ell\,E[y\,(I G)_{12}] + \omega\,E[y^2\,(I G)_{11}]")


@cache
def point():
    """The student log(1 + exp(2 z)) on sin, a = 1, alpha0 = 1, g = 2."""
    import numpy as np

    def slope(z):
        return 2 / (1 + np.exp(-2 * z))

    h0 = batch.normal_mean(lambda z: np.logaddexp(0, 2 * z))
    h1, second_slope = batch.normal_mean(slope), batch.normal_mean(lambda z: z * slope(z))
    rest = batch.normal_mean(lambda z: (slope(z) - h1 - second_slope * z) ** 2)
    at = SimpleNamespace(alpha0=1.0, target=np.sin, noise=0.0, offset=h0, g=2.0, ell=second_slope, omega=rest)
    nodes, weights = batch.rule()
    from .pair_numbers import Pairs

    at.y = np.sin(nodes) - h0
    at.pairs = Pairs(at.y, nodes, weights, at.g, at.ell, at.omega, 1 / at.alpha0)
    return at


def _draw(rng, d):
    import numpy as np

    at, one = point(), batch.draw(rng, d, point())
    K = np.eye(d) + at.ell * batch.second_moment(one, one.y)
    S = K @ K + at.omega * batch.second_moment(one, one.y**2)
    Q = np.linalg.inv(np.eye(d) + at.g * S)
    s, s2 = batch.weighted(one, one.y), batch.weighted(one, one.y**2)
    p, G = at.pairs, at.pairs.G
    X = p.X(at.y, at.y**2)
    IG = p.divided_at_G @ G
    trace = G[0, 1] + at.ell * p.mean(at.y, IG)[0, 1] + at.omega * p.mean(at.y**2, IG)[0, 0]
    return {"b": (np.trace(Q) / d, G[0, 0]), "T": (one.theta @ Q @ one.theta, p.G_theta[0, 0]),
            "st": (s @ Q @ one.theta, p.target(at.y)[0, 0]), "ss": (s @ Q @ s2, X[0, 0]),
            "sK": (s @ Q @ K @ s2, X[0, 1]), "Ks": (s @ K @ Q @ s2, -X[1, 0] / at.g),
            "K": (one.theta @ Q @ K @ s2, p.from_target(at.y**2)[0, 1]), "trN": (np.trace(S @ Q) / d, trace)}


@cache
def instances():
    return Instances(_draw, seed=2, d=200, repeats=40)


def _random(doc):
    names = (("b", "the trace", Symbol("tr(Q)/d"), G[0, 0]), ("T", "theta", Symbol("theta'Q theta"), Gt[0, 0]),
             ("st", "s and theta", Symbol("s'Q theta"), Symbol("EH_11")),
             ("ss", "s and s_2, the mean of y^2 x", Symbol("s'Q s_2"), Symbol("X_11")),
             ("sK", "with K to the right", Symbol("s'Q K s_2"), Symbol("X_12")),
             ("Ks", "with K to the left", Symbol("s'K Q s_2"), -Symbol("X_21") / g),
             ("K", "theta, Q K and s_2", Symbol("theta'Q K s_2"), Symbol("Y_12")),
             ("trN", "the trace of N", Symbol("tr(N)/d"), Symbol("tau_b")))
    where = " (log(1 + exp(2 z)) on sin, a = 1, alpha0 = 1, g = 2)"
    for name, what, lhs, rhs in names:
        doc.step(f"Sampled batches: {what}{where if name == 'b' else ''}.", sampled(lhs, rhs, instances, name))


if __name__ == "__main__":
    sys.exit(main(derivation))
