"""Derivatives at kinks and jumps: refused with both sides where they differ, given where they meet."""

import pytest
from sympy import Abs, Heaviside, Max, Min, Piecewise, Rational, sign, symbols

import asympkit as ak

m, h, K = symbols("m h K", real=True)
z = symbols("z", real=True)


def theory(equation, observable=m, **more):
    return ak.Theory(name="kinked", unknowns=[m], parameters={h: ("field", "real")}, equations=[equation],
                     observables={"o": observable}, **more)


OFFSET = {K: Max(h, 1) ** 2}


@pytest.mark.parametrize(("made", "at", "sides"), [
    (theory(m - Abs(h)), 0, "Abs(h) switches: its derivative is -1 from below and 1 from above"),
    (theory(m - h, Max(h, Rational(1, 10))), 0.1, "Max(1/10, h) switches: its derivative is 0 from below and 1"),
    (theory(m - h, Min(2 * m, m + 3)), 3, "switches: its derivative is 2 from below and 1 from above"),
    (theory(m - h - Max(m - 1, 0) / 2), 1, "Max(0, m - 1) switches: its derivative is 1 from below and 2 from above"),
    (theory(m - h, sign(h)), 0, "sign(h) switches: its value is -1 from below and 1 from above"),
    (theory(m - h, Piecewise((h, h < 1), (h + 5, True))), 1, "its value is 0.999999 from below and 6 from above"),
    (theory(m - K, derived=OFFSET), 1, "Max(1, h) switches: its derivative is 0 from below and 2 from above")])
def test_two_sides_are_refused(made, at, sides):
    with pytest.raises(ak.DomainError) as caught:
        made.sensitivity("o", "h", h=at)
    said = str(caught.value)
    assert said.startswith(f"sensitivity: o is not differentiable in h at h = {at}, where ")
    assert sides in said and said.endswith("move the parameter to the intended side")


@pytest.mark.parametrize(("made", "at", "slope"), [
    (theory(m - Max(h, 0) ** 2), 0, 0.0), (theory(m - h * Abs(h)), 0, 0.0), (theory(m - Abs(h)), -0.5, -1.0),
    (theory(m - h, Piecewise((h, h < 1), (2 * h - h**2 / 2 - Rational(1, 2), True)) + m), 1, 2.0),
    (theory(m - h, h * sign(h - 1)), 2, 1.0), (theory(m - h, h * Heaviside(h - 1)), 0.5, 0.0),
    (theory(m - K, derived={K: h * sign(h)}), -2, -1.0)])
def test_what_meets_is_given(made, at, slope):
    assert made.sensitivity("o", "h", h=at) == pytest.approx(slope, abs=1e-12)


def test_the_other_quantity_does_not_mind():
    made = theory(m - 2 * h, Abs(h))
    assert made.sensitivity("m", "h", h=0) == pytest.approx(2.0)
    with pytest.raises(ak.DomainError, match="o is not differentiable"):
        made.sensitivity("o", "h", h=[0.0, 1.0])


def test_minimum_at_a_kink():
    found = theory(m - Abs(h - Rational(3, 10)) - 1).minimize("m", over="h", bounds=(-1, 2))
    assert found.argmin == pytest.approx(0.3, abs=1e-8)
    assert found.value == pytest.approx(1.0, abs=1e-8)
