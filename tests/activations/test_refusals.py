"""What cannot be averaged is refused with one sentence, the same through every door."""

import warnings

import pytest

import asympkit as ak

PARAMETERS = {"eta": 1.0, "alpha0": 2.0, "alpha": 1.5, "lam": 0.01}


def doors(text):
    """Everything a person may do with the text, each as a function without arguments."""
    return {
        "Activation": lambda: ak.Activation(text),
        "coefficients": lambda: ak.Activation(text).hermite_coefficients(2),
        "coefficients in digits": lambda: ak.Activation(text).hermite_coefficients(2, digits=20),
        "second moment": lambda: ak.Activation(text).second_moment(),
        "student": lambda: ak.OneStep(text, "tanh").solve(**PARAMETERS),
        "target": lambda: ak.OneStep("tanh", text).solve(**PARAMETERS),
    }


DOORS = tuple(doors("z"))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("text", "sentence"), [
    ("log(z)", r"the activation 'log\(z\)' has no finite real value at z = -8; an activation must be real and finite "
               "on the whole line"),
    ("sqrt(z)", "has no finite real value at z = -8"),
    ("1/z", "the activation '1/z' has no finite real value at z = 0; an activation must be real and finite"),
    ("1/(z - 0.3)", r"is not defined at z = 0.3; .* for example where\(z == 0.3, limit, ...\)"),
    ("where(z > 0, log(z), 0)", "is unbounded near z = 0; an activation must be bounded on bounded intervals"),
])
def test_undefined_values(text, sentence, door):
    with pytest.raises(ak.DomainError, match=sentence):
        doors(text)[door]()


@pytest.mark.parametrize("door", DOORS[1:])
@pytest.mark.parametrize("text", ["exp(z**2/3)", "exp(z**2/4)", "where(z > 0, exp(z**2/3), 0)"])
def test_infinite_second_moment_at_variance_one(text, door):
    assert ak.Activation(text)(0.5) > 1.0          # the function itself is fine
    with pytest.raises(ak.DomainError, match=r"its second moment under a Gaussian of variance 1 is infinite; the "
                                             r"coefficient of z\*\*2 must be below 0.25"):
        doors(text)[door]()


def test_infinite_second_moment_at_the_variance_of_the_weights():
    text = "exp(z**2/8)"
    assert ak.Activation(text).second_moment() == pytest.approx(2**0.5, rel=1e-14)
    rest = {"gamma": 0.5, "alpha": 1.0, "lam": 0.1}
    with pytest.raises(ak.DomainError, match="'exp.*' grows like exp.*second moment under a Gaussian of variance 2.1 "
                                             "is infinite; .* must be below 0.119048"):
        ak.SpikedFeatures(text, "tanh").solve(r=1.0, c=1.1, **rest)
    # as a target it meets variance one whatever the weights are
    assert ak.SpikedFeatures("tanh", text).solve(r=1.0, c=1.1, **rest).converged
    # finite, but so close to divergence that double precision does not reach it
    with pytest.raises(ak.ConvergenceError, match="the averages did not reach the accuracy asked for"):
        ak.SpikedFeatures(text, "tanh").solve(r=0.9, c=1.0, **rest)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        with pytest.raises(ak.DomainError, match="variance .* is infinite"):
            ak.OneStep(text, "3*z").solve(**{**PARAMETERS, "eta": 5.0})


def test_zero_is_an_activation():
    act = ak.Activation("0*z")
    assert act.second_moment() == 0.0
    assert list(act.hermite_coefficients(2)) == [0.0, 0.0, 0.0]
