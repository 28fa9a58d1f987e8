"""Every theory sweeps, in every back end, over any number of axes: one table, each case against ``solve``."""

from itertools import product

import numpy as np
import pytest
from sympy import cosh, exp, log, sqrt, symbols, tanh

import asympkit as ak

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")

x, q, h, J, k, z, D = symbols("x q h J k z D", real=True)
V = symbols("V", positive=True)
label, prediction = symbols("y f", real=True)

ACCURACY = 1e-10
STEP = {"eta": 1.0, "alpha0": 5.0, "noise_variance": 0.1}
UNITS = {"r": 1.5, "c": 1.0, "gamma": 0.8, "noise_variance": 0.1}
RIDGE = {"alpha": (0.5, 4.0), "lam": (0.01, 1.0), "noise_variance": (0.0, 0.3)}
STEPS = {**RIDGE, "eta": (0.5, 1.5)}
SIGNS = {"alpha": (0.5, 4.0), "lam": (0.01, 1.0), "flip": (0.0, 0.2)}
#: without a penalty; samples on one side of the interpolation threshold
FEWER = {"alpha": (1.5, 4.0), "noise_variance": (0.05, 0.3), "beta": (0.5, 1.2)}
SPIKES = {"phi": (0.3, 2.0), "lam": (0.01, 1.0), "psi": (0.5, 2.0)}
SAMPLES = {"n": (2.0, 9.0), "lam": (0.01, 1.0), "noise_variance": (0.0, 0.3)}


def own(name, unknowns, equations, parameters, **more):
    return ak.Theory(name=name, unknowns=unknowns, equations=equations,
                     parameters={s: (s.name, "real") for s in parameters}, **more)


def magnet(**more):
    return own("magnet", [x], [x - tanh(J * x + h)], (J, h, k), observables={"energy": -J * x**2 / 2 - h * x * k},
               **more)


def glass():
    """Replica symmetric spins in a random field: two unknowns, an average, a free energy."""
    m, c = symbols("m c", positive=True)
    field = J * m + h + sqrt(c) * z
    return ak.Theory(name="glass", unknowns=[m, c], parameters={s: (s.name, "positive") for s in (J, h, k)},
                     equations=[m - ak.E(tanh(field), z), c - k * ak.E(tanh(field)**2, z)],
                     observables={"energy": ak.E(log(2 * cosh(field)), z)})


def resolvent():
    """A spectral law and a mean over it."""
    law = ak.MarchenkoPastur(D, ratio=0.5)
    return own("resolvent", [V], [V - ak.mean(D / (J + k * D / (1 + V)), law)], (J, k, h), observables={"o": V * h})


def proximal():
    """A proximal point under an average, and one equation."""
    return own("robust", [V], [V - J - k * ak.E(ak.Moreau(ak.Huber(1), h, 2 * z, V), z)], (J, k, h))


#: the theory, what it is given beside the axes, and three axes (those that are not swept stand at their middle)
TABLE = {
    "step": (lambda: ak.OneStep("tanh", "sin"), STEP, STEPS),
    "step, not odd": (lambda: ak.OneStep("softplus", "tanh"), STEP, STEPS),
    "step, width": (lambda: ak.OneStep("tanh", "sin"), {**STEP, "width": 300.0}, STEPS),
    "step, no penalty": (lambda: ak.OneStep("tanh", "sin"), {**STEP, "lam": 0.0}, FEWER),
    "step, exact": (lambda: ak.OneStep("tanh", "sin", bulk="exact"), STEP, STEPS),
    "step, exact, width": (lambda: ak.OneStep("tanh", "sin", bulk="exact"), {**STEP, "width": 300.0}, STEPS),
    "step, exact, not odd": (lambda: ak.OneStep("softplus", "tanh", bulk="exact"), {**STEP, "noise_variance": 0.0},
                             {"alpha": (0.5, 4.0), "lam": (0.01, 1.0), "beta": (0.5, 2.0)}),
    "step, exact, even": (lambda: ak.OneStep("z*tanh(z)", "sin", bulk="exact"), STEP, STEPS),
    "step, logistic": (lambda: ak.OneStep("tanh", "z", loss="logistic", labels="sign"), STEP,
                       {**SIGNS, "eta": (0.5, 1.5)}),
    "step, absolute": (lambda: ak.OneStep("tanh", "z", loss="absolute"), STEP, RIDGE),
    "step, bias": (lambda: ak.OneStep("tanh", "sin", bias=0.5), STEP, RIDGE),
    "features": (lambda: ak.SpikedFeatures("tanh", "sin"), UNITS, {**RIDGE, "gamma": (-0.5, 0.9)}),
    "features, width": (lambda: ak.SpikedFeatures("tanh", "sin"), {**UNITS, "width": 300.0}, RIDGE),
    "features, no penalty": (lambda: ak.SpikedFeatures("relu", "sin"), {**UNITS, "lam": 0.0}, FEWER),
    "features, square signs": (lambda: ak.SpikedFeatures("tanh", "z", labels="sign"), UNITS, SIGNS),
    "features, hinge": (lambda: ak.SpikedFeatures("tanh", "z", loss="hinge", labels="sign"), UNITS, SIGNS),
    "features, Huber": (lambda: ak.SpikedFeatures("tanh", "z", loss=ak.Huber(1)), UNITS, RIDGE),
    "features, own loss": (lambda: ak.SpikedFeatures(
        "tanh", "z", loss=ak.Loss(log(cosh(label - prediction)), label, prediction)), UNITS, RIDGE),
    "features, bias": (lambda: ak.SpikedFeatures("relu", "sin", bias=0.3), UNITS, RIDGE),
    "deep": (lambda: ak.DeepFeatures("1.5:tanh,1:erf", "1:sign"), {}, RIDGE),
    "deep, not odd": (lambda: ak.DeepFeatures("1.5:relu,1:softplus", "1:tanh"), {"input_spectrum": [2, 1, 0.5]}, RIDGE),
    "deep, no penalty": (lambda: ak.DeepFeatures("1.5:tanh", "1:sign"), {"lam": 0.0},
                         {"alpha": (2.0, 4.0), "noise_variance": (0.05, 0.3), "width1": (1.0, 1.5)}),
    "ridge, matrix": (lambda: ak.Ridge(np.diag([3, 2, 1, 0.5, 0.25]), [1, 0.5, 0.5, 0.2, 0.1], 2), {}, SAMPLES),
    "ridge, spectrum": (lambda: ak.Ridge(([3, 2, 1], [1, 4, 5]), [1, 0.5, 0.5], 2), {}, SAMPLES),
    "spikes": (lambda: ak.NonlinearSpikes("tanh(z)+0.3*(z**2-1)", "z+(z**2-1)/2"), {"noise_variance": 0.1}, SPIKES),
    "spikes, finite": (lambda: ak.NonlinearSpikes("tanh(z)+0.3*(z**2-1)", "z+(z**2-1)/2"),
                       {"noise_variance": 0.1, "eta": 5.0, "n": 1000.0}, SPIKES),
    "own, one unknown": (magnet, {"k": 1.0, "h": 0.2}, {"J": (0.3, 2.0), "h": (0.1, 1.0), "k": (-1.0, 1.0)}),
    "own, all is explicit": (lambda: own("plain", [x], [x - exp(h) * J], (J, h, k)), {"h": 0.2, "k": 1.0},
                             {"J": (0.3, 2.0), "h": (0.1, 1.0), "k": (-1.0, 1.0)}),
    "own, average": (glass, {"h": 0.2, "k": 0.5}, {"J": (0.3, 1.5), "h": (0.1, 1.0), "k": (0.1, 1.0)}),
    "own, spectrum": (resolvent, {"k": 0.5, "h": 0.2}, {"J": (0.3, 1.5), "k": (0.1, 1.0), "h": (0.1, 1.0)}),
    "own, proximal point": (proximal, {"k": 0.5, "h": 0.2}, {"J": (0.3, 1.5), "k": (0.1, 1.0), "h": (0.1, 1.0)}),
}
SHAPES = {(1, 5): (5,), (2, 5): (5, 1), (3, 5): (1, 5, 1), (1, 2000): (2000,), (2, 2000): (40, 50),
          (3, 2000): (25, 40, 2)}


#: theories whose equations take seconds to derive
DEAR = ("step, logistic", "step, absolute", "features, hinge", "features, Huber", "features, own loss")


def quick(variant, backend, shape):
    """A diagonal of the table: one case of each theory, and one of each back end."""
    if backend != "numpy":
        return (variant, backend, shape) in (("own, average", "numba", (2, 5)), ("step", "auto", (3, 5)))
    return variant not in DEAR and shape == list(SHAPES)[list(TABLE).index(variant) % 3]


def cases():
    for variant, backend, shape in product(TABLE, ("numpy", "numba", "auto"), SHAPES):
        marks = () if quick(variant, backend, shape) else pytest.mark.slow
        yield pytest.param(variant, backend, shape, marks=marks, id=f"{variant}-{backend}-{shape[0]}-{shape[1]}")


@pytest.fixture(scope="module")
def theories():
    """Each theory once: what it compiles serves all cases."""
    made = {}
    return lambda variant: made.setdefault(variant, TABLE[variant][0]())


@pytest.mark.parametrize(("variant", "backend", "shape"), list(cases()))
def test_the_sweep_of(variant, backend, shape, theories):
    theory, (_, fixed, ranges) = theories(variant), TABLE[variant]
    axes = {n: np.linspace(*ranges[n], size) for n, size in zip(ranges, SHAPES[shape])}
    fixed = {n: v for n, v in {**{n: sum(ends) / 2 for n, ends in ranges.items()}, **fixed}.items() if n not in axes}
    sweep = theory.sweep(backend=backend, **axes, **fixed)
    assert sweep.shape == SHAPES[shape] and sweep.converged.all(), sweep
    rng = np.random.default_rng(sum(map(ord, variant)))
    last = sweep.converged.size - 1
    for place in {0, last, *rng.integers(last, size=2).tolist()}:
        index = np.unravel_index(place, sweep.shape)
        point = theory.solve(**fixed, **{n: float(a[i]) for (n, a), i in zip(axes.items(), index)})
        for name in sweep.names:
            found, expected = sweep[name][index], point[name]
            size = max(abs(expected), point.scale.get(name, 0.0))
            assert abs(found - expected) <= max(ACCURACY * size, 1e-13), (name, index, found, expected)
