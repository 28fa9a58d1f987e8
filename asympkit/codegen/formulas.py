"""Find long runs of formulas and print each of them once, as a function that loops and arrays call.

A function of numbers, compiled with the loop that calls it, and of arrays of points alike: its formulas hold sums,
products, powers and absolute values only.
"""

import re
from dataclasses import dataclass, replace
from itertools import count

from sympy import Integer

from ..program.passes import prune
from ..program.statements import LARGEST_ERROR, ROUNDING, Linear, Newton, Scalar, Sums
from .expressions import ExpressionPrinter, comment

#: fewer formulas than these are no function
_FEWEST = 8


@dataclass(frozen=True)
class Formulas:
    """Scalars that are one function: its ``name``, what it is for, and the symbols that others read of it."""

    name: str
    purpose: str
    scalars: tuple
    outputs: tuple

    @property
    def inputs(self):
        """Return the symbols of the arguments."""
        read = set().union(*(s.reads for s in self.scalars))
        return read - {s.symbol for s in self.scalars} - {ROUNDING, LARGEST_ERROR}

    reads = inputs

    def call(self, names):
        """Return the line that calls the function."""
        return f"{', '.join(names[s] for s in self.outputs)} = {self._head(names)}"

    def _head(self, names):
        return f"{self.name}({', '.join(names[s] for s in sorted(self.inputs, key=lambda s: s.name))})"

    def source(self, names, texts):
        """Write the function; ``texts`` are its formulas as text."""
        lines = []
        for s in self.scalars:
            lines += [f"    # {comment(s.note)}"] * bool(s.note) + [f"    {names[s.symbol]} = {texts[s.expr]}"]
        return "\n".join([f"def {self._head(names)}:", f'    """Compute {self.purpose}."""', *lines,
                          f"    return {', '.join(names[s] for s in self.outputs)}"])


def name_formulas(program, names):
    """Return a program whose long runs of formulas are functions, and the sources of these.

    Statements may change their order, but none comes before one that it reads.
    """
    finder = _Finder(program, names)
    read = {*program.returned, *program.errors.values(), *program.losses.values(), *(s for n in program.newtons
                                                                                     for s in n.sizes)}
    statements = finder.grouped(finder.statements, read, "conclude",
                                "observables and the errors that rounding makes")
    return replace(program, statements=tuple(statements)), [f.source(names, finder.texts) for f in finder.found]


class _Finder:
    def __init__(self, program, names):
        self.names, self.found, printer = names, [], ExpressionPrinter(names)
        in_loops, in_batch = (prune(s, program.returned) for s in (link_long_blocks(program), program.statements))
        both = set(_scalars(in_loops)) & set(_scalars(in_batch))
        self.texts = {s.expr: printer.source(s.expr) for s in both}
        # the same text for numbers and arrays
        self.shared = {s for s in both if not re.search(r"\w\(| if ", re.sub(r"\babs\(", "(", self.texts[s.expr]))}
        self.statements = [self._with_body(s) if isinstance(s, Newton) else s for s in program.statements]

    def _with_body(self, newton):
        torn = [self.names[u] for u in newton.torn]
        read = newton.wanted.union(*(c.free_symbols for c in newton.factors if c is not None))
        return replace(newton, body=tuple(self.grouped(newton.body, read, f"linearize_{torn[0]}",
                                                       f"maps, residuals and slopes of {', '.join(torn)}")))

    def grouped(self, statements, read, name, purpose):
        """Return statements with formulas in the place of scalars, each as late as the first that needs one of them."""
        out, pending, held = [], [], set()
        for s in statements:
            is_overwritten = not held.isdisjoint(_writes(s))
            needed = pending if is_overwritten else [] if isinstance(s, Scalar) else _needed(pending, s.reads)
            if needed:
                out += self._ordered(needed, *self._use(s))
                made = {n.symbol for n in needed}
                pending = [p for p in pending if p.symbol not in made]
                held = set().union(*({p.symbol, *p.reads} for p in pending))
            (pending if isinstance(s, Scalar) else out).append(s)
            held |= {s.symbol, *s.reads} if isinstance(s, Scalar) else set()
        out += self._ordered(pending, name, purpose)
        return [self._closed(s, read.union(*(t.reads for t in out if t is not s))) if isinstance(s, Formulas) else s
                for s in out]

    def _use(self, s):
        """Return the name and the purpose of formulas before a statement."""
        if isinstance(s, Sums):
            first = self.names[s.sums[0][0]]
            return f"prepare_{first}", f"what the average {first} and those beside it need"
        made = [self.names[u] for u in (s.torn if isinstance(s, Newton | Linear) else s.outputs)]
        return f"prepare_{made[0]}", f"what the equations of {', '.join(made)} need"

    def _ordered(self, pending, name, purpose):
        """Return scalars, as many as possible in one function."""
        out, is_shared = [], True
        while pending:
            ready, rest, waiting = [], [], set()
            for s in pending:
                is_ready = (s in self.shared) == is_shared and waiting.isdisjoint(s.reads)
                (ready if is_ready else rest).append(s)
                waiting |= set() if is_ready else {s.symbol}
            out += [Formulas(name, purpose, tuple(ready), ())] if is_shared and len(ready) >= _FEWEST else ready
            pending, is_shared = rest, not is_shared
        return out

    def _closed(self, formulas, read):
        """Return formulas with their outputs and a name of their own."""
        taken = {f.name for f in self.found}
        name = next(n for k in count(1) if (n := f"{formulas.name}_{k}" if k > 1 else formulas.name) not in taken)
        self.found.append(replace(formulas, name=name, outputs=tuple(s.symbol for s in formulas.scalars
                                                                     if s.symbol in read)))
        return self.found[-1]


def _needed(scalars, read):
    """Return the scalars that some symbols need."""
    found = []
    for s in reversed(scalars):
        if s.symbol in read:
            found.append(s)
            read = read | s.reads
    return found[::-1]


def _scalars(statements):
    for s in statements:
        yield from [s] if isinstance(s, Scalar) else _scalars(s.body) if isinstance(s, Newton) else ()


def _writes(s):
    """Return the symbols that a statement sets."""
    if isinstance(s, Newton):
        return {*s.outputs}.union(*map(_writes, s.body))
    if isinstance(s, Linear) and s.links:
        return {*s.outputs, *s.links.unknowns}
    return {*s.outputs, *((x for x, _ in s.locals) if isinstance(s, Sums) else ())}


def link_long_blocks(program):
    """Return statements in which long blocks are solved with their links.

    Their measure of near singularity is set to 0: :meth:`Elimination.near_singular` leaves all points where it may
    differ to be solved without links.
    """
    solved, implied = set(), set()
    for s in program.linears:
        if s.links:
            solved |= {u for u in s.links.unknowns if u is not None}
            implied |= {*program.implied.get(s.residual, ())}
    out = []
    for s in program.statements:
        if isinstance(s, Scalar) and s.symbol in implied:
            out.append(replace(s, expr=Integer(0), note=""))
        elif isinstance(s, Newton | Linear) and s.links:
            out.append(replace(s, jacobian=(), slopes=()) if isinstance(s, Newton) else replace(s, matrix=(), rhs=()))
        elif not (isinstance(s, Scalar) and s.symbol in solved):
            out.append(s)
    return out
