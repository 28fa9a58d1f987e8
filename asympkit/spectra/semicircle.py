"""The semicircle law of eigenvalues, of both signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Add, Dummy, Symbol, binomial, cos, sin

from ..errors import DomainError
from ..nodes.average import Average
from ..nodes.named import remove_names
from ..nodes.traversal import as_expression
from .law import Angle, SpectralLaw

if TYPE_CHECKING:
    from typing import Self

    from sympy import Expr

    from ..annotations import Expression


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
        scale = as_expression("scale", scale)
        if scale.is_positive is False:
            raise DomainError(f"scale: got {scale!r:.60}; expected a positive number or expression")
        return super().__new__(cls, D, scale)

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
