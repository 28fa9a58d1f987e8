"""Unknowns with domains: kept inside by every back end, verified at the end, started inside."""

import numpy as np
import pytest
from helpers.tiers import BACKENDS
from sympy import Rational, Symbol, log, sqrt, symbols

import asympkit as ak

a = Symbol("a", positive=True)
q, s = symbols("q s")


def theory(unknowns, equations, **more):
    return ak.Theory(name="domain", unknowns=unknowns, equations=equations, parameters={a: ("number", "real")}, **more)


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_iterate_leaves_its_interval(backend):
    """The entropy is not defined outside (0, 1), and roots lie as near the borders as doubles do."""
    t = ak.Theory(name="entropy", unknowns={q: (0, 1)}, parameters={a: ("field", "positive")},
                  free_energy=-q * a + q * log(q) + (1 - q) * log(1 - q))
    fields = np.linspace(0.1, 35.0, 40)
    sweep = t.sweep(a=fields, backend=backend)
    assert sweep.converged.all()
    assert np.abs(sweep["q"] - 1 / (1 + np.exp(-fields))).max() < 3e-16
    exact = t.precise(digits=25, a="2.5")["q"]
    assert str(exact)[:20] == "0.924141819978756448"


def test_names_of_domains_mean_what_they_say():
    root = q**2 + q - 6                                       # 2 and -3
    assert theory({q: "positive"}, [root + 0 * a]).solve(a=1)["q"] == pytest.approx(2.0, rel=1e-14)
    assert theory({q: (-10, 0)}, [root + 0 * a]).solve(a=1)["q"] == pytest.approx(-3.0, rel=1e-14)
    assert theory({q: "nonnegative"}, [q - q / (2 + q)]).solve(a=1)["q"] == 0.0
    assert theory({q: "real"}, [q**3 + 8]).solve(a=1)["q"] == pytest.approx(-2.0, rel=1e-14)


def test_a_result_outside_its_domain_is_none():
    t = theory({q: (0, 1)}, [q - a])
    assert t.solve(a=0.5)["q"] == 0.5 and t.solve(a=1.0)["q"] == 1.0
    with pytest.raises(ak.ConvergenceError, match=r"q is declared in \(0, 1\) and came out as 2.0"):
        t.solve(a=2.0)
    with pytest.raises(ak.ConvergenceError):
        theory({q: (0, 1)}, [q + q**3 - a]).solve(a=5.0)


def test_a_start_that_is_not_defined_is_replaced():
    """sqrt(q - 4) and log(s - 9) are not real at the usual start, nor at most others."""
    t = theory({q: (0, 5), s: (0, 10)}, [sqrt(q - 4) - Rational(1, 2), log(s - 9) + 1 + 0 * q])
    found = t.solve(a=1)
    assert found["q"] == pytest.approx(4.25, rel=1e-13) and found["s"] == pytest.approx(9 + np.exp(-1), rel=1e-13)


def test_starts_outside_are_refused():
    with pytest.raises(ak.DomainError, match=r"start: q is 2.0, outside its domain \(0, 1\)"):
        theory({q: (0, 1)}, [q + q**3 - a], start={q: 2})
    with pytest.raises(ak.DomainError, match=r"start: q is -1.0, outside its domain \(0, 1\)"):
        theory({q: (0, 1)}, [q + q**3 - a]).solve(a=1, start={"q": -1})


@pytest.mark.parametrize("domain", [(1, 0), (0, 0), "postive", (0,), (0, "1"), None, 3, (0, float("nan")), (True, 2)])
def test_what_is_no_domain_is_refused(domain):
    with pytest.raises(ak.DomainError, match="unknowns: q has the domain .*; expected 'positive', 'nonneg"):
        theory({q: domain}, [q - a])


def test_a_domain_that_contradicts_the_symbol_is_refused():
    below = Symbol("below", negative=True)
    with pytest.raises(ak.StructureError, match="below has the domain 'positive', which contradicts"):
        theory({below: "positive"}, [below - a])


def test_a_root_beyond_its_interval_is_named():
    """No iterate leaves (0, 1): what ends at its border is no singular point."""
    t = theory({q: (0, 1)}, [q + q**3 - a])
    said = r"the root found lies outside the interval of its unknown: q = 1.3788 \(declared in \(0, 1\)\)"
    for solve in (t.solve, t.precise):
        with pytest.raises(ak.ConvergenceError, match=f"{solve.__name__}: {said}") as caught:
            solve(a=4.0)
    assert caught.value.solution["q"] == pytest.approx(1.3787967001, rel=1e-9)
    assert t.solve(a=1.0)["q"] == pytest.approx(0.6823278038, rel=1e-9)
    with pytest.raises(ak.ConvergenceError, match="the equations are not satisfied"):      # no root anywhere
        theory({q: (0, 1)}, [q**2 + q**4 + a]).solve(a=1.0)


def test_a_start_where_nothing_is_started():
    t = theory([q], [q - a])
    for verb in (t.solve, t.sweep):
        with pytest.raises(ak.DomainError, match=r"start: got 3; expected none: all unknowns follow from the param"):
            verb(a=[1.0] if verb == t.sweep else 1.0, start=3)
