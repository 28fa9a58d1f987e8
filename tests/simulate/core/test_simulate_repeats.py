"""Repeats: reproducible through any executor, interruptible, and reported on stderr."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from asympkit import Activation
from asympkit.simulate import simulate_network, simulate_spiked
from asympkit.simulate.repeats import run_repeats


class Tanh:
    def __call__(self, x):
        return np.tanh(x)

    def derivative(self, x):
        return 1 - np.tanh(x) ** 2


def draw(seed):
    return {"x": np.random.default_rng(seed).standard_normal()}


class Interrupted:
    """Draws until the person presses the keys."""

    def __init__(self, after):
        self.left = after

    def __call__(self, seed):
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return draw(seed)


def network(**kwargs):
    return simulate_network(Tanh(), np.sin, d=60, eta=2, alpha0=1, alpha=1.5, lam=0.01,
                            noise_variance=0.1, test_size=500, **kwargs)


def spiked(**kwargs):
    return simulate_spiked(np.tanh, np.sin, d=60, r=1, gamma=0.8, c=1.1, alpha=1.5, lam=[0.01, 1],
                           noise_variance=0.1, test_size=500, **kwargs)


def named(**kwargs):
    """What another process can import."""
    return simulate_network(Activation("tanh"), Activation("sin"), d=60, eta=2, alpha0=1, alpha=[0.5, 1.5],
                            lam=np.geomspace(0.01, 1, 5), test_size=500, **kwargs)


@pytest.mark.parametrize("simulate", [network, spiked])
def test_same_bits_with_and_without_threads(simulate):
    plain, again = simulate(repeats=6, seed=7), simulate(repeats=6, seed=7)
    with ThreadPoolExecutor(3) as executor:
        threads = simulate(repeats=6, seed=7, executor=executor)
    other = simulate(repeats=6, seed=8)
    fewer = simulate(repeats=3, seed=7)
    for name in plain:
        np.testing.assert_array_equal(plain[name].values, again[name].values)
        np.testing.assert_array_equal(plain[name].values, threads[name].values)
        np.testing.assert_array_equal(plain[name].values[:3], fewer[name].values)
        assert (plain[name].values != other[name].values).all()
    assert len(np.unique(plain["q2"].values)) == plain["q2"].values.size


def test_same_bits_in_other_processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        far = named(repeats=4, seed=7, executor=executor)
    here = named(repeats=4, seed=7)
    for name in here:
        np.testing.assert_array_equal(far[name].values, here[name].values)


def test_same_bits_whatever_the_number_of_threads():
    """Of linear algebra, whose last bits depend on it; what was set is left as it was."""
    def threads():
        return {lib["filepath"]: lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}

    def large():
        return simulate_spiked(np.tanh, np.sin, d=150, r=1, gamma=0.8, c=1.1, alpha=2, lam=[0.01, 1, 2, 3], repeats=2,
                               test_size=500)

    one = large()
    for number in (2, 3):
        with threadpool_limits(number, user_api="blas"):
            before = threads()
            found = [large()]
            assert threads() == before and max(before.values()) > 1
            with ThreadPoolExecutor(4) as executor:
                found += executor.map(lambda _: large(), range(4))
            assert threads() == before
        for name in one:
            for other in found:
                np.testing.assert_array_equal(one[name].values, other[name].values)


def test_interrupt_with_an_executor():
    with ThreadPoolExecutor(1) as executor, pytest.warns(UserWarning, match="finished of 5 repeats"):
        _, finished = run_repeats(Interrupted(3), {}, repeats=5, seed=0, executor=executor)
    assert finished == 3


def test_a_failing_repeat_is_not_hidden():
    def fail(seed):
        raise ZeroDivisionError

    with ThreadPoolExecutor(2) as executor, pytest.raises(ZeroDivisionError):
        run_repeats(fail, {}, repeats=3, seed=0, executor=executor)
