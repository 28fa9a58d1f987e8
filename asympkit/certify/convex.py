r"""Sums over the outer Gaussian variable whose integrands hold means over proximal steps, and probabilities of two
normals, with a proved error.

The outer rule and its error are those of :mod:`.outer`; integrands are bounded off the real line as
follows.  The means of the student are entire, and enclosed to relative accuracy (:mod:`.entire`); roots and quotients
of them are evaluated on complex boxes, where a finite value proves that no root meets its
cut; means over proximal steps are bounded by one Gaussian (:mod:`.logistic`), and so is

.. math:: P(h,l,r)=\int_0^\infty\varphi(x)\,\Phi\Bigl(\frac{h-rx}{\sqrt{1-r^2}}\Bigr)\frac{d\tau}{W},\qquad
   x=l-\frac\tau W,

the distribution function of two normals, for any W.
"""

from dataclasses import replace
from fractions import Fraction
from math import ceil, log, sqrt

import numpy as np
from sympy import Integer, Mul, Pow, Rational

from ..balls.backend import arb, arb_poly, ratio, workprec
from ..errors import ProofError
from ..numbers.functions.pair_classes import BivariateNormalCDF
from ..program.statements import InnerSum
from .edge import Edge
from .entire import BallMeans, BallSeries, RegionCells, discs_of, order_for
from .forms import MARGIN, Circle, Disc, ball_function, bound_above, complex_function, is_elementary, refusal
from .graphs import GaussianMass, GraphMean, Sizes, bound_with_share
from .inner import group_means
from .lattice import density
from .logistic import LogisticMean, LogisticNodes
from .outer import OuterSums, beyond
from .separate import columns_used

#: further digits of the student's means that are tried
DEPTHS = (28, 44, 70, 110, 200)

_LOOSE = 8              # digits of means that need not be sharp
_RESOLVED = 10          # bits of divisors
_CELL = 0.036           # width of cells, in units that change the student's argument by 1
_STEEP = 5              # logarithmic derivatives, in units of that argument, above which cells are narrower
_ROWS = 16              # of cells above the real line
_SPACING = 16           # cells between centres of polynomials
_MOST = 4000            # nodes on either side
_FARTHEST = 40.0
HALF = Rational(1, 2)


class UnresolvedError(ProofError):
    """Further digits of the student's means are needed, which other averages need not have."""


class ConvexSums(OuterSums):
    """Certified sums over one Gaussian grid; see :class:`OuterSums` for the parameters.

    ``depth`` are further digits of the student's means, which are divisors where it saturates; ``slopes`` are sums that
    are derivatives of others, computed at the nodes without error bounds.  While ``is_loose``, sums get few digits.
    """

    def __init__(self, grid, statements, functions, parameters, boxes, digits, bits, depth, slopes=frozenset()):
        self.grid, self.digits = grid, digits
        self.parameters, self.boxes, self.is_loose, self.limit = parameters, boxes, False, ""
        self.node = grid.bound[0]
        self.statements = [s for s in statements if s.grid is grid]
        self.used = columns_used(statements, grid)
        self.locals = {}
        for s in self.statements:
            for symbol, expr in s.locals:
                if self.locals.setdefault(symbol, expr) != expr:
                    raise ProofError(f"certify: {symbol} stands for two expressions in the equations")
        self.slopes, self.graphs = slopes, _joined(o for s in self.statements for o in s.origins.items())
        self.known_graphs = {}
        self.integrands = list(dict.fromkeys(e for s in self.statements for symbol, e, _ in s.sums
                                             if symbol not in slopes))
        self.inner = {e: LogisticMean(e) for e in self.locals.values() if isinstance(e, InnerSum)}
        self.rules = {}
        self.bits = bits
        self.means = group_means(grid.preparation, functions, self.node, parameters, digits + depth, bits)
        self.reach = self._reach(digits)
        self._place(digits + depth)
        self._bound_cells()

    # -- beside the real line ----------------------------------------------------------------------

    def _place(self, digits):
        """Return the base columns on discs that cover the cells, ``{symbol: Disc of arrays (rows, columns)}``."""
        means = list(dict.fromkeys(self.means.values()))
        fast = max([1.0, *(bound_above(m.rate) for m in means)])
        width = _CELL / fast
        spacing = _SPACING * width
        count = ceil((self.reach + 1) / width) // _SPACING + 1
        radius = 1.3 * float(np.hypot(spacing / 2 + width, (_ROWS + 1) * width))
        steep = max(bound_above(m.rate) / float(m.slope.lower()) for m in means)
        order = order_for(steep * radius)
        while order * log(steep * radius + 1e-9) - 0.5 * order * (log(order) - 1) > -digits * log(10):
            order += 4
        tables = {m: BallMeans(m, spacing, count, order, digits) for m in means}
        series = {}
        for k in range(-count, count + 1):
            node = BallSeries(arb_poly([arb(spacing * k), arb(radius)]), arb(0), order)
            known = {m: t.series(k + count, radius) for m, t in tables.items()}
            series[k] = self.prepare(node, known.get, lambda e: BallSeries(arb_poly([self._ball(e)]), arb(0), order))
        if not all(self._is_resolved(base, spacing * k) for k, base in series.items()):
            raise UnresolvedError("certify: the variances of predictions are not separated from zero where the "
                                  "features saturate: they are beyond the working digits there")
        self.cells = RegionCells(self.reach + 1, width, _ROWS * width, self.digits, self._edges(
            {spacing * k: min(max(map(_bend, base.values())) / radius, fast + steep**2 * spacing * abs(k))
             for k, base in series.items()}, width, fast))
        self.base = self._discs(series, spacing, radius)

    def _is_resolved(self, base, place):
        """Return whether divisors and arguments of roots are separated from zero at a centre, sharply enough."""
        values = {**self.parameters, **self.boxes}
        # boxes of unknowns change all small terms by the same share
        values |= {s: arb(b.mid()) for s, b in self.boxes.items()}
        values |= {s: (e.poly.coeffs() or [arb(0)])[0] + arb(0, e.rest.upper()) for s, e in base.items()}
        values |= {s: arb(ball_function(e)(values)) for e, s in self.grid.columns.items() if s in self.used}
        for symbol, expr in self.locals.items():
            if is_elementary(expr) and expr.free_symbols <= set(values):
                bases = [p.base for p in expr.atoms(Pow) if not (p.exp.is_Integer and p.exp > 0)]
                if not all(self._is_sharp(arb(ball_function(b)(values)), place) for b in bases):
                    return False
                values[symbol] = arb(ball_function(expr)(values))
        return True

    def _is_sharp(self, ball, place):
        """Return whether a divisor has enough bits.

        Closed forms are differences of terms that are larger by its root, and their weight is the normal density there.
        """
        if not self.graphs:
            return ball.rel_accuracy_bits() >= _RESOLVED
        if not ball.mid() > 0:
            return False
        small = -log(float(ball.mid())) / 2 - place * place / 2
        return ball.rel_accuracy_bits() >= max(_RESOLVED, 3.33 * self.digits + small / log(2))

    def _edges(self, rates, width, fast):
        """Return the edges of cells, narrower where the columns change faster relative to themselves."""
        x, edges = np.linspace(0.0, self.reach + 1 + width, 4000), []
        for side in (1, -1):
            rate = np.interp(side * x, sorted(rates), [rates[k] for k in sorted(rates)])
            counted = np.concatenate([[0.0], np.cumsum(np.maximum(1.0, rate / (_STEEP * fast))[1:] * np.diff(x))])
            number = ceil(np.interp(self.reach + 1, x, counted) / width)
            edges.append(side * np.interp(width * np.arange(number + 1), counted, x))
        return np.concatenate([edges[1][:0:-1], edges[0]])

    def _discs(self, series, spacing, radius):
        middle, widths = (self.cells.edges[:-1] + self.cells.edges[1:]) / 2, np.diff(self.cells.edges)
        index = np.rint(middle / spacing).astype(int)
        self.steps = widths * MARGIN                # the heights of rows
        rows = (np.arange(_ROWS) + 0.5)[:, None] * self.steps
        parts, shape = {}, rows.shape
        for k in range(index.min(), index.max() + 1):
            columns = np.flatnonzero(index == k)
            points = ((middle[columns] - spacing * k)[None, :] + 1j * rows[:, columns]) / radius
            small = np.broadcast_to(self.steps[columns] / sqrt(2) * MARGIN / radius, points.shape)
            for symbol, one in series[k].items():
                found = discs_of(one, points.ravel(), small.ravel())
                table = parts.setdefault(symbol, [
                    Circle(np.zeros(shape, complex), np.zeros(shape), np.zeros(shape)) for _ in range(3)])
                for whole, part in zip(table, (found.point, found.whole, found.slope)):
                    for name in ("centre", "radius", "side"):
                        getattr(whole, name)[:, columns] = getattr(part, name).reshape(points.shape)
        return {symbol: Disc(*table) for symbol, table in parts.items()}

    def _bound_cells(self):
        """Bound all integrands on the cells, each over all rows up to its own."""
        with np.errstate(all="ignore"):
            self.table = np.maximum.accumulate(self._on_cells(), axis=1)
        if not np.isfinite(self.table[:, 0]).all():
            raise refusal("certify: no neighbourhood of the real line is proved in which the variances of predictions "
                          "have positive real parts: they vary too fast, or vanish; move the parameters")

    def graph(self, symbol):
        """Return the mean of an envelope of which a local is a derivative."""
        if symbol not in self.known_graphs:
            self.known_graphs[symbol] = GraphMean(self.graphs[symbol])
        return self.known_graphs[symbol]

    def _on_cells(self):
        inside = {s: Disc.of(b) for s, b in {**self.parameters, **self.boxes}.items()}
        inside |= {s: complex_function(e)(self.base) for e, s in self.grid.columns.items() if s in self.used}
        inside[self.node] = self.base[self.node]
        sizes, masses = {s: b.size for s, b in inside.items()}, {}
        for symbol, expr in self.locals.items():
            if symbol not in self.graphs and is_elementary(expr) and expr.free_symbols <= set(inside):
                inside[symbol] = complex_function(expr)(inside)
                sizes[symbol] = inside[symbol].size

        def special(expr):
            if expr in self.graphs:
                bound.known[expr] = self.graph(expr).size(inside, bound)
                return bound.known[expr]
            if expr in self.locals:
                bound.known[expr] = bound(self.locals[expr])
                return bound.known[expr]
            if isinstance(expr, InnerSum):
                return self._inner_size(self.inner[expr], inside, sizes, masses)
            if isinstance(expr, BivariateNormalCDF):
                return self._pair_size(expr, inside)
            if is_elementary(expr) and expr.free_symbols <= set(inside):
                return complex_function(expr)(inside).size
            return None

        bound = Sizes(sizes, special)
        return np.array([np.broadcast_to(bound(e), (_ROWS, len(self.cells.heights))) for e in self.integrands])

    def _inner_size(self, inner, inside, sizes, masses):
        V, C, W, A, B = inner.quantities
        if inner.quantities not in masses:
            v, c, inverse = inside[V], inside[C], inside[W].power(-2)
            square = inverse * inverse
            shift = (v.imag + c.imag) * MARGIN
            beta0 = beta1 = np.zeros(shift.shape)
            if A is not None:
                slope = inside[B] * inverse
                beta0 = (inside[A].imag + slope.real * shift) * MARGIN
                beta1 = slope.imag
            low = square.least
            mass = GaussianMass((low, square.real), square.imag, shift, (beta0, beta1), inverse.size, 1 + v.imag / 4)
            masses[inner.quantities] = np.where(v.least >= 0, mass.total, np.inf), bound_with_share(mass.reserve)
        mass, growth = masses[inner.quantities]
        return mass * inner.size(Sizes(sizes), sizes[C], sizes[V], growth)

    def _pair_size(self, expr, inside):
        """Bound the distribution function of two normals, in units of the width of predictions where it has one."""
        h, low, r = expr.args
        widths = (*(m.quantities[2] for m in self.inner.values()),
                  *(o.values[o.source.W] for o in self.graphs.values()))
        scale = next((W for W in widths if low.has(W)), Integer(1))
        if not all(is_elementary(e) and e.free_symbols <= set(inside) for e in expr.args):
            return None
        h, r, start, inverse, steep = (complex_function(e)(inside) for e in (
            h, r, low * scale, 1 / scale, (1 - r**2) ** -HALF))
        A, B, square, shift = h * steep, r * steep * inverse, inverse * inverse, start.imag
        beta0 = (A.imag + B.real * shift) * MARGIN
        return GaussianMass((square.least, square.real), square.imag, shift, (beta0, B.imag), inverse.size).total

    # -- the rule ----------------------------------------------------------------------------------

    @property
    def rule(self):
        """The nodes for the digits that are wanted now."""
        digits = min(_LOOSE, self.digits) if self.is_loose else self.digits
        if digits not in self.rules:
            self.rules[digits] = self._chosen(digits)
        return self.rules[digits]

    def _reach(self, digits):
        """Return the distance of the farthest nodes, beyond which the integrands are below the digits."""
        reach_ = sqrt(2 * (digits + 2) * log(10)) + 1
        while reach_ < _FARTHEST and not max(self._bound_tails(reach_)) < 0.1 * 10.0 ** -(digits + 1):
            reach_ += 0.25
        return reach_

    def _bound_tails(self, radius):
        """Bound the averages of all integrands over ``|kappa| > radius``."""
        return [beyond(size, degree, radius) for size, degree in self._at_edge(radius)]

    def _chosen(self, digits):
        reach_, goal = self._reach(digits), 10.0 ** -(digits + 1)
        with np.errstate(divide="ignore"):
            logs = np.log(np.max(self.table, axis=0))
        heights = (np.arange(_ROWS)[:, None] + 1) * self.steps

        def errors(step):
            row = np.argmin(logs + heights**2 / 2 - 2 * np.pi * heights / step, axis=0)
            self.cells.heights = heights[row, np.arange(len(row))]
            return self.table[:, row, np.arange(len(row))] @ self._measure(step, (ceil(reach_ / step) + 0.5) * step)

        low, high = 1.1 * reach_ / _MOST, 0.6
        if not np.max(errors(low)) < goal:
            raise refusal(f"certify: the outer rule would need more than {2 * _MOST} nodes, because the variances of "
                          "predictions have positive real parts only very near the real line; move the parameters")
        for _ in range(20):
            step = sqrt(low * high)
            low, high = (step, high) if np.max(errors(step)) < goal else (low, step)
        exact = Fraction(max(int(low * 2**12), 1), 2**12)
        return _Rule(self, digits, exact, ceil(reach_ / float(exact)), errors(float(exact)))

    def _at_edge(self, radius):
        """Bound all integrands at ``|kappa| = radius``, and return the degrees of polynomials with these values."""
        known = {m: m.bounds(np.array([radius]), np.zeros(1), True) for m in dict.fromkeys(self.means.values())}
        base = self.prepare(np.array([radius]) * MARGIN, known.get, self._above)
        edge = Edge(self, {s: float(np.max(b)) for s, b in {**base, **self.columns(base, self._above)}.items()},
                    {s: getattr(d, "value", 0) for s, d in self._degrees().items()})
        return [(edge.size(e), edge.degree(e)) for e in self.integrands]

    # -- sums --------------------------------------------------------------------------------------

    @property
    def nodes(self):
        return max((2 * rule.count + 1 for rule in self.rules.values()), default=0)

    def describe(self):
        """Return one sentence on the region and the rule."""
        rule = self.rules[max(self.rules)]
        inner = ("means of proximal steps in closed form, bounded along the graph of the slope of the loss"
                 if self.graphs else "inner averages over predictions of the logistic loss, analytic on |Im| < pi/2")
        return (f"outer rule: step {rule.step.mid().str(8, radius=False)}, {2 * rule.count + 1} nodes; variances of "
                f"predictions have positive real parts on |Re| <= {self.cells.edges[-1]:.4g}, |Im| <= "
                f"{np.min(rule.heights):.3g} .. {np.max(rule.heights):.3g}; {inner}")

    def sums(self, statement, values):
        """Enclose the sums of a statement, ``{symbol: ball}``."""
        self._require_boxes(values)
        rule, nodes = self.rule, {}
        inside = {**values, **rule.values, self.node: rule.node}
        for symbol, expr in statement.locals:
            if expr in self.inner:
                inner = self.inner[expr]
                if inner.quantities not in nodes:
                    rows = (None if s is None else inside[s] for s in inner.quantities)
                    nodes[inner.quantities] = LogisticNodes(*rows, rule.digits + 2)
                inside[symbol] = nodes[inner.quantities].mean(inner, values)
            else:
                inside[symbol] = ball_function(expr)(inside)
        out = {}
        for symbol, integrand, _ in statement.sums:
            row = ball_function(integrand)(inside)
            out[symbol] = sum(row * rule.normal, arb(0))
            if symbol not in self.slopes and not any(
                    np.all(np.ravel(inside[f]) == 0) for f in Mul.make_args(integrand) if f in inside):
                out[symbol] += arb(0, rule.errors[integrand])       # a factor may vanish by symmetry
        return out


def _bend(series):
    """Return the size of the linear coefficient, in units of the constant one; 0 if unknown."""
    c = series.poly.coeffs()
    if len(c) < 2 or not float(abs(c[0].mid())) > 0:
        return 0.0
    return float(abs(c[1].mid()) / abs(c[0].mid()))


def _joined(origins):
    """Return ``{symbol: Origin}``, each with all values known for its source, as derivatives hold only some."""
    origins, values = dict(origins), {}
    for o in origins.values():
        values.setdefault(o.source, {}).update(o.values)
    return {symbol: replace(o, values=values[o.source]) for symbol, o in origins.items()}


class _Rule:
    """Nodes of the outer rule, the tabulated values there, and bounds of the errors of all sums."""

    def __init__(self, owner, digits, exact, count, errors):
        self.digits, self.count, self.step = digits, count, ratio(exact)
        self.heights = owner.cells.heights
        self.node = node = np.array([k * self.step for k in range(-count, count + 1)], dtype=object)
        with workprec(owner.bits):
            known = {m: m.at_nodes(self.step, count) for m in dict.fromkeys(owner.means.values())}
            self.values = owner.columns(owner.prepare(node, known.get, owner._ball), owner._ball)
        self.normal = density(self.step, node)
        rests = owner._bound_tails((count + 0.5) * float(exact))
        self.errors = {e: (float(error) + rest) * MARGIN for e, error, rest in zip(owner.integrands, errors, rests)}
