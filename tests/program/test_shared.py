"""What integrands have in common: the same values from fewer operations."""

import numpy as np
import pytest
from sympy import Piecewise, count_ops, exp, lambdify, sqrt, symbols

from asympkit.program.passes import shared

x, y, z = symbols("x y z", real=True)
INTEGRANDS = [exp(x) * (x + y) ** 2 / (1 + y * exp(x)), (x + y) ** 2 * sqrt(1 + y * exp(x)) - z * (x + y),
              (1 + y * exp(x)) ** -3 * z * (x + y)]


@pytest.mark.parametrize("has_products", [False, True])
def test_values(has_products):
    steps, forms = shared(INTEGRANDS, has_products)
    at = {"x": 0.3, "y": 1.7, "z": -0.4}
    for symbol, expr in steps:              # each holds what stands before it alone
        assert {s.name for s in expr.free_symbols} <= at.keys()
        at[symbol.name] = float(expr.xreplace({s: at[s.name] for s in expr.free_symbols}))
    expected = lambdify((x, y, z), INTEGRANDS)(0.3, 1.7, -0.4)
    found = [float(e.xreplace({s: at[s.name] for s in e.free_symbols})) for e in forms]
    assert np.allclose(found, expected, rtol=1e-14)
    assert len({s.name for s, _ in steps}) == len(steps)


def test_products_have_names_if_asked():
    (few, _), (more, forms) = shared(INTEGRANDS), shared(INTEGRANDS, has_products=True)
    assert more[:len(few)] == few or len(more) > len(few)
    assert sum(count_ops(e) for e in [*forms, *(e for _, e in more)]) < sum(map(count_ops, INTEGRANDS))
    assert [str(e) for _, e in more] == [str(e) for _, e in shared(INTEGRANDS, has_products=True)[0]]


def test_cases_stay_as_they_are():
    cases = Piecewise((1 / x, x > 0), (0, True))
    assert shared([cases * y, cases * z + y * z * x, y * z * x], has_products=True) == \
        shared([cases * y, cases * z + y * z * x, y * z * x])
