"""The file of a sweep: what is finished, written whole and at once, read back to go on."""

import csv
import hashlib
import itertools
import json
import os
import time
import zipfile
from pathlib import Path

import numpy as np

from .._version import __version__
from ..errors import DomainError, SweepFileError

#: seconds between two writes
PAUSE = 2.0
_MARK = "# asympkit sweep "


class SweepFile:
    """A ``.npz`` or ``.csv`` file that holds the finished points of one sweep.

    Parameters
    ----------
    path : str or Path
    about : dict of str to str
        What was asked for; a file about something else is not touched.
    axes : dict of str to ndarray
    names : sequence of str
        The quantities.

    Raises
    ------
    DomainError
        If the name has another ending, or the file is no sweep, or one of something else.
    """

    def __init__(self, path, about, axes, names):
        self.path = Path(os.fspath(path))
        if self.path.suffix not in (".npz", ".csv"):
            raise DomainError(f"file: got {str(path)!r}; expected a name that ends in .npz or .csv")
        if not self.path.parent.is_dir():
            raise DomainError(f"file: got {str(path)!r}; the folder {str(self.path.parent)!r} does not exist")
        self.about, self.axes, self.names = about, axes, tuple(names)
        self.shape = tuple(a.size for a in axes.values())
        self._written = time.monotonic()

    def read(self):
        """Values of shape (*axes, quantities and residual), converged, finished; None where there is no file."""
        if not self.path.exists():
            return None
        try:
            found, data = (self._read_npz if self.path.suffix == ".npz" else self._read_csv)()
        except (OSError, ValueError, KeyError, EOFError, IndexError, StopIteration, zipfile.BadZipFile) as error:
            raise DomainError(f"file: {str(self.path)!r} is no file of a sweep ({str(error) or 'it ends too early'}); "
                              "give another name") from error
        for key in sorted({*self.about, *found}):
            if self.about.get(key) != found.get(key):
                raise DomainError(f"file: {str(self.path)!r} holds another sweep: there {key} is "
                                  f"{str(found.get(key))[:60]}, here {str(self.about.get(key))[:60]}; "
                                  "give another name, or remove the file")
        return data

    def write(self, values, converged, finished, at_last=False):
        """Write everything, unless the last time was a moment ago; whether it was written."""
        if not at_last and time.monotonic() - self._written < PAUSE:
            return False
        self._written = time.monotonic()
        name = self.path.with_name(f".{self.path.stem}.{os.getpid()}{self.path.suffix}")
        try:
            (self._write_npz if self.path.suffix == ".npz" else self._write_csv)(name, values, converged, finished)
            os.replace(name, self.path)     # a reader sees the old file or the new one, never half of one
        finally:
            name.unlink(missing_ok=True)
        return True

    # -- formats --------------------------------------------------------------------------------------------

    def _write_npz(self, name, values, converged, finished):
        quantities = {n: np.where(converged, values[..., k], np.nan) for k, n in enumerate(self.names)}
        with open(name, "wb") as stream:
            np.savez_compressed(stream, **{f"axis_{k}": v for k, v in self.axes.items()}, **quantities,
                                residual=values[..., -1], converged=converged, finished=finished,
                                about=np.array(json.dumps(self.about)))
            _flush(stream)

    def _read_npz(self):
        with open(self.path, "rb") as stream, np.load(stream, allow_pickle=False) as data:
            found = json.loads(str(data["about"]))
            if found != self.about:
                return found, None
            values = np.stack([data[n] for n in (*self.names, "residual")], axis=-1)
            return found, (values, data["converged"], data["finished"])

    def _write_csv(self, name, values, converged, finished):
        with open(name, "w", newline="", encoding="utf-8") as stream:
            stream.write(_MARK + json.dumps(self.about) + "\n")
            out = csv.writer(stream)
            out.writerow([*self.axes, *self.names, "residual", "converged"])
            for index in itertools.product(*map(range, self.shape)):
                if finished[index]:
                    row = [float(a[i]) for a, i in zip(self.axes.values(), index)]
                    row += [float(v) if converged[index] else float("nan") for v in values[index][:-1]]
                    out.writerow([*map(repr, row), repr(float(values[index][-1])), int(converged[index])])
            _flush(stream)

    def _read_csv(self):
        with open(self.path, newline="", encoding="utf-8") as stream:
            first = stream.readline()
            if not first.startswith(_MARK):
                raise ValueError("its first line does not say which")
            about = json.loads(first[len(_MARK):])
            rows = csv.reader(stream)
            columns = next(rows)
            if about == self.about and columns != [*self.axes, *self.names, "residual", "converged"]:
                raise ValueError("its columns are others")
            return about, self._points(rows) if about == self.about else None

    def _points(self, rows):
        values = np.full((*self.shape, len(self.names) + 1), np.nan)
        converged, finished = np.zeros(self.shape, dtype=bool), np.zeros(self.shape, dtype=bool)
        places = [{float(x): i for i, x in reversed(list(enumerate(a)))} for a in self.axes.values()]
        twice = any(len(p) < a.size for p, a in zip(places, self.axes.values()))
        order = itertools.product(*map(range, self.shape))
        for row in rows:
            at = tuple(p[float(x)] for p, x in zip(places, row))
            if twice:                        # equal values on an axis: the order tells the points apart
                at = next(i for i in order if all(float(a[k]) == float(x)
                                                  for a, k, x in zip(self.axes.values(), i, row)))
            numbers = row[len(at):]
            values[at], converged[at], finished[at] = list(map(float, numbers[:-1])), int(numbers[-1]), True
        return values, converged, finished


def _flush(stream):
    stream.flush()
    os.fsync(stream.fileno())


def about(model, axes, fixed, rtol, backend):
    """What decides the numbers of a sweep, as texts."""
    known = {"version": __version__, "theory": model.name, "equations": model.kernel.module.__name__,
             "rtol": repr(rtol), "backend": backend, **{label: f.name for label, f in model.functions.items()}}
    known |= {f"axis {k}": f"{a.size} values {_digest(a)}" for k, a in axes.items()}
    known["axes"] = ", ".join(axes)
    return known | {f"parameter {k}": _text(v) for k, v in sorted(fixed.items())}


def _text(value):
    return f"{np.size(value)} values {_digest(value)}" if np.ndim(value) and not isinstance(value, list | tuple) \
        else repr(value)


def _digest(array):
    return hashlib.sha256(np.ascontiguousarray(array, dtype=float).tobytes()).hexdigest()[:16]


def refusal(path, error, finished, total, sweep):
    """The error of a file that could not be written."""
    reason = error.strerror or str(error) or type(error).__name__
    return SweepFileError(f"file: could not write {str(path)!r} ({reason}); {finished} of {total} points are finished "
                          "and kept in the attribute sweep of this error: save them elsewhere with to_npz or to_csv",
                          sweep)
