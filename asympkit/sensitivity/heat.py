r"""Derivatives of means of an unspecified activation by the coefficients of its argument.

With :math:`x=a+bz` the activation's value :math:`s=\sigma(x)` does not move; the variable
:math:`z=(x-a)/b` and the normal weight do:

.. math::
    \partial_a E\,F(s,z)=\tfrac1b E[zF-F_z],\qquad \partial_b E\,F(s,z)=\tfrac1b E[(z^2-1)F-zF_z],

:math:`F_z` at fixed s.  No derivative of the activation appears, so that kinks and jumps are no exception.
"""

from sympy import Add, Dummy, Integer, Mul, Poly, PolynomialError, factorial2

from ..gauss.measure import Gaussian
from ..nodes import Applied, Average, Named, unname


def moving_argument(average, moved):
    """The activation of a mean and the coefficients of its argument, if these hold a moved symbol.

    Returns
    -------
    None or (Applied, Expr, Expr)
        The one activation inside, and a, b of its argument a + b z.
    """
    if not isinstance(average.measure, Gaussian) or len(average.bound_symbols) != 1:
        return None
    (z,) = average.bound_symbols
    found = {f for f in applied_to(average.integrand, z) if f.argument.free_symbols & moved}
    if len(found) != 1:
        return None
    (f,) = found
    slope = f.argument.diff(z)
    return None if z in slope.free_symbols else (f, f.argument.subs(z, 0), slope)


def applied_to(expr, z):
    """Unspecified functions of a variable, not counting averages inside."""
    if isinstance(expr, Average):
        return set()
    if isinstance(expr, Applied):
        return {expr} if z in expr.free_symbols else set()
    return set().union(*(applied_to(a, z) for a in expr.args))


def outer_nodes(expr):
    """Outermost averages and named expressions, in a reproducible order."""
    found = {}

    def walk(e):
        if isinstance(e, Average | Named):
            found[e] = None
        else:
            for a in e.args:
                walk(a)

    walk(expr)
    return sorted(found, key=str)


def argument_derivative(average, activation, slope, d_offset, d_slope):
    """Derivative of a mean when the offset and the slope of the argument move."""
    (z,) = average.bound_symbols
    s = Dummy("s", real=True)
    held = average.integrand.xreplace({activation: s})
    f, f_z = average.integrand, held.diff(z).xreplace({s: activation})

    def mean(integrand):
        return without_zero(Average(integrand, average.measure))

    terms = []
    if d_offset != 0:
        terms.append((mean(z * f) - mean(f_z)) * d_offset / slope)
    if d_slope != 0:
        terms.append((mean((z**2 - 1) * f) - mean(z * f_z)) * d_slope / slope)
    return Add(*terms)


def without_zero(expr):
    """Zero for the mean of what is by definition orthogonal to a polynomial, otherwise the expression.

    A residual such as ``s - E s - z E[z s]`` has the mean 0 exactly; left as a sum over a grid it would be
    rounding, multiplied by whatever stands in front.
    """
    for average in (e for e in Mul.make_args(expr) if isinstance(e, Average)):
        if _vanishes(average):
            return Integer(0)
    return expr


def _vanishes(average):
    """Whether a mean linear in the activation cancels term by term once all names are opened."""
    (z,) = average.bound_symbols
    found = sorted(applied_to(average.integrand, z), key=str)
    if len(found) != 1:
        return False
    s = Dummy("s", real=True)
    nodes = {n: Dummy(f"n{i}", real=True) for i, n in enumerate(outer_nodes(average.integrand))}
    back = {d: n for n, d in nodes.items()}
    try:
        poly = Poly(average.integrand.xreplace(nodes).xreplace({found[0]: s}), s, z)
    except PolynomialError:
        return False
    total = []
    for (i, j), coefficient in poly.terms():
        if i > 1:
            return False
        moment = Average(z**j * found[0], average.measure) if i else (0 if j % 2 else factorial2(j - 1))
        total.append(unname(coefficient.xreplace(back)) * moment)
    return Add(*total).expand() == 0
