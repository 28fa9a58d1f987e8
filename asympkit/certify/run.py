"""Run a program in ball arithmetic: exact inputs, sums with their error, linear blocks, proved roots.

Proofs that a block of equations has a root in a box: the bracket of a monotone map, and Krawczyk's test.  Balls are
also the number system in which a theory's own formulas are read.
"""

import re
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import NamedTuple

import numpy as np

from ..balls.backend import arb, arb_mat, ratio
from ..equations.scalable import Refusal, own_factor, prove_scalable
from ..errors import AsympkitError, DomainError, ProofError
from ..multiprecision.interpreter import Interpreter
from ..nodes import remove_names
from ..numbers.functions.balls import REAL_BALLS
from ..once import Deferred
from ..program import Names, scalar_map
from ..program.passes import prune
from ..program.statements import Means, Sums, select_statements
from .forms import ball_function, refusal
from .inner import group_means, has_same_argument
from .outer import OuterSums

_enclose = Deferred("asympkit.certify.enclose")


def polish(maps, start, slopes, steps):
    """Improve an approximate root by chords: mid-points only, nothing is proved.

    ``maps(point)`` gives residuals, balls, at exact balls; ``slopes`` is their approximate Jacobian.
    """
    inverse = np.linalg.inv(slopes)
    point = [arb(x) for x in start]
    for _ in range(steps):
        found = maps(point)
        if all(r.contains(0) for r in found):       # no more is known
            break
        residual = [r.mid() for r in found]
        point = [(x - sum(arb(float(a)) * r for a, r in zip(row, residual))).mid()
                 for x, row in zip(point, inverse)]
    return point


def bracket(image, point, digits):
    """Enclose *the* positive fixed point of a monotone, strictly scalable map T in a box.

    If ``T(above) <= above`` and ``T(below) >= below > 0`` componentwise, then the only positive fixed
    point lies between (see the derivation ``one_step/uniqueness``).  Two evaluations at exact balls prove it; no
    Jacobian is needed and the claim is global.  Return the box and its relative half-width, or raise ProofError.
    """
    for lost in range(1, max(digits - 7, 2)):
        width = arb(10) ** (lost - digits)
        above, below = ([(x * (1 + sign * width)).mid() for x in point] for sign in (1, -1))
        if (all(b > 0 for b in below) and all(t <= x for t, x in zip(image(above), above))
                and all(t >= x for t, x in zip(image(below), below))):
            return [a.union(b) for a, b in zip(above, below)], float(width)
    raise ProofError("certify: the bracket of the fixed point cannot be proved; its averages are not enclosed "
                     "sharply enough for so flat a map; ask for more digits")


def krawczyk(residuals, slopes, point, digits, rough):
    """Enclose exactly one root in a box by Krawczyk's test.

    ``K = x - Y F(x) + (1 - Y J(X)) (X - x)`` inside the interior of X proves one root in X, and it lies in K.
    ``residuals`` is F at exact balls, ``slopes`` its Jacobian on boxes, ``rough`` an approximate one, whose inverse is
    Y.  Return the box K and the relative half-width of X, or raise ProofError.
    """
    inverse = arb_mat(np.linalg.inv(rough).tolist())
    centre, one = _column(point), arb_mat(np.eye(len(point)).tolist())
    moved = centre - inverse * _column(residuals(point))
    for lost in range(1, max(digits - 3, 2)):
        width = arb(10) ** (lost - digits)
        radii = [width * abs(x) if x != 0 else width for x in point]
        box = [x + arb(0, r.upper()) for x, r in zip(point, radii)]
        image = (moved + (one - inverse * arb_mat(slopes(box))) * (_column(box) - centre)).entries()
        if all(b.contains_interior(k) for b, k in zip(box, image)):
            return image, float(width)
    raise ProofError("certify: Krawczyk's test fails around the solution found; the root is not isolated sharply "
                     "enough, or is double; ask for more digits or move the parameters")


def _column(entries):
    return arb_mat([[x] for x in entries])


class RootProof(NamedTuple):
    """The proof of the root of one non-linear block."""

    unknowns: tuple
    #: "global" for the only one with positive unknowns, "local" for the only one in its box, "open" for one there
    uniqueness: str
    text: str


#: of an unknown that is left undetermined
_FREE = "{}: its equation vanishes identically and does not determine it; 0 by convention"


class Run(Interpreter):
    """Execute a program with balls: sums with their errors, proved solutions of blocks.

    ``sums`` are the objects with ``sums(statement, values)`` by grid name, ``blocks`` the equations of the statements
    that are solved by Newton's method, in their order, ``start`` approximate iteration variables;
    ``is_positive(expr)`` returns whether an expression in parameters and moments of activations is proved positive.

    ``roots`` lists the proofs of roots, ``free`` the unknowns that their equations leave undetermined.
    """

    def __init__(self, sums, digits, blocks, start, is_positive=None):
        super().__init__(None, REAL_BALLS, sums)
        self.digits, self.start, self.is_positive = digits, start, is_positive
        self.blocks = {b.torn: b for b in blocks}
        self.roots, self.free = [], []

    def value(self, expr, values):
        return arb(super().value(expr, values))

    def sums(self, s, values):
        return self.tables[s.grid.name].sums(s, values)

    def linear(self, s, values):
        rows = [[arb(0) if e is None else values[e] for e in row] for row in s.matrix]
        self.free += [_FREE.format(u) for u, row in zip(s.torn, rows) if all(e == 0 for e in row)]
        return dict(zip(s.torn, solve_balls(rows, [values[b] for b in s.rhs], s.torn)))

    # -- non-linear blocks -------------------------------------------------------------------------

    def newton(self, s, values):
        wanted = [t for t, _ in s.targets]
        plain = tuple(prune(s.body, wanted))
        full = tuple(prune(s.body, {*wanted, *(e for row in s.jacobian for e in row if e is not None)}))

        def evaluate(point, body):
            return self.execute(body, {**values, **dict(zip(s.torn, point))})

        def image(point, factors):
            here = evaluate(point, plain)
            return [here[t] if is_map else x - here[t] / int(c.p) * int(c.q)
                    for x, (t, is_map), c in zip(point, s.targets, factors)]

        last = []               # the last point and its residuals: the proof begins where polishing ends

        def residuals(point):
            if not (last and all(a is b for a, b in zip(last[0], point))):
                here = evaluate(point, plain)
                last[:] = point, [x - here[t] if is_map else here[t] for x, (t, is_map) in zip(point, s.targets)]
            return last[1]

        def slopes(point):
            with self._loosely():
                here = evaluate(point, full)
            return [[self._slope(here, e, is_map, i == j) for j, e in enumerate(row)]
                    for i, (row, (_, is_map)) in enumerate(zip(s.jacobian, s.targets))]

        start = [self.start[u] for u in s.torn]
        rates = slopes([arb(x) for x in start])
        free = [i for i, row in enumerate(rates) if all(e == 0 for e in (*row, *(r[i] for r in rates)))]
        if free:                # each is 0 by convention, as of linear equations
            kept = [i for i in range(len(start)) if i not in free]
            torn, targets = (tuple(found[i] for i in kept) for found in (s.torn, s.targets))
            fewer = replace(s, torn=torn, targets=targets, jacobian=tuple(
                tuple(s.jacobian[i][j] for j in kept) for i in kept))
            zeros = {s.torn[i]: arb(0) for i in free}
            found = {**zeros, **self.newton(fewer, {**values, **zeros})}
            point = [found[u] for u in s.torn]
            here, rates = residuals(point), slopes(point)
            if all(e == 0 for i in free for e in (here[i], *rates[i], *(r[i] for r in rates))):
                self.free += [_FREE.format(s.torn[i]) for i in free]
                return found
        rough = np.array([[float(e.mid()) for e in row] for row in rates])
        point = polish(residuals, start, rough, 2 + self.digits // 12)
        # one that is 0 by symmetry has no size but that of others, and the box around it neither
        least = 10.0 ** (-self.digits / 2)
        point = [arb(0) if x0 == 0.0 and abs(float(x)) < least else x for x, x0 in zip(point, start)]
        names = ", ".join(u.name for u in s.torn)
        doubt = self._many_roots(s, values)
        if doubt is None:
            factors = [own_factor(*row) for row in self.blocks[s.torn].equations]
            box, width = bracket(lambda point: image(point, factors), point, self.digits)
            text = (f"({names}): the only positive root, by the bracket T(V(1+e)) <= V(1+e), T(V(1-e)) >= V(1-e) with "
                    f"e = {width:.1e}; T is monotone and strictly scalable, by the form of its equations and the signs "
                    "of its constants")
        else:
            box, width = krawczyk(residuals, slopes, point, self.digits, rough)
            text = (f"({names}): the only root in a box of relative half-width {width:.1e}, by Krawczyk's test; "
                    f"uniqueness is local ({doubt})")
        kind = "local" if doubt is not None else "global"
        if any(getattr(grid, "slopes", ()) for grid in self.tables.values()):
            # for errors e of the sums that are anything in their bounds the image of the box lies inside it, so that
            # of the errors as they vary over the box too: a continuous map
            kind, text = "open", (f"({names}): a root in a box of relative half-width {width:.1e}, by Krawczyk's "
                                  "operator of the sums at the nodes, whose image with all errors lies inside the box, "
                                  "and Brouwer's theorem; that it is the only one there is not proved: derivatives of "
                                  "the averages have no bound where predictions do not vary")
        self.roots.append(RootProof(tuple(u.name for u in s.torn), kind, text))
        return dict(zip(s.torn, box))

    @contextmanager
    def _loosely(self):
        """Enclose expensive means with few digits within a ``with`` block: enough for a test of slopes."""
        loose = [grid for grid in self.tables.values() if hasattr(grid, "is_loose") and not getattr(grid, "slopes", ())]
        for grid in loose:
            grid.is_loose = True
        try:
            yield
        finally:
            for grid in loose:
                grid.is_loose = False

    def _many_roots(self, s, values):
        """Return None if the block is proved to have one positive root at most, else the reason."""
        if s.torn not in self.blocks:
            return "its equations are not known"

        def sign(expr):
            try:
                ball = arb(ball_function(remove_names(expr))(values))
            except (ProofError, ZeroDivisionError, KeyError):
                return None
            return 1 if ball > 0 else 0 if ball >= 0 else None

        try:
            prove_scalable(self.blocks[s.torn], sign, self.is_positive)
        except Refusal as reason:
            return str(reason)
        return None

    @staticmethod
    def _slope(values, entry, is_map, diagonal):
        d = arb(0) if entry is None else values[entry]
        return arb(int(diagonal)) - d if is_map else d


def check_free(null_spaces, values):
    """Raise where a linear equation vanishes and leaves an unknown free that others depend on, or may depend on."""
    for f in null_spaces:
        if all(arb(values[e]) == 0 for e in f.row) and not all(arb(values[e]) == 0 for e in f.others):
            raise refusal(f"certify: the equation of {f.unknown} vanishes and does not determine it, while other "
                          "unknowns depend on it: there is not one solution but many, or none; replace an equation, or "
                          "move the parameters")


def solve_balls(rows, rhs, names):
    """Solve linear equations; a row that vanishes exactly leaves its unknown at 0.

    A matrix that is not proved to be invertible raises ProofError.
    """
    kept = [i for i, row in enumerate(rows) if not all(e == 0 for e in row)]
    for i in set(range(len(rows))) - set(kept):
        if not rhs[i].is_zero():
            found = "has no solution" if rhs[i] != 0 else "is not proved to have a solution"
            raise ProofError(f"certify: the equation of {names[i]} {found}: its coefficients vanish, and its "
                             f"right-hand side is {rhs[i].str(3)}")
    solution = [arb(0)] * len(rows)
    if kept:
        # an unknown whose own equation vanishes is 0, so its column drops out
        matrix = arb_mat([[rows[i][j] for j in kept] for i in kept])
        try:
            found = matrix.solve(_column(rhs[i] for i in kept))
        except ZeroDivisionError:
            raise ProofError(f"certify: the linear equations of {', '.join(map(str, names))} are not proved to be "
                             "regular; ask for more digits, or move the parameters where they are dependent: there "
                             "they have many solutions, or none") from None
        for k, i in enumerate(kept):
            solution[i] = found[k, 0]
    return solution


_READINGS = ("refuse", "decimal", "exact")
_LONGEST = 400          # an exact number is written out: a longer one would fill the memory


def exact_parameters(parameters, floats):
    """Convert parameters to exact numbers: Fractions, infinities; non-numbers are returned unchanged.

    ``floats`` says how to take a float: "refuse" raises DomainError, "decimal" takes its shortest text, "exact" its
    binary value.
    """
    if floats not in _READINGS:
        raise DomainError(f"floats: got {floats!r}; expected 'refuse', 'decimal' or 'exact'")
    return {name: exact_number(name, value, floats) for name, value in parameters.items()}


def exact_number(name, value, floats):
    """Convert one value, or the rows of an array, as :func:`exact_parameters`."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.item() if value.ndim == 0 else value.tolist()
    if isinstance(value, list | tuple):
        return [tuple(exact_number(name, v, floats) for v in row) if isinstance(row, list | tuple)
                else exact_number(name, row, floats) for row in value]
    if isinstance(value, float) and np.isfinite(value):
        if floats == "refuse":
            raise DomainError(f"{name}: got the float {value!r}, which differs from its decimal text; give "
                              f"an int, a Fraction or a decimal string such as '{value!r}', or choose floats='decimal' "
                              "(its text) or floats='exact' (its binary value)")
        return Fraction(repr(value)) if floats == "decimal" else Fraction(value)
    if isinstance(value, str | Decimal):
        return exact_text(name, str(value).strip()) if isinstance(value, str) or value.is_finite() else float(value)
    if isinstance(value, Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    if hasattr(value, "__float__") and not isinstance(value, bool | float):
        raise DomainError(f"{name}: got {value!r} of type {type(value).__name__}, which is rounded or no rational "
                          "number; give an int, a Fraction or a decimal string")
    return value


def exact_text(name, text):
    """Return the exact number of a text, or infinity; other texts unchanged, for the domain check to reject."""
    exponent = re.search(r"e([+-]?\d+)$", text, re.IGNORECASE)
    if len(text) > _LONGEST or exponent and abs(int(exponent[1])) > _LONGEST:
        raise DomainError(f"{name}: got {text[:20]}{'...' * (len(text) > 20)}; expected a number of at most {_LONGEST} "
                          f"characters, with an exponent of at most {_LONGEST}")
    if text.lstrip("+-").lower() in ("inf", "infinity"):
        return float(text)
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text


class Balls:
    """The number system of certificates, as :class:`asympkit.numbers.evaluation.Digits` is the multiprecision one.

    ``digits`` are those of the inner averages; ``bits`` must be in force while the numbers are used.
    """

    #: whether a number stands for all that it contains
    encloses = True

    def __init__(self, digits, bits):
        self.digits, self.bits = digits, bits
        self.means, self.grids = [], []

    def number(self, value):
        """Convert an exact number to a ball."""
        if isinstance(value, arb):
            return value
        return arb(value) if isinstance(value, float) and np.isinf(value) else ratio(Fraction(value))

    def sqrt(self, x):
        return x.sqrt()

    def average(self, expr):
        """Enclose a closed average, without free symbols."""
        return _enclose.enclose(expr, self.digits + 2).to_arb()

    def explicit(self, program, values, functions):
        """Enclose unknowns and observables of a program of explicit equations, at parameters by symbol."""
        wanted = (*program.unknowns, *program.observables.values())
        statements, grids = tuple(prune(program.statements, set(wanted))), {}
        for grid in {s.grid.name: s.grid for s in select_statements(Sums, statements)}.values():
            sums = OuterSums(grid, statements, functions, values, {}, self.digits + 2, self.bits)
            sums.choose([(s.locals, e) for s in select_statements(Sums, statements) for _, e, _ in s.sums], values)
            self.grids.append(sums)
            grids[grid.name] = sums
        found = Run(grids, self.digits, (), {}).execute(statements, dict(values))
        return {s: found[s] for s in wanted}

    def scalar_map(self, mapping, values, functions):
        """Evaluate a :class:`~asympkit.program.ScalarMap`, ``{output name: ball}``."""
        value = self.prepared(mapping, values, functions)
        return {name: value(e) for name, e in mapping.outputs}

    def prepared(self, mapping, values, functions, given=None):
        """Enclose the means of a map and return its evaluator; named numbers in ``given`` are not computed."""
        known, given = dict(values), given or {}
        means, moments = {}, {}
        for s in mapping.preparation:
            if isinstance(s, Means):
                if id(s) not in means:          # the parts of its argument are known by now
                    alike = [m for m in mapping.preparation if isinstance(m, Means) and has_same_argument(m, s)]
                    means |= group_means(alike, functions, None, known, self.digits + 2, self.bits)
                    inner = means[id(s)]
                    moments[inner] = {key: row[0] for key, row in inner.at_nodes(arb(1), 0).items()}
                inner = means[id(s)]
                known.update(inner.columns(s, moments[inner], lambda e: ball_function(e)(known)))
            elif s.symbol.name in given:
                known[s.symbol] = self.number(given[s.symbol.name])
            else:
                known[s.symbol] = ball_function(s.expr)(known)
        self.means = list(dict.fromkeys([*self.means, *moments]))
        return lambda expr: arb(ball_function(expr)(known))

    def is_positive(self, expr, values, functions):
        """Return whether an expression in parameters and moments of activations is proved to be positive."""
        arguments = sorted((s for s in expr.free_symbols if s in values), key=str)
        try:
            mapping = scalar_map(arguments, {"value": remove_names(expr)}, Names(arguments))
            return bool(self.scalar_map(mapping, {s: values[s] for s in arguments}, functions)["value"] > 0)
        except (AsympkitError, ArithmeticError):        # no moments, or none with a proof
            return False

    def is_zero(self, x):
        """Return whether a ball is exactly 0; raise ProofError if it holds 0 and other numbers."""
        if not self.is_doubtful(x):
            return bool(x.is_zero())
        raise ProofError("certify: a number is proved neither to vanish nor not to "
                         f"({x.str(3)}), and it decides which limit holds; ask for more digits, or move the parameters")

    def is_doubtful(self, x):
        """Return whether a ball holds 0 and other numbers."""
        return bool(x.contains(0) and not x.is_zero())
