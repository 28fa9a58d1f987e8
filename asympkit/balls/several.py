r"""Means over several independent normals, and of functions of inner means; other symbols stand for balls.

The mean of f is taken over boxes that cover the ball of radius R (:mod:`.cubature`); beyond it counts the mean of a
bound :math:`|f(x)|\le B(|x|)` that is proved for the Euclidean length (:mod:`.growth`, :mod:`.regions`).  A function
:math:`g(x, I(x))` of inner means is integrated with :math:`\tilde I` in their place, means over boxes that differ by at
most :math:`\tau` (:mod:`.inner_means`); by the mean value theorem this changes the mean by at most

.. math:: \tau\sum_{\mathrm{boxes}}P(\mathrm{box})\sup\bigl|\partial_I g(x,\tilde I(x)+[-\tau,\tau])\bigr|.

Averages inside functions of averages, as functions of complex balls of the outer variables.

The inner mean :math:`I(x)=E f(x,y)` is replaced by :math:`\tilde I(x)`, the mean over boxes that cover
:math:`|y|\le R`. It is analytic in x wherever f is proved to be, for all y in the boxes, and differs from I at real
:math:`|x|\le X` by at most

.. math:: \tau=E\bigl[B(X+|y|);\,|y|>R\bigr],\qquad |f(x,y)|\le B\bigl(|(x,y)|\bigr).

On balls of the outer variables that are wide it is enclosed by the convex hulls of f on boxes of y, weighted with their
Gaussian measures; on sharp ones by rules with proved error (:mod:`.cubature`).
"""

from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from ..errors import DomainError, ProofError
from .analytic import compile_parametric
from .backend import Budget, acb, arb, fraction_above, ratio, workprec
from .cubature import Cubature, boxes_within, halves, measure, reach_and_tail
from .growth import GrowthBound, Known, growth_bound, interval
from .integral import Covered, refine_until_narrow
from .pieces import product_pieces

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
            for tail, function, bind in slopes:
                bind(values, True)
                change += tail * arb(function(None, True).abs_upper())
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
