"""Theories of inference of the literature, beside programs that know nothing of the package."""

import functools
import time

import numpy as np
import pytest
from sympy import acos, cosh, erfc, exp, log, pi, sqrt, symbols, tanh

import asympkit as ak
from tests.helpers import literature
from tests.helpers.literature_agreement import (
    assert_agrees,
    assert_agrees_along,
    assert_agrees_on_path,
    assert_edge_is_named,
)
from tests.helpers.tiers import BACKENDS, slow_but

z, x = symbols("z x", real=True)
alpha, lam, rho, Delta, E, V, q, hat, Vhat, qhat, share, d1, d2 = symbols(
    "alpha lam rho Delta E V q hat Vhat qhat share d1 d2", positive=True)
kappa, m, mhat, b = symbols("kappa m mhat b", real=True)


@pytest.fixture(autouse=True)
def a_minute():
    """Every one of these is over within a minute of processor time, compiling included."""
    begin = time.process_time()
    yield
    assert time.process_time() - begin < 60


# -- 2. binary perceptron (Krauth and Mezard 1989) ------------------------------------------------------------


def entropy_of_binary_weights(margin):
    field = (sqrt(q) * z - margin) / sqrt(1 - q)
    return (-hat * (1 - q) / 2 + ak.E(log(2 * cosh(sqrt(hat) * z)), z) + alpha * ak.E(ak.LogPhi(field), z))


@functools.cache
def binary_perceptron():
    entropy = entropy_of_binary_weights(0)
    return ak.Theory(name="binary perceptron", parameters={alpha: ("load", "positive")},
                     unknowns={q: (0, 1), hat: "positive"}, free_energy=entropy, observables={"entropy": entropy})


@functools.cache
def binary_capacity():
    """The load at which the entropy vanishes is an unknown."""
    entropy = entropy_of_binary_weights(kappa)
    return ak.Theory(name="capacity of binary weights", parameters={kappa: ("margin", "real")},
                     unknowns={q: (0, 1), hat: "positive", alpha: "positive"},
                     equations=[entropy.diff(q), entropy.diff(hat), entropy])


@pytest.mark.parametrize("load", [0.1, 0.5, 0.833, 1.2])
def test_binary_perceptron(load):
    assert_agrees(binary_perceptron().solve(alpha=load), literature.binary_perceptron(load))


@pytest.mark.parametrize("load", [1.25, 1.26])
def test_binary_perceptron_towards_the_end(load):
    """Fields of weights become steps there: hat is 490 and 2300."""
    assert_agrees(binary_perceptron().solve(alpha=load), literature.binary_perceptron(load), 1e-10)


def test_binary_capacity():
    """Published: 0.833078599."""
    found = binary_capacity().solve(kappa=0)
    assert found["alpha"] == pytest.approx(literature.binary_capacity(), rel=1e-13)
    assert found["alpha"] == pytest.approx(0.833078599, abs=1e-9)
    assert float(binary_capacity().precise(digits=15, kappa=0)["alpha"]) == pytest.approx(found["alpha"], rel=1e-13)


@pytest.mark.parametrize("backend", BACKENDS)
def test_binary_perceptron_across_its_capacity(backend):
    swept = binary_perceptron().sweep(alpha=np.linspace(0.5, 1.1, 31), backend=backend)
    assert_agrees_along(swept, "alpha", lambda a, _: literature.binary_perceptron(a), 1e-10)
    assert np.interp(0, -swept["entropy"], swept.axes["alpha"]) == pytest.approx(literature.binary_capacity(), abs=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_binary_capacity_over_the_margin(backend):
    """Every capacity is one at which the theory of a given load has no entropy."""
    swept = binary_capacity().sweep(kappa=np.linspace(-0.5, 1, 7), backend=backend)
    assert swept.converged.all() and (np.diff(swept["alpha"]) < 0).all()
    right = [literature.binary_capacity(k) for k in swept.axes["kappa"]]
    assert swept["alpha"] == pytest.approx(right, rel=1e-10)


def test_binary_perceptron_through_its_capacity():
    path = binary_perceptron().continuation(over="alpha", start=0.3, stop=1.1, step=0.5)
    assert not path.folds
    assert_agrees_on_path(path, lambda a, _: literature.binary_perceptron(a))


@pytest.mark.slow
@pytest.mark.parametrize("load", [1.35, 2.0])
def test_binary_perceptron_without_solutions(load):
    """Beyond 4/pi q goes to 1, which is said, and soon."""
    begin = time.process_time()
    with pytest.raises(ak.ConvergenceError) as refused:
        binary_perceptron().solve(alpha=load)
    assert time.process_time() - begin < 20
    assert_edge_is_named(refused, "q")


@pytest.mark.slow
@pytest.mark.parametrize("at", ["1.7", "2"])
def test_digits_beyond_the_capacity_are_refused_soon(at):
    """Nodes are not placed again and again around features of what is no root."""
    theory, begin = binary_perceptron() if at == "1.7" else bayes_perceptron(True), time.process_time()
    with pytest.raises(ak.ConvergenceError) as refused:
        theory.precise(digits=15, alpha=at)
    assert time.process_time() - begin < 30
    assert_edge_is_named(refused, "q")


# -- 5. compressed sensing, Bernoulli-Gauss prior (Krzakala, Mezard, Sausset, Sun and Zdeborova 2012) ----------


@functools.cache
def compressed_sensing():
    S = (Delta + E) / alpha

    def mean(R):
        return R / (1 + S) / (1 + (1 - rho) / rho * sqrt((1 + S) / S) * exp(-R**2 / 2 * (1 / S - 1 / (1 + S))))

    return ak.Theory(
        name="compressed sensing", unknowns=[E], start={E: 0.1},
        parameters={alpha: ("rate", "positive"), rho: ("sparsity", (0, 1)), Delta: ("noise", "positive")},
        equations=[E - rho + (1 - rho) * ak.E(mean(sqrt(S) * z) ** 2, z) + rho * ak.E(mean(sqrt(1 + S) * z) ** 2, z)])


#: what is left of 0.4 is judged by the rounding of 0.4: 1e-16/3.6e-5
SMALL = 3e-11


@pytest.mark.parametrize(("rate", "noise"), [(0.7, 2.2e-5), (0.7, 4.6e-5), (0.7, 1e-3), (0.55, 1e-6), (0.3, 1e-8)])
def test_compressed_sensing(rate, noise):
    """At a rate of 0.55 there are three fixed points; from E = 0.1 it is the highest."""
    right = literature.compressed_sensing(rate, 0.4, noise)[-1]
    assert compressed_sensing().solve(alpha=rate, rho=0.4, Delta=noise)["E"] == pytest.approx(right, rel=SMALL, abs=0)


def test_compressed_sensing_has_three_fixed_points():
    found = compressed_sensing().solutions(alpha=0.55, rho=0.4, Delta=1e-6)
    right = literature.compressed_sensing(0.55, 0.4, 1e-6)
    assert sorted(s["E"] for s in found) == pytest.approx(right, rel=1e-9, abs=0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_compressed_sensing_over_the_noise(backend):
    """The line on which two coarse rules once agreed on wrong numbers."""
    noise = np.array([1e-5, 2.2e-5, 3e-5, 4e-5, 4.6e-5, 6e-5, 1e-4, 2e-4])
    swept = compressed_sensing().sweep(alpha=0.7, rho=0.4, Delta=noise, backend=backend)
    right = [literature.compressed_sensing(0.7, 0.4, v)[0] for v in noise]
    assert swept["E"] == pytest.approx(right, rel=1e-9, abs=0)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_compressed_sensing_across_its_transition(backend):
    """The error falls from 6e-2 to 3e-6 at a rate of 0.589."""
    with pytest.warns(ak.AssumptionWarning, match="between alpha = 0.58 and 0.6") as said:
        swept = compressed_sensing().sweep(alpha=np.linspace(0.5, 0.7, 11), rho=0.4, Delta=1e-6, backend=backend)
    assert len(said) == 1
    right = [literature.compressed_sensing(a, 0.4, 1e-6)[-1] for a in swept.axes["alpha"]]
    assert swept["E"] == pytest.approx(right, rel=1e-9, abs=0)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1e-4, 1e-6])
def test_compressed_sensing_through_its_folds(noise):
    """Three fixed points at one rate lie on one path, through two folds."""
    path = compressed_sensing().continuation(over="alpha", start=0.65, stop=0.4, rho=0.4, Delta=noise, step=0.02)
    assert len(path.folds) == 2
    for fold in path.folds:
        inside = [fold.parameter + s * 1e-4 for s in (-1, 1)]
        assert sorted(len(literature.compressed_sensing(a, 0.4, noise)) for a in inside) == [1, 3]


@pytest.mark.slow
def test_compressed_sensing_with_digits():
    found = compressed_sensing().precise(digits=12, alpha="0.7", rho="0.4", Delta="2.2e-5")
    assert float(found["E"]) == pytest.approx(3.56864538521939e-5, rel=1e-12, abs=0)


# -- 6. phase retrieval (Barbier, Krzakala, Macris, Miolane and Zdeborova 2019) --------------------------------


@functools.cache
def phase_retrieval():
    """Bayes-optimal estimates from y = |z|, whose sign has the mean tanh(field*y/V)."""
    field = sqrt(q) * x
    y = field + sqrt(1 - q) * z
    score = (y * tanh(field * y / (1 - q)) - field) / (1 - q)
    return ak.Theory(name="phase retrieval", parameters={alpha: ("samples over dimension", "positive")},
                     unknowns={q: (0, 1)}, equations=[q / (1 - q) - alpha * ak.E(score**2, (x, z))],
                     observables={"error": 1 - q})


@pytest.mark.parametrize("load", [0.51, 0.8, 1.0, 1.12])
def test_phase_retrieval(load):
    assert_agrees(phase_retrieval().solve(alpha=load), literature.phase_retrieval(load), 1e-10)


@pytest.mark.parametrize("overlap", [0.9, 0.99, 0.999])
def test_phase_retrieval_near_perfect_recovery(overlap):
    """The lower of two errors, from a start next to it, or a refusal: it was taken for the other one, q = 0.58."""
    load = literature.phase_retrieval_load(overlap)
    try:
        found = phase_retrieval().solve(alpha=load, start={"q": overlap})
    except ak.ConvergenceError as refused:      # no nodes are placed in two variables
        assert "averages did not reach the accuracy" in str(refused) and "precise()" in str(refused)
    else:
        assert found["q"] == pytest.approx(overlap, rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_phase_retrieval_from_weak_to_strong_recovery(backend):
    """Weak recovery begins at 1/2; from 1.128 on it is perfect, which is no root but an end of the domain."""
    loads = np.array([0.45, 0.55, 0.7, 0.9, 1.1, 1.15])
    swept = phase_retrieval().sweep(alpha=loads, backend=backend)
    assert list(swept.converged) == [False, True, True, True, True, False]
    right = [literature.phase_retrieval(a)["q"] for a in loads[1:5]]
    assert swept["q"][1:5] == pytest.approx(right, rel=1e-9)


@pytest.mark.slow
def test_phase_retrieval_through_its_fold():
    """Published: the algorithmic threshold 1.128."""
    path = phase_retrieval().continuation(over="alpha", start=0.8, stop=1.2, step=0.1)
    assert [fold.parameter for fold in path.folds] == pytest.approx([1.1284714], abs=1e-6)
    for branch in path.branches:
        for load, overlap in list(zip(branch.parameter, branch.unknowns["q"]))[1::3]:
            assert load == pytest.approx(literature.phase_retrieval_load(overlap), rel=1e-8)


@pytest.mark.slow
def test_phase_retrieval_with_digits():
    assert_agrees(phase_retrieval().precise(digits=10, alpha="0.8"), literature.phase_retrieval(0.8), 1e-10)


@pytest.mark.parametrize("load", slow_but([0.4, 1.2], 0))
def test_phase_retrieval_at_the_ends(load):
    with pytest.raises(ak.ConvergenceError) as refused:
        phase_retrieval().solve(alpha=load)
    assert_edge_is_named(refused, "q")


# -- 7. Bayes-optimal perceptron (Opper and Haussler 1991; binary weights: Gyoergyi 1990) ----------------------


@functools.cache
def bayes_perceptron(binary):
    field = sqrt(q / (1 - q)) * z
    gain = 2 * alpha / (1 - q) * ak.E(exp(ak.LogPhi(field)) * ak.Mills(field) ** 2, z)
    overlap = ak.E(tanh(hat + sqrt(hat) * z), z) if binary else hat / (1 + hat)
    return ak.Theory(name="Bayes-optimal perceptron", parameters={alpha: ("load", "positive")},
                     unknowns={q: (0, 1), hat: "positive"}, equations=[q - overlap, hat - gain],
                     observables={"gibbs": acos(q) / pi, "bayes": acos(sqrt(q)) / pi})


@pytest.mark.parametrize("load", [0.1, 2.0, 20.0])
def test_bayes_perceptron(load):
    found = bayes_perceptron(False).solve(alpha=load)
    right = literature.bayes_perceptron(load)["q"]
    assert found["q"] == pytest.approx(right, rel=1e-12)
    assert found["bayes"] == pytest.approx(np.arccos(np.sqrt(right)) / np.pi, rel=1e-11)


@pytest.mark.slow
def test_bayes_perceptron_with_many_samples():
    """Published: the errors go like 0.442/alpha (Bayes) and 0.625/alpha (Gibbs)."""
    found = bayes_perceptron(False).solve(alpha=1000)
    assert 1000 * found["bayes"] == pytest.approx(0.442, abs=1e-3)
    assert 1000 * found["gibbs"] == pytest.approx(0.625, abs=1e-3)
    assert found["q"] == pytest.approx(literature.bayes_perceptron(1000, bracket=(0.9, 1 - 1e-7))["q"], rel=1e-12)


@pytest.mark.parametrize("load", [0.5, 1.3, 1.49])
def test_bayes_perceptron_with_binary_weights(load):
    right = literature.bayes_perceptron(load, True, (1e-6, 0.9))
    assert_agrees(bayes_perceptron(True).solve(alpha=load), right, 1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_bayes_perceptron_along_the_load(backend):
    swept = bayes_perceptron(False).sweep(alpha=np.geomspace(0.1, 100, 16), backend=backend)
    assert_agrees_along(swept, "alpha", lambda a, _: literature.bayes_perceptron(a))


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_binary_teacher_across_its_transition(backend):
    """Beyond the spinodal 1.49 only perfect recovery is left."""
    loads = np.linspace(0.5, 1.6, 12)
    swept = bayes_perceptron(True).sweep(alpha=loads, backend=backend)
    assert list(swept.converged) == [a < 1.49 for a in loads]
    right = [literature.bayes_perceptron(a, True, (1e-6, 0.9))["q"] for a in loads[:10]]
    assert swept["q"][:10] == pytest.approx(right, rel=1e-10)


@pytest.mark.slow
def test_binary_teacher_through_its_spinodal():
    """Published: 1.49 (Sompolinsky, Tishby and Seung 1990)."""
    path = bayes_perceptron(True).continuation(over="alpha", start=0.5, stop=1.6, step=0.5)
    assert path.folds[0].parameter == pytest.approx(1.49, abs=5e-3)
    for branch in path.branches:
        for load, overlap in list(zip(branch.parameter, branch.unknowns["q"]))[1::3]:
            if overlap < 0.999:                                                  # 1 - q has fewer digits than q
                assert load == pytest.approx(literature.binary_teacher_load(overlap), rel=1e-8)
    assert path.end == "unknown q reaches 1, the edge of its domain, to rounding"


def test_bayes_perceptron_along_a_path():
    path = bayes_perceptron(False).continuation(over="alpha", start=0.5, stop=8, step=1)
    assert_agrees_on_path(path, lambda a, _: literature.bayes_perceptron(a), every=1)


@pytest.mark.slow
def test_bayes_perceptron_with_digits():
    assert_agrees(bayes_perceptron(False).precise(digits=20, alpha=2), literature.bayes_perceptron(2.0), 1e-14)


@pytest.mark.slow
def test_binary_teacher_beyond_its_spinodal():
    begin = time.process_time()
    with pytest.raises(ak.ConvergenceError) as refused:
        bayes_perceptron(True).solve(alpha=2.0)
    assert time.process_time() - begin < 20
    assert_edge_is_named(refused, "q")


# -- 8. Gaussian mixture, hinge loss, learned bias (Mignacco, Krzakala, Lu, Urbani and Zdeborova 2020) ---------


@functools.cache
def hinge_mixture():
    loss = (share * ak.E(ak.Moreau("hinge", 1, sqrt(q) * z + m + b, V), z)
            + (1 - share) * ak.E(ak.Moreau("hinge", 1, sqrt(q) * z + m - b, V), z))
    prior = sum(r * (d * qhat + mhat**2) / (lam + Vhat * d) for r, d in ((rho, d1), (1 - rho, d2)))
    return ak.Theory(
        name="hinge loss on a mixture", unknowns=[V, q, m, Vhat, qhat, mhat, b], start={V: 1, q: 0.5, m: 0.5},
        parameters={alpha: ("samples over dimension", "positive"), lam: ("penalty", "positive"),
                    share: ("of one class", (0, 1)), rho: ("of directions", (0, 1)),
                    d1: ("variance", "positive"), d2: ("variance", "positive")},
        free_energy=alpha * loss - (Vhat * q - qhat * V) / 2 + m * mhat - prior / 2,
        observables={"test_error": (share * erfc((m + b) / sqrt(2 * q))
                                    + (1 - share) * erfc((m - b) / sqrt(2 * q))) / 2})


CLOUDS = {"rho": 0.8, "d1": 0.5, "d2": 0.1, "lam": 0.1}


@pytest.mark.parametrize("load", [0.3, 1.0, 1.4, 2.0, 10.0])
def test_hinge_mixture(load):
    assert_agrees(hinge_mixture().solve(alpha=load, share=0.3, **CLOUDS), literature.hinge_mixture(load))


@pytest.mark.parametrize("backend", BACKENDS)
def test_hinge_mixture_over_samples_and_shares(backend):
    loads, shares = np.linspace(0.3, 3, 10), np.array([0.1, 0.3, 0.5])
    swept = hinge_mixture().sweep(alpha=loads, share=shares, backend=backend, **CLOUDS)
    assert swept.converged.all(), swept.status
    right = [[literature.hinge_mixture(a, share=p)["test_error"] for p in shares] for a in loads]
    assert swept["test_error"] == pytest.approx(np.array(right), rel=1e-10)


def test_hinge_mixture_along_the_share():
    """Equal shares need no bias; the path passes them."""
    path = hinge_mixture().continuation(over="share", start=0.2, stop=0.8, alpha=1.0, step=0.2, **CLOUDS)
    assert_agrees_on_path(path, lambda p, point: literature.hinge_mixture(1.0, share=p, start=(
        np.log(point["V"]), np.log(point["q"]), point["m"], point["b"])), every=2)
    assert np.concatenate([branch.unknowns["b"] for branch in path.branches])[[0, -1]].prod() < 0


def test_hinge_mixture_with_digits():
    found = hinge_mixture().precise(digits=17, alpha=2, share="0.3", rho="0.8", d1="0.5", d2="0.1", lam="0.1")
    assert_agrees(found, literature.hinge_mixture(2.0), 1e-13)
