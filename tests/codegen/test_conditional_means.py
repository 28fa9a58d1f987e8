"""Tables of conditional means: any names of parameters, unknowns, means and activations."""

import math

import numpy as np
import pytest
from helpers.modules import plain_module
from helpers.tiers import slow_but
from sympy import Symbol

import asympkit as ak
from asympkit.nodes import Applied

Z = Symbol("z", real=True)


def real(*names):
    return [Symbol(name, real=True) for name in names]


def chained(*names):
    """The module of a theory whose means hold other means."""
    every, signs, error, first, unknown, node = real(*names[:6])
    student, target = Applied("student", every * node + signs * Z), Applied("target", error * node + first * Z)
    mean = ak.Named(names[6], ak.E(student, Z))
    spread = ak.Named(names[7], ak.E((target - mean) ** 2, Z))
    again = ak.Named(names[8], ak.E((student - spread) ** 2, Z))
    positive = dict.fromkeys((signs, first), ("", "positive"))
    return plain_module(ak.Theory(
        name="chained", parameters={every: ("", "real"), error: ("", "real"), **positive}, unknowns=[unknown],
        activations={"student": "tanh", "target": "softplus"},
        equations=[unknown - 1 - ak.E(spread * again / (1 + unknown**2), node)]).kernel_source())


@pytest.mark.parametrize(("student", "target"), slow_but([
    ("tanh(1.2*z)", "log(1 + exp(z))"), ("sin(z) + 1", "z**2 - 1"), ("cos(2*z)", "tanh")], 1))
def test_means_of_means_under_names_that_the_code_uses_too(student, target):
    plain = "p1", "p2", "p3", "p4", "u", "x", "mean", "spread", "again"
    taken = "every", "signs", "error", "first", "tables", "means", "change", "rows", "rules"
    made = []
    for names in (plain, taken):
        module, parameters = chained(*names), dict(zip(names, (0.7, 0.9, -0.4, 0.3)))
        at = [parameters[n] for n in module.TABLE_PARAMETERS] + [
            ak.Activation({"student": student, "target": target}[n]) for n in module.ACTIVATIONS]
        (grid,) = module.GRIDS
        tables, error = getattr(module, f"{grid}_rule")((0, 1), *at)
        assert error <= 1e-12
        made.append(tables)
    for (a, wa), (b, wb) in zip(*made, strict=True):
        np.testing.assert_array_equal(wa, wb)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-14 * np.max(np.abs(a)))


@pytest.mark.parametrize("label", ["change", "list", "rules", "lambda", "two words", "f.derivative", "x", "z"])
def test_labels_of_activations_may_be_any_text(label):
    u, x, node, p = real("u", "x", "y", "p")
    theory = ak.Theory(name="labels", parameters={p: ("", "real")}, unknowns=[u],
                       activations={label: "tanh", "f": "sin"},
                       equations=[u - ak.E(ak.E(Applied(label, p * x + node), node) ** 2, x)
                                  - ak.E(ak.E(Applied("f", p * x + node, 1), node) ** 2, x)])
    module = plain_module(theory.kernel_source())
    (grid,) = module.GRIDS
    assert set(module.ACTIVATIONS) == {label, "f"}
    (((table, weights),), error) = getattr(module, f"{grid}_rule")((3,), 0.7, *(
        {label: ak.Activation("tanh"), "f": ak.Activation("sin")}[n] for n in module.ACTIVATIONS))
    values = dict(zip(module.OUTPUTS, module.solve_point(0.7, table, weights, 0, 1e-9, 100)))
    # E_y cos(p x + y) = exp(-1/2) cos(p x)
    t = np.arange(-9.0, 9.1, 0.25)
    weight = np.exp(-0.5 * t**2) / np.exp(-0.5 * t**2).sum()
    mean = weight @ (np.tanh(0.7 * t + t[:, None]) * weight[:, None]).sum(axis=0) ** 2
    assert values["u"] == pytest.approx(mean + 0.5 * math.exp(-1) * (1 + math.exp(-2 * 0.49)), rel=1e-10)
