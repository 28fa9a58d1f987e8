r"""Derivatives of means of an unspecified activation by the coefficients of its argument.

With :math:`x=a+bz` the activation's value :math:`s=\sigma(x)` does not move; the variable
:math:`z=(x-a)/b` and the normal weight do:

.. math::
    \partial_a E\,F(s,z)=\tfrac1b E[zF-F_z],\qquad \partial_b E\,F(s,z)=\tfrac1b E[(z^2-1)F-zF_z],

:math:`F_z` at fixed s.  No derivative of the activation appears, so that kinks and jumps are no exception.
"""

from sympy import Add, Dummy, Integer, Mul, Poly, PolynomialError, factorial2

from ..gauss.measure import Gaussian
from ..nodes import Applied, Average, Named, put, slope, unname


def moving_arguments(average, moved):
    """List the activations of a mean with a varying symbol in their argument, if it is the same for a variable.

    Returns
    -------
    list of (tuple of Applied, Symbol, Expr, Expr)
        For each variable z with such activations: these, z, and a, b of their argument a + b z.
    """
    if not isinstance(average.measure, Gaussian):
        return []
    bound, found = set(average.bound_symbols), []
    for z in average.bound_symbols:
        moving = sorted((f for f in applied_to(average.integrand, z) if f.argument.free_symbols & moved), key=str)
        if len({f.argument for f in moving}) != 1:
            continue
        argument = moving[0].argument
        width = slope(argument, z)
        if argument.free_symbols & bound == {z} and z not in width.free_symbols:
            found.append((tuple(moving), z, put(argument, {z: Integer(0)}), width))
    return found


def applied_to(expr, z):
    """Return the unspecified functions of a variable, without those inside averages."""
    if isinstance(expr, Average):
        return set()
    if isinstance(expr, Applied):
        return {expr} if z in expr.free_symbols else set()
    return set().union(*(applied_to(a, z) for a in expr.args))


def outer_nodes(expr):
    """Return the outermost averages and named expressions, in a reproducible order."""
    found = {}

    def walk(e):
        if isinstance(e, Average | Named):
            found[e] = None
        else:
            for a in e.args:
                walk(a)

    walk(expr)
    return sorted(found, key=str)


def argument_derivative(average, activations, z, width, d_offset, d_width):
    """Differentiate a mean by the offset and the slope of the argument of some activations."""
    held = {a: Dummy(f"s{k}", real=True) for k, a in enumerate(activations)}
    f = average.integrand
    f_z = f.xreplace(held).diff(z).xreplace({s: a for a, s in held.items()})

    def mean(integrand):
        return without_zero(Average(integrand, average.measure))

    terms = []
    if d_offset != 0:
        terms.append((mean(z * f) - mean(f_z)) * d_offset / width)
    if d_width != 0:
        terms.append((mean((z**2 - 1) * f) - mean(z * f_z)) * d_width / width)
    return Add(*terms)


def without_zero(expr):
    """Replace the mean of an integrand that is by definition orthogonal to a polynomial by zero.

    A residual such as ``s - E s - z E[z s]`` has the mean 0 exactly; left as a sum over a grid it would be
    rounding, multiplied by its factor.
    """
    for average in (e for e in Mul.make_args(expr) if isinstance(e, Average)):
        if _vanishes(average):
            return Integer(0)
    return expr


def _opened(expr, z):
    """Replace named expressions that vary with z by their values."""
    while named := [n for n in outer_nodes(expr) if isinstance(n, Named) and z in n.free_symbols]:
        expr = expr.xreplace({n: n.expr for n in named})
    return expr


def _vanishes(average):
    """Return whether a mean linear in the activation cancels term by term once all names are expanded."""
    if len(average.bound_symbols) > 1:
        return False
    (z,) = average.bound_symbols
    integrand = _opened(average.integrand, z)
    found = sorted(applied_to(integrand, z), key=str)
    nodes = {n: Dummy(f"n{i}", real=True) for i, n in enumerate(outer_nodes(integrand))}
    if len(found) != 1 or any(z in n.free_symbols for n in nodes):
        return False
    s = Dummy("s", real=True)
    back = {d: n for n, d in nodes.items()}
    try:
        poly = Poly(integrand.xreplace(nodes).xreplace({found[0]: s}), s, z)
    except PolynomialError:
        return False
    total = []
    for (i, j), coefficient in poly.terms():
        if i > 1:
            return False
        moment = Average(z**j * found[0], average.measure) if i else (0 if j % 2 else factorial2(j - 1))
        total.append(unname(coefficient.xreplace(back)) * moment)
    return Add(*total).expand() == 0
