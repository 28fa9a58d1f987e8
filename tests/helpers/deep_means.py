"""Deep random features whose units have means: the chain walked by one unknown; nothing of the package."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import erf, ndtr

_STEP = 1 / 32
_NODES = np.arange(-12, 12 + _STEP / 2, _STEP)
_WEIGHTS = np.exp(-_NODES**2 / 2) / np.exp(-_NODES**2 / 2).sum()


def relu(z):
    return np.maximum(z, 0.0)


FUNCTIONS = {"relu": relu, "log(1+exp(z))": lambda z: np.logaddexp(0.0, z), "tanh": np.tanh, "erf(z)": erf,
             "sin": np.sin, "atan(z)": np.arctan, "z/sqrt(1+z**2)": lambda z: z / np.sqrt(1 + z**2)}


@dataclass(frozen=True)
class Units:
    """Moments of the units of a layer, and their weights."""

    mean: np.ndarray
    slope: np.ndarray
    second: np.ndarray
    weights: np.ndarray
    inputs: float

    @property
    def rest(self):
        return self.second - self.mean**2 - self.inputs * self.slope**2

    @property
    def features(self):
        """Mean square of the means, and mean variance, of the features."""
        square = self.weights @ self.mean**2
        return square, self.weights @ self.second - square


def units(function, square, variance):
    """Of a layer whose preactivations have means of mean square ``square`` and the variance ``variance``."""
    places, weights = (_NODES, _WEIGHTS) if square else (np.zeros(1), np.ones(1))
    a, s = math.sqrt(square) * places, math.sqrt(variance)
    if function is relu:
        t = a / s
        density = np.exp(-t**2 / 2) / math.sqrt(2 * math.pi)
        return Units(a * ndtr(t) + s * density, ndtr(t), (a**2 + variance) * ndtr(t) + a * s * density, weights,
                     variance)
    f = function(a[:, None] + s * _NODES)
    return Units(f @ _WEIGHTS, f @ (_WEIGHTS * _NODES) / s, f**2 @ _WEIGHTS, weights, variance)


def layers(functions, spectrum):
    """Units of each layer of a network, and the mean square and the variance behind the last one."""
    found, state = [], (0.0, float(np.mean(spectrum)))
    for function in functions:
        found.append(units(function, *state))
        state = found[-1].features
        if function is not relu and abs(function(np.array(0.7)) + function(np.array(-0.7))) < 1e-15 and \
                found[-1].mean.size == 1:
            state = 0.0, state[1]               # an odd function of what has no mean
    return found, state


def walked(student, target, alpha, lam, noise_variance, input_spectrum=(1.0,), **widths):
    """Test and train error of the network of two texts, such as ``"1.5:tanh,0.7:relu"`` and ``"1.5:tanh=,1:sin"``."""
    (sizes, own), (_, whole) = (zip(*(layer.rstrip("=").split(":", 1) for layer in text.split(",")))
                                for text in (student, target))
    sizes = [widths.get(f"width{k}", float(w)) for k, w in enumerate(sizes, 1)]
    found, _ = layers([FUNCTIONS[f] for f in own], input_spectrum)
    teacher, (_, rho) = layers([FUNCTIONS[f] for f in whole], input_spectrum)
    shared = target.count("=")
    transmitted = float(np.prod([u.weights @ u.slope**2 for u in teacher[shared:]]))
    return errors_with_means(alpha, lam, noise_variance, sizes, found, input_spectrum, rho, transmitted, shared)


def errors_with_means(alpha, lam, noise, widths, student, spectrum, rho, transmitted, shared=0):
    """Test and train error of a student of such layers; derivatives along the chain by complex steps."""
    e, sizes = np.asarray(spectrum, dtype=float), [1.0, *widths]

    def walk(zeta):
        """Effective ridge, degrees of freedom and signal at the top; None below the root."""
        D, Q = np.mean(e / (e + zeta)), transmitted * np.mean(e**2 / (e + zeta))
        for k, layer in enumerate(student, 1):
            p, before = sizes[k], sizes[k - 1]
            delta, wanted = zeta * D / before, before / (p * zeta)
            zeta = _effective_ridge(layer, delta, wanted)
            if zeta is None:
                return None
            D = p - zeta * p * (layer.weights @ (1 / (layer.rest + zeta + layer.slope**2 * delta)))
            if k == shared:
                Q = transmitted * (layer.features[1] - zeta * D / p)
        return zeta, D, Q

    def ridge(x):
        found = walk(math.exp(x) + 0j)
        return -lam if found is None else (alpha / sizes[-1] * found[0] * (1 - found[1] / alpha)).real - lam

    h = 1e-40
    zeta, D, Q = walk(math.exp(brentq(ridge, -25, 25, xtol=1e-15, rtol=1e-15)) + 1j * h)
    rate, slope, rise = zeta.imag, D.imag, Q.imag
    zeta, D, Q = zeta.real, D.real, Q.real
    test = (rho + noise - Q + zeta * rise / rate) / (1 - (D + zeta * slope / rate) / alpha)
    return test, (lam * sizes[-1] / (alpha * zeta))**2 * test


def _effective_ridge(layer, delta, wanted):
    """The root x of ``E slope**2/(rest + x + slope**2 delta) = wanted``, for complex numbers near the real line."""
    square = layer.slope**2

    def mean(x, power=1):
        return layer.weights @ (square / (layer.rest + x + square * delta)**power)

    if mean(0.0).real <= wanted.real:
        return None
    x = math.exp(brentq(lambda t: math.log(mean(math.exp(t)).real / wanted.real), -80, 80, xtol=1e-15, rtol=1e-15)) + 0j
    for _ in range(3):
        x += (mean(x) - wanted) / mean(x, 2)
    return x
