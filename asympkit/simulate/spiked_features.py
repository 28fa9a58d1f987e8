"""Simulate spiked random features: weights with an isotropic bulk, plus directions shared by all rows of a class."""

import math
from itertools import combinations_with_replacement

import numpy as np

from ..arguments import check_count
from ..errors import DomainError
from .convex import train_readouts
from .repeats import run_repeats
from .ridge import draw_on_sphere, run_regressions
from .simulation import round_count


def simulate_spiked(student, target, *, d, gamma, alpha, lam, r=None, c=None, units=None, beta=1.0,
                    noise_variance=0.0, rows="sphere", **how):
    """Run ridge regression on the features ``student((W + r / sqrt(d) * 1 v^T) x) / sqrt(p)``.

    Numbers are those of the theory, which checks them; labels are ``target(<theta, x> / sqrt(d))`` plus noise, and
    ``v . theta / d`` is gamma, one for each direction of the spike.  All units have the strength r of the spike and the
    squared norm c of a row of the bulk W; or each class of ``units`` has a strength of the spike in each direction, a
    squared norm, and a share of the units.  Rows have squared norm exactly c with independent directions ("sphere"), or
    independent entries of variance c / d ("gaussian"), or are orthogonal with squared norm exactly c.

    Other arguments are as for :func:`~asympkit.simulate.one_step.simulate_network`, with its memory.  Return estimates
    of the errors and of the order parameters ``m``, ``theta``, ``psi``, ``q1``, ``q2``; with classes of units those of
    each, ``m_1``, and pairs, ``q1_12``, with several directions ``theta2_1`` of the second.
    """
    d = check_count("d", d, 2)
    if units is None and rows == "orthogonal":
        units = [(r, c, 1.0)]
    layer = {"r": r, "gamma": gamma, "c": c} if units is None else {
        "units": tuple((tuple(np.atleast_1d(u).tolist()), c, share) for u, c, share in units),
        "gamma": tuple(np.atleast_1d(gamma).tolist())}
    p = round_count("beta", beta, d, "hidden unit")
    settings = {"student": student, "target": target, "d": d, "p": p, **layer, "rows": rows,
                "noise_variance": noise_variance}
    return run_regressions(spiked_repeat if units is None else classes_repeat, settings, alpha, lam, d=d, p=p, **how)


def draw_weights(rng, *, d, p, gamma, c, rows):
    """Draw the bulk, the spike, the rest of the target's direction, orthogonal to it, and this direction.

    Vectors have squared norm d; the direction is ``gamma * spike + sqrt(1 - gamma**2) * rest``.
    """
    if rows == "sphere":
        bulk = draw_on_sphere(rng, (p, d), c)
    else:
        bulk = rng.standard_normal((p, d)) * math.sqrt(c / d)
    spike = draw_on_sphere(rng, d, d)
    rest = rng.standard_normal(d)
    for _ in range(2):  # the second pass removes the rounding of the first
        rest -= (spike @ rest / d) * spike
        rest *= math.sqrt(d) / np.linalg.norm(rest)
    direction = gamma * spike + math.sqrt((1 - gamma) * (1 + gamma)) * rest
    return bulk, spike, rest, direction


def spiked_repeat(seed, *, student, target, d, p, r, gamma, c, rows, shape, **how):
    """Run one repeat from its seed sequence and return its observables."""
    rng = np.random.default_rng(seed)
    bulk, spike, rest, direction = draw_weights(rng, d=d, p=p, gamma=gamma, c=c, rows=rows)
    readouts, observables = train_readouts(rng, student, target, bulk + (r / math.sqrt(d)) * spike, direction, **how)
    observables |= measure_overlaps(readouts.reshape(p, -1), bulk, spike)
    psi = rest @ bulk.T @ readouts.reshape(p, -1) / math.sqrt(p * d)
    observables["psi"] = psi if abs(gamma) < 1 else 0.0 * psi
    return {name: value.reshape(shape) for name, value in observables.items()}


def measure_overlaps(readouts, bulk, spike):
    """Return overlap of the readouts (columns) with the spike, and their norm across it; the spike has norm d**.5."""
    p, d = bulk.shape
    pulled = bulk.T @ readouts
    along = spike @ pulled
    return {"theta": along / math.sqrt(p * d),
            "q1": (np.einsum("ij,ij->j", pulled, pulled) - along**2 / d) / p}


def simulate_weights(student, target, *, weights, bulk, spike, direction, alpha, lam, noise_variance=0.0, **how):
    """Run ridge regression on the features of a given first layer: ``bulk`` is its rest without the spike.

    Arguments are as for :func:`simulate_spiked`; ``spike`` and the ``direction`` of the target have squared norm d.
    Return estimates of the errors and of the order parameters ``m``, ``theta``, ``q1``, ``q2``.
    """
    p, d = weights.shape
    settings = {"student": student, "target": target, "weights": weights, "bulk": bulk, "spike": spike,
                "direction": direction, "noise_variance": noise_variance}
    return run_regressions(_weights_repeat, settings, alpha, lam, d=d, p=p, **how)


def _weights_repeat(seed, *, student, target, weights, bulk, spike, direction, shape, **how):
    readouts, observables = train_readouts(np.random.default_rng(seed), student, target, weights, direction, **how)
    observables |= measure_overlaps(readouts.reshape(len(weights), -1), bulk, spike)
    return {name: value.reshape(shape) for name, value in observables.items()}


def simulate_spectrum(student, *, d, r, c, alpha, beta=1.0, repeats=10, seed=0, **how):
    """Diagonalise ``Phi.T @ Phi / p`` for the features ``Phi = student((W + r / sqrt(d) * 1 v^T) x)`` of n inputs.

    Arguments are as for :func:`simulate_spiked`, with rows on the sphere.  Return estimates of ``eigenvalues`` (p,), in
    ascending order; ``constant`` and ``spike`` (p,), the squared overlaps of their eigenvectors with the constant
    direction and with ``W v``; ``projections`` (n,), of the inputs on the spike.
    """
    settings = {"student": student, "d": check_count("d", d, 2), "r": r, "c": c}
    for key, name, value, what in (("n", "alpha", alpha, "sample"), ("p", "beta", beta, "hidden unit")):
        settings[key] = round_count(name, value, d, what)
    return run_repeats(spectrum_repeat, settings, repeats=repeats, seed=seed, build=lambda found, _: found, **how)


def spectrum_repeat(seed, *, student, d, n, p, r, c):
    """Run one repeat of the spectrum from its seed sequence."""
    rng = np.random.default_rng(seed)
    bulk, spike, _, _ = draw_weights(rng, d=d, p=p, gamma=1.0, c=c, rows="sphere")
    inputs = rng.standard_normal((n, d))
    features = student(inputs @ (bulk + (r / math.sqrt(d)) * spike).T)
    values, vectors = np.linalg.eigh(features.T @ features / p)
    along = bulk @ spike
    return {"eigenvalues": values, "constant": vectors.sum(axis=0) ** 2 / p,
            "spike": (along @ vectors) ** 2 / (along @ along), "projections": inputs @ spike / math.sqrt(d)}


def classes_repeat(seed, *, student, target, d, p, units, gamma, rows, shape, **how):
    """Run one repeat with classes of units from its seed sequence and return its observables."""
    rng = np.random.default_rng(seed)
    strengths, norms, shares = (np.array(column) for column in zip(*units))
    of_class = np.repeat(np.arange(len(units)), count_units(shares, p))
    bulk = np.sqrt(norms[of_class])[:, None] * draw_rows(rng, p, d, rows)
    basis = np.linalg.qr(rng.standard_normal((d, len(gamma) + 1)))[0].T         # directions of the spike, and the rest
    spike, rest = basis[:-1], basis[-1]
    direction = math.sqrt(d) * (gamma @ spike + math.sqrt(max(0.0, 1.0 - np.dot(gamma, gamma))) * rest)
    weights = bulk + strengths[of_class] @ spike
    readouts, observables = train_readouts(rng, student, target, weights, direction, **how)
    readouts = readouts.reshape(p, -1)
    for name in ("m", "q2"):
        del observables[name]
    ends = [f"_{a + 1}" for a in range(len(units))] if len(units) > 1 else [""]
    pulled = []
    for a, end in enumerate(ends):
        own = readouts[of_class == a]
        pulled.append(bulk[of_class == a].T @ own)
        observables |= {f"m{end}": own.sum(axis=0) / math.sqrt(p), f"q2{end}": np.square(own).sum(axis=0) / p,
                        f"psi{end}": rest @ pulled[a] / math.sqrt(p)}
        for k, v in enumerate(spike):
            observables[f"theta{k + 1 if len(spike) > 1 else ''}{end}"] = v @ pulled[a] / math.sqrt(p)
        pulled[a] = pulled[a] - spike.T @ (spike @ pulled[a])
    for a, b in combinations_with_replacement(range(len(units)), 2):
        observables[f"q1_{a + 1}{b + 1}" if len(units) > 1 else "q1"] = np.einsum("ij,ij->j", pulled[a], pulled[b]) / p
    return {name: value.reshape(shape) for name, value in observables.items()}


def count_units(shares, p):
    """Return the numbers of units of the classes, which sum to p, each within one of its share."""
    counts = np.floor(shares * p + 1e-9).astype(int)
    first = np.argsort(counts - shares * p, kind="stable")
    counts[first[:p - counts.sum()]] += 1
    return counts


def draw_rows(rng, p, d, rows):
    """Draw rows of squared norm 1: on the sphere, of independent entries (1 in the mean), or orthogonal."""
    if rows == "sphere":
        return draw_on_sphere(rng, (p, d), 1.0)
    entries = rng.standard_normal((p, d))
    if rows == "gaussian":
        return entries / math.sqrt(d)
    if p > d:
        raise DomainError(f"rows='orthogonal': got {p} rows of {d} entries; expected beta <= 1")
    frame, triangle = np.linalg.qr(entries.T)
    return (frame * np.sign(np.diag(triangle))).T           # uniform over frames
