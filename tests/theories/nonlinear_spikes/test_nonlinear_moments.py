"""Hermite coefficients that vanish, that are tiny, and of functions of any size."""

import pytest
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.parsing.catalogue import CATALOGUE
from asympkit.theories.zeros import vanishes, vanishes_at_sight

QUADRATIC, TANH = "z+(z**2-1)/sqrt(2)", "tanh(z)+0.3*(z**2-1)"
AT = {"phi": 0.5, "psi": 0.7, "lam": 0.01, "noise_variance": 0.1}
FUNCTIONS = [*CATALOGUE, QUADRATIC, TANH, "2*relu(z)-1/sqrt(2*pi)", "z*exp(-z**2/4)+0.2*z**2", "-gelu(3*z)",
             "min(tanh(z), z/2)", "(z+1)*(cos(z)+z**2)", "(1+z)*(z-1)*erf(z)", "where(z**3<0, z**2, -z**2)", "0",
             "where(z>1, z, 0)", "tanh(z)/(1+z**2)", "(z**2-1)/10**20+z", "abs(z-1)-abs(z+1)", "z/(2+tanh(z))"]


@pytest.mark.parametrize("text", slow_but(FUNCTIONS, 0, 2, 6, 9, 12, 14, 18, 21, 22, 25, 30, 31, 35))
def test_what_vanishes_at_sight_vanishes(text):
    f = ak.Activation(text)
    values = f.hermite_coefficients(8, digits=25)
    for k in range(1, 9):
        small = abs(values[k]) < 1e-24
        if vanishes_at_sight(f, k):
            assert small
        assert vanishes(f, k) == small


@pytest.mark.parametrize("size", ["1e30", "1e-30", "1e60", "1e-60", "1e-5"])
@pytest.mark.parametrize("text", ["z", "z**2-1", "tanh(z)", "relu(z)", QUADRATIC])
def test_moments_scale_with_the_function(text, size):
    unit = float(size)
    plain = ak.NonlinearSpikes(text, "z").moments["student"]
    scaled = ak.NonlinearSpikes(f"{size}*({text})", "z").moments["student"]
    assert scaled.rest == pytest.approx(unit**2 * plain.rest, rel=1e-13, abs=0)
    expected, (constant, *others) = [unit * c for c in plain.coefficients], scaled.coefficients
    assert others == pytest.approx(expected[1:], rel=1e-13, abs=0)
    # the constant decides nothing: its rounding is not taken for zero
    assert constant == pytest.approx(expected[0], rel=1e-13, abs=1e-15 * unit * plain.rest**0.5)


def test_a_scale_of_the_student_is_a_scale_of_the_penalty():
    for text in (QUADRATIC, TANH):
        big = ak.NonlinearSpikes(f"10**20*({text})", QUADRATIC).solve(**{**AT, "lam": 1e38})
        plain = ak.NonlinearSpikes(text, QUADRATIC).solve(**AT)
        assert big.test_gap == pytest.approx(plain.test_gap, rel=1e-11)
        assert big.train_error == pytest.approx(plain.train_error, rel=1e-11)
    with pytest.raises(ak.DomainError, match="its second moment is beyond double precision; scale the function down"):
        ak.NonlinearSpikes("1e200*z", "z").solve(**AT)


def test_a_nearly_linear_function_keeps_what_is_left():
    rest = ak.NonlinearSpikes("1e9*sin(z/10**9)", "z").moments["student"].rest
    assert rest == pytest.approx(6 / 36 * 1e-36, rel=1e-9)
