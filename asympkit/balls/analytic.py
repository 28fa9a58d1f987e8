"""Sympy expressions as functions on complex balls.

A compiled function takes a ball and the flag ``analytic``; with the flag set it returns a ball that is
not finite wherever the expression may fail to be analytic. Every function with a branch cut forwards the
flag: forgetting it would give integrals that are wrong without notice. Constants are computed once, at
the precision in force at compile time; parts that depend on other symbols are computed once for each choice
of their balls.

It is separate from :mod:`asympkit.numbers.evaluation` because each call carries the flag, parts without the variable
are bound once for many calls, and repeated parts are cached for one ball.  Functions come from the same list.

Exact numbers as balls.
"""

import sympy as sp

from ..errors import DomainError, NotAvailableError
from ..numbers.functions import entries, entry
from .backend import acb, acb_poly, arb, ctx, ratio


def number(expr):
    """Convert an exact sympy number without arguments, or a real algebraic number, to a ball."""
    if expr.is_Float:
        raise DomainError(f"{str(expr)[:40]} is a floating-point number, which proves nothing; write it as an exact "
                          "rational, such as Rational(1, 10)")
    if expr.is_Rational:
        return acb(ratio(expr))
    names = {sp.pi: arb.pi, sp.E: arb.const_e, sp.EulerGamma: arb.const_euler, sp.Catalan: arb.const_catalan}
    if expr in names:
        return acb(names[expr]())
    if expr is sp.GoldenRatio:
        return (1 + acb(5).sqrt()) / 2
    if type(expr).__name__ == "ComplexRootOf" and expr.is_real:
        return _root(expr)
    raise NotAvailableError(f"certify: the number {str(expr)[:40]} has no enclosure")


def _root(expr):
    """Enclose a real algebraic number, from its isolating interval."""
    bits = ctx.prec + 10
    error = sp.Rational(1, 2**bits)
    return acb(ratio(expr.eval_rational(error)) + arb(0, ratio(error).upper()))


_STEEP = 10**4          # sum of coefficients from which on the dearer rule pays


def compile_balls(expr, z=None, values=None):
    """Compile an expression in z to a function ``(ball, analytic) -> ball``.

    It is made of exact numbers, z, symbols with balls in ``values``, and elementary functions that are analytic in
    pieces of the plane.  A function without a rule raises NotAvailableError; an inexact number or a free symbol
    DomainError.
    """
    function, bind = compile_parametric(expr, z, frozenset(values or ()))
    bind(values)
    return function


def compile_parametric(expr, z=None, symbols=frozenset()):
    """Compile to a function ``(ball, analytic) -> ball`` that can be used again at other balls of its symbols.

    The second result, ``bind({symbol: ball})``, must be called before the function, at the precision of the
    compilation. With a flag, ``bind({symbol: ball}, analytic)``, the balls may be complex, and results are not finite
    where the flag is set and they may fail to be analytic.
    """
    printer = _BallPrinter(z, symbols, _repeated(expr, z))
    return printer.node(expr), printer.bind


def constant(expr, values=None):
    """Evaluate a closed expression to a real ball."""
    value = compile_balls(expr, None, values)(None, False)
    if not value.imag.contains(0):
        raise DomainError(f"{str(expr)[:80]} is not real")
    return value.real


def _repeated(expr, z):
    """Return the compound parts with z that occur more than once, to be evaluated once for each ball."""
    seen, twice = set(), set()

    def walk(e):
        if not e.args or z is None or not e.has(z):
            return
        if e in seen:
            twice.add(e)
            return
        seen.add(e)
        for arg in e.args:
            walk(arg)

    walk(expr)
    return twice


class _BallPrinter:
    def __init__(self, z, symbols, repeated):
        self.z, self.symbols, self.repeated = z, symbols, repeated
        self.known, self.values = {}, {}
        self.cells = []         # (expression, function, one-entry list with its value) in order of dependence
        self.kept = []          # last argument and value of the repeated parts

    def bind(self, values, analytic=None):
        """Give balls to the symbols: real ones, or complex ones with a flag."""
        self.values = values or {}
        for last in self.kept:
            last[0] = None
        for expr, function, cell in self.cells:
            cell[0] = function(None, bool(analytic))
            if analytic is None and cell[0].is_finite() and not cell[0].imag == 0:
                raise DomainError(f"{str(expr)[:80]} is not proved to be real at the values of its symbols")

    def node(self, expr):
        if expr not in self.known:
            function = self.build(expr)
            if self.z is None or not expr.has(self.z):
                cell = [None]
                if expr.free_symbols:
                    self.cells.append((expr, function, cell))
                else:
                    cell[0] = function(None, False)
                function = lambda x, a: cell[0]      # noqa: E731
            elif expr in self.repeated:
                function = self.once(function)
            self.known[expr] = function
        return self.known[expr]

    def once(self, function):
        last = [None, None, None]
        self.kept.append(last)

        def value(x, a):
            if last[0] is not x or last[1] is not a:
                last[:] = x, a, function(x, a)
            return last[2]

        return value

    def build(self, expr):
        if expr == self.z:
            return lambda x, a: x
        if expr.is_Symbol:
            if expr not in self.symbols:
                raise DomainError(f"the symbol {expr} has no value; an enclosure needs a closed expression")
            return lambda x, a: acb(self.values[expr])
        if expr.is_number and not expr.args or type(expr).__name__ == "ComplexRootOf":
            value = number(expr)
            return lambda x, a: value
        coefficients = self.polynomial(expr)
        if coefficients is not None:
            return _polynomial(coefficients)
        if expr.is_Add:
            return _fold(acb.__add__, [self.node(arg) for arg in self.gathered(expr)])
        if expr.is_Mul:
            return _fold(acb.__mul__, [self.node(arg) for arg in self.gathered(expr)])
        if expr.is_Pow:
            return self.power(expr)
        return self.function(expr)

    def gathered(self, expr):
        """Return the arguments of a sum or product, with those without z merged into one."""
        fixed = [arg for arg in expr.args if self.z is not None and not arg.has(self.z)]
        if len(fixed) < 2 or len(fixed) == len(expr.args):
            return expr.args
        return [expr.func(*fixed), *(arg for arg in expr.args if arg.has(self.z))]

    def polynomial(self, expr):
        """Return the coefficients of a polynomial with rational ones, lowest degree first, else None."""
        if not (expr.is_Add or expr.is_Mul) or self.z is None or not expr.is_polynomial(self.z):
            return None
        if expr.free_symbols != {self.z}:
            return None
        rows = expr.as_poly(self.z).all_coeffs()[::-1]
        return [acb(ratio(c)) for c in rows] if all(c.is_Rational for c in rows) else None

    def power(self, expr):
        base, exponent = expr.args
        if base is sp.E:
            return self.entire("exp", exponent)
        inner = self.node(base)
        if exponent.is_Integer:
            n = int(exponent)
            return (lambda x, a: inner(x, a) ** n) if n > 0 else (lambda x, a: 1 / inner(x, a) ** -n)
        if exponent.is_Rational and exponent.q == 2:
            n = abs(int(exponent.p))
            root = lambda x, a: inner(x, a).sqrt(analytic=a) ** n      # noqa: E731
            return root if exponent > 0 else lambda x, a: 1 / root(x, a)
        outer = self.node(exponent)
        if not (exponent.is_Rational and exponent > 0):
            return lambda x, a: inner(x, a).pow(outer(x, a), analytic=a)
        p = ratio(exponent)

        def branch_point(x, a):
            u = inner(x, a)
            if a or not u.contains(0):
                return u.pow(p, analytic=a)
            size = arb(0, (u.abs_upper() ** p).upper())     # |u**p| = |u|**p, also at the branch point
            return acb(size, size)

        return branch_point

    def entire(self, name, argument):
        inner, method = self.node(argument), getattr(acb, name)
        return lambda x, a: method(inner(x, a))

    def function(self, expr):
        name = type(expr).__name__
        if name == "tanh":
            split = _logarithm(expr.args[0])
            if split is not None:
                return self.tanh_of_logarithm(*split)
        known = entry(name)
        if known is None or not known.complex_balls or name == "log" and len(expr.args) > 1:
            names = ", ".join(sorted(e.shown for e in entries() if e.complex_balls and e.shown))
            raise NotAvailableError(f"certify: the function {name} in {str(expr)[:80]} has no enclosure; rewrite it "
                                    f"with {names}, sqrt")
        if known.arity == 1 and isinstance(known.complex_balls, str):
            return self.entire(known.complex_balls, expr.args[0])
        orders, value = tuple(map(int, expr.args[:known.orders])), known.at_complex_balls
        parts = [self.node(arg) for arg in expr.args[known.orders:]]
        if len(parts) == 1:
            (inner,) = parts
            return lambda x, a: value(*orders, inner(x, a), a)
        return lambda x, a: value(*orders, *(part(x, a) for part in parts), a)

    def tanh_of_logarithm(self, rest, n, argument):
        """Compile ``tanh(rest + n log(argument)) = (1 - t)/(1 + t)``, ``t = exp(-2 rest) argument**(-2n)``."""
        rest, inner = self.node(rest), self.node(argument)

        def value(x, a):
            t = (-2 * rest(x, a)).exp()
            u = inner(x, a) ** (2 * abs(n))
            t = t / u if n > 0 else t * u
            return 2 / (1 + t) - 1

        return value


def _polynomial(coefficients):
    """Compile a polynomial; a steep one around the centres of wide balls, against cancellation of large powers."""
    p, t = acb_poly(coefficients), acb_poly([0, 1])
    if len(coefficients) < 3 or sum(abs(c.real) for c in coefficients) < _STEEP:
        return lambda x, analytic: p(x)

    def value(x, analytic):
        if x.is_exact() or not x.is_finite():
            return p(x)
        return p(t + x.mid())(x - x.mid())

    return value


def _fold(operation, functions):
    first, *rest = functions

    def value(x, a):
        total = first(x, a)
        for function in rest:
            total = operation(total, function(x, a))
        return total

    return value


def _logarithm(expr):
    """Return ``(rest, n, argument)`` of a sum with one integer multiple of a logarithm in it, else None."""
    for term in sp.Add.make_args(expr):
        n, log = term.as_coeff_Mul()
        if isinstance(log, sp.log) and n.is_Integer and abs(n) <= 8:
            return expr - term, int(n), log.args[0]
    return None
