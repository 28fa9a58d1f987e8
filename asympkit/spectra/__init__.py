"""Spectral laws and means over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import DomainError
from ..nodes.average import Average, Measure
from .compression import Eigenvalues
from .deep_covariance import DeepCovariance
from .law import Angle, SpectralLaw
from .marchenko_pastur import MarchenkoPastur, MPResolvent

if TYPE_CHECKING:
    from sympy import Expr

    from ..annotations import Expression


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


__all__ = ["Angle", "DeepCovariance", "Eigenvalues", "MPResolvent", "MarchenkoPastur", "SpectralLaw", "mean"]
