r"""Compute the reduction of the errors by diverging spikes, in matrix form and in closed form (arXiv 2310.07891).

A diverging spike of degree k makes :math:`g^k`, :math:`g=\tilde X\beta/|\beta|`, a regressor without
penalty.  The quadratic form of the labels, :math:`y^TRy`, then loses the part of y in the span of these
monomials.  All functions take numbers of any kind: sympy expressions, fractions, mpf, balls.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import factorial

__all__ = ["FINITE_TOP", "TOP", "Span", "closed_form", "hermite_of_power", "matrix_form", "power_moment", "projection",
           "span"]

#: highest degrees of diverging spikes, whose thresholds (k-1)/(2k) accumulate at 1/2, and of spikes of finite strength,
#: an asymptotic series
TOP, FINITE_TOP = 12, 8


def power_moment(k):
    """Return ``E g**k`` of a standard normal g: (k-1)!! for even k, 0 for odd k."""
    return 0 if k % 2 else factorial(k) // (2 ** (k // 2) * factorial(k // 2))


def hermite_of_power(p, i):
    """Return the coefficient of He_i in ``x**p``: p!/(2^j j! i!) with j = (p-i)/2."""
    if i > p or (p - i) % 2:
        return 0
    return factorial(p) // (2 ** ((p - i) // 2) * factorial((p - i) // 2) * factorial(i))


def projection(gram, rows):
    """Return the matrix of ``u^T G^{-1} v`` for u, v among ``rows``, G a positive definite Gram matrix.

    Elimination needs no pivoting here, so that it works in every number system.
    """
    g, r = [list(row) for row in gram], [list(row) for row in rows]
    out = [[0 * g[0][0]] * len(r) for _ in r] if g else [[0] * len(r) for _ in r]
    for k in range(len(g)):
        lead = [u[k] / g[k][k] for u in r]
        out = [[entry + u[k] * a for entry, a in zip(line, lead)] for line, u in zip(out, r)]
        for i in range(k + 1, len(g)):
            ratio = g[i][k] / g[k][k]
            g[i] = [x - ratio * y for x, y in zip(g[i], g[k])]
        r = [[u[i] - a * g[k][i] for i in range(len(g))] for u, a in zip(r, lead)]
    return out


def matrix_form(degrees, coefficients, rho, tau, mu, mu0):
    r"""Return the reduction of :math:`y^TRy` by the spikes as :math:`b^TG^{-1}b` (section 5 of the theory).

    Parameters
    ----------
    degrees : sequence of int
        Degrees of the diverging spikes; 0 is a free constant.
    coefficients : dict of int to number
        Hermite coefficients of the target, without the mean.
    rho : number
        Overlap of the spike with the direction of the target.
    tau, mu, mu0 : number
        The traces: of every Hermite direction but the first and the constant, of the first, of the constant.
    """
    weight = {0: mu0, 1: mu}
    gram = [[sum(factorial(h) * hermite_of_power(i, h) * hermite_of_power(j, h) * weight.get(h, tau)
                 for h in range(min(i, j) + 1)) for j in degrees] for i in degrees]
    row = [sum(factorial(p) * hermite_of_power(i, p) * coefficients.get(p, 0) * rho**p * weight.get(p, tau)
               for p in range(1, i + 1)) for i in degrees]
    return projection(gram, [row])[0][0]


@dataclass(frozen=True)
class Span:
    r"""Describe the span of some monomials by the numbers that the gaps depend on.

    The linear direction reduces the form by :math:`\rho^2c_1^2\mu`, the others by :math:`S\tau`,
    :math:`S=P-Q^2/(K-1+\tau/\mu_0)` with :math:`P=\sum_{pq}E_{pq}c_pc_q\rho^{p+q}`, :math:`Q=\sum_pL_pc_p\rho^p`.

    Attributes
    ----------
    energy : dict of (int, int) to Fraction
        E: the projection without the constant.
    leak : dict of int to Fraction
        L: the effect of the penalty on the constant; empty if a constant is not penalised.
    constant : Fraction
        K.
    """

    energy: dict
    leak: dict
    constant: Fraction

    def powers(self, coefficients, number):
        """Return P and Q as polynomials in the squared overlap, ``{exponent: coefficient}`` each.

        Parameters
        ----------
        coefficients : sequence or dict of number
            Of the target.
        number : callable
            Converts a Fraction to the same kind of number.
        """
        energy, leak = {}, {}
        for (p, q), e in self.energy.items():
            energy[(p + q) // 2] = energy.get((p + q) // 2, 0) + number(e) * coefficients[p] * coefficients[q]
        for p, v in self.leak.items():
            leak[p // 2] = number(v) * coefficients[p]
        return energy, leak


def span(degrees):
    """Return the :class:`Span` of the monomials of some degrees, 1 among them; 0 is a constant without penalty.

    Even monomials share one direction, the constant, which the Sherman-Morrison formula separates.  If no degree is
    missing, E is diagonal with entries p!, L is -He_p(0) and K the sum of He_p(0)**2/p!.
    """
    energy, leak, constant = {}, {}, Fraction(1)
    for parity in (0, 1):
        chosen = [k for k in sorted(set(degrees)) if k > 1 and k % 2 == parity]
        seen = [p for p in range(2, max(chosen, default=0) + 1) if p % 2 == parity]
        rows = [[Fraction(factorial(p) * hermite_of_power(i, p)) for i in chosen] for p in seen]
        gram = [[sum(u[a] * u[b] / factorial(p) for p, u in zip(seen, rows)) for b in range(len(chosen))]
                for a in range(len(chosen))]
        table = projection(gram, [*rows, [Fraction(hermite_of_power(i, 0)) for i in chosen]])
        energy |= {(p, q): table[a][b] for a, p in enumerate(seen) for b, q in enumerate(seen) if table[a][b]}
        leak |= {p: table[a][-1] for a, p in enumerate(seen) if table[a][-1]}
        constant += table[-1][-1]
    return Span(energy, {} if 0 in degrees else leak, constant)


def closed_form(degrees, coefficients, rho, tau, mu, mu0, number=Fraction):
    """Return the same as :func:`matrix_form` from the result of :func:`span`, without a matrix.

    ``number`` converts a Fraction to the kind of the other numbers; sympy takes fractions as they are.
    """
    found = span(degrees)
    energy, leak = found.powers({p: coefficients.get(p, 0) for p in range(max(degrees, default=0) + 1)}, number)
    power = sum(e * rho ** (2 * k) for k, e in energy.items())
    mean = sum(v * rho ** (2 * k) for k, v in leak.items())
    linear = rho**2 * coefficients.get(1, 0) ** 2 * mu if 1 in degrees else 0 * mu
    return linear + (power - mean**2 / (number(found.constant - 1) + tau / mu0)) * tau
