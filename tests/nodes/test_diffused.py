"""Means over normals as named functions: derivatives by variances and covariances are those of the heat equation."""


import sympy as sp

from asympkit.nodes import Diffused, remove_names, slope

q, t, m = sp.symbols("q t m", real=True)
C, a, K = (sp.Dummy(n, dummy_index=77_000 + i, real=True) for i, n in enumerate(("C", "a", "K")))
Q, W, k = (sp.Dummy(n, dummy_index=77_010 + i, positive=True) for i, n in enumerate(("Q", "W", "k")))
#: E (a + u)(C + w)**3 of normals u, w of variances 1 and Q = W**2 and covariance K = k*W
FORM = a * (C**3 + 3 * C * W**2) + 3 * k * W * (C**2 + W**2)
VALUES = {C: m * t, a: sp.sin(t), Q: q**2 + t**2, K: q * t, W: sp.sqrt(q**2 + t**2), k: q * t / sp.sqrt(q**2 + t**2)}
RULES = {Q: (sp.Rational(1, 2), (C, C)), K: (sp.S.One, (a, C))}
G = Diffused.of("G", FORM, VALUES, RULES, frozenset({W, k}))


def test_derivatives_are_those_of_what_is_written_out():
    written = FORM.xreplace(VALUES)
    for s in (q, t, m):
        assert sp.simplify(remove_names(slope(G, s)) - written.diff(s)) == 0
        assert sp.simplify(remove_names(slope(slope(G, s), q)) - written.diff(s, q)) == 0


def test_equal_derivatives_are_one_node():
    one, other = (slope(slope(G, s), o) for s, o in ((m, q), (q, m)))
    assert one.atoms(Diffused) == other.atoms(Diffused)
    assert "G_CCC" in {e.label for e in one.atoms(Diffused)}
    # so that G_CC is one node, whether it comes by C twice or by the variance
    by_variance = slope(G, q).atoms(Diffused)
    twice = slope(slope(G, m), m).atoms(Diffused)
    assert twice <= by_variance


def test_another_function_of_the_same_values():
    other = G.remade("H", C**2 + W**2)
    assert sp.simplify(remove_names(slope(other, q)) - 2 * q) == 0
