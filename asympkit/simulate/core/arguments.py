"""Check arguments; every message names argument, value and domain."""

import math
import operator

import numpy as np

from ...errors import DomainError


def check_real(name, value, *, low=-math.inf, high=math.inf, open_low=False):
    """Return a finite float in ``[low, high]`` (``(low, high]`` if `open_low`)."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isfinite(number) and low <= number <= high and not (open_low and number == low):
        return number
    bounds = []
    if low > -math.inf:
        bounds.append(f"{'>' if open_low else '>='} {low:g}")
    if high < math.inf:
        bounds.append(f"<= {high:g}")
    raise DomainError(f"{name}={value!r}: expected a finite number {' and '.join(bounds)}".rstrip())


def check_integer(name, value, *, low):
    """Return an int not below `low`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or number < low:
        raise DomainError(f"{name}={value!r}: expected an integer >= {low}")
    return number


def check_numbers(name, value, **bounds):
    """Return a number as a float in bounds, several as a one-dimensional array."""
    if np.ndim(value) == 0:
        return check_real(name, value, **bounds)
    array = np.asarray(value)
    if array.ndim > 1 or array.size == 0:
        raise DomainError(f"{name} of shape {array.shape}: expected a number or a one-dimensional sequence")
    return np.array([check_real(name, entry, **bounds) for entry in array.tolist()])


def round_count(name, ratio, d, of):
    """Return ``round(ratio * d)``; raise for a ratio that rounds to nothing."""
    number = round(ratio * d)
    if number < 1:
        raise DomainError(f"{name}={ratio!r} at d={d} leaves no {of}: expected {name} >= {1 / d:g}, "
                          "or a larger d")
    return number


def check_elementwise(name, function, *, derivative=False):
    """Check on a few points that a function maps arrays to finite arrays of the same shape."""
    if not callable(function):
        raise DomainError(f"{name}={function!r}: expected a function of a float64 array")
    calls = [(name, function)]
    if derivative:
        if not callable(getattr(function, "derivative", None)):
            raise DomainError(f"{name}={function!r}: expected a `derivative` method for the gradient step "
                              "(eta=0 needs none)")
        calls.append((f"{name}.derivative", function.derivative))
    points = np.array([[-1.3, -0.2, 0.1], [0.4, 0.9, 1.7]])
    for text, call in calls:
        value = np.asarray(call(points))
        if value.shape != points.shape:
            raise DomainError(f"{text} returns shape {value.shape} for an array of shape {points.shape}: "
                              "expected the same shape")
        if not (np.isrealobj(value) and np.isfinite(value).all()):
            raise DomainError(f"{text} returns values that are not finite real numbers on [-1.3, 1.7]")
