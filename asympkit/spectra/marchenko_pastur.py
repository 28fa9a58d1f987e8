r"""The Marchenko-Pastur law with companions, and its rational means in cancellation-free form.

:math:`D` is distributed as the eigenvalues of :math:`(c/d) G G^T`, :math:`G` a :math:`p\times d` matrix
of independent standard normals, :math:`p/d\to\beta` (``ratio``), :math:`c` = ``scale``; for
:math:`\beta>1` a fraction :math:`1-1/\beta` of them is zero.

Marchenko-Pastur means over products of different linear denominators, without differences of nearly equal numbers.

With :math:`g=E\,1/(D+s)` and :math:`e=1+\beta cg` at every shift, the equation of the resolvent gives

.. math:: E\frac1{(D+s)(D+t)} = \frac{g_t-g_s}{s-t} = \frac{g_sg_te_t}{1+\beta c\,s\,g_sg_t},

whose terms are positive, also where s and t meet; numerators and a third factor follow in the same way.

The resolvent of the Marchenko-Pastur law as a function that programs hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from ..errors import DomainError
from ..nodes.average import Average
from ..nodes.named import Named
from ..nodes.traversal import as_expression
from .law import Angle, PositiveRoot, SpectralLaw, close_rational, eliminate_companions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

    from sympy import Expr

    from ..annotations import Expression


class MPResolvent(PositiveRoot):
    r"""``MPResolvent(a, b, scale, ratio)`` is :math:`G = E\,1/(aD+b)`, :math:`a\ge0`, :math:`b>0`.

    The positive root of :math:`\beta x b\,G^2+(b+x-\beta x)G-1=0`, :math:`x=ac`.  Its derivatives are
    rational in itself; with :math:`e=1+\beta xG`, :math:`f=1+\beta xbG^2` every one is a product of
    positive factors.
    """

    nargs = 4

    def _mathml_presentation(self, printer):
        return printer._call(printer._element("mi", "G"), *self.args)

    def fdiff(self, argindex=1):
        a, b, c, beta = self.args
        x, G = a * c, self
        e, f = 1 + beta * x * G, 1 + beta * x * b * G**2
        return {1: -c * G**2 / (e * f), 2: -(G**2) * e / f,
                3: -a * G**2 / (e * f), 4: x**2 * G**3 / (e * f)}[argindex]


def product_mean(j, factors, scale, ratio):
    """Return ``E D**j / prod((a D + b)**k)`` over different linear factors ``(a, b, k)``, for the numbers of the law.

    None where no form without cancellation is known: more than three factors, or a higher power above.
    """
    if not (len(factors) == 2 and j <= 2 or len(factors) == 3 and j == 0):
        return None
    shifts = [sp.Dummy(f"y{i}", positive=True) if k > 1 else b for i, (_, b, k) in enumerate(factors)]
    lines = [(a, y) for (a, _, _), y in zip(factors, shifts)]
    value = _two(j, *lines, scale, ratio) if len(factors) == 2 else _three(*lines, scale, ratio)
    for y, (_, b, k) in zip(shifts, factors):
        if k > 1:           # d/db of 1/(aD+b)
            value = (value.diff(y, k - 1) * (-1) ** (k - 1) / sp.factorial(k - 1)).subs(y, b)
    return value


def _plain(a, b, c, beta):
    """Return ``E 1/(aD+b)`` and e."""
    G = MPResolvent(a, b, c, beta)
    return G, 1 + beta * c * a * G


def _two(j, first, second, c, beta):
    (a, s), (b, t) = first, second
    G, e = _plain(a, s, c, beta)
    H, f = _plain(b, t, c, beta)
    below = 1 + beta * c * b * s * G * H
    if j == 0:
        return G * H * f / below
    if j == 1:
        return c * G * H / (e * below)
    return c**2 * G * H * (beta + 1 / e + beta**2 * c * b * s * G * H) / (e * f * below)


def _three(first, second, third, c, beta):
    (a, s), (b, t), (d, r) = first, second, third
    G, _ = _plain(a, s, c, beta)
    H, _ = _plain(b, t, c, beta)
    K, _ = _plain(d, r, c, beta)
    x = beta * c
    above = 1 + x * (b * H + d * K) + x**2 * b * d * s * G * H * K
    return G * _two(0, second, third, c, beta) * above / ((1 + x * b * s * G * H) * (1 + x * d * s * G * K))


#: ratios around 1 at which the density is too steep for few angles
_NEAR = (sp.Rational(4, 5), sp.Rational(5, 4))


class MarchenkoPastur(SpectralLaw):
    r"""Average over the Marchenko-Pastur law of `D`, with the conditional means of companion variables.

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

    Raises
    ------
    DomainError
        For an eigenvalue that is no symbol, or a ratio or scale that is not positive.

    Examples
    --------
    >>> from sympy import Symbol, symbols
    >>> D, b, c = symbols("D b c", positive=True)
    >>> MarchenkoPastur(D, ratio=b, scale=c).close(D)
    c
    """

    def __new__(cls, D: sp.Symbol, ratio: Expression | float, scale: Expression | float = 1,
                conditional: Mapping[sp.Symbol, Expr] | None = None) -> Self:
        pairs = conditional.items() if isinstance(conditional, dict) else (conditional or ())
        pairs = sp.Tuple(*[sp.Tuple(*p) for p in pairs])
        if not isinstance(D, sp.Symbol):
            raise DomainError(f"D: got {D!r:.60}; expected the symbol of an eigenvalue")
        ratio, scale = as_expression("ratio", ratio), as_expression("scale", scale)
        for name, value in (("ratio", ratio), ("scale", scale)):
            if value.is_positive is False:
                raise DomainError(f"{name}: got {value!r:.60}; expected a positive number or expression")
        return super().__new__(cls, D, ratio, scale, pairs)

    @property
    def bound_symbols(self) -> tuple[sp.Symbol, ...]:
        return (self.args[0], *[p[0] for p in self.args[3]])

    @property
    def conditions(self) -> tuple[Expr, ...]:
        return self.args[1], self.args[2]

    described = "the Marchenko-Pastur law MP(ratio, scale)"

    @property
    def title(self) -> tuple[Any, ...]:
        return "MP", *self.args[1:3]

    def close(self, integrand: Expr) -> Expr | None:
        return close_rational(integrand, self)

    def resolved(self, integrand: Expr) -> Expr | None:
        r"""Return the mean over the angle of :math:`D=c\,|1+\sqrt\beta e^{i\theta}|^2`, for any function of D.

        The density of the eigenvalues is :math:`2c\sin^2\theta/D` in this angle, and the remaining mass is at D = 0.
        Far from a ratio of 1 the mean is the sum of these two.  Near it the density has a pole close to the angle
        :math:`\pi`, while the mean of ``(f(D) - f(0))/D``, which does not involve the atom, has none.
        DomainError if f is infinite at D = 0 and the ratio may be above 1, where eigenvalues are 0.
        """
        D, beta, c, _ = self.args
        f = eliminate_companions(integrand, self)
        if f is None:
            return None
        theta = sp.Dummy("theta", real=True)
        value = Named("D", c * (1 + beta + 2 * sp.sqrt(beta) * sp.cos(theta)))
        density = 2 * c * sp.sin(theta) ** 2 / value
        bulk = Average(density * f.xreplace({D: value}), Angle(theta))
        is_far = beta.is_number and not _NEAR[0] < beta < _NEAR[1]
        if self.has_no_atom and is_far:
            return bulk
        at_zero = f.subs(D, 0)
        if at_zero.has(sp.oo, -sp.oo, sp.zoo, sp.nan):
            if self.has_no_atom:
                return bulk
            raise DomainError(f"mean: {f} is infinite at {D} = 0, where a share 1 - 1/ratio of the eigenvalues lies "
                              f"for a ratio above 1; got the ratio {beta}: expected a number up to 1")
        if is_far:
            return (1 - 1 / beta) * at_zero + bulk
        return at_zero + Average(density * (f.xreplace({D: value}) - at_zero), Angle(theta))

    @property
    def has_no_atom(self) -> bool:
        """True if the ratio is a number up to 1: then no share of the eigenvalues is 0."""
        beta = self.args[1]
        return bool(beta.is_number and beta <= 1)

    @property
    def has_atom(self) -> bool:
        """True if the ratio is a number above 1."""
        beta = self.args[1]
        return bool(beta.is_number and beta > 1)

    def log_mean(self, a: Expr, b: Expr) -> Expr:
        """Return ``E log(a D + b)``, a form that is stationary in ``G = E 1/(a D + b)``."""
        _, beta, c, _ = self.args
        G = Named("G", MPResolvent(a, b, c, beta))
        e = Named("e", 1 + beta * c * a * G)
        return -sp.log(G) + sp.log(e) / beta - c * a * G / e

    def product(self, j: int, factors: Sequence[tuple[Expr, Expr, int]]) -> Expr | None:
        """Return ``E D**j / prod((a D + b)**k)`` for ``(a, b, k)`` in factors, or None; see ``product_mean``."""
        _, beta, c, _ = self.args
        return product_mean(j, factors, c, beta)

    def moment(self, j: int, k: int, a: Expr, b: Expr) -> Expr:
        r"""Return :math:`E\,D^j/(aD+b)^k` for integers :math:`j,k\ge0`.

        For :math:`j\le k\le2` a product of positive factors; larger :math:`k` by derivatives in `b`,
        larger :math:`j` by division.

        Parameters
        ----------
        j, k : int
        a, b : Expr
            Positive.

        Returns
        -------
        Expr
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
        y = sp.Symbol("y", positive=True)
        return -self.moment(j, k - 1, a, y).diff(y).subs(y, b) / (k - 1)


def _plain_moment(j, c, beta):
    """Return E D^j by the Narayana numbers."""
    if j == 0:
        return sp.Integer(1)
    return c**j * sum(sp.binomial(j, i + 1) * sp.binomial(j, i) / j * beta**i for i in range(j))
