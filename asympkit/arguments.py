"""Check the arguments of methods: names as users type them, domains, arrays, files and flags."""

import math
import numbers
import os
import sys
import unicodedata
from contextlib import suppress
from fractions import Fraction
from numbers import Integral, Rational
from pathlib import Path

import numpy as np

from .errors import DomainError, StructureError, suggest

#: the smallest and the largest positive float
_LEAST, _LARGEST = math.ulp(0.0), sys.float_info.max
#: domain -> (smallest and largest float in it, description)
DOMAINS = {
    "positive": (_LEAST, _LARGEST, "a positive finite number"),
    "nonnegative": (0.0, _LARGEST, "a finite number >= 0"),
    "nonnegative or inf": (0.0, math.inf, "a number >= 0 or math.inf"),
    "positive or inf": (_LEAST, math.inf, "a positive number or math.inf"),
    "real": (-_LARGEST, _LARGEST, "a finite real number"),
    "[-1, 1]": (-1.0, 1.0, "a number in [-1, 1]"),
    "[0, 1]": (0.0, 1.0, "a number in [0, 1]"),
}


def check_value(name, value, domain):
    """Return a parameter as a float, or raise a DomainError."""
    low, high, text = _domain(domain)
    if type(value) is float and low <= value <= high:           # a NaN is not
        return value
    is_number = isinstance(value, numbers.Real | str | np.generic) or (hasattr(value, "__float__")
                                                                       and np.ndim(value) == 0)
    if not is_number or isinstance(value, bool | complex):
        raise DomainError(f"{name}: got {quote(value)}; expected {text}")
    try:
        number = float(_fraction(value)) if isinstance(value, str) else float(value)
    except Exception as error:          # whatever a number of a foreign type raises
        raise DomainError(f"{name}: got {quote(value)}; expected {text}") from error
    if not low <= number <= high:
        raise DomainError(f"{name}: got {quote(value)}; expected {text}")
    return number


def check_axis(name, value):
    """Return an array of parameter values as floats, or raise a DomainError."""
    array = regular(name, value)
    if array.ndim != 1 or array.size == 0:
        raise DomainError(f"{name}: got an array of shape {array.shape}; an axis is a non-empty one-dimensional "
                          "array")
    return _floats(name, array)


def _floats(name, array):
    """Return an array as floats; entries that are fractions, numbers of sympy or texts are read as one number is."""
    if array.dtype.kind in "OU":
        with suppress(DomainError):
            numbers_in = [check_value(name, v, (-math.inf, math.inf)) for v in array.ravel().tolist()]
            array = np.reshape(numbers_in, array.shape)
    if array.dtype.kind not in "iuf" or array.size and math.isnan(np.minimum.reduce(array, None)):      # NaN is least
        raise DomainError(f"{name}: got {quote(array)}; expected real numbers without NaN")
    return array.astype(float)


def _fraction(text):
    if text.strip().lower() in ("inf", "infinity"):
        return math.inf
    exponent = text.lower().rpartition("e")[2]
    if len(text) > 400 or exponent != text.lower() and abs(int(exponent)) > 400:    # Fraction builds a huge integer
        raise ValueError(text)
    return Fraction(text)


def quote(value):
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
        raise DomainError(f"{name}: domain: got {quote(domain)}; expected one of {', '.join(DOMAINS)} or a pair "
                          "(low, high) of numbers, low < high")


def dimensions(name, value):
    """Return the number of dimensions of a parameter's value, 0 for a number."""
    return regular(name, value).ndim


def regular(name, value):
    """Convert a value to a numpy array; raise if its rows differ in length."""
    try:
        return np.asarray(value)
    except ValueError as error:
        raise DomainError(f"{name}: got {quote(value)}; expected a number, or an array whose rows have the same "
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
        raise DomainError(f"{name}: got {quote(value)}{suggest(quote(value), known)}; available: "
                          f"{', '.join(map(repr, known))}")


def check_text(argument, value, expected):
    """Raise unless a value is a text."""
    if not isinstance(value, str):
        raise DomainError(f"{argument}: got {quote(value)}; expected {expected}")


def check_flag(argument, value):
    """Return the value as True, False or None."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.bool_ | numbers.Integral):
        return bool(value)
    raise DomainError(f"{argument}: got {quote(value)}; expected True, False or None")


def check_path(argument, value):
    """Return the value as the path of a file, whose folder exists."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise DomainError(f"{argument}: got {quote(value)}; expected the name of a file, a text or a pathlib.Path")
    path = Path(value)
    if not path.parent.is_dir():
        raise DomainError(f"{argument}: got {str(value)!r}; the folder {str(path.parent)!r} does not exist")
    return path


def check_positive(argument, value):
    """Return the value as a float above 0."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not 0.0 < value < 1e300:
        raise DomainError(f"{argument}: got {quote(value)}; expected a positive number")
    return float(value)


def check_count(argument, value, least=1):
    """Return the value as an int that is large enough."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise DomainError(f"{argument}: got {quote(value)}; expected an integer >= {least}")
    return int(value)


def varying(parameters, but):
    """Return parameters that are arrays, as floats, without those named in ``but``."""
    return {name: _floats(name, regular(name, value)) for name, value in parameters.items()
            if name not in but and dimensions(name, value)}


def check_numbers(name, value):
    """Return finite numbers as an array."""
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if not np.isfinite(found).all():
        raise DomainError(f"{name}: got {quote(value)}; expected finite real numbers")
    return found


def broadcast(method, parameters, but):
    """Return the parameters that are arrays, broadcast to one shape, the other parameters, and the shape."""
    arrays = varying(parameters, but)
    try:
        shape = np.broadcast_shapes(*(a.shape for a in arrays.values()))
    except ValueError as error:
        shapes = ", ".join(f"{n} has {a.shape}" for n, a in arrays.items())
        raise DomainError(f"{method}: the shapes of the parameters do not broadcast: {shapes}") from error
    if 0 in shape:
        raise DomainError(f"{method}: got parameters of shape {shape}; expected at least one point")
    return {n: np.broadcast_to(a, shape) for n, a in arrays.items()}, \
        {n: v for n, v in parameters.items() if n not in arrays}, shape


def check_digits(digits):
    """Raise a DomainError unless ``digits`` is a sensible number of digits."""
    if not isinstance(digits, int | np.integer) or not 5 <= digits <= 1000:
        raise DomainError(f"digits: got {digits!r}; expected an integer from 5 to 1000")


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


def check_array(name, value, symbols=(), is_builtin=True):
    """Return an array, one-dimensional or one number, as floats, or raise a DomainError.

    Its entries must have the signs that ``symbols`` declare; with ``is_builtin`` the caller declared these, not the
    user.
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
    for assumption, (holds, text) in _SIGNS.items():
        wrong = array[~holds(array)]
        if wrong.size and any(getattr(s, f"is_{assumption}") for s in symbols):
            advice = ": set entries that are rounding errors to 0"
            if is_builtin:
                advice = f", as the symbol {name} is declared{advice} and declare Symbol({name!r}, " \
                    "nonnegative=True), or declare it real=True"
            raise DomainError(f"{name}: got {float(wrong[0])!r} ({wrong.size} of {array.size} entries are not {text}); "
                              f"expected {text} numbers{advice}")
    return array


def check_signs(symbols, values, instead=None):
    """Raise where a number contradicts its symbol's declared assumptions, with which sympy has simplified.

    ``instead`` is advice where the user did not declare the symbols.
    """
    for s in symbols:
        value, instead_of = np.float64(values[s.name]), instead or f"Symbol({s.name!r}, real=True)"
        for assumption, (holds, text) in _SIGNS.items():
            if getattr(s, f"is_{assumption}") and not holds(value):
                raise DomainError(f"{s.name}: got {float(value)!r}, but the symbol {s.name} is declared {assumption}; "
                                  f"expected a {text} number, or {instead_of}")
        if s.is_integer and value != np.round(value):
            raise DomainError(f"{s.name}: got {float(value)!r}, but the symbol {s.name} is declared an integer; "
                              f"expected one, or {instead_of}")


def check_one_dimension(name, value):
    """Raise a DomainError for a matrix, which would be taken for the array of all its entries."""
    try:
        shape = np.shape(value)
    except ValueError as error:
        raise DomainError(f"{name}: got {quote(value)}; expected an array of real numbers") from error
    if len(shape) > 1:
        raise DomainError(f"{name}: got an array of shape {shape}; expected a one-dimensional array, one entry "
                          "for each eigenvalue (numpy.linalg.eigvalsh gives those of a symmetric matrix)")


def collect_parameters(parameters, known=()):
    """Return the parameters of a method by name: its keywords, and the entries of the keyword ``parameters``.

    ``parameters={"step": 2}`` holds names that are no identifiers, or arguments of the method.  ``known`` are the names
    of the theory: Python normalises keywords (NFKC), and the name that is meant is found again.
    """
    inside = parameters.get("parameters", {})
    if "parameters" in parameters and ("parameters" not in known or isinstance(inside, dict)):
        if not isinstance(inside, dict):
            raise DomainError(f"parameters: got {inside!r}; expected a dict {{name: value}}")
        outside = {k: v for k, v in parameters.items() if k != "parameters"}
    else:
        outside, inside = parameters, {}
    outside, inside = ({n: v if type(v) is float else plain_numbers(v) for n, v in of.items()}
                       for of in (outside, inside))
    if not inside and (outside.keys() <= {*known} or "".join((*outside, *known)).isascii()):
        return outside                  # a name that is known, or plain ASCII, means itself
    found = {}
    for name, value in (*outside.items(), *inside.items()):
        name = _meant(getattr(name, "name", name), known)
        if name in found:
            raise DomainError(f"parameters: {name} is given twice, as {found[name]!r} and as {value!r}")
        found[name] = value
    return found


def is_varied(keywords, name):
    """Return whether a method varies a parameter: one of ``over``, a name or several."""
    over = keywords.get("over")
    return over == name if isinstance(over, str) else isinstance(over, tuple | list) and name in over


def _meant(name, known):
    if name in known or not isinstance(name, str) or name.isascii() and all(map(str.isascii, known)):
        return name
    return next((k for k in known if normal(k) == normal(name)), name)


def normal(name):
    """Normalise a name as Python does."""
    return unicodedata.normalize("NFKC", name)


def check_twins(what, names):
    """Raise for two names that Python takes for one."""
    seen = {}
    for name in names:
        other = seen.setdefault(normal(name), name)
        if other != name:
            raise StructureError(f"{what}: {_spelt(other)} and {_spelt(name)} look alike, and Python takes them for "
                                 "one name (NFKC); rename one of them")


def check_once(results):
    """Raise for a name that unknowns, observables, residual and iterations have twice."""
    twice = sorted({n for n in results if results.count(n) > 1})
    if twice:
        raise StructureError(f"names: {', '.join(twice)} would occur twice in the results (unknowns, observables, "
                             "residual, iterations); rename the unknown or the observable")


def _spelt(name):
    codes = " ".join(f"U+{ord(c):04X}" for c in name if not c.isascii())
    return f"{name!r}" + (f" ({codes})" if codes else "")
