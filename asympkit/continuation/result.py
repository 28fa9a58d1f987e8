"""``Continuation``: a path of solutions in one parameter, cut into branches at its folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import UnknownNameError, suggest
from ..plot.estimates import draw_path
from ..summary import LINES, headed, table

if TYPE_CHECKING:
    from typing import Any

    from ..annotations import Arrays, Floats


@dataclass(frozen=True)
class Branch:
    """Hold solutions between two folds, along which the parameter is monotonic.

    ``parameter`` is an array; ``unknowns`` and ``observables`` are dicts of arrays over the same points.
    """

    parameter: Floats
    unknowns: Arrays
    observables: Arrays

    def __getitem__(self, name: str) -> Floats:
        known = self.unknowns | self.observables
        if name not in known:
            raise UnknownNameError(f"branch: no quantity {name!r}{suggest(name, known)}; known are {', '.join(known)}")
        return known[name]

    def __repr__(self) -> str:
        return f"<Branch of {self.parameter.size} points, from {self.parameter[0]:.6g} to {self.parameter[-1]:.6g}>"


@dataclass(frozen=True)
class Fold:
    """Hold a point where two branches meet and the parameter turns back.

    Attributes
    ----------
    parameter : float
        Value of the parameter.
    unknowns, observables : dict of str to float
        The solution.
    """

    parameter: float
    unknowns: dict[str, float]
    observables: dict[str, float]
    kind: str = "fold"


@dataclass(frozen=True)
class BranchPoint(Fold):
    """Hold a point where branches cross, as :class:`Fold`.

    ``kind`` is "pitchfork" if one of two smooth branches turns in the parameter, "transcritical" if neither does, and
    otherwise "branch point".
    """

    kind: str = "branch point"


@dataclass(frozen=True)
class Continuation:
    """Hold a path of solutions.

    Attributes
    ----------
    over : str
    branches : tuple of Branch
        In the order of the path; consecutive ones meet at a fold, or at a branch point at which the path turns.
    folds : tuple of Fold
    end : str
        Why the path ends.
    branch_points : tuple of BranchPoint
        On the path and on the branches that leave it.
    emanating : tuple of Continuation
        The branches that leave at branch points, on every side, each from its point to an end of the interval, with
        their own folds; their branch points are in the tuple above.
    """

    over: str
    branches: tuple[Branch, ...]
    folds: tuple[Fold, ...]
    end: str
    branch_points: tuple[BranchPoint, ...] = ()
    emanating: tuple[Continuation, ...] = ()

    def __repr__(self) -> str:
        at = ", ".join(f"{f.parameter:.6g}" for f in self.folds[:8]) + (", ..." if len(self.folds) > 8 else "")
        folds = f"{len(self.folds)} folds at {self.over} = {at}" if self.folds else "no fold"
        count = "1 branch" if len(self.branches) == 1 else f"{len(self.branches)} branches"
        if self.branch_points:
            at = ", ".join(f"{p.kind} at {p.parameter:.6g}" for p in self.branch_points[:4])
            folds += f", {at}{', ...' * (len(self.branch_points) > 4)} ({len(self.emanating)} emanating branches)"
        return f"<Continuation in {self.over}: {count}, {folds}; {self.end}>"

    def _repr_html_(self) -> str:
        branches = [b for path in (self, *self.emanating) for b in path.branches]
        rows = [(str(k), str(b.parameter.size), b.parameter[0], b.parameter[-1])
                for k, b in enumerate(branches[:LINES], 1)]
        more = [f"<div>{len(branches) - LINES} more branches</div>"] if len(branches) > LINES else []
        shown = table(rows, ("branch", "points", "from", "to"))
        return headed(f"Continuation in {self.over}: {self.end}", shown, *more)

    def plot(self, name: str | None = None, ax: Any = None, **style: Any) -> Any:
        """Draw a quantity along the path and the paths that leave it.

        Each branch is a line, folds are open circles, branch points open squares.  Colour and line distinguish branches
        and say nothing of stability: a saddle point is no minimum of its free energy, and stated equations have no
        dynamics.  At a fold the determinant of the Jacobian of the equations changes its sign.

        Parameters
        ----------
        name : str, optional
            An observable or an unknown; by default ``test_error``, or, if there is none, the first observable.
        ax : matplotlib axes, optional
        **style
            Passed to matplotlib.

        Returns
        -------
        matplotlib axes

        Raises
        ------
        NotAvailableError
            If matplotlib is not installed.
        """
        return draw_path(self, name, ax, style)
