"""Long blocks without the chain rule: a chain of assignments is eliminated together with what it is solved for.

The derivatives of the ends of a chain by its starts are as many as the square of its length; those of every
link by the few symbols it holds are as many as its length, and stand near the diagonal in a suitable order.

Linear equations that determine nothing: where they leave an unknown free that others depend on, nothing is solved.

An unknown whose own equation vanishes exactly is 0 by convention: a mean that is proved to be 0 may take the last term
from it.  That is harmless as long as no other unknown depends on it; else there are infinitely many solutions, of which
elimination would pick one.
"""

from dataclasses import dataclass, replace

from sympy import Abs, Add, Integer

from ..equations.blocks import certainly_nonzero
from ..nodes import Applied, Average, free_of, holds, put, slope
from ..once import Deferred
from ..tolerances import MEASURED
from .rounding import magnitude
from .statements import NullSpace, SparseBlock

_graphs, _sparse = Deferred("scipy.sparse.csgraph"), Deferred("scipy.sparse")

#: number of iteration variables from which on a chain is looked at
LONG = 3


class LinkWriter:
    """Adds the derivatives of the links of a block to a segment."""

    def __init__(self, block, segment):
        self.block, self.segment = block, segment
        self.formulas = {u: (f, True) for u, f in block.assignments}
        self.formulas |= {u: (f, is_map) for u, f, is_map in block.equations}
        self.order = _ordered(self.formulas)
        self.place = {u: k for k, u in enumerate(self.order)}

    @property
    def is_worth_it(self):
        """Return whether the entries make a band, elimination in which is less work than in the dense matrix."""
        n, pairs = len(self.block.torn), [(self.place[u], self.place[a]) for u, (f, _) in self.formulas.items()
                                          for a in {u, *_held(f, self.formulas)}]
        lower, upper = max(i - j for i, j in pairs), max(j - i for i, j in pairs)
        return lower + upper < len(self.order) and len(self.order) * lower * (lower + upper) < 3 * n**3

    def newton(self):
        """Build the entries of a Newton step: derivatives of the right-hand sides, without the unit diagonal."""
        found = {}
        for u, (f, _) in self.formulas.items():
            for a in _held(f, self.formulas):
                d = slope(f, a)
                if not d.is_zero:
                    found[self.place[u], self.place[a]] = self.segment.add_new(f"link_{u}_by_{a}", d)
        return SparseBlock(self.order, found)

    def rounding(self, errors, torn_rhs):
        """Propagate rounding of the logarithms of the iteration variables, by the matrix of the last step."""
        rhs, errors = dict(zip(self.block.torn, torn_rhs)), dict(zip(self.block.torn, errors))
        return SparseBlock(tuple(map(errors.get, self.order)), {}, tuple(map(rhs.get, self.order)),
                           step=self.block.torn)

    def linear(self):
        """Build the entries of linear equations."""
        zero = dict.fromkeys(self.order, Integer(0))
        entries, rhs = {}, []
        for at, d in self._slopes():
            entries[at] = d if d.is_number else self.segment.add_new(f"link_{self.order[at[0]]}_{self.order[at[1]]}", d)
        for u in self.order:
            f, is_map = self.formulas[u]
            start = put(f, zero) if is_map else -put(f, zero)
            rhs.append(None if start == 0 else self.segment.add_new(f"start_{u}", start))
        return SparseBlock(self.order, entries, tuple(rhs))

    def _slopes(self):
        """Yield the entries of linear equations that do not vanish, with their places."""
        for u, (f, is_map) in self.formulas.items():
            for a in {u: 0, **dict.fromkeys(_held(f, self.formulas))}:
                d = (1 if u == a else 0) - slope(f, a) if is_map else slope(f, a)
                if not d.is_zero:
                    yield (self.place[u], self.place[a]), d

    def sized(self, links, is_measured):
        """Return links of :meth:`linear` with the sizes of their entries; of averages these are too expensive."""
        sizes = {}
        for at, d in self._slopes():
            size = d if is_measured else magnitude(d)
            sizes[at] = abs(links.entries[at]) if size in (d, -d) else self.segment.add_new("size_link", size)
        return replace(links, sizes=sizes, rounding=MEASURED if is_measured else 1.0)

    def errors(self, links, errors):
        """Build the entries that propagate rounding of the links to all unknowns, by the symbols of these errors."""
        zero, sizes = dict.fromkeys(self.order, Integer(0)), []
        for i, u in enumerate(self.order):
            terms = [e * Abs(self.order[j]) for (k, j), e in links.sizes.items() if k == i]
            sizes.append(magnitude(put(self.formulas[u][0], zero), as_numbers=True) + Add(*terms))
        rhs = tuple(self.segment.add_new(f"rounding_{u}", e) for u, e in zip(self.order, sizes))
        return SparseBlock(tuple(map(errors.get, self.order)), links.entries, rhs)


def is_long(block):
    """Return whether a linear block is better solved with its links."""
    return len(block.torn) >= LONG and bool(block.assignments) and LinkWriter(block, None).is_worth_it


def is_long_newton(block):
    """Return whether a nonlinear block is long: of maps of positive unknowns."""
    return all(is_map and u.is_positive for u, _, is_map in block.equations) and is_long(block)


def _held(expr, unknowns):
    free = free_of(expr)
    return [a for a in unknowns if a in free]


def _ordered(formulas):
    """Return the unknowns in an order that keeps what holds one another together."""
    unknowns = tuple(formulas)
    place = {u: k for k, u in enumerate(unknowns)}
    pairs = {(k, k) for k in range(len(unknowns))}
    for u, (f, _) in formulas.items():
        for a in _held(f, unknowns):
            pairs |= {(place[u], place[a]), (place[a], place[u])}
    rows, columns = zip(*sorted(pairs))
    graph = _sparse.csr_matrix(([1] * len(rows), (rows, columns)), shape=(len(unknowns),) * 2)
    return tuple(unknowns[k] for k in _graphs.reverse_cuthill_mckee(graph, symmetric_mode=True))


@dataclass(frozen=True)
class NewtonSolve:
    """A nonlinear block: the statement that solves it, and the segment that follows."""

    block: object
    newton: object
    segment: object


@dataclass(frozen=True)
class LinearSolve:
    """A linear block: the statement that solves it, the segment that holds it, and what its parts were lowered from."""

    block: object
    statement: object
    segment: object
    entries: list       # rows of the matrix, as expressions
    chains: dict        # {iteration variable: {assigned unknown: symbol of its derivative}}
    starts: dict        # {symbol: expression} of the right-hand side, and of assigned unknowns at variables that are 0
    at_zero: dict       # values of the latter

    def null_spaces(self, later, segment):
        """Return a :class:`NullSpace` for each unknown whose equation may vanish while others depend on it, in this
        block or a ``later`` one; in the segment all unknowns are known."""
        out = []
        for i, t in enumerate(self.block.torn):
            if any(map(certainly_nonzero, self.entries[i])):
                continue
            others = [row[i] for j, row in enumerate(self.statement.matrix) if j != i and row[i] is not None]
            others += self.chains[t].values()
            for block in later:
                for u, f in (*block.assignments, *((u, f) for u, f, _ in block.equations)):
                    d = slope(f, t)
                    if d != 0 and not holds(d, (Average, Applied)):         # averages are too dear for every point
                        form = segment.lower(d)
                        others.append(form if form.is_Symbol else segment.add_new(f"d{u}_d{t}", d))
            if others:
                others = dict.fromkeys(others)
                out.append(NullSpace(t, tuple(e for e in self.statement.matrix[i] if e is not None), tuple(others)))
        return out
