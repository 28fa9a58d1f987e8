"""Derivatives by complex numbers: means, tables and kernels beside closed forms and derived tangent systems."""

import numpy as np
import pytest
from asympkit.generated.spiked_features import kernel, tangent
from scipy.special import erf

import asympkit as ak
from asympkit.sensitivity.complex_step import ComplexStep, complex_means
from asympkit.solve.kernel import Kernel

#: alpha, beta, lam, noise variance, r, c, gamma, rho
POINT = {"alpha": 1.5, "beta": 1.2, "lam": 0.05, "noise_variance": 0.1, "r": 0.8, "c": 1.3, "gamma": 0.6, "rho": 0.8}


def test_means_at_a_complex_argument():
    """E relu(a + b*z) has the derivatives Phi(a/b) by a and phi(a/b) by b."""
    a, b, h = np.array([-1.2, 0.0, 0.03, 0.9]), 0.7, 1e-30
    (by_a,), error = complex_means(ak.Activation("relu"), a + 1j * h, b, lambda z, s, at: (s,))
    (by_b,), _ = complex_means(ak.Activation("relu"), a, b + 1j * h, lambda z, s, at: (s,))
    assert error < 1e-12
    assert by_a.imag / h == pytest.approx(0.5 * (1 + erf(a / b / np.sqrt(2))), rel=1e-13)
    assert by_b.imag / h == pytest.approx(np.exp(-0.5 * (a / b) ** 2) / np.sqrt(2 * np.pi), rel=1e-12)


def test_means_of_what_is_complex_itself():
    """E (tanh(a + b*z) - p*z)**2 by p, and by a and p at once."""
    a, b, h, p = np.array([-0.5, 1.5]), 1.1, 1e-30, 0.4
    tanh = ak.Activation("tanh")
    (m1, square), _ = complex_means(tanh, a, b, lambda z, s, at: (z * s, s * s))
    (by_p,), _ = complex_means(tanh, a, b, lambda z, s, at: ((s - (p + 1j * h) * z) ** 2,))
    assert by_p.real == pytest.approx(square - 2 * p * m1 + p * p, rel=1e-13)
    assert by_p.imag / h == pytest.approx(2 * (p - m1), rel=1e-13)
    (both,), _ = complex_means(tanh, a + 1j * h, b, lambda z, s, at: ((s - (p + 2j * h) * z) ** 2,))
    (by_a,), _ = complex_means(tanh, a + 1j * h, b, lambda z, s, at: ((s - p * z) ** 2,))
    assert both.imag == pytest.approx(by_a.imag + 2 * by_p.imag, rel=1e-13)


def test_what_does_not_move_stays_real():
    values, _ = complex_means(ak.Activation("sin"), np.array([0.2]), 1.0, lambda z, s, at: (s,))
    assert not np.iscomplexobj(values[0])


@pytest.mark.parametrize("name", ["lam", "noise_variance", "r", "c", "gamma"])
@pytest.mark.parametrize("pair", [("tanh", "sin"), ("relu", "sign")])
def test_as_the_derived_tangent_system(pair, name):
    functions = tuple(ak.Activation(f) for f in pair)
    rates = {**dict.fromkeys(POINT, 0.0), name: 1.0}
    if name == "gamma":
        rates["rho"] = -POINT["gamma"] / POINT["rho"]
    own, values = Kernel(ComplexStep(kernel)), (*POINT.values(), *rates.values())
    table = tuple(POINT[n] for n in kernel.TABLE_PARAMETERS)
    moved = own.batch(values, own.tables(5, (*table, *(rates[n] for n in kernel.TABLE_PARAMETERS)), functions, ())[0])
    derived = Kernel(tangent)
    known = derived.batch(values, derived.tables(5, table, functions, ())[0])
    assert set(own.module.OUTPUTS) == set(tangent.OUTPUTS)
    found, known = (dict(zip(k.module.OUTPUTS, out[:, 0])) for k, (out, _) in ((own, moved), (derived, known)))
    for n in own.module.OUTPUTS[:-2]:
        if n.startswith("size_"):
            assert found[n] >= abs(found[n.removeprefix("size_")])
        else:
            assert found[n] == pytest.approx(known[n], rel=1e-11, abs=1e-13 * found.get(f"size_{n}", 1.0)), n


def test_sizes_are_those_before_cancellation():
    """Near the best penalty the derivative vanishes, and the terms that it is made of do not."""
    functions = tuple(ak.Activation(f) for f in ("tanh", "sin"))
    rates = {**dict.fromkeys(POINT, 0.0), "lam": 1.0}
    best = ak.SpikedFeatures("tanh", "sin").minimize(
        "test_error", over="lam", bounds=(1e-3, 1e3), r=0.8, c=1.3, gamma=0.6, alpha=1.5, beta=1.2,
        noise_variance=0.1)
    at, table = {**POINT, "lam": best.argmin}, tuple(POINT[n] for n in kernel.TABLE_PARAMETERS)
    own = Kernel(ComplexStep(kernel))
    out, _ = own.batch((*at.values(), *rates.values()), own.tables(5, (*table, 0.0, 0.0, 0.0, 0.0), functions, ())[0])
    found = dict(zip(own.module.OUTPUTS, out[:, 0]))
    assert abs(found["dtest_error"]) < 1e-9 * found["size_dtest_error"]


def test_rows_are_points():
    """What a compiled module does in loops."""
    module = ComplexStep(kernel)
    functions = tuple(ak.Activation(f) for f in ("tanh", "sin"))
    table = (*(POINT[n] for n in kernel.TABLE_PARAMETERS), 0.0, 0.0, 0.0, 0.0)
    tables = Kernel(module).tables(3, table, functions, ())[0]
    rates = [np.zeros((2, 3))] * 2 + [np.ones((2, 3))] + [np.zeros((2, 3))] * 5
    rows = [np.full((2, 3), v) for v in POINT.values()]
    rows[0] = np.linspace(0.5, 3.0, 6).reshape(2, 3)
    out = np.empty((2, 3, len(module.OUTPUTS)))
    module.solve_rows(*rows, *rates, *tables, *[np.ones((2, 3))] * len(kernel.TORN), out, 1e-9, 100, 1e-9)
    plain = Kernel(module).batch([r.ravel() for r in (*rows, *rates)], tables)[0]
    found = out.reshape(6, -1).T
    assert found == pytest.approx(plain, rel=1e-12)


def test_names_that_are_taken():
    module = ComplexStep(kernel)
    assert len(set(module.OUTPUTS)) == len(module.OUTPUTS)
    assert len(set(module.PARAMETERS)) == len(module.PARAMETERS)
    with pytest.raises(AttributeError):
        _ = module.nothing_of_this_name
