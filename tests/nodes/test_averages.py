"""Averages: bound variables, normal form, derivatives, substitution, digits."""

import mpmath
import pytest
import sympy as sp
from sympy import Abs, Function, Integer, Max, Piecewise, Rational, Symbol, cos, erfc, exp, sign, sqrt, symbols, tanh

import asympkit as ak
from asympkit import AsympkitError, DomainError, E, Eigenvalues, mean
from asympkit.nodes import bound_symbol

x, y, z, a, b = symbols("x y z a b", real=True)
p = Symbol("p", positive=True)


@pytest.mark.parametrize("f", [tanh, lambda t: t * cos(a + t), lambda t: exp(-Abs(t)) + t**4])
def test_alpha_equivalent_averages_are_equal(f):
    assert E(f(x), x) == E(f(y), y)
    assert hash(E(f(x), x)) == hash(E(f(y), y))
    assert E(f(x), x) - E(f(y), y) == 0


def test_alpha_equivalence_nested_crossed_and_of_two_variables():
    one = E(tanh(E(tanh(x + y), x) + a * y), y)
    assert one == E(tanh(E(tanh(y + x), y) + a * x), x)
    assert one == E(tanh(E(tanh(z + b), z) + a * b), b)
    # the inner variable may reuse the name of the outer one
    assert E(cos(x) * E(tanh(x), x), x) == E(cos(x), x) * E(tanh(y), y)
    assert E(tanh(x + 2 * y), (x, y)) == E(tanh(y + 2 * x), (y, x))
    assert E(tanh(x + 2 * y), (x, y)) != E(tanh(x + 2 * y), (y, x))
    inner = E(tanh(x) ** 2, x)
    assert E(inner * cos(y), y) == inner * E(cos(y), y)


def test_bound_symbols_are_reproducible_and_never_a_users():
    assert bound_symbol(0) == bound_symbol(0)
    assert bound_symbol(0) != bound_symbol(1)
    assert bound_symbol(0, 1) != bound_symbol(1)
    assert bound_symbol(0) != Symbol("z", real=True)
    assert len({bound_symbol(level, i) for level in range(10) for i in range(4)}) == 40
    assert bound_symbol(7).name == "kappa7"
    assert bound_symbol(6).name != bound_symbol(0).name


def test_what_is_pulled_out():
    assert E(3, x) == 3
    assert E(a**2, x) == a**2
    assert E(0, x) == 0
    assert isinstance(E(3, x), Integer)
    m = E(tanh(x) * x, x)
    assert E(-3 * a * tanh(x) * x, x) == -3 * a * m
    assert E(6 * tanh(x) + 4 * x * cos(x), x) == 2 * E(3 * tanh(x) + 2 * x * cos(x), x)
    assert E(-tanh(x) - cos(x), x) == -E(tanh(x) + cos(x), x)
    assert E(a * tanh(x) + a * x**2, x) == a * E(tanh(x) + x**2, x)
    assert E(tanh(x) / (1 + a), x) == E(tanh(x), x) / (1 + a)


def test_free_symbols_and_signs():
    assert E(tanh(a * x + b), x).free_symbols == {a, b}
    assert E(E(tanh(a * x + y), x) ** 2, y).free_symbols == {a}
    assert E(tanh(x), x).free_symbols == set()
    D, T = symbols("D T", real=True)
    assert mean(T / (a**2 + D), Eigenvalues(D, T)).free_symbols == {a}
    assert E(tanh(a * x) ** 2, x).bound_symbols[0] not in E(tanh(a * x) ** 2, x).free_symbols
    assert E(tanh(x) ** 2 * p, x).is_nonnegative
    assert E(exp(x), x).is_positive
    assert E(tanh(x + a), x).is_real
    assert E(tanh(x + a), x).is_positive is None


def test_derivatives():
    m = E(tanh(a * x + b), x)
    assert m.diff(b) == E(1 - tanh(a * x + b) ** 2, x)
    assert m.diff(a) == E(x * (1 - tanh(a * x + b) ** 2), x)
    assert m.diff(p) == 0
    assert E(tanh(x), x).diff(x) == 0
    m = E(tanh(a * x), x) + E(x**2 * tanh(a * x) ** 2, x)
    for s in (x, bound_symbol(0)):
        assert m.diff(s) == 0


def test_substitution():
    m = E(tanh(a * x) * x, x)
    for old in (x, bound_symbol(0), bound_symbol(0) * a, tanh(a * bound_symbol(0))):
        assert m.subs(old, 7) == m
    m = E(tanh(a * x) * x, x)
    assert m.subs(a, 2) == E(tanh(2 * x) * x, x)
    assert m.subs(a, 0) == 0
    assert (m + a).subs({a: b, b: a}, simultaneous=True) == E(tanh(b * x) * x, x) + b
    bound = bound_symbol(0)
    m = E(tanh(a + x), x).subs(a, bound)
    assert m.free_symbols == {bound}
    assert m == E(tanh(bound + y), y)
    assert m.subs(bound, a) == E(tanh(a + x), x)
    m = E(tanh(a * x) ** 2, x)
    assert (1 + m).subs(m, b) == 1 + b
    bound = bound_symbol(0)
    m = E(tanh(a * x) * x, x)
    assert (m + bound).xreplace({bound: b}) == m + b
    assert m.xreplace({bound: b}) is m
    assert m.xreplace({a: b}) == E(tanh(b * x) * x, x)
    assert m.xreplace({bound: b, a: p}) == E(tanh(p * x) * x, x)
    assert m.xreplace({m: b}) == b


@pytest.mark.parametrize(("expr", "variable", "rho", "text"), [
    (a, 3, None, "z: got 3; expected a sympy symbol"), (a, (), None, r"z: got \(\); expected a sympy symbol"),
    (a, (x, x), None, "a tuple of different ones"),
    (a, (x, y, z), Rational(1, 2), "rho: expected exactly two variables for a correlation; got 3"),
    (a, x, Rational(1, 2), "rho: expected exactly two variables for a correlation; got 1"),
    (a, (x, y), 2, r"rho: got 2; a correlation lies in \[-1, 1\]"), (x < y, x, None, "expected a sympy expression"),
])
def test_errors_of_expectations(expr, variable, rho, text):
    with pytest.raises(DomainError, match=text):
        E(expr, variable, rho=rho)


def test_averages_without_digits():
    with pytest.raises(AsympkitError, match="evalf: .* did not converge"):
        E(exp(z**2), z).evalf(10)
    f = Function("f", real=True)
    with pytest.raises(AsympkitError, match="f"):
        E(f(z) * z, z).evalf(10)
    # far beyond the weight nothing is left: that is said, not rounded to 0
    with pytest.raises(ak.ConvergenceError, match="evalf: the integrand of .* is 0 at all nodes .* enclose"):
        ak.E(sp.tanh(Z - 5000) ** 2 - 1, Z).evalf(20)


def reference(f, *splits, digits=45):
    with mpmath.workdps(digits):
        return mpmath.quad(lambda t: f(t) * mpmath.npdf(t), sorted([-16, -8, -4, -2, *splits, 0, 2, 4, 8, 16]))


def close(value, expected, digits):
    with mpmath.workdps(60):
        return abs(value._to_mpmath(200) - expected) <= mpmath.mpf(10) ** -digits * abs(expected)


def test_digits():
    assert close(E(Abs(tanh(z)), z).evalf(25), reference(lambda t: abs(mpmath.tanh(t))), 24)
    shifted = reference(lambda t: max(mpmath.tanh(t - 1), 0), 1)
    assert close(E(Max(tanh(z - 1), 0), z).evalf(20), shifted, 19)
    m = E(tanh(a * z) * z, z)
    assert m.evalf(20) == m
    assert close(m.evalf(20, subs={a: 1}), reference(lambda t: t * mpmath.tanh(t)), 19)
    assert close(m.subs(a, 1).evalf(20), reference(lambda t: t * mpmath.tanh(t)), 19)
    square = E(tanh(x) ** 2, x)
    assert E(tanh(x) * tanh(y), (x, y), rho=1).evalf(20) == square.evalf(20)
    assert E(tanh(x) * tanh(y), (x, y), rho=-1).evalf(20) == -square.evalf(20)
    assert abs(E(tanh(x) * tanh(y), (x, y), rho=0).evalf(15)) < 1e-15


@pytest.mark.slow
def test_evalf_nested():
    value = E(tanh(E(tanh(x + y), x) + 1), y).evalf(8)
    inner = {}

    def outer(t):
        if t not in inner:
            inner[t] = mpmath.quad(lambda u: mpmath.tanh(u + t) * mpmath.npdf(u), [-9, -4, 0, 4, 9])
        return mpmath.tanh(inner[t] + 1)

    with mpmath.workdps(15):
        expected = mpmath.fsum(outer(mpmath.mpf(i) / 5) * mpmath.npdf(mpmath.mpf(i) / 5) / 5 for i in range(-40, 41))
    assert abs(value - expected) < 1e-8


Z = sp.Symbol("z", real=True)
#: an integrand that cancels, and the same without cancellation
CASES = {
    "far": (sp.tanh(Z - 100) ** 2 - 1, lambda z: -mpmath.sech(z - 100) ** 2),
    "near": (sp.tanh(Z - 10) ** 2 - 1, lambda z: -mpmath.sech(z - 10) ** 2),
    "one side": (sp.tanh(Z - 40) + 1, lambda z: 2 / (1 + mpmath.exp(2 * (40 - z)))),
    "none": (sp.tanh(Z) ** 2, lambda z: mpmath.tanh(z) ** 2),
}


@pytest.mark.parametrize("name", CASES)
def test_digits_follow_the_cancellation(name):
    f, same = CASES[name]
    with mpmath.workdps(40):
        line = [mpmath.mpf(k) / 16 for k in range(-400, 401)]      # the nearest pole costs exp(-50 pi)
        exact = mpmath.fsum(same(z) * mpmath.npdf(z) for z in line) / 16
        found = mpmath.mpf(str(ak.E(f, Z).evalf(24)))
        assert abs(found - exact) < 1e-22 * abs(exact)


def test_moving_jumps():
    step = ak.E(Piecewise((1, z + a > 0), (0, True)), z)
    with pytest.raises(ak.StructureError, match="jumps at a place that depends on a"):
        step.diff(a)
    with pytest.raises(ak.StructureError, match="jumps at a place that depends on a"):
        ak.Theory(name="step", parameters={}, unknowns=[a],
                  equations=[a - ak.E(Piecewise((tanh(z), z**3 + a > 0), (0, True)), z)])
    # in a theory an average that has a closed form is closed first: no jump is left, and others stand still
    theory = ak.Theory(name="step", parameters={}, unknowns=[a], equations=[a - step])
    m = theory.solve()["a"]
    assert abs(m - erfc(-m / sqrt(2)) / 2) < 1e-13
    theory = ak.Theory(name="step", parameters={}, unknowns=[a],
                       equations=[a - ak.E(Piecewise((tanh(z), z + a > 0), (0, True)), z)])
    m = theory.solve()["a"]
    assert abs(m - mpmath.quad(lambda v: mpmath.tanh(v) * mpmath.npdf(v), [-m, 2, 6, 14])) < 1e-13


def test_branches_that_meet_and_jumps_that_stay_are_differentiated():
    relu = ak.E(Piecewise((z + a, z + a > 0), (0, True)), z)
    exact = ak.E((1 + sign(z + a)) / 2, z)
    assert abs((relu.diff(a) - exact).subs(a, Integer(1) / 3).evalf(15)) < 1e-13
    fixed = ak.E(Piecewise((a**2, z > 0), (a, True)), z)
    assert abs(fixed.diff(a).subs(a, Integer(2)).evalf(15) - 2.5) < 1e-13
    assert ak.E(Piecewise((1, z + b > 0), (0, True)) * a, z).diff(a) == ak.E(
        Piecewise((1, z + b > 0), (0, True)), z)


@pytest.mark.parametrize(("kind", "places"), [("positive", [0.7]), ("nonnegative", [0, 0.7])])
def test_places_of_kinks_that_may_coincide(kind, places):
    e = Symbol("e", **{kind: True})
    closed = E(Max(Abs(z) - e, 0) ** 2, z).doit()
    for place in places:
        expected = reference(lambda t, c=place: max(t - c, 0) ** 2, place)
        assert close((closed / 2).subs(e, Rational(place)).evalf(25), expected, 19)


def test_free_energies_with_squares_of_kinks():
    m, e = symbols("m e", real=True)

    def solved(energy, at):
        theory = ak.Theory(name="kinks", unknowns=[m], parameters={e: ("place", "real")},
                           free_energy=m**2 / 2 - m / 5 + energy)
        return theory.solve(e=at).m

    found = solved(E(Max(m + z**2 - e, 0) ** 2, z) / 4, 0.3)
    kink = float(mpmath.sqrt(0.3 - found))
    inner = reference(lambda t: max(found + t * t - 0.3, 0), kink, -kink)
    assert found + inner / 2 - 0.2 == pytest.approx(0, abs=1e-13)
    assert solved(Max(m - e, 0) ** 2 / 2, 0.1) == pytest.approx(0.15, abs=1e-15)
