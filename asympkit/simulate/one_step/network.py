"""Simulate the two-layer network after one large gradient step, without idealisation."""

import math
from functools import partial

import numpy as np

from ..convex.readout import draw_labels, mean_label, train_convex
from ..core import arguments as check
from ..core.repeats import run_repeats
from ..ridge.grid import NAMES, Grid
from ..ridge.readout import fresh, on_sphere, train_readouts
from .population import population_step


def simulate_network(student, target, *, d, eta, alpha0, alpha, lam, beta=1.0, noise_variance=0.0,
                     task=None, trained=None, repeats=10, seed=0, test_size=None, order=NAMES, executor=None,
                     progress=None, file=None):
    """Train a two-layer network by one gradient step and ridge regression on fresh data.

    Parameters
    ----------
    student : callable
        Activation on float64 arrays; ``student.derivative`` is its derivative.
    target : callable
        Labels are ``target(<theta, x> / sqrt(d))`` plus noise, with ``|theta|**2 = d``.
    d : int
        Input dimension.
    eta, alpha0 : float
        Learning rate over d, and samples over d, of the gradient step; 0 in either means no step.
        ``alpha0=math.inf`` is a step along the expected gradient, computed without samples.
    alpha : float or sequence of float
        Samples of the ridge regression over d.  All sizes are rounded.  For a sequence a repeat draws the samples of
        the largest; the others use the first of them, with the same first layer and test inputs.  The largest has
        the same results as alone, up to rounding.
    lam : float or sequence of float
        Penalty ``lam * |w|**2`` next to the sum of squares; several share one factorisation.
    beta : float
        Width over d.
    noise_variance : float
        Variance of the label noise in both steps.
    task : Task, optional
        Another loss than the square in the second step, or labels 1 and -1 in both.
    trained : callable, optional
        The activation in the second step, if it differs (with a bias).
    test_size : int, optional
        Fresh inputs for the test error; by default ``max(4 * n, 10000)`` for the largest n.
    order : sequence of str
        Order of the axes, if both alpha and lam are sequences.
    repeats, seed, executor, progress, file
        As for :func:`~asympkit.simulate.core.repeats.run_repeats`, with its errors.

    Returns
    -------
    Simulation
        Estimates of ``test_error``, ``clean_error``, ``train_error``, ``objective``, ``m``, ``q2``, one entry
        for each alpha and lam of a sequence.

    Raises
    ------
    DomainError
        For an argument outside its domain, or a file that holds another simulation.

    Notes
    -----
    A repeat takes at most :func:`~asympkit.simulate.repeat_bytes` of memory.
    """
    d = check.integer("d", d, low=2)
    eta = check.real("eta", eta)
    if alpha0 != math.inf:
        alpha0 = check.real("alpha0", alpha0, low=0.0)
    step = eta != 0 and alpha0 != 0
    n0 = _first_batch(alpha0, d) if step else 0
    grid = Grid.read(alpha, lam, d, order)
    p = check.count("beta", check.real("beta", beta, low=0.0, open_low=True), d, "hidden unit")
    check.elementwise("student", student, derivative=step)
    check.elementwise("target", target)
    test_size = grid.test_size(test_size)
    repeats, seed = check.integer("repeats", repeats, low=2), check.integer("seed", seed, low=0)
    settings = {
        "student": student, "target": target, "d": d, "p": p, "n0": n0, "sizes": grid.sizes, "eta": eta,
        "lam": grid.lam, "noise_variance": check.real("noise_variance", noise_variance, low=0.0),
        "test_size": test_size, "shape": grid.shape, **({"task": task, "trained": trained or student} if task else {}),
    }
    return run_repeats(network_repeat, settings, repeats=repeats, seed=seed, executor=executor, progress=progress,
                       file=file, build=partial(grid.simulation, d=d, p=p, n0=n0, test_size=test_size, seed=seed))


def _first_batch(alpha0, d):
    """Return the samples of the gradient step."""
    return alpha0 if alpha0 == math.inf else check.count("alpha0", alpha0, d, "sample for the gradient step")


def network_repeat(seed, *, student, target, d, p, n0, sizes, eta, lam, noise_variance, test_size, shape,
                   task=None, trained=None):
    """Run one repeat from its seed sequence and return its observables."""
    rng = np.random.default_rng(seed)
    weights = on_sphere(rng, (p, d), 1.0)
    direction = on_sphere(rng, d, d)
    if n0 == math.inf:
        weights = population_step(student, mean_label(task, target, noise_variance), weights, direction, eta * d)
    elif n0:
        batch = fresh(rng, target, direction, n0, width=p, noise_variance=noise_variance)
        labelled = ((x, y if task is None else draw_labels(rng, task, y)) for _, x, y in batch)
        weights = gradient_step(student, weights, labelled, eta * d)
    train = train_readouts if task is None else partial(train_convex, task=task)
    _, observables = train(rng, trained or student, target, weights, direction, sizes=sizes, lam=lam,
                           noise_variance=noise_variance, test_size=test_size)
    return {name: value.reshape(shape) for name, value in observables.items()}


def gradient_step(student, weights, batch, rate):
    """Return the first layer after one gradient step on half the mean squared error.

    The readout has all entries ``1 / sqrt(p)`` and the output carries another ``1 / sqrt(p)``:
    the initial output, which is kept, is the mean of the hidden units.

    Parameters
    ----------
    student : callable
    weights : ndarray, shape (p, d)
    batch : iterable of (inputs, labels)
        The samples, in blocks of any size: ``inputs`` has one row a sample.
    rate : float
        The learning rate itself, ``eta * d``.
    """
    samples, step = 0, np.zeros_like(weights)
    for inputs, labels in batch:
        hidden = inputs @ weights.T
        missing = labels - np.mean(student(hidden), axis=1)
        step += (student.derivative(hidden) * missing[:, None]).T @ inputs
        samples += len(labels)
    return weights + (rate / (len(weights) * samples)) * step
