"""A growth bound that the user gives where no rule proves one: sampled, and stated as a hypothesis.

Nothing here proves the bound. It is tested at thousands of points in ball arithmetic, rejected where it fails, and
every ball that depends on it says so.
"""

from dataclasses import dataclass
from fractions import Fraction
from random import Random

from ..errors import DomainError
from .analytic import compile_balls
from .backend import acb, ratio, workprec
from .growth import GrowthBound
from .integral import proved_tails
from .pieces import pieces
from .ranges import number_range

__all__ = ["GivenGrowth"]

_FARTHEST = 60
_STEP = Fraction(1, 16)
_RANDOM = 2000
_TIGHTEST = 8           # places around which a finer grid is laid
_PRECISIONS = (128, 1024)


@dataclass(frozen=True)
class GivenGrowth:
    """A bound ``|f(z)| <= expr`` for all real z, given by the user.

    Attributes
    ----------
    expr, z : sympy.Expr, sympy.Symbol
        The bound; z occurs as ``abs(z)`` and in even powers only.
    bound : GrowthBound
        Not below ``expr``.
    """

    expr: object
    z: object
    bound: GrowthBound

    def hypothesis(self, f, z, power=1):
        """Return the hypothesis under which the mean of ``f**power`` is proved, after sampling; None if rules prove it.

        Raises
        ------
        DomainError
            If the bound is violated at a sample.
        """
        self.check(f, z)
        try:
            proved_tails(pieces(f**power, z), z)
        except DomainError:
            shown = self.expr.xreplace({self.z: z})
            return f"|{f}| <= {shown} for all real {z} (given, not proved; sampled up to |{z}| = {_FARTHEST})"
        return None

    def check(self, f, z):
        """Compare with a function at many points; :class:`DomainError` names one where the bound is violated."""
        run = _Sampler(self, f, z)
        tight = sorted((run.ratio(x), x) for x in run.points())[-_TIGHTEST:]
        width = _STEP
        for _ in range(3):
            near = [x + width * k / 32 for _, x in tight for k in range(-32, 33)]
            tight = sorted((run.ratio(x), x) for x in near)[-_TIGHTEST:]
            width /= 16


class _Sampler:
    def __init__(self, given, f, z):
        import sympy as sp

        self.given, self.f, self.z = given, f, z
        self.parts = pieces(f, z)
        self.ends = [number_range(p.high) for p in self.parts[:-1]]
        size = sp.Dummy("t", nonnegative=True)
        bound = given.expr.xreplace({sp.Abs(given.z): size, given.z: size})
        self.compiled = []
        for bits in _PRECISIONS:
            with workprec(bits):
                self.compiled.append((bits, compile_balls(bound, size), [compile_balls(p.formula, z)
                                                                         for p in self.parts]))

    def points(self):
        """Yield a grid, random points, and points accumulating at zero and at switching points; nearest first."""
        steps = int(_FARTHEST / _STEP)
        yield from (side * _STEP * k for k in range(steps + 1) for side in (1, -1))
        random = Random(1)
        yield from (Fraction(random.randint(-_FARTHEST * 2**20, _FARTHEST * 2**20), 2**20) for _ in range(_RANDOM))
        for centre in (Fraction(0), *(low for low, _ in self.ends)):
            yield from (centre + side * Fraction(1, 2**k) for k in range(1, 41) for side in (-1, 1))

    def ratio(self, x):
        """Approximate quotient of the function and its bound; raises where it is proved to exceed 1."""
        side = 0
        for low, high in self.ends:
            if low <= x <= high:
                return 0.0
            side += x > high
        for bits, bound, functions in self.compiled:
            with workprec(bits):
                value, limit = functions[side](acb(ratio(x)), False), bound(acb(ratio(abs(x))), False).real
                size = abs(value)
                if size.is_finite() and size <= limit:
                    break
                if size > limit:
                    raise DomainError(f"growth: at {self.z} = {float(x):.12g} the function {str(self.f)[:80]} is "
                                      f"{value.real.str(8, radius=False)} and the bound {self.given.expr} only "
                                      f"{limit.str(8, radius=False)}; give a bound of its absolute value that holds "
                                      f"for all real {self.z}")
        if not size.is_finite():
            raise DomainError(f"growth: {str(self.f)[:80]} has no finite value at {self.z} = {float(x):.12g}, so no "
                              "bound holds there")
        return float(size.mid() / limit.mid()) if limit.mid() > 0 else 1.0
