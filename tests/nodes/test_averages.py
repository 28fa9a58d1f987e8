"""Averages: bound variables, normal form, derivatives, substitution."""


import pytest
from sympy import (
    Abs,
    Function,
    Integer,
    Rational,
    Symbol,
    cos,
    exp,
    sin,
    symbols,
    tanh,
)

from asympkit import AsympkitError, DomainError, E, Eigenvalues, Named, mean
from asympkit.nodes import Average, averages, bound_symbol

x, y, z, a, b = symbols("x y z a b", real=True)
p = Symbol("p", positive=True)


# -- bound variables -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [tanh, lambda t: t * cos(a + t), lambda t: exp(-Abs(t)) + t**4])
def test_alpha_equivalent_averages_are_equal(f):
    assert E(f(x), x) == E(f(y), y)
    assert hash(E(f(x), x)) == hash(E(f(y), y))
    assert E(f(x), x) - E(f(y), y) == 0


def test_alpha_equivalence_with_different_assumptions_of_the_variable():
    plain = Symbol("w")
    assert E(tanh(x + a), x) == E(tanh(plain + a), plain)


def test_alpha_equivalence_nested_and_crossed():
    one = E(tanh(E(tanh(x + y), x) + a * y), y)
    assert one == E(tanh(E(tanh(y + x), y) + a * x), x)
    assert one == E(tanh(E(tanh(z + b), z) + a * b), b)
    # the inner variable may reuse the name of the outer one
    assert E(cos(x) * E(tanh(x), x), x) == E(cos(x), x) * E(tanh(y), y)


def test_alpha_equivalence_of_two_variables_at_once():
    assert E(tanh(x + 2 * y), (x, y)) == E(tanh(y + 2 * x), (y, x))
    assert E(tanh(x + 2 * y), (x, y)) != E(tanh(x + 2 * y), (y, x))


def test_independent_inner_average_is_pulled_out():
    inner = E(tanh(x) ** 2, x)
    assert E(inner * cos(y), y) == inner * E(cos(y), y)


def test_levels_of_nesting():
    inner = E(tanh(x + y), x)
    assert inner.bound_symbols[0].level == 0
    assert E(cos(inner), y).bound_symbols[0].level == 1
    twice = E(tanh(E(cos(inner + z), y)), z)
    assert twice.bound_symbols[0].level == 2
    assert {s.position for s in E(tanh(x * y), (x, y)).bound_symbols} == {0, 1}


def test_bound_symbols_are_reproducible_and_never_a_users():
    assert bound_symbol(0) == bound_symbol(0)
    assert bound_symbol(0) != bound_symbol(1)
    assert bound_symbol(0, 1) != bound_symbol(1)
    assert bound_symbol(0) != Symbol("z", real=True)
    assert len({bound_symbol(level, i) for level in range(10) for i in range(4)}) == 40
    assert bound_symbol(7).name == "kappa7"
    assert bound_symbol(6).name != bound_symbol(0).name


# -- what is pulled out --------------------------------------------------------------------------------------


def test_constants_and_zero():
    assert E(3, x) == 3
    assert E(a**2, x) == a**2
    assert E(0, x) == 0
    assert isinstance(E(3, x), Integer)


def test_factors_sign_and_content_are_pulled():
    m = E(tanh(x) * x, x)
    assert E(-3 * a * tanh(x) * x, x) == -3 * a * m
    assert E(6 * tanh(x) + 4 * x * cos(x), x) == 2 * E(3 * tanh(x) + 2 * x * cos(x), x)
    assert E(-tanh(x) - cos(x), x) == -E(tanh(x) + cos(x), x)
    assert E(a * tanh(x) + a * x**2, x) == a * E(tanh(x) + x**2, x)
    assert E(tanh(x) / (1 + a), x) == E(tanh(x), x) / (1 + a)


def test_sums_are_not_split():
    m = E(tanh(x) ** 2 + cos(x), x)
    assert isinstance(m, Average)
    assert m.integrand.is_Add


def test_pulled_common_factor_that_holds_the_variable_stays_inside():
    m = E(cos(x) * tanh(x + a) + cos(x) * x, x)
    assert isinstance(m, Average)
    assert m.free_symbols == {a}


def test_free_symbols():
    assert E(tanh(a * x + b), x).free_symbols == {a, b}
    assert E(E(tanh(a * x + y), x) ** 2, y).free_symbols == {a}
    assert E(tanh(x), x).free_symbols == set()
    D, T = symbols("D T", real=True)
    assert mean(T / (a**2 + D), Eigenvalues(D, T)).free_symbols == {a}
    assert E(tanh(a * x) ** 2, x).bound_symbols[0] not in E(tanh(a * x) ** 2, x).free_symbols


def test_signs_are_known():
    assert E(tanh(x) ** 2 * p, x).is_nonnegative
    assert E(exp(x), x).is_positive
    assert E(tanh(x + a), x).is_real
    assert E(tanh(x + a), x).is_positive is None


# -- calculus ------------------------------------------------------------------------------------------------


def test_derivative_passes_under_the_sign():
    m = E(tanh(a * x + b), x)
    assert m.diff(b) == E(1 - tanh(a * x + b) ** 2, x)
    assert m.diff(a) == E(x * (1 - tanh(a * x + b) ** 2), x)
    assert m.diff(p) == 0
    assert E(tanh(x), x).diff(x) == 0


def test_derivative_of_nested_averages():
    m = E(E(tanh(x + a * y), x) ** 2, y)
    inside = E(tanh(x + a * y), x)
    assert m.diff(a) == E(2 * inside * E(1 - tanh(x + a * y) ** 2, x) * y, y)


def test_derivative_by_a_bound_symbol_is_zero():
    m = E(tanh(a * x), x) + E(x**2 * tanh(a * x) ** 2, x)
    for s in (x, bound_symbol(0)):
        assert m.diff(s) == 0


# -- substitution --------------------------------------------------------------------------------------------


def test_subs_refuses_bound_symbols():
    m = E(tanh(a * x) * x, x)
    for old in (x, bound_symbol(0), bound_symbol(0) * a, tanh(a * bound_symbol(0))):
        assert m.subs(old, 7) == m


def test_subs_of_a_parameter():
    m = E(tanh(a * x) * x, x)
    assert m.subs(a, 2) == E(tanh(2 * x) * x, x)
    assert m.subs(a, 0) == 0
    assert (m + a).subs({a: b, b: a}, simultaneous=True) == E(tanh(b * x) * x, x) + b


def test_subs_avoids_capture():
    bound = bound_symbol(0)
    m = E(tanh(a + x), x).subs(a, bound)
    assert m.free_symbols == {bound}
    assert m == E(tanh(bound + y), y)
    assert m.subs(bound, a) == E(tanh(a + x), x)


def test_subs_of_the_user_variable_is_no_capture():
    # the variable the average was written with is free again outside
    m = E(tanh(a + x), x).subs(a, x)
    assert m.free_symbols == {x}
    assert m == E(tanh(x + y), y)


def test_subs_of_a_whole_average():
    m = E(tanh(a * x) ** 2, x)
    assert (1 + m).subs(m, b) == 1 + b


def test_xreplace_does_not_go_inside_with_a_bound_symbol():
    bound = bound_symbol(0)
    m = E(tanh(a * x) * x, x)
    assert (m + bound).xreplace({bound: b}) == m + b
    assert m.xreplace({bound: b}) is m
    assert m.xreplace({a: b}) == E(tanh(b * x) * x, x)
    assert m.xreplace({bound: b, a: p}) == E(tanh(p * x) * x, x)
    assert m.xreplace({m: b}) == b


def test_xreplace_avoids_capture():
    # a bound symbol put in place of a parameter stays free
    bound = bound_symbol(0)
    m = E(tanh(a + x), x).xreplace({a: bound})
    assert m.free_symbols == {bound}
    assert m == E(tanh(bound + y), y)


def test_replace_with_functions_still_works():
    m = E(tanh(a * x) * x, x)
    assert m.replace(tanh, sin) == E(sin(a * x) * x, x)


def test_averages_lists_the_outermost():
    one, two = E(tanh(a * x) ** 2, x), E(cos(E(tanh(x + y), x)), y)
    expr = Named("V", one * a) + two**2 + 1
    assert set(averages(expr)) == {one, two}
    assert averages(expr) == averages.__wrapped__(expr)
    assert averages(a + 1) == ()


# -- errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("expr", "variable", "rho", "text"), [
    (a, 3, None, "z: got 3; expected a sympy symbol"),
    (a, (), None, r"z: got \(\); expected a sympy symbol"),
    (a, (x, x), None, "a tuple of different ones"),
    (a, (x, y, z), Rational(1, 2), "rho: expected exactly two variables for a correlation; got 3"),
    (a, x, Rational(1, 2), "rho: expected exactly two variables for a correlation; got 1"),
    (a, (x, y), 2, r"rho: got 2; a correlation lies in \[-1, 1\]"),
    (x < y, x, None, "expected a sympy expression"),
])
def test_errors_of_expectations(expr, variable, rho, text):
    with pytest.raises(DomainError, match=text):
        E(expr, variable, rho=rho)


def test_average_that_does_not_exist_raises():
    with pytest.raises(AsympkitError, match="evalf: .* did not converge"):
        E(exp(z**2), z).evalf(10)


def test_unknown_function_has_no_digits():
    f = Function("f", real=True)
    with pytest.raises(AsympkitError, match="f"):
        E(f(z) * z, z).evalf(10)


def test_text_as_integrand():
    assert E("tanh(z)*z", z) == E(tanh(z) * z, z)
    assert E("tanh(x)*x", x) == E(tanh(z) * z, z)
