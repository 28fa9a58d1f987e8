"""Simulate and cross-check the nonlinear spikes."""

import math

from ...comparison import Tolerance
from ...errors import DomainError
from ..declaration import read_values
from ..simulator import Simulator, choice, size

__all__ = ["SIMULATOR"]

#: n times the relative tolerance of the simulation of the limit, for its finite size
_FINITE_SIZE = 40.0
#: n times the tolerance of its gaps relative to the baseline: each spike is a regressor without penalty, which fits
#: about 1/n of the labels even if they are unrelated to it
_FITTED = 10.0
#: relative tolerance of the network at a finite step size, and its reason; the size is that of paired simulations (see
#: :class:`~.finite_step.FiniteStep`)
_ALLOWANCE, _NETWORK = 0.1, "the theory keeps the spikes of the step and leaves out the rest of it"


def _simulate(theory, parameters, *, n, model, **how):
    """Simulate the real network, its untrained features with spikes, or the limit of these."""
    from ...simulate.nonlinear_spikes.simulation import simulate_nonlinear

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
    from sympy import Rational

    from ...activations import Activation

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
    """What the finite size, or the idealisation of the network, may do to each quantity.

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
