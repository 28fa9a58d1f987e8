"""The real network after one gradient step: published numbers, limits, every route, networks."""

import math

import numpy as np
import pytest
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.theories.one_step.step import ExactLayer

ZEXP, SQUARE = "z*exp(-z**2/2)", "z+(z**2-1)/sqrt(2)"
#: student, target, eta, alpha0, alpha, beta, lam, noise variance: isotropic and exact test error
LIMITS = [
    ("tanh", "sin", 4, 0.5, 2, 1, 0.01, 0, 0.38877, 0.43412), ("tanh", "sin", 2, 0.5, 2, 1, 0.01, 0, 0.28112, 0.29919),
    ("tanh", "sin", 4, 2, 2, 1, 0.01, 0, 0.16870, 0.17464), ("tanh", "sin", 1, 0.5, 2, 1, 0.01, 0, 0.23746, 0.24235),
    ("tanh", SQUARE, 3, 10, 3, 0.5, 0.01, 0.25, 1.7284, 1.7076),
    ("tanh", "sin", 6, 0.5, 2, 1, 0.01, 0, 0.46768, 0.52946),
    ("sin", "tanh", 4.5, 0.3, 3, 1.5, 0.1, 0.1, 0.76901, 0.76413),
    ("tanh", "sin", 3, math.inf, 3, 1, 0.01, 0, 0.02408, 0.02259),
    ("tanh", SQUARE, 2, math.inf, 4, 0.25, 0.01, 0, 1.2622, 1.2334),
]
#: and d, then test errors at the width beta*d: as they were compared with networks, by the kernel of a weak spike, and
#: those of the package, which has that of any spike (derivations/real_network, mean_readout.py and tilt.py)
WIDTHS = [
    (ZEXP, "sin", 1, 10, 3, 1, 0.001, 0, 100, 0.18468, 0.18479),
    (ZEXP, "sin", 1, 10, 3, 1, 0.001, 0, 400, 0.13647, 0.13653),
    ("tanh", "sin", 0.1, 2, 3, 1, 1e-5, 0, 200, 0.20694, 0.20694),
    ("tanh", "sin", 0.1, 2, 3, 1, 1e-5, 0, 400, 0.19433, 0.19433),
    ("tanh", "sin", 0.1, 2, 2, 0.5, 0.01, 0.1, 300, 0.39682, 0.39683),
    ("sin", "tanh", 0.6, 1, 3, 2, 0.1, 0, 150, 0.09063, 0.09067),
    ("tanh", "sin", 2, 2, 3, 1, 0.01, 0, 300, 0.11773, 0.11775),
    ("erf", "sin", 0.15, 3, 2, 1, 0.05, 0, 200, 0.20682, 0.20682),
    ("tanh(2*z)", "tanh", 0.08, 1, 4, 0.5, 0.001, 0.05, 300, 0.27949, 0.27947),
    (ZEXP, "tanh", 0.6, 4, 2.5, 1.5, 0.01, 0.1, 200, 0.41056, 0.41063),
    (ZEXP, "sin", 1, 10, 3, 1, 0.001, 0, 200, 0.15513, 0.15522),
]
NAMES = ("eta", "alpha0", "alpha", "beta", "lam", "noise_variance")
pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


def exact(row):
    return ak.OneStep(*row[:2], bulk="exact"), dict(zip(NAMES, map(float, row[2:8])))


@pytest.mark.parametrize("row", slow_but(LIMITS, 0, 4, 7, single=True))
def test_digits_that_were_compared_with_networks(row):
    theory, point = exact(row)
    digits = 4 if row[-1] > 1 else 5
    assert round(theory.solve(**point).test_error, digits) == row[-1]
    assert round(ak.OneStep(*row[:2]).solve(**point).test_error, digits) == row[-2]


#: students that are not odd: exact test error
OTHERS = [
    ("relu", "sin", 3, 0.5, 2, 1, 0.1, 0, 0.42807), ("log(1+exp(2*z))", "sin", 3, 1, 2, 0.8, 0.1, 0, 0.57082),
    ("elu", "sin", 2, 2, 1.5, 1.5, 0.1, 0, 0.19221), ("elu", SQUARE, 2, 3, 3, 1, 0.01, 0, 0.98015),
    ("elu", "tanh", 3, 1, 2, 1, 0.01, 0, 0.23678),
]


@pytest.mark.parametrize("row", slow_but(OTHERS, 1, 3, single=True))
def test_students_that_are_not_odd(row):
    theory, point = exact(row)
    assert round(theory.solve(**point).test_error, 5) == row[-1]


def test_no_step_where_the_target_has_no_linear_part():
    """Multipliers of the bulk are 1e-35 beside errors of 1, and have equations of their own."""
    found = ak.OneStep("relu", "cos", bulk="exact").solve(eta=0, alpha0=1, alpha=1, lam=0.1)
    expected = ak.OneStep("relu", "cos").solve(eta=0, alpha0=1, alpha=1, lam=0.1)
    for name in expected.observables:
        assert found[name] == pytest.approx(expected[name], rel=1e-13)


EVEN = {"eta": 1.3, "alpha0": 2.0, "alpha": 1.7, "beta": 0.7, "lam": 0.02, "noise_variance": 0.1}


def test_an_even_student_sees_only_the_length_of_its_rows():
    exact, isotropic = (ak.OneStep("cos", "cos(z)+z", bulk=bulk) for bulk in ("exact", "isotropic"))
    a, b = exact.solve(**EVEN), isotropic.solve(**EVEN)
    assert (a.order_parameters, a.observables) == (b.order_parameters, b.observables) and a.assumptions == ()
    assert exact.sensitivity("test_error", "eta", **EVEN) == isotropic.sensitivity("test_error", "eta", **EVEN)


@pytest.mark.slow
@pytest.mark.parametrize("at", [EVEN, {**EVEN, "noise_variance": 0.0}, {**EVEN, "eta": 0.5, "alpha0": 1.0}], ids=str)
def test_nearly_even_students_come_to_an_even_one(at):
    """Their errors do, like the square of the linear part."""
    even = ak.OneStep("cos", "cos(z)+z", bulk="exact").solve(**at)
    near = [ak.OneStep(f"cos(z)+z/{n}", "cos(z)+z", bulk="exact").solve(**at) for n in (1000, 4000)]
    for name in ("test_error", "train_error", "V1", "V2", "q1", "q2", "m"):
        far, close = (abs(s[name] - even[name]) for s in near)
        assert close <= far / 12 and far <= 1e-2 * max(1.0, abs(even[name])), name


def test_an_odd_student_in_the_equations_of_any(monkeypatch):
    """A student that is odd, and not proved to be, has the same numbers."""
    theory, point = exact(LIMITS[1])
    monkeypatch.setattr(ExactLayer, "is_odd", False)
    general = ak.OneStep("tanh", "sin", bulk="exact").solve(**point)
    monkeypatch.undo()
    special = theory.solve(**point)
    for name in special.observables:
        assert general[name] == pytest.approx(special[name], rel=1e-11)


RELU = {"eta": 2.0, "alpha0": 2.0, "alpha": 1.5, "beta": 1.2, "lam": 0.1}
#: derivatives of the test error and of m of relu on sin, without noise: central differences of twenty digits
RELU_RATES = {
    None: {"eta": (-0.006336236303837, 0.02431806212085), "alpha0": (-0.00646050061378, 0.05917767407661),
           "alpha": (-0.03004657909413, -0.01649645677934), "beta": (-0.03758673993439, -0.1044271124899),
           "lam": (-0.4321613454845, 0.7224470936781)},
    400.0: {"eta": (-0.006358135448666, 0.02467745117039), "width": (-8.505253353472e-08, 1.829502640488e-06)},
}


@pytest.mark.parametrize(("width", "name"), slow_but(
    [(w, n) for w, rates in RELU_RATES.items() for n in rates], 5, 6))
def test_derivatives_of_a_student_that_is_not_odd(width, name):
    theory = ak.OneStep("relu", "sin", bulk="exact")
    at = {**RELU, **({"width": width} if width else {})}
    for quantity, known in zip(("test_error", "m"), RELU_RATES[width][name]):
        assert theory.sensitivity(quantity, name, **at) == pytest.approx(known, rel=2e-11)


@pytest.mark.parametrize("student", slow_but(["tanh", "relu"], 0))
def test_derivatives_at_no_noise_are_limits(student):
    """The deviation of the noise has none there, its variance has."""
    theory = ak.OneStep(student, "sin", bulk="exact")
    none, little = (theory.sensitivity("test_error", "noise_variance", noise_variance=v, **RELU) for v in (0.0, 1e-8))
    assert none == pytest.approx(little, rel=1e-7)
    above, below = (theory.solve(noise_variance=v, **RELU).test_error for v in (1e-5, 0.0))
    assert none == pytest.approx((above - below) / 1e-5, rel=1e-4)


def test_derivatives_of_the_population_gradient():
    theory, point = exact(LIMITS[7])
    for name in ("eta", "lam"):
        step = 1e-4 * point[name]
        above, below = (theory.solve(**{**point, name: point[name] + s}).test_error for s in (step, -step))
        assert theory.sensitivity("test_error", name, **point) == pytest.approx((above - below) / (2 * step), rel=1e-6)


@pytest.mark.parametrize("row", slow_but(WIDTHS, 0, 4, single=True))
def test_digits_at_a_width(row):
    """The common part of the rows, and the tilt beyond a weak spike, change the fourth digit of the first numbers."""
    theory, point = exact(row)
    d, weak, known = row[8:]
    found = theory.solve(width=point["beta"] * d, **point).test_error
    assert round(found, 5) == known == pytest.approx(weak, rel=1e-3)
    assert abs(found - theory.solve(**point).test_error) > 1e-4


#: more units than samples and a small penalty, or a step that lengthens the rows many times: student, target,
#: parameters, and the test error that ``precise`` finds
FAR = [
    ("tanh", SQUARE, 2.41, 0.56, 0.885, 1.7, 3.92e-5, 0, 30.3668066863593),
    ("sin", "sin", 0.137, 0.925, 0.635, 1.565, 0.00045, 0, 0.30409769838999),
    ("erf", "tanh", 0.776, 1.405, 1.17, 1.845, 4.38e-5, 0, 0.171264669392695),
    ("z+(z**2-1)/2", "sin", 1.41, 2.385, 0.82, 0.25, 0.00224, 0, 0.673614907030948),
    ("z+(z**2-1)/2", SQUARE, 0.77, 1.13, 1.165, 1.995, 0.000151, 0, 2.41798369571338),
    ("max(z,0)-1/sqrt(2*pi)", "sin", 0.232, 9.61, 2.115, 1.805, 0.0635, 0, 0.11983453787661),
    (ZEXP, SQUARE, 0.305, math.inf, 0.535, 1.83, 0.000394, 0, 1.61130735864668),
]


@pytest.mark.parametrize("row", FAR)
def test_points_that_are_far_from_equal_unknowns(row):
    theory, point = exact(row)
    assert theory.solve(**point).test_error == pytest.approx(row[-1], rel=1e-12)
    assert theory.solve(**point, width=300.0).converged


@pytest.mark.parametrize("width", [None, 300.0])
def test_a_gradient_without_a_direction_is_no_step(width):
    """Of an infinite batch, for a target without a linear part; a finite batch has one, that of its noise."""
    point = dict(zip(NAMES, (1.7, math.inf, 0.9, 0.5, 0.01, 0.0)))
    for bulk in ("exact", "isotropic"):
        theory = ak.OneStep("tanh", "cos(z)", bulk=bulk)
        found = theory.solve(**point, width=width)
        for other, rel in (({"eta": 0.0}, 1e-13), ({"alpha0": 1e10}, 1e-9)):
            near = theory.solve(**{**point, **other}, width=width)
            assert near.test_error == pytest.approx(found.test_error, rel=rel)


@pytest.mark.parametrize("width", [None, 300.0])
def test_no_step_is_random_features(width):
    theory, point = exact(LIMITS[3])
    plain = ak.OneStep("tanh", "sin")
    for nothing in ({"eta": 0.0}, {"alpha0": 0.0}):
        a, b = (t.solve(**{**point, **nothing}, width=width) for t in (theory, plain))
        for name in a.observables:
            assert a[name] == pytest.approx(b[name], rel=1e-12)


def test_a_small_step_is_isotropic():
    """The bulks differ by terms of the order of the squared step."""
    theory, point = exact(LIMITS[3])
    plain = ak.OneStep("tanh", "sin")
    gaps = [theory.solve(**{**point, "eta": e}).test_error / plain.solve(**{**point, "eta": e}).test_error - 1
            for e in (0.1, 0.05)]
    assert gaps[0] / gaps[1] == pytest.approx(4.0, rel=0.02)


def test_a_weak_spike_joins_none_at_a_width():
    theory = ak.OneStep("tanh", "sin", bulk="exact")
    at = {"alpha0": 2.0, "alpha": 3.0, "lam": 1e-5, "width": 400.0}
    found = [theory.solve(eta=e, **at).test_error for e in (0.0, 1e-4, 1e-3, 1e-2)]
    assert found == pytest.approx([0.22829974, 0.22829974, 0.22829432, 0.22775874], abs=2e-6)
    assert np.diff(found, n=2) == pytest.approx(np.diff(found)[1:], rel=0.02)        # quadratic: a hundred times more


@pytest.mark.parametrize("bulk", ["isotropic", "exact"])
def test_the_weakest_spikes_join_none_at_a_width(bulk):
    """The direction of the norms of the rows enters by a mean that is as small as the step."""
    theory = ak.OneStep("tanh", "sin", bulk=bulk)
    at = {"alpha0": 2.0, "alpha": 3.0, "lam": 1e-5, "width": 400.0}
    found = [theory.solve(eta=e, **at).test_error for e in (0.0, 1e-12, 1e-9, 1e-8, 1e-7)]
    assert found == pytest.approx([0.22829973794690747] * 4 + [0.228299737946853], rel=1e-13)
    swept = theory.sweep(eta=[1e-9, 1e-7], backend="numpy", **at)["test_error"]
    assert swept == pytest.approx(found[2::2], rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("bulk", ["isotropic", "exact"])
def test_the_weakest_spikes_by_loops_and_digits(bulk):
    theory = ak.OneStep("tanh", "sin", bulk=bulk)
    at = {"alpha0": 2.0, "alpha": 3.0, "lam": 1e-5, "width": 400.0}
    swept = theory.sweep(eta=[1e-9, 1e-7], backend="numba", **at)["test_error"]
    for eta, error in zip(("1e-9", "1e-7"), swept):
        digits = theory.precise(digits=15, eta=eta, **{n: str(v) for n, v in at.items()})
        assert error == pytest.approx(float(digits.test_error), rel=1e-12)


def test_a_large_batch_is_the_population_gradient_at_a_width():
    """The tilt against the rest of the target stays where nothing is left of that rest."""
    theory, point = exact(LIMITS[7])
    limit, near = (theory.solve(**{**point, "alpha0": a}, width=200.0) for a in (math.inf, 1e9))
    for name in limit.observables:
        assert near[name] == pytest.approx(limit[name], rel=1e-7)


@pytest.mark.parametrize(("student", "over", "start", "stop", "width"), slow_but(
    [("tanh", "alpha", 0.5, 3.0, 200.0), ("relu", "lam", 0.01, 1.0, None), ("tanh", "noise_variance", 0.0, 0.5, None),
     ("tanh", "width", 100.0, 400.0, None), ("tanh", "eta", 0.5, 4.0, None)], 0))
def test_a_path_is_made_of_solutions(student, over, start, stop, width):
    theory = ak.OneStep(student, "sin", bulk="exact")
    rest = {n: v for n, v in {**RELU, "noise_variance": 0.0, "width": width}.items() if n != over and v is not None}
    path = theory.continuation(over=over, start=start, stop=stop, **rest)
    (branch,) = path.branches
    assert path.end == "stop was reached" and path.folds == () and branch.parameter[-1] == stop
    for k in (0, branch.parameter.size // 2, -1):
        one = theory.solve(**{over: float(branch.parameter[k])}, **rest)
        for name in ("V1", "u" if student == "relu" else "b", "q2", "test_error", "objective"):
            assert branch[name][k] == pytest.approx(one[name], rel=1e-10)


def test_a_path_ends_where_the_theory_does():
    """The learning rate cannot be negative."""
    theory = ak.OneStep("tanh", "sin", bulk="exact")
    rest = {n: v for n, v in RELU.items() if n != "eta"}
    with pytest.raises(ak.DomainError, match="^eta: got 0, which means no step; the limit eta -> 0 is another one"):
        theory.continuation(over="eta", start=1.0, stop=0.0, **rest)


def test_what_is_refused():
    theory, point = exact(LIMITS[0])
    with pytest.raises(ak.DomainError, match="^bulk: got 'true'; available: 'isotropic', 'exact'"):
        ak.OneStep("tanh", "sin", bulk="true")
    with pytest.raises(ak.DomainError, match="^target: got 'sign', which jumps at 0; with a width a gradient step"):
        ak.OneStep("tanh", "sign", bulk="exact").solve(**point, width=100)
    with pytest.raises(ak.DomainError, match="^width: student 'cos' is even; units without a linear part depend "
                                             "on the bulk by the mean norm of its rows alone, and at a width"):
        ak.OneStep("cos", "sin", bulk="exact").solve(**point, width=300)
    with pytest.raises(ak.DomainError, match="^alpha0: got inf, where the gradient of 'cos', which has no linear part, "
                                             "has no direction; with bulk='exact' student 'relu', which is not odd"):
        ak.OneStep("relu", "cos", bulk="exact").solve(**{**point, "alpha0": math.inf})
    with pytest.raises(ak.DomainError, match=r"^target: got '0\*z', which gives the gradient of 'tanh' no direction"):
        ak.OneStep("tanh", "0*z", bulk="exact").solve(**point)
    assert theory.solve(**point, width=math.inf).test_error == theory.solve(**point).test_error
    with pytest.raises(ak.DomainError, match="^width: a simulation has its own"):
        theory.simulate(**point, d=50, width=50)
    assert ak.OneStep("tanh", "sign", bulk="exact").solve(**point).converged
    with pytest.raises(ak.DomainError, match="^alpha0: got inf; a derivative by alpha0 needs a finite number"):
        theory.sensitivity("test_error", "alpha0", **{**point, "alpha0": math.inf})


#: of both tables: student, target, parameters, d, repeats
NETWORKS = [(WIDTHS[2], 40), (WIDTHS[4], 30), (WIDTHS[5], 40), (WIDTHS[6], 30), (WIDTHS[7], 40), (WIDTHS[8], 30),
            (WIDTHS[9], 40), ((*LIMITS[0][:8], 400, 0.0), 40), ((*LIMITS[2][:8], 400, 0.0), 40),
            ((*LIMITS[7][:8], 200, 0.0), 30)]


@pytest.mark.slow
@pytest.mark.parametrize(("row", "repeats"), NETWORKS)
def test_trained_networks(row, repeats):
    theory, point = exact(row)
    d = row[8]
    simulation = theory.simulate(**point, d=d, repeats=repeats, seed=16)
    expected = theory.solve(**{**point, "alpha": simulation.alpha, "beta": simulation.beta}, width=simulation.p)
    for name in ("test_error", "train_error"):
        estimate = simulation.estimates[name]
        assert abs(estimate.mean - expected[name]) <= 3.3 * estimate.stderr + 3 / d * expected[name]
