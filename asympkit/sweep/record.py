"""What a sweep has finished, while it grows: arrays in memory, with or without a file."""

from contextlib import suppress

import numpy as np

from .file import SweepFile, about, refusal
from .pieces import ACCEPT
from .result import Sweep


class Record:
    """The arrays of a sweep and their file.

    Parameters
    ----------
    model : Model
    axes, fixed : dict
        The parameters that vary, and the others.
    rtol : float
    backend : str
    file : path or None
        Ending in ``.npz`` or ``.csv``.

    Attributes
    ----------
    finished : ndarray of bool
    """

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
        """Keep the solutions of a piece, outputs along the last axis."""
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
        """What there is, as a :class:`Sweep`."""
        axes = self.values.ndim - 1
        values = np.array(self.values[..., :-1].transpose(axes, *range(axes)), order="C")
        if not self.converged.all():
            values[:, ~self.converged] = np.nan
        quantities = dict(zip(self.names, values))
        return Sweep(self.axes, quantities, self.values[..., -1], self.converged, self.fixed, self.rtol)
