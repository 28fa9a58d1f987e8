"""Print sums inside sums whose nodes are placed where a point is steep (:mod:`asympkit.runtime.panels`)."""

from sympy import Symbol, erfc, exp, sqrt

from ..gauss.moving_kinks import SWITCHING, switching_border
from ..numbers.functions.blur_classes import NormalBlur
from ..program.names import mark
from .expressions import ExpressionPrinter

__all__ = ["Switches", "is_placed"]


def is_placed(program, grid):
    """Return whether the nodes of a grid are placed where a point is steep."""
    return program.steep is not None and grid.is_inner and len(grid.bound) == 1


class Switches:
    """Places where integrands of sums over an inner grid switch, and their symbols of outer nodes and of the point.

    Parameters
    ----------
    grid : str
        Name of the inner grid.
    bound : tuple of Symbol
    integrands : sequence of Expr
    varying : collection of Symbol
        Symbols that differ between outer nodes.
    """

    def __init__(self, grid, bound, integrands, varying):
        self.grid, (self.bound,) = grid, bound
        self.arguments, self.kinks = _arguments(integrands, self.bound), _kinks(integrands, self.bound)
        free = {s for e in integrands for s in e.free_symbols if isinstance(s, Symbol)} - {self.bound}
        self.at_nodes = sorted(free & set(varying), key=lambda s: s.name)
        self.at_points = sorted(free - set(varying), key=lambda s: s.name)

    @property
    def needed(self):
        """Symbols in the arguments, in a fixed order."""
        free = set().union(*(a.free_symbols for a in (*self.arguments, *self.kinks)))
        return [s for s in (*self.at_nodes, *self.at_points) if s in free]

    def source(self, names, called):
        """Write a function that places nodes at one node of the outer sum, for compiled loops."""
        printer = ExpressionPrinter(names)
        values, z = ", ".join(names[s] for s in self.needed), names[self.bound]
        kinks = ", ".join(printer.source(k) for k in self.kinks)
        return "\n".join([
            f"def {called}(values, share, table, nodes, weights):",
            '    """Place nodes where integrands switch; returns how many there are."""',
            *[f"    ({values},) = values"] * bool(values),
            f"    looks = np.empty((LOOKS, {len(self.arguments)}))",
            f"    ends, top = first_ends(table[-1], {f'np.array(({kinks},), np.float64)' if kinks else 'np.empty(0)'})",
            "    left, count = table[-1, 0], 0",
            "    while top >= 0:",
            "        right = ends[top]",
            "        for look in range(LOOKS):",
            f"            {z} = left + (right - left)*(look/(LOOKS - 1.0))",
            *(f"            looks[look, {j}] = {printer.source(a)}" for j, a in enumerate(self.arguments)),
            "        if top + 1 < ends.size and 2*count < nodes.size and is_halved(looks, left, right, share):",
            "            top += 1",
            "            ends[top] = 0.5*(left + right)",
            "        else:",
            "            count = add_panel(table, left, right, nodes, weights, count)",
            "            left, top = right, top - 1",
            "    return count"])

    def functions_of_arrays(self, names):
        """Write two functions for numpy: arguments, of nodes and all values; and kinks, of all values."""
        printer = ExpressionPrinter(names, batch=True)
        values = ", ".join(names[s] for s in (*self.at_nodes, *self.at_points))
        texts, kinks = ("".join(f"{printer.source(e)}, " for e in found) for found in (self.arguments, self.kinks))
        return f"lambda {names[self.bound]}, {values}: ({texts})", f"lambda {values}: ({kinks})"

    def lines_of_arrays(self, names, outer, steep):
        """Return lines that choose the nodes, and the names of nodes and values in them."""
        own = mark(self.grid)
        at_nodes = "".join(f"{names[s]}, " for s in self.at_nodes)
        at_points = "".join(f"{names[s]}, " for s in self.at_points)
        spelt = {s: f"{names[s]}_inside" for s in (*self.at_nodes, *self.at_points)}
        return [f"inside = nodes_inside({own}_table, {own}_weights, ({at_nodes}), ({at_points}),",
                *(f"                      {text}," for text in self.functions_of_arrays(names)),
                f"                      {mark(outer)}_weights, {ExpressionPrinter(names, batch=True).source(steep)})",
                f"{', '.join(spelt.values())}, = inside.values"], {**spelt, self.bound: "inside.nodes"}


def _arguments(integrands, z):
    """Return expressions that vary as integrands do: arguments of error functions, and roots of other exponents."""
    found = {a.args[0] for e in integrands for a in e.atoms(erfc) if z in a.free_symbols}
    windows = {a.args[2:4] for e in integrands for a in e.atoms(NormalBlur) if z in a.free_symbols}
    found |= {(c + side * h / 2) / sqrt(2) for c, h in windows for side in (1, -1)}
    found = {min(a, -a, key=str) for a in found}
    known = {(a**2).expand() for a in found}
    exponents = {a.args[0] for e in integrands for a in e.atoms(exp) if z in a.free_symbols}
    others = {sqrt(1 - a) for a in exponents if (-a).expand() not in known}
    return sorted({*found, *others}, key=str)


def _kinks(integrands, z):
    """Return the places where affine arguments of functions with kinks vanish."""
    found = set()
    for node in set().union(*(e.atoms(*SWITCHING) for e in integrands)):
        at = switching_border(node, z) if node.has(z) else None
        rate = None if at is None else at.diff(z)
        if rate is not None and z not in rate.free_symbols and rate != 0:
            found.add(-at.subs(z, 0) / rate)
    return sorted(found, key=str)
