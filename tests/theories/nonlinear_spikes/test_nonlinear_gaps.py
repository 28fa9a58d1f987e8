"""What diverging spikes take off: the matrix form and the closed form, for all sets of degrees."""

from fractions import Fraction

import mpmath
import pytest
from sympy import cancel, symbols

from asympkit.theories.nonlinear_spikes.equations import closed_form, matrix_form

rho, tau, mu, mu0 = symbols("rho tau mu mu0", positive=True)
C = dict(enumerate(symbols("c0:9", real=True)))
SETS = [(1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 4), (1, 3, 4), (1, 2, 5), (1, 6), (0, 1, 2), (0, 1, 2, 4)]


@pytest.mark.parametrize("degrees", SETS)
def test_forms_are_equal_symbolically(degrees):
    difference = matrix_form(degrees, C, rho, tau, mu, mu0) - closed_form(degrees, C, rho, tau, mu, mu0)
    assert cancel(difference) == 0


@pytest.mark.parametrize("degrees", [(1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6, 7, 8), (1, 2, 4, 7), (0, 1, 3, 6)])
def test_forms_are_equal_at_many_digits(degrees):
    with mpmath.workdps(50):
        values = iter(mpmath.mpf(k % 17 + 1) / (k % 7 + 2) for k in range(1000))
        for _ in range(6):
            c = {p: next(values) * (-1) ** p for p in range(1, 9)}
            at = {"rho": next(values) / 10, "tau": next(values), "mu": next(values), "mu0": next(values)}
            matrix = matrix_form(degrees, c, **at)
            closed = closed_form(degrees, c, **at, number=lambda f: mpmath.mpf(f.numerator) / f.denominator)
            assert abs(matrix / closed - 1) < 1e-30


def test_a_step_of_even_degree_frees_part_of_the_constant():
    """The spike of degree 4 lowers the error although the target has no fourth coefficient."""
    c = {1: Fraction(1), 2: Fraction(1)}
    at = [Fraction(1, 2), Fraction(2), Fraction(1), Fraction(2)]
    two, three, four, all_free = (closed_form(d, c, *at) for d in ((1, 2), (1, 2, 3), (1, 2, 3, 4), (0, 1, 2)))
    assert two == three < four < all_free
