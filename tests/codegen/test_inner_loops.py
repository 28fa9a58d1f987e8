"""Loops of the kernels: functions without branches, several values in one call, half of the rows."""

import numpy as np
import pytest
from helpers.strategies import activations
from hypothesis import given, settings
from sympy import Symbol, exp, symbols

import asympkit as ak
from asympkit import Activation
from asympkit.codegen.expressions import ExpressionPrinter, Values, stack_orders
from asympkit.codegen.tables import NameMap
from asympkit.numbers.functions.classes import NormalBlur

a, b, r = symbols("a b r", real=True)
NAMES = {s: s.name for s in (a, b, r, *symbols("u v w", real=True))}
AT = {"r": 1.2, "c": 1.1, "alpha": 1.7, "beta": 0.8}


def test_the_loops_of_signed_labels():
    theory = ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign")
    with open(theory.kernel.module.__file__, encoding="utf-8") as stream:
        text = stream.read()
    loops = text[text.index("def solve_point("):text.index("def solve_rows(")]
    assert all(f"{name}(" in loops for name in ("lane_erfc", "lane_exp", "lane_logistic_slope", "bivariate_opposite"))
    assert not any(f" {name}(" in loops for name in ("math.erfc", "bivariate_cdf", "logistic_slope"))


@pytest.mark.slow
@pytest.mark.parametrize("more", [{"gamma": 0.9}, {"gamma": 0.3, "flip": 0.1, "noise_variance": 0.25}])
def test_they_give_the_numbers_of_numpy(more):
    theory = ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign")
    lam = np.geomspace(1e-3, 10, 24)
    loops, arrays = (theory.sweep(**AT, **more, lam=lam, backend=backend) for backend in ("numba", "numpy"))
    for name in ("test_error", "clean_error", "train_loss", "objective", "V1", "q1", "psi", "m"):
        assert np.max(np.abs(loops[name] / arrays[name] - 1)) <= 1e-12, name


c, h, d, x = (Symbol(n, real=True) for n in ("c", "h", "d", "x"))


def blur(j, n, at=c):
    return NormalBlur(j, n, at, h, -1, 1)


def test_orders_in_one_call():
    rows = [(x, exp(c)), (d, blur(0, -1) * x)]
    made, results = stack_orders(rows, [blur(1, -1) + blur(0, 0), blur(0, 0, at=d)])
    assert made[0] == rows[0] and isinstance(made[1], Values) and made[2][0] is d
    first, second, third = (made[1].symbols[o] for o in ((0, -1), (0, 0), (1, -1)))
    assert made[2][1] == first * x and results[0] == second + third
    assert results[1] == blur(0, 0, at=d)                               # alone at its place
    (values,), _ = stack_orders([], [blur(1, -1) + blur(0, 0)])
    printer = ExpressionPrinter(NameMap({c: "c", h: "h"}))
    assert values.source(printer) == ("_, _, at_once_1_2, at_once_1_1, _, _, _, _, _ = "
                                      "lane_normal_window(c, h, -1, 1)")
    assert values.source(printer, is_batch=True) == ("at_once_1_1, at_once_1_2, = normal_window_batch("
                                                     "((0, 0), (1, -1)), c, h, -1, 1)")
    other = blur(0, 3) + blur(0, 4)
    assert stack_orders([], [other]) == ([], [other])


@settings(max_examples=100, deadline=None, derandomize=True)
@given(activations())
def test_parity_at_sight_is_right(sample):
    act = Activation(sample.text)
    parity = act.form_parity
    if parity:
        x = np.linspace(0.01, 7, 90)
        right = act(x)                       # powers round differently on the two sides
        np.testing.assert_allclose(act(-x), parity * right, rtol=1e-12, atol=1e-13 * np.max(np.abs(right)))
