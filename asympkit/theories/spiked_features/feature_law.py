r"""The limiting law of the eigenvalues of :math:`\Phi^\top\Phi/p`, the sample covariance of spiked random features.

The closed pair of the response functions continues to :math:`\lambda=-x`, where :math:`V_2` is the Stieltjes transform
of the law: in the upper half plane down to the real axis it gives the density, on the real axis outside of the bulk the
edges, at :math:`dx/dV_2=0`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from scipy.optimize import brentq

from ...errors import ConvergenceError, DomainError
from ...once import computed_once
from ...runtime.means import normal_means
from ...runtime.rules import OUTER_CUTS, opposite_pairs, outer_rule
from ...runtime.tables import fold

if TYPE_CHECKING:
    from ...activations import Activation
    from ...annotations import Floats

#: first and last level of the rule of the average over kappa, how much finer the one is that checks it, how far mean
#: squares of moments may differ on them, and the level of rules that are graded towards poles
_FIRST, _LAST, _FINER, _SAME, _PLACED = 5, 10, 2, 1e-13, 4
#: relative change on the finer rule above which nodes are graded towards the poles, and attempts to do so
_SETTLED, _GRADED = 1e-11, 30
#: relative imaginary part that is rounding
_LEAST = 1e-14
#: relative imaginary part of a start that is not near the real axis
_AWAY = 1e-3j
#: how near to the real axis zeros of 1 + V are, in steps of the finer rule, for nodes to be graded towards them
_NEAR = 5.0
#: degree of the polynomials that give conditional moments at any projection, and places where zeros are looked for
_DEGREE, _LOOKS, _CUT = 24, 601, OUTER_CUTS[_PLACED]
#: sizes of the argument at which a student is examined for growth: units of sqrt(c)
_FAR = (np.linspace(30.0, 60.0, 101), np.linspace(3000.0, 6000.0, 101))
#: growth or decay between these that is a limit of infinity or 0
_GROWS, _DECAYS = 1.5, 0.01
#: parities of kappa and the conditional moments that all averages share, for odd and even students
_PARITIES = ((-1, -1, 1, 1, -1), (-1, 1, -1, 1, 1))
#: ratio of consecutive imaginary parts on the way to the real axis, and points that are solved together
_DESCENT, _CHUNK = 0.15, 500
#: points on which gaps are looked for, and the relative imaginary part of V2 in one
_GRID, _EMPTY = 240, 1e-6
#: projections beyond which samples do not count for an outlier where the bulk has no right edge: a share of 8e-11
_REACH = 6.5


class Moments(NamedTuple):
    """Nodes and weights of the average over kappa, and the conditional moments of the student there (Result 3.2)."""

    kappa: Floats
    weights: Floats
    mu0: Floats
    mu1: Floats
    mu2sq: Floats
    dmu0: Floats


def conditional_moments(student, r, c, kappa, bias=0.0):
    """Return mu0, mu1, mu2**2 and the derivative of mu0 by c at projections on the spike, and their error."""
    s, offset, pairs = math.sqrt(c), bias + r * kappa, None if bias else opposite_pairs(kappa)
    (mu0, tilt, bend), first = normal_means(
        student, offset, s, lambda z, f, at: (f, z * f, (z * z - 1.0) * f), {1: (1, -1, 1), -1: (-1, 1, -1)}, pairs)
    (rest,), second = normal_means(
        student, offset, s, lambda z, f, at: ((f - at(mu0) - at(tilt) * z) ** 2,), {1: (1,), -1: (1,)}, pairs)
    return (mu0, tilt / s, rest, bend / (2.0 * c)), max(first, second)


class FeatureLaw:
    r"""The limiting law of the eigenvalues of :math:`\Phi^\top\Phi/p`, without outliers."""

    def __init__(self, student: Activation, r: float, c: float, alpha: float, beta: float) -> None:
        self.student, self.r, self.c, self.alpha, self.beta = student, r, c, alpha, beta
        self._feature = 0.0, r, math.sqrt(c), student.kinks_float
        self.usual, self.finer = self._rules()
        self.scale = float(alpha / beta * (self.usual.weights @ (c * self.usual.mu1**2 + self.usual.mu2sq)))
        if not 0.0 < self.scale < math.inf:
            raise DomainError(f"student: the features of {student.name!r} have "
                              f"{'no' if not self.scale else 'infinite'} variance beside their mean at r = {r:g}, "
                              f"c = {c:g}; expected a student whose features vary")

    # -- averages over kappa ------------------------------------------------------------------------------------------

    def _rules(self):
        """Return the moments on two rules, the second finer, on which their mean squares agree."""
        known = {}
        for level in range(_FIRST, _LAST + 1):
            for at in (level, level + _FINER):
                known[at] = known[at] if at in known else self._moments_on(at)
            usual, finer = (np.array([m.weights @ a**2 for a in (m.mu0, m.mu1, m.kappa * m.mu1, m.mu2sq**0.5)])
                            for m in (known[level], known[level + _FINER]))
            if np.all(np.abs(finer - usual) <= _SAME * (finer[0] + self.c * finer[1] + finer[3])):
                return known[level], known[level + _FINER]
        raise ConvergenceError(f"spectrum: the student {self.student.name!r} changes too fast along the spike at r = "
                               f"{self.r:g}, c = {self.c:g} for the means over its projections; expected a smaller r, "
                               "or a larger c")

    def _moments_on(self, level):
        kappa, weights, even = outer_rule(level, [self._feature])
        columns = [kappa, *self._moments(kappa)]
        columns, weights = fold(columns, weights, _PARITIES) if even else (columns, weights)
        return Moments(columns[0], weights, *columns[1:])

    def _moments(self, kappa):
        found, error = conditional_moments(self.student, self.r, self.c, kappa)
        if not error <= 1e-11:
            raise DomainError(f"student: the conditional moments of {self.student.name!r} could not be computed in "
                              "double precision")
        return found

    @computed_once
    def _pieces(self):
        """Return the width of panels, and Chebyshev coefficients of mu1 and mu2**2 on each."""
        count = int(np.ceil(2.0 * _CUT / min(0.5, 2.0 * math.sqrt(self.c) / max(abs(self.r), 1e-9))))
        width, t = 2.0 * _CUT / count, chebyshev.chebpts1(_DEGREE + 1)
        kappa = -_CUT + width * (np.arange(count)[:, None] + 0.5 * (1.0 + t))
        order, back = np.unique(kappa, return_inverse=True)
        _, mu1, mu2sq, _ = self._moments(order)
        values = np.array([mu1, mu2sq])[:, back.reshape(kappa.shape)]
        return width, np.linalg.solve(chebyshev.chebvander(t, _DEGREE), np.moveaxis(values, -1, 0).reshape(t.size, -1))

    def _anywhere(self, kappa):
        """Return mu1 and mu2**2 at any projections, also close to the real axis."""
        width, coefficients = self._pieces
        coefficients = coefficients.reshape(_DEGREE + 1, 2, -1)
        position = (kappa + _CUT) / width
        panel = np.clip(position.real.astype(int), 0, coefficients.shape[2] - 1)
        return chebyshev.chebval(2.0 * (position - panel) - 1.0, coefficients[:, :, panel], tensor=False)

    def _graded_moments(self, V1, V2):
        """Return mu1 and mu2**2 on a rule whose nodes are graded towards the zeros of 1 + V beside the real axis."""
        def D(kappa):
            mu1, mu2sq = self._anywhere(kappa)
            return 1.0 + V1 * mu1**2 + V2 * mu2sq

        at = np.linspace(-_CUT, _CUT, _LOOKS)
        size = np.abs(D(at))
        zeros = at[1:-1][(size[1:-1] <= size[:-2]) & (size[1:-1] < size[2:])] + 0j
        starts, h = zeros, 1e-6
        with np.errstate(all="ignore"):
            for _ in range(8):
                zeros = zeros - 2.0 * h * D(zeros) / (D(zeros + h) - D(zeros - h))
        places = [(-k.real, 1.0, max(abs(k.imag), 1e-12), (0.0,)) for k in zeros[np.abs(zeros - starts) < 0.3]]
        kappa, weights, _ = outer_rule(_PLACED, [self._feature, *places])
        mu1, mu2sq = self._anywhere(kappa)
        return Moments(kappa, weights, None, mu1, np.maximum(mu2sq, 0.0), None)

    def _hats(self, V1, V2, m):
        """Return the conjugates, their negative derivatives (11, 12, 22), and 1 + V at the nodes."""
        a, b = m.mu1**2, m.mu2sq
        D = 1.0 + np.multiply.outer(V1, a) + np.multiply.outer(V2, b)
        inverse = 1.0 / D
        w = self.alpha / self.beta * m.weights
        first, second = inverse @ np.array((w * a, w * b)).T, inverse**2 @ np.array((w * a * a, w * a * b, w * b * b)).T
        return np.moveaxis(first, -1, 0), np.moveaxis(second, -1, 0), D

    def equations(self, x, V1, V2, m):
        """Return the closed pair at lam = -x, its Jacobian by (V1, V2), and 1 + V."""
        (h1, h2), (g11, g12, g22), D = self._hats(V1, V2, m)
        bc = self.beta * self.c
        residuals = V1 * (1.0 + bc * h1 * V2) - self.c * V2, (h2 - x) * V2 + h1 * V1 - 1.0
        J = ((1.0 + bc * V2 * (h1 - V1 * g11), bc * V1 * (h1 - V2 * g12) - self.c),
             (h1 - V2 * g12 - V1 * g11, h2 - x - V2 * g22 - V1 * g12))
        return residuals, J, D

    # -- complex: the density -----------------------------------------------------------------------------------------

    def _step(self, x, V1, V2, m):
        """Return a step of Newton's method, 1 + V, and dx/dV2 along the curve of the first equation."""
        (f, g), ((a, b), (c, d)), D = self.equations(x, V1, V2, m)
        det = a * d - b * c
        return (d * f - b * g) / det, (a * g - c * f) / det, D, det / (a * V2)

    def _newton(self, x, V1, V2, m, steps=40, accuracy=1e-11):
        """Improve solutions at an array of complex x; returns V1, V2 and the last relative step."""
        for _ in range(steps):
            s1, s2, _, _ = self._step(x, V1, V2, m)
            V1, V2 = V1 - s1, V2 - s2
            change = np.maximum(np.abs(s1 / V1), np.abs(s2 / V2))
            if not np.any(change > accuracy):
                break
        return V1, V2, change

    def _descend(self, x, m, ratio=_DESCENT):
        """Solve at real x from the upper half plane: continue in the imaginary part from far above."""
        y = 30.0 * np.maximum(self.scale, np.abs(x))
        V1, V2, ok = -self.c / (x + 1j * y), -1.0 / (x + 1j * y), np.ones(x.shape, dtype=bool)
        least = 1e-15 * np.abs(x)
        with np.errstate(all="ignore"):
            while np.any(y > least):
                y = np.maximum(y * ratio, least)
                V1, V2, change = self._newton(x + 1j * y, V1, V2, m, 12, 1e-5)
                ok &= (change < 1e-4) & (V2.imag > 0.0)
        if not ok.all():
            if ratio > 0.9:
                raise ConvergenceError(f"spectrum: no solution above the real axis at x = {x[~ok][0]:.6g}")
            V1[~ok], V2[~ok] = self._descend(x[~ok], m, ratio**0.5)
        return V1, V2

    def stieltjes(self, x: Floats) -> tuple[Floats, Floats]:
        """Return V1 and V2 at real x, as limits from the upper half plane."""
        V1, V2 = self._descend(x, self.usual)
        with np.errstate(all="ignore"):
            W1, W2, _ = self._newton(x + 0j, V1, V2, self.finer, 8)
        D = self._hats(W1, W2, self.finer)[2]
        is_near = np.any(np.abs(D[:, 1:]) < _NEAR * np.abs(np.diff(D)), axis=1)
        solved, order = (np.abs(W2 - V2) <= _SETTLED * np.abs(V2)) & ~is_near, np.argsort(x)
        rank = np.argsort(order)
        known = [rank[k] for k in np.flatnonzero(solved)]
        for place in sorted(rank[~solved], key=lambda i: min((abs(i - j) for j in known), default=0)):
            k, near = order[place], order[min(known, key=lambda j: abs(j - place), default=place)]
            # from a start that is too near to the real axis nodes are graded to no density at all
            starts = (W1[near], W2[near]), (V1[k], V2[k]), (V1[k] + _AWAY * abs(V1[k]), V2[k] + _AWAY * abs(V2[k]))
            found = None
            for start in starts:
                found = self._graded(x[k], *start) or found
                if found and found[1].imag > _LEAST * abs(found[1]):
                    break
            if found is None:
                raise ConvergenceError(f"density: no solution above the real axis was found at x = {x[k]:.6g}")
            W1[k], W2[k] = found
            known.append(place)
        return W1, W2

    def _graded(self, z, V1, V2):
        """Solve at one z where 1 + V nearly vanishes: on rules whose nodes are graded towards its zeros."""
        if abs(V2.imag) < _LEAST * abs(V2):
            V1, V2 = V1 + 1e-6j * abs(V1), V2 + 1e-6j * abs(V2)
        for _ in range(_GRADED):
            m = self._graded_moments(V1, V2)
            (W1,), (W2,), _ = self._newton(np.array([z + 0j]), np.array([V1]), np.array([V2]), m)
            if W1.imag > 0.1 * V1.imag and W2.imag > 0.1 * V2.imag:
                change, V1, V2 = abs(W2 - V2), W1, W2
                if change <= max(min(_SETTLED * abs(V2), 1e-8 * V2.imag), _LEAST * abs(V2)):
                    return V1, V2
            else:           # zeros nearer than the rule resolves
                V1, V2 = complex(W1.real, 0.1 * V1.imag), complex(W2.real, 0.1 * V2.imag)
                if V2.imag < _LEAST * abs(V2):
                    return V1, V2
        return None

    # -- real: outside of the bulk, up to its edges --------------------------------------------------------------------

    def solve_real(self, x, V1, V2, m):
        """Return V1 and V2 at a real x outside of the bulk, from a guess; None where there are none."""
        with np.errstate(all="ignore"):
            for _ in range(50):
                s1, s2, D, slope = self._step(x, V1, V2, m)
                change = max(abs(s1 / V1), abs(s2 / V2))
                if not change < 1.0 or change <= 1e-15:
                    break
                V1, V2 = V1 - s1, V2 - s2
        is_inside = not change < 1e-7 or not (np.all(D > 0.0) or np.all(D < 0.0)) or not slope > 0.0
        return None if is_inside else (float(V1), float(V2))

    def _march(self, x, V1, V2, step, m):
        """Return points (x, V1, V2) from one outside of the bulk to an edge, where dx/dV2 = 0."""
        start = self.solve_real(x, V1, V2, m)
        points = [] if start is None else [(x, *start)]
        while points and abs(step) > 2e-16 * max(abs(points[-1][0]), 1e-3 * self.scale):
            x, V1, V2 = points[-1]
            found = self.solve_real(x + step, V1, V2, m) if x + step != x else None
            if found is None:
                step *= 0.5
            else:
                points.append((x + step, *found))
                step *= 1.3
        return points

    @computed_once
    def limits(self):
        """Return whether the bulk reaches infinity, and whether it reaches 0 beside an atom there."""
        m = self.finer
        sizes = [self.c * m.mu1**2 + m.mu2sq]
        with np.errstate(all="ignore"):
            for far in _FAR if self.r else ():
                ((_, mu1, mu2sq, _), _) = conditional_moments(
                    self.student, self.r, self.c, math.sqrt(self.c) / self.r * np.concatenate([-far, far]))
                sizes.append(np.nan_to_num(self.c * mu1**2 + mu2sq, nan=np.inf))
        is_high = not np.max(sizes[-1]) <= _GROWS * max(np.max(size) for size in sizes[:2])
        return is_high, self.atom > 0.0 and len(sizes) > 1 and np.min(sizes[-1]) <= _DECAYS * np.min(sizes[-2])

    @computed_once
    def real(self):
        """Return the moments above the bulk: where it has no edge, without samples so far out that none is drawn."""
        near = np.abs(self.finer.kappa) <= (_REACH if self.limits[0] else math.inf)
        return Moments(*(column[near] for column in self.finer))

    @property
    def atom(self):
        """Return the share of eigenvalues that are 0: features beyond the samples, or a linear map of few inputs."""
        is_linear = not np.any(self.finer.mu2sq)
        return 1.0 - min(1.0, self.alpha / self.beta, 1.0 / self.beta if is_linear else 1.0)

    @computed_once
    def right(self):
        """Return points from far above down to the right edge."""
        m = self.real
        far = 100.0 * self.scale + 10.0 * (1.0 + self.alpha / self.beta) * float(np.max(self.c * m.mu1**2 + m.mu2sq))
        return self._march(far, -self.c / far, -1.0 / far, -0.5 * far, m)

    def above(self, x):
        """Return V1 and V2 at a real x above the bulk."""
        near = min(self.right, key=lambda point: abs(point[0] - x))
        if near[0] == x:
            return near[1:]
        found = self.solve_real(x, *(near[1:] if x < self.right[0][0] else (-self.c / x, -1.0 / x)), self.real)
        if found is None:
            raise ConvergenceError(f"spectrum: no solution above the bulk was found at x = {x:.6g}")
        return found

    @computed_once
    def left(self):
        """Return points up to the left edge: from below, or beside the atom at 0."""
        m, atom = self.finer, self.atom
        if not atom:
            far = 100.0 * self.scale
            return self._march(-far, self.c / far, 1.0 / far, 0.5 * far, m)
        near, a, b = 1e-13 * self.scale, m.mu1**2, m.mu2sq
        if self.limits[1]:
            return []
        if not np.any(b):                       # V1 has no pole at 0
            V1 = 1.0 / (a[0] * (self.alpha - 1.0))
        else:
            w = self.alpha * self.c * m.weights
            ratio = brentq(lambda u: u - self.c + w @ (a * u / (a * u + b)), 1e-9 * self.c, self.c)
            V1 = -ratio * atom / near
        return self._march(near, V1, -atom / near, near, m)

    @computed_once
    def ends(self):
        """Return the points (x, V1, V2) of the edges of all intervals, None for those at 0 or infinity."""
        low, high = self.left[-1] if self.left else None, self.right[-1]
        low = low if low and low[0] > 1e-12 * self.scale else None
        gaps = self._gaps(max(low[0] if low else 0.0, 1e-9 * high[0]), high[0])
        return [low, *(end for gap in gaps for end in gap), None if self.limits[0] else high]

    @property
    def edges(self):
        """Return the intervals of the bulk, shape (number, 2); the outermost edges may be 0 and inf."""
        (first, *inside, last), x = self.ends, lambda end: float(end[0])
        return np.array([x(first) if first else 0.0, *map(x, inside), x(last) if last else math.inf]).reshape(-1, 2)

    def _gaps(self, low, high):
        """Return the gaps of the bulk: where its density vanishes, or has a minimum that is narrower than the grid."""
        grid, m, found = np.geomspace if high > 20.0 * low else np.linspace, self.real, []
        x = grid(low, high, _GRID + 2)[1:-1]
        for _ in range(3):
            V1, V2 = self._descend(x, m)
            D = self._hats(V1, V2, m)[2].real
            y = np.where(np.all(D > 0.0, axis=1) | np.all(D < 0.0, axis=1), V2.imag, np.inf)
            for k in np.flatnonzero(y <= _EMPTY * np.abs(V2)):
                if not any(below[0] <= x[k] <= above[0] for below, above in found):
                    ends = [self._march(x[k], V1[k].real, V2[k].real, step, m)
                            for step in (0.01 * (low - high), 0.01 * (high - low))]
                    found += [tuple(points[-1] for points in ends)] if all(ends) else []
            least = np.flatnonzero((y[1:-1] < y[:-2]) & (y[1:-1] <= y[2:]) & (y[1:-1] < 0.3 * V2.imag.max())) + 1
            least = [k for k in least if not any(below[0] <= x[k] <= above[0] for below, above in found)]
            if not least:
                break
            x = np.concatenate([np.linspace(x[k - 1], x[k + 1], 43)[1:-1] for k in least])
        return sorted(gap for gap in found if low < gap[0][0] and gap[1][0] < high)

    def density(self, x: Floats) -> Floats:
        """Return the density at an array of x inside of the bulk."""
        found = [self.stieltjes(part)[1].imag for part in np.split(x, range(_CHUNK, x.size, _CHUNK))]
        return np.maximum(np.concatenate(found), 0.0) / math.pi
