"""Jobs in pieces: what is finished is taken, what cannot be sent is refused, lost workers lose one piece."""

import os
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import symbols

import asympkit as ak
from asympkit import errors
from asympkit import jobs as progress
from asympkit.jobs import progress_bar, run_jobs
from asympkit.simulate.repeats import run_repeats
from asympkit.sweep import pieces, run

JOBS = [(k, (k,)) for k in range(6)]


class Finished:
    """An executor all of whose futures are settled when they are first looked at."""

    def __init__(self, outcomes):
        self.outcomes = dict(outcomes)

    def submit(self, function, k):
        future = Future()
        error = self.outcomes.get(k)
        if error is None:
            future.set_result(function(k))
        else:
            future.set_exception(error)
        return future


def square(k):
    return k * k


def taken(executor, error=None, **kwargs):
    found = {}
    with pytest.raises(error, **kwargs) as caught:
        run_jobs(square, JOBS, found.__setitem__, executor)
    return found, caught.value


@pytest.mark.parametrize("first", range(6))
def test_what_had_arrived_before_the_loss_is_taken(first):
    found, error = taken(Finished({first: BrokenProcessPool("terminated abruptly")}), ak.WorkerLostError,
                         match=r"executor: a worker was lost \(BrokenProcessPool: terminated abruptly\)")
    assert found == {k: k * k for k in range(6) if k != first}
    assert isinstance(error.__cause__, BrokenProcessPool)


def test_errors_of_dask_are_recognised_by_their_origin():
    killed = type("KilledWorker", (Exception,), {"__module__": "distributed.scheduler"})
    found, error = taken(Finished({3: killed("died")}), ak.WorkerLostError, match=r"lost \(KilledWorker: died\)")
    assert found == {k: k * k for k in range(6) if k != 3}
    assert isinstance(error.__cause__, killed)


@pytest.mark.parametrize("error", [ZeroDivisionError("of the job"), KeyboardInterrupt()])
def test_other_errors_are_themselves(error):
    found, caught = taken(Finished({2: error}), type(error))
    assert caught is error
    assert found == {k: k * k for k in range(6) if k != 2}


def test_waiting_jobs_are_cancelled():
    started = []

    def slow(k):
        started.append(k)
        time.sleep(0.05)
        if k == 0:
            raise ZeroDivisionError
        return k

    with ThreadPoolExecutor(1) as pool, pytest.raises(ZeroDivisionError):
        run_jobs(slow, [(k, (k,)) for k in range(50)], lambda key, result: None, pool)
    assert len(started) < 10


@pytest.mark.parametrize(("shown", "watched"), [(True, False), (None, True)])
def test_a_bar_counts_what_is_done(capsys, monkeypatch, shown, watched):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: watched)
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    bar = progress_bar(10, "pieces", 7, shown)
    for _ in range(3):
        bar.update()
    bar.close()
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.endswith("\n")
    assert [f"{n}/10 [" in err for n in (6, 7, 10)] == [False, True, True] and " pieces" in err


@pytest.mark.parametrize(("shown", "watched"), [(False, True), (None, False), (None, True)])
def test_no_bar_where_nobody_watches_or_the_job_is_short(capsys, monkeypatch, shown, watched):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: watched)
    bar = progress_bar(3, "repeats", 0, shown)
    bar.update()
    bar.close()
    assert capsys.readouterr() == ("", "")


m, h = symbols("m h", real=True)


class Sending:
    """An executor that pickles and has a name of its own for what fails."""

    def __init__(self, error):
        self.error = error

    def submit(self, function, *arguments):
        future = Future()
        future.set_exception(self.error)
        return future


def theory(**more):
    return ak.Theory(name="t", unknowns=[m], parameters={h: ("field", "real")}, equations=[m - h], **more)


def drawn():
    return theory(simulate=lambda rng, size, h: {"m": h + rng.normal() / size})


@pytest.mark.parametrize("call", [
    lambda pool: drawn().simulate(size=3, repeats=10, h=1.0, executor=pool),
    lambda pool: drawn().check(size=3, repeats=10, h=1.0, digits=15, executor=pool),
    lambda pool: theory(assumptions=[ak.Assumption(lambda values: values["h"] < 1, "large")]).sweep(
        h=np.linspace(0, 0.5, 4), executor=pool)])
def test_a_lambda_is_refused_by_name(call):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(ak.DomainError) as caught:
            call(pool)
        assert not pool._processes      # none was started for it
    said = str(caught.value)
    assert said.startswith("executor: the function <lambda> (") and "test_jobs.py, line " in said
    assert said.endswith("define functions with def at the top level of a module that can be imported, or give a "
                         "concurrent.futures.ThreadPoolExecutor")


def test_threads_take_lambdas():
    with ThreadPoolExecutor(2) as pool:
        found = drawn().simulate(size=3, repeats=4, h=1.0, executor=pool)
    assert np.array_equal(found["m"].values, drawn().simulate(size=3, repeats=4, h=1.0)["m"].values)


def test_executors_of_others_are_answered_after_they_failed():
    job = (lambda x: x, [open])
    with pytest.raises(ak.DomainError, match="the function <lambda> .* cannot be sent to other processes"):
        run_jobs(job[0], [(0, (1,))], print, Sending(AttributeError("Can't pickle local object")))
    with pytest.raises(ak.DomainError, match="an object of the type generator cannot be sent"):
        run_jobs(print, [(0, ({"a": [iter("a"), (i for i in "b")]},))], print, Sending(TypeError("cannot pickle")))


def test_an_error_of_the_job_itself_is_left_alone():
    with pytest.raises(TypeError, match="of the job"):
        run_jobs(print, [(0, (1,))], print, Sending(TypeError("of the job")))


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


@pytest.mark.parametrize("with_file", slow_but([False, True], 0))
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


@pytest.mark.parametrize("with_file", slow_but([False, True], 1))
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


def test_a_long_call_says_so_once(monkeypatch, capsys):
    monkeypatch.setattr(errors, "_QUIET", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with errors.note_when_long("outside"), errors.note_when_long("inside"):
        time.sleep(0.2)
    with errors.note_when_long("short"):
        pass
    time.sleep(0.05)
    assert capsys.readouterr().err == "asympkit: outside\n"
