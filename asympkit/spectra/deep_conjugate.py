r"""The conjugates of the levels of a deep random network as functions that programs hold.

With :math:`V_\ell=\frac1{p_\ell}\mathrm{Tr}\,\Omega_\ell(1+\hat V_\ell\Omega_\ell)^{-1}` and
:math:`K_\ell=\kappa_*^2+\kappa_1^2V_{\ell-1}`,

.. math::
    V_\ell=\frac{K_\ell}{1+\hat V_\ell K_\ell},\qquad
    \hat V_{\ell-1}=\frac{p_\ell}{p_{\ell-1}}\frac{\kappa_1^2\hat V_\ell}{1+\hat V_\ell K_\ell},

so that all means follow from :math:`\hat V_0,\dots,\hat V_{L-1}` by sums and products of positive numbers, and so do
derivatives, but for one difference in each layer.

Means over the law of a deep covariance with two linear denominators, without differences of nearly equal numbers.

Between two conjugates :math:`\hat V,\hat V'` of a level all changes are proportional: with
:math:`\Delta V_\ell=-s_\ell\,\Delta\hat V_\ell` and :math:`\Delta\hat V_{\ell-1}=m_\ell\,\Delta\hat V_\ell` the chain
gives s and m of a level by those of the one below, and both have a limit where the two meet.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

from sympy import Add, Expr, Float, Function, Integer

from ..nodes import Named
from ..numbers.digits import Digits
from ..numbers.functions import entry, register
from ..numbers.functions.deep_chain import entry_of_shape, parts_of

__all__ = ["cube", "levels", "two_factors"]


@dataclass(frozen=True)
class Levels:
    """Order parameters of all levels where the conjugate of the top is given: tuples, the inputs first.

    Attributes
    ----------
    Vhat, V : tuple of Expr
        One more than layers.
    K : tuple of Expr
        Of each layer.
    """

    Vhat: tuple[Expr, ...]
    V: tuple[Expr, ...]
    K: tuple[Expr, ...]


def levels(t, numbers, layers):
    """Return the :class:`Levels` with the conjugate t at the top."""
    conjugate = conjugate_class(layers, (len(numbers) - 3 * layers) // 2)
    Vhat = (*(conjugate(Integer(k), t, *numbers) for k in range(layers)), t)
    _, slopes, rests, inputs, shares = parts_of(layers, numbers)
    V = [Named("V0", Add(*(w * e / (1 + Vhat[0] * e) for e, w in zip(inputs, shares))))]
    K = []
    for k in range(layers):
        K.append(Named(f"K{k + 1}", rests[k] + slopes[k] * V[k]))
        V.append(Named(f"V{k + 1}", 1 / (Vhat[k + 1] + 1 / K[k])))
    return Levels(Vhat, tuple(V), tuple(K))


@cache
def conjugate_class(layers, masses):
    """Return the listed sympy class for so many layers and eigenvalues of the inputs: ``(level, t, *numbers)``."""
    name = f"DeepConjugate{layers}of{masses}"
    found = entry(name)
    if found is not None:
        return found.sympy_class
    made = type(name, (_Conjugate,), {"nargs": 2 + 3 * layers + 2 * masses, "layers": layers, "masses": masses,
                                      "__module__": __name__})
    register(entry_of_shape(layers, masses, made))
    return made


def remade(layers, masses, arguments):
    """Rebuild an unpickled conjugate."""
    return conjugate_class(layers, masses)(*arguments)


class _Conjugate(Function):
    """``1/zeta`` of a level of a network with t at the top; positive, increasing in t and 0 with it."""

    def __reduce_ex__(self, protocol):
        return remade, (self.layers, self.masses, self.args)

    @classmethod
    def eval(cls, level, t, *numbers):
        if t.is_zero:
            return t
        return t if level == cls.layers else None

    def _eval_is_positive(self):
        return True if self.args[1].is_positive else None

    def _eval_is_nonnegative(self):
        return True if self.args[1].is_nonnegative else None

    def _eval_is_extended_real(self):
        return True

    def _eval_evalf(self, prec):
        return _value(self, prec) if all(a.is_number for a in self.args) else None

    def fdiff(self, argindex=1):
        """Differentiate by one pass up the levels, which eliminates those below, and one down."""
        level, t, *numbers = self.args
        found = levels(t, numbers, self.layers)
        return _rate(found, numbers, self.layers, argindex - 3)[int(level)]

    def _sympystr(self, printer):
        return f"Vhat{self.args[0]}({printer._print(self.args[1])})"

    def _latex(self, printer, exp=None):
        body = rf"\hat{{V}}_{{{self.args[0]}}}\left({printer._print(self.args[1])}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"

    def _mathml_presentation(self, printer):
        return printer._call(printer._element("mi", f"V̂{self.args[0]}"), self.args[1])


@lru_cache(maxsize=10_000)
def _value(conjugate, prec):
    """Evaluate a function of numbers once, as it occurs in many places."""
    numbers = Digits(int(prec / 3.32) + 10)
    given = [numbers.mp.convert(a._to_mpmath(prec + 20)) for a in conjugate.args[1:]]
    value = entry(type(conjugate).__name__).at_digits(numbers.mp, int(conjugate.args[0]), *given)
    return Float._new(value._mpf_, prec)


def _rate(at, numbers, layers, which):
    """Return the derivatives of all levels' conjugates by one of the numbers, or by t for ``which = -1``."""
    widths, slopes, rests, inputs, shares = parts_of(layers, numbers)
    moved = [Integer(k == which) for k in range(len(numbers))]
    by_width, by_slope, by_rest, by_input, by_share = parts_of(layers, moved)
    # derivative of the level's V: -`response` times that of its conjugate, plus `source`
    below = [1 + at.Vhat[0] * e for e in inputs]
    response = Named("s0", Add(*(w * e**2 / b**2 for e, w, b in zip(inputs, shares, below))))
    source = Add(*(dw * e / b + w * de / b**2 for e, w, de, dw, b in zip(inputs, shares, by_input, by_share, below)))
    steps = []
    for k in range(layers):
        ratio, ratio_rate = widths[k], by_width[k] / widths[k]
        if k:
            ratio, ratio_rate = ratio / widths[k - 1], ratio_rate - by_width[k - 1] / widths[k - 1]
        spread, v = 1 + at.Vhat[k + 1] * at.K[k], at.Vhat[k]
        left = Named(f"left{k + 1}", 1 - v**2 * response / ratio)
        moved_K = by_rest[k] + at.V[k] * by_slope[k] + slopes[k] * source
        gain = ratio * slopes[k] / (spread**2 * left)
        own = (v * (ratio_rate + by_slope[k] / slopes[k]) - v**2 / (ratio * slopes[k]) * moved_K) / left
        steps.append((gain, own))
        source = (moved_K - slopes[k] * response * own) / spread**2
        response = Named(f"s{k + 1}", at.V[k + 1]**2 + slopes[k] * response * gain / spread**2)
    rates = [Integer(which == -1)]
    for gain, own in reversed(steps):
        rates.insert(0, gain * rates[0] + own)
    return rates


def two_factors(j, first, second, law):
    """Return ``E D**j / ((a D + b)(c D + d))`` for j up to 2; factors ``(a, b)``."""
    (a, b), (c, d) = first, second
    one, other = law._levels(a / b), law._levels(c / d)
    widths, slopes, _, inputs, shares = parts_of(law.depth, law.numbers)
    s = Named("s0", Add(*(w * e**2 / ((1 + one.Vhat[0] * e) * (1 + other.Vhat[0] * e))
                          for e, w in zip(inputs, shares))))
    for k in range(law.depth):
        ratio = widths[k] / widths[k - 1] if k else widths[k]
        spreads = (1 + one.Vhat[k + 1] * one.K[k]) * (1 + other.Vhat[k + 1] * other.K[k])
        left = Named(f"left{k + 1}", 1 - one.Vhat[k] * other.Vhat[k] * s / ratio)
        change = Named(f"change{k + 1}", slopes[k]**2 * s * ratio / (spreads * left))      # of K, minus its slope
        s = Named(f"s{k + 1}", one.V[k + 1] * other.V[k + 1] + change / spreads)
    t, u = a / b, c / d
    if j == 2:
        return s / (b * d)
    above = 1 + change * t * u if j == 0 else other.K[-1] - change * t
    return above / (spreads * b * d)


def cube(j, a, b, law):
    r"""Return ``E D**j / (a D + b)**3`` for j up to 3, by second derivatives along the chain.

    With :math:`V_\ell''=2c_\ell` in the conjugate of the level, the chain gives c of a level by that of the one below.
    """
    at = law._levels(a / b)
    widths, slopes, _, inputs, shares = parts_of(law.depth, law.numbers)
    below = [1 + at.Vhat[0] * e for e in inputs]
    s, c = (Named(f"{name}0", Add(*(w * (e / x)**n for e, w, x in zip(inputs, shares, below))))
            for name, n in (("s", 2), ("c", 3)))
    for k in range(law.depth):
        ratio = widths[k] / widths[k - 1] if k else widths[k]
        v, x, K, slope = at.Vhat[k], at.Vhat[k + 1], at.K[k], slopes[k]
        spread = Named(f"spread{k + 1}", 1 + x * K)
        left = Named(f"left{k + 1}", 1 - v**2 * s / ratio)
        gain = Named(f"gain{k + 1}", ratio * slope / (spread**2 * left))         # of the conjugate below in this one
        rate = Named(f"rate{k + 1}", -slope * s * gain)                          # of K
        bend = Named(f"bend{k + 1}", -2 * (gain * (K + x * rate) + v * rate + v * x * slope * c * gain**2)
                     / (spread * left))
        curve = Named(f"curve{k + 1}", slope * (2 * c * gain**2 - s * bend))
        s = Named(f"s{k + 1}", at.V[k + 1]**2 - rate / spread**2)
        c = Named(f"c{k + 1}", (curve / spread - 2 * at.V[k + 1] * rate + 2 * s * (K + x * rate)) / (2 * spread))
    t = Named("t", a / b)
    if j == 3:
        return c / b**3
    if j == 2:
        return (s - t * c) / b**3
    # in the penalty z = b/a, where the resolvent is 1/(z + K)
    moved, twice = -t**2 * rate, t**4 * curve + 2 * t**3 * rate
    g = t / (1 + t * K)
    third = (1 + moved)**2 * g**3 - twice * g**2 / 2
    return third / a**3 if j == 0 else ((1 + moved) * g**2 - third / t) / a**3
