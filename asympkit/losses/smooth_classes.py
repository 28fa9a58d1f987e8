"""Make the sympy classes of a smooth convex function: second derivative, slope and envelope of its proximal step."""

from sympy import Integer

from ..numbers.functions.proximal_classes import Proximal, Saturated
from ..program.steady import steady

__all__ = ["made_classes"]


def made_classes(names, g, bend, x, others, label):
    """Return ``(slope, envelope, bend)``: slope and envelope of V, t and the parameters, bend of a point and these.

    Parameters
    ----------
    names : sequence of str
    g, bend : Expr
        The function of x, and its second derivative in a form for computation.
    x : Symbol
    others : tuple of Symbol
        Parameters of the function.
    label : str
        For printing.
    """

    def made(n, head, arity, **methods):
        return type(n, (Proximal,), {"nargs": arity + len(others), "head": rf"{head}^{{\mathrm{{{label}}}}}",
                                     "shown": f"{head}_{label}", "__module__": __name__, **methods})

    def at(expr, point, values):
        return expr.xreplace({**dict(zip(others, values)), x: point})

    def at_root(expr, arguments):
        V, t, *values = arguments
        return at(expr, t + V * slope(*arguments), values)

    def bend_rate(self, argindex=1):
        return at(bend.diff((x, *others)[argindex - 1]), self.args[0], self.args[1:])

    def slope_rate(self, argindex=1):
        V, t, *values = self.args
        curvature = curve(t + V * self, *values)
        if argindex < 3:
            along = -Saturated(V, curvature)
            return along if argindex == 2 else self * along
        return -at_root(g.diff(x, others[argindex - 3]), self.args) / (1 + V * curvature)

    def slope_bounds(self):
        """Return a bound: the proximal point lies between t and the minimum, and derivatives increase."""
        return (at(g.diff(x), self.args[1], self.args[2:]),)

    def envelope_rate(self, argindex=1):
        f = slope(*self.args)
        if argindex < 3:
            return -f if argindex == 2 else -(f**2) / Integer(2)
        return at_root(g.diff(others[argindex - 3]), self.args)

    def envelope_bounds(self):
        """Return bounds: g(t), and the minimum with the tangent in place of g."""
        rate = at(g.diff(x), self.args[1], self.args[2:])
        return at(g, self.args[1], self.args[2:]), self.args[0] * rate**2 / 2

    def by_slope(self):
        return self.args[0] * slope(*self.args) ** 2 / 2 + at_root(steady(g), self.args)

    curve = made(names[2], r"g''", 1, fdiff=bend_rate)
    slope = made(names[0], "f", 2, fdiff=slope_rate, bounded_by=slope_bounds)
    envelope = made(names[1], "M", 2, fdiff=envelope_rate, bounded_by=envelope_bounds, by_slope=by_slope)
    return slope, envelope, curve
