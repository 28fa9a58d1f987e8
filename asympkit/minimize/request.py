"""Check the arguments of a minimisation: parameters to choose, their intervals, and points that vary."""

import numbers
from collections.abc import Mapping

import numpy as np

from ..arguments.domains import shown
from ..arguments.requests import check_text, varying
from ..errors import DomainError, UnknownNameError, suggest

__all__ = ["LARGEST", "broadcast", "check_bounds", "check_many_bounds", "check_over"]

#: sign of a search for the largest value; for the smallest it is 1
LARGEST = -1


def check_over(over, parameters, typed):
    """Return the parameters to choose, which must be among ``typed``, as a tuple of names.

    Raises
    ------
    DomainError
        If one is invalid, is named twice, or has a value.
    """
    several = isinstance(over, tuple | list)
    names = tuple(over) if several else (over,)
    expected = f"the name of a parameter{', or a list of names' if several else ''}"
    for name in names:
        check_text("over", name, expected)
        if name in parameters and name not in typed:
            raise UnknownNameError(f"over: no parameter {name!r}{suggest(name, typed)}; known are {', '.join(typed)}")
        if name in parameters:
            raise DomainError(f"over: {name} is given as {shown(parameters[name])} too; leave it out, its range is "
                              "bounds")
    if not names or len(set(names)) < len(names):
        raise DomainError(f"over: got {shown(over)}; expected different names of parameters, one at least")
    return names


def broadcast(verb, model, parameters):
    """Return the parameters that are arrays, ``{name: ndarray}``, and their common shape."""
    arrays = varying(parameters, model.fixed_names())
    try:
        shape = np.broadcast_shapes(*(a.shape for a in arrays.values()))
    except ValueError as error:
        shapes = ", ".join(f"{n} has {a.shape}" for n, a in arrays.items())
        raise DomainError(f"{verb}: the shapes of the parameters do not broadcast: {shapes}") from error
    if arrays and 0 in shape:
        raise DomainError(f"{verb}: the parameters have the shape {shape}; there is no point")
    return arrays, shape


def check_bounds(bounds, argument="bounds"):
    """Return an interval as two floats."""
    try:
        low, high = bounds
    except (TypeError, ValueError) as error:
        raise DomainError(f"{argument}: got {bounds!r}; expected a pair (low, high)") from error
    for end in (low, high):
        if not isinstance(end, numbers.Real) or isinstance(end, bool) or not np.isfinite(float(end)):
            raise DomainError(f"{argument}: got {bounds!r}; expected two finite numbers, low < high")
    if not low < high:
        raise DomainError(f"{argument}: got {bounds!r}; expected low < high")
    return float(low), float(high)


def check_many_bounds(bounds, names):
    """Return intervals of several parameters, in their order: from a dict by name, or a sequence of pairs."""
    if isinstance(bounds, Mapping):
        if set(bounds) != set(names):
            raise DomainError(f"bounds: got intervals of {', '.join(map(str, bounds)) or 'nothing'}; expected one of "
                              f"each of {', '.join(names)}")
        return [check_bounds(bounds[n], f"bounds[{n!r}]") for n in names]
    if not isinstance(bounds, tuple | list) or len(bounds) != len(names):
        raise DomainError(f"bounds: got {shown(bounds)}; expected a pair (low, high) for each of {', '.join(names)}")
    return [check_bounds(pair, f"bounds[{k}]") for k, pair in enumerate(bounds)]
