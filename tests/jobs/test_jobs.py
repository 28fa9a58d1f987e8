"""Pieces of long jobs: what is finished is taken, whatever ends the run; and a bar says how far they are."""

import sys
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

import asympkit as ak
from asympkit.jobs import progress_bar, run_jobs
from asympkit.jobs import run as progress

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


@pytest.mark.parametrize("executor", [None, Finished({}), ThreadPoolExecutor(2)])
def test_every_job_is_taken_once(executor):
    found = []
    run_jobs(square, JOBS, lambda key, result: found.append((key, result)), executor)
    assert sorted(found) == [(k, k * k) for k in range(6)]


@pytest.mark.parametrize("first", range(6))
def test_what_had_arrived_before_the_loss_is_taken(first):
    found, error = taken(Finished({first: BrokenProcessPool("terminated abruptly")}), ak.WorkerLostError,
                         match=r"executor: a worker was lost \(BrokenProcessPool: terminated abruptly\)")
    assert found == {k: k * k for k in range(6) if k != first}
    assert isinstance(error.__cause__, BrokenProcessPool)


def test_cancelled_work_is_lost_work():
    assert taken(Finished({0: CancelledError()}), ak.WorkerLostError, match=r"lost \(CancelledError\)")[0]


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


def test_an_executor_that_breaks_while_it_is_given_work():
    class Breaking(Finished):
        def submit(self, function, k):
            if k == 4:
                raise BrokenProcessPool("too late")
            return super().submit(function, k)

    assert taken(Breaking({}), ak.WorkerLostError, match="too late")[0] == {k: k * k for k in range(4)}


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
