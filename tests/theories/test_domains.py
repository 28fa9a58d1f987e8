"""Domains of parameters: their ends as floats, and the quick way for floats beside the careful one."""

import math

import numpy as np
import pytest

import asympkit as ak
from asympkit.arguments.domains import check_value
from asympkit.theories.declaration import Parameter, read_values

LARGEST, LEAST = math.nextafter(math.inf, 0.0), math.nextafter(0.0, 1.0)
INSIDE = {"positive": (LEAST, LARGEST), "nonnegative": (0.0, LARGEST), "nonnegative or inf": (0.0, math.inf),
          "real": (-LARGEST, LARGEST), "[-1, 1]": (-1.0, 1.0), "[0, 1]": (0.0, 1.0), (2, 3): (2.0, 3.0)}


@pytest.mark.parametrize("domain", INSIDE)
def test_both_ends_belong_to_a_domain_and_nothing_beyond(domain):
    low, high = INSIDE[domain]
    parameter = Parameter("x", "", domain)
    for value in (low, high):
        assert read_values((parameter,), {"x": value}, "test") == {"x": value} == {"x": check_value("x", value, domain)}
    beyond = {math.nextafter(low, -math.inf), math.nextafter(high, math.inf), math.nan} - {low, high}
    for value in beyond:
        with pytest.raises(ak.DomainError, match="x: got .*; expected "):
            read_values((parameter,), {"x": value}, "test")


@pytest.mark.parametrize("value", [1, "3/2", np.float64(0.5), np.int64(2)])
def test_other_numbers_are_read_as_floats(value):
    declared = Parameter("x", "", "positive"), Parameter("y", "", "real", 0.25)
    values = read_values(declared, {"x": value}, "test")
    assert values == {"x": check_value("x", value, "positive"), "y": 0.25}
    assert all(type(v) is float for v in values.values())


def test_names_are_told_before_values():
    declared = Parameter("x", "", "positive"), Parameter("y", "", "real", 0.25)
    with pytest.raises(ak.UnknownNameError, match="test: unknown parameter 'z'"):
        read_values(declared, {"x": -1.0, "z": 1.0}, "test")
    with pytest.raises(ak.DomainError, match="test: missing parameter x"):
        read_values(declared, {"y": 1.0}, "test")
    with pytest.raises(ak.DomainError, match="test: missing parameter spectrum"):
        read_values(declared, {"x": 1.0}, "test", ("spectrum",))
