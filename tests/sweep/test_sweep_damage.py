"""Files of sweeps that were damaged: a sentence or the right numbers, never other numbers."""

import shutil
import warnings
from unittest import mock

import numpy as np
import pytest
from helpers.damage import KINDS, damaged, same_bits
from helpers.verdicts import bad, run_cases
from sympy import symbols, tanh

import asympkit as ak
from asympkit.sweep import pieces, run

GRID = {"h": np.linspace(0.1, 1.0, 12), "J": np.linspace(0.2, 0.9, 5), "backend": "numpy"}
ENDINGS = (".npz", ".csv", ".npy", ".npy.json")


@pytest.fixture(scope="module")
def theory():
    m, h, J = symbols("m h J", positive=True)
    return ak.Theory(name="magnet", parameters={h: ("", "positive"), J: ("", "positive")}, unknowns=[m],
                     equations=[m - tanh(J * m + h)], observables={"square": m**2, "finished": 1 - m, "axis_h": 2 * m})


@pytest.fixture(autouse=True)
def several_pieces():
    with mock.patch.object(pieces, "LARGEST", 10):
        yield


@pytest.fixture(scope="module")
def files(theory, tmp_path_factory):
    """Whole and interrupted files of each format, and the sweep they are of."""
    folder = tmp_path_factory.mktemp("files")
    with mock.patch.object(pieces, "LARGEST", 10):
        for ending in (".npz", ".csv", ".npy"):
            theory.sweep(**GRID, file=folder / f"whole{ending}")
            solve, calls = pieces.solve_piece, []

            def stopping(*arguments, solve=solve, calls=calls):
                calls.append(arguments)
                if len(calls) == 4:
                    raise KeyboardInterrupt
                return solve(*arguments)

            with mock.patch.object(run, "solve_piece", stopping), pytest.raises(KeyboardInterrupt):
                theory.sweep(**GRID, file=folder / f"part{ending}")
        return folder, theory.sweep(**GRID)


def judged(theory, files, folder, case):
    """Damage a copy of one of the files and go on from it; what is wrong, or nothing."""
    kind, ending, state, seed = case.split("|")
    kept, right = files
    for old in folder.iterdir():
        old.unlink()
    for end in (".npy", ".npy.json") if ending.startswith(".npy") else (ending,):
        shutil.copy(kept / f"{state}{end}", folder / f"s{end}")
    path = folder / f"s{ending}"
    path.write_bytes(damaged(path.read_bytes(), kind, np.random.default_rng([int(seed), *map(ord, case)])))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found = theory.sweep(**GRID, file=folder / f"s{ending.removesuffix('.json')}")
    except (ak.DomainError, ak.AsympkitError) as error:
        return "" if str(error).startswith("file: ") else f"unclear: {error}"
    names = [n for n in right.names if not same_bits(found[n], right[n])]
    if names or not same_bits(found.residual, right.residual) or not np.array_equal(found.status, right.status):
        return f"other numbers: {names}"
    return ""


def cases(count):
    return [f"{KINDS[k % len(KINDS)]}|{ending}|{('whole', 'part')[k // len(KINDS) % 2]}|{k}"
            for ending in ENDINGS for k in range(count)]


@pytest.mark.parametrize("count", [48, pytest.param(1500, marks=pytest.mark.slow)])
def test_a_sentence_or_the_right_numbers(theory, files, tmp_path, count):
    verdicts = run_cases(cases(count), lambda c: judged(theory, files, tmp_path, c), seconds=20.0)
    assert bad(verdicts) == {}


def test_damaged_points_alone_are_computed_again(theory, files, tmp_path):
    for end in (".npy", ".npy.json"):
        shutil.copy(files[0] / f"whole{end}", tmp_path / f"s{end}")
    raw = np.load(tmp_path / "s.npy", mmap_mode="r+")
    raw[7, 2, 0] *= 1.5
    raw[7, 3, -2] = 0.5
    raw.flush()
    with mock.patch.object(run, "solve_piece", side_effect=pieces.solve_piece) as solve, \
            pytest.warns(UserWarning, match=r"file: 2 points of '.*s\.npy' do not fit their checksums"):
        found = theory.sweep(**GRID, file=tmp_path / "s.npy")
    assert solve.call_count == 1
    assert all(same_bits(found[n], files[1][n]) for n in found.names)
    assert (tmp_path / "s.npy").read_bytes() == (files[0] / "whole.npy").read_bytes()


@pytest.mark.parametrize("ending", [".npz", ".csv"])
def test_an_edited_or_older_file_is_refused(theory, files, tmp_path, ending):
    path = tmp_path / f"s{ending}"
    if ending == ".npz":
        with np.load(files[0] / "whole.npz") as data:
            arrays = dict(data)
        arrays["m"][3, 3] *= 2
        np.savez(path, **arrays)
    else:
        lines = (files[0] / "whole.csv").read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:5] + lines[6:]))
    with pytest.raises(ak.DomainError, match=r"is no file of a sweep \(its checksum does not fit its contents: it was "
                                             r"damaged or edited\); give another name"):
        theory.sweep(**GRID, file=path)
    if ending == ".npz":
        np.savez(path, **{k: v for k, v in arrays.items() if k != "checksum"})
        with pytest.raises(ak.DomainError, match="it has no checksum: an earlier version or another program wrote it"):
            theory.sweep(**GRID, file=path)


def test_an_exported_table_is_no_file_to_go_on_from(theory, files, tmp_path):
    files[1].to_csv(tmp_path / "s.csv")
    with pytest.raises(ak.DomainError, match="its first line is not the mark of its kind"):
        theory.sweep(**GRID, file=tmp_path / "s.csv")


def small():
    return ak.Ridge(([1], [4]), [1], 1).sweep(n=np.array([1.0, 2.0]), lam=0.1)


def test_one_point_is_named_written_and_read(tmp_path):
    point = small().sel(n=1)
    assert repr(point) == "<Sweep of one point, 1 of 1 points converged>"
    assert ak.Sweep.load(point.to_npz(tmp_path / "point.npz"))["test_error"] == point["test_error"]


#: arrays of a file, what stands in their place (None: nothing), and what is said of it
UNFIT = [
    *((name, None, f"it has lost {name}") for name in ("test_error", "axis_n", "residual", "converged", "status")),
    ("test_error", ["a", "b"], "test_error is no array of numbers"), ("test_error", np.zeros((4, 3)), ""),
    ("residual", [0.0], r"residual is an array of shape \(1,\), the axes are of \(2,\)"), ("residual", "x", ""),
    ("status", ["converged", "merry"], "'merry' is no status"), ("status", ["converged"], ""),
    *(("axis_n", value, "") for value in (["a", "b"], [], np.zeros((2, 2)), 1.0)),
    *(("about the sweep", value, "its record of the sweep is damaged") for value in "3{")]


@pytest.mark.parametrize(("name", "value", "said"), UNFIT)
def test_what_does_not_fit_is_named(tmp_path, name, value, said):
    with np.load(small().to_npz(tmp_path / "sweep.npz")) as data:
        arrays = {n: data[n] for n in data if n != name or value is not None}
    changed = {} if value is None else {name: np.array(value)}
    np.savez(tmp_path / "other.npz", **{**arrays, **changed})
    with pytest.raises(ak.DomainError, match=rf"other.npz' is no file of a sweep \({said}"):
        ak.Sweep.load(tmp_path / "other.npz")


def test_a_file_that_cannot_be_written(tmp_path):
    sweep = small()
    for write in (sweep.to_csv, sweep.to_npz):
        with pytest.raises(ak.DomainError, match="path: got .*/none/a'; the folder .*none' does not exist"):
            write(tmp_path / "none" / "a")
        (tmp_path / "taken.npz").mkdir(exist_ok=True)
        with pytest.raises(ak.SweepFileError, match="path: could not write .*taken.npz' .*; give anoth") as error:
            write(tmp_path / "taken.npz")
        assert error.value.sweep is sweep
