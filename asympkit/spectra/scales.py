r"""Laws of one variable beside the normal: Gamma and Student's, and the semicircle law of eigenvalues.

Means are brought to rules that exist.  A variable of a smooth density is a function x(z) of a normal, and the mean of f
that of ``f(x) p(x) x'(z)/phi(z)``, where x(z) is chosen so that this falls off at least as fast as the normal density
does; the semicircle law is one over an angle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import (
    Add,
    Dummy,
    Integer,
    N,
    Symbol,
    binomial,
    cos,
    cosh,
    exp,
    expand_mul,
    gamma,
    log,
    loggamma,
    pi,
    sin,
    sinh,
    sqrt,
)

from ..errors import DomainError
from ..gauss.measure import Gaussian
from ..nodes.average import Average, Measure
from ..nodes.named import Named, remove_names
from ..nodes.traversal import as_expression
from .law import Angle, SpectralLaw

if TYPE_CHECKING:
    from typing import Any, Self

    from sympy import Expr

    from ..annotations import Expression


def _positive(name, value):
    value = as_expression(name, value)
    if value.is_positive is False:
        raise DomainError(f"{name}: got {value!r:.60}; expected a positive number or expression")
    return value


class LawOfVariable(Measure):
    """A law of one variable with one positive parameter; an average gives it its variable."""

    @property
    def bound_symbols(self) -> tuple[Symbol, ...]:
        return (self.args[1],)

    @property
    def conditions(self) -> tuple[Expr, ...]:
        return (self.args[0],)

    def close(self, integrand: Expr) -> Expr | None:
        """Return the mean of a sum of powers of the variable, or None."""
        x, terms = self.args[1], []
        for term in Add.make_args(expand_mul(remove_names(integrand, lambda n: self.args[1] in n.free_symbols))):
            factor, power = term.as_independent(x)
            base, k = power.as_base_exp()
            value = self.moment(k) if base == x and x not in k.free_symbols else factor if power == 1 else None
            if value is None:
                return None
            terms.append(factor if power == 1 else factor * value)
        return Add(*terms)

    def moment(self, k: Expr) -> Expr | None:
        """Return the mean of ``x**k``, or None."""
        raise NotImplementedError

    def resolved(self, integrand: Expr) -> Expr | None:
        z = Dummy("z", real=True)
        place, weight = self.at_normal(z)
        value = Named("x", place)
        return Average(integrand.xreplace({self.args[1]: value}) * weight, Gaussian(z))

    def value(self, average: Average, digits: int) -> Any:
        return N(self.resolved(average.integrand), digits)

    def at_normal(self, z: Symbol) -> tuple[Expr, Expr]:
        """Return the variable at a normal, and its density there over that of the normal."""
        raise NotImplementedError

    def _sympystr(self, printer):
        return f"{type(self).__name__}({printer._print(self.args[0])})"

    def _mean_str(self, integrand, printer):
        return f"E_{self.args[1].name}[{printer._print(integrand)}]"

    def _mean_latex(self, integrand, printer):
        return rf"\mathbb{{E}}_{{{printer._print(self.args[1])}}}\left[{printer._print(integrand)}\right]"


class Gamma(LawOfVariable):
    r"""The Gamma law of density :math:`x^{a-1}e^{-x}/\Gamma(a)` on positive x, for ``ak.E(..., measure=)``.

    Parameters
    ----------
    shape : Expr
        :math:`a`, the mean and the variance.
    x : Symbol, optional
        The variable; an average gives it its own.

    Raises
    ------
    DomainError
        For a shape that is not positive.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import Symbol
    >>> x = Symbol("x", positive=True)
    >>> ak.E(x**2, x, measure=ak.Gamma(3)).doit()
    12
    """

    def __new__(cls, shape: Expression | float, x: Symbol | None = None) -> Self:
        return super().__new__(cls, _positive("shape", shape), Dummy("x", real=True) if x is None else x)

    def positivity(self, symbol: Symbol) -> int | None:
        return 2

    def moment(self, k: Expr) -> Expr | None:
        a = self.args[0]
        return gamma(a + k) / gamma(a) if (a + k).is_positive else None

    def at_normal(self, z: Symbol) -> tuple[Expr, Expr]:
        # log x is linear in z on the right, and quadratic on the left: x**a falls like exp(-2 z**2)
        a, root = self.args[0], sqrt(1 + z**2)
        side = Named("side", root - z)
        u = Named("u", 2 * z / sqrt(a) - side**2 / a)           # log(x/a)
        slope = 2 / sqrt(a) + 2 * side**2 / (a * root)
        level = Named("level", a * log(a) - a - loggamma(a))
        return a * exp(u), sqrt(2 * pi) * slope * exp(level + a * (1 + u - exp(u)) + z**2 / 2)


class StudentT(LawOfVariable):
    r"""Student's law: a normal over the root of an independent Gamma variable of shape n/2 times 2/n.

    Parameters
    ----------
    dof : Expr
        Degrees of freedom n, a positive number or expression.
    x : Symbol, optional
        The variable; an average gives it its own.

    Raises
    ------
    DomainError
        For degrees of freedom that are not positive.

    Notes
    -----
    Integrands grow slower than the seven eighths power of ``x**n``: the mean of others converges too slowly, or not.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import Symbol
    >>> x = Symbol("x", real=True)
    >>> ak.E(x**2, x, measure=ak.StudentT(3)).doit()
    3
    """

    def __new__(cls, dof: Expression | float, x: Symbol | None = None) -> Self:
        return super().__new__(cls, _positive("dof", dof), Dummy("x", real=True) if x is None else x)

    def moment(self, k: Expr) -> Expr | None:
        n = self.args[0]
        if not (k.is_Integer and k > 0 and (n - k).is_positive):
            return None
        half = k / 2
        return Integer(0) if k % 2 else n**half * gamma(half + Integer(1) / 2) * gamma(n / 2 - half) / (
            sqrt(pi) * gamma(n / 2))

    def at_normal(self, z: Symbol) -> tuple[Expr, Expr]:
        # x = sqrt(n) sinh(u), u quadratic in z far out, where the density falls like exp(-n u)
        n, root = self.args[0], sqrt(1 + z**2)
        size = 4 / n + 3 / (2 * sqrt(n))
        u = Named("u", size * z * root)
        slope = size * (1 + 2 * z**2) / root
        level = loggamma((n + 1) / 2) - loggamma(n / 2) - log(pi) / 2
        return sqrt(n) * sinh(u), sqrt(2 * pi) * slope * exp(level - n * log(cosh(u)) + z**2 / 2)


class Semicircle(SpectralLaw):
    r"""The semicircle law: eigenvalues of a symmetric matrix of size N with entries of variance :math:`c^2/N`.

    Parameters
    ----------
    D : Symbol
        The eigenvalue, real, between -2c and 2c.
    scale : Expr
        :math:`c`, the root of their mean square.

    Raises
    ------
    DomainError
        For an eigenvalue that is no symbol, or a scale that is not positive.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import Symbol
    >>> D = Symbol("D", real=True)
    >>> ak.mean(D**4, ak.Semicircle(D)).doit()
    2
    """

    def __new__(cls, D: Symbol, scale: Expression | float = 1) -> Self:
        if not isinstance(D, Symbol) or D.is_nonnegative:
            raise DomainError(f"D: got {D!r:.60}; expected the symbol of an eigenvalue of any sign, "
                              "Symbol('D', real=True)")
        return super().__new__(cls, D, _positive("scale", scale))

    @property
    def bound_symbols(self) -> tuple[Symbol, ...]:
        return (self.args[0],)

    @property
    def conditions(self) -> tuple[Expr, ...]:
        return (self.args[1],)

    def positivity(self, symbol: Symbol) -> int | None:
        return None

    def close(self, integrand: Expr) -> Expr | None:
        """Return the mean of a polynomial, by Catalan numbers, or None."""
        D, c = self.args
        f = remove_names(integrand, lambda n: D in n.free_symbols)
        if not f.is_polynomial(D):
            return None
        coefficients = f.as_poly(D).all_coeffs()[::-1]
        return Add(*(a * c**k * binomial(k, k // 2) / (k // 2 + 1) for k, a in enumerate(coefficients) if not k % 2))

    def resolved(self, integrand: Expr) -> Expr | None:
        D, c = self.args
        theta = Dummy("theta", real=True)
        return Average(2 * sin(theta) ** 2 * integrand.xreplace({D: 2 * c * cos(theta)}), Angle(theta))
