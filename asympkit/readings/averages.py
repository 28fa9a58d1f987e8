"""The value of one Gaussian average with any number of digits, by quadrature split at kinks."""

from ..errors import ConvergenceError, DomainError
from ..nodes import Average, unname
from .functions import compile_mp
from .numbers import Digits
from .rules import legendre


def gaussian_value(average, digits):
    """Value of an average over one normal (nested averages inside are evaluated node by node).

    Parameters
    ----------
    average : Average
        Without free symbols.
    digits : int
        Correct digits, relative to the mean absolute integrand.

    Returns
    -------
    mpf

    Raises
    ------
    DomainError
        If the integrand is not finite on the line, or does not decay against the normal weight.
    """
    from ..gauss.measure import Gaussian

    if not isinstance(average.measure, Gaussian):
        raise DomainError(f"evalf: {average} is no Gaussian average; give numbers through a theory")
    if average.free_symbols:
        raise DomainError(f"evalf: {average} still holds {', '.join(map(str, average.free_symbols))}")
    if len(average.bound_symbols) > 1:
        average = _nest(average)
    numbers = Digits(digits + 10)
    mp = numbers.mp
    z = average.bound_symbols[0]
    integrand = unname(average.integrand)
    run = _compile(integrand, z, mp, digits)
    edges = _edges(integrand, z, mp)
    smooth = len(edges) == 2
    cut = mp.sqrt(2 * mp.ln(10) * (mp.dps + 5)) + 2
    previous = None
    for level in range(9):
        total, size = _sum(run, mp, cut, edges, level, smooth)
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


def _sum(run, mp, cut, edges, level, smooth):
    total, size = [], []
    if smooth:
        step = mp.mpf(1) / (2 * 2**level)
        n = int(mp.ceil(cut / step))
        for i in range(-n, n + 1):
            value = step * run(step * i) * mp.npdf(step * i)
            total.append(value)
            size.append(abs(value))
        return mp.fsum(total), mp.fsum(size) + mp.mpf(10) ** (-mp.dps)
    x, w = legendre(mp, max(16, mp.dps // 2) * (2 if level else 1))
    pieces = 8 * 2 ** max(level - 1, 0)
    points = sorted({-cut, cut, *(e for e in edges if -cut < e < cut),
                     *(-cut + 2 * cut * i / pieces for i in range(pieces + 1))})
    for left, right in zip(points, points[1:]):
        half, middle = (right - left) / 2, (right + left) / 2
        for xi, wi in zip(x, w):
            value = half * wi * run(middle + half * xi) * mp.npdf(middle + half * xi)
            total.append(value)
            size.append(abs(value))
    return mp.fsum(total), mp.fsum(size) + mp.mpf(10) ** (-mp.dps)


def _nest(average):
    from ..gauss import E

    inner = average.integrand
    for z in average.bound_symbols:
        inner = E(inner, z)
    return inner


def _compile(integrand, z, mp, digits):
    inner = sorted((a for a in integrand.atoms(Average)), key=str)
    if not inner:
        f = compile_mp(integrand, mp)
        return lambda x: f({z: x})
    from sympy import Dummy, Float

    names = {a: Dummy(f"a{i}", real=True) for i, a in enumerate(inner)}
    f = compile_mp(integrand.xreplace(names), mp)

    def run(x):
        at = Float(str(x), digits + 12)
        values = {}
        for a, name in names.items():
            fixed = a.func(a.integrand.xreplace({z: at}), a.measure)
            value = fixed.doit() if isinstance(fixed, Average) else fixed
            values[name] = gaussian_value(value, digits + 2) if isinstance(value, Average) \
                else mp.mpf(str(value.evalf(digits + 5)))
        return f({z: x, **values})

    return run


def _edges(integrand, z, mp):
    """Ends of the line, and the kinks of the integrand."""
    from sympy import Symbol

    from ..activations import Activation

    x = Symbol("z", real=True)
    if any(isinstance(a, Average) for a in integrand.atoms(Average)):
        return [-mp.inf, mp.inf]
    kinks = Activation(integrand.xreplace({z: x})).kinks
    return [-mp.inf, *(mp.mpf(str(k.evalf(mp.dps))) for k in kinks), mp.inf]
