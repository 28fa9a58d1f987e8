"""The interface that a spectral law implements for :func:`asympkit.mean`.

The mean of a rational function of an eigenvalue, or of a logarithm, closes term by term.  Spectral densities with
square-root edges are means over an angle, uniform on a half circle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sympy import Add, Dummy, Float, Function, Mul, N, Pow, expand_mul, log

from ..arguments import quote
from ..errors import ConvergenceError, DomainError
from ..gauss.measure import MeasureOfVariables
from ..nodes.average import Average, Measure
from ..nodes.named import Named, remove_names
from ..numbers.evaluation import Digits, evaluate

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike
    from sympy import Expr, Symbol


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
