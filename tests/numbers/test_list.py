"""The list of functions, entry by entry: every back end gives one value, and the facts that are stated hold."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp

import asympkit as ak
from asympkit.equations.system import presentation
from asympkit.numbers.evaluation import Digits, Floats
from asympkit.numbers.functions import entries, entry, entry_of_text, is_builtin, sources

flint = pytest.importorskip("flint")
x, y, w, v = sp.symbols("x y w v", real=True)

POINTS = [-30.0, -9.5, -3.1, -1.7, -0.83, -0.3, -0.01, 0.02, 0.41, 0.77, 1.3, 2.6, 4.4, 8.1, 29.0]
ORDERS = [0, 1, 2, 5]
OTHERS = {"OwenT": [(0.7,), (-2.1,)], "BivariateNormalCDF": [(0.3, -1.1), (2.0, 0.4)], "Heaviside": [],
          "Max": [(0.6,)], "Min": [(0.6,)], "Larger": [(0.6,)], "MPResolvent": [(1.3, 0.7, 1.1)],
          "FreeSumRoot": [(1.3,)], "LogisticSlope": [(1.3,)], "LogisticEnvelope": [(1.3,)], "Saturated": [(1.3,)]}
WALKED = [e for e in entries() if e.floats and is_builtin(e.name)]
#: without an own value at one real argument
SWITCHES = ("Heaviside", "Larger", "Max", "Min", "MPResolvent")
SMOOTH = [e for e in WALKED if e.name not in SWITCHES]


def windows():
    """Means over a window: orders, place and width, and the sides of both ends, which are one of a narrow window."""
    for j, n in ((0, -2), (0, -1), (1, -1), (0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2), (0, 3)):
        for c in (-9.5, -1.7, -0.3, 0.02, 0.77, 4.4):
            for h in (1e-9, 0.01, 0.4, 1.0, 1.3, 8.0):
                reach = 0.5 * h * (h > 1.0)
                yield (j, n, c, h, *(1.0 if c + end > 0.0 else -1.0 for end in (-reach, reach)))


def arguments(e):
    """Rows of orders and numbers inside the domain, the last one walking through the points."""
    if e.name == "NormalBlur":
        return list(windows())
    low, high = e.domain
    last = [v for v in POINTS if low < v < high]
    if e.name == "BivariateNormalCDF":
        last = [v for v in last if abs(v) < 1]
    if e.name in ("MPResolvent", "Saturated"):
        last = [v for v in last if v > 0]
    if e.name in ("gamma", "besseli", "exp", "sinh", "cosh"):
        last = [v for v in last if abs(v) < 20]
    first = [(n,) for n in ORDERS] if e.orders else OTHERS.get(e.name, [()])
    if e.name == "Heaviside":
        return [(v, 0.25) for v in last]
    return [(*f, v) for f in first for v in last]


def near(found, exact, tolerance=64):
    """Within units of the last place of a value, or of 1e-3 where it crosses zero."""
    return abs(float(found) - float(exact)) <= tolerance * 2.0**-52 * max(abs(float(exact)), 1e-3)


@pytest.fixture(scope="module")
def routines():
    """What generated modules hold: the source text alone, run without numba."""
    text = "\n".join(sources(" ".join(f"{e.loops}( {e.arrays}(" for e in WALKED)))
    lines = [line for line in text.splitlines() if not line.startswith(("from ", "import "))]
    space = {"math": math, "np": np}
    exec(compile("\n".join(lines), "routines", "exec"), space)
    return space


def called(name, space):
    if not name:
        return None
    room, _, name = name.rpartition(".")
    return getattr(space[room], name) if room else space.get(name) or __builtins__[name]


@pytest.mark.parametrize("e", WALKED, ids=lambda e: e.name)
def test_one_value_in_every_reading(e, routines):
    digits, floats, rows = Digits(40), Floats(), arguments(e)
    assert rows
    loop, arrays = called(e.loops, routines), called(e.arrays, routines)
    for row in rows:
        exact = digits.function(e.name, *(v if isinstance(v, int) else digits.mp.mpf(v) for v in row))
        assert near(floats.function(e.name, *row[:e.orders], *map(np.float64, row[e.orders:])), exact), row
        if loop is not None:
            assert near(loop(*row), exact), row
        at = [v if k < e.orders else np.array([v]) for k, v in enumerate(row)]
        assert near(np.asarray(arrays(*at)).ravel()[0], exact), row
        balls = e.at_balls(*row[:e.orders], *map(flint.arb, row[e.orders:]))
        assert holds(balls, exact), row
        if e.complex_balls:
            ball = e.at_complex_balls(*row[:e.orders], *map(flint.acb, row[e.orders:]), False)
            assert holds(ball.real, exact) and ball.imag.contains(0), row


def holds(ball, exact):
    """Whether a ball at 53 bits holds a number of 40 digits, up to its last digits."""
    text = mpmath.nstr(exact, 38)
    return ball.overlaps(flint.arb(text) * flint.arb(1, 1e-36)) and (ball.rad() < 1e-9 * (1 + abs(flint.arb(text))))


@pytest.mark.parametrize("e", SMOOTH, ids=lambda e: e.name)
def test_stated_facts(e):
    low, high = map(float, e.image)
    rows = arguments(e)
    values = {row: float(e.array_function(*row[:e.orders], *map(np.float64, row[e.orders:]))) for row in rows}
    for row, value in values.items():
        assert low <= value <= high, row
        if e.growth is not None and e.arity == 1 + e.orders:
            t = abs(row[-1])
            bound = sum(float(c) * t**n for n, c in enumerate(e.growth.powers)) * math.exp(e.growth.rate * t)
            assert abs(value) <= bound, row
        sign = e.parity_at(*row[:e.orders])
        if sign:
            mirrored = float(e.array_function(*row[:e.orders], np.float64(-row[-1])))
            assert near(mirrored, sign * value), row
    if e.monotone:
        found = [values[row] for row in sorted(rows)]
        assert all((b - a) * e.monotone >= 0 for a, b in zip(found, found[1:]))


@pytest.mark.parametrize("e", SMOOTH, ids=lambda e: e.name)
def test_sympy_class_and_its_slope(e):
    """The class has the entry's name, prints itself, and its derivative is that of the values."""
    names = [x, y, w, v][:e.arity - e.orders]
    for orders in [(1, -1)] if e.orders == 2 else [(1,)] if e.orders else [()]:
        expr = e.sympy_class(*orders, *names)
        assert entry(type(expr).__name__) is e
        assert sp.latex(expr) and presentation(expr).startswith("<math")
        if e.name in ("Abs", "sign"):
            continue
        row = next(r for r in arguments(e) if r[:e.orders] == orders)
        point = {s: sp.Rational(v) for s, v in zip(names, row[e.orders:])}
        step = mpmath.mpf("1e-12")
        with mpmath.workdps(40):
            for k, s in enumerate(names):
                at = [mpmath.mpf(v) for v in row[e.orders:]]
                sides = [e.at_digits(mpmath.mp, *orders, *(v + d * (j == k) for j, v in enumerate(at)))
                         for d in (-step, step)]
                slope = sp.N(expr.diff(s).xreplace(point), 20)
                assert abs((sides[1] - sides[0]) / (2 * step) - mpmath.mpf(str(slope))) < 1e-9 * (1 + abs(slope))


@pytest.mark.parametrize("e", [e for e in SMOOTH if e.text and not e.is_partial and e.name != "tan"],
                         ids=lambda e: e.name)
def test_as_a_text_and_as_an_activation(e):
    assert entry_of_text(e.text) is e
    head = "1, " if e.orders else {"BivariateNormalCDF": "0.3, 0.4, ", "OwenT": "1.5, "}.get(e.name, "")
    inner = "tanh(z)/2" if e.name == "BivariateNormalCDF" else "z"
    act = ak.Activation(f"{e.text}({head}{inner})")
    points = np.array([-1.3, 0.2, 0.9])
    first = [float(v) for v in head.replace("1, ", "1 ").replace(",", " ").split()] if head else []
    first = [1] if e.orders else first
    at = np.tanh(points) / 2 if e.name == "BivariateNormalCDF" else points
    np.testing.assert_allclose(act(points), [float(e.array_function(*first, np.float64(v))) for v in at], rtol=1e-14)
    assert ak.Activation(act.expr) == act and ak.Activation(act.name) == act
    slopes = (act(points + 1e-5) - act(points - 1e-5)) / 2e-5
    np.testing.assert_allclose(act.derivative(points), slopes, rtol=1e-7, atol=1e-9)
