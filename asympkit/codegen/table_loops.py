"""Print the compiled way to a table, or to numbers after means: all passes over samples in one call."""

from ..program.names import mark
from ..program.statements import Means
from .directions import centre_floors, direction_rows, table_columns, table_preparation
from .expressions import ExpressionPrinter
from .mean_loops import listing, source_of, write_columns, write_pass
from .mirrors import mirror_signs
from .passes import passes

_DRIVER = '''
@compiled()
def {name}({arguments}, wanted, {samples}):
    """{summary}"""
    every = np.arange({node}.size)
    none = np.zeros(every.size, np.bool_)
{offsets}
{body}
'''

_CHECK = '''
    offset_{p}, slope_{p} = np.empty(every.size), float({slope})
    for k in every:
        offset_{p}[k] = {offset}
    if not lattice_fits(lattice_{p}, offset_{p}, slope_{p}, wanted):
        return -2.0 - {p}, {nothing}
'''

_RUN = '''
    means_{p} = np.empty(({count}, every.size))
{choice}
    floors = {whole}_FLOORS_{p}[mirror_{p}]
    change = {name}(samples_{p}, lattice_{p}, offset_{p}, slope_{p}, {own}{rows}, means_{p})
    if change == np.inf:
        lattice_fits(lattice_{p}, offset_{p}, slope_{p}, wanted)
        wanted[0] *= 0.5
        return -2.0 - {p}, {nothing}
    if not change >= 0.0:
        return -1.0, {nothing}
    error = max(error, change)
'''

_CHOICE = '''
    signs = {grid}_MIRRORS_{p}[mirror_{p}].copy()
    rows_now, back_now, opposite_now = every, every, none
    if signs[0] != 0.0:
        rows_now, back_now, opposite_now = rows, back, opposite
'''

_TABLES = '''
    tables, folded, sizes = np.empty({width} * every.size), np.empty(every.size), np.empty(ends.size, np.int64)
    first = place = 0 * ends.size        # no literal, for which the columns were compiled again
    for n in range(ends.size):
        sizes[n] = {grid}_columns({base}, first, ends[n], weights, symmetric[n], {grid}_SIGNS,
                                  tables[{width} * place:], folded[place:])
        first = ends[n]
        place += sizes[n]
    if not np.isfinite(tables[:{width} * place].sum()):
        return -1.0, {nothing}
    return error, tables, folded, sizes
'''


class _Driver:
    """One compiled function of many passes; the common part of tables and of numbers."""

    def __init__(self, name, preparation, names):
        self.name, self.names = name, names
        self.passes, self.before = passes(preparation)
        self.varying, self.sources = set(), []

    def label(self, symbol):
        return self.names[symbol]

    def text(self, expr):
        """An expression at node k."""
        def at_node(symbol, label):
            return f"{label}[k]" if symbol in self.varying else label

        return ExpressionPrinter(self.names, decorate=at_node).source(expr)

    def scalar(self, step):
        """Lines that make a scalar, an array where it varies."""
        if not step.expr.free_symbols & self.varying:
            return [f"    {self.label(step.symbol)} = {self.text(step.expr)}"]
        self.varying.add(step.symbol)
        return [f"    {self.label(step.symbol)} = np.empty(every.size)", "    for k in every:",
                f"        {self.label(step.symbol)}[k] = {self.text(step.expr)}"]

    def checks(self, nothing, at_zero=False):
        return "\n".join(_CHECK.strip("\n").format(
            p=p, offset="0.0" if at_zero else self.text(step.first.offset), slope=self.text(step.first.slope),
            nothing=nothing) for p, step in enumerate(self.passes))

    def run(self, p, nothing, choice, rows):
        """Lines of one pass; the loops it calls go to ``sources``."""
        step = self.passes[p]
        source, needed = write_pass(f"{self.name}_means_{p}", step, self.names, self.varying)
        self.sources.append(source)
        return _RUN.strip("\n").format(
            p=p, count=len(step.items), choice=choice.strip("\n"), name=f"{self.name}_means_{p}", rows=rows,
            whole=self.name,
            own="".join(f"{self.label(s)}, " for s in needed), nothing=nothing).replace("\n\n", "\n")

    def floors(self, arguments, kept):
        """Constants: below which part of their size the means of each pass are zero at offset zero, for an activation
        of no known parity, an even one, one whose mean is zero, an odd one."""
        lines = []
        for p, step in enumerate(self.passes):
            parts = [centre_floors(means, arguments, kept) for _, means in step.stages]
            rows = ", ".join(f"({', '.join(x for part in parts for x in part[parity])},)" for parity in (0, 1, 2, -1))
            lines.append(f"{self.name}_FLOORS_{p} = np.array(({rows}))")
        return "\n".join(lines)

    def write(self, arguments, node, summary, offsets, body):
        samples = ", ".join(f"samples_{p}, lattice_{p}, mirror_{p}" for p in range(len(self.passes)))
        driver = _DRIVER.strip("\n").format(name=f"{self.name}_loops", arguments=", ".join(arguments), samples=samples,
                                            summary=summary, node=node, offsets=offsets, body="\n".join(body))
        return [*self.sources, driver]

    @property
    def functions(self):
        """The activation of each pass, as the inside of a tuple."""
        return listing(source_of(step.first, self.names) for step in self.passes)


def write_table_loops(program, grid, names):
    """Source of ``<grid>_by_loops(levels, ...)``, as :func:`write_table`'s rule, or None where samples do not do."""
    own, node, base = mark(grid.name), grid.bound[0], table_columns(grid)
    if grid.kinks:          # their rules are made of panels
        return f"def {own}_by_loops(*_):\n    return None"
    driver = _Driver(own, table_preparation(grid), names)
    driver.varying.add(node)
    parameters = [driver.label(s) for s in program.table_parameters]
    nothing, width = f"{driver.label(node)}, {driver.label(node)}, every", len(grid.columns) + len(direction_rows(grid))
    offsets = driver.checks(nothing)
    body, mirrors = ["    error = 0.0"], []
    for step in driver.before:
        body += driver.scalar(step)
    signs = dict(zip((m.outputs for m in grid.preparation if isinstance(m, Means)),
                     mirror_signs(grid, set(program.table_parameters))))
    for p, step in enumerate(driver.passes):
        body.append(driver.run(p, nothing, _CHOICE.format(grid=own, p=p),
                               "rows_now, back_now, opposite_now, signs, floors"))
        mirrors.append(f"{own}_MIRRORS_{p} = np.array({_mirrors(step, signs)})")
        for n, (symbol, _) in enumerate(step.items):
            driver.varying.add(symbol)
            body.append(f"    {driver.label(symbol)} = means_{p}[{n}]")
        for scalar in step.after:
            body += driver.scalar(scalar)
    columns = [driver.label(s) if s in driver.varying else f"np.full(every.size, {driver.label(s)})" for s in base]
    body.append(_TABLES.strip("\n").format(width=width, grid=own, base=", ".join(columns),
                                           nothing=nothing))
    arguments = [driver.label(node), "rows", "back", "opposite", "ends", "weights", "symmetric", *parameters]
    sources = driver.write(arguments, driver.label(node), "Tables of several rules: an error, the tables one after the "
                           "other, their weights, their sizes.", offsets, body)
    given = [names[s] for s in program.table_parameters]
    wrapper = "\n".join([
        f"def {own}_by_loops({', '.join(['levels', *given, *(names[a] for a in program.activations)])}):",
        f'    """What ``{own}_rule`` returns, by compiled loops; None where they do not settle it."""',
        f"    return table_by_loops({own}_loops, {width}, levels, ({driver.functions}), ({listing(given)}))"])
    constants = "\n".join([*mirrors, driver.floors(set(program.table_parameters), {d.mean for d in grid.directions})])
    return "\n\n\n".join([write_columns(grid, base, names), *sources[:-1], constants, sources[-1], wrapper])


def _mirrors(step, signs):
    """Signs of all means of a pass for no known parity (zeros: unknown), an even one, none, an odd activation."""
    rows = [(0.0,) * len(step.items)]
    for parity in (1, 2, -1):
        known = [signs[means.outputs].get(parity) for _, means in step.stages]
        rows.append(tuple(float(s) for part in known for s in part) if all(known) else rows[0])
    return tuple(rows)


def write_number_loops(name, mapping, names):
    """Source of ``<name>_loops(...)``, the means of a ScalarMap as numbers, and of the call for them."""
    driver = _Driver(name, mapping.preparation, names)
    arguments = [driver.label(s) for s in mapping.arguments]
    nothing = "one"
    offsets = driver.checks(nothing, at_zero=True)
    body, outputs, later = ["    error = 0.0"], [], _later(driver)
    for step in driver.before:
        if step.symbol in later:
            body += driver.scalar(step)
    for p, step in enumerate(driver.passes):
        signs = f"    signs = np.ones({len(step.items)})"
        body.append(driver.run(p, nothing, signs, "every, every, none, signs, floors"))
        for n, (symbol, _) in enumerate(step.items):
            body.append(f"    {driver.label(symbol)} = means_{p}[{n}, 0]")
            outputs.append(symbol)
        for scalar in step.after:
            if scalar.symbol in later:
                body += driver.scalar(scalar)
    count = len(outputs)
    body += [f"    numbers = np.empty({count})",
             *(f"    numbers[{n}] = {driver.label(s)}" for n, s in enumerate(outputs)), "    return error, numbers"]
    sources = driver.write(["one", *arguments], "one", "The means without offset: an error, and numbers.", offsets,
                           body)
    call = ", ".join([f"by_loops({name}_loops", f"({driver.functions})", "np.zeros(1)",
                      *(names[s] for s in mapping.arguments)])
    return [driver.floors(set(mapping.arguments), {*outputs}), *sources], f"{call})", [names[s] for s in outputs]


def _later(driver):
    """What passes need, and what that is made of."""
    needed = set().union(*(step.needed for step in driver.passes))
    for scalars in (*(step.after for step in reversed(driver.passes)), driver.before):
        for scalar in reversed(scalars):
            if scalar.symbol in needed:
                needed |= scalar.expr.free_symbols
    return needed
