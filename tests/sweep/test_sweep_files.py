"""Sweeps that survive: files to go on from, in memory and on disk alone, full disks, executors."""

import builtins
import errno
import json
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from sympy import Rational, Symbol, symbols, tanh

import asympkit as ak
from asympkit import jobs as sweep_file
from asympkit.sweep import pieces, run
from asympkit.sweep import pieces as states

AXES = {"alpha0": [4.0, 8.0, 16.0], "alpha": [0.5, 1.0, 2.0], "lam": [0.01, 0.1]}
GRID = {"eta": 0.2, "noise_variance": 0.1, "backend": "numpy", **AXES}


def model():
    return ak.OneStep("tanh", "sin")


@pytest.fixture(scope="module")
def whole():
    return model().sweep(**GRID)


def assert_same(a, b):
    assert a.names == b.names and list(a.axes) == list(b.axes)
    for name in (*a.names, *a.axes):
        np.testing.assert_array_equal(a[name], b[name])
    np.testing.assert_array_equal(a.residual, b.residual)
    np.testing.assert_array_equal(a.converged, b.converged)


def interrupted(path, after, error=KeyboardInterrupt, **changes):
    """Run until some pieces are finished."""
    solve, calls = pieces.solve_piece, []

    def stopping(*arguments):
        if len(calls) == after:
            raise error
        calls.append(arguments)
        return solve(*arguments)

    with mock.patch.object(run, "solve_piece", stopping), pytest.raises(error):
        model().sweep(**{**GRID, **changes}, file=path)


def counted():
    return mock.patch.object(run, "solve_piece", side_effect=pieces.solve_piece)


@pytest.mark.parametrize(("ending", "after"), [(".npz", 0), (".csv", 1), (".npz", 2), (".npy", 1)])
def test_an_interrupted_sweep_goes_on(tmp_path, whole, ending, after):
    path = tmp_path / f"s{ending}"
    interrupted(path, after)
    assert {f.name for f in tmp_path.iterdir()} == {path.name, "s.npy.json" if ending == ".npy" else path.name}
    with counted() as solve:
        assert_same(model().sweep(**GRID, file=path), whole)
    assert solve.call_count == 3 - after
    with counted() as solve:                 # a finished file is only read
        assert_same(model().sweep(**GRID, file=str(path)), whole)
    assert solve.call_count == 0


def test_points_that_do_not_converge_stay_so(tmp_path):
    grid = {**GRID, "alpha0": [4.0, 8.0]}
    with mock.patch.object(states, "ACCEPT", 0.0):          # rounding decides nothing: no point is solved exactly
        first = model().sweep(**grid, file=tmp_path / "s.csv")
    assert not first.converged.all()
    assert_same(model().sweep(**grid, file=tmp_path / "s.csv"), first)


def test_equal_values_on_an_axis(tmp_path):
    grid = {**GRID, "lam": [0.1, 0.1, 0.2], "alpha0": [4.0, 4.0]}
    first = model().sweep(**grid, file=tmp_path / "s.csv")
    interrupted(tmp_path / "t.csv", 1, **{k: grid[k] for k in ("lam", "alpha0")})
    assert_same(model().sweep(**grid, file=tmp_path / "t.csv"), first)


def test_large_tables_are_cut_into_pieces(tmp_path):
    grid = {"eta": 0.2, "alpha0": 4.0, "alpha": np.linspace(0.5, 2, 7), "lam": [0.01, 0.1], "backend": "numpy"}
    plain = model().sweep(**grid)
    with mock.patch.object(pieces, "LARGEST", 5):
        assert [(p.first, p.last) for p in pieces.pieces_of({k: np.array(grid[k]) for k in ("alpha", "lam")}, (), {})] \
            == [(0, 2), (2, 4), (4, 6), (6, 7)]
        with counted() as solve:
            cut = model().sweep(**grid)
    assert solve.call_count == 4
    np.testing.assert_allclose(cut["test_error"], plain["test_error"], rtol=1e-13)


def test_files_are_readable_by_others(tmp_path, whole):
    model().sweep(**GRID, file=tmp_path / "s.npz")
    with np.load(tmp_path / "s.npz", allow_pickle=False) as data:
        np.testing.assert_array_equal(data["test_error"], whole["test_error"])
        np.testing.assert_array_equal(data["axis_alpha"], AXES["alpha"])
    model().sweep(**GRID, file=tmp_path / "s.csv")
    table = np.genfromtxt(tmp_path / "s.csv", delimiter=",", names=True, comments="#", skip_header=1)
    np.testing.assert_array_equal(table["test_error"], whole["test_error"].ravel())
    np.testing.assert_array_equal(table["lam"][:2], AXES["lam"])


# -- files that cannot serve ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("ending", "change", "text"), [
    (".npz", {"eta": 0.3}, r"holds another sweep: there parameter eta is 0\.2, here 0\.3"),
    (".npy", {"eta": 0.3}, r"holds another sweep: there parameter eta is 0\.2, here 0\.3"),
    (".csv", {"alpha": [0.5, 1.0]}, "there axis alpha is 3 values .*, here 2 values"),
    (".npz", {"rtol": 1e-6}, "there rtol is 1e-10, here 1e-06"), (".csv", {"lam": 0.1}, "holds another sweep: there")])
def test_another_sweep_is_not_touched(tmp_path, ending, change, text):
    path = tmp_path / f"s{ending}"
    model().sweep(**GRID, file=path)
    before = path.read_bytes()
    with pytest.raises(ak.DomainError, match=text):
        model().sweep(**{**GRID, **change}, file=path)
    with pytest.raises(ak.DomainError, match="there student is tanh, here erf"):
        ak.OneStep("erf", "sin").sweep(**GRID, file=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("name", "content"), [
    ("s.csv", b"alpha,lam\n1,2\n"), ("s.csv", b""), ("s.npz", b"no archive"), ("s.npz", b"PK\x03\x04 torn"),
    ("s.npz", b""),
])
def test_a_file_of_something_else_is_not_touched(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ak.DomainError, match=r"file: .* is no file of a sweep \(.+\); give another name"):
        model().sweep(**GRID, file=tmp_path / name)
    assert (tmp_path / name).read_bytes() == content


def test_names_of_files(tmp_path):
    with pytest.raises(ak.DomainError, match=r"file: got 'x\.txt'; expected a name that ends in \.npz or \.csv or "
                                             r"\.npy"):
        model().sweep(**GRID, file="x.txt")
    with pytest.raises(ak.DomainError, match="the folder .*nowhere' does not exist"):
        model().sweep(**GRID, file=tmp_path / "nowhere" / "s.npz")


@pytest.mark.parametrize("ending", [".npz", ".csv"])
def test_a_full_disk_loses_nothing(tmp_path, whole, ending):
    path = tmp_path / f"s{ending}"
    interrupted(path, 1)
    before = path.read_bytes()
    full = OSError(errno.ENOSPC, "No space left on device")
    with mock.patch.object(sweep_file, "flush", side_effect=full), mock.patch.object(sweep_file, "PAUSE", 0.0), \
            pytest.raises(ak.SweepFileError, match=(rf"file: could not write '.*s\{ending}' \(No space left on "
                                                    r"device\); 18 of 18 points are finished and kept")) as caught:
        model().sweep(**GRID, file=path)
    assert_same(caught.value.sweep, whole)
    assert path.read_bytes() == before and [f.name for f in tmp_path.iterdir()] == [path.name]
    assert_same(model().sweep(**GRID, file=path), whole)


def test_a_disk_that_is_full_for_a_while(tmp_path, whole):
    flush, failures = sweep_file.flush, [OSError(errno.ENOSPC, "No space left on device")] * 2

    def sometimes(stream):
        if failures:
            raise failures.pop()
        flush(stream)

    with mock.patch.object(sweep_file, "flush", sometimes), mock.patch.object(sweep_file, "PAUSE", 0.0):
        assert_same(model().sweep(**GRID, file=tmp_path / "s.npz"), whole)
    assert not failures
    with counted() as solve:
        model().sweep(**GRID, file=tmp_path / "s.npz")
    assert solve.call_count == 0


def test_a_folder_that_cannot_be_written(tmp_path):
    with mock.patch.object(builtins, "open", side_effect=PermissionError(errno.EACCES, "Permission denied")), \
            pytest.raises(ak.SweepFileError, match="Permission denied"):
        model().sweep(**GRID, file=tmp_path / "s.csv")


# -- solutions that stay on disk --------------------------------------------------------------------------------


def test_the_same_numbers_as_in_memory(tmp_path, whole):
    path = tmp_path / "s.npy"
    outside = model().sweep(**GRID, file=path)
    assert_same(outside, whole)
    assert outside.converged.all() and isinstance(outside["test_error"], np.memmap)
    label = json.loads((tmp_path / "s.npy.json").read_text())
    assert label["axes"]["lam"] == [0.01, 0.1] and label["last axis"][-2:] == ["residual", "state"]
    raw = np.load(path)
    assert raw.shape == (3, 3, 2, len(label["last axis"])) and np.all(raw[..., -1] == 2)
    np.testing.assert_array_equal(raw[..., label["last axis"].index("test_error")], whole["test_error"])


def test_labels_that_are_none_of_ours(tmp_path):
    path, label = tmp_path / "s.npy", tmp_path / "s.npy.json"
    label.write_text("my own")
    with pytest.raises(ak.DomainError, match=r"s\.npy\.json' is there without 's\.npy', and would be overwritten"):
        model().sweep(**GRID, file=path)
    assert label.read_text() == "my own" and not path.exists()
    label.unlink()
    model().sweep(**GRID, file=path)
    known = label.read_text()
    for text in ("[]", '{"about": 3}', "{}"):
        label.write_text(text)
        with pytest.raises(ak.DomainError, match="is no file of a sweep"):
            model().sweep(**GRID, file=path)
    label.write_text(known)
    for name, said in (("s.npy", r" \(its shape is another\)"), ("other.npy", "")):
        np.save(tmp_path / name, np.zeros(3))
        with pytest.raises(ak.DomainError, match="is no file of a sweep" + said):
            model().sweep(**GRID, file=tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the space is taken in another way here")
def test_a_full_disk_is_noticed_before_the_first_point(tmp_path):
    full = OSError(errno.ENOSPC, "No space left on device")
    text = r"could not make .*s\.npy' \(No space left on device\); the sweep needs 0\.\d+ MB there"
    with mock.patch.object(os, "posix_fallocate", side_effect=full), pytest.raises(ak.SweepFileError, match=text):
        model().sweep(**GRID, file=tmp_path / "s.npy")
    assert not list(tmp_path.iterdir())


def test_space_where_the_system_does_not_give_it(tmp_path, whole):
    with mock.patch.object(os, "posix_fallocate", create=True) as taken:
        del os.posix_fallocate
        sweep = model().sweep(**GRID, file=tmp_path / "s.npy")
        os.posix_fallocate = taken
    assert_same(sweep, whole)


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


# -- executors ------------------------------------------------------------------------------------------------


def test_processes_give_the_same(tmp_path, whole):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        interrupted(tmp_path / "s.npz", 1)
        assert_same(model().sweep(**GRID, executor=pool, file=tmp_path / "s.npz"), whole)
        m, h = symbols("m h", real=True)
        own = ak.Theory(name="field", parameters={h: ("field", "real")}, unknowns=[m], equations=[m - tanh(m / 2 + h)])
        grid = {"h": np.linspace(-1, 1, 5)}
        assert_same(own.sweep(executor=pool, **grid), own.sweep(**grid))


def test_progress_counts_what_was_there(tmp_path, capsys):
    interrupted(tmp_path / "s.npz", 1)
    model().sweep(**GRID, file=tmp_path / "s.npz", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "| 1/3 [" in err and "| 3/3 [" in err and "pieces/s]" in err and "0/3" not in err


def test_threads_give_the_same(whole):
    with ThreadPoolExecutor(3) as pool:
        assert_same(model().sweep(**GRID, executor=pool), whole)


def test_what_an_executor_raises_comes_through(tmp_path):
    class Broken:
        def submit(self, function, *arguments):
            from concurrent.futures import Future

            future = Future()
            future.set_exception(RuntimeError("a worker died"))
            return future

    with pytest.raises(RuntimeError, match="a worker died"):
        model().sweep(**GRID, executor=Broken(), file=tmp_path / "s.csv")
    assert (tmp_path / "s.csv").exists()
    with pytest.raises(ak.DomainError, match="executor: got 2; expected a concurrent.futures executor or None"):
        model().sweep(**GRID, executor=2)


def test_assumptions_are_said_once_from_every_process():
    grid = {**GRID, "eta": 3.0, "alpha0": [0.5, 0.6]}
    with ThreadPoolExecutor(2) as pool:
        for executor in (None, pool):
            with pytest.warns(ak.AssumptionWarning, match="c - 1 = .* is not small") as caught:
                swept = model().sweep(**grid, executor=executor)
            (text,) = {str(w.message) for w in caught}
            points = swept.status.size
            assert len(caught) == 1 and text.endswith(f"(c - 1 from 0.779 to 0.934 at {points} of {points} points)")


# -- axes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("change", "text"), [
    ({"alpha": []}, r"alpha: got an array of shape \(0,\); an axis is a non-empty one-dimensional array"),
    ({"alpha": [[1.0, 2.0]]}, r"alpha: got an array of shape \(1, 2\)"),
    ({"alpha": [1.0, np.nan]}, "alpha: got .*; expected real numbers without NaN"),
    ({"alpha": [1.0, 2j]}, "alpha: got .*; expected real numbers without NaN"),
    ({"alpha": ["a", "b"]}, "alpha: got .*; expected real numbers without NaN"),
    ({"alpha": np.array([1.0, None])}, "alpha: got .*; expected real numbers without NaN"),
    ({"alpha": [1, 10**400]}, "alpha: got .*; expected real numbers without NaN"),
    ({"alpha": [True, False]}, "alpha: got .*; expected real numbers without NaN"),
    ({"lam": [0.1, -0.1]}, r"lam: got -0\.1; expected a positive finite number"),
    ({"lam": [0.1, np.inf]}, "lam: got inf; expected a positive finite number"),
    ({"alpha0": [4.0, -1.0]}, r"alpha0: got -1\.0; expected a number >= 0"),
])
def test_nonsense_is_refused_before_anything_is_computed(change, text):
    with counted() as solve, pytest.raises(ak.DomainError, match=text):
        model().sweep(**{**GRID, **change})
    assert solve.call_count == 0


@pytest.mark.parametrize("axis", [
    [Fraction(1, 2), 1.5], [Rational(1, 2), Fraction(3, 2)], np.array([0.5, 1.5], dtype=object), ["0.5", "3/2"],
    np.float32([0.5, 1.5])])
def test_entries_are_read_as_one_number_is(axis):
    """Fractions and arrays of objects were refused by sweeps alone; ``minimize`` took True and None for numbers."""
    x, a, b = symbols("x a b", real=True)
    t = ak.Theory(name="t", parameters={a: ("", "real"), b: ("", "positive")}, unknowns=[x],
                  equations=[x - a - (b - 5) ** 2], observables={"o": x})
    sweep = t.sweep(a=axis, b=5)
    assert sweep["x"].tolist() == sweep.axes["a"].tolist() == [0.5, 1.5]
    lowest = t.minimize("o", over="b", bounds=(1, 5), a=axis)
    # stationary at the bound, which was 4.99999999996
    assert lowest.value == pytest.approx([0.5, 1.5]) and np.all(lowest.argmin == 5.0) and np.all(lowest.at_bound)
    for wrong in (np.array([0.5, None]), [True, False], [0.5, 10**400], [0.5, 1j]):
        with pytest.raises(ak.DomainError, match="a: got .*; expected real numbers"):
            t.minimize("o", over="b", bounds=(1, 5), a=wrong)


def test_a_parameter_may_be_called_file(tmp_path):
    x, named = symbols("x", real=True), Symbol("file", real=True)
    t = ak.Theory(name="t", parameters={named: ("a", "real")}, unknowns=[x], equations=[x - named])
    for _ in range(2):
        sweep = t.sweep(parameters={"file": [1.0, 2.0]}, file=tmp_path / "s.npz")
        assert sweep["x"].tolist() == [1.0, 2.0] and list(sweep.axes) == ["file"]
