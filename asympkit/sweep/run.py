"""Solve a theory on a grid, piece by piece: in order or by an executor, with a file to go on from."""

import os
import sys
import warnings
from contextlib import suppress

import numpy as np

from ..errors import AssumptionWarning, DomainError
from .file import SweepFile, about, refusal
from .pieces import ACCEPT, check_axes, solve_piece, split
from .result import Sweep

#: from this many points on loading numba (and, once, compiling) costs less than plain numpy
NUMBA_PAYS = 3000


def run_sweep(model, parameters, rtol, backend, progress, executor=None, file=None):
    """See :meth:`asympkit.theories.model.Model.sweep`."""
    if backend not in ("auto", "numpy", "numba"):
        raise DomainError(f"backend: got {backend!r}; expected 'auto', 'numpy' or 'numba'")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise DomainError(f"executor: got {executor!r}; expected a concurrent.futures executor or None")
    axes, fixed = _axes(model, parameters)
    check_axes(model, axes, fixed)
    shape = tuple(a.size for a in axes.values())
    pieces = split(axes, model.table_names, fixed)
    if backend == "auto":
        backend = "numba" if pieces[0].grid and np.prod(shape) >= NUMBA_PAYS else "numpy"
    record = _Record(model, axes, fixed, rtol, backend, file)
    missing = [p for p in pieces if not record.finished[p.where].all()]
    token, run = (None, _in_order) if executor is None else (os.urandom(8).hex(), _submitted)
    notes, done = set(), len(pieces) - len(missing)
    try:
        for piece, (values, good, found) in run(missing, (token, model), (rtol, backend), executor):
            record.take(piece, values, good)
            notes |= found
            done += 1
            if progress:
                print(f"\rsweep: {done} of {len(pieces)} pieces", end="" if done < len(pieces) else "\n",
                      file=sys.stderr, flush=True)
    finally:                                   # an interruption keeps what is finished
        record.close()
    for text in sorted(notes)[:3]:
        warnings.warn(text, AssumptionWarning, stacklevel=3)
    return record.sweep()


def _in_order(pieces, model, options, executor):
    for piece in pieces:
        yield piece, solve_piece(*model, piece, *options)


def _submitted(pieces, model, options, executor):
    from concurrent.futures import as_completed

    futures = {executor.submit(solve_piece, *model, piece, *options): piece for piece in pieces}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()


class _Record:
    """The arrays of a sweep while it grows, and their file."""

    def __init__(self, model, axes, fixed, rtol, backend, file):
        outputs = model.kernel.module.OUTPUTS[:-1]          # all but the count of iterations
        shape = tuple(a.size for a in axes.values())
        self.axes, self.fixed, self.rtol, self.names = axes, fixed, rtol, outputs[:-1]
        self.values = np.full((*shape, len(outputs)), np.nan)
        self.converged, self.finished = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        self.file = None
        if file is not None:
            self.file = SweepFile(file, about(model, axes, fixed, rtol, backend), axes, self.names)
            known = self.file.read()
            if known is not None:
                self.values, self.converged, self.finished = known
        self.saved = self.finished.all()

    def take(self, piece, values, good):
        self.values[piece.where] = values[..., :-1]
        self.converged[piece.where] = good & (values[..., -2] <= ACCEPT)
        self.finished[piece.where] = True
        self.saved = False
        with suppress(OSError):                # the file as it was is whole; the last attempt tells
            self.saved = self.file is not None and self.file.write(self.values, self.converged, self.finished)

    def close(self):
        """Write what is not yet in the file; the error of a full disk holds everything finished."""
        if self.file is None or self.saved:
            return
        try:
            self.file.write(self.values, self.converged, self.finished, at_last=True)
        except OSError as error:
            raise refusal(self.file.path, error, int(self.finished.sum()), self.finished.size,
                          self.sweep()) from error

    def sweep(self):
        quantities = {n: self.values[..., k] for k, n in enumerate(self.names)}
        return Sweep(self.axes, quantities, self.values[..., -1], self.converged, self.fixed, self.rtol)


def _axes(model, parameters):
    axes, fixed = {}, {}
    for name, value in parameters.items():
        if name in model.array_names or name == "letters" or np.ndim(value) == 0:
            fixed[name] = value
            continue
        array = np.asarray(value)
        if array.ndim != 1 or array.size == 0:
            raise DomainError(f"{name}: got an array of shape {array.shape}; an axis is a non-empty one-dimensional "
                              "array")
        if array.dtype.kind not in "iuf" or np.any(np.isnan(array)):
            raise DomainError(f"{name}: an axis holds real numbers and no NaN")
        axes[name] = array.astype(float)
    if not axes:
        raise DomainError("sweep: no axis given; make at least one parameter an array (or use solve)")
    return axes, fixed
