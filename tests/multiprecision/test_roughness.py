"""Digits of averages whose corners no rule meets: refused, never given as if they had converged."""

import mpmath
import pytest
from sympy import Abs, Max, Min, Rational, exp, symbols, tanh

import asympkit as ak

V, J = symbols("V J", positive=True)
z = symbols("z", real=True)


def theory(integrand):
    return ak.Theory(name="corner", parameters={J: ("coupling", "positive")}, unknowns=[V],
                     equations=[V - 1 - J * ak.E(integrand, z) / 5])


@pytest.mark.parametrize("integrand, text", [
    (Min(exp(z), V) * tanh(z + 1), r"a kink or a jump at .* = 0, which moves, .* certify\(\) encloses it"),
    pytest.param(Abs(z) ** Rational(3, 2) * tanh(z + V), "the averages changed by .* at the finest rule",
                 marks=pytest.mark.slow)])
def test_corners_that_no_rule_meets_are_refused(integrand, text):
    # the finest rules were one and the same, and agreed with themselves
    with pytest.raises(ak.ConvergenceError, match=f"precise: .*{text}"):
        theory(integrand).precise(digits=15, J="0.7")


def test_corners_that_the_rule_meets_have_their_digits():
    t = theory(Max(z - V, 0) * tanh(z + 1) ** 2)
    low, high = (t.precise(digits=d, J="0.7")["V"] for d in (15, 30))
    assert abs(low - high) < mpmath.mpf(10) ** -15
    assert abs(float(high) - t.solve(J=0.7)["V"]) < 1e-12


@pytest.mark.slow
def test_every_rule_is_finer_than_the_one_before():
    from asympkit.multiprecision.digits_tables import DigitsTables
    from asympkit.multiprecision.number_systems import MultiprecisionNumbers
    from asympkit.program.symmetry import symmetries

    program, _ = theory(Max(z - V, 0) * tanh(z + 1) ** 2).program
    (grid,) = program.grids
    tables = DigitsTables(grid, {}, {}, MultiprecisionNumbers(20), symmetries(program, grid))
    nodes = [len(tables.level(level)[1]) for level in range(7)]
    assert nodes == sorted(set(nodes))
