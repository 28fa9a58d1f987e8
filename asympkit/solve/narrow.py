"""Narrow features of the integrands of a theory: which functions may have some, and where they are at a solution.

Arguments hold parameters and unknowns (temperatures, noise), so that places and widths are asked at each solution.
"""

import numpy as np
from sympy import Add, Dummy, Function, Integer, Mul, Pow, exp, log, preorder_traversal

from ..errors import AsympkitError
from ..gauss.measure import Gaussian
from ..nodes import Applied, Average, averages, remove_names
from ..numbers.evaluation import Floats, evaluate
from ..numbers.functions import entry
from ..properties.kinks import derivative
from ..runtime.features import NARROW, STEPS, find_features_along

#: of averages inside arguments, which move the features: the step of their rule, and its end
_STEP, _END = 1.0 / 16.0, 10.0

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
        self.symbols = u.free_symbols - bound
        form, self.means = _name_averages(u)
        slopes = {w: derivative(form, w) for w in variables}
        self.along = {w: [form, slope, derivative(slope, w)] for w, slope in slopes.items()}
        self.has_nodes = has_nodes and len(variables) == 1

    def features(self, values):
        """Centres and widths of the features at a solution."""
        known = {s: float(values[s.name]) for s in self.symbols}
        known |= {symbol: _mean(average, known) for average, symbol in self.means}

        def along(forms):
            def argument(*at):
                try:
                    return [np.asarray(evaluate(f, known | dict(zip(self.along, at)), Floats()), float) for f in forms]
                except (AsympkitError, TypeError, ValueError, ArithmeticError):       # a derivative that is no function
                    return [np.nan] * 3
            return argument

        with np.errstate(all="ignore"):
            return find_features_along([along(forms) for forms in self.along.values()], self.is_steep)


def _name_averages(form):
    """Put symbols in place of the averages in an expression, and return both."""
    names = tuple((a, Dummy(f"mean{k}", real=True)) for k, a in enumerate(averages(form)))
    return form.xreplace(dict(names)), names


def _mean(average, known):
    """Evaluate an average over normals by the trapezoidal rule; NaN if it has no form in floats, or is nested."""
    bound = average.bound_symbols
    if not isinstance(average.measure, Gaussian) or len(bound) > 2:
        return np.nan
    nodes = np.arange(-_END, _END + _STEP, _STEP * 4 ** (len(bound) - 1))
    weights = np.exp(-0.5 * nodes * nodes)
    at = {b: nodes.reshape([-1] + [1] * k) for k, b in enumerate(bound)}
    form, names = _name_averages(average.integrand)
    try:
        values = known | at | {symbol: _mean(inner, known) for inner, symbol in names}
        found = np.broadcast_to(evaluate(form, values, Floats()), [nodes.size] * len(bound))
    except (AsympkitError, KeyError, TypeError, ValueError, ArithmeticError):
        return np.nan
    for _ in bound:
        found = found @ weights / weights.sum()
    return float(found)


def _turning(integrand, w):
    """Return arguments at which an integrand may turn, and whether what turns is steep in them or singular at 0."""
    found = set()
    for node in preorder_traversal(integrand):
        if not getattr(node, "args", ()) or w not in node.free_symbols or node.has(Applied) or any(
                w in a.free_symbols for a in node.atoms(Average)):
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
