"""The value of one Gaussian average with any number of digits, by quadrature split at kinks."""

from sympy import Abs, Dummy, Float, Heaviside, Max, Min, Piecewise, sign

from ...errors import ConvergenceError, DomainError
from ...exact import digits_of
from ...nodes import Average, averages, unname
from ...numbers.digits import Digits
from ...numbers.mpmath_functions import compile_mp
from .digits_rules import legendre
from .pair_digits import pair_value

_LEVELS = 9
#: digits added while the integrand is lost in its rounding, and between two evaluations that show it
_ADDED, _APART = (0, 60, 240, 900), 40
_KINKED = (Abs, Max, Min, sign, Heaviside, Piecewise)


def gaussian_value(average, digits):
    """Evaluate an average over one normal (nested averages inside are evaluated node by node).

    Parameters
    ----------
    average : Average
        Without free symbols.
    digits : int
        Correct digits, relative to the mean absolute integrand, however small that is: the working precision grows
        with the cancellation in the integrand.

    Returns
    -------
    mpf

    Raises
    ------
    DomainError
        If the integrand is not finite on the line, or does not decay against the normal weight.
    ConvergenceError
        If it cancels to more than 900 digits, or the rules do not converge.
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
    integrand = unname(average.integrand)
    mp = mp if integrand.has(Average) else _resolving(integrand, z, average, digits)
    return _integral(_compile(integrand, z, mp, digits), _edges(integrand, z, mp), average, mp, digits)


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
    x, w = legendre(mp, max(16, mp.dps // 2) * (2 if level else 1))
    parts = 2 ** max(level - 1, 0)      # every panel is divided, those between two kinks too
    points = sorted({-cut, cut, *(e for e in edges if -cut < e < cut), *(cut * (i - 4) / 4 for i in range(9))})
    points = [q + (r - q) * i / parts for q, r in zip(points, points[1:]) for i in range(parts)] + [cut]
    for left, right in zip(points, points[1:]):
        half, middle = (right - left) / 2, (right + left) / 2
        for xi, wi in zip(x, w):
            value = half * wi * run(middle + half * xi) * mp.npdf(middle + half * xi)
            total.append(value)
            size.append(abs(value))
    return mp.fsum(total), mp.fsum(size)


def _nest(average):
    from .. import E

    inner = average.integrand
    for z in average.bound_symbols:
        inner = E(inner, z)
    return inner


def _compile(integrand, z, mp, digits):
    """Compile the integrand to a function of one mpf, averages inside it evaluated node by node."""
    run = _replaced(integrand, mp, lambda a: _inner(a, z, mp, digits))
    return lambda x: run({z: x})


def _replaced(expr, mp, inner):
    """Compile an expression to a function of values, with ``inner(average)`` giving that of each average."""
    found = sorted(averages(expr), key=str)
    names = {a: Dummy(f"a{i}", real=True) for i, a in enumerate(found)}
    f = compile_mp(expr.xreplace(names), mp)
    parts = {name: inner(a) for a, name in names.items()}
    return lambda values: f({**values, **{name: part(values) for name, part in parts.items()}})


def _inner(average, z, mp, digits):
    """Compile an average inside an integrand to a function of the outer variable's value."""
    closed = average.doit()
    if not closed.has(Average):
        return compile_mp(closed, mp)
    integrand = unname(average.integrand)
    if len(average.bound_symbols) == 1 and not integrand.atoms(Average, *_KINKED):
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
    from sympy import Symbol

    from ...properties.kinks import kinks as places
    from ...properties.sharp import sharp_points

    x = Symbol("z", real=True)
    if integrand.has(Average):
        return [-mp.inf, mp.inf]
    integrand = integrand.xreplace({z: x})
    kinks = places(integrand, x) if integrand.has(*_KINKED) else ()
    points = [*(mp.mpf(digits_of(k, mp.dps)) for k in kinks), *map(mp.mpf, sharp_points(integrand, x))]
    return [-mp.inf, *sorted(points), mp.inf]
