"""What modules are made of: long lines, the pieces that are copied, elimination, Newton's method, inner averages."""

import ast
import math

import numpy as np
import pytest
from sympy import Heaviside, Max, Piecewise, Symbol, erf, pi, sqrt

from asympkit.standalone.layout import broken, paragraph
from asympkit.standalone.parts import implicit, inner, linear, newton, rules
from asympkit.standalone.pieces import pieces
from asympkit.standalone.printer import Printer

x, y = Symbol("x", real=True), Symbol("y", real=True)


# -- text ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [
    "total = " + " + ".join(f"weight_{k}*value_{k}" for k in range(30)),
    "    a, b = " + ", ".join(f"name_{k}" for k in range(40)),
    "    return call(" + ", ".join(f"argument_{k}" for k in range(30)) + ") + 1",
    "    " + ", ".join(f"target_{k}" for k in range(20)) + " = some_function(a, b)",
    "    value = f(" + "*".join(f"factor_{k}" for k in range(40)) + ")",
    "    value = outer(inner(" + " - ".join(f"(p_{k} + q_{k})" for k in range(30)) + "), 2)    # said",
    "def function(" + ", ".join(f"argument_{k}" for k in range(30)) + "):\n    return 1"])
def test_broken_lines_mean_the_same(line):
    text = broken(line)
    assert all(len(part) <= 120 for part in text.split("\n")) and text.count("\n") > line.count("\n")

    def tree(source):
        body = "def f():\n" + "\n".join(f"    {part}" for part in source.split("\n")) if "return" in source[:12] else \
            "if 1:\n" + "\n".join(f"      {part}" for part in source.split("\n")).replace("return", "x =")
        return ast.dump(ast.parse(body))

    assert tree(text) == tree(line)


def test_long_docstrings_are_wrapped():
    text = broken('def f():\n    """' + "word " * 40 + '."""\n    return 1')
    assert all(len(part) <= 120 for part in text.split("\n"))
    assert " ".join(ast.get_docstring(ast.parse(text).body[0]).split()) == "word " * 40 + "."
    assert paragraph('a """ b\n' + "long " * 50)[0].startswith('a \\"\\"\\" b')


def test_only_what_is_called_is_copied():
    found = pieces("a = trapezoid(3)\n", "def solve_point(p):\n    return mp_resolvent(p[0], 1.0, 1.0, 2.0)\n")
    text = "\n".join(found.texts)
    assert "def trapezoid(" in text and "def panels(" not in text
    with_point = pieces("def solve_point(p):\n    return mills(p)\n", "def solve_point(p):\n    return mills(p)\n")
    text = "\n".join(with_point.texts)
    assert "def mills_of_one(x):" in text and text.rstrip().endswith("mills = elementwise(mills_of_one)")
    assert {"mills", "erfcx"} <= set(with_point.loops) and "owen_t" not in text


@pytest.mark.parametrize(("expr", "value"), [
    (x**3, 0.027), ((x + y) ** -2, 1 / 1.69), (sqrt(x), math.sqrt(0.3)), (Max(x, y, 0.4, 0.2), 1.0),
    (pi * x, 0.3 * math.pi), (erf(x), math.erf(0.3)), (Heaviside(x - y), 0.0), (Max(x, 0.1), 0.3),
    (Piecewise((x, x > y), (y**2, True)), 1.0)])
def test_one_form_for_numbers_and_arrays(expr, value):
    text = Printer({x: "x", y: "y"}).source(expr)
    scope = {"np": np, "math": math, "erf": np.vectorize(math.erf), "choose": np.where}
    assert float(eval(text, scope, {"x": np.float64(0.3), "y": np.float64(1.0)})) == pytest.approx(value, rel=1e-14)
    if "np.array(" not in text:
        both = eval(text, scope, {"x": np.array([0.3, 0.3]), "y": np.array([1.0, 1.0])})
        assert np.broadcast_to(both, 2) == pytest.approx(value, rel=1e-14)


# -- numbers -------------------------------------------------------------------------------------------------------


def test_elimination():
    rng = np.random.default_rng(0)
    for n in (1, 2, 5):
        a, b = rng.normal(size=(n, n)) * 10.0 ** rng.integers(-8, 8, (n, 1)), rng.normal(size=n)
        found, singular = linear.eliminate(a, b)
        assert not singular and found == pytest.approx(np.linalg.solve(a, b), rel=1e-9)
        assert linear.solve_linear(a, b)[1] < 1e-12
    # 0 = 0 leaves its unknown at 0, 0 = 1 is a contradiction, and so is a singular matrix
    found, singular = linear.eliminate(np.array([[2.0, 0.0], [0.0, 0.0]]), np.array([4.0, 0.0]))
    assert found.tolist() == [2.0, 0.0] and not singular
    assert linear.eliminate(np.zeros((2, 2)), np.array([0.0, 1.0]))[1]
    assert linear.eliminate(np.ones((2, 2)), np.array([1.0, 2.0]))[1]
    assert linear.solve_linear(np.ones((2, 2)), np.array([1.0, 2.0]))[1] == 1.0
    with np.errstate(invalid="ignore"):
        assert np.isnan(linear.eliminate(np.array([[np.nan, 1.0], [1.0, 1.0]]), np.ones(2))[0]).any()
    for a, b in ((4.0, 2.0), (0.0, 0.0), (0.0, 1.0)):
        one = linear.eliminate_one(np.array([[a]]), np.array([b]))
        other = linear.eliminate(np.array([[a]]), np.array([b]))
        assert one[0].tolist() == other[0].tolist() and bool(one[1]) is bool(other[1])


def test_newton_is_damped_and_stays_inside(monkeypatch):
    everywhere = np.full(1, -np.inf), np.full(1, np.inf)
    monkeypatch.setattr(newton, "equations", lambda u: (np.arctan(u), np.array([1.0 / (1.0 + u**2)])), raising=False)
    found, moved, _ = newton.newton(np.array([20.0]), np.array([False]), *everywhere, 0)
    assert abs(found[0]) < 1e-9 and moved == 0.0           # undamped steps leave for infinity
    monkeypatch.setattr(newton, "equations", lambda u: (np.log(u / (1 - u)) + 30.0, np.array([1 / (u * (1 - u))])))
    found, moved, _ = newton.newton(np.array([0.5]), np.array([False]), np.zeros(1), np.ones(1), 0)
    assert found[0] == pytest.approx(1.0 / (1.0 + math.exp(30.0)), rel=1e-9) and moved == 0.0
    monkeypatch.setattr(newton, "equations", lambda u: (u**2 + 1.0, np.array([2.0 * u])))
    assert newton.newton(np.array([0.5]), np.array([False]), *everywhere, 0)[1] != 0.0


def test_newton_of_maps(monkeypatch):
    def equations(u, c):
        f = c / (1.0 + u)
        return np.log(u / f), np.array([1.0 + u * 1.0 / (1.0 + u)]), f

    monkeypatch.setattr(newton, "equations", equations, raising=False)
    at = np.array([1.0]), np.array([True]), np.full(1, -np.inf), np.full(1, np.inf)
    for plain in (0, 2, 40):
        found, moved, steps = newton.newton_of_maps(*at, plain, 1e6)
        assert found[0] * (1.0 + found[0]) == pytest.approx(1e6, rel=1e-12) and moved == 0.0 and steps >= plain


@pytest.mark.parametrize(("function", "kinks", "mean"), [
    (np.tanh, (), lambda a, b: None),
    (lambda s: np.maximum(s, 0.0), (0.0,), lambda a, b: a * (1.0 + math.erf(a / b / math.sqrt(2))) / 2 +
     b * math.exp(-0.5 * (a / b) ** 2) / math.sqrt(2 * math.pi)),
    (np.cos, (), lambda a, b: math.cos(a) * math.exp(-b * b / 2)),
    (lambda s: s**3, (), lambda a, b: a**3 + 3 * a * b * b),
    (lambda s: np.exp(s / 2), (), lambda a, b: math.exp(a / 2 + b * b / 8)), (np.sign, (0.0,), lambda a, b: math.erf(
        a / b / math.sqrt(2)))])
def test_inner_averages(function, kinks, mean):
    for slope in (0.3, 1.0, 7.0):
        offsets = np.array([-5.0, -0.02, 0.0, 1e-3, 0.7, 9.0])
        (found,) = inner.Inner(function, kinks, offsets, slope)(lambda z, s: (s,), (-1.0,))
        z, w = rules.panels(np.linspace(-14.0, 14.0, 2001), 12)
        for a, value in zip(offsets, found):
            exact = mean(a, slope)
            exact = w @ function(a + slope * z) if exact is None else exact
            assert value == pytest.approx(exact, rel=1e-12, abs=1e-13 * (1.0 + slope**3))


def test_small_means_of_odd_functions():
    offset = np.array([1e-12, -1e-9, 1e-5])
    (found,) = inner.Inner(np.sin, (), offset, 1.0)(lambda z, s: (s,), (np.inf,))
    assert found == pytest.approx(np.sin(offset) * math.exp(-0.5), rel=1e-13)


def test_a_mean_below_its_rounding_is_refused():
    weights, none = np.full(4, 0.25), np.zeros(4)
    inner.check_direction(weights, none, np.ones(4), none, True)
    inner.check_direction(weights, np.full(4, 1e-9), np.ones(4), np.full(4, 1e-9), True)
    for vanishes, shift in ((False, none), (True, np.ones(4))):
        with pytest.raises(ValueError, match="a mean of which only the direction counts is below the rounding"):
            inner.check_direction(weights, np.full(4, 1e-12), np.ones(4), shift, vanishes)


def test_rules_integrate_the_normal_law():
    for level in range(6):
        for nodes, weights in (rules.trapezoid(level), rules.outer_rule(level, [(0.0, 50.0, 1.0, (0.3, 1.0))])):
            assert weights @ nodes**4 == pytest.approx(3.0, rel=1e-12)
        nodes, weights = rules.product_rule(level, ((), (0.2,)))
        assert weights @ (nodes[0] ** 2 * nodes[1] ** 2) == pytest.approx(1.0, rel=1e-11)
        far, weights = rules.product_rule(level, ((0.0,),), 18.0)
        assert weights @ np.exp(15.0 * far[0] - 112.5) == pytest.approx(1.0, rel=1e-11)
    angles, weights = rules.angle_rule(0)
    assert weights @ np.cos(angles[0]) ** 2 == pytest.approx(0.5, rel=1e-14)


# -- functions through inner unknowns ------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [1e-6, 0.5, 300.0])
def test_functions_through_a_fixed_point_and_their_derivatives(monkeypatch, start):
    """x = a/(1 + x*x) + s, s = b*x/(1 + x): x and s by hand from x, and slopes of the inverse functions."""
    monkeypatch.setattr(implicit, "implicit_maps", lambda x, at: np.array((at[0] / (1 + x[0]**2) + x[1],
                                                                          -at[1] * x[0] / (1 + x[0]))), raising=False)
    monkeypatch.setattr(implicit, "implicit_forms", lambda x, at: np.array((x[0], at[1] * x[1]**2, x[0] * x[1])),
                        raising=False)
    x, b = 0.7, 0.3
    s = -b * x / (1 + x)
    a = (x - s) * (1 + x**2)
    found = implicit.implicit(np.array((start, 0.0)), np.array((True, False)), np.array((a, b)))
    assert found[0] == pytest.approx([x, b * s * s, x * s], rel=1e-14)
    ds = -b / (1 + x) ** 2                                  # of s by x, at given b
    da = (1 - ds) * (1 + x**2) + (x - s) * 2 * x            # of a by x, at given b
    dx = np.array((1 / da, -(x / (1 + x)) * (1 + x**2) / da))
    slopes = ds * dx + np.array((0.0, -x / (1 + x)))
    assert found[1:, 0] == pytest.approx(dx, rel=1e-13)
    assert found[1:, 1] == pytest.approx(2 * b * s * slopes + np.array((0.0, s * s)), rel=1e-13)
    assert found[1:, 2] == pytest.approx(s * dx + x * slopes, rel=1e-13)


def test_maps_without_a_fixed_point_give_no_numbers(monkeypatch):
    monkeypatch.setattr(implicit, "implicit_maps", lambda x, at: x + at[0], raising=False)
    monkeypatch.setattr(implicit, "implicit_forms", lambda x, at: x, raising=False)
    assert np.isnan(implicit.implicit(np.ones(1), np.array((True,)), np.ones(1))).all()
