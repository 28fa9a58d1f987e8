"""Sums over Gaussian variables whose integrands are elementary: each one enclosed by itself."""

from sympy import nan, oo, zoo

from ..balls.parametric import ParametricMean
from ..balls.several import SeveralMean
from ..balls.work import TooDearError, Work
from ..errors import ConvergenceError, DomainError, NotAvailableError, ProofError
from .nested import split_means
from .refusal import refusal
from .separate import expanded

__all__ = ["DirectSums"]

_LOOSE = 8          # digits of means that need not be sharp


class DirectSums:
    """Means over a Gaussian grid whose columns are formulas in its variables.

    Parameters
    ----------
    grid : Grid
        Over normal variables; its preparation holds values at the node, and named expressions of them.
    digits : int
        Absolute accuracy of the means, apart from the width that the balls of other symbols bring.
    functions : dict, optional
        ``{label: Activation}``.
    numbers : dict of Symbol to Rational, optional
        Parameters that are rational: they fix the places of kinks, and 0 may switch variables off.

    Attributes
    ----------
    is_loose : bool
        True while means over several normals, which are expensive, get few digits.
    """

    def __init__(self, grid, digits, functions=None, numbers=None):
        self.grid, self.digits = grid, digits
        self.functions, self.numbers = functions or {}, numbers or {}
        self.work, self._means, self.is_loose = Work(), {}, False

    def sums(self, statement, values):
        """Enclose the sums of a statement, ``{symbol: ball}``.

        Parameters
        ----------
        statement : Sums
        values : dict
            Balls of all symbols known so far.

        Raises
        ------
        ProofError
            If an average is not proved to exist, or not enclosed.
        """
        out = {}
        for symbol, integrand, note in statement.sums:
            try:
                out[symbol] = self._mean(statement, integrand).mean(values)
            except (TooDearError, NotAvailableError) as error:
                raise refusal(f"certify: the average {note or integrand} is not enclosed: {error}") from error
            except (DomainError, ConvergenceError) as error:
                raise ProofError(f"certify: the average {note or integrand} is not enclosed: {error}") from error
        return out

    def _mean(self, statement, integrand):
        digits = min(_LOOSE, self.digits) if self.is_loose else self.digits
        key = statement.locals, integrand, digits
        if key not in self._means:
            expr, bound = self._switched_off(expanded(statement, integrand, self.functions, self.numbers))
            expr, inner = split_means(expr)
            self._means[key] = (ParametricMean(expr, *bound, self.digits, self.work) if len(bound) == 1 and not inner
                                else SeveralMean(expr, bound, digits, inner))
        return self._means[key]

    def _switched_off(self, expr):
        """Return an integrand, and its variables without those that a zero parameter switches off; one remains."""
        bound, plain = self.grid.bound, expr.xreplace({s: v for s, v in self.numbers.items() if v == 0})
        left = tuple(b for b in bound if b in plain.free_symbols)
        if plain.has(nan, zoo, oo, -oo) or not {b for b in bound if b in expr.free_symbols} - {*left}:
            return expr, bound
        return plain, left or bound[:1]

    def describe(self):
        """Return one sentence on the growth that was proved."""
        rows = dict.fromkeys(row for mean in self._means.values() for row in mean.describe())
        return f"direct averages over {', '.join(b.name for b in self.grid.bound)}: " + "; ".join(rows)
