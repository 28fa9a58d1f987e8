"""Print how the tables of grids are made: features, base columns, products, and sums inside sums.

Rows for means whose direction alone counts hold their size, and the size of their rounding.

Signs of conditional means under a reflection of the outer node, for even and for odd activations:
``E F(z, s(a+bz))`` at ``-a`` is ``E F(-z, e s(a+bz))`` for an activation of parity e.
"""

from textwrap import indent

from sympy import Abs, And, Eq, Symbol, sqrt

from ..program.names import mark
from ..program.statements import InnerSum, Means, Sums, select_statements
from ..program.symmetry import base_columns, flat_conditions, has_layer, sign_of, symmetries, vanishing
from ..runtime.tables import product_levels
from .expressions import ExpressionPrinter, docstring, is_placed


def direction_rows(grid):
    """Return the rows after those that loops read, three for each direction.

    The size of the mean, the root mean square of its integrand, and that times the shift of the integrand.  The latter
    two scale the rounding of a mean, and of one that vanishes without shift.  No squares: they underflow.
    """
    return [row for d in grid.directions for row in (Abs(d.mean), sqrt(d.size), sqrt(d.size) * d.shift.symbol)]


def table_columns(grid):
    """Return the symbols of all rows of a table."""
    base = base_columns(grid)
    return [*base, *(s for d in grid.directions for s in (d.mean, d.size, d.shift.symbol) if s not in base)]


def table_preparation(grid):
    """Return the steps that compute those symbols, in order."""
    return [*grid.preparation, *(d.shift for d in grid.directions)]


def centre_floors(step, arguments, kept):
    """Return texts of the parts of their size below which means are zero without shift, by the activation's parity.

    Means that vanish by parity are zero; those in ``kept`` are not, however small; others below rounding are zero, so
    that they are the same on all rules.
    """
    found = {}
    for parity, zeros in {0: (False,) * len(step.items), **vanishing(step, arguments)}.items():
        found[parity] = ["np.inf" if zero else "-1.0" if s in kept else "FLOOR"
                         for zero, s in zip(zeros, step.outputs)]
    return found


def direction_constants(program, grid):
    """Return for each direction its first row, its activation's place and order, and the parities of which it is zero
    without shift, then as texts offset, slope and functional, in ``node``, ``z``, ``s`` and ``p0``, ``p1``, ...
    """
    found = []
    for n, d in enumerate(grid.directions):
        step = next(s for s in grid.preparation if isinstance(s, Means) and d.mean in s.outputs)
        place = step.outputs.index(d.mean)
        odd = tuple(p for p, zeros in vanishing(step, set(program.table_parameters)).items()
                    if zeros[place] and p != 2)
        plain = {s: Symbol(f"p{i}", real=True) for i, s in enumerate(program.table_parameters)}
        plain |= {grid.bound[0]: Symbol("node"), step.z: Symbol("z"), step.value: Symbol("s")}
        texts = tuple(str(e.xreplace(plain)) for e in (step.offset, step.slope, dict(step.items)[d.mean]))
        found.append((len(grid.columns) + 3 * n, program.activations.index(step.label), step.order, odd, texts))
    return tuple(found)


def get_reflection_signs(grid, arguments):
    """Return for every Means of a grid ``{parity of its activation: signs of its outputs under reflection}`` where they
    are known; ``arguments`` do not vary over the grid."""
    node, found, known = grid.bound[0], [], {}
    for step in grid.preparation:
        if not isinstance(step, Means):
            for columns in known.values():
                columns[step.symbol] = sign_of(step.expr, columns)
            continue
        of_step = {}
        reflected = (step.offset.subs(node, -node) + step.offset).expand() == 0
        for parity in (1, -1) if reflected else ():
            columns = known.setdefault((step.source, parity), dict.fromkeys(arguments, 1))
            at = {**columns, step.z: -1, step.value: parity}
            signs = tuple(sign_of(f, at) for _, f in step.items)
            columns.update((s, sign) for s, sign in zip(step.outputs, signs) if sign)
            if all(signs):
                of_step[parity] = signs
        found.append(of_step)
    return found


def write_table(program, grid, names):
    """Write ``<grid>_rule(levels, ...)``, which returns a (table, weights) for each level, and the error of all."""
    printer = ExpressionPrinter(names, batch=True)
    arguments = [names[s] for s in (*program.table_parameters, *program.activations)]
    made, own = table_columns(grid), mark(grid.name)
    node = names[grid.bound[0]]
    layer = ", is_layered=True" * has_layer(program, grid)
    lines = [f"def {own}_rule({', '.join(['levels', *arguments, 'places=()'])}):",
             f'    """Tables and weights of the average over {node}, one pair for each level, and the error of the '
             f'inner means.',
             "",
             f"    Rows of a table: {docstring(', '.join(map(str, grid.columns)))}.",
             '    """',
             f"    rules, {node}, pairs = outer_rules(levels, {_features(grid, names, printer)}{layer})",
             "    error = 0.0"]
    known = set(program.table_parameters)
    lines += prepare(table_preparation(grid), names, known, {grid.bound[0]}, get_reflection_signs(grid, known),
                          {d.mean for d in grid.directions})
    columns = ", ".join(names[s] for s in made)
    rows = ", ".join(printer.source(e) for e in [*grid.columns, *direction_rows(grid)])
    lines += [f"    tables = split_tables([{columns}], rules, {own}_SYMMETRIES)",
              f"    return [(stack_rows({rows}), weights) for ({columns}{',' if len(made) == 1 else ''}), weights "
              "in tables], error"]
    found = symmetries(program, grid)
    constants = (f"{own}_SYMMETRIES = {found}\n"
                 f"{own}_DIRECTIONS = {direction_constants(program, grid)}")
    return "\n\n\n".join([constants, "\n".join(lines)])


def write_given(program, grid, names):
    """Write ``<grid>_rule(arrays)`` for arrays supplied by the caller."""
    printer = ExpressionPrinter(names, batch=True)
    arguments = ", ".join(names[s] for s in grid.bound)
    rows = ", ".join(printer.source(e) for e in grid.columns)
    return "\n".join([
        f"def {mark(grid.name)}_rule({arguments}):",
        f'    """Table and equal weights of given arrays: rows {docstring(", ".join(map(str, grid.columns)))}."""',
        f"    table = stack_rows({rows})",
        "    return table, np.full(table.shape[-1], 1.0/table.shape[-1])"])


def _features(grid, names, printer):
    seen = {}
    for step in grid.preparation:
        if isinstance(step, Means):
            slope = step.offset.diff(grid.bound[0])
            centre = step.offset.subs(grid.bound[0], 0)
            text = (f"({printer.source(centre)}, {printer.source(slope)}, {printer.source(step.slope)}, "
                    f"{source_of(step, names)}.kinks_float)")
            seen[text] = None
    for line in grid.lines:
        slope = line.diff(grid.bound[0])
        centre = line.subs(grid.bound[0], 0)
        seen[f"({printer.source(centre)}, {printer.source(slope)}, 1.0, (0.0,))"] = None
    if grid.kinks:
        seen[f"(0.0, 1.0, 0.0, ({', '.join(repr(k) for k in sorted(map(float, grid.kinks)))},))"] = None
    return f"[{', '.join([*seen, '*places'])}]"


def prepare(preparation, names, arguments, varying, signs=None, kept=None, decisive=()):
    """Return lines of all steps in order, from ``arguments`` and varying symbols; small means of ``kept`` are not zero,
    and named numbers that are ``decisive`` may be given.

    Without ``signs`` of every Means there are no nodes. Where the offset is one number, so are the means.
    """
    printer, varying, lines = ExpressionPrinter(names, batch=True), set(varying), []
    mirrors = iter(signs or ())
    for step in preparation:
        if isinstance(step, Means) and step.is_value:
            next(mirrors)
            varying.update(step.outputs)
            lines.append(f"    {names[step.outputs[0]]} = {source_of(step, names)}({printer.source(step.offset)})")
        elif isinstance(step, Means):
            outputs = "".join(f"{names[s]}, " for s in step.outputs).strip()
            offset, mirror, target = printer.source(step.offset), "", f"({outputs})"
            is_one = step.offset.free_symbols.isdisjoint(varying)           # one mean for all nodes
            signed = signs is not None and next(mirrors)
            if is_one:
                make = "np.array([{}])" if signs is None else "np.atleast_1d({})"
                offset, target = "np.zeros(1)" if step.offset == 0 else make.format(offset), "means"
            else:
                mirror = f",\n        {signed or None}, pairs"
                varying.update(step.outputs)
            floors = centre_floors(step, arguments, set(step.outputs) if kept is None else kept)
            texts = ", ".join(f"{parity}: ({', '.join(row)},)" for parity, row in floors.items())
            mirror += f",\n        floors={{{texts}}}"
            functional = _functional(step, names, varying if signs is None else varying | {*arguments})
            activation, slope = source_of(step, names), printer.source(step.slope)
            lines += [f"    {target}, change = normal_means(",
                      f"        {activation}, {offset}, {slope}, {functional}{mirror})",
                      "    error = max(error, change)"]
            if is_one:
                lines.append(f"    ({outputs}) = (m[{'0' if signs is None else '..., :1'}] for m in means)")
        else:
            if step.expr.free_symbols & varying:
                varying.add(step.symbol)
            name, value = names[step.symbol], printer.source(step.expr)
            is_given = step.symbol.name in decisive
            lines.append(f"    {name} = {f'given.get({step.symbol.name!r}, {value})' if is_given else value}")
    return lines


def _functional(step, names, varying):
    """Write the functional of ``normal_means``, which picks columns row by row, and numbers of tables point by point.
    """
    inner = {step.z: "z", step.value: "s"}

    def decorate(symbol, name):
        return inner.get(symbol) or (f"at({name})" if symbol in varying else name)

    functional = ExpressionPrinter(names, batch=True, decorate=decorate)
    return f"lambda z, s, at: ({', '.join(functional.source(f) for _, f in step.items)},)"


def write_scalar_map(name, mapping, names, summary, outputs=None, cases=(), decisive=()):
    """Write a function of parameters and activations that returns a tuple of floats and an error.

    ``outputs`` are expressions, if not all outputs of the map are returned; ``cases`` conditions and the expressions
    returned where they hold; the first that holds counts.  ``decisive`` are named numbers that may be given,
    ``{str: (str, int)}``; which case held (-1 if none did) and these numbers, where they were computed, are returned
    before the error.  Their definitions are a constant of the module; numbers that depend on no argument have a
    function of their own, of which callers may give a version that remembers.
    """
    printer = ExpressionPrinter(names, batch=True)
    arguments = [names[s] for s in (*mapping.arguments, *mapping.activations)]
    steps, fixed = mapping.preparation, _independent(mapping) if decisive else []
    plain = prepare([s for s in steps if s not in fixed], names, set(mapping.arguments), (), decisive=decisive)
    own = ", ".join(names[s] for step in fixed for s in step.outputs)
    start, before = ["    given = given or {}"] * bool(decisive) + ["    error = 0.0"], []
    if fixed:
        labels = ", ".join(names[s] for s in mapping.activations)
        before = [f"def {name}_means({labels}, given):",
                  f'    """Numbers of :func:`{name}` that depend on no argument, and the error of the means."""',
                  "    error = 0.0", *prepare(fixed, names, set(), (), decisive=decisive), f"    return {own}, error"]
        start = [f"    {own}, error = means({labels}, given or {{}})"]
    early = [row for row in cases if row[0].free_symbols <= set(mapping.arguments)]
    late = [row for row in cases if row not in early]
    more = ["given=None"] * bool(decisive) + [f"means={name}_means"] * bool(fixed)
    lines = [f"def {name}({', '.join([*arguments, *more])}):",
             f'    """{summary}', *_said(decisive), '    """', *_returns(early, cases, printer, "(), 0.0"),
             *start, *plain]
    labels = {s.symbol.name: names[s.symbol] for s in mapping.preparation if not isinstance(s, Means)}
    parts = f"({''.join(f'{labels[n]}, ' for n in decisive).strip()}), error"
    known = f"-1, {parts}" if cases else "error"
    whole = [e for _, e in mapping.outputs] if outputs is None else outputs
    lines += [*_returns(late, cases, printer, parts), f"    return {write_floats(whole, printer)}, {known}"]
    constants = [f"{name}_DECISIVE = {dict(decisive)!r}"] * bool(decisive)
    return "\n\n\n".join([*constants, *["\n".join(before)] * bool(fixed), "\n".join(lines)])


def _independent(mapping):
    """Return the steps of a map that depend on no argument."""
    found, moved = [], set(mapping.arguments)
    for step in mapping.preparation:
        parts = (step.offset, step.slope, *(f for _, f in step.items)) if isinstance(step, Means) else (step.expr,)
        if moved.isdisjoint(set().union(*(e.free_symbols for e in parts))):
            found.append(step)
        else:
            moved.update(step.outputs)
    return found


def _said(decisive):
    return ["", f"    Those of {', '.join(decisive)} in ``given`` are not computed; which case held and these",
            "    numbers are returned before the error."] if decisive else []


def _returns(some, cases, printer, rest):
    """Return lines that return numbers, and the place among all cases, where the conditions of some hold."""
    return [line for row in some
            for line in (f"    if {write_condition(row[0], printer)}:",
                         f"        return {write_floats(row[1], printer)}, {cases.index(row)}, {rest}")]


def source_of(means, names):
    """Return the activation of a Means, as source."""
    return names[means.label] + ".derivative" * means.order


def write_floats(outputs, printer):
    """Write expressions of numbers as entries of a tuple of floats."""
    return ", ".join(f"float({printer.source(e)})" for e in outputs)


def write_condition(condition, printer):
    """Write a condition of equations of numbers."""
    if isinstance(condition, Eq):
        return f"{printer.source(condition.lhs)} == {printer.source(condition.rhs)}"
    parts = sorted(write_condition(a, printer) for a in condition.args)
    return f"({(' and ' if isinstance(condition, And) else ' or ').join(parts)})"


class NameMap(dict):
    """Names of symbols; those shared between integrands keep their own names."""

    def __missing__(self, symbol):
        return symbol.name


def holds_products(program):
    """Return whether a program has grids of products."""
    return any(g.is_product for g in program.grids)


def write_product(program, grid, names):
    """Write ``<grid>_rule(levels, ...)``, which returns a (table, weights) for each level, and no error of means."""
    printer = ExpressionPrinter(names, batch=True)
    own = mark(grid.name)
    arguments = [names[s] for s in (*program.table_parameters, *program.activations)]
    rows = ", ".join(printer.source(e) for e in grid.columns)
    variables = ", ".join(names[b] for b in grid.bound) + "," * (len(grid.bound) == 1)
    constants = [f"{own}_KINKS = {_kinks(grid)}\n{own}_SYMMETRIES = {symmetries(program, grid)}"]
    means, error = [], "0.0"
    inner = ", is_inner=True" * grid.is_inner
    made = f"product_tables(levels, {own}_KINKS, {own}_SYMMETRIES, {grid.is_shifted}{inner})"
    flat = flat_conditions(program, grid)
    if grid.is_angle:
        constants, made = [], "angle_tables(levels)"
    elif grid.preparation or flat:
        values = (f"{source_of(s, names)}({printer.source(s.offset)})" for s in grid.preparation)
        function = f"lambda {variables.strip(',')}: [{', '.join(values)}]"
        if not all(step.is_value for step in grid.preparation):
            means, function, error = _mean_columns(program, grid, names), "columns", "max(errors)"
        made = (f"valued_tables(levels, {own}_KINKS, {own}_SYMMETRIES, {grid.is_shifted}, {_flat(grid, flat, printer)},"
                f"\n                         [{', '.join(_kinked_places(grid, names, printer))}],"
                f"\n                         {function})")
        variables = ", ".join(names[s] for s in (base_columns(grid) if means else (
            *grid.bound, *(s.outputs[0] for s in grid.preparation))))
        variables += "," * ("," not in variables)
    every, each = "made", f"({variables}), weights"
    if is_placed(program, grid):
        rows += f", *panel_rows(level, weights.size, {own}_KINKS[0])"
        every, each = "zip(made, levels)", f"({each}), level"
    return "\n\n\n".join([
        *constants,
        "\n".join([
            f"def {own}_rule({', '.join(['levels', *arguments])}):",
            f'    """Tables and weights of the average over {variables.strip(",")}, one pair for each '
            "level.",
            "", f"    Rows of a table: {docstring(', '.join(map(str, grid.columns)))}.", '    """',
            *means, f"    made = {made}",
            f"    return [(stack_rows({rows}), weights) for {each} in {every}], {error}"])])


def _mean_columns(program, grid, names):
    """Return lines of a function that gives columns at nodes of several variables, with means of activations."""
    known, own = set(program.table_parameters), base_columns(grid)
    lines = prepare(grid.preparation, names, known, set(grid.bound), [None] * len(grid.preparation))
    return ["    errors = []", "", f"    def columns({', '.join(names[b] for b in grid.bound)}):",
            "        pairs, error = None, 0.0", *indent("\n".join(lines), "    ").split("\n"),
            "        errors.append(error)",
            f"        return [{', '.join(names[s] for s in own[len(grid.bound):])}]", ""]


def _flat(grid, flat, printer):
    conditions = [f"{printer.source(flat[b])} == 0.0" if b in flat else "False" for b in grid.bound]
    return f"({', '.join(conditions)}{',' * (len(conditions) == 1)})"


def _kinked_places(grid, names, printer):
    """Return places of kinks of activations at the node: the place of the variable, offset, slope, kinks."""
    found = {}
    for step in grid.preparation:
        if not step.is_value:
            continue
        (b, *others) = [b for b in grid.bound if b in step.offset.free_symbols]
        if not others:              # kinks that move with another variable are not followed
            centre, slope = step.offset.subs(b, 0), step.offset.diff(b)
            found[f"({grid.bound.index(b)}, {printer.source(centre)}, {printer.source(slope)}, "
                  f"{source_of(step, names)}.kinks_float)"] = None
    return list(found)


def _kinks(grid):
    rows = [sorted(map(float, grid.kinks.get(b, ()))) for b in grid.bound]
    return "(" + ", ".join("(" + "".join(f"{k!r}, " for k in row).strip() + ")" for row in rows) + ",)"


def levels_of(program):
    """Return the number of refinement levels of the rules of a program."""
    grids = {g.name: g for g in program.grids}
    outer = {_size(g) for g in program.grids if not g.given and not g.is_inner}
    inside = set()
    for sums in select_statements(Sums, program.statements):
        for _, expr in sums.locals:
            for inner in expr.atoms(InnerSum):
                parts = [_size(g) for g in (sums.grid, grids[inner.grid]) if not g.given]
                inside.add((*map(sum, zip((0, 0, 0), *parts)), _size(grids[inner.grid])[0]))
    return product_levels(sorted(outer), sorted(inside))


def _size(grid):
    if grid.is_angle:
        return 0, 0, 1
    if not grid.is_product:
        return len(grid.bound), 0, 0
    # an activation at a node may have kinks
    moved = {b for step in grid.preparation if step.is_value for b in step.offset.free_symbols}
    kinked = sum(1 for b in grid.bound if grid.kinks.get(b) or b in moved)
    return len(grid.bound) - kinked, kinked, 0
