"""Spiked random features: an isotropic bulk plus one direction shared by all rows."""

import math

import numpy as np

from ..errors import DomainError, suggest
from . import arguments as check
from .readout import on_sphere, train_readout
from .repeats import run_repeats
from .simulation import Simulation

ROWS = ("sphere", "gaussian")


def simulate_spiked(student, target, *, d, r, gamma, c, alpha, lam, beta=1.0, noise_variance=0.0,
                    rows="sphere", repeats=10, seed=0, test_size=None, executor=None, progress=False):
    """Ridge regression on the features ``student((W + r / sqrt(d) * 1 v^T) x) / sqrt(p)``.

    Parameters
    ----------
    student, target : callable
        Elementwise functions; labels are ``target(<theta, x> / sqrt(d))`` plus noise.
    d : int
        Input dimension.
    r : float
        Strength of the spike.
    gamma : float
        Overlap ``v . theta / d`` of the spike with the target's direction, in [-1, 1].
    c : float
        Squared norm of a row of the bulk W.
    alpha, beta : float
        Samples over d, and width over d, rounded to whole numbers.
    lam : float or sequence of float
        Penalty ``lam * |w|**2`` next to the sum of squares; a sequence gives arrays of means.
    noise_variance : float
        Variance of the label noise.
    rows : {"sphere", "gaussian"}
        Rows of squared norm exactly c, or of independent entries of variance c / d.
    repeats, seed, test_size, executor, progress
        As in `simulate_network`.

    Returns
    -------
    Simulation
        Estimates of the errors and of the order parameters ``m``, ``theta``, ``psi``, ``q1``, ``q2``.
    """
    d = check.integer("d", d, low=2)
    r = check.real("r", r)
    gamma = check.real("gamma", gamma, low=-1.0, high=1.0)
    c = check.real("c", c, low=0.0, open_low=True)
    n = check.count("alpha", check.real("alpha", alpha, low=0.0, open_low=True), d, "sample")
    p = check.count("beta", check.real("beta", beta, low=0.0, open_low=True), d, "hidden unit")
    lam = check.penalties(lam)
    if rows not in ROWS:
        raise DomainError(f"rows={rows!r}: expected one of {', '.join(map(repr, ROWS))}{suggest(rows, ROWS)}")
    check.elementwise("student", student)
    check.elementwise("target", target)
    test_size = max(4 * n, 10000) if test_size is None else check.integer("test_size", test_size, low=1)
    repeats, seed = check.integer("repeats", repeats, low=2), check.integer("seed", seed, low=0)
    settings = {
        "student": student, "target": target, "d": d, "p": p, "n": n, "r": r, "gamma": gamma, "c": c,
        "rows": rows, "lam": lam, "test_size": test_size,
        "noise_variance": check.real("noise_variance", noise_variance, low=0.0),
    }
    estimates, finished = run_repeats(spiked_repeat, settings, repeats=repeats, seed=seed,
                                      executor=executor, progress=progress)
    return Simulation(estimates, d=d, p=p, n=n, n0=0, test_size=test_size, repeats=finished,
                      seed=seed, lam=lam)


def draw_weights(rng, *, d, p, gamma, c, rows):
    """Draw the bulk, the spike, and the part of the target's direction orthogonal to it.

    Returns
    -------
    bulk : ndarray, shape (p, d)
    spike, rest : ndarray, shape (d,)
        Orthogonal, of squared norm d.
    direction : ndarray, shape (d,)
        ``gamma * spike + sqrt(1 - gamma**2) * rest``, the target's direction.
    """
    if rows == "sphere":
        bulk = on_sphere(rng, (p, d), c)
    else:
        bulk = rng.standard_normal((p, d)) * math.sqrt(c / d)
    spike = on_sphere(rng, d, d)
    rest = rng.standard_normal(d)
    for _ in range(2):  # the second pass removes what rounding left in a small remainder
        rest -= (spike @ rest / d) * spike
        rest *= math.sqrt(d) / np.linalg.norm(rest)
    direction = gamma * spike + math.sqrt((1 - gamma) * (1 + gamma)) * rest
    return bulk, spike, rest, direction


def spiked_repeat(seed, *, student, target, d, p, n, r, gamma, c, rows, lam, noise_variance, test_size):
    """Run one repeat from its seed sequence and return its observables."""
    rng = np.random.default_rng(seed)
    bulk, spike, rest, direction = draw_weights(rng, d=d, p=p, gamma=gamma, c=c, rows=rows)
    weights = bulk + (r / math.sqrt(d)) * spike
    readout, observables = train_readout(rng, student, target, weights, direction, n=n, lam=lam,
                                         noise_variance=noise_variance, test_size=test_size)
    pulled = bulk.T @ readout  # shape (d,) or (d, len(lam))
    along = spike @ pulled
    psi = rest @ pulled / math.sqrt(p * d)
    return observables | {
        "theta": along / math.sqrt(p * d),
        "psi": psi if abs(gamma) < 1 else 0.0 * psi,
        "q1": (np.square(pulled).sum(axis=0) - along**2 / d) / p,
    }
