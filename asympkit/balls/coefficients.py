"""Parse a growth bound that the user wrote: ``P(|z|) exp(rate |z| + curvature z**2)``, and sums of such terms.

A growth bound that the user gives where no rule proves one: sampled, and stated as a hypothesis.

Nothing here proves the bound. It is tested at thousands of points in ball arithmetic, rejected where it fails, and
every ball that depends on it says so.

Hermite coefficients and second moments of activations as balls.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import sympy as sp

from ..arguments import check_choice, check_digits
from ..errors import DomainError, ProofError
from ..gauss.coefficients import _order
from ..once import exclusive
from ..parsing import parse
from ..properties.cells import parity_of_form
from .analytic import compile_balls
from .backend import acb, arb, fraction_above, ratio, workprec
from .ball import Ball
from .growth import GrowthBound, number_range
from .integral import gaussian_ball, prove_tails
from .pieces import pieces

_FARTHEST = 60
_STEP = Fraction(1, 16)
_RANDOM = 2000
_TIGHTEST = 8           # places around which a finer grid is laid
_PRECISIONS = (128, 1024)


@dataclass(frozen=True)
class GrowthHypotheses:
    """A bound ``|f(z)| <= expr`` for all real z, given by the user; z occurs as ``abs(z)`` and in even powers only.

    ``bound`` is not below ``expr``.
    """

    expr: object
    z: object
    bound: GrowthBound

    def hypothesis(self, f, z, power=1):
        """Return the hypothesis under which the mean of ``f**power`` is proved, after sampling; None if rules prove it.

        DomainError if the bound is violated at a sample.
        """
        self.check(f, z)
        try:
            prove_tails(pieces(f**power, z), z)
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


def read_growth(growth):
    """Return the :class:`GrowthHypotheses` of a text or a sympy expression.

    It must be a sum of terms ``P(abs(z)) * exp(rate*abs(z) + curvature*z**2)`` with coefficients of P that are not
    negative, else DomainError.
    """
    if isinstance(growth, str):
        expr = parse(growth)
    elif isinstance(growth, sp.Expr | int) and not isinstance(growth, bool):
        expr = sp.Integer(growth) if isinstance(growth, int) else growth
    else:
        raise DomainError(f"growth: got {growth!r}; expected a text in z or a sympy expression")
    symbols = expr.free_symbols
    if len(symbols) > 1:
        raise DomainError(f"growth: {expr} holds {', '.join(sorted(map(str, symbols)))}; expected one variable")
    z = symbols.pop() if symbols else sp.Symbol("z", real=True)
    if not z.is_real:
        real = sp.Symbol(z.name, real=True)
        expr, z = expr.subs(z, real), real
    bound = _bound(expr, z, expr)
    if bound.curvature >= Fraction(1, 2):
        raise DomainError(f"growth: {expr} does not stay below exp({z}**2/2); the mean over a normal may be infinite")
    return GrowthHypotheses(expr, z, bound)


def _refuse(whole, why):
    return DomainError(f"growth: got {whole}; expected P(abs(z))*exp(a*abs(z) + b*z**2) with no negative coefficient "
                       f"in P: {why}")


def _bound(expr, z, whole):
    if not expr.has(z):
        return GrowthBound((_number(expr, whole),))
    if expr == sp.Abs(z):
        return GrowthBound((Fraction(0), Fraction(1)))
    if expr.is_Add or expr.is_Mul:
        first, *rest = (_bound(arg, z, whole) for arg in expr.args)
        for part in rest:
            first = first + part if expr.is_Add else first * part
        return first
    if isinstance(expr, sp.exp):
        return _exponential(expr.args[0], z, whole)
    if expr.is_Pow and expr.exp.is_Integer and 0 < expr.exp <= 64:
        n = int(expr.exp)
        if expr.base == z and n % 2 == 0:
            return GrowthBound((Fraction(0),) * n + (Fraction(1),))
        one = total = _bound(expr.base, z, whole)
        for _ in range(n - 1):
            total = total * one
        return total
    raise _refuse(whole, f"{expr} is none of its parts" + ("; write abs(z)" if expr == z else ""))


def _number(expr, whole):
    low, high = number_range(expr)
    if low < 0:
        raise _refuse(whole, f"the coefficient {expr} is negative")
    return _above(expr, high)


def _above(expr, high):
    return Fraction(int(expr.p), int(expr.q)) if expr.is_Rational else Fraction(high)


def _exponential(exponent, z, whole):
    total = {"constant": Fraction(0), sp.Abs(z): Fraction(0), z**2: Fraction(0)}
    for term in sp.Add.make_args(sp.expand(exponent)):
        coefficient, rest = term.as_independent(z, as_Add=False)
        rest = rest if term.has(z) else "constant"
        if rest not in total:
            raise _refuse(whole, f"{term} is in the exponent")
        total[rest] += _above(coefficient, number_range(coefficient)[1])
    constant, rate, curvature = total.values()
    if constant > 1000:
        raise _refuse(whole, "the constant in the exponent is above 1000")
    with workprec(128):
        return GrowthBound((fraction_above(ratio(max(constant, Fraction(-1000))).exp()),), rate, curvature)


class CheckedGrowth:
    """The growth bound given by the user, if any, and the hypotheses it has led to."""

    def __init__(self, growth):
        self.growth = None if growth is None else read_growth(growth)
        self.hypotheses = []

    def bound(self, f, z, power=1):
        """Return a bound of ``f**power`` where it is needed, else None."""
        sentence = self.growth and self.growth.hypothesis(f, z, power)
        if not sentence:
            return None
        if sentence not in self.hypotheses:
            self.hypotheses.append(sentence)
        return self.growth.bound if power == 1 else self.growth.bound * self.growth.bound


@exclusive
def hermite_balls(activation, n, digits=None, growth=None):
    """Enclose ``c_0 .. c_n`` of an activation in balls; see :meth:`asympkit.Activation.hermite_coefficients`."""
    n, digits = _order(n), validate_digits(30 if digits is None else digits)
    given = _given(activation, growth)
    z, sign, balls = activation.symbol, parity_of_form(activation.expr, activation.symbol), []
    bound = given.bound(activation.expr, z)
    for k in range(n + 1):
        if sign == -(-1) ** k:
            balls.append(Ball.from_arb(arb(0)))       # proved by symmetry
            continue
        value = gaussian_ball(activation.expr, z, digits, sp.hermite_prob(k, z), bound)
        with workprec(3.33 * digits + 60):
            balls.append(Ball.from_arb(value / arb(math.factorial(k)), given.hypotheses))
    return balls


@exclusive
def second_moment_ball(activation, digits=None, growth=None):
    """Enclose ``E[f(z)**2]`` of an activation in a ball."""
    digits = validate_digits(30 if digits is None else digits)
    given = _given(activation, growth)
    bound = given.bound(activation.expr, activation.symbol, 2)
    return Ball.from_arb(gaussian_ball(activation.expr**2, activation.symbol, digits, bound=bound), given.hypotheses)


def gain_ball(activation, kind="std", digits=None):
    """Enclose ``1/std f(z)`` or ``1/rms f(z)`` in a ball; see :meth:`asympkit.Activation.gain`."""
    check_choice("kind", kind, ("std", "rms"))
    digits = validate_digits(30 if digits is None else digits)
    for more in (10, 40, 160, 640):         # the variance may be a small difference
        balls = [second_moment_ball(activation, digits + more), *hermite_balls(activation, 0, digits + more)]
        with workprec(3.33 * (digits + more) + 60):
            square, mean = (b.to_arb() for b in balls)
            if kind == "std":
                square -= mean**2
            if square > 0 and square.rel_accuracy_bits() > 3.33 * digits:
                return Ball.from_arb(1 / square.sqrt(), balls[0].hypotheses)
    raise ProofError(f"the activation {activation.name!r:.200} is not proved to vary: its variance is {square} or less")


def _given(activation, growth):
    """Wrap the given growth bound; without one, require a finite second moment by the activation's own rules."""
    given = CheckedGrowth(growth)
    if growth is None:
        activation.require_second_moment()
    elif 4 * given.growth.bound.curvature >= 1:
        raise DomainError(f"growth: {given.growth.expr} does not stay below exp(z**2/4): the second moment of "
                          f"{activation.name!r} may be infinite")
    return given


def validate_digits(digits):
    """Return the digits as an int; raise if the number is not sensible."""
    check_digits(digits)
    return int(digits)
