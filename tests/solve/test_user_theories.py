"""User-defined theories: converged means right, and where there is no root nothing converges."""

import random

import mpmath
import pytest
from helpers.verdicts import bad, run_cases
from sympy import Rational, Symbol, atan, cos, cosh, exp, lambdify, log, sin, sinh, sqrt, symbols, tanh

import asympkit as ak

p, r = symbols("p r", real=True)
x, y, w = symbols("x y w", real=True)
u, v = symbols("u v", positive=True)
b = Symbol("b")


def number(rng, low=-3.0, high=3.0):
    return Rational(rng.randint(int(1000 * low), int(1000 * high)), 1000)


def size(rng, digits=1):
    return Rational(str(f"{10 ** rng.uniform(-digits, digits):.4g}"))


# -- theories with a root; parameters are chosen so that one is known to exist ------------------------------


def increasing(rng):
    """A sum of increasing functions passes every value between its limits: the root is the only one."""
    parts = [lambda t: t, lambda t: t**3, tanh, atan, sinh, lambda t: exp(t)]
    unit = size(rng, rng.choice((0, 0, 1, 4)))
    g = sum(size(rng) * rng.choice(parts)(size(rng) * x / unit + number(rng)) for _ in range(rng.randint(1, 3)))
    root = number(rng) * unit
    return [x], [g + x / unit * size(rng, 2)], {x: root}, {}


def polynomial(rng):
    roots = [number(rng) for _ in range(rng.randint(1, 3))]
    g = 1
    for c in roots:
        g *= (x - c) ** rng.choice((1, 1, 1, 2, 3))
    return [x], [g.expand() if rng.random() < 0.5 else g], {x: roots[0]}, {}


def wave(rng):
    root = number(rng)
    g = rng.choice((lambda t: t - size(rng) * cos(t), lambda t: t * exp(t), lambda t: sin(3 * t) + t / 5,
                    lambda t: t - tanh(size(rng) * t), lambda t: t * sqrt(1 + t**2) - 2 * t, lambda t: log(1 + t**2)))
    return [x], [g(x)], {x: root}, {}


def positive(rng):
    root = size(rng, rng.choice((1, 3, 6)))
    g = rng.choice((lambda t: t**3 + t, log, lambda t: t * log(t), lambda t: t - tanh(2 * t), lambda t: 1 / t + t,
                    lambda t: t**2 / (1 + t), lambda t: exp(-t / 7), lambda t: sqrt(t) - t / 9))
    return [u], [g(u)], {u: root}, {}


def inside(rng):
    """An unknown with a domain."""
    low, high = rng.choice(((0, 1), (-1, 1), (2, 5)))
    share = rng.choice((Rational(1, 10**6), number(rng, 0.01, 0.99), 1 - Rational(1, 10**6)))
    t = (b - low) / (high - low)
    g = rng.choice((log(t) - log(1 - t), 1 / (1 - t) - 1 / t, atan(3 * t) + t, -log(1 - t**2) + t / 3))
    return {b: (low, high)}, [g], {b: low + (high - low) * share}, {}


def coupled(rng):
    c = [size(rng) for _ in range(4)]
    pair = rng.choice((
        ([x, y], [x - tanh(c[0] * y), y - c[1] * sin(x) - c[2]]),
        ([u, v], [u - c[0] / (1 + v) ** 2, v - c[1] * u / (c[2] + u)]),
        ([u, v], [u - v**2 / (1 + v), v - c[0] - c[1] * u / (1 + u)]),
        ([x, y], [c[0] * x + y**3 + y, x**3 + c[1] * x - y]),
        ([x, u], [x - c[0] / (1 + u), log(u) + c[1] * x]),
        ([x, y], [x**2 + y**2, x * y])))
    root = {s: size(rng) if s.is_positive else number(rng) for s in pair[0]}
    return *pair, root, {}


def linear(rng):
    """Rows that are nearly dependent; entries that cancel."""
    e = Rational(1, 10 ** rng.randint(0, 13))
    names = [x, y, w][:rng.choice((2, 2, 3))]
    root = {s: number(rng) for s in names}
    rows = [sum((1 + e * number(rng)) * s for s in names) for _ in names]
    if rng.random() < 0.5:                    # by a parameter: 1 + r is rounded
        rows = [sum((1 + r * number(rng)) * s for s in names) for _ in names]
        return names, rows, root, {r: e}
    return names, rows, root, {}


def cancelling(rng):
    """A root that is a small difference of large numbers."""
    large = 10 ** rng.randint(2, 9)
    root = number(rng) * Rational(1, 10 ** rng.randint(0, 9))
    return [x], [rng.choice((x + large, tanh(x) + large, large * (1 + x) + x**3))], {x: root}, {}


def vanishing(rng):
    """A root exactly at 0, as of a magnet without a field; critical at b = 1."""
    near = 1 - Rational(1, 10 ** rng.randint(3, 12))
    c = rng.choice((Rational(1, 2), Rational(9, 10), Rational(1), near, number(rng)))
    g = rng.choice((x - tanh(c * x), x - sin(c * x), c * x + x**3, x * exp(x), atan(x) - c * x, x - c * x / (1 + x**2)))
    return [x], [g], None, {}


SOLVABLE = (increasing, polynomial, wave, positive, inside, coupled, linear, cancelling, vanishing)


# -- theories without one ------------------------------------------------------------------------------------


def no_root(rng):
    t = size(rng, 2) * (x if rng.random() < 0.5 else -x) + number(rng)
    c = size(rng)
    above = (exp(t), 1 / (1 + t**2), cosh(t) - 1 + c, t**2 + c, log(1 + exp(t)), log(1 + t**2) + c, sqrt(t**2 + c),
             1 - tanh(t), exp(-(t**2)), atan(t) - 2, exp(t) - t, c + sin(t) ** 2, exp(-exp(t)),
             (1 - tanh(t)) ** 2, exp(t) / (1 + exp(t)), 1 / (c + exp(t)), t**4 + t**2 + c)
    kind = rng.random()
    if kind < 0.55:
        return [x], [rng.choice(above)]
    if kind < 0.7:
        g, h = rng.sample(above[:14], 2)
        return [x], [g * h if rng.random() < 0.5 else g**2 + h**2]
    if kind < 0.9:
        a = size(rng)
        return [u], [rng.choice((u + a, u - exp(u) * (1 + a), u / (a + u), u**2, u * (exp(u) - 1), log(1 + u), u * a,
                                 1 / u, exp(-u), tanh(a * u), u + u**3, sqrt(u), 1 - tanh(u), u**2 / (1 + u)))]
    return rng.choice((([x, y], [x - 1 - y**2, y - 1 - x**2]), ([x, y], [x - y - c, x - y + c]),
                       ([u, v], [u - v / (1 + v), v - u / (1 + u)]), ([x, y], [x - exp(y), y - exp(x)]),
                       ([x, y], [x - tanh(y), exp(x * y) + c]),
                       ([u, v], [u - v**2 / (1 + v), v - u / (2 + u)])))


# -- verdicts ------------------------------------------------------------------------------------------------


def judge(seed):
    """What is wrong with the solution of one random theory; ``"refused"`` where it has a root that is not found."""
    rng = random.Random(seed)
    exists = rng.random() < 0.6
    if exists:
        unknowns, equations, root, values = rng.choice(SOLVABLE)(rng)
        equations, values = _through(equations, root, values)
    else:
        (unknowns, equations), values = no_root(rng), {}
    theory = ak.Theory(name=f"random {seed}", unknowns=unknowns, equations=equations,
                       parameters=dict.fromkeys(values, ("number", "real")))
    try:
        solution = theory.solve(**{s.name: value for s, value in values.items()})
    except ak.ConvergenceError:
        return "refused" if exists else ""
    if not exists:
        return f"no root, and yet {solution.order_parameters}: {equations}"
    return wrong(theory, solution, values)


def _through(equations, root, values):
    """Give every equation a right-hand side with which it holds at the root, to double precision."""
    if root is None:
        return equations, values
    sides = symbols(f"s0:{len(equations)}", real=True)
    at = [float(e.subs({**root, **values}).evalf(30)) for e in equations]
    found = {s: float(value) for s, value in values.items()}
    return [e - s for e, s in zip(equations, sides)], {**found, **dict(zip(sides, at))}


def wrong(theory, solution, values):
    """The distance of a solution from the exact root near it, where it is more than promised."""
    names = [s.name for s in theory.unknowns]
    with mpmath.workdps(60):
        given = list(values)
        system = [lambdify([*theory.unknowns, *given], e, "mpmath") for e in theory.equations().equations]
        fixed = [mpmath.mpf(values[s]) for s in given]
        start = [mpmath.mpf(solution[n] if abs(solution[n]) > 1e-300 else 0) for n in names]
        try:
            exact = refined(system, fixed, start)
        except (ZeroDivisionError, ValueError) as error:
            return f"the solution {start} leads to no root: {error}"
        for n, got, true in zip(names, start, exact):
            bound = max(1e-12, 1e-13 * solution.condition[n]) * max(abs(true), solution.scale[n])
            if not (abs(got - true) <= bound and abs(got - true) <= 1e-8 * max(abs(true), 1)):
                return f"{n} is {mpmath.nstr(got, 17)}, the root {mpmath.nstr(true, 17)}, condition " \
                       f"{solution.condition[n]:.1e}"
    return ""


def refined(system, fixed, start):
    """The root by Newton's method with 60 digits, numerical derivatives."""
    n, point = len(start), mpmath.matrix(start)
    for _ in range(200):
        value = mpmath.matrix([f(*point, *fixed) for f in system])
        if mpmath.norm(value, mpmath.inf) == 0:
            return list(point)
        step = [mpmath.mpf(10) ** -30 * (abs(t) or 1) for t in point]
        slopes = mpmath.matrix(n, n)
        for j in range(n):
            moved = point.copy()
            moved[j] += step[j]
            for i, f in enumerate(system):
                slopes[i, j] = (f(*moved, *fixed) - value[i]) / step[j]
        delta = mpmath.lu_solve(slopes, value)
        point = point - delta
        if mpmath.norm(delta, mpmath.inf) <= mpmath.mpf(10) ** -40 * mpmath.norm(point, mpmath.inf):
            return list(point)
    raise ValueError("Newton's method does not arrive")


#: three of the sample have no root but where everything underflows
SAMPLE, MASS = (*range(12), 26, 222, 972), range(1000)


def assert_sound(verdicts):
    wrong = bad(verdicts, but=("refused",))
    assert not wrong, wrong
    # what is refused has a root, or a matrix that rounding makes singular; few may be
    assert sum(v == "refused" for v in verdicts.values()) <= 0.25 * len(verdicts)


def test_converged_means_right_in_random_theories():
    assert_sound({seed: judge(seed) for seed in SAMPLE})


@pytest.mark.slow
def test_converged_means_right_in_a_thousand_random_theories():
    assert_sound(run_cases(MASS, judge))
