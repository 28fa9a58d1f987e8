"""Averages over several normals whose kinks move, taken over one of them first.

Over one normal most kinks are affine, whatever the others do: a residual is affine in its noise.
There the average closes, or its kinks are brought to a standstill.
"""

from sympy import Add, Dummy

from ..nodes import Applied, Average, unname
from .measure import Gaussian
from .moving_kinks import with_fixed_kinks

__all__ = ["over_one_first"]


def over_one_first(average):
    """Return an equal expression with one variable averaged out, or with its kinks at 0; None where there is none.

    Parameters
    ----------
    average : Average
        Over several normals.
    """
    integrand = unname(average.integrand)
    if integrand.has(Applied, Average):
        return None
    bound = [(b, Dummy(b.name, real=True)) for b in average.bound_symbols]
    integrand = integrand.xreplace(dict(bound))
    variables = [d for _, d in bound]
    for close in (_closed, _at_rest):
        for v in reversed(variables):
            found = close(integrand, v, [u for u in variables if u is not v])
            if found is not None:
                return found
    return None


def _closed(integrand, v, others):
    mean = Average(integrand, Gaussian(v)).doit()
    return None if mean.has(Average) else Average(mean, Gaussian(*others))


def _at_rest(integrand, v, others):
    outside, inner = Average(integrand, Gaussian(v)).as_independent(Average, as_Add=False)
    fixed = with_fixed_kinks(inner) if isinstance(inner, Average) else None
    if fixed is None:
        return None
    return Add(*(_flat(outside * term, others) for term in Add.make_args(fixed)))


def _flat(term, others):
    """Merge a product with one average into an average over its variable and the others, which the factors hold."""
    factor, inner = term.as_independent(Average, as_Add=False)
    if not isinstance(inner, Average):
        return Average(term, Gaussian(*others))
    w = Dummy("w", real=True)
    return Average(factor * inner.integrand.xreplace({inner.bound_symbols[0]: w}), Gaussian(w, *others))
