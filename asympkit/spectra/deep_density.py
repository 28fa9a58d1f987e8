"""Density and edges of the law of a deep covariance as functions that programs hold."""

from functools import cache

from sympy import Function

from ..numbers.functions import entry, register
from ..numbers.functions.deep_density import entries_of_shape

__all__ = ["functions"]


class _OfLaw(Function):
    """A real function of a place and of the numbers of a law."""

    def _eval_is_extended_real(self):
        return True

    def __reduce_ex__(self, protocol):
        return remade, (self.shape, self.which, self.args)

    def _sympystr(self, printer):
        return f"{self.shown}({printer._print(self.args[0])})"

    def _latex(self, printer, exp=None):
        body = rf"{self.head}\left({printer._print(self.args[0])}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"


@cache
def functions(layers, masses):
    """Return the listed sympy classes of density and edge for so many layers and eigenvalues."""
    names = [f"{name}{layers}of{masses}" for name in ("DeepDensity", "DeepEdge")]
    if (found := [entry(n) for n in names])[0] is not None:
        return tuple(e.sympy_class for e in found)
    shapes = {"nargs": 1 + 3 * layers + 2 * masses, "shape": (layers, masses), "__module__": __name__}
    made = [type(n, (_OfLaw,), {**shapes, "which": k, "head": head, "shown": shown})
            for k, (n, head, shown) in enumerate(zip(names, (r"\varrho", r"D_\pm"), ("density", "edge")))]
    for record in entries_of_shape(layers, masses, *made):
        register(record)
    return tuple(made)


def remade(shape, which, arguments):
    """Rebuild an unpickled function."""
    return functions(*shape)[which](*arguments)
