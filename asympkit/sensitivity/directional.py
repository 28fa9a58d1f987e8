"""The derivative of an expression along a direction: averages stay averages, names stay names."""

from sympy import Add, Dummy, Integer, Pow, Symbol

from ..nodes import Average, Named, free_of, replaced, slope
from ..spectra.rules import GRIDDED, by_rules
from .heat import argument_derivative, moving_arguments, outer_nodes, without_zero


class directional:
    """Differentiate expressions along ``{symbol: its derivative}``; call the object with an expression.

    Parameters
    ----------
    direction : dict of Symbol to Expr
        The varying symbols and their derivatives.
    suffix : str
        Suffix of the names of derivatives, where there are several directions.

    Notes
    -----
    Derivatives of means of unspecified activations come out as means again (see :mod:`.heat`); a spectral
    mean is closed first.  The derivative of a named expression ``V`` is named ``dV``, and a named
    function appears in derivatives by its name.
    """

    def __init__(self, direction, suffix=""):
        self.direction, self.suffix = dict(direction), suffix
        self.moved = set(direction)
        self._known = {}

    def __call__(self, expr):
        """Differentiate an expression."""
        if expr not in self._known:
            self._known[expr] = self._derive(expr) if free_of(expr) & self.moved else Integer(0)
        return self._known[expr]

    def _derive(self, expr):
        if isinstance(expr, Symbol):
            return self.direction[expr]
        if isinstance(expr, Named):
            return Named(f"d{expr.label}{self.suffix}", replaced(self(expr.expr), {expr.expr: expr}))
        if isinstance(expr, Average):
            return self._average(expr)
        return self._chain(expr, lambda part: part)

    def _average(self, average):
        if not isinstance(average.measure, GRIDDED):
            if not average.measure.free_symbols & self.moved and not _is_squared(average):
                return Average(self(average.integrand), average.measure)
            return self(by_rules(average))
        moving = moving_arguments(average, self.moved)
        if not moving:
            return Average(self(average.integrand), average.measure)
        by_argument = Add(*(argument_derivative(average, activations, z, width, self(offset), self(width))
                            for activations, z, offset, width in moving))
        every = [a for activations, *_ in moving for a in activations]
        back = {Dummy(f"s{k}", real=True): a for k, a in enumerate(every)}
        held = average.integrand.xreplace({a: s for s, a in back.items()})

        def mean(part):
            return without_zero(Average(part.xreplace(back), average.measure))

        return by_argument + (self._chain(held, mean) if held.free_symbols & self.moved else 0)

    def _chain(self, expr, wrap):
        """Apply the chain rule over the symbols and the nodes of an expression; each partial derivative is wrapped."""
        nodes = {n: Dummy(f"n{i}", real=True, positive=n.is_positive) for i, n in enumerate(outer_nodes(expr))}
        flat = expr.xreplace(nodes)
        back = {d: n for n, d in nodes.items()}
        terms = []
        for inner in sorted(flat.free_symbols & (self.moved | set(back)), key=str):
            rate = self(back[inner]) if inner in back else self.direction[inner]
            if rate != 0:
                terms.append(wrap(slope(flat, inner).xreplace(back)) * rate)
        return Add(*terms)


def _is_squared(average):
    """Return whether a denominator in the eigenvalue is squared: derivatives of simple ones have a short closed form.
    """
    bound = set(average.bound_symbols)
    return any(p.exp != -1 for p in average.integrand.atoms(Pow) if p.free_symbols & bound and p.exp.is_negative)
