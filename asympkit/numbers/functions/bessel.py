"""Bessel functions of integer order; for programs also ``I_n/I_0`` and ``log I_0``, which do not overflow."""

from math import inf

from .entry import Entry, FunctionGrowth

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


def _ratio_digits(mp, n, x):
    return mp.besseli(int(n), x) / mp.besseli(0, x)


def _log_digits(mp, x):
    if abs(x) > 1:
        return mp.log(mp.besseli(0, x))
    term, total, k = mp.one, mp.zero, 0
    while term > mp.eps * total:
        k += 1
        term *= (x / (2 * k)) ** 2
        total += term
    return mp.log1p(total)


def _ratio_balls(order, x):
    from flint import arb

    return x.bessel_i(arb(order)) / x.bessel_i(arb(0))


def _log_balls(x):
    from flint import arb

    return x.bessel_i(arb(0)).log()


def _log_complex(u, analytic):
    """Evaluate ``log(I_0(u))``; off the imaginary axis the exponential is taken out, which leaves a root of ``1/u``."""
    from flint import acb

    if u.real > 0 or u.real < 0:
        large = u if u.real > 0 else -u
        return large + large.bessel_i(acb(0), scaled=True).log(analytic=analytic)
    return u.bessel_i(acb(0)).log(analytic=analytic)


ENTRIES = (
    Entry("BesselRatio", "bessel_ratio", "bessel_ratio_batch", f"{_HERE}:bessel_ratio_batch", _ratio_digits,
          _ratio_balls, lambda n, u, a: u.bessel_i(n) / u.bessel_i(0), "", "bessel", arity=2, orders=1, parity=_parity,
          image=(-1, 1), growth=FunctionGrowth((1,)), symbol="asympkit.numbers.functions.classes:BesselRatio",
          is_steep=True,
          spelling=None),
    Entry("LogBesselI0", "log_bessel_i0", "log_bessel_i0_batch", f"{_HERE}:log_bessel_i0_batch", _log_digits,
          _log_balls, _log_complex, "", "bessel", image=(0, inf), growth=FunctionGrowth((0, 1)), parity="even",
          symbol="asympkit.numbers.functions.classes:LogBesselI0", is_steep=True, spelling=None),
    _entry("j", image=(-1, 1), growth=FunctionGrowth((1,))),
    _entry("i", growth=FunctionGrowth((1,), 1)),
)
