"""Bessel functions of integer order."""

from .entry import Entry, Growth

_HERE = "asympkit.numbers.functions.routines.bessel"


def _parity(order):
    return "odd" if order % 2 else "even"


def _balls(name):
    def value(order, x):
        from flint import arb

        return getattr(x, name)(arb(order))

    return value


def _entry(letter, **facts):
    name = f"bessel{letter}"
    return Entry(name, name, f"{name}_batch", f"{_HERE}:{name}_batch", lambda mp, n, x: getattr(mp, name)(int(n), x),
                 _balls(f"bessel_{letter}"), lambda n, u, a: getattr(u, f"bessel_{letter}")(n), name, "bessel", arity=2,
                 orders=1, parity=_parity, **facts)


ENTRIES = (
    _entry("j", image=(-1, 1), growth=Growth((1,))),
    _entry("i", growth=Growth((1,), 1)),
)
