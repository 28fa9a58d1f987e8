"""Narrow features of the integrands of a theory: which functions may have some, and where they are at a solution.

Arguments hold parameters and unknowns (temperatures, noise), so that places and widths are asked at each solution.
"""

import numpy as np
from sympy import Add, Function, Integer, Mul, Pow, exp, log, preorder_traversal

from ..errors import AsympkitError
from ..gauss.measure import Gaussian
from ..nodes import Applied, Average, remove_names
from ..numbers.evaluation import Floats, evaluate
from ..numbers.functions import entry
from ..runtime.features import NARROW, STEPS, find_features_along


class NarrowFeatures:
    """The functions of integrands of a theory that may have narrow features.

    Parameters
    ----------
    expressions : iterable of Expr
        Equations and observables; terms outside of averages over normals have no features, nor have those with
        means of activations, whose own rules look for theirs.
    """

    def __init__(self, expressions):
        self.parts = []
        averages = {a for e in expressions for a in remove_names(e).atoms(Average)}
        bound = {b for a in averages for b in a.bound_symbols}
        inside = {inner for a in averages for inner in a.integrand.atoms(Average)}
        for average in sorted((a for a in averages if isinstance(a.measure, Gaussian)), key=str):
            has_nodes = len(average.bound_symbols) == 1 and average not in inside
            found = set().union(*(_turning(average.integrand, w) for w in average.bound_symbols))
            for is_steep, u in sorted(found, key=str):
                self.parts.append(Argument(is_steep, u, bound, has_nodes))

    def __bool__(self):
        return any(part.symbols or part.features({})[1].min(initial=np.inf) < NARROW for part in self.parts)

    def at(self, values):
        """Find the narrow features at a solution.

        Parameters
        ----------
        values : dict of str to float
            Parameters and unknowns.

        Returns
        -------
        places : list of (float, float)
            Centres and widths of those that nodes of a rule in one variable can be placed around.
        step : float
            The largest step of a rule that meets all others.
        """
        places, narrowest = set(), np.inf
        for part in self.parts:
            found = [(c, w) for c, w in zip(*(a.tolist() for a in part.features(values))) if w < NARROW]
            if part.has_nodes:
                places.update(found)
            else:
                narrowest = min([narrowest, *(w for _, w in found)])
        return sorted(places), STEPS * narrowest

    def widest_step(self, values):
        """Return the largest step of an equidistant rule that meets all features."""
        places, step = self.at(values)
        return min([step, *(STEPS * w for _, w in places)])


class Argument:
    """An argument of a steep function, or of a power or logarithm, with its first two derivatives."""

    def __init__(self, is_steep, u, bound, has_nodes):
        self.is_steep = is_steep
        variables = sorted(u.free_symbols & bound, key=str)
        self.along = {w: [u, u.diff(w), u.diff(w, 2)] for w in variables}
        self.symbols = set().union(*(f.free_symbols for fs in self.along.values() for f in fs)) - bound
        self.has_nodes = has_nodes and len(variables) == 1

    def features(self, values):
        """Centres and widths of the features at a solution."""
        known = {s: float(values[s.name]) for s in self.symbols}

        def along(forms):
            def argument(*at):
                try:
                    return [np.asarray(evaluate(f, known | dict(zip(self.along, at)), Floats()), float) for f in forms]
                except (AsympkitError, TypeError, ValueError, ArithmeticError):       # a derivative that is no function
                    return [np.nan] * 3
            return argument

        with np.errstate(all="ignore"):
            return find_features_along([along(forms) for forms in self.along.values()], self.is_steep)


def _turning(integrand, w):
    """Return arguments at which an integrand may turn, and whether what turns is steep in them or singular at 0."""
    found = set()
    for node in preorder_traversal(integrand):
        if not getattr(node, "args", ()) or w not in node.free_symbols or node.has(Average, Applied):
            continue
        known = entry(type(node).__name__)
        arguments = [u for u in node.args[known.orders if known else 0:] if w in u.free_symbols]
        if known is not None and known.is_steep:
            found |= {(True, u) for u in arguments}
        elif known is not None and known.is_partial or isinstance(node, Pow) and not _is_natural(node.exp):
            found.add((False, node.args[0]))
        if isinstance(node, Function) or isinstance(node, Pow) and not _is_natural(node.exp):
            found |= {(True, ratio) for u in arguments for ratio in _balances(u, w)}
    return found


def _balances(u, w):
    """Return logarithms of ratios of the terms of a sum, whose zeros are where another term becomes the largest."""
    terms = [t for t in u.args if w in t.free_symbols or t.is_nonzero] if isinstance(u, Add) else []
    steep = [t for t in terms if any(isinstance(f, exp) and w in f.free_symbols for f in Mul.make_args(t))]
    return {_logarithm(s) - _logarithm(t) for k, s in enumerate(steep)
            for t in [*(t for t in terms if t not in steep), *steep[k + 1:]]}


def _logarithm(term):
    """Return the logarithm of the absolute value of a product, exponents taken out."""
    factors = Mul.make_args(term)
    rest = Mul(*(f for f in factors if not isinstance(f, exp)))
    return Add(*(f.args[0] for f in factors if isinstance(f, exp))) + log(rest**2) / 2


def _is_natural(power):
    return isinstance(power, Integer) and power > 0
