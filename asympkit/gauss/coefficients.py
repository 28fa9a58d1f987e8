"""Hermite coefficients and second moments of activations, as floats or with any number of digits."""

import operator

import numpy as np

from ..errors import ConvergenceError, DomainError

MAX_ORDER = 200
#: error of sqrt(k!) c_k, and of the second moment, relative to the root (the value) of E[f^2]
TOLERANCE = 1e-13
_REACH, _MAX_NODES, _CHUNK = 53.0, 2**20, 2**15


def hermite_coefficients(activation, n, digits=None):
    r"""Coefficients of the expansion in probabilists' Hermite polynomials.

    :math:`f=\sum_k c_k\,\mathrm{He}_k` with :math:`c_k=E[f(z)\,\mathrm{He}_k(z)]/k!`.

    Parameters
    ----------
    activation : Activation
    n : int
        Highest order, from 0 to 200.
    digits : int, optional
        Correct digits, relative to the size :math:`E|f\,\mathrm{He}_k|/k!`.

    Returns
    -------
    ndarray or list of mpf
        c_0 .. c_n; without `digits` as float64, with an error of :math:`\sqrt{k!}\,c_k` below
        :math:`10^{-13}\sqrt{E f^2}`. Coefficients that vanish by parity are exactly zero.

    Raises
    ------
    DomainError
        If n or digits is out of range, or :math:`E f^2` is infinite.
    ConvergenceError
        If the quadrature does not settle.

    Examples
    --------
    >>> from asympkit import Activation
    >>> [float(c) for c in hermite_coefficients(Activation("quadratic"), 2).round(12)]
    [0.0, 0.0, 1.0]
    """
    n = _order(n)
    activation.require_second_moment()
    if digits is not None:
        return [_coefficient(activation, k, _digits(digits)) for k in range(n + 1)]
    scaled, _ = _settled(activation, n)
    coefficients = scaled * np.cumprod(np.concatenate([[1.0], 1.0 / np.sqrt(np.arange(1.0, n + 1.0))]))
    if activation.parity is not None:
        coefficients[(1 if activation.parity == "even" else 0)::2] = 0.0
    return coefficients


def second_moment(activation, digits=None):
    """Mean of the squared activation, ``E[f(z)**2]``, z ~ N(0, 1).

    Parameters
    ----------
    activation : Activation
    digits : int, optional

    Returns
    -------
    float or mpf
    """
    activation.require_second_moment()
    if digits is None:
        return _settled(activation, 0)[1]
    return _value(activation.expr**2, activation.symbol, _digits(digits))


# -- digits ------------------------------------------------------------------------------------------


def _coefficient(activation, k, digits):
    import mpmath
    import sympy as sp

    if activation.parity == ("odd", "even")[k % 2]:
        return mpmath.mpf(0)
    z = activation.symbol
    # the factorial is divided out at full precision
    value = _value(activation.expr * sp.hermite_prob(k, z), z, digits + 3)
    with mpmath.workdps(digits + 10):
        return value / mpmath.factorial(k)


def _value(integrand, z, digits):
    """Mean of an integrand as an mpf of the common context that keeps all its digits."""
    import mpmath

    from ..nodes import Average
    from ..readings.averages import gaussian_value
    from .expectation import E

    mean = E(integrand, z)
    if isinstance(mean, Average):
        closed = mean.doit()
        if closed.has(Average):
            return mpmath.mp.make_mpf(gaussian_value(mean, digits)._mpf_)
        mean = closed
    with mpmath.workdps(digits + 10):
        return mpmath.mpf(mean.evalf(digits + 5, maxn=4 * digits + 100)._to_mpmath(mpmath.mp.prec))


# -- floats ------------------------------------------------------------------------------------------


def _settled(activation, n):
    """Scaled coefficients ``sqrt(k!) c_k`` and second moment, refined until they stand still."""
    cut = _cut(activation, n)
    kinks = np.asarray(activation.kinks_float, dtype=float)
    previous, change, level = None, np.inf, 0
    while True:
        rule = _panels(kinks, cut, level) if kinks.size else _lattice(cut, level)
        if rule[0].size > _MAX_NODES:
            break
        scaled, square = _sums(activation, n, *rule)
        if not np.isfinite(square):
            break
        size = max(square, np.finfo(float).tiny)
        if previous is not None:
            before = change
            change = max(np.max(np.abs(scaled - previous[0])) / np.sqrt(size),
                         abs(square - previous[1]) / size)
            if change <= 0.1 * TOLERANCE or (change <= TOLERANCE and change > 0.1 * before):
                return scaled, float(square)
        previous, level = (scaled, square), level + 1
    raise ConvergenceError(f"hermite_coefficients: the averages of {activation.name!r} to order {n} "
                           f"changed by {change:.1e} at the finest rule, more than {TOLERANCE:.0e}; "
                           "ask for digits")


def _cut(activation, n):
    """Where every integrand has fallen below rounding."""
    z = np.arange(0.0, _REACH, 0.25)
    size = np.zeros_like(z)
    for side in (-z, z):
        values, root = _weighted(activation, side)
        functions = np.max([np.abs(h) for h in _hermite_functions(root, side, n)], axis=0)
        size = np.maximum(size, np.maximum(np.abs(values) * functions, values**2))
    above = np.nonzero(size > 1e-19 * np.max(size))[0] if np.all(np.isfinite(size)) else np.array([z.size])
    last = above[-1] if above.size else 0
    if last >= z.size - 4:
        raise ConvergenceError(f"hermite_coefficients: {activation.name!r} times the normal weight decays "
                               "too slowly for double precision; ask for digits")
    return float(z[last + 4])


def _weighted(activation, z):
    """The activation and the constant function times the root of the normal weight."""
    root = np.exp(-0.25 * z * z) / (2.0 * np.pi) ** 0.25
    with np.errstate(all="ignore"):
        return activation(z) * root, root


def _hermite_functions(root, z, n):
    """Orthonormal Hermite polynomials times the root of the weight, of order 0 .. n."""
    before, now = np.zeros_like(z), root
    for k in range(n + 1):
        yield now
        before, now = now, (z * now - np.sqrt(k) * before) / np.sqrt(k + 1)


def _sums(activation, n, nodes, weights):
    scaled, square = np.zeros(n + 1), 0.0
    for first in range(0, nodes.size, _CHUNK):
        z, w = nodes[first:first + _CHUNK], weights[first:first + _CHUNK]
        values, root = _weighted(activation, z)
        square += np.dot(w, values**2)
        weighted = w * values
        scaled += [np.dot(weighted, h) for h in _hermite_functions(root, z, n)]
    return scaled, square


def _lattice(cut, level):
    """Trapezoidal rule: its error for an analytic integrand squares when the step is halved."""
    step = 0.25 / 2**level
    nodes = step * np.arange(-int(cut / step), int(cut / step) + 1)
    return nodes, np.full(nodes.size, step)


def _panels(kinks, cut, level):
    """Gauss-Legendre rule on panels that end at the kinks."""
    count = 2 * int(np.ceil(cut)) * 2**level
    edges = np.unique(np.concatenate([np.linspace(-cut, cut, count + 1), kinks[np.abs(kinks) < cut]]))
    x, w = np.polynomial.legendre.leggauss(16)
    half, middle = 0.5 * np.diff(edges)[:, None], 0.5 * (edges[1:] + edges[:-1])[:, None]
    return (middle + half * x).ravel(), (half * w).ravel()


def _order(n):
    try:
        number = operator.index(n)
    except TypeError:
        number = -1
    if not 0 <= number <= MAX_ORDER:
        raise DomainError(f"n: got {n!r}; expected an integer from 0 to {MAX_ORDER}")
    return number


def _digits(digits):
    from ..readings.precise import check_digits

    check_digits(digits)
    return int(digits)
