"""Functions of the list at complex numbers: their imaginary parts are derivatives, by mpmath from other digits."""


import mpmath
import numpy as np
import pytest
from sympy import Max, Rational, symbols

import asympkit as ak
from asympkit.numbers.functions import entry
from asympkit.sensitivity.complex_step import _listed

#: sympy classes, orders, and arguments at which they are smooth
AT = [("erf", (), (0.7,)), ("erfc", (), (-1.3,)), ("LogErfc", (), (2.0,)), ("LogPhi", (), (-3.0,)),
      ("Mills", (), (1.5,)), ("LogCosh", (), (0.4,)), ("SoftPlus", (), (-0.6,)), ("OwenT", (), (0.5, 0.8)),
      ("BivariateNormalCDF", (), (0.3, -0.4, 0.6)), ("MPResolvent", (), (0.7, 0.2, 1.3, 0.6)),
      ("LogisticSlope", (), (0.9, -0.4)), ("LogisticEnvelope", (), (0.9, -0.4)), ("Saturated", (), (0.8, 1.7)),
      ("NormalBlur", (1, -1), (0.3, 0.7, -1.0, 1.0)), ("besselj", (2,), (1.4,)), ("gamma", (), (2.3,))]


@pytest.mark.parametrize(("name", "orders", "at"), AT, ids=[row[0] for row in AT])
def test_derivatives(name, orders, at):
    listed, mp = entry(name), mpmath.MPContext()
    mp.dps = 30
    function = _listed({listed.arrays: listed.array_function})[listed.arrays]
    constant = 2 if name == "NormalBlur" else 0                        # its sides are no variables
    for k in range(len(at) - constant):
        point = [np.array([x + (1e-100j if i == k else 0.0)]) for i, x in enumerate(at)]
        found = function(*orders, *point)[0]
        held = [mp.mpf(x) for x in at]
        expected = mp.diff(lambda x, k=k, held=held: listed.at_digits(mp, *orders, *held[:k], x, *held[k + 1:]),
                           held[k])
        assert found.real == pytest.approx(float(listed.at_digits(mp, *orders, *held)), rel=1e-13)
        assert found.imag * 1e100 == pytest.approx(float(expected), rel=1e-12)


y, p = symbols("y p", real=True)
KINKED = {"hinge": ("z", {"loss": "hinge", "labels": "sign"}), "absolute": ("z", {"loss": "absolute"}),
          "huber": ("z", {"loss": ak.Huber(0.5)}),
          "quantile": ("sin", {"loss": ak.Loss(Max(3 * (y - p) / 10, -7 * (y - p) / 10), y, p)}),
          "insensitive": ("sin", {"loss": ak.Loss(Max(abs(y - p) - Rational(1, 10), 0), y, p)})}


@pytest.mark.parametrize("name", ["absolute", *(pytest.param(n, marks=pytest.mark.slow) for n in KINKED
                                                if n != "absolute")])
def test_derivatives_of_kinked_losses_are_those_of_differences(name):
    target, how = KINKED[name]
    theory = ak.SpikedFeatures("tanh", target, **how)
    at = {"r": 1.5, "c": 1.1, "gamma": 0.8, "alpha": 1.5, "lam": 0.1, "noise_variance": 0.1}
    theory.solve(**at)
    for parameter in ("lam", "gamma"):
        found = theory.sensitivity("test_error", parameter, **at)
        values = [theory.solve(**{**at, parameter: at[parameter] * (1 + 1e-4 * k)}).test_error for k in (-2, -1, 1, 2)]
        slope = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12e-4 * at[parameter])
        assert found == pytest.approx(slope, rel=2e-9)
