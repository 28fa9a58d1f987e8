r"""Marchenko-Pastur means over products of different linear denominators, without differences of nearly equal numbers.

With :math:`g=E\,1/(D+s)` and :math:`e=1+\beta cg` at every shift, the equation of the resolvent gives

.. math:: E\frac1{(D+s)(D+t)} = \frac{g_t-g_s}{s-t} = \frac{g_sg_te_t}{1+\beta c\,s\,g_sg_t},

whose terms are positive, also where s and t meet; numerators and a third factor follow in the same way.
"""

from sympy import Dummy, factorial

from .resolvent import MPResolvent

__all__ = ["product_mean"]


def product_mean(j, factors, scale, ratio):
    """Return ``E D**j / prod((a D + b)**k)`` over different linear factors.

    Parameters
    ----------
    j : int
    factors : list of (a, b, k)
    scale, ratio : Expr
        Of the law.

    Returns
    -------
    Expr or None
        None where no form without cancellation is known: more than three factors, or a higher power above.
    """
    if not (len(factors) == 2 and j <= 2 or len(factors) == 3 and j == 0):
        return None
    shifts = [Dummy(f"y{i}", positive=True) if k > 1 else b for i, (_, b, k) in enumerate(factors)]
    lines = [(a, y) for (a, _, _), y in zip(factors, shifts)]
    value = _two(j, *lines, scale, ratio) if len(factors) == 2 else _three(*lines, scale, ratio)
    for y, (_, b, k) in zip(shifts, factors):
        if k > 1:           # d/db of 1/(aD+b)
            value = (value.diff(y, k - 1) * (-1) ** (k - 1) / factorial(k - 1)).subs(y, b)
    return value


def _plain(a, b, c, beta):
    """Return ``E 1/(aD+b)`` and e."""
    G = MPResolvent(a, b, c, beta)
    return G, 1 + beta * c * a * G


def _two(j, first, second, c, beta):
    (a, s), (b, t) = first, second
    G, e = _plain(a, s, c, beta)
    H, f = _plain(b, t, c, beta)
    below = 1 + beta * c * b * s * G * H
    if j == 0:
        return G * H * f / below
    if j == 1:
        return c * G * H / (e * below)
    return c**2 * G * H * (beta + 1 / e + beta**2 * c * b * s * G * H) / (e * f * below)


def _three(first, second, third, c, beta):
    (a, s), (b, t), (d, r) = first, second, third
    G, _ = _plain(a, s, c, beta)
    H, _ = _plain(b, t, c, beta)
    K, _ = _plain(d, r, c, beta)
    x = beta * c
    above = 1 + x * (b * H + d * K) + x**2 * b * d * s * G * H * K
    return G * _two(0, second, third, c, beta) * above / ((1 + x * b * s * G * H) * (1 + x * d * s * G * K))
