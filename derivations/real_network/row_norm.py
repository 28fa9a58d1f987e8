"""How the rows of the true bulk differ in length: the linear part t and the variance of chi, for any student."""

import sys
from functools import cache

from sympy import Eq, Function, Symbol, symbols

from asympkit.gauss import E

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..one_step.functions import on_sphere
from ..sampled import Instances, sampled
from . import batch, networks
from .gaussian_rows import RATIO, entries, limits
from .notation import alpha0, d, label, n0, omega, overload, step, student, tau, z

ell, y = symbols("ell y", real=True)
#: Hermite coefficients and moments of f_perp = student' - h1 - sigma2 z
sigma2, s3, s4, f21, f22, f3 = symbols("sigma2 s3 s4 f21 f22 f3", real=True)
hcheck = Symbol("hcheck", positive=True)
#: first free cumulant, and the diagonal form of K = 1 + ell A1 with a sample
beta0, k2, k3, k4 = symbols("beta0 k2 k3 k4", real=True)
beta_y = beta0 + ell * y / alpha0


def derivation():
    """Covariance of the row norm with the row, and its variance."""
    doc = Derivation(
        "The row norms of the true bulk", "beyond arXiv 2402.04980: chaos expansion in one row",
        "Rows w on the unit sphere move by (a/n0) times the sum of y (student'(w.x) - h1) x, y the residual at the "
        "start; student' - h1 = sigma2 z + f, f orthogonal to 1 and z. ell = a sigma2, K = 1 + ell A1, A1 the mean "
        "of y x x', omega = a^2 hcheck/alpha0 with hcheck = E f^2. The new row is K w + D, D = (a/n0) sum of y "
        "f(w.x) x, and its squared length c + chi/sqrt(d). Given the batch, chi is expanded in Hermite polynomials "
        "of w.")
    _slope(doc)
    _diagonal_forms(doc)
    _free_cumulants(doc)
    _one_sample(doc)
    _variance(doc)
    _linear(doc)
    _odd(doc)
    _random(doc)
    return doc


def _f():
    """f_perp of a student that is not chosen."""
    slope = student(z, 1)
    return slope - E(slope, z) - E(z * slope, z) * z


def _slope(doc):
    f = _f()
    doc.step("f has no part along z.", exact(E(z * f, z), 0, ("split", "expand")))
    doc.step("Its second Hermite coefficient is the student's third: s3 = E[(z^2 - 1) f] = E[He_3 student].",
             exact(E((z**2 - 1) * f, z), E((z**3 - 3 * z) * student(z), z), ("stein", "split", "expand")))
    doc.step("For any function of z a product with z has the mean of its slope; so E[z^2 f] is s3 too.",
             exact(E(z**2 * f, z), E((z**2 - 1) * f, z), ("split", "expand")))
    doc.step("The length: |K w + D|^2 is w'K^2 w + 2 w'K D + |D|^2, and 2 w'K D + |D|^2 is a mean over samples but for "
             "pairs in |D|^2 (|x|^2 = d).",
             exact((n0 * (step / n0) ** 2 * d).subs(n0, alpha0 * d), step**2 / alpha0, "cancel"),
             shown=r"2 w^\top K D + |D|^2 = \frac1{n_0}\sum_\mu \left(2 a y_\mu f_\mu\, w^\top K x_\mu"
                   r" + \frac{a^2}{\alpha_0} y_\mu^2 f_\mu^2\right) + \text{pairs}")


def _diagonal_forms(doc):
    inner = Symbol("u", real=True)
    doc.step("x'K x/d is beta_y = beta0 + ell y/alpha0, beta0 = 1 + ell E y: another sample has (x.x')^2 = d on the "
             "average, the same one d^2.",
             exact(1 + ell / (n0 * d) * (n0 * Symbol("ybar") * d * E(inner**2, inner) + y * d**2),
                   beta_y.subs(beta0, 1 + ell * Symbol("ybar")).subs(alpha0, n0 / d), ("split", "expand")),
             shown=Eq(Symbol("beta_y"), beta_y, evaluate=False))
    doc.step("K x is beta_y x and a part across x of squared length d k2, k2 = ell^2 E[y^2]/alpha0: n0 samples y' x' "
             "(x'.x).",
             exact(((ell / n0) ** 2 * n0 * Symbol("h2") * d * d / d).subs(n0, alpha0 * d),
                   ell**2 * Symbol("h2") / alpha0, "cancel"), shown=r"\tfrac1d\, x^\top K^2 x = \beta_y^2 + k_2")


def _free_cumulants(doc):
    x, G = symbols("x G", positive=True)
    moved = E(label / (1 - label * x * overload), tau)
    doc.step("Leave-one-out for the trace G(u) of (u - A1)^(-1)/d: u G = 1 + E[y G/(1 - o y G)], o = 1/alpha0. So u is "
             "1/G + R(G): the R-transform is a mean over one sample.",
             exact((1 + E(label * G / (1 - overload * label * G), tau)) / G - 1 / G, moved.subs(x, G), ("join",
                                                                                                        "cancel")),
             shown=r"R(G) = E\left[\frac{y}{1 - o\,y\,G}\right]")
    for j, name in enumerate(("E y", "o E[y^2]", "o^2 E[y^3]", "o^3 E[y^4]")):
        factorial = (1, 1, 2, 6)[j]
        doc.step(f"The free cumulant of order {j + 1} of A1: {name}; that of K has ell to this power (and 1 more in "
                 "the first)." if j == 0 else f"Order {j + 1}: {name}.",
                 exact(moved.diff(x, j).subs(x, 0) / factorial, overload**j * E(label ** (j + 1), tau), ("split",
                                                                                                         "expand")))
    t = Symbol("t", positive=True)
    m2 = k2 + beta0**2
    m3 = k3 + 3 * k2 * beta0 + beta0**3
    m4 = k4 + 4 * k3 * beta0 + 2 * k2**2 + 6 * k2 * beta0**2 + beta0**4
    # powers of 1/u for u = 1/t + beta0 + k2 t + k3 t^2 + k4 t^3
    load = _truncated(beta0 * t + k2 * t**2 + k3 * t**3 + k4 * t**4, t)
    inverse, power = t, t
    for _ in range(4):
        power = _truncated(-power * load, t)
        inverse += power
    back, power = 0, 1
    for m in (1, beta0, m2, m3, m4):
        power = _truncated(power * inverse, t)
        back += m * power
    rest = _truncated(back, t)
    doc.step("From cumulants to moments of K: the sum of m_j/u^(j+1) is t at u = 1/t + R(t), here to order t^5.",
             exact(rest, t, "expand"), shown=Eq(Symbol("m4"), m4, evaluate=False))
    doc.step("The spread of K^2, in which the trace's square is taken away.",
             exact(m4 - m2**2, k4 + 4 * k3 * beta0 + k2**2 + 4 * k2 * beta0**2, "expand"),
             shown=Eq(Symbol("m4") - Symbol("m2") ** 2, k4 + 4 * k3 * beta0 + k2**2 + 4 * k2 * beta0**2,
                      evaluate=False))


def _truncated(polynomial, t):
    """Terms to the order t^5."""
    expanded = polynomial.expand()
    return sum(expanded.coeff(t, j) * t**j for j in range(6))


def sample_part(f, a=step, o=1 / alpha0, diagonal=beta_y, square=hcheck):
    """U_y: what one sample adds to the squared length, as a function of z = w.x given its f."""
    return 2 * a * y * diagonal * z * f + a**2 * o * y**2 * (f**2 - square)


def linear_part():
    """L: the linear Hermite part of U_y."""
    return 2 * step * s3 * y * beta_y + step**2 * f21 / alpha0 * y**2


def _opened(expr):
    """The constants as means of f."""
    f = _f()
    return expr.subs({s3: E((z**2 - 1) * f, z), s4: E((z**3 - 3 * z) * f, z), f21: E(z * f**2, z),
                      f22: E((z**2 - 1) * f**2, z), f3: E(f**3, z), hcheck: E(f**2, z)})


def _one_sample(doc):
    f = _f()
    U = _opened(sample_part(Function("f")(z))).subs(Function("f")(z), f)
    doc.step("w'K x is beta_y z, z = w.x, and a part across, of variance k2. One sample adds U_y(z) = 2 a y beta_y z "
             "f + (a^2/alpha0) y^2 (f^2 - hcheck). Its linear part L, f21 = E[z f^2].",
             exact(E(z * U, z), _opened(linear_part()), ("split", "expand")),
             shown=Eq(Symbol("L"), linear_part(), evaluate=False))
    second = 2 * (step * s4 * y * beta_y + step**2 * f22 / (2 * alpha0) * y**2)
    doc.step("Its second Hermite coefficient, s4 = E[He_3 f], f22 = E[He_2 f^2].",
             exact(E((z**2 - 1) * U, z), _opened(second), ("split", "expand")),
             shown=Eq(Symbol("u2"), second, evaluate=False))
    crossed = 2 * step * y * beta_y * f21 + step**2 / alpha0 * y**2 * f3
    doc.step("With f, which the row's own D has: E[f U], f3 = E[f^3].",
             exact(E(f * U, z), _opened(crossed), ("split", "expand")),
             shown=Eq(E(Symbol("f") * Symbol("U"), z), crossed, evaluate=False))


def _variance(doc):
    lam1, lam2, rest = symbols("lambda1 lambda2 T2", real=True)
    trace = Symbol("T1", real=True)
    spread = (2 * rest + trace**2) / (d * (d + 2)) - trace**2 / d**2
    doc.step("w'K^2 w on the sphere (T1, T2 traces of K^2, K^4; E w_i^4 = 3/(d (d + 2)), E w_i^2 w_j^2 a third): d "
             "times its variance is twice the spread of K^2.",
             exact(spread, 2 / (d * (d + 2)) * (rest - trace**2 / d), "cancel"),
             shown=r"2\,(k_4 + 4 k_3\beta_0 + k_2^2 + 4 k_2\beta_0^2)")
    x1, x2, u, v = symbols("x1 x2 u v", real=True)
    form, field = lam1 * u**2 + lam2 * v**2, (x1 * u + x2 * v) ** 2
    doc.step("Its covariance with a square (w.x)^2 is 2 x'K^2 x/d^2 less the part of the trace: 2 delta_y/d, delta_y = "
             "beta_y^2 - beta0^2. With u2/2 of each sample and both orders: 2 E[delta_y u2].",
             exact(E(E(form * field, u), v) - E(E(form, u), v) * E(E(field, u), v), 2 * (lam1 * x1**2 + lam2 * x2**2),
                   ("split", "expand")), shown=r"2 E[\delta_y u_2]")
    h2 = Symbol("h2", positive=True)
    doc.step("The part of w'K x across w.x: 2 a y f times it, of variance k2.",
             exact((d * (2 * step / n0) ** 2 * n0 * h2 * hcheck * k2).subs(n0, alpha0 * d),
                   4 * step**2 * hcheck / alpha0 * h2 * k2, "cancel"))
    doc.step("Pairs of samples in |D|^2, (x.x')^2 = d.",
             exact((d * 2 * (step / n0) ** 4 * n0**2 * h2**2 * hcheck**2 * d).subs(n0, alpha0 * d),
                   2 * (omega * h2).subs(omega, step**2 * hcheck / alpha0) ** 2, "cancel"),
             shown=Eq(Symbol("pairs"), 2 * (omega * h2) ** 2, evaluate=False))
    own = Symbol("V_2", positive=True)
    doc.step("The chaos of one sample beyond the linear part, V_2 = E_y Var(U - L z), and the linear one, w.s_L.",
             exact((d / n0**2 * n0 * own).subs(n0, alpha0 * d), own / alpha0, "cancel"),
             shown=r"\mathrm{Var}\,\chi = |s_L|^2 + \tfrac1{\alpha_0} V_2 + 2\,(k_4 + 4 k_3\beta_0 + k_2^2"
                   r" + 4 k_2\beta_0^2) + 2 E[\delta_y u_2]"
                   r" + \tfrac{4 a^2 \check h}{\alpha_0} h_2 k_2 + 2 (\omega h_2)^2")


def shift_part():
    """e: what D alone adds to t, as a function of y."""
    return (step / alpha0 * y * (2 * step * y * beta_y * f21 + step**2 / alpha0 * y**2 * f3)
            + step * s3 * y * (beta_y**2 - beta0**2))


def _linear(doc):
    e = shift_part()
    doc.step("The covariance of chi with sqrt(d) times the new row: w.s_L meets K w: K s_L. D meets U of the same "
             "sample, ...",
             exact((d * step / n0 * y * Symbol("fU") / n0 * n0).subs(n0, alpha0 * d), step / alpha0 * y * Symbol("fU"),
                   "cancel"))
    doc.step("... and its second chaos, (a s3/2) y ((w.x)^2 - 1), meets w'K^2 w: a s3 y delta_y.",
             exact(step * s3 / 2 * y * 2 * (beta_y**2 - beta0**2),
                   e - (step / alpha0 * y * (2 * step * y * beta_y * f21 + step**2 / alpha0 * y**2 * f3)), "expand"),
             shown=r"t = K s_L + s_e,\quad e = \tfrac a{\alpha_0} y\,E[f U] + a s_3\, y\,\delta_y")
    doc.step("relu and log(1 + exp(2 z)) have an odd f: f21 = f3 = s3 = 0, so that t = 0.",
             exact(e.subs({f21: 0, f3: 0, s3: 0}) + linear_part().subs({f21: 0, s3: 0}), 0, "expand"))


def _odd(doc):
    at = {ell: 0, f21: 0, beta0: 1}
    doc.step("An odd student has ell = f21 = s4 = 0, and f is even: L is 2 a s3 y, ...",
             exact(linear_part().subs(at), 2 * step * s3 * y, "expand"))
    doc.step("... e is (a^3 f3/alpha0^2) y^3: t = c1 s + c3 s_3.",
             exact(shift_part().subs(at), step**3 * f3 / alpha0**2 * y**3, "expand"))
    g2, f4, h2, y4 = symbols("g_perp2 k_4 h2 y4", real=True)
    squares = {"zf": g2 + s3**2, "ff": f4}
    V2 = 4 * step**2 * h2 * (squares["zf"] - s3**2) + step**4 / alpha0**2 * y4 * squares["ff"]
    doc.step("V_2 has no cross term (z f^3 is odd); E[z^2 f^2] = g_perp2 + s3^2, E f^4 - hcheck^2 = k_4. Var(chi) in "
             "all:",
             exact((2 * step * s3) ** 2 * Symbol("s2") + V2 / alpha0 + 2 * (omega * h2) ** 2,
                   4 * step**2 * s3**2 * Symbol("s2") + 4 * step**2 / alpha0 * h2 * g2 + 2 * (omega * h2) ** 2
                   + step**4 / alpha0**3 * y4 * f4, "expand"),
             shown=r"\mathrm{Var}\,\chi = c_1^2 |s|^2 + \tfrac{4a^2}{\alpha_0} h_2\, g_\perp^2 + 2 (c-1)^2"
                   r" + \tfrac{a^4}{\alpha_0^3} y_4 k_4")


def _draw(rng, d, at):
    import numpy as np

    one, W = batch.draw(rng, d, at), on_sphere(rng, 6 * d, d)
    slope = at.slope(W @ one.x.T) - at.k.h1
    bulk = W + at.a * (slope * one.y) @ one.x / one.n0
    chi = d**0.5 * (bulk**2).sum(axis=1)
    chi -= chi.mean()
    part = networks.parts(at, one.y)
    s_L, s = batch.weighted(one, part.L), batch.weighted(one, one.y)
    t = s_L + part.ell * batch.second_moment(one, one.y) @ s_L + batch.weighted(one, part.e)
    v = s / np.linalg.norm(s)
    return {"variance": (chi.var(), at.spread), "v": (d**0.5 * np.mean(chi * (bulk @ v)), t @ v),
            "theta": (d**0.5 * np.mean(chi * (bulk @ one.theta)), t @ one.theta)}


def _kernel_draw(rng, d, at):
    """The kernel of a trained bulk with its own row norms; the limit has S and t of the batch."""
    import numpy as np

    one, W = batch.draw(rng, d, at), on_sphere(rng, round(RATIO * d), d)
    bulk = W + at.a * ((at.slope(W @ one.x.T) - at.k.h1) * one.y) @ one.x / one.n0
    chi = d**0.5 * (bulk**2).sum(axis=1)
    part = networks.parts(at, one.y)
    K = np.eye(d) + part.ell * batch.second_moment(one, one.y)
    S = K @ K + at.a**2 * at.k.square / at.alpha0 * batch.second_moment(one, one.y**2)
    t = K @ batch.weighted(one, part.L) + batch.weighted(one, part.e)
    v = batch.weighted(one, one.y)
    v /= np.linalg.norm(v)
    zeta = one.theta - (one.theta @ v) * v
    zeta /= np.linalg.norm(zeta)
    found = entries(bulk - bulk.mean(axis=0), v, zeta, chi - chi.mean())
    limit = limits(S, np.linalg.eigvalsh(S), v, zeta, t, at.spread)
    return {name: (value, limit[name]) for name, value in found.items()}


@cache
def kernel_instances(kind):
    seed = {"odd": 17, "other": 18}[kind]
    return Instances(lambda rng, d: _kernel_draw(rng, d, networks.point(kind)), seed=seed, d=120, repeats=50)


@cache
def instances(kind):
    seed = {"odd": 11, "other": 12}[kind]
    return Instances(lambda rng, d: _draw(rng, d, networks.point(kind)), seed=seed, d=150, repeats=30)


def _random(doc):
    names = (("variance", "the variance of chi", Symbol("Var_chi"), Symbol("Var")),
             ("v", "its covariance with sqrt(d) w.v (limit: t of the batch)", Symbol("Cov_v"), Symbol("t.v")),
             ("theta", "with sqrt(d) w.theta", Symbol("Cov_theta"), Symbol("t.theta")))
    for kind, words in (("odd", "tanh on sin, a = 3, alpha0 = 1/2"),
                        ("other", "log(1 + exp(2 z + 1)) on sin, a = 1, alpha0 = 1")):
        for name, what, lhs, rhs in names:
            doc.step(f"Sampled networks, {words}: {what}.", sampled(lhs, rhs, lambda k=kind: instances(k), name))
        for name, what in (("vv", "spike"), ("zz", "target"), ("vx", "norm and spike"), ("xx", "norm")):
            doc.step(f"Their kernel is that of real_network.kernel, with the batch's own S and t: {what}.",
                     sampled(Symbol(f"measured_K_{name}"), Symbol(f"K_{name}"),
                             lambda k=kind: kernel_instances(k), name))


if __name__ == "__main__":
    sys.exit(main(derivation))
