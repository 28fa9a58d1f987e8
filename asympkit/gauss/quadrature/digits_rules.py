"""Quadrature rules with any number of digits, in a private context."""

_CACHE = {}


def legendre(mp, order):
    """Compute Gauss-Legendre nodes and weights on [-1, 1] by Newton's method on the recurrence."""
    key = (mp.prec, order)
    if key not in _CACHE:
        nodes, weights = [], []
        for i in range(1, order + 1):
            x = mp.cos(mp.pi * (4 * i - 1) / (4 * order + 2))
            for _ in range(60):
                value, slope = _legendre(mp, order, x)
                delta = value / slope
                x -= delta
                if abs(delta) <= mp.mpf(2) ** (8 - mp.prec) * (1 + abs(x)):
                    break
            _, slope = _legendre(mp, order, x)
            nodes.append(x)
            weights.append(2 / ((1 - x * x) * slope * slope))
        _CACHE[key] = (nodes, weights)
    return _CACHE[key]


def _legendre(mp, order, x):
    before, now = mp.one, x
    for k in range(2, order + 1):
        before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
    return now, order * (x * now - before) / (x * x - 1)


def normal_trapezoid(mp, step, cut):
    """Compute nodes (as multiples of the step) and normalised weights for the standard normal."""
    n = int(mp.ceil(cut / step))
    index = list(range(-n, n + 1))
    weights = [mp.exp(-(step * i) ** 2 / 2) for i in index]
    total = mp.fsum(weights)
    return index, [w / total for w in weights]


def panels(mp, edges, order):
    """Compute a composite Gauss-Legendre rule against the normal density, not normalised."""
    x, w = legendre(mp, order)
    nodes, weights = [], []
    for left, right in zip(edges, edges[1:]):
        half, middle = (right - left) / 2, (right + left) / 2
        for xi, wi in zip(x, w):
            nodes.append(middle + half * xi)
            weights.append(half * wi * mp.npdf(nodes[-1]))
    return nodes, weights


def normal_panels(mp, edges, order):
    """Compute a composite Gauss-Legendre rule of the standard normal, of weight one."""
    nodes, weights = panels(mp, edges, order)
    total = mp.fsum(weights)
    return nodes, [v / total for v in weights]
