"""Gaussian averages in double precision: choose the rule, and raise ConvergenceError if none converges.

An integrand with kinks takes Gauss-Legendre panels, split where halving a panel changes its integral; an analytic one
the nested trapezoidal rule, whose error squares when the step is halved.
"""

import numpy as np

from ...errors import ConvergenceError, DomainError
from .residues import Integrands, check_functionals, residues

_ORDER, _DEPTH, _MAX_PANELS = 16, 60, 40_000
_GRADES = 8


def panels(integrands, tolerance):
    """Compute averages and error estimates by adaptive panels; return None if panels run out.

    The first panels end at the kinks and are graded towards them, so that a feature at such a point is
    resolved whatever its width. A panel is accepted when its two halves give the same integrals; the
    estimate adds up these differences, which are far above the error of the halves.
    """
    left, right = _edges(integrands)
    whole, _ = _integrals(integrands, left, right)
    second = integrands.functionals.index((2, 0))
    done = np.zeros(whole.shape[0])
    estimates, absolute, used = np.zeros_like(done), np.zeros_like(done), left.size
    for _ in range(_DEPTH):
        middle = 0.5 * (left + right)
        low, low_size = _integrals(integrands, left, middle)
        high, high_size = _integrals(integrands, middle, right)
        halves, size = low + high, low_size + high_size
        if not np.all(np.isfinite(halves)):
            return None
        sizes = integrands.sizes(abs(done[second] + halves[second].sum()))[:, None]
        difference = np.abs(halves - whole)
        rounding = 4.0 * np.finfo(float).eps * size
        accepted = np.all(difference <= np.maximum(2e-3 * tolerance * sizes, rounding), axis=0)
        accepted |= (middle <= left) | (middle >= right)
        done += halves[:, accepted].sum(axis=1)
        absolute += size[:, accepted].sum(axis=1)
        estimates += difference[:, accepted].sum(axis=1)
        split = ~accepted
        if not split.any():
            return done, estimates + 4.0 * np.finfo(float).eps * absolute
        left, right = (np.concatenate([left[split], middle[split]]), np.concatenate([middle[split], right[split]]))
        whole = np.concatenate([low[:, split], high[:, split]], axis=1)
        used += left.size
        if used > _MAX_PANELS:
            return None
    return None


def _edges(integrands):
    cut = integrands.cut
    edges = np.linspace(-cut, cut, 2 * int(np.ceil(cut)) + 1)
    kinks = np.asarray(integrands.activation.kinks_float, dtype=float)
    if kinks.size and integrands.b > 0.0:
        kinks = (kinks - integrands.a) / integrands.b
        kinks = kinks[np.abs(kinks) < cut]
        steps = 0.25 ** np.arange(1, _GRADES + 1) / max(1.0, integrands.b)
        graded = (kinks[:, None] + np.concatenate([-steps, steps])).ravel()
        # panels that end beside a kink instead of on it would straddle it
        edges = np.concatenate([edges, graded[np.abs(graded) < cut]])
        edges = edges[np.all(np.abs(edges[:, None] - kinks) > 1e-12, axis=1)] if kinks.size else edges
        edges = np.concatenate([edges, kinks])
    edges = np.unique(edges)
    return edges[:-1], edges[1:]


def _integrals(integrands, left, right):
    """Integrate over panels; return integrals and integrals of the modulus, shape (functionals, panels)."""
    x, w = np.polynomial.legendre.leggauss(_ORDER)
    half = 0.5 * (right - left)
    z = 0.5 * (right + left)[:, None] + half[:, None] * x
    values = integrands(z.ravel()).reshape(-1, left.size, _ORDER) * (half[:, None] * w)
    return values.sum(axis=2), np.abs(values).sum(axis=2)


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
