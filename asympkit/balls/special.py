"""Balls of Owen's T and of the bivariate normal cdf: integrals over [0, 1] with proved error.

Both integrands are analytic in the variable and in the parameters wherever the balls met are finite: a
denominator or a root that may vanish gives a ball that is not finite, so a finite result proves that the
function is analytic on the whole ball of its arguments.
"""

from flint import ctx

from .backend import acb, arb
from .work import ordinary

__all__ = ["SPECIAL"]


def owen_t(h, a, analytic):
    """``a/(2 pi) * integral over [0, 1] of exp(-h^2 (1 + a^2 s^2)/2)/(1 + a^2 s^2)``."""
    if not (h.is_finite() and a.is_finite()):
        return acb("nan")
    square, half = a**2, -(h**2) / 2

    def integrand(s, _):
        u = 1 + square * s**2
        return (half * u).exp() / u

    return _integral(integrand, h, a) * a / (2 * arb.pi())


def bivariate_cdf(h, k, r, analytic):
    """Plackett: the derivative by the correlation is the density, integrated over ``t = r s`` from 0."""
    if not (h.is_finite() and k.is_finite() and r.is_finite()):
        return acb("nan")
    root = arb(2).sqrt()
    outside = (-h / root).erfc() * (-k / root).erfc() / 4
    squares, product = h**2 + k**2, 2 * h * k

    def integrand(s, _):
        t = r * s
        u = 1 - t**2
        # the branch of the root is the same all along the segment, and for all correlations of the ball
        return ((product * t - squares) / (2 * u)).exp() / u.sqrt(analytic=True)

    return outside + _integral(integrand, h, k, r) * r / (2 * arb.pi())


def _integral(integrand, *arguments):
    width = sum((x.real.rad() + x.imag.rad() for x in arguments), arb(0)) / 16
    if width > 1 / 64:
        return integrand(acb(arb(0.5, 0.5)), True)      # a mean lies among the values; the ball will be cut anyway
    # finer than the arguments are known the value cannot be
    goal = arb(2) ** -ctx.prec
    return acb.integral(integrand, acb(0), acb(1), rel_tol=width + goal, abs_tol=width + goal, eval_limit=ordinary())


SPECIAL = {"OwenT": owen_t, "BivariateNormalCDF": bivariate_cdf}
"""Functions ``(ball, ..., analytic flag) -> ball`` by the name of their sympy class."""
