"""Means of which only the direction counts: an unknown that nothing penalises undoes their size.

Where a tabulated mean times s and an unknown over s leave all equations as they are (up to factors), every other
quantity is a function of the mean's direction alone.  However small such a mean is, it is not zero, and its rounding
has to be small against the mean itself and not against its integrand.
"""

from dataclasses import dataclass
from functools import lru_cache

from sympy import Add, Mul, Pow, Rational, expand_mul

from ..gauss.closed import closed_mean
from ..nodes import Applied, Average, Named, free_of

__all__ = ["Direction", "find_directions", "is_proved_zero"]


@dataclass(frozen=True)
class Direction:
    """A mean whose direction alone counts.

    Attributes
    ----------
    mean : Symbol
        The output of a Means statement.
    size : Symbol
        The mean square of the integrand.
    shift : Scalar
        The offset of the activation's argument in widths of the weight, where that is small; at most 1.
    unknown : Symbol
        What undoes its size.
    """

    mean: object
    size: object
    shift: object
    unknown: object


def find_directions(system):
    """Return pairs of an outer and an inner average, with the unknown that undoes the size of the inner one.

    Returns
    -------
    list of (Average, Average, Symbol)
    """
    places = {}
    for equation in system.equations:
        for outer, inner in _inner_means(equation):
            places.setdefault(inner, outer)
    found = []
    for inner, outer in sorted(places.items(), key=str):
        for unknown in system.unknowns:
            degree = _Degrees({inner: 1, unknown: -1})
            if all(degree(e) is not None for e in system.equations) and _moves(system, unknown):
                found.append((outer, inner, unknown))
                break
    return found


def _moves(system, unknown):
    return any(unknown in free_of(e) for e in system.equations)


@lru_cache(maxsize=10_000)
def _inner_means(expr, outer=None):
    """Return the conditional means of activations in an expression, each with the average around it, a tuple."""
    if isinstance(expr, Average):
        if _is_mean(expr):
            return ((outer, expr),) if outer is not None else ()
        found = _inner_means(expr.integrand, expr)
        if outer is None:
            return found
        own = set(expr.bound_symbols)           # what holds none of its variables varies with those around it
        return tuple((expr if inner.free_symbols & own else outer, inner) for _, inner in found)
    parts = (expr.expr,) if isinstance(expr, Named) else expr.args
    return tuple(dict.fromkeys(found for part in parts for found in _inner_means(part, outer)))


def _is_mean(average):
    return _has_activation(average.integrand)


def _has_activation(expr):
    """Return whether an unspecified function stands in an expression, averages inside not counted."""
    if isinstance(expr, Average | Applied):
        return isinstance(expr, Applied)
    return any(_has_activation(a) for a in ((expr.expr,) if isinstance(expr, Named) else expr.args))


class _Degrees:
    """The power of s that an expression has when quantities are multiplied by powers of s; None if it has none.

    Parameters
    ----------
    weights : dict of Expr to int
        The powers of the quantities.
    """

    def __init__(self, weights):
        self.known = dict(weights)

    def __call__(self, expr):
        if expr not in self.known:
            self.known[expr] = self._found(expr)
        return self.known[expr]

    def _found(self, expr):
        if not expr.args or (isinstance(expr, Average) and _is_mean(expr)):
            return 0
        if isinstance(expr, Named):
            return self(expr.expr)
        if isinstance(expr, Average):
            return self(expr.integrand)
        if isinstance(expr, Pow) and isinstance(expr.exp, Rational):
            below = self(expr.base)
            return None if below is None else below * expr.exp
        parts = [self(a) for a in expr.args]
        if None in parts:
            return None
        if isinstance(expr, Mul):
            return sum(parts)
        if isinstance(expr, Add):
            return parts[0] if len(set(parts)) == 1 else None
        return 0 if not any(parts) else None


def is_proved_zero(activation, offset, slope, functional, z, value):
    """Return whether the mean of a functional of z and the activation at ``offset + slope*z`` is proved to be zero.

    Parameters
    ----------
    activation : Activation
    offset, slope : Expr
        Exact numbers; a mean that varies over a grid is zero nowhere but at single nodes.
    functional : Expr
    z, value : Symbol
    """
    if activation.expr.is_zero:
        return True
    if not offset.is_number or not slope.is_number or not functional.free_symbols <= {z, value}:
        return False
    if offset.is_zero and activation.parity:
        sign = 1 if activation.parity == "even" else -1
        mirrored = functional.subs({z: -z, value: sign * value}, simultaneous=True)
        if (mirrored + functional).expand() == 0:
            return True
    argument = activation.expr.xreplace({activation.symbol: offset + slope * z})
    terms = Add.make_args(expand_mul(functional.xreplace({value: argument})))
    rest = Add(*[t for t in terms if t.xreplace({z: -z}) != -t])          # odd terms have no mean
    form = closed_mean(rest, z)
    return form is not None and (form == 0 or form.equals(0) is True)
