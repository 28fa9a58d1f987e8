"""The simulations against the theory: the limit of diverging spikes, and networks with a finite step.

The limit is approached like 1/n in the model where the limit of the step size has been taken exactly; the network is
compared with the equations at its own step size, never with the limit, which it meets at n = 10**8 and beyond.
"""

import math

import pytest

import asympkit as ak
from asympkit.simulate import simulate_nonlinear

QUADRATIC, MIXED = "z+(z**2-1)/sqrt(2)", "tanh(z)+3/10*(z**2-1)"
RELU = "relu(z)-1/sqrt(2*pi)"
pytestmark = pytest.mark.filterwarnings("ignore:.*has no spike of degree:asympkit.AssumptionWarning")

NAMES = ("train_error", "test_error", "baseline_train", "baseline_test", "train_gap", "test_gap")

# (student, target, law of the model, point): every parameter is moved
LIMITS = {
    "quadratic": (QUADRATIC, QUADRATIC, {}, {"phi": 0.5, "psi": 1.0, "lam": 0.01, "noise_variance": 0.1}),
    "mixed": (MIXED, "z+(z**2-1)/2+(z**3-3*z)/6", {},
              {"phi": 0.5, "psi": 0.25, "lam": 0.01, "noise_variance": 0.1}),
    "gaussian rows": (QUADRATIC, QUADRATIC, {"rows": "gaussian"},
                      {"phi": 0.4, "psi": 0.8, "lam": 0.02, "noise_variance": 0.2}),
    "kept": (MIXED, QUADRATIC, {"initial_output": "kept"},
             {"phi": 0.4, "psi": 0.6, "lam": 0.05, "noise_variance": 0.2}),
    "finite step": (MIXED, QUADRATIC, {}, {"phi": 0.5, "psi": 0.5, "lam": 0.1, "noise_variance": 0.1}),
    "constant": (RELU, RELU, {"free_constant": True}, {"phi": 0.5, "psi": 0.5, "lam": 0.01, "noise_variance": 0.05}),
}


def simulated(student, target, law, point, **settings):
    return simulate_nonlinear(ak.Activation(student), ak.Activation(target), **law, **point, **settings)


@pytest.mark.parametrize("name", LIMITS)
def test_limit_at_small_size(name):
    """Shifts are of order 1/n: some per cent at n = 200."""
    student, target, law, point = LIMITS[name]
    theory = ak.NonlinearSpikes(student, target, **law).solve(degree=2, **point)
    measured = simulated(student, target, law, point, n=200, model="limit", repeats=10, test_size=2000)
    for key in NAMES:
        estimate = measured[key]
        assert abs(estimate.mean - theory[key]) < 3 * estimate.stderr + 20 / 200 * theory[key]


@pytest.mark.slow
@pytest.mark.parametrize("name, degree", [*(("quadratic", k) for k in (1, 2, 3)), *(("mixed", k) for k in (1, 2, 3)),
                                          *((name, 2) for name in ("gaussian rows", "kept", "constant"))])
def test_limit_is_approached_like_one_over_n(name, degree):
    """(3 x_1200 - x_400) / 2 has no 1/n any more."""
    student, target, law, point = LIMITS[name]
    theory = ak.NonlinearSpikes(student, target, **law).solve(degree=degree, **point)
    small, large = (simulated(student, target, law, point, n=n, model="limit", degree=degree, repeats=repeats, seed=n)
                    for n, repeats in ((400, 100), (1200, 50)))
    for key in NAMES:
        shifts = [abs(s[key].mean - theory[key]) for s in (small, large)]
        error = math.hypot(3 * large[key].stderr, small[key].stderr) / 2
        assert abs((3 * large[key].mean - small[key].mean) / 2 - theory[key]) < 3 * error
        assert shifts[1] < shifts[0] / 3 + 3 * large[key].stderr


def test_step_of_order_one_at_small_size():
    """Features with spikes follow the equations; the network is within 2 % in the errors, far from the limit."""
    student, target, law, point = LIMITS["finite step"]
    model = ak.NonlinearSpikes(student, target, **law)
    theory, limit = model.solve(eta=1.5, n=400, **point), model.solve(degree=3, **point)
    at = {"n": 400, "eta": 1.5, "repeats": 10, "degree": 6, "test_size": 2000}
    spikes = simulated(student, target, law, point, model="truncated", **at)
    for key in NAMES:
        assert abs(spikes[key].mean - theory[key]) < 3 * spikes[key].stderr + 20 / 400 * theory[key]
    network = simulated(student, target, law, point, model="network", **at)
    for key in ("train_error", "test_error"):
        assert abs(network[key].mean - theory[key]) < 3 * network[key].stderr + 0.02 * theory[key]
    for key in ("train_gap", "test_gap"):
        assert network[key].mean < (theory[key] + limit[key]) / 2


@pytest.mark.slow
@pytest.mark.parametrize("initial_output", ["removed", "kept"])
@pytest.mark.parametrize("eta", [1.0, 2.8])
def test_network_follows_the_equations_at_its_step_size(initial_output, eta):
    """What the spikes leave out adds a share of order 1/n to the gaps: 20 % at n = 500, see the paired differences."""
    student, target, _, point = LIMITS["finite step"]
    law = {"initial_output": initial_output}
    theory = ak.NonlinearSpikes(student, target, **law).solve(eta=eta, n=2000, **point)
    network = simulated(student, target, law, point, n=2000, eta=eta, model="network", repeats=12)
    for key in NAMES:
        assert abs(network[key].mean - theory[key]) < 3 * network[key].stderr + 0.1 * theory[key]


@pytest.mark.slow
def test_what_the_network_adds_to_the_spikes_is_of_order_one_over_n():
    """Paired differences, network minus features with spikes, on the same draws."""
    student, target, law, point = LIMITS["finite step"]
    excess, errors = [], []
    for n, repeats in ((300, 80), (1200, 40)):
        at = {"n": n, "eta": 2.0, "repeats": repeats, "degree": 6, "teachers": 1}
        network, spikes = (simulated(student, target, law, point, model=model, **at)["train_gap"].values
                           for model in ("network", "truncated"))
        excess.append((network - spikes).mean() / spikes.mean())
        errors.append((network - spikes).std(ddof=1) / math.sqrt(repeats) / spikes.mean())
    assert excess[0] > 5 * errors[0]
    assert abs(excess[1] - excess[0] / 4) < 3 * math.hypot(errors[1], errors[0] / 4)
