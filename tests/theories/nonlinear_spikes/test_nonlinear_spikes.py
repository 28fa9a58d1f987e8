"""Nonlinear spikes: published limits, methods, refusals, the staircase, and the spectrum of the features."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.simulate import nonlinear_singular_values

pytestmark = pytest.mark.filterwarnings("ignore:.*no spike of degree:asympkit.AssumptionWarning")

QUADRATIC, TANH = "z+(z**2-1)/sqrt(2)", "tanh(z)+0.3*(z**2-1)"
CUBIC = "z+(z**2-1)/2+(z**3-3*z)/6"
AT = {"phi": 0.5, "psi": 1, "lam": 0.01, "noise_variance": 0.1}


def quiet(function, *args, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        return function(*args, **named)


def gaps(theory, degree, **at):
    s = quiet(theory.solve, degree=degree, **at)
    return [s.train_gap, s.test_gap]


#: student, target, (phi, psi, lam, noise), options, {degree: (train_gap, test_gap)} as printed in the theory sheet
KNOWN = [
    (QUADRATIC, QUADRATIC, (0.5, 1, 0.01, 0.1), {}, {1: (0.1534, 0.5889), 2: (0.2336, 0.8988), 3: (0.2336, 0.8988)}),
    (TANH, CUBIC, (0.5, 0.25, 0.01, 0.1), {}, {1: (0.00484, 0.2157), 2: (0.00760, 0.4211), 3: (0.00833, 0.4756)}),
    ("relu", "relu", (0.5, 0.5, 0.01, 0.05), {}, {1: (0.00906, 0.0890), 2: (0.01270, 0.1339)}),
    ("relu", "relu", (0.5, 1, 0.01, 0.05), {}, {1: (0.0362, 0.1096), 4: (0.04544, 0.1391)}),
    ("relu", "relu", (0.5, 0.5, 0.01, 0.05), {"free_constant": True}, {2: (0.01452, 0.1563)}),
    (QUADRATIC, QUADRATIC, (0.5, 0.5, 0.1, 0.1), {}, {2: (0.0906, 0.9259)}),
    (QUADRATIC, QUADRATIC, (0.5, 0.5, 0.1, 0.1), {"rows": "gaussian"}, {2: (0.0980, 1.0204)}),
    (TANH, CUBIC, (0.5, 0.25, 0.01, 0.1), {"rows": "gaussian"}, {1: (0.00484, 0.2157), 2: (0.00818, 0.4788),
                                                               3: (0.00891, 0.5334)}),
    ("relu", "relu", (0.5, 1, 0.01, 0.05), {"initial_output": "kept"}, {1: (0.01864, 0.0564), 2: (0.02103, 0.0641)}),
    (TANH, QUADRATIC, (0.5, 0.5, 0.1, 0.1), {"initial_output": "kept"}, {1: (0.06805, 0.2082), 2: (0.1045, 0.3571)}),
]


#: errors without a spike
BASELINES = {("relu", "relu", (0.5, 0.5, 0.01, 0.05)): (0.04682, 0.5368),
             (QUADRATIC, QUADRATIC, (0.5, 0.5, 0.1, 0.1)): (0.3621, 3.856),
             (TANH, CUBIC, (0.5, 0.25, 0.01, 0.1)): (0.0316, 2.082)}


@pytest.mark.parametrize("row", KNOWN, ids=[str(k) for k in range(len(KNOWN))])
def test_known_gaps(row):
    student, target, values, options, known = row
    theory = ak.NonlinearSpikes(student, target, **options)
    at = dict(zip(("phi", "psi", "lam", "noise_variance"), values))
    for degree, pair in known.items():
        for found, printed in zip(gaps(theory, degree, **at), pair):
            assert abs(found - printed) <= (0.6e-4 if printed > 0.03 else 0.6e-5)
    if (student, target, values) in BASELINES:
        s, (train, test) = quiet(theory.solve, **at), BASELINES[student, target, values]
        assert s.baseline_train == pytest.approx(train, abs=6e-5)
        assert s.baseline_test == pytest.approx(test, rel=2e-4)
        assert s.train_error == s.baseline_train - s.train_gap
        assert s.test_error == s.baseline_test - s.test_gap


MOVED = [(TANH, "sin", {"rows": "gaussian"}, 2), ("relu", CUBIC, {}, 4), (QUADRATIC, "tanh", {}, 1),
         ("softplus", "relu", {"free_constant": True}, 3), ("z*exp(-z**2/4)+0.2*z**2", QUADRATIC, {}, 3),
         (TANH, QUADRATIC, {"initial_output": "kept"}, 2), ("gelu", "silu", {"rows": "gaussian"}, 6),
         ("tanh", "sin", {}, 5), ("elu", TANH, {"rows": "gaussian", "initial_output": "kept"}, 2),
         ("erf(z)", CUBIC, {"initial_output": "kept", "free_constant": True}, 0), ("z", "z", {}, 1),
         ("abs", "sin", {}, 2)]


@pytest.mark.parametrize("k", slow_but(range(len(MOVED)), 10))
def test_numpy_numba_and_many_digits_agree(k):
    """Every argument is moved: both activations, degree, options, and all numbers."""
    student, target, options, degree = MOVED[k]
    theory = ak.NonlinearSpikes(student, target, **options)
    at = {"phi": 0.2 + 0.23 * k, "psi": 3.1 / (k + 1), "lam": 10.0 ** (-4 + 0.5 * k), "noise_variance": 0.05 * k}
    s = quiet(theory.solve, degree=degree, **at)
    p = quiet(theory.precise, digits=30, degree=degree, **{n: Fraction(v) for n, v in at.items()})
    assert s.residual < 1e-14
    for name in (*s.observables, "m1", "m2", "dm1", "dm2"):
        assert s[name] == pytest.approx(float(p[name]), rel=1e-12, abs=1e-14)
    for backend in ("numpy", "numba")[:1 if k == 10 else 2]:
        w = quiet(theory.sweep, backend=backend, degree=degree, **{**at, "lam": np.array([at["lam"], 1.0])})
        for name in s.observables:
            assert w[name][0] == pytest.approx(s[name], rel=1e-13, abs=1e-15)


def test_no_step_and_zero_gaps():
    theory = ak.NonlinearSpikes(QUADRATIC, QUADRATIC)
    assert gaps(theory, 0, **AT) == [0.0, 0.0]
    with pytest.warns(ak.AssumptionWarning, match=r"has no linear part \(c_1 = 0\).*the gaps are 0") as caught:
        s = ak.NonlinearSpikes("z**2-1", QUADRATIC).solve(**AT)
    assert len(caught) == 1
    assert (s.train_gap, s.test_gap) == (0.0, 0.0)
    assert s["m1"] == s["m2"]


def test_warnings_name_the_assumption_and_what_was_done():
    with pytest.warns(ak.AssumptionWarning) as caught:
        s = ak.NonlinearSpikes("relu", "sigmoid").solve(**AT, degree=3)
    texts = [str(w.message) for w in caught]
    assert texts == list(s.assumptions)
    assert texts[0].startswith("student 'relu' has the mean 0.398942, where arXiv 2310.07891 assumes E[student(z)] = 0")
    assert texts[1].startswith("target 'sigmoid' has the mean 0.5, where")
    assert all(t.endswith("the mean was subtracted") for t in texts[:2])
    assert texts[2] == ("student 'relu' has no spike of degree 3 (its Hermite coefficient vanishes), where arXiv "
                        "2310.07891 assumes c_1, ..., c_3 not to vanish: only the other degrees were used")
    with pytest.warns(ak.AssumptionWarning, match=r"no spike of degrees 2, 4 \(its Hermite coefficients vanish\)"):
        ak.NonlinearSpikes("tanh", "sin").solve(**AT, degree=4)
    free = ak.NonlinearSpikes("relu", "sin", free_constant=True).solve(**AT)
    assert free.assumptions == ()


def test_jumps_are_reported():
    for student in ("sign", "where(z > 1/2, z, 0)"):
        theory = ak.NonlinearSpikes(student, "sin", free_constant=True)
        with pytest.warns(ak.AssumptionWarning) as caught:
            s = theory.solve(**AT, degree=1)
        assert [str(w.message) for w in caught] == list(s.assumptions)
        text = f"student {theory.student.name!r} has jumps, where arXiv 2310.07891 assumes a derivative"
        assert s.assumptions[0].startswith(text)
        assert theory.solve(**AT, degree=0).assumptions == ()


def test_a_simulation_warns_as_the_theory_does():
    for named in ({}, {"degree": 3}, {"eta": 1.0}):
        theory = ak.NonlinearSpikes("relu", "sin")
        with pytest.warns(ak.AssumptionWarning) as caught:
            theory.simulate(n=20, repeats=2, **AT, **named)
        n = {"n": 20} if "eta" in named else {}
        assert [str(w.message) for w in caught] == list(quiet(theory.solve, **AT, **named, **n).assumptions)


@pytest.mark.parametrize("named", slow_but([{}, {"eta": 1.0, "n": 100}], 0))
def test_no_target_and_no_step(named):
    """Without labels all errors are 0; the traces are those of any other target."""
    at = {**AT, "noise_variance": 0, "degree": 0, **named}
    theory = ak.NonlinearSpikes(QUADRATIC, "0")
    for s in (theory.solve(**at), theory.precise(digits=20, **at)):
        assert set(s.observables.values()) == {0}
        assert s.m1 == pytest.approx(ak.NonlinearSpikes(QUADRATIC, "z").solve(**at).m1, rel=1e-14)
    if not named:
        found = theory.simulate(n=40, repeats=2, **at)
        assert all(found[name].values.tolist() == [0, 0] for name in s.observables)
    with pytest.raises(ak.DomainError, match="target: '0' is zero without its mean and there is no noise"):
        ak.NonlinearSpikes("0", "0").solve(**at)


def test_numbers_beyond_double_precision_do_not_converge():
    with pytest.raises(ak.ConvergenceError):
        ak.NonlinearSpikes(QUADRATIC, QUADRATIC).solve(phi=1e180, psi=1, lam=1e-160)


@pytest.mark.parametrize("small", slow_but(["10**10", "10**20"], 1))
def test_check_simulates_the_spikes_that_the_theory_has(small):
    report = ak.NonlinearSpikes(f"z+(z**2-1)/{small}", QUADRATIC).check(n=400, repeats=10, **AT)
    assert report.passed, str(report)
    gap = {r.name: r for r in report.rows}["test_gap"]
    without = quiet(ak.NonlinearSpikes("z", QUADRATIC).solve, **AT).test_gap
    assert gap.is_tested
    assert gap.simulation.mean - without > 5 * gap.simulation.stderr


def test_a_mean_is_subtracted():
    shifted = ak.NonlinearSpikes("tanh(z)+0.3*z**2", "sin(z)+2")
    centred = ak.NonlinearSpikes("tanh(z)+0.3*(z**2-1)", "sin")
    one, two = (quiet(t.solve, **AT) for t in (shifted, centred))
    assert one.test_error == pytest.approx(two.test_error, rel=1e-12)


def test_a_tiny_coefficient_is_no_missing_degree():
    at = {**AT, "degree": 2}
    with_spike = quiet(ak.NonlinearSpikes("tanh(z)+1e-13*(z**2-1)", QUADRATIC).solve, **at)
    without = quiet(ak.NonlinearSpikes("tanh", QUADRATIC).solve, **at)
    assert with_spike.test_gap > without.test_gap + 0.01
    assert with_spike.assumptions == ()


@pytest.mark.parametrize(("student", "options", "at"), slow_but([
    ("relu", {"rows": "gaussian", "initial_output": "kept"}, {"degree": 2}), ("softplus", {"free_constant": True}, {}),
    ("z**2-1", {}, {}), (QUADRATIC, {}, {"eta": 2.0})], 2))
def test_check_simulates_what_the_theory_describes(student, options, at):
    """Means are subtracted for the simulation too; with a step size the network is trained."""
    theory = ak.NonlinearSpikes(student, "sin(z)+0.3*z**2", **options)
    report = quiet(theory.check, n=400, repeats=10, seed=1, phi=0.5, psi=1, lam=0.1, noise_variance=0.2, **at)
    assert report.passed, str(report)
    assert sum(r.z is not None for r in report.rows) == 6
    assert sum(r.is_tested for r in report.rows) >= 4
    assert report.simulation.n == 400


@pytest.mark.parametrize(("wrong", "text"), [
    ({"eta": 1}, "eta: given without n; a finite step size needs eta and n, and the limit of diverging spikes neither"),
    ({"n": 10}, "n: given without eta"), ({"degree": 2.5}, "degree: got 2.5; expected an integer from 0 to 12"),
    ({"degree": True}, "degree: got True; expected an integer from 0 to 12"),
    ({"lam": -1}, "lam: got -1; expected a positive finite number, or 0 for the limit without a penalty"),
    ({"alpha": 1}, "nonlinear spikes: unknown parameter 'alpha'; parameters are phi, psi, lam, noise_variance, degree"),
])
def test_refusals(wrong, text):
    with pytest.raises(ak.AsympkitError) as caught:
        ak.NonlinearSpikes(QUADRATIC, QUADRATIC).solve(**{**AT, **wrong})
    assert str(caught.value).startswith(text)


def test_refusals_of_the_constructor_and_of_derivatives():
    with pytest.raises(ak.DomainError, match="rows: got 'gauss'; did you mean 'gaussian'"):
        ak.NonlinearSpikes("tanh", "sin", rows="gauss")
    with pytest.raises(ak.DomainError, match="initial_output: got 'no'; available: 'removed', 'kept'"):
        ak.NonlinearSpikes("tanh", "sin", initial_output="no")
    with pytest.raises(ak.DomainError, match="free_constant: got 1; expected True or False"):
        ak.NonlinearSpikes("tanh", "sin", free_constant=1)
    with pytest.raises(ak.DomainError, match="target: '0' is zero without its mean and there is no noise"):
        ak.NonlinearSpikes("tanh", "0").solve(phi=1, psi=1, lam=1, degree=1)
    theory = ak.NonlinearSpikes(QUADRATIC, QUADRATIC)
    with pytest.raises(ak.UnknownNameError, match="no quantity 'dm1'; did you mean 'm1'"):
        theory.sensitivity("dm1", "lam", **AT)
    with pytest.raises(ak.UnknownNameError, match="no parameter 'degree' to differentiate by; known are phi, psi"):
        theory.sensitivity("m1", "degree", **AT)


BOTH = "z+(z**2-1)/sqrt(2)"


def traces(x, act, phi, psi):
    """tau, mu and mtilde at lam = -x above the bulk, from the polynomial of the untrained features."""
    B = float(act.hermite_coefficients(1)[1]) ** 2
    A, alpha, beta, kappa = float(act.second_moment()) - B, 1 / phi, 1 / psi, psi / phi
    place = kappa * x                                   # eigenvalue of F'F/N
    V2, h = np.polynomial.Polynomial([0, 1]), np.polynomial.Polynomial([alpha / beta - 1, -place])
    roots = (((A * h - place) * V2 - 1) * (1 + beta * B * h * V2) + B * h * V2).roots()
    V2 = min((v for v in roots if abs(v.imag) < 1e-9 and -2 < place * v.real < -0.5),
             key=lambda v: abs(place * v.real + 1)).real
    V1 = V2 / (1 + beta * B * (alpha / beta - 1 - place * V2) * V2)
    tau = -1 / x / (1 + B * V1 + A * V2)
    return tau, tau * V1 / V2, -place * V2


@pytest.mark.parametrize("phi, psi, eta", [(0.5, 0.5, 3.0), (0.5, 1.0, 2.0), (0.8, 0.3, 6.0)])
def test_one_linear_spike(phi, psi, eta):
    """With a spike of degree 1 alone the determinant is 1 + theta^2 D mtilde mu."""
    act = ak.Activation(BOTH)
    s = ak.NonlinearSpikes(act, BOTH).spectrum(phi=phi, psi=psi, eta=eta, n=500, noise_variance=0.1, degree=1)
    (spike,) = s.outliers
    tau, mu, mtilde = traces(spike.location**2, act, phi, psi)
    length = 1 + phi * (1 + 1 + 0.1)                    # c_1 = 1 and E[target^2] = 2
    assert abs(1 + eta**2 * length * mtilde * mu) < 1e-9
    assert spike.kind == "spike" and math.isnan(spike.overlap) and spike.location > s.edges[-1, 1]


def test_weak_spikes_stay_inside_and_diverging_ones_are_at_infinity():
    t = ak.NonlinearSpikes(BOTH, BOTH)
    assert t.spectrum(phi=0.5, psi=0.5, eta=0.1, n=500).outliers == ()
    limit = t.spectrum(phi=0.5, psi=1, degree=2)
    assert [o.location for o in limit.outliers] == [math.inf, math.inf]
    assert np.array_equal(limit.edges, t.spectrum(phi=0.5, psi=1, eta=0.1, n=500).edges)
    assert str(limit) == "<Spectrum on [0.361034, 2.79093], 0 at 0, outliers: spike inf, spike inf>"


@pytest.mark.parametrize("phi, psi", [(0.5, 0.25), (0.5, 1.0)])
def test_density_of_singular_values(phi, psi):
    """Its mass is 1 whether there are more samples or more units; its second moment is E student^2 times N/min."""
    s = ak.NonlinearSpikes(BOTH, BOTH).spectrum(phi=phi, psi=psi)
    t, w = np.polynomial.legendre.leggauss(200)
    mass = square = 0.0
    for low, high in s.edges:
        angle = np.pi / 2 * (1 + t)
        x = (low + high) / 2 - (high - low) / 2 * np.cos(angle)
        weight = w * np.pi / 2 * np.sin(angle) * (high - low) / 2 * s.density(x)
        mass, square = mass + weight.sum(), square + weight @ x**2
    assert s.atom == 0.0 and abs(mass - 1) < 1e-10
    assert abs(square - 2.0 * (phi / psi) / min(1.0, phi / psi)) < 1e-9


@pytest.mark.parametrize("at, words", [
    ({"phi": 0.5, "psi": 0.5, "eta": 2}, "one of eta and n"), ({"phi": 0.5}, "missing parameter psi")])
def test_spectra_that_are_refused(at, words):
    with pytest.raises(ak.DomainError, match=words):
        ak.NonlinearSpikes(BOTH, BOTH).spectrum(**at)
    with pytest.raises(ak.DomainError, match="diverging spikes"):
        ak.NonlinearSpikes(BOTH, BOTH).spectrum(phi=0.5, psi=0.5).simulate()


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"rows": "gaussian"}, {"initial_output": "kept"}])
def test_places_are_simulated(options):
    """Against the truncated model at n = 400; three standard errors and 2 %, the size of terms of order 1/n."""
    at = {"phi": 0.5, "psi": 0.5, "eta": 4.0, "n": 400, "noise_variance": 0.1}
    act, target = ak.Activation("z+(z**2-1)/3"), ak.Activation(BOTH)
    s = ak.NonlinearSpikes(act, target, **options).spectrum(**at)
    drawn = np.array([nonlinear_singular_values(act, target, model="truncated", seed=k, degree=2, **at, **options)
                      .values[:3] for k in range(16)]) / 20.0
    for k, spike in enumerate(s.outliers):
        error = drawn[:, k].std(ddof=1) / 4
        assert abs(drawn[:, k].mean() - spike.location) < 3 * error + 0.02 * spike.location
    assert abs(drawn[:, len(s.outliers)].mean() / s.edges[-1, 1] - 1) < 0.03 and s.outliers


POINT = {"phi": 0.5, "psi": 0.5, "lam": 0.1, "noise_variance": 0.1}


@pytest.fixture
def theory():
    return ak.NonlinearSpikes("softplus", QUADRATIC, free_constant=True)


def test_limit_is_a_step_function(theory):
    alpha = np.array([-0.1, 0.0, 0.1, 0.25, 0.26, 1 / 3, 0.35, 3 / 8, 0.39, 0.41])
    stairs = theory.staircase(alpha_lr=alpha, **POINT)
    assert stairs.degree.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 5]
    for k, train, test in zip(stairs.degree, stairs.train_error, stairs.test_error):
        s = theory.solve(**POINT, degree=int(k))
        assert (train, test) == (s.train_error, s.test_error)
    assert [s.alpha_lr for s in stairs.steps] == [0, 1 / 4, 1 / 3, 3 / 8, 2 / 5]
    assert stairs.baseline_test - sum(s.test_error for s in stairs.steps) == pytest.approx(stairs.test_error[-1])
    assert np.all(np.diff(stairs.test_error) <= 0)


def test_given_samples_approach_the_limit():
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    alpha = np.array([0.1, 0.29])
    limit = theory.staircase(alpha_lr=alpha, **POINT)
    before = np.inf
    for n in (1e3, 1e6, 1e12):
        stairs = theory.staircase(alpha_lr=alpha, n=n, eta0=1.0, **POINT)
        for a, train, test in zip(alpha, stairs.train_error, stairs.test_error):
            s = theory.solve(**POINT, eta=n**a, n=n)
            assert train == pytest.approx(s.train_error, rel=1e-13)
            assert test == pytest.approx(s.test_error, rel=1e-13)
        distance = np.max(stairs.test_error - limit.test_error)
        assert 0 < distance < before
        before = distance
    assert stairs.degree is None
    double = theory.staircase(alpha_lr=0.1, n=1e3, eta0=2.0, **POINT)
    assert double.test_error[0] == theory.solve(**POINT, eta=2 * 1e3**0.1, n=1e3).test_error


def test_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    alpha = np.linspace(-0.1, 0.3, 9)
    stairs = theory.staircase(alpha_lr=alpha, **POINT)
    ax = stairs.plot("train_error")
    theory.staircase(alpha_lr=alpha, n=1e4, **POINT).plot("train_error", ax=ax, color="C1")
    curves = [line for line in ax.lines if line.get_label().startswith("n = ")]
    x, y = curves[0].get_xdata(), curves[0].get_ydata()
    assert x.tolist() == [-0.1, 0.0, 0.25, 0.3]
    assert y.tolist() == pytest.approx([stairs.baseline_train, *stairs.train_error[[5, 8, 8]]])
    assert [line.get_label() for line in curves] == ["n = infinity", "n = 10000"]
    for n in (None, 1e4):
        point = theory.staircase(alpha_lr=0.27, n=n, **POINT)
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
            theory.staircase(alpha_lr=wrong, **POINT)
    with pytest.raises(ak.DomainError, match="eta0: got 0; expected a positive finite number"):
        theory.staircase(alpha_lr=0.1, eta0=0, **POINT)
    with pytest.warns(ak.AssumptionWarning, match="spikes of degree above 12, which leave the bulk from 0.4615 on"):
        top = theory.staircase(alpha_lr=[0.3, 0.49], **POINT)
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
