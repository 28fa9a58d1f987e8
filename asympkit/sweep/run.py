"""Solve a theory on a grid, piece by piece: in order or by an executor, with a file to go on from."""

import math
import os
from contextlib import nullcontext

import numpy as np

from ..arguments.domains import check_axis, check_choice, regular, shown
from ..arguments.requests import check_flag, check_path
from ..errors import BrokenAssumptions, DomainError, WorkerLostError, warn_assumption
from ..jobs import HIDDEN, check_executor, held, interruption, lost_worker, progress_bar, run_jobs
from .jumps import find_jumps, warn_of_jumps
from .pieces import How, check_axes, pieces_of, solve_piece
from .record import Record
from .retry import retry, retry_points
from .stream import Stream

#: from this many points on loading numba (and, once, compiling) costs less than plain numpy
NUMBA_PAYS = 3000


def run_sweep(model, parameters, rtol, backend, progress, executor=None, file=None, start=None):
    """See :meth:`asympkit.theories.model.Model.sweep`."""
    check_choice("backend", backend, ("auto", "numpy", "numba"))
    progress, file = check_flag("progress", progress), None if file is None else check_path("file", file)
    check_executor(executor)
    axes, fixed = _axes(model, parameters)
    shape = tuple(a.size for a in axes.values())
    start = check_starts(model.kernel, start, shape)
    pieces = pieces_of(axes, model.table_names, fixed)
    first = check_axes(model, axes, fixed)
    keeps = file is not None
    if backend == "auto":
        pays = math.prod(shape) >= NUMBA_PAYS or (not keeps and executor is None and model.kernel.is_compiled)
        backend = "numba" if pieces[0].grid and pays else "numpy"
    kind = Stream if os.fspath(file or "").endswith(".npy") else Record
    record, how = kind(model, axes, fixed, rtol, backend, file, start), How(model, rtol, backend)
    token = None if executor is None else os.urandom(8).hex()
    broken, refused, stopped = BrokenAssumptions(model), {}, False
    bar = HIDDEN

    def take(piece, solved):
        values, settled, found = solved
        record.take(piece, values, settled)
        if isinstance(found[0], str):
            refused.setdefault(found[1], []).append(found[0])
        else:
            rows = slice(piece.first, piece.last)
            broken.take(*found, {n: a if k else a[rows] for k, (n, a) in enumerate(piece.grid.items())})
        bar.update()

    def again(jobs, take):
        run_jobs(retry_points, [(key, (token, how, first, *job)) for key, job in jobs], take, executor)

    try:
        finished = record.finished
        missing = [p for p in pieces if not finished[p.where].all()]
        bar = progress_bar(len(pieces), "pieces", len(pieces) - len(missing), progress)
        run_jobs(solve_piece, [(p, (token, how, p, first, _part(start, p))) for p in missing], take, executor)
        retry(model, record, pieces, again)
        with held() if keeps else nullcontext():
            record.close()
        sweep = record.sweep()
        sweep.jumps = find_jumps(model, sweep)
    except WorkerLostError as error:
        raise lost_worker(error, int(record.finished.sum()), record.finished.size, "points", file,
                          record.sweep()) from error.__cause__
    except KeyboardInterrupt as error:
        stopped = True
        with held(deliver=False):
            raise interruption(int(record.finished.sum()), record.finished.size, "points", file,
                               record.sweep()) from error
    finally:                                   # an interruption keeps what is finished
        with held(deliver=not stopped) if keeps or bar is not HIDDEN else nullcontext():
            bar.close()
            record.close()
    model.warn(broken.texts())
    for why, places in refused.items():
        more = f" (and at {len(places) - 1} more places)" if len(places) > 1 else ""
        warn_assumption(f"sweep at {places[0]}{more}: {why}")
    warn_of_jumps(sweep.jumps)
    return sweep


def check_starts(kernel, start, shape):
    """Starting values as arrays over the grid, ``{unknown: array}``."""
    if start is None:
        return {}
    known, found = kernel.module.TORN, {}
    kernel.check_start_names(start)
    for name, value in start.items():
        try:
            array = np.broadcast_to(np.asarray(value, dtype=float), shape)
        except (TypeError, ValueError) as error:
            raise DomainError(f"start: got {shown(value)} for {name}; expected a number, or an array of numbers over "
                              f"the grid of shape {shape}") from error
        if np.isinf(array).any():
            raise DomainError(f"start: {name} holds an infinite number; expected finite ones, or NaN for the usual "
                              "start")
        low, high = kernel.intervals.get(name, (-np.inf, np.inf))
        if np.any((array <= low) | (array >= high)):
            raise DomainError(f"start: {name} leaves its domain ({low:g}, {high:g}); expected numbers inside it, or "
                              "NaN for the usual start")
        found[name] = array
    return {n: found[n] for n in known if n in found}


def _part(start, piece):
    """Starting values over the grid of a piece, all its rows."""
    if not start:
        return None
    places = tuple(slice(None) if isinstance(w, slice) else w for w in piece.where)
    return {n: v[places] for n, v in start.items()}


def _axes(model, parameters):
    axes, fixed, fixed_names = {}, {}, model.fixed_names()
    for name, value in parameters.items():
        if type(value) is float or name in fixed_names or (array := regular(name, value)).ndim == 0:
            fixed[name] = value
        else:
            axes[name] = check_axis(name, array)
    if not axes:
        raise DomainError("sweep: no axis given; make at least one parameter an array (or use solve)")
    return axes, fixed
