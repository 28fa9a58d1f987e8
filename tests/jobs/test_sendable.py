"""What cannot be sent to other processes is named in one sentence, before any process starts."""

from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from sympy import symbols

import asympkit as ak
from asympkit.jobs import run_jobs

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


def assumed():
    return theory(assumptions=[ak.Assumption(lambda values: values["h"] < 1, "large")])


@pytest.mark.parametrize("call", [
    lambda pool: drawn().simulate(size=3, repeats=10, h=1.0, executor=pool),
    lambda pool: drawn().check(size=3, repeats=10, h=1.0, digits=15, executor=pool),
    lambda pool: assumed().sweep(h=np.linspace(0, 0.5, 4), executor=pool)])
def test_a_lambda_is_refused_by_name(call):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(ak.DomainError) as caught:
            call(pool)
        assert not pool._processes      # none was started for it
    said = str(caught.value)
    assert said.startswith("executor: the function <lambda> (") and "test_sendable.py, line " in said
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
