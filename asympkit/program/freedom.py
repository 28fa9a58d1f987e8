"""Linear equations that determine nothing: where they leave an unknown free that others depend on, nothing is solved.

An unknown whose own equation vanishes exactly is 0 by convention: a mean that is proved to be 0 may take the last term
from it.  That is harmless as long as no other unknown depends on it; else there are infinitely many solutions, of which
elimination would pick one.
"""

from sympy import And, Eq, Float, Gt, Integer, Ne, Or, Piecewise

from ..equations.incidence import certainly_nonzero
from ..nodes import Applied, Average, holds, slope
from ..tolerances import DEPENDENT
from .statements import Freedom

#: what residuals of an exactly singular matrix are above: a number over 1e-300
_SINGULAR = 1e100
#: residual above which a column of the inverse does not exist
_NONE = 1e-3


class LinearBlock:
    """What is to be asked of the matrix of a linear block once everything is known.

    Parameters
    ----------
    block : Block
    matrix : sequence of tuple of Symbol or None
    entries : sequence of list of Expr
        The same before it was lowered.
    chains : dict
        Derivatives of the assigned unknowns by the torn ones, ``{torn: {assigned: symbol}}``.
    """

    def __init__(self, block, matrix, entries, chains):
        self.block, self.matrix, self.entries, self.chains = block, matrix, entries, chains
        #: residuals of the matrix, and of the columns of its inverse, by :func:`check_matrix`
        self.singular, self.inverses = [], []
        #: errors of all unknowns by rounding, where they are judged
        self.errors = {}
        #: residual of the solution, where the block has links too
        self.solved = None

    def freedoms(self, later, phase):
        """A :class:`Freedom` for each unknown whose equation may vanish while others depend on it.

        Parameters
        ----------
        later : sequence of Block
        phase : Phase
            In which all unknowns are known.
        """
        out = []
        for i, t in enumerate(self.block.torn):
            if any(map(certainly_nonzero, self.entries[i])):
                continue
            others = [row[i] for j, row in enumerate(self.matrix) if j != i and row[i] is not None]
            others += self.chains[t].values()
            for block in later:
                for u, f in (*block.assignments, *((u, f) for u, f, _ in block.equations)):
                    d = slope(f, t)
                    if d != 0 and not holds(d, (Average, Applied)):         # averages are too dear for every point
                        others.append(phase.add_new(f"d{u}_d{t}", d))
            if others:
                out.append(Freedom(t, tuple(e for e in self.matrix[i] if e is not None), tuple(others)))
        return out

    def residual(self, freedoms, phase):
        """:data:`DEPENDENT` where unknowns are left free, or the matrix is exactly singular; else 0; None if neither
        can be."""
        cases = [And(*(Eq(e, 0) for e in f.row), Or(*(Ne(e, 0) for e in f.others))) for f in freedoms]
        cases += [Gt(s, _SINGULAR) for s in self.singular]
        # a column of the inverse whose row vanishes is none
        cases += [And(Gt(s, _NONE), Or(*(Ne(e, 0) for e in row if e is not None)))
                  for s, row in zip(self.inverses, self.matrix)]
        if not cases:
            return None
        names = "_".join(map(str, self.block.torn))
        return phase.add_new(f"{names}_dependent", Piecewise((Float(DEPENDENT), Or(*cases)), (Integer(0), True)))
