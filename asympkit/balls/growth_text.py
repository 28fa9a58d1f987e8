"""Parse a growth bound that the user wrote: ``P(|z|) exp(rate |z| + curvature z**2)``, and sums of such terms."""

from fractions import Fraction

from ..errors import DomainError
from .backend import fraction_above, ratio, workprec
from .given import GivenGrowth
from .growth import GrowthBound
from .ranges import number_range

__all__ = ["read_growth"]


def read_growth(growth):
    """Return the :class:`GivenGrowth` of a text or a sympy expression.

    Raises
    ------
    DomainError
        If it is not of the form ``P(abs(z)) * exp(rate*abs(z) + curvature*z**2)`` with coefficients of P that
        are not negative; sums of such terms are taken too.
    """
    import sympy as sp

    if isinstance(growth, str):
        from ..parsing import parse

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
    return GivenGrowth(expr, z, bound)


def _refuse(whole, why):
    return DomainError(f"growth: got {whole}; expected P(abs(z))*exp(a*abs(z) + b*z**2) with no negative coefficient "
                       f"in P: {why}")


def _bound(expr, z, whole):
    import sympy as sp

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
    import sympy as sp

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
