"""Files of sweeps that were damaged: a sentence or the right numbers, never other numbers."""

import shutil
import warnings
from unittest import mock

import numpy as np
import pytest
from helpers.damage import KINDS, damaged, same_bits
from helpers.resumable import bad, run_cases
from sympy import symbols, tanh

import asympkit as ak
from asympkit.jobs.file import of_rows
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


def test_a_sentence_or_the_right_numbers(theory, files, tmp_path):
    assert {c: v for c in cases(48) if (v := judged(theory, files, tmp_path, c))} == {}


@pytest.mark.slow
def test_many_damages(theory, files, tmp_path):
    verdicts = run_cases("sweep_damage", cases(1500), lambda c: judged(theory, files, tmp_path, c), seconds=20.0)
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


def test_checksums_of_rows_see_every_change_of_a_word_and_of_place():
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((40, 9))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    known = of_rows(rows, np.arange(40), 4)
    assert np.all((known == np.round(known)) & (known >= 0) & (known < 2**52))
    bits = rows.view(np.uint64)
    for row in range(40):
        for column in range(9):
            for bit in range(64):
                bits[row, column] ^= np.uint64(1 << bit)
                changed = of_rows(rows[row], row, 4) != known[row]
                bits[row, column] ^= np.uint64(1 << bit)
                assert changed == (column != 4)
    assert not np.any(of_rows(rows, np.arange(1, 41), 4) == known)
    swapped = of_rows(rows[:, [1, 0, 2, 3, 4, 5, 6, 7, 8]], np.arange(40), 4)
    np.testing.assert_array_equal(swapped == known, bits[:, 0] == bits[:, 1])
    np.testing.assert_array_equal(of_rows(rows.reshape(5, 8, 9), np.arange(40).reshape(5, 8), 4).ravel(), known)


@pytest.mark.parametrize("change", [
    {"residual": np.zeros(1)}, {"residual": np.array("x")}, {"F": np.zeros((4, 3))},
    {"status": np.array(["converged"])},
    {"axis_J": np.array(["a", "b"])}, {"axis_J": np.zeros(0)}, {"axis_J": np.zeros((2, 2))}, {"axis_J": np.array(1.0)}])
def test_arrays_that_do_not_fit_the_axes(tmp_path, change):
    J, m = symbols("J m", positive=True)
    small = ak.Theory(name="small", unknowns=[m], parameters={J: ("slope", "positive")}, free_energy=m**2 / 2 - J * m,
                      observables={"F": m * J})
    path = small.sweep(J=np.array([1.0, 2.0])).to_npz(tmp_path / "sweep.npz")
    assert ak.Sweep.load(path)["F"].tolist() == [1.0, 4.0]
    with np.load(path) as data:
        arrays = dict(data)
    np.savez(path, **{**arrays, **change})
    with pytest.raises(ak.DomainError, match="is no file of a sweep"):
        ak.Sweep.load(path)


def test_one_point_of_a_sweep_says_so():
    J, m = symbols("J m", positive=True)
    small = ak.Theory(name="small", unknowns=[m], parameters={J: ("slope", "positive")}, free_energy=m**2 / 2 - J * m)
    assert repr(small.sweep(J=np.array([1.0, 2.0])).sel(J=1)) == "<Sweep of one point, 1 of 1 points converged>"


def test_one_point_is_written_and_read(tmp_path):
    J, m = symbols("J m", positive=True)
    small = ak.Theory(name="small", unknowns=[m], parameters={J: ("slope", "positive")}, free_energy=m**2 / 2 - J * m)
    point = small.sweep(J=np.array([1.0, 2.0])).sel(J=2)
    assert ak.Sweep.load(point.to_npz(tmp_path / "point.npz"))["m"] == 2.0


@pytest.fixture
def arrays(tmp_path):
    sweep = ak.Ridge(([1], [4]), [1], 1).sweep(n=np.array([1.0, 2.0]), lam=0.1)
    with np.load(sweep.to_npz(tmp_path / "whole.npz")) as data:
        return {n: data[n] for n in data}


@pytest.mark.parametrize("name", ["test_error", "axis_n", "residual", "converged", "status"])
def test_what_is_lost_is_missed(tmp_path, arrays, name):
    del arrays[name]
    np.savez(tmp_path / "less.npz", **arrays)
    with pytest.raises(ak.DomainError, match=rf"less.npz' is no file of a sweep \(it has lost {name}\)"):
        ak.Sweep.load(tmp_path / "less.npz")


@pytest.mark.parametrize(("name", "value", "said"), [
    ("test_error", ["a", "b"], "test_error is no array of numbers"),
    ("residual", [0.0], r"residual is an array of shape \(1,\), the axes are of \(2,\)"),
    ("status", ["converged", "merry"], "'merry' is no status"),
    ("about the sweep", "3", "its record of the sweep is damaged"),
    ("about the sweep", "{", "its record of the sweep is damaged")])
def test_what_does_not_fit_is_named(tmp_path, arrays, name, value, said):
    np.savez(tmp_path / "other.npz", **{**arrays, name: np.array(value)})
    with pytest.raises(ak.DomainError, match=rf"other.npz' is no file of a sweep \({said}\)"):
        ak.Sweep.load(tmp_path / "other.npz")


def test_a_file_that_cannot_be_written(tmp_path):
    sweep = ak.Ridge(([1], [4]), [1], 1).sweep(n=np.array([1.0, 2.0]), lam=0.1)
    for write in (sweep.to_csv, sweep.to_npz):
        with pytest.raises(ak.DomainError, match="path: got .*/none/a'; the folder .*none' does not exist"):
            write(tmp_path / "none" / "a")
        (tmp_path / "taken.npz").mkdir(exist_ok=True)
        with pytest.raises(ak.SweepFileError, match="path: could not write .*taken.npz' .*; give anoth") as error:
            write(tmp_path / "taken.npz")
        assert error.value.sweep is sweep
