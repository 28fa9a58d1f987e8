"""The public side of a module: ``solve``, ``solve_rows``, and what checks and orders the parameters behind them."""

import re
from dataclasses import dataclass, field

import numpy as np
from sympy import Symbol

from ..codegen.expressions import write_literal
from ..codegen.products import holds_products
from ..codegen.products import levels_of as levels_of_products
from ..program.names import identifier, mark
from ..program.statements import Implicit
from .layout import paragraph
from .maps import write_map
from .tables import has_placed_nodes, table_arguments

__all__ = ["levels_of", "make_interface", "ModuleInterface", "write_public", "write_solutions"]


#: of rules of one variable
LEVELS = 11


def levels_of(program):
    """Return the number of levels; fewer for products of rules, whose nodes are many."""
    # the first level here is the second there
    return min(LEVELS, levels_of_products(program) - 1) if holds_products(program) else LEVELS


#: what the public functions call, so that no argument of theirs may have such a name
_CALLED = ("solutions", "require", "np", "OUTPUTS", "rtol", "values", "shape", "name", "column", "zip", "dict", "map",
           "float", "ValueError")
#: points from which on numba is worth its loading, and where functions through inner unknowns are to be compiled too
_MANY, _MANY_IMPLICIT = 100, 500
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
class ModuleInterface:
    """The arguments that an exported module takes from its user.

    Attributes
    ----------
    declared : tuple of Parameter
    lines : tuple of str
        Source in ``solutions`` that makes program parameters of the user's arguments.
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
    usual : dict of str to (float or sequence of float)
        What implied parameters and arrays are unless they are given, by name.
    follows : dict of str to str
        Of implied parameters that follow from arrays: source that makes them, by name.
    """

    declared: tuple
    lines: tuple = ()
    parameters: tuple = None
    parts: tuple = ()
    steps: tuple = ()
    free: tuple = ()
    tests: dict = field(default_factory=dict)
    usual: dict = field(default_factory=dict)
    follows: dict = field(default_factory=dict)

    @property
    def constants(self):
        """Lines that name the usual arrays."""
        return [f"{_constant(name)} = ({', '.join(map(repr, np.asarray(value, dtype=float).tolist()))},)"
                for name, value in self.usual.items() if np.ndim(value)]

    def default(self, name):
        """Write the source of a default, or None where there is none."""
        if name in self.follows:
            return "None"
        if name not in self.usual:
            return next((repr(p.check(p.default)) for p in self.declared if p.name == name and not p.is_required), None)
        return _constant(name) if np.ndim(self.usual[name]) else repr(float(self.usual[name]))


def make_interface(program, names, declared, derived, functions, tests=None, usual=None, follows=None):
    """Return the :class:`ModuleInterface` of a theory whose parameters are symbols of its equations.

    They stand in braces in ``tests`` and ``follows`` too.
    """
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
    labels = {s.name: mapping[s] for s in (*program.parameters, *_arrays(program))}
    tests = {name: (holds.format(**labels), said) for name, (holds, said) in (tests or {}).items()}
    follows = {name: source.format(**labels) for name, source in (follows or {}).items()}
    return ModuleInterface(tuple(declared), lines, None, parts, tuple(steps), free, tests, usual or {}, follows)


def _constant(name):
    return f"USUAL_{name.upper()}"


def _arrays(program):
    return list(dict.fromkeys(b for g in program.grids if g.given for b in g.bound))


def _typed(program, mapping, front):
    """Name the arguments: as the user types them, wherever possible."""
    labels = _labels(program, mapping, front)
    labels |= {b.name: mapping[b] for b in _arrays(program)}
    return {n: n if identifier(n) == n and n not in _CALLED else label for n, label in labels.items()}


def _labels(program, mapping, front):
    """Name declared parameters inside the module; those without a symbol of the equations keep their own name."""
    known = {s.name: mapping[s] for s in program.parameters}
    known |= {p.name: mapping[p.symbol] for p in front.declared if isinstance(p.symbol, Symbol)}
    return {p.name: known.get(p.name, p.name) for p in front.declared}


def _is_refinable(program):
    return any(not g.given for g in program.grids)


def write_public(program, mapping, front):
    """Write ``solve`` and ``solve_rows``, which take the user's arguments."""
    typed = _typed(program, mapping, front)
    arrays, rtol = _arrays(program), _is_refinable(program)
    ordered = [*(p.name for p in front.declared if p.is_required), *(a.name for a in arrays),
               *(p.name for p in front.declared if not p.is_required)]
    defaults = {n: front.default(n) for n in ordered}
    arguments = ", ".join([*(typed[n] for n in ordered if defaults[n] is None),
                           *(f"{typed[n]}={defaults[n]}" for n in ordered if defaults[n] is not None),
                           *["rtol=1e-11"] * rtol])
    called = ", ".join([*(typed[p.name] for p in front.declared), *(typed[a.name] for a in arrays), *["rtol"] * rtol])
    meanings = []
    for p in front.declared:
        kind = "float or array" if p.name in front.free else "float"
        meanings += [f"    {typed[p.name]} : {kind}", *paragraph(p.meaning or p.name, "        ")]
    meanings += [f"    {typed[a.name]} : array{', optional' * (a.name in front.usual)}" for a in arrays]
    meanings += ["    rtol : float, largest relative change under refinement of the averages"] * rtol
    scalar = "\n".join(meanings).replace("float or array", "float")
    free = [typed[p.name] for p in front.declared if p.name in front.free]
    many = "all parameters" if len(free) == len(front.declared) else ", ".join(free)
    return _PUBLIC.format(arguments=arguments, called=called, meanings=scalar,
                          rows=_ROWS.format(arguments=arguments, called=called, many=many) if free else "")


_TESTS = {"positive": "({0} > 0.0) & ({0} < np.inf)", "nonnegative": "({0} >= 0.0) & ({0} < np.inf)",
          "nonnegative or inf": "{0} >= 0.0", "real": "np.isfinite({0})", "[-1, 1]": "({0} >= -1.0) & ({0} <= 1.0)",
          "[0, 1]": "({0} >= 0.0) & ({0} <= 1.0)"}


#: assumptions of symbols, stronger ones first, as conditions and in words: sympy has simplified with them
_SIGNS = (("positive", "> 0.0", "positive"), ("negative", "< 0.0", "negative"), ("nonnegative", ">= 0.0", ">= 0"),
          ("nonpositive", "<= 0.0", "<= 0"), ("nonzero", "!= 0.0", "nonzero"))
_IMPLIED = {"positive": ("positive", "nonnegative", "nonzero"), "nonnegative": ("nonnegative",),
            "nonnegative or inf": ("nonnegative",), "[0, 1]": ("nonnegative",)}


def _tests(p, label, front):
    """Write lines that refuse numbers outside the domain of a parameter, and those that its symbol cannot be."""
    lines = [line] if (line := _test(p, label, front)) else []
    if isinstance(p.symbol, Symbol) and p.name not in front.tests and isinstance(p.domain, str):
        for what, test, text in _SIGNS:
            if getattr(p.symbol, f"is_{what}") and what not in _IMPLIED.get(p.domain, ()):
                expected = f"a number that is {text}, as the symbol {p.name} is declared"
                return [*lines,
                        f"    require({label} {test}, {write_literal(p.name)}, {label}, {write_literal(expected)})"]
    return lines


def _test(p, label, front):
    """Write a line that refuses numbers outside the domain of a parameter."""
    if p.name in front.tests:
        holds, expected = front.tests[p.name]
        if not holds:
            return ""
        return f"    require({holds}, {write_literal(p.name)}, {label}, {write_literal(expected)})"
    if isinstance(p.domain, str):
        holds = _TESTS[p.domain].format(label)
    else:
        low, high = (repr(x) if abs(x) < float("inf") else f"{'-' * (x < 0)}np.inf" for x in map(float, p.domain))
        holds = f"({label} >= {low}) & ({label} <= {high})"
    expected = p.expectation.partition(" (")[0]
    if p.name not in front.free:
        holds = f"np.ndim({label}) == 0 and {_chained(holds, label)}"
    return f"    require({holds}, {write_literal(p.name)}, {label}, {write_literal(expected)})"


def _chained(holds, label):
    """Return a condition on one number."""
    two = re.fullmatch(r"\(\S+ (>=?) (\S+)\) & \(\S+ (<=?) (\S+)\)", holds)
    return f"{two[2]} {two[1].replace('>', '<')} {label} {two[3]} {two[4]}" if two else holds


def write_solutions(program, mapping, front, writer, starts, is_narrow=False):
    """Write the source of the function behind these, whose arguments have labels."""
    labels = _labels(program, mapping, front)
    arrays, is_refinable = _arrays(program), _is_refinable(program)
    arguments = [*labels.values(), *(mapping[a] for a in arrays), *["rtol"] * is_refinable]
    lines = [f"def solutions({', '.join(arguments)}):",
             '    """Rows of outputs and error estimates, and the shape of all points."""']
    for a in arrays:
        lines += _array_lines(a, mapping[a])
    lines += [f"    {labels[n]} = {source} if {labels[n]} is None else {labels[n]}"
              for n, source in front.follows.items()]
    numbers = [labels[n] for n in labels if n in front.free]
    if numbers:
        lines.append(f"    {', '.join(numbers)}{',' * (len(numbers) == 1)} = "
                     f"(np.asarray(x, dtype=float) for x in ({', '.join(numbers)}{',' * (len(numbers) == 1)}))")
    lines += [line for p in front.declared for line in _tests(p, labels[p.name], front)]
    texts = front.parameters or [mapping[s] for s in program.parameters]
    torn = [u for n in program.newtons for u in n.torn]
    many = _MANY_IMPLICIT if any(isinstance(s, Implicit) for s in program.statements) else _MANY
    lines += ['    with np.errstate(all="ignore"):', *("    " + line for line in front.lines),
              f"        arrays = np.broadcast_arrays({', '.join(texts) or '0.0'})",
              "        points = np.array([np.ravel(a) for a in arrays], dtype=float).T.copy()",
              f"        if len(points) >= {many}:", "            compile_loops()"]
    made = []
    for g in program.grids:
        at = [mapping[b] for b in g.bound] if g.given else \
            ["level", *table_arguments(program, g, writer.rows[g.name], mapping)]
        if is_narrow and has_placed_nodes(g):
            at.append("places")
        made.append(f"*{mark(g.name)}_table({', '.join(at)})")
    rows = ", ".join(f"[{', '.join(map(repr, row))}]" for row in _start_rows(program, torn, starts))
    outputs = [*program.unknowns, *program.observables]
    names = [*(u.name for u in program.unknowns), *program.observables]
    solved = [names.index(u.name) for u in torn]
    judged = [*solved, *range(len(program.unknowns), len(outputs))] or list(range(len(outputs)))
    levels = levels_of(program) if is_refinable else 1
    tables = made[0].removeprefix("*") if len(made) == 1 else f"({', '.join(made)})"
    level, turning, refined = ("level, places=()", ", turning", "refined_on_places") if is_narrow else \
        ("level", "", "refined")
    lines += [f"        starts = np.array([{rows}])",
              f"        return {refined}(points, lambda {level}: {tables}, starts, {len(names) + 2}, {solved}, "
              f"{judged}, {levels}, {'rtol' if is_refinable else '1e-9'}{turning}), arrays[0].shape"]
    return "\n".join(lines)


def _array_lines(symbol, label):
    """Write lines that make an array of the entries of an indexed parameter."""
    sign, text = next(((f" and np.all({label} {test})", f" {text}") for what, test, text in _SIGNS
                       if getattr(symbol, f"is_{what}")), ("", ""))
    holds = f"{label}.ndim == 1 and {label}.size > 0 and np.all(np.isfinite({label})){sign}"
    expected = f"a non-empty one-dimensional array of finite{text} numbers"
    return [f"    {label} = np.atleast_1d(np.asarray({label}, dtype=float))",
            f"    require({holds}, {write_literal(symbol.name)}, {label}, {write_literal(expected)})"]


def _start_rows(program, torn, starts):
    """Return starts with their numbers of plain iterations, the usual one with both numbers first."""
    rows = [[float(s[u.name]) for u in torn] for s in starts] if torn else [[]]
    plain = [0.0] if not torn or not all(n.all_maps for n in program.newtons) else [2.0, 40.0]
    ordered = [(row, n) for row in rows[:1] for n in plain] + [(row, n) for n in plain for row in rows[1:]]
    return [[*row, n] for row, n in ordered]
