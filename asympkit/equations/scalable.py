r"""Prove from the form of its equations that a block has at most one positive solution.

A map :math:`T` of positive vectors that increases and is strictly scalable, :math:`T(tV)<tT(V)` for :math:`t>1`,
has at most one fixed point (R. D. Yates, IEEE J. Sel. Areas Commun. 13, 1341 (1995); the proof is the last step of
``asympkit derive one_step.uniqueness``).  Both properties follow from the form of an expression by few rules, which
know no theory: a sum keeps them, a reciprocal reverses the direction, products add degrees, averages keep
everything, and a constant term makes a sum strict.
"""

from contextlib import suppress
from typing import NamedTuple

from sympy import Abs, Add, Expr, Integer, Mul, Pow, Rational, exp, expand_mul

from ..nodes import Applied, Average, Named, remove_names, slope
from ..nodes.named import BoundSymbol

#: how far something holds: nowhere proved, on a set of positive measure, everywhere
NOWHERE, SOMEWHERE, EVERYWHERE = 0, 1, 2


class Refusal(Exception):  # noqa: N818 - no error: the form is beyond the rules
    """An expression to which no rule applies; the text names it."""


class MapShape(NamedTuple):
    """Proved properties of a non-negative function f of the unknowns.

    It increases (``direction`` 1), decreases (-1) or is constant (0), and :math:`f(tV)\\le t^df(V)` for t > 1
    (:math:`f(tV)\\ge t^{-d}f(V)` if it decreases), d the ``degree``; ``positive`` and ``strict`` say how far f > 0
    and the inequality with ``<`` hold.
    """

    direction: int
    degree: Expr
    positive: int
    strict: int = NOWHERE

    def lifted(self, degree):
        """Raise the degree: the inequality is then strict wherever f is positive."""
        return self if degree == self.degree else self._replace(degree=degree, strict=self.positive)


def prove_scalable(block, sign, is_positive=None):
    """Raise a Refusal unless the maps of a non-linear block are proved to increase and to be strictly scalable.

    ``sign(expr)`` of an expression in parameters is 1 for positive, 0 for non-negative, None for not known.
    ``is_positive(expr)`` is True if a polynomial in conditional means of activations is proved to be positive, at a
    value of the conditioning variable.
    """
    shapes = {u: MapShape(1, Integer(1), EVERYWHERE) for u in block.torn}
    rules = _Rules(shapes, sign, {*block.unknowns}, is_positive)
    for u, f in block.assignments:
        rules.shapes[u] = rules.shape(f)
    for u, f, is_map in block.equations:
        factor = own_factor(u, f, is_map)
        if not (factor and u.is_positive):
            raise Refusal(f"the equation of {u} is no map of a positive unknown")
        found = rules.shape(f if is_map else expand_mul(u - f / factor))
        if found.direction < 0:
            raise Refusal(f"the map of {u} decreases")
        if found.degree > 1:
            raise Refusal(f"the map of {u} may grow like the power {found.degree} of the unknowns")
        found = found.lifted(Integer(1))
        if min(found.strict, found.positive) < EVERYWHERE:
            raise Refusal(f"the map of {u} is not proved to be strictly scalable")


def own_factor(u, f, is_map):
    """Return the number c for which an equation reads ``u = u - f/c``, or None; 1 for a map ``u = f``."""
    if is_map:
        return Integer(1)
    factors = [t.as_coeff_Mul() for t in Add.make_args(f)]
    return next((c for c, rest in factors if rest == u and c.is_Rational), None)


def by_assumptions(expr):
    """Return the sign that follows from the assumptions of the symbols."""
    return 1 if expr.is_positive else 0 if expr.is_nonnegative else None


class _Rules:
    """The rules, with the shapes of the unknowns that are known so far."""

    def __init__(self, shapes, sign, unknowns, is_positive=None):
        self.shapes, self.sign, self.unknowns, self.is_positive = shapes, sign, unknowns, is_positive
        self.places = {}             # how far squares of conditional means are positive around a place
        self.bound = {}              # bound symbols of the averages around, and how far they are positive

    # -- functions of the unknowns -------------------------------------------------------------------

    def shape(self, e):
        """Return the :class:`MapShape` of an expression."""
        if e in self.shapes:
            return self.shapes[e]
        if isinstance(e, Named):
            return self.shape(e.expr)
        if not e.free_symbols & self.unknowns:
            return MapShape(0, Integer(0), self.constant(e))
        if isinstance(e, Add):
            return _sum([self.shape(a) for a in e.args])
        if isinstance(e, Mul):
            return self._product(e)
        if isinstance(e, Pow) and isinstance(e.exp, Rational):
            return _power(self.shape(e.base), e.exp, e)
        if isinstance(e, Average):
            return self._average(e, e.integrand)
        raise Refusal(f"no rule for {e}")

    def _product(self, e):
        """Return the shape of a product: as written, with a factor above moved below, a/(b + a c) = 1/(b/a + c), or
        with its factors in an average."""
        try:
            return _product([self.shape(a) for a in e.args])
        except Refusal as refusal:
            for above, below, form in _quotients(e):
                with suppress(Refusal):
                    return self._quotient(above, below, form)
            for average in (a for a in e.args if isinstance(a, Average)):
                factor = Mul(*(a for a in e.args if a is not average))
                if not factor.free_symbols & set(average.bound_symbols):
                    with suppress(Refusal):
                        return self._average(average, factor * average.integrand)
            raise refusal

    def _quotient(self, above, below, form):
        """Return the shape of a product whose factor ``above`` divides in ``form``: it is 0 where that is, as long as
        the other terms below are positive."""
        own, before = self.shape(above), self.shapes
        if own.positive < EVERYWHERE and self.shape(below).positive < EVERYWHERE:
            raise Refusal(f"{above} is not proved to be > 0")
        self.shapes = {**before, above: own._replace(positive=EVERYWHERE)}
        try:
            found = self.shape(form)
        finally:
            self.shapes = before
        return found._replace(positive=_all([found.positive, own.positive]), strict=_all([found.strict, own.positive]))

    def _average(self, e, integrand):
        with _Inside(self, e):
            found = self.shape(integrand)
        return found._replace(positive=_integrated(found.positive), strict=_integrated(found.strict))

    # -- constants: numbers, parameters, variables of averages only ------------------------------------

    def constant(self, e):
        """Return how far an expression without unknowns is positive; raise unless it is proved not to be negative."""
        if isinstance(e, Named):
            return self.constant(e.expr)
        if e in self.bound:
            if self.bound[e] is None:
                raise Refusal(f"the sign of {e} is not known")
            return self.bound[e]
        if not e.free_symbols & set(self.bound) and not e.has(Average):
            found = self.sign(e)
            if found is None:
                raise Refusal(f"{e} is not proved to be >= 0")
            return EVERYWHERE if found else NOWHERE
        if isinstance(e, Add):
            return max(self.constant(a) for a in e.args)
        if isinstance(e, Mul):
            return _all([self.constant(a) for a in e.args])
        if isinstance(e, Pow) and isinstance(e.exp, Integer) and e.exp > 0 and e.exp % 2 == 0:
            return self._somewhere(e)           # a square of a real number
        if isinstance(e, Pow) and isinstance(e.exp, Rational):
            level = self.constant(e.base)
            if e.exp < 0 and level < EVERYWHERE:
                raise Refusal(f"{e.base} is not proved to be > 0")
            return level
        if isinstance(e, exp):
            return EVERYWHERE
        if isinstance(e, Abs):
            return NOWHERE
        if isinstance(e, Average):
            with _Inside(self, e):
                found = _integrated(self.constant(e.integrand))
            return found or self._somewhere(e)
        raise Refusal(f"{e} is not proved to be >= 0")

    def _somewhere(self, e):
        """Return how far a nonnegative expression is positive: near a place, where conditional means are positive.

        They are analytic in the conditioning variable if the width of the activation's argument is positive.
        """
        free = e.free_symbols & set(self.bound)
        if not (self.is_positive and len(free) == 1 and _is_smooth(remove_names(e), self.sign)):
            return NOWHERE
        there = e.xreplace(dict.fromkeys(free, Integer(1)))
        if there not in self.places:
            self.places[there] = SOMEWHERE if self.is_positive(there) else NOWHERE
        return self.places[there]


class _Inside:
    """Shapes within an average, with its bound symbols."""

    def __init__(self, rules, average):
        measure = average.measure
        if measure.free_symbols & rules.unknowns:
            raise Refusal(f"the measure of {average} depends on unknowns")
        for e in measure.conditions:
            if rules.constant(e) < EVERYWHERE:
                raise Refusal(f"{e} is not proved to be > 0")
        self.rules, self.before = rules, rules.bound
        self.inside = {b: measure.positivity(b) for b in measure.bound_symbols}

    def __enter__(self):
        self.rules.bound = {**self.before, **self.inside}

    def __exit__(self, *_):
        self.rules.bound = self.before


def _is_smooth(expr, sign):
    """Return whether an expression is a polynomial in means of activations over normals that widen their arguments."""
    if isinstance(expr, Average):
        inside = expr.integrand.atoms(Applied)
        widths = [slope(a.argument, z) for a in inside for z in expr.bound_symbols]
        return len(expr.bound_symbols) == 1 and all(not b.has(Average) and sign(b) == 1 for b in widths)
    if isinstance(expr, Pow):
        return not expr.exp.free_symbols and (_is_smooth(expr.base, sign) and expr.exp.is_Integer and expr.exp > 0
                                              or not expr.has(Average, Applied, BoundSymbol))
    if isinstance(expr, Add | Mul):
        return all(_is_smooth(a, sign) for a in expr.args)
    return expr.is_Symbol or expr.is_Number


def _quotients(product):
    """Move a factor of a product into a sum below where it divides a term; yield the factor, the other terms and the
    form."""
    for below in product.args:
        if not (isinstance(below, Pow) and below.exp == -1 and isinstance(below.base, Add)):
            continue
        for above in product.args:
            terms = below.base.args
            if not above.is_number and any(above in Mul.make_args(t) for t in terms):
                rest = Mul(*(a for a in product.args if a not in (above, below)))
                others = Add(*(t for t in terms if above not in Mul.make_args(t)))
                yield above, others, rest / Add(*(t / above for t in terms))


def _all(levels):
    """Return how far all of several properties hold: sets of positive measure need not meet."""
    if min(levels) == NOWHERE or levels.count(SOMEWHERE) > 1:
        return NOWHERE
    return min(levels)


def _integrated(level):
    return EVERYWHERE if level else NOWHERE


def _direction(shapes):
    found = {s.direction for s in shapes} - {0}
    if len(found) > 1:
        raise Refusal("something that increases meets something that decreases")
    return found.pop() if found else 0


def _sum(shapes):
    direction, degree = _direction(shapes), max(s.degree for s in shapes)
    shapes = [s.lifted(degree) for s in shapes]
    return MapShape(direction, degree, max(s.positive for s in shapes), max(s.strict for s in shapes))


def _product(shapes):
    strict = max(_all([s.strict, *(o.positive for j, o in enumerate(shapes) if j != i)])
                 for i, s in enumerate(shapes))
    return MapShape(_direction(shapes), sum(s.degree for s in shapes), _all([s.positive for s in shapes]), strict)


def _power(shape, exponent, e):
    if exponent < 0 and shape.positive < EVERYWHERE:
        raise Refusal(f"{e.base} is not proved to be > 0")
    direction = shape.direction if exponent > 0 else -shape.direction
    return shape._replace(direction=direction, degree=abs(exponent) * shape.degree)

