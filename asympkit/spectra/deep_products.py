r"""Means over the law of a deep covariance with two linear denominators, without differences of nearly equal numbers.

Between two conjugates :math:`\hat V,\hat V'` of a level all changes are proportional: with
:math:`\Delta V_\ell=-s_\ell\,\Delta\hat V_\ell` and :math:`\Delta\hat V_{\ell-1}=m_\ell\,\Delta\hat V_\ell` the chain
gives s and m of a level by those of the one below, and both have a limit where the two meet.
"""

from sympy import Add

from ..nodes.named import Named
from ..numbers.functions.deep_conjugate import parts_of

__all__ = ["cube", "two_factors"]


def two_factors(j, first, second, law):
    """Return ``E D**j / ((a D + b)(c D + d))`` for j up to 2; factors ``(a, b)``."""
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


def cube(j, a, b, law):
    r"""Return ``E D**j / (a D + b)**3`` for j up to 3, by second derivatives along the chain.

    With :math:`V_\ell''=2c_\ell` in the conjugate of the level, the chain gives c of a level by that of the one below.
    """
    at = law._levels(a / b)
    widths, slopes, _, inputs, shares = parts_of(law.depth, law.numbers)
    below = [1 + at.Vhat[0] * e for e in inputs]
    s, c = (Named(f"{name}0", Add(*(w * (e / x)**n for e, w, x in zip(inputs, shares, below))))
            for name, n in (("s", 2), ("c", 3)))
    for k in range(law.depth):
        ratio = widths[k] / widths[k - 1] if k else widths[k]
        v, x, K, slope = at.Vhat[k], at.Vhat[k + 1], at.K[k], slopes[k]
        spread = Named(f"spread{k + 1}", 1 + x * K)
        left = Named(f"left{k + 1}", 1 - v**2 * s / ratio)
        gain = Named(f"gain{k + 1}", ratio * slope / (spread**2 * left))         # of the conjugate below in this one
        rate = Named(f"rate{k + 1}", -slope * s * gain)                          # of K
        bend = Named(f"bend{k + 1}", -2 * (gain * (K + x * rate) + v * rate + v * x * slope * c * gain**2)
                     / (spread * left))
        curve = Named(f"curve{k + 1}", slope * (2 * c * gain**2 - s * bend))
        s = Named(f"s{k + 1}", at.V[k + 1]**2 - rate / spread**2)
        c = Named(f"c{k + 1}", (curve / spread - 2 * at.V[k + 1] * rate + 2 * s * (K + x * rate)) / (2 * spread))
    t = Named("t", a / b)
    if j == 3:
        return c / b**3
    if j == 2:
        return (s - t * c) / b**3
    # in the penalty z = b/a, where the resolvent is 1/(z + K)
    moved, twice = -t**2 * rate, t**4 * curve + 2 * t**3 * rate
    g = t / (1 + t * K)
    third = (1 + moved)**2 * g**3 - twice * g**2 / 2
    return third / a**3 if j == 0 else ((1 + moved) * g**2 - third / t) / a**3
