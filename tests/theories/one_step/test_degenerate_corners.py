"""Where something vanishes, in both bulks, in the limit and at a width: double precision beside forty digits."""

import math

import pytest
from helpers.tiers import slow_but

import asympkit as ak

AT = {"eta": 1.0, "alpha0": 2.0, "alpha": 1.5, "beta": 1.0, "lam": 0.1, "noise_variance": 0.0}
#: student, target, what is another than in AT
CORNERS = [
    ("tanh", "sin", {"eta": 0.0}),
    ("tanh", "sin", {"alpha0": 0.0}),
    ("tanh", "sin", {"alpha0": math.inf}),
    ("tanh", "z", {"alpha0": math.inf}),                  # the spike is the target: gamma = 1, rho = 0
    ("tanh", "z", {}),
    ("z", "sin", {}),
    ("z", "z", {}),
    ("z/2+1", "sin", {}),
    ("z", "sin", {"eta": 0.0}),
    ("tanh", "sin", {"beta": 0.1}),
    ("tanh", "sin", {"beta": 10.0}),
    ("z", "sin", {"beta": 0.1}),
    ("z", "sin", {"beta": 10.0}),
    ("z/2+1", "sin", {"eta": 0.0, "beta": 10.0}),
    ("tanh", "sin", {"eta": 1e-9}),
    ("relu", "sin", {"eta": 0.0}),
    ("relu", "sin", {"alpha0": math.inf}),
    ("relu", "z", {"alpha0": math.inf, "beta": 10.0}),
    ("relu", "sin", {"beta": 0.1}),
]
#: the same with noise in the labels: two variables in the averages of the exact bulk, and fewer digits in the time
NOISY = [("tanh", "sin", {"noise_variance": 0.3}), ("z", "z", {"noise_variance": 0.3}),
         ("tanh", "z", {"noise_variance": 0.3, "alpha0": math.inf}), ("z", "sin", {"noise_variance": 0.3, "eta": 0.0}),
         ("tanh", "sin", {"noise_variance": 0.3, "beta": 10.0})]
pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


def differing(student, target, changes, bulk, width, digits):
    """Names of the observables in which doubles and many digits differ."""
    theory, at = ak.OneStep(student, target, bulk=bulk), {**AT, **changes}
    at |= {"width": width} if width else {}
    precise = theory.precise(digits=digits, **{n: v if v == math.inf else str(v) for n, v in at.items()})
    compiled = theory.solve(**at)
    return [name for name in compiled.observables
            if compiled[name] != pytest.approx(float(precise[name]), rel=max(1e-12, 10.0**-digits))]


@pytest.mark.parametrize("width", [None, pytest.param(400.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("bulk", ["isotropic", pytest.param("exact", marks=pytest.mark.slow)])
@pytest.mark.parametrize("corner", slow_but(CORNERS, 6, single=True))
def test_forty_digits(corner, bulk, width):
    assert differing(*corner, bulk, width, 40) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [None, 400.0])
@pytest.mark.parametrize("bulk", ["isotropic", "exact"])
@pytest.mark.parametrize("corner", NOISY)
def test_with_noise(corner, bulk, width):
    assert differing(*corner, bulk, width, 40 if bulk == "isotropic" else 8) == []


@pytest.mark.parametrize("width", [None, 400.0])
@pytest.mark.parametrize("student", ["z", "z/2+1"])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_the_bulk_of_a_linear_student_is_isotropic(student, noise, width):
    """Its rows all make the same step: there is nothing that one bulk has and the other has not."""
    at = {**AT, "noise_variance": noise, "width": width}
    a, b = (ak.OneStep(student, "sin", bulk=bulk).solve(**at) for bulk in ("isotropic", "exact"))
    for name in a.observables:
        assert a[name] == pytest.approx(b[name], rel=1e-12)
