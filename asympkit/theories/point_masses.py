"""Reject derivatives of activations that contain point masses, which sampling misses."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import StructureError
from ..program.statements import Means, Program

__all__ = ["refuse_point_masses", "refuse_sampled_point_masses"]


def refuse_point_masses(where: str, applied: Iterable[Any], functions: Mapping[str, Any]) -> None:
    """Raise if a derivative of an activation contains a point mass.

    Parameters
    ----------
    where : str
        Name of the expression with the derivatives.
    applied : iterable
        With ``label`` and ``order``.
    functions : dict
        ``{label: Activation}``.
    """
    for a in applied:
        f = functions[a.label]
        if a.order and f.jumps or a.order > 1 and f.kinks:
            what = f"jumps at {f.jumps[0][0]}" if f.jumps else f"has a kink at {f.kinks[0]}"
            raise StructureError(f"{where}: {a.label} = {f.name!r} {what}, so that its derivative of order {a.order} "
                                 "holds a point mass; expected a smoother activation, or the average integrated by "
                                 "parts (E[f'(z)] = E[z*f(z)])")


def refuse_sampled_point_masses(where: str, program: Program, functions: Mapping[str, Any]) -> None:
    """Raise the same error for the derivatives in the tables of a program."""
    steps = [s for g in program.grids for s in g.preparation if isinstance(s, Means)]
    refuse_point_masses(where, steps, functions)
