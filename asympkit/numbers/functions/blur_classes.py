"""The sympy function of Gaussian-convolved kinks: means of repeated integrals of the normal law over an interval."""

from sympy import Expr, Integer
from sympy.core.function import ArgumentIndexError

from .proximal_classes import Proximal

__all__ = ["NormalBlur"]


class NormalBlur(Proximal):
    r"""Mean of :math:`u^j\varphi^{(n)}(c+hu)` over u between -1/2 and 1/2, without polynomials of the right side.

    Parameters
    ----------
    j, n : Integer
        With n - j >= -2; for n < 0 the repeated integrals of the normal density from the left.
    c, h : Expr
        Real; h is positive.
    left, right : Expr
        The side of c - h/2 and that of c + h/2, 1 or -1: where it is 1, the polynomial that the integral becomes on the
        right is left out.  They count as constants.

    Examples
    --------
    >>> NormalBlur(0, -1, 0, 2, -1, -1).evalf(20)       # the mean of the distribution function from -1 to 1
    0.50000000000000000000
    """

    nargs = 6
    head, shown = r"\overline{\varphi}", "blurred"

    def fdiff(self, argindex: int = 1) -> Expr:
        j, n, *others = self.args
        if argindex in (3, 4):
            return NormalBlur(j + argindex - 3, n + 1, *others)
        if argindex in (5, 6):
            return Integer(0)
        raise ArgumentIndexError(self, argindex)

    def _latex(self, printer, exp=None):
        j, n, *others = map(printer._print, self.args)
        body = rf"\overline{{u^{{{j}}}\varphi^{{({n})}}}}\left({', '.join(others)}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"
