"""Read and write the file of a simulation, which holds the finished repeats."""

import json

import numpy as np

from ..._version import __version__
from ...errors import DomainError
from ...jobs.file import ResultFile, read_npz, several, write_npz


class SimulationFile(ResultFile):
    """Keep the indices of the finished repeats (``repeat``) and their observables by name in a ``.npz`` file.

    The number of repeats does not identify a file: repeat k draws the same for any number, so that more repeats can
    be added.
    """

    kind = "simulation"

    def read_from(self, path):
        found, data = read_npz(path)
        if found != self.about:
            return found, None
        names = json.loads(str(data["names"]))
        return found, {int(k): {name: data[name][i] for name in names} for i, k in enumerate(data["repeat"])}

    def write_to(self, path, results):
        order = sorted(results)
        names = list(results[order[0]]) if order else []
        arrays = {name: np.array([results[k][name] for k in order]) for name in names}
        arrays |= {"repeat": np.array(order, dtype=int), "names": np.array(json.dumps(names))}
        write_npz(path, self.about, arrays)


def about(worker, settings, seed):
    """Return the settings that determine the numbers of a repeat, as texts."""
    known = {"version": __version__, "simulation": worker.__name__, "seed": repr(seed)}
    for name, value in settings.items():
        if callable(value):
            known[name] = _name(name, value)
        else:
            known[name] = several(value) if isinstance(value, np.ndarray) else repr(value)
    return known


def _name(label, function):
    """Return a text that identifies a function in later runs."""
    name = getattr(function, "name", None)
    if isinstance(name, str):
        return name
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", "")
    if not name or "<" in name:
        raise DomainError(f"file: {label}={function!r} has no name by which a later run could know it; expected an "
                          "Activation or a function of module level")
    return f"{getattr(function, '__module__', None) or type(function).__name__}.{name}"
