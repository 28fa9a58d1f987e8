"""Large expressions: equal parts are asked, rewritten and differentiated once."""

import pytest
from sympy import Symbol, cos, exp, symbols, tanh

import asympkit as ak
from asympkit.nodes import Named, distinct, free_of, holds, replaced, slope, tree_size
from asympkit.nodes.traversal import LARGE
from asympkit.sensitivity.tangent import directional

x, y, z = symbols("x y z", real=True)


def tower(levels, e=x):
    """Each level is written twice in the next: as a tree it doubles with every one."""
    for k in range(levels):
        e = Named(f"level{k}", y * e / (2 + e**2))
    return e


def test_parts_are_counted_once():
    assert tree_size(tower(30)) > 2**30
    assert len(distinct(tower(30))) < 300
    assert free_of(tower(30)) == {x, y}
    assert not holds(tower(30), (cos,))


def test_bound_symbols_are_not_free():
    assert free_of(ak.E(tanh(x * z), z) + y) == {x, y}


@pytest.mark.parametrize("derive", [lambda e: directional({x: 1})(e), lambda e: slope(e, x)], ids=["along", "by"])
def test_derivatives_of_towers_grow_with_the_levels(derive):
    small, large = len(distinct(derive(tower(15)))), len(distinct(derive(tower(30))))
    assert large < 2.5 * small < 5000


def test_derivative_of_a_tower_is_that_of_what_it_stands_for():
    e = 0.7 + 1e-30j            # its imaginary part is the derivative
    for _ in range(12):
        e = 1.3 * e / (2 + e**2)
    assert tree_size(tower(12)) > LARGE
    assert float(slope(tower(12), x).subs({x: 0.7, y: 1.3})) == pytest.approx(e.imag / 1e-30, rel=1e-12)


def test_rates_of_large_names_are_named():
    primed = Symbol("lambda'", real=True)
    found = slope(tower(14, primed), primed)
    assert isinstance(found, Named)
    assert found.label == "dlevel13_dlambda_"


@pytest.mark.parametrize("expr", [Named("V", exp(x)) + exp(x) ** 2, ak.E(exp(x) * tanh(z * exp(x)), z),
                                  cos(y) * exp(x)])
def test_replacement_is_that_of_sympy(expr):
    for rule in ({exp(x): y}, {x: y}, {exp(x): Named("W", exp(x))}, {cos(z): x}):
        assert replaced(expr, rule) == expr.xreplace(rule)
