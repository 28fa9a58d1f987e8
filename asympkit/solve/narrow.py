"""Features of integrands that are narrower than a rule for averages can see.

Two rules that step over a bump such as exp(-10**6*(w-2)**2) agree that it is not there.  Steep functions turn where
their argument vanishes or is stationary, powers and logarithms where theirs comes near zero; how far apart such
places are from others is asked at each solution, because arguments hold parameters and unknowns (temperatures, noise).
"""

import numpy as np
from sympy import Integer, Pow, preorder_traversal

from ..errors import AsympkitError
from ..gauss.measure import Gaussian
from ..nodes import Applied, Average, unname
from ..numbers.evaluation import evaluate
from ..numbers.floats import Floats
from ..numbers.functions import entry

#: steps of a rule in widths of a feature that its neighbouring nodes cannot both miss: exp(-8**2/8) is 3e-4
STEPS = 8.0
#: features wider than this are met by the coarsest pair of rules
WIDTH = 0.03
#: where the argument is looked at: no round number is a node, and what lies beyond has no weight
_GRID = np.arange(-12.0, 12.0, 0.01) + 0.00123
#: where other variables stand: at a place that is nothing special, and has weight
_OTHERS = 0.37123
#: more places than this are an oscillation, which rules without a common step do not miss
_MANY = 24


class NarrowFeatures:
    """The functions of an integration variable alone, parameters and unknowns that may have narrow features.

    Parameters
    ----------
    expressions : iterable of Expr
        Equations and observables; what stands outside of averages over normals has no features, nor has what holds
        means of activations, whose own rules look for theirs.  Along one of several variables the others stand still.
    """

    def __init__(self, expressions):
        self.parts, self.fixed = [], np.inf
        averages = {a for e in expressions for a in unname(e).atoms(Average)}
        self.bound = {b for a in averages for b in a.bound_symbols}
        for average in sorted((a for a in averages if isinstance(a.measure, Gaussian)), key=str):
            for w in average.bound_symbols:
                self._look(average.integrand, w)

    def _look(self, integrand, w):
        found = set()
        for node in preorder_traversal(integrand):
            if not getattr(node, "args", ()) or w not in node.free_symbols or node.has(Average, Applied):
                continue
            known = entry(type(node).__name__)
            if known is not None and known.is_steep:
                found |= {(True, u) for u in node.args[known.orders:] if w in u.free_symbols}
            elif known is not None and known.is_partial or isinstance(node, Pow) and not _is_natural(node.exp):
                found.add((False, node.args[0]))
        for is_steep, u in sorted(found, key=str):
            part = _Part(is_steep, w, u, self.bound)
            if not part.symbols:
                self.fixed = min(self.fixed, part.width({}))
            else:
                self.parts.append(part)

    def __bool__(self):
        return bool(self.parts) or self.fixed < WIDTH

    def widest_step(self, values):
        """The largest step of a rule that meets all features: :data:`STEPS` times the width of the narrowest.

        Parameters
        ----------
        values : dict of str to float
            Parameters and unknowns.
        """
        narrowest = min([self.fixed, *(part.width(values) for part in self.parts)])
        return STEPS * narrowest if narrowest < WIDTH else np.inf


class _Part:
    """An argument of a steep function, or of a power or logarithm, with its first two derivatives."""

    def __init__(self, is_steep, w, u, bound):
        self.is_steep, self.w, self.functions = is_steep, w, [u, u.diff(w), u.diff(w, 2)]
        self.is_line = w not in self.functions[1].free_symbols
        if self.is_line:
            self.functions[0] = u.subs(w, 0)
        symbols = set().union(*(f.free_symbols for f in self.functions)) - {w}
        self.others = dict.fromkeys(symbols & bound, _OTHERS)
        self.symbols = symbols - set(self.others)

    def width(self, values):
        """Width of the narrowest place, infinite where there is none or where there are many."""
        inside = self.others | {s: float(values[s.name]) for s in self.symbols}
        with np.errstate(all="ignore"):
            try:
                if self.is_line:
                    return self._of_line(*(evaluate(f, inside, Floats()) for f in self.functions[:2]))
                inside[self.w] = _GRID
                u, slope, bend = (np.broadcast_to(np.asarray(evaluate(f, inside, Floats()), float), _GRID.shape)
                                  for f in self.functions)
            except (AsympkitError, TypeError, ValueError, ArithmeticError):
                return np.inf                   # a derivative that is no function
            widths = (_of_turns if self.is_steep else _of_approaches)(u, slope, bend)
        return float(np.nanmin(widths, initial=np.inf)) if 0 < widths.size <= _MANY else np.inf

    def _of_line(self, at_zero, slope):
        return 1.0 / abs(slope) if self.is_steep and abs(at_zero) < -_GRID[0] * abs(slope) else np.inf


def _is_natural(power):
    return isinstance(power, Integer) and power > 0


def _of_turns(u, slope, bend):
    """Widths of the places where an argument vanishes or is stationary: it changes by 1 within them."""
    zero, still = _changes(u), _changes(slope)
    at_zero = 1.0 / np.maximum(np.maximum(np.abs(slope[:-1]), np.abs(slope[1:])), 1e-300)
    at_rest = 1.0 / np.sqrt(np.maximum(np.maximum(np.abs(bend[:-1]), np.abs(bend[1:])) / 2.0, 1e-300))
    return np.concatenate([at_zero[zero], at_rest[still]])


def _of_approaches(u, slope, bend):
    """Distances from the line of zeros of an argument, where it is smallest: by the parabola through a node."""
    still = np.flatnonzero(_changes(slope))
    least = np.abs(u[still] - slope[still] ** 2 / (2.0 * bend[still]))
    return np.sqrt(2.0 * least / np.maximum(np.abs(bend[still]), 1e-300))


def _changes(f):
    return np.sign(f[:-1]) * np.sign(f[1:]) < 0.0
