r"""Means over the law of a deep covariance with two linear denominators, without differences of nearly equal numbers.

Between two conjugates :math:`\hat V,\hat V'` of a level everything changes in proportion: with
:math:`\Delta V_\ell=-s_\ell\,\Delta\hat V_\ell` and :math:`\Delta\hat V_{\ell-1}=m_\ell\,\Delta\hat V_\ell` the chain
gives s and m of a level by those of the one below, and they stay what they are where the two meet.
"""

from sympy import Add

from ..nodes.named import Named
from ..numbers.functions.deep_conjugate import parts_of

__all__ = ["two_factors"]


def two_factors(j, first, second, law):
    """``E D**j / ((a D + b)(c D + d))`` for j up to 2; factors ``(a, b)``."""
    (a, b), (c, d) = first, second
    one, other = law._levels(a / b), law._levels(c / d)
    widths, slopes, _, inputs, shares = parts_of(law.depth, law.numbers)
    s = Named("s0", Add(*(w * e**2 / ((1 + one.Vhat[0] * e) * (1 + other.Vhat[0] * e))
                          for e, w in zip(inputs, shares))))
    for k in range(law.depth):
        ratio = widths[k] / widths[k - 1] if k else widths[k]
        spreads = (1 + one.Vhat[k + 1] * one.K[k]) * (1 + other.Vhat[k + 1] * other.K[k])
        left = Named(f"left{k + 1}", 1 - one.Vhat[k] * other.Vhat[k] * s / ratio)
        change = Named(f"change{k + 1}", slopes[k]**2 * s * ratio / (spreads * left))      # of K, minus its slope
        s = Named(f"s{k + 1}", one.V[k + 1] * other.V[k + 1] + change / spreads)
    t, u = a / b, c / d
    if j == 2:
        return s / (b * d)
    above = 1 + change * t * u if j == 0 else other.K[-1] - change * t
    return above / (spreads * b * d)
