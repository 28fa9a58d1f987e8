"""The staircase and the sizes of spikes."""

import math

import numpy as np
import pytest

import asympkit as ak

TANH, QUADRATIC = "tanh(z)+0.3*(z**2-1)", "z+(z**2-1)/sqrt(2)"
AT = {"phi": 0.5, "psi": 0.5, "lam": 0.1, "noise_variance": 0.1}


@pytest.fixture
def theory():
    return ak.NonlinearSpikes("softplus", QUADRATIC, free_constant=True)
pytestmark = pytest.mark.filterwarnings("ignore:.*no spike of degree:asympkit.AssumptionWarning")


def test_limit_is_a_step_function(theory):
    alpha = np.array([-0.1, 0.0, 0.1, 0.25, 0.26, 1 / 3, 0.35, 3 / 8, 0.39, 0.41])
    stairs = theory.staircase(alpha_lr=alpha, **AT)
    assert stairs.degree.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 5]
    for k, train, test in zip(stairs.degree, stairs.train_error, stairs.test_error):
        s = theory.solve(**AT, degree=int(k))
        assert (train, test) == (s.train_error, s.test_error)
    assert [s.alpha_lr for s in stairs.steps] == [0, 1 / 4, 1 / 3, 3 / 8, 2 / 5]
    assert stairs.baseline_test - sum(s.test_error for s in stairs.steps) == pytest.approx(stairs.test_error[-1])
    assert np.all(np.diff(stairs.test_error) <= 0)


def test_given_samples_approach_the_limit():
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    alpha = np.array([0.1, 0.29])
    limit = theory.staircase(alpha_lr=alpha, **AT)
    before = np.inf
    for n in (1e3, 1e6, 1e12):
        stairs = theory.staircase(alpha_lr=alpha, n=n, eta0=1.0, **AT)
        for a, train, test in zip(alpha, stairs.train_error, stairs.test_error):
            s = theory.solve(**AT, eta=n**a, n=n)
            assert train == pytest.approx(s.train_error, rel=1e-13)
            assert test == pytest.approx(s.test_error, rel=1e-13)
        distance = np.max(stairs.test_error - limit.test_error)
        assert 0 < distance < before
        before = distance
    assert stairs.degree is None
    double = theory.staircase(alpha_lr=0.1, n=1e3, eta0=2.0, **AT)
    assert double.test_error[0] == theory.solve(**AT, eta=2 * 1e3**0.1, n=1e3).test_error


def test_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    alpha = np.linspace(-0.1, 0.3, 9)
    stairs = theory.staircase(alpha_lr=alpha, **AT)
    ax = stairs.plot("train_error")
    theory.staircase(alpha_lr=alpha, n=1e4, **AT).plot("train_error", ax=ax, color="C1")
    curves = [line for line in ax.lines if line.get_label().startswith("n = ")]
    x, y = curves[0].get_xdata(), curves[0].get_ydata()
    assert x.tolist() == [-0.1, 0.0, 0.25, 0.3]
    assert y.tolist() == pytest.approx([stairs.baseline_train, *stairs.train_error[[5, 8, 8]]])
    assert [line.get_label() for line in curves] == ["n = infinity", "n = 10000"]
    for n in (None, 1e4):
        point = theory.staircase(alpha_lr=0.27, n=n, **AT)
        (line,) = [c for c in point.plot().lines if c.get_label().startswith("n = ")]
        assert (list(line.get_xdata()), list(line.get_ydata())) == ([0.27], [point.test_error[0]])
        assert line.get_marker() == "o"
    with pytest.raises(ak.DomainError, match="name: got 'error'"):
        stairs.plot("error")
    pyplot.close("all")


def test_exponents_are_checked():
    theory = ak.NonlinearSpikes(QUADRATIC, QUADRATIC)
    for wrong in (0.5, [[0.1]], [], [0.1, np.nan], "a", [1, [2, 3]]):
        with pytest.raises(ak.DomainError, match="alpha_lr: got .* expected exponents below 1/2"):
            theory.staircase(alpha_lr=wrong, **AT)
    with pytest.raises(ak.DomainError, match="eta0: got 0; expected a positive finite number"):
        theory.staircase(alpha_lr=0.1, eta0=0, **AT)
    with pytest.warns(ak.AssumptionWarning, match="spikes of degree above 12, which leave the bulk from 0.4615 on"):
        top = theory.staircase(alpha_lr=[0.3, 0.49], **AT)
    assert top.test_error[0] == top.test_error[1]


def test_sizes_of_spikes():
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    found = theory.spikes(eta=3.0, n=2000, phi=0.5, psi=0.25, noise_variance=0.2)
    assert [s.degree for s in found] == [1, 2, 3, 5]
    assert [s.threshold for s in found] == [0, 1 / 4, 1 / 3, 2 / 5]
    c, length, width = ak.Activation(TANH).hermite_coefficients(5), math.sqrt(1 + 0.5 * 2.2), 4000
    for spike, moment in zip(found, (1, 3, 15, 945)):
        k = spike.degree
        size = abs(c[1] ** k * c[k]) * (3 * length) ** k * moment * math.sqrt(2000) * width ** ((1 - k) / 2)
        assert spike.size == pytest.approx(size, rel=1e-12)
        assert spike.relative == pytest.approx(size / math.sqrt(2000), rel=1e-12)
    with pytest.raises(ak.DomainError, match=r"eta: got 1e\+200; the spike of degree 2 is beyond double precision"):
        theory.spikes(eta=1e200, n=2000, phi=0.5, psi=0.25)
    with pytest.warns(ak.AssumptionWarning, match="student 'relu' has the mean 0.398942"):
        ak.NonlinearSpikes("relu", QUADRATIC).spikes(eta=1, n=100, phi=1, psi=1)
    kept = ak.NonlinearSpikes(TANH, QUADRATIC, initial_output="kept").spikes(eta=3.0, n=2000, phi=0.5, psi=0.25,
                                                                             noise_variance=0.2)
    A = ak.Activation(TANH).second_moment() - c[1] ** 2
    longer = math.sqrt(length**2 + c[1] ** 2 + 0.5 * (c[1] ** 2 + A))
    assert kept[0].size / found[0].size == pytest.approx(longer / length, rel=1e-12)
