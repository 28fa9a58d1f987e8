r"""Spectra compressed to few nodes, for theories that average over eigenvalues: see :func:`compress`.

They are given as eigenvalues, as covariance matrices, or as operators known by their products with vectors.

Few nodes that stand for many eigenvalues: Gauss rules of a discrete measure in the logarithm of the eigenvalue.

The functions that ridge regression takes of a spectrum, :math:`e/(e+\zeta)`, its square and :math:`\log(e+\zeta)`, are
analytic in :math:`u=\log e` in the strip of half-width :math:`\pi` around the real line, whatever :math:`\zeta>0` is.
A Gauss rule in u with m nodes therefore errs by about :math:`\rho^{-2m}`,
:math:`\rho=x+\sqrt{1+x^2}`, :math:`x=2\pi/\log\kappa`, for all penalties at once, :math:`\kappa` the ratio of the
largest to the smallest eigenvalue: 20 to 60 nodes where a rule in e itself needs :math:`\sqrt\kappa`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sympy import Symbol, Tuple

from ..arguments import check_count, quote
from ..errors import ConvergenceError, DomainError
from ..nodes.average import Measure
from ..once import Deferred

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

linear_algebra = Deferred("scipy.linalg")


def lanczos(apply, start, steps):
    """Run the Lanczos process of a symmetric operator on vectors, with full reorthogonalisation.

    The direction of ``start`` is the first vector.  Return diagonal and off-diagonal of the Jacobi matrix, of fewer
    steps than requested where the Krylov space is exhausted.
    """
    basis = np.empty((min(steps, start.size), start.size))
    diagonal, beside = [], []
    vector = start / np.linalg.norm(start)
    for k in range(len(basis)):
        basis[k] = vector
        image = apply(vector)
        diagonal.append(float(vector @ image))
        scale = np.linalg.norm(image)
        for _ in range(2):          # the second pass removes the rounding error of a small remainder
            image = image - basis[:k + 1].T @ (basis[:k + 1] @ image)
        length = np.linalg.norm(image)
        if k + 1 == len(basis) or length <= 1e-14 * max(scale, abs(diagonal[0])):
            break
        beside.append(float(length))
        vector = image / length
    return np.array(diagonal), np.array(beside[:len(diagonal) - 1])


def jacobi_nodes(diagonal, beside):
    """Return nodes and weights (of sum 1) of the Gauss rule of a Jacobi matrix."""
    nodes, vectors = linear_algebra.eigh_tridiagonal(diagonal, beside)
    return nodes, vectors[0] ** 2


def gauss_rule(eigenvalues, weights, size):
    """Compute the Gauss rule of a discrete measure on positive numbers, in their logarithm, with weights of equal sum.

    The given weights are not negative, nor all zero; fewer nodes come out where the measure has fewer points.
    """
    return list(gauss_rules(eigenvalues, weights, [size]))[-1]


def gauss_rules(eigenvalues, weights, sizes):
    """Yield the Gauss rules of increasing sizes, from one Lanczos process; the last has as many nodes as there are."""
    held = weights > 0.0
    u, mass = np.log(eigenvalues[held]), weights[held]
    # centred, so that the process sees a spectrum around 0
    middle = 0.5 * (u.min() + u.max())
    diagonal, beside = lanczos(lambda v: (u - middle) * v, np.sqrt(mass), sizes[-1])
    for size in sizes:
        nodes, parts = jacobi_nodes(diagonal[:size], beside[:size - 1])
        yield np.exp(nodes + middle), parts * mass.sum()
        if size >= len(diagonal):
            break


def _thinned(eigenvalues, weights):
    """Return a measure of many points as Gauss rules of 8 nodes on intervals of the logarithm of length 1/4.

    The functions that are averaged are analytic at distances up to pi from an interval: rules err by 50**-16.
    """
    if len(eigenvalues) <= MANY:
        return eigenvalues, weights
    order = np.argsort(eigenvalues)
    e, mass = eigenvalues[order], weights[order]
    cells = np.floor(4.0 * np.log(e / e[0]))
    ends = np.flatnonzero(np.diff(cells)) + 1
    rules = [gauss_rule(part, own, 8) for part, own in zip(np.split(e, ends), np.split(mass, ends)) if own.any()]
    return tuple(map(np.concatenate, zip(*rules)))


#: the size of the largest rule, and the step between sizes
_MOST, _STEP = 160, 2
#: eigenvalues above which intervals of them are replaced by their own rules first; numbers of one pass of sums
MANY, _PASS = 4096, 2_000_000
#: a share that no sum sees
_NOTHING = 2.0**-70
#: penalties at which a rule is chosen, and at which it is then judged
_CHOOSING, JUDGING = 48, 64


@dataclass(frozen=True, eq=False)
class Compressed:
    r"""Nodes with the means of a spectrum of ``size`` eigenvalues and of a vector's measure on it.

    Means are plain means over the m nodes, as :class:`asympkit.Eigenvalues` takes them:
    :math:`\frac1m\sum_jw_jg(D_j)=\frac1p\mathrm{Tr}\,g(\Omega)` and
    :math:`\frac1m\sum_jT_jh(D_j)=\psi^\top h(\Omega)\psi`.  The nodes D are not negative, the weights w positive, T not
    negative.

    ``error`` is the largest relative difference to the full spectrum of ``Tr Omega^j (Omega + zeta)^-j`` and
    ``psi' (Omega + zeta)^-j psi``, j = 1, 2, at penalties zeta > 0 that were not used to choose the nodes; of an
    operator also that of the vector's measure with fewer steps.  ``statistical_error`` is one standard error, relative,
    of the traces where they were estimated by random vectors; else 0.
    """

    D: np.ndarray
    weights: np.ndarray
    T: np.ndarray
    size: int
    error: float
    statistical_error: float = 0.0

    @property
    def trace(self):
        """Trace of the matrix."""
        return self.size * float(np.mean(self.weights * self.D))


def compress(eigenvalues, squares, multiplicities=None, *, rtol=1e-13):
    r"""Compress a spectrum, and a vector's squared components in its eigenspaces, to few nodes: a :class:`Compressed`.

    Eigenvalues are not negative, to rounding (1e-10 of the largest); ``squares`` are the squared lengths
    :math:`\|P_i\psi\|^2`; ``rtol`` is the largest relative error, at every penalty, that is aimed at.  DomainError for
    shapes that do not fit, negative eigenvalues, or a part of the vector where the matrix is singular; ConvergenceError
    if 160 nodes do not reach it.

    Examples
    --------
    >>> nodes = compress([3.0, 1.0], [0.5, 0.25], [1, 2])
    >>> nodes.size, round(nodes.trace, 12)
    (3, 5.0)
    """
    e, squares, counts = _checked(eigenvalues, squares, multiplicities)
    total = counts.sum()
    zero = e == 0.0
    if zero.all():
        raise DomainError("eigenvalues: all are 0; expected a matrix that is not zero")
    lost = squares[zero].sum()
    if lost > 1e-12 * squares.sum():
        raise DomainError(f"psi: a part {lost / squares.sum():.1e} of its squared length lies where the covariance is "
                          "singular; expected a vector in its range, as a covariance with the features is")
    dead, e, squares, counts = counts[zero].sum(), e[~zero], squares[~zero], counts[~zero]
    choosing, judging = penalties(e, _CHOOSING), penalties(e, JUDGING, seed=1)
    trace = _smallest_rule(e, counts, True, choosing, rtol)
    error = _error(e, counts, *trace, True, judging)
    own = np.empty(0), np.empty(0)
    if squares.any():
        own = _smallest_rule(e, squares, False, choosing, rtol)
        error = max(error, _error(e, squares, *own, False, judging))
    if not error <= 10.0 * rtol:
        raise ConvergenceError(f"compress: {_MOST} nodes reach a relative error of {error:.1e}, not rtol={rtol:.0e}"
                               "; pass a larger rtol, or use the eigenvalues as they are")
    return _joined(trace, own, dead, total, error)


def _smallest_rule(e, mass, powers, zeta, rtol):
    """Return the smallest rule that is accurate at all given penalties."""
    if np.count_nonzero(mass) <= _STEP:
        return e[mass > 0.0], mass[mass > 0.0]
    best, true = None, sums(e, mass, powers, zeta)
    for rule in gauss_rules(*_thinned(e, mass), range(_STEP, _MOST + 1, _STEP)):
        error = difference(sums(*rule, powers, zeta), true)
        if best is None or error < best[0]:
            best = error, rule
        if error <= rtol:
            break
    return best[1]


def _joined(trace, own, dead, total, error):
    """Merge the nodes of both measures into one list.

    Each node has its share in one of them; the vector's nodes get a share of the trace below rounding, so that all
    weights are positive, as a proof may need.
    """
    atom = [dead] if dead else []
    D = np.concatenate([trace[0], own[0], np.zeros(len(atom))])
    weights = np.concatenate([trace[1], np.full(len(own[0]), _NOTHING * total), atom])
    T = np.concatenate([np.zeros(len(trace[0])), own[1], np.zeros(len(atom))])
    return Compressed(D, weights * (len(D) / total), T * len(D), int(round(total)), float(error))


def penalties(e, count, seed=0):
    """Draw penalties from far below the smallest eigenvalue to far above the largest."""
    low, high = np.log(e.min()) - 5.0, np.log(e.max()) + 5.0
    places = (np.arange(count) + np.random.default_rng(seed).random(count)) / count
    return np.exp(low + (high - low) * places)


def sums(e, mass, powers, zeta):
    """Sum the first and second power of ``e/(e + zeta)``, or of ``1/(e + zeta)``, at all penalties."""
    found = []
    for some in np.array_split(zeta, -(-zeta.size * e.size // _PASS)):
        ratio = 1.0 / (e + some[:, None])
        if powers:
            ratio = ratio * e
        found.append((ratio @ mass, ratio**2 @ mass))
    return tuple(map(np.concatenate, zip(*found)))


def difference(first, second):
    return float(max(np.max(np.abs(a / b - 1.0)) for a, b in zip(first, second)))


def _error(e, mass, nodes, weights, powers, zeta):
    return difference(sums(nodes, weights, powers, zeta), sums(e, mass, powers, zeta))


# -- arguments ---------------------------------------------------------------------------------------


def read_vector(name, value, size=None):
    array = np.asarray(value, dtype=float)
    if array.ndim != 1 or size is not None and array.size != size or array.size == 0:
        expected = "a one-dimensional array" if size is None else f"shape ({size},)"
        raise DomainError(f"{name} of shape {array.shape}: expected {expected}")
    if not np.isfinite(array).all():
        raise DomainError(f"{name} has {np.count_nonzero(~np.isfinite(array))} entries that are not finite; expected "
                          "finite numbers")
    return array


def _checked(eigenvalues, squares, multiplicities):
    e = read_vector("eigenvalues", eigenvalues)
    squares = read_vector("squares", squares, e.size)
    counts = np.ones_like(e) if multiplicities is None else read_vector("multiplicities", multiplicities, e.size)
    if not (counts >= 0.0).all() or not counts.any():
        raise DomainError(f"multiplicities: got {counts.min():g}; expected numbers that are not negative, nor all 0")
    if not (squares >= 0.0).all():
        raise DomainError(f"squares: got {squares.min():g}; expected squared lengths, not negative")
    if e.min() < -1e-10 * abs(e).max():
        raise DomainError(f"eigenvalues: got {e.min():g}; expected those of a positive semi-definite matrix")
    return np.maximum(e, 0.0), squares, counts


class Eigenvalues(Measure):
    """Put equal weights on given eigenvalues and companions.

    Parameters
    ----------
    *symbols : Symbol
        The eigenvalue and its companions.  Arrays of equal length are given under these names when
        the theory is solved; each mean is the plain mean over the entries.  Their signs must be those that the
        symbols are declared to have; of eigenvalues that are not negative one at least must be positive.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import symbols
    >>> D, V = symbols("D V", positive=True)
    >>> trace = ak.Theory(name="trace", parameters={}, unknowns=[V],
    ...                   equations=[V - ak.mean(D / (1 + D), ak.Eigenvalues(D))])
    >>> trace.solve(D=[1, 3])["V"]
    0.625
    """

    def __new__(cls, *symbols: Symbol) -> Self:
        for s in symbols:
            if not isinstance(s, Symbol):
                raise DomainError(f"Eigenvalues: got {s!r:.60}; expected the symbols that solve() takes as arrays")
        return super().__new__(cls, Tuple(*symbols))

    @property
    def func(self) -> Callable[..., Eigenvalues]:
        return lambda symbols: Eigenvalues(*symbols)

    def __getnewargs__(self):
        return tuple(self.args[0])

    @property
    def bound_symbols(self) -> tuple[Symbol, ...]:
        return tuple(self.args[0])

    def positivity(self, symbol: Symbol) -> int | None:
        # arrays are checked to have the signs of their symbols, and eigenvalues that are not negative not all to be 0
        if symbol.is_positive:
            return 2
        return (1 if symbol == self.bound_symbols[0] else 0) if symbol.is_nonnegative else None


#: sizes up to which the trace of an operator is taken by all its columns, and steps of a process above
_EXACT_UP_TO, _STEPS = 4096, 300
#: eigenvalues below this part of the largest, times their number, are rounding of 0
_ZERO = 4.0 * np.finfo(float).eps
#: entries of a symmetric matrix may differ from their transposes, and eigenvalues lie below 0, by this part of the
#: largest
_ROUNDING = 1e-10


def compress_matrix(Omega, psi, *, rtol=1e-13):
    """Compress a covariance matrix, in the metric of a vector, by one eigendecomposition: see :func:`compress`."""
    matrix = check_covariance("Omega", Omega)
    psi = read_vector("psi", psi, len(matrix))
    values, vectors = linear_algebra.eigh(matrix)
    return compress(clean_spectrum("Omega", values), (vectors.T @ psi) ** 2, rtol=rtol)


def compress_operator(operator, psi, *, steps=None, probes=32, seed=0, rtol=1e-13):
    r"""Compress the spectrum of a symmetric operator that is only known by its products with vectors.

    The measure of `psi` takes one Lanczos process and has no statistical error. The trace is exact, from all p products
    with unit vectors, up to p = 4096; above it is estimated with random signs, and the error of that is stated in
    ``statistical_error``.  ``error`` compares the process of `psi` with three quarters of its steps, down to penalties
    far below the smallest eigenvalue found.
    """
    p = _size(operator)
    psi = read_vector("psi", psi, p)
    if p <= _EXACT_UP_TO:
        return compress_matrix(np.asarray(operator @ np.eye(p)), psi, rtol=rtol)
    steps = min(p, _STEPS if steps is None else check_count("steps", steps, 2))
    rng = np.random.default_rng(check_count("seed", seed, 0))
    rules = [_process(operator, rng.choice([-1.0, 1.0], p), steps)[0] for _ in range(check_count("probes", probes, 2))]
    own = _process(operator, psi, steps) if psi.any() else None
    return _from_probes(rules, own, float(psi @ psi), p, rtol)


def _process(operator, start, steps):
    """Return Gauss rules, in the eigenvalue, of a vector's measure: of all steps, and of three quarters of them."""
    diagonal, beside = lanczos(lambda v: np.asarray(operator @ v, float), start, steps)
    found = []
    for count in (len(diagonal), max(1, 3 * len(diagonal) // 4)):
        nodes, weights = jacobi_nodes(diagonal[:count], beside[:count - 1])
        found.append((clean_spectrum("Omega", nodes), weights))
    return found


def _from_probes(rules, own, length, p, rtol):
    """Compress the nodes of all probes, with equal shares of the trace, and of the vector with its own, together."""
    nodes = np.concatenate([e for e, _ in rules])
    counts = np.concatenate([mass for _, mass in rules]) * (p / len(rules))
    squares, change = np.zeros_like(counts), 0.0
    if own is not None:
        (e, mass), fewer = own
        nodes, squares = np.concatenate([nodes, e]), np.concatenate([squares, mass * length])
        counts = np.concatenate([counts, np.zeros_like(e)])
    zeta = penalties(nodes[nodes > 0.0], JUDGING, seed=1)
    if own is not None:
        change = difference(sums(*own[0], False, zeta), sums(*fewer, False, zeta))
    traces = np.array([sums(*rule, True, zeta) for rule in rules])
    spread = traces.std(axis=0, ddof=1) / np.sqrt(len(rules)) / traces.mean(axis=0)
    small = compress(nodes, squares, counts, rtol=rtol)
    return Compressed(small.D, small.weights, small.T, p, max(change, small.error), float(spread.max()))


# -- arguments ---------------------------------------------------------------------------------------


def check_covariance(name, given, size=None):
    """Return a finite symmetric matrix, of a size if one is expected, or raise a DomainError."""
    try:
        matrix = np.asarray(given)
        matrix = matrix.astype(float) if matrix.dtype.kind != "c" else None
    except (TypeError, ValueError):
        matrix = None
    if matrix is None:
        raise DomainError(f"{name}: got {quote(given)}; expected a square matrix of numbers, which are real")
    expected = "a square matrix (p, p)" if size is None else f"({size}, {size})"
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or size not in (None, len(matrix)) or not matrix.size:
        raise DomainError(f"{name}: got an array of shape {matrix.shape}; expected {expected}")
    if not np.isfinite(matrix).all():
        raise DomainError(f"{name}: {np.count_nonzero(~np.isfinite(matrix))} of its {matrix.size} entries are not "
                          "finite; expected finite numbers")
    apart = float(np.abs(matrix - matrix.T).max())
    if apart > _ROUNDING * float(np.abs(matrix).max()):
        raise DomainError(f"{name}: differs from its transpose by up to {apart:.3g}; expected a symmetric matrix")
    return (matrix + matrix.T) / 2


def clean_spectrum(name, eigenvalues):
    """Set eigenvalues within rounding of 0 to 0; raise a DomainError for negative ones."""
    lowest = eigenvalues.min()
    if lowest < -_ROUNDING * np.abs(eigenvalues).max():
        raise DomainError(f"{name} has the eigenvalue {lowest:.3g}; expected a positive semi-definite matrix, as a "
                          "covariance is")
    return np.where(eigenvalues <= _ZERO * len(eigenvalues) * eigenvalues.max(), 0.0, eigenvalues)


def _size(operator):
    shape = getattr(operator, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2 or shape[0] != shape[1] or not hasattr(operator, "__matmul__"):
        raise DomainError(f"Omega: got {type(operator).__name__} of shape {shape}; expected a square symmetric "
                          "scipy.sparse.linalg.LinearOperator")
    return shape[0]
