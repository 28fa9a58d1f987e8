"""Switches whose argument is exactly zero everywhere, settled before anything is rounded.

``step(tan(0*z - pi))`` asks whether a number that is zero is positive: rounding would answer at random.  The
argument of such a switch becomes the number 0, and a comparison of equal sides the branch it selects.
"""

from fractions import Fraction

import numpy as np

from ..errors import DomainError
from ..parsing.conditions import rebuilt
from ..parsing.to_numpy import to_numpy
from ..parsing.tree import Call, Chain, Compare, Num, Where, children, to_text, walk
from .tree_forms import inline, polynomial

__all__ = ["settled"]

_ZERO = Num(Fraction(0))
#: places at which no text that is not zero vanishes by chance, and the difference there, relative to the sides, below
#: which digits and algebra are asked
_POINTS = np.array([-1.3071, 0.2113, 1.717])
_SMALL = 1e-6
_HOLDS_AT_ZERO = ("<=", ">=", "==")


def settled(tree):
    """The tree without switches that rest on their border; the same object where there is none.

    Only what is zero in double precision at a few points is asked about, so that plain texts cost little.

    Raises
    ------
    DomainError
        If a switch cannot be told from one that rests on its border.
    """
    if any(type(n) is Where or type(n) is Call and n.name in ("sign", "step") for n in walk(tree)):
        return _settled(tree)
    return tree


def _settled(node):
    before = children(node)
    if not before:
        return node
    parts = [_settled(child) for child in before]
    if any(a is not b for a, b in zip(parts, before)):
        node = rebuilt(node, parts)
    match node:
        case Where(Compare(op, left, right), yes, no) if _is_zero(left, right):
            return yes if op in _HOLDS_AT_ZERO else no
        case Call("sign" | "step", (u,)) if u != _ZERO and _is_zero(u, _ZERO):
            return _ZERO
    return node


def _is_zero(left, right):
    """Whether the difference of two trees is zero everywhere, exactly."""
    gap = inline(Chain(left, (("-", right),)))
    form = polynomial(gap)
    if form is not None:
        return not any(form)
    a, b = (to_numpy(side)(_POINTS) for side in (left, right))
    with np.errstate(all="ignore"):
        if not np.all(np.abs(a - b) <= _SMALL * (1.0 + np.abs(a) + np.abs(b))):
            return False
    return _is_proved_zero(gap)


def _is_proved_zero(gap):
    """Digits refute that it is zero, algebra proves it; what neither does is refused."""
    from ..errors import ParseError
    from ..exact import is_zero
    from ..parsing.to_mpmath import Undefined
    from ..parsing.to_noisy import with_noise
    from ..parsing.to_sympy import to_sympy

    for digits in (60, 250):
        for x in map(float, _POINTS):
            try:
                if with_noise(gap, {"z": (x, 0)}, digits)[0]:
                    return False
            except Undefined:
                return False              # that it has no value is found when the domain is examined
    try:
        proved = is_zero(to_sympy(gap))
    except ParseError:
        proved = False
    if proved:
        return True
    raise DomainError(f"cannot decide on which side of its border a switch is: {to_text(gap)[:200]} is 0 to {digits} "
                      "digits but not proved to be 0; write 0 there, or the branch that is meant")
