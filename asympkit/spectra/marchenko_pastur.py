r"""The Marchenko-Pastur law with companions, and its rational means in cancellation-free form.

:math:`D` is distributed as the eigenvalues of :math:`(c/d) G G^T`, :math:`G` a :math:`p\times d` matrix
of independent standard normals, :math:`p/d\to\beta` (``ratio``), :math:`c` = ``scale``; for
:math:`\beta>1` a fraction :math:`1-1/\beta` of them is zero.
"""

from sympy import Float, Function, Integer, Symbol, Tuple, binomial
from sympy.core.sympify import _sympify

from ..nodes.average import Measure
from ..nodes.named import Named


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
        from ..readings.numbers import Digits

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


class MarchenkoPastur(Measure):
    r"""The Marchenko-Pastur law of `D`, with the conditional means of companion variables.

    Parameters
    ----------
    D : Symbol
        The eigenvalue.
    ratio : Expr
        :math:`\beta=p/d`, rows over columns of the random matrix.
    scale : Expr
        :math:`c`, the squared norm of a row.
    conditional : dict, optional
        ``{F: E[F|D]}`` for variables that enter linearly, for instance ``{F: c, H: D}``.

    Examples
    --------
    >>> from sympy import Symbol, symbols
    >>> D, b, c = symbols("D b c", positive=True)
    >>> MarchenkoPastur(D, ratio=b, scale=c).close(D)
    c
    """

    def __new__(cls, D, ratio, scale=1, conditional=None):
        pairs = conditional.items() if isinstance(conditional, dict) else (conditional or ())
        pairs = Tuple(*[Tuple(*p) for p in pairs])
        return super().__new__(cls, D, _sympify(ratio), _sympify(scale), pairs)

    @property
    def bound_symbols(self):
        return (self.args[0], *[p[0] for p in self.args[3]])

    @property
    def conditions(self):
        return self.args[1], self.args[2]

    def positivity(self, symbol):
        # for ratio > 1 some eigenvalues are zero, never all
        return 1 if symbol == self.args[0] else None

    def close(self, integrand):
        from .closing import close_rational

        return close_rational(integrand, self)

    def moment(self, j, k, a, b):
        r"""Return :math:`E\,D^j/(aD+b)^k` for integers :math:`j,k\ge0`.

        For :math:`j\le k\le2` a product of positive factors; larger :math:`k` by derivatives in `b`,
        larger :math:`j` by division.
        """
        _, beta, c, _ = self.args
        if k == 0:
            return _plain_moment(j, c, beta)
        if a == 0:
            return _plain_moment(j, c, beta) / b**k
        if j > k:    # D^j/(aD+b)^k = (D^{j-1}/(aD+b)^{k-1} - b D^{j-1}/(aD+b)^k) / a
            return (self.moment(j - 1, k - 1, a, b) - b * self.moment(j - 1, k, a, b)) / a
        G = Named("G", MPResolvent(a, b, c, beta))
        e = Named("e", 1 + beta * c * a * G)
        f = Named("f", 1 + beta * c * a * b * G**2)
        if k == 1:
            return G if j == 0 else c * G / e
        if k == 2:
            mixed = c * G**2 / (e * f)
            return (G**2 * e / f, mixed, (c * G / e) * (c * G / e + beta * c * b * G**2) / f)[j]
        if j == k:   # D^k/(aD+b)^k = (D^{k-1}/(aD+b)^{k-1} - b D^{k-1}/(aD+b)^k) / a
            return (self.moment(k - 1, k - 1, a, b) - b * self.moment(k - 1, k, a, b)) / a
        y = Symbol("y", positive=True)
        return -self.moment(j, k - 1, a, y).diff(y).subs(y, b) / (k - 1)

    def _mean_str(self, integrand, printer):
        return f"<{printer._print(integrand)}>"

    def _mean_latex(self, integrand, printer):
        return rf"\left\langle {printer._print(integrand)} \right\rangle"


def _plain_moment(j, c, beta):
    """E D^j by the Narayana numbers."""
    if j == 0:
        return Integer(1)
    return c**j * sum(binomial(j, i + 1) * binomial(j, i) / j * beta**i for i in range(j))
