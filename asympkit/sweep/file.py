"""Keep the finished points of a sweep in files: archives of numpy, tables of text, and arrays larger than memory."""

import csv
import itertools
import json
import math
import os
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path
from zipfile import is_zipfile

import numpy as np

from .._version import __version__
from ..arguments import check_path
from ..errors import DomainError, SweepFileError
from ..jobs import (
    JobFile,
    ResultFile,
    add_checksum,
    checksum_rows,
    describe_failed_write,
    held,
    read_mark,
    read_npz,
    several,
    verify_checksum,
    write_marked_text,
    write_npz,
)
from .pieces import MISSING, NAMES, WAITING, evaluate_derived, final, is_solved, states
from .result import ABOUT, Sweep

__all__ = ["load_sweep"]

_MARK = "# asympkit sweep "
#: names in an archive that are not those of quantities
_TAKEN = {"file", "about", "checksum", "residual", "converged", "finished", "status"}


class SweepFile(ResultFile):
    """Hold the finished points of one sweep in a ``.npz`` or ``.csv`` file (``.npy``: :class:`StreamFile`).

    ``about`` tells what was asked for, ``names`` are the quantities. The data are ``values``, with quantities and
    residual along the last axis, and ``state``, what became of each point (:func:`.pieces.states`).
    """

    kind = "sweep"
    endings = (".npz", ".csv", ".npy")

    def __init__(self, path, about, axes, names):
        super().__init__(path, about)
        self.axes, self.names = axes, tuple(names)
        self.shape = tuple(a.size for a in axes.values())

    def read_from(self, path):
        return (self._read_npz if path.suffix == ".npz" else self._read_csv)(path)

    def write_to(self, path, *content):
        (self._write_npz if path.suffix == ".npz" else self._write_csv)(path, *content)

    # -- formats --------------------------------------------------------------------------------------------

    def _write_npz(self, path, values, state):
        converged, finished = is_solved(state), state > MISSING
        quantities = {_key(n): np.where(converged, values[..., k], np.nan) for k, n in enumerate(self.names)}
        write_npz(path, self.about, {**{f"axis_{k}": v for k, v in self.axes.items()}, **quantities,
                                     "residual": values[..., -1], "converged": converged, "finished": finished,
                                     "status": state})

    def _read_npz(self, path):
        found, data = read_npz(path)
        if found != self.about:
            return found, None
        values = np.stack([data[n] for n in (*map(_key, self.names), "residual")], axis=-1)
        return found, (values, data["status"].astype(np.int8))

    def _write_csv(self, path, values, state):
        converged, finished = is_solved(state), state > MISSING
        with write_marked_text(path, _MARK, self.about) as stream:
            out = csv.writer(stream)
            out.writerow([*self.axes, *self.names, "residual", "converged", "status"])
            for index in itertools.product(*map(range, self.shape)):
                if finished[index]:
                    row = [float(a[i]) for a, i in zip(self.axes.values(), index)]
                    row += [float(v) if converged[index] else float("nan") for v in values[index][:-1]]
                    out.writerow([*map(repr, row), repr(float(values[index][-1])), int(converged[index]),
                                  NAMES[state[index]]])

    def _read_csv(self, path):
        about = read_mark(path, _MARK)
        with open(path, newline="", encoding="utf-8") as stream:
            stream.readline()
            rows = csv.reader(stream)
            columns = next(rows)
            if about == self.about and columns != [*self.axes, *self.names, "residual", "converged", "status"]:
                raise ValueError("its columns are others")
            return about, self._points(rows) if about == self.about else None

    def _points(self, rows):
        values = np.full((*self.shape, len(self.names) + 1), np.nan)
        state = np.full(self.shape, MISSING, dtype=np.int8)
        places = [{float(x): i for i, x in reversed(list(enumerate(a)))} for a in self.axes.values()]
        twice = any(len(p) < a.size for p, a in zip(places, self.axes.values()))
        order = itertools.product(*map(range, self.shape))
        for row in rows:
            at = tuple(p[float(x)] for p, x in zip(places, row))
            if twice:                        # equal values on an axis: the order tells the points apart
                at = next(i for i in order if all(float(a[k]) == float(x)
                                                  for a, k, x in zip(self.axes.values(), i, row)))
            numbers = row[len(at):]
            values[at], state[at] = list(map(float, numbers[:-2])), NAMES.index(numbers[-1])
        return values, state


def _key(name):
    """Return the name of a quantity in an archive: its own, unless that means something else there."""
    return f"quantity_{name}" if name in _TAKEN or name.startswith(("axis_", "quantity_")) else name


def describe_sweep(model, axes, fixed, rtol, backend, start):
    """Return what decides the numbers of a sweep, as texts."""
    known = {"version": __version__, "theory": model.name, "equations": model.kernel.module.__name__,
             "rtol": repr(rtol), "backend": backend, **{label: f.name for label, f in model.functions.items()}}
    if model.map is not None:           # the module of the equations does not hold it
        known["derived"] = repr(sorted(model.meanings.items()))
    known |= {f"axis {k}": several(a) for k, a in axes.items()}
    known["axes"] = ", ".join(axes)
    known |= {f"start {k}": several(v) for k, v in start.items()}
    return known | {f"parameter {k}": _text(v) for k, v in sorted(fixed.items())}


def _text(value):
    return several(value) if np.ndim(value) and not isinstance(value, list | tuple) else repr(value)


def refusal(path, error, finished, total, sweep):
    """Return the error of a file that could not be written."""
    where = "in the attribute sweep of this error: save them elsewhere with to_npz or to_csv"
    return SweepFileError(describe_failed_write(path, error, finished, total, "points", where), sweep)


#: numbers in memory at a time when a file is read back
_BLOCK = 2_000_000
#: the column of the checksums
_SUM = -3


class StreamFile(JobFile):
    """A ``.npy`` array of shape (axes..., quantities + checksum + residual + state), and a ``.npy.json`` that says
    what it is.

    The checksum of a point is of all its other numbers and of its place; one that does not fit is missing.  The state
    says what became of a point, 0 for those that are missing; the others are in :mod:`.pieces`.
    """

    kind = "sweep"
    endings = (".npy",)

    def __init__(self, path, about, axes, names):
        super().__init__(path, about)
        self.axes, self.names = axes, tuple(names)
        self.shape = (*(a.size for a in axes.values()), len(self.names) + 3)

    @property
    def label(self):
        """The file that describes the array."""
        return self.path.with_name(f"{self.path.name}.json")

    def read_from(self, path):
        label = json.loads(self.label.read_text(encoding="utf-8"))
        found = label["about"]
        if not isinstance(found, dict):
            raise ValueError(f"{self.label.name} does not say which")
        verify_checksum(label)
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
            fits = block[..., _SUM] == checksum_rows(block, self._places((rows,)), _SUM)
            damaged += int(np.count_nonzero(~fits & block.any(axis=-1)))
            state[rows] = np.where(fits, block[..., -1], MISSING)
        if damaged:
            warnings.warn(f"file: {damaged} points of {str(self.path)!r} do not fit their checksums (damaged, or half "
                          "written when a run was killed); they are computed again", stacklevel=2)
        return state

    def put(self, where, rows):
        """Write points, which get their checksums: one that fits is whole."""
        rows[..., _SUM] = checksum_rows(rows, self._places(where), _SUM)
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
        text = add_checksum({"about": self.about, "axes": {k: a.tolist() for k, a in self.axes.items()},
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
        self.known = {}
        self.derived = partial(evaluate_derived, model, axes, fixed, self.known)
        self.file = StreamFile(file, describe_sweep(model, axes, fixed, rtol, backend, start), axes, self.names)
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
        """Return what there is, as a :class:`Sweep` whose arrays are read from the file when they are used."""
        array = self.file.array("r")
        quantities = {n: array[..., k] for k, n in enumerate(self.names)}
        return Sweep(self.axes, quantities, array[..., -2], self.state, self.fixed, self.rtol, self.derived())


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


#: columns of a table, and arrays of an archive, that are no quantities
_REST = ("residual", "converged", "status")


def load_sweep(path, axes=None):
    """See :meth:`asympkit.sweep.Sweep.load`."""
    path = check_path("path", path)
    readers = {".npz": _archive, ".csv": _table, ".npy": _stream}
    if path.suffix not in readers:
        raise DomainError(f"path: got {str(path)!r}; expected a name that ends in {', '.join(readers)}")
    if not path.exists():
        raise DomainError(f"path: {str(path)!r} does not exist")
    try:
        return readers[path.suffix](path, axes)
    except DomainError:
        raise
    except Exception as error:          # what a damaged file does to its reader is not to be foreseen
        raise DomainError(f"path: {str(path)!r} is no file of a sweep ({error or 'it ends too early'})") from error


def _sweep(axes, values, residual, state, about):
    if any(a.ndim != 1 or a.size == 0 or a.dtype.kind not in "iuf" for a in axes.values()):
        raise ValueError("its axes are not arrays of numbers")
    shape = tuple(a.size for a in axes.values())
    for name, v in {**values, "residual": residual, "status": state}.items():
        if v.dtype.kind not in "iuf":
            raise ValueError(f"{name} is no array of numbers")
        if v.shape != shape:
            raise ValueError(f"{name} is an array of shape {v.shape}, the axes are of {shape}")
    fixed = {k.removeprefix("parameter "): _value(v) for k, v in about.items() if k.startswith("parameter ")}
    values = {k: np.where(is_solved(state), v, np.nan) for k, v in values.items()}
    return Sweep(axes, values, residual, state, fixed, float(about.get("rtol", "nan")))


def _value(text):
    """A parameter that was written by ``repr``: a number, or else its text."""
    with suppress(ValueError):
        return float(text)
    return text


def _states(words):
    """States from their short names."""
    known = {name: k for k, name in enumerate(NAMES)}
    if unknown := [w for w in np.ravel(words).tolist() if w not in known]:
        raise ValueError(f"{unknown[0]!r} is no status")
    return np.array([known[w] for w in np.ravel(words).tolist()], dtype=np.int8).reshape(np.shape(words))


def _archive(path, _):
    if not is_zipfile(path):
        raise ValueError("it is no archive of numpy")
    with np.load(path, allow_pickle=False) as data:
        arrays = {name: data[name] for name in data}
    about, rest = _about(arrays.pop(ABOUT, "{}")), _REST
    if not about and "checksum" in arrays:          # of a sweep with file=, which is checked
        (about, arrays), rest = read_npz(path), (*_REST, "finished")
    names = about.get("names of axes") or [k.removeprefix("axis_") for k in arrays if k.startswith("axis_")]
    needed = (*(f"axis_{n}" for n in names), *about.get("names of quantities", ()), *rest)
    if lost := [n for n in needed if n not in arrays]:
        raise ValueError(f"it has lost {', '.join(lost)}")
    axes = {n: arrays.pop(f"axis_{n}") for n in names}
    status = arrays["status"]
    state = status.astype(np.int8) if status.dtype.kind in "iu" else _states(status)
    values = {_plain(k): v for k, v in arrays.items() if k not in rest}
    return _sweep(axes, values, arrays["residual"], state, about)


def _about(text):
    """Return the description of the sweep in the file."""
    with suppress(ValueError):
        about = json.loads(str(text))
        if isinstance(about, dict):
            return about
    raise ValueError("its record of the sweep is damaged")


def _plain(key):
    return key.removeprefix("quantity_")


def _table(path, wanted):
    about, skip = {}, 0
    with open(path, "rb") as stream:
        if stream.read(len(_MARK)) == _MARK.encode():
            about, skip = read_mark(path, _MARK), 1
    with open(path, newline="", encoding="utf-8") as stream:
        for _ in range(skip):
            stream.readline()
        columns, *rows = csv.reader(stream)
    if tuple(columns[-3:]) != _REST:
        raise ValueError("its last columns are not residual, converged and status")
    numbers = np.array([[float(v) for v in row[:-2]] for row in rows]).reshape(len(rows), len(columns) - 2).T
    if about and wanted is None:
        wanted = columns[:sum(k.startswith("axis ") for k in about)]
    axes = _axes(path, columns[:-3], numbers, wanted)
    shape = tuple(a.size for a in axes.values())
    names = columns[len(axes):-3]
    values = {_plain(n): v.reshape(shape) for n, v in zip(names, numbers[len(axes):])}
    return _sweep(axes, values, numbers[-1].reshape(shape), _states([r[-1] for r in rows]).reshape(shape), about)


def _axes(path, columns, numbers, wanted):
    """The leading columns whose values make a grid with one row for each point."""
    count = range(1, len(columns) + 1)
    if wanted is not None:
        wanted = [wanted] if isinstance(wanted, str) else list(wanted)
        if columns[:len(wanted)] != wanted:
            raise DomainError(f"axes: got {', '.join(wanted)}; expected the first columns of {str(path)!r}: "
                              f"{', '.join(columns[:4])}, ...")
        count = [len(wanted)]
    found = [k for k in count if _grid(numbers[:k]) is not None]
    if not found:
        raise DomainError(f"path: {str(path)!r} does not hold each point of a grid once; if the sweep has not come to "
                          "its end, call it again with file= and the same parameters")
    if len(found) > 1:                      # a column of equal values may be an axis of one point, or a quantity
        raise DomainError(f"axes: {str(path)!r} does not say whether {columns[found[0]]!r} is an axis of one point or "
                          f"a quantity; give axes={columns[:found[0]]!r}, or with more of its first columns")
    return dict(zip(columns, _grid(numbers[:found[0]])))


def _grid(columns):
    """The axes of a grid from the coordinates of its points, the last of which runs fastest; None if it is none."""
    axes = [np.array([*dict.fromkeys(c.tolist())]) for c in columns]
    if math.prod(a.size for a in axes) != columns[0].size:
        return None
    points = np.meshgrid(*axes, indexing="ij")
    return axes if all(np.array_equal(p.ravel(), c) for p, c in zip(points, columns)) else None


def _stream(path, _):
    label = Path(path).with_name(f"{Path(path).name}.json")
    text = json.loads(label.read_text(encoding="utf-8"))
    axes = {k: np.array(v) for k, v in text["axes"].items()}
    file = StreamFile(path, text["about"], axes, text["last axis"][:-3])
    state = file.read()
    array = file.array("r")
    values = {n: np.array(array[..., k]) for k, n in enumerate(file.names)}
    return _sweep(axes, values, np.array(array[..., -2]), np.where(state > MISSING, state, MISSING), text["about"])
