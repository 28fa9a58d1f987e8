"""Nonlinear spikes after a gradient step, diverging spikes (arXiv 2310.07891).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: chi, zeta, m1, m2, dchi, dzeta, dm1, dm2.
Parameters: phi, psi, lam, noise_variance, linear, nonlinear, target_linear, target_rest, kept, spike, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, energy_10, energy_11, energy_12, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, constant, radial.
Observables: train_error, test_error, baseline_train, baseline_test, train_gap, test_gap.
"""


import math

import numpy as np

OPTIONS = dict(cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract", "arcp"})
LOOPS = []


def compiled(parallel=False):
    """Leave a loop to numba, which is loaded when one of the loops is first called."""
    def mark(loop):
        def front(*arguments, **named):
            compile_loops()
            return globals()[loop.__name__](*arguments, **named)

        LOOPS.append((loop, parallel))
        front.__name__, front.__doc__, front.__wrapped__ = loop.__name__, loop.__doc__, loop
        return front

    return mark


def compile_loops():
    """Put numba's functions in the place of their fronts; without numba, plain Python, slowly."""
    try:
        from numba import njit, prange
    except ImportError:
        globals().update({loop.__name__: loop for loop, _ in LOOPS}, prange=range)
    else:
        functions = {loop.__name__: njit(parallel=parallel, **OPTIONS)(loop) for loop, parallel in LOOPS}
        globals().update(functions, prange=prange)


@compiled()
def solve_linear_1(a, b):
    """Solve ``a x = b``; x = 0 if a vanishes exactly.  Returns (x, scaled residual)."""
    if a == 0.0:
        return 0.0, (0.0 if b == 0.0 else 1.0)
    x = b / a
    return x, abs(a * x - b) / (abs(a * x) + abs(b) + 1e-300)


@compiled()
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


@compiled()
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
    sections : tuple of ndarray
        Where the nodes of each rule end, the weights of all, and which rules are symmetric.
    """
    if levels in _TRAPEZOIDS and not any(kinks for _, _, _, kinks in features):
        return _TRAPEZOIDS[levels]
    rules = [outer_rule(level, features) for level in levels]
    nodes = np.concatenate([rule[0] for rule in rules])
    sections = (np.cumsum([rule[0].size for rule in rules]), np.concatenate([rule[1] for rule in rules]),
                np.array([rule[2] for rule in rules]))
    made = rules, nodes, opposite_pairs(nodes), sections
    if all(symmetric for _, _, symmetric in rules):
        _TRAPEZOIDS[levels] = made
    return made


def opposite_pairs(offset):
    """Indices of one of each pair of opposite numbers, where each number is found among them, and whether opposite."""
    _, first, back = np.unique(np.abs(offset), return_index=True, return_inverse=True)
    return first, back, offset * offset[first][back] < 0.0


LATTICE_LEVELS, PANEL_LEVELS = 17, 9
#: ratio of consecutive steps, the golden mean to the power 3/4: no frequency is invisible on two lattices
_STEP, _RATIO = 0.25, 1.4346327151126492
#: step, in the argument of the function, of the lattice on which nothing as wide as 1/50 is invisible (at no rational
#: slope the others are parts of it), and a largest number of its nodes
_FINE, _FINEST = np.pi / 160, 20_000
#: cut-offs, from the usual one to the end of the normal weight in double precision
_CUTS = (9.5, 12.0, 15.0, 19.0, 24.0, 30.0, 36.0)
#: where the normal weight ends in double precision
_END = 37.0
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
        return _STEP / _RATIO**level

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
            z = np.arange(cut + 0.5, _END, 1.5)
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
    tail = np.arange(cut + 0.5, _END, 1.5)
    z = np.concatenate([-tail[::-1], tail])
    z = np.concatenate([np.broadcast_to(z, (*kinks.shape[:-1], z.size)), np.clip(kinks, -_END, _END)], axis=-1)
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


_ROUNDING, _TINY = 16 * np.finfo(float).eps, np.finfo(float).tiny
#: offset over slope up to which the shift is moved to the weight
_NEAR = 0.1
#: values in memory at a time
_CHUNK = 2_000_000


class Rows:
    """The rows of one call of :func:`normal_means`; arguments as there, ``floors`` for the parity of the function."""

    def __init__(self, function, offset, slope, functional, floors=None):
        self.function, self.offset, self.slope, self.functional = function, offset, slope, functional
        self.floors = floors
        self.near = (np.abs(offset) <= _NEAR * slope) & (offset != 0.0)
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
                least = _ROUNDING**2 * self.square_sizes[:, None]
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
            scales[k] = np.maximum(s, _TINY)
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
            floor = self.floors[item] if self.floors else _ROUNDING
            if floor >= 0.0:
                centre = np.where(np.abs(centre) <= floor * np.maximum(size, _TINY), 0.0, centre)
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
            floors = np.reshape(self.floors or [_ROUNDING] * len(items), (-1, 1, 1))
            values[:, centre] = np.where(np.abs(middle) <= floors * np.maximum(size, _TINY), 0.0, middle)
        return values, sizes, square


def _groups(mask, nodes):
    """Groups of the rows of a mask, as index arrays, small enough for their nodes to fit in memory."""
    rows = np.nonzero(mask)[0]
    width = max(1, _CHUNK // max(1, nodes))
    return [rows[k:k + width] for k in range(0, rows.size, width)]


#: where samples end at least, how many times as far the wide ones, and a largest number of fine ones on a side
_SAMPLE_REACH, _FURTHER, _MOST_SAMPLES = 20.0, 5.0, 20_000
_LATTICES_OF_SAMPLES = {}


class Samples:
    """Values of one function on lattices, kept for every loop that needs them.

    Parameters
    ----------
    least : float
        How far to go at least, so that most later calls need no more.
    """

    def __init__(self, least=_SAMPLE_REACH):
        self.least, self._known = least, {}

    def on(self, fine, reach, end, function):
        """Values at multiples of a step as far as ``reach`` on both sides, of a wide one as far as ``end``.

        Parameters
        ----------
        fine, reach, end : float
        function : callable
            Always the same; smooth, on arrays; it silences its floating-point warnings itself.  It is not kept: it
            keeps its samples, and what keeps each other is not freed at once.

        Returns
        -------
        values : ndarray
            On the three lattices of :mod:`loops`, one after the other.
        lattice : ndarray
            The step, and the numbers of samples on each side.
        """
        known = self._known.get(fine)
        if known is None or known[2] < reach or known[3] < end:
            least = min(self.least, _MOST_SAMPLES * fine)
            reach, end = max(reach, least), max(end, _FURTHER * least)
            points, lattice = _lattices(fine, reach, end)
            if len(self._known) > 8:           # slopes that differ need steps of their own
                self._known.clear()
            self._known[fine] = known = np.asarray(function(points), dtype=float), lattice, reach, end
        return known[:2]


def _lattices(fine, reach, end):
    """Multiples of the three steps, kept for the next function."""
    counts = math.ceil(reach / fine) + 1, math.ceil(reach / (_MAIN * fine)) + 1, math.ceil(end / (_WIDE * fine)) + 1
    key = fine, *counts
    known = _LATTICES_OF_SAMPLES.get(key)
    if known is None:
        while len(_LATTICES_OF_SAMPLES) >= 8:          # other threads may do the same
            _LATTICES_OF_SAMPLES.pop(next(iter(tuple(_LATTICES_OF_SAMPLES)), None), None)
        steps = zip((fine, _MAIN * fine, _WIDE * fine), counts)
        known = np.concatenate([h * np.arange(-n, n + 1.0) for h, n in steps]), np.array(key)
        _LATTICES_OF_SAMPLES[key] = known
    return known


def by_loops(loop, functions, *arguments):
    """Call a compiled loop with samples of functions, as many as it needs.

    Parameters
    ----------
    loop : callable
        ``loop(*arguments, wanted, samples, lattice, mirror, ...)``, the last three for each function.  It returns a
        tuple of an error and results.  The error is -1 where samples do not settle the means, and -2-p where it needs
        others of the p-th function, those that ``wanted`` tells: step, reach, end.
    functions : tuple of callable
        With attributes ``kinks_float``, ``mirror`` (1 or -1 for an even or odd function), and ``samples`` if its
        samples are to be kept.

    Returns
    -------
    tuple, or None
        None where the samples do not settle the means: with kinks, narrow features, too fast a growth.
    """
    if any(f.kinks_float for f in functions):
        return None
    kept = [getattr(f, "samples", None) or Samples() for f in functions]
    given, wanted = [], np.empty(3)
    for samples, function in zip(kept, functions):
        given += [*samples.on(_SAMPLE_STEP, 0.0, 0.0, function), getattr(function, "mirror", 0)]
    while True:
        answer = loop(*arguments, wanted, *given)
        if answer[0] >= 0.0:
            return answer
        place = int(-2.0 - answer[0])
        fine, reach, end = wanted.tolist()
        if place < 0 or not 0.0 < reach <= _MOST_SAMPLES * fine:
            return None
        given[3 * place:3 * place + 2] = kept[place].on(fine, reach, end, functions[place])


def table_by_loops(loop, width, levels, functions, parameters):
    """Tables and weights of the rules of some levels, and the error of the means; None as of :func:`by_loops`.

    Parameters
    ----------
    loop : callable
        As for :func:`by_loops`; it returns the tables and the weights one after the other, and their sizes.
    width : int
        Rows of a table.
    levels, functions, parameters : tuple
    """
    _, nodes, pairs, sections = outer_rules(levels, ())
    answer = by_loops(loop, functions, nodes, *pairs, *sections, *parameters)
    if answer is None:
        return None
    error, tables, weights, sizes = answer
    made, first = [], 0
    for size in sizes.tolist():
        last = first + size
        made.append((tables[width * first:width * last].reshape(width, size), weights[first:last]))
        first = last
    return made, error


#: nodes of one row at most
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
    for cut in _CUTS:
        values, sizes, squares = probe.sums(Lattice(cut, (0, 1), probe.slope, tail=True))
        reference = values[:, :, 2]
        scales = probe.scales(values, sizes[:, :, 2], squares)
        if np.max(sizes[:, :, 3] / scales, initial=0.0) <= 1e-16:
            break
    else:
        return _each(rows.sums(Lattice(_CUTS[-1], (0,)))[0]), np.inf
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
    for cut in _CUTS:
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


#: largest step of the fine lattice, in the argument: nothing as wide as 1/50 is invisible
_SAMPLE_STEP = 0.02
#: steps of the main and of the wide lattice, in fine ones
_MAIN, _WIDE = _RATIO, 45.0


@compiled()
def lattice_fits(lattice, offset, slope, wanted):
    """Whether samples are as close and reach as far as means need; if not, put what they need into ``wanted``.

    ``lattice`` holds the fine step and the number of samples on each side, on the three lattices.
    """
    edge, finest = 0.0, 0.0
    for k in range(offset.size):
        edge = max(edge, abs(offset[k])) if offset[k] == offset[k] else math.inf
    if 1e-6 < slope < 1e6:              # at most 1/30 of the slope
        finest = _SAMPLE_STEP if slope >= 30.0 * _SAMPLE_STEP else math.ldexp(1.0 / 64.0, math.frexp(slope)[1])
    fine, reach, end = lattice[0], edge + (_CUTS[0] + 0.5) * slope, edge + (_END + 1.0) * slope
    wanted[0], wanted[1], wanted[2] = min(fine, finest), reach, end
    return fine <= finest and reach <= lattice[1] * fine and end <= lattice[3] * _WIDE * fine


@compiled()
def lattice_parts(samples, lattice):
    """The samples on each of the three lattices."""
    fine = 2 * int(lattice[1]) + 1
    main = fine + 2 * int(lattice[2]) + 1
    return samples[:fine], samples[fine:main], samples[main:]


@compiled()
def trial_strides(step, slope, strides):
    """Samples from node to node: all fine ones, 0 for those far out, then ever finer ones, by steps of 0.25 widths on.

    Returns their number.
    """
    count = 2
    strides[0], strides[1] = 1, 0
    width = _STEP * slope / step
    while width >= 2.0 and count < strides.size:
        strides[count] = int(width)
        count += strides[count] != strides[count - 1]
        width /= _RATIO
    return count


@compiled()
def probe_rows(offset, slope, rows, found):
    """Put one row of each interval of one width of the weight into ``found``, or all rows; returns their number."""
    cells, count = np.empty(rows.size), 0
    for k in rows:
        cell = math.floor(offset[k] / slope)
        known = False
        for p in range(count):
            known = known or cells[p] == cell
        if not known:
            found[count], cells[count] = k, cell
            count += 1
    if not 4 <= rows.size >= 2 * count:
        count = rows.size
        for k in range(count):
            found[k] = rows[k]
    return count


@compiled()
def fill_rule(step, slope, stride, half, nodes, gauss):
    """Nodes and weights of a row centred at a sample, on every stride-th sample, ``half`` of them to each side.

    Returns the number of nodes with those of no weight behind, a multiple of 16: the compiler takes many at a time.
    """
    width, count = step * stride / slope, 16 * (half // 8 + 1)
    for j in range(half + 1):
        z = j * width
        nodes[half + j], nodes[half - j] = z, -z
        gauss[half + j] = gauss[half - j] = math.exp(-0.5 * z * z)
    for j in range(2 * half + 1, count):
        nodes[j] = gauss[j] = 0.0
    return count


@compiled()
def fill_row(samples, step, stride, half, count, offset, slope, values):
    """Values of a row whose centre is the sample nearest to its offset, zeros behind.

    Returns how far that is from the offset, in widths: the nodes are less by this.
    """
    centre = int(math.floor(offset / step + 0.5))
    near = samples[samples.size // 2 + centre - stride * half:]
    if stride == 1:             # what lies side by side is copied many values at a time
        for j in range(2 * half + 1):
            values[j] = near[j]
    else:
        for j in range(2 * half + 1):
            values[j] = near[stride * j]
    for j in range(2 * half + 1, count):
        values[j] = 0.0
    return (offset - centre * step) / slope


@compiled()
def shift_factor(x):
    """exp(x) for |x| <= 1/4, many at a time: up to a factor exp(-(z - rest)**2/2) is exp(-z**2/2) exp(z rest)."""
    y = x * x
    z = y * y
    power = (1.0 / 40320.0 + x / 362880.0) + y * (1.0 / 3628800.0 + x / 39916800.0)
    power = (1.0 / 24.0 + x / 120.0) + y * (1.0 / 720.0 + x / 5040.0) + z * power
    return (1.0 + x) + y * (0.5 + x / 6.0) + z * power


@compiled()
def fill_far_row(far, far_step, offset, slope, nodes, gauss, values):
    """Samples beyond the cut-off, to the end of the weight in double precision; returns their number."""
    middle, count, width = far.size // 2, 0, far_step / slope
    for side in range(-1, 2, 2):
        j = int(math.ceil((_CUTS[0] + 0.5) / width + side * offset / far_step))
        z = j * width - side * offset / slope
        weight, square = math.exp(-0.5 * z * z), math.exp(-width * width)
        ratio = math.exp(-z * width - 0.5 * width * width)
        while z <= _END:
            nodes[count], values[count], gauss[count] = side * z, far[middle + side * j], weight
            weight *= ratio
            ratio *= square
            count, j, z = count + 1, j + 1, z + width
    return count


@compiled()
def largest_square(samples, step, offset, slope):
    """Largest square of the function within three widths of a row."""
    largest, middle = 0.0, samples.size // 2
    for j in range(-3, 4):
        s = samples[middle + int(round((offset + slope * j) / step))]
        largest = max(largest, s * s)
    return largest


@compiled()
def mean_scale(values, item, p, square, least, offset, rows):
    """The size by which errors of one mean are measured."""
    here, inward = offset[rows[p]], 0.0
    for q in range(rows.size):          # the largest among the rows nearer to the centre on this side
        there = offset[rows[q]]
        if (there >= 0.0) == (here >= 0.0) and abs(there) <= abs(here):
            inward = max(inward, values[1, item, q, 0])
    s = max(values[1, item, p, 0], 1e-3 * inward)
    # nothing below the square of a rounding of s is known, be it a square or an odd moment of one
    s = max(s + 0.03 * math.sqrt(s * least), 1e-24 * least) if square else max(s, 1e-17 * min(least, math.sqrt(least)))
    return max(s, _TINY)


@compiled()
def settled_stride(values, squares, last, samples, step, offset, slope, rows):
    """Which of the strides before ``last`` agrees with all samples: its place and error.

    ``values`` hold means and means of absolute values, shape (2, items, rows, strides).  The place is 0 if no stride
    agrees, and -1 if none will: what lies beyond the cut-off counts.
    """
    errors = np.zeros(last)
    for p in range(rows.size):
        least = largest_square(samples, step, offset[rows[p]], slope)
        for i in range(values.shape[1]):
            scale = mean_scale(values, i, p, squares[i], least, offset, rows)
            if not values[1, i, p, 1] <= 1e-16 * scale:
                return -1, math.inf
            for t in range(2, last):
                share = abs(values[0, i, p, t] - values[0, i, p, 0]) / scale
                errors[t] = max(errors[t], share) if share <= 1e300 else math.inf
    before = math.inf
    for t in range(2, last):
        # two unrelated lattices do not agree by chance; above 1e-13 only where rounding is all that is left
        if errors[t] <= 1e-13 or (errors[t] <= 1e-12 and errors[t] > 0.6 * before):
            if t + 1 < last and errors[t] > 1e-15 and errors[t + 1] < errors[t]:
                t += 1              # the digits below 1e-13 are right too
            return t, errors[t]
        before = errors[t]
    return 0, math.inf


@compiled()
def put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means):
    """Put the means of one of each pair of opposite offsets into an array of shape (items, all rows).

    At offset zero they are zero below the floors, squares everywhere below the square of the rounding of the function.
    """
    for p in range(rows.size):
        least = _ROUNDING * _ROUNDING * largest_square(samples, step, offset[rows[p]], slope)
        for i in range(means.shape[0]):
            size = floors[i] * values[1, i, p, 0] if offset[rows[p]] == 0.0 else -1.0
            if squares[i]:
                size = max(size, least)
            if abs(values[0, i, p, 0]) <= size:
                values[0, i, p, 0] = 0.0
    for i in range(means.shape[0]):
        for k in range(back.size):
            means[i, k] = signs[i] * values[0, i, back[k], 0] if opposite[k] else values[0, i, back[k], 0]


@compiled()
def column_parity(column, first, last):
    """+1, -1 for an even or odd part of a column to rounding, 0 for one that vanishes, 2 for neither."""
    size, even, odd = 0.0, 0.0, 0.0
    for k in range(first, last):
        other = column[first + last - 1 - k]
        size = max(size, abs(column[k]))
        even = max(even, abs(column[k] - other))
        odd = max(odd, abs(column[k] + other))
    if size == 0.0:
        return 0
    if even <= 1e-14 * size:
        return 1
    return -1 if odd <= 1e-14 * size else 2


@compiled()
def fits_symmetry(parities, symmetries):
    """Whether a pattern of parities is one under which no integrand changes."""
    for n in range(symmetries.shape[0]):
        fits = True
        for i in range(parities.size):
            fits = fits and (parities[i] == 0 or parities[i] == symmetries[n, i])
        if fits:
            return True
    return False


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
    pattern = tuple(_parity(c) for c in base)
    if not any(all(p in (0, s) for p, s in zip(pattern, symmetry)) for symmetry in symmetries):
        return base, weights
    half = weights.size // 2
    folded = weights[half:] * 2.0
    if weights.size % 2:
        folded[0] *= 0.5
    return [c[half:] for c in base], folded


def _parity(column):
    """+1, -1 for an even or odd column to rounding, 0 for one that vanishes, 2 for neither."""
    size = np.max(np.abs(column))
    if size == 0.0:
        return 0
    if np.max(np.abs(column - column[::-1])) <= 1e-14 * size:
        return 1
    if np.max(np.abs(column + column[::-1])) <= 1e-14 * size:
        return -1
    return 2


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
    halved, up to 25 times.
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
        taken = np.minimum(np.maximum(delta, -3.0), 3.0)         # less overhead than np.clip
        return now * np.exp(-taken), taken
    out, taken = np.empty_like(now), np.array(delta)
    for j, p in enumerate(positive):
        if p:
            taken[j] = np.minimum(np.maximum(delta[j], -3.0), 3.0)
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
        halved = worse & (self.best < np.inf) & (moved > 1e-6) & (self.halvings < 25)
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
PARAMETERS = ("phi", "psi", "lam", "noise_variance", "linear", "nonlinear", "target_linear", "target_rest", "kept", "spike", "energy_2", "energy_3", "energy_4", "energy_5", "energy_6", "energy_7", "energy_8", "energy_9", "energy_10", "energy_11", "energy_12", "leak_1", "leak_2", "leak_3", "leak_4", "leak_5", "leak_6", "constant", "radial",)
TABLE_PARAMETERS = ()
UNKNOWNS = ("chi", "zeta", "m1", "m2", "dchi", "dzeta", "dm1", "dm2",)
TORN = ("chi",)
OBSERVABLES = ("train_error", "test_error", "baseline_train", "baseline_test", "train_gap", "test_gap",)
OUTPUTS = ("chi", "zeta", "m1", "m2", "dchi", "dzeta", "dm1", "dm2", "train_error", "test_error", "baseline_train", "baseline_test", "train_gap", "test_gap", "residual", "iterations",)
ACTIVATIONS = ()
GRIDS = ()
#: whether the form of the equations proves that they have one positive solution at most
UNIQUE = True


@compiled()
def solve_point(phi, psi, lam, noise_variance, linear, nonlinear, target_linear, target_rest, kept, spike, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, energy_10, energy_11, energy_12, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, constant, radial, chi_start, plain, tolerance, max_steps):
    """Solve one parameter point; returns the entries of OUTPUTS as floats."""
    iterations = 0.0
    # Newton's method for chi
    chi = chi_start
    chi_moved = math.inf
    for step in range(max_steps):
        ratio = phi/(chi*linear + phi)
        kappa = psi/phi
        surplus = 1 - kappa
        distance = abs(surplus)
        share = 2*kappa*lam/(distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
        # zeta = linear*ratio + nonlinear + share
        zeta = linear*ratio + nonlinear + share
        dzeta_dchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
        # chi = 2/(zeta*(distance + kappa + 1))
        chi_map = 2/(zeta*(distance + kappa + 1))
        dchi_map_dchi = -2*dzeta_dchi/((zeta*zeta)*(distance + kappa + 1))
        iterations += 1.0
        if step < plain:
            chi = chi_map
            continue
        g0 = math.log(chi/chi_map)
        J00 = 1.0 - dchi_map_dchi*chi/chi_map
        delta0, missed = solve_linear_1(J00, g0)
        if missed > 1e-6:        # singular: away from here
            delta0 = 0.5
        delta0 = min(3.0, max(-3.0, delta0))
        chi = chi*math.exp(-delta0)
        chi_moved = abs(delta0)
        if not chi_moved > tolerance:
            chi_moved = math.inf if math.isnan(chi_moved) else 0.0
            break
    ratio = phi/(chi*linear + phi)
    kappa = psi/phi
    surplus = 1 - kappa
    distance = abs(surplus)
    share = 2*kappa*lam/(distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    # zeta = linear*ratio + nonlinear + share
    zeta = linear*ratio + nonlinear + share
    chi_check = 2/(zeta*(distance + kappa + 1))
    chi_residual = abs(math.log(chi_check/chi))
    excess = max(0, surplus)
    # m1 = 1/(kappa*share + excess/chi)
    m1 = (1.0/(kappa*share + excess/chi))
    mtilde = chi*kappa*share + excess
    # m2 = 1/(linear*mtilde/phi + kappa*share + excess/chi)
    m2 = (1.0/(kappa*share + linear*mtilde/phi + excess/chi))
    ddzeta_ddchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
    dzeta_0 = -4*chi*(kappa*kappa*kappa)*lam/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) + 2*kappa/(distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    A_dchi_dchi = 2*ddzeta_ddchi/((zeta*zeta)*(distance + kappa + 1)) + 1
    b_dchi = -2*dzeta_0/((zeta*zeta)*(distance + kappa + 1))
    size_dchi_dchi = 1 + 2*abs(ddzeta_ddchi)/((zeta*zeta)*(distance + kappa + 1))
    # linear block for dchi
    dchi, dchi_residual = solve_linear_1(A_dchi_dchi, b_dchi)
    # dzeta = linear*dratio + dshare
    dzeta = dchi*ddzeta_ddchi + dzeta_0
    dchi_singular = max(0, -LARGEST_ERROR + ROUNDING*size_dchi_dchi/(abs(A_dchi_dchi) + 1e-300))
    steepness = kappa*(linear*(ratio*ratio) + nonlinear)/mtilde
    # dm1 = dchi*m1*(steepness + 1/chi)
    dm1 = dchi*m1*(steepness + (1.0/chi))
    # dm2 = dchi*m2*(steepness + ratio/chi)
    dm2 = dchi*m2*(steepness + ratio/chi)
    length = kept*(linear + phi*(linear + nonlinear)) + phi*(noise_variance + (target_linear*target_linear) + target_rest) + (target_linear*target_linear)
    overlap = (target_linear*target_linear)/length
    freed = energy_10*(overlap)**(10) + energy_11*(overlap)**(11) + energy_12*(overlap)**(12) + energy_2*(overlap*overlap) + energy_3*(overlap*overlap*overlap) + energy_4*(overlap*overlap*overlap*overlap) + energy_5*(overlap)**(5) + energy_6*(overlap)**(6) + energy_7*(overlap)**(7) + energy_8*(overlap)**(8) + energy_9*(overlap)**(9) - (leak_1*overlap + leak_2*(overlap*overlap) + leak_3*(overlap*overlap*overlap) + leak_4*(overlap*overlap*overlap*overlap) + leak_5*(overlap)**(5) + leak_6*(overlap)**(6))**(2)/(chi*radial/phi + constant)
    # train_error = lam*(m1*(noise_variance + target_rest) + m2*target_linear**2)*kappa - lam*(m1*freed + m2*spike*target_linear**2*overlap)*kappa
    train_error = -kappa*lam*(freed*m1 + m2*overlap*spike*(target_linear*target_linear)) + kappa*lam*(m1*(noise_variance + target_rest) + m2*(target_linear*target_linear))
    dfreed = dchi*radial*(leak_1*overlap + leak_2*(overlap*overlap) + leak_3*(overlap*overlap*overlap) + leak_4*(overlap*overlap*overlap*overlap) + leak_5*(overlap)**(5) + leak_6*(overlap)**(6))**(2)/(phi*(chi*radial/phi + constant)**(2))
    # test_error = (-dm1*(noise_variance + target_rest)*kappa - dm2*target_linear**2*kappa)/(m1**2*kappa**2) - (-dm1*freed*kappa - dm2*spike*target_linear**2*kappa*overlap - m1*dfreed*kappa)/(m1**2*kappa**2)
    test_error = (-dm1*kappa*(noise_variance + target_rest) - dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) - (-dfreed*kappa*m1 - dm1*freed*kappa - dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    # baseline_train = lam*(m1*(noise_variance + target_rest) + m2*target_linear**2)*kappa
    baseline_train = kappa*lam*(m1*(noise_variance + target_rest) + m2*(target_linear*target_linear))
    # baseline_test = (-dm1*(noise_variance + target_rest)*kappa - dm2*target_linear**2*kappa)/(m1**2*kappa**2)
    baseline_test = (-dm1*kappa*(noise_variance + target_rest) - dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    # train_gap = lam*(m1*freed + m2*spike*target_linear**2*overlap)*kappa
    train_gap = kappa*lam*(freed*m1 + m2*overlap*spike*(target_linear*target_linear))
    # test_gap = (-dm1*freed*kappa - dm2*spike*target_linear**2*kappa*overlap - m1*dfreed*kappa)/(m1**2*kappa**2)
    test_gap = (-dfreed*kappa*m1 - dm1*freed*kappa - dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    error_surplus = kappa + 1
    error_excess = (0 if (max(0, surplus) == 0) else error_surplus)
    error_distance = error_surplus
    surplus_2 = 1 - kappa
    distance_2 = abs(surplus_2)
    error_share = 2*kappa*lam*(error_distance + (0.5)*(4*chi*(kappa*kappa)*lam + 2*distance_2*error_distance)/math.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))/(distance_2 + math.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))**(2)
    error_m1 = (error_share*kappa + error_excess/chi)/(kappa*share + excess/chi)**(2)
    m1_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_m1/(max(m1, min(1, error_m1)) + 1e-300)) else 0)
    error_mtilde = chi*error_share*kappa + error_excess
    error_m2 = (error_mtilde*linear/phi + error_share*kappa + error_excess/chi)/(kappa*share + linear*mtilde/phi + excess/chi)**(2)
    m2_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_m2/(max(m2, min(1, error_m2)) + 1e-300)) else 0)
    share_2 = 2*kappa*lam/(distance_2 + math.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))
    excess_2 = max(0, surplus_2)
    mtilde_2 = chi*kappa*share_2 + excess_2
    error_steepness = error_mtilde*kappa*(linear*(ratio*ratio) + nonlinear)/(mtilde_2*mtilde_2)
    error_dm1 = error_m1*(steepness + (1.0/chi))*abs(dchi) + m1*(error_steepness + (1.0/chi))*abs(dchi)
    dm1_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_dm1/(max(abs(dm1), min(1, error_dm1)) + 1e-300)) else 0)
    error_dm2 = error_m2*(steepness + ratio/chi)*abs(dchi) + m2*(error_steepness + ratio/chi)*abs(dchi)
    dm2_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_dm2/(max(abs(dm2), min(1, error_dm2)) + 1e-300)) else 0)
    error_freed = (overlap)**(12)*abs(energy_12) + (overlap)**(10)*abs(energy_10) + (overlap)**(10)*abs(energy_11)*abs(overlap) + (overlap)**(8)*abs(energy_8) + (overlap)**(8)*abs(energy_9)*abs(overlap) + (overlap)**(6)*abs(energy_6) + (overlap)**(6)*abs(energy_7)*abs(overlap) + (overlap*overlap*overlap*overlap)*abs(energy_4) + (overlap*overlap*overlap*overlap)*abs(energy_5)*abs(overlap) + (overlap*overlap)*abs(energy_2) + (overlap*overlap)*abs(energy_3)*abs(overlap) + ((overlap)**(6)*abs(leak_6) + (overlap*overlap*overlap*overlap)*abs(leak_4) + (overlap*overlap*overlap*overlap)*abs(leak_5)*abs(overlap) + (overlap*overlap)*abs(leak_2) + (overlap*overlap)*abs(leak_3)*abs(overlap) + abs(leak_1*overlap))*abs(2*leak_1*overlap + 2*leak_2*(overlap*overlap) + 2*leak_3*(overlap*overlap*overlap) + 2*leak_4*(overlap*overlap*overlap*overlap) + 2*leak_5*(overlap)**(5) + 2*leak_6*(overlap)**(6))/(chi*radial/phi + constant)
    error_train_error = kappa*lam*(error_m1*(noise_variance + target_rest) + error_m2*(target_linear*target_linear)) + kappa*lam*(error_freed*m1 + error_m1*abs(freed) + error_m2*spike*(target_linear*target_linear)*abs(overlap))
    train_error_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_train_error/(max(abs(train_error), min(1, error_train_error)) + 1e-300)) else 0)
    error_dfreed = radial*((overlap)**(6)*abs(leak_6) + (overlap*overlap*overlap*overlap)*abs(leak_4) + (overlap*overlap*overlap*overlap)*abs(leak_5)*abs(overlap) + (overlap*overlap)*abs(leak_2) + (overlap*overlap)*abs(leak_3)*abs(overlap) + abs(leak_1*overlap))*abs(dchi)*abs(2*leak_1*overlap + 2*leak_2*(overlap*overlap) + 2*leak_3*(overlap*overlap*overlap) + 2*leak_4*(overlap*overlap*overlap*overlap) + 2*leak_5*(overlap)**(5) + 2*leak_6*(overlap)**(6))/(phi*(chi*radial/phi + constant)**(2))
    error_test_error = 2*error_m1*abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + 2*error_m1*abs(dfreed*kappa*m1 + dm1*freed*kappa + dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_dm1*kappa*(noise_variance + target_rest) + error_dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) + (error_dfreed*kappa*m1 + error_dm1*kappa*abs(freed) + error_dm2*kappa*spike*(target_linear*target_linear)*abs(overlap) + error_freed*kappa*abs(dm1) + error_m1*kappa*abs(dfreed))/((kappa*kappa)*(m1*m1))
    test_error_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_test_error/(max(abs(test_error), min(1, error_test_error)) + 1e-300)) else 0)
    error_baseline_train = kappa*lam*(error_m1*(noise_variance + target_rest) + error_m2*(target_linear*target_linear))
    baseline_train_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_baseline_train/(max(abs(baseline_train), min(1, error_baseline_train)) + 1e-300)) else 0)
    error_baseline_test = 2*error_m1*abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_dm1*kappa*(noise_variance + target_rest) + error_dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    baseline_test_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_baseline_test/(max(abs(baseline_test), min(1, error_baseline_test)) + 1e-300)) else 0)
    error_train_gap = kappa*lam*(error_freed*m1 + error_m1*abs(freed) + error_m2*spike*(target_linear*target_linear)*abs(overlap))
    train_gap_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_train_gap/(max(abs(train_gap), min(1, error_train_gap)) + 1e-300)) else 0)
    error_test_gap = 2*error_m1*abs(dfreed*kappa*m1 + dm1*freed*kappa + dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_dfreed*kappa*m1 + error_dm1*kappa*abs(freed) + error_dm2*kappa*spike*(target_linear*target_linear)*abs(overlap) + error_freed*kappa*abs(dm1) + error_m1*kappa*abs(dfreed))/((kappa*kappa)*(m1*m1))
    test_gap_lost = (1e+289 if (LARGEST_ERROR < ROUNDING*error_test_gap/(max(abs(test_gap), min(1, error_test_gap)) + 1e-300)) else 0)
    residual = max(baseline_test_lost, baseline_train_lost, chi_moved, chi_residual, dchi_residual, dchi_singular, dm1_lost, dm2_lost, m1_lost, m2_lost, test_error_lost, test_gap_lost, train_error_lost, train_gap_lost)
    return (chi + 0.0, zeta + 0.0, m1 + 0.0, m2 + 0.0, dchi + 0.0, dzeta + 0.0, dm1 + 0.0, dm2 + 0.0, train_error + 0.0, test_error + 0.0, baseline_train + 0.0, baseline_test + 0.0, train_gap + 0.0, test_gap + 0.0, residual + 0.0, iterations + 0.0)


def solve_batch(phi, psi, lam, noise_variance, linear, nonlinear, target_linear, target_rest, kept, spike, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, energy_10, energy_11, energy_12, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, constant, radial, chi_start, plain, tolerance, max_steps, diagnose=False):
    """Solve P parameter points at once.

    Returns an array of shape (len(OUTPUTS), P) and, if asked to diagnose, a list of blocks:
    ("newton", unknowns, Jacobian in the logarithms of positive unknowns), and for those with cancellations
    ("sizes", unknowns, magnitudes of the equations, which unknowns are solved in logarithms),
    ("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity, and, where entries cancel,
    magnitude of the matrix),
    ("explicit", outputs, error in units of the rounding of numbers),
    ("lost", outputs, positive where digits are lost)."""
    blocks, iterations = [], np.zeros(phi.shape)
    def step_chi(lam, linear, nonlinear, phi, psi, chi):
        """Maps, residuals and matrix of Newton's method for the points that still move."""
        ratio = phi/(chi*linear + phi)
        kappa = psi/phi
        surplus = 1 - kappa
        distance = np.abs(surplus)
        share = 2*kappa*lam/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
        zeta = linear*ratio + nonlinear + share
        dzeta_dchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
        chi_map = 2/(zeta*(distance + kappa + 1))
        dchi_map_dchi = -2*dzeta_dchi/((zeta*zeta)*(distance + kappa + 1))
        return (chi_map,), (np.log(chi/chi_map),), ((1.0 - dchi_map_dchi*chi/chi_map,),)
    (chi,), steps, J, chi_moved = newton_batch(step_chi, (lam, linear, nonlinear, phi, psi,), (chi_start,), (True,), plain, tolerance, max_steps)
    iterations = iterations + steps
    if diagnose:
        blocks.append(("newton", ("chi",), J))
    ratio = phi/(chi*linear + phi)
    kappa = psi/phi
    surplus = 1 - kappa
    distance = np.abs(surplus)
    share = 2*kappa*lam/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    zeta = linear*ratio + nonlinear + share
    chi_check = 2/(zeta*(distance + kappa + 1))
    chi_residual = np.abs(np.log(chi_check/chi))
    excess = np.maximum(0, surplus)
    m1 = (1.0/(kappa*share + excess/chi))
    mtilde = chi*kappa*share + excess
    m2 = (1.0/(kappa*share + linear*mtilde/phi + excess/chi))
    ddzeta_ddchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
    dzeta_0 = -4*chi*(kappa*kappa*kappa)*lam/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) + 2*kappa/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    if diagnose:
        size_dzeta_0 = 4*chi*(kappa*kappa*kappa)*lam/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) + 2*kappa/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    A_dchi_dchi = 2*ddzeta_ddchi/((zeta*zeta)*(distance + kappa + 1)) + 1
    b_dchi = -2*dzeta_0/((zeta*zeta)*(distance + kappa + 1))
    if diagnose:
        size_dchi = 2*size_dzeta_0/((zeta*zeta)*(distance + kappa + 1))
    size_dchi_dchi = 1 + 2*np.abs(ddzeta_ddchi)/((zeta*zeta)*(distance + kappa + 1))
    A = stack_matrix(iterations.shape, ((A_dchi_dchi,),))
    b = stack_vector(iterations.shape, (b_dchi,))
    solution, dchi_residual = solve_linear_batch(A, b)
    dchi = solution[..., 0]
    if diagnose:
        blocks.append(("linear", ("dchi",), A, stack_vector(iterations.shape, (size_dchi,)), (("dzeta", size_dzeta_0, (ddzeta_ddchi, )),), stack_matrix(iterations.shape, ((size_dchi_dchi,),))))
    dzeta = dchi*ddzeta_ddchi + dzeta_0
    dchi_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*size_dchi_dchi/(np.abs(A_dchi_dchi) + 1e-300))
    steepness = kappa*(linear*(ratio*ratio) + nonlinear)/mtilde
    dm1 = dchi*m1*(steepness + (1.0/chi))
    dm2 = dchi*m2*(steepness + ratio/chi)
    length = kept*(linear + phi*(linear + nonlinear)) + phi*(noise_variance + (target_linear*target_linear) + target_rest) + (target_linear*target_linear)
    overlap = (target_linear*target_linear)/length
    freed = energy_10*(overlap)**(10) + energy_11*(overlap)**(11) + energy_12*(overlap)**(12) + energy_2*(overlap*overlap) + energy_3*(overlap*overlap*overlap) + energy_4*(overlap*overlap*overlap*overlap) + energy_5*(overlap)**(5) + energy_6*(overlap)**(6) + energy_7*(overlap)**(7) + energy_8*(overlap)**(8) + energy_9*(overlap)**(9) - (leak_1*overlap + leak_2*(overlap*overlap) + leak_3*(overlap*overlap*overlap) + leak_4*(overlap*overlap*overlap*overlap) + leak_5*(overlap)**(5) + leak_6*(overlap)**(6))**(2)/(chi*radial/phi + constant)
    train_error = -kappa*lam*(freed*m1 + m2*overlap*spike*(target_linear*target_linear)) + kappa*lam*(m1*(noise_variance + target_rest) + m2*(target_linear*target_linear))
    dfreed = dchi*radial*(leak_1*overlap + leak_2*(overlap*overlap) + leak_3*(overlap*overlap*overlap) + leak_4*(overlap*overlap*overlap*overlap) + leak_5*(overlap)**(5) + leak_6*(overlap)**(6))**(2)/(phi*(chi*radial/phi + constant)**(2))
    test_error = (-dm1*kappa*(noise_variance + target_rest) - dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) - (-dfreed*kappa*m1 - dm1*freed*kappa - dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    baseline_train = kappa*lam*(m1*(noise_variance + target_rest) + m2*(target_linear*target_linear))
    baseline_test = (-dm1*kappa*(noise_variance + target_rest) - dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    train_gap = kappa*lam*(freed*m1 + m2*overlap*spike*(target_linear*target_linear))
    test_gap = (-dfreed*kappa*m1 - dm1*freed*kappa - dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    error_surplus = kappa + 1
    error_excess = np.where((np.maximum(0, surplus) == 0), 0, error_surplus)
    error_distance = error_surplus
    surplus_2 = 1 - kappa
    distance_2 = np.abs(surplus_2)
    error_share = 2*kappa*lam*(error_distance + (0.5)*(4*chi*(kappa*kappa)*lam + 2*distance_2*error_distance)/np.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))/(distance_2 + np.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))**(2)
    error_m1 = (error_share*kappa + error_excess/chi)/(kappa*share + excess/chi)**(2)
    m1_lost = np.where((LARGEST_ERROR < ROUNDING*error_m1/(np.maximum(m1, np.minimum(1, error_m1)) + 1e-300)), 1e+289, 0)
    error_mtilde = chi*error_share*kappa + error_excess
    error_m2 = (error_mtilde*linear/phi + error_share*kappa + error_excess/chi)/(kappa*share + linear*mtilde/phi + excess/chi)**(2)
    m2_lost = np.where((LARGEST_ERROR < ROUNDING*error_m2/(np.maximum(m2, np.minimum(1, error_m2)) + 1e-300)), 1e+289, 0)
    share_2 = 2*kappa*lam/(distance_2 + np.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))
    excess_2 = np.maximum(0, surplus_2)
    mtilde_2 = chi*kappa*share_2 + excess_2
    error_steepness = error_mtilde*kappa*(linear*(ratio*ratio) + nonlinear)/(mtilde_2*mtilde_2)
    error_dm1 = error_m1*(steepness + (1.0/chi))*np.abs(dchi) + m1*(error_steepness + (1.0/chi))*np.abs(dchi)
    dm1_lost = np.where((LARGEST_ERROR < ROUNDING*error_dm1/(np.maximum(np.abs(dm1), np.minimum(1, error_dm1)) + 1e-300)), 1e+289, 0)
    error_dm2 = error_m2*(steepness + ratio/chi)*np.abs(dchi) + m2*(error_steepness + ratio/chi)*np.abs(dchi)
    dm2_lost = np.where((LARGEST_ERROR < ROUNDING*error_dm2/(np.maximum(np.abs(dm2), np.minimum(1, error_dm2)) + 1e-300)), 1e+289, 0)
    error_freed = (overlap)**(12)*np.abs(energy_12) + (overlap)**(10)*np.abs(energy_10) + (overlap)**(10)*np.abs(energy_11)*np.abs(overlap) + (overlap)**(8)*np.abs(energy_8) + (overlap)**(8)*np.abs(energy_9)*np.abs(overlap) + (overlap)**(6)*np.abs(energy_6) + (overlap)**(6)*np.abs(energy_7)*np.abs(overlap) + (overlap*overlap*overlap*overlap)*np.abs(energy_4) + (overlap*overlap*overlap*overlap)*np.abs(energy_5)*np.abs(overlap) + (overlap*overlap)*np.abs(energy_2) + (overlap*overlap)*np.abs(energy_3)*np.abs(overlap) + ((overlap)**(6)*np.abs(leak_6) + (overlap*overlap*overlap*overlap)*np.abs(leak_4) + (overlap*overlap*overlap*overlap)*np.abs(leak_5)*np.abs(overlap) + (overlap*overlap)*np.abs(leak_2) + (overlap*overlap)*np.abs(leak_3)*np.abs(overlap) + np.abs(leak_1*overlap))*np.abs(2*leak_1*overlap + 2*leak_2*(overlap*overlap) + 2*leak_3*(overlap*overlap*overlap) + 2*leak_4*(overlap*overlap*overlap*overlap) + 2*leak_5*(overlap)**(5) + 2*leak_6*(overlap)**(6))/(chi*radial/phi + constant)
    error_train_error = kappa*lam*(error_m1*(noise_variance + target_rest) + error_m2*(target_linear*target_linear)) + kappa*lam*(error_freed*m1 + error_m1*np.abs(freed) + error_m2*spike*(target_linear*target_linear)*np.abs(overlap))
    train_error_lost = np.where((LARGEST_ERROR < ROUNDING*error_train_error/(np.maximum(np.abs(train_error), np.minimum(1, error_train_error)) + 1e-300)), 1e+289, 0)
    error_dfreed = radial*((overlap)**(6)*np.abs(leak_6) + (overlap*overlap*overlap*overlap)*np.abs(leak_4) + (overlap*overlap*overlap*overlap)*np.abs(leak_5)*np.abs(overlap) + (overlap*overlap)*np.abs(leak_2) + (overlap*overlap)*np.abs(leak_3)*np.abs(overlap) + np.abs(leak_1*overlap))*np.abs(dchi)*np.abs(2*leak_1*overlap + 2*leak_2*(overlap*overlap) + 2*leak_3*(overlap*overlap*overlap) + 2*leak_4*(overlap*overlap*overlap*overlap) + 2*leak_5*(overlap)**(5) + 2*leak_6*(overlap)**(6))/(phi*(chi*radial/phi + constant)**(2))
    error_test_error = 2*error_m1*np.abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + 2*error_m1*np.abs(dfreed*kappa*m1 + dm1*freed*kappa + dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_dm1*kappa*(noise_variance + target_rest) + error_dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) + (error_dfreed*kappa*m1 + error_dm1*kappa*np.abs(freed) + error_dm2*kappa*spike*(target_linear*target_linear)*np.abs(overlap) + error_freed*kappa*np.abs(dm1) + error_m1*kappa*np.abs(dfreed))/((kappa*kappa)*(m1*m1))
    test_error_lost = np.where((LARGEST_ERROR < ROUNDING*error_test_error/(np.maximum(np.abs(test_error), np.minimum(1, error_test_error)) + 1e-300)), 1e+289, 0)
    error_baseline_train = kappa*lam*(error_m1*(noise_variance + target_rest) + error_m2*(target_linear*target_linear))
    baseline_train_lost = np.where((LARGEST_ERROR < ROUNDING*error_baseline_train/(np.maximum(np.abs(baseline_train), np.minimum(1, error_baseline_train)) + 1e-300)), 1e+289, 0)
    error_baseline_test = 2*error_m1*np.abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_dm1*kappa*(noise_variance + target_rest) + error_dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    baseline_test_lost = np.where((LARGEST_ERROR < ROUNDING*error_baseline_test/(np.maximum(np.abs(baseline_test), np.minimum(1, error_baseline_test)) + 1e-300)), 1e+289, 0)
    error_train_gap = kappa*lam*(error_freed*m1 + error_m1*np.abs(freed) + error_m2*spike*(target_linear*target_linear)*np.abs(overlap))
    train_gap_lost = np.where((LARGEST_ERROR < ROUNDING*error_train_gap/(np.maximum(np.abs(train_gap), np.minimum(1, error_train_gap)) + 1e-300)), 1e+289, 0)
    error_test_gap = 2*error_m1*np.abs(dfreed*kappa*m1 + dm1*freed*kappa + dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_dfreed*kappa*m1 + error_dm1*kappa*np.abs(freed) + error_dm2*kappa*spike*(target_linear*target_linear)*np.abs(overlap) + error_freed*kappa*np.abs(dm1) + error_m1*kappa*np.abs(dfreed))/((kappa*kappa)*(m1*m1))
    test_gap_lost = np.where((LARGEST_ERROR < ROUNDING*error_test_gap/(np.maximum(np.abs(test_gap), np.minimum(1, error_test_gap)) + 1e-300)), 1e+289, 0)
    residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(baseline_test_lost, baseline_train_lost), chi_moved), chi_residual), dchi_residual), dchi_singular), dm1_lost), dm2_lost), m1_lost), m2_lost), test_error_lost), test_gap_lost), train_error_lost), train_gap_lost)
    if diagnose:
        blocks.append(("explicit", ("m1",), error_m1))
        blocks.append(("explicit", ("m2",), error_m2))
        blocks.append(("explicit", ("dm1",), error_dm1))
        blocks.append(("explicit", ("dm2",), error_dm2))
        blocks.append(("explicit", ("train_error",), error_train_error))
        blocks.append(("explicit", ("test_error",), error_test_error))
        blocks.append(("explicit", ("baseline_train",), error_baseline_train))
        blocks.append(("explicit", ("baseline_test",), error_baseline_test))
        blocks.append(("explicit", ("train_gap",), error_train_gap))
        blocks.append(("explicit", ("test_gap",), error_test_gap))
    return stack_vector(iterations.shape, (chi, zeta, m1, m2, dchi, dzeta, dm1, dm2, train_error, test_error, baseline_train, baseline_test, train_gap, test_gap, residual, iterations)).T, blocks


@compiled()
def solve_rows(phi, psi, lam, noise_variance, linear, nonlinear, target_linear, target_rest, kept, spike, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, energy_10, energy_11, energy_12, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, constant, radial, chi_start, out, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from the two points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in range(rows):
        known = 0
        chi_last = 1.0
        chi_before = 1.0
        for j in range(points):
            plain = 2
            chi_guess = chi_start[row, j]
            if known >= 1:
                plain = 0
                chi_guess = chi_last if known == 1 else chi_last * min(20.0, max(0.05, chi_last / chi_before))
            result = solve_point(phi[row, j], psi[row, j], lam[row, j], noise_variance[row, j], linear[row, j], nonlinear[row, j], target_linear[row, j], target_rest[row, j], kept[row, j], spike[row, j], energy_2[row, j], energy_3[row, j], energy_4[row, j], energy_5[row, j], energy_6[row, j], energy_7[row, j], energy_8[row, j], energy_9[row, j], energy_10[row, j], energy_11[row, j], energy_12[row, j], leak_1[row, j], leak_2[row, j], leak_3[row, j], leak_4[row, j], leak_5[row, j], leak_6[row, j], constant[row, j], radial[row, j], chi_guess, plain, tolerance, max_steps)
            if known >= 1 and not result[14] <= accept:
                plain = max(plain, 2)        # no literal, for which the point was compiled again
                chi_guess = chi_start[row, j]
                result = solve_point(phi[row, j], psi[row, j], lam[row, j], noise_variance[row, j], linear[row, j], nonlinear[row, j], target_linear[row, j], target_rest[row, j], kept[row, j], spike[row, j], energy_2[row, j], energy_3[row, j], energy_4[row, j], energy_5[row, j], energy_6[row, j], energy_7[row, j], energy_8[row, j], energy_9[row, j], energy_10[row, j], energy_11[row, j], energy_12[row, j], leak_1[row, j], leak_2[row, j], leak_3[row, j], leak_4[row, j], leak_5[row, j], leak_6[row, j], constant[row, j], radial[row, j], chi_guess, plain, tolerance, max_steps)
            for k in range(16):
                out[row, j, k] = result[k]
            if result[14] <= accept:
                known += 1
                chi_before = chi_last
                chi_last = result[0]
            else:
                known = 0


@compiled(parallel=True)
def solve_rows_parallel(phi, psi, lam, noise_variance, linear, nonlinear, target_linear, target_rest, kept, spike, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, energy_10, energy_11, energy_12, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, constant, radial, chi_start, out, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from the two points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in prange(rows):
        known = 0
        chi_last = 1.0
        chi_before = 1.0
        for j in range(points):
            plain = 2
            chi_guess = chi_start[row, j]
            if known >= 1:
                plain = 0
                chi_guess = chi_last if known == 1 else chi_last * min(20.0, max(0.05, chi_last / chi_before))
            result = solve_point(phi[row, j], psi[row, j], lam[row, j], noise_variance[row, j], linear[row, j], nonlinear[row, j], target_linear[row, j], target_rest[row, j], kept[row, j], spike[row, j], energy_2[row, j], energy_3[row, j], energy_4[row, j], energy_5[row, j], energy_6[row, j], energy_7[row, j], energy_8[row, j], energy_9[row, j], energy_10[row, j], energy_11[row, j], energy_12[row, j], leak_1[row, j], leak_2[row, j], leak_3[row, j], leak_4[row, j], leak_5[row, j], leak_6[row, j], constant[row, j], radial[row, j], chi_guess, plain, tolerance, max_steps)
            if known >= 1 and not result[14] <= accept:
                plain = max(plain, 2)        # no literal, for which the point was compiled again
                chi_guess = chi_start[row, j]
                result = solve_point(phi[row, j], psi[row, j], lam[row, j], noise_variance[row, j], linear[row, j], nonlinear[row, j], target_linear[row, j], target_rest[row, j], kept[row, j], spike[row, j], energy_2[row, j], energy_3[row, j], energy_4[row, j], energy_5[row, j], energy_6[row, j], energy_7[row, j], energy_8[row, j], energy_9[row, j], energy_10[row, j], energy_11[row, j], energy_12[row, j], leak_1[row, j], leak_2[row, j], leak_3[row, j], leak_4[row, j], leak_5[row, j], leak_6[row, j], constant[row, j], radial[row, j], chi_guess, plain, tolerance, max_steps)
            for k in range(16):
                out[row, j, k] = result[k]
            if result[14] <= accept:
                known += 1
                chi_before = chi_last
                chi_last = result[0]
            else:
                known = 0


activation_moments_FLOORS_0 = np.array(((-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0,), (-1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, -1.0,), (np.inf, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0,), (np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0,)))


@compiled()
def activation_moments_means_0_sums(samples, step, far, far_step, offset, slope, floors, strides, first, last, rows, values):
    """Means of s, s*z, s*((z*z) - 1), s*((z*z*z) - 3*z), s*((z*z*z*z) - 6*(z*z) + 3), s*((z)**(5) - 10*(z*z*z) + 15*z), s*((z)**(6) - 15*(z*z*z*z) + 45*(z*z) - 15), s*((z)**(7) - 21*(z)**(5) + 105*(z*z*z) - 105*z), s*((z)**(8) - 28*(z)**(6) + 210*(z*z*z*z) - 420*(z*z) + 105), s*((z)**(9) - 36*(z)**(7) + 378*(z)**(5) - 1260*(z*z*z) + 945*z), s*((z)**(10) - 45*(z)**(8) + 630*(z)**(6) - 3150*(z*z*z*z) + 4725*(z*z) - 945), s*((z)**(11) - 55*(z)**(9) + 990*(z)**(7) - 6930*(z)**(5) + 17325*(z*z*z) - 10395*z), s*((z)**(12) - 66*(z)**(10) + 1485*(z)**(8) - 13860*(z)**(6) + 51975*(z*z*z*z) - 62370*(z*z) + 10395), (-c0_k - c1_k*z + s)**(2)

    and of their absolute values, of shape (2, items, rows, strides), for strides ``first`` to ``last``.
    """
    most = max(2 * int(math.ceil(_CUTS[0] * slope / step)), int(2.0 * _END * slope / far_step)) + 64
    nodes, gauss, window, weights = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    for t in range(first, last):
        half = int(math.ceil(_CUTS[0] * slope / (step * max(strides[t], 1))))
        count, rest = 0, 0.0
        if strides[t] > 0:
            count = fill_rule(step, slope, strides[t], half, nodes, gauss)
        for p in range(rows.size):
            k = rows[p]
            shift, total = offset[k] / slope, 0.0
            near = strides[t] > 0 and shift != 0.0 and abs(shift) <= _NEAR
            if strides[t] == 0:
                count = fill_far_row(far, far_step, offset[k], slope, nodes, gauss, window)
            else:
                rest = fill_row(samples, step, strides[t], half, count, 0.0 if near else offset[k], slope, window)
            v0 = a0 = 0.0
            v1 = a1 = 0.0
            v2 = a2 = 0.0
            v3 = a3 = 0.0
            v4 = a4 = 0.0
            v5 = a5 = 0.0
            v6 = a6 = 0.0
            v7 = a7 = 0.0
            v8 = a8 = 0.0
            v9 = a9 = 0.0
            v10 = a10 = 0.0
            v11 = a11 = 0.0
            v12 = a12 = 0.0
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
                c0 = d0 = 0.0
                c1 = d1 = 0.0
                c2 = d2 = 0.0
                c3 = d3 = 0.0
                c4 = d4 = 0.0
                c5 = d5 = 0.0
                c6 = d6 = 0.0
                c7 = d7 = 0.0
                c8 = d8 = 0.0
                c9 = d9 = 0.0
                c10 = d10 = 0.0
                c11 = d11 = 0.0
                c12 = d12 = 0.0
                for j in range(count):
                    w, z, s = gauss[j] * shift_factor(nodes[j] * rest), nodes[j], window[j]
                    total += w
                    weights[j] = w
                    growth = math.expm1(shift * z - 0.5 * shift * shift)
                    f0, m0 = s, s
                    c0 += w * f0
                    d0 += w * abs(f0)
                    v0 += w * (m0 * growth + (m0 - f0))
                    a0 += w * abs(m0) * (1.0 + growth)
                    f1, m1 = s*z, s*(z - shift)
                    c1 += w * f1
                    d1 += w * abs(f1)
                    v1 += w * (m1 * growth + (m1 - f1))
                    a1 += w * abs(m1) * (1.0 + growth)
                    f2, m2 = s*((z*z) - 1), s*(((z - shift)*(z - shift)) - 1)
                    c2 += w * f2
                    d2 += w * abs(f2)
                    v2 += w * (m2 * growth + (m2 - f2))
                    a2 += w * abs(m2) * (1.0 + growth)
                    f3, m3 = s*((z*z*z) - 3*z), s*(((z - shift)*(z - shift)*(z - shift)) - 3*(z - shift))
                    c3 += w * f3
                    d3 += w * abs(f3)
                    v3 += w * (m3 * growth + (m3 - f3))
                    a3 += w * abs(m3) * (1.0 + growth)
                    f4, m4 = s*((z*z*z*z) - 6*(z*z) + 3), s*(((z - shift)*(z - shift)*(z - shift)*(z - shift)) - 6*((z - shift)*(z - shift)) + 3)
                    c4 += w * f4
                    d4 += w * abs(f4)
                    v4 += w * (m4 * growth + (m4 - f4))
                    a4 += w * abs(m4) * (1.0 + growth)
                    f5, m5 = s*((z)**(5) - 10*(z*z*z) + 15*z), s*(((z - shift))**(5) - 10*((z - shift)*(z - shift)*(z - shift)) + 15*(z - shift))
                    c5 += w * f5
                    d5 += w * abs(f5)
                    v5 += w * (m5 * growth + (m5 - f5))
                    a5 += w * abs(m5) * (1.0 + growth)
                    f6, m6 = s*((z)**(6) - 15*(z*z*z*z) + 45*(z*z) - 15), s*(((z - shift))**(6) - 15*((z - shift)*(z - shift)*(z - shift)*(z - shift)) + 45*((z - shift)*(z - shift)) - 15)
                    c6 += w * f6
                    d6 += w * abs(f6)
                    v6 += w * (m6 * growth + (m6 - f6))
                    a6 += w * abs(m6) * (1.0 + growth)
                    f7, m7 = s*((z)**(7) - 21*(z)**(5) + 105*(z*z*z) - 105*z), s*(((z - shift))**(7) - 21*((z - shift))**(5) + 105*((z - shift)*(z - shift)*(z - shift)) - 105*(z - shift))
                    c7 += w * f7
                    d7 += w * abs(f7)
                    v7 += w * (m7 * growth + (m7 - f7))
                    a7 += w * abs(m7) * (1.0 + growth)
                    f8, m8 = s*((z)**(8) - 28*(z)**(6) + 210*(z*z*z*z) - 420*(z*z) + 105), s*(((z - shift))**(8) - 28*((z - shift))**(6) + 210*((z - shift)*(z - shift)*(z - shift)*(z - shift)) - 420*((z - shift)*(z - shift)) + 105)
                    c8 += w * f8
                    d8 += w * abs(f8)
                    v8 += w * (m8 * growth + (m8 - f8))
                    a8 += w * abs(m8) * (1.0 + growth)
                    f9, m9 = s*((z)**(9) - 36*(z)**(7) + 378*(z)**(5) - 1260*(z*z*z) + 945*z), s*(((z - shift))**(9) - 36*((z - shift))**(7) + 378*((z - shift))**(5) - 1260*((z - shift)*(z - shift)*(z - shift)) + 945*(z - shift))
                    c9 += w * f9
                    d9 += w * abs(f9)
                    v9 += w * (m9 * growth + (m9 - f9))
                    a9 += w * abs(m9) * (1.0 + growth)
                    f10, m10 = s*((z)**(10) - 45*(z)**(8) + 630*(z)**(6) - 3150*(z*z*z*z) + 4725*(z*z) - 945), s*(((z - shift))**(10) - 45*((z - shift))**(8) + 630*((z - shift))**(6) - 3150*((z - shift)*(z - shift)*(z - shift)*(z - shift)) + 4725*((z - shift)*(z - shift)) - 945)
                    c10 += w * f10
                    d10 += w * abs(f10)
                    v10 += w * (m10 * growth + (m10 - f10))
                    a10 += w * abs(m10) * (1.0 + growth)
                    f11, m11 = s*((z)**(11) - 55*(z)**(9) + 990*(z)**(7) - 6930*(z)**(5) + 17325*(z*z*z) - 10395*z), s*(((z - shift))**(11) - 55*((z - shift))**(9) + 990*((z - shift))**(7) - 6930*((z - shift))**(5) + 17325*((z - shift)*(z - shift)*(z - shift)) - 10395*(z - shift))
                    c11 += w * f11
                    d11 += w * abs(f11)
                    v11 += w * (m11 * growth + (m11 - f11))
                    a11 += w * abs(m11) * (1.0 + growth)
                    f12, m12 = s*((z)**(12) - 66*(z)**(10) + 1485*(z)**(8) - 13860*(z)**(6) + 51975*(z*z*z*z) - 62370*(z*z) + 10395), s*(((z - shift))**(12) - 66*((z - shift))**(10) + 1485*((z - shift))**(8) - 13860*((z - shift))**(6) + 51975*((z - shift)*(z - shift)*(z - shift)*(z - shift)) - 62370*((z - shift)*(z - shift)) + 10395)
                    c12 += w * f12
                    d12 += w * abs(f12)
                    v12 += w * (m12 * growth + (m12 - f12))
                    a12 += w * abs(m12) * (1.0 + growth)
                v0 += 0.0 if abs(c0) <= floors[0] * d0 else c0
                a0 = max(a0, 0.01 * d0)
                v1 += 0.0 if abs(c1) <= floors[1] * d1 else c1
                a1 = max(a1, 0.01 * d1)
                v2 += 0.0 if abs(c2) <= floors[2] * d2 else c2
                a2 = max(a2, 0.01 * d2)
                v3 += 0.0 if abs(c3) <= floors[3] * d3 else c3
                a3 = max(a3, 0.01 * d3)
                v4 += 0.0 if abs(c4) <= floors[4] * d4 else c4
                a4 = max(a4, 0.01 * d4)
                v5 += 0.0 if abs(c5) <= floors[5] * d5 else c5
                a5 = max(a5, 0.01 * d5)
                v6 += 0.0 if abs(c6) <= floors[6] * d6 else c6
                a6 = max(a6, 0.01 * d6)
                v7 += 0.0 if abs(c7) <= floors[7] * d7 else c7
                a7 = max(a7, 0.01 * d7)
                v8 += 0.0 if abs(c8) <= floors[8] * d8 else c8
                a8 = max(a8, 0.01 * d8)
                v9 += 0.0 if abs(c9) <= floors[9] * d9 else c9
                a9 = max(a9, 0.01 * d9)
                v10 += 0.0 if abs(c10) <= floors[10] * d10 else c10
                a10 = max(a10, 0.01 * d10)
                v11 += 0.0 if abs(c11) <= floors[11] * d11 else c11
                a11 = max(a11, 0.01 * d11)
                v12 += 0.0 if abs(c12) <= floors[12] * d12 else c12
                a12 = max(a12, 0.01 * d12)
            else:
                for j in range(count):
                    w, z, s = gauss[j] * shift_factor(nodes[j] * rest), nodes[j] - rest, window[j]
                    total += w
                    weights[j] = w
                    f0 = s
                    v0 += w * f0
                    a0 += w * abs(f0)
                    f1 = s*z
                    v1 += w * f1
                    a1 += w * abs(f1)
                    f2 = s*((z*z) - 1)
                    v2 += w * f2
                    a2 += w * abs(f2)
                    f3 = s*((z*z*z) - 3*z)
                    v3 += w * f3
                    a3 += w * abs(f3)
                    f4 = s*((z*z*z*z) - 6*(z*z) + 3)
                    v4 += w * f4
                    a4 += w * abs(f4)
                    f5 = s*((z)**(5) - 10*(z*z*z) + 15*z)
                    v5 += w * f5
                    a5 += w * abs(f5)
                    f6 = s*((z)**(6) - 15*(z*z*z*z) + 45*(z*z) - 15)
                    v6 += w * f6
                    a6 += w * abs(f6)
                    f7 = s*((z)**(7) - 21*(z)**(5) + 105*(z*z*z) - 105*z)
                    v7 += w * f7
                    a7 += w * abs(f7)
                    f8 = s*((z)**(8) - 28*(z)**(6) + 210*(z*z*z*z) - 420*(z*z) + 105)
                    v8 += w * f8
                    a8 += w * abs(f8)
                    f9 = s*((z)**(9) - 36*(z)**(7) + 378*(z)**(5) - 1260*(z*z*z) + 945*z)
                    v9 += w * f9
                    a9 += w * abs(f9)
                    f10 = s*((z)**(10) - 45*(z)**(8) + 630*(z)**(6) - 3150*(z*z*z*z) + 4725*(z*z) - 945)
                    v10 += w * f10
                    a10 += w * abs(f10)
                    f11 = s*((z)**(11) - 55*(z)**(9) + 990*(z)**(7) - 6930*(z)**(5) + 17325*(z*z*z) - 10395*z)
                    v11 += w * f11
                    a11 += w * abs(f11)
                    f12 = s*((z)**(12) - 66*(z)**(10) + 1485*(z)**(8) - 13860*(z)**(6) + 51975*(z*z*z*z) - 62370*(z*z) + 10395)
                    v12 += w * f12
                    a12 += w * abs(f12)
            total = total if strides[t] > 0 else 1.0
            values[0, 0, p, t] = v0 / total
            values[1, 0, p, t] = a0 / total
            values[0, 1, p, t] = v1 / total
            values[1, 1, p, t] = a1 / total
            values[0, 2, p, t] = v2 / total
            values[1, 2, p, t] = a2 / total
            values[0, 3, p, t] = v3 / total
            values[1, 3, p, t] = a3 / total
            values[0, 4, p, t] = v4 / total
            values[1, 4, p, t] = a4 / total
            values[0, 5, p, t] = v5 / total
            values[1, 5, p, t] = a5 / total
            values[0, 6, p, t] = v6 / total
            values[1, 6, p, t] = a6 / total
            values[0, 7, p, t] = v7 / total
            values[1, 7, p, t] = a7 / total
            values[0, 8, p, t] = v8 / total
            values[1, 8, p, t] = a8 / total
            values[0, 9, p, t] = v9 / total
            values[1, 9, p, t] = a9 / total
            values[0, 10, p, t] = v10 / total
            values[1, 10, p, t] = a10 / total
            values[0, 11, p, t] = v11 / total
            values[1, 11, p, t] = a11 / total
            values[0, 12, p, t] = v12 / total
            values[1, 12, p, t] = a12 / total
            mean_k = values[0, 0, p, 0 if strides[t] == 0 else t]
            mean_2_k = values[0, 1, p, 0 if strides[t] == 0 else t]
            mean_3_k = values[0, 2, p, 0 if strides[t] == 0 else t]
            mean_4_k = values[0, 3, p, 0 if strides[t] == 0 else t]
            mean_5_k = values[0, 4, p, 0 if strides[t] == 0 else t]
            mean_6_k = values[0, 5, p, 0 if strides[t] == 0 else t]
            mean_7_k = values[0, 6, p, 0 if strides[t] == 0 else t]
            mean_8_k = values[0, 7, p, 0 if strides[t] == 0 else t]
            mean_9_k = values[0, 8, p, 0 if strides[t] == 0 else t]
            mean_10_k = values[0, 9, p, 0 if strides[t] == 0 else t]
            mean_11_k = values[0, 10, p, 0 if strides[t] == 0 else t]
            mean_12_k = values[0, 11, p, 0 if strides[t] == 0 else t]
            mean_13_k = values[0, 12, p, 0 if strides[t] == 0 else t]
            c0_k = mean_k
            c1_k = mean_2_k
            v13 = a13 = 0.0
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
                for j in range(count):
                    w, z, s = weights[j], nodes[j], window[j]
                    growth = math.expm1(shift * z - 0.5 * shift * shift)
                    m13 = (-c0_k - c1_k*(z - shift) + s)**(2)
                    v13 += w * m13 * (1.0 + growth)
                a13 = v13
            else:
                for j in range(count):
                    w, z, s = weights[j], nodes[j] - rest, window[j]
                    f13 = (-c0_k - c1_k*z + s)**(2)
                    v13 += w * f13
                    a13 += w * abs(f13)
            values[0, 13, p, t] = v13 / total
            values[1, 13, p, t] = a13 / total


@compiled()
def activation_moments_means_0(values_at, lattice, offset, slope, rows, back, opposite, signs, floors, means):
    """Put the means of s, s*z, s*((z*z) - 1), s*((z*z*z) - 3*z), s*((z*z*z*z) - 6*(z*z) + 3), s*((z)**(5) - 10*(z*z*z) + 15*z), s*((z)**(6) - 15*(z*z*z*z) + 45*(z*z) - 15), s*((z)**(7) - 21*(z)**(5) + 105*(z*z*z) - 105*z), s*((z)**(8) - 28*(z)**(6) + 210*(z*z*z*z) - 420*(z*z) + 105), s*((z)**(9) - 36*(z)**(7) + 378*(z)**(5) - 1260*(z*z*z) + 945*z), s*((z)**(10) - 45*(z)**(8) + 630*(z)**(6) - 3150*(z*z*z*z) + 4725*(z*z) - 945), s*((z)**(11) - 55*(z)**(9) + 990*(z)**(7) - 6930*(z)**(5) + 17325*(z*z*z) - 10395*z), s*((z)**(12) - 66*(z)**(10) + 1485*(z)**(8) - 13860*(z)**(6) + 51975*(z*z*z*z) - 62370*(z*z) + 10395), (-c0_k - c1_k*z + s)**(2)

    at ``rows`` and their opposites into ``means``, from the coarsest lattice that agrees with all fine samples.
    Returns their error: infinite if no lattice agrees, -1 where what lies beyond the cut-off counts.
    """
    fine, samples, far = lattice_parts(values_at, lattice)
    fine_step, step, far_step = lattice[0], _MAIN * lattice[0], _WIDE * lattice[0]
    probes, strides, squares = np.empty(rows.size, np.int64), np.empty(16, np.int64), np.array((False, False, False, False, False, False, False, False, False, False, False, False, False, True,))
    picked, count = probes[:probe_rows(offset, slope, rows, probes)], trial_strides(step, slope, strides)
    values, lattice_now, width = np.empty((2, 14, picked.size, count)), fine, fine_step
    first, last, error = 0 * count, min(2, count), math.inf      # no literal, for which the sums were compiled again
    while True:
        activation_moments_means_0_sums(lattice_now, width, far, far_step, offset, slope, floors, strides, first, last, picked, values)
        if count == 1:
            break
        lattice_now, width = samples, step
        chosen, error = settled_stride(values, squares, last, samples, step, offset, slope, picked)
        if chosen < 0:
            return -1.0
        if chosen > 0 and (error <= 1e-15 or chosen < last - 1 or last == count):      # else the next may be better
            strides, picked, count, first, last = strides[chosen:chosen + 1], rows, 1, 0 * count, min(1, count)
            values = np.empty((2, 14, rows.size, 1))
        elif chosen == 0 and last == count:
            return math.inf
        else:
            first, last = last, last + 1
    put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means)
    return error


@compiled()
def activation_moments_loops(one, wanted, samples_0, lattice_0, mirror_0):
    """The means without offset: an error, and numbers."""
    every = np.arange(one.size)
    none = np.zeros(every.size, np.bool_)
    offset_0, slope_0 = np.empty(every.size), float(1)
    for k in every:
        offset_0[k] = 0.0
    if not lattice_fits(lattice_0, offset_0, slope_0, wanted):
        return -2.0 - 0, one
    error = 0.0
    means_0 = np.empty((14, every.size))
    signs = np.ones(14)
    floors = activation_moments_FLOORS_0[mirror_0]
    change = activation_moments_means_0(samples_0, lattice_0, offset_0, slope_0, every, every, none, signs, floors, means_0)
    if change == np.inf:
        lattice_fits(lattice_0, offset_0, slope_0, wanted)
        wanted[0] *= 0.5
        return -2.0 - 0, one
    if not change >= 0.0:
        return -1.0, one
    error = max(error, change)
    mean = means_0[0, 0]
    mean_2 = means_0[1, 0]
    mean_3 = means_0[2, 0]
    mean_4 = means_0[3, 0]
    mean_5 = means_0[4, 0]
    mean_6 = means_0[5, 0]
    mean_7 = means_0[6, 0]
    mean_8 = means_0[7, 0]
    mean_9 = means_0[8, 0]
    mean_10 = means_0[9, 0]
    mean_11 = means_0[10, 0]
    mean_12 = means_0[11, 0]
    mean_13 = means_0[12, 0]
    mean_14 = means_0[13, 0]
    numbers = np.empty(14)
    numbers[0] = mean
    numbers[1] = mean_2
    numbers[2] = mean_3
    numbers[3] = mean_4
    numbers[4] = mean_5
    numbers[5] = mean_6
    numbers[6] = mean_7
    numbers[7] = mean_8
    numbers[8] = mean_9
    numbers[9] = mean_10
    numbers[10] = mean_11
    numbers[11] = mean_12
    numbers[12] = mean_13
    numbers[13] = mean_14
    return error, numbers


def activation_moments(activation, loops=False):
    """Hermite coefficients of an activation, the second moment without constant and linear part, and the error.

    With ``loops`` by compiled loops, where the activations are smooth.
    """
    found = loops and by_loops(activation_moments_loops, (activation,), np.zeros(1))
    if found:
        error, (mean, mean_2, mean_3, mean_4, mean_5, mean_6, mean_7, mean_8, mean_9, mean_10, mean_11, mean_12, mean_13, mean_14,) = found[0], found[1]
        c0 = mean
        c1 = mean_2
        c2 = (0.5)*mean_3
        c3 = ((1/6))*mean_4
        c4 = ((1/24))*mean_5
        c5 = ((1/120))*mean_6
        c6 = ((1/720))*mean_7
        c7 = ((1/5040))*mean_8
        c8 = ((1/40320))*mean_9
        c9 = ((1/362880))*mean_10
        c10 = ((1/3628800))*mean_11
        c11 = ((1/39916800))*mean_12
        c12 = ((1/479001600))*mean_13
        rest = mean_14
    else:
        error = 0.0
        means, change = normal_means(
            activation, np.zeros(1), 1, lambda z, s, at: (s, s*z, s*((z*z) - 1), s*((z*z*z) - 3*z), s*((z*z*z*z) - 6*(z*z) + 3), s*((z)**(5) - 10*(z*z*z) + 15*z), s*((z)**(6) - 15*(z*z*z*z) + 45*(z*z) - 15), s*((z)**(7) - 21*(z)**(5) + 105*(z*z*z) - 105*z), s*((z)**(8) - 28*(z)**(6) + 210*(z*z*z*z) - 420*(z*z) + 105), s*((z)**(9) - 36*(z)**(7) + 378*(z)**(5) - 1260*(z*z*z) + 945*z), s*((z)**(10) - 45*(z)**(8) + 630*(z)**(6) - 3150*(z*z*z*z) + 4725*(z*z) - 945), s*((z)**(11) - 55*(z)**(9) + 990*(z)**(7) - 6930*(z)**(5) + 17325*(z*z*z) - 10395*z), s*((z)**(12) - 66*(z)**(10) + 1485*(z)**(8) - 13860*(z)**(6) + 51975*(z*z*z*z) - 62370*(z*z) + 10395),),
            floors={0: (-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0,), 2: (np.inf, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0,), 1: (-1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0,), -1: (np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf,)})
        error = max(error, change)
        (mean, mean_2, mean_3, mean_4, mean_5, mean_6, mean_7, mean_8, mean_9, mean_10, mean_11, mean_12, mean_13,) = (m[0] for m in means)
        c0 = mean
        c1 = mean_2
        c2 = (0.5)*mean_3
        c3 = ((1/6))*mean_4
        c4 = ((1/24))*mean_5
        c5 = ((1/120))*mean_6
        c6 = ((1/720))*mean_7
        c7 = ((1/5040))*mean_8
        c8 = ((1/40320))*mean_9
        c9 = ((1/362880))*mean_10
        c10 = ((1/3628800))*mean_11
        c11 = ((1/39916800))*mean_12
        c12 = ((1/479001600))*mean_13
        means, change = normal_means(
            activation, np.zeros(1), 1, lambda z, s, at: ((-c0 - c1*z + s)**(2),),
            floors={0: (-1.0,), 2: (-1.0,), 1: (-1.0,), -1: (-1.0,)})
        error = max(error, change)
        (mean_14,) = (m[0] for m in means)
        rest = mean_14
    return float(c0), float(c1), float(c2), float(c3), float(c4), float(c5), float(c6), float(c7), float(c8), float(c9), float(c10), float(c11), float(c12), float(rest), error
