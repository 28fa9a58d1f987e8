r"""Bounds of integrands on the real line beyond the nodes: a size at the edge, and a degree with which they grow.

Where a student saturates, variances such as :math:`Q=q_1\mu_1^2+q_2\mu_2^2` vanish, and quotients by them stay bounded
because their numerators vanish too: :math:`\mu_1^2\le Q/q_1`.
"""

from math import sqrt

import numpy as np
from sympy import Add, Dummy, Integer, Mul, Poly, Pow, Rational, expand_mul, together

from ..balls.backend import arb
from ..numbers.functions.pair_classes import BivariateNormalCDF
from ..program.statements import InnerSum, Means
from .forms import MARGIN, ball_function, bound_above, is_elementary, refusal
from .graphs import Degrees, Sizes

HALF = Rational(1, 2)


class Edge:
    """Bounds for ``|kappa| >= radius``, from sizes of columns at the edge, by the growth of activations, and degrees.
    """

    def __init__(self, sums, columns, degrees):
        self.sums, self.known = sums, {**sums.parameters, **sums.boxes}
        sizes = {s: bound_above(b) for s, b in self.known.items()}
        self.plain, self.rows = self._plain_locals(), {}
        self.bases = set().union(*(_divisors(e, self.plain) for e in self.plain.values()))
        self.sizes = Sizes({**sizes, **columns}, self._size)
        self.degrees = Degrees({**dict.fromkeys(sizes, 0), **degrees}, self._degree)
        self.base = {symbol: e for e, symbol in sums.grid.columns.items()}
        self.squares = self._squares()

    def size(self, integrand):
        """Return a bound at the edge."""
        return sum(self._term(term, self.sizes, self._quotient_size) for term in self._terms(integrand)) * MARGIN

    def degree(self, integrand):
        """Return the degree of a polynomial that has this size at the edge, and bounds the integrand beyond."""
        found = [self._term(term, self.degrees, self._quotient_degree, 0) for term in self._terms(integrand)]
        return int(max(found, default=0))

    # -- products ----------------------------------------------------------------------------------

    def _terms(self, expr):
        kept = {e: Dummy("sum", real=True) for e in expr.atoms(InnerSum)}        # sums inside stay as they are
        back = {mark: e for e, mark in kept.items()}
        return [t.xreplace(back) for t in Add.make_args(expand_mul(expr.xreplace(kept))) if t != 0]

    def _term(self, term, valuation, quotient, one=1.0):
        """Bound a product: its factors that are roots and quotients of columns together, the others one by one."""
        factors = Mul.make_args(term)
        plain = [f for f in factors if self._is_plain(f)]
        found = quotient(Mul(*plain)) if plain else one
        for f in factors:
            if f not in plain:
                found = valuation.times(found, float(np.max(valuation(f))))
        return found

    def _is_plain(self, expr):
        return is_elementary(expr) and not any(s in self.sums.locals and s not in self.plain for s in expr.free_symbols)

    def _plain_locals(self):
        plain = {}
        for symbol, expr in self.sums.locals.items():
            if symbol not in self.sums.graphs and is_elementary(expr) and all(
                    s not in self.sums.locals or s in plain for s in expr.free_symbols):
                plain[symbol] = expr
        return plain

    # -- expressions that are no sum, product or power ----------------------------------------------------------

    def _size(self, expr):
        return self._special(expr, self.sizes, self.size, self._quotient_size, 1.0)

    def _degree(self, expr):
        return self._special(expr, self.degrees, self.degree, self._quotient_degree, 0)

    def _special(self, expr, valuation, whole, quotient, probability):
        """Bound an expression that is no sum, product or power by its size or by its degree."""
        sums, is_size = self.sums, valuation is self.sizes
        if expr in sums.graphs:
            graph = sums.graph(expr)
            found = graph.edge(valuation, self.floor) if is_size else graph.degree(valuation)
        elif expr in self.plain:
            found = quotient(expr)
        elif expr in sums.locals:
            found = whole(sums.locals[expr])
        elif isinstance(expr, InnerSum):
            inner = sums.inner[expr]
            V, C, W = (valuation(q) for q in inner.quantities[:3])
            found = (inner.size if is_size else inner.degree)(valuation, C, V, W)
        elif isinstance(expr, BivariateNormalCDF):
            found = probability
        else:
            return quotient(expr) if is_elementary(expr) else None
        valuation.known[expr] = found
        return found

    # -- roots and quotients of columns ------------------------------------------------------------

    def _quotient_size(self, expr):
        return sum(number * np.prod([float(np.max(self.sizes(c))) ** float(e) for c, e in powers.items()])
                   for number, powers in self._monomials(expr)) * MARGIN

    def _quotient_degree(self, expr):
        return max((sum(float(self.degrees(c)) * float(e) for c, e in powers.items())
                    for _, powers in self._monomials(expr)), default=0)

    def _monomials(self, expr):
        """Return ``[(bound of the coefficient, {column: power >= 0})]``, whose sum bounds the expression."""
        bases = self.bases | _divisors(expr, self.plain)
        full = self._opened(expr.xreplace(self._rows(expr, bases)))
        full = full.xreplace({s: e for s, e in self.base.items() if s not in self.squares})
        return [self._monomial(term, bases) for term in Add.make_args(full.expand()) if term != 0]

    def _rows(self, expr, bases):
        """Return the definitions of the locals in an expression, except those of variances that are divisors."""
        return {s: self._row(s) for s in expr.free_symbols if s in self.plain and s not in bases}

    def _row(self, symbol):
        if symbol not in self.rows:
            expr = self.plain[symbol]
            self.rows[symbol] = self._opened(expr.xreplace(self._rows(expr, self.bases)))
        return self.rows[symbol]

    def _opened(self, expr):
        """Replace roots of sums, and quotients by them, by marks with their bounds."""
        found = {}
        for p in expr.atoms(Pow):
            if p.base.is_Add and not p.base.free_symbols <= set(self.known) and not (p.exp.is_Integer and p.exp > 0):
                if p.exp.is_negative:
                    size, degree = self._above_zero(p.base) ** float(p.exp) * MARGIN, 0
                else:
                    size, degree = self.size(p.base) ** float(p.exp), self.degree(p.base) * float(p.exp)
                found[p] = self._mark(size, degree)
        return expr.xreplace(found)

    def _above_zero(self, base):
        least = self.floor(base)
        if not least > 0:
            raise refusal(f"certify: a quotient by {str(base)[:60]} has no bound on the real line, where it may "
                          "vanish; precise() computes digits without a proof")
        return least

    def _mark(self, size, degree):
        mark = Dummy("bound", real=True)
        self.sizes.known[mark], self.degrees.known[mark] = size, degree
        return mark

    def _monomial(self, term, bases):
        powers, number = {}, Integer(1)
        for factor in Mul.make_args(term):
            base, exponent = factor.as_base_exp()
            if factor.free_symbols <= set(self.known):
                number *= factor
            elif base.is_Symbol:
                powers[base] = powers.get(base, 0) + exponent
            else:
                raise refusal(f"certify: no bound of {str(factor)[:80]} on the real line is known; precise() computes "
                              "digits without a proof")
        size = bound_above(arb(ball_function(number)(self.known)))
        for base in [b for b, e in powers.items() if e.is_negative]:
            size *= self._cancelled(base, powers)
        for base in [b for b in powers if b in bases and powers[b] != 0]:       # only their numerators remain
            exponent = float(powers.pop(base))
            powers[self._mark(float(np.max(self.sizes(self.plain[base]))) ** exponent,
                              float(self.degrees(self.plain[base])) * exponent)] = Integer(1)
        return size * MARGIN, powers

    def _cancelled(self, base, powers):
        """Bound the quotient by a power of a variance, taken out of the powers: each of its terms is below it."""
        missing, size = -powers.pop(base), 1.0
        for square, c in self._parts(base) if base in self.plain else ():
            (column, power), = square.as_powers_dict().items()
            used = min(missing, powers.get(column, Integer(0)) / power)
            if used > 0 and c > 0:
                powers[column] -= used * power
                missing -= used
                size /= float(c.lower()) ** float(used)
        return size * (self._above_zero(base) ** -float(missing) if missing else 1.0) * MARGIN

    def _parts(self, base):
        """Return ``[(square, coefficient)]`` of a variance that is a sum of squares, else []."""
        full = self._full(self.plain[base])
        if not _is_polynomial(full, varying := self._varying(full)):
            return []
        rows = self._numbers(Poly(full, *varying))
        if not (self._has_squares(rows.items(), varying) and all(c >= 0 for c in rows.values())):
            return []
        return [(Mul(*(v**k for v, k in zip(varying, m))), c) for m, c in rows.items() if sum(k > 0 for k in m) == 1]

    # -- least values ------------------------------------------------------------------------------

    def floor(self, expr):
        """Bound a root or a quotient of polynomials from below on the real line; 0 if no bound is found."""
        if expr in self.plain:
            return self.floor(self.plain[expr])
        if expr.is_Pow and expr.exp == HALF:
            return sqrt(self.floor(expr.base)) / MARGIN
        above_, below = together(self._full(expr)).as_numer_denom()
        varying = self._varying(above_ + below)
        if not (_is_polynomial(above_, varying) and _is_polynomial(below, varying)):
            return 0.0
        rows = [self._without_lines(Poly(above_, *varying), varying), self._numbers(Poly(below, *varying))]
        if rows[0] is None or not self._has_squares(rows[1].items(), varying) or not all(
                c > 0 for c in rows[1].values()):
            return 0.0
        if not all(c >= 0 for m, c in rows[0].items() if m not in rows[1]):
            return 0.0
        quotients = [rows[0].get(m, arb(0)) / c for m, c in rows[1].items()]
        least = min(float(q.lower()) for q in quotients)
        return max(least / MARGIN, 0.0)

    def _full(self, expr):
        rows = {}
        for s, e in self.plain.items():
            rows[s] = e.xreplace(rows)
        return expr.xreplace(rows).xreplace({s: e for s, e in self.base.items() if s not in self.squares})

    def _varying(self, expr):
        return sorted(expr.free_symbols - set(self.known), key=str) or [self.sums.node]

    def _numbers(self, poly):
        return {m: arb(ball_function(c)(self.known)) for m, c in poly.terms()}

    def _has_squares(self, rows, varying):
        return all(k % 2 == 0 or v in self.squares for m, _ in rows for k, v in zip(m, varying))

    def _without_lines(self, poly, varying):
        """Return ``{powers: coefficient}`` of a polynomial below a given one, in which squares alone vary, or None."""
        rows = self._numbers(poly)
        none = (0,) * len(varying)
        for i, v in enumerate(varying):
            line = tuple(int(j == i) for j in range(len(varying)))
            square = tuple(2 * k for k in line)
            if v not in self.squares and line in rows:          # a v**2 + b v >= -b**2/(4 a)
                b, a = rows.pop(line), rows.get(square)
                if a is None or not a > 0:
                    return None
                rows[none] = rows.get(none, arb(0)) - b * b / (4 * a)
                del rows[square]
        return rows if self._has_squares(rows.items(), varying) else None

    def _squares(self):
        """Return columns, and outputs of means, that are means of even powers."""
        preparation = self.sums.grid.preparation
        found = {symbol for s in preparation if isinstance(s, Means) for symbol, f in s.items
                 if f.is_Pow and f.exp.is_Integer and f.exp % 2 == 0}
        found |= {s.symbol for s in preparation if not isinstance(s, Means) and s.expr in found}
        return found


def _is_polynomial(expr, varying):
    return expr.is_polynomial(*varying)


def _divisors(expr, plain):
    """Return the locals that an expression divides by, or takes roots of."""
    return {p.base for p in expr.atoms(Pow) if p.base in plain and not (p.exp.is_Integer and p.exp > 0)}
