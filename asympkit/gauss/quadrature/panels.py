"""Gauss-Legendre panels, split where halving a panel changes its integral."""

import numpy as np

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
