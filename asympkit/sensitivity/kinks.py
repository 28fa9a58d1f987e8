"""Refuse derivatives by a parameter at kinks and jumps, where they have two sides, and report both."""

from ..errors import ConvergenceError, DomainError
from ..properties.cells import switching_arguments

__all__ = ["check_smooth", "switches"]

#: shares of a parameter on each side at which the derivative is compared
_STEPS = (1e-5, 1e-6)
#: tolerance for zero of a number that the parameters determine, which has rounding alone, and of one that is solved
#: for, which has the accuracy of a solution
_EXACT, _SOLVED = 1e-15, 1e-9
#: relative difference of the two sides that counts
_APART = 1e-6


def switches(expr):
    """Return ``(node, argument)`` for the switches of an expression that parameters and unknowns decide.

    Switches that a variable of an average decides are omitted: the mean over it is smooth.
    """
    from sympy import Basic, preorder_traversal

    from ..nodes import Average

    bound = {s for a in expr.atoms(Average) for s in a.bound_symbols}
    found = [(node, argument) for node in preorder_traversal(expr) if isinstance(node, Basic)
             for argument in switching_arguments(node)]
    return [(node, a) for node, a in found if a.free_symbols and not a.free_symbols & bound]


def check_smooth(model, quantity, parameter, solution, rate_at, parameters):
    """Raise if a quantity has a kink or a jump in a parameter at a solution.

    Parameters
    ----------
    model : Model
        With ``switches(quantity)``.
    quantity, parameter : str
    solution : Solution
    rate_at : callable
        ``(quantity, derivative)`` at other parameters.
    parameters : dict

    Raises
    ------
    DomainError
        With the derivatives of both sides.
    """
    near = [node for node, argument in model.switches(quantity) if _rests(argument, solution)]
    if not near:
        return
    here = solution.parameters[parameter]
    sides = [[_side(rate_at, parameters, parameter, here, sign * share) for sign in (-1, 1)] for share in _STEPS]
    is_whole = all(None not in pair for pair in sides)
    jump = is_whole and _jumps(here, sides[-1])
    if is_whole and not jump and _meets(sides):
        return
    what, place = ("value", 0) if jump else ("derivative", 1)
    below, above = ("not defined" if side is None else f"{side[place]:.6g}" for side in sides[-1])
    raise DomainError(f"sensitivity: {quantity} is not differentiable in {parameter} at {parameter} = {here:g}, where "
                      f"{str(near[0])[:80]} switches: its {what} is {below} from below and {above} from above; move "
                      "the parameter to the intended side")


def _rests(argument, solution):
    """Return whether the argument of a switch is zero at a solution, or cannot be distinguished from zero."""
    from sympy import Add, Float

    known = {**solution.parameters, **solution.order_parameters}
    values = {s: Float(float(known[s.name]), 30) for s in argument.free_symbols if s.name in known}
    terms = [abs(t.xreplace(values).evalf(20)) for t in Add.make_args(argument)]
    gap = argument.xreplace(values).evalf(20)
    if not gap.is_number or not all(t.is_number for t in terms):
        return True
    solved = [n for n in solution.order_parameters if any(s.name == n for s in argument.free_symbols)]
    size = sum(map(float, terms), 0.0) + sum(float(solution.scale.get(n, 0.0)) for n in solved)
    return abs(float(gap)) <= (_SOLVED if solved else _EXACT) * size


def _side(rate_at, parameters, parameter, here, share):
    """Return quantity and derivative a small step aside, or None where there is no solution."""
    try:
        return rate_at({**parameters, parameter: here + share * (abs(here) or 1.0)})
    except (DomainError, ConvergenceError):
        return None


def _jumps(here, sides):
    """Return whether the values of the two sides are further apart than their slopes explain."""
    (low, slope), (high, other) = sides
    width = 2 * _STEPS[1] * (abs(here) or 1.0)
    return abs(high - low) > 2 * max(abs(slope), abs(other)) * width + _APART * max(abs(low), abs(high))


def _meets(sides):
    """Return whether the derivatives of the two sides meet: then their gap shrinks with the distance."""
    (_, far_low), (_, far_high) = sides[0]
    (_, low), (_, high) = sides[1]
    gap = abs(high - low)
    return gap <= _APART * max(abs(low), abs(high)) or gap < 0.5 * abs(far_high - far_low)
