"""Simulation and cross-check of the nonlinear spikes."""

import math
import warnings

from ..comparison import Grant
from ..errors import AssumptionWarning, DomainError
from .domains import check_choice, check_names
from .model import warn_assumptions
from .nonlinear_base import SpikeModel

__all__ = ["ComparedSpikes"]

#: finite size of a simulated limit: relative difference granted, times n; of the gaps also relative to the baseline,
#: because regressors without penalty take off their share even where there is nothing to learn
_FINITE_SIZE, _FREE_SHARE = 40.0, 10.0
#: relative difference granted where the network is idealised
_ALLOWANCE, _NETWORK = 0.1, "the theory keeps the spikes of the step and leaves out the rest of it"


class ComparedSpikes(SpikeModel):
    """The theory next to its simulations; base of :class:`~asympkit.NonlinearSpikes`."""

    def simulate(self, *, n=1000, repeats=10, seed=0, model=None, executor=None, progress=False, file=None,
                 **parameters):
        """Simulate the real network, its untrained features with spikes, or the limit of these.

        Parameters
        ----------
        n : int
            Samples of each step.
        repeats, seed : int
            Independent draws, at least 2, and the seed of all of them.
        model : {"network", "truncated", "limit"}
            The network; untrained features plus the spikes up to ``degree``; untrained features plus the powers
            of the spike direction as regressors without penalty, with a readout orthogonal to the spikes' own
            (which matters where the initial output is kept).  The network approaches the limit only like a
            power of n: compare it with the finite step size.  By default the network if ``eta`` is given.
        executor : concurrent.futures.Executor, optional
        progress : bool
        file : str or Path, optional
            Keeps the finished repeats; a simulation goes on from it.
        **parameters
            As for :meth:`solve`.

        Returns
        -------
        Simulation
            Of train_error, test_error, baseline_train, baseline_test, train_gap, test_gap.
        """
        from ..simulate.nonlinear import simulate_nonlinear

        given = {k: v for k, v in self.given(parameters).items() if v is not None}
        check_names(given, self.required, (*self.optional, "eta"), self.name)
        model = model or ("network" if "eta" in given else "limit")
        check_choice("model", model, ("network", "truncated", "limit"))
        some = "degree" in given or model != "network"
        given["degree"] = self._degree(given)
        warn_assumptions(self._assumptions(given["degree"] if some else 1))
        return simulate_nonlinear(self._centred("student"), self._centred("target"), n=n, repeats=repeats, seed=seed,
                                  model=model, rows=self.rows, initial_output=self.initial_output,
                                  free_constant=self.free_constant, degrees=self.degrees(given["degree"]),
                                  executor=executor, progress=progress, file=file, **given)

    def _centred(self, label):
        """An activation without its mean."""
        from sympy import Rational

        from ..activations import Activation

        f = self.functions[label]
        if not self._has_mean(label):
            return f
        return Activation(f.expr - Rational(str(f.hermite_coefficients(0, digits=25)[0])))

    def check(self, *, n=1000, repeats=10, seed=0, digits=40, model=None, executor=None, progress=False, file=None,
              **parameters):
        """Compare compiled, high-precision, certified and simulated values.

        Parameters
        ----------
        n, repeats, seed, model, executor, progress, file
            As for :meth:`simulate`.
        digits : int
            Of the high-precision solution.
        **parameters
            As for :meth:`solve`; with ``eta`` the theory is that of the finite step size at this n.

        Returns
        -------
        Report

        Notes
        -----
        The simulation of the limit is granted its finite size, 40/n, and in a gap at least 10/n of the baseline; the
        network 10 %, because the theory keeps its spikes and leaves out the rest of what the step does.  The report
        shows what each quantity was granted; where 25 % could not have been seen nothing is tested, so that a small n
        tests nothing.
        """
        from ..check import run_check

        parameters = self.given(parameters)
        if parameters.get("eta") is not None:
            parameters["n"] = n
        elif model not in (None, "limit"):
            raise DomainError(f"model: got {model!r} without eta; only model='limit' goes with diverging spikes")
        return run_check(_Checked(self, n, model), parameters, d=None, repeats=repeats, seed=seed, digits=digits,
                         executor=executor, progress=progress, file=file, grants=self._grants(parameters, n))

    def _grants(self, parameters, n):
        """What the finite size, or the idealisation of the network, may do to each quantity."""
        network = "n" in parameters
        share, why = (_ALLOWANCE, _NETWORK) if network else (_FINITE_SIZE / n, f"finite size: {_FINITE_SIZE:g}/n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssumptionWarning)      # the check says it
            at = self.solve(**parameters)
        grants = {name: Grant(name, share, why) for name in at.observables}
        for gap, base in (("train_gap", "baseline_train"), ("test_gap", "baseline_test")):
            free = _FREE_SHARE / n * at[base] / abs(at[gap]) if at[gap] else math.inf
            if free > share:
                grants[gap] = Grant(gap, free, f"finite size: {_FREE_SHARE:g}/n of the baseline")
        return tuple(grants.values())


class _Checked:
    """A theory as :func:`asympkit.check.run_check` takes it: the simulation has n samples, not a dimension."""

    def __init__(self, theory, n, model):
        self._theory, self._n, self._model = theory, n, model

    def __getattr__(self, name):
        return getattr(self._theory, name)

    def simulate(self, *, d, **parameters):
        return self._theory.simulate(**{**parameters, "n": self._n, "model": self._model})
