"""The machine checks of a derivation: exact, numerical in arbitrary precision, an inequality, an experiment."""

from dataclasses import dataclass, field
from functools import reduce

from sympy import Eq, Ge, Gt, S, sympify

from .document import Outcome, readable
from .precise import Precise, random_points
from .transformations import TRANSFORMATIONS


class _Equation:
    """A check of an equation."""

    @property
    def statement(self):
        return Eq(self.lhs, self.rhs, evaluate=False)


@dataclass(frozen=True)
class Exact(_Equation):
    """The difference of two expressions becomes 0 under named transformations."""

    lhs: object
    rhs: object
    by: tuple
    kind = "exact"

    def run(self, number):
        left = reduce(lambda e, name: TRANSFORMATIONS[name].apply(e), self.by, self.lhs - self.rhs)
        words = ", ".join(TRANSFORMATIONS[name].words for name in self.by)
        return Outcome(left is S.Zero, f"the difference is 0 ({words or 'identical as written'})", left)


@dataclass(frozen=True)
class Numerical(_Equation):
    """Two expressions agree in arbitrary precision at random points."""

    lhs: object
    rhs: object
    at: dict = field(default_factory=dict)
    digits: int = 30
    points: int = 3
    kind = "numerical"

    def run(self, number):
        worst = 0
        points = random_points(self.at, self.points, number) if self.at else [{}]
        for point in points:
            precise = Precise(self.digits)
            lhs, rhs = precise.value(self.lhs, point), precise.value(self.rhs, point)
            worst = max(worst, abs(lhs - rhs) / max(1, abs(lhs), abs(rhs)))
            if not worst < precise.ctx.mpf(10) ** -self.digits:
                return Outcome(False, f"differs by {precise.ctx.nstr(worst, 3)} at {point}", (lhs, rhs))
        where = f"at {len(points)} random points" if self.at else "no parameter"
        return Outcome(True, f"{self.digits} digits, {where}")


def _sign(expr, strict):
    return expr.is_positive if strict else expr.is_nonnegative


@dataclass(frozen=True)
class Exceeds:
    """One expression is at least another: their difference is an expression whose parts have signs."""

    lhs: object
    rhs: object
    excess: object
    by: tuple
    strict: bool
    kind = "exact inequality"

    @property
    def statement(self):
        return (Gt if self.strict else Ge)(self.lhs, self.rhs, evaluate=False)

    def run(self, number):
        equal = Exact(self.lhs - self.rhs, self.excess, self.by).run(number)
        if not equal.holds:
            return equal
        signed = TRANSFORMATIONS["support"].apply(self.excess)
        sign = _sign(signed, self.strict)
        if sign is not True:
            sign = _sign(signed.doit(), self.strict)     # a spectral mean closes to a product of positive factors
        word = "positive" if self.strict else "not negative"
        return Outcome(sign is True, f"the difference is {readable(self.excess)}, {word} by the signs of its parts",
                       self.excess)


@dataclass(frozen=True)
class Greater:
    """One expression is larger than another at random points (a gap is not proven, only tried)."""

    lhs: object
    rhs: object
    at: dict
    digits: int = 8
    points: int = 3
    kind = "inequality"

    @property
    def statement(self):
        return Gt(self.lhs, self.rhs, evaluate=False)

    def run(self, number):
        for point in random_points(self.at, self.points, number):
            precise = Precise(self.digits)
            lhs, rhs = precise.value(self.lhs, point), precise.value(self.rhs, point)
            if not lhs > rhs:
                return Outcome(False, f"fails at {point}", (lhs, rhs))
        return Outcome(True, f"at {self.points} random points")


@dataclass(frozen=True)
class Simulated(_Equation):
    """A quantity of a random experiment of size d is within ``tolerance/sqrt(d)`` of its limit."""

    lhs: object
    rhs: object
    experiment: object
    tolerance: float
    sizes: tuple
    repeats: int
    kind = "simulated"

    def run(self, number):
        import numpy as np

        gaps = []
        for d in self.sizes:
            seeds = np.random.SeedSequence([number, d]).spawn(self.repeats)
            pairs = [self.experiment(np.random.default_rng(s), d) for s in seeds]
            gap = float(np.sqrt(np.mean([(float(a) - float(b)) ** 2 for a, b in pairs])))
            if not gap * d**0.5 <= self.tolerance:
                return Outcome(False, f"root mean square gap {gap:.3g} at d={d}, allowed "
                                      f"{self.tolerance:g}/sqrt(d)", pairs)
            gaps.append(f"{gap:.2g} at d={d}")
        return Outcome(True, f"root mean square gap {', '.join(gaps)}; allowed {self.tolerance:g}/sqrt(d)")


def exact(lhs, rhs, by=()):
    """An identity that sympy proves.

    Parameters
    ----------
    lhs, rhs : Expr
    by : str or tuple of str
        Names of ``TRANSFORMATIONS``, applied in order to the difference, which must become 0.
    """
    return Exact(sympify(lhs), sympify(rhs), (by,) if isinstance(by, str) else tuple(by))


def numerical(lhs, rhs, at=None, digits=30, points=3):
    """An identity tested in arbitrary precision.

    Parameters
    ----------
    lhs, rhs : Expr
    at : dict, optional
        ``{symbol: (low, high)}`` for a random value, ``{symbol: expr}`` for a function of the others.
    digits : int
        Relative agreement asked for (absolute below 1).
    points : int
        How many random points.
    """
    return Numerical(sympify(lhs), sympify(rhs), dict(at or {}), digits, points)


def exceeds(lhs, rhs, excess, by=(), strict=True):
    """An inequality that sympy proves.

    Parameters
    ----------
    lhs, rhs : Expr
    excess : Expr
        What ``lhs - rhs`` equals; the assumptions of its symbols must fix its sign.
    by : str or tuple of str
        Names of ``TRANSFORMATIONS`` that prove ``lhs - rhs = excess``.
    strict : bool
        Whether the sides may be equal.
    """
    by = (by,) if isinstance(by, str) else tuple(by)
    return Exceeds(sympify(lhs), sympify(rhs), sympify(excess), by, strict)


def greater(lhs, rhs, at, points=3):
    """A strict inequality tested at random points; arguments as for :func:`numerical`."""
    return Greater(sympify(lhs), sympify(rhs), dict(at), points=points)


def simulated(lhs, rhs, experiment, tolerance, sizes=(125, 500), repeats=8):
    """A limit tested on finite random instances.

    Parameters
    ----------
    lhs, rhs : Expr
        What is said to converge, and the limit (for display).
    experiment : callable
        ``experiment(rng, d)`` returns the measured number and its limit.
    tolerance : float
        The root mean square gap over the repeats must be below ``tolerance/sqrt(d)`` at every size.
    sizes : tuple of int
    repeats : int
    """
    return Simulated(sympify(lhs), sympify(rhs), experiment, tolerance, tuple(sizes), repeats)
