"""Assemble the exported module of a theory: equations, ``solve``, and what these need."""

import re

from .. import _version
from ..codegen.expressions import docstring, literals
from ..codegen.module import substitute_labels
from ..program.statements import Means
from .front import write_public, write_solutions
from .layout import broken, paragraph
from .pieces import TEXT, pieces
from .point import PointWriter
from .tables import write_activations, write_table, write_turning

__all__ = ["write_standalone"]

#: what a module may import
_IMPORTED = "import functools\nimport math\n\nimport numpy as np\n"
#: a comment between parts of a text
_BORDER = "# ---"
_WRITTEN = "Written by asympkit from the symbolic equations; do not edit.  numpy is enough; numba speeds up solve_rows."


def write_standalone(program, names, system, title, front, functions=None, starts=(), proved=None, notes=(),
                     domains=None, narrow=None):
    """Write the source of a module that needs nothing but numpy.

    Parameters
    ----------
    program : Program
    names : Names
        With the labels of the activations.
    system : System
        The equations that the docstring shows.
    title : str
    front : Front
        The arguments it takes from its user.
    functions : dict of str to Activation
    starts : sequence of dict
        Starting values of the unknowns that Newton's method solves for, the usual ones first.
    proved : dict of str to str, optional
        See :func:`~asympkit.standalone.tables.write_table`.
    notes : sequence of str
        Paragraphs of the docstring.
    domains : dict of Symbol to (float, float), optional
        Intervals in which unknowns must come out.
    narrow : NarrowFeatures, optional
        What finds narrow features of integrands.

    Returns
    -------
    str
        The same bytes for the same theory, in every process.
    """
    mapping, functions = names.mapping(), functions or {}
    writer = PointWriter(program, mapping, domains)
    point = writer()
    tables, steps = [], list(front.steps)
    turning = write_turning(narrow, program, mapping) if narrow else ""
    for grid in program.grids:
        tables += write_table(program, grid, writer.rows[grid.name], mapping, functions, proved or {}, bool(turning))
        steps += [s for s in grid.preparation if isinstance(s, Means)]
    solutions = write_solutions(program, mapping, front, writer, starts, bool(turning))
    code = "\n\n\n".join([*write_activations(functions, steps, mapping), *front.parts, *tables, *point,
                           *[turning] * bool(turning), solutions])
    public = write_public(program, mapping, front)
    found = pieces("\n".join([code, public]), "\n\n\n".join(point), _has_matrices(program))
    constants = _constants(program, code, found, front)
    rest = re.sub(r"(?m)^(\w+ = elementwise\(.*\))\n\n\n(?=\w+ = elementwise)", r"\1\n", "\n\n\n".join(found.texts))
    settled = substitute_labels(f"\n\n\n{_BORDER}\n\n\n".join([constants, public, code]), [rest, _IMPORTED])
    constants, public, code = settled.split(f"\n\n\n{_BORDER}\n\n\n")
    body = "\n\n\n".join([public, code, rest])
    header = _header(title, system, functions, notes)
    text = "\n\n\n".join(["\n\n".join([header, _imports(constants + body), constants]), body])
    return broken(re.sub(r"\n{4,}", "\n\n\n", text)) + "\n"


def _imports(body):
    used = [m for m in ("functools", "math") if re.search(rf"\b{m}\.\w", TEXT.sub(" ", body))]
    return "\n".join([*(f"import {m}" for m in used), *[""] * bool(used), "import numpy as np"])


def _header(title, system, functions, notes):
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


def _constants(program, code, found, front):
    outputs = [*(s.name for s in program.unknowns), *program.observables, "residual", "iterations", "error_estimate"]
    public = '"solve", "solve_rows"' if front.free else '"solve"'
    lines = [f"__all__ = [{public}]", f'__version__ = "{_version.__version__}"', ""]
    if re.search(r"\bROUNDING\b|\bLARGEST_ERROR\b", code):
        lines += ["#: rounding of double precision, and the error by rounding above which nothing has converged",
                  "ROUNDING, LARGEST_ERROR = 2.0**-52, 1e-9"]
    usual = ["#: arrays that are taken unless others are given", *front.constants] if front.constants else []
    return "\n".join([*lines, *found.constants, *usual, f"OUTPUTS = {literals(outputs)}", "#: what numba compiles",
                      f"LOOPS = {literals(found.loops)}"])


def _has_matrices(program):
    return any(len(s.torn) > 1 for s in (*program.newtons, *program.linears))
