"""Which cases of a test are run while one works, and which only in the slow tier."""

from itertools import product

import pytest

#: plain numpy, and loops that numba compiles for each theory anew, which takes seconds
BACKENDS = ("numpy", pytest.param("numba", marks=pytest.mark.slow))


def slow_but(cases, *kept, single=False):
    """Cases for ``parametrize``, all of them slow but those that are named, by place or by value.

    The few that are kept are the cheap ones of each kind; the slow tier runs all.  Tuples are the values of several
    arguments, or ``single`` ones.
    """
    out = []
    for place, case in enumerate(cases):
        if place in kept or not isinstance(case, int) and case in kept:
            out.append(case)
        else:
            values = case if isinstance(case, tuple) and not single else (case,)
            out.append(pytest.param(*values, marks=pytest.mark.slow))
    return out


def slow_these(cases, *slow):
    """Cases for ``parametrize``; those that are named by value take long, and are slow."""
    return [pytest.param(*(c if isinstance(c, tuple) else (c,)), marks=pytest.mark.slow) if c in slow else c
            for c in cases]


def one_in(share, *arguments):
    """All combinations of values for ``parametrize``, one in ``share`` of them quick, the others slow.

    Every value is in a quick one where another argument has ``share`` values or more; every pair of values is, where a
    third argument has.
    """
    out = []
    for places in product(*(range(len(values)) for values in arguments)):
        case = [values[place] for values, place in zip(arguments, places)]
        out.append(pytest.param(*case, marks=pytest.mark.slow if sum(places) % share else ()))
    return out
