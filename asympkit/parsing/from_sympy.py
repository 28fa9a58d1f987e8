"""Sympy expression to syntax tree, so that expressions and texts share one evaluation."""

from fractions import Fraction

from ..errors import DomainError, suggest
from ..numbers.functions import entries, entry
from ..numbers.functions.rewritten import REWRITTEN
from .grammar import ELEMENTARY
from .tree import Call, Chain, Compare, Const, Name, Neg, Num, Pow, Where

__all__ = ["from_sympy"]


def from_sympy(expr):
    """Translate a sympy expression of the grammar's functions; other functions raise :class:`DomainError`.

    The reciprocal functions (sec, sech, ...) and the other inverse functions are rewritten; a
    ``Heaviside`` loses its value at 0, which becomes 0.
    """
    return _node(expr)


def _refuse(expr, why):
    return DomainError(f"the expression {str(expr)[:80]} {why}")


def _rational(p, q):
    """``p/q`` for ``p, q > 0``: one number where the decimal expansion ends, else a quotient."""
    rest = q
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1 and q <= 10**6 and q not in (2, 4, 8):
        return Num(Fraction(p, q))
    return Chain(Num(Fraction(p)), (("/", Num(Fraction(q))),))


def _exact(number):
    """A rational exactly, a float by its shortest decimal."""
    if number.is_Float and number._prec == 53:
        return Fraction(repr(float(number)))
    return Fraction(str(number))


def _number(expr):
    import sympy as sp

    if expr.is_Float:
        value = _exact(expr)
        return _signed(value, Num(abs(value)))
    if expr.is_Rational:
        p, q = abs(int(expr.p)), int(expr.q)
        return _signed(expr, Num(Fraction(p)) if q == 1 else _rational(p, q))
    if expr is sp.pi:
        return Const("pi")
    if expr is sp.E:
        return Const("e")
    raise _refuse(expr, "is a number the grammar does not have (integers, rationals, pi and e are)")


def _signed(value, node):
    return Neg(node) if value < 0 else node


def _sum(expr):
    terms = [_node(term) for term in expr.as_ordered_terms()]
    rest = []
    for term in terms[1:]:
        match term:
            case Neg(arg):
                rest.append(("-", arg))
            case Chain(Neg(first), factors) if factors[0][0] in "*/":
                rest.append(("-", Chain(first, factors)))
            case _:
                rest.append(("+", term))
    return Chain(terms[0], tuple(rest))


def _product(expr):
    import sympy as sp

    coefficient, factors = expr.as_coeff_mul()
    value = _exact(coefficient)
    negative, p, q = value < 0, abs(value.numerator), value.denominator
    above, below = ([] if p == 1 else [Num(Fraction(p))]), ([] if q == 1 else [Num(Fraction(q))])
    for factor in sp.Mul(*factors, evaluate=False).as_ordered_factors():
        base, exponent = factor.as_base_exp()
        if factor.is_Pow and exponent.is_Rational and exponent < 0:
            below.append(_node(sp.Pow(base, -exponent)))
        else:
            above.append(_node(factor))
    above = above or [Num(Fraction(1))]
    rest = [("*", node) for node in above[1:]] + [("/", node) for node in below]
    first = Neg(above[0]) if negative else above[0]
    return Chain(first, tuple(rest)) if rest else first


def _power(expr):
    import sympy as sp

    base, exponent = expr.args
    if exponent == sp.Rational(1, 2):
        return Call("sqrt", (_node(base),))
    if base is sp.E:
        return Call("exp", (_node(exponent),))
    if exponent.is_Rational and exponent < 0:
        return Chain(Num(Fraction(1)), (("/", _node(sp.Pow(base, -exponent))),))
    return Pow(_node(base), _node(exponent))


def _where(condition, yes, no):
    """``where`` for any Boolean combination of comparisons."""
    import sympy as sp

    if condition == sp.true:
        return yes
    if condition == sp.false:
        return no
    if isinstance(condition, sp.And | sp.Or):
        for part in reversed(condition.args):
            if isinstance(condition, sp.And):
                yes = _where(part, yes, no)
            else:
                no = _where(part, yes, no)
        return yes if isinstance(condition, sp.And) else no
    if isinstance(condition, sp.Not):
        return _where(condition.args[0], no, yes)
    if isinstance(condition, sp.core.relational.Relational):
        return Where(Compare(condition.rel_op, _node(condition.lhs), _node(condition.rhs)), yes, no)
    raise _refuse(condition, "is not a comparison of real expressions")


def _piecewise(expr):
    import sympy as sp

    *pairs, (last, condition) = expr.args
    if condition != sp.true:
        raise _refuse(expr, "is a Piecewise that does not cover every case; give its last branch the "
                            "condition True")
    node = _node(last)
    for value, condition in reversed(pairs):
        node = _where(condition, _node(value), node)
    return node


def _function(expr):
    import sympy as sp

    name = type(expr).__name__
    if isinstance(expr, sp.Heaviside):
        return Call("step", (_node(expr.args[0]),))
    if isinstance(expr, sp.Piecewise):
        return _piecewise(expr)
    x = expr.args[0] if expr.args else None
    if name in REWRITTEN:
        return _node(REWRITTEN[name](sp, x))
    known = entry(name)
    if known is not None and known.text and (name in ("Max", "Min") or len(expr.args) == known.arity):
        return Call(known.text, tuple(map(_node, expr.args)))
    hint = suggest(name, ELEMENTARY)
    raise DomainError(f"the function {name} in {str(expr)[:80]} is not supported{hint}; the functions are "
                      f"{', '.join((*ELEMENTARY, 'Max', 'Min', 'Piecewise', *_more()))}")


def _more():
    """The functions of the list that are no part of the grammar, as sympy calls them."""
    return (e.name for e in entries() if e.shown and e.text and e.text not in (*ELEMENTARY, "max", "min"))


def _node(expr):
    if expr.is_Symbol:
        return Name(expr.name)
    if expr.is_Number or expr.is_NumberSymbol:
        return _number(expr)
    if expr.is_Add:
        return _sum(expr)
    if expr.is_Mul:
        return _product(expr)
    if expr.is_Pow:
        return _power(expr)
    if expr.is_Function or expr.is_Piecewise:
        return _function(expr)
    raise _refuse(expr, f"contains a {type(expr).__name__}, which is not part of the grammar")
