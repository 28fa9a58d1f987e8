"""Error functions, and the tails of the normal law with their exponentials taken out.

``LogPhi`` is the logarithm of the normal distribution function, ``Mills`` the density over it, ``MillsGap`` Mills
plus ``x``; the latter two give the derivatives of the first without cancellation.
"""

from math import frexp, inf

from .entry import Entry, FunctionGrowth

_HERE = "asympkit.numbers.functions.routines"
_CLASSES = "asympkit.numbers.functions.classes"
#: beyond it no number of bits is spent on an exponent
_LARGEST = 1e100
#: complex balls wider than this are bounded by a continued fraction
_WIDE = 2.0**-12


def _extra_digits(mp, x):
    """Return the bits that exponents of the size of ``x**2`` take."""
    return 2 * max(0, mp.mag(x)) + 20


def _log_erfc_digits(mp, x):
    with mp.workprec(mp.prec + _extra_digits(mp, x)):
        value = mp.log1p(-mp.erf(x)) if abs(x) < 1 else mp.log(mp.erfc(x))
    return +value


def _log_phi_digits(mp, x):
    with mp.workprec(mp.prec + _extra_digits(mp, x)):
        root = mp.sqrt(2)
        value = mp.log1p(-mp.erfc(x / root) / 2) if x > 0 else mp.log(mp.erfc(-x / root) / 2)
    return +value


def _mills_digits(mp, x):
    with mp.workprec(mp.prec + _extra_digits(mp, x)):
        value = mp.exp(-x * x / 2) * mp.sqrt(2 / mp.pi) / mp.erfc(-x / mp.sqrt(2))
    return +value


def _mills_gap_digits(mp, x):
    with mp.workprec(mp.prec + 2 * _extra_digits(mp, x)):       # x*mills(x) is near -x**2
        value = x + _mills_digits(mp, x)
    return +value


def _precisely(function, times=1):
    """Wrap a function of real balls (or power series) to work with the extra bits that its exponents take."""
    def value(x):
        import flint

        size = float(abs(x if isinstance(x, flint.arb) else x[0]).upper())
        bits = 2 * times * max(0, frexp(size)[1]) if size < _LARGEST else 0
        before, flint.ctx.prec = flint.ctx.prec, flint.ctx.prec + bits + 20
        try:
            return function(x)
        finally:
            flint.ctx.prec = before

    return value


def _root():
    from flint import arb

    return arb(2).sqrt()


def _scaled(square):
    """Evaluate ``sqrt(pi) exp(t**2) erfc(t)`` of a large t from its square, by Tricomi's U: no exponent widens it."""
    from flint import arb

    half = arb(1) / 2
    return square.hypgeom_u(half, half)


def _is_above(x, bound):
    """Return whether a real ball lies above a number; False for a power series."""
    from flint import arb

    return isinstance(x, arb) and x > bound


def _mills_form(x):
    from flint import arb

    if _is_above(-x, 3):
        return _root() / _scaled(x * x / 2)
    return (-(x * x) / 2).exp() * (2 / arb.pi()).sqrt() / (-x / _root()).erfc()


def _log_phi_form(x):
    from flint import arb

    if _is_above(x, 3):
        return (-(-x * x / 2).exp() * _scaled(x * x / 2) / arb.pi().sqrt() / 2).log1p()
    if _is_above(-x, 3):
        return (_scaled(x * x / 2) / arb.pi().sqrt() / 2).log() - x * x / 2
    return ((-x / _root()).erfc() / 2).log()


def _log_erfc_form(x):
    from flint import arb

    if _is_above(x, 2):
        return (_scaled(x * x) / arb.pi().sqrt()).log() - x * x
    if isinstance(x, arb) and abs(x) < 1:
        return (-x.erf()).log1p()
    return x.erfc().log()


# -- complex balls -----------------------------------------------------------------------------------


def _is_wide_tail(u):
    """Return whether a complex ball lies so far left and is so wide that the quotient of exponentials has no bound."""
    return u.real < -1 and max(u.real.rad(), u.imag.rad()) > _WIDE


def _fraction(t, k):
    """Evaluate ``t + k/(t + (k+1)/(t + ...))`` for Re t > 0; the fraction's tail has a real part above that of t."""
    from flint import acb, arb

    least = float(t.real.lower())
    depth = k + 1 + int(min(0.25 * least * least, 24.0))          # deeper, the balls would grow
    half = (arb(depth) / (2 * arb(least))).upper()
    value = t + acb(half + arb(0, half), arb(0, half))          # a number over a half-plane is in a disc through 0
    for j in range(depth - 1, k - 1, -1):
        value = t + j / value
    return value


def _mills_complex(u, analytic):
    return _fraction(-u, 1) if _is_wide_tail(u) else _mills_form(u)


def _mills_gap_complex(u, analytic):
    return 1 / _fraction(-u, 2) if _is_wide_tail(u) else u + _mills_form(u)


def _log_phi_complex(u, analytic):
    if not u.real < -1:
        return ((-u / _root()).erfc() / 2).log(analytic=analytic)
    from flint import arb

    # the branch that is real on the line: Mills's ratio stays on the right, its logarithm does not wind
    return -u * u / 2 - (2 * arb.pi()).log() / 2 - _mills_complex(u, analytic).log(analytic=analytic)


def _log_erfc_complex(u, analytic):
    from flint import arb

    return _log_phi_complex(-u * _root(), analytic) + arb(2).log()


ENTRIES = (
    Entry("erf", "math.erf", "erf_batch", "scipy.special:erf", "erf", "erf", "erf", "erf", "error_function",
          image=(-1, 1), growth=FunctionGrowth((1,)), monotone=1, parity="odd", is_steep=True),
    Entry("erfc", "math.erfc", "erfc_batch", "scipy.special:erfc", "erfc", "erfc", "erfc", "erfc", "error_function",
          image=(0, 2), growth=FunctionGrowth((2,)), monotone=-1, is_steep=True, lanes="lane_erfc"),
    Entry("LogErfc", "log_erfc", "log_erfc_batch", f"{_HERE}.error_function:log_erfc_batch", _log_erfc_digits,
          _precisely(_log_erfc_form), _log_erfc_complex, "log_erfc", "error_function",
          image=(-inf, 1), growth=FunctionGrowth((1, 2, 1)), monotone=-1, symbol=f"{_CLASSES}:LogErfc", is_steep=True),
    Entry("LogPhi", "log_phi", "log_phi_batch", f"{_HERE}.normal_tail:log_phi_batch", _log_phi_digits,
          _precisely(_log_phi_form), _log_phi_complex, "log_phi", "normal_tail",
          image=(-inf, 0), growth=FunctionGrowth((2, 2, 1)), monotone=1, symbol=f"{_CLASSES}:LogPhi", is_steep=True),
    Entry("Mills", "mills", "mills_batch", f"{_HERE}.normal_tail:mills_batch", _mills_digits, _precisely(_mills_form),
          _mills_complex, "mills", "normal_tail", image=(0, inf), growth=FunctionGrowth((1, 1)), monotone=-1,
          symbol=f"{_CLASSES}:Mills", is_steep=True),
    Entry("MillsGap", "mills_gap", "mills_gap_batch", f"{_HERE}.normal_tail:mills_gap_batch", _mills_gap_digits,
          _precisely(lambda x: x + _mills_form(x), 2), _mills_gap_complex, "mills_gap", "normal_tail",
          image=(0, inf), growth=FunctionGrowth((1, 1)), monotone=1, symbol=f"{_CLASSES}:MillsGap",
          is_steep=True, spelling=None),
)
