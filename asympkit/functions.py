"""The functions an expression of a theory may hold, and what each is called in every reading: one list for all.

Sums, products, powers, numbers, ``pi`` and ``e`` need no entry.  The walkers of the readings stay where they are;
they look up here what they call, and what is not here is refused by name when a theory is made.
"""

from dataclasses import dataclass

__all__ = ["KINKED", "KNOWN", "REWRITTEN", "Known", "known_names"]


@dataclass(frozen=True)
class Known:
    """One function in every reading.

    Attributes
    ----------
    loops, arrays : str
        What generated code calls for one number (compiled) and for arrays; empty where the printer writes it out.
    digits : str
        Its name in mpmath, or in :mod:`asympkit.gauss.special_digits`.
    balls : str
        The method of a real ball, or its name in :mod:`asympkit.balls.special`; empty where the form writes it out.
    spelling : str
        How a person writes it, where that is not the name.
    """

    loops: str
    arrays: str
    digits: str
    balls: str
    spelling: str = ""


def _plain(name, arrays=None):
    return Known(f"math.{name}", f"np.{arrays or name}", name, name)


#: by the name of the sympy class
KNOWN = {
    **{name: _plain(name) for name in ("exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "asin": _plain("asin", "arcsin"),
    "atan": _plain("atan", "arctan"),
    "erf": Known("math.erf", "erf_batch", "erf", "erf"),
    "erfc": Known("math.erfc", "erfc_batch", "erfc", "erfc"),
    "Abs": Known("abs", "np.abs", "fabs", "__abs__"),
    "sign": Known("np.sign", "np.sign", "sign", "sgn"),
    "Heaviside": Known("", "np.heaviside", "", ""),
    "Max": Known("max", "np.maximum", "", "max"),
    "Min": Known("min", "np.minimum", "", "min"),
    "Piecewise": Known("", "", "", "", "Piecewise (where)"),
    "LogErfc": Known("log_erfc", "log_erfc_batch", "", ""),
    "MPResolvent": Known("mp_resolvent", "mp_resolvent_batch", "", ""),
}

#: functions that only programs hold
_INTERNAL = ("LogErfc", "MPResolvent")

#: functions that switch between formulas
KINKED = ("Abs", "sign", "Heaviside", "Max", "Min", "Piecewise")

#: what other functions are in terms of these, by the name of the sympy class
REWRITTEN = {
    "acos": lambda sp, x: sp.pi / 2 - sp.asin(x),
    "acot": lambda sp, x: sp.atan(1 / x),
    "asinh": lambda sp, x: sp.log(x + sp.sqrt(x**2 + 1)),
    "acosh": lambda sp, x: sp.log(x + sp.sqrt(x - 1) * sp.sqrt(x + 1)),
    "atanh": lambda sp, x: (sp.log(1 + x) - sp.log(1 - x)) / 2,
    "sec": lambda sp, x: 1 / sp.cos(x),
    "csc": lambda sp, x: 1 / sp.sin(x),
    "cot": lambda sp, x: sp.cos(x) / sp.sin(x),
    "sech": lambda sp, x: 1 / sp.cosh(x),
    "csch": lambda sp, x: 1 / sp.sinh(x),
    "coth": lambda sp, x: 1 / sp.tanh(x),
    "sinc": lambda sp, x: sp.Piecewise((1, sp.Eq(x, 0)), (sp.sin(x) / x, True)),
}


def known_names():
    """The known functions as a person writes them, for messages."""
    return ", ".join(sorted((k.spelling or name for name, k in KNOWN.items() if name not in _INTERNAL), key=str.lower))
