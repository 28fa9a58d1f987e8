r"""Numbers of an activation in wide networks: gains, dual kernels, the edge of chaos.

For centred normals x, y of variances q1, q2 and correlation rho the dual kernel of f is :math:`E f(x)f(y)`; that of its
derivatives is its own derivative by the covariance (Price's theorem), also where f has jumps.
"""

from functools import lru_cache
from itertools import chain

import mpmath
import numpy as np
import sympy as sp
from scipy.optimize import brentq

from ..arguments import check_choice, check_digits
from ..errors import AsympkitError, ConvergenceError, DomainError, StructureError, note_when_long
from ..nodes import Average
from ..numbers.functions.pair_classes import BivariateNormalCDF, OwenT
from ..once import exclusive
from ..parsing.expressions import translate
from ..properties.values import array_function
from .coefficients import coefficient, second_moment, shown
from .measure import E
from .quadrature.averages import gaussian_quadrature
from .quadrature.pair_series import pair_series
from .quadrature.row_moments import row_moments, row_pairs

#: lengths among which a fixed point is looked for
_LENGTHS = np.geomspace(1e-8, 1e6, 141)
#: difference of a closed form from integrals, relative to the size of the functions
_AGREES = 1e-12
#: change of the signal's length by a layer, from its critical value, that is rounding
_SAME = 1e-10
#: relative change of a length that is not seen
_ROUNDING = 1e-14


def gain_form(activation, kind):
    """Return the expression of a gain."""
    check_choice("kind", kind, ("std", "rms"))
    mean, square = (E(activation.expr**power, activation.symbol).doit() for power in (1, 2))
    square = sp.simplify(square - mean**2) if kind == "std" else square
    _positive(activation, 0 if square.is_zero else 1)
    return 1 / sp.sqrt(square)


def gain(activation, kind, digits):
    """Return ``1/std f(z)`` or ``1/rms f(z)``; see :meth:`asympkit.Activation.gain`."""
    check_choice("kind", kind, ("std", "rms"))
    if digits is None:
        if not activation.expr.has(activation.symbol):
            _positive(activation, activation.size if kind == "rms" else 0)
        square = _square(activation, 1.0)
        if kind == "std":                       # the variance may be a small difference
            square = float(row_moments(activation, 0.0, 1.0).variance[0])
        return float(1.0 / np.sqrt(_positive(activation, square)))
    check_digits(digits)
    lost = 10
    while True:
        more = digits + lost
        with mpmath.workdps(more):
            second = second_moment(activation, more)
            square = second - coefficient(activation, 0, more)**2 if kind == "std" else second
            if lost > 400 or square > mpmath.mpf(10)**(10 - lost) * second:
                return shown(1 / mpmath.sqrt(_positive(activation, square)), digits)
        lost *= 4


def _positive(activation, square):
    if not square > 0:
        raise DomainError(f"the activation {activation.name!r:.200} does not vary: no gain makes its variance 1")
    return square


def kernel(activation, rho, q1, q2, derivative):
    """Return ``E f(x) f(y)``, or that of derivatives; see :meth:`asympkit.Activation.kernel`."""
    if isinstance(derivative, bool) or not isinstance(derivative, int | np.integer) or not 0 <= derivative <= 8:
        raise DomainError(f"derivative: got {derivative!r:.60}; expected a number of derivatives from 0 to 8")
    if any(isinstance(v, sp.Expr) and not v.is_number for v in (rho, q1, q2)):
        return _symbolic(activation, activation, int(derivative)).subs(
            dict(zip(_SYMBOLS, map(sp.sympify, (sp.sqrt(q1), sp.sqrt(q2), rho)))), simultaneous=True)
    rho, q1, q2 = (_numbers(name, v, low, high) for name, v, low, high in (
        ("rho", rho, -1, 1), ("q1", q1, 0, np.inf), ("q2", q2, 0, np.inf)))
    try:
        shape = np.broadcast_shapes(rho.shape, q1.shape, q2.shape)
    except ValueError:
        raise DomainError(f"rho, q1, q2: got the shapes {rho.shape}, {q1.shape}, {q2.shape}; expected numbers, or "
                          "arrays that broadcast to one shape") from None
    at = s, t, rho = [np.broadcast_to(v, shape).ravel() for v in (np.sqrt(q1), np.sqrt(q2), rho)]
    f, formula = activation, closed_kernel(activation, activation, int(derivative)) if rho.size else None
    for _ in range(derivative):         # where there are point masses at jumps only the formula holds
        f = None if f is None or f.jumps else f.derivative
    if f is None and formula is None:
        raise _no_form(activation, derivative)
    with np.errstate(all="ignore"), note_when_long(f"the kernel of {activation.name:.60} at {rho.size} pairs takes a "
                                                   "while"):
        values = None if formula is None else np.broadcast_to(formula(*at), rho.shape)
        if f is not None and (values is None or not _is_kernel(values, f, *at)):
            values = _by_integrals(f, *at)
    return values.reshape(shape) if shape else float(values[0])


def _no_form(f, derivative):
    return StructureError(f"derivative: got {derivative}; {f.name!r:.200} or a derivative of it jumps, and no closed "
                          "form of its kernel is known; expected a smaller number")


def _is_kernel(values, f, s, t, rho):
    """Return whether values of a formula agree with integrals where it may cancel."""
    some = np.unique([places.argmin() for places in (rho, -rho, np.abs(rho), s * t, -s * t)])
    true = _by_integrals(f, s[some], t[some], rho[some])
    sizes = np.sqrt(row_moments(f, 0.0, s[some]).second * row_moments(f, 0.0, t[some]).second)
    return np.all(np.abs(values[some] - true) <= _AGREES * sizes)


def _by_integrals(f, s, t, rho):
    f.require_second_moment(max(s.max(initial=0.0), t.max(initial=0.0))**2)
    if not f.kinks_float:
        return pair_series(f, s, t, rho)
    try:
        for largest in {s.max(initial=0.0), t.max(initial=0.0)} - {0.0}:
            _square(f, largest**2)
        left, right = row_moments(f, 0.0, s), row_moments(f, 0.0, t)
        nought = np.zeros(s.shape)
        linear = rho * s * t * left.slope * right.slope
        return linear + row_pairs(f, f, nought, s, nought, t, rho, left, right) + left.mean * right.mean
    except ConvergenceError:
        return pair_series(f, s, t, rho)


def _numbers(name, value, low, high):
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        raise DomainError(f"{name}: got {value!r:.60}; expected numbers, or an expression of sympy") from None
    if not np.all((array >= low) & (array <= high) & np.isfinite(array)):
        raise DomainError(f"{name}: got {value!r:.60}; expected numbers from {low} to {high}")
    return array


_X, _Y = sp.symbols("x y", real=True)
_SYMBOLS = (*sp.symbols("s t", positive=True), sp.Symbol("rho", real=True))


@lru_cache(maxsize=64)
@exclusive
def _symbolic(f, g, derivative):
    """Return the kernel of f and g as an expression of s, t and rho, closed where a form is known."""
    s, t, rho = _SYMBOLS
    inside = None if f.jumps else _symbolic(f.derivative, g.derivative, derivative - 1) if derivative else None
    if inside is not None and not inside.has(Average):
        return inside
    mean = E(f.expr.xreplace({f.symbol: s * _X}) * g.expr.xreplace({g.symbol: t * _Y}), (_X, _Y), rho=rho)
    closed = mean.doit()            # a factor may stand before the average
    if not derivative:
        return closed
    if not closed.has(Average):
        return sp.diff(closed, rho, derivative) / (s * t)**derivative
    if inside is None:
        raise _no_form(f, derivative)
    return inside


@lru_cache(maxsize=64)
def closed_kernel(f, g, derivative=0):
    """Return ``E f(s X) g(t Y)`` at correlation rho as a function of s, t, rho on arrays.

    None if no closed form is known, or none in functions that are fast on arrays.
    """
    try:
        closed = _symbolic(f, g, derivative)
        if not closed.has(Average, BivariateNormalCDF, OwenT):
            return array_function(translate(closed), _SYMBOLS)
    except AsympkitError:           # functions that texts do not have
        pass
    return None


def edge_of_chaos(activation, bias_variance, weight_variance=None):
    """Return fixed points of signals in depth; see :meth:`asympkit.Activation.edge_of_chaos`."""
    bias = _scalar("bias_variance", bias_variance)
    if activation.jumps:
        raise DomainError(f"the activation {activation.name!r:.200} jumps: signals decorrelate at every weight "
                          "variance")
    slope, is_edge = activation.derivative, weight_variance is None
    weight, noted = None if is_edge else _scalar("weight_variance", weight_variance), ""

    def spread(q):          # features of kinks at 0 have two slopes there
        return _square(slope, q) if q else float(np.mean(slope(np.array([-1e-300, 1e-300]))**2))

    def excess(q, weight):
        """Return by how much a layer lengthens signals, relative to their length; without a weight by that of chi=1."""
        if weight is None:
            weight = 1 / rate if (rate := _square(slope, q)) else np.nan
        return (weight * _square(activation, q) + bias) / q - 1

    q = np.nan
    if bias or not all(abs(excess(x, weight)) < _SAME for x in _LENGTHS[40::20]):
        q = None if is_edge else _reached(excess, weight, bias)
        zero = [0.0] if not bias and activation(0.0) == 0 and spread(0.0) else []
        for at in chain(zero, _roots(lambda x: excess(x, None), _LENGTHS)) if is_edge else ():
            end = _reached(excess, 1 / spread(at), bias)
            if end is not None and abs(end - at) <= 1e-6 * at:
                q = at
                break
            noted = noted or (f"; they do at q={at:.6g} and weight_variance={1 / spread(at):.6g}, which lengths that "
                              "start at 1 do not reach")
    if q is None:
        asked = "" if is_edge else f", weight_variance: got {weight_variance!r:.60}"
        raise DomainError(f"bias_variance: got {bias_variance!r:.60}{asked}; lengths of signals of "
                          f"{activation.name!r:.200} that start at 1 reach no fixed point"
                          + f" at which small differences persist{noted}" * is_edge)
    at = 1.0 if np.isnan(q) else q
    square = spread(at)
    weight = 1 / square if is_edge else weight
    chi = 1.0 if is_edge else weight * square
    rate = weight * gaussian_quadrature(activation, [(2, 2)], 0.0, np.sqrt(at))[0][0] / (np.sqrt(2) * at) if at else chi
    if rate < -1:
        raise DomainError(f"weight_variance: got {weight_variance!r:.60}; lengths of signals of "
                          f"{activation.name!r:.200} alternate around their fixed point {at:.6g}; "
                          "expected a smaller number")
    correlation, of_pairs = (1.0, chi) if chi <= 1 else _below_one(activation, weight, bias, at)
    return {"q": q, "chi": chi, "weight_variance": weight, "bias_variance": bias, "correlation": correlation,
            "length_depth": np.inf if np.isnan(q) else _depth(rate), "correlation_depth": _depth(of_pairs)}


def _square(f, length):
    """Return ``E f(sqrt(length) z)**2``, by two rules: lattices of one alone may miss what oscillates."""
    f.require_second_moment(length)
    found = float(row_moments(f, 0.0, np.sqrt(length)).second[0])
    other = float(gaussian_quadrature(f, [(2, 0)], 0.0, np.sqrt(length))[0][0])
    if max(found, other) > 1e-30 and not abs(found - other) <= 1e-10 * max(found, other):
        raise ConvergenceError(f"the averages of the activation {f.name!r:.200} at the variance {length:.6g} differ "
                               f"between two rules, {found:.6g} and {other:.6g}: it oscillates too fast; gain and "
                               "second_moment take digits=")
    return found


def _scalar(name, value):
    array = _numbers(name, value, 0, np.inf)
    if array.ndim:
        raise DomainError(f"{name}: got {value!r:.60}; expected a number")
    return float(array)


def _reached(excess, weight, bias):
    """Return the fixed length that lengths from 1 on reach, 0 where signals die out, or None where they diverge.

    Lengths grow with those of the layer before: they do not pass a fixed point.
    """
    grows = excess(1.0, weight) > 0
    ways = _LENGTHS[_LENGTHS > 1] if grows else _LENGTHS[_LENGTHS < 1][::-1]
    found = next(_roots(lambda x: excess(x, weight), [1.0, *ways]), None)
    return 0.0 if found is None and not grows and not bias else found


def _roots(function, places):
    """Yield the roots of a function between neighbouring places, as far as it is known: averages grow out of reach.

    Values that are rounding have no sign: functions that are linear around 0 keep small lengths, up to it.
    """
    before, low = 0.0, None
    for place in places:
        try:
            value = function(place)
        except ConvergenceError:
            return
        if abs(value) <= _ROUNDING:
            continue
        if before * value < 0:
            yield brentq(function, low, place, xtol=1e-300, rtol=4 * np.finfo(float).eps)
        before, low = value, place


def _below_one(activation, weight, bias, q):
    """Return the correlation to which all others tend, below 1, and the rate at which they do."""
    def excess(c):
        return (weight * kernel(activation, c, q, q, 0) + bias) / q - c

    # the map is convex from 0 to 1, and not negative at 0: there, without biases, odd functions end
    correlation = 0.0 if excess(0.0) <= 1e-14 else brentq(excess, 0.0, 1 - 1e-9, xtol=1e-15)
    return correlation, float(weight * kernel(activation, correlation, q, q, 1))


def _depth(rate):
    """Return over how many layers a distance from a fixed point shrinks by e."""
    return np.inf if abs(rate - 1) < _SAME else 0.0 if rate == 0 else float(-1 / np.log(abs(rate)))
