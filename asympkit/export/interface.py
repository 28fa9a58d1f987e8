"""The public side of a module: ``solve``, ``solve_many``, and what checks and orders the parameters behind them.

It knows its activations, and the numbers that follow from the user's arguments.
"""

import re
from dataclasses import dataclass, field, replace

import numpy as np
from sympy import Float, Symbol

from ..codegen.batch import BatchWriter
from ..codegen.expressions import ExpressionPrinter, docstring, write_literal
from ..codegen.tables import prepare, write_condition, write_floats, write_table
from ..errors import StructureError
from ..program.error_analysis import PROMISED
from ..program.names import identifier, mark
from ..program.statements import Means, Scalar
from .copies import paragraph


def write_activations(functions, steps, names):
    """Write activations, with the derivatives that some means take, as functions of arrays.

    Each has as attributes its kinks, its parity (1 even, -1 odd, 0 neither or unknown) and its derivative.
    """
    orders = {}
    for step in steps:
        if isinstance(step, Means):
            orders[step.label] = max(step.order, orders.get(step.label, 0))
    parts = []
    for label, highest in orders.items():
        f, last = functions[label], None
        for order in range(highest + 1):
            name = names[label] + ("_slope" if order else "") + (f"_{order}" if order > 1 else "")
            text = ExpressionPrinter({f.symbol: "x"}, batch=True).source(f.float_form)
            varies = re.search(r"\bx\b", text) is not None
            what = ("derivative of the " if order == 1 else f"derivative of order {order} of the ") * bool(order)
            parity = f.form_parity or {"odd": -1, "even": 1, None: 0}[f.parity]
            lines = [f'def {name}(x):\n    """Return the {what}{docstring(label)}."""',
                     f"    return {text if varies else f'{text} + 0.0*x'}", "", "",
                     f"{name}.kinks_float = ({''.join(f'{k!r}, ' for k in f.kinks_float)})",
                     f"{name}.form_parity = {parity}"]
            parts.append("\n".join([*lines, *[f"{last}.derivative = {name}"] * bool(order)]))
            f, last = f.derivative if order < highest else f, name
    return parts


def write_map(name, derived, names, functions, summary, settled=None):
    """Write a function from the user's arguments to derived numbers.

    ``names`` are those of the map's own symbols, ``settled`` named numbers that are known by a proof.  Return the text,
    and the passes of which the activations are needed.
    """
    moments, settled = derived.moments, settled or {}
    if moments is None:
        raise StructureError("generate: a derived quantity holds an average that is no moment of an activation "
                             "(E of f(z) times powers of z); an exported module cannot evaluate it")
    texts, calls, inner = _write_averages(derived.lowered, names, {})
    steps = [Scalar(s.symbol, Float(settled[s.symbol.name]))
             if isinstance(s, Scalar) and s.symbol.name in settled else s for s in moments.preparation]
    printer, known = ExpressionPrinter(names, batch=True), set(moments.arguments)
    kept = {s.expr for s in steps if isinstance(s, Scalar) and s.symbol.name in derived.decisive}
    early = [row for row in derived.lowered_cases if row[0].free_symbols <= known]
    late = [row for row in derived.lowered_cases if row not in early]
    # what holds under a condition on arguments stands before what need not have a value there
    first = _needed(steps, set().union(*(e.free_symbols for _, row in early for e in row)))
    lines = [f"def {name}({', '.join(names[s] for s in derived.arguments)}):", f'    """Return {summary}"""', *calls,
             "    error = 0.0"]
    for some, cases in ((first, early), ([s for s in steps if s not in first], late)):
        lines += prepare(some, names, known, (), kept=kept)
        for condition, row in cases:
            lines += [f"    if {write_condition(condition, printer)}:",
                      f"        return accurate(error, {write_floats(row, printer)})"]
    lines.append(f"    return accurate(error, {write_floats(derived.lowered_outputs, printer)})")
    return "\n\n\n".join([*texts, "\n".join(lines)]), [*inner, *steps]


def write_slopes(name, derived, names, labels, functions, settled=None):
    """Write the derivatives of a map by its arguments, not a number in its special cases.

    ``names`` are those of the module, ``labels`` of the parameters of the program, by name; others keep theirs; the
    rest is as for :func:`write_map`.  Return text and passes as it does, the source of the derivative of a quantity by
    an argument, where the results of a call are ``slopes``, and what makes these.
    """
    slopes, keys = derived.differentiated()
    own = slopes.names.mapping() | {label: names[label] for label in functions if label in names}
    text, steps = write_map(name, slopes, own, functions, "derivatives of the parameters of the equations.", settled)
    lines, text = text.split("\n"), []
    for before, line in zip(["", *lines], lines):
        is_case = before.lstrip().startswith("if ") and "return accurate" in line
        text.append(f"        return {', '.join(['np.nan'] * len(keys))}," if is_case else line)
    called = ", ".join(labels.get(s.name, s.name) for s in slopes.arguments)
    return "\n".join(text), steps, {key: f"slopes[{k}]" for k, key in enumerate(keys)}, f"slopes = {name}({called})"


def _needed(steps, wanted):
    """Return the steps that some symbols need."""
    kept, wanted = [], set(wanted)
    for step in reversed(steps):
        if wanted & set(step.outputs):
            kept.append(step)
            wanted |= step.expr.free_symbols if isinstance(step, Scalar) else step.offset.free_symbols.union(
                step.slope.free_symbols, *(form.free_symbols for _, form in step.items))
    return kept[::-1]


def _write_averages(lowered, names, made):
    """Write the averages on tables that expressions hold, each a function of the arguments.

    Return sources of functions, lines that call them, and the passes of which the activations are needed.
    """
    texts, steps, lines = [], [], []
    called = ", ".join(names[s] for s in lowered.arguments)
    spelt = lowered.names.mapping()
    for symbol, table, parts in lowered.tables:
        if table not in made:
            inner, before, found = _write_averages(parts, names, made)
            made[table] = name = mark(f"average_{len(made) + 1}")
            program, inside = table.program_with_names
            inside = inside.mapping() | {label: names[label] for label in program.activations}
            (grid,) = program.grids
            own = names | parts.names.mapping()
            printer = ExpressionPrinter(own, batch=True)
            rule = write_table(program, grid, inside).replace(mark(grid.name), f"{name}_{grid.name}")
            batch = BatchWriter(program, inside, has_diagnosis=False)().replace("def solve_batch(", f"def {name}_on(")
            at = "".join(f"{inside[s]}, " for s in (*program.table_parameters, *program.activations))
            coefficients = ", ".join(f"np.full(1, {inside[s]})" for s in program.parameters)
            body = [f"def {name}({called}):", f'    """Return {docstring(str(table.average))}."""', *before,
                    "    error = 0.0",
                    *prepare(parts.mapping.preparation, own, set(parts.mapping.arguments), ()),
                    *(f"    {inside[s]} = {printer.source(parts.forms[s])}" for s in table.coefficients), "",
                    "    def at(level):",
                    f"        (made,), change = gather((level,), {name}_{grid.name}_rule((level,), {at.rstrip(', ')}))",
                    "        accurate(max(error, change))",
                    f"        return float({name}_on({coefficients}, *made, 0, 1e-9, 1)[0, 0])", "",
                    "    return average_on_finer_rules(at)"]
            texts += [*inner, rule, batch, "\n".join(body)]
            steps += [*found, *parts.mapping.preparation, *grid.preparation]
        lines.append(f"    {spelt[symbol]} = {made[table]}({called})")
    return texts, lines, steps


#: what the public functions call, so that no argument of theirs may have such a name
_CALLED = ("solutions", "require", "named", "np", "OUTPUTS", "rtol", "values", "shape", "found", "name", "value",
           "status", "ValueError", "solution", "map_points", "level", "LEVEL")
_PUBLIC = '''
def solve({arguments}):
    """Unknowns and observables at one point as a dict, with residual, iterations and error_estimate.

    Parameters
    ----------
{meanings}

    Raises
    ------
    ValueError
        If a parameter is outside its domain, or there is no solution to the accuracy asked for.
    """
    values, shape = solutions({called})
    require(shape == (), "solve", f"arrays of shape {{shape}}", "one point; solve_many takes arrays")
    found = {{name: value.item() for name, value in named(values, shape).items()}}
    status = found.pop("status")
    if status not in ("converged", "limited"):
        raise ValueError(f"solve: no solution was found (residual {{found['residual']:.1e}}, change under refinement "
                         f"{{found['error_estimate']:.1e}}: {{status}}): move the parameters, or use asympkit itself")
    return found
{rows}'''.strip("\n")
_ROWS = '''


def solve_many({arguments}):
    """As :func:`solve` for arrays of all parameters, broadcast; NaN where ``status`` says why nothing is.{more}"""
    return named(*solutions({called}))


def solve_rows({arguments}):
    """As :func:`solve_many`, without ``status``."""
    found = solve_many({given})
    found.pop("status")
    return found
'''.rstrip("\n")
_SHARED = """

    Points that share {} share their averages, and cost little more than one of them.
    """


@dataclass(frozen=True)
class ModuleInterface:
    """The arguments that an exported module takes from its user."""

    declared: tuple
    #: source in ``solutions`` that makes program parameters of the user's arguments
    lines: tuple = ()
    #: source of the program parameters, in their order; their labels otherwise
    parameters: tuple = None
    #: more source
    parts: tuple = ()
    #: passes of which the activations are needed
    steps: tuple = ()
    #: names of declared parameters that points with the same tables may differ in
    free: tuple = ()
    #: conditions on an array ``x`` and expectations in the place of those that domains give, by the name of the
    #: parameter; an empty condition where ``lines`` test it
    tests: dict = field(default_factory=dict)
    #: what implied parameters and arrays are unless they are given, by name
    usual: dict = field(default_factory=dict)
    #: of implied parameters that follow from arrays: source that makes them, by name
    follows: dict = field(default_factory=dict)
    #: unknowns that are not returned
    internal: tuple = ()
    #: source of a function of points that gives starts of Newton's method, NaN where the usual one is better; empty for
    #: the usual ones
    start: str = ""
    #: name of a parameter of the program that falls from 1 on the way to points that fail
    falling: str = ""
    #: returns the tangent program, its names, and the names of the parameters of the program that move in it
    tangent: object = None
    #: returns what :func:`write_slopes` does, of the map in ``lines``
    slopes: object = None
    #: a parameter by which the tangent divides nothing but derivatives by some, and the names of these
    divisor: tuple = ()

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


def make_interface(program, names, declared, derived, functions, tests=None, usual=None, follows=None, tangent=None):
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
    labels = {s.name: mapping[s] for s in (*program.parameters, *given_arrays(program))}
    tests = {name: (holds.format(**labels), said) for name, (holds, said) in (tests or {}).items()}
    follows = {name: source.format(**labels) for name, source in (follows or {}).items()}
    slopes = None if derived is None else lambda: write_slopes(
        "derived_slopes", derived, mapping, {s.name: mapping[s] for s in derived.arguments}, functions)
    return ModuleInterface(tuple(declared), lines, None, parts, tuple(steps), free, tests, usual or {}, follows,
                           tangent=tangent, slopes=slopes)


def demand_digits(program):
    """Return a program whose points are limited where ``solve`` says so, at 1e-12; kernels serve sweeps, at 1e-10."""
    return replace(program, statements=tuple(
        replace(s, expr=s.expr.xreplace({PROMISED: Float(1e-12)}))
        if isinstance(s, Scalar) and s.symbol == program.limited else s for s in program.statements))


def _constant(name):
    return f"USUAL_{name.upper()}"


def given_arrays(program):
    """Return the indexed parameters that the caller gives as arrays."""
    return list(dict.fromkeys(b for g in program.grids if g.given for b in g.bound))


def list_tied(program, front):
    """Return the places of the arguments that points with the same tables share."""
    tabled = {s.name for s in program.table_parameters}
    return [k for k, p in enumerate(front.declared) if p.name not in front.free or p.name in tabled]


def name_arguments(program, mapping, front):
    """Name the arguments: as the user types them, wherever possible."""
    labels = _labels(program, mapping, front)
    labels |= {b.name: mapping[b] for b in given_arrays(program)}
    return {n: n if identifier(n) == n and n not in _CALLED else label for n, label in labels.items()}


def _labels(program, mapping, front):
    """Name declared parameters inside the module; those without a symbol of the equations keep their own name."""
    known = {s.name: mapping[s] for s in program.parameters}
    known |= {p.name: mapping[p.symbol] for p in front.declared if isinstance(p.symbol, Symbol)}
    return {p.name: known.get(p.name, p.name) for p in front.declared}


def write_public(program, mapping, front):
    """Write ``solve`` and ``solve_many``, which take the user's arguments."""
    typed = name_arguments(program, mapping, front)
    more = ["rtol"] * any(not g.given for g in program.grids)
    given, arguments, meanings = list_arguments(program, front, typed)
    called = ", ".join(typed[x.name] for x in (*front.declared, *given_arrays(program))) + ", rtol" * len(more)
    meanings += ["    rtol : float, largest relative change under refinement of the averages"] * len(more)
    tied = ", ".join(typed[front.declared[k].name] for k in list_tied(program, front))
    arguments = ", ".join([*arguments, *(f"{n}=1e-11" for n in more)])
    rows = _ROWS.format(arguments=arguments, called=called, given=", ".join([*given, *more]),
                        more=_SHARED.format(tied) if tied else "")
    return _PUBLIC.format(arguments=arguments, called=called, meanings="\n".join(meanings),
                          rows=rows if front.declared else "")


def list_arguments(program, front, typed):
    """Return the arguments of a public function: their names, these with defaults, and lines of what they mean.

    ``typed`` are names of parameters and arrays in the function.
    """
    arrays = given_arrays(program)
    ordered = [*(p.name for p in front.declared if p.is_required), *(a.name for a in arrays),
               *(p.name for p in front.declared if not p.is_required)]
    defaults = {n: front.default(n) for n in ordered}
    first = [n for n in ordered if defaults[n] is None and n not in front.follows]
    later = [n for n in ordered if n not in first]
    meanings = []
    for p in front.declared:
        meanings += [f"    {typed[p.name]} : float", *paragraph(p.meaning or p.name, "        ")]
    meanings += [f"    {typed[a.name]} : array{', optional' * (a.name in front.usual)}" for a in arrays]
    return ([typed[n] for n in (*first, *later)],
            [*(typed[n] for n in first), *(f"{typed[n]}={defaults[n]}" for n in later)], meanings)


def write_checks(program, mapping, front):
    """Write lines that refuse arguments outside their domains, and the names of the arguments in them."""
    labels = _labels(program, mapping, front)
    lines = [line for a in given_arrays(program) for line in _array_lines(a, mapping[a])]
    lines += [f"    {labels[n]} = {source} if {labels[n]} is None else {labels[n]}"
              for n, source in front.follows.items()]
    return [*lines, *(line for p in front.declared for line in _checks(p, labels[p.name], front))], labels


_TESTS = {"positive": "(x > 0.0) & (x < np.inf)", "nonnegative": "(x >= 0.0) & (x < np.inf)",
          "nonnegative or inf": "x >= 0.0", "positive or inf": "x > 0.0", "real": "np.isfinite(x)",
          "[-1, 1]": "(x >= -1.0) & (x <= 1.0)",
          "[0, 1]": "(x >= 0.0) & (x <= 1.0)"}


#: assumptions of symbols, stronger ones first, as conditions and in words: sympy has simplified with them
_SIGNS = (("positive", "> 0.0", "positive"), ("negative", "< 0.0", "negative"), ("nonnegative", ">= 0.0", ">= 0"),
          ("nonpositive", "<= 0.0", "<= 0"), ("nonzero", "!= 0.0", "nonzero"))
_IMPLIED = {"positive": ("positive", "nonnegative", "nonzero"), "nonnegative": ("nonnegative",),
            "nonnegative or inf": ("nonnegative",), "[0, 1]": ("nonnegative",)}


def describe_domain(p, front):
    """Return in words which numbers a parameter may be."""
    return front.tests[p.name][1] if p.name in front.tests else p.expectation.partition(" (")[0]


def _checks(p, label, front):
    """Write lines that refuse numbers outside the domain of a parameter, and those that its symbol cannot be."""
    name, expected = write_literal(p.name), write_literal(describe_domain(p, front))
    if p.name in front.tests:
        holds, said = front.tests[p.name]
        return [f"    {label} = checked({name}, {label}, lambda x: {holds}, {write_literal(said)})" if holds else
                f"    {label} = np.asarray({label}, dtype=float)"]
    holds = _TESTS[p.domain] if isinstance(p.domain, str) else "(x >= {}) & (x <= {})".format(
        *(repr(x) if abs(x) < float("inf") else f"{'-' * (x < 0)}np.inf" for x in map(float, p.domain)))
    lines = [f"    {label} = checked({name}, {label}, lambda x: {holds}, {expected})"]
    if isinstance(p.symbol, Symbol) and isinstance(p.domain, str):
        for what, test, text in _SIGNS:
            if getattr(p.symbol, f"is_{what}") and what not in _IMPLIED.get(p.domain, ()):
                expected = write_literal(f"a number that is {text}, as the symbol {p.name} is declared")
                return [*lines, f"    require({label} {test}, {name}, {label}, {expected})"]
    return lines


def write_solutions(program, mapping, front, tables, driver):
    """Write the functions behind these: all points, and those that share a table.

    ``tables`` are lines that make tables and weights of ``levels``, with nodes around ``places``; the ``driver``
    refines.
    """
    checks, labels = write_checks(program, mapping, front)
    has_rtol = any(not g.given for g in program.grids)
    given = [mapping[a] for a in given_arrays(program)]
    lines = [f"def solutions({', '.join([*labels.values(), *given, *['rtol'] * has_rtol])}):",
             '    """Return rows of outputs with error estimates, and the shape of all points."""', *checks]
    tied = list_tied(program, front)
    rtol = "rtol" if has_rtol else "1e-9"
    some = "".join(f"{x}, " for x in labels.values())
    group = "solve_group" if not given else f"lambda *at: solve_group(*at, {', '.join(given)})"
    lines.append(f"    return solve_groups(({some.strip()}), {tied}, {rtol}, {group})")
    texts = front.parameters or [mapping[s] for s in program.parameters]
    shared, start = ", ".join(labels[front.declared[k].name] for k in tied), f", {front.start}" * bool(front.start)
    lines += ["", "", f"def solve_group({', '.join([*labels.values(), 'count', 'length', 'rtol', *given])}):",
              f'    """Solve points that share {shared or "tables"}."""', *front.lines,
              f"    points = as_points({', '.join(['count', *texts])})", "", "    def tables(levels, places=()):",
              *("    " + line for line in tables), "", f"    return {driver}(points, tables, rtol, length{start})"]
    return "\n".join(lines)


def _array_lines(symbol, label):
    """Write lines that make an array of the entries of an indexed parameter."""
    sign, text = next(((f" and np.all({label} {test})", f" {text}") for what, test, text in _SIGNS
                       if getattr(symbol, f"is_{what}")), ("", ""))
    holds = f"{label}.ndim == 1 and {label}.size > 0 and np.all(np.isfinite({label})){sign}"
    expected = f"a non-empty one-dimensional array of finite{text} numbers"
    return [f"    {label} = np.atleast_1d(np.asarray({label}, dtype=float))",
            f"    require({holds}, {write_literal(symbol.name)}, {label}, {write_literal(expected)})"]
