"""Assemble the module that a theory writes for people: equations, ``solve``, and what these need."""

import re
from dataclasses import dataclass, field

from sympy import Symbol

from .. import _version
from ..codegen.identifiers import settle
from ..codegen.text import docstring, literal, literals
from ..program.names import identifier, mark
from ..program.statements import Means
from .layout import broken, paragraph
from .levels import levels_of
from .pieces import TEXT, pieces
from .point import PointWriter
from .tables import table_arguments, write_activations, write_map, write_table

__all__ = ["Front", "front_of", "write_standalone"]

#: what the public functions call, so that no argument of theirs may have such a name
_CALLED = ("solutions", "require", "np", "OUTPUTS", "rtol", "values", "shape", "name", "column", "zip", "dict", "map",
           "float", "ValueError")
#: what a module may import
_IMPORTED = "import functools\nimport math\n\nimport numpy as np\n"
#: a comment between parts of a text
_BORDER = "# ---"
#: points from which on numba is worth its loading
_MANY = 100


_WRITTEN = "Written by asympkit from the symbolic equations; do not edit.  numpy is enough; numba speeds up solve_rows."
_PUBLIC = '''
def solve({arguments}):
    """Unknowns and observables at one point as a dict, with residual, iterations and error_estimate.

    Parameters
    ----------
{meanings}
    """
    values, shape = solutions({called})
    require(shape == (), "solve", f"arrays of shape {{shape}}", "one point; solve_rows takes arrays")
    if not np.isfinite(values[0, 0]):
        raise ValueError(f"solve: no solution (residual {{values[0, -3]:.1e}}, change under refinement "
                         f"{{values[0, -1]:.1e}}): move the parameters, or use asympkit itself")
    return dict(zip(OUTPUTS, map(float, values[0])))
{rows}'''.strip("\n")
_ROWS = '''

def solve_rows({arguments}):
    """As :func:`solve` for arrays of {many}, broadcast: a dict of arrays, NaN where there is no solution."""
    values, shape = solutions({called})
    return {{name: column.reshape(shape) for name, column in zip(OUTPUTS, values.T)}}
'''.rstrip("\n")


@dataclass(frozen=True)
class Front:
    """How a module takes what a person types.

    Attributes
    ----------
    declared : tuple of Parameter
    lines : tuple of str
        Source in ``solutions`` that makes program parameters of what is typed.
    parameters : tuple of str, optional
        Source of the program parameters, in their order; their labels otherwise.
    parts : tuple of str
        More source.
    steps : tuple of Means or Scalar
        Of which the activations are needed.
    free : tuple of str
        Names of declared parameters that may be arrays.
    tests : dict of str to (str, str)
        Conditions and expectations in the place of those that domains give, by the name of the parameter; an empty
        condition where ``lines`` test it.
    """

    declared: tuple
    lines: tuple = ()
    parameters: tuple = None
    parts: tuple = ()
    steps: tuple = ()
    free: tuple = ()
    tests: dict = field(default_factory=dict)


def front_of(program, names, declared, derived, functions):
    """The :class:`Front` of a theory whose parameters are symbols of its equations."""
    mapping, lines, parts, steps = names.mapping(), (), (), ()
    tied = {s.name for s in program.table_parameters}
    if derived is not None:
        own = derived.names.mapping() | {label: mapping[label] for label in functions if label in mapping}
        own |= {s: mapping[s] for s in derived.arguments}
        text, steps = write_map("derived_quantities", derived, own, functions, "Quantities that follow from the "
                                "parameters.")
        outputs = [mapping[s] for s in program.parameters if s.name in derived.expressions]
        called = ", ".join(mapping[s] for s in derived.arguments)
        lines = (f"    {', '.join(outputs)}{',' * (len(outputs) == 1)} = derived_quantities({called})",)
        parts, tied = (text,), tied | {p.name for p in declared if derived.depends(p.name)}
    free = tuple(p.name for p in declared if p.name not in tied)
    return Front(tuple(declared), lines, None, parts, tuple(steps), free)


def write_standalone(program, names, system, title, front, functions=None, starts=(), proved=None, notes=()):
    """Source text of a module that needs nothing but numpy.

    Parameters
    ----------
    program : Program
    names : Names
        With the labels of the activations.
    system : System
        What is shown in the docstring.
    title : str
    front : Front
    functions : dict of str to Activation
    starts : sequence of dict
        Starting values of the unknowns that Newton's method solves for, the usual ones first.
    proved : dict of str to str, optional
        See :func:`~asympkit.standalone.tables.write_table`.
    notes : sequence of str
        Paragraphs of the docstring.

    Returns
    -------
    str
        The same bytes for the same theory, in every process.
    """
    mapping, functions = names.mapping(), functions or {}
    writer = PointWriter(program, mapping)
    point = writer()
    tables, steps = [], list(front.steps)
    for grid in program.grids:
        tables += write_table(program, grid, writer.rows[grid.name], mapping, functions, proved or {})
        steps += [s for s in grid.preparation if isinstance(s, Means)]
    solutions = _solutions(program, mapping, front, writer, starts)
    code = "\n\n\n".join([*write_activations(functions, steps, mapping), *front.parts, *tables, *point, solutions])
    typed = _typed(program, mapping, front)
    public = _public(program, front, typed)
    found = pieces("\n".join([code, public]), "\n\n\n".join(point), _has_matrices(program))
    constants = _constants(program, code, found)
    rest = "\n\n\n".join(found.texts)
    settled = settle(f"\n\n\n{_BORDER}\n\n\n".join([constants, public, code]), [rest, _IMPORTED])
    constants, public, code = settled.split(f"\n\n\n{_BORDER}\n\n\n")
    body = "\n\n\n".join([public, code, rest])
    header = _header(title, system, front, functions, notes)
    text = "\n\n\n".join(["\n\n".join([header, _imports(constants + body), constants]), body])
    text = _spaced(text)
    return broken(text) + "\n"


def _spaced(text):
    """Two empty lines between functions, none more."""
    return re.sub(r"\n{4,}", "\n\n\n", text)


def _imports(body):
    used = [m for m in ("functools", "math") if re.search(rf"\b{m}\.\w", TEXT.sub(" ", body))]
    return "\n".join([*(f"import {m}" for m in used), *[""] * bool(used), "import numpy as np"])


def _header(title, system, front, functions, notes):
    lines = ['"""' + docstring(title) + ".", "", _WRITTEN, ""]
    for note in notes:
        lines += [*paragraph(note), ""]
    for label, f in functions.items():
        lines += paragraph(f"{label}: {f.name}")
    lines += [""] * bool(functions)
    for line in system.text().splitlines():
        indent = line[:len(line) - len(line.lstrip())]
        lines += paragraph(line.strip(), indent, "    ")
    return "\n".join([*lines, '"""'])


def _constants(program, code, found):
    outputs = [*(s.name for s in program.unknowns), *program.observables, "residual", "iterations", "error_estimate"]
    lines = ['__all__ = ["solve", "solve_rows"]', f'__version__ = "{_version.__version__}"', ""]
    if re.search(r"\bROUNDING\b|\bLARGEST_ERROR\b", code):
        lines += ["#: rounding of double precision, and the error by rounding above which nothing has converged",
                  "ROUNDING, LARGEST_ERROR = 2.0**-52, 1e-9"]
    return "\n".join([*lines, *found.constants, f"OUTPUTS = {literals(outputs)}", "#: what numba compiles",
                      f"LOOPS = {literals(found.loops)}"])


# -- what is typed ---------------------------------------------------------------------------------------------


def _arrays(program):
    return list(dict.fromkeys(b for g in program.grids if g.given for b in g.bound))


def _typed(program, mapping, front):
    """What the arguments are called: as they are typed, wherever they can be."""
    labels = _labels(program, mapping, front)
    labels |= {b.name: mapping[b] for b in _arrays(program)}
    return {n: n if identifier(n) == n and n not in _CALLED else label for n, label in labels.items()}


def _labels(program, mapping, front):
    """What declared parameters are called inside: what is no symbol of the equations has its own name."""
    known = {s.name: mapping[s] for s in program.parameters}
    known |= {p.name: mapping[p.symbol] for p in front.declared if isinstance(p.symbol, Symbol)}
    return {p.name: known.get(p.name, p.name) for p in front.declared}


def _has_matrices(program):
    return any(len(s.torn) > 1 for s in (*program.newtons, *program.linears))


def _is_refinable(program):
    return any(not g.given for g in program.grids)


def _public(program, front, typed):
    """``solve`` and ``solve_rows``, which are called as a person types."""
    arrays, rtol = _arrays(program), _is_refinable(program)
    required = [typed[p.name] for p in front.declared if p.is_required]
    optional = [f"{typed[p.name]}={_default(p)}" for p in front.declared if not p.is_required]
    arguments = ", ".join([*required, *(typed[a.name] for a in arrays), *optional, *["rtol=1e-11"] * rtol])
    called = ", ".join([*(typed[p.name] for p in front.declared), *(typed[a.name] for a in arrays), *["rtol"] * rtol])
    meanings = []
    for p in front.declared:
        kind = "float or array" if p.name in front.free else "float"
        meanings += [f"    {typed[p.name]} : {kind}", *paragraph(p.meaning or p.name, "        ")]
    meanings += [f"    {typed[a.name]} : array" for a in arrays]
    meanings += ["    rtol : float, largest relative change under refinement of the averages"] * rtol
    scalar = "\n".join(meanings).replace("float or array", "float")
    free = [typed[p.name] for p in front.declared if p.name in front.free]
    many = "all parameters" if len(free) == len(front.declared) else ", ".join(free)
    return _PUBLIC.format(arguments=arguments, called=called, meanings=scalar,
                          rows=_ROWS.format(arguments=arguments, called=called, many=many) if free else "")


def _default(p):
    return repr(p.check(p.default))


_TESTS = {"positive": "({0} > 0.0) & ({0} < np.inf)", "nonnegative": "({0} >= 0.0) & ({0} < np.inf)",
          "nonnegative or inf": "{0} >= 0.0", "real": "np.isfinite({0})", "[-1, 1]": "({0} >= -1.0) & ({0} <= 1.0)",
          "[0, 1]": "({0} >= 0.0) & ({0} <= 1.0)"}


def _test(p, label, front):
    """A line that refuses numbers outside the domain of a parameter."""
    if p.name in front.tests:
        holds, expected = front.tests[p.name]
        if not holds:
            return ""
        return f"    require({holds}, {literal(p.name)}, {label}, {literal(expected)})"
    if isinstance(p.domain, str):
        holds = _TESTS[p.domain].format(label)
    else:
        low, high = (repr(x) if abs(x) < float("inf") else f"{'-' * (x < 0)}np.inf" for x in map(float, p.domain))
        holds = f"({label} >= {low}) & ({label} <= {high})"
    expected = p.expectation.partition(" (")[0]
    if p.name not in front.free:
        holds = f"np.ndim({label}) == 0 and {_chained(holds, label)}"
    return f"    require({holds}, {literal(p.name)}, {label}, {literal(expected)})"


def _chained(holds, label):
    """A condition on one number."""
    two = re.fullmatch(r"\(\S+ (>=?) (\S+)\) & \(\S+ (<=?) (\S+)\)", holds)
    return f"{two[2]} {two[1].replace('>', '<')} {label} {two[3]} {two[4]}" if two else holds


def _solutions(program, mapping, front, writer, starts):
    """The function behind ``solve`` and ``solve_rows``, whose arguments have labels."""
    labels = _labels(program, mapping, front)
    arrays, is_refinable = _arrays(program), _is_refinable(program)
    arguments = [*labels.values(), *(mapping[a] for a in arrays), *["rtol"] * is_refinable]
    lines = [f"def solutions({', '.join(arguments)}):",
             '    """Rows of outputs and error estimates, and the shape of all points."""']
    numbers = [labels[n] for n in labels if n in front.free]
    if numbers:
        lines.append(f"    {', '.join(numbers)}{',' * (len(numbers) == 1)} = "
                     f"(np.asarray(x, dtype=float) for x in ({', '.join(numbers)}{',' * (len(numbers) == 1)}))")
    for a in arrays:
        lines.append(f"    {mapping[a]} = np.ravel(np.asarray({mapping[a]}, dtype=float))")
    lines += [line for p in front.declared if (line := _test(p, labels[p.name], front))]
    texts = front.parameters or [mapping[s] for s in program.parameters]
    torn = [u for n in program.newtons for u in n.torn]
    lines += ['    with np.errstate(all="ignore"):', *("    " + line for line in front.lines),
              f"        arrays = np.broadcast_arrays({', '.join(texts) or '0.0'})",
              "        points = np.array([np.ravel(a) for a in arrays], dtype=float).T.copy()",
              f"        if len(points) >= {_MANY}:", "            compile_loops()"]
    made = []
    for g in program.grids:
        at = [mapping[b] for b in g.bound] if g.given else \
            ["level", *table_arguments(program, g, writer.rows[g.name], mapping)]
        made.append(f"*{mark(g.name)}_table({', '.join(at)})")
    rows = ", ".join(f"[{', '.join(map(repr, row))}]" for row in _start_rows(program, torn, starts))
    outputs = [*program.unknowns, *program.observables]
    names = [*(u.name for u in program.unknowns), *program.observables]
    solved = [names.index(u.name) for u in torn]
    judged = [*solved, *range(len(program.unknowns), len(outputs))] or list(range(len(outputs)))
    levels = levels_of(program) if is_refinable else 1
    tables = made[0].removeprefix("*") if len(made) == 1 else f"({', '.join(made)})"
    lines += [f"        starts = np.array([{rows}])",
              f"        return refined(points, lambda level: {tables}, starts, {len(names) + 2}, {solved}, {judged}, "
              f"{levels}, {'rtol' if is_refinable else '1e-9'}), arrays[0].shape"]
    return "\n".join(lines)


def _start_rows(program, torn, starts):
    """Starts with their numbers of plain iterations, the usual one with both numbers first."""
    rows = [[float(s[u.name]) for u in torn] for s in starts] if torn else [[]]
    plain = [0.0] if not torn or not all(n.all_maps for n in program.newtons) else [2.0, 40.0]
    ordered = [(row, n) for row in rows[:1] for n in plain] + [(row, n) for n in plain for row in rows[1:]]
    return [[*row, n] for row, n in ordered]
