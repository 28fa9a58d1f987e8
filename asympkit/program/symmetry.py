"""Symmetries of equations: signs of columns and of symbols that leave integrands as they are, and scales of means.

Under parities of tabulated columns that leave every integrand unchanged half of a symmetric rule suffices. For grids
with too many columns to try all signs, parities are a linear system over two elements: a product has the sum of the
parities of its factors, all terms of a sum must have the same one, and an integrand must be even. This is sufficient
for an integrand to stay the same, whatever its values.

Averages vanish by symmetry where parameters or unknowns do.  For variables of an average that a parameter switches off
one node is enough.  Integrands may change within a thin layer around 0, as nearly certain signs do.

Where a tabulated mean times s and an unknown over s leave all equations as they are (up to factors), every other
quantity is a function of the mean's direction alone: an unknown that nothing penalises undoes its size.  However small
such a mean is, it is not zero, and its rounding has to be small against the mean itself and not against its integrand.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

import numpy as np
import sympy as sp

from ..exact import expand
from ..gauss.closed import closed_mean
from ..gauss.measure import Gaussian
from ..nodes import Applied, Average, Named, averages, free_of, holds, remove_names, tree_size
from ..numbers.evaluation import Floats, evaluate
from ..numbers.functions.classes import Side, Size, SlopeSize
from ..numbers.functions.pair_classes import BivariateNormalCDF
from .statements import InnerSum, Sums, select_statements

#: symbols without a sign of which an average may be odd, and nodes of an integrand up to which that is looked for
_MOST_SIGNED, _SEARCHED = 3, 200


def parity_solutions(base, steps, integrands):
    """Return all sign patterns of the base columns, the node first and odd, under which integrands are proved even.

    ``steps`` define the other symbols that vary over the grid.
    """
    # an affine form over two elements is an integer: bit 0 the constant, bit i the i-th base column
    known = {s: 1 << i for i, s in enumerate(base)}
    known[base[0]] = 1
    zero = []

    def parity(e):
        if isinstance(e, sp.Symbol):
            if e not in known:
                known[e] = parity(steps[e]) if e in steps else 0
            return known[e]
        parts = [parity(a) for a in e.args]
        if isinstance(e, sp.Mul):
            total = 0
            for p in parts:
                total ^= p
            return total
        if isinstance(e, sp.Add):
            zero.extend(parts[0] ^ p for p in parts[1:])
            return parts[0]
        if isinstance(e, sp.Pow) and isinstance(e.exp, sp.Integer):
            return parts[0] if int(e.exp) % 2 else 0
        if not isinstance(e, sp.Abs | SlopeSize | Size):
            zero.extend(parts)
        return 0

    zero += [parity(e) for e in integrands]
    return _solutions(zero, len(base))


def _solutions(equations, count):
    pivots = {}
    for e in equations:
        for bit, row in pivots.items():
            if e >> bit & 1:
                e ^= row
        if e == 1:
            return ()
        if e:
            bit = e.bit_length() - 1
            pivots = {b: r ^ e if r >> bit & 1 else r for b, r in pivots.items()} | {bit: e}
    free = [i for i in range(1, count) if i not in pivots]
    found = []
    for values in product((0, 1), repeat=len(free)):
        at = dict(zip(free, values))
        odd = [1] + [at[i] if i in at else _value(pivots[i], i, at) for i in range(1, count)]
        found.append(tuple(-1 if o else 1 for o in odd))
    return tuple(sorted(found, reverse=True))


def _value(row, pivot, at):
    return (row & 1) ^ (sum(v for i, v in at.items() if i != pivot and row >> i & 1) & 1)


#: a node of sums inside, at which signs are tried
_NODE = 0.71
#: up to this many columns all sign patterns are tried, which also finds what no structure shows
_TRIED = 10
#: terms of a product that is multiplied out: derivatives of a user-defined function may have millions
_MOST_TERMS = 500


def base_columns(grid):
    """Return the symbols the loop columns are products of: the variables first."""
    used = set().union(*(e.free_symbols for e in grid.columns)) if grid.columns else set()
    made = [s for step in grid.preparation for s in step.outputs if s in used]
    return [*grid.bound, *made]


def symmetries(program, grid):
    """Sign patterns of the base columns under which every integrand over the grid stays the same."""
    if grid.is_inner:
        return ()
    base = base_columns(grid)
    columns = list(grid.columns.values())
    integrands, steps = [], {s: e for e, s in grid.columns.items() if s != e}
    for sums in select_statements(Sums, program.statements):
        if sums.grid is grid:
            steps |= {s: e for s, e in sums.locals if s not in steps}       # passes may write what is equal differently
            integrands += [integrand for _, integrand, _ in sums.sums]
    inner = {e for expr in steps.values() for e in expr.atoms(InnerSum)}
    if inner and not _are_mirrored(program, inner):
        return ()
    if len(base) > _TRIED:
        return () if inner else parity_solutions(base, steps, integrands)
    written = {s: _at_pair(e) for s, e in steps.items()}
    inside = set().union(*(e.free_symbols for e in (*written.values(), *integrands)))
    others = sorted(inside - set(steps) - set(columns) - set(base), key=str)
    rng = np.random.default_rng(0)
    at = dict(zip(others, map(np.float64, rng.uniform(0.5, 1.5, len(others)))))
    x = rng.uniform(0.5, 1.5, len(base))
    odd = (-1,) * len(grid.bound)           # the node itself
    tried = [(*odd, *signs) for signs in product((1, -1), repeat=len(base) - len(odd))]
    # columns and locals step by step: put into each other they grow without bound; the first row has no sign changed
    known = {**at, **dict(zip(base, (x * np.array([(1,) * len(base), *tried])).T))}
    with np.errstate(all="ignore"):
        for symbol, expr in written.items():
            known[symbol] = evaluate(expr, known, Floats())
        values = [np.broadcast_to(evaluate(e, known, Floats()), (len(tried) + 1,)) for e in integrands]
    # a point outside the domain of an integrand says nothing of it: what is proved below decides
    same = [np.isclose(v, v[0], rtol=1e-12, atol=1e-12, equal_nan=True) for v in values]
    seen = [signs for signs, good in zip(tried, np.all(same, axis=0)[1:]) if good] if same else tried
    # one point is no proof: what is localised elsewhere looks even there
    return tuple(signs for signs in seen if _leaves_unchanged(dict(zip(base, signs)), steps, integrands))


def _are_mirrored(program, inner):
    """Return whether the rules of sums inside are symmetric: trapezoids, of the same nodes with the other sign."""
    grids = {g.name: g for g in program.grids}
    return all(not (grids[e.grid].given or grids[e.grid].is_angle or grids[e.grid].kinks) for e in inner)


def _at_pair(expr):
    """Return an expression, sums inside it over two opposite nodes."""
    pairs = {}
    for e in expr.atoms(InnerSum):
        node = {b: sp.Float(_NODE + 0.1 * k) for k, b in enumerate(e.bound)}
        pairs[e] = e.integrand.xreplace(node) + e.integrand.xreplace({b: -z for b, z in node.items()})
    return expr.xreplace(pairs)


def _leaves_unchanged(signs, steps, integrands):
    """Return whether the integrands are proved to be the same with other signs, by the form of all expressions.

    Two steps may change into each other, up to a sign.
    """
    flipped, unknown = {s: -s for s, sign in signs.items() if sign == -1}, set()
    places, plain = {expr: symbol for symbol, expr in steps.items()}, _Polynomials()
    needed = _needed(steps, integrands)
    for symbol, expr in steps.items():
        sign = 0 if expr.free_symbols & unknown else _sign_of_sum(expr, flipped, plain) \
            if isinstance(expr, InnerSum) else _sign(expr, flipped)
        other = None if sign or expr.free_symbols & unknown else places.get(expr.xreplace(flipped))
        if other is not None:
            flipped[symbol] = other
        elif sign == 0:
            unknown.add(symbol)
            if symbol in needed:
                return False
        elif sign == -1:
            flipped[symbol] = -symbol
    return all(not e.free_symbols & unknown and _sign(e, flipped) == 1 for e in integrands)


def _needed(steps, integrands):
    """Return the steps that the integrands depend on."""
    needed = set().union(*(e.free_symbols for e in integrands))
    for symbol, expr in reversed(steps.items()):
        if symbol in needed:
            needed |= expr.free_symbols
    return needed


def _sign(expr, flipped):
    """Return 1 or -1 where an expression is proved to stay, or to change its sign, when others change theirs; else
    0."""
    moved = expr.xreplace(flipped)
    if moved in (expr, -expr):
        return 1 if moved == expr else -1
    # a*(b - c) becomes a*(c - b), which sympy leaves as it is; a condition stays, or nothing is proved
    parts = [_sign(a, flipped) if isinstance(a, sp.Expr) else int(a.xreplace(flipped) == a) for a in expr.args]
    if isinstance(expr, sp.Mul):
        return math.prod(parts)
    if isinstance(expr, sp.Add):
        return parts[0] if len(set(parts)) == 1 else 0
    if isinstance(expr, sp.Pow) and isinstance(expr.exp, sp.Integer):
        return parts[0] ** (2 - int(expr.exp) % 2)
    if isinstance(expr, sp.Abs | SlopeSize | Size):
        return parts[0] ** 2
    if isinstance(expr, Side):
        return parts[0]
    return int(all(part == 1 for part in parts))


def _sign_of_sum(inner, flipped, plain):
    """Decide as for any sum, where the nodes inside change their sign too, or do not: their rule is symmetric."""
    here = plain(inner.integrand)
    for mirror in ({b: -b for b in inner.bound}, {}):
        moved = plain(inner.integrand.xreplace({**flipped, **mirror}))
        if moved in (here, expand(-here)):
            return 1 if moved == here else -1
    return 0


class _Polynomials:
    """Expressions multiplied out, as polynomials of functions, of reciprocals and of roots, which have symbols."""

    def __init__(self):
        self.known, self.symbols = {}, {}

    def __call__(self, expr):
        if expr not in self.known:
            self.known[expr] = self._written(expr)
        return self.known[expr]

    def _written(self, expr):
        if not expr.args:
            return expr
        if isinstance(expr, sp.erfc):
            return 1 - self._odd(sp.erf, self(expr.args[0]))
        if isinstance(expr, sp.erf | Side):
            return self._odd(expr.func, self(expr.args[0]))
        if isinstance(expr, sp.Pow) and not (isinstance(expr.exp, sp.Integer) and expr.exp > 0):
            n = -expr.exp if isinstance(expr.exp, sp.Integer) else sp.Integer(1)
            return self._symbol(sp.Pow, self(expr.base), expr.exp / n) ** n
        if isinstance(expr, sp.Add):
            return expr.func(*map(self, expr.args))
        if isinstance(expr, sp.Mul | sp.Pow):
            return self._product(expr)
        if isinstance(expr, sp.Abs | SlopeSize | Size):
            u, kind = self(expr.args[0]), SlopeSize if isinstance(expr, SlopeSize) else Size
            return self._symbol(kind, -u if u.could_extract_minus_sign() else u)
        return self._symbol(expr.func, *(self(a) if isinstance(a, sp.Expr) else a for a in expr.args))

    def _product(self, expr):
        """Expand products; of many terms each factor stays, up to its sign, as one thing."""
        factors = [(self(expr.base), int(expr.exp))] if isinstance(expr, sp.Pow) else [(self(a), 1) for a in expr.args]
        sizes = [math.comb(len(sp.Add.make_args(f)) + n - 1, n) for f, n in factors]
        if math.prod(sizes) > _MOST_TERMS:
            factors = [(self._odd(sp.Add, f) if f.is_Add else f, n) for f, n in factors]
        return expand(sp.Mul(*[f**n for f, n in factors]))

    def _odd(self, function, u):
        return -self._symbol(function, -u) if u.could_extract_minus_sign() else self._symbol(function, u)

    def _symbol(self, function, *arguments):
        key = function, *arguments
        return self.symbols.setdefault(key, sp.Dummy(f"f{len(self.symbols)}", real=True))


def flat_conditions(program, grid):
    """Return variables that one table parameter switches off, ``{variable: parameter}``: no column holds them at 0."""
    found = {}
    for b in grid.bound:
        holding = [e for e in grid.columns if b in e.free_symbols]
        off = [p for p in program.table_parameters if holding and all(
            p in e.free_symbols and b not in e.subs(p, 0).free_symbols for e in holding)]
        if off:
            found[b] = off[0]
    return found


_STEPS = sp.erf, sp.erfc, BivariateNormalCDF


def has_layer(program, grid):
    """Return whether probabilities of normals that depend on unknowns stand in the sums over a grid."""
    return any(holds(e, _STEPS) for s in select_statements(Sums, program.statements) if s.grid is grid
               for e in (*(e for _, e in s.locals if not isinstance(e, InnerSum)), *(e for _, e, _ in s.sums)))


def vanishing(step, arguments):
    """Return ``{parity of the activation: whether each output of a Means is zero at offset zero}``.

    The parity 2 is that of an activation whose mean is zero by another proof; ``arguments`` have no sign of their own.
    """
    found = {2: tuple(f == step.value for _, f in step.items)}
    for parity in (1, -1):
        at = {**dict.fromkeys(arguments, 1), step.z: -1, step.value: parity}
        found[parity] = tuple(sign_of(f, at) == -1 for _, f in step.items)
    return found


def sign_of(expr, at):
    """Return 1 or -1, 0 where the expression has no parity by structure."""
    if isinstance(expr, sp.Symbol):
        return at.get(expr, 0)
    parts = [sign_of(a, at) for a in expr.args]
    if isinstance(expr, sp.Mul):
        return math.prod(parts)
    if isinstance(expr, sp.Add):
        return parts[0] if len(set(parts)) == 1 else 0
    if isinstance(expr, sp.Pow) and isinstance(expr.exp, sp.Integer):
        return parts[0] if int(expr.exp) % 2 else abs(parts[0])
    if isinstance(expr, sp.Abs | SlopeSize | Size):
        return abs(parts[0])
    return 1 if all(p == 1 for p in parts) else 0


def mark_zeros(expr):
    """Write averages that are odd in their normals and some symbols, E tanh(h + z), as 0 where these symbols are."""
    found = {a: _or_zero(a) for a in averages(expr) if isinstance(a.measure, Gaussian)}
    return expr.xreplace({a: e for a, e in found.items() if e is not a})


@lru_cache(maxsize=10_000)
def _or_zero(average):
    integrand = remove_names(average.integrand)
    signed = sorted((s for s in free_of(average) if not (s.is_positive or s.is_negative)), key=str)[:_MOST_SIGNED]
    if tree_size(integrand) < _SEARCHED:
        negative = expand(-integrand)
        for some, own in product(_subsets(signed), _subsets(average.bound_symbols)[1:]):
            if expand(integrand.xreplace({s: -s for s in (*own, *some)})) == negative:
                return sp.Piecewise((sp.Integer(0), sp.And(*(sp.Eq(s, 0) for s in some))), (average, True))
    return average


def _subsets(symbols):
    return [some for count in range(len(symbols) + 1) for some in combinations(symbols, count)]


# -- means of which only the direction counts --------------------------------------------------------------------------


@dataclass(frozen=True)
class Direction:
    """A mean whose direction alone counts."""

    mean: object                # output of a Means
    size: object                # symbol of the mean square of the integrand
    shift: object               # Scalar: offset of the activation's argument in widths of the weight, at most 1
    unknown: object             # what undoes its size


def find_directions(system):
    """Return pairs of an outer and an inner average, with the unknown that undoes the size of the inner one."""
    places = {}
    for equation in system.equations:
        for outer, inner in _inner_means(equation):
            places.setdefault(inner, outer)
    found = []
    for inner, outer in sorted(places.items(), key=str):
        for unknown in system.unknowns:
            degree = _Degrees({inner: 1, unknown: -1})
            if all(degree(e) is not None for e in system.equations) and any(
                    unknown in free_of(e) for e in system.equations):
                found.append((outer, inner, unknown))
                break
    return found


@lru_cache(maxsize=10_000)
def _inner_means(expr, outer=None):
    """Return the conditional means of activations in an expression, each with the average around it, a tuple."""
    if isinstance(expr, Average):
        if _has_activation(expr.integrand):
            return ((outer, expr),) if outer is not None else ()
        found = _inner_means(expr.integrand, expr)
        if outer is None:
            return found
        own = set(expr.bound_symbols)           # what holds none of its variables varies with those around it
        return tuple((expr if inner.free_symbols & own else outer, inner) for _, inner in found)
    parts = (expr.expr,) if isinstance(expr, Named) else expr.args
    return tuple(dict.fromkeys(found for part in parts for found in _inner_means(part, outer)))


def _has_activation(expr):
    """Return whether an unspecified function stands in an expression, averages inside not counted."""
    if isinstance(expr, Average | Applied):
        return isinstance(expr, Applied)
    return any(_has_activation(a) for a in ((expr.expr,) if isinstance(expr, Named) else expr.args))


class _Degrees:
    """The power of s that an expression has when quantities are multiplied by powers of s; None if it has none."""

    def __init__(self, weights):
        self.known = dict(weights)

    def __call__(self, expr):
        if expr not in self.known:
            self.known[expr] = self._found(expr)
        return self.known[expr]

    def _found(self, expr):
        if not expr.args or (isinstance(expr, Average) and _has_activation(expr.integrand)):
            return 0
        if isinstance(expr, Named):
            return self(expr.expr)
        if isinstance(expr, Average):
            return self(expr.integrand)
        if isinstance(expr, sp.Pow) and isinstance(expr.exp, sp.Rational):
            below = self(expr.base)
            return None if below is None else below * expr.exp
        parts = [self(a) for a in expr.args]
        if None in parts:
            return None
        if isinstance(expr, sp.Mul):
            return sum(parts)
        if isinstance(expr, sp.Add):
            return parts[0] if len(set(parts)) == 1 else None
        return 0 if not any(parts) else None


def is_proved_zero(activation, offset, slope, functional, z, value):
    """Return whether the mean of a functional of z and the activation at ``offset + slope*z`` is proved to be zero.

    These are exact numbers; a mean that varies over a grid is zero nowhere but at single nodes.
    """
    if activation.expr.is_zero:
        return True
    if not offset.is_number or not slope.is_number or not functional.free_symbols <= {z, value}:
        return False
    if offset.is_zero and activation.parity:
        sign = 1 if activation.parity == "even" else -1
        mirrored = functional.subs({z: -z, value: sign * value}, simultaneous=True)
        if (mirrored + functional).expand() == 0:
            return True
    argument = activation.expr.xreplace({activation.symbol: offset + slope * z})
    terms = sp.Add.make_args(sp.expand_mul(functional.xreplace({value: argument})))
    rest = sp.Add(*[t for t in terms if t.xreplace({z: -z}) != -t])          # odd terms have no mean
    form = closed_mean(rest, z)
    return form is not None and (form == 0 or form.equals(0) is True)
