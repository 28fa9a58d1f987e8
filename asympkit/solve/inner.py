"""Coarser rules for the sums inside the sums of a kernel, where many points are to be solved on its tables."""

from itertools import chain

import numpy as np

__all__ = ["thinner"]


def thinner(kernel, tables, level, table_parameters, activations):
    """Tables with fewer nodes for sums inside sums, the fewest first (a generator).

    Rules around and inside have the same level, though what an inner sum needs has nothing to do with what the outer
    one does.  Whether the coarser ones are enough is for the caller to find out.

    Parameters
    ----------
    kernel : Kernel
    tables : list of ndarray
        Tables and weights of all grids.
    level : int
        Their level.
    table_parameters, activations
        As for :meth:`Kernel.tables`.
    """
    module = kernel.module
    pairs = dict(zip(module.GRIDS, zip(tables[::2], tables[1::2])))
    inner = [grid for grid in getattr(module, "INNER", ()) if grid not in getattr(module, "GIVEN", {})]
    for coarse in range(level if inner else 0):
        with np.errstate(all="ignore"):
            made = {grid: getattr(module, f"{grid}_rule")((coarse,), *table_parameters, *activations)[0][0]
                    for grid in inner}
        if all(weights.size < pairs[grid][1].size for grid, (_, weights) in made.items()):
            yield list(chain.from_iterable((pairs | made).values()))
