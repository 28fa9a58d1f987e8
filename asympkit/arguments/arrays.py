"""Arrays of numbers that a theory averages over: eigenvalues and their companions, checked entry by entry."""

from numbers import Integral, Rational

import numpy as np

from ..errors import DomainError
from .domains import shown

#: assumption -> (test, description)
_SIGNS = {"positive": (lambda x: x > 0.0, "positive"), "nonnegative": (lambda x: x >= 0.0, ">= 0"),
          "negative": (lambda x: x < 0.0, "negative"), "nonpositive": (lambda x: x <= 0.0, "<= 0"),
          "nonzero": (lambda x: x != 0.0, "nonzero")}


def plain_numbers(value):
    """Convert numbers of numpy to Python's, also in lists, tuples and arrays of objects; return others unchanged."""
    if isinstance(value, np.number):
        return value.item()
    if isinstance(value, list | tuple):
        found = [plain_numbers(v) for v in value]
        if all(a is b for a, b in zip(found, value)):
            return value
        return found if isinstance(value, list) else tuple(found)
    if isinstance(value, np.ndarray) and value.dtype == object and any(isinstance(v, np.number) for v in value.flat):
        found = np.empty(value.shape, dtype=object)
        found.flat = [plain_numbers(v) for v in value.flat]
        return found
    return value


def exact_entries(value, floats):
    """Return the entries unchanged if some are exact numbers that no float represents; else as floats.

    Objects with multiprecision entries (``at_digits``) stay unchanged.
    """
    if hasattr(value, "at_digits"):
        return value
    given = np.ravel(np.asarray(value, dtype=object))
    return given if any(isinstance(v, Rational) and not isinstance(v, Integral) for v in given) else floats


def check_array(name, value, symbols=(), is_own=True):
    """Return an array as floats, or raise a DomainError.

    Parameters
    ----------
    name : str
    value : array_like
        One-dimensional, or one number.
    symbols : collection of Symbol
        Symbols of its entries, whose signs must be the declared ones.
    is_own : bool
        True if the caller declared the symbols.
    """
    check_one_dimension(name, value)
    try:
        array = np.ravel(np.asarray(value))
        if array.dtype.kind == "c":
            raise DomainError(f"{name}: got complex numbers; expected an array of real ones (take "
                              "numpy.linalg.eigvalsh for a symmetric matrix, or .real of real numbers)")
        array = array.astype(float)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, DomainError):
            raise
        raise DomainError(f"{name}: got {str(value)[:60]}; expected an array of real numbers") from error
    if array.size == 0 or not np.all(np.isfinite(array)):
        raise DomainError(f"{name}: expected a non-empty array of finite numbers")
    for assumption, (holds, said) in _SIGNS.items():
        wrong = array[~holds(array)]
        if wrong.size and any(getattr(s, f"is_{assumption}") for s in symbols):
            advice = ": set entries that are rounding errors to 0"
            if is_own:
                advice = f", as the symbol {name} is declared{advice} and declare Symbol({name!r}, " \
                    "nonnegative=True), or declare it real=True"
            raise DomainError(f"{name}: got {float(wrong[0])!r} ({wrong.size} of {array.size} entries are not {said}); "
                              f"expected {said} numbers{advice}")
    return array


def check_signs(symbols, values, instead=None):
    """Raise where a number contradicts its symbol's declared assumptions, with which sympy has simplified.

    Parameters
    ----------
    symbols : iterable of Symbol
    values : dict of str to float
    instead : str, optional
        Advice, where the user did not declare the symbols.
    """
    for s in symbols:
        value, instead_of = np.float64(values[s.name]), instead or f"Symbol({s.name!r}, real=True)"
        for assumption, (holds, said) in _SIGNS.items():
            if getattr(s, f"is_{assumption}") and not holds(value):
                raise DomainError(f"{s.name}: got {float(value)!r}, but the symbol {s.name} is declared {assumption}; "
                                  f"expected a {said} number, or {instead_of}")
        if s.is_integer and value != np.round(value):
            raise DomainError(f"{s.name}: got {float(value)!r}, but the symbol {s.name} is declared an integer; "
                              f"expected one, or {instead_of}")


def check_one_dimension(name, value):
    """Raise a DomainError for a matrix, which would be taken for the array of all its entries."""
    try:
        shape = np.shape(value)
    except ValueError as error:
        raise DomainError(f"{name}: got {shown(value)}; expected an array of real numbers") from error
    if len(shape) > 1:
        raise DomainError(f"{name}: got an array of shape {shape}; expected a one-dimensional array, one entry "
                          "for each eigenvalue (numpy.linalg.eigvalsh gives those of a symmetric matrix)")
