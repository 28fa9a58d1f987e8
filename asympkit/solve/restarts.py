"""From where a point that failed is tried again, one attempt after the other, until one leads to a solution.

The attempts of :func:`near_restarts` come first, everywhere.  Those of :func:`far_restarts` come last (in sweeps, after
the solutions of neighbours): they find roots that are far from every usual start, and change no point that is solved
without them.
"""

import numpy as np

from ..tolerances import AMPLIFIED, RESIDUAL

__all__ = ["far_restarts", "near_restarts"]

#: by which factor a parameter falls from one point of a path to the next, and residuals that are good enough there
_STEP, _ON_PATH = 4.0, 1e-6


def near_restarts(kernel, values, begin, is_usual, solve):
    """Return starts for points that failed, as functions of what was reached, with numbers of plain iterations.

    Parameters
    ----------
    kernel : Kernel
    values : list of ndarray
        Their parameters.
    begin : list of ndarray
        Where the points were started, by unknown.
    is_usual : bool
        Whether that is the usual start of the theory.
    solve : callable
        ``solve(values, begin, plain)`` gives the outputs at other parameters.
    """
    # far steps from a start cost more than several near ones
    if kernel.options.continuation_parameter and is_usual:
        yield (lambda got: _follow_parameter(kernel, values, solve, got)), 0
    if kernel.options.may_vanish:                   # a root at 0 that is only approached: try 0 itself
        yield (lambda got: _vanishing(kernel, got)), 2
    for plain in (40, 400):
        yield (lambda got: begin), plain
    for other in kernel.options.other_starts if is_usual else ():
        yield _at(kernel, other), 2
    if kernel.options.guess_closer_start is not None and is_usual:
        yield (lambda got: _guess_closer(kernel, values)), 2


def far_restarts(kernel, try_starts, is_usual):
    """Do as :func:`near_restarts`, for points at which these failed.

    Where a start was given there are none: who gives one asks for the root near it.  Otherwise steps are careful first:
    equations c*(u - f) of positive unknowns are read as log(u/f), maps are not iterated, and steps are halved until
    they bring a root nearer.  Signs and sizes of the unknowns are tried over many decades.

    Parameters
    ----------
    kernel : Kernel
    try_starts : callable
        ``try_starts(got, starts, careful)`` gives the unknowns of the points that fail in ``got`` at the roots that are
        found from the first of the starts that leads to one, NaN where none does.
    is_usual : bool
    """
    if not is_usual:
        return
    known = (kernel.start, *kernel.options.other_starts)
    if kernel.has_damped_steps:
        yield (lambda got: try_starts(got, (*known, *kernel.options.far_starts), True)), 0
    if kernel.options.far_starts:
        yield (lambda got: try_starts(got, [s for s in kernel.options.far_starts if s not in known], False)), 0


def find_roots_from_starts(kernel, solve, got, starts, careful, accept, width):
    """Find roots of the points that fail, from the first of several starts that leads to one.

    Parameters
    ----------
    kernel : Kernel
    solve : callable
        ``solve(points, begin, careful)`` gives the outputs at some of the points, repeated at will, from ``begin``.
    got : ndarray, shape (outputs, points)
        What was reached; a point whose residual is above ``accept`` fails.
    starts : sequence of dict
    careful : bool
    accept : float
    width : int
        Points that are solved at once.

    Returns
    -------
    list of ndarray, shape (points,)
        By unknown; NaN where no start helps, or none is needed.
    """
    torn = kernel.module.TORN
    rows = [kernel.module.OUTPUTS.index(u) for u in torn]
    found = np.full((len(torn), got.shape[1]), np.nan)
    failed = np.flatnonzero(~(got[RESIDUAL] <= accept))
    first = 0
    while failed.size and first < len(starts):
        some = starts[first:first + max(1, width // failed.size)]        # one point from all of them at once
        first += len(some)
        begin = [np.repeat([s[u] for s in some], failed.size) for u in torn]
        out = solve(np.tile(failed, len(some)), begin, careful).reshape(len(got), len(some), failed.size)
        good = out[RESIDUAL] <= accept
        best = good.argmax(axis=0)                                       # the first that is good
        solved = good.any(axis=0)
        found[:, failed[solved]] = out[rows][:, best[solved], np.flatnonzero(solved)]
        failed = failed[~solved]
    return list(found)


def _follow_parameter(kernel, values, solve, got):
    """Return solutions along a path on which one parameter falls from 1, for points that failed with less of it.

    Each is sought from where the line through the two before it leads, in logarithms.
    """
    m, place = kernel.module, kernel.module.PARAMETERS.index(kernel.options.continuation_parameter)
    rows = [m.OUTPUTS.index(u) for u in m.TORN]
    found = np.full((len(rows), got.shape[1]), np.nan)
    far = np.flatnonzero(~(got[RESIDUAL] <= _ON_PATH) & (values[place] < 1.0 / _STEP))
    if not far.size:
        return list(found)
    here = [v[far] for v in values]
    steps = int(np.ceil(np.log(1.0 / here[place].min()) / np.log(_STEP)))
    path = np.geomspace(1.0, here[place], steps + 1)[:-1]
    here[place] = path[0]
    now = np.array([np.broadcast_to(v, far.shape) for v in map(kernel.usual_start(here).get, m.TORN)])
    before, plain = None, 2
    with np.errstate(all="ignore"):
        for here[place] in path:
            out = solve(here, list(now), plain)
            at = np.where(out[RESIDUAL] <= _ON_PATH, out[rows], np.nan)
            grown = at / before if before is not None else np.ones(at.shape)
            now = at * np.where(grown > 0.0, np.clip(grown, 0.05, 20.0), 1.0)
            before, plain = at, 0
    found[:, far] = now
    return list(found)


def _at(kernel, start):
    return lambda got: [np.full(got.shape[1], start[u]) for u in kernel.module.TORN]


def _guess_closer(kernel, values):
    found = kernel.start | kernel.options.guess_closer_start(dict(zip(kernel.module.PARAMETERS, values)))
    return [np.broadcast_to(found[u], values[0].shape) for u in kernel.module.TORN]


def _vanishing(kernel, got):
    rows = [np.array(got[kernel.module.OUTPUTS.index(u)]) for u in kernel.module.TORN]
    # one that has a few digits is not 0
    rows = [np.where(got[RESIDUAL] == AMPLIFIED, np.nan, row) for row in rows]
    return [np.where(np.abs(row) < 1e-3, 0.0, row) if u in kernel.options.may_vanish else row
            for u, row in zip(kernel.module.TORN, rows)]
