"""A variant of every kind of theory, with parameters and ranges: what all of them can do is tested in one place."""

import math

import numpy as np
from sympy import cosh, exp, log, sqrt, symbols, tanh

import asympkit as ak

x, q, h, J, k, z, D = symbols("x q h J k z D", real=True)
V = symbols("V", positive=True)
label, prediction = symbols("y f", real=True)

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

EVEN = ("sin(z)+(z**2-1)/3", "z+(z**2-1)/2")
TWO = [(1.5, 1.3, 0.5), (0.5, 1.05, 0.5)]
#: what sweeps do not differ in: parts of theories in other combinations
MORE = {
    "step, hinge": (lambda: ak.OneStep("tanh", "z", loss="hinge", labels="sign", bias=0.2), STEP, SIGNS),
    "step, Huber": (lambda: ak.OneStep("tanh", "sin", loss=ak.Huber(1)), STEP, RIDGE),
    "step, logistic, width": (lambda: ak.OneStep("tanh", "z", loss="logistic", labels="sign"),
                              {**STEP, "width": 50.0}, SIGNS),
    "step, even parts, width": (lambda: ak.OneStep(*EVEN), {**STEP, "width": 160.0}, STEPS),
    "step, exact, even parts, width": (lambda: ak.OneStep(*EVEN, bulk="exact"),
                                       {**STEP, "width": 160.0, "noise_variance": 0.0}, STEPS),
    "step, readout values": (lambda: ak.OneStep("tanh", "sin", readout=[(0.5, 0.5), (1.5, 0.5)]),
                             {**STEP, "width": 70.0}, {**STEPS, "beta": (0.5, 1.1)}),
    "features, even parts, width": (lambda: ak.SpikedFeatures(*EVEN), {**UNITS, "r": 0.08, "width": 160.0},
                                    {**RIDGE, "beta": (0.5, 1.1)}),
    "features, classes": (lambda: ak.SpikedFeatures("tanh", "sin(2*z)"),
                          {"units": TWO, "gamma": -0.35, "width": 100.0}, {**RIDGE, "beta": (0.5, 1.1)}),
    "deep, even": (lambda: ak.DeepFeatures("1.5:tanh,0.8:z**2", "1:sign"), {"width1": 1.5, "width2": 0.8}, RIDGE),
    "deep, two layers with means": (lambda: ak.DeepFeatures("1:relu,1:relu,1:tanh", "1:tanh"),
                                    {"input_spectrum": [0.5, 1.5]}, RIDGE),
}


def middle(variant, table=TABLE):
    """Return a theory and the point in the middle of its ranges."""
    make, fixed, ranges = table[variant]
    return make(), {**{n: sum(ends) / 2 for n, ends in ranges.items()}, **fixed}


def decimals(at):
    """Return numbers as the decimal texts that they are read by, inside lists and tuples too."""
    if isinstance(at, dict):
        return {n: decimals(v) for n, v in at.items()}
    if isinstance(at, list | tuple):
        return type(at)(map(decimals, at))
    return repr(at) if isinstance(at, float) and math.isfinite(at) else at
