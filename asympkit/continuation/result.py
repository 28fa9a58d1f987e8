"""``Continuation``: a path of solutions in one parameter, cut into branches at its folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import UnknownNameError, suggest
from ..summary import LINES, headed, table

if TYPE_CHECKING:
    from typing import Any

    from ..annotations import Arrays, Floats


@dataclass(frozen=True)
class Branch:
    """Solutions between two folds, along which the parameter moves one way.

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
    """Where two branches meet and the parameter turns round.

    Attributes
    ----------
    parameter : float
        Its value there.
    unknowns, observables : dict of str to float
        The solution there.
    """

    parameter: float
    unknowns: dict[str, float]
    observables: dict[str, float]


@dataclass(frozen=True)
class Continuation:
    """A path of solutions.

    Attributes
    ----------
    over : str
    branches : tuple of Branch
        In the order of the path; consecutive ones meet at a fold.
    folds : tuple of Fold
    end : str
        Why the path ends.
    """

    over: str
    branches: tuple[Branch, ...]
    folds: tuple[Fold, ...]
    end: str

    def __repr__(self) -> str:
        at = ", ".join(f"{f.parameter:.6g}" for f in self.folds[:8]) + (", ..." if len(self.folds) > 8 else "")
        folds = f"{len(self.folds)} folds at {self.over} = {at}" if self.folds else "no fold"
        count = "1 branch" if len(self.branches) == 1 else f"{len(self.branches)} branches"
        return f"<Continuation in {self.over}: {count}, {folds}; {self.end}>"

    def _repr_html_(self) -> str:
        rows = [(str(k), str(b.parameter.size), b.parameter[0], b.parameter[-1])
                for k, b in enumerate(self.branches[:LINES], 1)]
        more = [f"<div>{len(self.branches) - LINES} more branches</div>"] if len(self.branches) > LINES else []
        shown = table(rows, ("branch", "points", "from", "to"))
        return headed(f"Continuation in {self.over}: {self.end}", shown, *more)

    def plot(self, name: str | None = None, ax: Any = None, **style: Any) -> Any:
        """Draw a quantity along the path: each branch a line of its own, folds as open circles.

        Colour and line tell branches apart and say nothing of stability: a saddle point is no minimum of its free
        energy, and equations that are stated have no dynamics.  Of two branches that meet at a fold one has one
        direction more in which the Jacobian of the equations changes its sign.

        Parameters
        ----------
        name : str, optional
            An observable or an unknown; ``test_error`` unless given, or where there is none the first observable.
        ax : matplotlib axes, optional
        **style
            Passed to matplotlib.

        Returns
        -------
        matplotlib axes

        Raises
        ------
        NotAvailableError
            Without matplotlib.
        """
        from ..pictures.branches import draw_path

        return draw_path(self, name, ax, style)
