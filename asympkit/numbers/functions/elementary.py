"""Elementary functions: mpmath, numpy and the ball library have them under their own names."""

from fractions import Fraction
from math import inf

from .entry import Entry, FunctionGrowth

_ARCS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
         "atanh": "arctanh"}
#: above pi/2 and pi
_QUARTER, _HALF = Fraction(11, 7), Fraction(22, 7)


def _plain(name, complex_balls=None, **facts):
    arrays = _ARCS.get(name, name)
    return Entry(name, f"math.{name}", f"np.{arrays}", f"numpy:{arrays}", name, name, complex_balls or name, name,
                 **facts)


def _with_cut(name, sign):
    """Return a function of a complex ball that has cuts where ``1 + sign*u**2`` is real and not positive."""
    def value(u, analytic):
        inside = getattr(u, name)()
        return inside + 0 * (1 + sign * u**2).log(analytic=True) if analytic else inside

    return value


def _asinh(u, analytic):
    """Evaluate asinh by its logarithm, on the side where nothing cancels: the ball library loses wide balls."""
    side = 1 if u.real.mid() >= 0 else -1
    return side * (side * u + (1 + u * u).sqrt(analytic=analytic)).log(analytic=analytic)


def _logarithm(u, analytic):
    return u.log(analytic=analytic)


ENTRIES = (
    _plain("exp", image=(0, inf), monotone=1, is_steep=True, lanes="lane_exp"),
    _plain("log", _logarithm, domain=(0, inf), monotone=1),
    _plain("sin", image=(-1, 1), growth=FunctionGrowth((1,)), parity="odd"),
    _plain("cos", image=(-1, 1), growth=FunctionGrowth((1,)), parity="even"),
    _plain("tan", parity="odd"),
    _plain("sinh", monotone=1, growth=FunctionGrowth((1,), 1), parity="odd", is_steep=True),
    _plain("cosh", image=(1, inf), growth=FunctionGrowth((1,), 1), parity="even", is_steep=True),
    _plain("tanh", image=(-1, 1), monotone=1, growth=FunctionGrowth((1,)), parity="odd", is_steep=True),
    _plain("asin", _with_cut("asin", -1), domain=(-1, 1), image=(-_QUARTER, _QUARTER), monotone=1,
           growth=FunctionGrowth((2,)), parity="odd"),
    _plain("acos", _with_cut("acos", -1), domain=(-1, 1), image=(0, _HALF), monotone=-1, growth=FunctionGrowth((4,))),
    _plain("atan", _with_cut("atan", 1), image=(-_QUARTER, _QUARTER), monotone=1, growth=FunctionGrowth((2,)),
           parity="odd",
           is_steep=True),
    _plain("asinh", _asinh, monotone=1, growth=FunctionGrowth((0, 1)), parity="odd", is_steep=True),
    _plain("atanh", _with_cut("atanh", -1), domain=(-1, 1), monotone=1, parity="odd"),
)
