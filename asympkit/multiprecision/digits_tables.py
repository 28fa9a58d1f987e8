"""Tables of a grid with any number of digits, on refined rules.

Tables of a grid of products of rules with any number of digits.
"""

import math
from fractions import Fraction

import numpy as np
from sympy import Rational

from ..errors import ConvergenceError, DomainError
from ..exact import digits_of
from ..gauss.quadrature.digits import normal_panels, normal_trapezoid, panels
from ..gauss.reductions import FARTHEST
from ..numbers.evaluation import evaluate
from ..program.statements import Means
from ..program.symmetry import base_columns, flat_conditions, is_proved_zero
from ..runtime.tables import ANGLE_STEPS
from .inner_means import ConditionalMeans

__all__ = ["ProductDigits"]


#: orders of panels at refinement levels, in units of the digits
_ORDERS = (0.5, 0.75, 1.0, 1.4, 2.0, 2.8, 4.0)
#: working digits beyond those that orders of panels count
_SPARE = 14


def prepare_map(mapping, values, functions, numbers, given):
    """Return means and named numbers of a :class:`~asympkit.program.ScalarMap` by symbol; named ones in ``given`` are
    not computed."""
    known = {**values}
    for s in mapping.preparation:
        if isinstance(s, Means):
            columns = {k: np.array([v], dtype=object) for k, v in known.items()}
            try:
                offset, slope = (numbers.mp.mpf(evaluate(e, known, numbers)) for e in (s.offset, s.slope))
                at = [offset], slope, columns
                means = ConditionalMeans(s, s.activation(functions), numbers)(*at)
            except ZeroDivisionError as error:
                raise DomainError(f"means of the {s.label}: a formula of the function, or of its derivative, divides "
                                  "by zero at a node of the rule; its mean may not exist, or needs another form of "
                                  "the function") from error
            known.update((o, m[0]) for o, m in zip(s.outputs, means))
        elif s.symbol.name in given:
            known[s.symbol] = numbers.number(given[s.symbol.name])
        else:
            known[s.symbol] = evaluate(s.expr, known, numbers)
    return known


def is_unbounded(grid):
    """Return whether squares of the variable z are tabulated: exp(z**2/2) may leave a tail beyond any cut-off."""
    return any(e.is_polynomial(z) and e.coeff(z, 2).is_positive for e in grid.columns for z in grid.bound)


class DigitsTables:
    """Builder of tables at refinement levels, which reuses values of earlier levels.

    ``values`` are the table parameters, ``symmetries`` sign patterns of the base columns that leave every integrand
    unchanged, ``places`` centres and widths of narrow features of integrands.  ``wanted`` is the largest relative
    rounding of means of which only the direction counts; ``rounding`` is that of the last level, ``lost`` the means
    with more.
    """

    def __init__(self, grid, values, functions, numbers, symmetries, wanted=None, places=()):
        self.grid, self.values, self.functions, self.numbers = grid, values, functions, numbers
        self.mp, self.wanted = numbers.mp, numbers.mp.inf if wanted is None else wanted
        self.base = base_columns(grid)
        shared = {}
        self.means = {id(s): ConditionalMeans(s, s.activation(functions), numbers, shared)
                      for s in grid.preparation if isinstance(s, Means)}
        self._watch()
        self.cut = self.mp.sqrt(2 * self.mp.ln(10) * (self.mp.dps + 10)) + 1
        self.first, self.is_widened = Fraction(1, 4), is_unbounded(grid)
        self.centres = [*self._centres(), *((self.mp.mpf(c), self.mp.mpf(w)) for c, w in places)]
        self._known = {}                      # node (exact fraction) or level of panels -> base columns
        self.even = not self.centres and self._is_even(symmetries)

    def _watch(self):
        """Keep the rounding of means of which only the direction counts; those proved to be zero are zero."""
        self.watched, self.zeros = [], set()
        for d in self.grid.directions:
            step = next(s for s in self.grid.preparation if isinstance(s, Means) and d.mean in s.outputs)
            self.means[id(step)].watched = step.outputs.index(d.mean)
            self.watched.append((d.mean, step))

    def prove_zeros(self):
        """Look for proofs that unresolved means vanish; returns whether there was one."""
        exact = {s: _exact(v) for s, v in self.values.items()}
        for mean, step in self.watched:
            offset, slope = step.offset.subs(exact), step.slope.subs(exact)
            if mean in self.lost and is_proved_zero(step.activation(self.functions), offset, slope,
                                                    dict(step.items)[mean].subs(exact), step.z, step.value):
                self.zeros.add(mean)
        self._known.clear()
        return bool(self.zeros & self.lost)

    def _settle(self, base, weights):
        """Find the means with fewer digits than wanted, and the largest relative rounding."""
        self.lost, self.rounding = set(), self.mp.zero
        for k, (mean, _) in enumerate(self.watched):
            value, rounding = (self.mp.sqrt(self.mp.fdot(zip(weights, c**2))) for c in base[2 * k:2 * k + 2])
            error = rounding / value if value else self.mp.inf if rounding else self.mp.zero
            if error > self.wanted:
                self.lost.add(mean)
            self.rounding = max(self.rounding, error)

    @property
    def cancelled(self):
        """Digits that the cancellation of its terms leaves a mean fewer, at most."""
        return max((m.cancelled for m in self.means.values()), default=0.0)

    @property
    def evaluations(self):
        """Values of activations that were summed so far."""
        return sum(m.evaluations for m in self.means.values())

    @property
    def has_step(self):
        """True if the rule has equal steps."""
        return not self.centres

    def take(self, step, digits):
        """Set the first step, and the cut-off where the weights are below so many digits."""
        self.first, self.cut = step, self.mp.sqrt(2 * self.mp.ln(10) * digits) + 1

    def level(self, level):
        """Return columns and weights at a level; each level halves the step (or raises the order)."""
        cut = self.cut + 2 * level * self.is_widened
        if self.centres:
            order = int((self.mp.dps - _SPARE) * _ORDERS[level]) + 8
            nodes, weights = normal_panels(self.mp, self._edges(cut), order)
            if level not in self._known:
                self._known[level] = self._columns(nodes)
            base = self._known[level]
        else:
            step = self.first / 2**level
            index, weights = normal_trapezoid(self.mp, self.mp.mpf(step.numerator) / step.denominator, cut)
            if self.even:
                half = len(index) // 2
                index, weights = index[half:], [weights[half], *(2 * w for w in weights[half + 1:])]
            fractions = [i * step for i in index]
            missing = [f for f in fractions if f not in self._known]
            if missing:
                columns = self._columns([self.mp.mpf(f.numerator) / f.denominator for f in missing])
                for k, f in enumerate(missing):
                    self._known[f] = [c[k] for c in columns]
            base = [np.array(c, dtype=object) for c in zip(*(self._known[f] for f in fractions))]
        self._settle(base[len(self.base):], weights)
        columns = {**self.values, **dict(zip(self.base, base))}
        table = {symbol: evaluate(expr, columns, self.numbers) for expr, symbol in self.grid.columns.items()}
        return table, np.array(weights, dtype=object)

    def _columns(self, nodes):
        """Compute base columns at nodes."""
        node = self.grid.bound[0]
        known, extra = {node: np.array(nodes, dtype=object)}, {}
        for s in self.grid.preparation:
            values = {**self.values, **known}
            if not isinstance(s, Means):
                known[s.symbol] = evaluate(s.expr, values, self.numbers)
                continue
            offsets = evaluate(s.offset, values, self.numbers)
            offsets = list(np.broadcast_to(np.asarray(offsets, dtype=object), (len(nodes),)))
            slope = self.mp.mpf(evaluate(s.slope, self.values, self.numbers))
            inner = self.means[id(s)]
            known.update(zip(s.outputs, inner(offsets, slope, values)))
            for mean in self.zeros & set(s.outputs):
                known[mean] = known[mean] * 0
            if inner.watched is not None:
                mean = s.outputs[inner.watched]
                extra[mean] = known[mean], inner.rounding * (mean not in self.zeros)
        watched = [c for mean, _ in self.watched for c in extra[mean]]
        return [np.broadcast_to(np.asarray(c, dtype=object), (len(nodes),)) for c in
                (*(known[s] for s in self.base), *watched)]

    def _centres(self):
        """Return the places in the outer variable of kinks of the activations, if they are sharp there."""
        mp, node = self.mp, self.grid.bound[0]
        found = [(mp.mpf(digits_of(k, mp.dps + 5)), mp.zero) for k in self.grid.kinks]
        for s in self.grid.preparation:
            if not isinstance(s, Means) or not s.activation(self.functions).kinks:
                continue
            per_node = mp.mpf(evaluate(s.offset.diff(node), self.values, self.numbers))
            offset = mp.mpf(evaluate(s.offset.subs(node, 0), self.values, self.numbers))
            slope = mp.mpf(evaluate(s.slope, self.values, self.numbers))
            if per_node != 0 and slope / mp.sqrt(per_node**2 + slope**2) < 0.1:
                found += [((k - offset) / per_node, slope / abs(per_node)) for k in self.means[id(s)].kinks]
        return found

    def _edges(self, cut):
        mp = self.mp
        edges = _even_places(mp, cut)
        for centre, width in self.centres:
            edges.add(centre)
            distance = mp.mpf(2)
            while distance > width > 0:
                edges |= {centre - distance, centre + distance}
                distance /= 2
        return sorted(e for e in edges if abs(e) <= cut + 1)

    def _is_even(self, symmetries):
        """Return whether the columns have parities under which every integrand is even.

        Columns of functions with a parity have one, which is found at a point.
        """
        mp = self.mp
        if any(s.activation(self.functions).parity is None for s in self.grid.preparation if isinstance(s, Means)):
            return False
        x = mp.mpf(3) / 8
        columns = self._columns([x, -x])[:len(self.base)]
        pattern = []
        for c in columns:
            size = max(abs(c[0]), abs(c[1]))
            small = mp.mpf(10) ** (12 - mp.dps) * size
            pattern.append(0 if size == 0 else 1 if abs(c[0] - c[1]) <= small
                           else -1 if abs(c[0] + c[1]) <= small else 2)
        return any(all(p in (0, s) for p, s in zip(pattern, symmetry)) for symmetry in symmetries)


def _exact(value):
    """Convert a multiprecision number to the equal rational number."""
    sign, mantissa, exponent, _ = value._mpf_
    return Rational(-mantissa if sign else mantissa) * Rational(2) ** exponent


def _even_places(mp, cut):
    """Return the even integers out to a cut-off, and one beyond."""
    return {mp.mpf(2 * i) for i in range(-int(cut / 2) - 1, int(cut / 2) + 2)}


#: nodes of one sum at most, those of a sum at every node of another counted
MOST_NODES = 200_000
#: step of the coarsest rule at least, in one variable; narrower features need more nodes than that
_FINEST = 2.0**-14
#: digits to which a kink that is followed so far is exact
_SHIFTED = 65


class ProductDigits(DigitsTables):
    """Builder of tables of averages over several normals, or nested ones, at refinement levels.

    ``symmetries`` are sign patterns of the variables that leave every integrand unchanged; ``digits`` those wanted of
    the averages (further working digits are for solving with them); ``largest`` is the step of the coarsest rule that
    meets all features of the integrands.  No mean is watched for its direction here, so none is lost,
    and none takes values of its own at every node: ``evaluations`` is 0.
    """

    lost, evaluations, cancelled = frozenset(), 0, 0.0

    def __init__(self, program, grid, numbers, symmetries, digits, values, functions, largest=math.inf):
        self.grid, self.numbers, self.mp, self.digits = grid, numbers, numbers.mp, digits
        self.values = values
        self.cut, self.is_widened = self.mp.sqrt(2 * self.mp.ln(10) * (digits + 6)) + 1, is_unbounded(grid)
        self.first, self.largest = Fraction(1, 2), max(largest, _FINEST)
        while self.first > self.largest:
            self.first /= 2
        self.kinks = [[self.mp.mpf(digits_of(k, self.mp.dps + 5)) for k in grid.kinks.get(b, ())] for b in grid.bound]
        self.activations = [(s, ConditionalMeans(s, s.activation(functions), numbers)) for s in grid.preparation]
        self._add_kinks()
        flat = flat_conditions(program, grid)
        self.flat = [b in flat and values[flat[b]] == 0 for b in grid.bound]
        self.is_even = self._signs(functions) in symmetries and not any(self.kinks)
        self.further = FARTHEST if grid.is_shifted else 0
        if self.further and digits > _SHIFTED:
            raise ConvergenceError("precise: an average has a kink that moves, which is followed to "
                                   f"{FARTHEST} standard deviations; that gives {_SHIFTED} digits; pass "
                                   "fewer")
        # the nodes of an inner grid are met at every node of the outer ones
        self.dimension = len(grid.bound) + grid.is_inner * max(
            (len(g.bound) for g in program.grids if not g.is_inner and not g.given), default=0)

    def _add_kinks(self):
        """Add the places of kinks of activations at the node."""
        for step, means in self.activations:
            (b, *others) = [b for b in self.grid.bound if b in step.offset.free_symbols]
            centre, slope = (self.mp.mpf(evaluate(e, self.values, self.numbers))
                             for e in (step.offset.subs(b, 0), step.offset.diff(b))) if not others else (0, 0)
            if slope != 0:
                self.kinks[self.grid.bound.index(b)] += [(k - centre) / slope for k in means.kinks]

    def _signs(self, functions):
        """Return the signs that columns take when all nodes change theirs, or None if unknown."""
        signs = [-1] * len(self.grid.bound)
        for s in self.grid.preparation:
            parity = s.activation(functions).parity
            if parity is None or s.offset.subs(dict.fromkeys(self.grid.bound, 0)) != 0:
                return None
            signs.append(-1 if parity == "odd" else 1)
        return tuple(signs)

    @property
    def has_step(self):
        """True if the rules have equal steps."""
        return not (self.grid.is_angle or any(self.kinks))

    def level(self, level):
        """Return columns and weights at a level; each level halves the step (or raises the order)."""
        if self.grid.is_angle:
            return self._angles(level)
        lines = [([self.mp.zero], [self.mp.one]) if self.flat[k] else self._line(level, kinks, self.further * (k == 0))
                 for k, kinks in enumerate(self.kinks)]
        size = max(len(z) for z, _ in lines)
        if level == 0 and self.first < Fraction(1, 2):
            size *= 2                           # the next level is needed too
        dimension = self.dimension - sum(self.flat)
        if size**dimension > 2**dimension * MOST_NODES:
            raise ConvergenceError(f"precise: the average over {', '.join(b.name for b in self.grid.bound)} needs more "
                                   f"than {MOST_NODES} nodes for this many digits (they are those of a product of "
                                   f"rules, {size} for each variable here); pass fewer digits")
        places = np.meshgrid(*[np.arange(len(z)) for z, _ in lines], indexing="ij")
        squares = np.zeros(places[0].shape)
        for (line, _), k in [*zip(lines, places)][self.grid.is_shifted:]:
            squares += np.array([float(z * z) for z in line])[k]
        inside = squares <= float(self.cut + 1) ** 2
        if self.is_even:                        # of each pair z, -z the one with a non-negative first component
            inside &= places[0] >= len(lines[0][0]) // 2
        places = [k[inside] for k in places]
        columns = [np.array(z, dtype=object)[k] for (z, _), k in zip(lines, places)]
        weights = np.prod([np.array(w, dtype=object)[k] for (_, w), k in zip(lines, places)], axis=0)
        if self.is_even:
            weights[places[0] > len(lines[0][0]) // 2] *= 2
        if not any(self.kinks):
            weights = weights / self.mp.fsum(weights)
        base = {**self.values, **dict(zip(self.grid.bound, columns))}
        for step, means in self.activations:
            offsets = np.broadcast_to(evaluate(step.offset, base, self.numbers), weights.shape)
            base |= zip(step.outputs, means(list(offsets), self.mp.zero, base))
        table = {symbol: evaluate(expr, base, self.numbers) for expr, symbol in self.grid.columns.items()}
        return {**dict(zip(self.grid.bound, columns)), **table}, weights

    def _angles(self, level):
        """Return equidistant angles; twice as many square the error."""
        mp, count = self.mp, max(24, self.digits, math.ceil(ANGLE_STEPS * math.pi / self.largest)) * 2**level
        if count**self.dimension > MOST_NODES:
            raise ConvergenceError(f"precise: a mean over a spectral law needs more than {count} angles for "
                                   f"{self.digits} digits: its integrand is narrow, or nearly singular at an edge of "
                                   "the law; pass fewer digits")
        theta = np.array([(mp.mpf(2 * k + 1) / (2 * count)) * mp.pi for k in range(count)], dtype=object)
        base = {self.grid.bound[0]: theta}
        table = {symbol: evaluate(expr, base, self.numbers) for expr, symbol in self.grid.columns.items()}
        return {**base, **table}, np.array([mp.one / count] * count, dtype=object)

    def _line(self, level, kinks, further):
        """Return nodes and weights of one variable."""
        mp, cut = self.mp, self.cut + further + 2 * level * self.is_widened
        if kinks:
            order = int((self.digits + 6) * _ORDERS[level]) + 8
            edges = _even_places(mp, cut)
            return panels(mp, sorted(edges | set(kinks)), order)
        step = mp.mpf(self.first.numerator) / (self.first.denominator * 2**level)
        index, weights = normal_trapezoid(mp, step, cut - further)
        return [i * step for i in index], weights
