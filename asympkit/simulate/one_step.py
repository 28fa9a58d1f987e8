"""Simulate the real two-layer network after one large gradient step, without idealisation.

The first step may be taken on infinitely many samples: along the gradient of the population loss, without sampling.
For unit vectors u, v and a normal x the mean of ``f(v.x) * g(u.x) * x`` is ``A(s)*v + B(s)*u`` with s = u.v, where A
and B are power series in s made of the Hermite coefficients of f and g (Stein's lemma and Mehler's formula).  The
coefficients follow from values alone, with kinks and jumps anywhere: neither function has to be differentiable.
"""

import math

import numpy as np

from ..arguments import check_count
from ..errors import DomainError
from .convex import draw_labels, mean_label, train_readouts
from .ridge import CHUNK, draw_fresh_samples, draw_on_sphere, run_regressions
from .simulation import round_count
from .spiked_features import count_units

#: ends of the integrals: the square root of the normal weight is below 1e-31 there
_END = 17.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
#: map from values at the nodes to the last two Legendre coefficients
_LAST = np.polynomial.legendre.legvander(_NODES, 19)[:, -2:].T * _WEIGHTS * np.array([[37.0], [39.0]]) / 2
#: accepted error of a piece, relative to the integral
_MISSED = 1e-15
#: halvings of a piece, after which a jump is located to rounding
_HALVINGS = 50


def hermite_moments(functions, degree):
    """Return ``E[f(z) He_k(z)] / sqrt(k!)`` for k = 0 .. degree, one row for each function of float64 arrays.

    Functions are square integrable, with kinks and jumps anywhere: Gauss-Legendre rules on pieces, which are halved
    until they resolve all functions.
    """
    nodes, weights = _rule(functions, min(0.5, 4.0 / np.sqrt(degree + 1.0)))
    half = np.exp(-nodes**2 / 4.0)
    weighted = _values(functions, nodes) * half * weights / np.sqrt(2.0 * np.pi)
    moments = np.empty((len(functions), degree + 1))
    before, now = np.zeros_like(nodes), half
    for k in range(degree + 1):
        moments[:, k] = weighted @ now
        before, now = now, (nodes * now - np.sqrt(k) * before) / np.sqrt(k + 1.0)
    return moments


def normal_mean(function):
    """Return the mean of a function of a normal variable, by the same quadrature."""
    return hermite_moments([function], 0)[0, 0]


def _rule(functions, width):
    """Return nodes and weights on pieces no longer than a width."""
    edges = np.linspace(-_END, _END, 2 * int(np.ceil(_END / width)) + 1)
    low, high = edges[:-1], edges[1:]
    done, whole = [], None
    for _ in range(_HALVINGS):
        middle, half = (low + high) / 2.0, (high - low) / 2.0
        nodes = middle[:, None] + half[:, None] * _NODES
        values = _values(functions, nodes) * np.exp(-nodes**2 / 4.0)
        if whole is None:
            whole = np.einsum("fpn,n,p->f", np.abs(values), _WEIGHTS, half)[:, None]
        last = np.abs(np.einsum("fpn,kn->fkp", values, _LAST)).max(axis=1)
        open_ = np.any(last * half > _MISSED * whole, axis=0)
        done.append((nodes[~open_], half[~open_, None] * _WEIGHTS))
        if not open_.any():
            break
        low, high = np.concatenate([low[open_], middle[open_]]), np.concatenate([middle[open_], high[open_]])
    else:
        done.append((nodes[open_], half[open_, None] * _WEIGHTS))
    return tuple(np.concatenate([part.ravel() for part in parts]) for parts in zip(*done))


def _values(functions, nodes):
    values = np.array([np.asarray(f(nodes), dtype=np.float64) for f in functions])
    if not np.isfinite(values).all():
        raise DomainError("alpha0=inf: student, its derivative or target has values that are not finite on "
                          f"[-{_END:g}, {_END:g}], where the gradient is integrated; expected finite numbers")
    return values


#: accepted truncation of the series
_LEFT_OUT = 1e-16
#: largest degree of a Hermite polynomial
_HIGHEST = 4000
#: accepted relative error of a series that ends there
_MISSED_VARIANCE = 1e-12


def population_step(student, target, weights, direction, rate, readout=1.0):
    """Return the first layer after one step along the gradient of half the expected squared error.

    Rows of ``weights`` have norm 1, ``direction`` is the target's, of any norm; ``rate`` is the learning rate itself,
    ``eta * d``; ``readout`` is the initial one of the units, in units of ``1 / sqrt(p)``.  Readouts and output are
    scaled as in :func:`gradient_step`; label noise has no part in the expected gradient.  The initial output, which is
    kept, needs the mean above for each pair of rows: DomainError if some are so nearly parallel (at a small d) that its
    series does not converge.
    """
    width, unit = len(weights), direction / np.linalg.norm(direction)
    readout = np.broadcast_to(readout, width)
    overlaps = weights @ unit
    largest = max(np.abs(overlaps).max(), *(np.abs(_off_diagonal(cosines, block)).max()
                                            for block, cosines in _cosines(weights)))
    labels, hidden, slope = hermite_moments([target, student, student.derivative], _degree(largest))
    toward, along = (_series(c, largest, len(direction)) for c in _coefficients(labels, slope))
    step = np.outer(_power_sum(toward, overlaps), unit) + _power_sum(along, overlaps)[:, None] * weights
    toward, along = (_series(c, largest, len(direction)) for c in _coefficients(hidden, slope))
    own = normal_mean(lambda z: z * student(z) * student.derivative(z))
    for block, cosines in _cosines(weights):
        others = _off_diagonal(_power_sum(toward, cosines), block) * readout
        kept = (_off_diagonal(_power_sum(along, cosines), block) * readout).sum(axis=1) + own * readout[block]
        step[block] -= (others @ weights + kept[:, None] * weights[block]) / width
    return weights + rate / width * readout[:, None] * step


def _coefficients(f, g):
    """Return the power series of A and B, from orthonormal Hermite coefficients."""
    root = np.sqrt(np.arange(1.0, len(f)))
    return root * f[1:] * g[:-1], root * f[:-1] * g[1:]


def _degree(largest):
    """Return the degree at which power series whose coefficients grow like their degree may end."""
    degrees = np.arange(1, _HIGHEST + 1)
    with np.errstate(divide="ignore"):
        small = np.flatnonzero(np.log(degrees) + degrees * np.log(largest) < math.log(_LEFT_OUT))
    return int(degrees[small[0]]) + 1 if small.size else _HIGHEST


def _series(coefficients, largest, d):
    """Return the coefficients, if the last ones are negligible."""
    powers = largest ** np.arange(len(coefficients))
    terms = np.abs(coefficients) * powers
    rest = terms[-8:].max() * min(len(terms), 1.0 / max(1.0 - largest, 1e-300))
    if rest > _MISSED_VARIANCE * terms.sum():
        raise DomainError(f"alpha0=inf at d={d}: two vectors of the first layer have the cosine {largest:.6g}, and the "
                          "population gradient between vectors so nearly parallel is not known to rounding for a "
                          "student or target with kinks: expected a larger d")
    return coefficients


def _power_sum(coefficients, s):
    total = np.full_like(s, coefficients[-1])
    for c in coefficients[-2::-1]:
        total *= s
        total += c
    return total


def _cosines(weights):
    """Yield blocks of rows, with their products with all rows."""
    rows = max(1, CHUNK // len(weights))
    for start in range(0, len(weights), rows):
        block = slice(start, min(start + rows, len(weights)))
        yield block, weights[block] @ weights.T


def _off_diagonal(matrix, block):
    """Return a block of rows of a square matrix with its diagonal set to 0, in place."""
    rows = np.arange(block.start, block.stop)
    matrix[rows - block.start, rows] = 0.0
    return matrix


def simulate_network(student, target, *, d, eta, alpha0, alpha, lam, beta=1.0, noise_variance=0.0,
                     task=None, trained=None, readout=None, **how):
    """Train a two-layer network by one gradient step, or several, and ridge regression on fresh data.

    Functions are activations, whose ``derivative`` the step needs, and numbers those of the theory, which checks them;
    all sizes are rounded.  Labels are ``target(<theta, x> / sqrt(d))`` plus noise, with ``|theta|**2 = d``;
    ``alpha0=math.inf`` is a step along the expected gradient, computed without samples.  Several steps, each on a fresh
    batch, are ``eta`` and ``alpha0`` that are tuples; only the first may be along an expected gradient.

    For several alpha a repeat draws the samples of the largest; the others use the first of them, with the same first
    layer and test inputs.  The largest has the same results as alone, up to rounding.  Several penalties ``lam *
    |w|**2`` share one factorisation.  ``order`` is that of the axes, if both are sequences.

    A ``task`` is another loss than the square in the second step, or labels 1 and -1 in both; ``trained`` the
    activation in the second step, if it differs (with a bias); ``readout`` are values of the initial readout, in units
    of ``1 / sqrt(p)``, each with its share of the units, by default 1.  The rest is as for
    :func:`~asympkit.simulate.ridge.run_regressions`.  Return estimates of ``test_error``, ``clean_error``,
    ``train_error``, ``objective``, ``m`` and ``q2``.

    A repeat takes at most ``8 * (n*p + 4*min(n, p)**2 + 3*p*d + (4*p + n)*readouts + 7*CHUNK)`` bytes, n being the
    largest number of samples and readouts that of samples times penalties: features, Gram matrix and its tridiagonal
    form, first layer and its gradient, readouts, residuals, and blocks of CHUNK = 4e6 numbers for inputs.  It does not
    depend on the size of the test set and of the first batch.  A penalty so small that singular values are needed adds
    ``8 * 5*n*p``.
    """
    d = check_count("d", d, 2)
    steps = list(zip(eta, alpha0)) if isinstance(eta, tuple) else [(eta, alpha0)]
    sizes = tuple(_first_batch(ratio, d) if rate != 0 and ratio != 0 else 0 for rate, ratio in steps)
    n0 = sizes if isinstance(eta, tuple) else sizes[0]
    p = round_count("beta", beta, d, "hidden unit")
    settings = {
        "student": student, "target": target, "d": d, "p": p, "n0": n0, "eta": eta, "noise_variance": noise_variance,
        **({"trained": trained or student} if task else {}),
        **({"readout": tuple(readout)} if readout is not None else {}),
    }
    return run_regressions(network_repeat, settings, alpha, lam, d=d, p=p, n0=sum(sizes), task=task, **how)


def _first_batch(alpha0, d):
    """Return the samples of a gradient step."""
    return alpha0 if alpha0 == math.inf else round_count("alpha0", alpha0, d, "sample for the gradient step")


def network_repeat(seed, *, student, target, d, p, n0, sizes, eta, lam, noise_variance, test_size, shape,
                   task=None, trained=None, readout=((1.0, 1.0),)):
    """Run one repeat from its seed sequence and return its observables."""
    rng = np.random.default_rng(seed)
    values, shares = np.array(readout).T
    initial = np.repeat(values, count_units(shares, p))
    weights = draw_on_sphere(rng, (p, d), 1.0)
    direction = draw_on_sphere(rng, d, d)
    for rate, samples in zip(eta, n0) if isinstance(eta, tuple) else [(eta, n0)]:
        if samples == math.inf:
            weights = population_step(student, mean_label(task, target, noise_variance), weights, direction, rate * d,
                                      initial)
        elif samples:
            batch = draw_fresh_samples(rng, target, direction, samples, width=p, noise_variance=noise_variance)
            labelled = ((x, draw_labels(rng, task, y)) for _, x, y in batch)
            weights = gradient_step(student, weights, labelled, rate * d, initial)
    _, observables = train_readouts(rng, trained or student, target, weights, direction, sizes=sizes, lam=lam,
                                    noise_variance=noise_variance, test_size=test_size, task=task)
    return {name: value.reshape(shape) for name, value in observables.items()}


def gradient_step(student, weights, batch, rate, readout=1.0):
    """Return the first layer after one gradient step, of rate ``eta * d``, on half the mean squared error.

    The readout has entries ``readout / sqrt(p)`` and the output carries another ``1 / sqrt(p)``:
    the initial output, which is kept, is the mean of the hidden units, times these.  The batch comes in blocks (inputs,
    labels) of any size.
    """
    samples, step = 0, np.zeros_like(weights)
    for inputs, labels in batch:
        hidden = inputs @ weights.T
        missing = labels - np.mean(student(hidden) * readout, axis=1)
        step += (student.derivative(hidden) * readout * missing[:, None]).T @ inputs
        samples += len(labels)
    return weights + (rate / (len(weights) * samples)) * step
