r"""Integrals against the normal density over a union of boxes, by products of Gauss-Legendre rules with proved error.

On a box of volume v let :math:`M_k` bound f times the density where variable k runs over the ellipse with foci at the
ends of its side and half-axes :math:`\tfrac{s}{4}(\varrho_k\pm 1/\varrho_k)`, s the side, and the others over their
sides; f is analytic in each variable there.  Then the product of rules with :math:`n_k` nodes misses the integral by
at most

.. math:: \frac{v}{2}\sum_k\frac{64}{15}\,\frac{M_k\,\varrho_k^{-2n_k}}{1-\varrho_k^{-2}},

because variables may be exchanged for their rules one after the other: each exchange costs the error of one rule, with
the other variables integrated over their sides or summed with positive weights that add up to them.  A box on which
:math:`v\sup|f|` times the density is below its share of the goal is not summed at all, and a box of which the rules
would be too long is divided.

Boxes that cover a ball of normals, their Gaussian measures, and the mean of a bound beyond the ball.

.. math:: E\bigl[B(|x|);\,|x|>R\bigr]=\frac{2}{2^{d/2}\Gamma(d/2)}\int_R^\infty B(s)\,s^{d-1}e^{-s^2/2}\,ds
"""

from functools import lru_cache
from itertools import pairwise, product
from math import ceil, inf, log, prod, sqrt

from ..errors import DomainError
from .analytic import constant
from .backend import acb, arb, ctx, workprec
from .growth import GrowthBound
from .integral import tail

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
        a, b = (_end(end, side * arb(reach)) for end, side in ((low, -1), (high, 1)))
        count = ceil(2 * reach / step)
        cuts = [arb(step) * k - reach for k in range(1, count)]
        rows.append(list(pairwise([a, *(c for c in cuts if a < c < b), b])) if a < b else [])
    return [list(box) for box in product(*rows) if not _distance(box) > reach]


def _end(end, farthest):
    if end is None:
        return farthest
    return constant(end).max(-abs(farthest)).min(abs(farthest))


def _distance(box):
    """Return the distance of a box from the origin."""
    nearest = (a if a > 0 else -b if b < 0 else arb(0) for a, b in box)
    return sum((x * x for x in nearest), arb(0)).sqrt()


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
        choices, most = [], self._most(goal)
        for k, (a, b) in enumerate(box):
            choices.append(self._chosen(real, k, a, b, goal / len(box), size))
        counts = [n for n, _ in choices]
        if max(counts) > most:
            self.worst = max(range(len(box)), key=lambda k: (counts[k], float(box[k][1] - box[k][0])))
            return None
        self.budget.charge(prod(counts), self.shown)
        return self._sum(box, counts) + _within(sum(e for _, e in choices) * (1 + 1e-10))

    def _most(self, goal):
        return 10 + _MARGIN + ceil(max(-log(goal), 0) / (2 * log(2)))

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
