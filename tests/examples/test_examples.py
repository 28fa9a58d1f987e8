"""The examples run, and print the numbers they promise."""

import math
from pathlib import Path

import mpmath
import numpy as np
import pytest
from helpers import gallery
from helpers.modules import loaded

EXAMPLES = Path(__file__).parents[2] / "examples"
QUADRATIC, BOUNDED = "z+(z**2-1)/sqrt(2)", "sin(z)+cos(z)-exp(-1/2)"
POINTS = [{}, {"p": 90, "seed": 3, "alpha": 0.6, "lam": 0.2, "noise": 0.03}]


def load(name):
    """Return the module of an example; those of user-defined theories are gallery.script(name)."""
    return loaded(EXAMPLES / f"{name}.py")


@pytest.fixture(scope="module")
def ridge():
    return gallery.script("ridge_from_free_energy")


def drawn(name, folder, *options):
    """Return an example, what its small version returns, and check that it draws."""
    example, path = load(name), folder / f"{name}.png"
    found = example.main([*(options or ["--quick"]), "--out", str(path)])
    assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5_000
    return example, found


@pytest.mark.parametrize("point", POINTS)
def test_ridge_test_error_is_the_closed_formula(ridge, point):
    solution, closed = ridge.compare(**point)
    assert abs(solution.test_error - closed) < 1e-12 * closed


def test_ridge(ridge):
    blocks = [(b.kind, tuple(u.name for u in b.unknowns)) for b in ridge.theory.equations().blocks]
    assert blocks == [("nonlinear", ("V", "Vhat")), ("explicit", ("Qhat",)), ("explicit", ("Q",)),
                      ("linear", ("q", "qhat"))]
    # against the formula evaluated in mpmath at the root of its own equation for zeta
    rng = np.random.default_rng(5)
    D, T = rng.integers(1, 64, 12) / 64, rng.integers(1, 64, 12) / 512
    s = ridge.theory.precise(digits=30, alpha="1.5", lam="0.01", rho=1, noise_variance="0.1", D=D, T=T)
    mp = mpmath.mp.clone()
    mp.dps = 45
    D, T, n = [mp.mpf(x) for x in D], [mp.mpf(x) for x in T], 18
    zeta = mp.findroot(lambda z: z - z * sum(x / (x + z) for x in D) / n - mp.mpf("0.01") * 12 / n, 0.05)
    df2 = sum((x / (x + zeta)) ** 2 for x in D)
    signal = sum(t * (1 / (x + zeta) + zeta / (x + zeta) ** 2) for x, t in zip(D, T)) / 12
    closed = (mp.mpf("1.1") - signal) / (1 - df2 / n)
    assert abs(mp.mpf(s.test_error) / closed - 1) < mp.mpf("1e-29")
    assert abs(mp.mpf(s["Vhat"]) * zeta / mp.mpf("0.01") - 1) < mp.mpf("1e-29")


@pytest.mark.slow
def test_learning_curves(tmp_path):
    """Random features without a step at alpha = 1.5, and curves that fall with the first batch."""
    _, result = drawn("learning_curves", tmp_path)
    assert list(result) == [0, 0.5, 1, 5, math.inf]
    assert result[0][0][1] == pytest.approx(0.33469, abs=5e-6)
    assert np.all(np.diff([theory for theory, _, _ in result.values()], axis=0) < 0)
    for theory, mean, error in result.values():
        assert mean.shape == error.shape == theory.shape
        assert np.all(np.abs(mean - theory) < 6 * error + 0.25 * theory)      # d = 100: finite-size shifts


@pytest.mark.slow
def test_staircase(tmp_path):
    """Linear labels gain at 0 alone; H_2 looks like noise before 1/4; the quadratic student has two spikes."""
    example, results = drawn("nonlinear_staircase", tmp_path, "--n", "200", "--repeats", "2")
    assert list(example.STUDENTS.values()) == [QUADRATIC, BOUNDED]
    assert [label[:2] for label in example.LABELS.values()] == [("z", 1.0), (QUADRATIC, 0.0)]
    assert len(results) == 4

    def rises(student, label):
        (train, _), *_ = results[student, label][0].values()
        return example.EXPONENTS[:-1][np.diff(train) < 0]

    (quadratic, bounded), (noisy, plain) = example.STUDENTS, example.LABELS
    for student in (quadratic, bounded):
        assert rises(student, noisy) == pytest.approx([0], abs=2e-3)
    assert rises(quadratic, plain) == pytest.approx([0, 1 / 4], abs=2e-3)
    assert rises(bounded, plain) == pytest.approx([0, 1 / 4, 3 / 8, 5 / 12], abs=2e-3)
    for curves, points in results.values():
        for curve, estimates in zip(curves[200], points["truncated"]):
            expected = np.interp(example.STEPS["truncated"], example.EXPONENTS, curve)
            assert np.abs([e.mean for e in estimates] - expected).max() < 0.1


@pytest.mark.slow
def test_spectrum_marks_the_spikes(tmp_path):
    """One spike in the first window, two in the second, of the order of their leading size."""
    _, panels = drawn("nonlinear_spectrum", tmp_path, "--n", "600")
    for (_, exponent), (measured, sizes) in panels.items():
        marked = {k: measured.spike(k) for k in (1, 2) if measured.spike(k)[2] > 1 / 3}
        assert list(marked) == ([1] if exponent < 0.25 else [1, 2])
        assert len({place for place, *_ in marked.values()}) == len(marked)
        for k, (_, value, _) in marked.items():
            assert value > 1.1 * measured.untrained[0]
            assert 0.5 < value / sizes[k] < 2


@pytest.mark.slow
def test_real_network(tmp_path):
    example, ((theories, mean, error), best) = drawn("real_network", tmp_path)
    isotropic, exact, whole = (theories[n] for n in ("isotropic bulk", "exact bulk", "exact bulk, p = {d}"))
    at = {"eta": 1.0, "alpha0": 0.5, "lam": 1e-3, "alpha": 3.0}
    model = example.ak.OneStep("tanh", "sin", bulk="exact")
    assert exact[1] == pytest.approx(model.solve(**at).test_error, rel=1e-10)
    assert whole[1] == pytest.approx(model.solve(**at, width=60.0).test_error, rel=1e-10)
    assert np.all(isotropic < exact)
    assert np.all(exact < whole)
    assert np.all(np.abs(mean - whole) < 6 * error)
    for errors, minimum in best.values():
        assert minimum.converged
        assert minimum.value <= errors.min() * (1 + 1e-9)
    assert best[50.0][1].value > best[None][1].value


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Four points of the box, of which one has the population gradient, at one small size."""
    path = tmp_path_factory.mktemp("study")
    example = load("real_network_study")
    arguments = [str(path / "lines.jsonl"), "--quick", "--csv", str(path / "s.csv"), "--out", str(path / "s.png")]
    return example, example.main(arguments), path


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_study_compares_networks_with_theories(study):
    example, rows, _ = study
    for row in rows:
        model = example.ak.OneStep(row["student"], row["target"])
        at = example.Setting.draw(row["point"]).at
        simulated = model.simulate(d=40, repeats=2, seed=example.Setting.draw(row["point"]).seed(40), **at)
        assert row["test_error"] == simulated["test_error"].mean
        assert row["isotropic test_error"] == model.solve(**at).test_error
        assert row["c"] == model.solve(**at).parameters["c"]
    relative, z = example.pulls(rows, "isotropic", "test_error")
    assert relative[0] == rows[0]["test_error"] / rows[0]["isotropic test_error"] - 1
    assert z[0] == pytest.approx(relative[0] * rows[0]["isotropic test_error"] / rows[0]["test_error stderr"])


@pytest.mark.slow
def test_study_goes_on_from_its_file(study, capsys):
    example, rows, path = study
    lines = path / "lines.jsonl"
    whole = lines.read_text()
    lines.write_text(whole[:-20])               # killed while the last line was written
    again = example.main([str(lines), "--quick"])
    assert lines.read_text() == whole
    assert [row["test_error"] for row in again] == [row["test_error"] for row in rows]
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "test_error: |network/theory - 1| (median, 90 %), rms of the pulls"
    assert out[2].split()[:3] == ["all", "40", "4"]
    assert example.main([str(path / "none.jsonl"), "--points", "0"]) == []


@pytest.mark.slow
def test_study_writes_numbers_and_a_picture(study):
    import csv

    _, rows, path = study
    with open(path / "s.csv", newline="") as file:
        found = list(csv.DictReader(file))
    assert [float(f["test_error"]) for f in found] == [row["test_error"] for row in rows]
    assert (path / "s.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_study_leaves_out_what_no_theory_covers(study):
    example, rows, _ = study
    nothing = [{**row, "isotropic test_error": math.nan} for row in rows]
    assert example.table(nothing, ["isotropic"])[2].endswith("not covered")
    assert all(map(math.isnan, example._solved(example.ak.OneStep("tanh", "sin"), {"eta": -1}).values()))


def test_gardner_capacity():
    """2 without a margin; the least norm has the margin that fits."""
    example = gallery.script("gardner_capacity")
    assert example.capacity.solve(kappa=0)["alpha"] == pytest.approx(2, rel=1e-14)
    margin = example.perceptron.solve(alpha=1.2).margin
    assert example.capacity.solve(kappa=margin)["alpha"] == pytest.approx(1.2, rel=1e-12)


@pytest.mark.slow
def test_sign_teacher_beside_posteriors():
    assert gallery.script("sign_teacher").theory.check(alpha=2, d=120, repeats=16, seed=1).passed


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "lam", "rho"), [(0.8, 0.2, 0.3), (1.5, 0.5, 0.1), (0.5, 0.05, 0.2)])
def test_lasso_of_scikit_learn(alpha, lam, rho):
    """Three points within three standard errors, trained by coordinate descent."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng, p, found = np.random.default_rng(3), 600, []
    for _ in range(20):
        signal = rng.choice([-1.0, 1.0], p) * (rng.random(p) < rho)
        X = rng.standard_normal((round(alpha * p), p)) / np.sqrt(p)
        y = X @ signal + np.sqrt(0.1) * rng.standard_normal(len(X))
        made = linear_model.Lasso(alpha=lam / len(X), fit_intercept=False, tol=1e-10, max_iter=100_000).fit(X, y)
        found.append((np.mean((made.coef_ - signal) ** 2), np.mean((y - X @ made.coef_) ** 2)))
    solution = gallery.script("lasso").lasso.solve(alpha=alpha, lam=lam, rho=rho, noise_variance=0.1)
    mean, stderr = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert np.all(np.abs(mean - [solution.error, solution.train_error]) < 3 * stderr)


# -- deep features ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_learning_curves_of_deep_networks(tmp_path):
    example, found = drawn("deep_features", tmp_path)
    assert list(found) == list(example.NETWORKS)
    for _, mean, error, limit in found.values():
        assert np.all(np.abs(mean - limit) < 6 * error + 0.2 * limit)       # d = 60: finite-size shifts
    one = example.ak.DeepFeatures(*example.NETWORKS["one layer, the target of the first"])
    solved = one.solve(alpha=2.0, input_spectrum=example.SPECTRUM, **example.POINT).test_error
    assert found["one layer, the target of the first"][3][1] == pytest.approx(solved, rel=1e-9)


@pytest.mark.slow
def test_widths_and_depths(tmp_path):
    example, (over_ratio, over_depth) = drawn("deep_widths", tmp_path)
    assert over_ratio.shape == (4, 13)
    assert np.all(over_ratio.min(axis=1) < over_ratio[:, [0, -1]].T)        # the best ratio is neither 1/10 nor 20
    assert np.all(np.diff(over_ratio, axis=0) < 0)                  # more samples, smaller errors
    assert list(over_depth) == [1, 2] and np.all(over_depth[2] > over_depth[1])


@pytest.mark.parametrize("depth", range(1, 7))
def test_all_depths_have_the_same_number_of_weights(depth):
    example = load("deep_widths")
    width = example.equal_width(depth)
    assert width > 0 and width + (depth - 1) * width**2 == pytest.approx(example.WEIGHTS, rel=1e-12)


@pytest.mark.slow
def test_lazy_training(tmp_path):
    _, (rates, rows) = drawn("lazy_training", tmp_path)
    slow, fast = rows
    assert list(rates) == [1e-3, 0.8]
    assert (slow["verdict"], fast["verdict"]) == ("lazy", "not lazy")
    assert slow["change"] < 0.01 and fast["change"] > 0.5
    assert fast["network"] < slow["network"]
    for name in ("weights", "measured covariances"):
        assert abs(slow[name] - slow["network"]) < 4 * slow["stderr"] + 0.05 * slow["network"]      # d = 60
    assert slow["measured covariances"] == pytest.approx(slow["weights"], rel=0.05)


def test_spectra(tmp_path):
    _, found = drawn("deep_spectra", tmp_path)
    assert list(found) == [1, 2]
    for law, values in found.values():
        assert values.mean() == pytest.approx(float(law.moments(1)[0]), rel=0.03)       # d = 200
        assert values.max() == pytest.approx(law.edges()[-1, 1], rel=0.1)
    assert found[1][0].edges().shape == (2, 2) and not found[2][0].atoms()


def test_spectra_of_features(tmp_path):
    _, found = drawn("feature_spectrum", tmp_path)
    assert [len(s.outliers) for s, _ in found.values()] == [1, 2]
    for spectrum, values in found.values():
        assert values[:, -1].mean() == pytest.approx(spectrum.outliers[0].location, rel=0.2)       # d = 60
        inside = (values > 0.9 * spectrum.edges[0, 0]) & (values < 1.1 * spectrum.edges[-1, 1])
        assert np.mean(inside) > 1 - 4 / values.shape[1]


def agree(theory, mean, error, spread=0.0):
    """Compare with small networks: within four standard errors, and a share that shrinks with their size."""
    assert np.all(np.abs(mean - theory) < 4 * error + spread * np.abs(theory)), (theory, mean, error)


@pytest.mark.slow
def test_learned_function(tmp_path):
    example, found = drawn("learned_function", tmp_path)
    assert list(found) == list(example.CASES)
    for theory, mean, error in found.values():
        agree(theory, mean, error, 0.05)        # d = 60
        np.testing.assert_allclose(theory, -theory[::-1], atol=1e-12)
    weak, strong, two = (theory for theory, _, _ in found.values())
    at = {"eta": 4.0, "alpha0": example.ALPHA0, "width": 60, **example.AT}
    expected = example.ak.OneStep("tanh", "sin(3*z/2)", bulk="exact").learned_function(example.PLACES, **at)
    assert strong == pytest.approx(expected, rel=1e-12)
    assert weak[-1] > two[-1] > strong[-1] and weak[5] < two[5] < strong[5]     # it bends


@pytest.mark.slow
def test_bounds(tmp_path):
    example, (strengths, bounds, found) = drawn("bounds", tmp_path)
    assert list(found) == list(example.ALPHAS)
    for theory, mean, error in found.values():
        agree(theory, mean, error, 0.05)
        assert np.all(theory > bounds["lower"])
    limit = example.ak.SpikedFeatures("tanh", "sin(5*z/4)").minimize(
        "test_error", over="lam", bounds=(1e-4, 1e3), r=strengths, alpha=8, **example.AT)
    assert np.all((bounds["lower"] < limit.value) & (limit.value < bounds["upper"] * (1 + 1e-9)))


def test_width(tmp_path):
    example, found = drawn("width", tmp_path)
    assert list(found) == [*example.PENALTIES, "weak"]
    for theory, mean, error in found.values():
        agree(theory, mean, error, 0.05)
    limit = example.ak.OneStep("z*exp(-z**2/2)", "sin", bulk="exact").solve(**example.WEAK).test_error
    assert found["weak"][0][0] > found["weak"][0][1] > 1.5 * limit


@pytest.mark.slow
def test_readout_values(tmp_path):
    example, found = drawn("readout_values", tmp_path)
    assert list(found) == list(example.READOUTS)
    uniform, *classes = found.values()
    agree(uniform[0], *uniform[2:], 0.03)
    for theory, limit, mean, error in classes:
        agree(theory, mean, error, 0.03)
        assert np.all(limit < theory)
    model = example.ak.OneStep("tanh", example.TARGET, readout=[(0.5, 0.5), (1.5, 0.5)])
    solved = model.solve(alpha=3.0, width=60, **example.STEP).test_error
    assert found["half 1/2, half 3/2"][0][1] == pytest.approx(solved, rel=1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_optimum(tmp_path):
    example, (found, edges, path) = drawn("optimum", tmp_path)
    best, network, mean, error = found.T
    assert np.all(np.abs(mean - best) < 4 * error + 0.05 * best) and np.all(network > 1.5 * best)
    assert [f.parameter for f in path.folds] == pytest.approx([edges["reached"], edges["appears"]], rel=1e-3)


@pytest.mark.slow
def test_laws_of_inputs(tmp_path):
    """Independent inputs with four moments have the errors of normal ones, but for a target along one of them."""
    example, (theory, found) = drawn("input_laws", tmp_path)
    assert len(found) == 2 * len(example.LAWS)
    for law in list(example.LAWS)[:4]:
        agree(theory, *found["all inputs", law], 0.02)
    off = {key: mean[2] / theory[2] - 1 for key, (mean, _) in found.items()}
    assert off["all inputs", "normal times a radius"] > 0.05
    assert off["one input", "uniform"] < -0.05 and off["one input", "Student t, 5 degrees"] > 0.15


@pytest.mark.slow
def test_laws_of_inputs_have_variance_one():
    example = load("input_laws")
    for law in example.LAWS.values():
        drawn_inputs = law(np.random.default_rng(1), 20_000)
        assert abs(drawn_inputs.mean()) < 0.01 and np.square(drawn_inputs).mean() == pytest.approx(1, abs=0.05)


@pytest.fixture
def without_warnings():
    """Libraries warn of each other when they are first imported."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("sklearn")


def test_digits(tmp_path, without_warnings):
    example, found = drawn("digits", tmp_path)
    assert len(found) == 3
    features, labels = example.data()
    for (name, (theory, mean, error)), values in zip(found.items(), features.values()):
        assert values.shape == (1797, int(name[:2])) and abs(values.mean()) < 1e-12 and abs(labels.mean()) < 1e-12
        assert np.all(np.abs(mean - theory) < 4 * error + 0.06 * theory)
        assert theory[1] < theory[0] < labels.var()


@pytest.mark.parametrize(("name", "most"), [
    *((name, 60) for name in ("deep_features", "deep_widths", "deep_spectra", "lazy_training", "digits")),
    *((name, 45) for name in ("bounds", "feature_spectrum", "input_laws", "learned_function", "optimum",
                              "readout_values", "width"))])
def test_short(name, most):
    assert gallery.code_lines((EXAMPLES / f"{name}.py").read_text()) <= most
