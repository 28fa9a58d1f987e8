"""Sweeps larger than memory: pieces go to an array on disk as they are finished."""

import json
import math
import os
import warnings

import numpy as np

from ..errors import DomainError, SweepFileError
from ..jobs.checksums import check_seal, of_rows, sealed
from ..jobs.file import JobFile
from ..jobs.interrupts import held
from .file import about
from .result import Sweep
from .states import MISSING, WAITING, final, is_solved, states

#: numbers in memory at a time when a file is read back
_BLOCK = 2_000_000
#: the column of the checksums
_SUM = -3


class StreamFile(JobFile):
    """A ``.npy`` array of shape (axes..., quantities + checksum + residual + state), and a ``.npy.json`` that says
    what it is.

    The checksum of a point is of all its other numbers and of its place; one that does not fit is missing.  The state
    says what became of a point, 0 for those that are missing; the others are in :mod:`.states`.
    """

    kind = "sweep"
    endings = (".npy",)

    def __init__(self, path, about, axes, names):
        super().__init__(path, about)
        self.axes, self.names = axes, tuple(names)
        self.shape = (*(a.size for a in axes.values()), len(self.names) + 3)

    @property
    def label(self):
        """The file that says what the array is."""
        return self.path.with_name(f"{self.path.name}.json")

    def read_from(self, path):
        label = json.loads(self.label.read_text(encoding="utf-8"))
        found = label["about"]
        if not isinstance(found, dict):
            raise ValueError(f"{self.label.name} does not say which")
        check_seal(label)
        if found != self.about:
            return found, None
        array = self.array("r")
        if array.shape != self.shape:
            raise ValueError("its shape is another")
        if array.dtype != float or not array.flags.c_contiguous:
            raise ValueError("its numbers are of another kind, or in another order")
        return found, self.states()

    def states(self):
        """The states of all points; 0 for those that do not fit their checksum, with a warning."""
        state, damaged = np.empty(self.shape[:-1], dtype=np.int8), 0
        step = max(1, _BLOCK // max(1, math.prod(self.shape[1:])))
        for first in range(0, self.shape[0], step):     # a new map each time: pages that were read are given back
            rows = slice(first, min(first + step, self.shape[0]))
            block = np.array(self.array("r")[rows])
            fits = block[..., _SUM] == of_rows(block, self._places((rows,)), _SUM)
            damaged += int(np.count_nonzero(~fits & block.any(axis=-1)))
            state[rows] = np.where(fits, block[..., -1], MISSING)
        if damaged:
            warnings.warn(f"file: {damaged} points of {str(self.path)!r} do not fit their checksums (damaged, or half "
                          "written when a run was killed); they are computed again", stacklevel=2)
        return state

    def put(self, where, rows):
        """Write points, which get their checksums: one that fits is whole."""
        rows[..., _SUM] = of_rows(rows, self._places(where), _SUM)
        array = self.array("r+")
        array[where] = rows
        array.flush()

    def _places(self, where):
        """The numbers of points, for an index, a slice or an array of indices along each axis."""
        places = np.zeros((), dtype=np.int64)
        sizes = self.shape[:-1]
        parts = [np.arange(n)[where[k] if k < len(where) else slice(None)] for k, n in enumerate(sizes)]
        if any(isinstance(w, np.ndarray) for w in where):
            return np.ravel_multi_index(tuple(parts), sizes)
        for part, size in zip(parts, sizes):
            places = np.add.outer(places * size, part)
        return places

    def create(self):
        """Make the files, with all the space that is needed."""
        if self.label.exists():
            raise DomainError(f"file: {str(self.label)!r} is there without {self.path.name!r}, and would be "
                              "overwritten; remove it or give another name")
        text = sealed({"about": self.about, "axes": {k: a.tolist() for k, a in self.axes.items()},
                       "last axis": [*self.names, "checksum", "residual", "state"]})
        try:
            self.label.write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")
            np.lib.format.open_memmap(self.path, mode="w+", dtype=float, shape=self.shape)
            _allocate(self.path)
        except OSError as error:
            self.path.unlink(missing_ok=True)
            self.label.unlink(missing_ok=True)
            size = 8 * math.prod(self.shape) / 1e6
            raise SweepFileError(f"file: could not make {str(self.path)!r} ({error.strerror or error}); the sweep "
                                 f"needs {size:.3g} MB there", None) from error

    def array(self, mode):
        """The array, mapped."""
        return np.load(self.path, mmap_mode=mode)


class Stream:
    """The record of a sweep whose solutions stay on disk; arguments and attributes as for ``Record``."""

    def __init__(self, model, axes, fixed, rtol, backend, file, start):
        outputs = model.kernel.module.OUTPUTS[:-1]
        self.axes, self.fixed, self.rtol, self.names, self.outside = axes, fixed, rtol, outputs[:-1], model.outside
        self.file = StreamFile(file, about(model, axes, fixed, rtol, backend, start), axes, self.names)
        state = self.file.read()
        if state is None:
            with held():                        # Ctrl-C waits: of the two files one alone would be of no use
                self.file.create()
            state = np.zeros(self.file.shape[:-1], dtype=np.int8)
        self.state = state

    @property
    def finished(self):
        return self.state > MISSING

    def take(self, piece, values, settled):
        """Write the solutions of a piece; those that did not converge hold NaN."""
        self._write(piece.where, values, states(values, settled, self.outside(values)))

    def _write(self, where, values, state):
        rows = np.empty((*values.shape[:-1], self.file.shape[-1]))
        rows[..., :_SUM] = np.where((is_solved(state))[..., None], values[..., :-2], np.nan)
        rows[..., -2], rows[..., -1] = values[..., -2], state
        self.file.put(where, rows)
        self.state[where] = state

    def values_at(self, flat):
        """Quantities and residual of a point, by its number."""
        return np.delete(self.file.array("r")[np.unravel_index(flat, self.state.shape)], _SUM)[:-1]

    def settle(self, found):
        """Keep what was found for waiting points, ``{number: (values, settled)}``; for the others nothing will be."""
        if found:
            values, settled = map(np.array, zip(*found.values()))
            self._write(np.unravel_index(list(found), self.state.shape), values, states(values, settled, None))
        left = np.nonzero(self.state == WAITING)
        rows = np.array(self.file.array("r")[left])
        rows[:, -1] = self.state[left] = final(rows[:, -2])
        self.file.put(left, rows)

    def close(self):
        """Nothing is left to write."""

    def sweep(self):
        """What there is, as a :class:`Sweep` whose arrays are read from the file when they are used."""
        array = self.file.array("r")
        quantities = {n: array[..., k] for k, n in enumerate(self.names)}
        return Sweep(self.axes, quantities, array[..., -2], self.state, self.fixed, self.rtol)


def _allocate(path):
    """Take the space of a file with holes: writing to a map of one would kill the process where the disk is full."""
    size, block = path.stat().st_size, bytes(1 << 20)
    with open(path, "rb+") as stream:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(stream.fileno(), 0, size)
            return
        header = np.load(path, mmap_mode="r").offset
        stream.seek(header)
        for first in range(header, size, len(block)):
            stream.write(block[:size - first])
