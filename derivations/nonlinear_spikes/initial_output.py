"""The gradient of the network as it is: the initial output stays in the residual and tilts the spike."""

import sys
from functools import cache

from sympy import Derivative, Eq, Matrix, Symbol, diag, eye, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied
from asympkit.theories.nonlinear_spikes import equations as nonlinear_equations
from asympkit.theories.nonlinear_spikes.equations import power_moment

from ..checks import exact, simulated
from ..command import main
from ..document import Derivation
from . import small
from .experiments import kept_direction, kept_model, traces
from .notation import LETTERS, A, B, mtilde, mu, on_solution, package, phi, tau, x
from .package_gap import observable

z, w, u = symbols("z w u", real=True)
N, n, Df = symbols("N n D_f", positive=True)
c1 = package.target_linear
noise, rest = package.noise_variance, package.target_rest


def derivation():
    """The literal gradient: what changes in the gaps when the initial output is kept."""
    doc = Derivation(
        "A gradient step with the initial output", "arXiv 2310.07891, with the residual y - f0 in place of y",
        "f0(x) = a s(W x) with a ~ N(0, I/N) is a random function of size one, so the spike is c1 a beta_f^T with "
        "beta_f = X^T (y - f0)/n. beta_f shares W^T a with the features and the row a with the readouts. Notation of "
        "nonlinear_spikes.traces and nonlinear_spikes.gaps; D_f is |beta_f|^2, B = c1^2 of the student, target_linear "
        "is c1 of the teacher. In the small instances L stands for lam n; two spikes have the columns U and rows V.")
    _direction(doc)
    _traces(doc)
    _tilted(doc)
    _first(doc)
    _package(doc)
    return doc


def _direction(doc):
    a, w1, w2, x1, y = symbols("a w1 w2 x1 y", real=True)
    output = a * Applied("student", w1 * x1 + w2)
    doc.step("The descent direction carries the residual: y - f0 stands where y alone gave beta = X^T y/n.",
             exact(-((y - output) ** 2 / 2).diff(w1), (y - output) * a * Applied("student", w1 * x1 + w2, 1) * x1,
                   "expand"))
    student, t = Applied("student", u), Symbol("t", real=True)
    doc.step("The linear part of one unit along an input coordinate with overlap t is t c1, so E[x f0] = c1 W^T a.",
             exact(E(E(student * (t * u + sqrt(1 - t**2) * w), w), u), t * E(u * student, u), "split"))
    a1, a2 = symbols("a1 a2", real=True)
    W = Matrix([[1, 2, 0], [0, 1, -1]])
    spread = {a1: z / sqrt(N), a2: w / sqrt(N)}
    squared = ((W.T * Matrix([a1, a2])).T * (W.T * Matrix([a1, a2])))[0].subs(spread)
    doc.step("Its squared norm, by the mean over a, is the mean squared norm of a row: 1 (two rows of squared norms 5 "
             "and 2).",
             exact(E(E(squared, w), z), (W * W.T).trace() / N, ("split", "expand")),
             shown=r"E |W^\top a|^2 = \mathrm{tr}(W W^\top)/N = 1")
    power = c1**2 + rest + noise
    plain = c1**2 + phi * power
    residual = power + B + A
    kept = c1**2 + B + phi * residual
    doc.step("beta_f averages to c*1 b - c1 W^T a, two directions that are orthogonal in the limit, and equal samples "
             "add phi E (y - f0)^2. Given a and W, f0 has variance B + A. So D_f exceeds D by B + phi (B + A).",
             exact(kept, plain + B + phi * (B + A), "expand"), shown=Eq(Df, kept, evaluate=False))
    length = nonlinear_equations.pieces().length.expr.xreplace(LETTERS)
    doc.step("The package's squared length with kept = 1 ...", exact(length.subs(package.kept, 1), kept, "expand"),
             shown=Eq(Df, length, evaluate=False))
    doc.step("... and with kept = 0, the initial output removed.", exact(length.subs(package.kept, 0), plain, "expand"),
             shown=Eq(Symbol("D"), length.subs(package.kept, 0), evaluate=False))
    doc.step("A sampled network (student and teacher z + He_2/sqrt(2), phi = 1/2, psi = 1, noise 1/10).",
             simulated(Symbol("beta_f") ** 2, Df, kept_direction, tolerance=4.0, sizes=(80, 320), repeats=6))


@cache
def _second_trace():
    """tr(F^T R X W^T), its linear part, and the integration by parts of the other in the entries of Z."""
    p, q = small.parts(), small.traces()
    whole = (p.F.T * p.R * p.X * p.W.T).trace()
    linear = p.c * (p.W * p.X.T * p.R * p.X * p.W.T).trace()
    by_parts = small.divergence(lambda s: s.R * s.X * s.W.T, "Z")
    one_trace = (p.F.T * p.R * p.R * p.X * p.W.T).trace()
    return whole, linear, (p.Z.T * p.R * p.X * p.W.T).trace(), by_parts, -p.a * (q.tau * whole + one_trace), p.a


def _traces(doc):
    whole, linear, other, by_parts, rule, strength = _second_trace()
    second = Symbol("S_2")
    doc.step("x = (c1/N) tr(F^T R X W^T) of nonlinear_spikes.traces is what beta_f and the row a have in common; split "
             "by the parts of F, with S_2 = (c1^2/N) tr(W X^T R X W^T).",
             exact(whole, linear + strength * other, "cancel"), shown=Eq(x, second + Symbol("T_2"), evaluate=False))
    doc.step("The part with Z, by Stein's lemma in its entries, is -A tau x; the sum is exact, its last term has one "
             "trace less.",
             exact(by_parts, rule, "cancel"), shown=Eq(Symbol("T_2"), -A * tau * x, evaluate=False))
    doc.step("So S_2 = (1 + A tau) x.", exact(x - (-A * tau * x), (1 + A * tau) * x, "expand"),
             shown=Eq(second, (1 + A * tau) * x, evaluate=False))
    doc.step("Sampled features have it.",
             simulated(second, (1 + A * tau) * x, lambda rng, size: traces(rng, size)["second"], tolerance=0.9,
                       sizes=(60, 180), repeats=6))


def _tilted(doc):
    v = Matrix(symbols("v1 v2"))
    G, Q, C = (Matrix(2, 2, symbols(f"{n}11 {n}12 {n}{'12' if n != 'C' else '21'} {n}22")) for n in "GQC")
    b = (G + (eye(2) + C) * Q * (eye(2) + C).T) * v
    w_part = Q * (eye(2) + C).T * v
    doc.step("Woodbury's formula of nonlinear_spikes.gaps with C = U^T R P no longer 0 (p = P^T R y still is): the "
             "first block of the inverse. With b = (G + (I + C) K^(-1) (I + C)^T) v the first half of the solution is "
             "v, ...",
             exact((b.T * v)[0], (v.T * G * v + v.T * (eye(2) + C) * w_part)[0], "expand"),
             shown=r"Q = b^\top (G + (I + C) K^{-1} (I + C)^\top)^{-1} b")
    doc.step("... and the second half, K^(-1) (I + C)^T v, satisfies the lower rows (the first of them).",
             exact(((eye(2) + C).T * v)[0] * Q.det(), (Q.adjugate() * w_part)[0], "expand"),
             shown=r"(I + C^\top) v - K w = 0")
    t1, t2 = symbols("t1 t2", positive=True)
    theta = diag(t1, t2)
    part = ((eye(2) + C * theta) * theta.inv() * Q * theta.inv() * (eye(2) + C * theta).T)[0, 1]
    doc.step("With P = F V Theta and K = Theta A Theta the strengths go to one place (first row, second column shown; "
             "C now without its factor Theta).",
             exact(part, ((theta.inv() + C) * Q * (theta.inv() + C).T)[0, 1], "expand"),
             shown=r"G + (\Theta^{-1} + C) A^{-1} (\Theta^{-1} + C)^\top")
    F, V, L = Matrix([[1, 2], [-1, 1], [3, 0]]), Matrix([1, -2]), small.level
    U, y = Matrix([2, 1, 0]), Matrix([1, -2, 4])

    def resolvent(M):
        M = M + L * eye(3)
        return M.adjugate() / M.det()

    off = F * (eye(2) - V * V.T / 5)
    R, R_off = resolvent(F * F.T), resolvent(off * off.T)
    Q_dual = (F.T * F + L * eye(2)).inv()
    strong = (U.T * R * U)[0] + (U.T * R * F * V)[0] ** 2 / (L * (V.T * Q_dual * V)[0])
    doc.step("For diverging strengths G + C A^(-1) C^T is U^T R' U, where R' belongs to features without their part "
             "along the rows V: the spikes own these directions of the readout (small instance, one spike).",
             exact((U.T * R_off * U)[0], strong, "cancel"), shown=r"G + C A^{-1} C^\top = U^\top R' U")
    doc.step("And y^T R' y is y^T R y but for p^2/A.",
             exact((y.T * R_off * y)[0], (y.T * R * y)[0] + (y.T * R * F * V)[0] ** 2 / (L * (V.T * Q_dual * V)[0]),
                   "cancel"), shown=r"y^\top R' y = y^\top R y + p^\top A^{-1} p")


def _first(doc):
    own = ((Df - B) * mu + (1 + A * tau) * x) / Df
    doc.step("For u = X beta_f/sqrt(D_f): the part of beta_f along W^T a has squared norm B and meets S_2, not mu.",
             exact(own, mu * (1 - B / Df) + (1 + A * tau) * x / Df, "expand"),
             shown=Eq(Symbol("G_11"), own, evaluate=False))
    doc.step("The cross term: u^T R F a = -x/sqrt(D_f), with A = mtilde |a|^2 = mtilde. Together e = mu (1 - B/D_f) + "
             "x/(mtilde D_f), for x = 1 - mtilde (1 + A tau).",
             exact((own + x**2 / (mtilde * Df)).subs(x, 1 - mtilde * (1 + A * tau)),
                   mu * (1 - B / Df) + (1 - mtilde * (1 + A * tau)) / (mtilde * Df), "cancel"),
             shown=Eq(Symbol("e"), mu * (1 - B / Df) + x / (mtilde * Df), evaluate=False))
    s = on_solution()
    doc.step("But x = B mtilde mu: e is mu. What the tilt adds and what the row takes off cancel.",
             exact((mu * (1 - B / Df) + x / (mtilde * Df)).subs({x: s.x, mtilde: s.mtilde}), mu, "cancel"),
             shown=Eq(Symbol("e"), mu, evaluate=False))
    for top in (2, 3, 4):
        rows = Matrix(top, top, lambda i, j: power_moment(i + j + 2))
        doc.step("More spikes, with rows a^k: a itself is one of them, so the cross term (V^T a)^T (V^T V)^(-1) (V^T "
                 "a) is 1 whatever their number; two rows." if top == 2 else f"{top} rows.",
                 exact((rows[:, 0].T * rows.LUsolve(rows[:, 0]))[0], 1, "expand"),
                 shown=r"(V^\top a)^\top (V^\top V)^{-1} (V^\top a) = 1")
    overlap = c1 / sqrt(Df)
    doc.step("The labels: W^T a is independent of b, so u^T R y tends to rho_f c*1 mu with rho_f = c*1/sqrt(D_f), and "
             "the linear part takes off (rho_f c*1 mu)^2/e = rho_f^2 c*1^2 mu.",
             exact((overlap * c1 * mu) ** 2 / mu, overlap**2 * c1**2 * mu, "cancel"))


def _package(doc):
    for name in ("train_gap", "test_gap"):
        found = observable(name, (1, 2, 3))
        doc.step("So the gaps of the literal gradient are those of nonlinear_spikes.gaps and "
                 "nonlinear_spikes.test_error with D_f for D. In the package the training gap feels the initial output "
                 "in no other way ..."
                 if name == "train_gap" else "... and neither does the test gap.",
                 exact(Derivative(found, package.kept), 0, "diff"),
                 shown=Eq(Derivative(Symbol(name), package.kept), 0, evaluate=False))
    for name in ("train_gap", "test_gap"):
        doc.step("Sampled features without their part along a, with u as a free regressor: the "
                 f"{name.split('_')[0]} gap, mean over eighty readouts and teachers.",
                 simulated(Symbol(name), Symbol("Delta" if name == "train_gap" else "Lambda"),
                           lambda rng, size, k=name: kept_model(rng, size)[k],
                           tolerance=0.1 if name == "train_gap" else 0.4, sizes=(60, 180), repeats=5))


if __name__ == "__main__":
    sys.exit(main(derivation))
