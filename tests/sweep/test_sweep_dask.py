"""Sweeps, simulations and checks on a cluster of processes of dask.distributed."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import asympkit as ak

STEP = {"eta": 0.2, "alpha0": 4.0, "noise_variance": 0.1}
GRID = {**STEP, "alpha0": [4.0, 8.0, 16.0], "alpha": [0.5, 1.0], "lam": [0.01, 0.1], "backend": "numpy"}


def model():
    return ak.OneStep("tanh", "sin")


@pytest.fixture(scope="module")
def cluster():
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture
def executor(cluster):
    from distributed import Client

    with Client(cluster) as client, client.get_executor() as executor:
        yield executor


def assert_same_bits(a, b):
    assert list(a) == list(b)
    for name in a:
        np.testing.assert_array_equal(a[name].values, b[name].values)


def test_sweep(executor, tmp_path):
    whole = model().sweep(**GRID)
    far = model().sweep(**GRID, executor=executor, file=tmp_path / "s.npz")
    assert far.converged.all()
    for name in whole.names:
        np.testing.assert_allclose(far[name], whole[name], rtol=1e-10, atol=1e-12)


def test_simulation_has_the_same_bits(executor):
    at = {**STEP, "alpha": [0.5, 1.5], "lam": [0.01, 0.1, 1.0], "d": 80, "repeats": 4}
    assert_same_bits(model().simulate(**at, executor=executor), model().simulate(**at))


@pytest.mark.slow
def test_check(executor):
    at = {**STEP, "alpha": 1.5, "lam": 0.1, "d": 60, "repeats": 4}
    report = model().check(**at, digits=10, executor=executor)
    assert report.simulation.repeats == 4
    assert_same_bits(report.simulation, model().simulate(**at))


@pytest.mark.slow
def test_a_killed_worker_is_made_up_for(cluster, executor, tmp_path):
    """Dask starts the worker again and runs its repeats again, which draw the same."""
    at = {**STEP, "alpha": 1.5, "lam": 0.1, "d": 100, "repeats": 12}
    victim, path, seen = next(iter(cluster.workers.values())).pid, tmp_path / "s.npz", []

    def kill():
        while not path.exists():
            time.sleep(0.01)
        with np.load(path) as data:
            seen.extend(data["repeat"])
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    found = model().simulate(**at, executor=executor, file=path)
    killer.join()
    assert found.repeats == 12 > len(seen)
    assert_same_bits(found, model().simulate(**at))
