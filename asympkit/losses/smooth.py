"""Define the proximal step of a smooth convex function by new functions, made of its first two derivatives.

``slope(V, t)`` is the root f of the increasing :math:`h(f)=f+g'(t+Vf)`, between 0 and :math:`-g'(t)`.

A smooth function is convex by a proof from its second derivative, or on a grid.  Its slope, the envelope of its
proximal step and its second derivative become sympy classes and listed functions with every back end: each solves for
f by Newton steps that halve, else bisection; generated code has the common parts of the derivatives once.
"""

import math
import re
from functools import cache, lru_cache
from hashlib import sha256
from itertools import product

import numpy as np
from sympy import Add, Function, Integer, Pow, Rational, Symbol, cse, factor, numbered_symbols, simplify, srepr

from ..codegen.expressions import ExpressionPrinter
from ..errors import DomainError
from ..numbers.evaluation import Digits, Floats, evaluate
from ..numbers.functions import Entry, entry, register, sources
from ..numbers.functions.classes import Proximal, Saturated, refined_slope
from ..numbers.functions.elementary import loaded
from ..program.steady import steady

_PLACES = np.concatenate([np.linspace(-30.0, 30.0, 2401), np.geomspace(31.0, 1e3, 60), -np.geomspace(31.0, 1e3, 60)])
#: points at which a loss of one variable must be defined; the shift avoids removable singularities
_EVERYWHERE = np.linspace(-3.0, 3.0, 61) + 0.0137
_OTHERS = (-2.0, -1.0, -0.3, 0.0, 0.5, 1.0, 3.0)
#: rounding of a second derivative, relative to its terms
_NOISE = 1e-10
#: number of the most negative points that are recomputed with more digits, and that number of digits
_CONFIRMED, _DIGITS = 5, 20
#: forms of an expression that may show its sign, with the largest number of operations for which they are tried; and
#: the largest number inside functions and powers
_FORMS, _LARGEST_POWER = ((factor, 40), (simplify, 20)), 32


def check_convexity(g, t, shown):
    """Return True if convexity of g(t) is proved, False if it holds at all points of a grid.

    Other symbols of g are parameters; ``shown`` is for messages.  DomainError with a counterexample: a point of the
    grid where the second derivative is negative, or the function undefined.
    """
    _check_values(g, t, shown)
    bend = g.diff(t, 2)
    if bend.is_nonnegative:
        return True
    others = sorted(bend.free_symbols - {t}, key=str)
    for values in product(*[[v for v in _OTHERS if _may_be(s, v)] for s in others]):
        at = dict(zip(others, values))
        with np.errstate(all="ignore"):
            terms = [np.asarray(evaluate(a, {t: _PLACES, **at}, Floats()), float) + 0.0 * _PLACES
                     for a in Add.make_args(bend)]
            found, sizes = np.sum(terms, axis=0), np.sum(np.abs(terms), axis=0) + 1e-300
            below = np.flatnonzero(found < -_NOISE * sizes)
        for worst in below[np.lexsort((found[below], found[below] / sizes[below]))][:_CONFIRMED]:
            # in doubles terms may cancel
            value = bend.subs({t: Rational(float(_PLACES[worst])), **at}).evalf(_DIGITS, maxn=500)
            if value.is_Float and value < 0:
                _refuse(g, t, shown, at, worst, found)
    return any(_is_small(bend, most) and form(bend).is_nonnegative for form, most in _FORMS)


def _is_small(expr, operations):
    """Return whether other forms of an expression can be computed quickly: powers become degrees of polynomials."""
    inside = {a for f in expr.atoms(Function, Pow) for part in (f.args[1:] if f.is_Pow else f.args)
              for a in part.atoms(Rational)}
    return expr.count_ops() <= operations and all(max(abs(a.p), a.q) <= _LARGEST_POWER for a in inside)


def _check_values(g, t, shown):
    """Reject a function that is undefined on a part of the line: predictions are normal, and take all values."""
    if g.free_symbols != {t}:
        return
    with np.errstate(all="ignore"):
        found = np.broadcast_to(np.asarray(evaluate(g, {t: _EVERYWHERE}, Floats()), float), _EVERYWHERE.shape)
    missing = np.flatnonzero(np.isnan(found))
    if missing.size:
        raise DomainError(f"expr: {shown.expr} has no real value everywhere: as a function t of {shown.variable_text} "
                          f"none at t = {_EVERYWHERE[missing[0]]:.4g}; expected a loss of all real predictions")


def _may_be(symbol, value):
    return not (symbol.is_positive and value <= 0 or symbol.is_nonnegative and value < 0)


def _refuse(g, t, shown, at, worst, found):
    """Raise with the counterexample as three points: the middle one lies above the mean of the others."""
    middle = float(_PLACES[worst])
    for width in (1.0, 0.3, 0.1, 0.03, 0.01):
        with np.errstate(all="ignore"):
            low, mid, high = (float(evaluate(g, {t: np.float64(p), **at}, Floats())) for p in
                              (middle - width, middle, middle + width))
        if mid > (low + high) / 2:
            break
    where = "".join(f", {s} = {v:g}" for s, v in at.items())
    raise DomainError(
        f"expr: {shown.expr} is not convex: as a function t of {shown.variable_text}{where} its second derivative at "
        f"t = {middle:.4g} is {found[worst]:.3g} (values at {middle - width:.4g}, {middle:.4g} and "
        f"{middle + width:.4g}: {low:.6g}, {mid:.6g} and {high:.6g}); expected a convex loss, which has one proximal "
        "point")


def made_classes(names, g, bend, x, others, label):
    """Return ``(slope, envelope, bend)``: slope and envelope of V, t and the parameters, bend of a point and these.

    ``bend`` is the second derivative of g(x) in a form for computation, ``others`` are parameters of g; ``label`` is
    for printing.
    """

    def made(n, head, arity, **methods):
        return type(n, (Proximal,), {"nargs": arity + len(others), "head": rf"{head}^{{\mathrm{{{label}}}}}",
                                     "shown": f"{head}_{label}", "__module__": __name__, **methods})

    def at(expr, point, values):
        return expr.xreplace({**dict(zip(others, values)), x: point})

    def at_root(expr, arguments):
        V, t, *values = arguments
        return at(expr, t + V * slope(*arguments), values)

    def bend_rate(self, argindex=1):
        return at(bend.diff((x, *others)[argindex - 1]), self.args[0], self.args[1:])

    def slope_rate(self, argindex=1):
        V, t, *values = self.args
        curvature = curve(t + V * self, *values)
        if argindex < 3:
            along = -Saturated(V, curvature)
            return along if argindex == 2 else self * along
        return -at_root(g.diff(x, others[argindex - 3]), self.args) / (1 + V * curvature)

    def slope_bounds(self):
        """Return a bound: the proximal point lies between t and the minimum, and derivatives increase."""
        return (at(g.diff(x), self.args[1], self.args[2:]),)

    def envelope_rate(self, argindex=1):
        f = slope(*self.args)
        if argindex < 3:
            return -f if argindex == 2 else -(f**2) / Integer(2)
        return at_root(g.diff(others[argindex - 3]), self.args)

    def envelope_bounds(self):
        """Return bounds: g(t), and the minimum with the tangent in place of g."""
        rate = at(g.diff(x), self.args[1], self.args[2:])
        return at(g, self.args[1], self.args[2:]), self.args[0] * rate**2 / 2

    def by_slope(self):
        return self.args[0] * slope(*self.args) ** 2 / 2 + at_root(steady(g), self.args)

    curve = made(names[2], r"g''", 1, fdiff=bend_rate)
    slope = made(names[0], "f", 2, fdiff=slope_rate, bounded_by=slope_bounds)
    envelope = made(names[1], "M", 2, fdiff=envelope_rate, bounded_by=envelope_bounds, by_slope=by_slope)
    return slope, envelope, curve


def smooth(g, t, shown):
    """Return ``(slope, envelope, is_proved)`` of a smooth convex function: functions ``(V, t, values of symbols)``.

    Other symbols than t are parameters; ``shown`` is for messages.  DomainError if it is not convex.
    """
    is_proved = check_convexity(g, t, shown)
    others = sorted(g.free_symbols - {t}, key=lambda s: s.name)
    canonical = {s: Symbol(f"c{k}", **s.assumptions0) for k, s in enumerate(others)}
    x = Symbol("p", real=True)
    own = g.xreplace({t: x, **canonical})
    slope, envelope, _ = _classes(own, x, tuple(canonical.values()), shown.name or "own", is_proved)

    def applied(function):
        return lambda V, t, values=None: function(V, t, *(s.xreplace(values or {}) for s in others))

    return applied(slope), applied(envelope), is_proved


def _classes(g, x, others, name, is_proved):
    """Return the sympy classes of slope, envelope and second derivative, registered under derived names."""
    digest = sha256(srepr((g, x, others)).encode()).hexdigest()[:12]
    names = [f"{kind}Of{digest}" for kind in ("Slope", "Envelope", "Bend")]
    found = [entry(n) for n in names]
    if None not in found:
        return [e.sympy_class for e in found]
    rates = [steady(g), steady(steady(g).diff(x)), steady(steady(g).diff(x, 2))]
    classes = made_classes(names, g, rates[2], x, others, name)
    text = source_of(digest, rates, x, others)
    arrays = evaluators_in_floats(digest, text)
    digits = evaluators_in_digits(rates, x, others, arrays[0])
    balls = _balls(rates, x, others, arrays[0]) if is_proved else [("", "")] * 3
    for k, (kind, function) in enumerate(zip(("slope", "envelope", "bend"), classes)):
        called, is_bend = f"{kind}_of_{digest}", kind == "bend"
        register(Entry(names[k], called, f"{called}_batch", arrays[k], digits[k], *balls[k], source=text,
                       arity=(1 if is_bend else 2) + len(others), symbol=function, is_steep=True, spelling=None,
                       refined=refine_for_arrays(rates, x, others, arrays[0]) if kind == "slope" else None,
                       image=(0, math.inf) if is_bend and is_proved else (-math.inf, math.inf)))
        _let_be_sent(function, k, (g, x, others, name, is_proved))
    return classes


def _balls(*made_of):
    """Return the pairs of real and complex evaluators at balls, which are made when one is first called."""
    made = cache(lambda: loaded("asympkit.losses.smooth_balls:evaluators_in_balls")(*made_of))
    return [[lambda *balls, k=k, i=i: made()[k][i](*balls) for i in range(2)] for k in range(3)]


def _let_be_sent(function, which, made_of):
    """Let expressions with a class be pickled: another process rebuilds the class."""
    function.__reduce_ex__ = lambda self, protocol: (rebuild, (made_of, which, self.args))


def rebuild(made_of, which, arguments):
    """Rebuild a function of a loss in another process."""
    return _classes(*made_of)[which](*arguments)


# -- evaluators -------------------------------------------------------------------------------------------------------


def evaluators_in_digits(rates, x, others, floats):
    """Return ``(slope, envelope, bend)``: functions ``(mp, V, t, *others)`` and ``(mp, p, *others)``.

    ``rates`` are the function and its first two derivatives in x, ``floats`` is the slope in double precision.
    """

    def solved(mp, V, t, *values):
        V, t, *values = map(mp.convert, (V, t, *values))
        numbers, at = _numbers(mp, mp.prec), dict(zip(others, values))

        def rate(order, p):
            return evaluate(rates[order], {**at, x: p}, numbers)

        end = -rate(1, t)
        low, high = min(end, mp.zero), max(end, mp.zero)
        with np.errstate(all="ignore"):
            start = mp.mpf(float(floats(*map(np.float64, (V, t, *values)))))
        f = start if low <= start <= high else (low + high) / 2
        moved = high - low
        for _ in range(20 * mp.prec):
            h = f + rate(1, t + V * f)
            low, high = (low, f) if h > 0 else (f, high)
            step = h / (1 + V * rate(2, t + V * f))
            new = f - step
            # Newton's method squares its error: after a step below a third of the digits the next one has all of them
            is_last = abs(step) <= abs(f) * mp.ldexp(1, -mp.prec // 3)
            if is_last or end == 0:
                f = new - (new + rate(1, t + V * new)) / (1 + V * rate(2, t + V * new))
                return f, V * f**2 / 2 + rate(0, t + V * f)
            is_halved = low <= new <= high and 2 * abs(step) <= moved
            new = new if is_halved else (low + high) / 2
            moved, f = abs(new - f), new
        return mp.nan, mp.nan

    def bend(mp, p, *values):
        at = {**dict(zip(others, map(mp.convert, values))), x: mp.convert(p)}
        return evaluate(rates[2], at, _numbers(mp, mp.prec))

    return (lambda mp, *a: solved(mp, *a)[0]), (lambda mp, *a: solved(mp, *a)[1]), bend


def refine_for_arrays(rates, x, others, floats):
    """Return the slope for arrays in a multiprecision number system; arguments as for :func:`evaluators_in_digits`."""

    def refined(numbers, V, t, *values):
        at = dict(zip(others, values))
        start = floats(*map(numbers.floats, (V, t, *values)))
        return refined_slope(numbers, V, t, start, lambda p: [
            evaluate(rates[order], {**at, x: p}, numbers) for order in (1, 2)])

    return refined


@lru_cache(maxsize=16)
def _numbers(mp, precision):
    return Digits.of_context(mp)


def evaluators_in_floats(digest, text):
    """Return the functions ``(slope, envelope, bend)`` of arrays that the source text of :func:`source_of` defines."""
    space = {"math": math, "np": np}
    for source in (*sources(text), text):
        exec(re.sub(r"^(?:from|import) .*\n", "", source, flags=re.MULTILINE), space)      # generated, no user's text

    def quiet(function):
        def value(*arguments):
            with np.errstate(all="ignore"):
                return function(*(np.asarray(a, dtype=float) for a in arguments))

        return value

    return [quiet(space[f"{kind}_of_{digest}_batch"]) for kind in ("slope", "envelope", "bend")]


_TEXT = '''
def slope_of_{digest}(V, t{others}):
    """Return the root f of f + g'(t + V f) between 0 and -g'(t): Newton steps that halve, else bisection."""
    p = t
    {first}
    end = -g1
    low, high = min(end, 0.0), max(end, 0.0)
    f, moved, left = end / (1.0 + V * g2), high - low, 2
    for _ in range(200):
        p = t + V * f
        {first_inside}
        h = f + g1
        if h > 0.0:
            high = f
        else:
            low = f
        step = h / (1.0 + V * g2)
        if abs(step) <= 1e-6 * abs(f) or end == 0.0:
            f, left = f - step, left - 1
            if left == 0:
                return f
        else:
            new = f - step
            if not (low <= new <= high and 2.0 * abs(step) <= moved):
                new = 0.5 * (low + high)
            moved, f = abs(new - f), new
    return math.nan


def slope_of_{digest}_batch(V, t{others}):
    """Return the same for arrays."""
    p = t
    {first_batch}
    end = -g1 + 0.0 * V
    low, high = np.minimum(end, 0.0), np.maximum(end, 0.0)
    f, moved = end / (1.0 + V * g2), high - low
    left = np.full(np.shape(f), 2)
    for _ in range(200):
        p = t + V * f
        {batch_inside}
        h = f + g1
        high, low = np.where(h > 0.0, f, high), np.where(h > 0.0, low, f)
        step = np.where(left > 0, h / (1.0 + V * g2), 0.0)
        is_near = (np.abs(step) <= 1e-6 * np.abs(f)) | (end == 0.0)
        new = f - step
        is_halved = (low <= new) & (new <= high) & (2.0 * np.abs(step) <= moved)
        new = np.where(is_near | is_halved, new, 0.5 * (low + high))
        left, moved, f = left - is_near, np.abs(new - f), new
        if not np.any((left > 0) & ~np.isnan(f)):
            break
    return np.where(left > 0, np.nan, f)


def envelope_of_{digest}(V, t{others}):
    """Return the minimum of (p - t)^2/(2 V) + g(p)."""
    f = slope_of_{digest}(V, t{others})
    p = t + V * f
    return 0.5 * V * f * f + {g}


def envelope_of_{digest}_batch(V, t{others}):
    """Return the same for arrays."""
    f = slope_of_{digest}_batch(V, t{others})
    p = t + V * f
    return 0.5 * V * f * f + {g_batch}


def bend_of_{digest}(p{others}):
    """Return the second derivative of g."""
    return {bend}


def bend_of_{digest}_batch(p{others}):
    """Return the same for arrays."""
    return {bend_batch}
'''


def source_of(digest, rates, x, others):
    """Return the text; ``rates`` are the function and its first two derivatives in x."""
    g, *slopes = rates
    names = {s: s.name for s in (x, *others)}
    scalar, batch = _assigned(slopes, names, False), _assigned(slopes, names, True)
    scalar_printer, batch_printer = ExpressionPrinter(names), ExpressionPrinter(names, batch=True)
    return _TEXT.format(
        digest=digest, others="".join(f", {s.name}" for s in others),
        first="\n    ".join(scalar), first_inside="\n        ".join(scalar),
        first_batch="\n    ".join(batch), batch_inside="\n        ".join(batch),
        g=scalar_printer.source(g), g_batch=batch_printer.source(g), bend=scalar_printer.source(slopes[1]),
        bend_batch=batch_printer.source(slopes[1]))


def _assigned(slopes, names, is_batch):
    """Return lines that compute g1 and g2 and their common parts."""
    steps, forms = cse(slopes, symbols=numbered_symbols("u", real=True))
    printer = ExpressionPrinter({**names, **{s: s.name for s, _ in steps}}, batch=is_batch)
    return [f"{s} = {printer.source(e)}" for s, e in (*steps, *zip(("g1", "g2"), forms))]
