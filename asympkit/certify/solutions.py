"""Certified solutions of a theory: choose the working digits, run the proof, record it.

The record holds the claim, its hypotheses and the library versions.  Sums over given arrays (eigenvalues) are finite
sums of exact numbers.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import ceil, inf, log10
from typing import TYPE_CHECKING

import numpy as np
from sympy import Integer, Rational

from .._version import __version__
from ..arguments import check_digits, check_one_dimension, check_path
from ..balls.backend import arb, ctx, ratio, versions, workprec
from ..balls.backend import exact as sympy_number
from ..balls.ball import Ball
from ..errors import ConvergenceError, DomainError, ProofError, StructureError
from ..once import Deferred
from ..program.passes import prune
from ..program.statements import InnerSum, Means, Newton, Sums, select_statements
from ..runtime.newton import RESTING
from ..solve.solution import Solution, Status
from ..tolerances import LARGEST_ERROR, ROUNDING
from .forms import at_nodes, ball_function, is_final, is_spent, refusal
from .outer import OuterSums
from .run import Balls, Run, check_free, exact_number, exact_parameters
from .separate import AngleSums, holds_steps, inner_grids, separate_sums, with_reciprocals

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any, Literal

    from ..annotations import FloatsMean
    from ..theories.model import Model


@dataclass(frozen=True)
class Certificate:
    """Hold the record of a proof by ``certify``.

    Attributes
    ----------
    claim : str
        The statement that is proved.
    theory : str
    functions : dict
        The activations, ``{label: text}``.
    parameters : dict
        Exact values, as text, defaults included; balls of derived ones.
    digits, working_digits, bits : int
        Requested; used for the averages; precision of the balls.
    roots : tuple of str
        The proof of each non-linear block.
    hypotheses : tuple of str
        Growth of the activations, heights of analyticity, regions without zeros: all proved by ball
        arithmetic during this run, stated so that a reader can check them.
    assumptions : tuple of str
        Assumptions of the theory that do not hold; the equations are solved all the same.
    enclosures : dict
        ``{name: text of the ball}``.
    versions : dict
    uniqueness : {"global", "local", "open"}
        The solution is the only one with positive unknowns (or the equations are linear); the only one in the box that
        the proof names; or others in that box are not excluded.
    """

    claim: str
    theory: str
    functions: dict[str, str]
    parameters: dict[str, str]
    digits: int
    working_digits: int
    bits: int
    roots: tuple[str, ...]
    hypotheses: tuple[str, ...]
    assumptions: tuple[str, ...]
    enclosures: dict[str, str]
    versions: dict[str, str]
    uniqueness: Literal["global", "local", "open"] = "local"

    def __repr__(self) -> str:
        return (f"<Certificate of {self.theory}: {len(self.enclosures)} balls, {self.digits} digits, {self.uniqueness} "
                "uniqueness; str() shows all of it>")

    def __str__(self) -> str:
        lines = [f"certificate: {self.theory}", self.claim, ""]
        lines += [f"{k} = {v}" for k, v in (*self.functions.items(), *self.parameters.items())]
        lines += ["", f"{self.digits} digits requested, averages with {self.working_digits} digits, {self.bits} bits"]
        for title, rows in (("roots", self.roots), ("hypotheses, proved in this run", self.hypotheses),
                            ("assumptions of the theory that do not hold", self.assumptions)):
            if rows:
                lines += ["", f"{title}:", *(f"  {row}" for row in rows)]
        width = max(map(len, self.enclosures))
        lines += ["", "enclosures:", *(f"  {k:<{width}}  {v}" for k, v in self.enclosures.items())]
        lines += ["", ", ".join(f"{k} {v}" for k, v in self.versions.items())]
        return "\n".join(lines)

    def save(self, path: str | Path) -> Path:
        """Write the record as JSON.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path

        Raises
        ------
        DomainError
            If there is no such folder.
        """
        path = check_path("path", path)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        return path


class Entries(tuple):
    """The entries of an array as exact numbers; the text of a long one is its size, range and fingerprint."""

    reading = ""

    def __str__(self):
        if len(self) <= 4:
            return ", ".join(map(str, self)) + self.reading
        code = hashlib.sha256("\n".join(f"{v.numerator}/{v.denominator}" for v in self).encode()).hexdigest()
        return (f"{len(self)} numbers from {float(min(self)):.6g} to {float(max(self)):.6g}{self.reading}, sha256 of "
                f"the fractions, one a line, {code}")


def exact_arrays(parameters, names, floats):
    """Convert arrays to :class:`Entries`.

    ``names`` are those of lists or numpy arrays of ints, Fractions, decimal texts or floats, or of objects with
    enclosures of their own (``enclosed(floats)``, with ``balls(bits)``).  ``floats`` is as for numbers; a computed
    spectrum is given with ``"exact"``: its floats are the data.
    """
    given = {name: parameters[name] for name in names if name in parameters}
    return {name: value.enclosed(floats) if hasattr(value, "enclosed") else _entries(name, value, floats)
            for name, value in given.items()}


def _entries(name, value, floats):
    check_one_dimension(name, value)
    rows = np.ravel(np.asarray(value, dtype=None if isinstance(value, np.ndarray) else object))
    if floats == "refuse" and any(isinstance(v, float | np.floating) for v in rows):
        raise DomainError(f"{name}: got an array of floats, which may differ from their decimal texts; choose "
                          "floats='exact' (their binary values: the spectrum as it was computed) or floats='decimal' "
                          "(their shortest texts), or give ints, Fractions or decimal strings")
    entries = Entries(_exact(name, v, floats) for v in rows)
    if any(isinstance(v, float | np.floating) for v in rows):
        entries.reading = ", binary values of floats" if floats == "exact" else ", shortest texts of floats"
    return entries


def _exact(name, value, floats):
    is_short = floats == "decimal" and isinstance(value, np.floating)       # single precision has a text of its own
    found = exact_number(name, str(value) if is_short else value, floats)
    if not isinstance(found, Fraction):
        raise DomainError(f"{name}: got {value!r} in the array; expected finite numbers")
    return found


class GivenSums:
    """Means over the entries of given arrays, exact or enclosed, which ``parameters`` holds by name."""

    def __init__(self, grid, parameters):
        arrays = {s: parameters[name] for s, name in zip(grid.bound, grid.arrays)}
        columns = {s: np.array(_balls(a), dtype=object) for s, a in arrays.items()}
        self.kind = "exact" if all(isinstance(a, Entries) for a in arrays.values()) else "enclosed"
        self.names = ", ".join(grid.arrays)
        self.values = {symbol: ball_function(expr)(columns) for expr, symbol in grid.columns.items()}
        self.nodes = len(next(iter(columns.values())))

    def sums(self, statement, values):
        """Enclose the sums of a statement, ``{symbol: ball}``."""
        return {symbol: arb(sum(row, arb(0)) / self.nodes if isinstance(row, np.ndarray) else row)
                for symbol, row in at_nodes(statement, self.values, values)}

    def describe(self):
        """Return one sentence on the sums."""
        return f"means over {self.names}: sums of {self.nodes} {self.kind} numbers, nothing left out"


def _balls(array):
    return [ratio(v) for v in array] if isinstance(array, Entries) else array.balls(ctx.prec)


_contour, _convex, _enclose = (Deferred(f"asympkit.certify.{name}") for name in ("contour", "convex", "enclose"))

_COVER = arb("1e-6")       # relative half-width of the boxes on which denominators are examined
_ATTEMPTS = 4


@dataclass(frozen=True, repr=False)
class CertifiedSolution(Solution[Ball]):
    """Hold a :class:`~asympkit.solve.solution.Solution` of balls, with the record of its proof.

    Attributes
    ----------
    certificate : Certificate
    """

    certificate: Certificate = None  # type: ignore[assignment]     # fields before it have defaults

    @property
    def reached(self) -> str:
        """The proved claim and the largest radius, as text."""
        return f"proved: {self.certificate.claim}\nlargest radius {float(self.error_estimate):.1e}"


def certify_model(model: Model, parameters: Mapping[str, Any], digits: int, floats: FloatsMean) -> CertifiedSolution:
    """Certify a model at exact parameters; see :meth:`asympkit.theories.model.Model.certify`."""
    check_digits(digits)
    plain = {k: v for k, v in parameters.items() if k not in model.array_names}
    # a default has the value of its decimal text, as in multiprecision
    defaults = {p.name: p.default for p in model.declared if p.name not in parameters and isinstance(p.default, float)}
    exact = {**exact_parameters(plain, floats), **exact_parameters(defaults, "decimal"),
             **exact_arrays(parameters, model.array_names, floats)}
    point = model.rough_point(exact)
    with workprec(53), np.errstate(all="ignore"):     # non-finite values prove nothing and raise an error later
        return _certified(model, exact, point, digits)


def _certified(model, exact, point, digits):
    """Return the first attempt that is sharp enough; each one has more working digits."""
    rough, doubt = _approximate(model, point)
    worst = max((c for c in rough.condition.values() if ROUNDING * c <= 1.0), default=1.0)       # others are 0
    working, found, failure, before = max(digits, 8) + 6 + ceil(log10(max(worst, 1.0))), None, None, inf
    for _ in range(_ATTEMPTS):
        try:
            found = _attempt(model, exact, point, rough, working)
        except (ArithmeticError, AttributeError) as error:      # a ball that is infinite, or a division by zero
            failure = ProofError(f"certify: the equations cannot be enclosed around the solution found ({error}); "
                                 "move the parameters")
            break
        except ProofError as error:
            if is_final(error) and (found or failure):    # it is about the further digits, not about the problem
                break
            again = failure is not None and is_spent(failure) and is_spent(error)
            failure = error
            if is_final(error) or again:
                break
            working += 5 + working // 4
            continue
        lost = _missing_digits(found[0], rough, digits)
        if lost <= 0:
            return _solution(model, exact, point, rough, digits, found)
        # where the digits that were missing do not help, 1 - cos(g) at tiny g, those before were all lost
        working += lost + 1 if lost < before else max(lost, working)
        before = lost
    if not found:
        raise ProofError(f"{failure}{doubt}") from failure
    reasons = "; ".join(r for grid in found[2].values() for r in [getattr(grid, "limit", "")] if r)
    raise ProofError(f"certify: {digits} digits were not reached; {_widest(found[0], rough, digits)} at "
                     f"{found[4]} working digits: " + (reasons or "the problem is ill-conditioned here")
                     + f"; ask for fewer digits, or move the parameters{doubt}")


def _approximate(model, point):
    """Return a starting solution in double precision, and a remark on it for the case that the proof fails."""
    try:
        return model.kernel.solve(point.values, point.table_parameters, model.activations, point.arrays, 1e-9,
                                  None), ""
    except ConvergenceError as unsolved:
        error = model.explain_error("solve", unsolved, point, unsolved.solution)
        if error.solution is None or not np.isfinite([*error.solution.order_parameters.values()]).all():
            raise ProofError("certify: no approximate solution in double precision to start the proof from: "
                             f"{error}") from unsolved
        # the proof does not depend on its accuracy: it starts there and may succeed
        return error.solution, f" (the proof started from a poor approximation: {error})"


def _attempt(model, exact, point, rough, working):
    """Enclose all outputs with a given number of working digits."""
    program = _program(model)
    outputs = (*program.unknowns, *program.observables.values())
    followers = {e for f in program.null_spaces for e in (*f.row, *f.others)}
    statements, twins = separate_sums(with_reciprocals(prune(program.statements, {*outputs, *followers})))
    if not any(map(holds_steps, select_statements(Sums, statements))):
        return _enclosed(model, exact, point, rough, working, 0, program, statements, twins)
    for depth in _convex.DEPTHS:
        with suppress(_convex.UnresolvedError):
            return _enclosed(model, exact, point, rough, working, depth, program, statements, twins)
    raise refusal("certify: the variances of predictions are below 1e-200 where the features saturate; move the "
                  "parameters")


def _enclosed(model, exact, point, rough, working, depth, program, statements, twins):
    """Enclose all outputs with further digits of means that are divisors."""
    bits = int(3.33 * (working + depth)) + 40
    outputs = (*program.unknowns, *program.observables.values())
    with workprec(bits):
        numbers = Balls(working + depth, bits)
        values = {s: numbers.number(v) for s, v in model.precise_values(exact, numbers).items()}
        at_rest = model.kernel.options.may_vanish
        near = {n: 0.0 if abs(v) <= (RESTING if n in at_rest else LARGEST_ERROR * (
            ROUNDING * rough.condition.get(n, 0.0) > 1.0)) else v
                for n, v in rough.order_parameters.items()}             # what is rounding is 0
        start = {u: near[u.name] for n in program.newtons for u in n.torn}
        guess = {**values, **{u: arb(near[u.name]) for u in program.unknowns}}
        boxes = {u: guess[u] + arb(0, (_COVER * (abs(guess[u]) if guess[u] != 0 else 1)).upper())
                 for u in program.unknowns}
        grids = {}
        read = {s.grid.name for s in select_statements(Sums, statements)} | inner_grids(statements)
        for grid in (g for g in (*program.grids, *twins) if g.name in read):
            if grid.is_inner:
                _check_inner(grid)
            elif (grid.given or grid.is_angle or grid.law is not None) and _holds_sums(statements, grid):
                raise refusal("certify: an average over normals inside one over "
                              f"{', '.join(b.name for b in grid.bound)}, eigenvalues, is not enclosed; close it "
                              "(.doit()), or call precise() for digits without a proof")
            elif grid.given:
                grids[grid.name] = GivenSums(grid, exact)
            elif grid.is_angle:
                grids[grid.name] = AngleSums(grid, working)
            elif grid.law is not None:
                grids[grid.name] = _contour.ContourSums(grid, working)
            elif grid.is_shifted:
                raise refusal("certify: an average with a jump that moves is not enclosed; close it (.doit()), or call "
                              "precise() for digits without a proof")
            elif any(isinstance(step, Means) and not step.is_value for step in grid.preparation):
                grids[grid.name] = _outer(grid, statements, model, values, boxes, guess, working, bits,
                                          depth)
            else:
                known = _rationals(program, values, exact)
                grids[grid.name] = _enclose.DirectSums(grid, working, model.functions, known)
        run = Run(grids, working, program.blocks, start,
                  lambda expr: numbers.is_positive(expr, values, model.functions))
        try:
            result = run.execute(statements, dict(values))
        except np.linalg.LinAlgError:
            raise ProofError("certify: the Jacobian is singular at the solution found: the root is double or not "
                             "isolated; move the parameters") from None
    check_free(program.null_spaces, result)
    rest = {s.name: values[s] for s in program.parameters if s.name not in exact}
    return {s: result[s] for s in outputs}, numbers, grids, run, working, bits, rest


def _rationals(program, values, exact):
    """Return the parameters of a program that are rational numbers, ``{symbol: Rational}``."""
    typed = {s: exact.get(s.name) for s in program.parameters}
    found = {s: Rational(v.numerator, v.denominator) for s, v in typed.items() if isinstance(v, Fraction | int)}
    return found | {s: Integer(0) for s in program.parameters if values[s].is_zero()}


def _program(model):
    """Return the program to prove."""
    try:
        return model.program_for_proofs[0]
    except StructureError as error:
        raise ProofError(f"certify: {error}") from error


def _holds_sums(statements, grid):
    """Return whether sums over a grid hold sums over others at every node."""
    return any(e.has(InnerSum) for s in select_statements(Sums, statements) if s.grid is grid for e in s.expressions)


def _check_inner(grid):
    """Raise for a nested sum that is not over normals, the only ones with a proof."""
    if grid.given or grid.is_angle or grid.is_shifted or grid.law is not None:
        what = ("one with a jump that moves" if grid.is_shifted else f"over {', '.join(b.name for b in grid.bound)}, "
                "eigenvalues")
        raise refusal(f"certify: an average inside an average, {what}, is not enclosed; close it (.doit()), or call "
                      "precise() for digits without a proof")


def _outer(grid, statements, model, values, boxes, guess, working, bits, depth):
    if any(holds_steps(s) for s in select_statements(Sums, statements) if s.grid is grid):
        return _convex.ConvexSums(grid, tuple(select_statements(Sums, statements)), model.functions, values, boxes,
                                  working, bits, depth, _slopes(statements))
    sums = OuterSums(grid, statements, model.functions, values, boxes, working, bits)
    integrands = [(s.locals, e) for s in select_statements(Sums, statements) if s.grid is grid for _, e, _ in s.sums]
    sums.choose(integrands, guess)
    return sums


def _slopes(statements):
    """Return sums that are derivatives of others, where these are means over proximal steps in closed form: the
    derivatives have no bounds where predictions do not vary."""
    found = set()
    for n in select_statements(Newton, statements):
        sums = [*select_statements(Sums, n.body)]
        if any(s.origins for s in sums):
            needed = {e for s in select_statements(Sums, prune(n.body, [t for t, _ in n.targets])) for e in s.outputs}
            found |= {e for s in sums for e in s.outputs} - needed
    return frozenset(found)


def _missing_digits(balls, rough, digits):
    """Return the digits by which the widest ball misses the request, relative to its quantity or, where terms cancel,
    to these, but to no more than 1 there."""
    if not all(ball.is_finite() for ball in balls.values()):
        return 10
    worst = max((_excess(s, ball, rough, digits) for s, ball in balls.items()), default=0.0)
    return ceil(worst) if worst > 0 else 0


def _excess(symbol, ball, rough, digits):
    """Return the decimal logarithm of a radius in units of the requested one."""
    # a quantity that is zero by symmetry has no scale of its own
    own = -inf if ball.contains(0) else _decades(ball.mid())
    size = max(own, log10(min(rough.scale.get(symbol.name, 0.0), 1.0) or 1e-300))
    return digits + _decades(ball.rad()) - (size if size > -300 else 0.0)


def _decades(number):
    """Return the decimal logarithm of a number without radius, which may underflow as a float."""
    mantissa, exponent = (int(part) for part in number.man_exp())
    return log10(abs(mantissa)) + exponent * log10(2) if mantissa else -inf


def _widest(balls, rough, digits):
    """Describe the balls that are too wide."""
    if not all(ball.is_finite() for ball in balls.values()):
        return f"no enclosure of {', '.join(s.name for s, b in balls.items() if not b.is_finite())} was found"
    worst = max(balls, key=lambda s: _excess(s, balls[s], rough, digits))
    return f"the ball of {worst.name} is {_excess(worst, balls[worst], rough, digits):.0f} digits too wide"


def _solution(model, exact, point, rough, digits, found):
    balls, numbers, grids, run, working, bits, rest = found
    program = _program(model)
    shown = {s: Ball.from_arb(b) for s, b in balls.items()}
    unknowns = {u.name: shown[u] for u in program.unknowns}
    observables = {name: shown[s] for name, s in program.observables.items()}
    kinds = {root.uniqueness for root in run.roots}
    kind = next((k for k in ("open", "local") if k in kinds), "global")
    claim = (f"The equations have {'a' if kind == 'open' else 'exactly one'} solution"
             + (f" with {', '.join(u.name for n in program.newtons for u in n.torn)} > 0" if kind == "global" and kinds
                else " in the box of the roots below" if kinds else "")
             + (" (undetermined unknowns are 0 by convention)" if run.free else "")
             + (", each exact value of which lies in its ball; that there is no other in the box is not proved."
                if kind == "open" else ", and every exact value lies in its ball."))
    hypotheses = tuple(dict.fromkeys(h for part in (numbers, *numbers.grids, *grids.values()) for h in describe(part)))
    certificate = Certificate(
        claim, model.name, {k: f.name for k, f in model.functions.items()},
        {k: _shown(v) for k, v in {**exact, **rest}.items()}, digits, working, bits,
        (*(root.text for root in run.roots), *run.free), hypotheses,
        point.assumptions, {k: str(b) for k, b in (*observables.items(), *unknowns.items())},
        {"asympkit": __version__, **versions()}, kind)
    widest = max((b.rad for b in shown.values()), default=0)
    nodes = sum(getattr(g, "nodes", 0) for g in grids.values())
    return CertifiedSolution(unknowns, observables, point.shown, 0, 0, widest, nodes=nodes, scale=rough.scale,
                             status=Status.PROVED, assumptions=point.assumptions, certificate=certificate)


def _shown(value):
    """Write a parameter as text: exact, or as a ball where it follows from others; a list keeps its brackets."""
    if type(value) in (list, tuple):
        left, right = "[]" if isinstance(value, list) else "()"
        return left + ", ".join(map(_shown, value)) + right
    if isinstance(value, arb):
        return str(sympy_number(value)) if value.is_exact() else str(Ball.from_arb(value))
    return str(value)


def describe(part):
    """Yield sentences on the basis of the proof, from a part of it."""
    for inner in getattr(part, "means", {}).values() if isinstance(getattr(part, "means", None), dict) else getattr(
            part, "means", ()):
        yield inner.source.describe()
    if hasattr(part, "describe"):
        yield part.describe()
