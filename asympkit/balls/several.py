r"""Means over several independent normals, and of functions of inner means; other symbols stand for balls.

The mean of f is taken over boxes that cover the ball of radius R (:mod:`.cubature`); beyond it counts the mean of a
bound :math:`|f(x)|\le B(|x|)` that is proved for the Euclidean length (:mod:`.growth`, :mod:`.regions`).  A function
:math:`g(x, I(x))` of inner means is integrated with :math:`\tilde I` in their place, means over boxes that differ by at
most :math:`\tau` (:mod:`.inner_means`); by the mean value theorem this changes the mean by at most

.. math:: \tau\sum_{\mathrm{boxes}}P(\mathrm{box})\sup\bigl|\partial_I g(x,\tilde I(x)+[-\tau,\tau])\bigr|.
"""

from dataclasses import dataclass

from ..errors import DomainError, ProofError
from .analytic import compile_parametric
from .backend import acb, arb
from .covers import Covered
from .cubature import Cubature
from .growth import GrowthBound, growth_bound
from .inner_means import InnerMean, known_means
from .integral import settled
from .product_pieces import product_pieces
from .regions import boxes_within, halves, measure, reach_and_tail
from .work import Budget

__all__ = ["SeveralMean", "several_ball"]

_EVALUATIONS = 2 * 10**6, 2 * 10**6, 10**7     # of one mean over one variable (of functions of means), two, three
_MOST_DIGITS = 250              # errors are floats


def several_ball(expr, variables, digits, inner=None):
    """Enclose the mean of an expression over independent standard normals.

    Parameters
    ----------
    expr : sympy.Expr
        Holds no other symbols.
    variables : sequence of sympy.Symbol
    digits : int
        The radius is at most ``10**-digits * max(1, |value|)``.
    inner : dict, optional
        As for :class:`SeveralMean`.

    Returns
    -------
    flint.arb

    Raises
    ------
    DomainError, ProofError
        If a hypothesis of the proof fails.
    ConvergenceError
        If the enclosure does not get narrow enough.
    """
    return settled(lambda bits: SeveralMean(expr, variables, digits, inner).mean({}), digits, expr)


@dataclass(frozen=True)
class _Region:
    """Boxes on which one analytic formula holds, compiled; ``count`` is how often each of them counts."""

    boxes: list
    count: int
    function: object
    bind: object


@dataclass(frozen=True)
class _Proof:
    """The proof for all points of a cover: the radius, the bound beyond it, and the error of omitted parts."""

    reach: int
    bound: GrowthBound
    rest: object
    regions: tuple
    inner: dict


class SeveralMean(Covered):
    """``E f(x; symbols)`` over independent standard normals x, for changing balls of the symbols.

    Parameters
    ----------
    expr : sympy.Expr
        Analytic in pieces whose ends are fixed numbers, each in one variable.
    variables : sequence of sympy.Symbol
    digits : int
        The errors of rules and tails are below ``10**-digits``; the width that the symbols bring comes on top.
    inner : dict, optional
        ``{symbol of expr: (integrand, its variables)}``: means over other normals that it stands for.
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
        """Return a real ball that holds the mean for all numbers in the balls ``{symbol: arb}``.

        Raises
        ------
        ProofError, DomainError, ConvergenceError
            If a hypothesis of the proof fails for these balls.
        """
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
        return _Proof(reach, bound, rest, tuple(regions), inner)

    def _region(self, part, reach, is_whole):
        import sympy as sp

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
