"""One gradient step, student z*exp(-z**2/2), target tanh, square loss (arXiv 2402.04980).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: V1, V2, q1, q2, theta, psi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat.
Parameters: alpha, beta, lam, noise_variance, r, c, gamma, rho.
Observables: test_error, clean_error, train_error, objective.
"""


import math

import numpy as np

OPTIONS = dict(cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract", "arcp"})
LOOPS = []
prange = range


def compiled(loop):
    """Leave a loop to numba, which is loaded when one of the loops is first called."""
    def front(*arguments, **named):
        compile_loops()
        return globals()[loop.__name__](*arguments, **named)

    LOOPS.append((loop, loop.__name__, False))
    front.__name__, front.__doc__, front.__wrapped__ = loop.__name__, loop.__doc__, loop
    return front


def in_parallel(front):
    """The same loop on all cores, under the name <name>_parallel."""
    name = front.__name__ + "_parallel"
    code = front.__wrapped__.__code__.replace(co_name=name, co_qualname=name)
    LOOPS.append((type(front)(code, globals(), name), name, True))
    return lambda *arguments: compile_loops() or globals()[name](*arguments)


def compile_loops():
    """Put numba's functions in the place of their fronts; without numba, plain Python, slowly."""
    try:
        from numba import njit, prange
    except ImportError:
        globals().update({name: loop for loop, name, _ in LOOPS})
    else:
        functions = {name: njit(parallel=parallel, **OPTIONS)(loop) for loop, name, parallel in LOOPS}
        globals().update(functions, prange=prange)


@compiled
def mp_resolvent(a, b, scale, ratio):
    """E 1/(aD+b) under the Marchenko-Pastur law, on the branch without cancellation."""
    x = a * scale
    shifted = b + x * (1.0 - ratio)
    product = 4.0 * ratio * x * b
    root = math.sqrt(shifted * shifted + product)
    if shifted >= 0.0:
        return 2.0 / (shifted + root)
    return 2.0 * (root - shifted) / product


def mp_resolvent_batch(a, b, scale, ratio):
    """The same for arrays."""
    x = a * scale
    shifted = b + x * (1.0 - ratio)
    product = 4.0 * ratio * x * b
    total = np.abs(shifted) + np.sqrt(shifted * shifted + product)
    return np.where(shifted >= 0.0, 2.0 / total, 2.0 * total / np.where(shifted >= 0.0, 1.0, product))


@compiled
def solve_linear_1(a, b):
    """Solve ``a x = b``; x = 0 if a vanishes exactly.  Returns (x, scaled residual)."""
    if a == 0.0:
        return 0.0, (0.0 if b == 0.0 else 1.0)
    x = b / a
    return x, abs(a * x - b) / (abs(a * x) + abs(b) + 1e-300)


@compiled
def solve_linear_2(a11, a12, a21, a22, b1, b2):
    """Solve a 2 x 2 system by elimination with scaled pivoting.

    A row that vanishes exactly leaves its unknown at 0 (the minimum norm choice); if its right-hand
    side does not vanish the residual is 1.  Returns (x1, x2, scaled residual).
    """
    s1, s2 = abs(a11) + abs(a12), abs(a21) + abs(a22)
    if s1 == 0.0 or s2 == 0.0:
        x1 = 0.0 if s1 == 0.0 or a11 == 0.0 else b1 / a11
        x2 = 0.0 if s2 == 0.0 or a22 == 0.0 else b2 / a22
    elif abs(a11) * s2 >= abs(a21) * s1:
        ratio = a21 / a11
        pivot = a22 - ratio * a12
        x2 = (b2 - ratio * b1) / pivot if pivot != 0.0 else 0.0
        x1 = (b1 - a12 * x2) / a11
    else:
        ratio = a11 / a21
        pivot = a12 - ratio * a22
        x2 = (b1 - ratio * b2) / pivot if pivot != 0.0 else 0.0
        x1 = (b2 - a22 * x2) / a21
    e1 = abs(a11 * x1 + a12 * x2 - b1) / (abs(a11 * x1) + abs(a12 * x2) + abs(b1) + 1e-300)
    e2 = abs(a21 * x1 + a22 * x2 - b2) / (abs(a21 * x1) + abs(a22 * x2) + abs(b2) + 1e-300)
    return x1, x2, max(e1, e2)


@compiled
def solve_linear_n(matrix, rhs):
    """Solve an n x n system by elimination with scaled pivoting; exact zero rows give 0.

    Returns (x, scaled residual); the arguments are not changed.
    """
    n = rhs.size
    a, b = matrix.copy(), rhs.copy()
    scale = np.zeros(n)
    for i in range(n):
        for j in range(n):
            scale[i] += abs(a[i, j])
        if scale[i] == 0.0:
            a[i, i], scale[i] = 1.0, 1.0
            b[i] = 0.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) * scale[best] > abs(a[best, k]) * scale[i]:
                best = i
        if best != k:
            for j in range(n):
                a[k, j], a[best, j] = a[best, j], a[k, j]
            b[k], b[best] = b[best], b[k]
            scale[k], scale[best] = scale[best], scale[k]
        if a[k, k] == 0.0:
            continue
        for i in range(k + 1, n):
            ratio = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= ratio * a[k, j]
            b[i] -= ratio * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= a[i, j] * x[j]
        x[i] = total / a[i, i] if a[i, i] != 0.0 else 0.0
    worst = 0.0
    for i in range(n):
        value, size = -rhs[i], abs(rhs[i]) + 1e-300
        for j in range(n):
            value += matrix[i, j] * x[j]
            size += abs(matrix[i, j] * x[j])
        worst = max(worst, abs(value) / size)
    return x, worst


def solve_linear_batch(matrix, rhs):
    """Solve systems of shape (P, n, n), (P, n) row-scaled; exact zero rows give 0.

    Returns (x of shape (P, n), scaled residual of shape (P,)).
    """
    x = eliminate_batch(matrix, rhs)
    terms = matrix * x[..., None, :]
    size = np.abs(terms).sum(axis=-1) + np.abs(rhs) + 1e-300
    return x, np.max(np.abs(terms.sum(axis=-1) - rhs) / size, axis=-1)


def eliminate_batch(matrix, rhs):
    """The solutions alone: NaN where an entry is not finite, 0 where the matrix is singular."""
    return eliminate_batch_checked(matrix, rhs)[0]


def eliminate_batch_checked(matrix, rhs):
    """Solutions as by :func:`eliminate_batch`, and whether they are none because the matrix is singular."""
    n = rhs.shape[-1]
    if n == 1:
        a = matrix[..., 0]
        zero = a == 0.0
        x = np.where(np.isfinite(a), np.where(zero, 0.0, rhs / np.where(zero, 1.0, a)), np.nan)
        return x, (zero & (rhs != 0.0))[..., 0]
    scale = np.add.reduce(np.abs(matrix), axis=-1)
    empty = scale == 0.0
    contradiction = np.zeros(empty.shape[:-1], dtype=bool)
    if empty.any():
        contradiction = (empty & (rhs != 0.0)).any(axis=-1)
        matrix = matrix + np.where(empty[..., None], np.eye(n), 0.0)
        rhs, scale = np.where(empty, 0.0, rhs), np.where(empty, 1.0, scale)
    a, b = matrix / scale[..., None], rhs / scale
    bad = ~np.isfinite(scale)
    is_bad = bad.any()
    if is_bad:
        a = np.where(bad[..., None].any(axis=-2, keepdims=True), np.eye(n), a)
    if n == 2:
        x, singular = _eliminate_2_batch(a, b)
    else:
        singular = np.linalg.det(a) == 0.0
        x = np.linalg.solve(np.where(singular[..., None, None], np.eye(n), a), b[..., None])[..., 0]
    if singular.any():                       # the residual says that it is no solution
        x = np.where(singular[..., None], 0.0, x)
        contradiction |= singular & (rhs != 0.0).any(axis=-1)
    return np.where(bad.any(axis=-1, keepdims=True), np.nan, x) if is_bad else x, contradiction


def _eliminate_2_batch(a, b):
    (p1, p2), (q1, q2), (p, q) = a[..., 0, :].T, a[..., 1, :].T, b.T
    swap = np.abs(q1) > np.abs(p1)
    if swap.any():
        p1, q1 = np.where(swap, (q1, p1), (p1, q1))
        p2, q2 = np.where(swap, (q2, p2), (p2, q2))
        p, q = np.where(swap, (q, p), (p, q))
    x, none = np.empty_like(b), p1 == 0.0
    lead = np.where(none, 1.0, p1) if none.any() else p1
    ratio = q1 / lead
    pivot = q2 - ratio * p2
    singular = none | (pivot == 0.0)
    if singular.any():
        pivot = np.where(singular, 1.0, pivot)
    x[..., 1] = y = (q - ratio * p) / pivot
    x[..., 0] = (p - p2 * y) / lead
    return x, singular


#: step and cut-off of the outer trapezoidal rule by level; the steps have no simple ratio, so that no
#: frequency is invisible on two of them; they are close to each other, so that the rule which checks
#: another costs little more; the cut-off grows because a weight 1/(1+V)**2 can favour the far tail by lam**-2
OUTER_STEPS = (0.4, 0.2788, 0.1943, 0.1355, 0.0944, 0.0658, 0.0459, 0.032, 0.0223, 0.01555, 0.01083, 0.00755, 0.00526)
OUTER_CUTS = (9.0, 9.5, 10.0, 10.75, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0, 15.5)
#: orders of Gauss's rule on a panel, by level: they grow by 2**(1/4)
PANEL_ORDERS = (10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 56, 67, 80)
_TRAPEZOIDS = {}


def trapezoid(step, cut):
    """Symmetric trapezoidal rule of the standard normal on [-cut, cut], normalised to weight one."""
    n = int(np.ceil(cut / step))
    z = step * np.arange(-n, n + 1)
    w = np.exp(-0.5 * z * z)
    return z, w / w.sum()


def gauss_legendre(edges, order):
    """Composite Gauss-Legendre rule of the standard normal on panels.

    ``edges`` may hold one row of panel edges for each of several integrals; nodes and weights then
    have one row each.
    """
    x, w = np.polynomial.legendre.leggauss(order)
    left, right = edges[..., :-1, None], edges[..., 1:, None]
    half = 0.5 * (right - left)
    z = 0.5 * (right + left) + half * x
    w = half * w * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    flat = (*edges.shape[:-1], -1)
    return z.reshape(flat), w.reshape(flat)


def outer_rule(level, features):
    """Rule for the outer average, fine enough for the features of the conditional means.

    Parameters
    ----------
    level : int
        Refinement level; two of them halve the step (or raise the order of the panels).
    features : list of (float, float, tuple)
        For each inner average (offset, slope in the outer variable, inner slope, kinks): a kink k of the
        activation shows at (k - offset)/slope, smoothed over the width inner slope/|slope|.

    Returns
    -------
    nodes, weights : ndarray
    symmetric : bool
        Whether the nodes come in pairs of opposite sign.
    """
    cut = OUTER_CUTS[level]
    centres = []
    for offset, slope, inner, kinks in features:
        if slope != 0.0 and kinks:
            blur = inner / np.hypot(slope, inner)
            if blur < 0.2:
                centres += [((k - offset) / slope, inner / abs(slope)) for k in kinks]
    if not centres:
        return (*trapezoid(OUTER_STEPS[level], cut), True)
    edges = set(np.linspace(-cut, cut, 2 * int(np.ceil(cut)) + 1))
    for centre, width in centres:
        edges.add(centre)
        distance = 1.0
        while distance > width > 0.0:    # graded towards the smoothed kink
            edges.update((centre - distance, centre + distance))
            distance *= 0.5
    edges = np.array(sorted(e for e in edges if -cut <= e <= cut))
    nodes, weights = gauss_legendre(edges, PANEL_ORDERS[level])
    return nodes, weights / weights.sum(), False


def outer_rules(levels, features):
    """Rules of several levels, their nodes one after the other, and the pairs of opposite nodes.

    Parameters
    ----------
    levels : tuple of int
    features
        As for :func:`outer_rule`.

    Returns
    -------
    rules : list of (ndarray, ndarray, bool)
        Of :func:`outer_rule`.
    nodes : ndarray
    pairs : tuple of ndarray
        Of :func:`opposite_pairs`.
    """
    if levels in _TRAPEZOIDS and not any(kinks for _, _, _, kinks in features):
        return _TRAPEZOIDS[levels]
    rules = [outer_rule(level, features) for level in levels]
    nodes = np.concatenate([rule[0] for rule in rules])
    made = rules, nodes, opposite_pairs(nodes)
    if all(symmetric for _, _, symmetric in rules):
        _TRAPEZOIDS[levels] = made
    return made


def opposite_pairs(offset):
    """Indices of one of each pair of opposite numbers, where each number is found among them, and whether opposite."""
    _, first, back = np.unique(np.abs(offset), return_index=True, return_inverse=True)
    return first, back, offset * offset[first][back] < 0.0


#: how many times rules are refined at most: the finest lattice has a step of 1/1300, the finest panels are 1/256 of the
#: first ones
LATTICE_LEVELS, PANEL_LEVELS = 17, 9
#: coarsest step, which integrates an entire function of moderate growth to rounding, and the ratio of consecutive ones,
#: the golden mean to the power 3/4: its multiples are far from integers, so that no frequency is invisible on two
STEP, RATIO = 0.25, 1.4346327151126492
#: step, in the argument of the function, of the lattice on which nothing as wide as 1/50 is invisible (at no rational
#: slope the others are parts of it), and a largest number of its nodes
_FINE, _FINEST = np.pi / 160, 20_000
#: cut-offs, from the usual one (beyond it lies 2e-21 of the weight) to the end of the weight in double precision
CUTS = (9.5, 12.0, 15.0, 19.0, 24.0, 30.0, 36.0)
#: where the normal weight ends in double precision: exp(-END**2/2) is 1e-298
END = 37.0
_LATTICES = {}


class Lattice:
    """Trapezoidal rules for smooth functions, several levels at once.

    Parameters
    ----------
    cut : float
    levels : tuple of int
    slope : float, optional
        Add a rule whose step is 1/50 in the argument of a function with this slope.
    tail : bool
        Add a coarse rule of what lies beyond the cut-off.

    Attributes
    ----------
    nodes : ndarray
        Non-negative nodes of all rules, then the same with opposite sign.
    weights : ndarray, shape (nodes/2, rules)
        Of each sign.
    """

    def __init__(self, cut, levels, slope=None, tail=False):
        steps = [self.step(level) for level in levels]
        if slope is not None:
            steps.append(self.fine_step(cut, slope))
        key = cut, *steps, tail
        known = _LATTICES.get(key)
        if known is None:
            while len(_LATTICES) > 64:          # each slope has one of its own; other threads may do the same
                _LATTICES.pop(next(iter(tuple(_LATTICES)), None), None)
            _LATTICES[key] = known = self._make(cut, steps, tail)
        self.nodes, self.weights = known
        self.count = self.nodes.size

    @staticmethod
    def step(level):
        """The step of a level."""
        return STEP / RATIO**level

    @staticmethod
    def fine_step(cut, slope):
        """The step that is 1/50 in the argument of a function with some slope."""
        return max(_FINE / max(slope, 0.2), cut / _FINEST)

    @staticmethod
    def _make(cut, steps, tail):
        parts = []
        for step in steps:
            z = step * np.arange(np.ceil(cut / step), -1.0, -1.0)     # small terms first
            w = np.exp(-0.5 * z * z)
            w[-1] *= 0.5
            parts.append((z, 0.5 * w / (np.ones(w.size) @ w)))      # the weights are summed like the terms
        if tail:
            z = np.arange(cut + 0.5, END, 1.5)
            parts.append((z, np.exp(-0.5 * z * z)))
        nodes = np.concatenate([z for z, _ in parts])
        weights = np.zeros((nodes.size, len(parts)))
        first = 0
        for k, (z, w) in enumerate(parts):
            weights[first:first + z.size, k] = w
            first += z.size
        return np.concatenate([nodes, -nodes]), weights

    def near(self):
        """The rule with the shift moved to the weight."""
        return self

    def at(self, offset):
        """The rule for some rows."""
        return self

    def total(self, terms):
        """Sums over the last axis of terms, one entry for each rule; odd terms cancel exactly."""
        half = self.nodes.size // 2
        return (terms[..., :half] + terms[..., half:]) @ self.weights


class Panels:
    """Composite Gauss-Legendre rules with the kinks at the edges, each row its own; arguments as for Lattice.

    ``kinks`` are those of the function, at slope ``slope``.
    """

    def __init__(self, kinks, slope, cut, levels, tail=False):
        self.kinks, self.slope, self.cut, self.levels, self.tail = kinks, slope, cut, levels, tail
        self.count = _rule(kinks[None], cut, levels[-1])[0].shape[-1]

    def near(self):
        return _PanelSum(self._rules(self.kinks / self.slope, self.cut + 1.0))

    def at(self, offset):
        return _PanelSum(self._rules((self.kinks - offset[:, None]) / self.slope, self.cut))

    def _rules(self, kinks, cut):
        rules = [_rule(kinks, cut, level) for level in self.levels]
        return [*rules, _outside(kinks, cut)] if self.tail else rules


class _PanelSum:
    """Rules side by side: nodes and weights along the last axis, one rule after the other."""

    def __init__(self, rules):
        self.nodes = np.concatenate([z for z, _ in rules], axis=-1)
        self.rules = rules

    def total(self, terms):
        first, out = 0, []
        for _, w in self.rules:
            last = first + w.shape[-1]
            out.append(_folded_sum(terms[..., first:last] * w))
            first = last
        return np.stack(out, axis=-1)


def fine_kinks(kinks, slope):
    """Kinks with the layers beside them: they are as thin as the slope is large."""
    if slope <= 3.0:
        return kinks
    layers = 6.0 ** np.arange(np.ceil(np.log(0.3 * slope) / np.log(6.0)))
    return np.concatenate([kinks, *(kinks + s * d for d in layers for s in (-1.0, 1.0))])


def _outside(kinks, cut):
    """Coarse rule of what lies beyond a cut-off, kinks included, as far as the weight is a normal float."""
    tail = np.arange(cut + 0.5, END, 1.5)
    z = np.concatenate([-tail[::-1], tail])
    z = np.concatenate([np.broadcast_to(z, (*kinks.shape[:-1], z.size)), np.clip(kinks, -END, END)], axis=-1)
    return z, np.where(np.abs(z) > cut, np.exp(-0.5 * z * z), 0.0)


def _rule(kinks, cut, level):
    """Nodes and weights, one row for each row of kinks."""
    return gauss_legendre(_edges(kinks, cut, level), 16)


def _edges(kinks, cut, level):
    """Panel edges with the kinks among them; fine rules are graded towards the kinks, which may be singular."""
    base = np.linspace(-cut, cut, 8 * int(np.ceil(cut / 12.0)) + 1)
    base = np.broadcast_to(base, (*kinks.shape[:-1], base.size))
    edges = np.sort(np.clip(np.concatenate([base, kinks], axis=-1), -cut, cut), axis=-1)
    parts = np.arange(2.0**level) / 2.0**level
    inner = edges[..., :-1, None] + np.diff(edges, axis=-1)[..., None] * parts
    steps = 2.0 ** -np.arange(1.0, 12.0 * max(level - 2, 0) + 1.0)
    graded = (kinks[..., None] + np.concatenate([-steps, steps])).reshape(*kinks.shape[:-1], -1)
    every = [inner.reshape(*kinks.shape[:-1], -1), edges[..., -1:], np.clip(graded, -cut, cut)]
    return np.sort(np.concatenate(every, axis=-1), axis=-1)


def _folded_sum(terms):
    """Sum over the last axis in pairs from both ends: odd terms on symmetric nodes cancel exactly."""
    half = terms.shape[-1] // 2
    total = (terms[..., :half] + terms[..., ::-1][..., :half]).sum(axis=-1)
    return total + terms[..., half] if terms.shape[-1] % 2 else total


#: part of its size below which a mean without shift is zero: what sums of some hundred terms round off
FLOOR = 16 * np.finfo(float).eps
#: the smallest normal number: no size is less
TINY = np.finfo(float).tiny
#: offset over slope up to which the shift is moved to the weight: there it changes no integrand by more than a factor
#: exp(1), and beyond it one digit cancels at most
NEAR = 0.1
#: values in memory at a time: 16 MB
_CHUNK = 2_000_000


class Rows:
    """The rows of one call of :func:`normal_means`; arguments as there, ``floors`` for the parity of the function."""

    def __init__(self, function, offset, slope, functional, floors=None):
        self.function, self.offset, self.slope, self.functional = function, offset, slope, functional
        self.floors = floors
        self.near = (np.abs(offset) <= NEAR * slope) & (offset != 0.0)
        self._square_sizes = None

    @property
    def square_sizes(self):
        """Largest square of the function within three widths of each row."""
        if self._square_sizes is None:
            around = self.offset[:, None] + self.slope * np.arange(-3.0, 4.0)
            self._square_sizes = np.max(self.function(around) ** 2, axis=1)
        return self._square_sizes

    def sums(self, rule, squares=None):
        """Sums of all items by the rules of one set of nodes.

        Parameters
        ----------
        rule : Lattice or Panels
        squares : list of bool, optional
            Which items are squares, if that is known; sizes are then left out (smooth functions only).

        Returns
        -------
        values, sizes : ndarray, shape (items, rows, rules)
            The sums, and those of absolute values (where the shift is in the weight, of what is summed).
        squares : list of bool
            Which items are nowhere negative.
        """
        sized, parts, count = squares is None, [], rule.count
        if self.near.any():
            part = rule.near()
            parts += [(rows, *self._shifted(rows, part)) for rows in _groups(self.near, count)]
        parts += [(rows, *self._direct(rows, rule.at(self.offset[rows]), sized)) for rows in _groups(~self.near, count)]
        shape = (len(parts[0][1]), self.offset.size, np.shape(parts[0][1][0])[-1])
        values, sizes = np.empty(shape), np.empty(shape)
        for rows, v, s, _ in parts:
            values[:, rows] = v
            if sized:
                sizes[:, rows] = s
        if sized:
            squares = [all(p[3][k] for p in parts) for k in range(shape[0])]
        for k, is_square in enumerate(squares):
            if is_square:       # the rounding of s makes an error of this size in a mean square
                least = FLOOR**2 * self.square_sizes[:, None]
                values[k][np.abs(values[k]) <= least] = 0.0
        return values, sizes, squares

    def scales(self, values, sizes, squares):
        """The sizes by which errors are measured, of shape (items, rows, 1) for ``sizes`` of shape (items, rows)."""
        scales, least = np.empty_like(sizes), self.square_sizes
        for k, is_square in enumerate(squares):
            s = np.maximum(sizes[k], 1e-3 * self._inward_maximum(sizes[k]))
            # nothing below the square of a rounding of s is known, be it a square or an odd moment of one
            if is_square:
                s = np.maximum(s + 0.03 * np.sqrt(s * least), 1e-24 * least)
            else:
                s = np.maximum(s, 1e-17 * np.minimum(least, np.sqrt(least)))
            scales[k] = np.maximum(s, TINY)
        return scales

    def _inward_maximum(self, sizes):
        """For every row the largest size among the rows nearer to the centre on its side."""
        out = np.empty_like(sizes)
        order = np.argsort(np.abs(self.offset), kind="stable")
        for side in (self.offset >= 0.0, self.offset < 0.0):
            rows = order[side[order]]
            out[rows] = np.maximum.accumulate(sizes[rows])
        return out

    def _shifted(self, rows, part):
        z0 = part.nodes
        s = self.function(self.slope * z0)
        shift = (self.offset[rows] / self.slope)[:, None]
        growth = np.expm1(shift * z0 - 0.5 * shift**2)

        def at(column):
            return np.asarray(column)[rows][:, None]

        values, sizes, square = [], [], []
        base = self.functional(np.broadcast_to(z0, growth.shape), s, at)
        moved = self.functional(z0 - shift, s, at)
        for item, (f0, f1) in enumerate(zip(base, moved)):
            scale = part.total(np.abs(f1) * (1.0 + growth))
            square.append(bool(np.min(f1) >= 0.0))
            if square[-1]:
                # a square is summed as it is: where its value at no shift is far larger, separating it costs digits
                values.append(scale)
                sizes.append(scale)
                continue
            centre = part.total(np.broadcast_to(f0, growth.shape))
            size = part.total(np.broadcast_to(np.abs(f0), growth.shape))
            floor = self.floors[item] if self.floors else FLOOR
            if floor >= 0.0:
                centre = np.where(np.abs(centre) <= floor * np.maximum(size, TINY), 0.0, centre)
            values.append(centre + part.total(f1 * growth + (f1 - f0)))
            # what is separated and comes back leaves its rounding behind (an odd moment of a residual that vanishes)
            sizes.append(np.maximum(scale, 0.01 * size))
        return values, sizes, square

    def _direct(self, rows, part, sized):
        offset = self.offset[rows]
        s = self.function(offset[:, None] + self.slope * part.nodes)

        def at(column):
            return np.asarray(column)[rows][:, None]

        items = self.functional(part.nodes, s, at)
        terms = np.empty((len(items), *s.shape))
        for row, f in zip(terms, items):
            row[...] = f
        values, sizes, square = part.total(terms), None, None
        if sized:
            square = [bool(low >= 0.0) for low in terms.min(axis=(1, 2))]
            sizes = part.total(np.abs(terms))
        centre = np.flatnonzero(offset == 0.0) if self.slope else ()
        if len(centre):
            size = sizes[:, centre] if sized else part.total(np.abs(terms[:, centre]))
            middle = values[:, centre]
            floors = np.reshape(self.floors or [FLOOR] * len(items), (-1, 1, 1))
            values[:, centre] = np.where(np.abs(middle) <= floors * np.maximum(size, TINY), 0.0, middle)
        return values, sizes, square


def _groups(mask, nodes):
    """Groups of the rows of a mask, as index arrays, small enough for their nodes to fit in memory."""
    rows = np.nonzero(mask)[0]
    width = max(1, _CHUNK // max(1, nodes))
    return [rows[k:k + width] for k in range(0, rows.size, width)]


#: nodes of one row at most: twice those of the finest lattice at the usual cut-off
_MAX_NODES = 60_000


def normal_means(function, offset, slope, functional, signs=None, pairs=None, floors=None):
    r"""Means over z ~ N(0,1) of quantities ``functional(z, s, at)``, ``s = function(offset + slope z)``.

    Parameters
    ----------
    function : object
        Callable on arrays, with an attribute ``kinks_float``: where it is not smooth.
    offset : ndarray, shape (K,)
    slope : float
        Non-negative.
    functional : callable
        ``functional(z, s, at)`` returns a tuple of arrays; ``at(column)`` picks the entries of a column
        (shape (K,)) that belong to the rows being computed.
    signs : dict, optional
        ``{parity: signs of the means}`` under a change of the sign of the offset, for an activation of that
        parity; then one of two opposite offsets is computed.
    pairs : tuple of ndarray, optional
        Of :func:`opposite_pairs`, where it is known.
    floors : dict, optional
        ``{parity: the part of its size below which each mean is zero at offset zero}``, for an activation of that
        parity (0: none is known): infinite for what vanishes by parity, -1 for what is not to be taken for zero;
        sixteen roundings otherwise.

    Returns
    -------
    means : list of ndarray, shape (K,)
    error : float
        Change at the last refinement, relative to the mean absolute integrand; infinite where an
        integrand does not decay within double precision.

    Notes
    -----
    Where :math:`0<|a|\le b/10` the shift is moved to the weight,
    :math:`E F(z,\sigma(a+bz)) = E[F(z-a/b,\sigma(bz))\,e^{az/b-a^2/2b^2}]`, and the value at :math:`a=0` is
    separated from the increment.  The mean of an odd activation vanishes exactly at :math:`a=0`
    and keeps its relative accuracy for every small :math:`a`.  Another value at :math:`a=0` below sixteen
    roundings of the integrand is zero, so that it is the same on all rules, but where ``floors`` says that its
    direction counts.  So is the mean of a square below the square of that, such as the residual variance of a linear
    activation.

    The lattice of a smooth function is chosen on rows at most two widths of the weight apart, so that each place
    weighs in one of them, against a lattice of step 1/50 in the argument: narrower features have panels.
    """
    offset = np.asarray(offset, dtype=float)
    slope = float(slope)
    mirror = signs and signs.get(getattr(function, "mirror", 0))
    if mirror and offset.size > 1:
        first, back, opposite = pairs or opposite_pairs(offset)
        if first.size < offset.size:
            values, error = normal_means(function, offset[first], slope, _picked(functional, first),
                                         floors=floors)
            return [np.where(opposite, sign * v[back], v[back]) for sign, v in zip(mirror, values)], error
    with np.errstate(all="ignore"):
        rows = Rows(function, offset, slope, functional, (floors or {}).get(getattr(function, "mirror", 0)))
        kinks = np.asarray(function.kinks_float, dtype=float)
        if kinks.size and slope > 0.0:
            return _on_panels(rows, kinks)
        return _on_lattices(rows, _probe(rows))


def _probe(rows):
    """One row of each interval of one width of the weight, or all rows."""
    if not rows.slope or rows.offset.size < 4:
        return rows
    _, pick = np.unique(np.floor(rows.offset / rows.slope), return_index=True)
    if 2 * pick.size > rows.offset.size:
        return rows
    return Rows(rows.function, rows.offset[pick], rows.slope, _picked(rows.functional, pick), rows.floors)


def _picked(functional, pick):
    """The functional on some of the rows."""
    return lambda z, s, at: functional(z, s, lambda column: at(np.asarray(column)[pick]))


def _on_lattices(rows, probe):
    """Means of a smooth function: a few rows choose the lattice, by one on which no feature is invisible."""
    for cut in CUTS:
        values, sizes, squares = probe.sums(Lattice(cut, (0, 1), probe.slope, tail=True))
        reference = values[:, :, 2]
        scales = probe.scales(values, sizes[:, :, 2], squares)
        if np.max(sizes[:, :, 3] / scales, initial=0.0) <= 1e-16:
            break
    else:
        return _each(rows.sums(Lattice(CUTS[-1], (0,)))[0]), np.inf
    known, step = [values[:, :, 0], values[:, :, 1]], Lattice.fine_step(cut, probe.slope)
    before, level, error = np.inf, 0, _distance(known[0], reference, scales)
    while not _settled(error, before):
        level += 1
        if level == LATTICE_LEVELS or Lattice(cut, (level,)).count > _MAX_NODES:
            level -= 1
            break
        if level == len(known):
            known.append(probe.sums(Lattice(cut, (level,)))[0][:, :, 0])
        if Lattice.step(level) < 2.0 * step:
            reference = known[level - 1]
        before, error = error, _distance(known[level], reference, scales)
    if not error < np.inf:          # overflow: finer rules meet it too
        return _each(rows.sums(Lattice(cut, (0,)))[0]), np.inf
    if level + 1 == len(known) and error > 1e-15 and level + 1 < LATTICE_LEVELS:
        known.append(probe.sums(Lattice(cut, (level + 1,)))[0][:, :, 0])
    if level + 1 < len(known) and _distance(known[level + 1], reference, scales) < error:
        level += 1                  # the digits below 1e-13 are right too
    return _each(rows.sums(Lattice(cut, (level,)), squares)[0]), error


def _on_panels(rows, kinks):
    """Means of a function with kinks, each row on panels of its own."""
    kinks = fine_kinks(kinks, rows.slope)
    for cut in CUTS:
        values, sizes, squares = rows.sums(Panels(kinks, rows.slope, cut, (0, 1), tail=True))
        scales = rows.scales(values, sizes[:, :, 1], squares)
        if np.max(sizes[:, :, 2] / scales, initial=0.0) <= 1e-16:
            break
    else:
        return _each(values, 1), np.inf
    level, fine, before = 1, values[:, :, 1], np.inf
    error = _distance(fine, values[:, :, 0], scales)
    while not _settled(error, before):
        level += 1
        rule = Panels(kinks, rows.slope, cut, (level,))
        if level == PANEL_LEVELS or rule.count > _MAX_NODES:
            break
        coarse = fine
        values, sizes, _ = rows.sums(rule)
        fine, scales = values[:, :, 0], rows.scales(values, sizes[:, :, 0], squares)
        before, error = error, _distance(fine, coarse, scales)
    return list(np.ascontiguousarray(fine)), error


def _distance(values, reference, scales):
    """Largest difference relative to the sizes; infinite after overflow."""
    distance = float(np.max(np.abs(values - reference) / scales, initial=0.0))
    return distance if distance < np.inf else np.inf


def _settled(error, before):
    """Whether two rules agree, or nothing is left to gain: they are overflown, or rounding is all that is left."""
    # two unrelated lattices do not agree by chance; above 1e-13 only where rounding is all that is left
    return not error < np.inf or error <= 1e-13 or (error <= 1e-12 and error > 0.6 * before)


def _each(values, rule=0):
    """The means of one rule, an array for each quantity."""
    return list(np.ascontiguousarray(values[:, :, rule]))


#: rounding of a mean relative to the root mean square of its integrand, and the least mean whose square has all digits
_MEAN_ROUNDING, _LEAST_MEAN = 2.0 * np.finfo(float).eps, 1e-145


def direction_error(table, weights, direction, activations):
    """The rounding of a mean relative to the mean itself; 0 where it is proved to vanish.

    Parameters
    ----------
    table : ndarray, shape (rows, nodes)
    weights : ndarray, shape (nodes,)
    direction : tuple
        The first of its three rows, the place and order of its activation, the parities of which it vanishes without
        shift.
    activations : sequence
        With attributes ``mirror``: the parity where it is known, 2 for one whose mean without shift is proved zero.

    Returns
    -------
    float
        Infinite where the mean is too small for its square to be a number with all digits, or is not resolved at all.
    """
    row, place, order, odd = direction[:4]
    size, rounding, shifted = table[row:row + 3].dot(weights).tolist()      # less overhead than @
    function = activations[place]
    for _ in range(order):
        function = function.derivative
    mirror = getattr(function, "mirror", 0)
    if mirror in (*odd, 2):
        # no shift at any node, and it is not the size that underflows
        if size == 0.0 and not table[row + 2].any() and (rounding > 0.0 or mirror == 2):
            return 0.0
        rounding = shifted
    return _MEAN_ROUNDING * rounding / size if size > _LEAST_MEAN else math.inf


def split_tables(base, rules, symmetries):
    """Base columns on the nodes of several rules, one after the other, as columns and weights of each.

    Parameters
    ----------
    base : list of ndarray
        Columns, or numbers, on all nodes.
    rules : list of (ndarray, ndarray, bool)
        Nodes, weights, and whether the nodes come in pairs of opposite sign.
    symmetries : tuple of tuple of int
        See :func:`fold`.

    Returns
    -------
    list of (list of ndarray, ndarray)
    """
    first, out = 0, []
    for nodes, weights, symmetric in rules:
        last = first + nodes.size
        part = [c[first:last] if np.ndim(c) else np.full(nodes.size, float(c)) for c in base]
        out.append(fold(part, weights, symmetries) if symmetric else (part, weights))
        first = last
    return out


def stack_rows(*rows):
    """Rows of one table, numbers broadcast to the length of the others."""
    return np.ascontiguousarray(np.stack(np.broadcast_arrays(*rows)), dtype=float)


def fold(base, weights, symmetries):
    """Halve a symmetric rule when every integrand is even under the parities of the columns.

    Parameters
    ----------
    base : list of ndarray
        Base columns on nodes that come in pairs of opposite sign, the node itself first.
    weights : ndarray
    symmetries : tuple of tuple of int
        Sign patterns of the base columns under which no integrand changes.

    Returns
    -------
    list of ndarray, ndarray
        The columns and weights on the non-negative nodes, or everything unchanged.
    """
    pattern = _parities(np.array(base))
    if not any(all(p in (0, s) for p, s in zip(pattern, symmetry)) for symmetry in symmetries):
        return base, weights
    half = weights.size // 2
    folded = weights[half:] * 2.0
    if weights.size % 2:
        folded[0] *= 0.5
    return [c[half:] for c in base], folded


def _parities(columns):
    """Of each column +1, -1 where it is even or odd to rounding, 0 where it vanishes, 2 where it is neither."""
    mirrored, size = columns[:, ::-1], np.abs(columns).max(axis=1)
    even = np.abs(columns - mirrored).max(axis=1) <= 1e-14 * size
    odd = np.abs(columns + mirrored).max(axis=1) <= 1e-14 * size
    return np.where(size == 0.0, 0, np.where(even, 1, np.where(odd, -1, 2))).tolist()


def stack_matrix(shape, rows):
    """Array of shape (*shape, n, n) from a nest of scalars and arrays of that shape."""
    out = np.empty((*shape, len(rows), len(rows)))
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            out[..., i, j] = entry
    return out


def stack_vector(shape, entries):
    """Array of shape (*shape, n) from scalars and arrays of that shape."""
    out = np.empty((*shape, len(entries)))
    for j, entry in enumerate(entries):
        out[..., j] = entry
    return out


#: longest step in a logarithm: a factor of twenty either way
LONGEST_STEP = 3.0
#: how often a step is halved: to 3e-8 of it, about the square root of a rounding
HALVINGS = 25
#: relative size of a step from which on a residual that does not fall is rounding, and nothing is halved
SHORT_STEP = 1e-6


def newton_batch(step, inputs, start, positive, plain, tolerance, max_steps, intervals=()):
    """Solve P systems of n unknowns; a point that has arrived leaves the others.

    Parameters
    ----------
    step : callable
        ``step(*inputs, *unknowns)`` returns the maps of the unknowns (None where there are none), the
        residuals, and the rows of Newton's matrix in the logarithms of positive unknowns.
    inputs : sequence of float or ndarray, shape (P,)
    start : sequence of ndarray, shape (P,)
    positive : tuple of bool
    plain : int
        Steps of plain iteration at first.
    tolerance : float
        A point has arrived when no unknown moves by more, relative to itself or its distance from a border, or when
        steps below it, relative to 1 + abs(unknown), twice did not become smaller.
    max_steps : int
    intervals : tuple of (float, float) or None
        For each unknown the open interval that it must not leave.

    Returns
    -------
    unknowns : ndarray, shape (n, P)
    iterations : ndarray, shape (P,)
    matrix : ndarray, shape (P, n, n)
        Newton's matrix of the last step of every point.
    moved : ndarray, shape (P,)
        0 for points that arrived, else the size of the last step.

    Notes
    -----
    Where an equation is no map, a step that does not reduce the residual (in units of the rows of the matrix) is
    halved, up to :data:`HALVINGS` times.
    """
    now = np.array(np.broadcast_arrays(*start), dtype=float)
    found, points = now.copy(), np.arange(now.shape[1])
    iterations, matrix = np.zeros(points.size), np.full((points.size, len(now), len(now)), np.nan)
    moved = np.full(points.size, np.inf)
    last = small_before = moved               # of the points that still move
    stood = np.zeros(points.size, dtype=int)
    damping = None
    for k in range(max_steps):
        maps, residuals, rows = step(*inputs, *now)
        is_whole = points.size == iterations.size
        iterations[... if is_whole else points] += 1
        if maps is not None and k < plain:
            now = stack_vector(points.shape, maps).T
            found[:, points] = now
            continue
        slopes, residuals = stack_matrix(points.shape, rows), stack_vector(points.shape, residuals)
        delta, singular = eliminate_batch_checked(slopes, residuals)
        delta = delta.T
        if singular.any():                    # away from here
            away = np.array([0.5 + 0.0 * u if p else 0.1 + 0.1 * np.abs(u) for u, p in zip(now, positive)])
            delta = np.where(singular, away, delta)
        halved = None
        if maps is None:
            damping = damping or Damping(now)
            delta, now, halved = damping.choose(residuals.T, slopes, delta, now, last)
            slopes = np.where(halved[:, None, None], matrix[points], slopes)
        now, delta = move_batch(now, delta, positive, intervals)
        size, small = step_sizes(now, delta, positive, intervals)
        if is_whole:
            found, matrix = now, slopes
        else:
            found[:, points], matrix[points] = now, slopes
        moving = size > tolerance
        if small is not None:
            stood = np.where((small <= tolerance) & (small >= small_before), stood + 1, 0)
            moving &= stood < 2
        if halved is not None:
            damping.delta = delta
            moving |= halved
            size = np.where(halved, last, size)
            small = None if small is None else np.where(halved, small_before, small)
        last, small_before = size, small
        if moving.all():
            continue
        moved[points[~moving]] = np.where(np.isnan(size[~moving]), np.inf, 0.0)
        if not moving.any():
            break
        points, now, last = points[moving], now[:, moving], last[moving]
        if small is not None:
            small_before, stood = small_before[moving], stood[moving]
        inputs = [x if np.ndim(x) == 0 else x[moving] for x in inputs]
        if damping is not None:
            damping.keep(moving)
    else:
        moved[points] = last
    return found, iterations, matrix, moved


def move_batch(now, delta, positive, intervals=()):
    """A step of the unknowns, by a bounded factor or never further than most of the way to a border."""
    if all(positive) and not intervals:
        taken = np.minimum(np.maximum(delta, -LONGEST_STEP), LONGEST_STEP)         # less overhead than np.clip
        return now * np.exp(-taken), taken
    out, taken = np.empty_like(now), np.array(delta)
    for j, p in enumerate(positive):
        if p:
            taken[j] = np.minimum(np.maximum(delta[j], -LONGEST_STEP), LONGEST_STEP)
            out[j] = now[j] * np.exp(-taken[j])
        else:
            out[j] = now[j] - delta[j]
        if intervals and intervals[j] is not None:
            low, high = intervals[j]
            out[j] = np.maximum(out[j], now[j] - 0.9 * (now[j] - low))
            out[j] = np.minimum(out[j], now[j] + 0.9 * (high - now[j]))
    return out, taken


def step_sizes(now, delta, positive, intervals=()):
    """Largest step of each point relative to the unknown or its distance from a border, and to 1 + abs(unknown).

    Logarithms have the first size only; where all steps are such, the second is None.
    """
    delta = np.abs(delta)
    if all(positive) and not intervals:
        return np.maximum.reduce(delta, axis=0), None
    own, unit = np.empty_like(delta), np.empty_like(delta)
    for j, (u, p) in enumerate(zip(now, positive)):
        low, high = (intervals[j] if intervals else None) or (-np.inf, np.inf)
        own[j] = delta[j]
        if not p or np.isfinite(low) or np.isfinite(high):
            own[j] *= (u if p else 1.0) / (np.minimum(np.abs(u), np.minimum(u - low, high - u)) + 1e-300)
        unit[j] = delta[j] if p else delta[j] / (1.0 + np.abs(u))
    return own.max(axis=0), unit.max(axis=0)


class Damping:
    """Half steps for the points whose residual has not become smaller by the last one."""

    def __init__(self, start):
        self.origin, self.delta = start.copy(), np.zeros_like(start)
        self.weight, self.best = np.ones_like(start), np.full(start.shape[1], np.inf)
        self.halvings = np.zeros(start.shape[1], dtype=int)

    def choose(self, residuals, slopes, delta, now, moved):
        """The step to take and from where, and which points only take half of the last one."""
        worse = ~((np.abs(residuals) * self.weight).max(axis=0) <= self.best)
        halved = worse & (self.best < np.inf) & (moved > SHORT_STEP) & (self.halvings < HALVINGS)
        weight = 1.0 / (np.abs(slopes).sum(axis=-1).T + 1e-300)
        self.halvings = np.where(halved, self.halvings + 1, 0)
        self.best = np.where(halved, self.best, (np.abs(residuals) * weight).max(axis=0))
        self.weight = np.where(halved, self.weight, weight)
        self.origin = np.where(halved, self.origin, now)
        self.delta = np.where(halved, 0.5 * self.delta, delta)
        return self.delta, self.origin, halved

    def keep(self, moving):
        """Leave out the points that have arrived."""
        self.origin, self.delta, self.weight = (a[:, moving] for a in (self.origin, self.delta, self.weight))
        self.best, self.halvings = self.best[moving], self.halvings[moving]


ROUNDING = 2.0**-52
LARGEST_ERROR = 1e-9
PARAMETERS = ("alpha", "beta", "lam", "noise_variance", "r", "c", "gamma", "rho",)
TABLE_PARAMETERS = ("r", "c", "gamma", "rho",)
UNKNOWNS = ("V1", "V2", "q1", "q2", "theta", "psi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat",)
TORN = ("V1", "V2",)
OBSERVABLES = ("test_error", "clean_error", "train_error", "objective",)
OUTPUTS = ("V1", "V2", "q1", "q2", "theta", "psi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "test_error", "clean_error", "train_error", "objective", "residual", "iterations",)
ACTIVATIONS = ("student", "target",)
GRIDS = ("kappa",)
#: whether the form of the equations proves that they have one positive solution at most
UNIQUE = True


kappa_SYMMETRIES = ((-1, 1, -1, -1, 1, 1, 1), (-1, -1, 1, 1, -1, 1, 1))
kappa_DIRECTIONS = ((19, 0, 0, (-1,), ('node*p0', 'sqrt(p1)', 's')),)


def kappa_rule(levels, r, c, gamma, rho, student, target, normal_means=normal_means):
    """Tables and weights of the average over kappa, one pair for each level, and the error of the inner means.

    Rows of a table: mu1**2, mu2sq, mu1**4, mu1**2*mu2sq, mu2sq**2, kappa**2*mu1**2, kappa*mu0*mu1, h*kappa*mu1, Abs(h*kappa*mu1), Abs(kappa*mu0*mu1), mu0**2, h*mu0, Abs(h*mu0), hz*mu1, Abs(hz*mu1), mu0, kappa*mu1, h, hzz.
    """
    rules, kappa, pairs = outer_rules(levels, [(0, r, np.sqrt(c), student.kinks_float), (0, gamma, rho, target.kinks_float)])
    error = 0.0
    (mean, mean_2,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: (s*z, s,),
        {1: (-1, 1), -1: (1, -1)}, pairs,
        floors={0: (FLOOR, -1.0,), 2: (FLOOR, np.inf,), 1: (np.inf, -1.0,), -1: (FLOOR, np.inf,)})
    error = max(error, change)
    (mean_4, mean_5, mean_6,), change = normal_means(
        target, gamma*kappa, rho, lambda z, s, at: (s, s*z, (s*s),),
        {1: (1, -1, 1), -1: (-1, 1, 1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR,), 2: (np.inf, FLOOR, FLOOR,), 1: (FLOOR, np.inf, FLOOR,), -1: (np.inf, FLOOR, FLOOR,)})
    error = max(error, change)
    mu1 = mean/np.sqrt(c)
    mu0 = mean_2
    h = mean_4
    hz = mean_5
    hzz = mean_6
    (mean_3,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: ((-np.sqrt(c)*at(mu1)*z - at(mu0) + s)**(2),),
        {1: (1,), -1: (1,)}, pairs,
        floors={0: (FLOOR,), 2: (FLOOR,), 1: (FLOOR,), -1: (FLOOR,)})
    error = max(error, change)
    mu2sq = mean_3
    mean_square = c*(mu1*mu1) + mean_3 + (mu0*mu0)
    shift = np.abs(kappa*r)/(np.sqrt(c) + np.abs(kappa*r) + 1e-300)
    tables = split_tables([kappa, mu1, mu0, h, hz, hzz, mu2sq, mean_2, mean_square, shift], rules, kappa_SYMMETRIES)
    return [(stack_rows((mu1*mu1), mu2sq, (mu1*mu1*mu1*mu1), (mu1*mu1)*mu2sq, (mu2sq*mu2sq), (kappa*kappa)*(mu1*mu1), kappa*mu0*mu1, h*kappa*mu1, np.abs(h*kappa*mu1), np.abs(kappa*mu0*mu1), (mu0*mu0), h*mu0, np.abs(h*mu0), hz*mu1, np.abs(hz*mu1), mu0, kappa*mu1, h, hzz, np.abs(mean_2), np.sqrt(mean_square), np.sqrt(mean_square)*shift), weights) for (kappa, mu1, mu0, h, hz, hzz, mu2sq, mean_2, mean_square, shift), weights in tables], error


@compiled
def solve_point(alpha, beta, lam, noise_variance, r, c, gamma, rho, kappa_table, kappa_weights, V1_start, V2_start, plain, tolerance, max_steps):
    """Solve one parameter point; returns the entries of OUTPUTS as floats."""
    mu1_mu1 = kappa_table[0]
    mu2sq = kappa_table[1]
    mu1_mu1_mu1_mu1 = kappa_table[2]
    mu1_mu1_mu2sq = kappa_table[3]
    mu2sq_mu2sq = kappa_table[4]
    kappa_kappa_mu1_mu1 = kappa_table[5]
    kappa_mu0_mu1 = kappa_table[6]
    h_kappa_mu1 = kappa_table[7]
    column = kappa_table[8]
    column_2 = kappa_table[9]
    mu0_mu0 = kappa_table[10]
    h_mu0 = kappa_table[11]
    column_3 = kappa_table[12]
    hz_mu1 = kappa_table[13]
    column_4 = kappa_table[14]
    mu0 = kappa_table[15]
    kappa_mu1 = kappa_table[16]
    h = kappa_table[17]
    hzz = kappa_table[18]
    iterations = 0.0
    # Newton's method for V1, V2
    V1 = V1_start
    V2 = V2_start
    V1_V2_moved = math.inf
    for step in range(max_steps):
        E1 = 0.0    # E_kappa[mu1**2/(V + 1)]
        E2 = 0.0    # E_kappa[mu2sq/(V + 1)]
        E3 = 0.0    # E_kappa[mu1**4/(V + 1)**2]
        E4 = 0.0    # E_kappa[mu1**2*mu2sq/(V + 1)**2]
        E5 = 0.0    # E_kappa[mu2sq**2/(V + 1)**2]
        for i in range(kappa_weights.size):
            V = V1*mu1_mu1[i] + V2*mu2sq[i]
            inv = (1.0/(V + 1))
            E1 += kappa_weights[i]*(inv*mu1_mu1[i])
            E2 += kappa_weights[i]*(inv*mu2sq[i])
            E3 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu1_mu1[i])
            E4 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu2sq[i])
            E5 += kappa_weights[i]*((inv*inv)*mu2sq_mu2sq[i])
        # Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
        Vhat1 = E1*alpha/beta
        # Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
        Vhat2 = E2*alpha/beta
        dVhat1_dV1 = -E3*alpha/beta
        dVhat2_dV1 = -E4*alpha/beta
        dVhat1_dV2 = -E4*alpha/beta
        dVhat2_dV2 = -E5*alpha/beta
        G = mp_resolvent(Vhat1, Vhat2 + lam, c, beta)
        e = G*Vhat1*beta*c + 1
        # V1 = <D/S>
        V1_map = G*c/e
        f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
        dV1_map_dV1 = -(G*G)*c*dVhat2_dV1/(e*f) - G*c*dVhat1_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        dV1_map_dV2 = -(G*G)*c*dVhat2_dV2/(e*f) - G*c*dVhat1_dV2*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        # V2 = <1/S>
        V2_map = G
        dV2_map_dV1 = -(G*G)*c*dVhat1_dV1/(e*f) - (G*G)*dVhat2_dV1*e/f
        dV2_map_dV2 = -(G*G)*c*dVhat1_dV2/(e*f) - (G*G)*dVhat2_dV2*e/f
        iterations += 1.0
        if step < plain:
            V1 = V1_map
            V2 = V2_map
            continue
        g0 = math.log(V1/V1_map)
        g1 = math.log(V2/V2_map)
        J00 = 1.0 - dV1_map_dV1*V1/V1_map
        J01 = 0.0 - dV1_map_dV2*V2/V1_map
        J10 = 0.0 - dV2_map_dV1*V1/V2_map
        J11 = 1.0 - dV2_map_dV2*V2/V2_map
        delta0, delta1, missed = solve_linear_2(J00, J01, J10, J11, g0, g1)
        if missed > 1e-6:        # singular: away from here
            delta0 = 0.5
            delta1 = 0.5
        delta0 = min(3.0, max(-3.0, delta0))
        V1 = V1*math.exp(-delta0)
        delta1 = min(3.0, max(-3.0, delta1))
        V2 = V2*math.exp(-delta1)
        V1_V2_moved = max(abs(delta0), abs(delta1))
        if not V1_V2_moved > tolerance:
            V1_V2_moved = math.inf if math.isnan(V1_V2_moved) else 0.0
            break
    E1 = 0.0    # E_kappa[mu1**2/(V + 1)]
    E2 = 0.0    # E_kappa[mu2sq/(V + 1)]
    E6 = 0.0    # E_kappa[kappa**2*mu1**2/(V + 1)]
    E7 = 0.0    # E_kappa[kappa*mu0*mu1/(V + 1)]
    E8 = 0.0    # E_kappa[kappa*h*mu1/(V + 1)]
    E11 = 0.0    # E_kappa[mu0**2/(V + 1)]
    E12 = 0.0    # E_kappa[h*mu0/(V + 1)]
    E14 = 0.0    # E_kappa[hz*mu1/(V + 1)]
    E3 = 0.0    # E_kappa[mu1**4/(V + 1)**2]
    E4 = 0.0    # E_kappa[mu1**2*mu2sq/(V + 1)**2]
    E5 = 0.0    # E_kappa[mu2sq**2/(V + 1)**2]
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        E1 += kappa_weights[i]*(inv*mu1_mu1[i])
        E2 += kappa_weights[i]*(inv*mu2sq[i])
        E6 += kappa_weights[i]*(inv*kappa_kappa_mu1_mu1[i])
        E7 += kappa_weights[i]*(inv*kappa_mu0_mu1[i])
        E8 += kappa_weights[i]*(h_kappa_mu1[i]*inv)
        E11 += kappa_weights[i]*(inv*mu0_mu0[i])
        E12 += kappa_weights[i]*(h_mu0[i]*inv)
        E14 += kappa_weights[i]*(hz_mu1[i]*inv)
        E3 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu1_mu1[i])
        E4 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu2sq[i])
        E5 += kappa_weights[i]*((inv*inv)*mu2sq_mu2sq[i])
    # Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
    Vhat1 = E1*alpha/beta
    # Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
    Vhat2 = E2*alpha/beta
    G = mp_resolvent(Vhat1, Vhat2 + lam, c, beta)
    e = G*Vhat1*beta*c + 1
    V1_check = G*c/e
    V1_residual = abs(math.log(V1_check/V1))
    V2_check = G
    V2_residual = abs(math.log(V2_check/V2))
    dthetahat_dtheta = -E6*alpha
    dthetahat_dm = -E7*alpha
    thetahat_0 = E8*alpha
    A_theta_theta = -G*c*dthetahat_dtheta + 1
    A_theta_m = -G*c*dthetahat_dm
    b_theta = G*c*thetahat_0
    A_m_theta = E7
    A_m_m = E11
    b_m = E12
    # linear block for theta, m
    theta, m, theta_m_residual = solve_linear_2(A_theta_theta, A_theta_m, A_m_theta, A_m_m, b_theta, b_m)
    # thetahat = -alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
    thetahat = dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0
    theta_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_m_m)*abs(A_theta_theta) + abs(A_m_theta)*abs(A_theta_m))/(abs(A_m_m*A_theta_theta - A_m_theta*A_theta_m) + 1e-300))
    # psihat = alpha*E_kappa[hz*mu1/(V + 1)]
    psihat = E14*alpha
    # psi = psihat*<H/S>
    psi = G*c*psihat/e
    dqhat1_dq1 = E3*alpha/beta
    dqhat2_dq1 = E4*alpha/beta
    dqhat1_dq2 = E4*alpha/beta
    dqhat2_dq2 = E5*alpha/beta
    f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
    A_q1_q1 = -(G*G)*c*dqhat2_dq1/(e*f) - G*c*dqhat1_dq1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 1
    A_q1_q2 = -(G*G)*c*dqhat2_dq2/(e*f) - G*c*dqhat1_dq2*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    A_q2_q1 = -(G*G)*c*dqhat1_dq1/(e*f) - (G*G)*dqhat2_dq1*e/f
    A_q2_q2 = -(G*G)*c*dqhat1_dq2/(e*f) - (G*G)*dqhat2_dq2*e/f + 1
    q1_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_q1_q1)*abs(A_q2_q2) + abs(A_q1_q2)*abs(A_q2_q1))/(abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300))
    E15 = 0.0    # E_kappa[(noise_variance - 2*psi*hz*mu1 + C**2 - 2*C*h + hzz)*mu1**2/(V + 1)**2]
    E17 = 0.0    # E_kappa[(noise_variance - 2*psi*hz*mu1 + C**2 - 2*C*h + hzz)*mu2sq/(V + 1)**2]
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        C = kappa_mu1[i]*theta + m*mu0[i]
        E15 += kappa_weights[i]*((inv*inv)*mu1_mu1[i]*((C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))
        E17 += kappa_weights[i]*((inv*inv)*mu2sq[i]*((C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))
    qhat1_0 = E15*alpha/beta
    qhat2_0 = E17*alpha/beta
    b_q1 = (G*G)*c*qhat2_0/(e*f) + (G*G)*(c*c)*(thetahat*thetahat)/(beta*e*f) + G*c*qhat1_0*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + G*c*(psihat*psihat)*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(beta*e*f)
    b_q2 = (G*G)*c*qhat1_0/(e*f) + (G*G)*e*qhat2_0/f + (G*G)*c*e*(thetahat*thetahat)/(beta*f) + (G*G)*c*(psihat*psihat)/(beta*e*f)
    # linear block for q1, q2
    q1, q2, q1_q2_residual = solve_linear_2(A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, b_q1, b_q2)
    # qhat1 = alpha*E_kappa[R*mu1**2/(V + 1)**2]/beta
    qhat1 = dqhat1_dq1*q1 + dqhat1_dq2*q2 + qhat1_0
    # qhat2 = alpha*E_kappa[R*mu2sq/(V + 1)**2]/beta
    qhat2 = dqhat2_dq1*q1 + dqhat2_dq2*q2 + qhat2_0
    E19 = 0.0    # E_kappa[R]
    E20 = 0.0    # E_kappa[R/(V + 1)**2]
    for i in range(kappa_weights.size):
        C = kappa_mu1[i]*theta + m*mu0[i]
        R = (C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + mu1_mu1[i]*q1 + mu2sq[i]*q2 + noise_variance
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        E19 += kappa_weights[i]*(R)
        E20 += kappa_weights[i]*(R*(inv*inv))
    # test_error = E_kappa[R]
    test_error = E19
    # clean_error = -noise_variance + E_kappa[R]
    clean_error = E19 - noise_variance
    # train_error = E_kappa[R/(V + 1)**2]
    train_error = E20
    # objective = E_kappa[R/(V + 1)**2] + beta*lam*q2/alpha
    objective = E20 + beta*lam*q2/alpha
    error_clean_error = noise_variance + abs(E19)
    clean_error_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_clean_error/(max(abs(clean_error), min(1, error_clean_error)) + 1e-300)) else 0)
    error_objective = abs(E20) + beta*lam*abs(q2)/alpha
    objective_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_objective/(max(abs(objective), min(1, error_objective)) + 1e-300)) else 0)
    residual = max(V1_V2_moved, V1_residual, V2_residual, clean_error_lost, objective_lost, q1_q2_residual, q1_singular, theta_m_residual, theta_singular)
    return (V1 + 0.0, V2 + 0.0, q1 + 0.0, q2 + 0.0, theta + 0.0, psi + 0.0, m + 0.0, Vhat1 + 0.0, Vhat2 + 0.0, qhat1 + 0.0, qhat2 + 0.0, thetahat + 0.0, psihat + 0.0, test_error + 0.0, clean_error + 0.0, train_error + 0.0, objective + 0.0, residual + 0.0, iterations + 0.0)


def solve_batch(alpha, beta, lam, noise_variance, r, c, gamma, rho, kappa_table, kappa_weights, V1_start, V2_start, plain, tolerance, max_steps, diagnose=False):
    """Solve P parameter points at once.

    Returns an array of shape (len(OUTPUTS), P) and, if asked to diagnose, a list of blocks:
    ("newton", unknowns, Jacobian in the logarithms of positive unknowns), and for those with cancellations
    ("sizes", unknowns, magnitudes of the equations, which unknowns are solved in logarithms),
    ("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity, and, where entries cancel,
    magnitude of the matrix),
    ("explicit", outputs, error in units of the rounding of numbers),
    ("lost", outputs, positive where digits are lost)."""
    hz_mu1 = kappa_table[13]
    h = kappa_table[17]
    hzz = kappa_table[18]
    columns_1 = kappa_table[[0, 1]]
    weighted_1 = kappa_table[[0, 1]]*kappa_weights
    weighted_2 = kappa_table[[2, 3, 4]]*kappa_weights
    weighted_3 = kappa_table[[0, 1, 5, 6, 7, 10, 11, 13]]*kappa_weights
    weighted_4 = kappa_table[[8, 9, 12, 14]]*kappa_weights
    columns_2 = kappa_table[[16, 15]]
    columns_3 = kappa_table[[13, 0, 1]]
    blocks, iterations = [], np.zeros(alpha.shape)
    def step_V1_V2(alpha, beta, c, lam, V1, V2):
        """Maps, residuals and matrix of Newton's method for the points that still move."""
        V = np.array((V1, V2)).T @ columns_1
        inv = (1.0/(V + 1))
        E1, E2 = weighted_1 @ (inv).T
        E3, E4, E5 = weighted_2 @ ((inv*inv)).T
        Vhat1 = E1*alpha/beta
        Vhat2 = E2*alpha/beta
        dVhat1_dV1 = -E3*alpha/beta
        dVhat2_dV1 = -E4*alpha/beta
        dVhat1_dV2 = -E4*alpha/beta
        dVhat2_dV2 = -E5*alpha/beta
        G = mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta)
        e = G*Vhat1*beta*c + 1
        V1_map = G*c/e
        f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
        dV1_map_dV1 = -(G*G)*c*dVhat2_dV1/(e*f) - G*c*dVhat1_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        dV1_map_dV2 = -(G*G)*c*dVhat2_dV2/(e*f) - G*c*dVhat1_dV2*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        V2_map = G
        dV2_map_dV1 = -(G*G)*c*dVhat1_dV1/(e*f) - (G*G)*dVhat2_dV1*e/f
        dV2_map_dV2 = -(G*G)*c*dVhat1_dV2/(e*f) - (G*G)*dVhat2_dV2*e/f
        return (V1_map, V2_map,), (np.log(V1/V1_map), np.log(V2/V2_map),), ((1.0 - dV1_map_dV1*V1/V1_map, 0.0 - dV1_map_dV2*V2/V1_map,), (0.0 - dV2_map_dV1*V1/V2_map, 1.0 - dV2_map_dV2*V2/V2_map,),)
    (V1, V2,), steps, J, V1_V2_moved = newton_batch(step_V1_V2, (alpha, beta, c, lam,), (V1_start, V2_start,), (True, True), plain, tolerance, max_steps)
    iterations = iterations + steps
    if diagnose:
        blocks.append(("newton", ("V1", "V2",), J))
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    E1, E2, E6, E7, E8, E11, E12, E14 = weighted_3 @ (inv).T
    E3, E4, E5 = weighted_2 @ ((inv*inv)).T
    if diagnose:
        E9, E10, E13, E21 = weighted_4 @ (inv).T
    Vhat1 = E1*alpha/beta
    Vhat2 = E2*alpha/beta
    G = mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta)
    e = G*Vhat1*beta*c + 1
    V1_check = G*c/e
    V1_residual = np.abs(np.log(V1_check/V1))
    V2_check = G
    V2_residual = np.abs(np.log(V2_check/V2))
    dthetahat_dtheta = -E6*alpha
    dthetahat_dm = -E7*alpha
    thetahat_0 = E8*alpha
    if diagnose:
        size_thetahat_0 = E9*alpha
        size_dthetahat_dm = E10*alpha
    A_theta_theta = -G*c*dthetahat_dtheta + 1
    A_theta_m = -G*c*dthetahat_dm
    b_theta = G*c*thetahat_0
    if diagnose:
        size_theta = G*c*size_thetahat_0
    A_m_theta = E7
    A_m_m = E11
    b_m = E12
    if diagnose:
        size_m = E13
        size_theta_theta = G*c*np.abs(dthetahat_dtheta) + 1
        size_theta_m = G*c*size_dthetahat_dm
        size_m_theta = E10
        size_m_m = E11
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_m,), (A_m_theta, A_m_m,),))
    b = stack_vector(iterations.shape, (b_theta, b_m,))
    solution, theta_m_residual = solve_linear_batch(A, b)
    theta = solution[..., 0]
    m = solution[..., 1]
    if diagnose:
        blocks.append(("linear", ("theta", "m",), A, stack_vector(iterations.shape, (size_theta, size_m,)), (("thetahat", size_thetahat_0, (dthetahat_dtheta, dthetahat_dm, )),), stack_matrix(iterations.shape, ((size_theta_theta, size_theta_m,), (size_m_theta, size_m_m,),))))
    thetahat = dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0
    theta_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_m_m)*np.abs(A_theta_theta) + np.abs(A_m_theta)*np.abs(A_theta_m))/(np.abs(A_m_m*A_theta_theta - A_m_theta*A_theta_m) + 1e-300))
    psihat = E14*alpha
    psi = G*c*psihat/e
    dqhat1_dq1 = E3*alpha/beta
    dqhat2_dq1 = E4*alpha/beta
    dqhat1_dq2 = E4*alpha/beta
    dqhat2_dq2 = E5*alpha/beta
    f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
    A_q1_q1 = -(G*G)*c*dqhat2_dq1/(e*f) - G*c*dqhat1_dq1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 1
    A_q1_q2 = -(G*G)*c*dqhat2_dq2/(e*f) - G*c*dqhat1_dq2*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    A_q2_q1 = -(G*G)*c*dqhat1_dq1/(e*f) - (G*G)*dqhat2_dq1*e/f
    A_q2_q2 = -(G*G)*c*dqhat1_dq2/(e*f) - (G*G)*dqhat2_dq2*e/f + 1
    if diagnose:
        size_q1_q1 = (G*G)*c*np.abs(dqhat2_dq1)/(e*f) + G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)*np.abs(dqhat1_dq1)/(e*f) + 1
        size_q1_q2 = (G*G)*c*np.abs(dqhat2_dq2)/(e*f) + G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)*np.abs(dqhat1_dq2)/(e*f)
        size_q2_q1 = (G*G)*c*np.abs(dqhat1_dq1)/(e*f) + (G*G)*e*np.abs(dqhat2_dq1)/f
        size_q2_q2 = (G*G)*c*np.abs(dqhat1_dq2)/(e*f) + (G*G)*e*np.abs(dqhat2_dq2)/f + 1
    q1_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_q1_q1)*np.abs(A_q2_q2) + np.abs(A_q1_q2)*np.abs(A_q2_q1))/(np.abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300))
    if diagnose:
        error_psihat = E21*alpha
        error_psi = c*error_psihat*np.abs(G/e)
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    C = np.array((theta, m)).T @ columns_2
    E15, E17 = weighted_1 @ ((inv*inv)*((C*C) - 2*C*h - 2*hz_mu1*psi[..., None] + hzz + noise_variance[..., None])).T
    if diagnose:
        E16, E18 = weighted_1 @ ((inv*inv)*np.abs((C*C) - 2*C*h - 2*hz_mu1*psi[..., None] + hzz + noise_variance[..., None])).T
    qhat1_0 = E15*alpha/beta
    if diagnose:
        size_qhat1_0 = E16*alpha/beta
    qhat2_0 = E17*alpha/beta
    if diagnose:
        size_qhat2_0 = E18*alpha/beta
    b_q1 = (G*G)*c*qhat2_0/(e*f) + (G*G)*(c*c)*(thetahat*thetahat)/(beta*e*f) + G*c*qhat1_0*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + G*c*(psihat*psihat)*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(beta*e*f)
    if diagnose:
        size_q1 = (G*G)*c*size_qhat2_0/(e*f) + (G*G)*(c*c)*(thetahat*thetahat)/(beta*e*f) + G*c*size_qhat1_0*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + G*c*(psihat*psihat)*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(beta*e*f)
    b_q2 = (G*G)*c*qhat1_0/(e*f) + (G*G)*e*qhat2_0/f + (G*G)*c*e*(thetahat*thetahat)/(beta*f) + (G*G)*c*(psihat*psihat)/(beta*e*f)
    if diagnose:
        size_q2 = (G*G)*c*size_qhat1_0/(e*f) + (G*G)*e*size_qhat2_0/f + (G*G)*c*e*(thetahat*thetahat)/(beta*f) + (G*G)*c*(psihat*psihat)/(beta*e*f)
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2,), (A_q2_q1, A_q2_q2,),))
    b = stack_vector(iterations.shape, (b_q1, b_q2,))
    solution, q1_q2_residual = solve_linear_batch(A, b)
    q1 = solution[..., 0]
    q2 = solution[..., 1]
    if diagnose:
        blocks.append(("linear", ("q1", "q2",), A, stack_vector(iterations.shape, (size_q1, size_q2,)), (("qhat1", size_qhat1_0, (dqhat1_dq1, dqhat1_dq2, )), ("qhat2", size_qhat2_0, (dqhat2_dq1, dqhat2_dq2, )),), stack_matrix(iterations.shape, ((size_q1_q1, size_q1_q2,), (size_q2_q1, size_q2_q2,),))))
    qhat1 = dqhat1_dq1*q1 + dqhat1_dq2*q2 + qhat1_0
    qhat2 = dqhat2_dq1*q1 + dqhat2_dq2*q2 + qhat2_0
    C = np.array((theta, m)).T @ columns_2
    R = np.array((-2*psi, q1, q2)).T @ columns_3 + (C*C) - 2*C*h + hzz + noise_variance[..., None]
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    E19 = (R) @ kappa_weights
    E20 = (R*(inv*inv)) @ kappa_weights
    if diagnose:
        E22 = (np.abs(R)) @ kappa_weights
        E23 = ((inv*inv)*np.abs(R)) @ kappa_weights
    test_error = E19
    clean_error = E19 - noise_variance
    train_error = E20
    objective = E20 + beta*lam*q2/alpha
    error_clean_error = noise_variance + np.abs(E19)
    clean_error_lost = np.where((LARGEST_ERROR < ROUNDING*error_clean_error/(np.maximum(np.abs(clean_error), np.minimum(1, error_clean_error)) + 1e-300)), 1e+289, 0)
    error_objective = np.abs(E20) + beta*lam*np.abs(q2)/alpha
    objective_lost = np.where((LARGEST_ERROR < ROUNDING*error_objective/(np.maximum(np.abs(objective), np.minimum(1, error_objective)) + 1e-300)), 1e+289, 0)
    if diagnose:
        error_test_error = E22
        error_clean_error_2 = E22 + noise_variance
        error_train_error = E23
        error_objective_2 = E23 + beta*lam*np.abs(q2)/alpha
    residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(V1_V2_moved, V1_residual), V2_residual), clean_error_lost), objective_lost), q1_q2_residual), q1_singular), theta_m_residual), theta_singular)
    if diagnose:
        blocks.append(("explicit", ("psihat",), error_psihat))
        blocks.append(("explicit", ("psi",), error_psi))
        blocks.append(("explicit", ("test_error",), error_test_error))
        blocks.append(("explicit", ("clean_error",), error_clean_error_2))
        blocks.append(("explicit", ("train_error",), error_train_error))
        blocks.append(("explicit", ("objective",), error_objective_2))
    return stack_vector(iterations.shape, (V1, V2, q1, q2, theta, psi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, test_error, clean_error, train_error, objective, residual, iterations)).T, blocks


@compiled
def solve_rows(alpha, beta, lam, noise_variance, r, c, gamma, rho, kappa_table, kappa_weights, V1_start, V2_start, out, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from the two points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in prange(rows):
        known = 0
        V1_last = V1_before = 1.0
        V2_last = V2_before = 1.0
        for j in range(points):
            for attempt in range(2):          # as predicted, if anything is; then from the given start
                plain = 2
                V1_guess = V1_start[row, j]
                V2_guess = V2_start[row, j]
                if known >= 1 and attempt == 0:
                    plain = 0
                    V1_guess = V1_last if known == 1 else V1_last * min(20.0, max(0.05, V1_last / V1_before))
                    V2_guess = V2_last if known == 1 else V2_last * min(20.0, max(0.05, V2_last / V2_before))
                result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], kappa_table, kappa_weights, V1_guess, V2_guess, plain, tolerance, max_steps)
                if known == 0 or result[17] <= accept:
                    break
            for k in range(19):
                out[row, j, k] = result[k]
            if result[17] <= accept:
                known += 1
                V1_before, V1_last = V1_last, result[0]
                V2_before, V2_last = V2_last, result[1]
            else:
                known = 0


solve_rows_parallel = in_parallel(solve_rows)


class Activation:
    """A function with the points where it is not smooth, and its parity (1, -1, or 0)."""

    def __init__(self, function, kinks_float, mirror):
        self.function, self.kinks_float, self.mirror = function, kinks_float, mirror

    def __call__(self, x):
        with np.errstate(all="ignore"):
            return self.function(np.asarray(x, dtype=float)) + 0.0*x


student = Activation(lambda x: x*np.exp(-x**2/2.0), (), -1)
student.derivative = Activation(lambda x: np.exp(-x**2/2.0) - x*np.exp(-x**2/2.0)*2.0*x/2.0, (), 1)

target = Activation(lambda x: np.tanh(x), (), -1)


one_step_parameters_DECISIVE = {'h1': ('student', 1), 't1': ('target', 1)}


def one_step_parameters(eta, alpha0, beta, noise_variance, student, target, given=None, normal_means=normal_means):
    """r, c, gamma, rho after one gradient step (Result 3.1), and the error of the means.

    What is ``given`` of h1, t1 by name is not computed; which case held and these
    numbers are returned before the error.
    """
    if (alpha0 == 0 or eta == 0):
        return float(0), float(1), float(0), float(1), 0, (), 0.0
    given = given or {}
    error = 0.0
    means, change = normal_means(
        student, np.zeros(1), 1, lambda z, s, at: (s*((z*z) - 1), s, s*z,),
        floors={0: (-1.0, -1.0, -1.0,), 2: (-1.0, np.inf, -1.0,), 1: (-1.0, -1.0, np.inf,), -1: (np.inf, np.inf, -1.0,)})
    error = max(error, change)
    (mean, mean_2, mean_4,) = (m[0] for m in means)
    means, change = normal_means(
        target, np.zeros(1), 1, lambda z, s, at: (s, s*z,),
        floors={0: (-1.0, -1.0,), 2: (np.inf, -1.0,), 1: (-1.0, np.inf,), -1: (np.inf, -1.0,)})
    error = max(error, change)
    (mean_3, mean_7,) = (m[0] for m in means)
    h2 = mean
    h0 = mean_2
    ybar = -h0 + mean_3
    h1 = given.get('h1', mean_4)
    t1 = given.get('t1', mean_7)
    means, change = normal_means(
        student.derivative, np.zeros(1), 1, lambda z, s, at: ((-h1 + s)**(2),),
        floors={0: (-1.0,), 2: (-1.0,), 1: (-1.0,), -1: (-1.0,)})
    error = max(error, change)
    (mean_5,) = (m[0] for m in means)
    means, change = normal_means(
        target, np.zeros(1), 1, lambda z, s, at: ((-h0 + s)**(2),),
        floors={0: (-1.0,), 2: (-1.0,), 1: (-1.0,), -1: (-1.0,)})
    error = max(error, change)
    (mean_6,) = (m[0] for m in means)
    spread = mean_5
    t2 = mean_6 + noise_variance
    length = np.sqrt((t1*t1) + t2/alpha0)
    if (((1.0/alpha0) == 0 or t2 == 0) and t1 == 0):
        return float(0), float((1 + eta*h2*ybar/beta)**(2) + (eta*eta)*spread*t2/(alpha0*(beta*beta))), float(0), float(1), 1, (h1, t1,), error
    return float(eta*h1*length/beta), float((1 + eta*h2*ybar/beta)**(2) + (eta*eta)*spread*t2/(alpha0*(beta*beta))), float(t1/length), float(np.sqrt(t2)/(np.sqrt(alpha0)*length)), -1, (h1, t1,), error


def solve(eta, alpha0, alpha, lam, beta=1.0, noise_variance=0.0, level=4):
    """Order parameters and errors after one gradient step, as a dict (arXiv 2402.04980).

    ``level`` is the refinement of the averages: compare two levels for the quadrature error.
    """
    r, c, gamma, rho, *_ = one_step_parameters(eta, alpha0, beta, noise_variance, student, target)
    ((table, weights),), _ = kappa_rule((level,), r, c, gamma, rho, student, target)
    if not direction_error(table, weights, kappa_DIRECTIONS[0], (student, target)) <= 1e-9:
        raise ValueError("the mean of the student is below the rounding of double precision, or too near to it, and "
                         "its direction counts however small it is: asympkit's precise() has the digits")
    values = solve_point(alpha, beta, lam, noise_variance, r, c, gamma, rho, table, weights, 1.0, 1.0, 2, 1e-9, 200)
    return dict(zip(OUTPUTS, values))
