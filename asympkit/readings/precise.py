"""Solutions and averages with any number of digits."""

import numpy as np

from ..errors import ConvergenceError, DomainError
from ..exclusive import exclusive
from ..program.symmetry import symmetries
from .digits_tables import DigitsTables
from .interpreter import Interpreter
from .numbers import Digits

GUARD = 20


def solve_precisely(program, values, start, functions=None, arrays=None, digits=40):
    """Solve a program with a given number of digits.

    Parameters
    ----------
    program : Program
    values : dict
        ``{parameter symbol: number}``: int, Fraction, decimal text or mpf; a float is read by its
        shortest decimal representation.
    start : dict
        ``{unknown name: float}``, usually the double-precision solution.
    functions : dict, optional
        ``{label: Activation}``.
    arrays : dict, optional
        ``{bound symbol: array}`` for grids of given eigenvalues.
    digits : int

    Returns
    -------
    dict, dict
        All values by symbol (mpf), and what was reached: ``change``, ``nodes``, ``iterations``.

    Raises
    ------
    ConvergenceError
        If refining the rules does not reach the digits asked for.
    """
    check_digits(digits)
    numbers = Digits(digits + GUARD)
    mp = numbers.mp
    values = {s: v if isinstance(v, mp.mpf) else numbers.number(v) for s, v in values.items()}
    torn = {u: numbers.number(start[u.name]) for n in program.newtons for u in n.torn}
    builders, fixed = {}, {}
    for grid in program.grids:
        if grid.given:
            fixed[grid.name] = _given(grid, arrays, numbers)
        else:
            inner = {s: values[s] for s in program.table_parameters}
            builders[grid.name] = DigitsTables(grid, inner, functions or {}, numbers, symmetries(program, grid))
    target = mp.mpf(10) ** (-(digits // 2 + 4))
    # a quantity that vanishes by symmetry is rounding; below this size changes are judged absolutely
    floor = mp.mpf(10) ** (4 - mp.dps) / target
    previous = None
    for level in range(7):
        tables = {**fixed, **{name: b.level(level) for name, b in builders.items()}}
        run = Interpreter(program, numbers, tables, tolerance=mp.mpf(10) ** (-(mp.dps // 2)), plain=0)
        result = _result(run, values, torn)
        if result is None:                # the rule may have been too coarse for this point
            previous, change = None, mp.nan
            if builders:
                continue
            break
        torn = {u: result[u] for u in torn}
        names = (*program.unknowns, *program.observables.values())
        now = [result[s] for s in names]
        nodes = sum(len(w) for _, w in tables.values())
        if not builders:
            return result, {"change": mp.zero, "nodes": nodes, "iterations": run.iterations}
        if previous is not None:
            change = max(abs(a - b) / max(abs(a), floor) for a, b in zip(now, previous))
            # both rules square their error when refined
            if change <= target:
                return result, {"change": change**2, "nodes": nodes, "iterations": run.iterations}
        previous = now
    if mp.isnan(change):
        raise ConvergenceError("precise: Newton's method left the domain of the equations (a number is not finite); "
                               "give a start, or move the parameters")
    raise ConvergenceError(f"precise: the averages changed by {mp.nstr(change, 3)} at the finest rule; "
                           f"ask for fewer digits than {digits}")


def _result(run, values, torn):
    """All values, or None where Newton's method left the domain of the equations."""
    try:
        result = run.run(values, torn)
    except ZeroDivisionError:
        return None
    return result if all(run.numbers.mp.isfinite(result[u]) for u in torn) else None


def check_digits(digits):
    """Raise a DomainError unless ``digits`` is a sensible number of digits."""
    if not isinstance(digits, int | np.integer) or not 5 <= digits <= 1000:
        raise DomainError(f"digits: got {digits!r}; expected an integer from 5 to 1000")


def _given(grid, arrays, numbers):
    from .expression import evaluate

    columns = {s: np.array([numbers.number(v) for v in np.ravel(arrays[s.name])], dtype=object)
               for s in grid.bound}
    size = len(columns[grid.bound[0]])
    table = {symbol: evaluate(expr, columns, numbers) for expr, symbol in grid.columns.items()}
    return table, np.array([numbers.mp.one / size] * size, dtype=object)


@exclusive
def evaluate_closed(average, prec):
    """Value of a closed Gaussian average as a sympy Float (used by ``evalf``)."""
    from sympy import Float, N

    from .averages import gaussian_value

    digits = int(prec / 3.3219) + 3           # prec counts bits
    closed = average.doit()
    if not closed.has(type(average)):
        return N(closed, digits)
    return Float(str(gaussian_value(average, digits + 2)), digits)
