"""Spikes of finite strength: Woodbury's formula as the package solves it, and its limits."""

import sys
from functools import cache
from types import SimpleNamespace

from sympy import Eq, Matrix, Rational, Subs, Symbol, diag, factorial, factorial2, sqrt, symbols

from asympkit.gauss import E
from asympkit.theories.nonlinear_spikes import equations as nonlinear_equations
from asympkit.theories.nonlinear_spikes.equations import (
    finite_parameters,
    finite_system,
    hermite_of_power,
    power_moment,
)
from asympkit.theories.nonlinear_spikes.moments import ActivationMoments, finite_numbers, readout_numbers

from ..checks import exact, numerical
from ..command import main
from ..document import Derivation
from .notation import LETTERS, A, B, gap, kappa, m1, m2, mtilde, mu, on_solution, package, phi, psi, tau, x
from .spikes import threshold

z, w = symbols("z w", real=True)
N, q, D = symbols("N q D", positive=True)
k = Symbol("k", integer=True, positive=True)
rate = Symbol("alpha", positive=True)
#: highest degree of the instance, its strengths c1^k c_k and the teacher's coefficients
TOP = 3
strength = {i: Symbol(f"strength_{i}", real=True) for i in range(1, TOP + 1)}
target = {i: Symbol(f"target_{i}", real=True) for i in range(2, TOP + 1)} | {1: package.target_linear}
eta, n = package.eta, package.n


def derivation():
    """Gaps at a given learning rate and size."""
    doc = Derivation(
        "Spikes of finite strength", "arXiv 2310.07891, before the strengths diverge",
        "Spike k has the column (X beta)^k and the row c1^k c_k eta^k (a^k)^T, a ~ N(0, I/N). What the spikes take off "
        "y^T R y is b^T (G + K^(-1))^(-1) b (nonlinear_spikes.gaps), K = Theta A Theta; with the initial output kept "
        "the second term is tilted (nonlinear_spikes.initial_output). q is that of nonlinear_spikes.gaussian_rows. "
        "Exact for a step of order one, and the equations behind finite sizes at every exponent.")
    _rows(doc)
    _limits(doc)
    _tilted(doc)
    _package(doc)
    return doc


def _rows(doc):
    for i, j in ((1, 1), (1, 3), (2, 2), (1, 2)):
        value = factorial2(i + j - 1) * N ** (1 - Rational(i + j, 2)) if (i + j) % 2 == 0 else 0
        doc.step("Products of the rows, sums of N powers of a normal number of variance 1/N, have the mean (i + j - "
                 "1)!! N^(1 - (i + j)/2), or 0 if i + j is odd: i, j = 1, 1." if (i, j) == (1, 1)
                 else f"i, j = {i}, {j}.",
                 exact(N * E((z / sqrt(N)) ** (i + j), z), value, ("close", "expand")),
                 shown=Eq(Symbol(f"H_{i}{j}"), value, evaluate=False))
    H, v = Matrix(2, 2, symbols("H11 H12 H12 H22")), Matrix(symbols("v1 v2"))
    centred = H - v * v.T / N
    doc.step("A = lam n V^T (F^T F + lam n I)^(-1) V: a row independent of the features meets mtilde, its mean, v_i/N "
             "times the vector of ones with v_i = (i - 1)!! N^(1 - i/2) for even i, meets mtilde/(1 + q tau).",
             exact((mtilde * centred + mtilde / (1 + q * tau) * v * v.T / N)[0, 1],
                   (mtilde * (H - v * v.T / N * q * tau / (1 + q * tau)))[0, 1], "cancel"),
             shown=r"A = \tilde m \left(H - \frac{v v^\top}{N} \frac{q \tau}{1 + q \tau}\right)")
    share, lost = Symbol("s", positive=True), q * tau
    doc.step("Its inverse by the Sherman-Morrison formula, with s = v^T H^(-1) v/N (a part of 1, the mean square that "
             "even powers explain): q tau/(1 + q tau - q tau s) is added to H^(-1) along H^(-1) v/sqrt(N).",
             exact(1 / (1 - lost / (1 + lost) * share) * lost / (1 + lost), lost / (1 + lost - lost * share), "cancel"),
             shown=r"\tilde m A^{-1} = H^{-1} + \frac{q \tau}{1 + q \tau (1 - s)} \frac{H^{-1} v v^\top H^{-1}}{N}")
    doc.step("The two powers a^2 and a^4: the best combination explains s of the constant, below 1.",
             exact(_explained(), readout_numbers((2, 4))[2], "expand"))
    scale = SimpleNamespace(i=symbols("i", positive=True), j=symbols("j", positive=True))
    size = -rate * (scale.i + scale.j) + (scale.i + scale.j) / 2 - 1
    doc.step("K^(-1)_ij is of order eta^(-i-j) N^((i + j)/2 - 1): with eta = eta0 n^alpha the diagonal element k is n "
             "to a power that is negative above the threshold (k - 1)/(2k), where spike k detaches.",
             exact(size.subs({scale.i: k, scale.j: k}), 2 * k * (threshold(k) - rate), "expand"))


def _explained():
    """Mean square of the best approximation of 1 by z^2 and z^4 over that of 1."""
    H = Matrix(2, 2, lambda i, j: power_moment(2 * (i + j + 2)))
    v = Matrix([power_moment(2), power_moment(4)])
    return (v.T * H.LUsolve(v))[0]


def _limits(doc):
    G, Q = Matrix(2, 2, symbols("G11 G12 G12 G22")), Matrix(2, 2, symbols("Q11 Q12 Q12 Q22"))
    b = Matrix(symbols("b1 b2"))
    weak, strong = symbols("w1 w2", positive=True)
    both = diag(weak, strong)

    def taken(first, second):
        """b^T (G + K^(-1))^(-1) b with K^(-1) = diag(first, 1/second) Q diag(first, 1/second), multiplied out."""
        S, W = diag(1, second), diag(first, 1)
        return ((S * b).T * (S * G * S + W * Q * W).LUsolve(S * b))[0]

    doc.step("In window 1 of the learning rate K^(-1)_11 tends to 0 and K^(-1)_22 to infinity: K^(-1) = W Q W, W = "
             "diag(w1, 1/w2), both small. The formula of two spikes ...",
             exact(taken(weak, strong), (b.T * (G + diag(weak, 1 / strong) * Q * diag(weak, 1 / strong)).LUsolve(b))[0],
                   "cancel"), shown=r"Q = b^\top (G + W Q W)^{-1} b")
    doc.step("... becomes that of one: the staircase at n = infinity.",
             exact(Subs(taken(weak, strong), (weak, strong), (0, 0)), b[0] ** 2 / G[0, 0], ("close", "cancel")))
    doc.step("In window 2 both elements tend to 0: the gap of two diverging spikes.",
             exact(Subs((b.T * (G + both * Q * both).LUsolve(b))[0], (weak, strong), (0, 0)),
                   (b.T * G.LUsolve(b))[0], ("close", "cancel")), shown=r"Q = b^\top G^{-1} b")
    doc.step("Without a step nothing is taken off: one spike, K to 0.",
             exact(Subs(strong * b[0] ** 2 / (strong * G[0, 0] + Q[0, 0]), strong, 0), 0, "close"))
    doc.step("One spike of strength K in between: an increasing function of K, b1^2/G11 at the end.",
             exact(b[0] ** 2 / G[0, 0] - b[0] ** 2 / (G[0, 0] + 1 / strong),
                   b[0] ** 2 / (G[0, 0] * (1 + strong * G[0, 0])), "cancel"))


def _tilted(doc):
    s = on_solution()
    own = mu + ((1 + A * tau) * x - B * mu) / D
    doc.step("With the initial output kept, the entry of He_1 in G is mu + ((1 + A tau) x - B mu)/D_f, which is mu (1 "
             "- B x/D_f) since x = B mtilde mu.",
             exact(own.subs(x, s.x), (mu * (1 - B * x / D)).subs(x, s.x), "cancel"),
             shown=Eq(Symbol("G_He1"), mu * (1 - B * x / D), evaluate=False))
    rows = Matrix(3, 3, lambda i, j: power_moment(i + j + 2))
    doc.step("The second term is Z^T A^(-1) Z with Z = Theta^(-1) - x (V^T a) w^T, w the part of (X beta_f)^k along X "
             "W^T a; A^(-1) V^T a is the first unit vector over mtilde, for a is the first row: entry one of three "
             "rows, ...",
             exact(rows.LUsolve(rows[:, 0])[0], 1, "expand"), shown=r"\tilde m A^{-1} V^\top a = (1, 0, 0)")
    doc.step("... and the third.", exact(rows.LUsolve(rows[:, 0])[2], 0, "expand"),
             shown=r"\tilde m A^{-1} V^\top a = (1, 0, 0)")


@cache
def _matrices(kept):
    """G, b and the second term for three spikes, columns in powers of g = X beta/|beta|."""
    square = nonlinear_equations.pieces().length.expr.xreplace(LETTERS).subs(package.kept, kept)
    width, rho = n * phi / psi, package.target_linear / sqrt(square)
    cross = B * mtilde * mu * kept
    first = mu + kept * ((1 + A * tau) * cross - B * mu) / square
    weight = {0: tau, 1: first}
    Xi = Matrix(TOP, TOP + 1, lambda i, h: hermite_of_power(i + 1, h))
    M = diag(*[factorial(h) * weight.get(h, tau) for h in range(TOP + 1)])
    b = Matrix([sum(factorial(p) * hermite_of_power(i, p) * target[p] * rho**p * (mu if p == 1 else tau)
                    for p in range(1, i + 1)) for i in range(1, TOP + 1)])
    weak = diag(*[1 / (strength[i] * (eta * sqrt(square)) ** i) for i in range(1, TOP + 1)])
    H = Matrix(TOP, TOP, lambda i, j: power_moment(i + j + 2) * width ** (1 - Rational(i + j + 2, 2)))
    v = Matrix([power_moment(i) * width ** (1 - Rational(i, 2)) for i in range(1, TOP + 1)])
    qtau = package.radial * mtilde * tau / psi
    own = mtilde * (H - v * v.T / width * qtau / (1 + qtau))
    tilt = weak - cross * H[:, 0] * Matrix([[hermite_of_power(i, 1) for i in range(1, TOP + 1)]]) / sqrt(square)
    return Xi * M * Xi.T, b, tilt.T * own.LUsolve(tilt)


@cache
def taken_off(kept):
    """b^T (G + second term)^(-1) b."""
    G, b, second = _matrices(kept)
    return (b.T * (G + second).LUsolve(b))[0]


@cache
def package_gap():
    """The package's training gap with its linear equations of the readouts solved."""
    system = finite_system(TOP)
    readouts = [u for u in system.unknowns if u.name in {f"h{i}" for i in range(1, TOP + 1)}]
    rates = {u for u in system.unknowns if u.name in {f"dh{i}" for i in range(1, TOP + 1)}}
    rows = Matrix([e for e in system.equations if e.free_symbols & set(readouts) and not e.free_symbols & rates])
    start = -rows.subs(dict.fromkeys(readouts, 0))
    found = dict(zip(readouts, rows.jacobian(readouts).LUsolve(start)))
    return system.observables["train_gap"].subs(found)


def package_numbers(kept):
    """The package's parameters, as it makes them from student and teacher."""
    above = (0,) * nonlinear_equations.TOP
    student = ActivationMoments((0, sqrt(B), *[strength[i] / sqrt(B) ** i for i in range(2, TOP + 1)], *above), A)
    teacher = ActivationMoments((0, *[target[i] for i in range(1, TOP + 1)], *above), package.target_rest)
    found = finite_numbers(student, teacher, tuple(range(1, TOP + 1)), Rational, gaussian=0, kept=kept, free=0)
    return {s: found[s.name] for s in finite_parameters(TOP) if s.name in found and found[s.name] != s}


def _package(doc):
    s = on_solution()
    at = {A: (0.2, 2), B: (0.3, 2), kappa: (1, 2), mu: (0.3, 2), gap: (0.2, 1), tau: mu + gap, target[1]: (0.5, 1),
          target[2]: (-1, 1), target[3]: (-1, 1), package.target_rest: (0.5, 2), package.noise_variance: (0, 1),
          strength[2]: (-1, 1), strength[3]: (-1, 1), eta: (0.3, 3), n: (20, 200), psi: s.psi, phi: s.phi,
          mtilde: s.mtilde, package.lam: s.lam, m1: tau / kappa, m2: mu / kappa, package.chi: m1 * mtilde}
    for kept in (0, 1):
        doc.step("The package's gap of the training error for three spikes is lam times b^T (G + K^(-1))^(-1) b, when "
                 "its readouts solve its equations: initial output removed."
                 if kept == 0 else "The same, initial output kept.",
                 numerical(package_gap(), package.lam * taken_off(kept), at | package_numbers(kept), digits=25),
                 shown=Eq(Symbol("Delta"), package.lam * Symbol("Q"), evaluate=False))


if __name__ == "__main__":
    sys.exit(main(derivation))
