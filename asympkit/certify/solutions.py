"""Certified solutions of a theory: choose the working digits, run the proof, record it."""

from dataclasses import dataclass
from math import ceil, log10

import numpy as np

from .._version import __version__
from ..balls.backend import arb, versions, workprec
from ..balls.ball import Ball
from ..errors import ProofError
from ..program.prune import prune
from ..readings.precise import check_digits
from ..solve.solution import Solution, Status
from .certificate import Certificate
from .direct import DirectSums, separated
from .given import GivenSums, exact_arrays
from .numbers import Balls, exact_parameters
from .outer import OuterSums
from .parts import all_sums
from .run import Run

__all__ = ["CertifiedSolution", "certify_model"]

_COVER = arb("1e-6")       # relative half-width of the boxes on which denominators are examined
_ATTEMPTS = 4


@dataclass(frozen=True)
class CertifiedSolution(Solution):
    """A :class:`~asympkit.solve.solution.Solution` of balls, with the record of its proof.

    Attributes
    ----------
    certificate : Certificate
    """

    certificate: Certificate = None

    @property
    def reached(self):
        """What was proved, as text."""
        return f"proved: {self.certificate.claim}\nlargest radius {float(self.error_estimate):.1e}"


def certify_model(model, parameters, digits, floats):
    """Solution of balls of a model at exact parameters; see :meth:`asympkit.theories.model.Model.certify`."""
    check_digits(digits)
    plain = {k: v for k, v in parameters.items() if k not in model.array_names}
    exact = {**exact_parameters(plain, floats), **exact_arrays(parameters, model.array_names, floats)}
    point = model.point(exact)
    rough = model.kernel.solve(point.values, point.table_parameters, model.activations, point.arrays, 1e-9, None)
    worst = max((c for c in rough.condition.values() if c < 1e30), default=1.0)
    working, lost = max(digits, 8) + 6 + ceil(log10(max(worst, 1.0))), None
    for _ in range(_ATTEMPTS):
        try:
            found = _attempt(model, exact, point, rough, working)
        except ProofError as error:
            failure, lost = error, None
            working += 5 + working // 4
            continue
        lost = _missing_digits(found[0], rough, digits)
        if lost <= 0:
            return _solution(model, exact, point, rough, digits, found)
        working += lost + 1
    if lost is None:
        raise failure
    raise ProofError(f"certify: {digits} digits were not reached; the enclosures are {lost} digits too wide at "
                     f"{working} working digits: the problem is ill-conditioned here, ask for fewer digits")


def _attempt(model, exact, point, rough, working):
    """Balls of all outputs with a given number of working digits."""
    bits = int(3.33 * working) + 40
    program, _ = model.program
    outputs = (*program.unknowns, *program.observables.values())
    statements, twins = separated(prune(program.statements, set(outputs)))
    with workprec(bits):
        numbers = Balls(working, bits)
        values = {s: numbers.number(v) for s, v in model.precise_values(exact, numbers).items()}
        start = {u: rough.order_parameters[u.name] for n in program.newtons for u in n.torn}
        guess = {**values, **{u: arb(rough.order_parameters[u.name]) for u in program.unknowns}}
        boxes = {u: guess[u] * (1 + arb(0, _COVER.upper())) for u in start}
        grids = {}
        read = {s.grid.name for s in all_sums(statements)}
        for grid in (g for g in (*program.grids, *twins) if g.name in read):
            if grid.given:
                grids[grid.name] = GivenSums(grid, exact)
            elif grid.preparation:
                grids[grid.name] = _outer(grid, statements, model, values, boxes, guess, working, bits)
            else:
                grids[grid.name] = DirectSums(grid, working)
        run = Run(grids, working, model.monotone, start)
        try:
            result = run.run(statements, values)
        except np.linalg.LinAlgError:
            raise ProofError("certify: the Jacobian is singular at the solution found: the root is double or not "
                             "isolated; move the parameters") from None
    return {s: result[s] for s in outputs}, numbers, grids, run, working, bits


def _outer(grid, statements, model, values, boxes, guess, working, bits):
    sums = OuterSums(grid, statements, model.functions, values, boxes, working, bits)
    integrands = [(s.locals, e) for s in all_sums(statements) if s.grid is grid for _, e, _ in s.sums]
    sums.choose(integrands, guess)
    return sums


def _missing_digits(balls, rough, digits):
    """Digits by which the widest ball misses the request, relative to the scale of its quantity."""
    worst = -digits
    for symbol, ball in balls.items():
        if not ball.is_finite():
            return 10
        # what is zero by symmetry has no scale of its own
        own = 0.0 if ball.contains(0) else abs(float(ball.mid()))
        size = max(own, rough.scale.get(symbol.name, 0.0)) or 1.0
        radius = float(ball.rad())
        if radius:
            worst = max(worst, digits + log10(radius / size))
    return ceil(worst) if worst > 0 else 0


def _solution(model, exact, point, rough, digits, found):
    balls, numbers, grids, run, working, bits = found
    program, _ = model.program
    shown = {s: Ball.from_arb(b) for s, b in balls.items()}
    unknowns = {u.name: shown[u] for u in program.unknowns}
    observables = {name: shown[s] for name, s in program.observables.items()}
    glob = all("only positive root" in note for note in run.notes)
    claim = ("The equations have exactly one solution"
             + (f" with {', '.join(u.name for n in program.newtons for u in n.torn)} > 0" if glob and run.notes
                else " in the box of the roots below" if run.notes else "")
             + ", and every exact value lies in its ball.")
    hypotheses = tuple(dict.fromkeys(h for part in (numbers, *grids.values()) for h in describe(part)))
    certificate = Certificate(
        claim, model.name, {k: f.name for k, f in model.functions.items()},
        {k: str(v) for k, v in exact.items()}, digits, working, bits, tuple(run.notes), hypotheses,
        point.assumptions, {**{k: str(b) for k, b in observables.items()}, **{k: str(b) for k, b in unknowns.items()}},
        {"asympkit": __version__, **versions()})
    widest = max((b.rad for b in shown.values()), default=0)
    nodes = sum(getattr(g, "nodes", 0) for g in grids.values())
    return CertifiedSolution(unknowns, observables, point.shown, 0, 0, widest, nodes=nodes, scale=rough.scale,
                             status=Status.PROVED, assumptions=point.assumptions, certificate=certificate)


def describe(part):
    """Sentences on what the proof rests on, from a part of it."""
    for inner in getattr(part, "means", {}).values() if isinstance(getattr(part, "means", None), dict) else getattr(
            part, "means", ()):
        yield inner.source.describe()
    if hasattr(part, "describe"):
        yield part.describe()
