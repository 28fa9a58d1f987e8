"""Sweeps larger than memory: pieces go to an array on disk as they are finished."""

import json
import math
import os
import warnings

import numpy as np

from ..errors import DomainError, SweepFileError
from ..jobs.checksums import check_seal, of_rows, sealed
from ..jobs.file import JobFile
from .file import about
from .pieces import ACCEPT
from .result import Sweep

#: numbers in memory at a time when a file is read back
_BLOCK = 2_000_000
#: the column of the checksums
_SUM = -3


class StreamFile(JobFile):
    """A ``.npy`` array of shape (axes..., quantities + checksum + residual + state), and a ``.npy.json`` that says
    what it is.

    The checksum of a point is of all its other numbers and of its place; one that does not fit is missing.  The state
    is 0 for points that are missing, 1 for those that did not converge, 2 for the others.
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
            state[rows] = np.where(fits, block[..., -1], 0)
        if damaged:
            warnings.warn(f"file: {damaged} points of {str(self.path)!r} do not fit their checksums (damaged, or half "
                          "written when a run was killed); they are computed again", stacklevel=2)
        return state

    def seal(self, array, where):
        """Let points of an array hold the checksums of what they hold."""
        rows = np.array(array[where])
        array[(*where, ..., _SUM)] = of_rows(rows, self._places(where), _SUM)

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

    def __init__(self, model, axes, fixed, rtol, backend, file):
        outputs = model.kernel.module.OUTPUTS[:-1]
        self.axes, self.fixed, self.rtol, self.names = axes, fixed, rtol, outputs[:-1]
        self.file = StreamFile(file, about(model, axes, fixed, rtol, backend), axes, self.names)
        state = self.file.read()
        if state is None:
            self.file.create()
            state = np.zeros(self.file.shape[:-1], dtype=np.int8)
        self.state = state

    @property
    def finished(self):
        return self.state > 0

    def take(self, piece, values, good):
        """Write the solutions of a piece; those that did not converge hold NaN."""
        converged = good & (values[..., -2] <= ACCEPT)
        state = np.where(converged, 2, 1)
        array = self.file.array("r+")
        kept = np.where(converged[..., None], values[..., :-2], np.nan)
        array[(*piece.where, slice(None, _SUM))], array[(*piece.where, -2)] = kept, values[..., -2]
        array[(*piece.where, -1)] = state
        self.file.seal(array, piece.where)     # a point that fits is whole
        array.flush()
        self.state[piece.where] = state

    def close(self):
        """Nothing is left to write."""

    def sweep(self):
        """What there is, as a :class:`Sweep` whose arrays are read from the file when they are used."""
        array = self.file.array("r")
        quantities = {n: array[..., k] for k, n in enumerate(self.names)}
        return Sweep(self.axes, quantities, array[..., -2], self.state == 2, self.fixed, self.rtol)


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
