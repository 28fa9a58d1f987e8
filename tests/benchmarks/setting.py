"""The setting most rows share: tanh student, sin target, eta = alpha0 = 2, beta = 1."""

import numpy as np
from published_method import PublishedMethod, Spectrum, step_parameters

import asympkit as ak

STEP = {"eta": 2.0, "alpha0": 2.0}
LAM = 0.01
ALPHAS = (0.5, 1.0, 1.5, 2.0, 2.5)


def model():
    return ak.OneStep("tanh", "sin")


def dimension(quick):
    """Size of the one matrix of the published method."""
    return 400 if quick else 2000


def published_matrix(d, seed=0):
    """The published method's spectrum, sampled for the norm of the rows after the step."""
    return Spectrum(d, _step()[2], np.random.default_rng(seed))


def published(spectrum):
    """The published method on a spectrum."""
    return PublishedMethod(np.tanh, np.sin, *_step(), spectrum)


def against_precise(model, errors):
    """Worst relative difference of test errors, by alpha, from 25 digits."""
    return max(float(abs(error / model.precise(digits=25, alpha=alpha, lam=LAM, **STEP).test_error - 1))
               for alpha, error in errors.items())


def _step():
    return step_parameters(np.tanh, lambda z: 1 / np.cosh(z) ** 2, np.sin, **STEP)
