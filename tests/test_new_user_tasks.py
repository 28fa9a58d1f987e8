"""What new users of activations and tables want, from the docs alone: each task in fewer than ten lines."""

import inspect
import math

import numpy as np
import pytest
from helpers.commands import command
from sympy import symbols

import asympkit as ak

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


def curve_of_a_framework_name(folder):
    model = ak.OneStep("LeakyReLU(0.2)", "SiLU")
    return model.sweep(alpha=[0.5, 1, 2], eta=1, alpha0=5, lam=0.1)["test_error"]


def gain_of_my_activation(folder):
    act = ak.Activation("x*sigmoid(1.5*x) + 0.1*clip(x, -1, 1)")
    return act.gain(), act.gain(digits=30), act.gain(certified=True)


def tangent_kernel_for_another_program(folder):
    rho, q = symbols("rho", real=True), symbols("q", positive=True)
    act = ak.Activation("mish")
    theory = ak.Theory(name="kernels of mish", unknowns=[], equations=[], parameters={
        rho: ("correlation", (-1, 1)), q: ("variance", "positive")}, observables={
        "nngp": act.kernel(rho, q, q), "tangent": act.kernel(rho, q, q, derivative=1)})
    return theory.sweep(rho=[0.1, 0.5], q=1.3), theory.generate(folder / "mish.py", language="jax")


def initialisation_at_the_edge_of_chaos(folder):
    return ak.Activation("tanh").edge_of_chaos(bias_variance=0.05)["weight_variance"]


def table_of_a_paper(folder):
    path = folder / "paper.csv"
    path.write_text("alpha,lambda,generalisation error\n0.5,0.1,0.2588\n1.5,0.1,0.2398\n3,0.1,0.2168\n")
    found = ak.OneStep("tanh", "sin").compare(path, eta=1, alpha0=5, noise_variance=0.1)
    found.to_csv(folder / "compared.csv")
    return found


def networks_at_several_points(folder):
    return ak.OneStep("tanh", "sin").check(alpha=[1, 2], eta=1, alpha0=5, lam=0.1, d=60, repeats=4, digits=15)


def coefficients_for_my_paper(folder, capsys):
    out = folder / "coefficients.tex"
    line = ("hermite", "hardswish", "-n", "3", "--certified", "--format", "latex", "--out", str(out))
    return command(capsys, *line), out


TASKS = (curve_of_a_framework_name, gain_of_my_activation, tangent_kernel_for_another_program,
         initialisation_at_the_edge_of_chaos, table_of_a_paper, networks_at_several_points, coefficients_for_my_paper)


@pytest.mark.parametrize("task", TASKS)
def test_tasks_are_short(task):
    assert len(inspect.getsource(task).splitlines()) <= 10


def test_curve_gain_and_edge(tmp_path):
    curve = curve_of_a_framework_name(tmp_path)
    same = ak.OneStep("where(z > 0, z, z/5)", "z/(1 + exp(-z))").solve(alpha=1, eta=1, alpha0=5, lam=0.1).test_error
    assert curve[1] == pytest.approx(same, rel=1e-9) and np.all(np.diff(curve) < 0)
    plain, digits, proved = gain_of_my_activation(tmp_path)
    assert plain == pytest.approx(float(digits), rel=1e-13) and abs(digits - proved.mid) < 1e-28
    assert initialisation_at_the_edge_of_chaos(tmp_path) == pytest.approx(1.760954639606739, rel=1e-13)


def test_kernels(tmp_path):
    sweep, path = tangent_kernel_for_another_program(tmp_path)
    assert sweep["tangent"] == pytest.approx(ak.Activation("mish").kernel([0.1, 0.5], 1.3, 1.3, derivative=1), rel=1e-9)
    assert "def solve(rho, q" in path.read_text()


def test_table_networks_and_coefficients(tmp_path, capsys):
    found = table_of_a_paper(tmp_path)
    assert not found.passed and "'half square'" in found.explanations[0]
    assert len((tmp_path / "compared.csv").read_text().splitlines()) == 4
    checks = networks_at_several_points(tmp_path)
    assert checks.passed and math.prod(map(len, checks.axes.values())) == 2
    (status, out, err), path = coefficients_for_my_paper(tmp_path, capsys)
    assert (status, out, err) == (0, "", "") and r"\pm" in path.read_text()
