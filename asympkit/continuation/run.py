"""Continue the solutions of a theory: equations and Jacobian as one program, then the path."""

import numpy as np

from ..equations.system import System
from ..errors import DomainError, UnknownNameError, suggest
from ..program import build
from ..program.directions import find_directions
from ..sensitivity.directional import directional
from ..theories.requests import check_count, check_positive, check_text
from .path import follow_path
from .result import Branch, Continuation, Fold


def run_continuation(model, over, start, stop, begin, step, limit, parameters):
    """See :meth:`asympkit.theories.model.Model.continuation`."""
    check_text("over", over, "the name of a parameter")
    step, limit = check_positive("step", step), check_count("limit", limit, 2)
    moving = {s.name for s in model.program[0].parameters} - set(model.table_names)
    known = [p.name for p in model.declared if p.name in moving]
    if over not in known:
        raise UnknownNameError(f"continuation: no parameter {over!r}{suggest(over, known)} to continue in; "
                               f"known are {', '.join(known)}")
    if over in parameters:
        raise DomainError(f"over: {over} is given as {parameters[over]!r} too; leave it out, its range is start, stop")
    first = model.point({**parameters, over: start})
    last = model.point({**parameters, over: stop})
    jacobian = _Equations(model, over, first)
    place = [s.name for s in model.program[0].parameters].index(over)
    ends = first.values[place], last.values[place]
    if ends[0] == ends[1]:
        raise DomainError(f"continuation: start and stop are both {start!r}; expected two different numbers")
    solution = model.solve(rtol=1e-10, start=begin, parameters={**parameters, over: start})
    y = np.array([solution[n] for n in jacobian.unknowns] + [ends[0]])
    scale = np.append(np.maximum(1.0, np.abs(y[:-1])), abs(ends[1] - ends[0]))

    def evaluate(t):
        f, derivatives = jacobian(t * scale)
        return f, derivatives * scale

    span = abs(ends[1] - ends[0])
    bounds = (min(ends) - 10.0 * span) / scale[-1], (max(ends) + 10.0 * span) / scale[-1]
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
    return Continuation(over, tuple(branches), tuple(out), path.end)


class _Equations:
    """Equations, their Jacobian in all unknowns and the parameter, and the observables, at given unknowns."""

    def __init__(self, model, over, point):
        from ..codegen import write_module
        from ..solve.kernel import Kernel

        system, (program, _) = model.system, model.program
        (symbol,) = (s for s in program.parameters if s.name == over)
        moving = (*system.unknowns, symbol)
        named = {f"equation_{i}": e for i, e in enumerate(system.equations)}
        for j, s in enumerate(moving):
            derive = directional({s: 1})
            named |= {f"jacobian_{i}_{j}": derive(e) for i, e in enumerate(system.equations)}
        named |= {f"observable_{o}": e for o, e in system.observables.items()}
        open_system = System((), (*system.equations, *system.observables.values()), named)
        open_system.__dict__["blocks"] = ()
        # the unknowns are given here: nothing is known of their sign on the way
        lowered, names = build(open_system, (*program.parameters, *system.unknowns), find_directions(system))
        self.kernel = Kernel.from_source(write_module(lowered, names, f"Equations and Jacobian of {model.name!r}"))
        self.unknowns = tuple(u.name for u in system.unknowns)
        self.observables, self.size = tuple(system.observables), len(system.equations)
        self.values, self.place = point.values, [s.name for s in program.parameters].index(over)
        level = min(8, self.kernel.levels - 1) if self.kernel.is_refinable else 1
        self.tables, _, _ = self.kernel.tables(level, point.table_parameters, model.activations, point.arrays)

    def _outputs(self, rows):
        rows = np.atleast_2d(rows)
        values = [np.full(len(rows), v) for v in self.values]
        values[self.place] = rows[:, -1]
        return self.kernel.batch([*values, *rows[:, :-1].T], self.tables)[0]

    def __call__(self, y):
        n = self.size
        out = self._outputs(y)[:, 0]
        return out[:n], out[n:n + n * (n + 1)].reshape(n + 1, n).T

    def quantities(self, rows):
        """Unknowns and observables at points, as dicts of arrays."""
        out = self._outputs(rows)[self.size * (self.size + 2):]
        return dict(zip(self.unknowns, rows[:, :-1].T)), dict(zip(self.observables, out))
