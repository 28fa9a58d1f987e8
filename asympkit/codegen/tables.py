"""Print how the table of a grid is made: features, base columns, products.

Print the table rows for means whose direction alone counts: their size, and the size of their rounding.

Signs of conditional means under a reflection of the outer node, for even and for odd activations.

``E F(z, s(a+bz))`` at ``-a`` is ``E F(-z, e s(a+bz))`` for an activation of parity e.
"""

from sympy import Abs, And, Eq, Symbol, sqrt

from ..program.names import mark
from ..program.passes import has_layer
from ..program.statements import Means
from ..program.symmetry import base_columns, sign_of, symmetries, vanishing
from .expressions import ExpressionPrinter, docstring


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
        step = _step(grid, d.mean)
        place = step.outputs.index(d.mean)
        odd = tuple(p for p, zeros in vanishing(step, set(program.table_parameters)).items()
                    if zeros[place] and p != 2)
        plain = {s: Symbol(f"p{i}", real=True) for i, s in enumerate(program.table_parameters)}
        plain |= {grid.bound[0]: Symbol("node"), step.z: Symbol("z"), step.value: Symbol("s")}
        texts = tuple(str(e.xreplace(plain)) for e in (step.offset, step.slope, dict(step.items)[d.mean]))
        found.append((len(grid.columns) + 3 * n, program.activations.index(step.label), step.order, odd, texts))
    return tuple(found)


def _step(grid, mean):
    return next(s for s in grid.preparation if isinstance(s, Means) and mean in s.outputs)


def get_reflection_signs(grid, arguments):
    """Return the signs of the outputs of every Means of a grid under reflection.

    Parameters
    ----------
    grid : Grid
    arguments : set of Symbol
        Symbols that do not vary over the grid.

    Returns
    -------
    list of dict
        For each Means, ``{parity of its activation: signs of its outputs}`` where they are known.
    """
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
                offset, target = "np.zeros(1)" if step.offset == 0 else f"np.array([{offset}])", "means"
            else:
                mirror = f",\n        {signed or None}, pairs"
                varying.update(step.outputs)
            floors = centre_floors(step, arguments, set(step.outputs) if kept is None else kept)
            texts = ", ".join(f"{parity}: ({', '.join(row)},)" for parity, row in floors.items())
            mirror += f",\n        floors={{{texts}}}"
            functional = _functional(step, names, varying)
            activation, slope = source_of(step, names), printer.source(step.slope)
            lines += [f"    {target}, change = normal_means(",
                      f"        {activation}, {offset}, {slope}, {functional}{mirror})",
                      "    error = max(error, change)"]
            if is_one:
                lines.append(f"    ({outputs}) = (m[0] for m in means)")
        else:
            if step.expr.free_symbols & varying:
                varying.add(step.symbol)
            lines.append(f"    {_named(step, names, printer, decisive)}")
    return lines


def _named(step, names, printer, decisive):
    """Return the line of a named number, which may be given."""
    name, value = names[step.symbol], printer.source(step.expr)
    return f"{name} = given.get({step.symbol.name!r}, {value})" if step.symbol.name in decisive else f"{name} = {value}"


def _functional(step, names, varying):
    """Write the functional of ``normal_means``; columns are picked row by row, numbers are not."""
    inner = {step.z: "z", step.value: "s"}

    def decorate(symbol, name):
        return inner.get(symbol) or (f"at({name})" if symbol in varying else name)

    functional = ExpressionPrinter(names, batch=True, decorate=decorate)
    return f"lambda z, s, at: ({', '.join(functional.source(f) for _, f in step.items)},)"


def write_scalar_map(name, mapping, names, summary, outputs=None, cases=(), decisive=()):
    """Write a function of parameters and activations that returns a tuple of floats and an error.

    Parameters
    ----------
    name : str
    mapping : ScalarMap
    names : dict
    summary : str
    outputs : sequence of Expr, optional
        Returned expressions, if not all outputs of the map.
    cases : sequence of (Boolean, sequence of Expr)
        Conditions and the expressions returned where they hold; the first that holds counts.
    decisive : dict of str to (str, int)
        Named numbers that may be given; which case held (-1 if none did) and these numbers, where they
        were computed, are returned before the error.  Their definitions are a constant of the module.
    """
    printer = ExpressionPrinter(names, batch=True)
    arguments = [names[s] for s in (*mapping.arguments, *mapping.activations)]
    plain = prepare(mapping.preparation, names, set(mapping.arguments), (), decisive=decisive)
    early = [row for row in cases if row[0].free_symbols <= set(mapping.arguments)]
    late = [row for row in cases if row not in early]
    more = ["given=None"] * bool(decisive)
    lines = [f"def {name}({', '.join([*arguments, *more])}):",
             f'    """{summary}', *_said(decisive), '    """', *_returns(early, cases, printer, "(), 0.0"),
             *["    given = given or {}"] * bool(decisive), "    error = 0.0", *plain]
    labels = {s.symbol.name: names[s.symbol] for s in mapping.preparation if not isinstance(s, Means)}
    parts = f"({''.join(f'{labels[n]}, ' for n in decisive).strip()}), error"
    known = f"-1, {parts}" if cases else "error"
    whole = [e for _, e in mapping.outputs] if outputs is None else outputs
    lines += [*_returns(late, cases, printer, parts), f"    return {write_floats(whole, printer)}, {known}"]
    constants = [f"{name}_DECISIVE = {dict(decisive)!r}"] * bool(decisive)
    return "\n\n\n".join([*constants, "\n".join(lines)])


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
