"""The statistics of a check, on synthetic draws."""

import math

import numpy as np
import pytest

from asympkit.comparison import AGREE, DIFFER, LEVEL, NOT_TESTED, WITHIN, compare, overall
from asympkit.simulate import Estimate


def judged(draws, theory, **options):
    e = Estimate.from_values(draws)
    return compare(e.mean, e.stderr, len(draws), theory, **options)


def test_z_and_p_are_of_students_t():
    from scipy.stats import t

    rng = np.random.default_rng(1)
    for repeats in (2, 3, 5, 10, 40):
        draws = 1.0 + 0.1 * rng.standard_normal(repeats)
        c = judged(draws, 1.02)
        assert c.z == pytest.approx((draws.mean() - 1.02) / (draws.std(ddof=1) / math.sqrt(repeats)))
        assert c.p_value == pytest.approx(2 * t.sf(abs(c.z), repeats - 1))
        assert (c.difference, c.error) == pytest.approx((draws.mean() / 1.02 - 1, draws.std(ddof=1) / 1.02
                                                         / math.sqrt(repeats)))


def test_what_is_visible_is_where_the_outcome_changes():
    """Just below it a difference passes, just above it does not, with and without a tolerance."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        repeats, count = int(rng.integers(4, 40)), int(rng.integers(1, 10))
        theory, granted = float(rng.choice([-1, 1]) * 10 ** rng.uniform(-5, 5)), float(rng.choice([0.0, 0.02, 0.1]))
        stderr = abs(theory) * 10 ** rng.uniform(-4, -1.5)
        options = {"granted": granted, "count": count}
        sight = compare(theory, stderr, repeats, theory, **options).visible
        below, above = (compare(theory + sign * theory * sight, stderr, repeats, theory, **options)
                        for sign in (0.999, -1.001))
        assert below.outcome in (AGREE, WITHIN, NOT_TESTED)
        assert (below.outcome == NOT_TESTED) == (sight > 0.25)
        assert above.outcome == DIFFER


@pytest.mark.parametrize(("difference", "granted", "outcome"), [
    (0.04, 0.0, AGREE), (0.05, 0.0, DIFFER), (0.05, 0.0299, DIFFER), (0.05, 0.0301, WITHIN), (0.05, 0.1, WITHIN),
    (-0.119, 0.1, WITHIN), (-0.121, 0.1, DIFFER), (0.04, 0.1, AGREE), (0.05, 0.3, NOT_TESTED), (0.33, 0.3, DIFFER)])
def test_outcomes(difference, granted, outcome):
    assert compare(3.0 * (1 + difference), 0.03, 20, 3.0, granted=granted, count=4).outcome == outcome


def test_numbers_without_fluctuation_and_broken_draws():
    assert judged([2.0, 2.0], 2.0 * (1 + 1e-12)).outcome == AGREE
    assert judged([2.0, 2.0, 2.0], 2.0001).outcome == DIFFER
    assert judged([0.0, 0.0], 0.1).outcome == DIFFER
    assert judged([0.0, 0.0], 0.1).z == -math.inf
    assert judged([0.0, 0.0], 0.0).outcome == NOT_TESTED        # nothing says how large it could have been
    assert judged([0.0, 0.0], 0.0, scale=1.0).outcome == AGREE
    rounding = 1e-17 * np.array([1.0, 1.1, 0.9, 1.05, 1.0, 1.02])
    assert judged(rounding, 0.0, scale=1.0).outcome == AGREE
    for value in (math.nan, math.inf):
        broken = compare(value, math.nan, 2, 1.0, granted=0.5)
        assert (broken.outcome, broken.z, broken.p_value) == (DIFFER, math.inf, 0.0)
    assert judged([0.3, 0.1, 0.2], 0.0, granted=math.inf).outcome == NOT_TESTED


def test_together_the_worst_counts():
    agree, within, differ = (compare(1 + x, 0.01, 20, 1.0, granted=0.1, count=3) for x in (0.0, 0.06, 0.2))
    blind = compare(1.0, 0.2, 20, 1.0, granted=0.1, count=3)
    assert overall([]) == (NOT_TESTED, None)
    assert overall([blind, blind]) == (NOT_TESTED, None)
    assert overall([blind, agree]) == (AGREE, 1.0)
    assert overall([agree, within, blind]) == (WITHIN, 3 * within.p_value)
    assert overall([within, differ, agree])[0] == DIFFER


def failed(rng, draw, trials, repeats, count, shared):
    """How many checks of a right theory fail: rows that share a part of their draws."""
    found = 0
    for _ in range(trials):
        draws = math.sqrt(shared) * draw(rng, (1, repeats)) + math.sqrt(1 - shared) * draw(rng, (count, repeats))
        rows = [judged(10.0 + row, 10.0, count=count) for row in draws]
        found += overall(rows)[0] == DIFFER
    return found


LAWS = {"normal": lambda rng, size: rng.standard_normal(size), "t3": lambda rng, size: rng.standard_t(3, size),
        "laplace": lambda rng, size: rng.laplace(size=size),
        "lognormal": lambda rng, size: rng.lognormal(0.0, 0.3, size) - math.exp(0.045)}


@pytest.mark.parametrize("repeats", [3, 5, 10])
@pytest.mark.parametrize("law", LAWS)
def test_false_alarms_are_rare(law, repeats):
    """At the level 0.001 more than 6 of 500 have the chance 2e-6."""
    rng = np.random.default_rng([repeats, *map(ord, law)])
    assert failed(rng, LAWS[law], 500, repeats, 4, 0.5) <= 6


def test_the_level_is_met_and_not_wasted():
    """One comparison, all of its chance: t itself, in one array."""
    rng = np.random.default_rng(7)
    for repeats in (3, 5, 10):
        draws = rng.standard_normal((400_000, repeats))
        z = draws.mean(axis=1) / (draws.std(axis=1, ddof=1) / math.sqrt(repeats))
        edge = compare(1.0, 1.0, repeats, 1.0).visible
        assert np.mean(np.abs(z) > edge) == pytest.approx(LEVEL, rel=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [3, 5, 10, 20])
@pytest.mark.parametrize("law", LAWS)
def test_false_alarms_in_many_checks(law, repeats):
    """20 000 checks expect at most 20 failures; more than 40 have the chance 2e-5."""
    rng = np.random.default_rng([17, repeats, *map(ord, law)])
    limit = 100 if law == "lognormal" else 40
    for count, shared in ((4, 0.0), (9, 0.9)):
        assert failed(rng, LAWS[law], 20_000, repeats, count, shared) <= limit
