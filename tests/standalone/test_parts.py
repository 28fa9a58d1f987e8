"""What modules are made of: long lines, the pieces that are copied, elimination, Newton's method, inner averages."""

import ast
import math

import numpy as np
import pytest
from sympy import Heaviside, Max, Piecewise, Symbol, erf, pi, sqrt

from asympkit.standalone.layout import broken
from asympkit.standalone.parts import implicit, inner
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


def test_a_mean_below_its_rounding_is_refused():
    weights, none = np.full(4, 0.25), np.zeros(4)
    inner.check_direction(weights, none, np.ones(4), none, True)
    inner.check_direction(weights, np.full(4, 1e-9), np.ones(4), np.full(4, 1e-9), True)
    for vanishes, shift in ((False, none), (True, np.ones(4))):
        with pytest.raises(ValueError, match="a mean of which only the direction counts is below the rounding"):
            inner.check_direction(weights, np.full(4, 1e-12), np.ones(4), shift, vanishes)


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
