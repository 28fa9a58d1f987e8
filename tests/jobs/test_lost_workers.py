"""Processes that die in the middle of a sweep or a simulation: what is finished is kept, and is gone on from."""

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import asympkit as ak
from asympkit.simulate.repeats import run_repeats
from asympkit.sweep import pieces, run

GRID = {"eta": 0.2, "noise_variance": 0.1, "backend": "numpy", "alpha0": [4.0, 8.0, 16.0], "alpha": [0.5, 1.0],
        "lam": 0.1}


def draw_or_die(child, flag):
    """Draw, unless a flag says that the worker of the fourth repeat dies."""
    if child.spawn_key[-1] == 3 and Path(flag).exists():
        os._exit(9)
    return {"x": np.random.default_rng(child).standard_normal(3)}


def solve_or_die(*arguments):
    """Solve, unless a flag says that the worker of the last table dies."""
    if arguments[2].at["alpha0"] == 16.0 and "FLAG_OF_DEATH" in os.environ:
        os._exit(9)
    return pieces.solve_piece(*arguments)


def one_process():
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


@pytest.mark.parametrize("with_file", [False, True])
def test_simulation(tmp_path, with_file):
    flag = tmp_path / "flag"
    flag.touch()
    settings, options = {"flag": str(flag)}, {"repeats": 6, "seed": 0}
    path = tmp_path / "s.npz" if with_file else None
    how = r"and in '.*s\.npz'; call again with the same file and a new executor" if with_file else \
        "and kept in the attribute result of this error; call again with file= and a new executor"
    with one_process() as pool, pytest.raises(
            ak.WorkerLostError, match=rf"executor: a worker was lost \(BrokenProcessPool: .*\); 3 of 6 repeats are "
                                      rf"finished {how}") as caught:
        run_repeats(draw_or_die, settings, **options, executor=pool, file=path)
    estimates, finished = caught.value.result
    flag.unlink()
    whole, _ = run_repeats(draw_or_die, settings, **options)
    assert finished == 3
    np.testing.assert_array_equal(estimates["x"].values, whole["x"].values[:3])
    if with_file:
        with np.load(path) as data:
            assert data["repeat"].tolist() == [0, 1, 2]
        again, finished = run_repeats(draw_or_die, settings, **options, file=path)
        assert finished == 6
        np.testing.assert_array_equal(again["x"].values, whole["x"].values)


@pytest.mark.parametrize("with_file", [False, True])
def test_sweep(tmp_path, monkeypatch, with_file):
    path = tmp_path / "s.csv" if with_file else None
    model = ak.OneStep("tanh", "sin")
    monkeypatch.setenv("FLAG_OF_DEATH", "1")
    with one_process() as pool, mock.patch.object(run, "solve_piece", solve_or_die), pytest.raises(
            ak.WorkerLostError, match=r"lost \(BrokenProcessPool: .*\); 4 of 6 points are finished and") as caught:
        model.sweep(**GRID, executor=pool, file=path)
    whole, part = model.sweep(**GRID), caught.value.result
    np.testing.assert_array_equal(part.converged, [[True, True], [True, True], [False, False]])
    np.testing.assert_allclose(part["test_error"][:2], whole["test_error"][:2], rtol=1e-12)
    assert np.isnan(part["test_error"][2]).all()
    if with_file:
        with mock.patch.object(run, "solve_piece", side_effect=pieces.solve_piece) as solve:
            again = model.sweep(**GRID, file=path)
        assert solve.call_count == 1
        np.testing.assert_allclose(again["test_error"], whole["test_error"], rtol=1e-12)
