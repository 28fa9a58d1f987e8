"""The initial output in the gradient: it tilts the spike against the mean row, by which constant and spike meet."""

import sys
from functools import cache
from types import SimpleNamespace

from sympy import Eq, Matrix, Symbol, eye, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..one_step.functions import on_sphere
from ..sampled import Instances, sampled
from . import batch
from .forms import known
from .notation import V1, V2, Vhat1, alpha0, b, beta, d, g, h1, level, mean, n0, omega, p, step, w, z

s = Symbol("s", positive=True)
gamma, rho = symbols("gamma rho", positive=True)
length, c = Symbol("s_norm", positive=True), Symbol("c", positive=True)
Bvv, Nvv, Nvz, weight, Jv, Jt = symbols("B_vv N_vv N_vz w_mean J_v J_theta", real=True)
#: what the common row of the bulk divides by
divisor = Symbol("D", positive=True)


def derivation():
    """K_0v and K_0zeta of a network that starts with all readout weights equal."""
    doc = Derivation(
        "The tilt by the initial output", "beyond arXiv 2402.04980: the initial output at finite width, odd students",
        "p = beta d rows w0 on the unit sphere and equal readout weights: y0(x) is the mean of student(w0.x), of size "
        "1/sqrt(p). The gradient has y - y0 in place of y. The bulk's rows are w = w0 + Delta, Delta of covariance (S "
        "- 1)/d and not correlated with w0; K = Lambda + Vhat1 W W' and H = (Lambda + Vhat1 W'W)^(-1) are those of "
        "the second stage, B = (1 + g S)^(-1), N = S B as in real_network.kernel; b, T, e_y and the weight w(y) as in "
        "real_network.forms.")
    _shift(doc)
    _meeting(doc)
    _response(doc)
    _projected(doc)
    _isotropic(doc)
    _norm(doc)
    _random(doc)
    return doc


def _shift(doc):
    across, along = symbols("x_perp q", real=True)
    student = Applied("student", z)
    doc.step("The student is h1 z and a rest not correlated with z: y0(x) is h1 m.x and a rest, m the mean row.",
             exact(E(z * (student - E(z * student, z) * z), z), 0, ("split", "expand")))
    doc.step("The rest of an odd student is not correlated with the slope's f = student' - h1 either, which is even "
             "and is all that Delta knows of w0.x (example: z + q z^3).",
             exact(E((3 * along * (z**2 - 1)) * (along * (z**3 - 3 * z)), z), 0, ("close", "expand")))
    doc.step("So the mean of (y - y0) x is s - e, e = h1 A0 m with A0 the mean of x x'; on the average A0 is 1 "
             "(component along m, of length q, and one across it).",
             exact(E(E(h1 * along * z * (z * along + across * w), w), z), h1 * along**2, "split"))
    doc.step("Its length is of order 1/sqrt(p), for |m|^2 = 1/p: beside s it does not count, ...",
             exact((p * (1 / p) ** 2).subs(p, beta * d) * d, 1 / beta, "cancel"),
             shown=Eq(Symbol("|m|^2"), 1 / p, evaluate=False))


def _meeting(doc):
    kappa = 1 / s
    doc.step("... but it is made of the rows. Given the bulk, w0 is S^(-1) w and a rest that the bulk does not know: "
             "for an eigenvalue s of S, covariance 1/d over variance s/d.",
             exact((1 / d) / (s / d), kappa, "cancel"), shown=r"E[w_0 \,|\, w] = S^{-1} w")
    inner = V2 * p / d * s / (1 + g * s)
    doc.step("The ones meet e by the diagonal: 1'K^(-1) W A0 W0'1/p becomes tr(A0 S^(-1) W'K^(-1) W), and W'K^(-1) W "
             "is (p/d) V2 N: (p/d) V2 tr(A0 B).",
             exact(inner / s, p / d * V2 / (1 + g * s), "cancel"),
             shown=r"\tfrac1p\, 1^\top K^{-1} W A_0 W_0^\top 1 = \tfrac1d V_2\, \mathrm{tr}(A_0 B)")
    f = known()
    own = (1 / n0 * n0 * mean(lambda y, tau: d * b * f.weight(y))) / d
    doc.step("tr(A0 B)/d, sample by sample: x'B x = d b w(y).",
             exact(own, b * mean(lambda y, tau: f.weight(y)), "expand"))
    raw = -(d / p) / length * h1 * p / d * V2 * b * weight / p * d
    doc.step("The direction of the spike is v = (s - e)/|s|; its entry with the constant, (d/p) 1'K^(-1) W v, without "
             "the projector (w_mean is E w(y)) and before the next two parts:",
             exact(raw.subs(p, beta * d), -h1 * V2 * b * weight / (beta * length), "cancel"),
             shown=Eq(Symbol("k_0v"), -h1 * V2 * b * weight / (beta * length), evaluate=False))


def _response(doc):
    """The bulk itself has y - y0: the other rows know a row through its part of y0."""
    w1, w2, x1, x2, f, t = symbols("w1 w2 x1 x2 f t", real=True)
    W, change = Matrix([[w1, w2]]), f * Matrix([[x1, x2]])
    moved = W + t * change

    def H(rows):
        return (level * eye(2) + Vhat1 * rows.T * rows).inv()

    left, right = Matrix([[1, 2]]), Matrix([3, -1])
    slope = -Vhat1 * H(W) * (change.T * W + W.T * change) * H(W)
    doc.step("The bulk has the residual in it too: row k enters all others, by -(a/(n0 p)) f_j student(w_k.x) x for "
             "every sample. H changes to first order (one row, in two dimensions, between two vectors).",
             exact((left * H(moved) * right)[0].diff(t).subs(t, 0), (left * slope * right)[0], "cancel"),
             shown=r"\delta H = -\hat V_1 H\,(\delta W^\top W + W^\top \delta W)\,H")
    y, own, met, hcheck = symbols("y w x_met hcheck1", real=True)
    through = level * V2 * p * step * hcheck * y / n0
    one = Vhat1 * step / (n0 * p) * h1 / d * 2 * through * (d * b * own / level) * (own * met / level)
    found = (n0 * d * level * V2 * one).subs(hcheck, omega * alpha0 / step**2)
    doc.step("w_k meets this with E[w_k student(w_k.x)] = h1 x/d; f'W is Lambda V2 p a hcheck1 y x/n0, from E[f "
             "Delta]; x'H x is d b w(y)/Lambda. Over the samples, u any direction, x'B u = w(y) x_u: of the order of "
             "the first part, and of the other sign (hcheck1 = E f^2, omega = a^2 hcheck1/alpha0).",
             exact(found.subs(n0, alpha0 * d).subs(Vhat1, g / (beta * V2)),
                   h1 * V2 * b / beta * 2 * g * omega * y * own**2 * met, "cancel"),
             shown=r"k_{0u} \ni \frac{h_1 V_2\, b}{\beta}\, 2 g \omega\, E[y\, w(y)^2\, x_u]")


def _bare():
    """k_0v and k_0theta, without the projector."""
    unit = h1 * V2 * b / (beta * divisor)
    return unit * (2 * g * omega * Jv - weight / length), unit * 2 * g * omega * Jt


def _entries():
    """K_0v and K_0zeta with the projector."""
    spike, target = _bare()
    return spike / Bvv, (target - gamma * spike) / rho + g * spike * Nvz / Bvv


def _projected(doc):
    spike, target = _bare()
    bare = Symbol("k_0v", real=True)
    more = g / (1 - g * Nvv)
    doc.step("Together, without the projector, and divided by D for the bulk's common row (coefficient 1/D of the "
             "other parts of the rows, real_network.mean_readout): J_v = E[y w(y)^2 (tau e_y T + y b/alpha0)]/|s|, "
             "...",
             exact(spike * divisor, h1 * V2 * b / beta * (2 * g * omega * Jv - weight / length), "cancel"),
             shown=Eq(bare, spike, evaluate=False))
    doc.step("... and J_theta = E[y tau w(y)^2] T; zeta is (theta - gamma v)/rho.",
             exact(target * divisor, h1 * V2 * b / beta * 2 * g * omega * Jt, "cancel"),
             shown=Eq(Symbol("k_0theta"), target, evaluate=False))
    doc.step("The projector of real_network.kernel adds g k_0v N_v/B_vv: the constant and the spike,",
             exact(bare + more * bare * Nvv, bare / (1 - g * Nvv), "cancel"),
             shown=Eq(Symbol("K_0v"), bare / Bvv, evaluate=False))
    other = (Symbol("k_0theta") - gamma * bare) / rho
    doc.step("the constant and the target.",
             exact(other + more * bare * Nvz, (other + g * bare * Nvz / Bvv).subs(Bvv, 1 - g * Nvv), "cancel"),
             shown=Eq(Symbol("K_0z"), other + g * bare * Nvz / Bvv, evaluate=False))


def _isotropic(doc):
    flat = {weight: 1, omega: 0, divisor: 1, b: 1 / (1 + g * c), Bvv: 1 / (1 + g * c), Nvv: c / (1 + g * c), Nvz: 0}
    kvv, v1 = V2 * Nvv / Bvv, V2 * c / (1 + g * c)
    first, second = _entries()
    doc.step("Isotropic rows, S = c: K_0v has K_vv = c V2, not V1: the projector takes the noise along v away ...",
             exact(first.subs(flat), (-h1 / (beta * c * length) * kvv).subs(flat), "cancel"),
             shown=Eq(Symbol("K_0v"), -h1 / (beta * c * length) * Symbol("K_vv"), evaluate=False))
    doc.step("... and K_0zeta has V1: across v it does not.",
             exact(second.subs(flat), gamma / rho * h1 / (beta * c * length) * v1, "cancel"),
             shown=Eq(Symbol("K_0z"), gamma / rho * h1 / (beta * c * length) * V1, evaluate=False))
    doc.step("Without the projector both would have it.",
             exact(_bare()[0].subs(flat), -h1 / (beta * c * length) * v1, "cancel"),
             shown=Eq(Symbol("k_0v"), -h1 / (beta * c * length) * V1, evaluate=False))
    doc.step("On a strongly anisotropic bulk the isotropic form is off by a factor:",
             exact(first / (-h1 / (beta * c * length) * kvv),
                   c * b / (divisor * Nvv) * (weight - 2 * g * omega * Jv * length), "cancel"),
             shown=Eq(Symbol("factor"), c * b / (divisor * Nvv) * (weight - 2 * g * omega * Jv * length),
                      evaluate=False))


def _norm(doc):
    s3 = Symbol("s3", real=True)
    parts = s / (1 + g * s) / s**2 + 1 - 1 / s
    doc.step("The row norm's part 2 a s3 sqrt(d) w0.(s - e), s3 = E[(z^2 - 1) student'], meets the constant too: W0 "
             "W0' under K^(-1) is the share S^(-1) W W'S^(-1) and the rest 1 - S^(-1), together 1 - g B (without the "
             "parts of the last steps).",
             exact(parts, 1 - g / (1 + g * s), "cancel"),
             shown=Eq(Symbol("k_0chi"), -2 * step * s3 * h1 * V2 / beta * (1 - g * b), evaluate=False))
    doc.step("Without anisotropy it is V1: beside K_0v a factor 2 a s3 |s|, small where the spike is weak and the mean "
             "of the readout large.",
             exact((V2 * (1 - g * b)).subs(b, 1 / (1 + g)), V2 / (1 + g), "cancel"),
             shown=Eq(V1, V2 / (1 + g), evaluate=False))


_RATIO, _LEVEL, _HAT = 1.0, 0.5, 1.0


@cache
def point(a, overload):
    """tanh on sin, noise 1/10: a is the rate over beta, overload is 1/alpha0."""
    import numpy as np

    def slope(u):
        return 1 / np.cosh(u) ** 2

    first = batch.normal_mean(slope)
    spread = batch.normal_mean(lambda u: (slope(u) - first) ** 2)
    at = SimpleNamespace(alpha0=1 / overload, target=np.sin, noise=0.1, offset=0.0, a=a, h1=first, slope=slope,
                         omega=a**2 * spread * overload)
    law = batch.law(at.target, at.noise)

    def forms(u):
        return batch.forms(law, np.exp(u), at.omega, overload)

    u = batch.increasing_root(lambda u: np.exp(u) * _LEVEL / _HAT + 1 - forms(u).b - _RATIO, -6.0, 6.0, 45)
    at.limits = _limits(at, forms(u), law)
    return at


def _limits(at, f, law):
    """The entries, and K_0v as for isotropic rows."""
    def same(y):
        return y

    phi1, h2 = f.start(same), law(lambda y, tau: y**2)
    norm2 = phi1**2 + f.overload * h2
    cos, sine = phi1 / norm2**0.5, (f.overload * h2 / norm2) ** 0.5
    form, inner = f.B(same, same) / norm2, f.N(same, same) / norm2
    crossed = (f.N_target(same) / norm2**0.5 - cos * inner) / sine
    response = f.g / (_RATIO * _HAT)
    values = {h1: at.h1, V2: response, b: f.b, beta: _RATIO, length: norm2**0.5, g: f.g, gamma: cos, rho: sine,
              Bvv: form, Nvv: inner, Nvz: crossed, weight: law(lambda y, tau: f.weight(y)), omega: at.omega}
    met = law(lambda y, tau: y * f.weight(y) ** 2 * (tau * f.e(same) * f.T + y * f.b * f.overload))
    values[Jv], values[Jt] = met / norm2**0.5, law(lambda y, tau: y * tau * f.weight(y) ** 2) * f.T
    third = batch.normal_mean(lambda u: (u**2 - 1) * at.slope(u))
    values[divisor] = f.common_row(at.a, third)
    found = [float(e.subs(values)) for e in _entries()]
    return dict(zip(("v", "z"), found))


def _draw(rng, d, at):
    """Entries with the initial output less those without it, of one network."""
    import numpy as np

    rows = round(_RATIO * d)
    one, W0 = batch.draw(rng, d, at), on_sphere(rng, rows, d)
    inner = W0 @ one.x.T
    output = np.tanh(inner).mean(axis=0)
    found = []
    for y in (one.y - output, one.y):
        spike = batch.weighted(one, y)
        W = W0 + at.a * ((at.slope(inner) - at.h1) * y) @ one.x / one.n0
        v = spike / np.linalg.norm(spike)
        zeta = one.theta - (one.theta @ v) * v
        zeta /= np.linalg.norm(zeta)
        projected = W - np.outer(W @ v, v)
        solved = np.linalg.solve(_LEVEL * np.eye(rows) + _HAT * projected @ projected.T, np.ones(rows))
        found.append([d / rows * solved @ (W @ u) for u in (v, zeta)])
    change = np.subtract(*found)
    return {"v": (change[0], at.limits["v"]), "z": (change[1], at.limits["z"])}


@cache
def weak_instances():
    return Instances(lambda rng, d: _draw(rng, d, point(0.5, 0.5)), seed=7, d=100, repeats=60)


@cache
def strong_instances():
    return Instances(lambda rng, d: _draw(rng, d, point(3.0, 1.0)), seed=8, d=100, repeats=60)


def _random(doc):
    first, second = _entries()
    words = {"v": ("the constant and the spike", Symbol("K_0v"), first),
             "z": ("the constant and the target", Symbol("K_0z"), second)}
    for instances, where in ((weak_instances, "a = 1/2, alpha0 = 2"), (strong_instances, "a = 3, alpha0 = 1")):
        for name, (what, lhs, rhs) in words.items():
            doc.step(f"Sampled networks with the initial output less the same ones without, tanh on sin, noise 1/10, "
                     f"{where}: {what}.", sampled(lhs, rhs, instances, name))


if __name__ == "__main__":
    sys.exit(main(derivation))
