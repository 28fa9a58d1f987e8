"""Solutions and averages with any number of digits.

Detect integrands with corners along a rule, where refinement does not square its error.
"""

import math

import numpy as np
from sympy import Pow, log

from ..arguments import check_digits
from ..errors import ConvergenceError
from ..numbers.evaluation import evaluate
from ..numbers.functions import entry
from ..program.statements import Scalar, Sums, select_statements
from ..program.symmetry import symmetries
from ..tolerances import AMPLIFIED, DEPENDENT
from .costly import Costly, is_costly
from .digits_tables import DigitsTables, ProductDigits
from .interpreter import Interpreter
from .kinks import refuse_loose_kinks
from .number_systems import MOST_GUARD, MultiprecisionNumbers


def is_rough(program):
    """Return whether an integrand over a rule that is chosen here may not be analytic along it.

    Kinks at places that the rule knows are harmless, but not all can be distinguished from others.
    """
    return any(_has_corners(e) for s in select_statements(Sums, program.statements) if not s.grid.given
               for e in (*s.grid.columns, *s.expressions))


def _has_corners(expr):
    known = entry(type(expr).__name__)
    if known is not None and known.is_kinked and expr.free_symbols:
        return True
    if isinstance(expr, Pow) and not expr.exp.is_integer and not expr.base.is_positive:
        return True
    if isinstance(expr, log) and not expr.args[0].is_positive:
        return True
    return any(map(_has_corners, getattr(expr, "args", ())))


#: guard digits
GUARD = 20
#: digits more than those wanted that means have
_SPARE = 4
#: nodes that are evaluated at most from a start that is no solution, some ten seconds, and least number of steps
_BUDGET, _STEPS = 10_000, 6
#: values of activations that are summed at most, some ten seconds, where rules do not square their error
_SLOW = 3_000_000
_AVERAGES = "precise: the averages changed by"
#: power of the change before that a change is at most, where rules square their error
_SQUARING = 1.4


def solve_from(starts, program, values, functions, arrays, digits, narrow=None):
    """Solve as :func:`solve_precisely` from each triple (start, near, sizes) until one leads to a solution."""
    for start, near, sizes in starts[:-1]:
        try:
            return solve_precisely(program, values, start, functions, arrays, digits, near, sizes, narrow)
        except ConvergenceError as error:
            if str(error).startswith(_AVERAGES):        # of a solution: another start leads to the same averages
                raise
    start, near, sizes = starts[-1]
    return solve_precisely(program, values, start, functions, arrays, digits, near, sizes, narrow)


def solve_precisely(program, values, start, functions=None, arrays=None, digits=40, near=None,
                    sizes=None, narrow=None):
    """Solve a program with a given number of digits.

    ``values`` is ``{parameter symbol: number}``: int, Fraction, decimal text or mpf; a float is read by its shortest
    decimal representation; or ``values(numbers)`` returns it in a number system.  ``start`` is usually the solution in
    double precision, ``{unknown name: float}``; ``arrays`` are those of grids of given eigenvalues.

    ``near`` is the largest distance of unknowns from the start, by name, if that is a solution already.  ``sizes`` are
    those of the terms of an unknown: where it is smaller by half of the digits, these count relative to this size.
    ``narrow`` finds narrow features of integrands at the start, around which nodes are placed.

    Return all values by symbol (mpf), and the accuracy reached: ``change``, ``nodes``, ``iterations``.
    ConvergenceError if Newton's method finds no solution, refining the rules does not reach the digits, or a mean of
    which only the direction counts is not resolved.
    """
    check_digits(digits)
    doubles = _in_doubles(program, values, start)
    refuse_loose_kinks(program, digits, doubles)
    features = narrow.at({s.name: v for s, v in doubles.items()}) if narrow is not None else ((), math.inf)
    guard, most = GUARD, digits + MOST_GUARD
    while True:
        try:
            return _solve_with_guard(program, values, start, functions, arrays, digits, guard, near or {}, sizes or {},
                                     guard < most, *features)
        except _UnresolvedError as lost:
            missing = int(lost.digits) + 3 if lost.digits < guard else digits + guard
            if guard == most:
                raise ConvergenceError(
                    f"precise: {' and '.join(lost.means)} of {digits + guard} working digits, however small, fixes a "
                    "direction that counts, and is lost in their rounding: it is zero without a proof, or smaller "
                    f"than 1e-{guard} of its integrand; pass more digits than {digits}") from None
            guard = min(guard + missing, most)
        except _DependentError:
            if guard == most:
                raise ConvergenceError(
                    "precise: the linear equations are dependent here: they leave unknowns undetermined that others "
                    "depend on, or contradict one another; replace one of them, or move the parameters") from None
            guard = most                       # nearly dependent equations lose digits, dependent ones all of them
        except _CancelledError as lost:
            if guard == most:
                raise ConvergenceError(
                    f"precise: {lost.output} subtracts numbers so nearly equal that {digits + guard} working digits "
                    f"leave fewer than {digits}; ask for more digits, or move the parameters") from None
            guard = min(guard + lost.digits + 3, most)


def _in_doubles(program, values, start):
    """Return values of parameters and of unknowns at the start, as floats."""
    values = values(MultiprecisionNumbers(20)) if callable(values) else values
    known = {s: float(MultiprecisionNumbers(20).number(v) if isinstance(v, str) else v) for s, v in values.items()}
    return known | {u: float(start[u.name]) for u in program.unknowns if u.name in start}


class FarError(ConvergenceError):
    """Unknowns, of these ``names``, are not near the start, which was a solution."""

    def __init__(self, names, message):
        super().__init__(message)
        self.names = names


class _DependentError(Exception):
    """Linear equations are dependent, to the digits with which one computes."""


class _CancelledError(Exception):
    """The formula of an output loses digits."""

    def __init__(self, output, digits):
        super().__init__()
        self.output, self.digits = output, digits


class _UnresolvedError(Exception):
    """Means of which only the direction counts lack digits."""

    def __init__(self, means, digits):
        super().__init__()
        self.means, self.digits = means, digits


def _solve_with_guard(program, values, start, functions, arrays, digits, guard, near, sizes, may_raise, places, step):
    numbers = MultiprecisionNumbers(digits + guard)
    mp = numbers.mp
    numbers.largest_error = mp.mpf(10) ** -digits       # however many guard digits there are
    values = values(numbers) if callable(values) else values
    values = {s: v if isinstance(v, mp.mpf) else numbers.number(v) for s, v in values.items()}
    torn = {u: numbers.number(start[u.name]) for n in program.newtons for u in n.torn}
    builders, fixed = {}, {}
    for grid in program.grids:
        if grid.given:
            fixed[grid.name] = _given(grid, arrays, numbers)
        else:
            if grid.is_product:
                builders[grid.name] = ProductDigits(program, grid, numbers, symmetries(program, grid), digits,
                                                    {s: values[s] for s in program.table_parameters}, functions or {},
                                                    step)
                continue
            inner = {s: values[s] for s in program.table_parameters}
            builders[grid.name] = DigitsTables(grid, inner, functions or {}, numbers, symmetries(program, grid),
                                               mp.mpf(10) ** (-digits - 2), places)
    costly = Costly(program, numbers, builders, fixed, digits) if is_costly(program) else None
    target = mp.mpf(10) ** (-(digits // 2 + 4))
    # a quantity that vanishes by symmetry is rounding; below this size changes are judged absolutely
    floor = mp.mpf(10) ** (4 - mp.dps) / target
    names = (*program.unknowns, *program.observables.values())
    least = [max(floor, mp.mpf(10) ** -(digits // 2) * sizes.get(s.name, 0.0)) for s in names]
    previous, begin, change, far = None, torn, mp.inf, []
    rough = is_rough(program) or any(isinstance(b, DigitsTables) and b.is_widened for b in builders.values())
    wandering, left = 0, 1e18 if near else _BUDGET
    near = {n: r for n, r in near.items() if n not in _formulas(program)}
    if costly:
        costly.prepare(values, torn)
    for level in range(7):
        try:
            tables = {**fixed, **{name: _resolved(b, level, digits, may_raise)
                                  for name, b in builders.items()}}
        except ZeroDivisionError as error:
            raise ConvergenceError("precise: an integrand is infinite at a node; the average may not exist, or "
                                   "needs another form") from error
        nodes = sum(len(w) for _, w in tables.values())
        run = costly.at(tables, previous is None) if costly else Interpreter(
            program, numbers, tables, tolerance=mp.mpf(10) ** (-(mp.dps // 2)), plain=0,
            max_steps=int(min(100, max(_STEPS, left // max(nodes, 1)))))
        try:
            result = _run(run, values, torn, mp)
        except ConvergenceError:
            if not builders or level > 2:
                raise
            previous = None                    # the rule was too coarse for this point
            continue
        wandering = wandering + 1 if program.newtons and target < abs(result[program.residual]) < AMPLIFIED else 0
        left -= run.iterations * nodes
        if wandering == 2 or wandering and left <= 0:       # what two rules do not find, a finer one will not either
            _check_solved(result, program, digits, abs(result[program.residual]), numbers, False)
        far = [u.name for u in program.unknowns
               if u.name in near and not abs(result[u] - start[u.name]) <= near[u.name]]
        if far:                                # a coarse rule has led to another solution, or takes fast waves for slow
            if not builders:
                break
            previous, torn = None, begin
            continue
        torn = {u: result[u] for u in torn}
        now = [result[s] for s in names]
        if not builders:
            again = Interpreter(program, numbers, tables, tolerance=mp.zero, plain=0, max_steps=1)
            _check_solved(result, program, digits, _change(_run(again, values, torn, mp), result, torn, floor * target),
                          numbers, may_raise)
            return result, {"change": mp.zero, "nodes": nodes, "iterations": run.iterations}
        if previous is not None:
            before, change = change, max(abs(a - b) / max(abs(a), low) for a, b, low in zip(now, previous, least))
            # both rules square their error when refined; where corners may keep them from it, they have to show it
            if change <= target and (not rough or change <= max(before ** _SQUARING, mp.mpf(10) ** -digits)):
                _check_solved(result, program, digits, change**2, numbers, may_raise)
                return result, {"change": change**2, "nodes": nodes, "iterations": run.iterations}
            spent = sum(b.evaluations for b in builders.values())
            is_squaring = change <= before ** _SQUARING and before < 1
            if spent > _SLOW and before < mp.inf and not is_squaring:
                break
        previous = now
    if far:
        raise FarError(far, f"precise: {', '.join(far)} came out far from what double precision found here: there "
                               "are other solutions close by, or the averages need more nodes than the limit; give a "
                               "start, or move the parameters")
    _check_solved(result, program, digits, mp.zero, numbers, may_raise)
    raise ConvergenceError(f"{_AVERAGES} {mp.nstr(change, 3)} at the last of {level + 1} rules, of "
                           f"{nodes} nodes; ask for fewer digits than {digits}, or move the parameters")


def _formulas(program):
    """Return the names of formulas of the parameters alone: they have one value, and double precision, which rounds the
    parameters, may be far from it where it nearly vanishes."""
    known = set(program.parameters)
    for s in program.statements:
        if isinstance(s, Scalar) and s.expr.free_symbols <= known:
            known.add(s.symbol)
    return {s.name for s in known.difference(program.parameters)}


def _run(interpreter, values, torn, mp):
    """Run the interpreter; raise where the equations have no real value."""
    try:
        result = interpreter.run(values, torn)
    except (ArithmeticError, TypeError, ValueError) as error:      # a division by zero, an order of complex numbers
        what = "a division by zero" if isinstance(error, ZeroDivisionError) else str(error) or type(error).__name__
        raise ConvergenceError(f"precise: the equations cannot be evaluated on the way ({what}); give a start closer "
                               "to the solution, or move the parameters") from error
    outputs = (*interpreter.program.unknowns, *interpreter.program.observables.values())
    result.update((s, mp.mpf(result[s])) for s in outputs if isinstance(result[s], int))
    names = {s: name for name, s in interpreter.program.observables.items()}
    strange = [names.get(s, s.name) for s in outputs if not isinstance(result[s], mp.mpf) or not mp.isfinite(result[s])]
    if strange:
        raise ConvergenceError(f"precise: {', '.join(strange)} came out without a finite real value; give a start "
                               "closer to the solution, or move the parameters")
    return result


def _change(new, old, torn, floor):
    return max((abs(new[u] - old[u]) / max(abs(old[u]), floor) for u in torn), default=0)


def _check_solved(result, program, digits, step, numbers, may_raise):
    """Raise unless equations and last step are small to the requested digits, and outputs have them.

    With ``may_raise`` the working digits may be raised, for outputs that are small by cancellation.
    """
    bound, residual = 10.0 ** -min(digits, 300), abs(result[program.residual])
    if float(residual) == AMPLIFIED:
        raise _CancelledError(*_cancelled(result, program, digits, numbers, 1))
    output, missing = _cancelled(result, program, digits, numbers, 0)
    if may_raise and missing > 0:
        raise _CancelledError(output, missing)
    if float(residual) == DEPENDENT or residual > bound and not program.newtons:
        raise _DependentError
    if not (residual <= bound and step <= bound):
        raise ConvergenceError(f"precise: Newton's method found no solution with {digits} digits (residual "
                               f"{float(residual):.1e}, last step {float(step):.1e}); give a start closer to it, or "
                               "move the parameters away from the singular point")


def _cancelled(result, program, digits, numbers, unit):
    """Return the output that lacks most digits by the cancellation of its terms, and how many, at least 0; digits count
    relative to the output, or to a unit, or the terms, where these are larger."""
    names = {s: name for name, s in program.observables.items()}
    worst, most = "an output", 0
    for output, error in ((s, abs(result[e])) for s, e in program.errors.items()):
        if error:
            own = max(abs(result[output]), min(unit, error))
            lost = numbers.mp.log10(numbers.rounding * error / own) if own else MOST_GUARD
            if lost + digits > most:
                worst, most = names.get(output, str(output)), int(lost) + digits + 1
    return worst, most


def _resolved(builder, level, digits, may_raise):
    """Build a table whose means have the digits wanted, or are proved to be zero."""
    table = builder.level(level)
    missing = builder.cancelled + digits + _SPARE - builder.mp.dps
    is_zero = missing == math.inf and builder.mp.dps >= 2 * digits + GUARD        # it vanishes, as far as can be told
    if may_raise and missing > 0 and not is_zero:
        raise _CancelledError("a mean", math.ceil(min(missing, digits + GUARD)))
    if builder.lost and builder.prove_zeros():
        table = builder.level(level)
    if builder.lost:
        missing = builder.mp.log10(builder.rounding / builder.wanted) if builder.rounding < 1e-3 else builder.mp.inf
        raise _UnresolvedError([f"the mean of the {s.label}" for m, s in builder.watched if m in builder.lost], missing)
    return table


def _entries(array, numbers):
    return array.at_digits(numbers) if hasattr(array, "at_digits") else [numbers.number(v) for v in np.ravel(array)]


def _given(grid, arrays, numbers):
    columns = {s: np.array(_entries(arrays[name], numbers), dtype=object) for s, name in zip(grid.bound, grid.arrays)}
    size = len(columns[grid.bound[0]])
    table = {symbol: evaluate(expr, columns, numbers) for expr, symbol in grid.columns.items()}
    return table, np.array([numbers.mp.one / size] * size, dtype=object)
