"""Pieces of long jobs: what is finished is taken, whatever ends the run; progress and its remaining time."""

import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from unittest import mock

import pytest

import asympkit as ak
from asympkit.jobs import Progress, run_jobs
from asympkit.jobs.progress import duration

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


def test_remaining_time_counts_what_this_run_did(capsys):
    with mock.patch("asympkit.jobs.progress.time.monotonic", side_effect=[100.0, 110.0, 130.0]):
        line = Progress(10, "pieces", done=7)
        line.step()
        line.step()
    line.step()
    line.close()
    out, err = capsys.readouterr()
    assert out == ""
    assert "\r8/10 pieces, about 20 s left" in err      # one piece in 10 s, two are left
    assert "\r9/10 pieces, about 15 s left" in err
    assert err.rstrip().endswith("10/10 pieces") and err.endswith("\n")


def test_a_line_that_was_never_begun_is_not_ended(capsys):
    Progress(3, "repeats", done=3).close()
    hidden = Progress(3, "repeats", shown=False)
    hidden.step()
    hidden.close()
    assert capsys.readouterr() == ("", "")
    assert hidden.done == 1


@pytest.mark.parametrize("seconds, text", [(0.2, "0 s"), (99.0, "99 s"), (100.0, "2 min"), (3000.0, "50 min"),
                                           (9000.0, "2.5 h")])
def test_duration(seconds, text):
    assert duration(seconds) == text
