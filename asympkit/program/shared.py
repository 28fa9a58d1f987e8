"""What several integrands over many nodes have in common is computed once: their functions and reciprocals."""

from itertools import count

from sympy import Dummy, Piecewise, Pow, cse
from sympy.core.function import Application

__all__ = ["shared"]


def shared(integrands, has_products=False):
    """Name the functions and the negative or fractional powers in some expressions, inner ones first.

    Parameters
    ----------
    integrands : sequence of Expr
    has_products : bool
        Whether sums and products that are met twice have names too: of arrays there would be many at once.

    Returns
    -------
    list of (Symbol, Expr), list of Expr
        What stands for what, in order, and the expressions in these symbols.  Cases stay as they are: outside of its
        case a branch need not have a value.
    """
    names, steps = {}, []

    def walk(expr):
        if not expr.args or isinstance(expr, Piecewise):
            return expr
        if isinstance(expr, Pow) and expr.exp.is_Integer and expr.exp < -1:
            return walk(1 / expr.base) ** -expr.exp            # one division for all powers
        args = [walk(a) for a in expr.args]
        form = expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args, evaluate=False) \
            if expr.is_Add or expr.is_Mul else expr.func(*args)
        is_plain_power = isinstance(form, Pow) and form.exp.is_Integer and form.exp > 0
        if not form.free_symbols or not isinstance(form, Application | Pow) or is_plain_power:
            return form
        if form not in names:
            names[form] = Dummy(f"shared_{len(names) + 1}", real=True)
            steps.append((names[form], form))
        return names[form]

    forms = [walk(e) for e in integrands]
    if not has_products or any(e.has(Piecewise) for e in forms):
        return steps, forms
    numbers = (Dummy(f"shared_{n}", real=True) for n in count(len(steps) + 1))
    products, forms = cse(forms, symbols=numbers)
    return steps + products, forms
