"""Logarithms of sums of exponentials and entropies, for programs; users write ``log(cosh(x))``, ``log(1 + exp(x))``
and ``x*log(x)``.
"""

from fractions import Fraction
from math import inf

from .entry import Entry, FunctionGrowth

_HERE = "asympkit.numbers.functions.routines.exponentials"


def _log_cosh_digits(mp, x):
    return mp.log1p(mp.sinh(x) ** 2) / 2 if abs(x) < 1 else abs(x) + mp.log1p(mp.exp(-2 * abs(x))) - mp.log(2)


def _soft_plus_digits(mp, x):
    return max(x, mp.zero) + mp.log1p(mp.exp(-abs(x)))


def _log_cosh_complex(u, analytic):
    """Evaluate log(cosh(u)); off the imaginary axis with the large part taken out, so that the rest is analytic."""
    if u.real > 0 or u.real < 0:
        large = u if u.real > 0 else -u
        return large + (1 + (-2 * large).exp()).log(analytic=analytic) - (u * 0 + 2).log()
    return u.cosh().log(analytic=analytic)


def _soft_plus_complex(u, analytic):
    if u.real > 0:
        return u + (1 + (-u).exp()).log(analytic=analytic)
    return (1 + u.exp()).log(analytic=analytic)


def _x_log_x_balls(x):
    return 0 * x if x == 0 else x * x.log()


ENTRIES = (
    Entry("LogCosh", "log_cosh", "log_cosh_batch", f"{_HERE}:log_cosh_batch", _log_cosh_digits,
          lambda x: x.cosh().log(), _log_cosh_complex, "log_cosh", "exponentials",
          image=(0, inf), growth=FunctionGrowth((0, 1)), parity="even",
          symbol="asympkit.numbers.functions.classes:LogCosh",
          is_steep=True, spelling=None),
    Entry("SoftPlus", "soft_plus", "soft_plus_batch", f"{_HERE}:soft_plus_batch", _soft_plus_digits,
          lambda x: (1 + x.exp()).log(), _soft_plus_complex, "soft_plus", "exponentials",
          image=(0, inf), growth=FunctionGrowth((1, 1)), monotone=1,
          symbol="asympkit.numbers.functions.classes:SoftPlus",
          lanes="lane_soft_plus",
          is_steep=True, spelling=None),
    Entry("XLogX", "x_log_x", "x_log_x_batch", f"{_HERE}:x_log_x_batch", lambda mp, x: x * mp.log(x) if x else mp.zero,
          _x_log_x_balls, lambda u, analytic: u * u.log(analytic=analytic), "x_log_x", "exponentials",
          domain=(0, inf), image=(-Fraction(2, 5), inf), growth=FunctionGrowth((1, 0, 1)),
          symbol="asympkit.numbers.functions.classes:XLogX", spelling=None),
)
