r"""The singular values of the features after a step: the bulk of the untrained ones, and the spikes that leave it.

With the traces at :math:`\lambda=-x`, :math:`\chi=V_2/(1+V)`, the singular matrices of the equations of the readouts
locate the spikes: eigenvalues x of :math:`FF^\top/N` where :math:`\det(G+(\Theta A_m\Theta)^{-1})=0`.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from sympy import lambdify

from ...errors import DomainError
from ...nodes import remove_names
from ..declaration import read_values
from ..spiked_features.feature_law import FeatureLaw
from ..spiked_features.spectrum import Outlier, Spectrum
from .equations import FINITE_TOP, symbols
from .finite_step import finite_parameters, spike_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["singular_spectrum"]


def singular_spectrum(theory: Any, parameters: Mapping[str, Any]) -> Spectrum:
    """Return the spectrum of :math:`F/\\sqrt n` as :meth:`asympkit.NonlinearSpikes.spectrum` describes."""
    given = {k: v for k, v in theory.given(parameters).items() if k != "lam" and v is not None}
    shown = read_values(tuple(p for p in theory.declared if p.name != "lam"), given, theory.name)
    phi, psi, eta, n = shown["phi"], shown["psi"], shown.get("eta"), shown.get("n")
    if (eta is None) is not (n is None):
        raise DomainError("spectrum: got one of eta and n; a finite step size needs both, and the limit of diverging "
                          "spikes neither")
    kappa = psi / phi
    law = FeatureLaw(theory.student, 0.0, 1.0, 1.0 / phi, 1.0 / psi)
    at = {k: v for k, v in shown.items() if v is not None}
    if eta is None:
        theory.warn(theory._assumptions(shown["degree"]))
        outliers = tuple(Outlier(math.inf, math.nan, "spike") for _ in theory.degrees(shown["degree"]))
    else:
        finite = theory.finite.point({**{k: v for k, v in at.items() if k in given}, "lam": 1.0})
        values = dict(zip(theory.finite.kernel.module.PARAMETERS, finite.values))
        outliers = tuple(Outlier(math.sqrt(x / kappa), math.nan, "spike") for x in _leaving(law, values))
    share = (1.0 - law.atom) / min(1.0, kappa)

    def density(s):
        return 2.0 * kappa * s * law.density(kappa * s * s) / min(1.0, kappa)

    def draw(**settings):
        from ...simulate import nonlinear_singular_values
        from .theory import _centred

        if eta is None:
            raise DomainError("simulate: got diverging spikes; expected a finite step size: give eta and n")
        found = nonlinear_singular_values(
            _centred(theory, "student"), _centred(theory, "target"), phi=phi, psi=psi, eta=eta, n=round(n),
            noise_variance=shown["noise_variance"], rows=theory.rows, initial_output=theory.initial_output, **settings)
        return found.values[::-1][None] / math.sqrt(found.n)

    return Spectrum(np.sqrt(law.edges / kappa), 1.0 - share, outliers, at, density, draw,
                    "singular values of $F/\\sqrt{n}$")


def _leaving(law, values):
    """Return the eigenvalues of FF'/N above the bulk, the largest first."""
    matrix, order = _matrix(), [p.name for p in finite_parameters()]
    given = [values[name] for name in order]
    m = law.real

    def eigenvalue(x, which):
        V1, V2 = law.above(x)
        chi = V2 / (1.0 + V1 * m.mu1[0] ** 2 + V2 * m.mu2sq[0])
        return np.linalg.eigvalsh(np.array(matrix(chi, *given), dtype=float))[which]

    found, edge = [], law.right[-1][0]
    for which in range(FINITE_TOP):
        if eigenvalue(edge, which) >= 0.0:
            break
        high = law.right[0][0]
        while eigenvalue(high, which) <= 0.0:
            high *= 2.0
        found.append(brentq(eigenvalue, edge, high, (which,), xtol=4e-16 * high, rtol=1e-15))
    return found


@cache
def _matrix():
    """Return the matrix of the readouts as a function of chi and the parameters at a finite step size."""
    entry, _, _ = spike_matrix()
    degrees = range(1, FINITE_TOP + 1)
    rows = [[remove_names(entry(i, j)) if (i + j) % 2 == 0 else 0 for j in degrees] for i in degrees]
    return lambdify((symbols().chi, *finite_parameters()), rows, "numpy", cse=True)
