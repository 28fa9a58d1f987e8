"""Assemble the exported module of a theory: its kernel, the functions it calls, and ``solve`` in front of them.

The kernel is the one that the package solves with (:func:`asympkit.codegen.write_kernel`); the functions of the
runtime that it imports there are copied beside it.  Derivatives are the tangent of the kernel, solved by its own code
from the solutions: those of all unknowns and observables along any direction in the parameters of the program; what
these are for one parameter of the user follows from the derivatives of the theory's map.
"""

import re

from .._version import __version__ as VERSION
from ..codegen.batch import BatchWriter
from ..codegen.expressions import docstring, literals
from ..codegen.formulas import name_formulas
from ..codegen.loops import LoopWriter
from ..codegen.module import is_unique, join_parts, substitute_labels, write_driver, write_tables
from ..errors import DomainError, NotAvailableError
from ..program.names import mark
from ..program.statements import LARGEST_ERROR, ROUNDING, Scalar
from .copies import broken, copy_definitions, paragraph, reached_functions, shorten_docstrings
from .interface import (
    demand_digits,
    describe_domain,
    given_arrays,
    list_arguments,
    list_tied,
    name_arguments,
    write_activations,
    write_checks,
    write_public,
    write_solutions,
)

#: a comment between parts of a text
BORDER = "# ---"
_WRITTEN = (
    "Written by asympkit from the symbolic equations; do not edit.  numpy is enough; numba, where it is installed, "
    "makes many points faster.",
    "Accuracy: double precision; averages are refined until their relative change is below rtol, as error_estimate "
    "reports.  Licence: this file belongs to whoever generated it, to use, change and publish, without warranty.  "
    "Please cite asympkit {version}{paper}.")


def write_module(program, names, system, title, front, functions=None, starts=(), proved=None, notes=(),
                     domains=None, turning="", has_one_root=False, derivatives=False):
    """Write the source of a module that needs nothing but numpy: the same bytes for the same theory, in every process.

    ``names`` have the labels of the activations, ``system`` the equations that the docstring shows, with ``notes`` as
    paragraphs, ``front`` the arguments that it takes from its user.  ``starts`` are starting values of the unknowns
    that Newton's method solves for, the usual ones first, ``domains`` intervals in which unknowns must come out;
    ``proved`` are conditions under which the mean of an activation without offset is zero by a proof, by label;
    ``turning`` is a function that finds where integrands turn (:func:`asympkit.codegen.turning.write_turning`), if any
    may do so within a small part of the unit; ``has_one_root`` says that there is one solution, for a reason that the
    form of the equations does not show.
    """
    mapping, functions = names.mapping(), functions or {}
    steps = [*front.steps, *(s for g in program.grids for s in g.preparation)]
    driver = "refine_on_places" if turning else "refine"
    gradient = TangentWriter(program, mapping, front) if derivatives else None
    steps += gradient.steps if derivatives else []
    printed, shared = name_formulas(demand_digits(program), mapping)
    code = join_parts([
        *write_activations(functions, steps, mapping), *front.parts, *write_tables(program, mapping), *shared,
        LoopWriter(printed, mapping)().replace("@compiled\n", ""), _line_driver(program, mapping),
        BatchWriter(printed, mapping, has_diagnosis=False)(), turning,
        write_solutions(program, mapping, front, write_table_lines(program, mapping, proved or {}), driver),
        *([gradient.source(list_tied(program, front), write_table_lines(gradient.tangent, gradient.own, proved or {}))]
          if derivatives else [])])
    code = tidy(code)
    public = join_parts([write_public(program, mapping, front), *([gradient.public()] if derivatives else [])])
    constants, copied = copy_definitions("\n".join([code, public]))
    numbers = gather_constants(program, front, starts, domains or {}, has_one_root)
    numbers += gradient.constants() if derivatives else ""
    around = "\n\n\n".join([*constants, *copied, "import functools\nimport math\nimport numpy as np\nLOOPS = ()"])
    settled = substitute_labels(f"\n\n\n{BORDER}\n\n\n".join([numbers, public, code]), [around])
    numbers, public, code = settled.split(f"\n\n\n{BORDER}\n\n\n")
    body = "\n\n\n".join([code, *copied])
    if "compile_loops" in body:
        numbers += f"\n#: what numba compiles\nLOOPS = {literals(reached_functions(body, 'solve_in_order'))}"
    head = [write_header(title, system, functions, (*_WRITTEN, *notes), front),
            _imports(numbers, *constants, public, body), _exported(front, gradient)]
    text = join_parts(["\n\n".join(head), "\n".join(constants), numbers, public, body])
    return broken(re.sub(r"\n{4,}", "\n\n\n", text)) + "\n"


def _line_driver(program, names):
    """Write the loop over rows of points; its public name in the package is that of another function here."""
    text = write_driver(program, names).partition("\n\n\nsolve_rows_parallel")[0]
    text = text.replace("@compiled\n", "").replace("prange(", "range(")
    return text.replace("def solve_rows(", "def solve_in_order(")


def write_table_lines(program, names, proved):
    """Write the lines that make tables and weights of a level, and the error of the means in them."""
    lines = ['    """Return tables and weights of levels, and the error of the means in them."""']
    rules, checks = [], []
    known = {label: names[label] for label in program.activations}
    for label, condition in proved.items():
        if label in known:
            lines.append(f"    {names[label]}_here = with_zero_mean({names[label]}) if {condition} else {names[label]}")
            known[label] = f"{names[label]}_here"
    activations = "".join(f"{known[label]}, " for label in program.activations)
    for k, grid in enumerate(program.grids):
        own = mark(grid.name)
        if grid.given:
            rules.append(f"([{own}_rule({', '.join(names[b] for b in grid.bound)})]*len(levels), 0.0)")
            continue
        at = "".join(f"{names[s]}, " for s in program.table_parameters) + activations
        places = "" if grid.is_product else "places"
        rules.append(f"{own}_rule({', '.join(['levels', *filter(None, [at.rstrip(', '), places])])})")
        if grid.directions:
            checks.append(f"    check_directions(made[-1][{2 * k}], made[-1][{2 * k + 1}], {own}_DIRECTIONS, "
                          f"({activations.strip()}))")
    if not checks:
        return [*lines, f"    return gather({', '.join(['levels', *rules])})"]
    return [*lines, f"    made, error = gather({', '.join(['levels', *rules])})", *checks, "    return made, error"]


def tidy(code):
    """Leave out paragraphs of docstrings after the first, and empty constants."""
    return re.sub(r"(?m)^\w+_DIRECTIONS = \(\)$", "", shorten_docstrings(code))


def _imports(*texts):
    text = "\n".join(texts)
    used = [m for m in ("functools", "math") if re.search(rf"\b{m}\.\w", text)]
    return "\n".join([*(f"import {m}" for m in used), *[""] * bool(used), "import numpy as np"])


def write_header(title, system, functions, notes, front):
    """Write the docstring of a module, with the parameters, their domains, and the equations as text."""
    lines = ['"""' + docstring(title) + "."]
    paper = " and the paper that the title names" * ("arXiv" in title)
    for note in notes:
        lines += ["", *paragraph(note.replace("{version}", VERSION).replace("{paper}", paper))]
    lines.append("")
    for p in front.declared:
        lines += paragraph(f"{p.name}: {p.meaning or p.name}; {describe_domain(p, front)}", "", "    ")
    lines += [""] * bool(front.declared)
    for label, f in functions.items():
        lines += paragraph(f"{label}: {f.name}")
    lines += [""] * bool(functions)
    for line in system.text().splitlines():
        indent = line[:len(line) - len(line.lstrip())]
        lines += paragraph(line.strip(), indent, "    ")
    return "\n".join([*lines, '"""'])


def _exported(front, gradient):
    public = '"solve", "solve_many", "solve_rows"' if front.declared else '"solve"'
    public = '"gradient", ' * bool(gradient) + public
    return f'__all__ = [{public}]\n__version__ = "{VERSION}"'


def gather_constants(program, front, starts, domains, has_one_root):
    """Write the numbers that the driver reads."""
    torn = [u for n in program.newtons for u in n.torn]
    names = [*(s.name for s in program.unknowns), *program.observables]
    if taken := {"status", "error_estimate"} & {*names}:
        raise DomainError(f"generate: the name {taken.pop()!r} of an unknown or observable is that of an output of "
                          "exported files; expected another")
    solved = [names.index(u.name) for u in torn]
    judged = [*solved, *range(len(program.unknowns), len(names))] or list(range(len(names)))
    follow = [u for u in program.unknowns if program.activations and u.is_positive and u not in torn]
    positive = [names.index(u.name) for u in follow]
    rows = [tuple(float(s[u.name]) for u in torn) for s in starts] if torn else [()]
    attempts = [(rows[0], 2, False), *((rows[0], 40, False),) * bool(torn), *((row, 2, False) for row in rows[1:])]
    attempts += [(rows[0], 400, False)] * bool(torn)
    careful = any(n.has_fallback for n in program.newtons)
    attempts += [(row, 0, True) for row in rows] if careful else []
    places = []
    for u, (low, high) in domains.items():
        is_strict = bool(u.is_positive) and low == 0.0
        if u not in torn and (is_strict or low > -float("inf") or high < float("inf")):
            places.append((names.index(u.name), *((5e-324, float(high), 0.0) if is_strict else
                                                  (float(low), float(high), 1e-13))))
    lines = ["#: of one point: unknowns, observables, and how it was solved",
             f"OUTPUTS = {literals([*names, 'residual', 'iterations', 'error_estimate'])}",
             "#: those that are not returned", f"INTERNAL = {literals(front.internal)}",
             "#: starts of Newton's method, plain steps before it, and whether its steps are careful",
             f"STARTS = ({''.join(f'{a}, ' for a in attempts).strip()})",
             "#: places of the outputs that Newton's method solves for, that must stand still, and that are not 0",
             f"SOLVED_FOR, JUDGED, POSITIVE = {solved}, {judged}, {positive}",
             "#: outputs with a domain of their own: place, lower and upper end, rounding",
             f"DOMAINS = {tuple(places)}".replace("inf", "np.inf"),
             f"HAS_CAREFUL_STEPS, IS_UNIQUE = {careful}, {has_one_root or is_unique(program)}",
             "#: place of a parameter that falls from 1 on the way to points that fail; -1 for none",
             f"FALLING = {[*(s.name for s in program.parameters), front.falling].index(front.falling)}"
             if front.falling else "FALLING = -1",
             "#: whether averages are refined, and which of them are inside others",
             f"IS_REFINED = {any(not g.given for g in program.grids)}",
             f"INNER = ({''.join(f'{bool(g.is_inner)}, ' for g in program.grids).strip()})"]
    if any(s.expr.has(LARGEST_ERROR, ROUNDING) for s in program.statements if isinstance(s, Scalar)):
        lines = ["#: rounding of double precision, and the error by rounding above which nothing has converged",
                 "ROUNDING, LARGEST_ERROR = 2.0**-52, 1e-9", *lines]
    usual = ["#: arrays that are taken unless others are given", *front.constants] if front.constants else []
    return "\n".join([*lines, *usual])


# -- derivatives -------------------------------------------------------------------------------------------------------


_PUBLIC = '''
def gradient({arguments}):
    """Derivatives at one point or many: {{unknown or observable: {{parameter: number or array}}}}.

    Arguments are those of :func:`solve_many`; NaN where there is no solution, or no derivative to its accuracy.
    """
    return gradients({called})
'''.strip("\n")
_SOLVE = '''
def gradients({given}):
    """Return the derivatives at points of any shape."""
    values, shape = solutions({given})
{checks}
    return differentiate(values, shape, ({labels},), {tied}, {solve})


def solve_tangents({arguments}):
    """Return derivatives at points that share tables: of all quantities, by all parameters."""
{lines}
    points = as_points(values.shape[1], {points})
    rates = [as_points(values.shape[1], *row) for row in ({rates})]

    def tables(levels, places=()):
{tables}

    return refine_tangents(points, rates, tables, values)
'''.strip("\n")


class TangentWriter:
    """The parts of a module that make its derivatives; NotAvailableError if the theory has no tangent."""

    def __init__(self, program, mapping, front):
        if front.tangent is None:
            raise NotAvailableError("generate: derivatives=True is there for square losses over isotropic rows and for "
                                    "user-defined theories; expected derivatives=False, or sensitivity()")
        self.program, self.mapping, self.front = program, mapping, front
        self.tangent, names, self.moving = front.tangent()
        self.own = names.mapping() | {label: mapping[label] for label in self.tangent.activations}
        self.slopes, own_steps, self.places, self.call = front.slopes() if front.slopes else ("", [], {}, "")
        self.steps = [*own_steps, *(s for g in self.tangent.grids for s in g.preparation)]
        self.declared = [p.name for p in front.declared
                         if p.name in self.moving or any(by == p.name for _, by in self.places)]

    def source(self, tied, tables):
        """Write the tangent, its ``tables``, and what solves it.

        ``tied`` are places of the parameters that points with the same tables share.
        """
        checks, labels = write_checks(self.program, self.mapping, self.front)
        labels, arrays = list(labels.values()), [self.mapping[a] for a in given_arrays(self.program)]
        rows = [["1.0" if q == by else self.places.get((q, by), "0.0") for q in self.moving] for by in self.declared]
        more = ["rtol"] * any(not g.given for g in self.program.grids)
        batch = BatchWriter(self.tangent, self.own, has_diagnosis=False)()
        text = join_parts([
            *write_tables(self.tangent, self.own), batch.replace("solve_batch(", "tangent_batch("), _SOLVE.format(
                given=", ".join([*labels, *arrays, *more]), checks="\n".join(checks), labels=", ".join(labels),
                tied=tied,
                solve=f"lambda *at: solve_tangents(*at, {', '.join(arrays)})" if arrays else "solve_tangents",
                arguments=", ".join([*labels, "values", *arrays]),
                lines="\n".join([*self.front.lines, *[f"    {self.call}"] * bool(self.call)]),
                points=", ".join(self.front.parameters or [self.mapping[s] for s in self.program.parameters]),
                rates="".join(f"({', '.join(row)},), " for row in rows).strip(),
                tables="\n".join(f"    {line}" for line in tables))])
        for g in self.tangent.grids:
            text = text.replace(f"{mark(g.name)}_", f"tangent_{mark(g.name)}_")
        return join_parts([self.slopes, text])

    def public(self):
        """Write ``gradient``."""
        typed, more = name_arguments(self.program, self.mapping, self.front), any(not g.given for g in
                                                                                  self.program.grids)
        _, arguments, _ = list_arguments(self.program, self.front, typed)
        called = [typed[n] for n in (*(p.name for p in self.front.declared),
                                     *(a.name for a in given_arrays(self.program)))]
        return _PUBLIC.format(arguments=", ".join([*arguments, *["rtol=1e-11"] * more]),
                              called=", ".join([*called, *["rtol"] * more]))

    def constants(self):
        """Write the places of derivatives among the outputs of the tangent, and the parameters."""
        n, count = len(self.program.unknowns), len(self.program.observables)
        places = [*range(n, 2 * n), *(2 * n + count + 2 * j for j in range(count))]
        divisor, count = (), len(self.program.parameters)
        if self.front.divisor:
            name, by = self.front.divisor
            divisor = (([p.name for p in self.program.parameters].index(name),
                        [count + self.moving.index(n) for n in by]),)
        return "\n".join(["", "#: places of the derivatives among the outputs of the tangent, and their parameters",
                          f"RATES, DECLARED = {places}, {literals(self.declared)}",
                          "#: a parameter that divides nothing but derivatives along some directions, and these",
                          f"DIVISOR = {divisor}"])
