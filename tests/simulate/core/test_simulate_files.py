"""Simulations that survive and repeat: files, interrupts, damage, executors, threads."""

import errno
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from unittest import mock

import numpy as np
import pytest
from helpers.damage import KINDS, damaged, same_bits
from helpers.verdicts import bad, run_cases
from threadpoolctl import threadpool_info, threadpool_limits

import asympkit as ak
from asympkit import Activation
from asympkit import jobs as job_file
from asympkit.simulate import one_step as network
from asympkit.simulate import simulate_network, simulate_spiked

AT = {"eta": 1.0, "alpha0": 1.0, "alpha": [0.5, 1.5], "lam": [0.01, 0.1], "d": 40, "repeats": 5}


def model():
    return ak.OneStep("tanh", "sin")


@pytest.fixture(scope="module")
def whole():
    return model().simulate(**AT)


def assert_same(a, b):
    assert list(a) == list(b)
    for name in a:
        np.testing.assert_array_equal(a[name].values, b[name].values)


def counted():
    return mock.patch.object(network, "network_repeat", side_effect=network.network_repeat, __name__="network_repeat")


def interrupted(path, after, **changes):
    """Run until some repeats are finished."""
    repeat, calls = network.network_repeat, []

    def network_repeat(*arguments, **settings):
        if len(calls) == after:
            raise KeyboardInterrupt
        calls.append(arguments)
        return repeat(*arguments, **settings)

    with mock.patch.object(network, "network_repeat", network_repeat):
        return model().simulate(**{**AT, **changes}, file=path)


@pytest.mark.parametrize("after", [0, 1])
def test_an_interrupted_simulation_goes_on(tmp_path, whole, after):
    path = tmp_path / "s.npz"
    with pytest.raises(KeyboardInterrupt):
        interrupted(path, after)
    with counted() as repeat:
        assert_same(model().simulate(**AT, file=path), whole)
    assert repeat.call_count == 5 - after
    assert [f.name for f in tmp_path.iterdir()] == ["s.npz"]


def test_an_interruption_after_two_gives_estimates_and_goes_on(tmp_path, whole, capsys):
    path = tmp_path / "s.npz"
    with pytest.warns(UserWarning, match="use the 3 finished of 5 repeats"):
        part = interrupted(path, 3)
    np.testing.assert_array_equal(part["m"].values, whole["m"].values[:3])
    with counted() as repeat:
        assert_same(model().simulate(**AT, file=str(path), progress=True), whole)
    assert repeat.call_count == 2
    assert "| 3/5 [" in (err := capsys.readouterr().err) and "| 5/5 [" in err and "0/5" not in err
    with counted() as repeat:                 # a finished file is only read
        assert_same(model().simulate(**AT, file=path), whole)
    assert repeat.call_count == 0


def test_more_and_fewer_repeats_than_in_the_file(tmp_path, whole):
    path = tmp_path / "s.npz"
    model().simulate(**{**AT, "repeats": 3}, file=path)
    with counted() as repeat:
        assert_same(model().simulate(**AT, file=path), whole)
    assert repeat.call_count == 2
    few = model().simulate(**{**AT, "repeats": 2}, file=path)
    assert few.repeats == 2
    np.testing.assert_array_equal(few["m"].values, whole["m"].values[:2])


def test_the_order_of_the_axes_is_no_other_question(tmp_path, whole):
    model().simulate(**AT, file=tmp_path / "s.npz")
    turned = {k: AT[k] for k in ("lam", "eta", "alpha0", "alpha", "d", "repeats")}
    with counted() as repeat:
        found = model().simulate(**turned, file=tmp_path / "s.npz")
    assert repeat.call_count == 0
    np.testing.assert_array_equal(found["m"].values, whole["m"].values.swapaxes(1, 2))


KILLED = """
import sys
import asympkit as ak
ak.OneStep("tanh", "sin").simulate(eta=1.0, alpha0=1.0, alpha=1.5, lam=0.1, d=150, repeats=500, file=sys.argv[1])
"""


def test_a_killed_process_leaves_a_file_to_go_on_from(tmp_path):
    path = tmp_path / "s.npz"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)])
    try:
        while not path.exists():
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.2)
    finally:
        process.kill()
        process.wait()
    with np.load(path) as data:
        done = len(data["repeat"])
    assert 1 <= done < 500
    at = {"eta": 1.0, "alpha0": 1.0, "alpha": 1.5, "lam": 0.1, "d": 150, "repeats": done + 2}
    with counted() as repeat:
        found = model().simulate(**at, file=path)
    assert repeat.call_count == 2
    assert_same(found, model().simulate(**at))


@pytest.mark.parametrize("change, text", [
    ({"eta": 2.0}, r"holds another simulation: there eta is 1\.0, here 2\.0"), ({"seed": 1}, "there seed is 0, here 1"),
    ({"alpha": 1.5}, r"there sizes is \(20, 60\), here \(60,\)"),
    ({"lam": [0.01, 0.2]}, "there lam is 2 values .*, here 2 values"), ({"d": 50}, "there d is 40, here 50"),
    ({"model": "spiked"}, "there simulation is network_repeat, here spiked_repeat"),
])
def test_another_simulation_is_not_touched(tmp_path, change, text):
    path = tmp_path / "s.npz"
    model().simulate(**{**AT, "repeats": 2}, file=path)
    before = path.read_bytes()
    with pytest.raises(ak.DomainError, match=text):
        model().simulate(**{**AT, **change}, file=path)
    with pytest.raises(ak.DomainError, match="there student is tanh, here erf"):
        ak.OneStep("erf", "sin").simulate(**AT, file=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"no archive", b"PK\x03\x04 torn", b""])
def test_a_file_of_something_else_is_not_touched(tmp_path, content):
    (tmp_path / "s.npz").write_bytes(content)
    with pytest.raises(ak.DomainError, match=r"file: .* is no file of a simulation \(.+\); give another name"):
        model().simulate(**AT, file=tmp_path / "s.npz")
    assert (tmp_path / "s.npz").read_bytes() == content


def test_names(tmp_path):
    with pytest.raises(ak.DomainError, match=r"file: got 'x\.csv'; expected a name that ends in \.npz"):
        model().simulate(**AT, file="x.csv")
    with pytest.raises(ak.DomainError, match="file: got 3; expected the name of a file, a text or a pathlib.Path"):
        model().simulate(**AT, file=3)
    with pytest.raises(ak.DomainError, match="the folder .*nowhere' does not exist"):
        model().simulate(**AT, file=tmp_path / "nowhere" / "s.npz")
    with pytest.raises(ak.DomainError, match=r"file: target=<function .*<lambda> at .* has no name"):
        simulate_network(np.tanh, lambda x: x, d=20, eta=0, alpha0=0, alpha=1, lam=1, file=tmp_path / "s.npz")
    plain = {"d": 20, "eta": 0, "alpha0": 0, "alpha": 1, "lam": 1, "repeats": 2, "file": tmp_path / "s.npz"}
    simulate_network(np.tanh, np.sin, **plain)
    with pytest.raises(ak.DomainError, match="there target is .*sin, here .*cos"):
        simulate_network(np.tanh, np.cos, **plain)


def test_a_full_disk_loses_nothing(tmp_path, whole):
    path = tmp_path / "s.npz"
    model().simulate(**{**AT, "repeats": 2}, file=path)
    before = path.read_bytes()
    full = OSError(errno.ENOSPC, "No space left on device")
    with mock.patch.object(job_file, "flush", side_effect=full), \
            pytest.raises(ak.SimulationFileError, match=(r"file: could not write '.*s\.npz' \(No space left on device\)"
                                                         "; 5 of 5 repeats are finished and kept")) as caught:
        model().simulate(**AT, file=path)
    assert_same(caught.value.simulation, whole)
    assert path.read_bytes() == before and [f.name for f in tmp_path.iterdir()] == ["s.npz"]
    assert_same(model().simulate(**AT, file=path), whole)


SMALL = {"eta": 1.0, "alpha0": 1.0, "alpha": [0.5, 1.5], "lam": [0.01, 0.1], "d": 10, "repeats": 3}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "s.npz"
    model = ak.OneStep("tanh", "sin")
    return model, model.simulate(**SMALL, file=path), path.read_bytes()


@pytest.mark.parametrize("count", [64, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_sentence_or_the_right_numbers(written, tmp_path, count):
    (model, right, data), path = written, tmp_path / "s.npz"

    def judge(k):
        kind = KINDS[k % len(KINDS)]
        path.write_bytes(damaged(data, kind, np.random.default_rng([k, *map(ord, kind)])))
        try:
            found = model.simulate(**SMALL, file=path)
        except ak.AsympkitError as error:
            return "" if str(error).startswith("file: ") else f"unclear: {error}"
        return "" if all(same_bits(found[n].values, right[n].values) for n in right) else "other numbers"

    assert bad(run_cases(range(count), judge)) == {}


class Tanh:
    def __call__(self, x):
        return np.tanh(x)

    def derivative(self, x):
        return 1 - np.tanh(x) ** 2


def network_of_classes(**kwargs):
    return simulate_network(Tanh(), np.sin, d=60, eta=2, alpha0=1, alpha=1.5, lam=0.01,
                            noise_variance=0.1, test_size=500, **kwargs)


def spiked(**kwargs):
    return simulate_spiked(np.tanh, np.sin, d=60, r=1, gamma=0.8, c=1.1, alpha=1.5, lam=[0.01, 1],
                           noise_variance=0.1, test_size=500, **kwargs)


def named(**kwargs):
    """What another process can import."""
    return simulate_network(Activation("tanh"), Activation("sin"), d=60, eta=2, alpha0=1, alpha=[0.5, 1.5],
                            lam=np.geomspace(0.01, 1, 5), test_size=500, **kwargs)


@pytest.mark.parametrize("simulate", [network_of_classes, spiked])
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
