r"""Laws of one random number: scales of heavy-tailed data, and counts.

A mean over a continuous one is a mean over a normal z: an analytic, increasing function of z takes its place, so steep
that the density in z falls faster than that of z, and the ratio of the two is a weight.  The weight is divided by its
own mean, in which the constants of the density cancel.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import sympy as sp

from ..errors import AsympkitError, DomainError, StructureError
from ..gauss.measure import Gaussian
from ..nodes.average import Average
from ..nodes.named import Named, as_expression, remove_names
from ..numbers.functions.classes import LogCosh, SoftPlus
from ..properties.growth import order_of
from .law import SpectralLaw

if TYPE_CHECKING:
    from typing import Any, Self

    from sympy import Expr, Symbol

    from ..annotations import Expression

#: of what is left of Poisson's law the logarithm, the highest rate, and that of a rate with symbols
_LEFT, _HIGHEST, _HIGHEST_SYMBOLIC = -60 * math.log(10), 200, 20
_X = sp.Symbol("x", real=True)


class OfOneNumber(SpectralLaw):
    """A law with one positive parameter, the first argument; the second is the variable.

    Subclasses define ``moment(order)``, None where it is not known to be finite, and ``_over_normal(integrand, z)``,
    the integrand with a function of a normal for the number and the weight of any mean, or ``resolved`` themselves.
    """

    variable = "a random number"

    def __new__(cls, name, number, x):
        number = as_expression(name, number)
        if number.is_positive is False:
            raise DomainError(f"{name}: got {number!r:.60}; expected a positive number or expression")
        if not isinstance(x, sp.Symbol):
            raise DomainError(f"x: got {x!r:.60}; expected the symbol of a random number")
        return super().__new__(cls, number, x)

    @property
    def bound_symbols(self) -> tuple[Symbol, ...]:
        return (self.args[1],)

    @property
    def conditions(self) -> tuple[Expr, ...]:
        return (self.args[0],)

    @property
    def title(self) -> tuple[Any, ...]:
        return type(self).__name__, self.args[0]

    def least(self, integrand: Expr) -> Expr:
        """Return what the number must exceed for the mean to be finite, as far as the integrand's growth is known."""
        return sp.Integer(0)

    def value(self, average: Average, digits: int) -> Any:
        if not self.args[0] > (least := self.least(average.integrand)):
            raise DomainError(infinite_mean(average, least, self.args[0]))
        return super().value(average, digits)

    def close(self, integrand: Expr) -> Expr | None:
        """Return the mean of a polynomial, or of one power times exponentials, or None."""
        x = self.args[1]
        f = remove_names(integrand, lambda n: x in n.free_symbols)
        if not f.is_polynomial(x):
            return self._tilted(f)
        terms = [(a, self.moment(k)) for (k,), a in f.as_poly(x).terms()]
        return None if any(m is None for _, m in terms) else sp.Add(*(a * m for a, m in terms))

    def _tilted(self, product):
        """Return the mean of a power times exponentials, or None; of a sum of these there would be cancellation."""
        x, order, base, outside = self.args[1], 0, sp.Integer(1), []
        for factor in sp.Mul.make_args(product):
            root, power = (sp.E, factor.exp) if isinstance(factor, sp.exp) else factor.as_base_exp()
            rate = power.diff(x)
            if root == x and power.is_Integer and power > 0:
                order += power
            elif x in root.free_symbols | rate.free_symbols or not root.is_positive:
                return None
            else:
                base *= root**rate
                outside.append(root**power.subs(x, 0))
        mean = self.tilted(order, base)
        return None if mean is None else sp.Mul(*outside, mean)

    def tilted(self, order: int, base: Expr) -> Expr | None:
        """Return the mean of ``x**order * base**x``, or None."""
        return

    def highest(self, integrand: Expr) -> Expr:
        """Return up to which number there is a rule for a mean."""
        return sp.oo

    def resolved(self, integrand: Expr) -> Expr | None:
        z = sp.Dummy("z", real=True)
        form, weight = self._over_normal(integrand, z)
        return Average(weight * form, Gaussian(z)) / Named("mean_weight", Average(weight, Gaussian(z)))


def infinite_mean(average, least, number):
    """Say where a mean over the law of one number is finite."""
    where = f"is known to be finite for {average.measure.args[0]} > {least} alone" if least.is_finite else "is infinite"
    return f"averages: the mean {average!s:.100} {where}; got {float(number):.6g}"


def _degree(integrand, x, far, or_bound=False):
    """Return the power, or 0, of t with which an integrand grows at x = far(t), t -> oo; 0 too where it is not known.

    A known bound may take its place.
    """
    t, form = sp.Dummy("t", positive=True), remove_names(integrand)
    others = sorted(form.free_symbols - {x}, key=str)
    powers = form.atoms(sp.Pow, sp.exp)
    if form.has(Average) or any(x in e.free_symbols and (e.exp.free_symbols - {x}) for e in powers):
        return sp.Integer(0)            # parameters may set the power
    generic = {s: sp.Rational(sp.prime(k + 4), -10 if s.is_negative else 10) for k, s in enumerate(others)}
    switching = (sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min)
    try:
        form = form.xreplace({**generic, x: far(t)}).replace(
            lambda e: isinstance(e, switching), lambda e: _far_out(e, t))
        order = order_of(form, t)
    except (AsympkitError, ArithmeticError, TypeError, ValueError):
        return sp.Integer(0)
    if not (order.sign or or_bound):
        return sp.Integer(0)
    if order.rate or order.curvature:
        return sp.oo if order.key > (0, 0, 0) else sp.Integer(0)
    return sp.nsimplify(max(order.power, 0.0))


def _far_out(e, t):
    """Return what a function that switches is far out."""
    at = [a.subs(t, 10**9).evalf() for a in e.args]
    if isinstance(e, sp.Max | sp.Min):
        return dict(zip(at, e.args))[type(e)(*at)]
    side = sp.sign(at[0])
    return e.args[0] * side if isinstance(e, sp.Abs) else side if isinstance(e, sp.sign) else (1 + side) / 2


class Gamma(OfOneNumber):
    r"""Gamma-distributed numbers, for ``ak.E(f(x), x, measure=ak.Gamma(shape))``.

    Their density is :math:`x^{a-1}e^{-x}/\Gamma(a)`, of mean a; ``b/x`` is of the inverse gamma law, the variance of
    Student's t for :math:`a=b=\nu/2`.

    Parameters
    ----------
    shape : Expr
        :math:`a`, positive.
    x : Symbol, optional
        The variable; :func:`asympkit.E` puts its own.

    Raises
    ------
    DomainError
        For a shape that is not positive.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import symbols
    >>> x, a = symbols("x a", positive=True)
    >>> ak.E(x**2, x, measure=ak.Gamma(a)).doit()
    a*(a + 1)
    """

    described = "the Gamma law of this shape"

    def __new__(cls, shape: Expression | float, x: Symbol = _X) -> Self:
        return super().__new__(cls, "shape", shape, x)

    def positivity(self, symbol: Symbol) -> int | None:
        return 2

    def least(self, integrand: Expr) -> Expr:
        return _degree(integrand, self.args[1], lambda t: 1 / t)

    def tilted(self, order: int, base: Expr) -> Expr | None:
        rate = 1 - sp.log(base)
        return rate**(-self.args[0] - order) * sp.rf(self.args[0], order) if rate.is_positive else None

    def moment(self, order: int) -> Expr | None:
        return sp.rf(self.args[0], order)

    def _over_normal(self, integrand, z):
        a, x = self.args
        below = SoftPlus(-z)            # steep on the left, where the density falls slowly
        w = Named("w", (z + 2 * sp.log(2)**2 - 2 * below**2) / sp.sqrt(a))
        log_x = Named("log_x", sp.log(a) + w)
        # logarithms and negative powers are finite where x itself underflows
        form = integrand.replace(lambda e: isinstance(e, sp.Pow) and e.base == x and e.exp.is_negative,
                                 lambda e: sp.exp(e.exp * log_x)).xreplace({sp.log(x): log_x})
        weight = (1 + 4 * below / (1 + sp.exp(z))) * sp.exp(z**2 / 2 - a * (sp.exp(w) - 1 - w))
        return form.xreplace({x: Named("x", a * sp.exp(w))}), weight


class StudentT(OfOneNumber):
    r"""Numbers of Student's t law, for ``ak.E(f(x), x, measure=ak.StudentT(dof))``.

    Parameters
    ----------
    dof : Expr
        Degrees of freedom :math:`\nu`, positive: means of :math:`|x|^p` are finite for :math:`p<\nu`.  Nodes lie far
        out, where closed means over a normal inside may cancel: for few degrees of freedom take ``sqrt(nu/2/g)*z`` for
        the number, z normal and g of ``Gamma(nu/2)``, and z joins the normals.
    x : Symbol, optional
        The variable; :func:`asympkit.E` puts its own.

    Raises
    ------
    DomainError
        For degrees of freedom that are not positive.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import symbols
    >>> x = symbols("x", real=True)
    >>> ak.E(1 / (1 + x**2), x, measure=ak.StudentT(1)).evalf(12)
    0.500000000000
    """

    described = "Student's t law with these degrees of freedom"

    def __new__(cls, dof: Expression | float, x: Symbol = _X) -> Self:
        return super().__new__(cls, "dof", dof, x)

    def positivity(self, symbol: Symbol) -> int | None:
        return None

    def moment(self, order: int) -> Expr | None:
        nu, half = self.args[0], order // 2
        if order == 0:
            return sp.Integer(1)
        if (nu - order).is_nonpositive:
            raise DomainError(f"averages: a number of Student's t law has no finite moment of order {order} with {nu} "
                              "degrees of freedom; expected more of them")
        if not (nu - order).is_positive:
            return None
        return sp.Integer(0) if order % 2 else nu**half * sp.rf(sp.Rational(1, 2), half) / sp.rf(nu / 2 - half, half)

    def least(self, integrand: Expr) -> Expr:
        is_odd = self._is_odd(integrand)            # no sum shows that such a mean is undefined
        return sp.Max(*(_degree(integrand, self.args[1], lambda t, side=side: side * t, is_odd) for side in (1, -1)))

    def _is_odd(self, integrand):
        form = remove_names(integrand)
        return form.xreplace({self.args[1]: -self.args[1]}) == -form

    def resolved(self, integrand: Expr) -> Expr | None:
        return sp.Integer(0) if self._is_odd(integrand) else super().resolved(integrand)

    def _over_normal(self, integrand, z):
        nu, x = self.args
        u = Named("u", (z + z**3 / 6) / sp.sqrt(nu))
        place = Named("x", sp.sqrt(nu) * sp.sinh(u))
        size = sp.sqrt(nu) * sp.sinh((sp.Abs(z) + sp.Abs(z)**3 / 6) / sp.sqrt(nu))
        at_0 = {sp.Abs(x): size, sp.sign(x): sp.sign(z), sp.Heaviside(x): sp.Heaviside(z),
                sp.Max(0, x): (size + place) / 2}
        return integrand.xreplace({**at_0, x: place}), (1 + z**2 / 2) * sp.exp(z**2 / 2 - nu * LogCosh(u))


class Poisson(OfOneNumber):
    r"""Counts of Poisson's law, for ``ak.E(f(x), x, measure=ak.Poisson(rate))``.

    Parameters
    ----------
    rate : Expr
        The mean: any for polynomials and :math:`x^jb^x`.  Other means are sums, cut where :math:`10^{-60}` is left, for
        numbers up to 200, and parameters up to 20.
    x : Symbol, optional
        The variable; :func:`asympkit.E` puts its own.

    Raises
    ------
    DomainError
        For a rate that is not positive.
    StructureError
        In a solver, for a rate that is too high, or holds unknowns.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import symbols
    >>> x, b = symbols("x b", positive=True)
    >>> ak.E(1 / (1 + x), x, measure=ak.Poisson(2)).evalf(12)
    0.432332358382
    """

    described = "Poisson's law of this rate"

    def __new__(cls, rate: Expression | float, x: Symbol = _X) -> Self:
        return super().__new__(cls, "rate", rate, x)

    def positivity(self, symbol: Symbol) -> int | None:
        return 1

    def moment(self, order: int) -> Expr | None:
        return sp.bell(order, self.args[0]) if order else sp.Integer(1)

    def tilted(self, order: int, base: Expr) -> Expr | None:
        rate = self.args[0]
        return sp.exp(rate * (base - 1)) * (sp.bell(order, rate * base) if order else 1)

    def highest(self, integrand: Expr) -> Expr:
        if self.args[0].is_number or self.close(integrand) is not None:
            return sp.oo
        return sp.Integer(_HIGHEST_SYMBOLIC)

    def resolved(self, integrand: Expr) -> Expr | None:
        rate, x = self.args
        if rate.is_number and not rate <= _HIGHEST:
            raise StructureError(f"averages: {integrand!s:.60} has no closed mean over Poisson's law of the rate "
                                 f"{rate}; expected a number up to {_HIGHEST}, or a polynomial of {x}")
        terms, k, most = [], 0, rate if rate.is_number else _HIGHEST_SYMBOLIC
        while k <= most or k * math.log(most) - most - math.lgamma(k + 1) > _LEFT:
            terms.append(sp.exp(-rate) * rate**k / sp.factorial(k) * integrand.xreplace({x: sp.Integer(k)}))
            k += 1
        if sp.Add(*terms).has(sp.oo, -sp.oo, sp.zoo, sp.nan):
            raise DomainError(f"averages: {integrand!s:.60} is infinite or not defined at a count; expected a function "
                              f"that is finite at {x} = 0, 1, 2, ...")
        return sp.Add(*terms)
