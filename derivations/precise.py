"""Values of expressions with averages in arbitrary precision, in an mpmath context of their own.

Slow and simple on purpose: it shares no code with the back ends that it helps to check.  Gaussian
averages use the trapezoid rule (integrands must be analytic), Marchenko-Pastur means the density.
"""

import math

from sympy import Add, Integer, Mul, Pow, Rational, S
from sympy import functions as sf

from ..errors import ConvergenceError, DomainError
from ..gauss import Gaussian
from ..nodes import Average, Named
from ..spectra import MarchenkoPastur, MPResolvent

_NAMES = {sf.sin: "sin", sf.cos: "cos", sf.exp: "exp", sf.log: "log", sf.erf: "erf", sf.erfc: "erfc",
          sf.tanh: "tanh", sf.cosh: "cosh", sf.sinh: "sinh", sf.asin: "asin", sf.atan: "atan"}


def random_points(at, count, seed):
    """Random values of parameters.

    Parameters
    ----------
    at : dict
        ``{symbol: (low, high)}``, or ``{symbol: expr}`` for a function of symbols named before it.
    count, seed : int

    Returns
    -------
    list of dict
        Exact rationals with four digits; functions of them are kept exact.
    """
    import numpy as np

    rng = np.random.default_rng(np.random.SeedSequence([seed, len(at)]))
    points = []
    for _ in range(count):
        point = {}
        for symbol, where in at.items():
            if isinstance(where, tuple):
                low, high = where
                point[symbol] = Rational(round(10**4 * (low + (high - low) * rng.random())), 10**4)
            else:
                point[symbol] = where.subs(point)
        points.append(point)
    return points


class Precise:
    """Evaluation with a given number of digits.

    Parameters
    ----------
    digits : int
        Digits that a mean must reach (relative to the larger of 1 and its size).
    """

    def __init__(self, digits):
        import mpmath

        self.ctx = mpmath.ctx_mp.MPContext()
        self.ctx.dps = digits + 12
        self.digits = digits
        self._free = {}

    def value(self, expr, point):
        """Value of an expression at a point ``{symbol: number}``."""
        outer = _Scope(None, frozenset(), {})
        scope = _Scope(outer, frozenset(point), {})
        scope.memo.update({symbol: self._value(number, outer) for symbol, number in point.items()})
        return self._value(expr, scope)

    def _symbols(self, expr):
        if expr not in self._free:
            self._free[expr] = frozenset(expr.free_symbols)
        return self._free[expr]

    def _value(self, expr, scope):
        while scope.parent is not None and not self._symbols(expr) & scope.symbols:
            scope = scope.parent
        if expr not in scope.memo:
            scope.memo[expr] = self._evaluate(expr, scope)
        return scope.memo[expr]

    def _evaluate(self, expr, scope):
        ctx = self.ctx
        if expr.is_Rational:
            return ctx.mpf(expr.p) / expr.q
        if expr is S.ImaginaryUnit:
            return ctx.mpc(0, 1)
        if expr.is_NumberSymbol:
            return ctx.convert(expr._to_mpmath(ctx.prec))
        if isinstance(expr, Named):
            return self._value(expr.expr, scope)
        if isinstance(expr, Average):
            return self._mean(expr, scope)
        if expr.is_Symbol or not expr.args:
            raise DomainError(f"{expr}: a value is needed; give the symbol in at=")
        args = [self._value(a, scope) for a in expr.args]
        if isinstance(expr, Add):
            return ctx.fsum(args)
        if isinstance(expr, Mul):
            return ctx.fprod(args)
        if isinstance(expr, Pow):
            if expr.exp == Rational(1, 2):
                return ctx.sqrt(args[0])
            return args[0] ** (int(expr.exp) if isinstance(expr.exp, Integer) else args[1])
        if isinstance(expr, MPResolvent):
            return self._resolvent(*args)
        if expr.func in _NAMES:
            return getattr(ctx, _NAMES[expr.func])(*args)
        raise DomainError(f"{expr.func.__name__}: no rule to evaluate it in arbitrary precision")

    def _resolvent(self, a, b, c, beta):
        half = b + a * c - beta * a * c
        root = self.ctx.sqrt(half**2 + 4 * beta * a * c * b)
        return 2 / (half + root)

    def _mean(self, average, scope):
        measure = average.measure
        if isinstance(measure, Gaussian):
            return self._gaussian(average.integrand, measure.bound_symbols, scope)
        if isinstance(measure, MarchenkoPastur):
            return self._spectral(average.integrand, measure, scope)
        raise DomainError(f"{type(measure).__name__}: no rule to evaluate a mean under it")

    def _inside(self, integrand, scope, values):
        return self._value(integrand, _Scope(scope, frozenset(values), dict(values)))

    def _gaussian(self, integrand, symbols, scope):
        ctx, (z, *others) = self.ctx, symbols
        reach = math.sqrt(2 * (self.digits + 10) * math.log(10)) + 1

        def density(x):
            return ctx.exp(-x * x / 2) / ctx.sqrt(2 * ctx.pi)

        def f(x):
            if not others:
                return density(x) * self._inside(integrand, scope, {z: x})
            inner = _Scope(scope, frozenset((z,)), {z: x})
            return density(x) * self._gaussian(integrand, others, inner)

        return self._refined(f, -reach, reach, ctx.mpf(1) / 2, integrand)

    def _spectral(self, integrand, law, scope):
        """Mean over the density in the angle t, ``D = c (1 + beta + 2 sqrt(beta) cos t)``, plus the atom."""
        ctx = self.ctx
        D, ratio, scale, pairs = law.args
        beta, c = self._value(ratio, scope), self._value(scale, scope)
        for companion, conditional in pairs:
            slope = integrand.diff(companion)
            integrand = integrand.subs(companion, 0) + slope * conditional

        def at(x):
            return self._inside(integrand, scope, {D: x})

        def f(t):
            x = 1 + beta + 2 * ctx.sqrt(beta) * ctx.cos(t)
            return at(c * x) * 2 * ctx.sin(t) ** 2 / (ctx.pi * x)

        atom = (1 - 1 / beta) * at(ctx.zero) if beta > 1 else 0
        return atom + self._refined(f, 0, ctx.pi, ctx.pi / 16, integrand)

    def _refined(self, f, low, high, step, integrand):
        """Trapezoid rule, halved until two values agree; the integrand vanishes at both ends."""
        ctx = self.ctx
        low, high = ctx.mpf(low), ctx.mpf(high)
        count = int(ctx.ceil((high - low) / step))
        step = (high - low) / count
        total = ctx.fsum(f(low + i * step) for i in range(1, count)) * step
        for _ in range(6):
            middle = ctx.fsum(f(low + (i + ctx.mpf(1) / 2) * step) for i in range(count)) * step
            new = (total + middle) / 2
            if abs(new - total) < ctx.mpf(10) ** -(self.digits + 2) * max(1, abs(new)):
                return new
            total, step, count = new, step / 2, 2 * count
        raise ConvergenceError(f"the mean of {integrand} did not reach {self.digits} digits; "
                               "the rule needs an integrand that is analytic", new)


class _Scope:
    """Values of some symbols, and what was computed from them."""

    def __init__(self, parent, symbols, memo):
        self.parent, self.symbols, self.memo = parent, symbols, memo
