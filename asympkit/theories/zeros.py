r"""Decide which Hermite coefficients are exactly zero: from the syntax tree, or by algebra.

A coefficient of :math:`10^{-20}` makes a spike and 0 makes none, so that no numerical threshold can decide.
"""

from functools import lru_cache
from math import factorial

from ..exact import is_zero
from ..parsing.tree import Call, Chain, Compare, Name, Neg, Num, Pow, Where
from ..properties.tree_forms import inline, varies
from ..properties.tree_parity import tree_parity

__all__ = ["DIGITS", "LEAST", "exact_value", "is_present", "told", "vanishes", "vanishes_at_sight"]

#: digits to which a tiny coefficient is computed, and the part of the norm that they resolve
DIGITS, LEAST = 60, 1e-45
#: largest number of sums among the factors of a product that is expanded
_SUMS = 2


def vanishes(activation, k):
    """Return whether ``E[f(z) He_k(z)]`` is proved to be 0, for k >= 1."""
    return vanishes_at_sight(activation, k) or _vanishes(activation, k)


def vanishes_at_sight(activation, k):
    """Return whether it vanishes by the syntax: by parities and degrees of polynomials, without algebra."""
    return _absent(inline(activation._tree), k)


@lru_cache(maxsize=512)
def _vanishes(activation, k):
    if activation.parity == ("odd", "even")[k % 2]:
        return True
    exact = exact_value(activation, k)
    return exact is not None and is_zero(exact)


@lru_cache(maxsize=512)
def exact_value(activation, k):
    """Return the coefficient in closed form, or None if no rule gives one."""
    from ..nodes import Average

    found = activation.hermite(k)
    return None if found.has(Average) else found


def is_present(activation, k, norm):
    """Return whether a coefficient that is tiny in double precision is not zero.

    Parameters
    ----------
    activation : Activation
    k : int
        At least 1.
    norm : float
        Root mean square of the function.

    Returns
    -------
    bool or None
        None if neither a proof nor 60 digits decide.
    """
    if vanishes_at_sight(activation, k):
        return False
    from ..errors import AsympkitError
    from ..gauss.coefficients import coefficient

    try:
        if abs(coefficient(activation, k, DIGITS)) * factorial(k) ** 0.5 > LEAST * norm:
            return True
    except AsympkitError:
        return None
    if vanishes(activation, k):
        return False
    exact = exact_value(activation, k)
    return True if exact is not None and exact.is_nonzero else None


def told(activation, k, norm):
    """Return a tiny coefficient times k!: 0 if that is proved, from more digits if it is not 0, None if undecided."""
    present = is_present(activation, k, norm)
    if not present:
        return present if present is None else 0.0
    from ..gauss.coefficients import coefficient
    from .lowered import nearest

    exact = exact_value(activation, k)
    return nearest((coefficient(activation, k, DIGITS) if exact is None else exact.evalf(30)) * factorial(k))


def _absent(node, k):
    """Return whether the component of degree k of a tree without catalogue functions vanishes by its syntax."""
    degree = _degree(node)
    if (degree is not None and degree < k) or tree_parity(node) == (-1, 1)[k % 2]:
        return True
    match node:
        case Neg(arg):
            return _absent(arg, k)
        case Chain(first, rest) if rest[0][0] in "+-":
            return _absent(first, k) and all(_absent(arg, k) for _, arg in rest)
        case Chain():
            return any(all(_absent(term, k) for term in terms) for terms in _expanded(node))
        case Call("max" | "min", (left, right)):      # (a + b +- |a - b|)/2
            return k % 2 == 1 and tree_parity(_minus(left, right)) != 0 and _absent(left, k) and _absent(right, k)
        case Call("step", (arg,)):      # (1 + sign(u))/2
            return k % 2 == 0 and tree_parity(arg) == -1
        case Where(Compare(_, left, right), yes, no):      # (a + b + sign(u)(a - b))/2
            sign, step = tree_parity(_minus(left, right)), tree_parity(_minus(yes, no))
            return sign * step == (-1, 1)[k % 2] and _absent(yes, k) and _absent(no, k)
    return False


def _expanded(product):
    """Yield the terms of a product with one factor, a sum, expanded; constant factors are dropped."""
    factors = [("*", product.first), *product.rest]
    moving = [(op, f) for op, f in factors if varies(f)]
    if len(moving) == 1 and moving[0][0] == "*":
        yield [moving[0][1]]
        return
    sums = [i for i, (op, f) in enumerate(moving) if op == "*" and isinstance(f, Chain) and f.rest[0][0] in "+-"]
    if 0 < len(sums) <= _SUMS:
        others, factor = tuple(f for i, f in enumerate(moving) if i != sums[0]), moving[sums[0]][1]
        yield [Chain(term, others) for term in (factor.first, *(arg for _, arg in factor.rest))]


def _minus(left, right):
    if isinstance(right, Num) and right.value == 0:
        return left
    if isinstance(left, Num) and left.value == 0:
        return right
    return Chain(left, (("-", right),))


def _degree(node):
    """Return the degree of a polynomial, or an upper bound of it; None for anything else."""
    if not varies(node):
        return 0
    match node:
        case Name():
            return 1
        case Neg(arg):
            return _degree(arg)
        case Chain(first, rest):
            degrees = [_degree(first), *(_degree(arg) for _, arg in rest)]
            if None in degrees or any(op == "/" and varies(arg) for op, arg in rest):
                return None
            return max(degrees) if rest[0][0] in "+-" else sum(degrees)
        case Pow(base, Num(power)) if power.denominator == 1:
            below = _degree(base)
            return None if below is None else below * int(power)
    return None
