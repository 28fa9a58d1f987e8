"""Own theories whose integrands have features of any width, at places and of widths that unknowns move."""

import random
from functools import cache

from sympy import atan, cosh, erf, exp, log, sqrt, symbols, tanh

import asympkit as ak

x = symbols("x", positive=True)
a, c, w = symbols("a c w", real=True)
d, r = symbols("d r", positive=True)

#: integrands of w, by name; d is their width, c their place, x the unknown
INTEGRANDS = {
    "bump": exp(-(((w - c * x) / d) ** 2) / 2),
    "step": tanh((w * x - c) / d),
    "peak": 1 / (1 + ((w - c) / (d * x)) ** 2),
    "fermi": 1 / (1 + 3 * exp((w**2 - c**2 * x) / d)),
    "soft plus": d * log(1 + exp(-(w - c * x) / d)),
    "erf": erf((w - c * x) / d),
    "smooth kink": sqrt((w - c * x) ** 2 + d**2 * x**2),
    "atan": atan((w - c * x) / d),
    "sech": 1 / cosh((w - c * x) / (d * x)) ** 2,
    "sparse": w**2 / (1 + (1 - r) / (r * d) * exp(-(w**2) / (2 * d**2 * x))) ** 2,
    "product": exp(-(((w - c * x) / d) ** 2) / 2) * tanh((w - 1) / d),
    "nested": tanh(3 * exp(-(((w - c * x) / d) ** 2))),
    "mixture": exp(-((w - c * x) ** 2) / (2 * d)) / (exp(-((w - c * x) ** 2) / (2 * d))
                                                    + 2 * exp(-((w + c) ** 2) / (2 * d))),
    "log of a mixture": log(exp(-((w - c * x) ** 2) / (2 * d)) + 2 * exp(-(w**2) / 2)),
    "step on a peak": tanh(w / d) / (1 + ((w - c) / (d * x)) ** 2),
}


@cache
def theory(name):
    """Return x = 1 + a E[integrand]."""
    return ak.Theory(name=name, unknowns=[x], equations=[x - 1 - a * ak.E(INTEGRANDS[name], w)],
                     parameters={a: ("size", "real"), c: ("place", "real"), d: ("width", "positive"),
                                 r: ("share", (0, 1))})


def draw(seed, count):
    """Draw names of integrands and parameters, widths from 1e-1 to 1e-6."""
    numbers = random.Random(seed)
    for _ in range(count):
        yield numbers.choice([*INTEGRANDS]), {
            "a": round(numbers.uniform(-0.5, 0.5), 3), "c": round(numbers.uniform(-2.5, 2.5), 3),
            "d": float(f"{10 ** numbers.uniform(-6, -1):.2e}"), "r": round(numbers.uniform(0.1, 0.9), 2)}
