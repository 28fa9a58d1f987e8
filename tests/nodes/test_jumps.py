"""Jumps whose place depends on what is differentiated by."""

import pytest
from mpmath import npdf
from mpmath import quad as mp_quad
from mpmath import tanh as mp_tanh
from sympy import Integer, Piecewise, Symbol, erfc, sign, sqrt, symbols, tanh

import asympkit as ak

Z, M = symbols("z m", real=True)


def test_moving_jumps():
    step = ak.E(Piecewise((1, Z + M > 0), (0, True)), Z)
    with pytest.raises(ak.StructureError, match="jumps at a place that depends on m"):
        step.diff(M)
    with pytest.raises(ak.StructureError, match="jumps at a place that depends on m"):
        ak.Theory(name="step", parameters={}, unknowns=[M],
                  equations=[M - ak.E(Piecewise((tanh(Z), Z**3 + M > 0), (0, True)), Z)])
    # in a theory an average that has a closed form is closed first: no jump is left, and others stand still
    theory = ak.Theory(name="step", parameters={}, unknowns=[M], equations=[M - step])
    m = theory.solve()["m"]
    assert abs(m - erfc(-m / sqrt(2)) / 2) < 1e-13
    theory = ak.Theory(name="step", parameters={}, unknowns=[M],
                       equations=[M - ak.E(Piecewise((tanh(Z), Z + M > 0), (0, True)), Z)])
    m = theory.solve()["m"]
    assert abs(m - mp_quad(lambda v: mp_tanh(v) * npdf(v), [-m, 2, 6, 14])) < 1e-13


def test_branches_that_meet_and_jumps_that_stay_are_differentiated():
    relu = ak.E(Piecewise((Z + M, Z + M > 0), (0, True)), Z)
    exact = ak.E((1 + sign(Z + M)) / 2, Z)
    assert abs((relu.diff(M) - exact).subs(M, Integer(1) / 3).evalf(15)) < 1e-13
    fixed = ak.E(Piecewise((M**2, Z > 0), (M, True)), Z)
    assert abs(fixed.diff(M).subs(M, Integer(2)).evalf(15) - 2.5) < 1e-13
    other = Symbol("other", real=True)
    assert ak.E(Piecewise((1, Z + other > 0), (0, True)) * M, Z).diff(M) == ak.E(
        Piecewise((1, Z + other > 0), (0, True)), Z)
