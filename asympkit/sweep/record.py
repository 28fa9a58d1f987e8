"""What a sweep has finished, while it grows: arrays in memory, with or without a file."""

from contextlib import suppress

import numpy as np

from .file import SweepFile, about, refusal
from .result import Sweep
from .states import MISSING, WAITING, final, is_solved, states


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
    start : dict of str to ndarray
        Starting values that were given.

    Attributes
    ----------
    state : ndarray of int
        What became of each point, see :mod:`.states`.
    """

    def __init__(self, model, axes, fixed, rtol, backend, file, start):
        outputs = model.kernel.module.OUTPUTS[:-1]          # all but the count of iterations
        shape = tuple(a.size for a in axes.values())
        self.axes, self.fixed, self.rtol, self.names = axes, fixed, rtol, outputs[:-1]
        self.values, self.state = np.empty((*shape, len(outputs))), np.empty(shape, dtype=np.int8)
        self.values.fill(np.nan)            # less overhead than np.full
        self.state.fill(MISSING)
        self.outside = model.outside
        self.file, self.saved = None, False
        if file is not None:
            self.file = SweepFile(file, about(model, axes, fixed, rtol, backend, start), axes, self.names)
            known = self.file.read()
            if known is not None:
                self.values, self.state = known
                self.saved = self.finished.all()

    @property
    def finished(self):
        return self.state > MISSING

    def take(self, piece, values, settled):
        """Keep the solutions of a piece, outputs along the last axis."""
        self.values[piece.where] = values[..., :-1]
        self.state[piece.where] = states(values, settled, self.outside(values))
        self.saved = False
        if self.file is not None:
            with suppress(OSError):                # the file as it was is whole; the last attempt tells
                self.saved = self.file.write(self.values, self.state)

    def values_at(self, flat):
        """Quantities and residual of a point, by its number."""
        return self.values.reshape(-1, self.values.shape[-1])[flat]

    def settle(self, found):
        """Keep what was found for waiting points, ``{number: (values, settled)}``; for the others nothing will be."""
        flat = self.state.reshape(-1)
        for number, (values, settled) in found.items():
            self.values.reshape(-1, self.values.shape[-1])[number] = values[:-1]
            flat[number] = states(values, settled, None)
        left = np.flatnonzero(flat == WAITING)
        flat[left] = final(self.values.reshape(-1, self.values.shape[-1])[left, -1])
        self.saved = False

    def close(self):
        """Write what is not yet in the file; the error of a full disk holds everything finished."""
        if self.file is None or self.saved:
            return
        try:
            self.saved = self.file.write(self.values, self.state, at_last=True)
        except OSError as error:
            raise refusal(self.file.path, error, int(self.finished.sum()), self.finished.size,
                          self.sweep()) from error

    def sweep(self):
        """What there is, as a :class:`Sweep`."""
        axes = self.values.ndim - 1
        values = np.array(self.values[..., :-1].transpose(axes, *range(axes)), order="C")
        lost = ~is_solved(self.state)
        if lost.any():
            values[:, lost] = np.nan
        quantities = dict(zip(self.names, values))
        return Sweep(self.axes, quantities, self.values[..., -1], self.state, self.fixed, self.rtol)
