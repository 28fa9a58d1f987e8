"""Values of a function of several orders at the same arguments are asked for in one call."""

from sympy import Symbol, exp

from asympkit.codegen.expressions import ExpressionPrinter, Values, together
from asympkit.codegen.products import NameMap
from asympkit.numbers.functions.step_classes import NormalBlur

c, h, d, x = (Symbol(n, real=True) for n in ("c", "h", "d", "x"))


def blur(j, n, at=c):
    return NormalBlur(j, n, at, h, -1, 1)


def test_one_call_before_the_first_use():
    rows = [(x, exp(c)), (d, blur(0, -1) * x)]
    made, results = together(rows, [blur(1, -1) + blur(0, 0), blur(0, 0, at=d)])
    assert made[0] == rows[0] and isinstance(made[1], Values) and made[2][0] is d
    first, second, third = (made[1].symbols[o] for o in ((0, -1), (0, 0), (1, -1)))
    assert made[2][1] == first * x and results[0] == second + third
    assert results[1] == blur(0, 0, at=d)                               # alone at its place


def test_lines():
    (values,), _ = together([], [blur(1, -1) + blur(0, 0)])
    printer = ExpressionPrinter(NameMap({c: "c", h: "h"}))
    assert values.source(printer) == ("_, _, at_once_1_2, at_once_1_1, _, _, _, _, _ = "
                                      "lane_normal_window(c, h, -1, 1)")
    assert values.source(printer, is_batch=True) == ("at_once_1_1, at_once_1_2, = normal_window_batch("
                                                     "((0, 0), (1, -1)), c, h, -1, 1)")


def test_orders_that_are_not_among_those():
    other = blur(0, 3) + blur(0, 4)
    assert together([], [other]) == ([], [other])
