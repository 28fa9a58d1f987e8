"""Sweeps read from their files, whoever wrote them: ``to_csv``, ``to_npz``, or a sweep with ``file=``."""

import csv
import json
import math
from contextlib import suppress
from pathlib import Path
from zipfile import is_zipfile

import numpy as np

from ..arguments.requests import check_path
from ..errors import DomainError
from ..jobs.checksums import read_mark
from ..jobs.file import read_npz
from .file import _MARK
from .result import ABOUT, Sweep
from .states import MISSING, NAMES, is_solved
from .stream import StreamFile

__all__ = ["load_sweep"]

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
    """What the file says of the sweep."""
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
