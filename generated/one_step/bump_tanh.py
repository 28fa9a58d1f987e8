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
kappa_SIGNS = np.array(((-1, 1, -1, -1, 1, 1, 1), (-1, -1, 1, 1, -1, 1, 1))).reshape(-1, 7)
kappa_DIRECTIONS = ((19, 0, 0, (-1,), ('node*p0', 'sqrt(p1)', 's')),)


def kappa_rule(levels, r, c, gamma, rho, student, target):
    """Tables and weights of the average over kappa, one pair for each level, and the error of the inner means.

    Rows of a table: mu1**2, mu2sq, mu1**4, mu1**2*mu2sq, mu2sq**2, kappa**2*mu1**2, kappa*mu0*mu1, h*kappa*mu1, Abs(h*kappa*mu1), Abs(kappa*mu0*mu1), mu0**2, h*mu0, Abs(h*mu0), hz*mu1, Abs(hz*mu1), mu0, kappa*mu1, h, hzz.
    """
    rules, kappa, pairs, _ = outer_rules(levels, [(0, r, np.sqrt(c), student.kinks_float), (0, gamma, rho, target.kinks_float)])
    error = 0.0
    (mean, mean_2,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: (s*z, s,),
        {1: (-1, 1), -1: (1, -1)}, pairs,
        floors={0: (_ROUNDING, -1.0,), 2: (_ROUNDING, np.inf,), 1: (np.inf, -1.0,), -1: (_ROUNDING, np.inf,)})
    error = max(error, change)
    (mean_4, mean_5, mean_6,), change = normal_means(
        target, gamma*kappa, rho, lambda z, s, at: (s, s*z, (s*s),),
        {1: (1, -1, 1), -1: (-1, 1, 1)}, pairs,
        floors={0: (_ROUNDING, _ROUNDING, _ROUNDING,), 2: (np.inf, _ROUNDING, _ROUNDING,), 1: (_ROUNDING, np.inf, _ROUNDING,), -1: (np.inf, _ROUNDING, _ROUNDING,)})
    error = max(error, change)
    mu1 = mean/np.sqrt(c)
    mu0 = mean_2
    h = mean_4
    hz = mean_5
    hzz = mean_6
    (mean_3,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: ((-np.sqrt(c)*at(mu1)*z - at(mu0) + s)**(2),),
        {1: (1,), -1: (1,)}, pairs,
        floors={0: (_ROUNDING,), 2: (_ROUNDING,), 1: (_ROUNDING,), -1: (_ROUNDING,)})
    error = max(error, change)
    mu2sq = mean_3
    mean_square = c*(mu1*mu1) + mean_3 + (mu0*mu0)
    shift = np.abs(kappa*r)/(np.sqrt(c) + np.abs(kappa*r) + 1e-300)
    tables = split_tables([kappa, mu1, mu0, h, hz, hzz, mu2sq, mean_2, mean_square, shift], rules, kappa_SYMMETRIES)
    return [(stack_rows((mu1*mu1), mu2sq, (mu1*mu1*mu1*mu1), (mu1*mu1)*mu2sq, (mu2sq*mu2sq), (kappa*kappa)*(mu1*mu1), kappa*mu0*mu1, h*kappa*mu1, np.abs(h*kappa*mu1), np.abs(kappa*mu0*mu1), (mu0*mu0), h*mu0, np.abs(h*mu0), hz*mu1, np.abs(hz*mu1), mu0, kappa*mu1, h, hzz, np.abs(mean_2), np.sqrt(mean_square), np.sqrt(mean_square)*shift), weights) for (kappa, mu1, mu0, h, hz, hzz, mu2sq, mean_2, mean_square, shift), weights in tables], error


@compiled()
def kappa_columns(kappa, mu1, mu0, h, hz, hzz, mu2sq, mean_2, mean_square, shift, first, last, weights, symmetric, symmetries, table, folded):
    """Put table and weights of the rule at nodes ``first`` to ``last``, on half of them where that suffices.

    Returns their number; a row of the table follows the other.
    """
    half = False
    if symmetric:
        half = fits_symmetry(np.array((column_parity(kappa, first, last), column_parity(mu1, first, last), column_parity(mu0, first, last), column_parity(h, first, last), column_parity(hz, first, last), column_parity(hzz, first, last), column_parity(mu2sq, first, last),)), symmetries)
    start = first + (last - first) // 2 if half else first
    size = last - start
    for k in range(start, last):
        folded[k - start] = 2.0 * weights[k] if half and 2 * k + 1 != first + last else weights[k]
        table[0 * size + k - start] = (mu1[k]*mu1[k])
        table[1 * size + k - start] = mu2sq[k]
        table[2 * size + k - start] = (mu1[k]*mu1[k]*mu1[k]*mu1[k])
        table[3 * size + k - start] = (mu1[k]*mu1[k])*mu2sq[k]
        table[4 * size + k - start] = (mu2sq[k]*mu2sq[k])
        table[5 * size + k - start] = (kappa[k]*kappa[k])*(mu1[k]*mu1[k])
        table[6 * size + k - start] = kappa[k]*mu0[k]*mu1[k]
        table[7 * size + k - start] = h[k]*kappa[k]*mu1[k]
        table[8 * size + k - start] = abs(h[k]*kappa[k]*mu1[k])
        table[9 * size + k - start] = abs(kappa[k]*mu0[k]*mu1[k])
        table[10 * size + k - start] = (mu0[k]*mu0[k])
        table[11 * size + k - start] = h[k]*mu0[k]
        table[12 * size + k - start] = abs(h[k]*mu0[k])
        table[13 * size + k - start] = hz[k]*mu1[k]
        table[14 * size + k - start] = abs(hz[k]*mu1[k])
        table[15 * size + k - start] = mu0[k]
        table[16 * size + k - start] = kappa[k]*mu1[k]
        table[17 * size + k - start] = h[k]
        table[18 * size + k - start] = hzz[k]
        table[19 * size + k - start] = abs(mean_2[k])
        table[20 * size + k - start] = math.sqrt(mean_square[k])
        table[21 * size + k - start] = math.sqrt(mean_square[k])*shift[k]
    return size


@compiled()
def kappa_means_0_sums(samples, step, far, far_step, offset, slope, c, floors, strides, first, last, rows, values):
    """Means of s*z, s, (-math.sqrt(c)*mu1_k*z - mu0_k + s)**(2)

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
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
                c0 = d0 = 0.0
                c1 = d1 = 0.0
                for j in range(count):
                    w, z, s = gauss[j] * shift_factor(nodes[j] * rest), nodes[j], window[j]
                    total += w
                    weights[j] = w
                    growth = math.expm1(shift * z - 0.5 * shift * shift)
                    f0, m0 = s*z, s*(z - shift)
                    c0 += w * f0
                    d0 += w * abs(f0)
                    v0 += w * (m0 * growth + (m0 - f0))
                    a0 += w * abs(m0) * (1.0 + growth)
                    f1, m1 = s, s
                    c1 += w * f1
                    d1 += w * abs(f1)
                    v1 += w * (m1 * growth + (m1 - f1))
                    a1 += w * abs(m1) * (1.0 + growth)
                v0 += 0.0 if abs(c0) <= floors[0] * d0 else c0
                a0 = max(a0, 0.01 * d0)
                v1 += 0.0 if abs(c1) <= floors[1] * d1 else c1
                a1 = max(a1, 0.01 * d1)
            else:
                for j in range(count):
                    w, z, s = gauss[j] * shift_factor(nodes[j] * rest), nodes[j] - rest, window[j]
                    total += w
                    weights[j] = w
                    f0 = s*z
                    v0 += w * f0
                    a0 += w * abs(f0)
                    f1 = s
                    v1 += w * f1
                    a1 += w * abs(f1)
            total = total if strides[t] > 0 else 1.0
            values[0, 0, p, t] = v0 / total
            values[1, 0, p, t] = a0 / total
            values[0, 1, p, t] = v1 / total
            values[1, 1, p, t] = a1 / total
            mean_k = values[0, 0, p, 0 if strides[t] == 0 else t]
            mean_2_k = values[0, 1, p, 0 if strides[t] == 0 else t]
            mu0_k = mean_2_k
            mu1_k = mean_k/math.sqrt(c)
            v2 = a2 = 0.0
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
                for j in range(count):
                    w, z, s = weights[j], nodes[j], window[j]
                    growth = math.expm1(shift * z - 0.5 * shift * shift)
                    m2 = (-math.sqrt(c)*mu1_k*(z - shift) - mu0_k + s)**(2)
                    v2 += w * m2 * (1.0 + growth)
                a2 = v2
            else:
                for j in range(count):
                    w, z, s = weights[j], nodes[j] - rest, window[j]
                    f2 = (-math.sqrt(c)*mu1_k*z - mu0_k + s)**(2)
                    v2 += w * f2
                    a2 += w * abs(f2)
            values[0, 2, p, t] = v2 / total
            values[1, 2, p, t] = a2 / total


@compiled()
def kappa_means_0(values_at, lattice, offset, slope, c, rows, back, opposite, signs, floors, means):
    """Put the means of s*z, s, (-math.sqrt(c)*mu1_k*z - mu0_k + s)**(2)

    at ``rows`` and their opposites into ``means``, from the coarsest lattice that agrees with all fine samples.
    Returns their error: infinite if no lattice agrees, -1 where what lies beyond the cut-off counts.
    """
    fine, samples, far = lattice_parts(values_at, lattice)
    fine_step, step, far_step = lattice[0], _MAIN * lattice[0], _WIDE * lattice[0]
    probes, strides, squares = np.empty(rows.size, np.int64), np.empty(16, np.int64), np.array((False, False, True,))
    picked, count = probes[:probe_rows(offset, slope, rows, probes)], trial_strides(step, slope, strides)
    values, lattice_now, width = np.empty((2, 3, picked.size, count)), fine, fine_step
    first, last, error = 0 * count, min(2, count), math.inf      # no literal, for which the sums were compiled again
    while True:
        kappa_means_0_sums(lattice_now, width, far, far_step, offset, slope, c, floors, strides, first, last, picked, values)
        if count == 1:
            break
        lattice_now, width = samples, step
        chosen, error = settled_stride(values, squares, last, samples, step, offset, slope, picked)
        if chosen < 0:
            return -1.0
        if chosen > 0 and (error <= 1e-15 or chosen < last - 1 or last == count):      # else the next may be better
            strides, picked, count, first, last = strides[chosen:chosen + 1], rows, 1, 0 * count, min(1, count)
            values = np.empty((2, 3, rows.size, 1))
        elif chosen == 0 and last == count:
            return math.inf
        else:
            first, last = last, last + 1
    put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means)
    return error


@compiled()
def kappa_means_1_sums(samples, step, far, far_step, offset, slope, floors, strides, first, last, rows, values):
    """Means of s, s*z, (s*s)

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
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
                c0 = d0 = 0.0
                c1 = d1 = 0.0
                for j in range(count):
                    w, z, s = gauss[j] * shift_factor(nodes[j] * rest), nodes[j], window[j]
                    total += w
                    growth = math.expm1(shift * z - 0.5 * shift * shift)
                    m2 = (s*s)
                    v2 += w * m2 * (1.0 + growth)
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
                a2 = v2
                v0 += 0.0 if abs(c0) <= floors[0] * d0 else c0
                a0 = max(a0, 0.01 * d0)
                v1 += 0.0 if abs(c1) <= floors[1] * d1 else c1
                a1 = max(a1, 0.01 * d1)
            else:
                for j in range(count):
                    w, z, s = gauss[j] * shift_factor(nodes[j] * rest), nodes[j] - rest, window[j]
                    total += w
                    f0 = s
                    v0 += w * f0
                    a0 += w * abs(f0)
                    f1 = s*z
                    v1 += w * f1
                    a1 += w * abs(f1)
                    f2 = (s*s)
                    v2 += w * f2
                    a2 += w * abs(f2)
            total = total if strides[t] > 0 else 1.0
            values[0, 0, p, t] = v0 / total
            values[1, 0, p, t] = a0 / total
            values[0, 1, p, t] = v1 / total
            values[1, 1, p, t] = a1 / total
            values[0, 2, p, t] = v2 / total
            values[1, 2, p, t] = a2 / total


@compiled()
def kappa_means_1(values_at, lattice, offset, slope, rows, back, opposite, signs, floors, means):
    """Put the means of s, s*z, (s*s)

    at ``rows`` and their opposites into ``means``, from the coarsest lattice that agrees with all fine samples.
    Returns their error: infinite if no lattice agrees, -1 where what lies beyond the cut-off counts.
    """
    fine, samples, far = lattice_parts(values_at, lattice)
    fine_step, step, far_step = lattice[0], _MAIN * lattice[0], _WIDE * lattice[0]
    probes, strides, squares = np.empty(rows.size, np.int64), np.empty(16, np.int64), np.array((False, False, True,))
    picked, count = probes[:probe_rows(offset, slope, rows, probes)], trial_strides(step, slope, strides)
    values, lattice_now, width = np.empty((2, 3, picked.size, count)), fine, fine_step
    first, last, error = 0 * count, min(2, count), math.inf      # no literal, for which the sums were compiled again
    while True:
        kappa_means_1_sums(lattice_now, width, far, far_step, offset, slope, floors, strides, first, last, picked, values)
        if count == 1:
            break
        lattice_now, width = samples, step
        chosen, error = settled_stride(values, squares, last, samples, step, offset, slope, picked)
        if chosen < 0:
            return -1.0
        if chosen > 0 and (error <= 1e-15 or chosen < last - 1 or last == count):      # else the next may be better
            strides, picked, count, first, last = strides[chosen:chosen + 1], rows, 1, 0 * count, min(1, count)
            values = np.empty((2, 3, rows.size, 1))
        elif chosen == 0 and last == count:
            return math.inf
        else:
            first, last = last, last + 1
    put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means)
    return error


kappa_MIRRORS_0 = np.array(((0.0, 0.0, 0.0), (-1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (1.0, -1.0, 1.0)))
kappa_MIRRORS_1 = np.array(((0.0, 0.0, 0.0), (1.0, -1.0, 1.0), (0.0, 0.0, 0.0), (-1.0, 1.0, 1.0)))
kappa_FLOORS_0 = np.array(((_ROUNDING, -1.0, _ROUNDING,), (np.inf, -1.0, _ROUNDING,), (_ROUNDING, np.inf, _ROUNDING,), (_ROUNDING, np.inf, _ROUNDING,)))
kappa_FLOORS_1 = np.array(((_ROUNDING, _ROUNDING, _ROUNDING,), (_ROUNDING, np.inf, _ROUNDING,), (np.inf, _ROUNDING, _ROUNDING,), (np.inf, _ROUNDING, _ROUNDING,)))


@compiled()
def kappa_loops(kappa, rows, back, opposite, ends, weights, symmetric, r, c, gamma, rho, wanted, samples_0, lattice_0, mirror_0, samples_1, lattice_1, mirror_1):
    """Tables of several rules: an error, the tables one after the other, their weights, their sizes."""
    every = np.arange(kappa.size)
    none = np.zeros(every.size, np.bool_)
    offset_0, slope_0 = np.empty(every.size), float(math.sqrt(c))
    for k in every:
        offset_0[k] = kappa[k]*r
    if not lattice_fits(lattice_0, offset_0, slope_0, wanted):
        return -2.0 - 0, kappa, kappa, every
    offset_1, slope_1 = np.empty(every.size), float(rho)
    for k in every:
        offset_1[k] = gamma*kappa[k]
    if not lattice_fits(lattice_1, offset_1, slope_1, wanted):
        return -2.0 - 1, kappa, kappa, every
    error = 0.0
    shift = np.empty(every.size)
    for k in every:
        shift[k] = abs(kappa[k]*r)/(math.sqrt(c) + abs(kappa[k]*r) + 1e-300)
    means_0 = np.empty((3, every.size))
    signs = kappa_MIRRORS_0[mirror_0].copy()
    rows_now, back_now, opposite_now = every, every, none
    if signs[0] != 0.0:
        rows_now, back_now, opposite_now = rows, back, opposite
    floors = kappa_FLOORS_0[mirror_0]
    change = kappa_means_0(samples_0, lattice_0, offset_0, slope_0, c, rows_now, back_now, opposite_now, signs, floors, means_0)
    if change == np.inf:
        lattice_fits(lattice_0, offset_0, slope_0, wanted)
        wanted[0] *= 0.5
        return -2.0 - 0, kappa, kappa, every
    if not change >= 0.0:
        return -1.0, kappa, kappa, every
    error = max(error, change)
    mean = means_0[0]
    mean_2 = means_0[1]
    mean_3 = means_0[2]
    mu1 = np.empty(every.size)
    for k in every:
        mu1[k] = mean[k]/math.sqrt(c)
    mu0 = np.empty(every.size)
    for k in every:
        mu0[k] = mean_2[k]
    mu2sq = np.empty(every.size)
    for k in every:
        mu2sq[k] = mean_3[k]
    mean_square = np.empty(every.size)
    for k in every:
        mean_square[k] = c*(mu1[k]*mu1[k]) + mean_3[k] + (mu0[k]*mu0[k])
    means_1 = np.empty((3, every.size))
    signs = kappa_MIRRORS_1[mirror_1].copy()
    rows_now, back_now, opposite_now = every, every, none
    if signs[0] != 0.0:
        rows_now, back_now, opposite_now = rows, back, opposite
    floors = kappa_FLOORS_1[mirror_1]
    change = kappa_means_1(samples_1, lattice_1, offset_1, slope_1, rows_now, back_now, opposite_now, signs, floors, means_1)
    if change == np.inf:
        lattice_fits(lattice_1, offset_1, slope_1, wanted)
        wanted[0] *= 0.5
        return -2.0 - 1, kappa, kappa, every
    if not change >= 0.0:
        return -1.0, kappa, kappa, every
    error = max(error, change)
    mean_4 = means_1[0]
    mean_5 = means_1[1]
    mean_6 = means_1[2]
    h = np.empty(every.size)
    for k in every:
        h[k] = mean_4[k]
    hz = np.empty(every.size)
    for k in every:
        hz[k] = mean_5[k]
    hzz = np.empty(every.size)
    for k in every:
        hzz[k] = mean_6[k]
    tables, folded, sizes = np.empty(22 * every.size), np.empty(every.size), np.empty(ends.size, np.int64)
    first = place = 0 * ends.size        # no literal, for which the columns were compiled again
    for n in range(ends.size):
        sizes[n] = kappa_columns(kappa, mu1, mu0, h, hz, hzz, mu2sq, mean_2, mean_square, shift, first, ends[n], weights, symmetric[n], kappa_SIGNS,
                                  tables[22 * place:], folded[place:])
        first = ends[n]
        place += sizes[n]
    if not np.isfinite(tables[:22 * place].sum()):
        return -1.0, kappa, kappa, every
    return error, tables, folded, sizes


def kappa_by_loops(levels, r, c, gamma, rho, student, target):
    """What ``kappa_rule`` returns, by compiled loops; None where they do not settle it."""
    return table_by_loops(kappa_loops, 22, levels, (student, target,), (r, c, gamma, rho,))


@compiled()
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


@compiled()
def solve_rows(alpha, beta, lam, noise_variance, r, c, gamma, rho, kappa_table, kappa_weights, V1_start, V2_start, out, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from the two points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in range(rows):
        known = 0
        V1_last = 1.0
        V1_before = 1.0
        V2_last = 1.0
        V2_before = 1.0
        for j in range(points):
            plain = 2
            V1_guess = V1_start[row, j]
            V2_guess = V2_start[row, j]
            if known >= 1:
                plain = 0
                V1_guess = V1_last if known == 1 else V1_last * min(20.0, max(0.05, V1_last / V1_before))
                V2_guess = V2_last if known == 1 else V2_last * min(20.0, max(0.05, V2_last / V2_before))
            result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], kappa_table, kappa_weights, V1_guess, V2_guess, plain, tolerance, max_steps)
            if known >= 1 and not result[17] <= accept:
                plain = max(plain, 2)        # no literal, for which the point was compiled again
                V1_guess = V1_start[row, j]
                V2_guess = V2_start[row, j]
                result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], kappa_table, kappa_weights, V1_guess, V2_guess, plain, tolerance, max_steps)
            for k in range(19):
                out[row, j, k] = result[k]
            if result[17] <= accept:
                known += 1
                V1_before = V1_last
                V2_before = V2_last
                V1_last = result[0]
                V2_last = result[1]
            else:
                known = 0


@compiled(parallel=True)
def solve_rows_parallel(alpha, beta, lam, noise_variance, r, c, gamma, rho, kappa_table, kappa_weights, V1_start, V2_start, out, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from the two points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in prange(rows):
        known = 0
        V1_last = 1.0
        V1_before = 1.0
        V2_last = 1.0
        V2_before = 1.0
        for j in range(points):
            plain = 2
            V1_guess = V1_start[row, j]
            V2_guess = V2_start[row, j]
            if known >= 1:
                plain = 0
                V1_guess = V1_last if known == 1 else V1_last * min(20.0, max(0.05, V1_last / V1_before))
                V2_guess = V2_last if known == 1 else V2_last * min(20.0, max(0.05, V2_last / V2_before))
            result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], kappa_table, kappa_weights, V1_guess, V2_guess, plain, tolerance, max_steps)
            if known >= 1 and not result[17] <= accept:
                plain = max(plain, 2)        # no literal, for which the point was compiled again
                V1_guess = V1_start[row, j]
                V2_guess = V2_start[row, j]
                result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], kappa_table, kappa_weights, V1_guess, V2_guess, plain, tolerance, max_steps)
            for k in range(19):
                out[row, j, k] = result[k]
            if result[17] <= accept:
                known += 1
                V1_before = V1_last
                V2_before = V2_last
                V1_last = result[0]
                V2_last = result[1]
            else:
                known = 0


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


one_step_parameters_FLOORS_0 = np.array(((-1.0, -1.0, -1.0,), (-1.0, -1.0, np.inf,), (-1.0, np.inf, -1.0,), (np.inf, np.inf, -1.0,)))
one_step_parameters_FLOORS_1 = np.array(((-1.0, -1.0, -1.0,), (-1.0, np.inf, -1.0,), (np.inf, -1.0, -1.0,), (np.inf, -1.0, -1.0,)))
one_step_parameters_FLOORS_2 = np.array(((-1.0,), (-1.0,), (-1.0,), (-1.0,)))


@compiled()
def one_step_parameters_means_0_sums(samples, step, far, far_step, offset, slope, floors, strides, first, last, rows, values):
    """Means of s*((z*z) - 1), s, s*z

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
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
                c0 = d0 = 0.0
                c1 = d1 = 0.0
                c2 = d2 = 0.0
                for j in range(count):
                    w, z, s = gauss[j] * shift_factor(nodes[j] * rest), nodes[j], window[j]
                    total += w
                    growth = math.expm1(shift * z - 0.5 * shift * shift)
                    f0, m0 = s*((z*z) - 1), s*(((z - shift)*(z - shift)) - 1)
                    c0 += w * f0
                    d0 += w * abs(f0)
                    v0 += w * (m0 * growth + (m0 - f0))
                    a0 += w * abs(m0) * (1.0 + growth)
                    f1, m1 = s, s
                    c1 += w * f1
                    d1 += w * abs(f1)
                    v1 += w * (m1 * growth + (m1 - f1))
                    a1 += w * abs(m1) * (1.0 + growth)
                    f2, m2 = s*z, s*(z - shift)
                    c2 += w * f2
                    d2 += w * abs(f2)
                    v2 += w * (m2 * growth + (m2 - f2))
                    a2 += w * abs(m2) * (1.0 + growth)
                v0 += 0.0 if abs(c0) <= floors[0] * d0 else c0
                a0 = max(a0, 0.01 * d0)
                v1 += 0.0 if abs(c1) <= floors[1] * d1 else c1
                a1 = max(a1, 0.01 * d1)
                v2 += 0.0 if abs(c2) <= floors[2] * d2 else c2
                a2 = max(a2, 0.01 * d2)
            else:
                for j in range(count):
                    w, z, s = gauss[j] * shift_factor(nodes[j] * rest), nodes[j] - rest, window[j]
                    total += w
                    f0 = s*((z*z) - 1)
                    v0 += w * f0
                    a0 += w * abs(f0)
                    f1 = s
                    v1 += w * f1
                    a1 += w * abs(f1)
                    f2 = s*z
                    v2 += w * f2
                    a2 += w * abs(f2)
            total = total if strides[t] > 0 else 1.0
            values[0, 0, p, t] = v0 / total
            values[1, 0, p, t] = a0 / total
            values[0, 1, p, t] = v1 / total
            values[1, 1, p, t] = a1 / total
            values[0, 2, p, t] = v2 / total
            values[1, 2, p, t] = a2 / total


@compiled()
def one_step_parameters_means_0(values_at, lattice, offset, slope, rows, back, opposite, signs, floors, means):
    """Put the means of s*((z*z) - 1), s, s*z

    at ``rows`` and their opposites into ``means``, from the coarsest lattice that agrees with all fine samples.
    Returns their error: infinite if no lattice agrees, -1 where what lies beyond the cut-off counts.
    """
    fine, samples, far = lattice_parts(values_at, lattice)
    fine_step, step, far_step = lattice[0], _MAIN * lattice[0], _WIDE * lattice[0]
    probes, strides, squares = np.empty(rows.size, np.int64), np.empty(16, np.int64), np.array((False, False, False,))
    picked, count = probes[:probe_rows(offset, slope, rows, probes)], trial_strides(step, slope, strides)
    values, lattice_now, width = np.empty((2, 3, picked.size, count)), fine, fine_step
    first, last, error = 0 * count, min(2, count), math.inf      # no literal, for which the sums were compiled again
    while True:
        one_step_parameters_means_0_sums(lattice_now, width, far, far_step, offset, slope, floors, strides, first, last, picked, values)
        if count == 1:
            break
        lattice_now, width = samples, step
        chosen, error = settled_stride(values, squares, last, samples, step, offset, slope, picked)
        if chosen < 0:
            return -1.0
        if chosen > 0 and (error <= 1e-15 or chosen < last - 1 or last == count):      # else the next may be better
            strides, picked, count, first, last = strides[chosen:chosen + 1], rows, 1, 0 * count, min(1, count)
            values = np.empty((2, 3, rows.size, 1))
        elif chosen == 0 and last == count:
            return math.inf
        else:
            first, last = last, last + 1
    put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means)
    return error


@compiled()
def one_step_parameters_means_1_sums(samples, step, far, far_step, offset, slope, h0, floors, strides, first, last, rows, values):
    """Means of s, s*z, (-h0 + s)**(2)

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
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
                c0 = d0 = 0.0
                c1 = d1 = 0.0
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
                v0 += 0.0 if abs(c0) <= floors[0] * d0 else c0
                a0 = max(a0, 0.01 * d0)
                v1 += 0.0 if abs(c1) <= floors[1] * d1 else c1
                a1 = max(a1, 0.01 * d1)
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
            total = total if strides[t] > 0 else 1.0
            values[0, 0, p, t] = v0 / total
            values[1, 0, p, t] = a0 / total
            values[0, 1, p, t] = v1 / total
            values[1, 1, p, t] = a1 / total
            mean_3_k = values[0, 0, p, 0 if strides[t] == 0 else t]
            mean_7_k = values[0, 1, p, 0 if strides[t] == 0 else t]
            v2 = a2 = 0.0
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
                for j in range(count):
                    w, z, s = weights[j], nodes[j], window[j]
                    growth = math.expm1(shift * z - 0.5 * shift * shift)
                    m2 = (-h0 + s)**(2)
                    v2 += w * m2 * (1.0 + growth)
                a2 = v2
            else:
                for j in range(count):
                    w, z, s = weights[j], nodes[j] - rest, window[j]
                    f2 = (-h0 + s)**(2)
                    v2 += w * f2
                    a2 += w * abs(f2)
            values[0, 2, p, t] = v2 / total
            values[1, 2, p, t] = a2 / total


@compiled()
def one_step_parameters_means_1(values_at, lattice, offset, slope, h0, rows, back, opposite, signs, floors, means):
    """Put the means of s, s*z, (-h0 + s)**(2)

    at ``rows`` and their opposites into ``means``, from the coarsest lattice that agrees with all fine samples.
    Returns their error: infinite if no lattice agrees, -1 where what lies beyond the cut-off counts.
    """
    fine, samples, far = lattice_parts(values_at, lattice)
    fine_step, step, far_step = lattice[0], _MAIN * lattice[0], _WIDE * lattice[0]
    probes, strides, squares = np.empty(rows.size, np.int64), np.empty(16, np.int64), np.array((False, False, True,))
    picked, count = probes[:probe_rows(offset, slope, rows, probes)], trial_strides(step, slope, strides)
    values, lattice_now, width = np.empty((2, 3, picked.size, count)), fine, fine_step
    first, last, error = 0 * count, min(2, count), math.inf      # no literal, for which the sums were compiled again
    while True:
        one_step_parameters_means_1_sums(lattice_now, width, far, far_step, offset, slope, h0, floors, strides, first, last, picked, values)
        if count == 1:
            break
        lattice_now, width = samples, step
        chosen, error = settled_stride(values, squares, last, samples, step, offset, slope, picked)
        if chosen < 0:
            return -1.0
        if chosen > 0 and (error <= 1e-15 or chosen < last - 1 or last == count):      # else the next may be better
            strides, picked, count, first, last = strides[chosen:chosen + 1], rows, 1, 0 * count, min(1, count)
            values = np.empty((2, 3, rows.size, 1))
        elif chosen == 0 and last == count:
            return math.inf
        else:
            first, last = last, last + 1
    put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means)
    return error


@compiled()
def one_step_parameters_means_2_sums(samples, step, far, far_step, offset, slope, h1, floors, strides, first, last, rows, values):
    """Means of (-h1 + s)**(2)

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
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
                for j in range(count):
                    w, z, s = gauss[j] * shift_factor(nodes[j] * rest), nodes[j], window[j]
                    total += w
                    growth = math.expm1(shift * z - 0.5 * shift * shift)
                    m0 = (-h1 + s)**(2)
                    v0 += w * m0 * (1.0 + growth)
                a0 = v0
            else:
                for j in range(count):
                    w, z, s = gauss[j] * shift_factor(nodes[j] * rest), nodes[j] - rest, window[j]
                    total += w
                    f0 = (-h1 + s)**(2)
                    v0 += w * f0
                    a0 += w * abs(f0)
            total = total if strides[t] > 0 else 1.0
            values[0, 0, p, t] = v0 / total
            values[1, 0, p, t] = a0 / total


@compiled()
def one_step_parameters_means_2(values_at, lattice, offset, slope, h1, rows, back, opposite, signs, floors, means):
    """Put the means of (-h1 + s)**(2)

    at ``rows`` and their opposites into ``means``, from the coarsest lattice that agrees with all fine samples.
    Returns their error: infinite if no lattice agrees, -1 where what lies beyond the cut-off counts.
    """
    fine, samples, far = lattice_parts(values_at, lattice)
    fine_step, step, far_step = lattice[0], _MAIN * lattice[0], _WIDE * lattice[0]
    probes, strides, squares = np.empty(rows.size, np.int64), np.empty(16, np.int64), np.array((True,))
    picked, count = probes[:probe_rows(offset, slope, rows, probes)], trial_strides(step, slope, strides)
    values, lattice_now, width = np.empty((2, 1, picked.size, count)), fine, fine_step
    first, last, error = 0 * count, min(2, count), math.inf      # no literal, for which the sums were compiled again
    while True:
        one_step_parameters_means_2_sums(lattice_now, width, far, far_step, offset, slope, h1, floors, strides, first, last, picked, values)
        if count == 1:
            break
        lattice_now, width = samples, step
        chosen, error = settled_stride(values, squares, last, samples, step, offset, slope, picked)
        if chosen < 0:
            return -1.0
        if chosen > 0 and (error <= 1e-15 or chosen < last - 1 or last == count):      # else the next may be better
            strides, picked, count, first, last = strides[chosen:chosen + 1], rows, 1, 0 * count, min(1, count)
            values = np.empty((2, 1, rows.size, 1))
        elif chosen == 0 and last == count:
            return math.inf
        else:
            first, last = last, last + 1
    put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means)
    return error


@compiled()
def one_step_parameters_loops(one, eta, alpha0, beta, noise_variance, wanted, samples_0, lattice_0, mirror_0, samples_1, lattice_1, mirror_1, samples_2, lattice_2, mirror_2):
    """The means without offset: an error, and numbers."""
    every = np.arange(one.size)
    none = np.zeros(every.size, np.bool_)
    offset_0, slope_0 = np.empty(every.size), float(1)
    for k in every:
        offset_0[k] = 0.0
    if not lattice_fits(lattice_0, offset_0, slope_0, wanted):
        return -2.0 - 0, one
    offset_1, slope_1 = np.empty(every.size), float(1)
    for k in every:
        offset_1[k] = 0.0
    if not lattice_fits(lattice_1, offset_1, slope_1, wanted):
        return -2.0 - 1, one
    offset_2, slope_2 = np.empty(every.size), float(1)
    for k in every:
        offset_2[k] = 0.0
    if not lattice_fits(lattice_2, offset_2, slope_2, wanted):
        return -2.0 - 2, one
    error = 0.0
    means_0 = np.empty((3, every.size))
    signs = np.ones(3)
    floors = one_step_parameters_FLOORS_0[mirror_0]
    change = one_step_parameters_means_0(samples_0, lattice_0, offset_0, slope_0, every, every, none, signs, floors, means_0)
    if change == np.inf:
        lattice_fits(lattice_0, offset_0, slope_0, wanted)
        wanted[0] *= 0.5
        return -2.0 - 0, one
    if not change >= 0.0:
        return -1.0, one
    error = max(error, change)
    mean = means_0[0, 0]
    mean_2 = means_0[1, 0]
    mean_4 = means_0[2, 0]
    h0 = mean_2
    h1 = mean_4
    means_1 = np.empty((3, every.size))
    signs = np.ones(3)
    floors = one_step_parameters_FLOORS_1[mirror_1]
    change = one_step_parameters_means_1(samples_1, lattice_1, offset_1, slope_1, h0, every, every, none, signs, floors, means_1)
    if change == np.inf:
        lattice_fits(lattice_1, offset_1, slope_1, wanted)
        wanted[0] *= 0.5
        return -2.0 - 1, one
    if not change >= 0.0:
        return -1.0, one
    error = max(error, change)
    mean_3 = means_1[0, 0]
    mean_7 = means_1[1, 0]
    mean_6 = means_1[2, 0]
    means_2 = np.empty((1, every.size))
    signs = np.ones(1)
    floors = one_step_parameters_FLOORS_2[mirror_2]
    change = one_step_parameters_means_2(samples_2, lattice_2, offset_2, slope_2, h1, every, every, none, signs, floors, means_2)
    if change == np.inf:
        lattice_fits(lattice_2, offset_2, slope_2, wanted)
        wanted[0] *= 0.5
        return -2.0 - 2, one
    if not change >= 0.0:
        return -1.0, one
    error = max(error, change)
    mean_5 = means_2[0, 0]
    numbers = np.empty(7)
    numbers[0] = mean
    numbers[1] = mean_2
    numbers[2] = mean_4
    numbers[3] = mean_3
    numbers[4] = mean_7
    numbers[5] = mean_6
    numbers[6] = mean_5
    return error, numbers


def one_step_parameters(eta, alpha0, beta, noise_variance, student, target, loops=False, given=None):
    """r, c, gamma, rho after one gradient step (Result 3.1), and the error of the means.

    With ``loops`` by compiled loops, where the activations are smooth.
    What is ``given`` of h1, t1 by name is not computed; which case held and these
    numbers are returned before the error.
    """
    if (alpha0 == 0 or eta == 0):
        return float(0), float(1), float(0), float(1), 0, (), 0.0
    given = given or {}
    found = loops and by_loops(one_step_parameters_loops, (student, target, student.derivative,), np.zeros(1), eta, alpha0, beta, noise_variance)
    if found:
        error, (mean, mean_2, mean_4, mean_3, mean_7, mean_6, mean_5,) = found[0], found[1]
        h2 = mean
        h0 = mean_2
        ybar = -h0 + mean_3
        h1 = given.get('h1', mean_4)
        t1 = given.get('t1', mean_7)
        spread = mean_5
        t2 = mean_6 + noise_variance
        length = np.sqrt((t1*t1) + t2/alpha0)
    else:
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
