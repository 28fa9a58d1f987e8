"""Values of an expression: at arrays of floats, and at a point to so many digits that noise differs from a sign."""

from functools import lru_cache

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from ..numbers.evaluation import Floats, compile_expression
from ..numbers.functions.classes import LogCosh, SoftPlus
from ..parsing.expressions import is_periodic
from ..parsing.reader import expand_numeric
from .noisy import InNoiseError, context, with_noise

__all__ = ["array_function", "digits_at", "float_form", "sign_at", "value_at"]

#: digits with which a number is asked for when fewer leave it in the noise of rounding
MORE_DIGITS = (60, 250, 1000)
_FLOATS = Floats()


# -- floating point ----------------------------------------------------------------------------------


def array_function(expr, symbols):
    """Return a vectorised float64 function of the given symbols, in their order.

    It never warns: overflow gives inf and undefined points give nan, silently.
    """
    symbols = tuple(symbols)
    body = compile_expression(_rewritten(float_form(expr), _array_form), _FLOATS)

    def function(*arrays):
        if len(arrays) != len(symbols):
            raise TypeError(f"expected {len(symbols)} arguments ({', '.join(map(str, symbols))}), got {len(arrays)}")
        if len(arrays) == 1 and type(arrays[0]) is np.ndarray and arrays[0].ndim and arrays[0].dtype == np.float64:
            with np.errstate(all="ignore"):
                result = body({symbols[0]: arrays[0]})
            if type(result) is np.ndarray and result.base is None and result is not arrays[0] \
                    and result.shape == arrays[0].shape and result.dtype == np.float64:
                return result            # a fresh array of the right kind: nothing to convert
        arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in arrays))
        shape = arrays[0].shape if arrays else ()
        with np.errstate(all="ignore"):
            # At least one-dimensional inside: whole powers of zero-dimensional arrays lose the array type.
            result = body({s: np.atleast_1d(a) for s, a in zip(symbols, arrays)})
        result = np.broadcast_to(np.asarray(result, dtype=np.float64), np.atleast_1d(np.empty(shape)).shape)
        return result.reshape(shape).copy()[()]

    return function


def float_form(expr):
    """Return an equal form that does not overflow where the value does not, with full accuracy in the tails.

    Functions of the catalogue get their formulas for evaluation, and logarithms of exponentials and hyperbolic cosines
    are functions of their own.
    """
    return _rewritten(expand_numeric(expr), _stable_form)


def _rewritten(expr, rule):
    if not expr.args:
        return expr
    args = [_rewritten(a, rule) for a in expr.args]
    if any(a is not b for a, b in zip(args, expr.args)):
        # a Piecewise is left as it is: sympy would simplify its conditions
        expr = sp.Piecewise(*args, evaluate=False) if isinstance(expr, sp.Piecewise) else expr.func(*args)
    return rule(expr)


def _stable_form(expr):
    """Write ``log(c*cosh(u))`` and ``log(exp(u) + exp(v))``, or a positive number for one, in stable functions.

    sympy writes ``erfc(-u)`` as ``2 - erfc(u)``: here it is itself again.
    """
    if expr.is_Add and expr.has(sp.erfc):
        number, rest = expr.as_coeff_Add()
        for term in rest.as_ordered_terms():
            factor, f = term.as_coeff_Mul()
            if isinstance(f, sp.erfc) and number == -2 * factor:
                return rest - term - factor * sp.erfc(-f.args[0], evaluate=False)
        return expr
    if not isinstance(expr, sp.log):
        return expr
    scale, factor = expr.args[0].as_coeff_Mul()
    if isinstance(factor, sp.cosh) and scale.is_positive:
        return LogCosh(factor.args[0]) + sp.log(scale)
    terms = sorted(expr.args[0].args, key=sp.default_sort_key) if expr.args[0].is_Add else ()
    if len(terms) == 2 and any(isinstance(t, sp.exp) for t in terms) \
            and all(isinstance(t, sp.exp) or t.is_Number and t.is_positive for t in terms):
        u, v = (t.args[0] if isinstance(t, sp.exp) else sp.log(t) for t in terms)
        return u + SoftPlus(v - u)
    return expr


def _array_form(expr):
    """Divide by 3 where sympy multiplies by 1/3, and put a case without value before each condition that may be asked
    between two overflows.
    """
    if expr.is_Mul and expr.args[0].is_Rational and is_periodic(expr.args[0].q):
        number, *factors = expr.args
        return sp.Mul(sp.Integer(number.p), *factors, sp.Pow(number.q, -1, evaluate=False), evaluate=False)
    if not isinstance(expr, sp.Piecewise):
        return expr
    pairs = []
    for value, condition in expr.args:
        for relation in sorted(condition.atoms(Relational), key=sp.default_sort_key):
            if relation.lhs.args or relation.rhs.args:        # names and numbers always have a value
                gap = relation.lhs - relation.rhs
                pairs.append((sp.nan, sp.Ne(gap, gap, evaluate=False)))
        pairs.append((value, condition))
    return sp.Piecewise(*pairs, evaluate=False) if len(pairs) > len(expr.args) else expr


# -- any number of digits ----------------------------------------------------------------------------


@lru_cache(maxsize=2048)
def digits_at(point, digits):
    """Return a point as a sympy number with so many digits."""
    return sp.N(point.xreplace({root: _root(root, digits + 30) for root in point.atoms(sp.CRootOf)}), digits)


def _root(root, digits):
    """Refine a root of a polynomial by Newton's method: sympy bisects, in a second for one of degree twenty."""
    first, mp = root.eval_rational(n=20), context(digits + 50)
    x, coefficients = mp.mpf(first.p) / first.q, [mp.mpf(c.p) / c.q for c in root.poly.all_coeffs()]
    start = x
    for _ in range(10):
        value, slope = mp.polyval(coefficients, x, derivative=True)
        if value == 0 or abs(value) <= abs(slope * x) * mp.mpf(10) ** -digits:
            return sp.Float(str(x), digits)
        x -= value / slope
        if abs(x - start) > abs(start) * 1e-18:      # this may be another root, close to the one that is refined
            break
    return sp.N(root, digits)


def value_at(expr, z, point, digits=60):
    """Return the value of an expression at a real point, 0 where it does not rise above rounding.

    Raises
    ------
    Undefined
        Where it has no finite real value; a denominator that vanishes up to rounding is one.
    """
    *fewer, most = digits, *(more for more in MORE_DIGITS if more > digits)
    for enough in fewer:
        try:
            return _value(expr, z, point, enough)
        except InNoiseError:
            continue
    return _value(expr, z, point, most)


def _value(expr, z, point, digits):
    return with_noise(expr, {z: _number(point, digits)}, digits)[0]


def _number(point, digits):
    """Return (value, error) of a point; one that was found numerically is known to its own digits only."""
    mp = context(digits + 10)
    if isinstance(point, float):
        return mp.mpf(point), 0
    number = mp.mpf(str(digits_at(point, digits + 10)))
    known = min([digits, *(f._prec * 0.3 for f in point.atoms(sp.Float))])
    return number, abs(number) * context(digits).mpf(10) ** (1 - known)


def sign_at(expr, z, sample):
    """Return the sign of an expression at a rational point; 0 is what stays in the noise at a thousand digits."""
    for digits in MORE_DIGITS:
        value = value_at(expr, z, sample, digits)
        if value:
            return 1 if value > 0 else -1
    return 0
