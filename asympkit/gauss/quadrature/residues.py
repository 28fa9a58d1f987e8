r"""Trapezoidal rule corrected by residues: the rule for meromorphic activations of any steepness.

.. math:: I = T_h - 2\,\mathrm{Re}\sum_p 2\pi i\,\mathrm{Res}_p\,F\,\frac{q}{1-q},\qquad q(z)=e^{2\pi iz/h},

over the poles in the upper half plane, of any order. The remaining error, :math:`e^{-2\pi^2/h^2}`, is that of an
entire function; poles whose factor :math:`q` is below rounding are left out.
"""

from math import factorial

import numpy as np

from .integrands import hermite_functions
from .poles import meromorphic
from .series import divide, exponential, multiply

#: exp(-42) is below rounding
_DECAY, _MAX_POLES = 42.0, 4000


def residues(integrands, tolerance):
    """Compute averages and error estimates from two unrelated steps; None for an activation without such a form."""
    form = meromorphic(integrands.activation.expr, integrands.activation.symbol)
    if form is None or integrands.b == 0.0:
        return None
    spread = np.sqrt(integrands.top)
    frequencies = (14.0 + spread, 12.0 + spread)
    if form.rate * integrands.b * (frequencies[0] + 1.0) * len(form.roots) > 2.0 * np.pi * _MAX_POLES:
        return None
    with np.errstate(all="ignore"):
        (value, absolute), (other, _) = (_corrected(integrands, form, f, spread) for f in frequencies)
    estimates = np.abs(value - other) + 4.0 * np.finfo(float).eps * absolute
    second = value[integrands.functionals.index((2, 0))]
    if not np.all(estimates <= tolerance * integrands.sizes(second)):
        return None
    return value, estimates


def _corrected(integrands, form, frequency, spread):
    step = 2.0 * np.pi / frequency
    count = int(np.ceil(integrands.cut / step))
    terms = integrands(step * np.arange(-count, count + 1)) * step
    values, absolute = terms.sum(axis=1), np.abs(terms).sum(axis=1)
    # |q phi h_k| at the height y is about exp(-frequency*y + y**2/2 + y*sqrt(k))
    slope = frequency - spread
    height = slope - np.sqrt(slope**2 - 2.0 * _DECAY)
    for multiplicity, u, w in form.poles(height * integrands.b):
        if w.size:
            for k, (power, order) in enumerate(integrands.functionals):
                correction = 2.0 * (2j * np.pi * _residue(integrands, form, multiplicity, u, w, power, order,
                                                         frequency)).real
                values[k] -= correction.sum()
                absolute[k] += np.abs(correction).sum()
    return values, absolute


def _residue(integrands, form, multiplicity, u, w, power, order, frequency):
    """Compute the residues of ``s(a+bz)**power h(z) phi(z) q/(1-q)`` at the poles of s."""
    a, b = integrands.a, integrands.b
    length, z = multiplicity * power, (w - a) / b
    scale = b ** (np.arange(length, dtype=float) - multiplicity)[:, None]
    principal = form.laurent(multiplicity, u, w, length) * scale
    if power == 2:
        principal = multiply(principal, principal)
    weight = multiply(_density_times_hermite(z, order, length), _alias(z, frequency, length))
    return multiply(principal, weight)[-1]


def _alias(z, frequency, length):
    """Return the series of q/(1-q) at z."""
    q = np.exp(1j * frequency * z) * exponential(np.full(z.shape, 1j * frequency), length)
    below = -q
    below[0] += 1.0
    return divide(q, below)


def _density_times_hermite(z, order, length):
    """Return the series of ``phi(z + t) h_order(z + t)``: the Hermite functions are derivatives of the density."""
    density = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    hermite = list(hermite_functions(density, z, order + length - 1))
    # phi He_k = (-1)^k phi^(k), and He_n = sqrt(n!) h_n
    growth = [np.sqrt(factorial(order + j) / factorial(order)) / factorial(j) for j in range(length)]
    return np.array([(-1.0) ** j * growth[j] * hermite[order + j] for j in range(length)])
