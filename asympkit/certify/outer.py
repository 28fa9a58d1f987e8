"""Sums over the outer Gaussian variable with a proved error: the trapezoidal rule on a certified region.

For f holomorphic on ``{|x| <= R, |y| <= s(x)}``, s piecewise constant on cells, and ``R = (n + 1/2) h``,

.. math:: \\Bigl|h\\sum_{|j|\\le n}f(jh)-\\int_{-R}^Rf\\Bigr|\\le
   \\sum_i\\frac{2\\int_i\\max_\\pm|f(x\\pm is_i)|dx}{e^{2\\pi s_i/h}-1}
   +\\sum_{steps}2\\max|f|\\,\\frac h{2\\pi}\\frac q{1-q}+\\sum_\\pm\\frac h\\pi\\max_{|y|\\le s}|f(\\pm R+iy)|

with ``q = exp(-2 pi min(s_i, s_(i+1))/h)``.  Every integrand is the normal density times a polynomial in
columns and reciprocals of denominators, so its majorant is the same expression with absolute values, and
the error of every sum is one measure on cells applied to it.
"""

from fractions import Fraction
from math import ceil, inf, log, pi, sqrt

import numpy as np

from ..balls.backend import arb, ratio
from ..errors import ProofError
from ..program.statements import Means
from .entire import Region, Taylor
from .forms import MARGIN, at_nodes, ball_function, bound_above, form, normal_tail, refusal
from .inner import group_means
from .lattice import density
from .separate import Degree, collect_needed, columns_used, denominators, least, reciprocals_of

_MOST = 4000            # nodes on either side
_SMALLEST = 1e-300      # replaces numbers that underflow, which must not become 0


class OuterSums:
    """Certified sums over one Gaussian grid.

    ``statements`` are all of the program that outputs need, ``functions`` the activations by label, ``parameters``
    balls of all parameters, ``boxes`` those in which unknowns will stay; those that denominators hold are looked at.
    ``bits`` is the precision in force.
    """

    def __init__(self, grid, statements, functions, parameters, boxes, digits, bits):
        self.grid, self.digits = grid, digits
        self.parameters = parameters
        self.node = grid.bound[0]
        self.means = group_means(grid.preparation, functions, self.node, parameters, digits + 2, bits)
        self.denominators = denominators(statements, grid)
        held = set().union(*(b.free_symbols for b in self.denominators))
        self.boxes = {u: box for u, box in boxes.items() if u in held}
        self._require_known(held)
        self.used = columns_used(statements, grid)
        self.limit = ""                 # why its balls may stay wide, if they do
        self.log = (digits + 2) * log(10)
        self.reach = sqrt(2 * self.log) + 1
        self._region()

    def _require_known(self, held):
        for symbol in held - set(self.boxes) - set(self.parameters) - set(self.grid.columns.values()):
            raise refusal(f"certify: a denominator holds {symbol}, which is neither an unknown nor a parameter; write "
                          "the equations with an unknown in its place")

    # -- one preparation, many algebras ------------------------------------------------------------

    def prepare(self, node, moments, constant, only=None):
        """Compute the base columns of the grid in an algebra, or only some outputs.

        ``node`` is the outer variable, ``moments(inner)`` gives ``{(i, j): element}``, and ``constant`` the element of
        an expression that holds parameters only.
        """
        values = {self.node: node}
        for s in self.grid.preparation:
            if only is not None and not only & set(s.outputs):
                continue
            varying = frozenset(values)

            def evaluate(expr, varying=varying):
                return form(expr, varying)(values, constant)

            if isinstance(s, Means):
                inner = self.means[id(s)]
                values.update(inner.columns(s, moments(inner), evaluate))
            else:
                values[s.symbol] = evaluate(s.expr)
        return values

    def columns(self, base, constant, only=None):
        """Compute the columns of the loops from base columns, in the same algebra."""
        varying = frozenset(base)
        return {symbol: form(expr, varying)(base, constant) for expr, symbol in self.grid.columns.items()
                if symbol in (self.used if only is None else only)}

    def _ball(self, expr):
        return arb(ball_function(expr)({**self.parameters, **self.boxes}))

    # -- the region --------------------------------------------------------------------------------

    def _region(self):
        bases = list(self.denominators)
        symbols = set().union(*(b.free_symbols for b in bases)) if bases else set()
        only = collect_needed(self.grid, symbols)
        means = [self.means[id(s)] for s in self.grid.preparation if isinstance(s, Means) and only & set(s.outputs)]
        means = list(dict.fromkeys(means))

        def constant(expr):
            return Taylor.constant(self._ball(expr))

        def build(models, node):
            base = self.prepare(node, lambda m: models[id(m)], constant, only)
            columns = self.columns(base, constant, symbols)
            return [form(b, frozenset(columns))(columns, constant) for b in bases]

        self.region = Region(self.reach + 1, self.digits, means, build, self._estimate)
        self.cells = self.region.cells
        self.least = dict(zip(bases, (row for row, _ in self.region.least)))
        self.typical = dict(zip(bases, (row for _, row in self.region.least)))
        known = {*self.boxes, *self.parameters}
        self.floor = {b: least(b, self.grid, {s: self._ball(s) for s in b.free_symbols & known}) for b in bases}
        for b, low in self.floor.items():
            if not low > 0:
                raise refusal(f"certify: the denominator {b} is not proved to be positive on the real line: only signs "
                              "of parameters and of squares are used; write it as a positive number plus squares")
        self.majorant = self._majorant(self.cells.x, self.cells.heights)

    def _estimate(self, tops):
        """Estimate the steps that regions of given constant heights would allow if there were no zeros."""
        size = np.ones(len(tops))
        for m in dict.fromkeys(self.means.values()):
            for bound in m.bounds(np.zeros(len(tops)), tops).values():
                with np.errstate(over="ignore"):          # infinite heights allow no step at all
                    size = np.maximum(size, (bound / max(bound[0], 1e-300)) ** 2)
        return 2 * pi * tops / (self.log + tops**2 / 2 + np.log(size))

    def _majorant(self, x, y, by_growth=False):
        """Bound the columns for ``|Re| <= x``, ``|Im| <= y``."""
        known = {m: m.bounds(x, y, by_growth) for m in dict.fromkeys(self.means.values())}
        base = self.prepare(np.hypot(x, y) * MARGIN, known.get, self._above)
        return self.columns(base, self._above)

    def _above(self, expr):
        return bound_above(self._ball(expr))

    # -- the rule ----------------------------------------------------------------------------------

    def choose(self, integrands, values):
        """Choose the step for given sums, pairs (locals, integrand), and tabulate the columns.

        ``values`` are balls of all scalars in them; approximate ones are enough.
        """
        rows, sizes = [], []
        real = self._majorant(self.cells.x, np.zeros(len(self.cells.x)))
        for locals_, integrand in integrands:
            g = self._bound(locals_, integrand, values, self.majorant, self.least)
            typical = self._bound(locals_, integrand, values, real, self.typical)
            size = float(np.sum(self.cells.mass * typical))
            if size > 0:
                rows.append(g)
                sizes.append(size)
        goal = 10.0 ** -(self.digits + 1)
        low, high = 1.1 * self.reach / _MOST, 0.6           # R stays inside the cells
        if not np.max(rows @ self._measure(low, *self._ends(low))) < goal:
            self.limit = (f"the outer rule would need more than {2 * _MOST} nodes, because the integrands are bounded "
                          f"only on |Im| <= {np.max(self.cells.heights):.2g} or grow fast beside the real line "
                          f"({self._steepest()})")
        rows = np.array(rows) / np.array(sizes)[:, None] if rows else np.zeros((1, len(self.cells.x)))
        for _ in range(25):
            step = sqrt(low * high)
            good = np.max(rows @ self._measure(step, *self._ends(step))) < goal
            low, high = (step, high) if good else (low, step)
        self._fix(Fraction(int(low * 2**12), 2**12))

    def _steepest(self):
        """Describe the means that change fastest."""
        quotients = {m: bound_above(m.rate) / float(m.slope.lower()) if m.slope != 0 else inf
                     for m in self.means.values()}
        m = max(quotients, key=quotients.get)
        name = repr(m.source.activation.name)
        return (f"{name} is outside all inner averages" if m.slope == 0 else
                f"{name} is averaged as f(a + r x + b z) over z, with r/b = {quotients[m]:.3g}")

    def _fix(self, exact):
        """Take a step (a dyadic fraction) and tabulate; the errors are those of whatever step is taken."""
        self.step = ratio(exact)
        self.count = ceil(self.reach / float(exact))
        if self.count > _MOST:
            raise ProofError(f"certify: the outer rule needs {2 * self.count} nodes; the saddle point is too near a "
                             "singular one for a certificate")
        self.radius = (self.count + 0.5) * float(exact)
        self.weights = self._measure(float(exact), *self._ends(float(exact)))
        self._tabulate()

    def _ends(self, step):
        count = ceil(self.reach / step)
        return ((count + 0.5) * step,)

    def _measure(self, step, radius):
        """Return the measure on cells whose sum with a majorant bounds the error on ``[-R, R]``."""
        c = self.cells
        gain = 1 / np.expm1(np.minimum(2 * pi * c.heights / step, 700))
        lift = np.exp(c.heights**2 / 2)
        weights = 2 * c.mass * lift * gain
        inner = c.edges[1:-1]
        low, high = np.minimum(c.heights[:-1], c.heights[1:]), np.maximum(c.heights[:-1], c.heights[1:])
        q = np.exp(-np.minimum(2 * pi * low / step, 700))
        upright = 2 * np.exp((high**2 - inner**2) / 2) / sqrt(2 * pi) * step / (2 * pi) * q / (1 - q)
        upright = np.where(high > low, upright, 0.0)
        weights[:-1] += upright
        weights[1:] += upright
        if radius > c.edges[-1]:
            raise ProofError("certify: the outer rule reaches beyond the region that was examined")
        for side in (-1, 1):
            k = int(np.searchsorted(c.edges, side * radius)) - 1
            weights[k] += step / pi * np.exp((c.heights[k] ** 2 - radius**2) / 2) / sqrt(2 * pi)
        return weights * MARGIN + _SMALLEST

    def _bound(self, locals_, integrand, values, columns, floors):
        """Bound one integrand on the cells (or at one point)."""
        inside = dict(columns)
        varying = self._varying(locals_)

        def constant(expr):
            return bound_above(arb(ball_function(expr)(values)))

        for symbol, expr in locals_:
            base = self._base_of(symbol, locals_)
            inside[symbol] = 1 / floors[base] * MARGIN if base is not None else form(expr, varying)(inside, constant)
        return form(integrand, varying)(inside, constant) + np.zeros(1)

    def _varying(self, locals_):
        return frozenset(self.grid.columns.values()) | {symbol for symbol, _ in locals_}

    def _base_of(self, symbol, locals_):
        """Return the denominator whose reciprocal a local is, or None."""
        base = reciprocals_of(locals_).get(symbol)
        return base if base in self.denominators else None

    def _tabulate(self):
        h, n = self.step, self.count
        node = np.array([k * h for k in range(-n, n + 1)], dtype=object)
        known = {m: m.at_nodes(h, n) for m in dict.fromkeys(self.means.values())}
        base = self.prepare(node, known.get, self._ball)
        self.values = self.columns(base, self._ball)
        self.normal = density(h, node)
        edge = np.array([self.radius])
        self.edge = self._majorant(edge, np.zeros(1), by_growth=True)
        self.degrees = self._degrees()

    def _degrees(self):
        """Return the degrees of polynomials in the outer variable that bound base columns and columns."""
        base = self.prepare(Degree(1), lambda m: {(i, j): Degree(m.degree(i)) for i, j in m.wanted},
                            lambda e: Degree(0))
        return base | self.columns(base, lambda e: Degree(0))

    @property
    def nodes(self):
        return 2 * self.count + 1

    def describe(self):
        """Return one sentence on the region and the rule."""
        low = min((float(np.min(row)) for row in self.least.values()), default=1.0)
        return (f"outer rule: step {self.step.mid().str(8, radius=False)}, {self.nodes} nodes; "
                f"|{', '.join(map(str, self.denominators))}| >= {low:.3g} on |Re| <= {self.cells.edges[-1]:.4g}, "
                f"|Im| <= {np.min(self.cells.heights):.3g} .. {np.max(self.cells.heights):.3g}")

    # -- sums --------------------------------------------------------------------------------------

    def sums(self, statement, values):
        """Enclose the sums of a statement, ``{symbol: ball}``."""
        self._require_boxes(values)
        out = {}
        for (symbol, row), (_, integrand, _) in zip(at_nodes(statement, self.values, values), statement.sums):
            total = sum(row * self.normal, arb(0)) if isinstance(row, np.ndarray) else row * sum(self.normal, arb(0))
            error = self._error(statement.locals, integrand, values)
            out[symbol] = total + arb(0, error) if error else arb(total)
        return out

    def _require_boxes(self, values):
        """Raise if an unknown has left the box on which integrands were bounded."""
        for u, box in self.boxes.items():
            if u in values and not box.contains(arb(values[u])):
                raise ProofError(f"certify: {u} leaves the box around its approximate value, on which integrands were "
                                 "bounded and denominators proved to have no zero: the value in double precision is "
                                 "poor, or " + (self.limit or "the averages are too wide; ask for more digits"))

    def _error(self, locals_, integrand, values):
        bound = self._bound(locals_, integrand, values, self.majorant, self.least)
        rule = float(np.sum(bound * self.weights))
        at_edge = float(self._bound(locals_, integrand, values, self.edge, self.floor)[0])
        return (rule + beyond(at_edge, self._degree(locals_, integrand), self.radius)) * MARGIN

    def _degree(self, locals_, integrand):
        inside = dict(self.degrees)
        varying = self._varying(locals_)
        for symbol, expr in locals_:
            base = self._base_of(symbol, locals_)
            inside[symbol] = Degree(0) if base is not None else form(expr, varying)(inside, lambda e: Degree(0))
        return (Degree(0) + form(integrand, varying)(inside, lambda e: Degree(0))).value


def beyond(size, degree, radius):
    """Bound the average over both tails of a function with a size at a radius, which grows with a degree from there."""
    power = np.zeros(degree + 1)
    power[degree] = 1.0
    return 2 * size * float(normal_tail(power, radius, -degree * log(radius)))
