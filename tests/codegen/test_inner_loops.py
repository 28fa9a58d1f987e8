"""Loops over the nodes of sums inside sums: functions without branches, and two values in one call."""

import numpy as np
import pytest
from sympy import Symbol, erfc, exp, symbols, tanh

import asympkit as ak
from asympkit.codegen.expressions import ExpressionPrinter
from asympkit.codegen.loops import assignments, without_branches
from asympkit.gauss import BivariateNormalCDF as Phi2

a, b, r = symbols("a b r", real=True)
NAMES = {s: s.name for s in (a, b, r, *symbols("u v w", real=True))}
AT = {"r": 1.2, "c": 1.1, "alpha": 1.7, "beta": 0.8}


def lines(*rows):
    return list(assignments([(Symbol(name, real=True), e) for name, e in rows], NAMES, ExpressionPrinter(NAMES)))


def test_values_at_opposite_arguments_come_from_one_call():
    assert lines(("u", Phi2(a, b, r)), ("w", a * b), ("v", Phi2(-a, -b, r))) == [
        "u, v = bivariate_opposite(a, b, r)", "w = a*b"]


def test_one_function_with_branches_keeps_all():
    assert without_branches([exp(a) * erfc(b), abs(a)])
    assert not without_branches([exp(a) * tanh(b)])
    printer = ExpressionPrinter(NAMES, lanes=True)
    assert printer.source(exp(a) * erfc(b)) == "lane_exp(a)*lane_erfc(b)"


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
