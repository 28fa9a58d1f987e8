"""Sweeps whose solutions stay on disk: the same numbers, resumed, in memory that does not grow."""

import errno
import json
import os
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest

import asympkit as ak
from asympkit.sweep import pieces, run
from asympkit.sweep import pieces as states

GRID = {"eta": 0.2, "noise_variance": 0.1, "backend": "numpy", "alpha0": [4.0, 8.0], "alpha": [0.5, 1.0, 2.0],
        "lam": [0.01, 0.1]}


def model():
    return ak.OneStep("tanh", "sin")


def test_the_same_numbers_as_in_memory(tmp_path):
    path = tmp_path / "s.npy"
    inside, outside = model().sweep(**GRID), model().sweep(**GRID, file=path)
    for name in inside.names:
        np.testing.assert_array_equal(inside[name], outside[name])
    np.testing.assert_array_equal(inside.residual, outside.residual)
    assert outside.converged.all() and isinstance(outside["test_error"], np.memmap)
    label = json.loads((tmp_path / "s.npy.json").read_text())
    assert label["axes"]["lam"] == [0.01, 0.1] and label["last axis"][-2:] == ["residual", "state"]
    raw = np.load(path)
    assert raw.shape == (2, 3, 2, len(label["last axis"])) and np.all(raw[..., -1] == 2)
    np.testing.assert_array_equal(raw[..., label["last axis"].index("test_error")], inside["test_error"])


def test_it_goes_on_after_an_interruption(tmp_path):
    path, solve, calls = tmp_path / "s.npy", pieces.solve_piece, []

    def stopping(*arguments):
        if calls:
            raise KeyboardInterrupt
        calls.append(arguments)
        return solve(*arguments)

    with mock.patch.object(run, "solve_piece", stopping), pytest.raises(KeyboardInterrupt):
        model().sweep(**GRID, file=path)
    assert np.load(path)[..., -1].sum() == 2 * 6            # one of two pieces, six points each
    with mock.patch.object(run, "solve_piece", side_effect=solve) as counted:
        sweep = model().sweep(**GRID, file=path)
    assert counted.call_count == 1
    np.testing.assert_array_equal(sweep["test_error"], model().sweep(**GRID)["test_error"])


def test_points_that_do_not_converge_are_nan(tmp_path):
    def failing(*arguments):
        values, good, notes = pieces.solve_piece(*arguments)
        values[0, 0, -2] = 1.0
        return values, good, notes

    with mock.patch.object(run, "solve_piece", failing), mock.patch.object(run, "retry_points", nothing):
        sweep = model().sweep(**GRID, file=tmp_path / "s.npy")
    assert np.isnan(sweep["test_error"][:, 0, 0]).all() and not sweep.converged[:, 0, 0].any()
    assert np.isfinite(sweep["test_error"][:, 1]).all()
    assert np.load(tmp_path / "s.npy")[0, 0, 0, -1] == states.FAILED
    assert "the equations are not satisfied" in str(sweep.status[0, 0, 0])
    again = model().sweep(**GRID, file=tmp_path / "s.npy")
    np.testing.assert_array_equal(again.status, sweep.status)


def nothing(token, how, known, piece, where, tries):
    """A retry that finds no solution."""
    return np.full((where.shape[-1], len(how.model.kernel.module.OUTPUTS)), np.inf), np.zeros(where.shape[-1], bool)


def test_a_point_that_fails_is_found_from_its_neighbours_on_disk_too(tmp_path):
    def failing(*arguments):
        values, good, notes = pieces.solve_piece(*arguments)
        values[:2, 0, -2] = 1.0
        return values, good, notes

    with mock.patch.object(run, "solve_piece", failing):
        sweep = model().sweep(**GRID, file=tmp_path / "s.npy")
        inside = model().sweep(**GRID)
    assert sweep.converged.all() and inside.converged.all()
    np.testing.assert_array_equal(sweep["test_error"], inside["test_error"])
    np.testing.assert_allclose(sweep["test_error"], model().sweep(**GRID)["test_error"], rtol=1e-9)


def test_another_question_and_foreign_files_are_refused(tmp_path):
    path = tmp_path / "s.npy"
    model().sweep(**GRID, file=path)
    with pytest.raises(ak.DomainError, match=r"holds another sweep: there parameter eta is 0\.2, here 0\.3"):
        model().sweep(**{**GRID, "eta": 0.3}, file=path)
    np.save(tmp_path / "other.npy", np.zeros(3))
    with pytest.raises(ak.DomainError, match="is no file of a sweep"):
        model().sweep(**GRID, file=tmp_path / "other.npy")
    np.save(path, np.zeros(3))
    with pytest.raises(ak.DomainError, match=r"is no file of a sweep \(its shape is another\)"):
        model().sweep(**GRID, file=path)


def test_labels_that_are_none_of_ours(tmp_path):
    path, label = tmp_path / "s.npy", tmp_path / "s.npy.json"
    label.write_text("my own")
    with pytest.raises(ak.DomainError, match=r"s\.npy\.json' is there without 's\.npy', and would be overwritten"):
        model().sweep(**GRID, file=path)
    assert label.read_text() == "my own" and not path.exists()
    label.unlink()
    model().sweep(**GRID, file=path)
    for text in ("[]", '{"about": 3}', "{}"):
        label.write_text(text)
        with pytest.raises(ak.DomainError, match="is no file of a sweep"):
            model().sweep(**GRID, file=path)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the space is taken in another way here")
def test_a_full_disk_is_noticed_before_the_first_point(tmp_path):
    full = OSError(errno.ENOSPC, "No space left on device")
    text = r"could not make .*s\.npy' \(No space left on device\); the sweep needs 0\.\d+ MB there"
    with mock.patch.object(os, "posix_fallocate", side_effect=full), pytest.raises(ak.SweepFileError, match=text):
        model().sweep(**GRID, file=tmp_path / "s.npy")
    assert not list(tmp_path.iterdir())


def test_space_where_the_system_does_not_give_it(tmp_path):
    with mock.patch.object(os, "posix_fallocate", create=True) as taken:
        del os.posix_fallocate
        sweep = model().sweep(**GRID, file=tmp_path / "s.npy")
        os.posix_fallocate = taken
    np.testing.assert_array_equal(sweep["test_error"], model().sweep(**GRID)["test_error"])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_points(tmp_path):
    code = ("import resource, sys, numpy as np, asympkit as ak\n"
            "n, path = int(sys.argv[1]), sys.argv[2]\n"
            "model = ak.SpikedFeatures('tanh', 'sin')\n"
            "s = model.sweep(r=0.5, c=1.0, gamma=0.5, lam=np.geomspace(1e-3, 1, 10),\n"
            "                alpha=np.linspace(0.2, 3, n), backend='numba', file=path)\n"
            "assert s.converged.all()\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)")
    peak = [int(subprocess.run([sys.executable, "-c", code, str(n), str(tmp_path / f"{n}.npy")], capture_output=True,
                               text=True, check=True).stdout) for n in (5000, 20_000)]
    assert peak[1] - peak[0] < 8_000           # kB; 150 000 more points are 25 000 kB on disk
