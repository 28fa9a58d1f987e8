r"""Averages inside functions of averages, as functions of complex balls of the outer variables.

The inner mean :math:`I(x)=E f(x,y)` is replaced by :math:`\tilde I(x)`, the mean over boxes that cover
:math:`|y|\le R`. It is analytic in x wherever f is proved to be, for all y in the boxes, and differs from I at real
:math:`|x|\le X` by at most

.. math:: \tau=E\bigl[B(X+|y|);\,|y|>R\bigr],\qquad |f(x,y)|\le B\bigl(|(x,y)|\bigr).

On balls of the outer variables that are wide it is enclosed by the convex hulls of f on boxes of y, weighted with their
Gaussian measures; on sharp ones by rules with proved error (:mod:`.cubature`).
"""

from fractions import Fraction

from .analytic import compile_parametric
from .backend import acb, arb, fraction_above, ratio, workprec
from .cubature import Cubature
from .growth import GrowthBound, growth_bound
from .product_pieces import product_pieces
from .ranges import Known, interval
from .regions import boxes_within, halves, measure, reach_and_tail

__all__ = ["InnerMean", "known_means"]

_SHARP = 2.0**-30       # width of a ball of an outer variable that stands for a number
_HULLS = (0.5, 1, 2)    # sides of boxes for hulls, by the number of inner variables
_DIVISIONS = 3          # of a box on which f is not finite
_SPARE = 15             # digits of the inner tails beyond those of the mean
_SUMMED = 4             # digits of the inner rules beyond those of the mean


class InnerMean:
    """One inner mean over boxes.

    Parameters
    ----------
    integrand : sympy.Expr
    bound : tuple of Symbol
        Its variables.
    outer : tuple of Symbol
        The variables of the average around it.
    growth : GrowthBound
        Of the integrand in all variables.
    farthest : float
        A bound of the length of the outer variables where the tail counts.
    digits : int
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

        Parameters
        ----------
        values : dict
        analytic : bool
            If true, return no finite ball where the mean may fail to be analytic.
        budget : Budget
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
