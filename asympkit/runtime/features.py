"""Places where integrands turn within a small fraction of the unit (numpy only; copied into exported modules).

Two quadrature rules that step over a bump such as exp(-10**6*(x-2)**2) agree that it is not there.  Steep functions
turn where their argument vanishes or is stationary, powers and logarithms where theirs comes near zero.  Such places
are found by sign changes on a grid, however narrow the feature is, because the arguments themselves vary slowly.  Of
tabulated means only the direction may count; then rounding is measured relative to the mean itself.
"""

import math

import numpy as np

from .rules import outer_rule

#: arguments to scan: no round number is a node, and arguments beyond have no weight
SCAN = np.arange(-12.0, 12.0, 0.01) + 0.00123
#: nodes are placed around no more places of one argument than this
MOST_PLACES = 100
#: features wider than this are resolved by the coarsest pair of rules
NARROW = 0.07
#: width around a kink within which the nodes, placed on either side, are as good when it moves
_KINK = 1e-6
#: steps of a rule in widths of a feature that neighbouring nodes cannot both miss: exp(-2**2) is .02
STEPS = 4.0
#: how many times too wide a step is from which on nodes are placed rather than made dense everywhere
PLACED_FROM = 4.0
#: where the other variables stand at first, a place that is nothing special and has weight, and how often each of
#: several variables is looked along
_OTHERS, _ROUNDS = 0.37123, 3
#: stands for functions that are singular at 0, and have a mean; width of the layer around such a place that is left
INTEGRABLE, _LEAST = 0, 1e-13
#: iterations that find a place to rounding: bisection alone would take 46
_ITERATIONS = 60
#: distances at which a function is looked at around a place, each half of the one before
_REACHES = np.exp2(-np.arange(45.0))[:, None]
#: of averages inside arguments: levels of rules until two agree, with panels around 0 (1), or layered there (2), to
#: which part of the mean size, and of the largest, and how far out they must; these are scanned at every fifth place
_MEAN_RULES = ((3, 0), (4, 0), (0, 1), (2, 1), (4, 1), (5, 2), (6, 2), (8, 2), (9, 2), (9, 0), (10, 0))
#: places at which many solutions are looked at, and how many solutions at once
_WIDE_STEP, _WIDE_SCAN, _AT_ONCE = 0.1, SCAN[::10], 200
_MEAN_ERROR, _MEAN_ROUNDING, _MEAN_REACH, _COARSE_SCAN = 1e-9, 1e-13, 9.0, SCAN[::5]


def find_features(argument, is_steep, scan=SCAN):
    """Find the places where a function of an argument turns: centres and widths.

    ``argument(x)`` returns u(x) and its first two derivatives at an array of nodes. A function that ``is_steep`` in u
    (exp, tanh) turns where u or its slope vanishes, within the distance over which u changes by 1; others are singular
    at u = 0 (a power, a logarithm), or for None switch there: these turn where abs(u) is smallest, within the distance
    over which u changes by that, which is how far from the real line the singularity is. Signs are compared between the
    arguments ``scan``.  Logarithms and roots, :data:`INTEGRABLE`, turn at a zero of u itself too.
    """
    u, slope, _ = argument(scan)
    still = _roots(lambda x: argument(x)[1:], scan, _sign_changes(slope), slope)
    if is_steep is None and still.size:                 # two zeros may lie between two neighbours
        scan = np.union1d(scan, still)
        u = argument(scan)[0]
    zeros = np.array([]) if is_steep is False else _roots(lambda x: argument(x)[:2], scan, _sign_changes(u), u)
    if is_steep is None:
        return zeros, np.full(zeros.size, _KINK)
    centres = np.concatenate([zeros, still])
    if not centres.size:
        return centres, centres
    value = argument(centres)[0]
    around = argument((centres + _REACHES * np.array([1.0, -1.0])[:, None, None]).ravel())[0]
    with np.errstate(invalid="ignore"):                 # infinite on both sides
        moved = np.abs(around.reshape(2, -1, centres.size) - value).max(axis=0)
    widths = _first_reach(moved, np.ones_like(value) if is_steep else np.abs(value))
    if is_steep is INTEGRABLE:
        return centres, np.maximum(widths, _LEAST)
    good = widths > _REACHES[-1, 0]                     # less is no distance at all: a pole
    return centres[good], widths[good]


def _first_reach(moved, change):
    """Return the least distance at which a function has moved by a given change, from those by which it moves."""
    k = np.where(moved >= change, np.arange(len(moved))[:, None], -1).max(axis=0, initial=-1)
    pick = np.arange(change.size)
    here, inside = moved[k, pick], moved[np.minimum(k + 1, len(moved) - 1), pick]
    with np.errstate(all="ignore"):
        # between two distances, of which one is half the other, it is a power
        share = np.exp2(np.log(change / here) / np.log(here / inside))
    share = np.where((inside < change) & (inside > 0.0) & np.isfinite(share), share, 1.0)
    return np.where(k < 0, np.inf, _REACHES[k, 0] * share)


def find_features_along(arguments, is_steep, has_means=False):
    """Do as :func:`find_features`, along one of several variables after the other.

    The others stand where the narrowest feature was found.  ``arguments[k](*at)`` returns u and its first two
    derivatives by variable k, of which ``at[k]`` holds nodes; ``has_means`` if averages are taken for each of these.
    A feature that the averages do not show is taken for infinitely narrow.
    """
    at, centres, widths = [_OTHERS] * len(arguments), [], []
    for k in [*range(len(arguments))] * (_ROUNDS if len(arguments) > 1 else 1):
        def argument(x, k=k):
            return [np.broadcast_to(np.asarray(u, float), x.shape) for u in arguments[k](*at[:k], x, *at[k + 1:])]

        try:
            found = find_features(argument, is_steep, _COARSE_SCAN if has_means else SCAN)
        except FloatingPointError:
            return np.zeros(1), np.zeros(1)
        at[k] = found[0][found[1].argmin()] if found[1].size else at[k]
        centres, widths = [*centres, *found[0]], [*widths, *found[1]]
    return np.array(centres), np.array(widths)


def find_narrow(turning, point, found):
    """Return centres and widths of narrow features around which nodes can be placed at a solution, and of others.

    ``turning(point, found)`` gives the arguments at which integrands turn, by parameters and unknowns.
    """
    places = [], []
    with np.errstate(all="ignore"):
        for is_steep, has_nodes, has_means, along in turning(np.asarray(point, float), np.asarray(found, float)):
            features = [(c, w) for c, w in zip(*find_features_along(along, is_steep, has_means)) if w < NARROW]
            has_nodes &= len(features) <= MOST_PLACES and all(w > 0.0 for _, w in features)
            places[not has_nodes].extend(features)
    return places


def may_be_narrow(turning, point, found):
    """Find solutions, along the last axis of arrays, at which an integrand may have narrow features.

    There are none where no argument is steep near its zeros and extrema, or near 0 relative to its slope.
    """
    may = np.zeros(point.shape[-1] if point.size else found.shape[-1], bool)
    with np.errstate(all="ignore"):
        for first in range(0, may.size, _AT_ONCE):
            part = np.s_[..., first:first + _AT_ONCE, None]
            for is_steep, _, has_means, along in turning(point[part], found[part]):
                if has_means or len(along) > 1:
                    may[:] = True
                    return may
                u, slope, _ = (np.broadcast_to(f, (*may[part[1]].shape, _WIDE_SCAN.size)) for f in along[0](_WIDE_SCAN))
                rates = np.sign(slope)
                if is_steep is None:
                    may[part[1]] |= np.any([np.sign(f[:, 1:]) != np.sign(f[:, :-1]) for f in (u, rates)], axis=(0, 2))
                    continue
                steep = np.abs(slope) > (0.5 / NARROW if is_steep else 14.0 * np.abs(u))
                turns = is_steep & (np.abs(u) < 2.0 * _WIDE_STEP * np.abs(slope))
                turns[:, 1:] |= rates[:, 1:] != rates[:, :-1]
                turns[:, :-1] |= rates[:, 1:] != rates[:, :-1]
                may[part[1]] |= np.any(turns & steep, axis=1)
    return may


def normal_mean(integrand, *at):
    """Average a function of a standard normal, which it takes along a further first axis, at arrays ``at``.

    FloatingPointError if no two rules agree.
    """
    shape, before = np.broadcast_shapes(*map(np.shape, at)), np.nan
    counts = np.broadcast_to(np.all([np.abs(a) < _MEAN_REACH for a in np.broadcast_arrays(*at)], axis=0), shape)
    for level, kind in _MEAN_RULES:
        nodes, weights, _ = outer_rule(level, [(0.0, 1.0, 0.0, (0.0,))] * (kind == 1), is_layered=kind == 2)
        values = np.asarray(integrand(nodes.reshape(-1, *[1] * len(shape))), float)
        values = np.broadcast_to(values, (nodes.size, *shape)).reshape(nodes.size, -1)
        now, size = (np.dot(weights, v).reshape(shape) for v in (values, np.abs(values)))
        error = _MEAN_ERROR * size + _MEAN_ROUNDING * np.max(size, where=counts, initial=0.0)
        if np.all((np.abs(now - before) <= error) | (now == before) | ~counts):
            return now
        before = now
    raise FloatingPointError("averages in an argument are not resolved")


def as_rule_features(places):
    """Convert centres and widths to the features that :func:`~asympkit.runtime.rules.outer_rule` takes."""
    return [(-centre / width, 1.0 / width, 1.0, (0.0,)) for centre, width in places]


def missed_places(found, places):
    """Return the features, centres and widths, that nodes placed around others do not resolve."""
    return [(c, w) for c, w in found if not any(abs(c - p) <= 0.5 * w and 0.3 * v <= w for p, v in places)]


def _sign_changes(f):
    """Return where a function changes its sign, or begins or ceases to be 0, as a slope where a kink ends a plateau."""
    return np.flatnonzero(np.sign(f[:-1]) != np.sign(f[1:]))


def _roots(function, scan, low, values):
    """Find roots of a function between nodes of the scan, by Newton's method with bisection."""
    a, b, sign = scan[low], scan[low + 1], np.sign(values[low])
    x = 0.5 * (a + b)
    for _ in range(_ITERATIONS if low.size else 0):
        f, rate = function(x)
        is_left = np.sign(f) == sign
        a, b = np.where(is_left, x, a), np.where(is_left, b, x)
        step = np.divide(f, rate, out=np.full(x.shape, np.nan), where=rate != 0.0)
        there = np.where((x - step > a) & (x - step < b), x - step, 0.5 * (a + b))
        done = np.abs(there - x) <= 1e-16 * np.abs(x)
        x = there
        if done.all():
            break
    return x


#: rounding of a mean relative to the root mean square of its integrand, and the least mean whose square has all digits
_DIRECTION_ROUNDING, _LEAST_MEAN = 2.0 * np.finfo(float).eps, 1e-145


def direction_error(table, weights, direction, activations):
    """Return the rounding of a mean relative to the mean itself; 0 where it is proved to vanish.

    ``table`` has the shape (rows, nodes); ``direction`` is the first of its three rows, the place and order of its
    activation, and the parities for which it vanishes without shift; ``mirror`` of an activation is the parity where it
    is known, 2 for one whose mean without shift is proved zero. Infinite where the mean is too small for its square to
    be a number with all digits, or is not resolved at all.
    """
    row, place, order, odd = direction[:4]
    size, rounding, shifted = table[row:row + 3].dot(weights).tolist()      # less overhead than @
    function = activations[place]
    for _ in range(order):
        function = function.derivative
    mirror = getattr(function, "form_parity", 0)
    if mirror in (*odd, 2):
        # no shift at any node, and it is not the size that underflows
        if size == 0.0 and not table[row + 2].any() and (rounding > 0.0 or mirror == 2):
            return 0.0
        rounding = shifted
    return _DIRECTION_ROUNDING * rounding / size if size > _LEAST_MEAN else math.inf
