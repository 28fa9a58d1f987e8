r"""The free energy of ridge regression on a deep random network (arXiv 2402.13999, in the limit of its sizes).

A layer :math:`\varphi_\ell=\phi_\ell(W_\ell\varphi_{\ell-1})` of independent Gaussian weights has the linearised
covariance :math:`\Omega_\ell=\kappa_1^2W_\ell\Omega_{\ell-1}W_\ell^\top+\kappa_*^2`, so that

.. math::
    \tfrac1{p_\ell}\log\det(a+\hat V\Omega_\ell)=\operatorname*{ext}_{V',\hat V'}\Big[\log(a+\hat VK)
    +\tfrac{p_{\ell-1}}{p_\ell}\Big(\tfrac1{p_{\ell-1}}\log\det(1+\hat V'\Omega_{\ell-1})-V'\hat V'\Big)\Big],\qquad
    K=\kappa_*^2+\kappa_1^2V',

and a network of any depth is a chain of such steps down to the covariance of the inputs.  The *action* below is that
chain with the ridge at its top; the free energy is minus half its derivative along the correlations
(:math:`V\to V-\epsilon q`, :math:`\hat V\to\hat V+\epsilon\hat q` of every layer), plus terms of the target.

Behind a layer that is not odd every unit has a mean of its own, :math:`a=\bar\mu_{\ell-1}\kappa` with a normal
:math:`\kappa` across units: the term of a layer is then :math:`E_\kappa\log(a+\hat VK(\kappa))`, its moments being
those of :math:`\phi_\ell(\bar\mu_{\ell-1}\kappa+\sqrt{v_{\ell-1}}z)` over z (features and labels are centred).

An even layer whose preactivations have no means has :math:`\kappa_1=0`: :math:`\Omega_\ell=\kappa_*^2` whatever is
below, and features are uncorrelated with everything below.  The chain then begins at this *base*, of which a target
that shares no more layers than lie below it shows nothing.

Pure sympy, no numerics.

Compute the moments of a unit's activation at normal preactivations.

At :math:`\mu+\sqrt vz`: the mean :math:`\kappa_0`, the slope :math:`\kappa_1=E[z\phi]/\sqrt v`, and the variance left
after the regression on z, :math:`\kappa_*^2=E(\phi-\kappa_0-\sqrt v\kappa_1z)^2`; by Stein's lemma, so that no
derivative of an activation is needed.  Where units have means, these are normal across them.

Compute the moments of student and target that enter the chain.

The variance of the features of a layer is that of the next preactivations.  Behind a layer that is not odd they have
means too; their root mean square :math:`\bar\mu_\ell` goes down the layers with the variance :math:`v_\ell`.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

from sympy import Add, Expr, Integer, Symbol, log, sqrt

from ...gauss import E
from ...nodes import Applied, Named
from ...once import computed_once
from ...spectra import Eigenvalues, mean

#: the position of a unit among the others of its layer: a standard normal variable across units
PLACE = Symbol("kappa", real=True)
_Z = Symbol("z", real=True)


def compute_unit_moments(label, variance):
    """Return ``(mean, slope, rest, variance)`` of units whose preactivations have no means, as expressions."""
    value = Applied(label, sqrt(variance) * _Z)
    mean, slope = E(value, _Z), E(_Z * value, _Z)
    return mean, slope / sqrt(variance), E((value - mean - slope * _Z)**2, _Z), E((value - mean)**2, _Z)


def conditional(label, mean, variance, mark):
    """Return ``(slope, rest)`` of the unit at kappa, whose preactivation has the mean ``mean * kappa``."""
    value, centre = _unit(label, mean, variance)
    slope = Named(f"kappa1{mark}", E(_Z * value, _Z) / sqrt(variance))
    centre = Named(f"kappa0{mark}", centre)
    return slope, Named(f"kappastar2{mark}", E((value - centre - sqrt(variance) * slope * _Z)**2, _Z))


def over_units(expr):
    """Return the mean over the units of a layer."""
    return E(expr, PLACE)


def propagate_moments(label, mean, variance):
    """Return the root mean square of the means of units, and the mean of their variances as a function of it."""
    _, centre = _unit(label, mean, variance)
    whole = Applied(label, sqrt(variance + mean**2) * _Z)
    return sqrt(over_units(centre**2)), lambda found: E(whole**2, _Z) - found**2


def variance_around(label, mean, variance):
    """Return the mean, across units, of the variance of a unit."""
    value, centre = _unit(label, mean, variance)
    return over_units(E((value - centre)**2, _Z))


def _unit(label, mean, variance):
    """Return the value of the unit at a position, and its mean."""
    value = Applied(label, mean * PLACE + sqrt(variance) * _Z)
    return value, E(value, _Z)


HALF = Integer(1) / 2


@dataclass(frozen=True)
class LayerEquations:
    """Build the equations of a student of ``depth`` layers, of which a target shares the first ``shared``.

    ``scattered`` is the first level whose features have means, that of the first layer that is not odd (None if all are
    odd); ``base`` the lowest level of the chain: the inputs, or the features of the even layer that passes nothing
    linear on.
    """

    depth: int
    shared: int = 0
    scattered: int | None = None
    base: int = 0

    @computed_once
    def symbols(self):
        """Return the symbols by name; those of layers as dicts by level, the input being level 0."""
        levels, layers = range(self.base, self.depth + 1), range(1, self.depth + 1)

        def each(name, over, **assumed):
            return {k: Symbol(f"{name}{k}", **assumed) for k in over}

        scalars = {n: Symbol(n, positive=True) for n in ("alpha", "lam")}
        scalars |= {n: Symbol(n, nonnegative=True) for n in ("noise_variance", "transmitted", "rho")}
        scalars |= {n: Symbol(n, real=True) for n in ("Q", "Qhat")}
        scalars["D"] = Symbol("input_spectrum", nonnegative=True)
        return SimpleNamespace(
            **scalars, V=each("V", levels, positive=True), Vhat=each("Vhat", levels, positive=True),
            q=each("q", levels, real=True), qhat=each("qhat", levels, real=True),
            width={0: Integer(1)} | each("width", layers, positive=True),
            kappa1=each("kappa1_", layers[self.base:], real=True, nonzero=True),
            kappastar=each("kappastar2_", layers[max(self.base - 1, 0):], nonnegative=True),
            variance={0: Symbol("input_variance", positive=True)} | each("variance", layers, nonnegative=True),
            mean=each("mean", layers, real=True))

    @computed_once
    def law(self):
        """Return the spectrum of the covariance of the inputs."""
        return Eigenvalues(self.symbols.D)

    def is_scattered(self, k):
        """Return whether the units of layer k differ from one another, because its inputs have means."""
        return self.scattered is not None and k > self.scattered

    @computed_once
    def moments(self):
        """Return kappa_1 and kappa_*^2 of each layer: numbers, or functions of a unit's position among the others."""
        s = self.symbols
        return {k: conditional(f"student{k}", s.mean[k - 1], s.variance[k - 1], f"_{k}") if self.is_scattered(k)
                else (s.kappa1.get(k, Integer(0)), s.kappastar[k]) for k in s.kappastar}

    def over_units(self, k, expr):
        """Return the mean over the units of layer k."""
        return over_units(expr) if self.is_scattered(k) else expr

    @computed_once
    def spread(self):
        """Return K of each layer: the variance that a unit is seen with."""
        return {k: Named(f"K{k}", rest + (slope**2 * self.symbols.V[k - 1] if k > self.base else 0))
                for k, (slope, rest) in self.moments.items()}

    @computed_once
    def action(self):
        """Return the action with the ridge at its top, per input dimension, without the spectrum of the inputs."""
        s, top = self.symbols, self.depth
        ridge = {k: s.lam if k == top else Integer(1) for k in self.spread}
        layers = Add(*(s.width[k] * self.over_units(k, log(ridge[k] + s.Vhat[k] * K)) for k, K in self.spread.items()))
        pairs = Add(*(s.width[k] * s.V[k] * s.Vhat[k] for k in s.V))
        return layers - pairs + s.alpha * log(1 + s.V[top])

    @computed_once
    def explained(self):
        r"""Return the part of the target that a student with infinitely many samples explains.

        :math:`\hat V\psi^\top(\lambda+\hat V\Omega)^{-1}\psi` for the covariance :math:`\psi` of the features with a
        target whose linear coefficients on level :attr:`shared` are isotropic, with the norm ``transmitted``.
        """
        s, k = self.symbols, self.shared
        if k < self.base:
            return Integer(0)
        if k == 0:
            return s.transmitted * mean(s.D**2 * s.Vhat[0] / (1 + s.Vhat[0] * s.D), self.law)
        ridge = s.lam if k == self.depth else Integer(1)
        K, (slope, _) = self.spread[k], self.moments[k]
        below = slope**2 * (s.variance[k - 1] - s.V[k - 1]) if k > self.base else 0
        return s.transmitted * self.over_units(k, below + s.Vhat[k] * K**2 / (ridge + s.Vhat[k] * K))

    @computed_once
    def residual(self):
        """Return the test error R."""
        s = self.symbols
        return Named("R", s.rho + s.noise_variance + s.q[self.depth] - 2 * s.Q)

    @computed_once
    def free_energy(self):
        """Return the free energy per input dimension; its stationary point is the solution."""
        s, top = self.symbols, self.depth
        along = {s.V[k]: -s.q[k] for k in s.V} | {s.Vhat[k]: s.qhat[k] for k in s.V}
        response = Add(*(self.action.diff(u) * rate for u, rate in along.items()))
        if self.base == 0:
            response += mean(s.D * s.qhat[0] / (1 + s.Vhat[0] * s.D), self.law)
        overlaps = s.width[top] * (s.Q * s.Qhat - HALF * s.Qhat**2 * self.explained / s.Vhat[top])
        return overlaps - HALF * response + s.alpha / 2 * (s.rho + s.noise_variance - 2 * s.Q) / (1 + s.V[top])

    @property
    def unknowns(self):
        """Return the order parameters and their conjugates; the order breaks ties in the structure analysis.

        From the input up: a level then enters only the equations of levels below it and of the next one, and
        elimination works on one row for each.
        """
        s = self.symbols
        return (*s.V.values(), *s.Vhat.values(), *s.q.values(), s.Q, *s.qhat.values(), s.Qhat)

    @property
    def observables(self):
        """Return errors (test with noise, clean without, train), the objective, and degrees of freedom."""
        s, top = self.symbols, self.depth
        left = 1 + s.V[top]
        return {"test_error": self.residual, "clean_error": self.residual - s.noise_variance,
                "train_error": self.residual / left**2,
                "objective": (s.rho + s.noise_variance - s.Q) / left,
                "degrees_of_freedom": s.V[top] * s.Vhat[top]}


@dataclass(frozen=True)
class _Level:
    """Hold variance and root mean square mean of the features of a level."""

    variance: Expr
    mean: Expr | None = None


def moments_of(chain, own):
    """Return ``(derived, averages)``, the definitions of the symbols of a chain as expressions by symbol.

    ``derived`` are quantities that follow from the variance of the inputs (the argument ``derived`` of a theory),
    ``averages`` those of the target that are averages over units with means.  ``own`` says of each layer of the target
    beyond the shared ones whether it is odd.
    """
    derived = _student(chain, is_continued=bool(own))
    target = _target(chain, own)
    return derived | target.derived, target.averages


def _student(chain, is_continued):
    """Return the moments of the student's layers, with the mean of the last one if the target continues after it."""
    s, found = chain.symbols, {}
    for k in range(1, chain.depth + 1):
        goes_on = k < chain.depth or chain.shared == k and is_continued
        if chain.is_scattered(k):
            if goes_on:
                mean, variance = propagate_moments(f"student{k}", s.mean[k - 1], s.variance[k - 1])
                found |= {s.mean[k]: mean, s.variance[k]: variance(s.mean[k])}
            continue
        mean, slope, rest, variance = compute_unit_moments(f"student{k}", s.variance[k - 1])
        wanted = {s.kappa1.get(k): slope, s.kappastar.get(k): rest, s.variance[k]: variance}
        found |= {symbol: expr for symbol, expr in wanted.items() if symbol is not None}
        if k == chain.scattered and goes_on:
            found[s.mean[k]] = mean
    return found


def _target(chain, own):
    """Return ``derived`` and ``averages`` of the target, whose own layers follow the shared ones."""
    s, first, derived = chain.symbols, chain.shared + 1, {}
    has_means = chain.scattered is not None and chain.shared >= chain.scattered
    if not own and chain.is_scattered(chain.shared) and chain.shared == chain.depth:
        rho = variance_around(f"student{chain.shared}", s.mean[chain.shared - 1], s.variance[chain.shared - 1])
        return SimpleNamespace(derived={s.transmitted: Integer(1)}, averages={s.rho: Named("rho", rho)})
    level = _Level(s.variance[chain.shared], s.mean[chain.shared] if has_means else None)
    transmitted, averages = Integer(1), {}
    for k, is_odd in enumerate(own, first):
        label, is_last = f"target{k}", k == chain.shared + len(own)
        mean_symbol, variance_symbol = (Symbol(f"target_mean{k}", real=True),
                                        Symbol(f"target_variance{k}", nonnegative=True))
        if level.mean is None:
            mean, slope, _, variance = compute_unit_moments(label, level.variance)
            linear = Symbol(f"target_kappa1_{k}", real=True)
            derived |= {linear: slope, variance_symbol: variance}
            transmitted *= linear**2
            if not is_odd and not is_last:
                derived[mean_symbol] = mean
            level = _Level(variance_symbol, None if is_odd or is_last else mean_symbol)
            continue
        slope, _ = conditional(label, level.mean, level.variance, f"_target{k}")
        transmitted *= over_units(slope**2)
        if is_last:
            averages[s.rho] = Named("rho", variance_around(label, level.mean, level.variance))
        else:
            mean, variance = propagate_moments(label, level.mean, level.variance)
            derived |= {mean_symbol: mean, variance_symbol: variance(mean_symbol)}
            level = _Level(variance_symbol, mean_symbol)
    if averages:
        averages[s.transmitted] = Named("transmitted", transmitted)
    else:
        derived |= {s.rho: level.variance, s.transmitted: transmitted}
    return SimpleNamespace(derived=derived, averages=averages)
