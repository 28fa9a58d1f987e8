"""How near the matrix of a linear block is to a singular one, as part of the residual of a solution.

Elimination leaves a residual of one rounding whatever the matrix is, also where rounding of its entries determines the
solution.  The error that it leaves is that of :math:`|A^{-1}|\\,B`, B the magnitudes of the entries without their
cancellation; its diagonal does not depend on the units of unknowns and equations.
"""

from sympy import Abs, Float, Integer, Max

from ..tolerances import MEASURED
from .statements import LARGEST_ERROR, ROUNDING, Linear


def check_matrix(torn, matrix, sizes, phase, is_measured):
    """Residuals that are positive where a linear block is singular to rounding, and those of columns of its inverse.

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
    """The diagonal for one or two unknowns; a matrix that vanishes exactly, and whose sizes do, gives 0."""
    if len(a) == 1:
        return [b[0][0] / (Abs(a[0][0]) + Float(1e-300))]
    determinant = Abs(a[0][0] * a[1][1] - a[0][1] * a[1][0]) + Float(1e-300)
    first = Abs(a[1][1]) * b[0][0] + Abs(a[0][1]) * b[1][0]
    second = Abs(a[1][0]) * b[0][1] + Abs(a[0][0]) * b[1][1]
    return [first / determinant] if first.expand() == second.expand() else [first / determinant, second / determinant]


def _by_inverse(torn, matrix, sizes, phase):
    """The diagonal from the columns of the inverse, and their residuals."""
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
