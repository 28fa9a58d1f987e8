"""Solve a theory on a grid, piece by piece: in order or by an executor, with a file to go on from."""

import math
import os
import warnings

import numpy as np

from ..errors import AssumptionWarning, DomainError, WorkerLostError
from ..jobs import Progress, check_executor, lost_worker, run_jobs
from ..theories.domains import check_axis
from .jumps import find_jumps, warn_of_jumps
from .pieces import check_axes, solve_piece, split
from .record import Record
from .stream import Stream

#: from this many points on loading numba (and, once, compiling) costs less than plain numpy
NUMBA_PAYS = 3000
#: from this many tables on compiling what makes them (once for a machine) costs less than making them in plain numpy
LOOPS_PAY = 15_000


def run_sweep(model, parameters, rtol, backend, progress, executor=None, file=None):
    """See :meth:`asympkit.theories.model.Model.sweep`."""
    if backend not in ("auto", "numpy", "numba"):
        raise DomainError(f"backend: got {backend!r}; expected 'auto', 'numpy' or 'numba'")
    check_executor(executor)
    axes, fixed = _axes(model, parameters)
    shape = tuple(a.size for a in axes.values())
    pieces = split(axes, model.table_names, fixed)
    loops = backend == "numba" or backend == "auto" and executor is None and len(pieces) >= LOOPS_PAY
    first = check_axes(model, axes, fixed, loops)
    if backend == "auto":
        pays = math.prod(shape) >= NUMBA_PAYS or (file is None and executor is None and model.kernel.is_compiled)
        backend = "numba" if pieces[0].grid and pays else "numpy"
    kind = Stream if os.fspath(file or "").endswith(".npy") else Record
    record = kind(model, axes, fixed, rtol, backend, file)
    missing = [p for p in pieces if not record.finished[p.where].all()]
    token = None if executor is None else os.urandom(8).hex()
    notes = set()
    line = Progress(len(pieces), "pieces", len(pieces) - len(missing), progress)

    def take(piece, solved):
        values, good, found = solved
        record.take(piece, values, good)
        notes.update(found)
        line.step()

    try:
        run_jobs(solve_piece, [(p, (token, model, p, rtol, backend, loops, first)) for p in missing], take, executor)
    except WorkerLostError as error:
        raise lost_worker(error, int(record.finished.sum()), record.finished.size, "points", file,
                          record.sweep()) from error.__cause__
    finally:                                   # an interruption keeps what is finished
        line.close()
        record.close()
    for text in sorted(notes):
        warnings.warn(text, AssumptionWarning, stacklevel=3)
    sweep = record.sweep()
    sweep.jumps = find_jumps(model, sweep)
    warn_of_jumps(sweep.jumps)
    return sweep


def _axes(model, parameters):
    axes, fixed = {}, {}
    for name, value in parameters.items():
        if type(value) is float or name in model.array_names or name == "letters" or np.ndim(value) == 0:
            fixed[name] = value
        else:
            axes[name] = check_axis(name, value)
    if not axes:
        raise DomainError("sweep: no axis given; make at least one parameter an array (or use solve)")
    return axes, fixed
