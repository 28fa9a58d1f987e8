r"""The semicircle law of eigenvalues, of both signs, and its free sum with Marchenko-Pastur.

The free cumulants of a free sum are the sums of those of its parts: its resolvent g at x solves
:math:`x=1/g+s/(1-\beta sg)+c^2g`, s and :math:`\beta` the scale and ratio of Marchenko-Pastur.  With
:math:`|g|=\sin\alpha/c` both parts of g, and x, are rational in :math:`v=\tan\alpha` and :math:`\sqrt{1+v^2}`, and
:math:`w=(m\tan\alpha-c)/(\beta s\sin\alpha)`, :math:`m=\sqrt\beta s`, runs from -1 to 1 over the spectrum, but for a
gap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sympy import Add, Dummy, Integer, Rational, Symbol, cos, sin, sqrt

from ..errors import DomainError
from ..nodes.average import Average
from ..nodes.named import Named, as_expression, remove_names
from .deep_network import moments_of_cumulants
from .law import Angle, ContinuousLaw, MarchenkoPastur, PositiveRoot, SpectralLaw

if TYPE_CHECKING:
    from typing import Any, Self

    from sympy import Expr

    from ..annotations import Expression


class _OfBothSigns(SpectralLaw):
    """A law of one eigenvalue, the first argument, of any sign; the numbers after it are positive.

    Subclasses define ``cumulant(order)``, a free cumulant.
    """

    @property
    def bound_symbols(self) -> tuple[Symbol, ...]:
        return (self.args[0],)

    @property
    def conditions(self) -> tuple[Expr, ...]:
        return self.args[1:]

    def positivity(self, symbol: Symbol) -> int | None:
        return None

    def close(self, integrand: Expr) -> Expr | None:
        """Return the mean of a polynomial, or None."""
        D = self.args[0]
        f = remove_names(integrand, lambda n: D in n.free_symbols)
        if not f.is_polynomial(D):
            return None
        constant, *others = f.as_poly(D).all_coeffs()[::-1]
        moments = moments_of_cumulants([self.cumulant(k + 1) for k in range(len(others))])
        return constant + Add(*(a * m for a, m in zip(others, moments)))


class Semicircle(_OfBothSigns):
    r"""The semicircle law: eigenvalues of a symmetric matrix of size N with entries of variance :math:`c^2/N`.

    Parameters
    ----------
    D : Symbol
        The eigenvalue, real, between -2c and 2c.
    scale : Expr
        :math:`c`, the root of their mean square.

    Raises
    ------
    DomainError
        For an eigenvalue that is no symbol, or a scale that is not positive.

    See Also
    --------
    asympkit.free_sum : the law of the sum with another matrix.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import Symbol
    >>> D = Symbol("D", real=True)
    >>> ak.mean(D**4, ak.Semicircle(D)).doit()
    2
    """

    def __new__(cls, D: Symbol, scale: Expression | float = 1) -> Self:
        if not isinstance(D, Symbol) or D.is_nonnegative:
            raise DomainError(f"D: got {D!r:.60}; expected the symbol of an eigenvalue of any sign, "
                              "Symbol('D', real=True)")
        scale = as_expression("scale", scale)
        if scale.is_positive is False:
            raise DomainError(f"scale: got {scale!r:.60}; expected a positive number or expression")
        return super().__new__(cls, D, scale)

    described = "the semicircle law SC(scale)"

    @property
    def title(self) -> tuple[Any, ...]:
        return "SC", self.args[1]

    def cumulant(self, order: int) -> Expr:
        return self.args[1]**2 if order == 2 else Integer(0)

    def resolved(self, integrand: Expr) -> Expr | None:
        D, c = self.args
        theta = Dummy("theta", real=True)
        return Average(2 * sin(theta) ** 2 * integrand.xreplace({D: 2 * c * cos(theta)}), Angle(theta))


class FreeSumRoot(PositiveRoot):
    """``FreeSumRoot(a, b)`` is the largest root v of ``v - b v/sqrt(1 + v**2) = a``, a positive number for positive a.
    """

    nargs = 2

    def fdiff(self, argindex=1):
        a, _ = self.args
        v, q = self, sqrt(1 + self**2)
        by_a = v * q**2 / (v**3 + a)
        return by_a if argindex == 1 else v * by_a / q


class FreeSum(_OfBothSigns, ContinuousLaw):
    """The law of :func:`free_sum`: an eigenvalue, ratio and scale of Marchenko-Pastur, scale of the semicircle."""

    described = "the free sum MP+SC(ratio, scale, scale of the semicircle) of a Marchenko-Pastur and a semicircle law"

    @property
    def title(self) -> tuple[Any, ...]:
        return "MP+SC", *self.args[1:]

    def cumulant(self, order: int) -> Expr:
        _, beta, s, c = self.args
        return s * (beta * s) ** (order - 1) + (c**2 if order == 2 else 0)

    def resolved(self, integrand: Expr) -> Expr | None:
        theta, total = Dummy("theta", real=True), []
        for low, high in self._arcs():
            half = (high - low) / 2
            w = Named("w", (high + low) / 2 + half * cos(theta))
            place, weight = self._at(w)
            # the factor sin(theta)/sqrt(1 - w**2) is 1 without a gap
            edge = sin(theta) ** 2 if half == 1 else half * sin(theta) * sqrt(1 - w**2)
            total.append(Average(edge * weight * integrand.xreplace({self.args[0]: place}), Angle(theta)))
        return Add(*total)

    @property
    def numbers(self) -> tuple[Expr, ...]:
        """Ratio and scale of Marchenko-Pastur, scale of the semicircle."""
        return self.args[1:]

    @property
    def _reduced(self):
        _, beta, s, c = self.args
        kappa = Named("kappa", sqrt(beta))
        return Named("a", c / (kappa * s)), kappa

    def _at(self, w):
        """Return the eigenvalue, and the density of w over ``sqrt(1 - w**2)/pi``."""
        a, kappa = self._reduced
        v = Named("v", FreeSumRoot(a, kappa * w))
        r = Named("r", kappa * v / sqrt(1 + v**2))
        place = Named("D", self.args[2] * ((a / v) ** 2 + r**2 * (1 - w**2) - 2 * a * w * r))
        return place, sqrt((v + a) ** 2 - r**2) * (a**2 + v**4 - (r**2 / kappa) ** 2) / (a**2 * (v**3 + a))

    def _arcs(self):
        """Return the intervals of w where there is density: one for symbols, which are refused where there is a gap."""
        (a, kappa), arcs = self._reduced, [(Integer(-1), Integer(1))]
        if self.free_symbols or a ** Rational(2, 3) + 1 >= kappa ** Rational(2, 3):
            return arcs
        ends = [Named("end", (v - a) * sqrt(1 + v**2) / (kappa * v)) for v in (
            1 / FreeSumRoot(-1 / a, kappa / a), FreeSumRoot(-a, kappa))]
        return [(Integer(-1), ends[0]), (ends[1], Integer(1))]

    def edges(self) -> np.ndarray:
        """Return the intervals of the spectrum, shape (number, 2), in increasing order."""
        self.check_numbers("the support")
        return np.sort([[float(self._at(w)[0]) for w in arc] for arc in self._arcs()])[::-1]

    def _density_inside(self, points):
        beta, s, c = map(float, self.numbers)
        found = []
        for x in points:
            cubic = [c * c * beta * s, -c * c - x * beta * s, x - s + beta * s, -1.0]
            g = min(np.roots(cubic), key=lambda g: g.imag)
            for _ in range(2):
                g -= np.polyval(cubic, g) / np.polyval(np.polyder(cubic), g)
            found.append(abs(g.imag) / np.pi)
        return found


def free_sum(first: SpectralLaw, second: SpectralLaw) -> SpectralLaw:
    r"""Return the law of eigenvalues of the sum of two matrices in general position, one with the semicircle law.

    Parameters
    ----------
    first, second : MarchenkoPastur or Semicircle
        One of them a :class:`Semicircle`, whose symbol is the eigenvalue of the sum.

    Returns
    -------
    SpectralLaw
        With ``density(x)`` and ``edges()`` for numbers. Means (:func:`asympkit.mean`) of polynomials close. Where the
        spectrum has a gap (:math:`(c/(\sqrt\beta s))^{2/3}<\beta^{1/3}-1`), means under laws whose numbers are symbols
        are refused, and others have no proof; near its opening all converge slowly.

    Raises
    ------
    DomainError
        For other laws, or a Marchenko-Pastur law with companions.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import Symbol
    >>> D = Symbol("D", real=True)
    >>> law = ak.free_sum(ak.MarchenkoPastur(D, ratio=2), ak.Semicircle(D, scale=3))
    >>> ak.mean(D**2, law).doit()
    12

    References
    ----------
    Biane (1997), Indiana Univ. Math. J. 46, 705.
    """
    wave, other = (first, second) if isinstance(first, Semicircle) else (second, first)
    if isinstance(wave, Semicircle) and isinstance(other, Semicircle):
        return Semicircle(wave.args[0], sqrt(wave.args[1] ** 2 + other.args[1] ** 2))
    if not isinstance(wave, Semicircle) or not isinstance(other, MarchenkoPastur) or other.args[3]:
        raise DomainError(f"free_sum: got {first!r:.60} and {second!r:.60}; expected a Semicircle and a Semicircle or "
                          "a MarchenkoPastur law without companions")
    return FreeSum(wave.args[0], other.args[1], other.args[2], wave.args[1])
