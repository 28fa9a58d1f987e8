"""Sums over Gaussian variables whose integrands are elementary: each one enclosed by itself."""

from dataclasses import replace

from ..balls.parametric import ParametricMean
from ..balls.several import SeveralMean
from ..balls.work import TooDearError, Work
from ..errors import ConvergenceError, DomainError, NotAvailableError, ProofError
from ..program.statements import Grid, Newton, Sums
from .nested import split_means
from .refusal import refusal

__all__ = ["DirectSums", "separated"]

_LOOSE = 8          # digits of what need not be sharp


def separated(statements):
    """Give the sums that need no inner mean a grid of their own, where their grid also serves others.

    Parameters
    ----------
    statements : sequence
        Of a program.

    Returns
    -------
    statements : tuple
    grids : list of Grid
        Twins without preparation, under new names.
    """
    twins, out = {}, []
    _separate(statements, out, twins)
    return tuple(out), list(twins.values())


def _separate(statements, out, twins):
    for s in statements:
        if isinstance(s, Newton):
            body = []
            _separate(s.body, body, twins)
            out.append(replace(s, body=tuple(body)))
        elif isinstance(s, Sums) and s.grid.preparation:
            prepared = {symbol for step in s.grid.preparation for symbol in step.outputs}
            plain = [row for row in s.sums if not _expanded(s, row[1]).free_symbols & prepared]
            rest = [row for row in s.sums if row not in plain]
            if plain and s.grid.name not in twins:
                twins[s.grid.name] = Grid(f"{s.grid.name} alone", s.grid.bound, False, [], s.grid.columns)
            if plain:
                out.append(_part(s, plain, twins[s.grid.name]))
            if rest:
                out.append(_part(s, rest, s.grid))
        else:
            out.append(s)


def _part(statement, rows, grid):
    """Some sums of a statement, with the locals that they read."""
    read = set().union(*(integrand.free_symbols for _, integrand, _ in rows))
    kept = []
    for symbol, expr in reversed(statement.locals):
        if symbol in read:
            kept.append((symbol, expr))
            read |= expr.free_symbols
    return replace(statement, grid=grid, locals=tuple(kept[::-1]), sums=tuple(rows))


def _expanded(statement, integrand):
    """An integrand of a statement with its locals and columns put back."""
    inside = {}
    for symbol, expr in statement.locals:
        inside[symbol] = expr.xreplace(inside)
    return integrand.xreplace(inside).xreplace({symbol: e for e, symbol in statement.grid.columns.items()})


class DirectSums:
    """Means over a Gaussian grid that needs no preparation.

    Parameters
    ----------
    grid : Grid
        Over normal variables; its columns are formulas in these.
    digits : int
        Absolute accuracy of the means, apart from the width that the balls of other symbols bring.

    Attributes
    ----------
    is_loose : bool
        Whether means over several normals, which are dear, get few digits for now.
    """

    def __init__(self, grid, digits):
        self.grid, self.digits = grid, digits
        self.work, self._means, self.is_loose = Work(), {}, False

    def sums(self, statement, values):
        """Balls of the sums of a statement, ``{symbol: ball}``.

        Parameters
        ----------
        statement : Sums
        values : dict
            Balls of all symbols that are known before.

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
            (expr, inner), bound = split_means(_expanded(statement, integrand)), self.grid.bound
            self._means[key] = (ParametricMean(expr, *bound, self.digits, self.work) if len(bound) == 1 and not inner
                                else SeveralMean(expr, bound, digits, inner))
        return self._means[key]

    def describe(self):
        """One sentence on the growth that was proved."""
        rows = dict.fromkeys(row for mean in self._means.values() for row in mean.describe())
        return f"direct averages over {', '.join(b.name for b in self.grid.bound)}: " + "; ".join(rows)
