r"""One Gaussian above integrands of means over a normal, along paths beside the real line.

With :math:`x=(u+iv)/W`, :math:`|v|\le v_0+v_1|u|` and :math:`1/W^2=c-id` the density is

.. math:: |\varphi(x)|\le\tfrac1{\sqrt{2\pi}}e^{-cu^2/2+|d||u||v|+cv^2/2},

and :math:`|\Phi(z)|`, :math:`|e^{-z^2/2}|` are at most :math:`e^{(\mathrm{Im}z)^2/2}` (shift the path by ``Im z``),
with :math:`|\mathrm{Im}z|\le\beta_0+\beta_1|u|`: all is below one Gaussian in u, a small share of whose exponent pays
for factors that grow.
"""

import numpy as np

from .absolute import MARGIN

__all__ = ["GROWN", "SPARE", "GaussianMass", "reach"]

SPARE = 0.05                                    # share of exponents that pays for factors that grow
GROWN = 1 / np.sqrt(np.e * SPARE) * MARGIN      # x <= GROWN exp(SPARE x**2/2) for all x


def reach(c, count=1):
    """Bound ``|u| exp(-share of c u**2/2)``, with the count-th part of the share."""
    return GROWN * np.sqrt(count / c)


class GaussianMass:
    """Bound of the integral of ``|phi(x)|`` times one of the factors with ``exp((Im z)**2/2)``.

    Parameters
    ----------
    c : (array, array)
        Lower and upper bound of the real part of ``1/W**2``.
    d : array
        Bound of its imaginary part.
    v : array or (array, array)
        Bounds of v0 and, if there is one, v1.
    beta : (array, array)
        Bounds of beta0 and beta1.
    inverse_width : array
        Bound of ``|1/W|``.
    stretch : array
        Bound of the length of the path, in units of that of its real part.

    Attributes
    ----------
    total : array
        The bound; infinite if none holds.
    peak : array
        Bound of the integrand without ``|dx|``, in units of the total.
    reserve : array
        The c of :func:`reach` for factors that grow.
    """

    def __init__(self, c, d, v, beta, inverse_width, stretch=1.0):
        with np.errstate(all="ignore"):
            (low, high), more = c, 1 + SPARE
            v0, v1 = v if isinstance(v, tuple) else (v, 0.0)
            beta0, beta1 = beta
            left = (low - (high * v1**2 + 2 * d * v1) * MARGIN - more * beta1**2 * MARGIN) / MARGIN
            slope = d * v0 + high * v0 * v1 + more * beta0 * beta1
            spared = left * (1 - SPARE)
            exponent = (slope**2 / (2 * spared) + high * v0**2 / 2 + more * beta0**2 / 2) * MARGIN
            size = np.exp(np.minimum(exponent, 700)) * MARGIN
            total = 2 * inverse_width * stretch / np.sqrt(spared) * size * MARGIN
            holds = (left > 0) & (low > 0) & (exponent < 690) & np.isfinite(total)
        self.total = np.where(holds, total, np.inf)
        self.peak = np.sqrt(np.maximum(spared, 0)) / (2 * stretch * inverse_width)
        self.reserve = np.maximum(left, 1e-300)
