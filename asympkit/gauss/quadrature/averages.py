"""Gaussian averages in double precision by adaptive Gauss-Legendre panels; ConvergenceError where they do not converge.

Panels end at kinks and around narrow features, and are split where halving one changes its integral: steep functions,
oscillations and jumps cost more of them, and no accuracy.
"""

import numpy as np

from ...errors import ConvergenceError, DomainError

#: beyond it the root of the normal weight underflows
_END, _SPACING, _MARGIN = 53.0, 0.25, 4
_NEGLIGIBLE = 1e-19


class Integrands:
    """Functions ``f(a+bz)**power * h_order(z) * density(z)`` on the real line, h the orthonormal Hermite polynomials.
    """

    def __init__(self, activation, functionals, a, b):
        self.activation, self.a, self.b = activation, a, b
        self.functionals = tuple(functionals)
        self.powers = np.array([p for p, _ in self.functionals])
        self.top = max(k for _, k in self.functionals)
        self.cut = self._cut()

    def __call__(self, z):
        """Evaluate at points, one row for each functional."""
        with np.errstate(all="ignore"):
            root = np.exp(-0.25 * z * z) / (2.0 * np.pi) ** 0.25
            values = self.activation(self.a + self.b * z) * root
            # each factor carries a root of the weight, so that neither overflows alone
            hermite = dict(enumerate(hermite_functions(root, z, self.top)))
            ratio = dict(enumerate(hermite_functions(np.ones_like(z), z, self.top)))
            return np.array([values * hermite[k] if p == 1 else values**2 * ratio[k] for p, k in self.functionals])

    def sizes(self, second):
        """Return the scales of the errors: powers of the root of the second moment."""
        return np.sqrt(max(second, np.finfo(float).tiny)) ** self.powers

    def _cut(self):
        """Find the cut-off beyond which every integrand is below rounding."""
        z = np.arange(0.0, _END, _SPACING)
        size = np.max([np.max(np.abs(self(side)), axis=0) for side in (-z, z)], axis=0)
        above = np.nonzero(size > _NEGLIGIBLE * np.max(size))[0] if np.all(np.isfinite(size)) else [z.size]
        last = above[-1] if len(above) else 0
        if last >= z.size - _MARGIN:
            raise ConvergenceError(f"quadrature: {self.activation.name!r} times the normal weight decays too slowly "
                                   "for double precision; pass digits, for example digits=20")
        # a feature narrower than the spacing may lie where the samples are zero
        return max(9.5, float(z[last + _MARGIN]))


def hermite_functions(first, z, top):
    """Yield orthonormal Hermite polynomials times a common factor, of order 0 .. top."""
    before, now = np.zeros_like(z), first
    for k in range(top + 1):
        yield now
        before, now = now, (z * now - np.sqrt(k) * before) / np.sqrt(k + 1)


def check_functionals(functionals):
    """Return a tuple of (power, order) pairs, or raise a DomainError."""
    pairs = tuple(functionals)
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and pair[0] in (1, 2) and 0 <= pair[1] <= 200):
            raise DomainError(f"functionals: got {pair!r}; expected pairs (power, order) with power 1 or 2 and "
                              "order from 0 to 200")
    return pairs


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


#: target error and largest accepted error, relative to powers of the root of E f^2
AIM, LIMIT = 1e-13, 1e-12


def gaussian_quadrature(activation, functionals, a=0.0, b=1.0):
    r"""Return the averages :math:`E[f(a+bZ)^p\,h_k(Z)]` over a standard normal variable, with their errors.

    Functionals are pairs (p, k): power 1 or 2 of the activation and order of the orthonormal probabilists' Hermite
    polynomial :math:`h_k=\mathrm{He}_k/\sqrt{k!}`: (1, 0) is the mean, (1, 1) is :math:`E[Zf]`, (2, 0) is
    :math:`E[f^2]`.

    The errors bound absolute ones as observed: the difference of panels and their halves, and rounding.
    ConvergenceError if one exceeds :math:`10^{-12}(E f^2)^{p/2}`, DomainError if :math:`E f^2` is infinite.
    """
    wanted = check_functionals(functionals)
    a, b = float(a), float(b)
    if not (np.isfinite(a) and np.isfinite(b) and b >= 0.0):
        raise DomainError(f"a, b: got {a!r}, {b!r}; expected finite numbers with b >= 0")
    activation.require_second_moment(b * b)
    integrands = Integrands(activation, (*wanted, (2, 0)), a, b)
    found = panels(integrands, AIM)
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
