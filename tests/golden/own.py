"""Theories, losses and weights that golden records use: what a user would write."""

import numpy as np
from sympy import Max, Rational, Symbol, cosh, exp, log, sqrt, symbols, tanh

import asympkit as ak

#: eigenvalues
D = Symbol("D", nonnegative=True)
_z, _x, _y = symbols("z x y", real=True)


def _magnet():
    m, J, h = symbols("m J h", positive=True)
    return ak.Theory(
        name="random-field magnet", unknowns=[m], parameters={J: ("coupling", "positive"), h: ("field", "positive")},
        free_energy=J * m**2 / 2 - ak.E(log(cosh(J * m + h + _z)), _z), observables={"energy": -J * m**2 / 2 - h * m})


def _ising():
    b, k = Symbol("b", positive=True), Symbol("k", nonnegative=True)
    return ak.Theory(
        name="Curie-Weiss magnet", unknowns=[_x],
        parameters={b: ("inverse temperature", "positive"), k: ("field", "nonnegative")},
        free_energy=_x**2 / 2 - log(2 * cosh(b * (_x + k))) / b, observables={"square": _x**2})


def _gardner():
    a = Symbol("a", positive=True)
    k = Symbol("k", real=True)
    return ak.Theory(name="Gardner capacity", parameters={k: ("margin", "real")}, unknowns=[a],
                     equations=[a * ak.E(Max(0, k + _z) ** 2, _z) - 1], observables={"inverse": 1 / a})


def _perceptron():
    alpha, V, Vhat, q, qhat = symbols("alpha V Vhat q qhat", positive=True)
    return ak.Theory(
        name="perceptron of least norm", unknowns=[V, q, Vhat, qhat],
        parameters={alpha: ("labels over inputs", "positive")},
        free_energy=alpha * ak.E(ak.Moreau(ak.Margin(1), 1, sqrt(q) * _x, V), _x) - (Vhat * q - qhat * V) / 2
        - qhat / (1 + Vhat) / 2, observables={"margin": 1 / sqrt(q)}, start={V: 0.5, q: 1})


def _ridge():
    """Ridge regression on isotropic Gaussian inputs, from its free energy, with a spectral law."""
    alpha, lam, V, Vhat, q, qhat = symbols("alpha lam V Vhat q qhat", positive=True)
    ratio = Symbol("ratio", positive=True)
    mhat, m = symbols("mhat m", real=True)
    noise = Symbol("noise", nonnegative=True)
    law = ak.MarchenkoPastur(D, ratio=ratio)
    return ak.Theory(
        name="ridge from its free energy", unknowns=[V, q, m, Vhat, qhat, mhat],
        parameters={alpha: ("samples", "positive"), lam: ("penalty", "positive"), ratio: ("aspect ratio", "positive"),
                    noise: ("variance of the noise", "nonnegative")},
        free_energy=alpha * (1 + noise - 2 * m + q) / (1 + V) / 2 - (Vhat * q - qhat * V) / 2 + m * mhat
        - ak.mean((D * qhat + D**2 * mhat**2) / (lam + Vhat * D), law) / 2,
        observables={"error": 1 + noise - 2 * m + q}, start={V: 1, q: Rational(1, 2), m: Rational(1, 2)})


def _layers():
    """Variances behind two layers, given by what the user types."""
    v, s, x, a = symbols("v s x a", positive=True)
    return ak.Theory(
        name="variance of two layers", unknowns=[x], parameters={v: ("variance of the inputs", "positive"),
                                                                 a: ("gain", "positive")},
        derived={s: a * ak.E(tanh(sqrt(v) * _z) ** 2, _z)}, equations=[x - ak.E(tanh(sqrt(s + x / 2) * _z) ** 2, _z)],
        observables={"gain": x / s})


def _planted():
    """Two unknowns with domains, a pair of correlated normals, a kink that moves with an unknown."""
    q, h = Symbol("q", positive=True), Symbol("h", real=True)
    g, t = Symbol("g", positive=True), Symbol("t", real=True)
    return ak.Theory(
        name="planted kink", unknowns={q: (0, 1), h: "real"},
        parameters=[ak.Parameter(g, "gain", "positive", default=0.5), ak.Parameter(t, "threshold", (-2, 2))],
        equations=[q - ak.E((tanh(_x) * tanh(_y)) ** 2, (_x, _y), rho=g / (1 + g)) / (1 + h**2),
                   h - ak.E(Max(0, _z - t - q), _z)],
        observables={"sum": q + h, "product": q * h}, start={q: 0.3, h: 0.2})


def _named():
    """A name inside of the equations, and logarithms of normal tails."""
    q, a = symbols("q a", positive=True)
    h = Symbol("h", real=True)
    field = ak.Named("field", sqrt(q) * _z + h)
    return ak.Theory(name="named field", unknowns=[q], parameters={a: ("gain", (0, 1)), h: ("field", "real")},
                     equations=[q - a * ak.E(tanh(field) ** 2, _z) - a / 10],
                     observables={"mean": ak.LogPhi(h - q), "tail": ak.LogErfc(q), "ratio": ak.Mills(1 + q)})


def _spectral():
    """Ridge regression over eigenvalues that are given when it is solved."""
    alpha, lam, V, Vhat = symbols("alpha lam V Vhat", positive=True)
    return ak.Theory(name="traces of a spectrum", unknowns=[V, Vhat], observables={"trace": V * lam},
                     parameters={alpha: ("samples", "positive"), lam: ("penalty", "positive")},
                     equations=[V - ak.mean(D / (lam + Vhat * D), ak.Eigenvalues(D)), Vhat - alpha / (1 + V)])


magnet, ising, gardner, perceptron = _magnet(), _ising(), _gardner(), _perceptron()
ridge, layers, planted, named, spectral = _ridge(), _layers(), _planted(), _named(), _spectral()

#: losses
pseudo_huber = ak.Loss(sqrt(1 + (_y - _z) ** 2) - 1, _y, _z)
quantile = ak.Loss(Max(Rational(7, 10) * (_y - _z), Rational(3, 10) * (_z - _y)), _y, _z)


def normal(seed, *shape):
    """Normal numbers of variance 1 over the last length; numpy keeps this generator as it is for good."""
    return np.random.RandomState(seed).standard_normal(shape) / np.sqrt(shape[-1])


def covariance(seed, size):
    """A covariance matrix: that of 3*size normal vectors."""
    x = normal(seed, 3 * size, size)
    return x.T @ x


def grid():
    """Places, kinks among them."""
    return np.array([-40.0, -3.0, -1.0, -0.5, 0.0, 1e-8, 0.3, 1.0, 2.5, 40.0])


def resolvent(law, penalty):
    """The mean of 1/(D + penalty) over a spectral law."""
    return ak.mean(1 / (D + penalty), law)


def exponential(law):
    """The mean of exp(-D) over a spectral law."""
    return ak.mean(exp(-D), law)
