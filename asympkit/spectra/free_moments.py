r"""Moments of products and sums of free matrices: polynomials in the moments of the parts, in any numbers."""

from math import comb

__all__ = ["moments_behind_layer", "moments_of_cumulants"]


def moments_of_cumulants(cumulants):
    """Return the moments of a law from its free cumulants: ``m_n`` is the sum over s of ``k_s`` times the coefficient
    of ``t**(n-s)`` in ``M(t)**s``, M the series of moments.

    Parameters
    ----------
    cumulants : sequence
        The first ones, from that of order 1.

    Returns
    -------
    list
        As many moments.
    """
    moments, powers = [1], [[1]]            # powers[s - 1]: coefficients of M**s so far
    for n in range(1, len(cumulants) + 1):
        # a coefficient of M**s of degree n - s is known before the moment of order n
        moments.append(sum(cumulants[s - 1] * powers[s - 1][n - s] for s in range(1, n + 1)))
        powers.append([1])
        for s, row in enumerate(powers):
            while len(row) <= n - s:
                k = len(row)
                row.append(moments[k] if s == 0 else
                           sum(moments[j] * powers[s - 1][k - j] for j in range(k + 1)))
    return moments[1:]


def moments_behind_layer(moments, ratio, slope, rest):
    r"""Return the moments of ``slope W Omega W' + rest``; W has ``ratio`` random rows a column, entries 1 over columns.

    :math:`W\Omega W^\top` is a free compound Poisson law, with the free cumulants :math:`r^{n-1}m_n(\Omega)`.
    """
    product = [1, *moments_of_cumulants([ratio**k * m for k, m in enumerate(moments)])]
    return [sum(comb(n, k) * slope**k * product[k] * rest**(n - k) for k in range(n + 1))
            for n in range(1, len(product))]
