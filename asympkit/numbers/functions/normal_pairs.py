"""Owen's T and the distribution function of two normals.

The balls are integrals over [0, 1] with proved error.  Both integrands are analytic in the variable and in the
parameters wherever the balls met are finite: a denominator or a root that may vanish gives a ball that is not finite,
so a finite result proves that the function is analytic on the whole ball of its arguments.
"""

from fractions import Fraction

from .entry import Entry, FunctionGrowth

_HERE = "asympkit.numbers.functions.routines.owen_t"


def _owen_t_digits(mp, h, a):
    from .pair_digits import owen_t

    return owen_t(mp, mp.convert(h), mp.convert(a))


def _bivariate_digits(mp, h, k, r):
    from .pair_digits import bivariate_cdf

    return bivariate_cdf(mp, *map(mp.convert, (h, k, r)))


def _owen_t_complex(h, a, analytic):
    """Enclose ``a/(2 pi) * integral over [0, 1] of exp(-h^2 (1 + a^2 s^2)/2)/(1 + a^2 s^2)``."""
    from flint import acb, arb

    if not (h.is_finite() and a.is_finite()):
        return acb("nan")
    square, half = a**2, -(h**2) / 2

    def integrand(s, _):
        u = 1 + square * s**2
        return (half * u).exp() / u

    return _integral(integrand, h, a) * a / (2 * arb.pi())


def _bivariate_complex(h, k, r, analytic):
    """Enclose by Plackett: the derivative by the correlation is the density, integrated over ``t = r s`` from 0."""
    from flint import acb, arb

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
    from flint import acb, arb, ctx

    width = sum((x.real.rad() + x.imag.rad() for x in arguments), arb(0)) / 16
    if width > 1 / 64:
        return integrand(acb(arb(0.5, 0.5)), True)      # a mean lies among the values; the ball will be cut anyway
    # finer than the arguments are known the value cannot be
    goal = arb(2) ** -ctx.prec
    return acb.integral(integrand, acb(0), acb(1), rel_tol=width + goal, abs_tol=width + goal,
                        eval_limit=1000 + 10 * ctx.prec)


def _real(function):
    def value(*balls):
        from flint import acb

        return function(*map(acb, balls), False).real

    return value


ENTRIES = (
    Entry("OwenT", "owen_t", "owen_t_batch", f"{_HERE}:owen_t_batch", _owen_t_digits, _real(_owen_t_complex),
          _owen_t_complex, "owen_t", "owen_t", arity=2, image=(-Fraction(1, 4), Fraction(1, 4)),
          growth=FunctionGrowth((1,)),
          symbol="asympkit.numbers.functions.pair_classes:OwenT",
          is_steep=True),
    Entry("BivariateNormalCDF", "bivariate_cdf", "bivariate_cdf_batch", f"{_HERE}:bivariate_cdf_batch",
          _bivariate_digits, _real(_bivariate_complex), _bivariate_complex, "bivariate_normal_cdf",
          source="owen_t", arity=3, image=(0, 1), opposite="bivariate_opposite",
          growth=FunctionGrowth((1,)), symbol="asympkit.numbers.functions.pair_classes:BivariateNormalCDF",
          is_steep=True),
)
