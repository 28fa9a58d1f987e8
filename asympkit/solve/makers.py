"""Who makes the tables of a kernel, and the numbers that are means of activations: numpy, or compiled loops."""

from contextlib import nullcontext
from functools import cache

__all__ = ["COMPILED", "NUMPY"]


class NumpyTables:
    """By the numpy code of a module."""

    #: whether loops are asked for that numba compiles
    is_compiled = False

    def calling(self):
        """A block in which the maker works."""
        return nullcontext()

    def made(self, module, grid, arguments):
        """The tables of a grid and their error, or None where this maker has none."""
        return

    def __reduce__(self):
        return "NUMPY"


class CompiledTables(NumpyTables):
    """By loops that numba compiles, where a module has them: not for kinked activations."""

    is_compiled = True

    def calling(self):
        """A block in which compiled loops are called: Ctrl-C waits for its end."""
        return _held()()

    def made(self, module, grid, arguments):
        with self.calling():
            return getattr(module, f"{grid}_by_loops")(*arguments)

    def __reduce__(self):
        return "COMPILED"


@cache
def _held():
    """What holds Ctrl-C, loaded when the first loops are called."""
    from ..jobs.interrupts import held

    return held


NUMPY, COMPILED = NumpyTables(), CompiledTables()
