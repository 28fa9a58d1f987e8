r"""The conjugate :math:`1/\zeta_\ell` of a level of a deep random network with t at the top, for any number of layers.

Arguments are the level, t, of every layer its width, :math:`\kappa_1^2` and :math:`\kappa_*^2`, and of every eigenvalue
at the bottom itself and its share.  The penalty at the top is an increasing convex function of the lowest one wherever
penalties in between are positive, so that one unknown is found by Newton's method from above, and a ball in which its
slope is positive holds one root.
"""

from .entry import Entry
from .routines import deep_conjugate as routines

__all__ = ["entry_of_shape", "parts_of", "source_of_shape"]

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
    """Return the :class:`Entry` of a sympy class for a number of layers and of eigenvalues."""
    name = f"deep_conjugate_{layers}_{masses}"
    text, count = source_of_shape("deep_conjugate", "level, t", layers, masses)

    def floats(level, t, *numbers):
        return routines.deep_conjugate_batch(level, t, *parts_of(layers, numbers))

    def digits(mp, level, t, *numbers):
        return _digits(mp, int(level), mp.convert(t), parts_of(layers, list(map(mp.convert, numbers))))

    def balls(level, t, *numbers):
        return _balls(int(level), t, parts_of(layers, numbers))

    def complex_balls(level, *numbers):
        """Evaluate at real arguments; return nan elsewhere, where no branch is followed."""
        from flint import acb

        *given, _ = numbers
        return acb(balls(level, *(b.real for b in given))) if all(b.imag == 0 for b in given) else acb("nan")

    return Entry(symbol.__name__, name, f"{name}_batch", floats, digits, balls, complex_balls, source=text,
                 orders=1, arity=2 + count, symbol=symbol, spelling=None, values=_range)


def _range(level, t, *_):
    """Return a range: positive for positive t."""
    return (0, float("inf")) if t[0] >= 0 else (-float("inf"), float("inf"))


def _digits(mp, level, t, chain):
    if not t > 0:
        return mp.zero if t == 0 else mp.nan
    z = 1 / t
    y = routines.chain_start(z, *chain)
    for _ in range(50 + 2 * mp.prec):
        zeta, _, _, rate, _ = routines.chain_above(y, *chain)
        step = (zeta - z) / rate
        y = y - step
        if not step > 4 * mp.eps * y:
            return routines.conjugate_below(level, t, y, *chain)
    return mp.nan


def _balls(level, t, chain):
    from flint import arb, arb_series

    if any(isinstance(x, arb_series) for x in (t, *(x for part in chain for x in part))):
        return _series(level, t, chain)
    plain = [[arb(x) for x in part] for part in chain]
    t = arb(t)
    if t == 0:
        return arb(0)
    y = _root(1 / t, plain) if t > 0 and _is_chain(plain) else arb("nan")
    return routines.conjugate_below(level, t, y, *plain)


def _is_chain(chain):
    widths, slopes, rests, inputs, shares = chain
    return all(x > 0 for x in (*widths, *slopes)) and all(x >= 0 for x in (*rests, *inputs, *shares))


def _root(z, chain):
    """Enclose the lowest penalty with z at the top: an interval Newton step must map the ball into its interior."""
    from flint import arb, ctx

    middle, at = [[x.mid() for x in part] for part in chain], z.mid()
    y = routines.chain_start(at, *middle).mid()
    for _ in range(50 + 2 * ctx.prec):
        zeta, _, _, rate, _ = routines.chain_above(y, *middle)
        step = ((zeta - at) / rate).mid()
        y = (y - step).mid()
        if not step > 4 * arb(2) ** -ctx.prec * y:
            break
    missed = routines.chain_above(y, *chain)
    error = (missed[0] - z) / missed[3].mid()
    for widening in (2, 8, 64):
        ball = y + arb(0, widening * error.abs_upper() + y.abs_upper() * arb(2) ** (4 - ctx.prec))
        inside = [routines.chain_above(ball, *(part[:n] for part in chain[:3]), *chain[3:])
                  for n in range(1, len(chain[0]) + 1)]
        if not all(found[0] > 0 for found in inside):
            continue            # the level below has a penalty that is not positive
        rate = inside[-1][3]
        nearer = y - (missed[0] - z) / rate if rate > 0 else arb("nan")
        if nearer.is_finite() and ball.contains_interior(nearer):
            return nearer
    return arb("nan")


def _series(level, t, chain):
    """Expand in a power series by Newton's method from the constant terms; each step doubles the right coefficients."""
    from flint import arb, arb_series, ctx

    first = [[x[0] if isinstance(x, arb_series) else arb(x) for x in part] for part in chain]
    t = arb_series([t]) if not isinstance(t, arb_series) else t
    y = arb_series([_root(1 / t[0], first) if t[0] > 0 and _is_chain(first) else arb("nan")])
    right = 1
    while right < ctx.cap:
        zeta, _, _, rate, _ = routines.chain_above(y, *chain)
        y = y - (zeta - 1 / t) / rate
        y = arb_series([*(y[k] for k in range(ctx.cap))])
        right *= 2
    return routines.conjugate_below(level, t, y, *chain)
