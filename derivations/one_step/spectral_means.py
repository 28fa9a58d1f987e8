"""Means of rational functions over the Marchenko-Pastur law: the equation of the resolvent and what follows."""

from functools import cache

from sympy import Derivative, Eq, Function, Symbol, solve, symbols

from asympkit.nodes import remove_names
from asympkit.spectra import MPResolvent, mean
from asympkit.theories.spiked_features import equations as spiked_equations

from ..checks import exact, numerical, simulated
from .functions import on_sphere
from .saddle import law

s = spiked_equations.symbols()
t, g = symbols("t g", positive=True)


def _root(e):
    """The polynomial in the resolvent value e of (1, t) whose root it is."""
    return s.beta * s.c * t * e**2 + (t + s.c - s.beta * s.c) * e - 1


def spectral_means(doc):
    """Add the steps on spectral means."""
    ranges = {t: (0.2, 2), s.c: (0.5, 2), s.beta: (0.3, 0.8)}
    wide = ranges | {s.beta: (1.3, 2.5)}
    G = MPResolvent(1, t, s.c, s.beta)
    stieltjes = mean(1 / (s.D + t), law())
    doc.step("The Stieltjes transform solves a quadratic equation: integral over the density, width below "
             "dimension.",
             numerical(_root(stieltjes), 0, ranges))
    doc.step("Above it the density has an atom at 0; the same equation holds.",
             numerical(_root(stieltjes), 0, wide))
    doc.step("The package's resolvent is the positive root.", numerical(G, stieltjes, wide))
    doc.step("Eigenvalues of a sampled bulk (rows on the sphere, p = 1.5 d, c = 1.3, t = 0.4).",
             simulated(Symbol("mean_resolvent"), G, _sampled_resolvent,
                       tolerance=0.3, sizes=(40, 160), repeats=3))
    polynomial = _root(g)
    slope = -polynomial.diff(t) / polynomial.diff(g)
    e, f = 1 + s.beta * s.c * g, 1 + s.beta * s.c * t * g**2
    on_root = solve(polynomial, s.beta)[0]
    doc.step("Its derivative in t, from the quadratic equation, is a product of positive factors (e = 1 + "
             "beta c g, f = 1 + beta c t g^2).",
             exact((slope + g**2 * e / f).subs(s.beta, on_root), 0, "cancel"),
             shown=Eq(Derivative(Function("g")(t), t), -(g**2) * e / f, evaluate=False))
    doc.step("The package differentiates its resolvent so.",
             exact(G.diff(t).subs(G, g), -(g**2) * e / f, "cancel"),
             shown=Eq(Derivative(G, t), -(g**2) * e / f, evaluate=False))
    closed = {(1, 1): s.c * g / e, (0, 2): g**2 * e / f, (1, 2): s.c * g**2 / (e * f),
              (2, 2): s.c * g / e * (s.c * g / e + s.beta * s.c * t * g**2) / f}
    for (j, k), right in closed.items():
        integrand = s.D**j / (s.D + t) ** k
        doc.step(f"Closed mean of D^{j}/(D + t)^{k} ...".replace("D^0", "1").replace("^1", ""),
                 exact(remove_names(mean(integrand, law()).doit()).subs(G, g), right, "cancel"),
                 shown=Eq(mean(integrand, law()), right, evaluate=False))
        doc.step("... and the integral over the density.",
                 numerical(right.subs(g, G), mean(integrand, law()), wide if j else ranges))
    doc.step("Companions: the overlap of a mode with v has mean square c whatever D, zero modes included.",
             exact(mean(s.F / (s.D + t), law()), s.c * G, ("close", "open", "expand")))
    doc.step("A sampled bulk agrees.",
             simulated(Symbol("mean_F"), s.c * G, lambda rng, d: _sampled_companions(rng, d)[0],
                       tolerance=4.0, sizes=(40, 160), repeats=4))
    doc.step("The overlap with zeta has mean square D, so it averages as D itself.",
             exact(mean(s.H / (s.D + t), law()), mean(s.D / (s.D + t), law()), "close"))
    doc.step("That mean is 1 - t g, by the quadratic equation.",
             exact((closed[1, 1] - 1 + t * g).subs(s.beta, on_root), 0, "cancel"),
             shown=Eq(closed[1, 1], 1 - t * g, evaluate=False))
    doc.step("A sampled bulk agrees.",
             simulated(Symbol("mean_H"), 1 - t * G, lambda rng, d: _sampled_companions(rng, d)[1],
                       tolerance=0.6, sizes=(40, 160), repeats=4))


_P, _C, _T = 1.5, 1.3, 0.4


@cache
def _limit():
    half = _T + _C - _P * _C
    return 2 / (half + (half**2 + 4 * _P * _C * _T) ** 0.5)


def _modes(rng, d):
    import numpy as np

    bulk = on_sphere(rng, round(_P * d), d) * _C**0.5
    frame = np.linalg.qr(rng.standard_normal((d, 2)))[0] * d**0.5
    v, zeta = frame.T
    projected = bulk - np.outer(bulk @ v, v) / d
    D, U = np.linalg.eigh(projected @ projected.T)
    return D, (U.T @ (bulk @ v)) ** 2, (U.T @ (bulk @ zeta)) ** 2


def _sampled_resolvent(rng, d):
    D, _, _ = _modes(rng, d)
    return (1 / (D + _T)).mean(), _limit()


def _sampled_companions(rng, d):
    D, F, H = _modes(rng, d)
    return ((F / (D + _T)).mean(), _C * _limit()), ((H / (D + _T)).mean(), 1 - _T * _limit())
