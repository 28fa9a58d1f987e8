"""The integrands of one call: powers of the activation times orthonormal Hermite polynomials and weight."""

import numpy as np

from ...errors import ConvergenceError, DomainError

#: beyond it the root of the normal weight underflows
_END, _SPACING, _MARGIN = 53.0, 0.25, 4
_NEGLIGIBLE = 1e-19


class Integrands:
    """Functions ``f(a+bz)**power * h_order(z) * density(z)`` on the real line.

    Parameters
    ----------
    activation : Activation
    functionals : sequence of (power, order)
        ``power`` 1 or 2, ``order`` of the orthonormal Hermite polynomial.
    a, b : float
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
