"""``ak.Ridge`` and ``ak.ridge_error``: ridge regression on features of a given covariance (arXiv 2402.13999).

Draw ridge regression on Gaussian features with a given spectrum and target.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
from sympy import Rational, Symbol

from ...arguments import check_value
from ...errors import ConvergenceError, DomainError
from ...nodes import Named
from ...once import computed_once
from ...spectra import Eigenvalues, mean
from ...spectra.compression import MANY, compress
from ..declaration import Parameter, Penalty, simulator_of
from ..theory import Theory
from . import Ridgeless
from .matrix import MatrixEntries, read_spectrum

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...annotations import Value
    from ...solve.solution import Solution
    from ...spectra.compression import Compressed

#: number of features by default, and of entries of the largest matrix of samples: 3.2 GB
_FEATURES, _MOST = 1000, 4 * 10**8


def draw(rng, size, *, n, lam, noise_variance, rho, features, eigenvalues, weights, alignment):
    """Return the errors of one regression with ``size`` times the features of every eigenspace, and the samples.

    The copies have the same limit, and are nearer to it.
    """
    k = len(eigenvalues)
    counts = np.maximum(1, np.rint(size * features * np.asarray(weights) / k)).astype(int)
    D, p, samples = np.repeat(eigenvalues, counts), int(counts.sum()), max(1, round(n * size))
    if samples * p > _MOST:
        raise DomainError(f"copies: got {size}, for which {samples} samples of {p} features take "
                          f"{8e-9 * samples * p:.1f} GB; expected at most {8e-9 * _MOST:.1f} GB: fewer copies, or "
                          "fewer samples and features")
    psi = rng.standard_normal(p)            # its direction in each eigenspace is arbitrary
    for group, T in zip(np.split(np.arange(p), np.cumsum(counts)[:-1]), alignment):
        psi[group] *= np.sqrt(T / k) / np.linalg.norm(psi[group])
    beta = np.divide(psi, D, out=np.zeros(p), where=D > 0)
    x = rng.standard_normal((samples, p)) * np.sqrt(D)
    y = x @ beta + np.sqrt(max(rho - psi @ beta, 0.0) + noise_variance) * rng.standard_normal(samples)
    # without a penalty: least squares of least norm
    if not lam:
        w = np.linalg.lstsq(x, y, rcond=None)[0]
    elif samples < p:
        w = x.T @ np.linalg.solve(x @ x.T + lam * p * np.eye(samples), y)
    else:
        w = np.linalg.solve(x.T @ x + lam * p * np.eye(p), x.T @ y)
    clean, residual = rho + w @ (D * w) - 2 * w @ psi, y - x @ w
    left = residual @ residual / samples
    return {"test_error": clean + noise_variance, "clean_error": clean, "train_error": left,
            "objective": left + lam * p * (w @ w) / samples}


#: methods that take the spectrum as it was given, and the accuracy of the nodes that others take for many eigenvalues
_WHOLE, _ACCURATE = ("precise", "certify", "simulate", "check", "generate", "compressed"), 1e-14
HALF = Rational(1, 2)
_ARRAYS = ("eigenvalues", "weights", "alignment")
#: powers of the penalty that quantities scale with, with fewer samples than features and with more
_FEWER = {"V": -1, "Vhat": 1, "Qhat": 1, "qhat": 2, "train_error": 2, "objective": 1}
_MORE = {"effective_ridge": 1}


@cache
def _symbols():
    positive = {n: Symbol(n, positive=True) for n in ("n", "lam", "V", "Vhat", "features", "weights")}
    real = {n: Symbol(n, real=True) for n in ("q", "Q", "qhat", "Qhat")}
    nonnegative = {n: Symbol(n, nonnegative=True) for n in ("rho", "noise_variance", "eigenvalues", "alignment")}
    return SimpleNamespace(**positive, **real, **nonnegative)


@cache
def _equations():
    """Return free energy per feature, unknowns and observables of the Gaussian covariate model with square loss."""
    s = _symbols()
    law = Eigenvalues(s.eigenvalues, s.weights, s.alignment)
    S = Named("S", s.lam + s.Vhat * s.eigenvalues)
    error = Named("R", s.rho + s.noise_variance + s.q - 2 * s.Q)
    prior = mean((s.qhat * s.weights * s.eigenvalues + s.Qhat**2 * s.alignment) / S, law)
    alpha = s.n / s.features
    energy = (s.qhat * s.V - s.q * s.Vhat) / 2 + s.Q * s.Qhat - HALF * prior + alpha / 2 * error / (1 + s.V)
    freedom = s.features * s.Vhat
    observables = {
        "test_error": error, "clean_error": error - s.noise_variance, "train_error": error / (1 + s.V)**2,
        "objective": (s.rho + s.noise_variance - s.Q) / (1 + s.V), "effective_ridge": s.lam / s.Vhat,
        "df1": freedom * s.V, "df2": freedom * s.Vhat * mean(s.weights * s.eigenvalues**2 / S**2, law)}
    return energy, (s.V, s.q, s.Q, s.Vhat, s.qhat, s.Qhat), observables


def _excess(rank, values, point):
    return values["n"] - rank


class Ridge(Theory):
    r"""Solve ridge regression on features with covariance Omega, of a target that has the covariance psi with them.

    The weights minimise :math:`\sum_\mu(y_\mu-w\cdot\varphi(x_\mu)/\sqrt p)^2+\lambda|w|^2` over n samples,
    :math:`y=f(x)+\sqrt\Delta\epsilon`; :math:`\Omega=E\varphi\varphi^\top`, :math:`\psi=E\varphi f`, :math:`\rho=Ef^2`.
    The deterministic equivalent depends on the target through psi and rho alone.

    Parameters
    ----------
    Omega : array_like, (p, p); or (eigenvalues, multiplicities); or scipy.sparse.linalg.LinearOperator
        The multiplicities sum to p.  A tuple is always such a pair.  Entries are floats, ints, Fractions or text such
        as ``"1/3"``.  Sparse matrices and operators of more than 4096 features have their traces estimated by random
        vectors; a warning states the accuracy.
    psi : array_like, (p,)
        For a pair the norm of the target's component in each eigenspace.
    rho : float
        At least :math:`\psi^\top\Omega^{-1}\psi`.

    Raises
    ------
    DomainError
        For a matrix that is not a covariance, or a target that is incompatible with the features.

    Warns
    -----
    AssumptionWarning
        If the traces of an operator were estimated.

    Notes
    -----
    Order parameters: ``V``, ``q`` and ``Q`` are :math:`\frac1p\mathrm{Tr}\,\Omega(\lambda+\hat V\Omega)^{-1}`,
    :math:`E\hat f^2` and :math:`E\hat ff`; ``effective_ridge`` is :math:`\zeta=\lambda/\hat V`, ``df1`` and ``df2``
    :math:`\mathrm{Tr}\,\Omega^j(\Omega+\zeta)^{-j}`.  A pair of exact numbers is certified, and so is a matrix of up to
    128 rows, whose eigenvalues are enclosed as roots of its characteristic polynomial; :meth:`precise` then uses the
    exact spectrum too.  For larger matrices of floats it starts from the eigenvalues that numpy computes.
    More than 4096 eigenvalues are solved on the few nodes of :meth:`compressed`, where these reach means to 1e-13, and
    are all used by :meth:`precise` and :meth:`certify`.

    Examples
    --------
    >>> import asympkit as ak
    >>> t = ak.Ridge(([3, 2, 1], [1, 1, 1]), [1, "1/2", "1/2"], 2)
    >>> round(t.solve(n=6, lam=0.1).test_error, 12)
    2.342532687757
    """

    declared = (Parameter(_symbols().n, "number of samples", "positive"),
                Penalty(_symbols().lam, "penalty on the weights", "positive"),
                Parameter(_symbols().noise_variance, "variance of the label noise", "nonnegative", 0.0),
                Parameter(_symbols().features, "number of features", "positive", is_axis=False),
                Parameter(_symbols().rho, "mean square of the target", "nonnegative", is_axis=False))
    implied = ("features", "rho")
    offers = ("compressed",)
    #: change of the means by compression; none where the spectrum is whole
    compression_error = 0.0

    def __init__(self, Omega: Any, psi: Any, rho: Value) -> None:
        self.spectrum = read_spectrum(Omega, psi)
        self.rho = check_value("rho", rho, "positive")
        if self.spectrum.explained > self.rho * (1 + 1e-9):
            raise DomainError(f"rho: got {self.rho:g}, and psi Omega^-1 psi is {self.spectrum.explained:g}; expected "
                              "rho = E f^2, which is no smaller: a linear function of the features explains no more "
                              "than there is. Or psi is not psi = E[phi f]: of a target f = theta @ phi it is "
                              "psi = Omega @ theta, not theta")
        self._rho_given = rho
        energy, unknowns, observables = _equations()
        super().__init__(
            name="ridge", unknowns=unknowns, free_energy=energy, observables=observables,
            simulate=draw, size_name="copies",
            parameters=list(Ridge.declared))
        usual = simulator_of(self, "simulate")
        (copies,) = usual.settings
        default = max(1, round(_FEATURES / float(self.spectrum.size)))
        self.simulator = replace(usual, settings=(replace(copies, default=default),))

    @computed_once
    def limit(self) -> Ridgeless:     # other theories are given one
        """Return the limit without a penalty: the number of features counts positive eigenvalues alone."""
        D, weights = (np.asarray(x, dtype=float) for x in (self.spectrum.eigenvalues, self.spectrum.weights))
        rank = float(self.spectrum.size) * float(np.mean(weights * (D > 0.0)))
        rank = round(rank) if abs(rank - round(rank)) < 1e-9 * rank else rank
        return Ridgeless(partial(_excess, rank), _FEWER, _MORE, float(np.mean(weights * D)))

    @classmethod
    def of_nodes(cls, nodes: Compressed, rho: Value) -> Ridge:
        """Return the theory on a compressed spectrum."""
        k = nodes.D.size
        found = cls((nodes.D, nodes.weights * nodes.size / k), np.sqrt(nodes.T / k), rho)
        found.compression_error = nodes.error
        return found

    def compressed(self, rtol: float = 1e-13) -> Ridge:
        """Return the same theory on few nodes that replace the spectrum at every penalty, for many solves.

        Parameters
        ----------
        rtol : float
            Requested accuracy of the means.

        Returns
        -------
        Ridge
            Its ``compression_error`` is the largest relative change of the means in the equations, at penalties that
            were not used to choose the nodes.
        """
        f, k = self.spectrum, len(self.spectrum.eigenvalues)
        D, weights, T = (np.asarray(x, dtype=float) for x in (f.eigenvalues, f.weights, f.alignment))
        return self.of_nodes(compress(D, T / k, weights * float(f.size) / k, rtol=rtol), self._rho_given)

    def regime(self, method: str, keywords: Mapping[str, Any]) -> Ridge:
        """Return the theory on few nodes where there are many eigenvalues, and the method needs no exact ones."""
        return self if method in _WHOLE or len(self.spectrum.eigenvalues) <= MANY else self._small

    @computed_once
    def _small(self):
        try:
            return self.compressed(rtol=_ACCURATE)
        except ConvergenceError:        # eigenvalues of very different sizes
            return self

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.declared if p.is_axis)

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        fixed = self._fixed
        # methods that call others pass on the values computed here
        changed = [k for k, v in parameters.items() if k in fixed and v is not fixed[k]
                   and not np.array_equal(np.asarray(v, dtype=object), np.asarray(fixed[k], dtype=object))]
        if changed:
            raise DomainError(f"ridge: got {changed[0]}, which follows from Omega, psi and rho; expected "
                              f"{', '.join(self.names)} alone, or another Ridge")
        return {**super().given({k: v for k, v in parameters.items() if k not in fixed}), **fixed}

    @computed_once
    def _fixed(self):
        """Return the constructor arguments, by the names of the equations."""
        f = self.spectrum.exact
        arrays = {name: getattr(f, name) for name in _ARRAYS}
        if f.matrix is not None:
            arrays = {name: MatrixEntries(doubles, name, f.matrix) for name, doubles in arrays.items()}
        return {"features": f.size, "rho": self._rho_given, **arrays}


def ridge_error(Omega: Any, psi: Any, rho: Value, *, n: Value, lam: Value,
                noise_variance: Value = 0) -> Solution[float]:
    """Return the errors of ridge regression on features with covariance Omega: :class:`Ridge` solved at one point.

    Parameters
    ----------
    Omega, psi, rho
        As for :class:`Ridge`.
    n : int
        Number of samples.
    lam : float
        Penalty, not divided by n.
    noise_variance : float

    Returns
    -------
    Solution
        ``test_error`` on fresh noisy labels, ``clean_error`` without their noise, ``train_error``, ``objective``,
        ``df1``, ``df2``, ``effective_ridge``, and the order parameters.

    Examples
    --------
    >>> import asympkit as ak, numpy as np
    >>> s = ak.ridge_error(np.diag([3, 2, 1, .5, .25, .125]), [1, .5, .5, .25, .1, .05], 2, n=3, lam=0.1)
    >>> round(s.test_error, 12), round(s.train_error, 12)
    (2.353596173243, 0.077968268181)
    """
    return Ridge(Omega, psi, rho).solve(n=n, lam=lam, noise_variance=noise_variance)
