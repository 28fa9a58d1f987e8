"""Write one standalone module (numpy and numba alone) from a program."""

import hashlib
import re
from importlib import resources

from ..equations.scalable import Refusal, by_assumptions, prove_scalable
from ..numbers.functions import defined, sources
from ..program.names import mark
from ..program.statements import LARGEST_ERROR, Scalar
from .batch import BatchWriter
from .identifiers import settle
from .loops import LoopWriter
from .products import holds_products, levels_of, write_product
from .tables import write_given, write_table
from .text import docstring, literals

_PRELUDE = '''
import math

import numpy as np

OPTIONS = dict(cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract", "arcp"})
LOOPS = []


def compiled(parallel=False):
    """Leave a loop to numba, which is loaded when one of the loops is first called."""
    def mark(loop):
        def front(*arguments, **named):
            compile_loops()
            return globals()[loop.__name__](*arguments, **named)

        LOOPS.append((loop, parallel))
        front.__name__, front.__doc__, front.__wrapped__ = loop.__name__, loop.__doc__, loop
        return front

    return mark


def compile_loops():
    """Put numba's functions in the place of their fronts; without numba, plain Python, slowly."""
    try:
        from numba import njit, prange
    except ImportError:
        globals().update({loop.__name__: loop for loop, _ in LOOPS}, prange=range)
    else:
        functions = {loop.__name__: njit(parallel=parallel, **OPTIONS)(loop) for loop, parallel in LOOPS}
        globals().update(functions, prange=prange)
'''

_DRIVER = '''
@compiled({parallel})
def {name}({arguments}, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from the two points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in {range}(rows):
        known = 0
{declare}
        for j in range(points):
            plain = 2
{cold}
            if known >= 1:
                plain = 0
{warm}
            result = solve_point({call})
            if known >= 1 and not result[{residual}] <= accept:
                plain = max(plain, 2)        # no literal, for which the point was compiled again
{cold_again}
                result = solve_point({call})
            for k in range({width}):
                out[row, j, k] = result[k]
            if result[{residual}] <= accept:
                known += 1
{remember}
            else:
                known = 0
'''


def write_module(program, names, title, functions=None, derivatives=(), extra=""):
    """Source text of the module of a program.

    Parameters
    ----------
    program : Program
    names : Names
    title : str
        First line of the module's docstring.
    functions : dict, optional
        ``{label: activation}``: written into the module as ready activations.
    derivatives : tuple of str
        Labels whose first derivative is needed too.
    extra : str
        More source, appended at the end; its labels are marked too.

    Returns
    -------
    str
        The same bytes for the same program, in every process.
    """
    names = names.mapping()
    fixed = [_PRELUDE, _runtime("linear", compiled=True)]
    if any(not g.given for g in program.grids) or "normal_means" in extra:
        fixed.append(_runtime("rules", "nodes", "rows", "sampled", "means", "directions", compiled=False))
        fixed.append(_runtime("loops", compiled=True))
    fixed.append(_runtime("tables", "newton", compiled=False))
    if holds_products(program):
        fixed.append(_runtime("products", compiled=False))
    parts = [_constants(program)]
    for grid in program.grids:
        if grid.given:
            parts.append(write_given(program, grid, names))
        elif grid.is_product:
            parts.append(write_product(program, grid, names))
        else:
            parts.append(write_table(program, grid, names))
    parts += [LoopWriter(program, names)(), BatchWriter(program, names)()]
    if any(any(n.factors) for n in program.newtons):
        fixed.append(_runtime("quotients", compiled=False))
    parts += [_driver(program, names, "solve_rows", parallel=False),
              _driver(program, names, "solve_rows_parallel", parallel=True)]
    if functions:
        parts.append(_activations(functions, derivatives, names))
    if extra:
        parts.append(extra)
    routines = sources(*parts)
    first = [r for r in routines if "mp_resolvent" in defined(r)]          # before the linear algebra, by custom
    fixed[1:2] = [*(_bare(r, True) for r in first), fixed[1], *(_bare(r, True) for r in routines if r not in first)]
    settled = settle(_joined(parts), fixed)
    return re.sub(r"\n{4,}", "\n\n\n", _joined([_header(program, title), *fixed, settled]) + "\n")


def _joined(parts):
    return "\n\n\n".join(p.strip("\n") for p in parts)


def fingerprint(text):
    """Short hash of a source text, for file names."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _header(program, title):
    lines = [f'"""{docstring(title)}.', "", "Written by asympkit from the symbolic equations; do not edit.", ""]
    for what, names in (("Unknowns", program.unknowns), ("Parameters", program.parameters),
                        ("Observables", program.observables)):
        lines.append(f"{what}: {docstring(', '.join(map(str, names)))}.")
    return "\n".join([*lines, '"""'])


def _runtime(*files, compiled):
    """The runtime's own source, without docstring and imports."""
    out = []
    for name in files:
        text = resources.files("asympkit.runtime").joinpath(f"{name}.py").read_text(encoding="utf-8")
        out.append(_bare(text, compiled))
    return "\n\n\n".join(out)


def _bare(text, compiled):
    """Source without docstring and imports, its plain functions left to numba if asked."""
    text = re.sub(r'\A""".*?"""\n', "", text, flags=re.S)
    text = re.sub(r"^(?:from|import) .*\n", "", text, flags=re.M).strip("\n")
    return re.sub(r"^def (?!\w*_batch)", "@compiled()\ndef ", text, flags=re.M) if compiled else text


def _constants(program):
    torn = [u for n in program.newtons for u in n.torn]

    def listing(symbols):
        return literals(getattr(s, "name", s) for s in symbols)

    outputs = [str(s) for s in (*program.unknowns, *program.observables, "residual", "iterations")]
    def quoted(grid):
        return f'"{mark(grid.name)}"'

    grids = "(" + "".join(f"{quoted(g)}, " for g in program.grids).strip() + ")"
    # what a solution found by Newton's method on an equation, from a matrix, or by a formula that cancels, is judged by
    is_judged = any(LARGEST_ERROR in s.expr.free_symbols for s in program.statements if isinstance(s, Scalar))
    constants = [
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
    if holds_products(program):
        constants += ["#: how many levels of refinement there are", f"LEVELS = {levels_of(program)}"]
        constants += ["#: grids whose sums are made at every node of others",
                      f"INNER = ({''.join(f'{quoted(g)}, ' for g in program.grids if g.is_inner).strip()})"]
    if program.arrays:
        place = {a: k for k, a in enumerate(program.arrays)}
        given = [f"{quoted(g)}: {tuple(place[a] for a in g.arrays)}" for g in program.grids if g.given]
        constants += ["#: which of the caller's arrays each grid is made of", f"GIVEN = {{{', '.join(given)}}}"]
    return "\n".join(constants)


def _is_unique(program):
    try:
        for block in program.blocks:
            prove_scalable(block, by_assumptions)
    except Refusal:
        return False
    return True


def _driver(program, names, name, parallel):
    torn = [(names[u], p) for n in program.newtons for u, p in zip(n.torn, n.positive)]
    parameters = [names[s] for s in program.parameters]
    grids = [f"{g}_table, {g}_weights" for g in (mark(g.name) for g in program.grids)]
    index = {s: k for k, s in enumerate(program.unknowns)}
    position = [index[u] for n in program.newtons for u in n.torn]
    call = ", ".join([*(f"{p}[row, j]" for p in parameters), *grids, *(f"{u}_guess" for u, _ in torn),
                      "plain", "tolerance", "max_steps"])

    def block(depth, lines):
        return "\n".join("    " * depth + line for line in (lines or ["pass"]))

    def step(u, positive):
        return f"{u}_last * min(20.0, max(0.05, {u}_last / {u}_before))" if positive \
            else f"2.0 * {u}_last - {u}_before"

    warm = [f"{u}_guess = {u}_last if known == 1 else {step(u, p)}" for u, p in torn]
    cold = [f"{u}_guess = {u}_start[row, j]" for u, _ in torn]
    remember = [f"{u}_before = {u}_last" for u, _ in torn]
    remember += [f"{u}_last = result[{k}]" for (u, _), k in zip(torn, position)]
    declare = [line for u, _ in torn for line in (f"{u}_last = 1.0", f"{u}_before = 1.0")]
    arguments = ", ".join([*parameters, *grids, *(f"{u}_start" for u, _ in torn), "out"])
    width = len(program.unknowns) + len(program.observables) + 2
    return _DRIVER.format(
        parallel="parallel=True" if parallel else "", name=name, range="prange" if parallel else "range",
        arguments=arguments, call=call, declare=block(2, declare), cold=block(3, cold), warm=block(4, warm),
        cold_again=block(4, cold), remember=block(4, remember), residual=width - 2, width=width)


def _ready(f):
    mirror = {"odd": -1, "even": 1, None: 0}[f.parity]
    return f"Activation(lambda x: {f.numpy_source('x')}, {tuple(map(float, f.kinks_float))}, {mirror})"


def _activations(functions, derivatives, names):
    lines = ["class Activation:",
             '    """A function with the points where it is not smooth, and its parity (1, -1, or 0)."""', "",
             "    def __init__(self, function, kinks_float, mirror):",
             "        self.function, self.kinks_float, self.mirror = function, kinks_float, mirror", "",
             "    def __call__(self, x):",
             '        with np.errstate(all="ignore"):',
             "            return self.function(np.asarray(x, dtype=float)) + 0.0*x", ""]
    if any(re.search(r"\berfc?\(", g.numpy_source("x")) for f in functions.values() for g in (f, f.derivative)):
        lines += ["", "erf = np.vectorize(math.erf, otypes=[float])",
                  "erfc = np.vectorize(math.erfc, otypes=[float])", ""]
    for label, f in functions.items():
        own = names[label]
        lines += ["", f"{own} = {_ready(f)}"]
        if label in derivatives:
            lines.append(f"{own}.derivative = {_ready(f.derivative)}")
    return "\n".join(lines)
