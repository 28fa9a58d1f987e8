"""Tables of a grid with any number of digits, on refined rules."""

from fractions import Fraction

import numpy as np

from ..errors import DomainError
from ..exact import digits_of
from ..gauss.quadrature.digits_rules import normal_panels, normal_trapezoid
from ..numbers.evaluation import evaluate
from ..program.directions import is_proved_zero
from ..program.statements import Means
from ..program.symmetry import base_columns
from .inner_means import ConditionalMeans


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


class DigitsTables:
    """Builder of tables at refinement levels, which reuses values of earlier levels.

    Parameters
    ----------
    grid : Grid
    values : dict
        Table parameters, ``{symbol: mpf}``.
    functions : dict
        ``{label: Activation}``.
    numbers : Digits
    symmetries : tuple
        Sign patterns of the base columns that leave every integrand unchanged.
    wanted : mpf, optional
        Largest relative rounding of means of which only the direction counts.
    places : sequence of (float, float), optional
        Centres and widths of narrow features of integrands.

    Attributes
    ----------
    rounding : mpf
        That of the last level; ``lost`` are the means with more than wanted.
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
        self.first = Fraction(1, 4)
        self.centres = [*self._centres(), *((self.mp.mpf(c), self.mp.mpf(w)) for c, w in places)]
        self._known = {}                      # node (exact fraction) -> base columns
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
        from sympy import Rational

        exact = {s: _exact(v, Rational) for s, v in self.values.items()}
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
    def has_step(self):
        """True if the rule has equal steps."""
        return not self.centres

    def take(self, step, digits):
        """Set the first step, and the cut-off where the weights are below so many digits."""
        self.first, self.cut = step, self.mp.sqrt(2 * self.mp.ln(10) * digits) + 1

    def level(self, level):
        """Return columns and weights at a level; each level halves the step (or raises the order)."""
        if self.centres:
            order = int(self.mp.dps * (0.5, 0.75, 1.0, 1.4, 2.0, 2.8, 4.0)[level]) + 8
            nodes, weights = normal_panels(self.mp, self._edges(), order)
            base = self._columns(nodes)
        else:
            step = self.first / 2**level
            index, weights = normal_trapezoid(self.mp, self.mp.mpf(step.numerator) / step.denominator, self.cut)
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

    def _edges(self):
        mp = self.mp
        edges = {mp.mpf(2 * i) for i in range(-int(self.cut / 2) - 1, int(self.cut / 2) + 2)}
        for centre, width in self.centres:
            edges.add(centre)
            distance = mp.mpf(2)
            while distance > width > 0:
                edges |= {centre - distance, centre + distance}
                distance /= 2
        return sorted(e for e in edges if abs(e) <= self.cut + 1)

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


def _exact(value, rational):
    """Convert a multiprecision number to the equal rational number."""
    sign, mantissa, exponent, _ = value._mpf_
    return rational(-mantissa if sign else mantissa) * rational(2) ** exponent
