"""Named functions of few quantities: derivatives by the chain rule, values and names as written out."""

import sympy as sp

from asympkit.gauss import E
from asympkit.nodes import Composite, Named, Tabled, named_parts, remove_names, slope

a, b, x, k = sp.symbols("a b x k", real=True)
u, v = sp.Dummy("u", real=True), sp.Dummy("v", real=True)
FORM = u**2 * sp.exp(v) + u * a
U, V = Named("U", a * b + 1), Named("V", sp.sin(b))
G = Composite.of("G", FORM, {u: U, v: V})


def test_values_and_renamed_variables():
    assert sp.simplify(remove_names(G) - FORM.xreplace({u: a * b + 1, v: sp.sin(b)})) == 0
    assert G.free_symbols == {a, b}
    assert str(G) == "G"
    mean = E(Composite.of("G", u**2, {u: x + a}), x)
    assert mean.free_symbols == {a}
    assert sp.simplify(mean.doit() - 1 - a**2) == 0
    nested = Composite.of("G", FORM, {u: u * 2, v: v})
    assert nested.xreplace({u: a, v: b}).expr == FORM.xreplace({u: 2 * a, v: b})


def test_derivatives():
    for s in (a, b):
        assert sp.simplify(remove_names(slope(G, s)) - remove_names(G).diff(s)) == 0
        assert sp.simplify(remove_names(slope(slope(G, s), b)) - remove_names(G).diff(s, b)) == 0
    labels = {e.label for e in (slope(G, a) + slope(G, b)).atoms(Composite)}
    assert labels == {"G_u", "G_v", "G_a"}


def test_tabled_is_a_leaf():
    h = Tabled.of(Named("h", E(sp.exp(x * a) * k, x)), k)
    assert not h.atoms(sp.exp)
    assert h.free_symbols == {a, k}
    assert h.xreplace({k: b}).expr == h.expr.xreplace({k: b})
    assert slope(h, a) == h.expr.diff(a)
    assert h.written_out() == Named("h", h.expr)
    assert named_parts(h + 1) == [h]
