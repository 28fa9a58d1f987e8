"""Large expressions: numbers are put into them and derivatives are taken part by part, each part once."""

import pytest
from sympy import Integer, Symbol, cos, exp, symbols, tanh

from asympkit.gauss import E
from asympkit.nodes import Average, Named, averages, distinct, free_of, holds_within, put, remove_names, slope
from asympkit.nodes.named import LARGE, parts, tree_size
from asympkit.sensitivity.tangent import directional

a, b, c = symbols("a b c", positive=True)
x, y, z, w = symbols("x y z w", real=True)


def test_averages_are_entered_and_their_variables_make_way():
    mean = E(tanh(a * x + Named("part", b * x**2)) * exp(-c), x)
    assert put(mean, {b: Integer(0)}) == E(tanh(a * x), x) * exp(-c)
    (inner,) = averages(mean)
    (bound,) = inner.bound_symbols
    moved = put(inner, {a: bound + 1})              # as inside an average around it
    assert moved.free_symbols == {bound, b}
    assert remove_names(moved.xreplace({bound: w})) == remove_names(E(tanh((w + 1) * x + b * x**2), x))
    assert put(mean, {x: Integer(3)}) is mean


def test_shared_parts_are_put_once():
    """A tower whose tree has 2**40 leaves: nothing may walk it whole."""
    tower = a + b
    for k in range(40):
        tower = Named(f"level{k}", tower * cos(tower))
    assert put(tower, {c: Integer(1)}) is tower
    assert free_of(tower) == {a, b} and not holds_within(tower, (Average,))
    assert slope(tower, c) == 0 and parts(tower, (Named,)) == parts(tower, (Named,))


def tower(levels, e=x):
    """Each level is written twice in the next: as a tree it doubles with every one."""
    for k in range(levels):
        e = Named(f"level{k}", y * e / (2 + e**2))
    return e


@pytest.mark.parametrize("derive", [lambda e: directional({x: 1})(e), lambda e: slope(e, x)], ids=["along", "by"])
def test_derivatives_of_towers_grow_with_the_levels(derive):
    small, large = len(distinct(derive(tower(15)))), len(distinct(derive(tower(30))))
    assert large < 2.5 * small < 5000


def test_derivatives_of_large_expressions():
    e = 0.7 + 1e-30j            # its imaginary part is the derivative
    for _ in range(12):
        e = 1.3 * e / (2 + e**2)
    assert tree_size(tower(12)) > LARGE
    assert float(slope(tower(12), x).subs({x: 0.7, y: 1.3})) == pytest.approx(e.imag / 1e-30, rel=1e-12)
    primed = Symbol("lambda'", real=True)
    found = slope(tower(14, primed), primed)
    assert isinstance(found, Named)
    assert found.label == "dlevel13_dlambda_"
