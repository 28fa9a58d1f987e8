r"""The law of a deep covariance, and the conjugate :math:`1/\zeta_\ell` of a level of the network, as listed functions.

Their entries are made for every number of layers and of eigenvalues.  Arguments are the level and t, which is the
conjugate of the top, or the place of a density, or of an edge the lowest penalty near which it is stationary; then of
every layer its width, :math:`\kappa_1^2` and :math:`\kappa_*^2`, and of every eigenvalue at the bottom itself and its
share.  The penalty at the top is an increasing convex function of the lowest one wherever penalties in between are
positive, so that one unknown is found by Newton's method from above.  Density and edges have no balls.
"""

import numpy as np

from ...errors import ConvergenceError
from .entry import Entry, loaded
from .routines import deep_chain as routines
from .routines.deep_chain import chain_above, chain_start, conjugate_below

_BALLS = "asympkit.numbers.functions.balls"
_TEXT = '''
def {name}_{shape}({first}, {arguments}):
    """{layers} layers over {masses} eigenvalues."""
    return {name}({first}, np.array([{widths}]), np.array([{slopes}]), np.array([{rests}]), np.array([{inputs}]),
                  np.array([{shares}]))


def {name}_{shape}_batch({first}, {arguments}):
    """The same for arrays."""
    return {name}_batch({first}, ({widths},), ({slopes},), ({rests},), ({inputs},), ({shares},))
'''


def parts_of(layers, numbers):
    """Split the arguments after t into ``(widths, slopes, rests, inputs, shares)``."""
    own, rest = numbers[:3 * layers], numbers[3 * layers:]
    return own[::3], own[1::3], own[2::3], rest[::2], rest[1::2]


def source_of_shape(name, first, layers, masses):
    """Return the source of a routine that takes a chain as numbers instead of lists, and the count of these numbers."""
    arguments = [f"{n}{k}" for k in range(1, layers + 1) for n in "pas"]
    arguments += [f"{n}{k}" for k in range(1, masses + 1) for n in "ew"]
    lists = [", ".join(part) for part in parts_of(layers, [f"1.0*{a}" for a in arguments])]
    text = _TEXT.format(name=name, shape=f"{layers}_{masses}", first=first, layers=layers, masses=masses,
                        arguments=", ".join(arguments),
                        **dict(zip(("widths", "slopes", "rests", "inputs", "shares"), lists)))
    return text, len(arguments)


def entry_of_shape(layers, masses, symbol):
    """Return the :class:`Entry` of the conjugate, a sympy class, for a number of layers and of eigenvalues."""
    name = f"deep_conjugate_{layers}_{masses}"
    text, count = source_of_shape("deep_conjugate", "level, t", layers, masses)
    real, complex_ = loaded(f"{_BALLS}:deep_conjugate"), loaded(f"{_BALLS}:deep_conjugate_complex")

    def floats(level, t, *numbers):
        return routines.deep_conjugate_batch(level, t, *parts_of(layers, numbers))

    def digits(mp, level, t, *numbers):
        return _conjugate(mp, int(level), mp.convert(t), parts_of(layers, list(map(mp.convert, numbers))))

    def balls(level, t, *numbers):
        return real(int(level), t, parts_of(layers, numbers))

    def complex_balls(level, t, *numbers):
        *numbers, _ = numbers
        return complex_(int(level), t, parts_of(layers, numbers))

    return Entry(symbol.__name__, name, f"{name}_batch", floats, digits, balls, complex_balls, source=text,
                 orders=1, arity=2 + count, symbol=symbol, spelling=None, values=_range)


def _range(level, t, *_):
    """Return a range: positive for positive t."""
    return (0, float("inf")) if t[0] >= 0 else (-float("inf"), float("inf"))


def _conjugate(mp, level, t, chain):
    if not t > 0:
        return mp.zero if t == 0 else mp.nan
    z = 1 / t
    y = chain_start(z, *chain)
    for _ in range(50 + 2 * mp.prec):
        zeta, _, _, rate, _ = chain_above(y, *chain)
        step = (zeta - z) / rate
        y = y - step
        if not step > 4 * mp.eps * y:
            return conjugate_below(level, t, y, *chain)
    return mp.nan


def entries_of_shape(layers, masses, density, edge):
    """Return the entries of two sympy classes, density and edge, for a number of layers and of eigenvalues."""
    def multiprecision(function):
        return lambda mp, x, *numbers: function(mp, mp.convert(x), parts_of(layers, list(map(mp.convert, numbers))))

    def at(function):
        return lambda x, *numbers: function(np.asarray(x, dtype=float), *parts_of(layers, numbers))

    found = []
    for symbol, name, digits in ((density, "deep_density", _density), (edge, "deep_edge", _edge)):
        text, count = source_of_shape(name, "x", layers, masses)
        called = f"{name}_{layers}_{masses}"
        found.append(Entry(symbol.__name__, called, f"{called}_batch", at(getattr(routines, f"{name}_batch")),
                           multiprecision(digits), source=text, arity=1 + count, symbol=symbol, spelling=None))
    return found


def _density(mp, x, chain):
    """Evaluate the density by Newton's method from the root in double precision."""
    plain = [[float(v) for v in part] for part in chain]
    y = mp.mpc(complex(routines.penalty_at(float(x), *plain)))
    if not y.imag > 0:
        return mp.zero
    for _ in range(60 + mp.prec):
        zeta, _, _, rate, _ = chain_above(y, *chain)
        step = (zeta + x) / rate
        y -= step
        if not abs(step) > abs(y) * mp.ldexp(1, 8 - mp.prec):
            break
    return max(-(1 / (chain_above(y, *chain)[2] - x)).imag / mp.pi, mp.zero)


def _edge(mp, y, chain):
    """Find the edge by the secant method: there the slope of the top penalty is 0."""
    try:
        return _stationary(mp, y, chain)
    except ZeroDivisionError:
        raise ConvergenceError("evalf: the spectrum of a deep covariance reaches 0 where its density is infinite "
                               "(layers as wide as those below them, kappastar2 = 0): a mean of this function has no "
                               "digits; expected another width, a kappastar2 that is not 0, or ak.enclose, which "
                               "integrates analytic functions along a contour") from None


def _stationary(mp, y, chain):
    before, now = y * (1 + mp.ldexp(1, -20)), y
    low = chain_above(before, *chain)[3]
    for _ in range(60 + mp.prec):
        high = chain_above(now, *chain)[3]
        if high in (low, 0):
            break
        step = high * (now - before) / (high - low)
        before, low, now = now, high, now - step
        if not abs(step) > abs(now) * mp.ldexp(1, -mp.prec // 2 - 8):
            break
    return -chain_above(now, *chain)[0]
