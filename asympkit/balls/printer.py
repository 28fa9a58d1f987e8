"""Sympy expressions as functions on complex balls.

A compiled function takes a ball and the flag ``analytic``; with the flag set it returns a ball that is
not finite wherever the expression may fail to be analytic. Every function with a branch cut forwards the
flag: forgetting it would give integrals that are wrong without notice. Constants are computed once, at
the precision in force at compile time.
"""

from ..errors import DomainError, NotAvailableError
from .backend import acb, acb_poly, arb, ratio
from .constants import number

__all__ = ["compile_balls", "constant"]

_ENTIRE = ("exp", "sin", "cos", "sinh", "cosh", "tanh", "tan", "erf", "erfc")   # or meromorphic


def compile_balls(expr, z=None, values=None):
    """Function ``(ball, analytic) -> ball`` of an expression in z.

    Parameters
    ----------
    expr : sympy.Expr
        Made of exact numbers, z, and elementary functions that are analytic in pieces of the plane.
    z : sympy.Symbol, optional
    values : dict, optional
        ``{symbol: ball}`` for symbols other than z.

    Raises
    ------
    NotAvailableError, DomainError
        For a function without a rule; for an inexact number or a free symbol.
    """
    return _Printer(z, values or {}).node(expr)


def constant(expr, values=None):
    """Real ball of a closed expression."""
    value = compile_balls(expr, None, values)(None, False)
    if not value.imag.contains(0):
        raise DomainError(f"{str(expr)[:80]} is not real")
    return value.real


class _Printer:
    def __init__(self, z, values):
        self.z, self.values, self.known = z, values, {}

    def node(self, expr):
        if expr not in self.known:
            function = self.build(expr)
            if self.z is None or not expr.has(self.z):
                value = function(None, False)
                function = lambda x, a: value      # noqa: E731
            self.known[expr] = function
        return self.known[expr]

    def build(self, expr):
        if expr == self.z:
            return lambda x, a: x
        if expr.is_Symbol:
            if expr not in self.values:
                raise DomainError(f"the symbol {expr} has no value; an enclosure needs a closed expression")
            value = acb(self.values[expr])
            return lambda x, a: value
        if expr.is_number and not expr.args or type(expr).__name__ == "ComplexRootOf":
            value = number(expr)
            return lambda x, a: value
        coefficients = self.polynomial(expr)
        if coefficients is not None:
            polynomial = acb_poly(coefficients)
            return lambda x, a: polynomial(x)
        if expr.is_Add:
            return _fold(acb.__add__, [self.node(arg) for arg in expr.args])
        if expr.is_Mul:
            return _fold(acb.__mul__, [self.node(arg) for arg in expr.args])
        if expr.is_Pow:
            return self.power(expr)
        return self.function(expr)

    def polynomial(self, expr):
        """Coefficients from the lowest degree of a polynomial with rational coefficients, else None."""
        if not (expr.is_Add or expr.is_Mul) or self.z is None or not expr.is_polynomial(self.z):
            return None
        if expr.free_symbols != {self.z}:
            return None
        rows = expr.as_poly(self.z).all_coeffs()[::-1]
        return [acb(ratio(c)) for c in rows] if all(c.is_Rational for c in rows) else None

    def power(self, expr):
        import sympy as sp

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
        if name in _ENTIRE:
            return self.entire(name, expr.args[0])
        if name == "log" and len(expr.args) == 1:
            inner = self.node(expr.args[0])
            return lambda x, a: inner(x, a).log(analytic=a)
        if name in ("atan", "asin"):
            # on their cuts 1 + u^2 (for atan) and 1 - u^2 (for asin) are real and not positive
            inner, method, sign = self.node(expr.args[0]), getattr(acb, name), 1 if name == "atan" else -1

            def with_cut(x, a):
                u = inner(x, a)
                return method(u) + 0 * (1 + sign * u**2).log(analytic=True) if a else method(u)

            return with_cut
        raise NotAvailableError(f"certify: the function {name} in {str(expr)[:80]} has no enclosure; rewrite it "
                                f"with {', '.join(_ENTIRE)}, log, sqrt, atan, asin")

    def tanh_of_logarithm(self, rest, n, argument):
        """``tanh(rest + n log(argument)) = (1 - t)/(1 + t)``, ``t = exp(-2 rest) argument**(-2n)``."""
        rest, inner = self.node(rest), self.node(argument)

        def value(x, a):
            t = (-2 * rest(x, a)).exp()
            u = inner(x, a) ** (2 * abs(n))
            t = t / u if n > 0 else t * u
            return 2 / (1 + t) - 1

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
    """``(rest, n, argument)`` of a sum with one integer multiple of a logarithm in it, else None."""
    import sympy as sp

    for term in sp.Add.make_args(expr):
        n, log = term.as_coeff_Mul()
        if isinstance(log, sp.log) and n.is_Integer and abs(n) <= 8:
            return expr - term, int(n), log.args[0]
    return None
