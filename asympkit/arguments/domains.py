"""Check parameters against their domains; every message names parameter, value and domain."""

import math
import numbers
import sys

import numpy as np

from ..errors import DomainError, suggest

#: the smallest and the largest positive float
_LEAST, _LARGEST = math.ulp(0.0), sys.float_info.max
#: domain -> (smallest and largest float in it, description)
DOMAINS = {
    "positive": (_LEAST, _LARGEST, "a positive finite number"),
    "nonnegative": (0.0, _LARGEST, "a finite number >= 0"),
    "nonnegative or inf": (0.0, math.inf, "a number >= 0 or math.inf"),
    "real": (-_LARGEST, _LARGEST, "a finite real number"),
    "[-1, 1]": (-1.0, 1.0, "a number in [-1, 1]"),
    "[0, 1]": (0.0, 1.0, "a number in [0, 1]"),
}


def check_value(name, value, domain):
    """Return a parameter as a float, or raise a DomainError."""
    low, high, said = _domain(domain)
    if type(value) is float and low <= value <= high:           # a NaN is not
        return value
    is_number = isinstance(value, numbers.Real | str | np.generic) or (hasattr(value, "__float__")
                                                                       and np.ndim(value) == 0)
    if not is_number or isinstance(value, bool | complex):
        raise DomainError(f"{name}: got {shown(value)}; expected {said}")
    try:
        number = float(_fraction(value)) if isinstance(value, str) else float(value)
    except Exception as error:          # whatever a number of a foreign type raises
        raise DomainError(f"{name}: got {shown(value)}; expected {said}") from error
    if not low <= number <= high:
        raise DomainError(f"{name}: got {shown(value)}; expected {said}")
    return number


def check_axis(name, value):
    """Return an array of parameter values as floats, or raise a DomainError."""
    array = regular(name, value)
    if array.ndim != 1 or array.size == 0:
        raise DomainError(f"{name}: got an array of shape {array.shape}; an axis is a non-empty one-dimensional "
                          "array")
    if array.dtype.kind not in "iuf" or math.isnan(np.minimum.reduce(array)):           # the least of NaN is NaN
        raise DomainError(f"{name}: got {shown(value)}; expected real numbers without NaN")
    return array.astype(float)


def _fraction(text):
    from fractions import Fraction

    if text.strip().lower() in ("inf", "infinity"):
        return math.inf
    exponent = text.lower().rpartition("e")[2]
    if len(text) > 400 or exponent != text.lower() and abs(int(exponent)) > 400:    # Fraction builds a huge integer
        raise ValueError(text)
    return Fraction(text)


def shown(value):
    """Write a value as a short text, whatever its own ``repr`` does; of many numbers their shape and range."""
    try:
        if isinstance(value, np.ndarray) and value.size > 6 and value.dtype.kind in "iuf":
            return f"an array of shape {value.shape} from {np.nanmin(value):.6g} to {np.nanmax(value):.6g}"
        if isinstance(value, list | tuple):         # numbers of numpy as plain ones
            value = type(value)(v.item() if isinstance(v, np.number) else v for v in value)
        text = " ".join(repr(value.item() if isinstance(value, np.number) else value).split())
    except Exception:
        text = f"an object of {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def check_domain(name, domain):
    """Raise unless a domain is a known name or a pair of numbers."""
    if isinstance(domain, str) and domain in DOMAINS:
        return
    pair = isinstance(domain, tuple | list) and len(domain) == 2
    real = pair and all(isinstance(e, numbers.Real) and not isinstance(e, bool) for e in domain)
    if not real or not domain[0] < domain[1]:
        raise DomainError(f"{name}: domain: got {shown(domain)}; expected one of {', '.join(DOMAINS)} or a pair "
                          "(low, high) of numbers, low < high")


def dimensions(name, value):
    """Return the number of dimensions of a parameter's value, 0 for a number."""
    return regular(name, value).ndim


def regular(name, value):
    """Convert a value to a numpy array; raise if its rows differ in length."""
    try:
        return np.asarray(value)
    except ValueError as error:
        raise DomainError(f"{name}: got {shown(value)}; expected a number, or an array whose rows have the same "
                          "length") from error


def _domain(domain):
    """Return the ends of a domain, which belong to it, and its description."""
    if isinstance(domain, str):
        if domain not in DOMAINS:
            raise DomainError(f"domain: got {domain!r}; expected one of {', '.join(DOMAINS)} or a pair (low, high)")
        return DOMAINS[domain]
    low, high = domain
    return low, high, f"a number in [{low}, {high}]"


def ends_of_domain(domain):
    """Return the smallest and the largest number in a domain."""
    return _domain(domain)[:2]


def said_domain(domain):
    """Describe a domain in words."""
    return _domain(domain)[2]


def check_choice(name, value, known):
    """Raise unless a value is one of those that are known."""
    if not isinstance(value, str) or value not in known:
        raise DomainError(f"{name}: got {shown(value)}{suggest(shown(value), known)}; available: "
                          f"{', '.join(map(repr, known))}")
