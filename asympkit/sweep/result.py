"""``Sweep``: quantities on a grid of parameters, and parts of it."""

from __future__ import annotations

import csv
import itertools
import json
import numbers
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import check_path, quote
from ..errors import DomainError, NotAvailableError, SweepFileError, UnknownNameError, suggest
from ..notation import add_title, escape_html, table
from ..notation import name as in_html
from ..notation import summarise as in_short
from ..plot.sweeps import draw_sweep
from .pieces import abbreviate_statuses, convert_statuses, is_solved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    import pandas
    import xarray
    from numpy.typing import NDArray

    from ..annotations import Arrays, Bools, Floats, Path


#: relative distance of a number from the point of an axis that it means
_SAME = 1e-9


def select_part(sweep, wanted):
    """See :meth:`asympkit.sweep.Sweep.sel`."""
    for name in wanted:
        if name not in sweep.axes:
            raise UnknownNameError(f"sel: no axis {name!r}{suggest(name, sweep.axes)}; the axes are "
                                   f"{', '.join(sweep.axes)}")
    places = {n: _places(n, wanted[n], a) if n in wanted else slice(None) for n, a in sweep.axes.items()}
    at = {n: float(sweep.axes[n][p]) for n, p in places.items() if isinstance(p, int)}
    kept = {n: a[places[n]] for n, a in sweep.axes.items() if n not in at}

    def part(values):
        for k, place in reversed([*enumerate(places.values())]):        # axis by axis, so that lists do not pair up
            values = values[(slice(None),) * k + (place,)]
        return np.asarray(values)

    found = Sweep(kept, {n: part(sweep[n]) for n in sweep.names}, part(sweep.residual), part(sweep._state),
                  {**sweep.parameters, **at}, sweep.rtol, {n: part(v) for n, v in sweep.derived.items()})
    found.jumps = tuple(j for j in sweep.jumps if j.axis in kept and _is_there(j, kept, at))
    return found


def _is_there(jump, axes, at):
    """Return whether a jump is one between points of a part."""
    beside = all(v in axes[n] if n in axes else v == at[n] for n, v in jump.at.items())
    return beside and all(v in axes[jump.axis] for v in jump.between)


def _places(name, wanted, axis):
    """Find the requested values on an axis: an int for a number, otherwise an array of ints."""
    if isinstance(wanted, slice):
        if wanted.step is not None:
            raise DomainError(f"sel: got {wanted!r} for {name}; expected slice(low, high), without a step")
        low = -np.inf if wanted.start is None else _real(name, wanted.start)
        high = np.inf if wanted.stop is None else _real(name, wanted.stop)
        found = np.flatnonzero((axis >= low) & (axis <= high))
        if not found.size:
            raise DomainError(f"sel: no point of {name} lies between {low:g} and {high:g}; it goes from {axis.min():g} "
                              f"to {axis.max():g}")
        return found
    if np.ndim(wanted) == 0:
        return _place(name, _real(name, wanted), axis)
    values = list(wanted)
    if np.ndim(wanted) != 1 or not values:
        raise DomainError(f"sel: got {quote(wanted)} for {name}; expected a number, a list of numbers or "
                          "slice(low, high)")
    return np.array([_place(name, _real(name, v), axis) for v in values])


def _place(name, value, axis):
    with np.errstate(invalid="ignore"):
        away = np.where(axis == value, 0.0, np.abs(axis - value))       # inf is its own neighbour
    place = int(np.argmin(away))
    if not away[place] <= _SAME * abs(value):
        raise DomainError(f"sel: got {name} = {value:g}, which is no point of the sweep; the nearest is "
                          f"{axis[place]:.15g}")
    return place


def _real(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or np.isnan(value):
        raise DomainError(f"sel: got {quote(value)} for {name}; expected a number, a list of numbers or "
                          "slice(low, high)")
    return float(value)


#: where an archive holds what did not vary
ABOUT = "about the sweep"


class Sweep:
    """Hold solutions on a grid.

    Attributes
    ----------
    axes : dict of str to ndarray
        The parameters that vary, in the order given; results have one dimension for each.
    converged : ndarray of bool
        Whether the equations hold and the averages reached the accuracy asked for.
    status : ndarray of Status
        Why a point did not converge; ``str()`` of each is a sentence that says what to do.
    residual : ndarray
        Largest scaled residual of the equations, point by point.
    parameters : dict
        The parameters that do not vary.
    rtol : float
        Accuracy asked for.
    derived : dict of str to ndarray
        Quantities that follow from the parameters alone, such as ``gamma`` of a gradient step; they are read like the
        others, and written to files by :meth:`to_csv` and others.
    jumps : tuple
        Neighbours on different branches of solutions, for theories that may have several.
    backend : str
        ``"numpy"`` or ``"numba"``: what solved the points (those that failed at first are tried again by numpy); empty
        for a sweep that was loaded.

    Notes
    -----
    ``sweep["test_error"]`` is the array of an observable or order parameter.  Points that did not
    converge hold NaN.  Sweeps are made by :meth:`~asympkit.OneStep.sweep` and :meth:`load`.

    Examples
    --------
    >>> import asympkit as ak
    >>> sweep = ak.Ridge(([1], [4]), [1], 1).sweep(n=[2, 8], lam=[0, 0.5])
    >>> sweep.shape, round(float(sweep["test_error"][0, 0]), 12)
    ((2, 2), 0.5)
    """

    def __init__(self, axes: Mapping[str, Floats], values: Mapping[str, Floats], residual: Floats,
                 state: NDArray[np.int8], parameters: Mapping[str, Any], rtol: float,
                 derived: Mapping[str, Floats] | None = None) -> None:
        self.axes, self.parameters, self.rtol = dict(axes), dict(parameters), rtol
        self.residual, self._state = residual, state
        self.converged: Bools = is_solved(state)
        self.jumps: tuple[Any, ...] = ()
        self.backend = ""
        self._values, self.derived = dict(values), dict(derived or {})

    @property
    def status(self) -> NDArray[np.object_]:
        """Return what became of each point, an array of :class:`~asympkit.solve.solution.Status`."""
        return convert_statuses(self._state)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quantities that were solved for."""
        return tuple(self._values)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of points along each axis."""
        return self.converged.shape

    def __getitem__(self, name: str) -> Floats:
        if not isinstance(name, str):
            raise UnknownNameError(f"sweep: got {name!r} in brackets; expected the name of a quantity or axis: "
                                   f"{', '.join([*self._values, *self.derived, *self.axes])}")
        for where in (self._values, self.axes, self.derived):
            if name in where:
                return where[name]
        known = [*self._values, *self.derived, *self.axes]
        raise UnknownNameError(f"sweep: no quantity {name!r}{suggest(name, known)}; known are {', '.join(known)}")

    def sel(self, where: Mapping[str, Any] | None = None, /, **axes: Any) -> Sweep:
        """Return the part of the sweep at some points of its axes.

        Parameters
        ----------
        where : dict, optional
            The same as keywords, for names that are no identifiers.
        **axes : float, list of float or slice
            A number fixes an axis, which then is one of ``parameters``; a list keeps these points of it;
            ``slice(low, high)`` keeps those between two values, both included.  A number must be a point of the axis.

        Returns
        -------
        Sweep

        Raises
        ------
        UnknownNameError
            For a name that is no axis.
        DomainError
            For a value that is no point of the axis; the error says which is nearest.
        """
        return select_part(self, {**(where or {}), **axes})

    @classmethod
    def load(cls, path: Path, axes: str | Sequence[str] | None = None) -> Sweep:
        """Read a sweep from a file: of :meth:`to_npz`, of :meth:`to_csv`, or of a sweep with ``file=`` (``.npz``,
        ``.csv``, ``.npy``).

        Parameters
        ----------
        path : str or Path
        axes : sequence of str, optional
            Which first columns of a ``.csv`` are axes, where the file does not show it.

        Returns
        -------
        Sweep
            With the same numbers, bit for bit.  A file of :meth:`to_csv` does not hold the parameters that did not
            vary, nor the accuracy that was asked for; one of a sweep with ``file=`` holds no derived quantities.

        Raises
        ------
        DomainError
            For a file that is none of a sweep, or a damaged one.
        """
        from .file import load_sweep

        return load_sweep(path, axes)

    def _in_files(self) -> Arrays:
        """Return quantities by name; one that is called like something else in a file is called ``quantity_<name>``
        there."""
        taken = {"residual", "converged", "status", ABOUT, "file", "allow_pickle", *self.axes}
        taken |= {f"axis_{k}" for k in self.axes}
        return {f"quantity_{n}" if n in taken or n.startswith("quantity_") else n: v
                for n, v in (self._values | self.derived).items()}

    def to_csv(self, path: Path) -> Path:
        """Write one line a point: axes, quantities, residual, converged, status in a word.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        str or Path
            As given.

        Raises
        ------
        DomainError
            If there is no such folder.
        SweepFileError
            If the file cannot be written.
        """
        status = abbreviate_statuses(self._state)
        with self._written(path), open(path, "w", newline="", encoding="utf-8") as stream:
            out = csv.writer(stream)
            out.writerow([*self.axes, *self._in_files(), "residual", "converged", "status"])
            for index in itertools.product(*(range(n) for n in self.shape)):
                row = [repr(float(a[i])) for a, i in zip(self.axes.values(), index)]
                row += [repr(float(v[index])) for v in (self._values | self.derived).values()]
                out.writerow([*row, repr(float(self.residual[index])), int(self.converged[index]), status[index]])
        return path

    def to_npz(self, path: Path) -> Path:
        """Write axes (``axis_<name>``), quantities, residual, converged and status to a compressed numpy archive.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        str or Path
            As given.

        Raises
        ------
        DomainError, SweepFileError
            As for :meth:`to_csv`.
        """
        arrays: dict[str, Any] = {**{f"axis_{k}": v for k, v in self.axes.items()}, **self._in_files()}
        known = {f"parameter {k}": repr(v) for k, v in self.parameters.items()}
        arrays[ABOUT] = np.array(json.dumps({"rtol": repr(self.rtol), "names of axes": list(self.axes),
                                           "names of quantities": list(self._in_files()), **known}))
        with self._written(path):
            np.savez_compressed(path, residual=self.residual, converged=self.converged,
                                status=abbreviate_statuses(self._state),
                                **arrays)
        return path

    @contextmanager
    def _written(self, path: Path) -> Iterator[None]:
        """Raise an error that names a file that cannot be written; the sweep is not lost."""
        check_path("path", path)
        try:
            yield
        except OSError as error:
            raise SweepFileError(f"path: could not write {str(path)!r} ({error.strerror or error}); give another name",
                                 self) from error

    def to_xarray(self) -> xarray.Dataset:
        """Return an ``xarray.Dataset`` (needs the extra ``tables``)."""
        try:
            import xarray
        except ImportError as error:
            raise NotAvailableError("to_xarray: xarray is not installed; install asympkit[tables]") from error
        known = {"residual": self.residual, "converged": self.converged, "status": abbreviate_statuses(self._state)}
        data = {k: (tuple(self.axes), v) for k, v in {**known, **self._in_files()}.items()}
        return xarray.Dataset(data, coords=self.axes, attrs={k: str(v) for k, v in self.parameters.items()})

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a ``pandas.DataFrame``: a row for each point, its index the axes (needs the extra ``tables``)."""
        try:
            import pandas
        except ImportError as error:
            raise NotAvailableError("to_dataframe: pandas is not installed; install asympkit[tables]") from error
        columns = {**self._in_files(), "residual": self.residual, "converged": self.converged,
                   "status": abbreviate_statuses(self._state)}
        index = pandas.MultiIndex.from_product(list(self.axes.values()), names=list(self.axes))
        return pandas.DataFrame({k: np.ravel(v) for k, v in columns.items()}, index=index)

    def plot(self, name: str | Sequence[str] | None = None, over: str | None = None, ax: Any = None,
             **style: Any) -> Any:
        """Draw a quantity, or several: curves over one axis, a heat map with contours over two, a heat map for each
        value of the first of three.

        Scales are logarithmic where axes or values are spread over decades.  Points that did not converge are left out,
        and marked or hatched.

        Parameters
        ----------
        name : str or list of str, optional
            ``test_error`` unless given, or where there is none the first of :attr:`names`.
        over : str, optional
            Draw curves over this axis, one for each point of the other, in place of a heat map.
        ax : matplotlib axes, optional
            To draw on; an array of them where there are several panels.
        **style
            Passed to matplotlib.

        Returns
        -------
        matplotlib axes
            An array of them where there are several panels.

        Raises
        ------
        DomainError
            If the sweep has more axes than a picture; :meth:`sel` fixes some.
        NotAvailableError
            Without matplotlib.

        """
        return draw_sweep(self, name, over, ax, style)

    def __repr__(self) -> str:
        size = " x ".join(f"{k}[{v.size}]" for k, v in self.axes.items()) or "of one point"
        return f"<Sweep {size}, {int(self.converged.sum())} of {self.converged.size} points converged>"

    def _ipython_key_completions_(self) -> list[str]:
        return [*self._values, *self.derived, *self.axes]

    def _repr_html_(self) -> str:
        axes = [(in_html(k), v.size, v.min(), v.max()) for k, v in self.axes.items()]
        found = [(in_html(k), *_range(v)) for k, v in self._values.items()]
        fixed = ", ".join(f"{in_html(k)} = {escape_html(in_short(v))}" for k, v in self.parameters.items())
        count = f"{int(self.converged.sum())} of {self.converged.size} points converged"
        return add_title(f"Sweep: {count}", f"<div>{fixed}</div>", table(axes, ("axis", "points", "from", "to")),
                      table(found, ("quantity", "smallest", "largest")))


def _range(values: Floats) -> tuple[Any, Any]:
    """Return the smallest and largest number, or dashes where there is none."""
    known = values[np.isfinite(values)]
    return (known.min(), known.max()) if known.size else ("-", "-")
