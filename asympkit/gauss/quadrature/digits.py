"""The value of one Gaussian average with any number of digits, by quadrature split at kinks, in a private context.

A product of a function of one normal and one of another, correlated normal takes one pass over two lattices:
``E f(X) g(Y)`` at correlation r is a double sum over lattices of X and of Y with the weight

    exp(-x**2/2 - (y - r x)**2/(2 (1 - r**2)))

so that f and g are evaluated at the nodes of one lattice only, and the weights along a line follow from each other by
two products.
For analytic f and g the number of right digits is inversely proportional to the step.
"""

import sympy as sp
from sympy import Add, Dummy, Float, Symbol, expand_mul

from ...errors import ConvergenceError, DomainError
from ...exact import digits_of
from ...nodes import Average, averages, remove_names
from ...numbers.evaluation import Digits, compile_mp
from ...properties.cells import SWITCHING
from ...properties.kinks import kinks as places
from ...properties.kinks import sharp_points
from ..moving_kinks import affine_parts


def split_product(term, x, y, z):
    """Write a term as ``f(x) g(a x + b y)`` with ``a**2 + b**2 = 1``: ``(f, g, a, b)``, f and g in z, or None."""
    outer, inner = [], []
    for factor in sp.Mul.make_args(term):
        (inner if factor.has(y) else outer).append(factor)
    inner = sp.Mul(*inner)
    parts = affine_parts(inner, (x, y)) or {}
    directions = {_direction(*slopes) for slopes, _ in parts.values()}
    if len(directions) != 1 or None in directions:
        return None
    a, b = directions.pop()
    u = sp.Dummy("u", real=True)
    inner = inner.xreplace({part: constant + slope / b * u for part, ((_, slope), constant) in parts.items()})
    if inner.has(x):
        return None
    return sp.Mul(*outer).xreplace({x: z}), inner.xreplace({u: z}), a, abs(b)


def _direction(a, b):
    """Return the unit direction of the slopes (a, b) of an affine expression, b > 0, or None."""
    length = sp.sqrt(sp.expand(a**2 + b**2)) * sp.sign(b)
    if not length.is_nonzero:
        return None
    return tuple(sp.radsimp(v / length) for v in (a, b))


_CACHE = {}


def legendre(mp, order):
    """Compute Gauss-Legendre nodes and weights on [-1, 1] by Newton's method on the recurrence."""
    key = (mp.prec, order)
    if key not in _CACHE:
        nodes, weights = [], []
        for i in range(1, order + 1):
            x = mp.cos(mp.pi * (4 * i - 1) / (4 * order + 2))
            for _ in range(60):
                value, slope = _legendre(mp, order, x)
                delta = value / slope
                x -= delta
                if abs(delta) <= mp.mpf(2) ** (8 - mp.prec) * (1 + abs(x)):
                    break
            _, slope = _legendre(mp, order, x)
            nodes.append(x)
            weights.append(2 / ((1 - x * x) * slope * slope))
        _CACHE[key] = (nodes, weights)
    return _CACHE[key]


def _legendre(mp, order, x):
    before, now = mp.one, x
    for k in range(2, order + 1):
        before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
    return now, order * (x * now - before) / (x * x - 1)


def normal_trapezoid(mp, step, cut):
    """Compute nodes (as multiples of the step) and normalised weights for the standard normal."""
    n = int(mp.ceil(cut / step))
    index = list(range(-n, n + 1))
    weights = [mp.exp(-(step * i) ** 2 / 2) for i in index]
    total = mp.fsum(weights)
    return index, [w / total for w in weights]


def panels(mp, edges, order):
    """Compute a composite Gauss-Legendre rule against the normal density, not normalised."""
    x, w = legendre(mp, order)
    nodes, weights = [], []
    for left, right in zip(edges, edges[1:]):
        half, middle = (right - left) / 2, (right + left) / 2
        for xi, wi in zip(x, w):
            nodes.append(middle + half * xi)
            weights.append(half * wi * mp.npdf(nodes[-1]))
    return nodes, weights


def normal_panels(mp, edges, order):
    """Compute a composite Gauss-Legendre rule of the standard normal, of weight one."""
    nodes, weights = panels(mp, edges, order)
    total = mp.fsum(weights)
    return nodes, [v / total for v in weights]


#: rules that are tried, the ratio of their steps, and a largest number of nodes on a side
_RULES, _RATIO, _MOST = 12, 1.4, 1500


def pair_value(average, mp, digits):
    """Evaluate an average over two normals whose integrand is a sum of ``f(x) g(a x + b y)``, to the digits.

    They are relative to the mean absolute integrand.  None for an integrand of another form, with kinks, or whose sums
    do not converge.
    """
    integrand, (x, y) = remove_names(average.integrand), average.bound_symbols
    if integrand.has(Average, *SWITCHING):
        return None
    z = Dummy("z", real=True)
    parts = _products(integrand, x, y, z)
    if parts is None:
        return None
    totals = [_product(*part, z, mp, digits) for part in parts]
    return None if None in totals else mp.fsum(totals)


def _products(expr, x, y, z):
    """Return ``[(f, g, a, b)]`` of the terms of a sum; None where one is of another form."""
    found = []
    for term in Add.make_args(expr):
        part = split_product(term, x, y, z) or split_product(term, y, x, z)
        if part is not None:
            found.append(part)
            continue
        expanded = expand_mul(term)
        more = _products(expanded, x, y, z) if expanded.is_Add else None
        if more is None:
            return None
        found += more
    return found


def _product(f, g, a, b, z, mp, digits):
    r, rest = mp.mpf(digits_of(a, mp.dps + 5)), mp.mpf(digits_of(b, mp.dps + 5)) ** 2
    left, right = (compile_mp(e, mp) for e in (f, g))
    cut = mp.sqrt(2 * mp.ln(10) * (digits + 9)) + 1
    # the weight is as narrow as the root of 1 - |r| across the diagonal
    step, previous = mp.mpf("0.37") * min(1, 2 * mp.sqrt(1 - abs(r))), None
    for _ in range(_RULES):
        count = int(mp.ceil(cut / step))
        if count > _MOST:
            return None
        rows = [[function({z: step * k}) for k in range(-count, count + 1)] for function in (left, right)]
        total, size = _double_sum(*rows, step, r, rest, mp)
        # the number of right digits grows by the ratio of the steps: those of the rule before are seen in the change
        if previous is not None and abs(total - previous) <= mp.mpf(10) ** (-(digits + 3) / _RATIO) * size:
            edge = max(abs(row[k]) for row in rows for k in (0, -1)) ** 2 * mp.npdf(cut) * cut
            return total if edge <= mp.mpf(10) ** (-digits) * size else None
        previous, step = total, step / _RATIO
    return None


def _double_sum(f, g, step, r, rest, mp):
    """Compute the double sum, and that of the absolute rows, in fixed-point integers.

    Along a row the weights are ``exp(-(y - r x)**2/(2 rest))``: from the largest one outwards each is the one before
    times a ratio, and each ratio the one before times one number.
    """
    count, bits = len(f) // 2, mp.prec + 20
    unit, square = mp.mpf(2) ** bits, step * step / (2 * rest)
    values, bend = [int(v * unit) for v in g], int(mp.exp(-2 * square) * unit)
    rows = []
    for j, value in zip(range(-count, count + 1), f):
        middle = r * j
        nearest = int(mp.nint(middle))
        away = nearest - middle
        first = int(mp.exp(-square * away**2) * unit)
        total = values[nearest + count] * first
        for side in (1, -1):
            weight, ratio = first, int(mp.exp(-square * (2 * side * away + 1)) * unit)
            for k in range(nearest + side, side * (count + 1), side):
                weight = weight * ratio >> bits
                if not weight:
                    break
                ratio = ratio * bend >> bits
                total += values[k + count] * weight
        rows.append(value * mp.mpf(total) * mp.exp(-(step * j) ** 2 / 2))
    scale = step * step / (2 * mp.pi * mp.sqrt(rest)) / unit**2
    return mp.fsum(rows) * scale, mp.fsum(map(abs, rows)) * scale


_LEVELS = 9
#: digits added while the integrand is lost in its rounding, and between two evaluations that show it
_ADDED, _APART = (0, 60, 240, 900), 40


def gaussian_value(average, digits):
    """Evaluate an average over one normal (nested averages inside are evaluated node by node).

    Digits are relative to the mean absolute integrand, however small that is: the working precision grows with the
    cancellation in the integrand.  DomainError if that is not finite on the line, or does not decay against the normal
    weight; ConvergenceError if it cancels to more than 900 digits, or the rules do not converge.
    """
    if average.free_symbols:
        raise DomainError(f"evalf: {average} still holds {', '.join(map(str, average.free_symbols))}")
    mp = Digits(digits + 10).mp
    if len(average.bound_symbols) == 2:
        value = pair_value(average, mp, digits)
        if value is not None:
            return value
    if len(average.bound_symbols) > 1:
        average = _nest(average)
    if not isinstance(average, Average):      # independent factors came apart
        return _replaced(average, mp, lambda a: lambda v: _value(a, mp, digits))({})
    z = average.bound_symbols[0]
    integrand = remove_names(average.integrand)
    mp = mp if integrand.has(Average) else _resolving(integrand, z, average, digits)
    run = _replaced(integrand, mp, lambda a: _inner(a, mp, digits))         # averages inside, node by node
    return _integral(lambda x: run({z: x}), _edges(integrand, z, mp), average, mp, digits)


def _resolving(integrand, z, average, digits):
    """Return a context in which samples of the integrand have the wanted digits, relative to their largest."""
    for added in _ADDED:
        numbers = [Digits(digits + 10 + more).mp for more in (added, added + _APART)]
        coarse, fine = (_samples(compile_mp(integrand, mp), z, mp, digits) for mp in numbers)
        mp = numbers[1]
        if max(map(abs, fine)) > 0:
            noise = max(abs(mp.convert(a) - b) for a, b in zip(coarse, fine))
            if noise <= mp.mpf(10) ** (-digits - 3) * max(map(abs, fine)):
                return numbers[0]
        if not all(map(mp.isfinite, fine)):
            return numbers[0]                  # the error is raised where the mean is taken
    raise ConvergenceError(f"evalf: the integrand of {average} is 0 at all nodes that were tried, or rounding with "
                           f"{digits + _ADDED[-1]} digits: it cancels, or lies where the normal weight is smaller "
                           "still; write it without the cancellation, or compute a ball with enclose()")


def _samples(run, z, mp, digits):
    cut = mp.sqrt(2 * mp.ln(10) * (digits + 15)) + 2
    points = [mp.mpf(int(cut * k)) / 13 for k in range(-12, 13)]
    return [run({z: x}) * mp.npdf(x) for x in points]


def _integral(run, edges, average, mp, digits):
    """Average a function over the normal, with rules refined until they agree."""
    smooth = len(edges) == 2
    cut, largest = _reach(run, mp, digits)
    floor = largest * mp.mpf(10) ** -mp.dps
    previous, known = None, {}
    for level in range(_LEVELS):
        total, size = _sum(run, mp, cut, edges, level, known if smooth else None)
        size += floor
        if previous is not None:
            change = abs(total - previous)
            if change <= mp.mpf(10) ** (-(digits // 2 + 3)) * size and level > 1:
                tail = (abs(run(cut)) + abs(run(-cut))) * mp.npdf(cut)
                if not tail <= mp.mpf(10) ** (-digits) * size:
                    raise DomainError(f"evalf: the integrand of {average} does not decay against the normal "
                                      "weight; its mean does not exist or is not reached")
                return total
        previous = total
    raise ConvergenceError(f"evalf: {average} did not converge to {digits} digits")


def _reach(run, mp, digits):
    """Return a cut-off of the line beyond which the integrand is negligible, and its size within the weight's own."""
    first = cut = mp.sqrt(2 * mp.ln(10) * (mp.dps + 5)) + 2
    near = largest = max(abs(run(x)) * mp.npdf(x) for k in range(-12, 13) for x in (cut * k / 13,))
    for _ in range(16):
        left = max(abs(run(x)) * mp.npdf(x) for x in (-cut, cut))
        if left <= mp.mpf(10) ** (-digits - 3) * largest:
            return cut, near
        largest, cut = max(largest, left), cut * mp.mpf("1.12")
    return first, near


def _sum(run, mp, cut, edges, level, known):
    total, size = [], []
    if known is not None:      # smooth: the trapezoidal rule, whose nodes serve the next level too
        step = mp.mpf("0.4937") / 2**level      # no multiple of pi has its zeros on this lattice
        n = int(mp.ceil(cut / step))
        for i in range(-n, n + 1):
            node = i << (_LEVELS - level)
            if node not in known:
                known[node] = run(step * i) * mp.npdf(step * i)
            total.append(step * known[node])
            size.append(abs(total[-1]))
        return mp.fsum(total), mp.fsum(size)
    parts = 2 ** max(level - 1, 0)      # every panel is divided, those between two kinks too
    points = sorted({-cut, cut, *(e for e in edges if -cut < e < cut), *(cut * (i - 4) / 4 for i in range(9))})
    points = [q + (r - q) * i / parts for q, r in zip(points, points[1:]) for i in range(parts)] + [cut]
    total = [w * run(x) for x, w in zip(*panels(mp, points, max(16, mp.dps // 2) * (2 if level else 1)))]
    return mp.fsum(total), mp.fsum(map(abs, total))


def _nest(average):
    """Write an average over several variables as averages inside one another."""
    inner = average.integrand
    for z in average.bound_symbols:
        inner = Average(inner, average.measure.renamed((z,)))
    return inner


def _replaced(expr, mp, inner):
    """Compile an expression to a function of values, with ``inner(average)`` giving that of each average."""
    found = sorted(averages(expr), key=str)
    names = {a: Dummy(f"a{i}", real=True) for i, a in enumerate(found)}
    f = compile_mp(expr.xreplace(names), mp)
    parts = {name: inner(a) for a, name in names.items()}
    return lambda values: f({**values, **{name: part(values) for name, part in parts.items()}})


def _inner(average, mp, digits):
    """Compile an average inside an integrand to a function of the outer variable's value."""
    closed = average.doit()
    if not closed.has(Average):
        return compile_mp(closed, mp)
    integrand = remove_names(average.integrand)
    if len(average.bound_symbols) == 1 and not integrand.atoms(Average, *SWITCHING):
        (u,) = average.bound_symbols
        f = compile_mp(integrand, mp)
        line = [-mp.inf, mp.inf]
        return lambda values: _integral(lambda x: f({**values, u: x}), line, average, mp, digits)

    def at(values):
        point = {s: Float(str(x), digits + 12) for s, x in values.items()}
        return _value(average.xreplace(point), mp, digits)

    return at


def _value(expr, mp, digits):
    closed = expr.doit()
    if isinstance(closed, Average):
        return mp.convert(closed.measure.value(closed, digits + 2))
    return mp.mpf(digits_of(closed, digits + 5))


def _edges(integrand, z, mp):
    """Return the ends of the line, the kinks of the integrand, and points around its narrow features."""
    x = Symbol("z", real=True)
    if integrand.has(Average):
        return [-mp.inf, mp.inf]
    integrand = integrand.xreplace({z: x})
    kinks = places(integrand, x) if integrand.has(*SWITCHING) else ()
    points = [*(mp.mpf(digits_of(k, mp.dps)) for k in kinks), *map(mp.mpf, sharp_points(integrand, x))]
    return [-mp.inf, *sorted(points), mp.inf]
