"""Panels for activations with kinks or sharp places, which the inner nodes of all outer nodes share."""

from ..gauss.quadrature.digits_rules import legendre

__all__ = ["RuleCells", "graded"]

#: largest ratio of neighbouring panels, and how far from the outermost points panels grow
_GROWTH, _REACH = 2, 4


class RuleCells:
    """Gauss-Legendre panels of the activation's variable x = a + b z, cut at its kinks.

    The cells are the same for every offset a: values computed once for a node serve all offsets whose window
    holds it.

    Parameters
    ----------
    mp : mpmath context
    value : callable
        Function of a node's place whose value is cached.
    kinks : list of mpf
    slope, cut : mpf
        b, and the largest |z|; twelve cells make a window.
    parts : int
        Panels between two neighbouring edges.
    """

    def __init__(self, mp, value, kinks, slope, cut, parts):
        self.mp, self.value, self.kinks, self.slope, self.cut, self.parts = mp, value, kinks, slope, cut, parts
        self.width = slope * cut / 6
        self.rule = legendre(mp, max(24, int(0.9 * mp.dps)))
        self._known = {}

    def around(self, offset):
        """Return nodes z, weights of the normal density and cached values of all cells in the window of an offset."""
        mp = self.mp
        first, last = (int(mp.floor((offset + side * self.slope * self.cut) / self.width)) for side in (-1, 1))
        density = 1 / (self.slope * mp.sqrt(2 * mp.pi))
        nodes, weights, values = [], [], []
        for i in range(first, last + 1):
            if i not in self._known:
                self._known[i] = self._cell(i)
            for x, weight, value in self._known[i]:
                z = (x - offset) / self.slope
                nodes.append(z)
                weights.append(density * weight * mp.exp(-z * z / 2))
                values.append(value)
        return nodes, weights, values

    def _cell(self, i):
        left, right = i * self.width, (i + 1) * self.width
        edges = [left, *(k for k in sorted(self.kinks) if left < k < right), right]
        edges = [q + (r - q) * j / self.parts for q, r in zip(edges, edges[1:]) for j in range(self.parts)] + edges[-1:]
        found = []
        for q, r in zip(edges, edges[1:]):
            half, middle = (r - q) / 2, (r + q) / 2
            for node, weight in zip(*self.rule):
                x = middle + half * node
                found.append((x, half * weight, self.value(x)))
        return found


def graded(points):
    """Insert points between and around ascending ones, so that neighbouring panels differ by a factor of three.

    A singularity near the line is as far from each panel as the panel is wide.
    """
    edges = [points[0] - _REACH, *points, points[-1] + _REACH]
    k = 0
    while k < len(edges) - 1:
        width = edges[k + 1] - edges[k]
        left = edges[k] - edges[k - 1] if k else width
        right = edges[k + 2] - edges[k + 1] if k + 2 < len(edges) else width
        if width > (_GROWTH + 1) * min(left, right):
            edges.insert(k + 1, edges[k] + _GROWTH * left if left <= right else edges[k + 1] - _GROWTH * right)
            k = max(k - 1, 0)
        else:
            k += 1
    return edges[1:-1]
