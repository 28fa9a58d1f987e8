r"""Means over several independent normals, and of functions of inner means; other symbols stand for balls.

The mean of f is taken over boxes that cover the ball of radius R; beyond it counts the mean of a bound
:math:`|f(x)|\le B(|x|)` that is proved for the Euclidean length (:mod:`.growth`):

.. math:: E\bigl[B(|x|);\,|x|>R\bigr]=\frac{2}{2^{d/2}\Gamma(d/2)}\int_R^\infty B(s)\,s^{d-1}e^{-s^2/2}\,ds

Boxes have products of Gauss-Legendre rules. On one of volume v let :math:`M_k` bound f times the density where
variable k runs over the ellipse with foci at the ends of its side and half-axes :math:`\tfrac{s}{4}(\varrho_k\pm
1/\varrho_k)`, s the side, and the others over their sides; f is analytic in each variable there. Then rules with
:math:`n_k` nodes miss the integral by at most

.. math:: \frac{v}{2}\sum_k\frac{64}{15}\,\frac{M_k\,\varrho_k^{-2n_k}}{1-\varrho_k^{-2}},

because variables may be exchanged for their rules one after the other: each exchange costs the error of one rule, with
the other variables integrated over their sides or summed with positive weights that add up to them.  A box on which
:math:`v\sup|f|` times the density is below its share of the goal is not summed at all, and a box of which the rules
would be too long is divided.

An inner mean :math:`I(x)=E f(x,y)` is replaced by :math:`\tilde I(x)`, the mean over boxes that cover
:math:`|y|\le R`. It is analytic in x wherever f is proved to be, for all y in the boxes, and differs from I at real
:math:`|x|\le X` by at most :math:`\tau=E\bigl[B(X+|y|);\,|y|>R\bigr]`, B a bound in :math:`|(x,y)|`.  By the mean value
theorem this changes the mean of :math:`g(x, I(x))` by at most

.. math:: \tau\sum_{\mathrm{boxes}}P(\mathrm{box})\sup\bigl|\partial_I g(x,\tilde I(x)+[-\tau,\tau])\bigr|.

On balls of the outer variables that are wide it is enclosed by the convex hulls of f on boxes of y, weighted with their
Gaussian measures; on sharp ones by rules with proved error.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from math import ceil, inf, log, prod, sqrt

import sympy as sp

from ..errors import DomainError, ProofError
from .analytic import compile_parametric, constant
from .backend import Budget, acb, arb, ctx, fraction_above, ratio, workprec
from .growth import GrowthBound, Known, growth_bound, interval
from .integral import Covered, refine_until_narrow, tail
from .pieces import product_pieces

_SIDE = 2               # of boxes that one begins with
_FARTHEST = 200


def reach_and_tail(bound, dimension, digits):
    """Return ``(R, tail)``: an integer radius, and a bound of the mean beyond it, which is below ``10**(-digits - 2)``.

    The growth bound is one in the Euclidean length of ``dimension`` standard normals.  DomainError if the mean may be
    infinite, or the radius gets too large.
    """
    if 2 * bound.curvature >= 1:
        raise DomainError(f"no growth bound below exp(|x|**2/2) is proved: the mean over {dimension} normals may be "
                          "infinite")
    root = sqrt(1 - 2 * float(bound.curvature))
    reach = ceil((sqrt(2 * (digits + 2) * log(10)) + float(bound.rate) / root) / root)
    with workprec(128):
        while reach <= _FARTHEST:
            rest = bound_tail(bound, dimension, reach)
            if rest < arb(10) ** (-digits - 2):
                return reach, rest
            reach += 1
    raise DomainError(f"the integrand is not proved to be small against the normal weight at a distance of {_FARTHEST}")


def bound_tail(bound, dimension, reach):
    """Bound the mean of a bound in the length of normals where they are longer than a radius."""
    radial = GrowthBound((0,) * (dimension - 1) + bound.coefficients, bound.rate, bound.curvature)
    half = arb(dimension) / 2
    sphere = 2 * (2 * arb.pi()).sqrt() / (arb(2) ** half * half.gamma())
    return (sphere * tail(radial, reach)).upper()


def boxes_within(sides, reach, step=_SIDE):
    """Return the boxes of a product of intervals, cut to sides of a length, that intersect a ball around the origin.

    Ends of intervals are expressions, None for infinite ones; no box lies beyond the reach in any variable either.
    """
    rows = []
    for low, high in sides:
        a, b = (arb(side * reach) if end is None else constant(end).max(arb(-reach)).min(arb(reach))
                for end, side in ((low, -1), (high, 1)))
        count = ceil(2 * reach / step)
        cuts = [arb(step) * k - reach for k in range(1, count)]
        rows.append(list(pairwise([a, *(c for c in cuts if a < c < b), b])) if a < b else [])
    found = []
    for box in product(*rows):
        nearest = (a if a > 0 else -b if b < 0 else arb(0) for a, b in box)
        if not sum((x * x for x in nearest), arb(0)).sqrt() > reach:
            found.append(list(box))
    return found


def measure(box):
    """Return the probability that normals lie in a box."""
    root = arb(2).sqrt()
    return prod((((b / root).erf() - (a / root).erf()) / 2 for a, b in box), start=arb(1))


def halves(box, k=None):
    """Halve a box across side k, by default the longest."""
    k = max(range(len(box)), key=lambda k: float(box[k][1] - box[k][0])) if k is None else k
    a, b = box[k]
    middle = ((a + b) / 2).mid()
    return [[*box[:k], side, *box[k + 1:]] for side in ((a, middle), (middle, b))]


_RATIOS = (12, 6, 4, 3, 2.25, 1.75, 1.5)
_LARGEST = 1e250            # beyond it a bound counts as none
_MARGIN = 6                 # nodes beyond those of the least ratio that a box may have


@lru_cache(maxsize=512)
def _rule(n, bits):
    """Return nodes and weights of the Gauss-Legendre rule on [-1, 1], as balls at the precision in force."""
    return [arb.legendre_p_root(n, k, weight=True) for k in range(n)]


def _density(x):
    """Evaluate the normal density without its constant."""
    return (-(x * x) / 2).exp()


def bound_above(ball):
    """Return a float not below the absolute value of any point of a ball; infinite where the ball is not finite."""
    upper = ball.abs_upper()
    return float(upper) * (1 + 1e-14) + 1e-300 if ball.is_finite() and upper < _LARGEST else inf


class Cubature:
    """Integrals of one integrand over boxes.

    ``section(points, analytic)`` with complex balls of all variables but the last gives the function
    ``(ball, analytic) -> ball`` of the last one; not finite where the flag is set and the integrand may fail to be
    analytic.  ``shown`` is the integrand for error texts.
    """

    def __init__(self, section, budget, shown):
        self.section, self.budget, self.shown = section, budget, shown

    def integral(self, boxes, goal):
        """Enclose the integral over boxes, lists of the two ends of each side.

        ``goal`` bounds the total error of rules and omitted boxes; TooDearError if the budget is spent before.
        """
        total, volume = acb(0), sum(prod(float(b - a) for a, b in box) for box in boxes)
        pending = list(boxes)
        while pending:
            box = pending.pop()
            size = prod(bound_above(b - a) for a, b in box)
            found = self._box(box, goal * size / volume, size)
            if found is not None:
                total += found
            else:
                pending += halves(box, self.worst)
        return total

    def _box(self, box, goal, size):
        """Integrate over one box, or return None if it must be divided; ``self.worst`` is then the side to cut."""
        real = [acb(a.union(b)) for a, b in box]
        if self._bound(real, False) * size <= goal:
            return _within(goal)
        choices, most = [], 10 + _MARGIN + ceil(max(-log(goal), 0) / (2 * log(2)))
        for k, (a, b) in enumerate(box):
            choices.append(self._chosen(real, k, a, b, goal / len(box), size))
        counts = [n for n, _ in choices]
        if max(counts) > most:
            self.worst = max(range(len(box)), key=lambda k: (counts[k], float(box[k][1] - box[k][0])))
            return None
        self.budget.charge(prod(counts), self.shown)
        return self._sum(box, counts) + _within(sum(e for _, e in choices) * (1 + 1e-10))

    def _bound(self, region, analytic):
        self.budget.charge(1, self.shown)
        value = self.section(region[:-1], analytic)(region[-1], analytic)
        return bound_above(value) * prod(bound_above(_density(x)) for x in region)

    def _chosen(self, real, k, a, b, goal, size):
        """Return ``(nodes, error)`` of the shortest rule for one variable; infinitely many where none is proved."""
        best = inf, inf
        for rho in _RATIOS:
            bound = self._bound([*real[:k], _ellipse(a, b, rho), *real[k + 1:]], True)
            scale = size / 2 * 64 / 15 * bound / (1 - rho**-2)
            if not scale < _LARGEST:
                continue
            n = max(ceil(log(scale / goal) / (2 * log(rho))), 1)
            if n < best[0]:
                best = n, scale * rho ** (-2 * n) * (1 + 1e-10)
            elif n > best[0]:
                break
        return best

    def _sum(self, box, counts):
        sides = []
        for (a, b), n in zip(box, counts):
            middle, half = (a + b) / 2, (b - a) / 2
            nodes = [middle + half * t for t, _ in _rule(n, ctx.prec)]
            sides.append([(acb(x), half * w * _density(x)) for x, (_, w) in zip(nodes, _rule(n, ctx.prec))])
        total = acb(0)
        for outer in product(*sides[:-1]):
            function, row = self.section([x for x, _ in outer], False), acb(0)
            for x, w in sides[-1]:
                row += function(x, False) * w
            total += row * prod((w for _, w in outer), start=arb(1))
        return total


def _within(size):
    """Return a box that holds all complex numbers up to a size."""
    ball = arb(0, size)
    return acb(ball, ball)


def _ellipse(a, b, rho):
    """Return a box around the ellipse with foci a and b and the sum of half-axes ``rho (b - a)/2``."""
    middle, half = ((a + b) / 2).mid(), (b - a).abs_upper() / 2 + ((a + b) / 2).rad()
    real, imaginary = (half * (arb(rho) + sign / arb(rho)) / 2 for sign in (1, -1))
    return acb(arb(middle, real.upper()), arb(0, imaginary.upper()))


_SHARP = 2.0**-30       # width of a ball of an outer variable that stands for a number
_HULLS = (0.5, 1, 2)    # sides of boxes for hulls, by the number of inner variables
_DIVISIONS = 3          # of a box on which f is not finite
_SPARE = 15             # digits of the inner tails beyond those of the mean
_SUMMED = 4             # digits of the inner rules beyond those of the mean


class InnerMean:
    """One inner mean over boxes, over the variables ``bound``, with ``outer`` those of the average around it.

    ``growth`` bounds the integrand in all variables; ``farthest`` bounds the length of the outer variables where the
    tail counts.
    """

    def __init__(self, integrand, bound, outer, growth, farthest, digits):
        self.integrand, self.bound, self.digits = integrand, bound, digits
        self.reach, self.tail = reach_and_tail(_split(growth, farthest), len(bound), digits + _SPARE)
        symbols = integrand.free_symbols - {bound[-1]}
        self.outer = tuple(x for x in outer if x in symbols)
        self.regions = [(*compile_parametric(p.formula, bound[-1], symbols), p.sides)
                        for p in product_pieces(integrand, bound)]
        self.boxes = [boxes_within(sides, self.reach) for _, _, sides in self.regions]
        side = _HULLS[len(bound) - 1]
        self.cells = [[(box, measure(box)) for box in boxes_within(sides, self.reach, side)]
                      for _, _, sides in self.regions]

    def at(self, values, analytic, budget):
        """Enclose the mean over the boxes at balls of all other symbols in a complex ball, which may not be finite.

        With ``analytic`` it is not finite wherever the mean may fail to be analytic.
        """
        if not analytic and all(acb(values[x]).rad() < _SHARP for x in self.outer):
            return self._summed(values, budget)
        return self._hull(values, analytic, budget)

    def _section(self, k, values):
        function, bind, _ = self.regions[k]

        def section(points, analytic):
            bind({**values, **dict(zip(self.bound, points))}, analytic)
            return function

        return section

    def _summed(self, values, budget):
        total, goal = acb(0), 10.0 ** (-self.digits - _SUMMED)
        for k, boxes in enumerate(self.boxes):
            total += Cubature(self._section(k, values), budget, self.integrand).integral(boxes, goal)
        return total / (2 * arb.pi()).sqrt() ** len(self.bound)

    def _hull(self, values, analytic, budget):
        total = acb(0)
        for k, cells in enumerate(self.cells):
            section = self._section(k, values)
            pending = [(box, weight, 0) for box, weight in cells]
            budget.charge(len(pending), self.integrand)
            while pending:
                box, weight, depth = pending.pop()
                real = [acb(a.union(b)) for a, b in box]
                value = section(real[:-1], analytic)(real[-1], analytic)
                if value.is_finite():
                    total += value * weight
                elif depth == _DIVISIONS:
                    return acb("nan")
                else:
                    budget.charge(2, self.integrand)
                    pending += [(half, measure(half), depth + 1) for half in halves(box)]
        return total


def known_means(inner, outer, cover):
    """Return what growth rules need of inner means: ``(joint bounds of the integrands, Known)``."""
    joint, bounds, ranges = {}, {}, {}
    for mark, (integrand, bound) in inner.items():
        every = (*outer, *bound)
        bounds_of_parts = [growth_bound(p.formula, every, values=cover) for p in product_pieces(integrand, bound)]
        joint[mark] = sum(bounds_of_parts[1:], bounds_of_parts[0])
        bounds[mark] = _averaged(joint[mark], len(bound))
        ranges[mark] = interval(integrand, every, values=cover)
    return joint, Known(outer, bounds, ranges)


def _split(growth, farthest):
    """Bound ``B(|(x, y)|)`` for ``|x| <= farthest`` in |y|, by ``(a + b)**n <= 2**n (a**n + b**n)``."""
    size = Fraction(farthest)
    out = [Fraction(0)] * len(growth.coefficients)
    for n, c in enumerate(growth.coefficients):
        out[0] += c * 2**n * size**n
        out[n] += c * 2**n
    factor = _above_exp(growth.rate * size + max(growth.curvature, 0) * size**2)
    return GrowthBound(tuple(c * factor for c in out), growth.rate, growth.curvature)


def _above_exp(number):
    with workprec(64):
        return fraction_above(ratio(number).exp())


def _averaged(growth, dimension):
    """Bound the mean over y of ``B(|(x, y)|)`` in |x|.

    With ``(a + b)**n <= 2**n (a**n + b**n)`` it takes means of ``|y|**n exp(rate |y| + curvature y**2)``, which are at
    most the value at a radius and the mean beyond it.
    """
    curvature = max(growth.curvature, Fraction(0))
    reach, _ = reach_and_tail(GrowthBound((1,) * len(growth.coefficients), growth.rate, curvature), dimension, 2)
    factor = _above_exp(growth.rate * reach + curvature * reach**2)
    means = [reach**n * factor + 1 for n in range(len(growth.coefficients))]
    twice = [c * 2**n for n, c in enumerate(growth.coefficients)]
    powers = [c * means[0] for c in twice]
    powers[0] += sum((c * m for c, m in zip(twice, means)), Fraction(0))
    return GrowthBound(tuple(powers), growth.rate, curvature)


_EVALUATIONS = 2 * 10**6, 2 * 10**6, 10**7     # of one mean over one variable (of functions of means), two, three
_MOST_DIGITS = 250              # errors are floats


def several_ball(expr, variables, digits, inner=None):
    """Enclose the mean of an expression over independent standard normals, to ``10**-digits * max(1, |value|)``.

    ``inner`` is as for :class:`SeveralMean`.  DomainError or ProofError if a hypothesis of the proof fails,
    ConvergenceError if the enclosure does not get narrow enough.
    """
    return refine_until_narrow(lambda bits: SeveralMean(expr, variables, digits, inner).mean({}), digits, expr)


@dataclass(frozen=True)
class _Region:
    """Boxes on which one analytic formula holds, compiled; ``count`` is how often each of them counts."""

    boxes: list
    count: int
    function: object
    bind: object


@dataclass(frozen=True)
class _CoverProof:
    """The proof for all points of a cover: the radius, the bound beyond it, and the error of omitted parts."""

    reach: int
    bound: GrowthBound
    rest: object
    regions: tuple
    inner: dict


class SeveralMean(Covered):
    """``E f(x; symbols)`` over independent standard normals x, for changing balls of the symbols.

    f is analytic in pieces whose ends are fixed numbers, each in one variable.  Errors of rules and tails are below
    ``10**-digits``; the width that the symbols bring comes on top.  ``inner`` holds the means over other normals that
    symbols of f stand for, ``{symbol: (integrand, its variables)}``.
    """

    def __init__(self, expr, variables, digits, inner=None):
        super().__init__(expr, variables)
        if digits > _MOST_DIGITS:
            raise ProofError(f"certify: averages over several normals are enclosed with up to {_MOST_DIGITS} digits; "
                             f"got {digits}")
        self.digits, self.inner = digits, inner or {}
        for integrand, bound in self.inner.values():
            self.symbols |= integrand.free_symbols - {*bound, *self.variables}
        self.symbols -= set(self.inner)

    def mean(self, values):
        """Return a real ball that holds the mean for all numbers in the balls ``{symbol: arb}``."""
        own = self.checked(values)
        proof, goal, budget = self.plan(own).proof, self._goal(own), Budget(_EVALUATIONS[len(self.variables) - 1])
        total = acb(0)
        for region in proof.regions:
            rule = Cubature(self._section(region, proof, own, budget), budget, self.expr)
            total += region.count * rule.integral(region.boxes, goal / region.count)
        if not total.imag.contains(0):
            raise DomainError(f"{str(self.expr)[:80]} is not real everywhere")
        return total.real / (2 * arb.pi()).sqrt() ** len(self.variables) + arb(0, proof.rest)

    def describe(self):
        """Yield sentences on what was proved, one for each cover in use."""
        names = ", ".join(x.name for x in self.variables)
        for proof in (plan.proof for plan in self.plans):
            yield (f"{str(self.expr)[:80]}: integrated over boxes that hold |({names})| <= {proof.reach}; "
                   f"|f| <= {proof.bound.text(f'({names})')} beyond")
            for mark, inner in proof.inner.items():
                own = ", ".join(x.name for x in inner.bound)
                yield f"{mark.name} = E {str(inner.integrand)[:80]}: over boxes that hold |({own})| <= {inner.reach}"

    # -- the proof on a cover ----------------------------------------------------------------------

    def proved(self, cover):
        joint, known = known_means(self.inner, self.variables, cover)
        parts = product_pieces(self.expr, self.variables)
        bounds = [growth_bound(p.formula, known, values=cover) for p in parts]
        bound = sum(bounds[1:], bounds[0])
        reach, rest = reach_and_tail(bound, len(self.variables), self.digits)
        farthest = reach * len(self.variables)
        inner = {m: InnerMean(*self.inner[m], self.variables, growth, farthest, self.digits)
                 for m, growth in joint.items()}
        regions = [self._region(p, reach, len(parts) == 1) for p in parts]
        if inner:
            rest = (rest + sum((self._shift(p, region, inner, cover) for p, region in zip(parts, regions)),
                               arb(0))).upper()
        return _CoverProof(reach, bound, rest, tuple(regions), inner)

    def _region(self, part, reach, is_whole):
        last = None if self.inner else self.variables[-1]
        function, bind = compile_parametric(part.formula, last, part.formula.free_symbols - {last})
        opposite = part.formula.xreplace({x: -x for x in self.variables})
        is_even = is_whole and not self.inner and opposite == part.formula
        sides = [(sp.S.Zero, None) if is_even and x == self.variables[0] else side
                 for x, side in zip(self.variables, part.sides)]
        return _Region(boxes_within(sides, reach), 2 if is_even else 1, function, bind)

    def _shift(self, part, region, inner, cover):
        """Bound the change of the mean when means over boxes replace inner means."""
        slopes = []
        for mark, mean in inner.items():
            slope = part.formula.diff(mark)
            slopes.append((mean.tail, *compile_parametric(slope, None, slope.free_symbols)))
        pending, total, budget = list(region.boxes), arb(0), Budget(_EVALUATIONS[len(self.variables) - 1])
        while pending:
            box = pending.pop()
            values = {**cover, **{x: acb(a.union(b)) for x, (a, b) in zip(self.variables, box)}}
            for mark, mean in inner.items():
                ball = mean.at(values, True, budget)
                values[mark] = acb(ball.real + arb(0, mean.tail), ball.imag)
            change = arb(0)
            for rest, function, bind in slopes:
                bind(values, True)
                change += rest * arb(function(None, True).abs_upper())
            if change.is_finite():
                total += change * measure(box)
            else:
                pending += halves(box)
        return total

    # -- the integral ------------------------------------------------------------------------------

    def _goal(self, own):
        """Return the error allowed to rules: no less than the loss by the balls of the symbols."""
        width = max((float(b.rad()) / max(abs(float(b.mid())), 1.0) for b in own.values()), default=0.0)
        return 10.0 ** (-self.digits - 3) + min(width, 1.0) * 2**-20

    def _section(self, region, proof, own, budget):
        *outer, last = self.variables

        def plain(points, analytic):
            region.bind({**own, **dict(zip(outer, points))}, analytic)
            return region.function

        def nested(points, analytic):
            values = {**own, **dict(zip(outer, points))}

            def value(x, flag):
                values[last] = x
                for mark, mean in proof.inner.items():
                    values[mark] = mean.at(values, flag, budget)
                region.bind(values, flag)
                return region.function(None, flag)

            return value

        return nested if self.inner else plain
