"""Spectral laws and means over them."""

from ..nodes.average import Average
from .eigenvalues import Eigenvalues
from .marchenko_pastur import MarchenkoPastur, MPResolvent


def mean(integrand, law):
    """Spectral average of an expression under a law, as a sympy node.

    Parameters
    ----------
    integrand : Expr
    law : MarchenkoPastur or Eigenvalues

    Returns
    -------
    Expr
        An average; ``.doit()`` closes rational functions under a Marchenko-Pastur law.
    """
    return Average(integrand, law)


__all__ = ["Eigenvalues", "MPResolvent", "MarchenkoPastur", "mean"]
