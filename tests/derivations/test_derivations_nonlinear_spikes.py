"""The derivations of nonlinear spikes against what shares nothing with them, and what must not be provable."""

from dataclasses import replace
from math import factorial

import numpy as np
import pytest
from asympkit.derivations import load
from asympkit.derivations.nonlinear_spikes import (
    experiments,
    finite_step,
    gaps,
    missing_degrees,
    notation,
    slides,
    solved_point,
)
from asympkit.derivations.nonlinear_spikes.notation import (
    A,
    B,
    lam,
    m1,
    m2,
    mu,
    mu0,
    package,
    phi,
    psi,
    rho,
    targets,
    tau,
)
from asympkit.derivations.nonlinear_spikes.package_gap import D, observable, target
from asympkit.derivations.precise import Precise
from numpy.polynomial.hermite_e import herme2poly
from sympy import Rational, sqrt

#: student and teacher z + He_2/sqrt(2), noise 1/10, phi = 1/2, psi = 1, lam = 1/100
ANCHOR = {phi: Rational(1, 2), psi: Rational(1), lam: Rational(1, 100), A: Rational(1), B: Rational(1)}


@pytest.mark.parametrize("degrees, gaps_", [((1,), (".15338", ".58891")), ((1, 2), (".23365", ".89877")),
                                            ((1, 2, 3), (".23365", ".89877"))])
def test_gaps_of_the_documented_point(degrees, gaps_):
    solved = solved_point.solve(ANCHOR)
    at = solved | solved_point.rates(solved) | {notation.kappa: 2, D: Rational(205, 100), target[1]: 1,
                                                target[2]: 1 / sqrt(2), target[3]: 0}
    for name, known in zip(("train_gap", "test_gap"), gaps_):
        value = float(observable(name, degrees).subs(at))
        assert value == pytest.approx(float(known), abs=5.1e-6), name


def test_the_solved_point_is_a_root_in_the_bracket():
    rng = np.random.default_rng(3)
    for _ in range(20):
        point = {s: Rational(str(round(10 ** rng.uniform(-2, 2), 6))) for s in (phi, psi, lam, A, B)}
        solved = solved_point.solve(point)
        fraction = solved[m1] * point[lam] * point[psi] / point[phi]
        assert max(0, 1 - point[phi] / point[psi]) < fraction < 1 and 0 < solved[m2] < solved[m1]
        for equation in notation.trace_equations():
            terms = [abs(float(t.subs(solved))) for t in equation.expand().args]
            assert abs(float(equation.subs(solved))) < 1e-25 * max(terms)


@pytest.mark.parametrize("degrees", [(1, 2), (1, 2, 3, 4), (1, 2, 4), (1, 5), (1, 3, 4, 6), (0, 1, 2, 5)])
def test_the_projection_by_least_squares(degrees):
    """Weighted least squares on monomials, by numpy's own Hermite polynomials."""
    rng = np.random.default_rng(len(degrees))
    top, weights = max(degrees), rng.uniform(0.3, 2, 3)
    c, overlap = rng.standard_normal(7), 0.8
    m = np.array([weights[0], weights[1], *[weights[2]] * (top - 1)])
    scale = np.sqrt([factorial(h) * m[h] for h in range(top + 1)])
    # monomials in Hermite coordinates: the inverse of the matrix of He_h in powers
    powers = np.array([np.pad(herme2poly([0] * h + [1]), (0, top - h)) for h in range(top + 1)]).T
    columns = np.linalg.inv(powers)[:, list(degrees)] * scale[:, None]
    t = np.array([0.0, *(c[p] * overlap**p for p in range(1, top + 1))]) * scale
    best = columns @ np.linalg.lstsq(columns, t, rcond=None)[0]
    at = dict(zip((mu0, mu, tau), map(float, weights))) | {rho: overlap} | {targets[p]: float(c[p]) for p in targets}
    assert float(missing_degrees.by_conditions(degrees).subs(at)) == pytest.approx(best @ best, rel=1e-11)


def test_what_does_not_hold():
    # without it, or with a coefficient changed, the closed form is not the matrix form
    steps = [s for s in load("nonlinear_spikes.gaps").steps if "matrix form, l = 4" in s.sentence]
    (step,) = steps
    assert step.check.run(1).holds
    for wrong in (gaps.length(4), gaps.length(4) - 2 * gaps.condition(4), gaps.length(4) - gaps.condition(2)):
        assert not replace(step.check, rhs=wrong).run(1).holds
    first, increment = slides.printed()
    verified = observable("test_gap", (1,))
    assert (verified - first).cancel() != 0
    assert (observable("test_gap", (1, 2)) - verified - increment).cancel() != 0
    # at kappa m1^2 = 1 the first two agree, at kappa = 1 the others: nothing but the stated factors differs
    assert (verified - first).subs(m1, 1).subs(notation.kappa, 1).cancel() == 0
    assert (observable("test_gap", (1, 2)) - verified - increment).subs(notation.kappa, 1).cancel() == 0


@pytest.mark.parametrize("kept", [0, 1])
def test_strong_spikes_of_finite_strength_reach_the_gaps_of_diverging_ones(kept):
    k = notation.on_solution()
    start = {A: Rational(1, 2), B: Rational(1), notation.kappa: Rational(2), mu: Rational(3), tau: Rational(4)}
    solution = {s: v.subs(start) for s, v in ((psi, k.psi), (phi, k.phi), (lam, k.lam), (notation.mtilde, k.mtilde))}
    chi = start[tau] / 2 * solution[notation.mtilde]
    at = start | solution | {m1: start[tau] / 2, m2: start[mu] / 2, package.chi: chi,
                             package.n: Rational(100), package.target_linear: Rational(1),
                             package.target_rest: Rational(1), package.noise_variance: Rational(1, 10),
                             finite_step.strength[2]: Rational(1, 2), finite_step.strength[3]: Rational(1, 3)}
    at |= {finite_step.target[2]: Rational(1, 2), finite_step.target[3]: Rational(1, 4)}
    at |= {s: v if isinstance(v, int) else v.subs(at) for s, v in finite_step.package_numbers(kept).items()}
    precise, values = Precise(20), []
    for eta in (10**3, 10**5):
        point = at | {package.eta: Rational(eta)}
        gap = precise.value(finite_step.package_gap(), point)
        assert abs(gap - precise.value(lam * finite_step.taken_off(kept), point)) < 1e-20
        values.append(gap)
    length = Rational(1) + solution[phi] * Rational(21, 10) + kept * (1 + solution[phi] * Rational(3, 2))
    limit = {rho: 1 / sqrt(length), mu: start[mu], tau: start[tau], mu0: start[tau], targets[1]: 1,
             targets[2]: Rational(1, 2), targets[3]: Rational(1, 4)}
    expected = float((lam * (gaps.length(3) - gaps.condition(3))).subs(limit).subs(solution))
    assert abs(float(values[1]) - expected) < abs(float(values[0]) - expected) < 0.01 * expected
    assert float(values[1]) == pytest.approx(expected, rel=1e-5)


@pytest.mark.slow
def test_the_limit_of_the_gaps_at_a_larger_size():
    """Deviations at d = 400 (n = 800) are within three standard errors and 3 % (they shrink like 1/n)."""
    for experiment in (experiments.limit_model, experiments.kept_model):
        runs = [experiment(np.random.default_rng([7, k]), 400) for k in range(12)]
        for name in ("train_gap", "test_gap"):
            measured = np.array([run[name][0] for run in runs])
            limit = runs[0][name][1]
            error = measured.std(ddof=1) / len(measured) ** 0.5
            assert abs(measured.mean() - limit) < 3 * error + 0.03 * limit, (experiment.__name__, name)
