"""A theory that the package does not know: a magnet of neurons, whose coupling is a mean of an activation."""

import numpy as np
from sympy import Symbol, tanh

import asympkit as ak
from asympkit.nodes import Applied

m, K, z = Symbol("m", real=True), Symbol("K", real=True), Symbol("z", real=True)
J, h, gain = Symbol("J", positive=True), Symbol("h", positive=True), Symbol("gain", positive=True)
NEURON = ak.Activation("tanh")


def draw(rng, size, *, J, h, gain):
    """The mean magnetisation of ``size`` spins, from its exact distribution."""
    x = np.linspace(-10.0, 10.0, 4001)
    coupling = J * gain * np.sum(x * NEURON(x) * np.exp(-x * x / 2)) * 0.005 / np.sqrt(2 * np.pi)
    up = np.arange(size + 1)
    total = 2.0 * up - size
    weight = np.cumsum(np.log(np.maximum(size - up, 1)) - np.log(up + 1.0))
    log_p = np.concatenate([[0.0], weight[:-1]]) + coupling * total**2 / (2 * size) + h * total
    p = np.exp(log_p - log_p.max())
    return {"m": rng.choice(total, p=p / p.sum()) / size}


magnet = ak.Theory(
    name="neurons", unknowns=[m], parameters=[
        ak.Parameter(J, "strength of the synapses", "positive"), ak.Parameter(h, "field", "positive"),
        ak.Parameter(gain, "gain of a neuron", "positive", 1.0)],
    derived={K: J * gain * ak.E(z * Applied("neuron", z), z)}, activations={"neuron": NEURON},
    equations=[m - tanh(K * m + h)], observables={"energy": -K * m**2 / 2 - h * m},
    assumptions=[ak.Assumption(J < 3, "J is not below 3: neurons saturate")],
    tolerances=[ak.Tolerance("m", 0.02, "finite size")], simulate=draw, size_name="spins")
