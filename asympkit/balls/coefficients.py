"""Hermite coefficients and second moments of activations as balls."""

from ..errors import DomainError
from ..exclusive import exclusive
from .ball import Ball

__all__ = ["GivenGrowth", "checked", "hermite_balls", "second_moment_ball"]


class GivenGrowth:
    """The growth bound given by the user, if any, and the hypotheses it has led to."""

    def __init__(self, growth):
        from .growth_text import read_growth

        self.growth = None if growth is None else read_growth(growth)
        self.hypotheses = []

    def bound(self, f, z, power=1):
        """Return a bound of ``f**power`` where it is needed, else None."""
        sentence = self.growth and self.growth.hypothesis(f, z, power)
        if not sentence:
            return None
        if sentence not in self.hypotheses:
            self.hypotheses.append(sentence)
        return self.growth.bound if power == 1 else self.growth.bound * self.growth.bound


@exclusive
def hermite_balls(activation, n, digits=None, growth=None):
    """Enclose ``c_0 .. c_n`` of an activation in balls; see :meth:`asympkit.Activation.hermite_coefficients`."""
    import math

    import sympy as sp

    from ..gauss.coefficients import _order
    from ..properties.parity import parity_of_form
    from .backend import arb, workprec
    from .integral import gaussian_ball

    n, digits = _order(n), checked(30 if digits is None else digits)
    given = _given(activation, growth)
    z, sign, balls = activation.symbol, parity_of_form(activation.expr, activation.symbol), []
    bound = given.bound(activation.expr, z)
    for k in range(n + 1):
        if sign == -(-1) ** k:
            balls.append(Ball.from_arb(arb(0)))       # proved by symmetry
            continue
        value = gaussian_ball(activation.expr, z, digits, sp.hermite_prob(k, z), bound)
        with workprec(3.33 * digits + 60):
            balls.append(Ball.from_arb(value / arb(math.factorial(k)), given.hypotheses))
    return balls


@exclusive
def second_moment_ball(activation, digits=None, growth=None):
    """Enclose ``E[f(z)**2]`` of an activation in a ball."""
    from .integral import gaussian_ball

    digits = checked(30 if digits is None else digits)
    given = _given(activation, growth)
    bound = given.bound(activation.expr, activation.symbol, 2)
    return Ball.from_arb(gaussian_ball(activation.expr**2, activation.symbol, digits, bound=bound), given.hypotheses)


def _given(activation, growth):
    """Wrap the given growth bound; without one, require a finite second moment by the activation's own rules."""
    given = GivenGrowth(growth)
    if growth is None:
        activation.require_second_moment()
    elif 4 * given.growth.bound.curvature >= 1:
        raise DomainError(f"growth: {given.growth.expr} does not stay below exp(z**2/4): the second moment of "
                          f"{activation.name!r} may be infinite")
    return given


def checked(digits):
    """Return the digits as an int; raise if the ball library is missing or the number is not sensible."""
    from importlib import import_module

    from ..arguments.requests import check_digits

    import_module("asympkit.balls.backend")     # raises first, with the name of the missing library
    check_digits(digits)
    return int(digits)
