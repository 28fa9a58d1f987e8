"""Write the kernel of a program, a module that the package alone uses and that imports its routines.

Print the loop that solves rows of points, each started from those before it.

Choose the identifiers of generated code when it is written: no label of the user meets a name of the code.

Writers print labels marked (:mod:`asympkit.program.names`), alone or inside an identifier (``<m>_start``).  A
writer's own identifiers are those without a mark, and need no list.
"""

import builtins
import hashlib
import keyword
import re
from functools import cache, lru_cache
from importlib import resources

from ..equations.scalable import Refusal, by_assumptions, prove_scalable
from ..numbers.functions import find_defined_names, list_routine_modules, sources
from ..program.names import MARK, mark
from ..program.statements import LARGEST_ERROR, ROUNDING, Scalar
from ..program.symmetry import has_layer
from .batch import BatchWriter
from .expressions import docstring, literals
from .formulas import name_formulas
from .loops import LoopWriter
from .tables import holds_products, levels_of, write_given, write_product, write_table

_DRIVER = '''
@compiled
def solve_rows({arguments}, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from those of the points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in prange(rows):
        known, past = 0, np.zeros(({torn}, DIFFERENCES))
        for j in range(points):
            for attempt in range(2):          # as predicted, if anything is; then from the given start
                plain = 2
{cold}
                if known >= 1 and attempt == 0:
                    plain = 0
{warm}
                result = solve_point({call})
                if known == 0 or result[{residual}] <= accept:
                    break
            for k in range({width}):
                out[row, j, k] = result[k]
            if result[{residual}] <= accept:
                known += 1
{remember}
            else:
                known = 0


solve_rows_parallel = in_parallel(solve_rows)
'''


def write_driver(program, names):
    """Write ``solve_rows`` and the same on all cores, which call ``solve_point``."""
    torn = [(names[u], p) for n in program.newtons for u, p in zip(n.torn, n.positive)]
    parameters = [names[s] for s in program.parameters]
    grids = [f"{g}_table, {g}_weights" for g in (mark(g.name) for g in program.grids)]
    index = {s: k for k, s in enumerate(program.unknowns)}
    position = [index[u] for n in program.newtons for u in n.torn]
    call = ", ".join([*(f"{p}[row, j]" for p in parameters), *grids, *(f"{u}_guess" for u, _ in torn),
                      "plain", "tolerance", "max_steps"])
    width = len(program.unknowns) + len(program.observables) + 2
    return _DRIVER.strip("\n").format(
        arguments=", ".join([*parameters, *grids, *(f"{u}_start" for u, _ in torn), "out"]), call=call,
        cold=_block(4, [f"{u}_guess = {u}_start[row, j]" for u, _ in torn]),
        # positive unknowns are predicted and kept by their logarithms
        warm=_block(5, [f"{u}_guess = math.exp(limited(past[{k}], known))" if p else
                        f"{u}_guess = continued(past[{k}], known)" for k, (u, p) in enumerate(torn)]),
        remember=_block(4, [f"remember(past[{k}], math.log(max(result[{at}], 1e-300)))" if p else
                            f"remember(past[{k}], result[{at}])"
                            for k, (at, (_, p)) in enumerate(zip(position, torn))]), torn=len(torn),
        residual=width - 2, width=width)


def _block(depth, lines):
    return "\n".join("    " * depth + line for line in lines or ["pass"])


_MARKED = re.compile(f"{MARK}([A-Za-z0-9_]+){MARK}")
_ALWAYS = frozenset({*dir(builtins), *keyword.kwlist, *keyword.softkwlist})
#: in the code that writers write: strings and comments, identifiers that are no attributes, and names of the module
_TEXTS = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*', re.DOTALL)
_IDENTIFIER = re.compile(r"(?<![\w.])[^\W\d]\w*")
_DEFINED = re.compile(r"^(?:(?:def|class|import|from \S+ import) +)?(?:\w+ as )?(\w+(?:, *\w+)*) *(?:=(?!=)|[(:]|$)",
                      re.MULTILINE)


def substitute_labels(text, around=()):
    """Replace marked labels by identifiers in the source of a module, or of the end of one.

    ``around`` is source of other parts of the module, without labels.  In each top-level statement no identifier made
    of a label is one of the statement's own; in the whole module none is a name of the module or of Python, and
    different ones stay different.
    """
    marked, beside = {}, {}
    for statement in re.split(r"\n(?=\S)", _bare(text)):
        found = set(_IDENTIFIER.findall(statement))
        own = {n for n in found if MARK not in n}
        for name in found - own:
            beside.setdefault(name, set()).update(own)
            for label in _MARKED.findall(name):
                marked.setdefault(label, set()).add(name)
    chosen, used = {}, set(_ALWAYS.union(*map(module_names, (text, *around))))
    for label in dict.fromkeys(_MARKED.findall(text)):
        # those that hold labels without an identifier yet are checked with the last of these
        forms = [n for n in marked.get(label, ()) if {label, *chosen}.issuperset(_MARKED.findall(n))]
        number = 1
        while True:
            chosen[label] = label if number == 1 else f"{label}_{number}"
            made = {n: _put(n, chosen) for n in forms}
            if len({*made.values()} - used) == len(forms) and not any(made[n] in beside[n] for n in forms):
                break
            number += 1
        used.update(made.values())
    return _put(text, chosen)


def identifiers(text):
    """Return the names that a source text mentions, without attributes; marked labels are identifiers of their own."""
    return set(_IDENTIFIER.findall(_bare(text)))


def _put(text, chosen):
    return _MARKED.sub(lambda m: chosen[m[1]], text)


def _bare(text):
    """Return the code without strings and comments."""
    return _TEXTS.sub(" ", text)


@lru_cache(maxsize=16)
def module_names(text):
    """Return the names that a source text defines for its module, without those that hold labels."""
    found = {name for names in _DEFINED.findall(_bare(text)) for name in re.split(", *", names)}
    return frozenset(n for n in found if MARK not in n)


#: files of the runtime that a kernel may import from
_RUNTIME = ("compiled", "linear", "rules", "means", "tables", "newton", "features")


def write_kernel(program, names, title, extra="", loops=True):
    """Write the source text of the kernel of a program: the same bytes for the same program, in every process.

    ``title`` is the first line of the module's docstring, ``extra`` more source at the end, whose labels are marked
    too; ``loops`` adds the compiled ``solve_point``, ``solve_rows`` and ``solve_rows_parallel``.
    """
    names = names.mapping()
    parts = [constants(program), *write_tables(program, names)]
    if loops:
        program, shared = name_formulas(program, names)
        parts += [*shared, LoopWriter(program, names)(), write_driver(program, names)]
    parts += [BatchWriter(program, names)(), extra]
    body = join_parts(parts)
    imports = _imports(join_parts([*given_routines(body), body]))
    around = [imports, *given_routines(body)]
    settled = substitute_labels(body, around)
    return tidy(join_parts([header(program, title), *around, settled]))


def join_parts(parts):
    """Join parts of a module with two empty lines between them."""
    return "\n\n\n".join(p.strip("\n") for p in parts if p)


def tidy(text):
    """Reduce empty lines of a module to two in a row."""
    return re.sub(r"\n{4,}", "\n\n\n", text) + "\n"


def fingerprint(text):
    """Return a short hash of a source text, for file names."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def header(program, title):
    """Write the docstring of a module."""
    lines = [f'"""{docstring(title)}.', "", "Written by asympkit from the symbolic equations; do not edit.", ""]
    for what, names in (("Unknowns", program.unknowns), ("Parameters", program.parameters),
                        ("Observables", program.observables)):
        lines.append(f"{what}: {docstring(', '.join(map(str, names)))}.")
    return "\n".join([*lines, '"""'])


def write_tables(program, names):
    """Return sources of the rules of all grids."""
    found = []
    for grid in program.grids:
        write = write_given if grid.given else write_product if grid.is_product else write_table
        found.append(write(program, grid, names))
    return found


def given_routines(text):
    """Return sources of registered functions that some code calls, their scalar ones for numba."""
    in_package = list_routine_modules()
    return [strip_source(r, True) for r in sources(text) if find_defined_names(r).isdisjoint(in_package)]


def strip_source(text, compiled):
    """Remove docstring and imports from source; ``compiled`` marks its plain functions for numba."""
    text = re.sub(r'\A""".*?"""\n', "", text, flags=re.S)
    text = re.sub(r"^(?:from|import) .*\n", "", text, flags=re.M).strip("\n")
    return re.sub(r"^def (?!\w*_batch)", "@compiled\ndef ", text, flags=re.M) if compiled else text


def _imports(body):
    """Return lines that import the names that a body mentions and does not define."""
    used, found = identifiers(body), {}
    homes = list_routine_modules() | {name: f"asympkit.runtime.{file}" for file in _RUNTIME for name in _defined(file)}
    for name in sorted(used & homes.keys()):
        found.setdefault(homes[name], []).append(name)
    lines = [f"import {name}" for name in ("math",) if name in used] + [""] * ("math" in used)
    lines += ["import numpy as np", ""]
    return "\n".join([*lines, *(f"from {home} import {', '.join(found[home])}" for home in sorted(found))])


@cache
def _defined(file):
    """Return the names that a file of the runtime defines."""
    text = resources.files("asympkit.runtime").joinpath(f"{file}.py").read_text(encoding="utf-8")
    found = re.findall(r"^(?:def |class )?(\w+(?:, \w+)*)(?: =|\(|:)", text, re.MULTILINE)
    return frozenset(name for names in found for name in names.split(", "))


def constants(program):
    """Return the source of a module's constants."""
    torn = [u for n in program.newtons for u in n.torn]
    follow = [u for u in program.unknowns if u.is_positive and u not in torn]       # these are not 0 by symmetry

    def listing(symbols):
        return literals(getattr(s, "name", s) for s in symbols)

    outputs = [str(s) for s in (*program.unknowns, *program.observables, "residual", "iterations")]
    def quoted(grid):
        return f'"{mark(grid.name)}"'

    grids = "(" + "".join(f"{quoted(g)}, " for g in program.grids).strip() + ")"
    # what a solution found by Newton's method on an equation, from a matrix, or by a formula that cancels, is judged by
    is_judged = any(s.expr.has(LARGEST_ERROR, ROUNDING) for s in program.statements if isinstance(s, Scalar))
    lines = [
        *(["ROUNDING = 2.0**-52", "LARGEST_ERROR = 1e-9"] if is_judged else []),
        f"PARAMETERS = {listing(program.parameters)}",
        f"TABLE_PARAMETERS = {listing(program.table_parameters)}",
        f"UNKNOWNS = {listing(program.unknowns)}",
        f"TORN = {listing(torn)}",
        *([f"POSITIVE = {listing(follow)}"] if program.activations and follow else []),
        f"OBSERVABLES = {listing(program.observables)}",
        f"OUTPUTS = {listing(outputs)}",
        f"ACTIVATIONS = {listing(program.activations)}",
        f"GRIDS = {grids}",
        "#: whether the form of the equations proves that they have one positive solution at most",
        f"UNIQUE = {is_unique(program)}",
    ]
    if program.newtons and not any(s.all_maps for s in program.newtons):
        lines += ["#: whether equations can be iterated without their derivatives", "MAPS = False"]
    if any(has_layer(program, g) for g in program.grids if not (g.given or g.is_product)):
        lines += ["#: how much wider rules with a layer are away from it", "WIDENED = 2.0"]
    if holds_products(program):
        lines += ["#: how many levels of refinement there are", f"LEVELS = {levels_of(program)}"]
        lines += ["#: grids whose sums are made at every node of others",
                  f"INNER = ({''.join(f'{quoted(g)}, ' for g in program.grids if g.is_inner).strip()})"]
    if program.arrays:
        place = {a: k for k, a in enumerate(program.arrays)}
        given = [f"{quoted(g)}: {tuple(place[a] for a in g.arrays)}" for g in program.grids if g.given]
        lines += ["#: which of the caller's arrays each grid is made of", f"GIVEN = {{{', '.join(given)}}}"]
    return "\n".join(lines)


def is_unique(program):
    try:
        for block in program.blocks:
            prove_scalable(block, by_assumptions)
    except Refusal:
        return False
    return True
