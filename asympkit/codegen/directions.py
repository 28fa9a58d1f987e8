"""Print the table rows for means whose direction alone counts: their size, and the size of their rounding."""

from sympy import Abs, Symbol, sqrt

from ..program.reflection import vanishing
from ..program.statements import Means
from ..program.symmetry import base_columns


def direction_rows(grid):
    """Return the rows after those that loops read, three for each direction.

    The size of the mean, the root mean square of its integrand, and that times the shift of the integrand.  The latter
    two scale the rounding of a mean, and of one that vanishes without shift.  No squares: they underflow.
    """
    return [row for d in grid.directions for row in (Abs(d.mean), sqrt(d.size), sqrt(d.size) * d.shift.symbol)]


def table_columns(grid):
    """Return the symbols of all rows of a table."""
    base = base_columns(grid)
    return [*base, *(s for d in grid.directions for s in (d.mean, d.size, d.shift.symbol) if s not in base)]


def table_preparation(grid):
    """Return the steps that compute those symbols, in order."""
    return [*grid.preparation, *(d.shift for d in grid.directions)]


def centre_floors(step, arguments, kept):
    """Return texts of the parts of their size below which means are zero without shift, by the activation's parity.

    Means that vanish by parity are zero; those in ``kept`` are not, however small; others below rounding are zero, so
    that they are the same on all rules.
    """
    found = {}
    for parity, zeros in {0: (False,) * len(step.items), **vanishing(step, arguments)}.items():
        found[parity] = ["np.inf" if zero else "-1.0" if s in kept else "FLOOR"
                         for zero, s in zip(zeros, step.outputs)]
    return found


def direction_constants(program, grid):
    """Return for each direction its first row, its activation's place and order, and the parities of which it is zero
    without shift, then as texts offset, slope and functional, in ``node``, ``z``, ``s`` and ``p0``, ``p1``, ...
    """
    found = []
    for n, d in enumerate(grid.directions):
        step = _step(grid, d.mean)
        place = step.outputs.index(d.mean)
        odd = tuple(p for p, zeros in vanishing(step, set(program.table_parameters)).items()
                    if zeros[place] and p != 2)
        plain = {s: Symbol(f"p{i}", real=True) for i, s in enumerate(program.table_parameters)}
        plain |= {grid.bound[0]: Symbol("node"), step.z: Symbol("z"), step.value: Symbol("s")}
        texts = tuple(str(e.xreplace(plain)) for e in (step.offset, step.slope, dict(step.items)[d.mean]))
        found.append((len(grid.columns) + 3 * n, program.activations.index(step.label), step.order, odd, texts))
    return tuple(found)


def _step(grid, mean):
    return next(s for s in grid.preparation if isinstance(s, Means) and mean in s.outputs)
