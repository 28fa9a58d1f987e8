"""Large expressions: numbers are put into them and derivatives are taken part by part, each part once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, Dummy, Heaviside, Integer, Piecewise, Rational, Symbol, cos, exp, sign, symbols, tanh

import asympkit as ak
from asympkit.gauss import E
from asympkit.nodes import (
    Applied,
    Average,
    Composite,
    Named,
    averages,
    distinct,
    free_of,
    holds,
    holds_within,
    put,
    remove_names,
    replaced,
    slope,
    tree_size,
)
from asympkit.nodes.traversal import LARGE, parts
from asympkit.sensitivity.tangent import directional

a, b, c = symbols("a b c", positive=True)
x, y, z, w = symbols("x y z w", real=True)
u = Dummy("u", real=True)
AT = {a: Rational(1, 2), b: Rational(7, 5), c: Rational(3, 4)}


def expressions():
    """Sums, products, powers, functions and names of three symbols."""
    def more(inner):
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda p: p[0] + p[1]), pairs.map(lambda p: p[0] * p[1]), inner.map(lambda e: 1 / (1 + e**2)),
            inner.map(tanh), inner.map(lambda e: Named("part", e + 1)), pairs.map(lambda p: Abs(p[0] - p[1])),
            inner.map(lambda e: Composite.of("whole", tanh(u) + u**2 + a, {u: e})),
            pairs.map(lambda p: Piecewise((p[0], p[0] < 1), (p[1], True))))

    return st.recursive(st.sampled_from([a, b, c, Integer(2), Rational(1, 3)]), more, max_leaves=6)


def number(expr):
    return complex(remove_names(expr).subs(AT).evalf(15))


@given(expressions(), st.dictionaries(st.sampled_from([a, b, c]), st.sampled_from([Integer(0), Integer(2), a + b, c]),
                                      min_size=1))
@settings(max_examples=25, deadline=None)
def test_put_is_substitution(expr, values):
    mine, theirs = put(expr, values), remove_names(expr).subs(values, simultaneous=True)
    assert abs(number(mine) - number(theirs)) < 1e-12 * (1 + abs(number(theirs)))
    assert free_of(mine).isdisjoint(set(values) - set().union(*(free_of(v) for v in values.values())))


@given(expressions(), st.sampled_from([a, b, c]))
@settings(max_examples=60, deadline=None)
def test_slope_is_the_derivative(expr, symbol):
    mine, theirs = slope(expr, symbol), remove_names(expr).diff(symbol)
    assert abs(number(mine) - number(theirs)) < 1e-12 * (1 + abs(number(theirs)))


def test_averages_are_entered_and_their_variables_make_way():
    mean = E(tanh(a * x + Named("part", b * x**2)) * exp(-c), x)
    assert put(mean, {b: Integer(0)}) == E(tanh(a * x), x) * exp(-c)
    (inner,) = averages(mean)
    (bound,) = inner.bound_symbols
    moved = put(inner, {a: bound + 1})              # as inside an average around it
    assert moved.free_symbols == {bound, b}
    assert remove_names(moved.xreplace({bound: w})) == remove_names(E(tanh((w + 1) * x + b * x**2), x))
    assert put(mean, {x: Integer(3)}) is mean


def test_activations_keep_their_names():
    assert put(Applied("student", a * x + b), {a: Integer(2)}) == Applied("student", 2 * x + b)


def test_functions_with_rates_of_their_own():
    assert slope(sign(a - b), a) == sign(a - b).diff(a) and slope(Heaviside(a - b), a) == Heaviside(a - b).diff(a)
    assert slope(Abs(a * b - 1), a) == Abs(a * b - 1).diff(a)


def test_shared_parts_are_put_once():
    """A tower whose tree has 2**40 leaves: nothing may walk it whole."""
    tower = a + b
    for k in range(40):
        tower = Named(f"level{k}", tower * cos(tower))
    assert put(tower, {c: Integer(1)}) is tower
    assert free_of(tower) == {a, b} and not holds_within(tower, (Average,))
    assert slope(tower, c) == 0 and parts(tower, (Named,)) == parts(tower, (Named,))


def test_what_names_stand_for_is_looked_through():
    mean = E(tanh(a * x), x)
    hidden = Composite.of("whole", u**2 + tanh(u), {u: Named("inside", mean + 1)})
    assert holds_within(hidden, (Average,)) and not holds_within(hidden, (Applied,))
    assert holds_within(Composite.of("whole", u * mean, {u: b}), (Average,))


# -- large expressions -----------------------------------------------------------------------------------------------


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
    assert free_of(ak.E(tanh(x * z), z) + y) == {x, y}


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


@pytest.mark.parametrize("expr", [Named("V", exp(x)) + exp(x) ** 2, ak.E(exp(x) * tanh(z * exp(x)), z),
                                  cos(y) * exp(x)])
def test_replacement_is_that_of_sympy(expr):
    for rule in ({exp(x): y}, {x: y}, {exp(x): Named("W", exp(x))}, {cos(z): x}):
        assert replaced(expr, rule) == expr.xreplace(rule)
