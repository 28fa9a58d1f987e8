"""Ctrl-C: never inside compiled code, one line about what is kept, and the same bytes when the job goes on."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from unittest import mock

import numpy as np
import pytest
from helpers.verdicts import bad, run_cases

import asympkit as ak
from asympkit.cli import CtrlC, main
from asympkit.cli.arguments import grid
from asympkit.jobs import held
from asympkit.simulate import one_step as network
from asympkit.sweep import pieces, run

GRID = {"eta": 0.2, "alpha0": [4.0, 8.0, 16.0], "alpha": [0.5, 1.0, 2.0], "lam": [0.01, 0.1], "backend": "numpy"}


@pytest.fixture(autouse=True)
def interruptible():
    """Python's own handler, also where the tests run in the background of a shell that ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0)                       # a moment at which Python looks


@pytest.mark.parametrize("times", [1, 2, 5])
def test_it_waits_for_the_end_of_the_block(times):
    before, done = signal.getsignal(signal.SIGINT), []
    with pytest.raises(KeyboardInterrupt), held():
        for _ in range(times):
            press()
        done.append(1)
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is before


def test_handlers_of_others():
    before, heard = signal.getsignal(signal.SIGINT), []
    try:
        signal.signal(signal.SIGINT, lambda *_: heard.append(1))
        with held():
            press()
            assert heard == []
        assert heard == [1]
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with held():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            press()
    finally:
        signal.signal(signal.SIGINT, before)
    with held(deliver=False):
        press()
    assert heard == [1]


def test_other_threads_are_left_alone():
    found = []

    def work():
        with held():
            found.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [before]
    done = []
    thread = threading.Thread(target=lambda: done.append(ak.SpikedFeatures("tanh", "sin").sweep(
        r=0.5, c=1.0, gamma=0.5, alpha=[0.5, 1.0], lam=0.1, backend="numpy")))
    thread.start()
    thread.join()
    assert done[0].converged.all()


def pressing(function, at):
    """The function, with Ctrl-C (twice) in its call number ``at``."""
    calls = []

    def pressed(*arguments, **named):
        calls.append(1)
        if len(calls) == at:
            with held():
                press()
                press()
        return function(*arguments, **named)

    return pressed


@pytest.mark.parametrize("ending", [None, ".npz", ".csv", ".npy"])
def test_a_sweep_says_what_is_kept(tmp_path, ending):
    model, path = ak.OneStep("tanh", "sin"), ending and tmp_path / f"s{ending}"
    with mock.patch.object(run, "solve_piece", pressing(pieces.solve_piece, 3)), \
            pytest.raises(KeyboardInterrupt) as caught:
        model.sweep(**GRID, file=path)
    assert type(caught.value) is KeyboardInterrupt
    assert caught.value.result.converged.sum() == 12
    assert str(caught.value) == "interrupted: 12 of 18 points are finished and " + (
        f"in {str(path)!r}; call again with the same file to go on" if path else
        "kept in the attribute result of this exception; with file= they are kept on disk, and the same call goes on")
    if path:
        with mock.patch.object(run, "solve_piece", side_effect=pieces.solve_piece) as solve:
            found = model.sweep(**GRID, file=path)
        whole = model.sweep(**GRID)
        assert solve.call_count == 1
        for name in whole.names:
            np.testing.assert_array_equal(found[name], whole[name])


def test_a_simulation_says_what_is_kept(tmp_path):
    model, at = ak.OneStep("tanh", "sin"), {"eta": 1, "alpha0": 1, "alpha": 1.5, "lam": 0.1, "d": 20, "repeats": 4}
    with mock.patch.object(network, "network_repeat", pressing(network.network_repeat, 2)), \
            pytest.raises(KeyboardInterrupt, match="interrupted: 1 of 4 repeats were finished and are lost; with file"):
        model.simulate(**at)
    repeat = pressing(network.network_repeat, 4)
    repeat.__name__ = "network_repeat"
    with mock.patch.object(network, "network_repeat", repeat), \
            pytest.warns(UserWarning, match=r"the 3 finished of 4 repeats; '.*' keeps them, and the same call goes on"):
        model.simulate(**at, file=tmp_path / "s.npz")


def test_the_command_line_says_one_line(capsys, tmp_path):
    argv = ["sweep", "one-step", "--student", "tanh", "--target", "sin", "--eta", "0.2", "--alpha0", "4,8,16",
            "--alpha", "0.5,1", "--lam", "0.1", "--backend", "numpy"]
    for file, text in (([], "were finished and are lost; with --file FILE they are kept, and the same command resumes"),
                       (["--file", str(tmp_path / "s.npz")], f"are finished and in '{tmp_path / 's.npz'}'; the same "
                                                             "command resumes")):
        with mock.patch.object(run, "solve_piece", pressing(pieces.solve_piece, 2)):
            status = main([*argv, *file])
        assert (status, *capsys.readouterr()) == (130, "", f"asympkit: interrupted: 2 of 6 points {text}\n")


@pytest.mark.parametrize("error", [SystemError("returned a result with an exception set"), ImportError("half read"),
                                   KeyboardInterrupt(), ak.NotAvailableError("not installed")])
def test_whatever_a_library_makes_of_it_is_an_interruption(capsys, error):
    def broken(*_):
        try:
            press()
        except KeyboardInterrupt:
            raise error from None

    with mock.patch.object(run, "solve_piece", broken):
        status = main(["sweep", "one-step", "--student", "tanh", "--target", "sin", "--eta", "0.2", "--alpha0", "4,8",
                       "--alpha", "1", "--lam", "0.1", "--backend", "numpy"])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (130, "", 1)
    assert err.startswith("asympkit: interrupted")


def test_the_same_press_counts_once():
    before = signal.getsignal(signal.SIGINT)
    try:
        with CtrlC() as ctrl_c:
            with pytest.raises(KeyboardInterrupt):
                press()
            press()                      # at once: the same
            assert ctrl_c.pressed
            ctrl_c._last -= 10.0
            with pytest.raises(KeyboardInterrupt):
                press()
    finally:
        signal.signal(signal.SIGINT, before)


# -- other processes, at random moments -----------------------------------------------------------------------


AXES = "0.5:2:4", "0.01:1:3:log"


def command(path, backend, count, jobs=1):
    return [sys.executable, "-m", "asympkit", "sweep", "one-step", "--student", "tanh", "--target", "sin",
            "--eta", "0.2", "--alpha0", f"1:20:{count}", "--alpha", AXES[0], "--lam", AXES[1], "--backend", backend,
            "--jobs", str(jobs), "--file", str(path), "--out", str(path.with_suffix(".out.npz"))]


def interrupted(path, rng, backend="numpy", count=100, jobs=1, presses=1, span=0.5):
    """Start, press Ctrl-C at a random moment after the file was written to, and judge how it ends."""
    before = path.stat().st_mtime_ns if path.exists() else None
    process = subprocess.Popen(command(path, backend, count, jobs), stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True, start_new_session=True)
    while (not path.exists() or path.stat().st_mtime_ns == before) and process.poll() is None:
        time.sleep(0.01)
    time.sleep(rng.uniform(0.0, span))
    for _ in range(presses):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)          # as a terminal does: the workers too
            time.sleep(rng.uniform(0.0, 0.2))
    out, err = process.communicate(timeout=100)
    if process.returncode == 0:
        return ""                                          # it was faster
    if process.returncode == -signal.SIGINT and out.endswith(".out.npz\n") and not err:
        return ""                    # it had printed its result: Python was shutting down, where no handler is left
    ending = f"are finished and in '{path}'; the same command resumes\n"
    said = err.endswith(ending) or err == "asympkit: interrupted\n"     # the latter before the first point
    if process.returncode != 130 or out or err.count("\n") != 1 or not said:
        return f"exit {process.returncode}: {err[-300:]!r} {out[-100:]!r}"
    return ""


def test_processes_that_are_interrupted(tmp_path):
    rng, path = random.Random(1), tmp_path / "s.npy"
    for presses in (1, 2):
        assert interrupted(path, rng, presses=presses) == ""
    axes = {k: np.array(grid(v), float) for k, v in zip(("alpha0", "alpha", "lam"), ("1:20:100", *AXES))}
    at = {"eta": 0.2, "backend": "numpy", **axes}
    model = ak.OneStep("tanh", "sin")
    found, whole = model.sweep(**at, file=path), model.sweep(**at, file=tmp_path / "t.npy")
    assert found.converged.all()
    assert path.read_bytes() == (tmp_path / "t.npy").read_bytes()
    np.testing.assert_array_equal(found["test_error"], whole["test_error"])


@pytest.mark.slow
def test_fifty_processes_that_are_interrupted(tmp_path):
    def judge(case):
        backend, jobs, ending, presses, seed = case.split("|")
        path = tmp_path / f"s{seed}{ending}"
        return interrupted(path, random.Random(int(seed)), backend, 1500, int(jobs), int(presses), 4.0)

    cases = [f"{('numpy', 'numba')[k % 2]}|{1 + (k // 2) % 2}|{('.npy', '.npz')[k // 4 % 2]}|{1 + (k // 8) % 2}|{k}"
             for k in range(50)]
    assert bad(run_cases(cases, judge, seconds=200.0)) == {}
