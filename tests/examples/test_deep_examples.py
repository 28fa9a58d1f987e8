"""The examples of deep features run, and what they draw is so."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawn(name, folder):
    """The example, what its small version returns, and the beginning of its picture."""
    example, path = load(name), folder / f"{name}.png"
    return example, example.main(["--quick", str(path)]), path.read_bytes()[:4]


@pytest.mark.slow
def test_learning_curves_of_deep_networks(tmp_path):
    example, found, head = drawn("deep_features", tmp_path)
    assert head == b"\x89PNG" and list(found) == list(example.NETWORKS)
    for theory, mean, error, limit in found.values():
        assert np.array_equal(theory, limit)            # the small version draws at the simulated points
        assert np.all(np.abs(mean - limit) < 6 * error + 0.2 * limit)       # d = 60: finite-size shifts
    one = example.ak.DeepFeatures(*example.NETWORKS["one layer, the target of the first"])
    solved = one.solve(alpha=2.0, input_spectrum=example.SPECTRUM, **example.POINT).test_error
    assert found["one layer, the target of the first"][0][1] == pytest.approx(solved, rel=1e-9)


@pytest.mark.slow
def test_widths_and_depths(tmp_path):
    example, (over_ratio, over_depth), head = drawn("deep_widths", tmp_path)
    assert head == b"\x89PNG" and over_ratio.shape == (4, 3)
    assert np.all(over_ratio[:, 1] < over_ratio[:, [0, 2]].T)       # the best ratio is neither 1/10 nor 20
    assert np.all(np.diff(over_ratio, axis=0) < 0)                  # more samples, smaller errors
    assert list(over_depth) == [1, 2] and np.all(over_depth[2] > over_depth[1])


@pytest.mark.parametrize("depth", range(1, 7))
def test_all_depths_have_the_same_number_of_weights(depth):
    example = load("deep_widths")
    width = example.equal_width(depth)
    assert width > 0 and width + (depth - 1) * width**2 == pytest.approx(example.WEIGHTS, rel=1e-12)


@pytest.mark.slow
def test_lazy_training(tmp_path):
    _, (rates, rows), head = drawn("lazy_training", tmp_path)
    slow, fast = rows
    assert head == b"\x89PNG" and list(rates) == [1e-3, 0.8]
    assert (slow["verdict"], fast["verdict"]) == ("lazy", "not lazy")
    assert slow["change"] < 0.01 and fast["change"] > 0.5
    assert fast["network"] < slow["network"]
    for name in ("weights", "measured covariances"):
        assert abs(slow[name] - slow["network"]) < 4 * slow["stderr"] + 0.05 * slow["network"]      # d = 60
    assert slow["measured covariances"] == pytest.approx(slow["weights"], rel=0.05)


def test_spectra(tmp_path):
    _, found, head = drawn("deep_spectra", tmp_path)
    assert head == b"\x89PNG" and list(found) == [1, 2]
    for law, values in found.values():
        assert values.mean() == pytest.approx(float(law.moments(1)[0]), rel=0.03)       # d = 200
        assert values.max() == pytest.approx(law.edges()[-1, 1], rel=0.1)
    assert found[1][0].edges().shape == (2, 2) and not found[2][0].atoms()


@pytest.fixture
def without_warnings():
    """Libraries warn of each other when they are first imported."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("sklearn")


def test_digits(tmp_path, without_warnings):
    example, found, head = drawn("digits", tmp_path)
    assert head == b"\x89PNG" and len(found) == 3
    features, labels = example.data()
    for (name, (theory, mean, error)), values in zip(found.items(), features.values()):
        assert values.shape == (1797, int(name[:2])) and abs(values.mean()) < 1e-12 and abs(labels.mean()) < 1e-12
        assert np.all(np.abs(mean - theory) < 4 * error + 0.06 * theory)
        assert theory[1] < theory[0] < labels.var()


@pytest.mark.parametrize("name", ["deep_features", "deep_widths", "deep_spectra", "lazy_training", "digits"])
def test_short(name):
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) <= 80
