"""Check arguments of methods that are no parameters: texts, files, flags and numbers."""

import numbers
import os
from pathlib import Path

import numpy as np

from ..errors import DomainError
from .domains import dimensions, shown


def check_text(argument, value, expected):
    """Raise unless a value is a text."""
    if not isinstance(value, str):
        raise DomainError(f"{argument}: got {shown(value)}; expected {expected}")


def check_flag(argument, value):
    """Return the value as True, False or None."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.bool_ | numbers.Integral):
        return bool(value)
    raise DomainError(f"{argument}: got {shown(value)}; expected True, False or None")


def check_path(argument, value):
    """Return the value as a path, whose folder exists."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise DomainError(f"{argument}: got {shown(value)}; expected the name of a file, a text or a pathlib.Path")
    path = Path(value)
    if not path.parent.is_dir():
        raise DomainError(f"{argument}: got {str(value)!r}; the folder {str(path.parent)!r} does not exist")
    return path


def check_positive(argument, value):
    """Return the value as a float above 0."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not 0.0 < value < 1e300:
        raise DomainError(f"{argument}: got {shown(value)}; expected a positive number")
    return float(value)


def check_count(argument, value, least=1):
    """Return the value as an int that is large enough."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise DomainError(f"{argument}: got {shown(value)}; expected an integer >= {least}")
    return int(value)


def varying(parameters, but):
    """Return parameters that are arrays, as floats, without those named in ``but``."""
    found = {}
    for name, value in parameters.items():
        if name in but or dimensions(name, value) == 0:
            continue
        try:
            found[name] = np.asarray(value, float)
        except (TypeError, ValueError) as error:
            raise DomainError(f"{name}: got {shown(value)}; expected a number, or an array of real numbers") from error
    return found


def broadcast(verb, parameters, but):
    """Return the parameters that are arrays, broadcast to one shape, the other parameters, and the shape."""
    arrays = varying(parameters, but)
    try:
        shape = np.broadcast_shapes(*(a.shape for a in arrays.values()))
    except ValueError as error:
        shapes = ", ".join(f"{n} has {a.shape}" for n, a in arrays.items())
        raise DomainError(f"{verb}: the shapes of the parameters do not broadcast: {shapes}") from error
    if 0 in shape:
        raise DomainError(f"{verb}: got parameters of shape {shape}; expected at least one point")
    return {n: np.broadcast_to(a, shape) for n, a in arrays.items()}, \
        {n: v for n, v in parameters.items() if n not in arrays}, shape


def check_digits(digits):
    """Raise a DomainError unless ``digits`` is a sensible number of digits."""
    if not isinstance(digits, int | np.integer) or not 5 <= digits <= 1000:
        raise DomainError(f"digits: got {digits!r}; expected an integer from 5 to 1000")
