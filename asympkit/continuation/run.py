"""Continue the solutions of a theory: equations and Jacobian as one program, then the path."""

import numpy as np

from ..arguments.requests import check_count, check_positive, check_text
from ..errors import DomainError, UnknownNameError, suggest
from .path import LOST, follow_path
from .result import Branch, Continuation, Fold


def run_continuation(model, over, start, stop, begin, step, limit, parameters):
    """See :meth:`asympkit.theories.model.Model.continuation`."""
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
        model.rates(over, {**parameters, over: value}, point)
    jacobian = model.equations_of_path(over, parameters, first, last)
    solution = model.solve(rtol=1e-10, start=begin, parameters={**parameters, over: start})
    y = np.array([solution[n] for n in jacobian.unknowns] + [ends[0]])
    scale = np.append(np.maximum(1.0, np.abs(y[:-1])), abs(ends[1] - ends[0]))

    def evaluate(t):
        f, derivatives = jacobian(t * scale)
        return f, derivatives * scale

    if not np.all(np.isfinite(evaluate(y / scale)[1])):
        raise DomainError(f"continuation: the equations have no finite derivatives at {over} = {start!r}; expected a "
                          "start from which the solution moves smoothly")
    span = abs(ends[1] - ends[0])
    low, high = min(ends) - 10.0 * span, max(ends) + 10.0 * span
    # a bound that the theory refuses is left out: the path then goes as far as it leads
    bounds = [np.inf * sign if jacobian.refuses(x) else x / scale[-1] for sign, x in ((-1, low), (1, high))]
    path = follow_path(evaluate, y / scale, ends[1] - ends[0], ends[1] / scale[-1], *bounds, 0.1 * step, step, limit)
    return _report(jacobian, over, path, scale)


def _report(jacobian, over, path, scale):
    points, folds = path.points * scale, path.folds * scale
    cuts = [0, *(k + 1 for k in path.fold_after), len(points)]
    branches = []
    for number, (left, right) in enumerate(zip(cuts, cuts[1:])):
        rows = [*folds[number - 1:number], *points[left:right], *folds[number:number + 1]] if number else \
            [*points[left:right], *folds[:1]]
        rows = np.array(rows)
        branches.append(Branch(rows[:, -1], *jacobian.quantities(rows)))
    out = []
    for row in folds:
        unknowns, observables = jacobian.quantities(row[None])
        out.append(Fold(float(row[-1]), {n: float(v[0]) for n, v in unknowns.items()},
                        {n: float(v[0]) for n, v in observables.items()}))
    end = f"{path.end}: {jacobian.refusal}" if path.end == LOST and jacobian.refusal else path.end
    return Continuation(over, tuple(branches), tuple(out), end)
