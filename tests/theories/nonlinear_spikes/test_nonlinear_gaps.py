"""What diverging spikes take off: the matrix form and the closed form, for all sets of degrees."""

from fractions import Fraction
from math import factorial

import mpmath
import pytest
from sympy import Rational, cancel, hermite_prob, symbols

from asympkit.theories.nonlinear_spikes.equations import (
    closed_form,
    hermite_of_power,
    matrix_form,
    power_moment,
    projection,
    span,
)

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


def test_closed_form_of_all_degrees():
    """S_2 = 4/3 rho^4 c_2^2, S_3 = S_2 + 6 rho^6 c_3^2 with sphere rows; 2 rho^4 c_2^2 with a free constant."""
    linear = rho**2 * C[1] ** 2 * mu
    second = Rational(4, 3) * rho**4 * C[2] ** 2
    assert cancel(closed_form((1,), C, rho, tau, mu, tau) - linear) == 0
    assert cancel(closed_form((1, 2), C, rho, tau, mu, tau) - linear - second * tau) == 0
    assert cancel(closed_form((1, 2, 3), C, rho, tau, mu, tau) - linear
                  - (second + 6 * rho**6 * C[3] ** 2) * tau) == 0
    assert cancel(closed_form((0, 1, 2), C, rho, tau, mu, tau) - linear - 2 * rho**4 * C[2] ** 2 * tau) == 0


def test_span_of_all_degrees_is_hermite():
    found = span(range(1, 9))
    values = {p: Fraction(int(hermite_prob(p, 0))) for p in range(2, 9, 2)}
    assert found.energy == {(p, p): factorial(p) for p in range(2, 9)}
    assert found.leak == {p: -v for p, v in values.items()}
    assert found.constant == 1 + sum(v**2 / factorial(p) for p, v in values.items())


def test_monomials_and_moments():
    x = symbols("x")
    for p in range(9):
        assert (x**p - sum(hermite_of_power(p, i) * hermite_prob(i, x) for i in range(p + 1))).expand() == 0
    assert [power_moment(k) for k in range(9)] == [1, 0, 1, 0, 3, 0, 15, 0, 105]


def test_projection_is_the_inverse():
    gram = [[Fraction(1, i + j + 1) for j in range(4)] for i in range(4)]
    unit = [[Fraction(int(i == j)) for j in range(4)] for i in range(4)]
    inverse = projection(gram, unit)
    assert [[sum(a * b for a, b in zip(row, column)) for column in zip(*inverse)] for row in gram] == unit
    assert projection([], [[]]) == [[0]]


def test_a_step_of_even_degree_frees_part_of_the_constant():
    """The spike of degree 4 lowers the error although the target has no fourth coefficient."""
    c = {1: Fraction(1), 2: Fraction(1)}
    at = [Fraction(1, 2), Fraction(2), Fraction(1), Fraction(2)]
    two, three, four, all_free = (closed_form(d, c, *at) for d in ((1, 2), (1, 2, 3), (1, 2, 3, 4), (0, 1, 2)))
    assert two == three < four < all_free
