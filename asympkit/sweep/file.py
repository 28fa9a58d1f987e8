"""The file of a sweep: its finished points, as an archive of numpy or as a table of text."""

import csv
import itertools

import numpy as np

from .._version import __version__
from ..errors import SweepFileError
from ..jobs.file import ResultFile, failed_write, marked_text, read_mark, read_npz, several, write_npz
from .states import MISSING, NAMES, is_solved

_MARK = "# asympkit sweep "
#: names in an archive that are not those of quantities
_TAKEN = {"file", "about", "checksum", "residual", "converged", "finished", "status"}


class SweepFile(ResultFile):
    """A ``.npz`` or ``.csv`` file that holds the finished points of one sweep (``.npy``: :mod:`.stream`).

    Parameters
    ----------
    path : str or Path
    about : dict of str to str
        What was asked for.
    axes : dict of str to ndarray
    names : sequence of str
        The quantities.

    Notes
    -----
    The data are ``values``, with quantities and residual along the last axis, and ``state``, what became of each
    point (:mod:`.states`).
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
        with marked_text(path, _MARK, self.about) as stream:
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
    """The name of a quantity in an archive: its own, unless that means something else there."""
    return f"quantity_{name}" if name in _TAKEN or name.startswith(("axis_", "quantity_")) else name


def about(model, axes, fixed, rtol, backend, start):
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
    """The error of a file that could not be written."""
    where = "in the attribute sweep of this error: save them elsewhere with to_npz or to_csv"
    return SweepFileError(failed_write(path, error, finished, total, "points", where), sweep)
