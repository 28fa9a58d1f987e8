"""Parities by linear equations give what trying all signs gives, for every grid with few columns."""

from unittest import mock

import pytest
from sympy import Abs, Integer, Piecewise, Symbol, cos, exp, symbols

from asympkit.program import symmetry
from asympkit.program.symmetry import parity_solutions
from asympkit.sensitivity.tangent import tangent_program
from asympkit.theories.spiked_features.equations import spiked_parameters, spiked_program, spiked_system
from asympkit.theories.spiked_features.equations import symbols as symbols_of_theory

x, a, b = symbols("x a b", real=True)
t = Symbol("t", real=True)


def test_spiked_features():
    program, _ = spiked_program()
    (grid,) = program.grids
    tried = symmetry.symmetries(program, grid)
    with mock.patch.object(symmetry, "_TRIED", 1):
        assert symmetry.symmetries(program, grid) == tried
    assert len(tried) == 2


@pytest.mark.slow
def test_derivatives_keep_the_symmetries():
    """Half of a rule is enough for them too: products of sums that change their signs together stay the same."""
    direction = {symbols_of_theory().lam: Integer(1)}
    program, _ = tangent_program(spiked_system(), spiked_parameters(), direction)
    (grid,) = program.grids
    plain, _ = spiked_program()
    assert symmetry.symmetries(program, grid) == symmetry.symmetries(plain, plain.grids[0])


@pytest.mark.parametrize("integrand, sign", [
    (x * (a - b), 1), ((x - a) * (a - b), 1), (x * (a - t), 0), (abs(x) * (a - b), -1), ((x + a) ** 3, -1),
    ((x * t - a) ** -2, 1), (Abs(x * (a - b) * a), 1), (cos(a * t), 1), (exp(a), 0),
    (Piecewise((x, a > 0), (b, True)), 0), (x + t, 0),
])
def test_signs_are_proved_by_form(integrand, sign):
    flipped = {s: -s for s in (x, a, b)}
    assert symmetry._sign(integrand, flipped) == sign


@pytest.mark.parametrize("integrands, expected", [
    ([x * a], ((-1, -1, 1), (-1, -1, -1))),
    ([x * a, a * b], ((-1, -1, -1),)),
    ([(a + t * b) ** 2], ((-1, 1, 1), (-1, -1, -1))),
    ([Abs(x * a) * b], ((-1, 1, 1), (-1, -1, 1))),
    ([1 + x], ()),
    ([a / (1 + b**2) + b * x], ((-1, 1, -1),)),
])
def test_small_systems(integrands, expected):
    assert parity_solutions([x, a, b], {}, integrands) == expected


def test_averages_inside_averages():
    """With projection and prediction both labels change places, and nothing else.

    The point at which signs are tried lies outside of the domain of some integrands: that says nothing of them.
    """
    from asympkit import SpikedFeatures

    program, _ = SpikedFeatures("tanh", "z", loss="logistic", labels="sign").program
    outer, inner = program.grids
    assert [s.name for s in symmetry.base_columns(outer)] == ["z", "a", "a_clean", "mu0", "mu1", "mu2sq"]
    assert symmetry.symmetries(program, outer) == ((-1, -1, -1, -1, 1, 1),)
    assert symmetry.symmetries(program, inner) == ()
