"""Every result and every theory survives pickle and copy with all its digits, also in other processes."""

import copy
import enum
import multiprocessing
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, is_dataclass

import mpmath
import numpy as np
import pytest
from sympy import Symbol, cosh, log, symbols, tanh

import asympkit as ak
from asympkit.check import Row
from asympkit.nodes import Applied

m, J, h, D = symbols("m J h D", positive=True)
y, z = symbols("y z", real=True)
AT = {"eta": 1, "alpha0": 5, "alpha": 1.5, "lam": 0.01}
SPIKES = {"phi": 0.5, "psi": 1, "lam": 0.01}


def magnet():
    return ak.Theory(name="magnet", unknowns=[m], parameters={J: ("coupling", "positive"), h: ("field", "positive")},
                     free_energy=J * m**2 / 2 - ak.E(log(cosh(J * m + h + z)), z), observables={"energy": -h * m})


def eigen():
    return ak.Theory(name="mean", unknowns=[m], parameters={h: ("", "positive")},
                     equations=[m - ak.mean(1 / (h + D), ak.Eigenvalues(D)) - ak.Named("V", h**2 + h) / 9])


def precise(digits=30):
    return magnet().precise(digits=digits, J="1.5", h="0.2")


def caught():
    with pytest.raises(ak.ConvergenceError) as error:
        ak.Theory(name="none", unknowns=[m], parameters={h: ("", "positive")}, equations=[m + h]).solve(h=1)
    return error.value


MAKERS = {
    "solve": lambda: magnet().solve(J=1.5, h=0.2), "precise": precise, "precise, few digits": lambda: precise(7),
    "sweep": lambda: magnet().sweep(J=[1.0, 1.5], h=0.2),
    "minimize": lambda: magnet().minimize("energy", over="h", bounds=(0.1, 1.0), J=1.5),
    "continuation": lambda: magnet().continuation(over="h", start=0.1, stop=0.2, J=1.5), "error": caught,
    "staircase": lambda: ak.NonlinearSpikes("z+(z**2-1)/sqrt(2)", "tanh").staircase(alpha_lr=[0.1, 0.3], **SPIKES),
    "row of a report": lambda: Row("m", 0.5, precise()["m"], True),
    "coefficients": lambda: ak.Activation("tanh").hermite_coefficients(3, digits=20),
}
NESTED = ak.E(ak.E(Applied("student", y + h * z), z) ** 2, y)
THEORIES = {
    "free energy": (magnet, {"J": 1.5, "h": 0.2}),
    "eigenvalues": (eigen, {"h": 0.3, "D": np.array([1.0, 2.0])}),
    "nested": (lambda: ak.Theory(name="unit", parameters={h: ("", "positive")}, unknowns=[m],
                                 activations={"student": "erf"}, equations=[m - 1 - NESTED / (1 + m)]), {"h": 0.5}),
    "one step": (lambda: ak.OneStep("tanh", "sin"), AT),
    "spikes": (lambda: ak.NonlinearSpikes("z+(z**2-1)/sqrt(2)", "tanh"), SPIKES),
}
WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "deepcopy": copy.deepcopy, "copy": copy.copy}


def assert_same(a, b):
    assert type(a) is type(b) or hasattr(a, "_mpf_")
    if isinstance(a, enum.Enum):
        assert a is b
    elif hasattr(a, "_mpf_"):
        assert a._mpf_ == b._mpf_ and str(a) == str(b) and a.context.prec == b.context.prec
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for k in a:
            assert_same(a[k], b[k])
    elif isinstance(a, tuple | list):
        assert len(a) == len(b)
        for x, w in zip(a, b):
            assert_same(x, w)
    elif is_dataclass(a):
        for f in fields(a):
            assert_same(getattr(a, f.name), getattr(b, f.name))
    elif isinstance(a, np.ndarray):
        np.testing.assert_array_equal(a, b)
    elif hasattr(a, "__dict__"):
        assert_same(dict(a.__dict__), dict(b.__dict__))
    else:
        assert a == b or a != a


@pytest.mark.parametrize("name", MAKERS)
def test_results(name):
    result = MAKERS[name]()
    for way in WAYS.values():
        again = way(result)
        assert_same(result, again)
        assert str(again) == str(result) or name == "sweep"


def test_proofs():
    pytest.importorskip("flint")
    proof = magnet().certify(digits=15, J="1.5", h="0.2")
    for way in WAYS.values():
        assert_same(proof, way(proof))
        assert str(way(proof)) == str(proof)


@pytest.mark.slow
def test_reports():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        report = ak.OneStep("tanh", "sin").check(d=20, repeats=2, digits=6, **AT)
    for way in WAYS.values():
        again = way(report)
        assert_same(report, again)
        assert str(again) == str(report) and again.verdict == report.verdict


@pytest.mark.parametrize("name", THEORIES)
def test_theories(name):
    make, at = THEORIES[name]
    theory = make()
    first = theory.solve(**at)
    for way in WAYS.values():
        again = way(theory)
        assert_same(again.solve(**at), first)
        assert again.equations().text() == theory.equations().text()


def test_numbers_that_came_back_are_numbers():
    first = precise()
    again = pickle.loads(pickle.dumps(first))
    assert again["m"] == first["m"] and again == first and str(again["m"]) == "0.583423687407845236524897360508"
    with mpmath.workdps(40):
        assert abs(mpmath.mpf(again["m"]) - mpmath.mpf("0.583423687407845236524897360508")) < mpmath.mpf(10) ** -29
    assert again["m"] + first.energy - first.energy == first["m"]
    assert len(str(again["m"] * again["energy"])) > 25           # in one context, with all digits


def test_symbols_of_averages_are_bound_still():
    for expr in (ak.E(tanh(m * z) ** 2, z), ak.mean(1 / (m + D), ak.Eigenvalues(D)),
                 ak.mean(D / (m + D), ak.MarchenkoPastur(D, ratio=m, scale=1)), ak.Named("V", m**2 + 1),
                 ak.E(ak.E(tanh(m * z + y), y) ** 2, z), ak.E(tanh(z) * tanh(y), (z, y), rho=Symbol("rho"))):
        for way in WAYS.values():
            assert way(expr) == expr and way(expr).free_symbols == expr.free_symbols


@pytest.mark.slow
def test_processes_take_them():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert_same(pool.submit(magnet().solve, J=1.5, h=0.2).result(), magnet().solve(J=1.5, h=0.2))
        assert_same(pool.submit(precise).result(), precise())
        assert pool.submit(str, precise()).result() == str(precise())
        grid = {"J": np.array([0.5, 1.0, 1.5]), "h": 0.2}
        assert_same(magnet().sweep(executor=pool, **grid), magnet().sweep(**grid))
