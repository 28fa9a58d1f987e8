r"""Spectral laws: their interface for :func:`asympkit.mean`, and the Marchenko-Pastur law.

The mean of a rational function of an eigenvalue, or of a logarithm, closes term by term.  Spectral densities with
square-root edges are means over an angle, uniform on a half circle.

Of the Marchenko-Pastur law, :math:`D` is distributed as the eigenvalues of :math:`(c/d) G G^T`, :math:`G` a
:math:`p\times d` matrix of independent standard normals, :math:`p/d\to\beta` (``ratio``), :math:`c` = ``scale``; for
:math:`\beta>1` a fraction :math:`1-1/\beta` of them is zero.  Its means over products of different linear denominators
have no differences of nearly equal numbers: with :math:`g=E\,1/(D+s)` and :math:`e=1+\beta cg` at every shift, the
equation of the resolvent gives

.. math:: E\frac1{(D+s)(D+t)} = \frac{g_t-g_s}{s-t} = \frac{g_sg_te_t}{1+\beta c\,s\,g_sg_t},

whose terms are positive, also where s and t meet; numerators and a third factor follow in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sympy import (
    Add,
    Dummy,
    Float,
    Function,
    Integer,
    Mul,
    N,
    Pow,
    Rational,
    Symbol,
    Tuple,
    binomial,
    cos,
    expand_mul,
    factorial,
    log,
    nan,
    oo,
    sin,
    sqrt,
    zoo,
)

from ..arguments import quote
from ..errors import ConvergenceError, DomainError
from ..gauss.measure import MeasureOfVariables
from ..nodes.average import Average, Measure
from ..nodes.named import Named, as_expression, remove_names
from ..numbers.evaluation import Digits, evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

    from numpy.typing import ArrayLike
    from sympy import Expr, Symbol

    from ..annotations import Expression


class PositiveRoot(Function):
    """Base of listed functions that are positive roots of polynomials: their values are computed in any precision."""

    def _eval_is_positive(self):
        return True

    def _eval_is_extended_real(self):
        return True

    def _eval_evalf(self, prec):
        if not all(a.is_number for a in self.args):
            return None
        numbers = Digits(int(prec / 3.32) + 10)
        value = numbers.function(type(self).__name__, *[numbers.mp.convert(a._to_mpmath(prec + 20)) for a in self.args])
        return Float._new(value._mpf_, prec)


class SpectralLaw(Measure):
    """A law of eigenvalues given by its parameters: its means need no arrays.

    A law is one class, with its variables (``bound_symbols``; the eigenvalue first, then companions) and one or both of
    two methods for means, from which everything else follows (derivatives, solvers, sweeps, multiprecision, balls,
    exported modules).

    * :meth:`close` returns a mean as an expression in listed functions, where there is one.
    * :meth:`resolved` returns it as an expression in averages for which there are rules: over normals
      (:func:`asympkit.E`), over given eigenvalues, over an :class:`~asympkit.spectra.Angle`, or over other laws.

    ``conditions`` are expressions that are positive where the law is one. A law whose parameters are its sympy ``args``
    needs nothing else.
    """

    def close(self, integrand: Expr) -> Expr | None:
        """Return the mean of an integrand in closed form, or None where none is known."""
        return

    def resolved(self, integrand: Expr) -> Expr | None:
        """Return the mean of an integrand in averages for which there are rules, or None where there is none."""
        return

    def positivity(self, symbol: Symbol) -> int | None:
        """See :class:`~asympkit.nodes.Measure`: eigenvalues are non-negative, and not all of them are 0."""
        return 1 if symbol == self.bound_symbols[0] else None

    def value(self, average: Average, digits: int) -> Any:
        """Evaluate a mean without free symbols through the averages it resolves to, each to so many digits."""
        found = self.resolved(average.integrand)
        return super().value(average, digits) if found is None else N(found, digits)


class ContinuousLaw(SpectralLaw):
    """A law whose density and intervals are known where its ``numbers`` are no symbols.

    Subclasses define ``numbers``, ``edges()`` and ``_density_inside(points)``, an array.
    """

    def density(self, x: ArrayLike) -> np.ndarray:
        """Evaluate the density of the continuous part of the spectrum.

        Parameters
        ----------
        x : array_like
            Eigenvalues.

        Returns
        -------
        ndarray
            Of the shape of x; 0 outside of the intervals of ``edges()``.

        Raises
        ------
        DomainError
            For points that are no real numbers, or a law whose numbers are symbols.
        """
        try:
            points = np.asarray(x, dtype=float)
        except (TypeError, ValueError):
            points = np.array(np.nan)
        if np.isnan(points).any():
            raise DomainError(f"x: got {quote(x)}; expected real numbers, eigenvalues of the law")
        low, high = self.edges().T
        inside = ((points[..., None] > low) & (points[..., None] < high)).any(axis=-1)
        found = np.zeros(points.shape)
        found[inside] = self._density_inside(points[inside])
        return found

    def check_numbers(self, what: str) -> None:
        """Raise DomainError where numbers of the law are symbols."""
        if free := set().union(*(x.free_symbols for x in self.numbers)):
            raise DomainError(f"law: {what} of {type(self).__name__} that holds {', '.join(sorted(map(str, free)))}; "
                              "expected numbers: means that close, or are over one interval, are for symbols too")


def close_rational(integrand, law):
    """Return the mean of a rational integrand, or a logarithm, under a law, or None if it is not of the form.

    Each term must be ``coefficient * D**j`` over powers of linear functions ``a*D + b``, or
    ``coefficient * log(a*D + b)``, companions entering linearly.  Only products are expanded: partial fractions to pure
    powers of ``1/(D+t)`` lose ten digits.
    """
    D = law.args[0]
    integrand = eliminate_companions(integrand, law)
    if integrand is None:
        return None
    sealed, opened, inverses = _hide_parts(integrand, D)
    if any(D in hidden.free_symbols for hidden in opened.values()):
        return None
    total = []
    for term in Add.make_args(expand_mul(sealed)):
        closed = _term(term, D, law, inverses)
        if closed is None:
            return None
        total.append(closed)
    return Add(*total).xreplace(opened)


def eliminate_companions(integrand, law):
    """Replace companions by their conditional means; return None where they do not enter linearly."""
    D, bound = law.args[0], set(law.bound_symbols)
    integrand = remove_names(integrand, lambda n: bool(n.free_symbols & bound))
    for companion, conditional_mean in law.args[3]:
        slope = integrand.diff(companion)
        if slope.free_symbols & (bound - {D}):      # the mean of a product of companions is unknown
            return None
        integrand = integrand.subs(companion, 0) + slope * conditional_mean
    return integrand


def _hide_parts(expr, D):
    """Hide everything that must not be expanded behind dummies: names, averages, denominators in D.

    Returns the expression, ``{dummy: name or average}`` and ``{dummy: denominator whose inverse it is}``.
    """
    opened, inverses = {}, {}

    def walk(e):
        if isinstance(e, (Named, Average)):
            for dummy, value in opened.items():
                if value == e:
                    return dummy
            dummy = Dummy(f"sealed{len(opened)}", **_sign(e))
            opened[dummy] = e
            return dummy
        if not e.args:
            return e
        if isinstance(e, Pow) and e.exp.is_Integer and e.exp < 0 and D in e.free_symbols:
            base = walk(e.base)
            dummy = next((d for d, known in inverses.items() if known == base), Dummy("inverse", positive=True))
            inverses[dummy] = base
            return dummy ** (-e.exp)
        return e.func(*[walk(a) for a in e.args])

    return walk(expr), opened, inverses


def _term(term, D, law, inverses):
    coefficient, j, below, logarithms = [], 0, {}, []
    for factor in Mul.make_args(term):
        root, power = (factor.base, factor.exp) if isinstance(factor, Pow) else (factor, 1)
        if root in inverses:
            below[inverses[root]] = int(power)
            continue
        if D not in factor.free_symbols:
            coefficient.append(factor)
            continue
        if getattr(power, "is_integer", isinstance(power, int)) is not True:
            return None
        if root == D and power > 0:
            j += int(power)
        elif isinstance(root, log) and power == 1:
            logarithms.append(root.args[0])
        else:
            return None
    lines = [(_line(root, D, law), k) for root, k in below.items()]
    if any(line is None for line, _ in lines):
        return None
    factors = [(a, b, k) for (a, b, _), k in lines]
    coefficient += [sign**k for (_, _, sign), k in lines]
    if logarithms:
        line = _line(logarithms[0], D, law)
        is_alone = line is not None and line[2] == 1 and len(logarithms) == 1 and not (j or below)
        value = law.log_mean(*line[:2]) if is_alone and not line[1].is_zero else None
    elif len(factors) > 1:
        value = law.product(j, factors)
    else:
        a, b, k = factors[0] if factors else (None, None, 0)
        value = law.moment(j, k, a, b)
    return None if value is None else Mul(*coefficient, value)


def _sign(expr):
    """Return the known sign of an expression, as assumptions of the symbol that replaces it."""
    return {"positive": True} if expr.is_positive else {"nonnegative": True} if expr.is_nonnegative else {"real": True}


def _line(root, D, law):
    """Return ``(a, b, sign)`` of a linear function ``sign*(a D + b)`` proved positive at every eigenvalue, or None.

    Elsewhere the resolvent has another branch: a zero may lie above the spectrum, or in it.
    """
    a = root.diff(D)
    if D in a.free_symbols:
        return None
    b = root.subs(D, 0)
    sign = -1 if b.is_negative or b.is_zero and a.is_negative else 1
    a, b = sign * a, sign * b
    # a zero at D = 0 is that of a mean which is finite for a ratio below 1, and comes out infinite at others
    return (a, b, sign) if a.is_nonnegative and (b.is_positive or b.is_zero and not law.has_atom) else None


#: angles of the largest rule that a value is looked for with
_MOST = 4096


class Angle(MeasureOfVariables):
    """An angle between 0 and pi, all equally likely.

    Integrands are even and periodic functions of it, such as functions of its cosine: then the mean over equidistant
    angles converges geometrically, at a rate that singularities beside the real line set.
    """

    def value(self, average, digits):
        """Evaluate the mean over equidistant angles, doubled until two agree."""
        numbers, (theta,), integrand = Digits(digits + 10), self.bound_symbols, remove_names(average.integrand)
        mp, count, before = numbers.mp, 24, None
        while count <= _MOST:
            angles = np.array([mp.pi * (2 * k + 1) / (2 * count) for k in range(count)], dtype=object)
            found = mp.fsum(np.broadcast_to(evaluate(integrand, {theta: angles}, numbers), angles.shape)) / count
            if before is not None and abs(found - before) <= mp.mpf(10) ** -(digits // 2 + 2) * max(1, abs(found)):
                return found            # the next one would square the difference
            before, count = found, 2 * count
        raise ConvergenceError(f"evalf: a mean over a spectral law needs more than {_MOST} angles for {digits} digits: "
                               "its integrand is nearly singular at an edge of the law; pass fewer digits")

    def _mean_str(self, integrand, printer):
        return f"<{printer._print(integrand)}>_{self.bound_symbols[0].name}"

    def _mean_latex(self, integrand, printer):
        return rf"\left\langle {printer._print(integrand)} \right\rangle_{{{printer._print(self.bound_symbols[0])}}}"


# -- the Marchenko-Pastur law ------------------------------------------------------------------------------------------


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
    shifts = [Dummy(f"y{i}", positive=True) if k > 1 else b for i, (_, b, k) in enumerate(factors)]
    lines = [(a, y) for (a, _, _), y in zip(factors, shifts)]
    value = _two(j, *lines, scale, ratio) if len(factors) == 2 else _three(*lines, scale, ratio)
    for y, (_, b, k) in zip(shifts, factors):
        if k > 1:           # d/db of 1/(aD+b)
            value = (value.diff(y, k - 1) * (-1) ** (k - 1) / factorial(k - 1)).subs(y, b)
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
_NEAR = (Rational(4, 5), Rational(5, 4))


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

    def __new__(cls, D: Symbol, ratio: Expression | float, scale: Expression | float = 1,
                conditional: Mapping[Symbol, Expr] | None = None) -> Self:
        pairs = conditional.items() if isinstance(conditional, dict) else (conditional or ())
        pairs = Tuple(*[Tuple(*p) for p in pairs])
        if not isinstance(D, Symbol):
            raise DomainError(f"D: got {D!r:.60}; expected the symbol of an eigenvalue")
        ratio, scale = as_expression("ratio", ratio), as_expression("scale", scale)
        for name, value in (("ratio", ratio), ("scale", scale)):
            if value.is_positive is False:
                raise DomainError(f"{name}: got {value!r:.60}; expected a positive number or expression")
        return super().__new__(cls, D, ratio, scale, pairs)

    @property
    def bound_symbols(self) -> tuple[Symbol, ...]:
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
        theta = Dummy("theta", real=True)
        value = Named("D", c * (1 + beta + 2 * sqrt(beta) * cos(theta)))
        density = 2 * c * sin(theta) ** 2 / value
        bulk = Average(density * f.xreplace({D: value}), Angle(theta))
        is_far = beta.is_number and not _NEAR[0] < beta < _NEAR[1]
        if self.has_no_atom and is_far:
            return bulk
        at_zero = f.subs(D, 0)
        if at_zero.has(oo, -oo, zoo, nan):
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
        return -log(G) + log(e) / beta - c * a * G / e

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
        y = Symbol("y", positive=True)
        return -self.moment(j, k - 1, a, y).diff(y).subs(y, b) / (k - 1)


def _plain_moment(j, c, beta):
    """Return E D^j by the Narayana numbers."""
    if j == 0:
        return Integer(1)
    return c**j * sum(binomial(j, i + 1) * binomial(j, i) / j * beta**i for i in range(j))
