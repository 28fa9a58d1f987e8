"""Train readouts of given features, with and without regressors without penalty, and measure their test errors."""

from dataclasses import dataclass

import numpy as np

from .gram import fit, fit_least, is_small


def hidden_units(student, inputs, weights):
    """Return ``student(inputs @ weights.T)`` as float64."""
    return np.asarray(student(inputs @ weights.T), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Readout:
    """Hold second layers for every penalty (first axis) and column of labels (last axis).

    Attributes
    ----------
    objective : ndarray, shape (lams, t)
        The minimum ``|y - F b - U c|^2 / n + lam |b|^2``.
    weights : ndarray, shape (lams, N, t)
        b.
    monomials : ndarray, shape (lams, k, t)
        Coefficients of the powers of g in the output.
    constant : ndarray, shape (lams, 1, t)
    """

    objective: np.ndarray
    weights: np.ndarray
    monomials: np.ndarray
    constant: np.ndarray


def train(gram, features, inputs, labels, lams, constant):
    """Fit the readout of `features` at every penalty; `gram` belongs to the hidden units alone."""
    bias = int(constant)
    free = np.hstack([np.ones((len(inputs), bias)), features.monomials(inputs)])
    fitted = []
    for lam in lams.tolist():
        if is_small(gram.features, lam):
            minimum, weights, coefficients = fit_least(gram.features, labels, free, lam, features.loadings,
                                                       diverging=features.diverging)
        else:
            scaled, weights, coefficients = fit(gram.resolvent(lam), gram.features, labels, free, features.loadings,
                                                diverging=features.diverging)
            minimum = lam * scaled
        fitted.append((minimum, weights, coefficients[bias:], coefficients[:bias].sum(axis=0, keepdims=True)))
    return Readout(*map(np.array, zip(*fitted)))


def fresh_errors(rng, start, student, target, predictors, test_size):
    """Return mean squared errors against labels without noise, all predictors on the same fresh inputs.

    Parameters
    ----------
    predictors : list of (Features, Readout)
        First the untrained features for all teachers, then one for each teacher.

    Returns
    -------
    list of ndarray, shape (lams, t) or (lams, 1)
    """
    wrong = [0.0] * len(predictors)
    teachers = [slice(None), *(slice(t, t + 1) for t in range(len(predictors) - 1))]
    for _, inputs, truth in start.samples(rng, target, test_size):
        untrained = hidden_units(student, inputs, start.weights)
        for index, ((features, readout), columns) in enumerate(zip(predictors, teachers)):
            units = untrained if features.weights is start.weights else hidden_units(student, inputs, features.weights)
            output = units @ readout.weights + features.monomials(inputs) @ readout.monomials + readout.constant
            wrong[index] = wrong[index] + np.square(truth[:, columns] - output).sum(axis=1)
    return [total / test_size for total in wrong]
