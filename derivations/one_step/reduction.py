"""Thirteen equations become two nonlinear ones and two linear pairs."""

import sys

from sympy import Eq, Subs, Symbol, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied, remove_names
from asympkit.spectra import mean
from asympkit.theories.spiked_features import equations as spiked_equations

from ..checks import exact, exceeds, simulated
from ..command import main
from ..document import Derivation
from .linear_pairs import linear_norms, linear_overlaps
from .saddle import eqs_of, law
from .solved_point import ridge
from .spectral_means import spectral_means

s = spiked_equations.symbols()
K = s.kappa


def derivation():
    """The reduction of the saddle-point equations for the square loss."""
    doc = Derivation(
        "From thirteen equations to two", "arXiv 2402.04980, Result 3.3 and its numerical solution",
        "Isotropic bulk: D follows a Marchenko-Pastur law, the companions F and H have conditional means c "
        "and D. The block structure is the one found by the structure analysis of the package, not assumed.",
        notation=spiked_equations.NOTATION)
    spectral_means(doc)
    _closed_pair(doc)
    linear_overlaps(doc)
    linear_norms(doc)
    _random_features(doc)
    _whole(doc)
    return doc


def _closed_pair(doc):
    k = spiked_equations.pieces()
    u = spiked_equations.moments()
    pair = eqs_of(s.V1)
    by = ("open", "expand")
    doc.step("Structure analysis: V1, V2 and their conjugates form one block, in which no other unknown "
             "occurs; its data side.",
             exact(pair[s.Vhat1], s.alpha / s.beta * E(u.mu1**2 / (1 + k.V), K), by),
             shown=Eq(s.Vhat1, pair[s.Vhat1], evaluate=False))
    doc.step("Data side of the second.",
             exact(pair[s.Vhat2], s.alpha / s.beta * E(u.mu2sq / (1 + k.V), K), by),
             shown=Eq(s.Vhat2, pair[s.Vhat2], evaluate=False))
    doc.step("The numerators add up: (lam + Vhat2) V2 + Vhat1 V1 = 1.",
             exact((s.lam + s.Vhat2) * pair[s.V2] + s.Vhat1 * pair[s.V1], 1, ("open", "expand", "join")))
    V1, V2 = pair[s.V1].doit(), pair[s.V2].doit()
    doc.step("The closed spectral means give the other: V1 (1 + beta c Vhat1 V2) = c V2, without a square "
             "root.",
             exact(V1 * (1 + s.beta * s.c * s.Vhat1 * V2), s.c * V2, ("open", "cancel")))
    doc.step("That this pair has exactly one positive solution, and that iteration finds it, is proved in "
             "one_step.uniqueness; the bound that starts the iteration: V2 <= 1/lam.",
             exceeds(1 / s.lam, pair[s.V2], mean((s.Vhat2 + s.D * s.Vhat1) / (s.lam * k.S), law()),
                     ("open", "expand", "join"), strict=False))


def _random_features(doc):
    """No spike: the conditional moments are constants."""
    u = spiked_equations.moments()
    plain = {s.r: 0, s.c: 1}
    student = Applied("student", s.z)
    h0, h1 = E(student, s.z), E(s.z * student, s.z)
    for name, constant in (("mu0", h0), ("mu1", h1), ("mu2sq", E(student**2, s.z) - h0**2 - h1**2)):
        doc.step(f"Without a spike {name} is a constant.",
                 exact(Subs(remove_names(getattr(u, name)), tuple(plain), tuple(plain.values())), constant,
                       ("close", "split", "expand")))
    mu1, mu2, V1, V2, k = symbols("mu1 mu2 V1 V2 k", positive=True)
    h = Symbol("h", real=True)
    doc.step("With a spike direction unrelated to the target (gamma = 0) the drive of theta is the mean of "
             "kappa: theta = 0.",
             exact(E(K * mu1 * h / (1 + mu1**2 * V1 + mu2**2 * V2), K), 0, "close"))
    stiffness = s.lam + k * (mu2**2 + mu1**2 * s.D)
    spread = mean((mu2**2 + mu1**2 * s.D) / stiffness, law())
    rate = s.alpha / s.beta
    remaining = mean(1 / stiffness, law())
    doc.step("One scalar k = (alpha/beta)/(1 + V) is left, with Vhat1 = k mu1^2, Vhat2 = k mu2^2. Since k "
             "V is 1 - lam <1/S>, its equation k (1 + V) = alpha/beta is k + 1 - lam <1/S> = alpha/beta: "
             "that of ridge regression on samples of covariance mu2^2 + mu1^2 D.",
             exact(k * (1 + spread) - rate, k + 1 - s.lam * remaining - rate, ("expand", "join")))


def _whole(doc):
    """Solve the reduced system numerically and compare with ridge regression on sampled features."""
    doc.step("Ridge regression on sampled features has the test error of the reduced system (sin on sin, r "
             "= 1, gamma = 0.8, c = 1, alpha = 2, beta = 1, lam = 0.05, noise 0.1).",
             simulated(Symbol("test_error"), spiked_equations.ridge().observables()["test_error"], ridge,
                       tolerance=0.3, sizes=(60, 200), repeats=3))


if __name__ == "__main__":
    sys.exit(main(derivation))
