"""Write the kernel of a program, a module that the package alone uses and that imports its routines."""

import hashlib
import re
from functools import cache
from importlib import resources

from ..equations.scalable import Refusal, by_assumptions, prove_scalable
from ..numbers.functions import defined, places, sources
from ..program.layers import has_layer
from ..program.names import mark
from ..program.statements import LARGEST_ERROR, ROUNDING, Scalar
from .batch import BatchWriter
from .driver import write_driver
from .identifiers import identifiers, settle
from .loops import LoopWriter
from .products import holds_products, levels_of, write_product
from .tables import write_given, write_table
from .text import docstring, literals

#: files of the runtime that a kernel may import from
_RUNTIME = ("compiled", "linear", "rules", "rows", "means", "tables", "newton", "products", "quotients",
            "panels", "continued")


def write_kernel(program, names, title, extra="", loops=True):
    """Write the source text of the kernel of a program.

    Parameters
    ----------
    program : Program
    names : Names
    title : str
        First line of the module's docstring.
    extra : str
        More source, appended at the end; its labels are marked too.
    loops : bool
        True adds the compiled ``solve_point``, ``solve_rows`` and ``solve_rows_parallel``.

    Returns
    -------
    str
        The same bytes for the same program, in every process.
    """
    names = names.mapping()
    parts = [constants(program), *write_tables(program, names)]
    if loops:
        parts += [LoopWriter(program, names)(), write_driver(program, names)]
    parts += [BatchWriter(program, names)(), extra]
    body = joined(parts)
    imports = _imports(joined([*given_routines(body), body]))
    around = [imports, *given_routines(body)]
    settled = settle(body, around)
    return tidy(joined([header(program, title), *around, settled]))


def joined(parts):
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
    shipped = places()
    return [bare(r, True) for r in sources(text) if defined(r).isdisjoint(shipped)]


def bare(text, compiled):
    """Remove docstring and imports from source; ``compiled`` marks its plain functions for numba."""
    text = re.sub(r'\A""".*?"""\n', "", text, flags=re.S)
    text = re.sub(r"^(?:from|import) .*\n", "", text, flags=re.M).strip("\n")
    return re.sub(r"^def (?!\w*_batch)", "@compiled\ndef ", text, flags=re.M) if compiled else text


def _imports(body):
    """Return lines that import the names that a body mentions and does not define."""
    used, found = identifiers(body), {}
    homes = places() | {name: f"asympkit.runtime.{file}" for file in _RUNTIME for name in _defined(file)}
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
        f"OBSERVABLES = {listing(program.observables)}",
        f"OUTPUTS = {listing(outputs)}",
        f"ACTIVATIONS = {listing(program.activations)}",
        f"GRIDS = {grids}",
        "#: whether the form of the equations proves that they have one positive solution at most",
        f"UNIQUE = {_is_unique(program)}",
    ]
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


def _is_unique(program):
    try:
        for block in program.blocks:
            prove_scalable(block, by_assumptions)
    except Refusal:
        return False
    return True
