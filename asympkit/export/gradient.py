"""Write the derivatives of a module: the tangent of the kernel, solved by its own code from the solutions.

The tangent holds the derivatives of all unknowns and observables along any direction in the parameters of the program;
what these are for one parameter of the user follows from the derivatives of the theory's map.
"""

from ..codegen.batch import BatchWriter
from ..codegen.expressions import literals
from ..codegen.module import join_parts, write_tables
from ..errors import NotAvailableError
from ..program.names import mark
from .interface import given_arrays, list_arguments, name_arguments, write_checks

_PUBLIC = '''
def gradient({arguments}):
    """Derivatives at one point or many: {{unknown or observable: {{parameter: number or array}}}}.

    Arguments are those of :func:`solve_many`; NaN where there is no solution, or no derivative to its accuracy.
    """
    return gradients({called})
'''.strip("\n")
_SOLVE = '''
def gradients({given}):
    """Return the derivatives at points of any shape."""
    values, shape = solutions({given})
{checks}
    return differentiate(values, shape, ({labels},), {tied}, {solve})


def solve_tangents({arguments}):
    """Return derivatives at points that share tables: of all quantities, by all parameters."""
{lines}
    points = as_points(values.shape[1], {points})
    rates = [as_points(values.shape[1], *row) for row in ({rates})]

    def tables(levels, places=()):
{tables}

    return refine_tangents(points, rates, tables, values)
'''.strip("\n")


class TangentWriter:
    """The parts of a module that make its derivatives; NotAvailableError if the theory has no tangent."""

    def __init__(self, program, mapping, front):
        if front.tangent is None:
            raise NotAvailableError("generate: derivatives=True is there for square losses over isotropic rows and for "
                                    "user-defined theories; expected derivatives=False, or sensitivity()")
        self.program, self.mapping, self.front = program, mapping, front
        self.tangent, names, self.moving = front.tangent()
        self.own = names.mapping() | {label: mapping[label] for label in self.tangent.activations}
        self.slopes, own_steps, self.places, self.call = front.slopes() if front.slopes else ("", [], {}, "")
        self.steps = [*own_steps, *(s for g in self.tangent.grids for s in g.preparation)]
        self.declared = [p.name for p in front.declared
                         if p.name in self.moving or any(by == p.name for _, by in self.places)]

    def source(self, tied, tables):
        """Write the tangent, its ``tables``, and what solves it.

        ``tied`` are places of the parameters that points with the same tables share.
        """
        checks, labels = write_checks(self.program, self.mapping, self.front)
        labels, arrays = list(labels.values()), [self.mapping[a] for a in given_arrays(self.program)]
        rows = [["1.0" if q == by else self.places.get((q, by), "0.0") for q in self.moving] for by in self.declared]
        more = ["rtol"] * any(not g.given for g in self.program.grids)
        batch = BatchWriter(self.tangent, self.own, has_diagnosis=False)()
        text = join_parts([
            *write_tables(self.tangent, self.own), batch.replace("solve_batch(", "tangent_batch("), _SOLVE.format(
                given=", ".join([*labels, *arrays, *more]), checks="\n".join(checks), labels=", ".join(labels),
                tied=tied,
                solve=f"lambda *at: solve_tangents(*at, {', '.join(arrays)})" if arrays else "solve_tangents",
                arguments=", ".join([*labels, "values", *arrays]),
                lines="\n".join([*self.front.lines, *[f"    {self.call}"] * bool(self.call)]),
                points=", ".join(self.front.parameters or [self.mapping[s] for s in self.program.parameters]),
                rates="".join(f"({', '.join(row)},), " for row in rows).strip(),
                tables="\n".join(f"    {line}" for line in tables))])
        for g in self.tangent.grids:
            text = text.replace(f"{mark(g.name)}_", f"tangent_{mark(g.name)}_")
        return join_parts([self.slopes, text])

    def public(self):
        """Write ``gradient``."""
        typed, more = name_arguments(self.program, self.mapping, self.front), any(not g.given for g in
                                                                                  self.program.grids)
        _, arguments, _ = list_arguments(self.program, self.front, typed)
        called = [typed[n] for n in (*(p.name for p in self.front.declared),
                                     *(a.name for a in given_arrays(self.program)))]
        return _PUBLIC.format(arguments=", ".join([*arguments, *["rtol=1e-11"] * more]),
                              called=", ".join([*called, *["rtol"] * more]))

    def constants(self):
        """Write the places of derivatives among the outputs of the tangent, and the parameters."""
        n, count = len(self.program.unknowns), len(self.program.observables)
        places = [*range(n, 2 * n), *(2 * n + count + 2 * j for j in range(count))]
        divisor, count = (), len(self.program.parameters)
        if self.front.divisor:
            name, by = self.front.divisor
            divisor = (([p.name for p in self.program.parameters].index(name),
                        [count + self.moving.index(n) for n in by]),)
        return "\n".join(["", "#: places of the derivatives among the outputs of the tangent, and their parameters",
                          f"RATES, DECLARED = {places}, {literals(self.declared)}",
                          "#: a parameter that divides nothing but derivatives along some directions, and these",
                          f"DIVISOR = {divisor}"])
