"""Square roots of parameters, such as ``sqrt(1 - rho^2)``, as positive symbols with a relation.

In an integrand that is real the roots in it are real, hence not negative: their sign need not follow
from assumptions.  For ``c = sqrt(m + n s^2)`` with numbers m and n, even powers of s are written through
c, so that multiples of the root are recognised.
"""

from sympy import Add, Dummy, Float, Pow, S, cancel, exp, sqrt


class Root(Dummy):
    """A positive symbol for a square root; ``lowers`` is ``(s, s^2 in terms of the root)`` or None."""

    def __new__(cls, base):
        self = super().__new__(cls, "c", positive=True)
        self.base, self.lowers = base, None
        symbols = base.free_symbols
        if len(symbols) == 1:
            (s,) = symbols
            coefficients = base.as_poly(s).all_coeffs() if base.is_polynomial(s) else ()
            if len(coefficients) == 3 and not coefficients[1]:
                self.lowers = s, (self**2 - coefficients[2]) / coefficients[0]
        return self


def lowered(x, again, roots=None):
    """Replace even powers of the symbols under roots; ``again`` simplifies the changed expression."""
    for root in roots_in(x) if roots is None else roots:
        if not root.lowers:
            continue
        s, square = root.lowers
        high = {p: _lower(p, square) for p in x.atoms(Pow) if p.base == s and p.exp.is_Integer and abs(p.exp) > 1}
        if high:
            x = again(x.xreplace(high))
    return x


def roots_in(x):
    """Return the roots in an expression, in a reproducible order."""
    return sorted((s for s in x.free_symbols if isinstance(s, Root)), key=lambda s: s.dummy_index)


def canonical(x):
    """Return a canonical form of a rational expression: ``s/(1 - s^2)`` and ``s/c^2`` get the same."""
    roots = roots_in(x)
    if not roots or x.has(Float):
        return x
    return lowered(cancel(written_out(x)), lambda y: y.expand(), roots)


def _lower(power, square):
    n = int(power.exp)
    return square ** (abs(n) // 2 * (1 if n > 0 else -1)) * power.base ** (n % 2 if n > 0 else -(abs(n) % 2))


def written_out(x):
    """Write out the roots in an expression, to decide its sign."""
    roots = {s: sqrt(s.base) for s in x.free_symbols if isinstance(s, Root)}
    return x.xreplace(roots) if roots else x


class Roots:
    """The roots of one expression: taken out before the rules are applied, put back afterwards."""

    def __init__(self, expr, bound):
        self.real, self.known = {}, []
        bases = {p.base for p in expr.atoms(Pow) if p.exp.is_Rational and p.exp.q == 2 and _is_parameter(p.base, bound)}
        for base in sorted(bases, key=str):
            # under a root the square of a symbol is real, and so is the symbol wherever 1 - s^2 >= 0
            loose = [s for s in base.free_symbols if s.is_extended_real is None and base == 1 - s**2]
            self.real.update({s: Dummy(s.name, real=True) for s in loose})
            base = base.xreplace(self.real)
            if base.is_extended_real is not False:
                self.known.append(Root(base))

    def masked(self, expr):
        """Replace every root and its powers by symbols."""
        expr = expr.xreplace(self.real) if self.real else expr
        for root in self.known:
            powers = {p: root ** (2 * p.exp) for p in expr.atoms(Pow) if p.base == root.base}
            # a sum as a whole is recognised also where it is not under a root
            expr = expr.xreplace({**powers, root.base: root**2} if isinstance(root.base, Add) else powers)
        return expr

    def unmasked(self, expr):
        """Write the roots out."""
        back = {new: old for old, new in self.real.items()}
        # roots may be nested
        for root in reversed(self.known):
            expr = expr.xreplace({root: sqrt(root.base)})
        if self.known:
            expr = expr.replace(exp, lambda x: exp(cancel(x)) if x.free_symbols and not x.has(Float) else exp(x))
        return expr.xreplace(back) if back else expr


def _is_parameter(base, bound):
    symbols = base.free_symbols
    return bool(symbols) and not symbols & bound and not base.is_positive and base is not S.One
