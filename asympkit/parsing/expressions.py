"""Sympy expressions that texts can say: the check for them, and their texts."""

from decimal import Decimal, localcontext
from fractions import Fraction

import sympy as sp
from sympy.core.relational import Relational
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from ..errors import DomainError, suggest
from ..numbers.functions import entries, entry
from ..numbers.functions.elementary import REWRITTEN
from .grammar import CatalogueFunction
from .reader import ELEMENTARY


def translate(expr):
    """Write an expression in the functions of the grammar, or raise DomainError for what it does not have.

    Floats become exact numbers (their shortest decimals), other reciprocal and inverse functions are rewritten, and a
    ``Heaviside`` gets the value 0 at 0.
    """
    if expr.is_Symbol or expr.is_Rational or expr in (sp.pi, sp.E):
        return expr
    if expr.is_Float:
        q = Fraction(repr(float(expr)) if expr._prec == 53 else str(expr))
        return sp.Rational(q.numerator, q.denominator)
    if expr.is_Number or expr.is_NumberSymbol:
        raise _refusal(expr, "is a number the grammar does not have (integers, rationals, pi and e are)")
    if expr.is_Piecewise:
        return _translated_cases(expr)
    if not (expr.is_Add or expr.is_Mul or expr.is_Pow or expr.is_Function):
        raise _refusal(expr, f"contains a {type(expr).__name__}, which is not part of the grammar")
    args = [translate(a) for a in expr.args]
    if expr.is_Function and not isinstance(expr, CatalogueFunction):
        return _translated_function(expr, args)
    return expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)


def _refusal(expr, why):
    return DomainError(f"the expression {str(expr)[:80]} {why}")


def _translated_function(expr, args):
    name = type(expr).__name__
    if isinstance(expr, sp.Heaviside):
        return sp.Heaviside(args[0], 0)
    if name in REWRITTEN:
        return translate(REWRITTEN[name](sp, args[0]))
    known = entry(name)
    if known is not None and known.text and (name in ("Max", "Min") or len(args) == known.arity):
        return expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)
    more = (e.name for e in entries() if e.shown and e.text and e.text not in (*ELEMENTARY, "max", "min"))
    raise DomainError(f"the function {name} in {str(expr)[:80]} is not supported{suggest(name, ELEMENTARY)}; the "
                      f"functions are {', '.join((*ELEMENTARY, 'Max', 'Min', 'Piecewise', *more))}")


def _translated_cases(expr):
    if expr.args[-1][1] != sp.true:
        raise _refusal(expr, "is a Piecewise that does not cover every case; give its last branch the condition True")
    return sp.Piecewise(*((translate(value), _translated_condition(condition)) for value, condition in expr.args))


def _translated_condition(condition):
    if condition in (sp.true, sp.false):
        return condition
    if isinstance(condition, sp.And | sp.Or | sp.Not):
        return condition.func(*map(_translated_condition, condition.args))
    if isinstance(condition, Relational):
        return condition.func(translate(condition.lhs), translate(condition.rhs))
    raise _refusal(condition, "is not a comparison of real expressions")


def to_text(expr):
    """Print an expression as a text that reads back as an equal one."""
    return _TextPrinter().doprint(expr)


def _number(p, q=1):
    """Print a nonnegative number with a finite decimal expansion exactly, in few characters."""
    with localcontext(prec=1000):
        number = (Decimal(p) / q).normalize()
    plain = f"{number:f}"
    return plain if len(plain) <= 40 else str(number)


def _ends(q):
    """Return whether a number is better written as a decimal than as a fraction with this denominator."""
    return q not in (1, 2, 4, 8) and not is_periodic(q)


def is_periodic(q):
    """Return whether fractions with this denominator are no finite decimals."""
    return 10**1000 % q != 0


class _TextPrinter(StrPrinter):
    printmethod = ""              # functions that are shown as what they stand for have names in texts

    def _print_Rational(self, expr):
        p, q = abs(int(expr.p)), int(expr.q)
        text = _number(p, q) if q == 1 or _ends(q) else f"{_number(p)}/{_number(q)}"
        return "-" * bool(expr < 0) + text

    _print_Integer = _print_Half = _print_Zero = _print_One = _print_NegativeOne = _print_Rational

    def _print_Exp1(self, expr):
        return "e"

    def _print_Mul(self, expr):
        number, factors = expr.as_coeff_mul()
        p, q, above, below = abs(int(number.p)), int(number.q), [], []
        if _ends(q):
            above.append(_number(p, q))
        else:
            above += [_number(p)] if p != 1 else []
            below += [_number(q)] if q != 1 else []
        for factor in sp.Mul(*factors, evaluate=False).as_ordered_factors():
            base, exponent = factor.as_base_exp()
            if factor.is_Pow and exponent.is_Rational and exponent < 0:
                below.append(self.parenthesize(sp.Pow(base, -exponent), PRECEDENCE["Mul"], strict=False))
            else:
                above.append(self.parenthesize(factor, PRECEDENCE["Mul"]))
        return "-" * bool(number < 0) + "*".join(above or ["1"]) + "".join(f"/{text}" for text in below)

    def _print_Function(self, expr):
        known = entry(type(expr).__name__)
        return f"{known.text if known else type(expr).__name__}({self.stringify(expr.args, ', ')})"

    _print_Abs = _print_Function

    def _print_CatalogueFunction(self, expr):
        return f"{expr.args[0].name}({self._print(expr.args[1])})"

    def _print_Heaviside(self, expr):
        return f"step({self._print(expr.args[0])})"

    def _print_Max(self, expr):
        args = sorted(expr.args, key=sp.default_sort_key)
        return f"{type(expr).__name__.lower()}({self.stringify(args, ', ')})"

    _print_Min = _print_Max

    def _print_Piecewise(self, expr):
        *pairs, (last, condition) = expr.args
        text = self._print(last)
        if condition != sp.true:
            raise _refusal(expr, "does not cover every case")
        for value, condition in reversed(pairs):
            text = self._where(condition, self._print(value), text)
        return text

    def _where(self, condition, yes, no):
        """Print a choice by any Boolean combination of comparisons."""
        if isinstance(condition, sp.And | sp.Or):
            for part in sorted(condition.args, key=sp.default_sort_key, reverse=True):
                if isinstance(condition, sp.And):
                    yes = self._where(part, yes, no)
                else:
                    no = self._where(part, yes, no)
            return yes if isinstance(condition, sp.And) else no
        if isinstance(condition, sp.Not):
            return self._where(condition.args[0], no, yes)
        return f"where({self._print(condition.lhs)} {condition.rel_op} {self._print(condition.rhs)}, {yes}, {no})"
