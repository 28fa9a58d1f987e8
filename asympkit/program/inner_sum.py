"""A sum over a grid inside the integrand of another sum: an average inside a function of an average."""

from sympy import Expr, Tuple
from sympy.core.symbol import Str

__all__ = ["InnerSum", "split_locals"]


class InnerSum(Expr):
    """Weighted sum of an integrand over the nodes of a grid, at one node of another grid.

    Parameters
    ----------
    integrand : Expr
        In the variables of both grids, parameters and unknowns.
    grid : str
        Name of the inner grid.
    bound : sequence of Symbol
        Its variables.
    """

    is_commutative = True

    def __new__(cls, integrand, grid, bound):
        return Expr.__new__(cls, integrand, grid if isinstance(grid, Str) else Str(grid), Tuple(*bound))

    @property
    def integrand(self):
        return self.args[0]

    @property
    def grid(self):
        return self.args[1].name

    @property
    def bound(self):
        return tuple(self.args[2])

    @property
    def free_symbols(self):
        return self.integrand.free_symbols - set(self.bound)

    def _eval_is_extended_real(self):
        return True

    _eval_is_real = _eval_is_extended_real

    def _eval_is_positive(self):
        return True if self.integrand.is_positive else None

    def _eval_is_nonnegative(self):
        return True if self.integrand.is_nonnegative else None

    def _sympystr(self, printer):
        return f"E_{', '.join(b.name for b in self.bound)}[{printer._print(self.integrand)}]"


def split_locals(rows):
    """Return locals of a pass in three parts: what inner sums may hold, the inner sums, and what may hold these.

    Parameters
    ----------
    rows : sequence of (Symbol, Expr)
        In an order of dependence.
    """
    before, inner, after, late = [], [], [], set()
    for symbol, expr in rows:
        if isinstance(expr, InnerSum):
            inner.append((symbol, expr))
        elif expr.free_symbols & late:
            after.append((symbol, expr))
        else:
            before.append((symbol, expr))
            continue
        late.add(symbol)
    return before, inner, after
