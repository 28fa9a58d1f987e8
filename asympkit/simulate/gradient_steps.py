"""Simulate the real two-layer network after several large gradient steps on fresh batches."""

from functools import partial

import numpy as np

from ..arguments import check_count
from .convex import train_convex
from .one_step import gradient_step
from .repeats import run_repeats
from .ridge import NAMES, SampleGrid, draw_fresh_samples, draw_on_sphere, train_readouts
from .simulation import round_count


def simulate_steps(student, target, *, d, steps, alpha, lam, beta=1.0, noise_variance=0.0, task=None, trained=None,
                   repeats=10, seed=0, test_size=None, order=NAMES, executor=None, progress=None, file=None):
    """Train a two-layer network by gradient steps on fresh batches, and ridge regression on fresh data.

    ``steps`` are pairs (eta, alpha0); one of which a number is 0 is left out.  The readout is uniform during the steps,
    and the output of the network is subtracted from the labels in all of them.  The rest, and memory, are as for
    :func:`~asympkit.simulate.one_step.simulate_network`.
    """
    d = check_count("d", d, 2)
    schedule = tuple((eta, round_count("alpha0", alpha0, d, "sample for a gradient step"))
                     for eta, alpha0 in steps if eta and alpha0)
    grid = SampleGrid.read(alpha, lam, d, order)
    p = round_count("beta", beta, d, "hidden unit")
    test_size = grid.test_size(test_size)
    settings = {
        "student": student, "target": target, "d": d, "p": p, "schedule": schedule, "sizes": grid.sizes,
        "lam": grid.lam, "noise_variance": noise_variance, "test_size": test_size, "shape": grid.shape,
        **({"task": task, "trained": trained or student} if task else {}),
    }
    n0 = sum(samples for _, samples in schedule)
    return run_repeats(steps_repeat, settings, repeats=repeats, seed=seed, executor=executor, progress=progress,
                       file=file, build=partial(grid.simulation, d=d, p=p, n0=n0, test_size=test_size, seed=seed))


def steps_repeat(seed, *, student, target, d, p, schedule, sizes, lam, noise_variance, test_size, shape, task=None,
                 trained=None):
    """Run one repeat from its seed sequence and return its observables."""
    rng = np.random.default_rng(seed)
    weights, direction = draw_on_sphere(rng, (p, d), 1.0), draw_on_sphere(rng, d, d)
    for eta, samples in schedule:
        batch = draw_fresh_samples(rng, target, direction, samples, width=p, noise_variance=noise_variance)
        weights = gradient_step(student, weights, ((x, y) for _, x, y in batch), eta * d)
    train = train_readouts if task is None else partial(train_convex, task=task)
    _, observables = train(rng, trained or student, target, weights, direction, sizes=sizes, lam=lam,
                           noise_variance=noise_variance, test_size=test_size)
    return {name: value.reshape(shape) for name, value in observables.items()}
