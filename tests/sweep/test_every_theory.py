"""Every theory swept by every back end; parts, files and tables of sweeps."""

import os
from itertools import product
from unittest import mock

import numpy as np
import pytest
from helpers.every_theory import TABLE

import asympkit as ak
from asympkit.sweep import Sweep, pieces
from asympkit.sweep.pieces import CONVERGED, FAILED, OUTSIDE
from asympkit.sweep.run import Jump

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")

ACCURACY = 1e-10
SHAPES = {(1, 5): (5,), (2, 5): (5, 1), (3, 5): (1, 5, 1), (1, 2000): (2000,), (2, 2000): (40, 50),
          (3, 2000): (25, 40, 2)}


#: theories whose equations take seconds to derive
DEAR = ("step, logistic", "step, absolute", "features, hinge", "features, Huber", "features, own loss")


def quick(variant, backend, shape):
    """A diagonal of the table: one case of each theory, and one of each back end."""
    if backend != "numpy":
        return (variant, backend, shape) in (("own, average", "numba", (2, 5)), ("step", "auto", (3, 5)))
    return variant not in DEAR and shape == list(SHAPES)[list(TABLE).index(variant) % 3]


def cases():
    for variant, backend, shape in product(TABLE, ("numpy", "numba", "auto"), SHAPES):
        marks = () if quick(variant, backend, shape) else pytest.mark.slow
        yield pytest.param(variant, backend, shape, marks=marks, id=f"{variant}-{backend}-{shape[0]}-{shape[1]}")


@pytest.fixture(scope="module")
def theories():
    """Each theory once: what it compiles serves all cases."""
    made = {}
    return lambda variant: made.setdefault(variant, TABLE[variant][0]())


@pytest.mark.parametrize(("variant", "backend", "shape"), list(cases()))
def test_the_sweep_of(variant, backend, shape, theories):
    theory, (_, fixed, ranges) = theories(variant), TABLE[variant]
    axes = {n: np.linspace(*ranges[n], size) for n, size in zip(ranges, SHAPES[shape])}
    fixed = {n: v for n, v in {**{n: sum(ends) / 2 for n, ends in ranges.items()}, **fixed}.items() if n not in axes}
    sweep = theory.sweep(backend=backend, **axes, **fixed)
    assert sweep.shape == SHAPES[shape] and sweep.converged.all(), sweep
    rng = np.random.default_rng(sum(map(ord, variant)))
    last = sweep.converged.size - 1
    for place in {0, last, *rng.integers(last, size=2).tolist()}:
        index = np.unravel_index(place, sweep.shape)
        point = theory.solve(**fixed, **{n: float(a[i]) for (n, a), i in zip(axes.items(), index)})
        for name in sweep.names:
            found, expected = sweep[name][index], point[name]
            size = max(abs(expected), point.scale.get(name, 0.0))
            assert abs(found - expected) <= max(ACCURACY * size, 1e-13), (name, index, found, expected)


AXES = {"alpha0": np.array([0.5, 1.0, np.inf]), "alpha": np.array([0.3, 0.6]), "lam": np.geomspace(1e-3, 1, 4)}


@pytest.fixture
def sweep():
    state = np.full((3, 2, 4), CONVERGED, dtype=np.int8)
    state[0, 1, 2], state[2, 0, 0] = FAILED, OUTSIDE
    values = {n: np.where(state == CONVERGED, k + np.arange(24.0).reshape(3, 2, 4) / 7, np.nan)
              for k, n in enumerate(("test_error", "q1", "status"))}
    made = Sweep(AXES, values, np.arange(24.0).reshape(3, 2, 4) * 1e-20, state, {"eta": 0.1, "beta": 1.0}, 1e-10)
    made.jumps = (Jump("alpha", (0.3, 0.6), {"alpha0": 1.0, "lam": float(AXES["lam"][1])}),)
    return made


def assert_same(a, b, parameters=True):
    assert list(a.axes) == list(b.axes) and set(a.names) == set(b.names)
    for name in (*a.axes, *a.names):
        np.testing.assert_array_equal(a[name], b[name])
    np.testing.assert_array_equal(a.residual, b.residual)
    assert a.status.tolist() == b.status.tolist()
    if parameters:
        assert a.parameters == b.parameters and a.rtol == b.rtol


def test_a_number_fixes_an_axis(sweep):
    part = sweep.sel(alpha=0.6)
    assert list(part.axes) == ["alpha0", "lam"] and part.parameters == {"eta": 0.1, "beta": 1.0, "alpha": 0.6}
    np.testing.assert_array_equal(part["q1"], sweep["q1"][:, 1])
    assert part.converged.tolist() == sweep.converged[:, 1].tolist() and part.residual.shape == (3, 4)
    point = sweep.sel(alpha=0.3, alpha0=np.inf, lam=1.0)
    assert point.shape == () and float(point["test_error"]) == sweep["test_error"][2, 0, 3]
    assert sweep.sel(lam=AXES["lam"][1] * (1 + 1e-12)).parameters["lam"] == AXES["lam"][1]


def test_lists_and_slices_keep_points(sweep):
    part = sweep.sel({"alpha0": [np.inf, 0.5]}, lam=slice(1e-2, None))
    assert part["alpha0"].tolist() == [np.inf, 0.5] and part["lam"].tolist() == AXES["lam"][1:].tolist()
    np.testing.assert_array_equal(part["test_error"], sweep["test_error"][[2, 0]][:, :, 1:])
    assert sweep.sel(lam=[1.0], alpha=[0.6]).shape == (3, 1, 1)


def test_jumps_stay_where_they_are(sweep):
    assert len(sweep.sel(alpha0=1.0).jumps) == len(sweep.sel(lam=slice(0, 0.1)).jumps) == 1
    assert sweep.sel(alpha0=0.5).jumps == sweep.sel(alpha=0.3).jumps == sweep.sel(alpha=[0.3]).jumps == ()


@pytest.mark.parametrize("where, text", [
    ({"alpha": 0.5}, "sel: got alpha = 0.5, which is no point of the sweep; the nearest is 0.6"),
    ({"alpa": 0.5}, "sel: no axis 'alpa'; did you mean 'alpha'"),
    ({"alpha": "0.3"}, "sel: got '0.3' for alpha; expected a number, a list of numbers or slice"),
    ({"alpha": []}, "expected a number, a list of numbers or slice"),
    ({"alpha": slice(1, 2)}, "no point of alpha lies between 1 and 2; it goes from 0.3 to 0.6"),
    ({"alpha": slice(0, 1, 2)}, "without a step"), ({"alpha": True}, "got True for alpha")])
def test_what_is_no_part(sweep, where, text):
    with pytest.raises(ak.AsympkitError, match=text):
        sweep.sel(**where)


def test_files_are_read_back(sweep, tmp_path):
    assert_same(Sweep.load(sweep.to_npz(tmp_path / "a.npz")), sweep)
    assert_same(Sweep.load(sweep.to_csv(tmp_path / "a.csv")), sweep, parameters=False)


@pytest.mark.parametrize("ending", [".npz", ".csv", ".npy"])
def test_files_of_long_jobs_are_read_back(tmp_path, ending):
    path = tmp_path / f"s{ending}"
    with pytest.warns(ak.AssumptionWarning, match="is not odd"):
        model = ak.OneStep("tanh(z + 1/10)", "sin")
        made = model.sweep(eta=0.2, alpha0=[1.0, 2.0], alpha=1, lam=[0.1, 1.0, 2.0], file=path)
    assert_same(Sweep.load(path), made, parameters=False)
    assert Sweep.load(path).parameters == {"eta": 0.2, "alpha": 1.0} and Sweep.load(path).rtol == 1e-10


def test_a_table_that_does_not_say_what_its_axes_are(sweep, tmp_path):
    one = sweep.sel(alpha=[0.3], lam=[1.0])
    path = one.to_csv(tmp_path / "a.csv")
    with pytest.raises(ak.DomainError, match="does not say whether 'alpha' is an axis of one point or a quantity"):
        Sweep.load(path)
    assert_same(Sweep.load(path, axes=("alpha0", "alpha", "lam")), one, parameters=False)
    with pytest.raises(ak.DomainError, match="axes: got lam; expected the first columns"):
        Sweep.load(path, axes="lam")


def test_what_is_no_file_of_a_sweep(sweep, tmp_path):
    path = sweep.to_csv(tmp_path / "a.csv")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    with pytest.raises(ak.DomainError, match="does not hold each point of a grid once"):
        Sweep.load(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ak.DomainError, match="is no file of a sweep .its last columns"):
        Sweep.load(path)
    (tmp_path / "b.npz").write_bytes(b"PK")
    for name, text in (("b.npz", r"is no file of a sweep \(it is no archive of numpy\)"),
                       ("c.npz", "does not exist"), ("c.txt", "ends in .npz, .c")):
        with pytest.raises(ak.DomainError, match=text):
            Sweep.load(tmp_path / name)


def test_tables_of_pandas_and_xarray(sweep):
    pytest.importorskip("pandas")
    frame = sweep.to_dataframe()
    assert frame.index.names == ["alpha0", "alpha", "lam"] and len(frame) == 24
    assert list(frame.columns) == ["test_error", "q1", "quantity_status", "residual", "converged", "status"]
    assert frame["q1"].to_numpy().tolist()[-1] == sweep["q1"][-1, -1, -1]
    assert frame.loc[(0.5, 0.6), "status"].tolist() == ["converged", "converged", "residual", "converged"]
    pytest.importorskip("xarray")
    data = sweep.to_xarray()
    assert data["converged"].sel(alpha0=0.5, alpha=0.6).values.tolist() == [True, True, False, True]
    assert str(data["status"].values[2, 0, 0]) == "outside" and data["q1"].dims == ("alpha0", "alpha", "lam")


ALPHA = [0.5, 1.0, 2.5]


def test_of_few_points_all_decide_about_the_tables():
    """A point that is no corner needs finer tables than the corners."""
    theory, at = ak.SpikedFeatures("tanh(2*z)", "sin(3*z)"), {"r": 2.0, "c": 1.0, "gamma": 0.9, "alpha": 3.0}
    lam = [1.0, 1e-8, 3.0, 2.0]                    # the corners are the places 0, 2 and 3
    errors = [theory.solve(lam=x, **at).test_error for x in lam]
    with mock.patch.object(pieces, "FEW", 0):
        assert abs(theory.sweep(lam=lam, backend="numpy", **at)["test_error"][1] / errors[1] - 1) > 1e-10
    for backend in ("numpy", "numba"):
        sweep = theory.sweep(lam=lam, backend=backend, **at)
        assert sweep.converged.all()
        np.testing.assert_allclose(sweep["test_error"], errors, rtol=1e-10)


def test_students_share_what_is_known_of_a_target():
    one, other = ak.OneStep("tanh(1.3*z)", "sin(2*z)"), ak.OneStep("erf", "sin(2*z)")
    assert one.target is other.target
    at = {"alpha": ALPHA, "lam": 0.1, "eta": 1.0, "alpha0": 2.0, "backend": "numba"}
    first, second = one.sweep(**at), other.sweep(**at)
    again = ak.OneStep(ak.Activation("tanh(1.3*z)"), ak.Activation("sin(2*z)")).sweep(**at)
    np.testing.assert_array_equal(first["test_error"], again["test_error"])
    assert not np.array_equal(first["test_error"], second["test_error"])


def test_threads_change_no_number():
    theory = ak.OneStep("tanh", "sin")
    at = {"alpha": np.linspace(0.5, 3, 7), "lam": [1e-3, 0.1, 1], "eta": 1.0, "alpha0": 2.0, "backend": "numba"}
    alone = theory.sweep(**at)
    with mock.patch.object(pieces, "_SHARED", 1), mock.patch.object(os, "cpu_count", return_value=3):
        together = theory.sweep(**at)
    assert all(np.array_equal(alone[n], together[n]) for n in alone.names)
