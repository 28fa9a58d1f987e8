"""Special functions that a derivation keeps closed: the normal density, its integral, Hermite polynomials."""

from sympy import Function, Integer, erf, exp, hermite_prob, pi, sqrt


class phi(Function):
    """The standard normal density."""

    nargs = 1

    def fdiff(self, argindex=1):
        return -self.args[0] * self

    def _eval_is_positive(self):
        return self.args[0].is_real or None

    def _mathml_presentation(self, printer):
        return printer._call(printer._element("mi", "\u03c6"), *self.args)


class Phi(Function):
    """The standard normal distribution function."""

    nargs = 1

    def fdiff(self, argindex=1):
        return phi(self.args[0])

    def _mathml_presentation(self, printer):
        return printer._call(printer._element("mi", "\u03a6"), *self.args)


class He(Function):
    """The Hermite polynomial of the normal density, of an order that may be a symbol; ``He(-1, x) = 0``."""

    nargs = 2

    @classmethod
    def eval(cls, order, argument):
        if order == -1:
            return Integer(0)
        return hermite_prob(order, argument) if order.is_Integer and order >= 0 else None

    def fdiff(self, argindex=2):
        order, argument = self.args
        return order * He(order - 1, argument)

    def _sympystr(self, printer):
        order, argument = self.args
        index = order.name if order.is_Symbol else f"{{{printer._print(order)}}}"
        return f"He_{index}({printer._print(argument)})"

    def _latex(self, printer, exp=None):
        order, argument = map(printer._print, self.args)
        body = rf"\mathrm{{He}}_{{{order}}}\left({argument}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"

    def _mathml_presentation(self, printer):
        order, argument = self.args
        name = printer._element("msub", printer._element("mi", "He"), printer._print(order))
        return printer._call(name, argument)


def opened(expr):
    """The density as an exponential, the distribution function as an error function."""
    expr = expr.replace(phi, lambda x: exp(-(x**2) / 2) / sqrt(2 * pi))
    return expr.replace(Phi, lambda x: (1 + erf(x / sqrt(2))) / 2)


def recursion(expr):
    """Lower the orders ``k + 1, k + 2, ...`` by the three-term recursion."""
    def lower(order, x):
        if order.as_coeff_Add()[0] <= 0:
            return He(order, x)
        return x * lower(order - 1, x) - (order - 1) * lower(order - 2, x)

    return expr.replace(He, lower)
