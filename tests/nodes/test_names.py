"""Named expressions, unspecified activations and how the nodes are printed."""


import pytest
from sympy import Symbol, cos, exp, latex, pi, sqrt, symbols, tanh

from asympkit import E, Eigenvalues, Named, StructureError, mean
from asympkit.equations.system import presentation
from asympkit.nodes import Applied, bound_symbol, remove_names

x, y, z, a, b = symbols("x y z a b", real=True)
p = Symbol("p", positive=True)


def test_names_are_transparent_and_kept():
    V = Named("V", a**2 * b)
    assert V.diff(a) == 2 * a * b
    assert V.diff(x) == 0
    assert (1 / (1 + V)).diff(a) == -2 * a * b / (1 + V) ** 2
    assert V.free_symbols == {a, b}
    assert V.is_real
    assert Named("W", p * exp(a)).is_positive
    assert Named("W", a**2).is_nonnegative
    V = Named("V", a * b)
    assert V.xreplace({a: p}) == Named("V", p * b)
    assert V.subs(a, p) == p * b
    assert V.subs(x, p) == V
    assert V.subs(V, p) == p
    assert V.subs(a, 2) == 2 * b
    assert Named("V", a) is a
    assert Named("V", 3) == 3
    assert Named("V", sqrt(2) * pi) == sqrt(2) * pi


def test_a_label_is_a_text():
    with pytest.raises(StructureError, match="label: got 3; expected a text that is an identifier"):
        Named(3, Symbol("x") ** 2)


@pytest.mark.parametrize("label", ["1V", "a b", "", "V-1", "V'"])
def test_named_needs_an_identifier(label):
    with pytest.raises(ValueError, match="expected an identifier"):
        Named(label, a * b)


def test_text_and_latex():
    assert str(E(tanh(a * x), x)) in ("E_z[tanh(a*z)]", "E_z[tanh(z*a)]")
    assert str(E(cos(x + 2 * y), (x, y))) in ("E_z, z_2[cos(z + 2*z_2)]", "E_z, z_2[cos(2*z_2 + z)]")
    assert "E_kappa[" in str(E(cos(E(tanh(x + y), x)), y))
    assert str(Named("V", a * b) + 1) == "V + 1"
    assert str(Applied("student", a, 2)) == "student''(a)"
    D, T = symbols("D T", real=True)
    assert str(mean(T / (1 + D), Eigenvalues(D, T))) == "<T/(D + 1)>"
    assert str(bound_symbol(1)) == "kappa"
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


def test_signs_of_powers_of_names_can_be_asked_for():
    """Sympy looks for the roots of derivatives of polynomials: a name is none in the symbols that it hides."""
    a = symbols("a", positive=True)
    power = Named("part", a + 1)**2 - a
    assert not power.is_polynomial(a) and power.is_polynomial(Named("part", a + 1))
    assert power.is_extended_negative is None
    assert remove_names(1 / (1 + power**2)) == 1 / (1 + ((a + 1)**2 - a)**2)
