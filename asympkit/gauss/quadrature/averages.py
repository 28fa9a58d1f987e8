"""Gaussian averages in double precision: choose the rule, and raise ConvergenceError if none converges."""

import numpy as np

from ...errors import ConvergenceError, DomainError
from .integrands import Integrands, check_functionals
from .panels import panels
from .residues import residues
from .trapezoid import trapezoid

#: target error and largest accepted error, relative to powers of the root of E f^2
AIM, LIMIT = 1e-13, 1e-12


def gaussian_quadrature(activation, functionals, a=0.0, b=1.0):
    r"""Return the averages :math:`E[f(a+bZ)^p\,h_k(Z)]` over a standard normal variable, with their errors.

    Parameters
    ----------
    activation : Activation
    functionals : sequence of (p, k)
        Power 1 or 2 of the activation and order k of the orthonormal probabilists' Hermite polynomial
        :math:`h_k=\mathrm{He}_k/\sqrt{k!}`: (1, 0) is the mean, (1, 1) is :math:`E[Zf]`, (2, 0) is
        :math:`E[f^2]`.
    a, b : float
        Shift and non-negative scale of the argument.

    Returns
    -------
    values, estimates : ndarray
        Averages and bounds for their absolute errors as observed: the difference of two rules, and
        rounding.

    Raises
    ------
    DomainError
        If a scale is negative, a functional is unknown or :math:`E f^2` is infinite.
    ConvergenceError
        If an estimate exceeds :math:`10^{-12}(E f^2)^{p/2}`.

    Notes
    -----
    Analytic integrands are summed on a lattice that is halved until it stands still. Where singularities
    near the real line make that slow, the residues of a meromorphic activation correct the sum; any other
    activation, and one with kinks, is integrated on adaptive Gauss-Legendre panels.
    """
    wanted = check_functionals(functionals)
    a, b = float(a), float(b)
    if not (np.isfinite(a) and np.isfinite(b) and b >= 0.0):
        raise DomainError(f"a, b: got {a!r}, {b!r}; expected finite numbers with b >= 0")
    activation.require_second_moment(b * b)
    integrands = Integrands(activation, (*wanted, (2, 0)), a, b)
    found = next((result for result in _results(integrands) if result is not None), None)
    if found is None:
        raise ConvergenceError(f"quadrature: the averages of {activation.name!r} do not converge at the finest "
                               "rule of double precision; pass digits, for example digits=20")
    values, estimates = found
    reached = float(np.max(estimates / integrands.sizes(values[-1])))
    if not reached <= LIMIT:
        raise ConvergenceError(f"quadrature: the averages of {activation.name!r} are known to {reached:.1e} of the "
                               f"root of its second moment, {LIMIT:.0e} is wanted; pass digits, for example "
                               "digits=20")
    return values[:-1], estimates[:-1]


def _results(integrands):
    """Yield the results of the rules, cheapest first; None where one does not apply or does not converge."""
    if not integrands.activation.kinks_float:
        yield trapezoid(integrands, AIM)
    if not integrands.activation.kinks:
        yield residues(integrands, AIM)
    yield panels(integrands, AIM)
