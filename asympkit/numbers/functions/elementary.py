r"""Catalogue of functions, each a record of how every back end evaluates it.

There are elementary ones, switches, gamma, Bessel functions, proximal steps, and those of the normal law.

mpmath, numpy and the ball library have elementary functions under their own names.  The printers of most back ends
write out the functions that switch between formulas.  Programs hold logarithms of sums of exponentials, entropies,
``I_n/I_0`` and ``log I_0``, which do not overflow; users write ``log(cosh(x))``, ``log(1 + exp(x))``, ``x*log(x)``.
The mean ``E 1/(a D + b)`` over Marchenko-Pastur eigenvalues D has two equal forms, chosen by sign for accuracy.
``FreeSumRoot`` parametrises the law of their free sum with a semicircle.

``LogPhi`` is the logarithm of the normal distribution function, ``Mills`` the density over it, ``MillsGap`` Mills
plus ``x``; the latter two give the derivatives of the first without cancellation.

Smoothed kinks are means of the normal law's repeated integrals over an interval.  With :math:`\varphi^{(n)}` the
derivatives of the normal density, its repeated integrals from the left for n < 0, the function of c and h is the mean
of :math:`u^j\varphi^{(n)}(c+hu)` over u between -1/2 and 1/2: the Gaussian convolution of a kink whose slope rises over
an interval.  A narrow interval takes a power series in h, a wide one differences of the ends.  For n < 0 the integrals
are polynomials on the right, but for a tail.  The arguments left and right are 1 for an end on the right, else -1;
there the polynomials are left out, and the caller adds them where they do not cancel.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import inf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias

    Parity: TypeAlias = Literal["odd", "even"] | None


@dataclass(frozen=True)
class FunctionGrowth:
    """``|f(x)| <= P(|x|) exp(rate |x|)`` for all real x, P with the coefficients ``powers`` (exact, not negative)."""

    powers: tuple[Fraction | int, ...]
    rate: int = 0


class Entry:
    """One function in every back end.

    The function's sympy name, derivative and LaTeX belong to its sympy class, whose name finds this entry.
    """

    #: the name of the sympy class
    name: str
    #: names that generated code calls for one number (compiled) and for arrays; empty where the printer writes it out
    loops: str
    arrays: str
    #: the vectorised variant that compiled loops over nodes call instead: without branches, of :mod:`.lanes`
    lanes: str
    #: evaluator of a reflection pair in compiled loops: at some arguments, and at these with all signs but the last
    #: one's changed; empty where it costs as much as two calls
    opposite: str
    #: fused evaluators of several orders at the same arguments: for compiled loops (without branches; returns the
    #: values of these orders), for arrays (takes the orders first), and the orders
    together: tuple[str, str, tuple[tuple[int, ...], ...]] | None
    #: evaluator for numpy arrays in this process, or its address ``"module:name"``
    floats: Callable[..., Any] | str
    #: multiprecision evaluator ``digits(mp, *numbers)``, its address, or its name in mpmath
    digits: Callable[..., Any] | str
    #: evaluator at real balls (and power series of them), its address, or the name of a ball's method; if empty, a
    #: certificate raises ProofError with this function's name
    balls: Callable[..., Any] | str
    #: ``complex_balls(*balls, analytic)`` or its address, not finite where the function may fail to be analytic and the
    #: flag is set; or the name of the method of an entire function
    complex_balls: Callable[..., Any] | str
    #: its name in texts of the grammar; empty where texts do not have it
    text: str
    #: a file of :mod:`.routines`, or source text, with the functions that ``loops`` and ``arrays`` name; it is copied
    #: into generated modules that call them
    source: str
    #: number of arguments
    arity: int
    #: number of leading arguments that are exact integers
    orders: int
    #: interval of the last argument where the function is real and analytic, and bounds of its values
    domain: tuple[float, float]
    image: tuple[float | Fraction, float | Fraction]
    growth: FunctionGrowth | None
    #: 1 or -1 if it increases or decreases on its domain, else 0
    monotone: Literal[-1, 0, 1]
    #: in its last argument; a callable of the orders where these decide
    parity: Parity | Callable[..., Parity]
    #: true if it switches between formulas
    is_kinked: bool
    #: true if its derivative changes within an argument of order one: a feature under an average
    is_steep: bool
    #: the sympy class, or where it is, ``"module:name"``; empty for a class of sympy itself
    symbol: type | str
    #: the user's notation, where that is not the name; None where it is internal
    spelling: str | None
    #: ``values(*ranges)``: a range of the function from ranges (low, high) of its arguments, exact numbers or
    #: infinities, where more is known than the image
    values: Callable[..., Any] | None
    #: ``refined(numbers, *arrays)`` or its address: multiprecision values refined from those in double precision, where
    #: that is faster than one after another
    refined: Callable[..., Any] | None

    def __init__(self, name: str, loops: str = "", arrays: str = "", floats: Callable[..., Any] | str = "",
                 digits: Callable[..., Any] | str = "", balls: Callable[..., Any] | str = "",
                 complex_balls: Callable[..., Any] | str = "", text: str = "", source: str = "", arity: int = 1,
                 orders: int = 0, domain: tuple[float, float] = (-inf, inf),
                 image: tuple[float | Fraction, float | Fraction] = (-inf, inf),
                 growth: FunctionGrowth | None = None, monotone: Literal[-1, 0, 1] = 0,
                 parity: Parity | Callable[..., Parity] = None, is_kinked: bool = False, is_steep: bool = False,
                 symbol: type | str = "", spelling: str | None = "",
                 values: Callable[..., Any] | None = None, refined: Callable[..., Any] | str | None = None,
                 lanes: str = "", opposite: str = "",
                 together: tuple[str, str, tuple[tuple[int, ...], ...]] | None = None) -> None:
        # written out: a dataclass of so many fields takes longer to define than all of the list to make
        self.__dict__.update({field: value for field, value in locals().items() if field != "self"})
        for field in ("digits", "balls", "complex_balls", "refined"):
            if isinstance(value := getattr(self, field), str) and ":" in value:
                self.__dict__[field] = loaded(value)

    def __setattr__(self, field: str, value: object) -> None:
        raise AttributeError(f"{field}: the record of a function does not change; register another one")

    def __repr__(self) -> str:
        return f"<Entry {self.name}>"

    @property
    def shown(self) -> str | None:
        """Name in messages, or None."""
        return None if self.spelling is None else self.spelling or self.name

    @property
    def is_partial(self) -> bool:
        """Return whether it is not real everywhere."""
        return self.domain != (-inf, inf)

    def parity_at(self, *orders: int) -> int:
        """Return 1, -1 or 0 for even, odd or neither."""
        parity = self.parity(*orders) if callable(self.parity) else self.parity
        return {"even": 1, "odd": -1, None: 0}[parity]

    @cached_property
    def sympy_class(self) -> type:
        """The class of its symbolic form."""
        return _found(self.symbol or f"sympy:{self.name}")

    @cached_property
    def array_function(self) -> Callable[..., Any]:
        """Its values at numpy arrays."""
        return _found(self.floats)

    def at_digits(self, mp: Any, *numbers: Any) -> Any:
        """Evaluate in a context of mpmath."""
        if isinstance(self.digits, str):
            return getattr(mp, self.digits)(*numbers)
        return self.digits(mp, *numbers)

    @property
    def has_balls(self) -> bool:
        return bool(self.balls)

    def at_balls(self, *balls: Any) -> Any:
        """Evaluate at real balls."""
        if isinstance(self.balls, str):
            return getattr(balls[0], self.balls)(*balls[1:])
        return self.balls(*balls)

    def at_complex_balls(self, *arguments: Any) -> Any:
        """Evaluate at complex balls; the last argument is the flag ``analytic``."""
        *balls, analytic = arguments
        if isinstance(self.complex_balls, str):
            return getattr(balls[0], self.complex_balls)(*balls[1:])
        return self.complex_balls(*balls, analytic)


def loaded(address: str) -> Callable[..., Any]:
    """Return a function that imports the one at ``"module:name"`` when it is first called."""
    def value(*arguments):
        return _found(address)(*arguments)

    return value


@cache
def _found(function):
    if not isinstance(function, str):
        return function
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)


_HERE = "asympkit.numbers.functions"
_CLASSES, _BALLS, _ROUTINES = (f"{_HERE}.{m}" for m in ("classes", "balls", "routines"))
_ARCS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
         "atanh": "arctanh"}
#: above pi/2 and pi
_QUARTER, _HALF = Fraction(11, 7), Fraction(22, 7)
#: functions ``(sympy, *arguments) -> expression`` that rewrite unlisted functions in terms of listed ones, by the name
#: of the sympy class
REWRITTEN = {
    "acot": lambda sp, x: sp.atan(1 / x),
    "acosh": lambda sp, x: sp.log(x + sp.sqrt(x - 1) * sp.sqrt(x + 1)),
    "sec": lambda sp, x: 1 / sp.cos(x),
    "csc": lambda sp, x: 1 / sp.sin(x),
    "cot": lambda sp, x: sp.cos(x) / sp.sin(x),
    "sech": lambda sp, x: 1 / sp.cosh(x),
    "csch": lambda sp, x: 1 / sp.sinh(x),
    "coth": lambda sp, x: 1 / sp.tanh(x),
    "sinc": lambda sp, x: sp.Piecewise((1, sp.Eq(x, 0)), (sp.sin(x) / x, True)),
    "digamma": lambda sp, x: sp.polygamma(0, x),
    "trigamma": lambda sp, x: sp.polygamma(1, x),
    "factorial": lambda sp, x: sp.gamma(x + 1),
}


def _plain(name, complex_balls=None, **facts):
    arrays = _ARCS.get(name, name)
    return Entry(name, f"math.{name}", f"np.{arrays}", f"numpy:{arrays}", name, name, complex_balls or name, name,
                 **facts)


def _own(name, called, digits, balls, complex_balls, source, **facts):
    """Make the entry of a function whose routine has the same name in loops and, with ``_batch``, in arrays."""
    return Entry(name, called, f"{called}_batch", f"{_ROUTINES}.{source}:{called}_batch", digits, balls, complex_balls,
                 source=source, **facts)


# -- complex balls of elementary functions ----------------------------------------------------------


def _with_cut(name, sign):
    """Return a function of a complex ball that has cuts where ``1 + sign*u**2`` is real and not positive."""
    def value(u, analytic):
        inside = getattr(u, name)()
        return inside + 0 * (1 + sign * u**2).log(analytic=True) if analytic else inside

    return value


def _asinh(u, analytic):
    """Evaluate asinh by its logarithm, on the side where nothing cancels: the ball library loses wide balls."""
    side = 1 if u.real.mid() >= 0 else -1
    return side * (side * u + (1 + u * u).sqrt(analytic=analytic)).log(analytic=analytic)


_ELEMENTARY = (
    _plain("exp", image=(0, inf), monotone=1, is_steep=True, lanes="lane_exp"),
    _plain("log", lambda u, analytic: u.log(analytic=analytic), domain=(0, inf), monotone=1),
    _plain("sin", image=(-1, 1), growth=FunctionGrowth((1,)), parity="odd"),
    _plain("cos", image=(-1, 1), growth=FunctionGrowth((1,)), parity="even"),
    _plain("tan", parity="odd"),
    _plain("sinh", monotone=1, growth=FunctionGrowth((1,), 1), parity="odd", is_steep=True),
    _plain("cosh", image=(1, inf), growth=FunctionGrowth((1,), 1), parity="even", is_steep=True),
    _plain("tanh", image=(-1, 1), monotone=1, growth=FunctionGrowth((1,)), parity="odd", is_steep=True),
    _plain("asin", _with_cut("asin", -1), domain=(-1, 1), image=(-_QUARTER, _QUARTER), monotone=1,
           growth=FunctionGrowth((2,)), parity="odd"),
    _plain("acos", _with_cut("acos", -1), domain=(-1, 1), image=(0, _HALF), monotone=-1, growth=FunctionGrowth((4,))),
    _plain("atan", _with_cut("atan", 1), image=(-_QUARTER, _QUARTER), monotone=1, growth=FunctionGrowth((2,)),
           parity="odd", is_steep=True),
    _plain("asinh", _asinh, monotone=1, growth=FunctionGrowth((0, 1)), parity="odd", is_steep=True),
    _plain("atanh", _with_cut("atanh", -1), domain=(-1, 1), monotone=1, parity="odd"),
)


# -- switches ----------------------------------------------------------------------------------------


_SWITCHES = (
    Entry("Abs", "abs", "np.abs", "numpy:abs", "fabs", "__abs__", text="abs", image=(0, inf),
          growth=FunctionGrowth((0, 1)), parity="even", is_kinked=True),
    Entry("Size", "abs", "np.abs", "numpy:abs", "fabs", "__abs__", image=(0, inf), growth=FunctionGrowth((0, 1)),
          parity="even", symbol=f"{_CLASSES}:Size", spelling=None),
    _own("Side", "side", lambda mp, x: mp.one if x > 0 else -mp.one, f"{_BALLS}:side", f"{_BALLS}:side_complex",
         "elementary", lanes="lane_side", image=(-1, 1), growth=FunctionGrowth((1,)), monotone=1,
         symbol=f"{_CLASSES}:Side", spelling=None),
    _own("SlopeSize", "slope_size", lambda mp, x: max(abs(x), mp.mpf(10) ** -max(150, mp.dps)), f"{_BALLS}:slope_size",
         f"{_BALLS}:slope_size_complex", "elementary", image=(0, inf), growth=FunctionGrowth((0, 1)), parity="even",
         symbol=f"{_CLASSES}:SlopeSize", spelling=None),
    _own("Larger", "larger", lambda mp, *x: max(x), f"{_BALLS}:larger", f"{_BALLS}:larger_complex", "elementary",
         arity=2, symbol=f"{_CLASSES}:Larger", spelling=None),
    Entry("sign", "np.sign", "np.sign", "numpy:sign", "sign", "sgn", text="sign", image=(-1, 1),
          growth=FunctionGrowth((1,)), monotone=1, parity="odd", is_kinked=True),
    Entry("Heaviside", "", "np.heaviside", "numpy:heaviside",
          lambda mp, x, at_zero=0.5: mp.convert(at_zero) if x == 0 else (1 + mp.sign(x)) / 2, f"{_BALLS}:heaviside",
          text="step", arity=2, image=(0, 1), growth=FunctionGrowth((1,)), is_kinked=True),
    Entry("Max", "max", "np.maximum", "numpy:maximum", lambda mp, *x: max(x), "max", text="max", arity=2,
          is_kinked=True),
    Entry("Min", "min", "np.minimum", "numpy:minimum", lambda mp, *x: min(x), "min", text="min", arity=2,
          is_kinked=True),
    Entry("Piecewise", spelling="Piecewise (where)", is_kinked=True),
)


# -- logarithms of sums of exponentials, entropies ---------------------------------------------------


def _log_cosh_digits(mp, x):
    return mp.log1p(mp.sinh(x) ** 2) / 2 if abs(x) < 1 else abs(x) + mp.log1p(mp.exp(-2 * abs(x))) - mp.log(2)


def _log_cosh_complex(u, analytic):
    """Evaluate log(cosh(u)); off the imaginary axis with the large part taken out, so that the rest is analytic."""
    if u.real > 0 or u.real < 0:
        large = u if u.real > 0 else -u
        return large + (1 + (-2 * large).exp()).log(analytic=analytic) - (u * 0 + 2).log()
    return u.cosh().log(analytic=analytic)


def _soft_plus_complex(u, analytic):
    if u.real > 0:
        return u + (1 + (-u).exp()).log(analytic=analytic)
    return (1 + u.exp()).log(analytic=analytic)


_EXPONENTIALS = (
    _own("LogCosh", "log_cosh", _log_cosh_digits, lambda x: x.cosh().log(), _log_cosh_complex, "elementary",
         text="log_cosh", image=(0, inf), growth=FunctionGrowth((0, 1)), parity="even", symbol=f"{_CLASSES}:LogCosh",
         is_steep=True, spelling=None),
    _own("SoftPlus", "soft_plus", lambda mp, x: max(x, mp.zero) + mp.log1p(mp.exp(-abs(x))), f"{_BALLS}:soft_plus",
         _soft_plus_complex, "elementary",
         text="soft_plus", image=(0, inf), growth=FunctionGrowth((1, 1)), monotone=1, symbol=f"{_CLASSES}:SoftPlus",
         lanes="lane_soft_plus", is_steep=True, spelling=None),
    Entry("LogOnePlus", "math.log1p", "np.log1p", "numpy:log1p", "log1p", "log1p",
          lambda u, analytic: (1 + u).log(analytic=analytic), domain=(-1, inf), monotone=1,
          symbol=f"{_CLASSES}:LogOnePlus", spelling=None),
    Entry("ExpMinusOne", "math.expm1", "np.expm1", "numpy:expm1", "expm1", "expm1", lambda u, analytic: u.exp() - 1,
          image=(-1, inf), monotone=1, is_steep=True, symbol=f"{_CLASSES}:ExpMinusOne", spelling=None),
    _own("XLogX", "x_log_x", lambda mp, x: x * mp.log(x) if x else mp.zero, lambda x: 0 * x if x == 0 else x * x.log(),
         lambda u, analytic: u * u.log(analytic=analytic), "elementary", text="x_log_x", domain=(0, inf),
         image=(-Fraction(2, 5), inf), growth=FunctionGrowth((1, 0, 1)), symbol=f"{_CLASSES}:XLogX", spelling=None),
)


# -- gamma and Bessel functions, of an integer order -------------------------------------------------


def _log_gamma_complex(u, analytic):
    # on its cut, the negative axis, the logarithm is not analytic either
    return u.lgamma() + 0 * u.log(analytic=True) if analytic else u.lgamma()


def _order_parity(order):
    return "odd" if order % 2 else "even"


def _bessel(letter, **facts):
    name = f"bessel{letter}"
    return _own(name, name, lambda mp, n, x: getattr(mp, name)(int(n), x), f"{_BALLS}:{name}",
                lambda n, u, a: getattr(u, f"bessel_{letter}")(n), "bessel", text=name, arity=2, orders=1,
                parity=_order_parity, **facts)


def _log_bessel_i0_digits(mp, x):
    if abs(x) > 1:
        return mp.log(mp.besseli(0, x))
    term, total, k = mp.one, mp.zero, 0
    while term > mp.eps * total:
        k += 1
        term *= (x / (2 * k)) ** 2
        total += term
    return mp.log1p(total)


_GAMMA_AND_BESSEL = (
    _own("gamma", "gamma_function", "gamma", "gamma", "gamma", "gamma", text="gamma", domain=(0, inf)),
    _own("loggamma", "log_gamma", lambda mp, x: mp.loggamma(x) if x > 0 else mp.nan, "lgamma", _log_gamma_complex,
         "gamma", text="log_gamma", domain=(0, inf)),
    _own("polygamma", "polygamma", lambda mp, n, x: mp.polygamma(int(n), x), f"{_BALLS}:polygamma",
         lambda n, u, a: u.polygamma(n), "gamma", text="polygamma", arity=2, orders=1, domain=(0, inf)),
    _own("BesselRatio", "bessel_ratio", lambda mp, n, x: mp.besseli(int(n), x) / mp.besseli(0, x),
         f"{_BALLS}:bessel_ratio", lambda n, u, a: u.bessel_i(n) / u.bessel_i(0), "bessel", arity=2, orders=1,
         parity=_order_parity, image=(-1, 1), growth=FunctionGrowth((1,)), symbol=f"{_CLASSES}:BesselRatio",
         is_steep=True, spelling=None),
    _own("LogBesselI0", "log_bessel_i0", _log_bessel_i0_digits, f"{_BALLS}:log_bessel_i0",
         f"{_BALLS}:log_bessel_i0_complex", "bessel", image=(0, inf), growth=FunctionGrowth((0, 1)), parity="even",
         symbol=f"{_CLASSES}:LogBesselI0", is_steep=True, spelling=None),
    _bessel("j", image=(-1, 1), growth=FunctionGrowth((1,))),
    _bessel("i", growth=FunctionGrowth((1,), 1)),
)


# -- a mean over Marchenko-Pastur eigenvalues, the proximal step of the logistic loss ----------------


def _resolvent(sqrt, middle, a, b, scale, ratio):
    """Evaluate the root that is positive for positive arguments, by one of two equal forms, in any number system."""
    x = a * scale
    shifted = b + x * (1 - ratio)
    product = 4 * ratio * x * b
    root = sqrt(shifted * shifted + product)
    return 2 / (shifted + root) if middle(shifted) >= 0 else 2 * (root - shifted) / product


def _resolvent_complex(*arguments):
    *balls, analytic = arguments
    return _resolvent(lambda u: u.sqrt(analytic=analytic), lambda u: u.real.mid(), *balls)


def _resolvent_range(a, b, scale, ratio):
    """Return a range: for ``a D >= 0`` and ``b > 0`` the mean of ``1/(a D + b)`` lies between 0 and 1/b."""
    if a[0] >= 0 and b[0] > 0 and scale[0] >= 0 and ratio[0] > 0:
        return 0, 1 / b[0]
    return -inf, inf


def _free_sum_digits(mp, a, b):
    v, q = (a + b if b > 0 else a / (1 - b)), mp.one
    for _ in range(200 + mp.prec):
        q = mp.sqrt(1 + v * v)
        gap = (v * v + (1 - b) * (1 + b)) / (q * (q + b)) if b > 0 else 1 - b / q
        step = (v * gap - a) / (1 - b / q**3)
        v -= step
        if abs(step) <= 4 * mp.eps * abs(v):
            break
    return v


def _below_reciprocal(V, b):
    """Return the range of ``b/(1 + V b)``, which is not negative and below 1/V."""
    return (0, 1 / V[0] if V[0] > 0 else inf) if V[0] >= 0 and b[0] >= 0 else (-inf, inf)


def _logistic(name, called, **facts):
    balls = f"{_HERE}.balls:{called}"
    return _own(name, called, f"{_CLASSES}:{called}", balls, f"{balls}_complex", "elementary", arity=2,
                monotone=-1, symbol=f"{_CLASSES}:{name}", is_steep=True, spelling=None, **facts)


ENTRIES = (
    *_ELEMENTARY, *_SWITCHES, *_EXPONENTIALS, *_GAMMA_AND_BESSEL,
    _own("MPResolvent", "mp_resolvent", lambda mp, *numbers: _resolvent(mp.sqrt, lambda x: x, *numbers),
         lambda *balls: _resolvent(lambda x: x.sqrt(), lambda x: x.mid(), *balls), _resolvent_complex, "elementary",
         arity=4, spelling=None, values=_resolvent_range, symbol="asympkit.spectra.law:MPResolvent"),
    _own("FreeSumRoot", "free_sum_root", _free_sum_digits, f"{_BALLS}:free_sum_root", f"{_BALLS}:free_sum_root_complex",
         "elementary", arity=2, spelling=None, symbol="asympkit.spectra.semicircle:FreeSumRoot"),
    Entry("Saturated", "saturated", "saturated", f"{_ROUTINES}.elementary:saturated", lambda mp, V, b: b / (1 + V * b),
          lambda V, b: b / (1 + V * b), lambda V, b, analytic: b / (1 + V * b), source="elementary", arity=2,
          symbol=f"{_CLASSES}:Saturated", spelling=None, values=_below_reciprocal),
    _logistic("LogisticSlope", "logistic_slope", image=(0, 1), growth=FunctionGrowth((1,)),
              refined=f"{_CLASSES}:refined_logistic_slope", lanes="lane_logistic_slope"),
    _logistic("LogisticEnvelope", "logistic_envelope", image=(0, inf), growth=FunctionGrowth((1, 1))),
)


#: narrower intervals take power series
NARROW = 2
#: terms of these at most
_MOST = 2000
#: the orders (j, n) that the fused evaluator of compiled loops returns
_TOGETHER = (0, -2), (0, -1), (1, -1), (0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)


# -- tails with their exponentials taken out, in multiprecision -------------------------------------


def _extra_digits(mp, x):
    """Return the bits that exponents of the size of ``x**2`` take."""
    return 2 * max(0, mp.mag(x)) + 20


def _erfc(mp, x):
    """Return erfc(x), by its series where integers of the size of ``x**2``, which mpmath's own needs, are too long."""
    if mp.mag(x) < 500:
        return mp.erfc(x)
    if x < 0:
        return 2 - _erfc(mp, -x)
    total, term, k = mp.one, mp.one, 0
    while mp.mag(term) > -mp.prec:
        k += 1
        term *= (1 - 2 * k) / (2 * x * x)
        total += term
    return mp.exp(-x * x) / (x * mp.sqrt(mp.pi)) * total


def _log_erfc_digits(mp, x):
    with mp.workprec(mp.prec + _extra_digits(mp, x)):
        value = mp.log1p(-mp.erf(x)) if abs(x) < 1 else mp.log(_erfc(mp, x))
    return +value


def _log_phi_digits(mp, x):
    with mp.workprec(mp.prec + _extra_digits(mp, x)):
        root = mp.sqrt(2)
        value = mp.log1p(-_erfc(mp, x / root) / 2) if x > 0 else mp.log(_erfc(mp, -x / root) / 2)
    return +value


def _mills_digits(mp, x):
    with mp.workprec(mp.prec + _extra_digits(mp, x)):
        value = mp.exp(-x * x / 2) * mp.sqrt(2 / mp.pi) / _erfc(mp, -x / mp.sqrt(2))
    return +value


def _mills_gap_digits(mp, x):
    with mp.workprec(mp.prec + 2 * _extra_digits(mp, x)):       # x*mills(x) is near -x**2
        value = x + _mills_digits(mp, x)
    return +value


# -- smoothed kinks, in multiprecision; balls take the same steps ------------------------------------


def derivative(density, below, n, x):
    r"""Evaluate :math:`\varphi^{(n)}(x)` for n >= -3 in any number system, from the density and its integral."""
    phi = density(x)
    if n >= 0:
        before, value = 0 * phi, phi
        for k in range(n):
            before, value = value, -x * value - k * before
        return value
    left = below(x)
    return {-1: lambda: left, -2: lambda: x * left + phi, -3: lambda: ((x * x + 1) * left + x * phi) / 2}[n]()


def remainder(density, below, n, x, side):
    """Evaluate the derivative without the polynomial that it becomes on the right."""
    return (-1) ** (n % 2) * derivative(density, below, n, -x) if side > 0 else derivative(density, below, n, x)


def blur_by_ends(kit, j, n, c, h, left, right):
    """Evaluate the mean over a wide interval by differences of its ends, in any number system."""
    low, high = c - h / 2, c + h / 2
    total = (remainder(*kit, n - j - 1, high, right) - remainder(*kit, n - j - 1, low, left)) / h
    for k in range(1, j + 1):
        m = n - j + k - 1
        ends = remainder(*kit, m, high, right) - (-1) ** k * remainder(*kit, m, low, left)
        total = (ends / 2**k - k * total) / h
    return total


def _series(kit, j, n, x, h):
    """Yield the nonzero terms of the power series, k = j mod 2 and on by twos, without the factor ``2**-j``."""
    before, value, power = derivative(*kit, n - 1, x), derivative(*kit, n, x), 1
    for k in range(_MOST):
        if (j + k) % 2 == 0:
            yield value * power / (j + k + 1)
        power = power * h / (2 * (k + 1))
        before, value = value, -x * value - (n + k) * before


def _blur_digits(mp, j, n, c, h, left, right):
    j, n = int(j), int(n)
    c, h = mp.convert(c), mp.convert(h)
    kit = mp.npdf, lambda x: mp.erfc(-x / mp.sqrt(2)) / 2
    with mp.workprec(mp.prec + 40 + 8 * max(0, int(mp.mag(c)) if c else 0, int(mp.mag(h)) if h else 0)):
        if left != right or h > NARROW:
            value = blur_by_ends(kit, j, n, c, h, left, right)
        else:
            value, small, x = mp.zero, 0, -c if right > 0 else c
            for term in _series(kit, j, n, x, h):
                value += term
                small = small + 1 if abs(term) <= mp.ldexp(abs(value), -mp.prec) else 0
                if small > 3:
                    break
            value *= (-1) ** ((j + n) % 2 if right > 0 else 0) * mp.ldexp(1, -j)
    return +value


def _tail(name, called, digits, **facts):
    """Make the entry of a tail, which has the same name in loops, texts and balls."""
    return Entry(name, called, f"{called}_batch", f"{_ROUTINES}.normal:{called}_batch", digits, f"{_BALLS}:{called}",
                 f"{_BALLS}:{called}_complex", called, "normal", symbol=f"{_CLASSES}:{name}", is_steep=True, **facts)


def _pair(name, called, text, **facts):
    return Entry(name, called, f"{called}_batch", f"{_ROUTINES}.normal_pairs:{called}_batch",
                 f"{_HERE}.pair_classes:{called}", f"{_BALLS}:{called}", f"{_BALLS}:{called}_complex", text,
                 "normal_pairs", growth=FunctionGrowth((1,)), symbol=f"{_HERE}.pair_classes:{name}", is_steep=True,
                 **facts)


ENTRIES += (
    Entry("erf", "math.erf", "erf_batch", "scipy.special:erf", "erf", "erf", "erf", "erf", "normal",
          image=(-1, 1), growth=FunctionGrowth((1,)), monotone=1, parity="odd", is_steep=True),
    Entry("erfc", "math.erfc", "erfc_batch", "scipy.special:erfc", "erfc", "erfc", "erfc", "erfc", "normal",
          image=(0, 2), growth=FunctionGrowth((2,)), monotone=-1, is_steep=True, lanes="lane_erfc"),
    _tail("LogErfc", "log_erfc", _log_erfc_digits, image=(-inf, 1), growth=FunctionGrowth((1, 2, 1)), monotone=-1),
    _tail("LogPhi", "log_phi", _log_phi_digits, image=(-inf, 0), growth=FunctionGrowth((2, 2, 1)), monotone=1),
    _tail("Mills", "mills", _mills_digits, image=(0, inf), growth=FunctionGrowth((1, 1)), monotone=-1),
    _tail("MillsGap", "mills_gap", _mills_gap_digits, image=(0, inf), growth=FunctionGrowth((1, 1)), monotone=1,
          spelling=None),
    _pair("OwenT", "owen_t", "owen_t", arity=2, image=(-Fraction(1, 4), Fraction(1, 4))),
    _pair("BivariateNormalCDF", "bivariate_cdf", "bivariate_normal_cdf", arity=3, image=(0, 1),
          opposite="bivariate_opposite"),
    Entry("NormalBlur", "normal_blur", "normal_blur_batch", f"{_ROUTINES}.normal:normal_blur_batch", _blur_digits,
          f"{_BALLS}:normal_blur", source="normal", arity=6, orders=2, symbol=f"{_CLASSES}:NormalBlur",
          is_steep=True, spelling=None, together=("lane_normal_window", "normal_window_batch", _TOGETHER)),
)
