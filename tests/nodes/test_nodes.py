"""The nodes: averages with bound variables, names, unspecified activations."""

import math

import mpmath
import pytest
from sympy import (
    Abs,
    Function,
    Integer,
    Max,
    Rational,
    Symbol,
    cos,
    erf,
    exp,
    latex,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tanh,
)
from sympy.core.symbol import Str

from asympkit import Activation, AsympkitError, DomainError, E, Eigenvalues, Named, mean
from asympkit.equations.mathml import presentation
from asympkit.nodes import Applied, Average, Bound, averages, bind, bound_symbol, named_parts, unname

x, y, z, a, b = symbols("x y z a b", real=True)
p = Symbol("p", positive=True)


# -- bound variables -----------------------------------------------------------------------------------


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


# -- what is pulled out ----------------------------------------------------------------------------------


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


# -- calculus --------------------------------------------------------------------------------------------


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


# -- substitution ------------------------------------------------------------------------------------------


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
    assert averages(expr) == averages(expr)
    assert averages(a + 1) == []


# -- names ---------------------------------------------------------------------------------------------------


def test_named_is_transparent_to_calculus():
    V = Named("V", a**2 * b)
    assert V.diff(a) == 2 * a * b
    assert V.diff(x) == 0
    assert (1 / (1 + V)).diff(a) == -2 * a * b / (1 + V) ** 2
    assert V.free_symbols == {a, b}
    assert V.is_real
    assert Named("W", p * exp(a)).is_positive
    assert Named("W", a**2).is_nonnegative


def test_named_label_is_a_str():
    V = Named("V", a * b)
    assert isinstance(V.args[0], Str)
    assert Symbol("V") not in V.free_symbols
    assert V.xreplace({Symbol("V"): b}) is V
    assert V.subs(Symbol("V"), 3) == V
    assert V.label == "V"
    assert V.expr == a * b


def test_named_xreplace_keeps_the_name_subs_drops_it():
    V = Named("V", a * b)
    assert V.xreplace({a: p}) == Named("V", p * b)
    assert V.subs(a, p) == p * b
    assert V.subs(x, p) == V
    assert V.subs(V, p) == p
    assert V.subs(a, 2) == 2 * b


def test_named_of_a_symbol_or_number_is_itself():
    assert Named("V", a) is a
    assert Named("V", 3) == 3
    assert Named("V", sqrt(2) * pi) == sqrt(2) * pi


@pytest.mark.parametrize("label", ["1V", "a b", "", "V-1", "V'"])
def test_named_needs_an_identifier(label):
    with pytest.raises(ValueError, match="is not an identifier"):
        Named(label, a * b)


def test_named_parts_and_unname():
    V = Named("V", a * b)
    W = Named("W", 1 + V**2)
    assert named_parts(W / V + W) == [V, W]
    assert unname(W) == 1 + a**2 * b**2
    assert unname(W + V, lambda n: n.label == "W") == 1 + V**2 + V
    assert unname(E(V * tanh(x * W), x)) == a * b * E(tanh(x * (1 + a**2 * b**2)), x)
    assert unname(a) == a


def test_named_survives_expansion():
    V = Named("V", (a + b) * p)
    expanded = ((1 + V) * x).expand()
    assert [n.label for n in named_parts(expanded)] == ["V"]
    assert str(expanded) in ("V*x + x", "x + V*x", "x*V + x")
    assert (unname(expanded) - x * (1 + (a + b) * p)).expand() == 0


def test_named_doit_and_evalf():
    assert Named("m", E(x**2 * a, x)).doit() == a
    m = Named("m", E(tanh(x) * x, x) + 1)
    assert abs(m.evalf(20) - (E(tanh(x) * x, x).evalf(20) + 1)) < Rational(1, 10**18)


# -- unspecified activations -------------------------------------------------------------------------------


def test_applied_derivative_raises_the_order():
    s = Applied("student", a * x + b)
    assert s.order == 0
    assert s.diff(x) == a * Applied("student", a * x + b, 1)
    assert s.diff(x, 2) == a**2 * Applied("student", a * x + b, 2)
    assert s.diff(p) == 0
    assert s.is_real
    assert s.free_symbols == {a, b, x}
    assert s.subs(b, 0) == Applied("student", a * x)


def test_applied_differentiates_products_and_powers():
    s = Applied("student", x)
    assert (s**2 * x).diff(x) == s**2 + 2 * x * s * Applied("student", x, 1)


def test_bind_puts_functions_in_place():
    act = Activation("tanh")
    s = Applied("student", a * x + b)
    assert bind(s, {"student": act}) == tanh(a * x + b)
    assert bind(s.diff(x), {"student": act}) == a * (1 - tanh(a * x + b) ** 2)
    assert bind(s, {"target": act}) is s


def test_bind_inside_averages_and_names():
    student, target = Activation("tanh"), Activation("sin")
    expr = Named("mu", E(Applied("student", a * x) * x, x)) + E(Applied("target", x + b), x)
    bound = bind(expr, {"student": student, "target": target})
    assert bound == Named("mu", E(tanh(a * x) * x, x)) + E(sin(x + b), x)
    assert bind(expr, {"student": student}).atoms(Applied) == {Applied("target", bound_symbol(0) + b)}


def test_bind_an_activation_of_an_activation():
    nested = Applied("student", Applied("target", x))
    assert bind(nested, {"student": Activation("tanh"), "target": Activation("sin")}) == tanh(sin(x))


# -- printing ------------------------------------------------------------------------------------------------


def test_str():
    assert str(E(tanh(a * x), x)) in ("E_z[tanh(a*z)]", "E_z[tanh(z*a)]")
    assert str(E(cos(x + 2 * y), (x, y))) in ("E_z, z_2[cos(z + 2*z_2)]", "E_z, z_2[cos(2*z_2 + z)]")
    assert "E_kappa[" in str(E(cos(E(tanh(x + y), x)), y))
    assert str(Named("V", a * b) + 1) == "V + 1"
    assert str(Applied("student", a, 2)) == "student''(a)"
    D, T = symbols("D T", real=True)
    assert str(mean(T / (1 + D), Eigenvalues(D, T))) == "<T/(D + 1)>"
    assert str(bound_symbol(1)) == "kappa"


def test_latex():
    assert latex(E(tanh(x) * x, x)).startswith(r"\mathbb{E}_{z}\left[")
    assert latex(E(tanh(x) * x, x) ** 2).endswith(r"\right]^{2}")
    assert r"\mathbb{E}_{\kappa}" in latex(E(cos(E(tanh(x + y), x)), y))
    assert r"\mathbb{E}_{z,z_{2}}" in latex(E(cos(x + 2 * y), (x, y)))
    assert latex(Named("mu1", a * b)) == r"\mu_{1}"
    assert latex(Named("mu1", a * b) ** 2) == r"\mu_{1}^{2}"
    assert latex(Applied("student", a)) == r"\sigma\left(a\right)"
    assert latex(Applied("target", a, 1)) == r"\phi'\left(a\right)"
    assert latex(Applied("other", a) ** 2) == r"\mathrm{other}\left(a\right)^{2}"
    D, T = symbols("D T", real=True)
    assert latex(mean(T / (1 + D), Eigenvalues(D, T))) == r"\left\langle \frac{T}{D + 1} \right\rangle"


def test_a_bound_symbol_is_not_printed_by_the_name_of_a_parameter():
    kappa, h = symbols("kappa z", real=True)      # both are names of bound symbols
    outer = E(tanh(x + kappa) * E(tanh(x * y), y), x)
    assert str(outer) == "E_x[tanh(x + kappa)*E_z[tanh(x*z)]]"
    assert latex(outer).startswith(r"\mathbb{E}_{x}\left[")
    assert r"\tanh{\left(x + \kappa \right)}" in latex(outer)
    assert "<mi>x</mi><mo>+</mo><mi>&#954;</mi>" in presentation(outer)
    assert str(E(tanh(x + h), x)) == "E_kappa[tanh(kappa + z)]"
    nested = str(E(tanh(x * kappa) * E(tanh(x * y + h), y), x))
    assert nested == "E_u[tanh(u*kappa)*E_kappa[tanh(kappa*u + z)]]"     # inner scopes may reuse a name
    assert str(E(tanh(x * y + h), (x, y))) == "E_kappa, kappa_2[tanh(kappa*kappa_2 + z)]"
    # a name is opaque on paper: what stands inside it cannot be confused
    assert str(E(Named("V", exp(kappa * x)) * tanh(x), x)) == "E_z[tanh(z)*V]"
    assert str(E(Named("z", exp(kappa * x)) * tanh(x), x)) == "E_kappa[tanh(kappa)*z]"
    # only the print differs: the object keeps its canonical symbols
    assert outer.bound_symbols == (bound_symbol(1),) and outer == E(tanh(z + kappa) * E(tanh(z * y), y), z)


def test_bound_is_printed_by_its_plain_name():
    assert isinstance(bound_symbol(0), Bound)
    assert str(bound_symbol(0)) == "z"
    assert latex(bound_symbol(1)) == r"\kappa"


# -- values ----------------------------------------------------------------------------------------------------


def reference(f, *splits, digits=45):
    with mpmath.workdps(digits):
        return mpmath.quad(lambda t: f(t) * mpmath.npdf(t), sorted([-16, -8, -4, -2, *splits, 0, 2, 4, 8, 16]))


def close(value, expected, digits):
    with mpmath.workdps(60):
        return abs(value._to_mpmath(200) - expected) <= mpmath.mpf(10) ** -digits * abs(expected)


def test_evalf_of_an_average_that_does_not_close():
    assert close(E(tanh(z) * z, z).evalf(30), reference(lambda t: t * mpmath.tanh(t)), 29)
    half = reference(lambda t: t * mpmath.tanh(t) + mpmath.mpf(1) / 2)
    assert close((1 + 2 * E(tanh(z) * z, z)).evalf(30), mpmath.ldexp(half, 1), 29)


def test_evalf_of_closed_averages():
    with mpmath.workdps(50):
        assert close(E(exp(z / 2), z).evalf(40), mpmath.exp(mpmath.mpf(1) / 8), 39)
        # E z erf(z) = 2/sqrt(3 pi)
        assert close(E(erf(z) * z, z).evalf(40), 2 / mpmath.sqrt(3 * mpmath.pi), 39)
        assert close(E(Abs(z) ** 3, z).evalf(40), 2 * mpmath.sqrt(2 / mpmath.pi), 39)


def test_evalf_with_kinks():
    assert close(E(Abs(tanh(z)), z).evalf(25), reference(lambda t: abs(mpmath.tanh(t))), 24)
    shifted = reference(lambda t: max(mpmath.tanh(t - 1), 0), 1)
    assert close(E(Max(tanh(z - 1), 0), z).evalf(20), shifted, 19)


def test_evalf_subs_and_free_symbols():
    m = E(tanh(a * z) * z, z)
    assert m.evalf(20) == m
    assert close(m.evalf(20, subs={a: 1}), reference(lambda t: t * mpmath.tanh(t)), 19)
    assert close(m.subs(a, 1).evalf(20), reference(lambda t: t * mpmath.tanh(t)), 19)


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


def test_evalf_of_a_pair_sign():
    rho = Rational(1, 3)
    value = E(sign(x) * sign(y), (x, y), rho=rho).evalf(25)
    with mpmath.workdps(40):
        assert close(value, 2 / mpmath.pi * mpmath.asin(mpmath.mpf(1) / 3), 24)


@pytest.mark.parametrize("rho", [Rational(-1, 2), Rational(4, 5)])
def test_evalf_of_a_pair_tanh(rho):
    value = E(tanh(x) * tanh(y), (x, y), rho=rho).evalf(8)
    r = float(rho)
    grid = [i / 6 for i in range(-45, 46)]
    weights = [mpmath.fp.npdf(t) / 6 for t in grid]
    expected = sum(u * v * math.tanh(s) * math.tanh(r * s + (1 - r * r) ** 0.5 * t)
                   for s, u in zip(grid, weights) for t, v in zip(grid, weights))
    assert abs(value - expected) < 1e-8 * abs(expected)


def test_extreme_correlations():
    square = E(tanh(x) ** 2, x)
    assert E(tanh(x) * tanh(y), (x, y), rho=1).evalf(20) == square.evalf(20)
    assert E(tanh(x) * tanh(y), (x, y), rho=-1).evalf(20) == -square.evalf(20)
    assert abs(E(tanh(x) * tanh(y), (x, y), rho=0).evalf(15)) < 1e-15


# -- errors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("expr", "variable", "rho", "text"), [
    (a, 3, None, "z: got 3; expected a sympy symbol"),
    (a, (), None, r"z: got \(\); expected a sympy symbol"),
    (a, (x, x), None, "a tuple of different ones"),
    (a, (x, y, z), Rational(1, 2), "rho: a correlation needs exactly two variables, got 3"),
    (a, x, Rational(1, 2), "rho: a correlation needs exactly two variables, got 1"),
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
