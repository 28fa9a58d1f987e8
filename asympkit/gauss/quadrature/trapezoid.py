"""Nested trapezoidal rule: for an analytic integrand the error squares when the step is halved."""

import numpy as np

_START, _HALVINGS = 16, 7
#: a shift by this part of the step turns the phase of every alias
_SHIFT = 0.3819660112501051
#: largest step in the argument of the function: between the nodes of coarser lattices a function may do anything
_VISIBLE = 1.0


def trapezoid(integrands, tolerance):
    """Compute averages and error estimates, or return None where the rule does not converge.

    Two consecutive halvings must agree. Then the lattice is compared with a shifted copy of itself: a
    frequency that fits the step is invisible to every halving, but not to a shift by an irrational part.
    The estimate is the difference of the two, which is of the size of the error left. A step that is large
    in the argument of the function is not accepted: a bump may lie between its nodes.
    """
    step = integrands.cut / (_START / 2)
    total, _ = _lattice(integrands, step, 0.0)
    change = np.inf
    for _ in range(_HALVINGS):
        middle, _ = _lattice(integrands, step, 0.5)
        finer, step = 0.5 * (total + middle), 0.5 * step
        before, change = change, _relative(integrands, finer - total, finer)
        total = finer
        if not np.isfinite(change):
            return None
        if change <= tolerance and before <= np.sqrt(tolerance) and step * integrands.b <= _VISIBLE:
            shifted, absolute = _lattice(integrands, step, _SHIFT)
            estimates = np.abs(shifted - total) + 4.0 * np.finfo(float).eps * absolute
            if _relative(integrands, estimates, total) <= tolerance:
                return total, estimates
    return None


def _lattice(integrands, step, shift):
    count = int(np.ceil(integrands.cut / step)) + 1
    values = integrands(step * (np.arange(-count, count + 1) + shift)) * step
    return values.sum(axis=1), np.abs(values).sum(axis=1)


def _relative(integrands, differences, values):
    return float(np.max(np.abs(differences) / integrands.sizes(values[integrands.functionals.index((2, 0))])))
