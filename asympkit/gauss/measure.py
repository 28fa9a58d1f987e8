"""The standard Gaussian measure on one or several independent variables.

``ak.E``: the Gaussian average of an expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr, Symbol, Tuple, sqrt
from sympy.core.numbers import Number

from ..errors import DomainError
from ..nodes import Average, remove_names
from ..nodes.average import Measure
from ..nodes.named import as_expression
from ..parsing import parse
from .closed import closed_mean
from .closed.engine import without_integrals
from .moving_kinks import with_known_slopes
from .quadrature.digits import gaussian_value

if TYPE_CHECKING:
    from ..annotations import Expression


class MeasureOfVariables(Measure):
    """A measure that is given by its variables alone."""

    canonical = True

    def __new__(cls, *symbols):
        return super().__new__(cls, Tuple(*symbols))

    @property
    def func(self):
        return lambda symbols: type(self)(*symbols)

    def __getnewargs__(self):
        return tuple(self.args[0])

    @property
    def bound_symbols(self):
        return tuple(self.args[0])

    def renamed(self, symbols):
        return type(self)(*symbols)


class Gaussian(MeasureOfVariables):
    """Independent standard normals.

    Parameters
    ----------
    *symbols : Symbol
        The integration variables.
    """

    def close(self, integrand):
        bound = set(self.bound_symbols)
        integrand = remove_names(integrand, lambda n: bool(bound & n.free_symbols))
        closed = closed_mean(integrand, *self.bound_symbols)
        if closed is None and len(bound) == 1:
            form, slopes = with_known_slopes(integrand, *bound)
            closed = closed_mean(form, *bound) if slopes else without_integrals(integrand, *bound)
            closed = closed.xreplace(slopes) if slopes and closed is not None else closed
        return closed

    def value(self, average, digits):
        return gaussian_value(average, digits)

    def _mean_str(self, integrand, printer):
        names = ", ".join(b.name for b in self.bound_symbols)
        return f"E_{names}[{printer._print(integrand)}]"

    def _mean_latex(self, integrand, printer):
        names = ",".join(printer._print(b) for b in self.bound_symbols)
        return rf"\mathbb{{E}}_{{{names}}}\left[{printer._print(integrand)}\right]"


class Shifted(Gaussian):
    """Independent standard normals under integrands that carry ``exp(-s*u - s**2/2)`` in the first, u, and have their
    kinks at u = 0: the mass of such integrands may lie far from there.  Programs only hold it.
    """

    def close(self, integrand):
        return None


def E(expr: Expression | float | str, z: Symbol | tuple[Symbol, ...],
      rho: Expression | float | str | None = None, measure: Measure | None = None) -> Expr:
    r"""Return the Gaussian average of an expression, or that over another law, as a sympy node.

    Parameters
    ----------
    expr : Expr or str
        The integrand; a text of the grammar, which may hold the variables.
    z : Symbol or tuple of Symbol
        Independent standard normal variables.
    rho : Expr or str, optional
        Correlation of exactly two variables of unit variance (dual activations); `|rho| <= 1`; a symbol is
        taken to satisfy this without assumptions.
    measure : Gamma, Poisson or StudentT, optional
        The law of one variable, in place of the normal one.

    Returns
    -------
    Expr
        An average that differentiates under the sign; ``.doit()`` closes it where a closed form is
        known, ``.evalf(n)`` gives n digits.  Constants and factors free of `z` are pulled out.

    Raises
    ------
    DomainError
        If `z` is no symbol, `rho` does not come with exactly two, or `|rho| > 1`, or `measure` is no law of one
        variable.

    Notes
    -----
    In a theory an average over several normals that has no closed form is a sum over a product of rules, and an average
    inside a function of an average is summed at every node of the other. Rules are refined until nothing changes. A
    solution costs, for each integrand and each step of Newton's method, about 4e3 to 8e3 nodes over two normals, or
    over one inside one, and 2e5 to 6e5 over three, or over one inside two; refinement stops at 7e5 nodes (4e6 for
    averages inside others), and raises ConvergenceError if the value still changes there. Digits come from the same
    products: eight over two normals take seconds, fourteen up to a minute. Integrands of one combination
    ``a*x + b*y`` are written over one normal.

    Kinks and jumps (abs, max, sign, Heaviside, Piecewise) that lie on one line ``a*x + b*y + c = 0``, whatever
    parameters and unknowns a, b, c hold, are followed by the rule and keep all digits; kinks on several lines, other
    than parallels of the axes, converge slowly and raise an error.

    Examples
    --------
    >>> from sympy import Symbol, erf
    >>> x, a = Symbol("x", real=True), Symbol("a", real=True)
    >>> E(x**2 * a, x).doit()
    a
    """
    symbols = tuple(z) if isinstance(z, (tuple, list)) else (z,)
    if not symbols or not all(isinstance(s, Symbol) for s in symbols) or len(set(symbols)) != len(symbols):
        raise DomainError(f"z: got {z!r}; expected a sympy symbol or a tuple of different ones")
    if isinstance(expr, str):
        expr = parse(expr, names=tuple(s.name for s in symbols))
        expr = expr.xreplace({Symbol(s.name, real=True): s for s in symbols})
    if isinstance(rho, str):
        rho = parse(rho, names=())
    expr = as_expression("expr", expr)
    if measure is not None:
        if not isinstance(measure, Measure) or rho is not None or len(symbols) != len(measure.bound_symbols):
            raise DomainError(f"measure: got {measure!r:.60} for {len(symbols)} variables"
                              f"{' and a correlation' * (rho is not None)}; expected ak.Gamma(shape), ak.Poisson(rate) "
                              "or ak.StudentT(dof) for one variable")
        return Average(expr, measure.renamed(symbols))
    if rho is not None:
        rho = as_expression("rho", rho)
        if len(symbols) != 2:
            raise DomainError(f"rho: expected exactly two variables for a correlation; got {len(symbols)}")
        if isinstance(rho, Number) and abs(rho) > 1:
            raise DomainError(f"rho: got {rho}; a correlation lies in [-1, 1]")
        x, y = symbols
        expr = expr.xreplace({y: rho * x + sqrt(1 - rho**2) * y})
    return Average(expr, Gaussian(*symbols))
