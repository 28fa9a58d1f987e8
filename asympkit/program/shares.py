r"""Closed forms of parabolas and lines as what each piece has times its probability.

A normal mean of pieces that meet at places is a sum of polynomials times error functions, which cancel where all of
these are saturated: of slopes that differ by 1/V, with a small V, the last digits remain.  With coefficients
:math:`A_i` of error functions :math:`E_i`, in the order of their places,

.. math:: \sum_iA_iE_i=\sum_jP_j(E_j-E_{j-1}),\qquad P_j=\sum_{i\ge j}A_i,\quad E_{-1}=0

exactly: the :math:`P_j` belong to pieces, and cancel as symbols do.
"""

from dataclasses import replace
from functools import lru_cache

from sympy import Abs, Add, Dummy, Integer, Pow, Rational, cancel, erfc, exp
from sympy.core.function import Application

from .inner_sum import InnerSum
from .statements import Newton, Sums

__all__ = ["with_shares"]


def with_shares(program):
    """The program with integrands of sums inside sums written so."""
    return replace(program, statements=tuple(map(_statement, program.statements)))


def _statement(s):
    if isinstance(s, Newton):
        return replace(s, body=tuple(map(_statement, s.body)))
    if not isinstance(s, Sums):
        return s
    return replace(s, locals=tuple((symbol, _inner(e) if isinstance(e, InnerSum) else e) for symbol, e in s.locals))


def _inner(e):
    form = by_shares(e.integrand)
    return e if form is None else InnerSum(form, e.grid, e.bound)


@lru_cache(maxsize=256)
def by_shares(integrand):
    """An integrand in this form, or None where it is not linear in error functions and densities of one residual."""
    steps = sorted(integrand.atoms(erfc), key=str)
    densities = sorted(integrand.atoms(exp), key=str)
    at = {a: Dummy(f"s{k}", real=True) for k, a in enumerate((*steps, *densities))}
    form = integrand.xreplace(at)
    if not at or form.has(Abs) or any(form.diff(d).free_symbols & set(at.values()) for d in at.values()):
        return None
    simple = _Simplified([_middle(a) for a in (*steps, *densities)])
    if simple.residual is None:
        return None
    rates = {a: simple(form.diff(d)) for a, d in at.items()}
    rest = simple(form.xreplace(dict.fromkeys(at.values(), Integer(0))))
    terms, before = [rest, *(simple.back(rates[a]) * a for a in densities)], Integer(0)
    terms[0] = simple.back(rest)
    for k, a in enumerate(steps := sorted(steps, key=_place)):
        terms.append(simple.back(cancel(Add(*(rates[b] for b in steps[k:])))) * (a - before))
        before = a
    return Add(*terms)


def _middle(a):
    """The sum that the argument of an error function, or the root of an exponent, is a multiple of."""
    sums = [s for s in a.args[0].atoms(Add) if not s.is_number]
    return max(sums, key=lambda s: len(s.args), default=None)


def _place(a):
    """Where an error function switches, at sample values."""
    free = sorted(a.free_symbols, key=str)
    return float(-a.args[0].xreplace({s: Rational(1, 7 + k) for k, s in enumerate(free)}).evalf(20))


class _Simplified:
    """Coefficients with the residual as one symbol.

    Parameters
    ----------
    sums : sequence of Add or None
        All of which are the residual and more.
    """

    def __init__(self, sums):
        self.residual, found = None, [set(s.args) for s in sums if s is not None]
        common = set.intersection(*found) if len(found) == len(sums) else set()
        plain = sorted((s for s in common if s.is_Symbol), key=str)
        if plain:
            self.residual, self.symbol = Add(*common), Dummy("r", real=True)
            self.known = {}
            self.at = {plain[0]: self.symbol - self._plain(self.residual - plain[0])}

    def _plain(self, expr):
        """The expression with symbols for functions and for roots of numbers."""
        found = {a for a in expr.atoms(Application, Pow) if a.is_number or isinstance(a, Application)}
        for a in sorted(found, key=str):
            self.known.setdefault(a, Dummy(f"k{len(self.known)}", real=True))
        return expr.xreplace({a: self.known[a] for a in found})

    def __call__(self, expr):
        return cancel(self._plain(expr).xreplace(self.at))

    def back(self, expr):
        """In the symbols of the program again."""
        return expr.xreplace({self.symbol: self.residual, **{d: a for a, d in self.known.items()}})
