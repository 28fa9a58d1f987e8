"""Write one standalone module (numpy and numba alone) from a program."""

import re
from importlib import resources

from ..numbers.functions import defined, sources
from .batch import BatchWriter
from .driver import write_driver
from .identifiers import settle
from .loops import LoopWriter
from .module import bare, constants, header, joined, tidy, write_tables
from .products import holds_products

_PRELUDE = '''
import math

import numpy as np

OPTIONS = dict(cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract", "arcp"})
LOOPS = []
prange = range


def compiled(loop):
    """Leave a loop to numba, which is loaded when one of the loops is first called."""
    def front(*arguments, **named):
        compile_loops()
        return globals()[loop.__name__](*arguments, **named)

    LOOPS.append((loop, loop.__name__, False))
    front.__name__, front.__doc__, front.__wrapped__ = loop.__name__, loop.__doc__, loop
    return front


def in_parallel(front):
    """The same loop on all cores, under the name <name>_parallel."""
    name = front.__name__ + "_parallel"
    code = front.__wrapped__.__code__.replace(co_name=name, co_qualname=name)
    LOOPS.append((type(front)(code, globals(), name), name, True))
    return lambda *arguments: compile_loops() or globals()[name](*arguments)


def compile_loops():
    """Put numba's functions in the place of their fronts; without numba, plain Python, slowly."""
    try:
        from numba import njit, prange
    except ImportError:
        globals().update({name: loop for loop, name, _ in LOOPS})
    else:
        functions = {name: njit(parallel=parallel, **OPTIONS)(loop) for loop, name, parallel in LOOPS}
        globals().update(functions, prange=prange)
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
        fixed.append(_runtime("rules", "nodes", "rows", "means", "directions", compiled=False))
    fixed.append(_runtime("tables", "newton", compiled=False))
    if holds_products(program):
        fixed.append(_runtime("products", compiled=False))
    if any(any(n.factors) for n in program.newtons):
        fixed.append(_runtime("quotients", compiled=False))
    parts = [constants(program), *write_tables(program, names), LoopWriter(program, names)(),
             BatchWriter(program, names)(), write_driver(program, names)]
    if functions:
        parts.append(_activations(functions, derivatives, names))
    if extra:
        parts.append(extra)
    routines = sources(*parts)
    first = [r for r in routines if "mp_resolvent" in defined(r)]          # before the linear algebra, by custom
    fixed[1:2] = [*(bare(r, True) for r in first), fixed[1], *(bare(r, True) for r in routines if r not in first)]
    settled = settle(joined(parts), fixed)
    return tidy(joined([header(program, title), *fixed, settled]))


def _runtime(*files, compiled):
    """The runtime's own source, without docstring and imports."""
    out = []
    for name in files:
        text = resources.files("asympkit.runtime").joinpath(f"{name}.py").read_text(encoding="utf-8")
        out.append(bare(text, compiled))
    return "\n\n\n".join(out)


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
