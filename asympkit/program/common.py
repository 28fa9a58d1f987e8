r"""Sub-expressions that several statements have in common become statements of their own, computed once.

Equations ``c*(u - f) = 0`` of a positive unknown: far from the root they are better read as ``log(u/f) = 0``.

How near the matrix of a linear block is to a singular one, as part of the residual of a solution.

Elimination leaves a residual of one rounding whatever the matrix is, also where rounding of its entries determines the
solution.  The error that it leaves is that of :math:`|A^{-1}|\,B`, B the magnitudes of the entries without their
cancellation; its diagonal does not depend on the units of unknowns and equations.
"""

from dataclasses import replace

from sympy import Abs, Add, Float, Integer, Max, Mul, Piecewise, Pow, S
from sympy.core.function import Application
from sympy.logic.boolalg import Boolean

from ..nodes import Applied, Average, Named, free_of, holds, tree_size
from ..tolerances import MEASURED
from .statements import LARGEST_ERROR, ROUNDING, Linear, Newton, Scalar, Sums

__all__ = ["name_common", "shared_parts"]


#: nodes of all expressions of a program, each counted as often as it is written, from which it is worth the lines
LONG = 30_000
#: nodes that naming a part must save
_LEAST = 12


def name_common(statements, names):
    """Return statements in which no longer part of an expression is written twice.

    Parameters
    ----------
    statements : sequence
    names : Names
        For the new symbols.

    Returns
    -------
    tuple
        The same values in the same order, between them those of the common parts, each before it is first needed.
        Every stretch between two Newton solves, and the body of each, has its own: what they are made of moves in
        between.  Programs below :data:`LONG` stay as they are.
    """
    return tuple(shared_parts(statements, names)) if length(statements) >= LONG else tuple(statements)


def length(statements):
    """Count the nodes of the expressions of statements."""
    return sum(length(s.body) if isinstance(s, Newton) else sum(map(tree_size, _expressions(s))) for s in statements)


def _expressions(s):
    if isinstance(s, Scalar):
        return [s.expr]
    return s.expressions if isinstance(s, Sums) else []


def shared_parts(statements, names):
    """Do as :func:`name_common`, however short the program is."""
    out, stretch = [], []
    for s in statements:
        if not isinstance(s, Newton):
            stretch.append(s)
            continue
        out += _Stretch(stretch, names)()
        out.append(replace(s, body=tuple(shared_parts(s.body, names))))
        stretch = []
    return out + _Stretch(stretch, names)()


class _Stretch:
    """Statements in a row that see the same values."""

    def __init__(self, statements, names):
        self.statements, self.names = statements, names
        self.uses, self.written, self.out = {}, {}, []

    def __call__(self):
        for s in self.statements:
            if isinstance(s, Scalar):
                self._count(s.expr)
        for s in self.statements:
            self.out.append(replace(s, expr=self._write(s.expr)) if isinstance(s, Scalar) else s)
        return self.out

    def _count(self, expr):
        self.uses[expr] = self.uses.get(expr, 0) + 1
        if self.uses[expr] == 1:
            for part in _parts(expr):
                self._count(part)

    def _write(self, expr):
        """Return an expression in the common parts, which are added to the statements as they are met."""
        if not _parts(expr):
            return expr
        if expr not in self.written:
            form = _rebuilt(expr, self._write)
            if (self.uses[expr] - 1) * (tree_size(form) - 1) >= _LEAST:
                symbol = self.names.fresh("common", **_assumptions(expr))
                self.out.append(Scalar(symbol, form))
                form = symbol
            self.written[expr] = form
        return self.written[expr]


def _parts(expr):
    """Return what an expression is written in.

    Numbers in front of products stand apart, and powers of a reciprocal are those of one.  Cases stay as they are:
    outside of its case a branch need not have a value.
    """
    if isinstance(expr, Mul):
        number, rest = expr.as_coeff_Mul()
        return expr.args if number is S.One else (rest,)
    if isinstance(expr, Pow) and _is_below(expr):
        return (1 / expr.base,)
    is_plain = isinstance(expr, Add | Pow | Application) and not isinstance(expr, Piecewise | Boolean)
    return expr.args if is_plain else ()


def _is_below(power):
    return power.exp.is_Integer and power.exp < -1


def _rebuilt(expr, write):
    """Return an expression with its parts written anew; sympy is kept from putting them together again."""
    parts = _parts(expr)
    new = [write(a) for a in parts]
    if all(a is b for a, b in zip(new, parts)):
        return expr
    if isinstance(expr, Mul) and parts != expr.args:
        return Mul(expr.as_coeff_Mul()[0], *Mul.make_args(new[0]), evaluate=False)
    if isinstance(expr, Pow) and _is_below(expr):
        (inverse,) = new
        return Pow(inverse, -expr.exp, evaluate=False) if inverse.is_Symbol else \
            Pow(inverse.base, expr.exp, evaluate=False)
    return expr.func(*new, evaluate=False)


def _assumptions(expr):
    return {"positive": True} if expr.is_positive else {"real": True}


def quotient_factor(u, equation, unknowns):
    """Return the factor c for which an equation that vanishes says ``u = u - equation/c``, or None.

    Near the root both forms have the same Newton steps. Far from it u - f(u) may turn back where f grows as fast
    as u, while the logarithm of u/f(u) goes on: as long as f grows less than in proportion to u, it increases.

    Parameters
    ----------
    u : Symbol
    equation : Expr
    unknowns : collection of Symbol
        Those of the block: c holds none of them.

    Returns
    -------
    Expr or None
        None also where c holds averages, or the unknown is not known to be positive.
    """
    if not u.is_positive:
        return None
    inner = set(unknowns)
    outside = [a for a in Mul.make_args(equation) if not free_of(a) & inner]
    rest = Mul(*[a for a in Mul.make_args(equation) if free_of(a) & inner])
    slopes = [t / u for t in Add.make_args(rest) if not free_of(t / u) & inner]
    # u - a*u - ... is u = a*u + ...: a number says best what was meant
    plain = [c for c in slopes if c.is_Rational]
    factor = Mul(*outside, Add(*(plain or slopes)))
    if factor == Integer(0) or rest == u or holds(factor, (Average, Applied, Named)):
        return None
    return factor


def check_matrix(torn, matrix, sizes, phase, is_measured):
    """Return residuals that are positive where a linear block is singular to rounding, and those of columns of its
    inverse.

    Parameters
    ----------
    torn : tuple of Symbol
    matrix : tuple of tuple of Symbol or None
        By row; None where an entry vanishes.
    sizes : tuple of tuple of Symbol or None
        Magnitudes of the entries before cancellation, or () where none cancels.
    phase : Phase
    is_measured : bool
        Whether the theory holds averages that are refined.

    Returns
    -------
    list of Symbol
        At most one for each unknown.
    list of Symbol
        One for each unknown, or none; that of a column which does not exist is not small.
    list of tuple of Symbol
        The columns of the inverse themselves.
    """
    if len(torn) == 1 and not sizes:
        return [], [], []
    entries = [[Integer(0) if e is None else e for e in row] for row in matrix]
    if sizes:
        sizes = [[Integer(0) if e is None else e for e in row] for row in sizes]
    else:
        sizes = [[Abs(e) for e in row] for row in entries]
    shares, inverses, columns = (_small(entries, sizes), [], []) if len(torn) <= 2 else \
        _by_inverse(torn, matrix, sizes, phase)
    rounding = ROUNDING * (Float(MEASURED) if is_measured else 1)
    return [phase.add_new(f"{u}_singular", Max(0, rounding * share - LARGEST_ERROR, evaluate=False))
            for u, share in zip(torn, shares) if share != 0], inverses, columns


def _small(a, b):
    """Return the diagonal for one or two unknowns; a matrix that vanishes exactly, and whose sizes do, gives 0."""
    if len(a) == 1:
        return [b[0][0] / (Abs(a[0][0]) + Float(1e-300))]
    determinant = Abs(a[0][0] * a[1][1] - a[0][1] * a[1][0]) + Float(1e-300)
    first = Abs(a[1][1]) * b[0][0] + Abs(a[0][1]) * b[1][0]
    second = Abs(a[1][0]) * b[0][1] + Abs(a[0][0]) * b[1][1]
    return [first / determinant] if first.expand() == second.expand() else [first / determinant, second / determinant]


def _by_inverse(torn, matrix, sizes, phase):
    """Return the diagonal from the columns of the inverse, and their residuals."""
    names, n = phase.shop.names, len(torn)
    zero, one = phase.add_new("zero", Integer(0)), phase.add_new("one", Integer(1))
    shares, residuals = [Integer(0)] * n, []
    columns = [tuple(names.fresh(f"inverse_{u}_{t}") for u in torn) for t in torn]
    for k, column in enumerate(columns):
        unit = tuple(one if j == k else zero for j in range(n))
        residuals.append(names.fresh(f"inverse_{torn[k]}_residual"))
        phase.add_linear(Linear(column, matrix, unit, residuals[-1]))
        for i in range(n):
            shares[i] += Abs(column[i]) * sizes[k][i]
    return shares, residuals, columns
