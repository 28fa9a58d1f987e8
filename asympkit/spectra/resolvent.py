"""The resolvent of the Marchenko-Pastur law as a function that programs hold."""

from sympy import Float, Function

__all__ = ["MPResolvent"]


class MPResolvent(Function):
    r"""``MPResolvent(a, b, scale, ratio)`` is :math:`G = E\,1/(aD+b)`, :math:`a\ge0`, :math:`b>0`.

    The positive root of :math:`\beta x b\,G^2+(b+x-\beta x)G-1=0`, :math:`x=ac`.  Its derivatives are
    rational in itself; with :math:`e=1+\beta xG`, :math:`f=1+\beta xbG^2` every one is a product of
    positive factors.
    """

    nargs = 4

    def _eval_is_positive(self):
        return True

    def _eval_is_extended_real(self):
        return True

    def _eval_evalf(self, prec):
        if not all(a.is_number for a in self.args):
            return None
        from ..numbers.digits import Digits

        numbers = Digits(int(prec / 3.32) + 10)
        value = numbers.function("MPResolvent", *[numbers.mp.convert(a._to_mpmath(prec + 20)) for a in self.args])
        return Float._new(value._mpf_, prec)

    def _mathml_presentation(self, printer):
        return printer._call(printer._element("mi", "G"), *self.args)

    def fdiff(self, argindex=1):
        a, b, c, beta = self.args
        x, G = a * c, self
        e, f = 1 + beta * x * G, 1 + beta * x * b * G**2
        return {1: -c * G**2 / (e * f), 2: -(G**2) * e / f,
                3: -a * G**2 / (e * f), 4: x**2 * G**3 / (e * f)}[argindex]
