"""Rules for conditional Gaussian means of one function (numpy only; copied into generated modules).

Lattices are trapezoidal rules of several steps at once, for smooth functions; panels are Gauss's rule between kinks,
each row its own.  Both may add a coarse rule beyond the cut-off, which shows whether weight is left there.
"""

import numpy as np

from .rules import gauss_legendre

__all__ = ["CUTS", "LATTICE_LEVELS", "PANEL_LEVELS", "Lattice", "Panels", "fine_kinks"]


#: how many times rules are refined at most: the finest lattice has a step of 1/1300, the finest panels are 1/256 of the
#: first ones
LATTICE_LEVELS, PANEL_LEVELS = 17, 9
#: coarsest step, which integrates an entire function of moderate growth to rounding, and the ratio of consecutive ones,
#: the golden mean to the power 3/4: its multiples are far from integers, so that no frequency is invisible on two
STEP, RATIO = 0.25, 1.4346327151126492
#: step, in the argument of the function, of the lattice on which nothing as wide as 1/50 is invisible (at no rational
#: slope the others are parts of it), and a largest number of its nodes
_FINE, _FINEST = np.pi / 160, 20_000
#: cut-offs, from the usual one (beyond it lies 4e-33 of the weight) to the end of the weight in double precision
CUTS = (12.0, 15.0, 19.0, 24.0, 30.0, 36.0)
#: where the normal weight ends in double precision: exp(-END**2/2) is 1e-298
END = 37.0
_LATTICES = {}


class Lattice:
    """Hold trapezoidal rules for smooth functions, several levels at once.

    ``slope`` adds a rule whose step is 1/50 in the argument of a function with this slope, ``tail`` a coarse one beyond
    the cut-off. ``nodes`` are the non-negative nodes of all rules, then their negatives; ``weights``, shape (nodes/2,
    rules), those of each sign.
    """

    #: values at a time, which stay in a cache
    most = 16_000

    def __init__(self, cut, levels, slope=None, tail=False):
        steps = [self.step(level) for level in levels]
        if slope is not None:
            steps.append(self.fine_step(cut, slope))
        key = cut, *steps, tail
        known = _LATTICES.get(key)
        self.has_tail = tail
        if known is None:
            while len(_LATTICES) > 64:          # each slope has one of its own; other threads may do the same
                _LATTICES.pop(next(iter(tuple(_LATTICES)), None), None)
            _LATTICES[key] = known = self._make(cut, steps, tail)
        self.nodes, self.weights, self._second = known
        self.count = self.nodes.size

    @staticmethod
    def step(level):
        """Return the step of a level."""
        return STEP / RATIO**level

    @staticmethod
    def fine_step(cut, slope):
        """Return the step that is 1/50 in the argument of a function with some slope."""
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
        start, second = (parts[0][0].size, parts[1]) if len(steps) > 1 else (0, parts[0])
        for k, (z, w) in enumerate(parts):
            weights[first:first + z.size, k] = w
            first += z.size
        return np.concatenate([nodes, -nodes]), weights, (start, second[1])

    def near(self, slope):
        """Return the rule with the shift moved to the weight."""
        return self

    def at(self, offset, slope):
        """Return the rule for some rows."""
        return self

    def total(self, terms):
        """Sum over the last axis of terms, one entry for each rule; odd terms cancel exactly."""
        half = self.nodes.size // 2
        return (terms[..., :half] + terms[..., half:]) @ self.weights

    def total_of(self, terms, rows):
        """Do as :meth:`total`, for some of the rows."""
        return self.total(terms)

    def roots(self, terms):
        """Sum square roots, sizes, by the second rule for all but a tail, where they are 0."""
        half, (first, weights) = self.nodes.size // 2, self._second
        parts = (terms[..., k:k + weights.size] for k in (first, half + first))
        found = np.repeat((sum(map(np.sqrt, parts)) @ weights)[..., None], self.weights.shape[1], axis=-1)
        if self.has_tail:
            found[..., -1] = 0.0
        return found


class Panels:
    """Composite Gauss-Legendre rules with the kinks at the edges, each row its own; arguments as for Lattice.

    ``kinks`` are those of the function.
    """

    #: values at a time: 16 MB
    most = 2_000_000

    def __init__(self, kinks, cut, levels, tail=False):
        self.kinks, self.cut, self.levels, self.tail = kinks, cut, levels, tail
        self.count = _rule(kinks[None], cut, levels[-1])[0].shape[-1]

    def near(self, slope):
        return _PanelSum(self._rules(self.kinks / slope, self.cut + 1.0))

    def at(self, offset, slope):
        return _PanelSum(self._rules((self.kinks - offset[:, None]) / slope, self.cut))

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

    def total_of(self, terms, rows):
        """Do as :meth:`total`, for some of the rows."""
        return _PanelSum([(z, w[rows] if w.ndim > 1 else w) for z, w in self.rules]).total(terms)

    def roots(self, terms):
        """Sum square roots, for sizes."""
        return self.total(np.sqrt(terms))


def fine_kinks(kinks, slope):
    """Add to the kinks the layers around them, which are thin where the slope is large."""
    if slope <= 3.0:
        return kinks
    layers = 6.0 ** np.arange(np.ceil(np.log(0.3 * slope) / np.log(6.0)))
    return np.concatenate([kinks, *(kinks + s * d for d in layers for s in (-1.0, 1.0))])


def _outside(kinks, cut):
    """Return a coarse rule beyond a cut-off, kinks included, as far as the weight is a normal float."""
    tail = np.arange(cut + 0.5, END, 1.5)
    z = np.concatenate([-tail[::-1], tail])
    z = np.concatenate([np.broadcast_to(z, (*kinks.shape[:-1], z.size)), np.clip(kinks, -END, END)], axis=-1)
    return z, np.where(np.abs(z) > cut, np.exp(-0.5 * z * z), 0.0)


def _rule(kinks, cut, level):
    """Return nodes and weights, one row for each row of kinks."""
    return gauss_legendre(_edges(kinks, cut, level), 16)


def _edges(kinks, cut, level):
    """Return panel edges with the kinks among them, fine ones graded towards the kinks, which may be singular."""
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
