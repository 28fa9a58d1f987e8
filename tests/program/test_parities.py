"""Parities by linear equations give what trying all signs gives, for every grid with few columns."""

from unittest import mock

import pytest
from sympy import Abs, Symbol, symbols

from asympkit.program import symmetry
from asympkit.program.parities import parity_solutions
from asympkit.theories.spiked_equations import spiked_program

x, a, b = symbols("x a b", real=True)
t = Symbol("t", real=True)


def test_spiked_features():
    program, _ = spiked_program()
    (grid,) = program.grids
    tried = symmetry.symmetries(program, grid)
    with mock.patch.object(symmetry, "_TRIED", 1):
        assert symmetry.symmetries(program, grid) == tried
    assert len(tried) == 2


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


def test_definitions_are_followed():
    v, w = symbols("v w", real=True)
    assert parity_solutions([x, a, b], {v: x * a + t * b, w: v * b}, [w]) == ((-1, 1, -1), (-1, -1, 1))
