r"""Define the proximal step of a smooth convex function by new functions, made of its first two derivatives.

``slope(V, t)`` is the root f of the increasing :math:`h(f)=f+g'(t+Vf)`, between 0 and :math:`-g'(t)`.
"""

from hashlib import sha256
from math import inf

from sympy import Symbol, srepr

from ..numbers.functions import Entry, entry, register
from ..program.steady import steady
from .convexity import check_convexity
from .smooth_balls import readings_in_balls
from .smooth_classes import made_classes
from .smooth_digits import readings_in_digits, refined_of
from .smooth_floats import readings_in_floats
from .smooth_source import source_of

__all__ = ["smooth"]


def smooth(g, t, shown):
    """Return ``(slope, envelope, is_proved)`` of a smooth convex function: functions ``(V, t, values of symbols)``.

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
    text, arrays = source_of(digest, rates, x, others), readings_in_floats(rates, x, others)
    digits = readings_in_digits(rates, x, others, arrays[0])
    balls = readings_in_balls(rates, x, others, arrays[0]) if is_proved else [("", "")] * 3
    for k, (kind, function) in enumerate(zip(("slope", "envelope", "bend"), classes)):
        called, is_bend = f"{kind}_of_{digest}", kind == "bend"
        register(Entry(names[k], called, f"{called}_batch", arrays[k], digits[k], *balls[k], source=text,
                       arity=(1 if is_bend else 2) + len(others), symbol=function, is_steep=True, spelling=None,
                       refined=refined_of(rates, x, others, arrays[0]) if kind == "slope" else None,
                       image=(0, inf) if is_bend and is_proved else (-inf, inf)))
        _let_be_sent(function, k, (g, x, others, name, is_proved))
    return classes


def _let_be_sent(function, which, made_of):
    """Let expressions with a class be pickled: another process rebuilds the class."""
    function.__reduce_ex__ = lambda self, protocol: (remade, (made_of, which, self.args))


def remade(made_of, which, arguments):
    """Rebuild a function of a loss in another process."""
    return _classes(*made_of)[which](*arguments)
