"""Somebody's numbers beside those of a theory (``theory.compare(table)``): digits or z of each, and what explains them.

A number agrees if the theory lies within its last printed digit, or, where an error is given, within what all z values
together allow.  Of numbers that differ, conventions, slips of digits and small errors are tried as explanations.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import check_path
from ..comparison import LEVEL
from ..errors import AsympkitError, ConvergenceError, DomainError, UnknownNameError, suggest
from ..notation import align_table, format_table, label, one_screen
from ..once import Deferred
from ..plot import canvas
from . import CONVENTIONS, ELSEWHERE, RATIOS, SIZES, evaluate

if TYPE_CHECKING:
    from typing import Any

    from ..annotations import Path
    from ..theories.model import Model

_stats = Deferred("scipy.stats")


@dataclass(frozen=True)
class ComparedNumber:
    """One number of a table beside that of the theory.

    Attributes
    ----------
    row : int
        From 1.
    quantity, text : str
        Its name, and the number as it was given.
    given, unit : float
        The number, and half a unit of its last digit.
    error : float or None
        Its standard error.
    value : float
        That of the theory; NaN where there is no solution.
    limit : float
        Largest ``|z|`` that agrees.
    parameters : dict
    """

    row: int
    quantity: str
    text: str
    given: float
    unit: float
    error: float | None
    value: float
    limit: float
    parameters: Mapping[str, Any]

    @property
    def difference(self) -> float:
        """Return the given number less that of the theory."""
        return self.given - self.value

    @property
    def z(self) -> float | None:
        """Return the difference in standard errors, where there is one."""
        return None if self.error is None else self.difference / math.hypot(self.error, self.unit / math.sqrt(3))

    @property
    def digits(self) -> float:
        """Return the number of decimal digits that agree."""
        size = max(abs(self.value), 1e-300)
        return float(np.clip(-math.log10(max(abs(self.difference) / size, 1e-16)), 0.0, 16.0))

    @property
    def agrees(self) -> bool:
        """Return whether the theory lies within the last digit, or the error allows its distance."""
        if self.z is not None:
            return abs(self.z) <= self.limit
        return abs(self.difference) <= 1.0001 * self.unit + 1e-10 * abs(self.value)

    def __repr__(self) -> str:
        return one_screen(f"<row {self.row}, {self.quantity}: {self.text} here {self.value:.6g}, {self._how()}>")

    def _how(self):
        return f"z = {self.z:.1f}" if self.z is not None else f"{self.digits:.1f} digits"


@dataclass(frozen=True)
class ComparedTable:
    """Hold the numbers of a table beside those of a theory; ``str()`` prints it.

    Attributes
    ----------
    theory : str
    numbers : list of ComparedNumber
    varied : list of str
        Parameters that differ between rows.
    explanations : list of str
        What makes numbers agree that differ.
    """

    theory: str
    numbers: Sequence[ComparedNumber]
    varied: Sequence[str]
    explanations: Sequence[str]

    @property
    def differing(self) -> list[ComparedNumber]:
        """Return the numbers that do not agree."""
        return [n for n in self.numbers if not n.agrees]

    @property
    def passed(self) -> bool:
        """Return whether all numbers agree."""
        return not self.differing

    @property
    def verdict(self) -> str:
        """Return the result as one sentence."""
        wrong, count = self.differing, len(self.numbers)
        if not wrong:
            return f"all {count} numbers agree"
        first, worst = wrong[0], max(wrong, key=lambda n: n.limit and abs(n.z) if n.z is not None else 16 - n.digits)
        return (f"{len(wrong)} of {count} numbers differ, the first in row {first.row} ({_places(first, self.varied)})"
                + (f", the most in row {worst.row}" if worst.row != first.row else ""))

    def rows(self) -> list[list[str]]:
        """Return the table as texts, with a head."""
        head = ["row", *self.varied, "quantity", "given", "here", "difference", "agreement", ""]
        return [head, *([str(n.row), *(f"{n.parameters.get(v, math.nan):.6g}" for v in self.varied), n.quantity, n.text,
                         f"{n.value:.10g}", f"{n.difference:.2g}", n._how(), "" if n.agrees else "differs"]
                        for n in self.numbers)]

    def __str__(self) -> str:
        return "\n".join([f"{self.theory}: {self.verdict}", *align_table(self.rows()),
                          *(f"- {e}" for e in self.explanations)])

    def __repr__(self) -> str:
        return one_screen(f"<{self.theory}: {self.verdict}>")

    def to_csv(self, path: Path) -> None:
        """Write the table as comma-separated values.

        Parameters
        ----------
        path : str or Path
        """
        check_path("path", path).write_text(format_table(self.rows(), "csv") + "\n", encoding="utf-8")

    def to_latex(self) -> str:
        """Return the table as a LaTeX tabular."""
        return format_table(self.rows(), "latex")

    def plot(self, name: str | Sequence[str] | None = None, ax: Any = None, **style: Any) -> Any:
        """Draw given numbers with errors along the parameter that varies most, and the theory's beside them.

        Parameters
        ----------
        name : str or list of str, optional
            A quantity, or several, each on axes of its own; by default all of them on one.
        ax : matplotlib axes, optional
        **style
            Passed to matplotlib, for the given numbers.

        Returns
        -------
        matplotlib axes
            An array of them for a list.

        Raises
        ------
        UnknownNameError
            For a quantity that the table has not.
        NotAvailableError
            Without matplotlib.
        """
        if isinstance(name, list | tuple):
            return canvas.panels_of(lambda n, panel: self.plot(n, panel, **style), canvas.quantity_names(name), ax)
        known = [*dict.fromkeys(n.quantity for n in self.numbers)]
        canvas.check_quantity(name, known)
        numbers = [n for n in self.numbers if name in (None, n.quantity)]
        ax = canvas.one_axes(ax)
        over = max(self.varied, key=lambda v: len({n.parameters[v] for n in self.numbers}), default=None)
        x = np.array([n.row if over is None else n.parameters[over] for n in numbers], float)
        given, here = (np.array([getattr(n, which) for n in numbers]) for which in ("given", "value"))
        bars = np.array([n.unit if n.error is None else n.error for n in numbers])
        wrong = np.array([not n.agrees for n in numbers])
        with canvas.explain_style_error(style):
            ax.errorbar(x, given, yerr=bars, **{"fmt": "o", "color": canvas.COLOURS[0], "label": "given", **style})
        ax.plot(x, here, "x", color=canvas.foreground(), label="here")
        if wrong.any():
            ax.plot(x[wrong], given[wrong], "o", color=canvas.COLOURS[1], label="differs")
        canvas.set_scale(ax, "x", canvas.spans_decades(x), x)
        ax.set_xlabel("row" if over is None else label(over))
        ax.set_ylabel(", ".join(map(label, known if name is None else [name])))
        ax.legend(frameon=False)
        return ax


def _places(number, varied):
    return ", ".join(f"{v}={number.parameters[v]:.6g}" for v in varied if v in number.parameters) or number.quantity


#: ends of names of columns of standard errors
_ERRORS = ("stderr", "sem", "err", "error")
#: share of numbers that may differ under a convention that explains a table, and from how many on one is looked for
_LEFT, _FEWEST = 0.2, 2
#: numbers on which a convention is tried first, and the probability from which on agreement may be chance
_SAMPLE, _CHANCE = 60, 1e-2
#: factor by which an error is smaller than those of its column to be pointed out
_SMALL = 3.0
#: rank correlation from which on a difference follows a parameter
_FOLLOWS = 0.6
_BRACKET = re.compile(r"\((\d+)\)(?=$|[eE])")


def run_compare(theory: Model, table: Any, error: str | Mapping[str, str] | None,
                columns: Mapping[str, str | None] | None, conventions: str | Sequence[str] | Mapping[str, str],
                fixed: Mapping[str, Any]) -> ComparedTable:
    """Compare as :meth:`asympkit.Theory.compare` describes."""
    given = _read(table)
    roles, errors, quantities = _roles(theory, given, error, columns or {}, fixed)
    changes = _changes(conventions)
    names = {*SIZES, *theory.quantities, *(p.name for p in theory.declared)}
    for argument, keys in (("compare", fixed), ("conventions", changes)):
        for name in keys:
            if name not in names:
                raise UnknownNameError(f"{argument}: no parameter or quantity {name!r}{suggest(name, names)}")
    cells = _cells(given, roles, errors, quantities, fixed)
    numbers = _compare_cells(theory, cells, changes)
    names = [n for n in (p.name for p in theory.declared) if n in numbers[0].parameters]
    varied = [n for n in names if len({number.parameters.get(n) for number in numbers}) > 1]
    found = ComparedTable(theory.name, numbers, varied, ())
    return ComparedTable(theory.name, numbers, varied,
                         () if found.passed else tuple(_explain(theory, found, cells, changes)))


# -- the table -------------------------------------------------------------------------------------------------------


def _read(table):
    """Return ``{column: texts or numbers}`` of a path, a data frame, or a dictionary."""
    if hasattr(table, "to_dict") and hasattr(table, "columns"):
        table = {str(c): list(table[c]) for c in table.columns}
    if not isinstance(table, Mapping):
        path = check_path("table", table)
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise DomainError(f"table: {str(path)!r} cannot be read ({error})") from error
        lines = [line for line in lines if line.strip()[:1] not in ("", "#")]
        if len(lines) < 2:
            raise DomainError(f"table: {str(path)!r} holds {len(lines)} lines; expected a head and rows")
        cells = csv.reader(lines, delimiter=max(",;\t", key=lines[0].count), skipinitialspace=True)
        head, *rows = ([cell.strip() for cell in row] for row in cells)
        if k := next((k for k, row in enumerate(rows, 1) if len(row) != len(head)), 0):
            raise DomainError(f"table: row {k} of {str(path)!r} has {len(rows[k - 1])} cells; expected {len(head)}, as "
                              "the head has")
        if len({*head}) < len(head):
            raise DomainError(f"table: {str(path)!r} has two columns of one name: {', '.join(head)}")
        return dict(zip(head, map(list, zip(*rows))))
    try:
        table = {str(name): np.atleast_1d(np.asarray(values)) for name, values in table.items()}
    except ValueError as error:
        raise DomainError(f"table: a column is no list of numbers ({error})") from error
    lengths = {name: values.size if values.ndim == 1 else values.shape for name, values in table.items()}
    if not lengths or len({*lengths.values()}) > 1 or 0 in lengths.values():
        raise DomainError(f"table: got columns of lengths {lengths}; expected columns of one length, at least 1")
    # numbers of few bits have few digits
    def number(v):
        return f"{v:.6g}" if isinstance(v, np.floating) and v.itemsize < 8 else v.item() if hasattr(v, "item") else v

    return {name: list(map(number, values)) for name, values in table.items()}


def _plain(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _roles(theory, given, error, columns, fixed):
    """Return ``{column: parameter, quantity or size}``, ``{quantity: column of its error}``, and the quantities."""
    parameters = [p.name for p in theory.declared]
    ours = (*SIZES, *theory.quantities, *parameters)
    known = {n: o for n, o in ELSEWHERE.items() if o in ours} | {_plain(n): n for n in ours}
    if not isinstance(error, str | Mapping | None):
        raise DomainError(f"error: got {error!r:.60}; expected the name of a column of errors, or a dictionary "
                          "of such names by quantity")
    named = {error} if isinstance(error, str) else {*(error or {}).values()}
    for argument, names in (("columns", columns), ("error", named)):
        for name in {*names} - {*given}:
            raise UnknownNameError(f"{argument}: the table has no column {name!r}{suggest(name, given)}; it has "
                                   f"{', '.join(given)}")
    for name in {*(error if isinstance(error, Mapping) else ())} - {*theory.quantities}:
        raise UnknownNameError(f"error: no quantity {name!r}{suggest(name, theory.quantities)}")
    roles, errors = {}, {}
    for name in (n for n in given if n not in named and columns.get(n, "") is not None):
        wanted, plain = columns.get(name, name), _plain(name)
        stems = (known.get(plain.removesuffix(end)) for end in _ERRORS if plain.endswith(end))
        if role := wanted if wanted in ours else known.get(_plain(wanted)):
            roles[name] = role
        elif name in columns:
            raise UnknownNameError(f"columns: no parameter or quantity {wanted!r}{suggest(wanted, ours)}")
        elif quantity := next((q for q in stems if q in theory.quantities), None):
            errors[quantity] = name
        else:
            raise UnknownNameError(
                f"table: no parameter or quantity is called {name!r}{suggest(name, ours)}; say which by "
                f"columns={{{name!r}: ...}}, or None to leave it out; known are {', '.join(ours[len(SIZES):])}")
    quantities = [r for r in roles.values() if r in theory.quantities and r not in parameters]
    if not quantities:
        raise DomainError(f"table: the columns {', '.join(given)} hold no quantity of the theory; expected one of "
                          f"{', '.join(theory.quantities)}")
    if len({*roles.values()}) < len(roles):
        raise DomainError(f"table: two columns stand for one quantity: {roles}; give columns=")
    errors |= dict.fromkeys(quantities, error) if isinstance(error, str) else dict(error or {})
    for name in {*roles.values()} & {*fixed}:
        raise DomainError(f"{name}: given twice, as a column and as a number; give it once")
    return roles, errors, quantities


def _number(value, row, name):
    """Return a number of the table, half a unit of its last digit, and an error in brackets, ``0.106(3)``."""
    text = value.strip() if isinstance(value, str) else repr(value)
    error = _BRACKET.search(text)
    try:
        number = Decimal(_BRACKET.sub("", text))
        power = number.as_tuple().exponent
        is_fine = number == math.inf or number.copy_abs() < 1e300 and power >= -600 and "_" not in text
        is_fine &= not (error and "e" in text[:error.start()].lower())
    except InvalidOperation:
        is_fine = False
    if not is_fine:
        raise DomainError(f"table: row {row} of {name!r} is {value!r:.40}; expected a number below 1e300, or inf")
    if number == math.inf:
        return math.inf, 0.0, None
    unit, is_whole = float(Decimal((0, (1,), power))), text.lstrip("+-").isdigit()
    return (int(number) if is_whole else float(number), 0.0 if isinstance(value, int) else unit / 2,
            None if error is None else int(error[1]) * unit)


def _cells(given, roles, errors, quantities, fixed):
    """Return the numbers of the table, not yet compared."""
    cells = []
    for k in range(len(next(iter(given.values())))):
        read = {role: _number(given[name][k], k + 1, name) for name, role in roles.items()}
        numbers = {role: value for role, (value, _, _) in read.items()} | dict(fixed)
        for name, role in roles.items():
            if role not in quantities:
                continue
            _, unit, error = read[role]
            if role in errors:
                error = _number(given[errors[role]][k], k + 1, errors[role])[0]
            if error is not None and not error > 0:
                raise DomainError(f"table: the error of {role} in row {k + 1} is {error:g}; expected a positive number")
            cells.append(ComparedNumber(k + 1, role, str(given[name][k]), numbers[role], unit, error, math.nan,
                                        math.nan, numbers))
    limit = float(_stats.norm.isf(LEVEL / 2 / len(cells)))
    return [replace(cell, limit=limit) for cell in cells]


def _changes(conventions):
    """Return ``{name: text}`` of named conventions, or of a dictionary of texts."""
    if isinstance(conventions, Mapping) and all(isinstance(v, str) for v in conventions.values()):
        return dict(conventions)
    if not isinstance(conventions, str | list | tuple) or not all(isinstance(n, str) for n in conventions):
        raise DomainError(f"conventions: got {conventions!r:.60}; expected names, or a dictionary of texts")
    names = [conventions] if isinstance(conventions, str) else list(conventions)
    for name in names:
        if name not in CONVENTIONS:
            raise UnknownNameError(f"conventions: no convention {name!r}{suggest(name, CONVENTIONS)}; known are "
                                   f"{', '.join(CONVENTIONS)}; or give texts, as {{'lam': 'n*lam'}}")
    return {k: text for name in names for k, text in CONVENTIONS[name].changes.items()}


def _compare_cells(theory, cells, changes):
    """Solve the theory at each row, and return the numbers beside its own, by some conventions."""
    declared, solved, out = {p.name: p.default for p in theory.declared}, {}, []
    usual = {n: v for n, v in declared.items() if isinstance(v, int | float)}
    for cell in cells:
        numbers, name = cell.parameters, cell.quantity
        if cell.row not in solved:
            here = {n: v for n, v in numbers.items() if n in declared}
            here |= {r: numbers[a] / numbers[b] for r, (a, b) in RATIOS.items()
                     if r in declared and r not in numbers and a in numbers and numbers.get(b)}
            here |= {n: evaluate(text, {**usual, **numbers, **here}) for n, text in changes.items() if n in here}
            try:
                solved[cell.row] = theory.solve(parameters=here)
            except ConvergenceError:
                solved[cell.row] = dict.fromkeys(theory.quantities, math.nan)
        if name in changes:
            given, *moved = (evaluate(changes[name], {**usual, **numbers, name: cell.given + d})
                             for d in (0.0, cell.unit, cell.error or 0.0))
            unit, error = (abs(v - given) for v in moved)
            cell = replace(cell, given=given, unit=unit, error=None if cell.error is None else error)
        out.append(replace(cell, value=solved[cell.row][name]))
    return out


# -- explanations ----------------------------------------------------------------------------------------------------


def _explain(theory, found, cells, changes):
    """Yield what makes numbers agree that differ."""
    wrong = found.differing
    tried = dict(_by_conventions(theory, cells, changes)) if len(wrong) >= _FEWEST else {}
    least = min((len(_wrong(numbers)) for numbers in tried.values()), default=len(wrong))
    if least <= min(_LEFT * len(cells), len(wrong) / 2):
        best = {name: numbers for name, numbers in tried.items() if len(_wrong(numbers)) == least}
        for name, numbers in best.items():
            how = ", ".join(f"{k} = {text}" for k, text in CONVENTIONS[name].changes.items())
            yield (f"{len(wrong) - least} of {len(wrong)} agree by the convention {name!r} "
                   f"({CONVENTIONS[name].meaning}; here {how}){_doubt(wrong, numbers)}")
        wrong = _wrong(next(iter(best.values())))
    unexplained, are_few = [], len(wrong) <= max(2, len(cells) / 4)
    for number in wrong:
        why = _small_error(number, found.numbers) or are_few and _slip(number)
        if why:
            yield f"row {number.row}, {number.quantity}: {why}"
        else:
            unexplained.append(number)
    yield from _trends(found, unexplained)


def _wrong(numbers):
    return [n for n in numbers if not n.agrees]


def _doubt(wrong, numbers):
    """Return a word of doubt where numbers have so few digits that any convention might make them agree."""
    agree = {(n.row, n.quantity) for n in numbers if n.agrees}
    widths = [min(1.0, (n.unit if n.error is None else n.limit * n.error) / max(abs(n.given), 1e-300)) for n in wrong
              if (n.row, n.quantity) in agree]
    is_chance = math.prod(widths) * len(CONVENTIONS) > _CHANCE
    return ": with so few digits it may be chance" if is_chance else ""


def _by_conventions(theory, cells, changes):
    """Yield each convention that changes numbers of the table, and the comparison by it.

    Of a long table some numbers are tried first: a convention by which half of them differ explains nothing.
    """
    some = cells[::-(-len(cells) // _SAMPLE)]
    for name, convention in CONVENTIONS.items():
        if {*convention.changes} & {*changes} or not {*convention.changes} & {*cells[0].parameters}:
            continue
        by = changes | dict(convention.changes)
        try:
            if some == cells or 2 * len(_wrong(_compare_cells(theory, some, by))) <= len(some):
                yield name, _compare_cells(theory, cells, by)
        except AsympkitError:           # sizes that are not known, values outside domains
            continue


def _small_error(number, numbers):
    """Say that an error is small beside those of its column, if the usual one would allow the difference."""
    if number.error is None or not number.given:
        return None
    usual = float(np.median([n.error / abs(n.given) for n in numbers
                             if n.quantity == number.quantity and n.error and n.given]))
    usual *= abs(number.given)
    if number.error * _SMALL > usual or abs(number.difference) > number.limit * usual:
        return None
    return (f"its error {number.error:.2g} is {usual / number.error:.0f} times smaller than those of its column; with "
            f"the usual one z is {number.difference / usual:.1f}")


def _slip(number):
    """Say which digit differs, if one does, or two neighbours are exchanged."""
    head = number.text.partition("(")[0].lower().partition("e")[0]
    digits = [k for k, c in enumerate(head) if c.isdigit()]
    if sum(head[k] != "0" for k in digits) < 3:
        return None
    texts = [head[:k] + c + head[k + 1:] for k, c in product(digits[:-1], "0123456789") if head[k] != c]
    texts += [head[:k] + head[m] + head[k + 1:m] + head[k] + head[m + 1:] for k, m in zip(digits, digits[1:])
              if head[k] != head[m]]
    factor = number.given / float(head) if float(head) else 0.0        # powers of ten
    for text in texts:
        if abs(float(text) * factor - number.value) <= 1.0001 * number.unit:
            return f"{number.text} agrees as {text}{number.text[len(head):]}: a slip of digits?"
    return None


def _trends(found, numbers):
    """Yield the parameter that differences follow."""
    size = [abs(n.difference) / max(abs(n.value), 1e-300) for n in numbers]
    follow = []
    for name in found.varied if len(numbers) >= 4 else ():
        x = [n.parameters[name] for n in numbers]
        rank = _stats.spearmanr(x, size).statistic if len({*x}) > 1 and len({*size}) > 1 else 0.0
        follow.append((abs(rank), name, rank))
    rank, name, sign = max(follow, default=(0.0, "", 0.0))
    if rank >= _FOLLOWS:
        yield (f"relative differences {'grow' if sign > 0 else 'fall'} with {name} (rank correlation {sign:.2f}), and "
               f"are {min(size):.2g} to {max(size):.2g}")
