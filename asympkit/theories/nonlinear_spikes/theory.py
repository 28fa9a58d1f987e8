r"""``ak.NonlinearSpikes``: one gradient step whose size grows with the samples (arXiv 2310.07891).

The singular values of the features after a step: the bulk of the untrained ones, and the spikes that leave it.  With
the traces at :math:`\lambda=-x`, :math:`\chi=V_2/(1+V)`, the singular matrices of the equations of the readouts
locate the spikes: eigenvalues x of :math:`FF^\top/N` where :math:`\det(G+(\Theta A_m\Theta)^{-1})=0`.
"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from sympy import Rational, lambdify

from ...activations import Activation
from ...arguments import check_choice, is_varied
from ...comparison import Tolerance
from ...errors import DomainError
from ...nodes import remove_names
from ...once import computed_once
from ...sensitivity.complex_step import ComplexStep
from ...sensitivity.run import Tangent, check_parameter, tangent_kernel
from ...solve.kernel import Kernel
from ..declaration import Option, Parameter, Simulator, choice, read_values, size
from ..spiked_features.feature_law import FeatureLaw
from ..spiked_features.spectrum import Outlier, Spectrum
from . import equations as of
from .base import RIDGE, FiniteStep, SpikeModel, whole_degree
from .codegen_targets import RATES, module_source
from .moments import limit_numbers
from .staircase import spikes, staircase

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from numpy.typing import ArrayLike
    from sympy import Expr

    from ...annotations import ActivationLike, Number, Value
    from ...equations.system import System
    from ...program.names import Names
    from ...program.statements import Program
    from ..declared import Point
    from .staircase import Spike, Staircase

#: n times the relative tolerance of the simulation of the limit, for its finite size
_FINITE_SIZE = 40.0
#: n times the tolerance of its gaps relative to the baseline: each spike is a regressor without penalty, which fits
#: about 1/n of the labels even if they are unrelated to it
_FITTED = 10.0
#: relative tolerance of the network at a finite step size, and its reason; the size is that of paired simulations (see
#: :class:`~.base.FiniteStep`)
_ALLOWANCE, _NETWORK = 0.1, "the theory keeps the spikes of the step and leaves out the rest of it"


def _simulate(theory, parameters, *, n, model, **how):
    """Simulate the real network, its untrained features with spikes, or the limit of these."""
    from ...simulate.nonlinear_spikes import simulate_nonlinear

    given = {k: v for k, v in parameters.items() if v is not None}
    read_values(theory.declared, given, theory.name)
    model = model or ("network" if "eta" in given else "limit")
    some = "degree" in given or model != "network"
    given["degree"] = theory._degree(given)
    theory.warn(theory._assumptions(given["degree"] if some else 1))
    return simulate_nonlinear(_centred(theory, "student"), _centred(theory, "target"), n=n, model=model,
                              rows=theory.rows, initial_output=theory.initial_output,
                              free_constant=theory.free_constant, degrees=theory.degrees(given["degree"]), **how,
                              **given)


def _centred(theory, label):
    """Return an activation without its mean."""
    f = theory.functions[label]
    if not theory._has_mean(label):
        return f
    return Activation(f.expr - Rational(str(f.hermite_coefficients(0, digits=25)[0])))


def _compared(parameters, settings):
    """Return the parameters to compare with: with eta, those of the finite step size at the simulated n."""
    if parameters.get("eta") is not None:
        return {**parameters, "n": settings["n"]}
    if settings["model"] not in (None, "limit"):
        raise DomainError(f"model: got {settings['model']!r} without eta; only model='limit' goes with diverging "
                          "spikes")
    return parameters


def _tolerances(theory, solution, settings):
    """Return what finite size, or the idealisation of the network, may do to each quantity.

    The simulation of the limit has the tolerance 40/n, and in a gap at least 10/n of the baseline; the network has 10
    %,
    because the theory keeps only the spikes of the step.
    """
    n = settings["n"]
    share, why = (_ALLOWANCE, _NETWORK) if "eta" in solution.parameters else \
        (_FINITE_SIZE / n, f"finite size: {_FINITE_SIZE:g}/n")
    tolerances = {name: Tolerance(name, share, why) for name in solution.observables}
    for gap, base in (("train_gap", "baseline_train"), ("test_gap", "baseline_test")):
        free = _FITTED / n * solution[base] / abs(solution[gap]) if solution[gap] else math.inf
        if free > share:
            tolerances[gap] = Tolerance(gap, free, f"finite size: {_FITTED:g}/n of the baseline")
    return tuple(tolerances.values())


#: the network approaches the limit only like a power of n, and is therefore compared with the finite step size
SIMULATOR = Simulator(
    _simulate, (size("n", "samples of each step"),
                choice("model", "the trained network (with eta the default); untrained features plus the spikes up to "
                       "degree; or (without eta the default) untrained features plus the powers of the spike direction "
                       "as regressors without penalty, with a readout orthogonal to the spikes' own",
                       ("network", "truncated", "limit"), None)),
    tolerances=_tolerances, parameters=_compared)


class NonlinearSpikes(SpikeModel):
    r"""Solve ridge regression on the features of a network after one gradient step of size :math:`\eta_0n^\alpha`.

    The network :math:`f(x)=a^\top\sigma(Wx)`, :math:`a\sim N(0,I_N/N)`, makes one gradient step of size :math:`\eta` on
    the half mean squared error of n samples :math:`y=\sigma_\star(\beta_\star^\top x)+\varepsilon`,
    :math:`|\beta_\star|=1`; then its readout minimises :math:`\frac1n|\tilde y-\sigma(\tilde XW^\top)b|^2+\lambda|b|^2`
    on n fresh samples.  With :math:`\phi=d/n`, :math:`\psi=d/N` and
    :math:`\frac{\ell-1}{2\ell}<\alpha<\frac\ell{2\ell+2}` exactly :math:`\ell` spikes of the feature matrix diverge.

    Parameters
    ----------
    student, target : str, sympy.Expr or Activation
        :math:`\sigma` and :math:`\sigma_\star`: a catalogue name, a text in ``z``, or an expression.
    rows : {"sphere", "gaussian"}
        Rows of :math:`W_0` uniform on the unit sphere, or of independent entries of variance 1/d.  The limits
        differ from degree 2 on, if the student has a second Hermite coefficient.
    initial_output : {"removed", "kept"}
        Whether the gradient sees the labels alone, as the paper's theorem needs, or the residual
        :math:`y-f(x)` of the untrained network.
    free_constant : bool
        Whether the readout has a constant without penalty.  Then the mean of the student does not matter.

    Attributes
    ----------
    free_energy : None
        The equations are those of the paper's resolvent traces; there is no free energy.

    Notes
    -----
    :meth:`solve` gives ``m1, m2, dm1, dm2`` (the traces and their derivatives by lam), ``train_error`` (the minimum,
    penalty included), ``test_error`` (fresh noisy labels), both for the untrained features as ``baseline_train``
    and ``baseline_test``, and the differences ``train_gap``, ``test_gap``.  The theory is stated for functions without
    a mean: a mean of the target is subtracted from the labels of both steps, a mean of the student from its
    features, with a warning (none for the student with a free constant, which has the same effect).

    Examples
    --------
    >>> import asympkit as ak
    >>> t = ak.NonlinearSpikes("z+(z**2-1)/sqrt(2)", "z+(z**2-1)/sqrt(2)")
    >>> round(t.solve(phi=0.5, psi=1, lam=0.01, noise_variance=0.1, degree=2).test_gap, 4)
    0.8988
    """

    free_energy = None
    offers = ("degrees", "finite", "spectrum", "spikes", "staircase")
    options = (*SpikeModel.options,
               Option("rows", "rows of the initial weights", ("sphere", "gaussian"), "sphere"),
               Option("initial_output", "in the gradient", ("removed", "kept"), "removed"),
               Option("free_constant", "the readout has a constant without penalty", default=False))
    declared = (*RIDGE,
                Parameter("degree", "highest degree of the diverging spikes; at a finite step size (eta and n given) "
                          "of all spikes", f"an integer from 0 to {of.TOP}", 2, read=whole_degree(of.TOP)),
                Parameter("eta", "step size; with n, for the theory at a finite step size", "nonnegative", None),
                Parameter("n", "number of samples at a finite step size; of a simulation, its size", "positive", None))
    default_degree, top = 2, of.TOP
    numbers = staticmethod(limit_numbers)
    simulator = SIMULATOR

    def __init__(self, student: ActivationLike, target: ActivationLike,
                 rows: Literal["sphere", "gaussian"] = "sphere",
                 initial_output: Literal["removed", "kept"] = "removed", free_constant: bool = False) -> None:
        check_choice("rows", rows, ("sphere", "gaussian"))
        check_choice("initial_output", initial_output, ("removed", "kept"))
        if not isinstance(free_constant, bool | np.bool_):
            raise DomainError(f"free_constant: got {free_constant!r}; expected True or False")
        self.functions = {"student": Activation(student), "target": Activation(target)}
        self.rows, self.initial_output, self.free_constant = rows, initial_output, bool(free_constant)
        self.flags = {"gaussian": int(rows == "gaussian"), "kept": int(initial_output == "kept"),
                      "free": int(free_constant)}
        options = [text for text, given in (("Gaussian rows", rows == "gaussian"), ("free constant", free_constant),
                                            ("initial output kept", initial_output == "kept")) if given]
        self.name = ", ".join(["nonlinear spikes", *options])

    @property
    def system(self) -> System:
        """Return the equations with their structure (shared by all students and targets)."""
        return of.limit_system()

    @property
    def stated(self) -> tuple[Expr, ...]:
        """Return (E1) and (E2) of the paper."""
        return of.trace_pair()

    @property
    def meanings(self) -> dict[str, str]:  # type: ignore[override]
        """Return the definitions of parameters that follow from the functions, with known numbers."""
        return of.meanings(self.functions)

    @property
    def program(self) -> tuple[Program, Names]:
        return of.limit_program()

    @property
    def kernel(self) -> Kernel:
        from ...generated.nonlinear_spikes import kernel as nonlinear_spikes
        return Kernel(nonlinear_spikes)

    @computed_once
    def finite(self) -> FiniteStep:
        """Return the theory of the same student and target at a finite step size."""
        return FiniteStep(self.functions, self.flags, self.name)

    def regime(self, method: str, keywords: Mapping[str, Any]) -> SpikeModel:
        """Return the finite step size if ``eta`` and ``n`` are given (or varied); a simulation has its own n."""
        given = {**keywords, **(keywords.get("parameters") or {})} if isinstance(
            keywords.get("parameters", {}), dict) else keywords
        steps = [k for k in ("eta", "n") if given.get(k) is not None or is_varied(given, k)]
        if method in ("simulate", "check") or not steps:
            return self
        if len(steps) == 1:
            other = "n" if steps == ["eta"] else "eta"
            raise DomainError(f"{steps[0]}: given without {other}; a finite step size needs eta and n, and the "
                              "limit of diverging spikes neither")
        return self.finite

    # -- derivatives -------------------------------------------------------------------------------

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        check_parameter(parameter, RATES, self.name)
        return Tangent.along(self._tangent_kernel, self.kernel.module, {parameter: 1.0}, point)

    @computed_once
    def _tangent_kernel(self):
        return tangent_kernel(ComplexStep(self.kernel.module), self)

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        """Return the source of the exported module for this student and target, for diverging spikes."""
        return module_source(self, language, derivatives)

    # -- spikes and staircase ------------------------------------------------------------------------

    def spikes(self, *, eta: Number, n: Number, phi: Number, psi: Number, noise_variance: Number = 0.0,
               degree: int = 6) -> list[Spike]:
        """Return sizes of the spikes of the feature matrix, and the exponents at which they leave the bulk.

        Parameters
        ----------
        eta, n : float
            Step size and number of samples.
        phi, psi, noise_variance : float
        degree : int
            Highest degree.

        Returns
        -------
        list of Spike
            ``degree``, ``size``, ``relative`` (to sqrt(n)), ``threshold``; only degrees that exist.
        """
        return spikes(self, eta, n, phi, psi, noise_variance, degree)

    def spectrum(self, **parameters: Value) -> Spectrum:
        r"""Compute the singular values of the features over :math:`\sqrt n`: bulk, and spikes that leave it.

        Parameters
        ----------
        **parameters : float
            As for :meth:`solve`; ``lam`` may be missing.  Without ``eta`` and ``n`` the spikes up to ``degree``
            diverge.

        Returns
        -------
        Spectrum
            Of the ``min(n, N)`` singular values; ``outliers`` have the kind "spike" and no overlap.

        Examples
        --------
        >>> import asympkit as ak
        >>> t = ak.NonlinearSpikes("z+(z**2-1)/sqrt(2)", "z+(z**2-1)/sqrt(2)")
        >>> t.spectrum(phi=0.5, psi=0.5, eta=3, n=1000)
        <Spectrum on [0, 3.42852], 0 at 0, outliers: spike 4.94419>
        """
        return singular_spectrum(self, parameters)

    def staircase(self, *, alpha_lr: ArrayLike, n: Number | None = None, eta0: Number = 1.0, phi: Number, psi: Number,
                  lam: Number, noise_variance: Number = 0.0) -> Staircase:
        r"""Compute training and test error at the step sizes :math:`\eta_0n^{\alpha}`.

        Parameters
        ----------
        alpha_lr : float or array
            Exponents below 1/2.
        n : float, optional
            None is the limit, a step function with steps at 0, 1/4, 1/3, 3/8, ...; at a threshold itself the spike
            counts as inside the bulk.  With n the spikes have their finite strengths; the limits are approached
            slowly, like a power of n.
        eta0 : float
            Positive; the limit does not depend on it.
        phi, psi, lam, noise_variance : float

        Returns
        -------
        Staircase
            ``alpha_lr``, ``train_error``, ``test_error``, the ``steps``, and ``plot``.
        """
        return staircase(self, alpha_lr, n, eta0, phi, psi, lam, noise_variance)


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

    return Spectrum(np.sqrt(law.edges / kappa), 1.0 - share, outliers, at, partial(_singular_density, law, kappa),
                    partial(_drawn, theory, shown), "singular values of $F/\\sqrt{n}$")


def _singular_density(law, kappa, s):
    return 2.0 * kappa * s * law.density(kappa * s * s) / min(1.0, kappa)


def _drawn(theory, at, **settings):
    from ...simulate import nonlinear_singular_values

    if at.get("eta") is None:
        raise DomainError("simulate: got diverging spikes; expected a finite step size: give eta and n")
    found = nonlinear_singular_values(
        _centred(theory, "student"), _centred(theory, "target"), **{k: at[k] for k in ("phi", "psi", "eta")},
        n=round(at["n"]), noise_variance=at["noise_variance"], rows=theory.rows, initial_output=theory.initial_output,
        **settings)
    return found.values[::-1][None] / math.sqrt(found.n)


def _leaving(law, values):
    """Return the eigenvalues of FF'/N above the bulk, the largest first."""
    matrix, order = _matrix(), [p.name for p in of.finite_parameters()]
    given = [values[name] for name in order]
    m = law.real

    def eigenvalue(x, which):
        V1, V2 = law.above(x)
        chi = V2 / (1.0 + V1 * m.mu1[0] ** 2 + V2 * m.mu2sq[0])
        return np.linalg.eigvalsh(np.array(matrix(chi, *given), dtype=float))[which]

    found, edge = [], law.right[-1][0]
    for which in range(of.FINITE_TOP):
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
    entry, _, _ = of.spike_matrix()
    degrees = range(1, of.FINITE_TOP + 1)
    rows = [[remove_names(entry(i, j)) if (i + j) % 2 == 0 else 0 for j in degrees] for i in degrees]
    return lambdify((of.symbols().chi, *of.finite_parameters()), rows, "numpy", cse=True)
