"""Spectral laws and means over them.

Some measures have rules of nodes and weights; other averages are brought to them, or, for proofs, enclosed as they
stand.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sympy import Tuple

from ..errors import DomainError, StructureError
from ..gauss.measure import Gaussian
from ..nodes.average import Average, Measure
from ..nodes.named import free_of
from .compression import Eigenvalues
from .deep_covariance import DeepCovariance
from .law import Angle, MarchenkoPastur, MPResolvent, SpectralLaw, eliminate_companions
from .scales import Gamma, Poisson, StudentT
from .semicircle import Semicircle, free_sum

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from sympy import Basic, Expr, Symbol

    from ..annotations import Expression

__all__ = ["Angle", "DeepCovariance", "Eigenvalues", "Gamma", "MPResolvent", "MarchenkoPastur", "Poisson",
           "Semicircle", "SpectralLaw", "StudentT", "free_sum", "mean",
           "GRIDDED", "Kept", "write_by_rules", "kept_laws"]


def mean(integrand: Expression | float, law: Measure) -> Expr:
    """Return the spectral average of an expression under a law, as a sympy node.

    Parameters
    ----------
    integrand : Expr
    law : MarchenkoPastur, DeepCovariance, Eigenvalues or another SpectralLaw

    Returns
    -------
    Expr
        An average; ``.doit()`` closes rational functions and logarithms under a Marchenko-Pastur law.  Solvers sum
        others over the angle of the law, with some hundred nodes.

    Raises
    ------
    DomainError
        If `law` is no law.

    Examples
    --------
    >>> from sympy import symbols
    >>> D = symbols("D", positive=True)
    >>> mean(D**2, MarchenkoPastur(D, ratio=2, scale=1)).doit()
    3
    """
    if not isinstance(law, Measure):
        raise DomainError(f"law: got {law!r:.60}; expected MarchenkoPastur, DeepCovariance, Eigenvalues or another "
                          "SpectralLaw")
    return Average(integrand, law)


class Kept(Measure):
    """A law that programs for proofs keep, its eigenvalue alone."""

    def __new__(cls, law: DeepCovariance, D: Symbol | None = None) -> Self:
        return super().__new__(cls, law, Tuple(law.args[0] if D is None else D))

    @property
    def func(self) -> Callable[..., Kept]:
        return lambda law, symbols: Kept(law, *symbols)

    def __getnewargs__(self):
        return (self.law, *self.bound_symbols)

    @property
    def law(self) -> DeepCovariance:
        """The law itself."""
        return self.args[0]

    @property
    def title(self) -> tuple[Any, ...]:
        return self.law.title

    @property
    def bound_symbols(self) -> tuple[Symbol, ...]:
        return tuple(self.args[1])

    @property
    def free_symbols(self) -> set[Symbol]:
        return self.law.free_symbols

    def positivity(self, symbol: Symbol) -> int | None:
        return self.law.positivity(self.law.args[0])


def kept_laws(expr: Expr) -> Expr:
    """Put :class:`Kept` laws into averages without a closed form; other averages stay as they are."""
    if not expr.args or not _holds_law(expr):
        return expr
    if isinstance(expr, Average) and isinstance(expr.measure, DeepCovariance):
        return _kept(expr)
    args = [kept_laws(a) for a in expr.args]
    return expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)


@lru_cache(maxsize=1000)
def _kept(average):
    integrand = eliminate_companions(average.integrand, average.measure)
    if integrand is None or average.measure.close(average.integrand) is not None:
        return average
    return Average(integrand, Kept(average.measure))


@lru_cache(maxsize=50_000)
def _holds_law(expr: Basic) -> bool:
    return isinstance(expr, DeepCovariance) or any(map(_holds_law, expr.args))


GRIDDED = (Gaussian, Eigenvalues, Angle, Kept)


def write_by_rules(average):
    """Write an average under a law in closed form, or in averages for which there are rules."""
    closed = average.measure.close(average.integrand)
    if closed is None:
        closed = average.measure.resolved(average.integrand)
    if closed is None:
        raise StructureError(f"averages: {average} has no closed form and no quadrature rule; expected a measure with "
                             "the method `close` or `resolved`; of a spectral law, an integrand that is linear in the "
                             "variables other than the eigenvalue")
    if not average.measure.canonical and (left := free_of(closed) & set(average.bound_symbols)):
        raise StructureError(f"averages: the mean of {average.integrand} by {type(average.measure).__name__} still "
                             f"contains its variable {', '.join(map(str, left))}; expected `close` and `resolved` to "
                             "return the mean, without the variable")
    return closed
