r"""A smooth convex function without a closed proximal step: functions of the list, made of its first two derivatives.

``slope(V, t)`` is the root f of the increasing :math:`h(f)=f+g'(t+Vf)`, between 0 and :math:`-g'(t)`.
"""

from hashlib import sha256

from sympy import Integer, Symbol, srepr

from ..numbers.functions import Entry, entry, register
from ..numbers.functions.proximal_classes import Proximal
from ..program.steady import steady
from .convexity import check_convexity
from .smooth_balls import readings_in_balls
from .smooth_digits import readings_in_digits
from .smooth_floats import readings_in_floats
from .smooth_source import source_of

__all__ = ["smooth"]


def smooth(g, t, shown):
    """``(slope, envelope, is_proved)`` of a smooth convex function: functions ``(V, t, values of symbols)``.

    Parameters
    ----------
    g : Expr
    t : Symbol
        Its variable; other symbols are parameters.
    shown : Loss
        For messages.

    Raises
    ------
    DomainError
        If it is not convex.
    """
    is_proved = check_convexity(g, t, shown)
    others = sorted(g.free_symbols - {t}, key=lambda s: s.name)
    canonical = {s: Symbol(f"c{k}", **s.assumptions0) for k, s in enumerate(others)}
    x = Symbol("p", real=True)
    own = g.xreplace({t: x, **canonical})
    classes = _classes(own, x, tuple(canonical.values()), shown.name, is_proved)

    def applied(function):
        return lambda V, t, values=None: function(V, t, *(s.xreplace(values or {}) for s in others))

    return *map(applied, classes), is_proved


def _classes(g, x, others, name, is_proved):
    """The sympy classes of slope and envelope, on the list under names that say what they are made of."""
    digest = sha256(srepr((g, x, others)).encode()).hexdigest()[:12]
    names = [f"{kind}Of{digest}" for kind in ("Slope", "Envelope")]
    found = [entry(n) for n in names]
    if None not in found:
        return [e.sympy_class for e in found]
    rates = [steady(g), steady(steady(g).diff(x)), steady(steady(g).diff(x, 2))]
    slope, envelope = _made(names, g, x, others, name or "own")
    text = source_of(digest, rates, x, others)
    arrays = readings_in_floats(rates, x, others)
    digits, balls = readings_in_digits(rates, x, others, arrays[0]), readings_in_balls(rates, x, others, arrays[0])
    for k, (kind, function) in enumerate((("slope", slope), ("envelope", envelope))):
        real, complex_ = balls[k] if is_proved else ("", "")
        register(Entry(names[k], f"{kind}_of_{digest}", f"{kind}_of_{digest}_batch", arrays[k], digits[k], real, complex_,
                       source=text, arity=2 + len(others), symbol=function, is_steep=True, spelling=None))
    return slope, envelope


def _made(names, g, x, others, name):
    """Classes with the derivatives of the implicit function and of the envelope."""

    def at_point(expr, arguments):
        V, t, *values = arguments
        return expr.xreplace({**dict(zip(others, values)), x: t + V * slope(*arguments)})

    def slope_rate(self, argindex=1):
        V = self.args[0]
        bend = at_point(g.diff(x, 2), self.args)
        if argindex < 3:
            along = -bend / (1 + V * bend)
            return along if argindex == 2 else self * along
        return -at_point(g.diff(x, others[argindex - 3]), self.args) / (1 + V * bend)

    def envelope_rate(self, argindex=1):
        f = slope(*self.args)
        if argindex < 3:
            return -f if argindex == 2 else -(f**2) / Integer(2)
        return at_point(g.diff(others[argindex - 3]), self.args)

    def by_slope(self):
        return self.args[0] * slope(*self.args) ** 2 / 2 + at_point(steady(g), self.args)

    made = []
    for n, rate, head in zip(names, (slope_rate, envelope_rate), ("f", "M")):
        made.append(type(n, (Proximal,), {"nargs": 2 + len(others), "fdiff": rate, "__module__": __name__,
                                          "head": rf"{head}^{{\mathrm{{{name}}}}}", "shown": f"{head}_{name}"}))
    slope, envelope = made
    envelope.by_slope = by_slope
    return made
