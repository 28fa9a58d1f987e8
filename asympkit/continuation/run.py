"""Continue the solutions of a theory: compile equations and Jacobian, then follow the path and those that leave it.

The result is a ``Continuation``: a path of solutions in one parameter, cut into branches at its folds.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import check_count, check_positive, check_text
from ..errors import ConvergenceError, DomainError, UnknownNameError, suggest
from ..notation import LINES, add_title, table
from ..plot.curves import draw_path
from .path import LOST, OUTSIDE, RADIUS, UNRESOLVED, find_arms, follow_path, locate

if TYPE_CHECKING:
    from collections.abc import Sequence
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
    """Hold a point where branches cross, as :class:`~asympkit.continuation.run.Fold`.

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
        return add_title(f"Continuation in {self.over}: {self.end}", shown, *more)

    def plot(self, name: str | Sequence[str] | None = None, ax: Any = None, **style: Any) -> Any:
        """Draw a quantity along the path and the paths that leave it.

        Each branch is a line, folds are open circles, branch points open squares.  Colour and line distinguish branches
        and say nothing of stability: a saddle point is no minimum of its free energy, and stated equations have no
        dynamics.  At a fold the determinant of the Jacobian of the equations changes its sign.

        Parameters
        ----------
        name : str or list of str, optional
            An observable or an unknown; by default ``test_error``, or, if there is none, the first observable.
        ax : matplotlib axes, optional
        **style
            Passed to matplotlib.

        Returns
        -------
        matplotlib axes
            An array of them for several quantities.

        Raises
        ------
        NotAvailableError
            If matplotlib is not installed.
        """
        return draw_path(self, name, ax, style)


#: distance in scaled variables within which two branch points count as equal
_SAME = 1e-6
#: largest number of branches that are followed
_MOST = 64


def run_continuation(model, over, start, stop, begin, step, limit, parameters):
    """Run :meth:`asympkit.theories.model.Model.continuation`."""
    check_text("over", over, "the name of a parameter")
    step, limit = check_positive("step", step), check_count("limit", limit, 2)
    known = [p.name for p in model.declared if p.is_axis and p.name in model.smooth]
    if over not in known:
        raise UnknownNameError(f"continuation: no parameter {over!r}{suggest(over, known)} to continue in; "
                               f"known are {', '.join(known)}")
    if over in parameters:
        raise DomainError(f"over: {over} is given as {parameters[over]!r} too; leave it out, its range is start, stop")
    first = model.point({**parameters, over: start})
    last = model.point({**parameters, over: stop})
    ends = float(first.shown[over]), float(last.shown[over])
    if ends[0] == ends[1]:
        raise DomainError(f"continuation: start and stop are both {start!r}; expected two different numbers")
    for value, point in zip(ends, (first, last)):        # raises for an end that is a limit, such as infinity
        model.derivatives(over, {**parameters, over: value}, point)
    jacobian = model.equations_of_path(over, parameters, first, last)
    solution = model.solve(rtol=1e-10, start=begin, parameters={**parameters, over: start})
    y, span = np.array([solution[n] for n in jacobian.unknowns] + [ends[0]]), abs(ends[1] - ends[0])
    scaled = _Scaled(jacobian.domain, y, span)
    first = scaled.of(y)

    def evaluate(t):
        with np.errstate(over="ignore"):
            y, slopes = scaled.values(t), scaled.slopes(t)
        f, derivatives = jacobian(y)
        return f, derivatives * slopes

    if not np.all(np.isfinite(evaluate(first)[1])):
        raise DomainError(f"continuation: the equations have no finite derivatives at {over} = {start!r}; expected a "
                          "start from which the solution moves smoothly")
    bounds = np.array([*jacobian.domain, sorted(ends)])
    low, high = scaled.of(bounds[:, 0]), scaled.of(bounds[:, 1])
    edges = [(k, bound, f"unknown {name} reaches {value:g}, the edge of its domain" if np.isfinite(value) else
              f"unknown {name} tends to {value:g}inity")
             for k, name in enumerate(jacobian.unknowns)
             for bound, value in ((low[k], bounds[k, 0]), (high[k], bounds[k, 1]))]
    edges += [(y.size - 1, bound / span, f"{over} reaches {round(bound, 300):g}, the edge of its domain")
              for p in model.declared if p.name == over for bound in p.ends if abs(bound) < 1e300]
    outer = [(-1, ends[1] / span, "stop was reached")]
    for x in (min(ends) - 10.0 * span, max(ends) + 10.0 * span):
        with suppress(DomainError):         # outside the domain there is no bound
            model.locate_point({**parameters, over: x})
            outer.append((-1, x / span, "a bound was reached"))
    is_coarse = True
    while is_coarse:
        if jacobian.is_resolved:        # place nodes around narrow features of the start
            jacobian.is_resolved(y)
        paths, meetings = _follow_branches(
            first, np.sign(ends[1] - ends[0]), low, high, edges, outer, evaluate=evaluate, largest=step,
            limit=limit, accuracy=jacobian.accuracy,
            is_resolved=jacobian.is_resolved and (lambda t: jacobian.is_resolved(scaled.values(t))))
        is_coarse = any(path.end == UNRESOLVED for path in paths)
        if is_coarse and not jacobian.refine():
            break
    if is_coarse and len(paths[0].points) == 1:
        raise ConvergenceError(f"continuation: at {over} = {start!r} the averages do not reach the accuracy that a "
                               "path needs with the finest quadrature rule; start elsewhere, or use "
                               "precise() at single points")
    main, *others = [_report(jacobian, over, path, scaled) for path in paths]
    points = tuple(BranchPoint(*_solution(jacobian, scaled.values(m.point)), m.kind) for m in meetings)
    return Continuation(over, main.branches, main.folds, main.end, points, tuple(others))


class _Scaled:
    """Map unknowns and the parameter to coordinates of order 1: the parameter and unknowns of an interval linearly.

    Others are ``edge + size*sinh(t)``, linear up to their size at the start and logarithmic beyond, so that steps
    follow an unknown that grows without bound.  There is one entry for each unknown, and the parameter last.
    """

    def __init__(self, domain, y, span):
        low, high = np.array([*domain, (0.0, 0.0)]).T
        is_low, is_high = np.isfinite([low, high])
        self.is_linear = is_low & is_high
        self.edge = np.where(self.is_linear, 0.0, np.where(is_low, low, np.where(is_high, high, 0.0)))
        self.size = np.append(np.maximum(1.0, np.abs(y[:-1])), span)

    def of(self, y):
        t = (y - self.edge) / self.size
        return np.where(self.is_linear, t, np.arcsinh(t))

    def values(self, t):
        return self.edge + self.size * np.where(self.is_linear, t, np.sinh(t))

    def slopes(self, t):            # of the values by the coordinates
        return self.size * np.where(self.is_linear, 1.0, np.cosh(t))


class _Meeting:
    """Hold a branch point, nearby solutions on its branches (arms), and which of these are followed or lie outside."""

    def __init__(self, evaluate, point, low, high):
        self.point, self.arms, self.followed = point, find_arms(evaluate, point), set()
        self.outside = {k for k, a in enumerate(self.arms) if np.any((a < low - 1e-12) | (a > high + 1e-12))}

    def ahead(self, direction):
        """Return the index of the arm that lies in a direction; None if none does."""
        along = [(a - self.point) @ direction / np.linalg.norm(direction) for a in self.arms]
        return int(np.argmax(along)) if along and max(along) > 0.5 * RADIUS else None

    @property
    def kind(self):
        """Return the kind of the branch point, from its pairs of opposite arms."""
        sides = [np.sign(a[-1] - self.point[-1]) * (abs(a[-1] - self.point[-1]) > 1e-12) for a in self.arms]
        pairs = {frozenset((k, self.ahead(self.point - a))) for k, a in enumerate(self.arms)}
        turning = [sides[j] == sides[k] != 0 for j, k in (p for p in pairs if len(p) == 2 and None not in p)]
        is_simple = len(self.arms) == 4 and len(turning) == 2 and all(sides)
        return ("transcritical", "pitchfork", "branch point")[sum(turning)] if is_simple else "branch point"


def _follow_branches(first, towards, low, high, edges, outer, **how):
    """Follow the path from a solution, and those that leave it at branch points, each once to the ends of the interval.

    Return the paths and the branch points."""
    inner = [(-1, bound, "the end of the interval was reached") for bound in (low[-1], high[-1])]
    paths, meetings = [], []

    def meeting_at(point):
        found = [m for m in meetings if np.max(np.abs(m.point - point)) <= _SAME]
        if not found:
            meetings.append(_Meeting(how["evaluate"], point, low, high))
        return (*found, meetings[-1])[0]

    def meet(point, incoming, outgoing):
        meeting = meeting_at(point)
        ahead = None if outgoing is None else meeting.ahead(outgoing)
        is_known = ahead in meeting.followed
        meeting.followed |= {ahead, meeting.ahead(-incoming)} - {None}
        return "it joins a branch that is followed already" if is_known else ""

    def follow(meeting, arm, ends):
        meeting.followed.add(arm)
        points = [meeting.point, meeting.arms[arm]]
        paths.append(follow_path(points=points, direction=points[1] - points[0], ends=(*edges, *ends), step=RADIUS,
                                 meet=meet, **how))

    point = locate(how["evaluate"], first, True, 1e-4, how["accuracy"])
    if point is not None and abs(point[-1] - first[-1]) <= 1e-9 and meeting_at(point).arms:
        follow(meetings[0], int(np.argmax([arm[-1] * towards for arm in meetings[0].arms])), outer)
    else:
        paths.append(follow_path(points=[first], direction=np.append(0.0 * first[:-1], towards), ends=(*edges, *outer),
                                 step=0.1 * how["largest"], meet=meet, **how))
    for meeting in meetings:                        # more are found on the way
        for arm in range(len(meeting.arms)):
            if arm not in meeting.followed | meeting.outside and len(paths) <= _MOST and paths[-1].end != UNRESOLVED:
                follow(meeting, arm, inner)
    return paths, meetings


def _solution(jacobian, row):
    unknowns, observables = ({n: float(v[0]) for n, v in q.items()} for q in jacobian.quantities(row[None]))
    return float(row[-1]), unknowns, observables


def _report(jacobian, over, path, scaled):
    branches = []
    pieces = np.split(path.points, [after for after, _ in path.cuts])
    turns = [row[None] for _, row in path.cuts]
    for piece, *joints in zip(pieces, [path.points[:0], *turns], [*turns, path.points[:0]]):
        rows = scaled.values(np.vstack([joints[0], piece, joints[1]]))
        branches.append(Branch(rows[:, -1], *jacobian.quantities(rows)))
    end = f"{LOST}: {jacobian.refusal}" if path.end == OUTSIDE and jacobian.refusal else path.end
    folds = tuple(Fold(*_solution(jacobian, scaled.values(row))) for row in path.folds)
    return Continuation(over, tuple(branches), folds, end)
