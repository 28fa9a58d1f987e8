"""Rewritings that a proof of an identity may name."""

from collections.abc import Callable
from dataclasses import dataclass

from sympy import (
    Add,
    Derivative,
    Dummy,
    Expr,
    I,
    Limit,
    Mul,
    Symbol,
    acos,
    asin,
    cancel,
    cos,
    erf,
    erfc,
    exp,
    expand,
    expand_mul,
    expand_trig,
    limit,
    pi,
    powsimp,
    simplify,
    sin,
    together,
)

from ..gauss import Gaussian
from ..nodes import Applied, Average, Named, remove_names
from ..spectra import MarchenkoPastur
from .special import opened, recursion


@dataclass(frozen=True)
class Transformation:
    """A function of an expression that preserves its value, and what it does in words."""

    words: str
    apply: Callable[[Expr], Expr]


def close(expr):
    """Close every average that has a closed form, at every depth."""
    return expr.doit()


def stein(expr):
    r"""Remove derivatives of activations from averages over one normal, at every depth.

    Uses :math:`E[g(z)\,\sigma'(a+bz)] = \tfrac1b E[(z g(z) - g'(z))\,\sigma(a+bz)]`, repeatedly.  The
    result holds no derivative of the activation, so it is right for kinks and jumps too.
    """
    if not expr.args:
        return expr
    args = [stein(a) for a in expr.args]
    if all(a is b for a, b in zip(args, expr.args)):
        new = expr
    else:
        new = expr.func(*args)
    if isinstance(new, Average) and isinstance(new.measure, Gaussian) and len(new.bound_symbols) == 1:
        z = new.bound_symbols[0]
        total = Add(*[_lowered_term(term, z) for term in Add.make_args(new.integrand.expand(func=False))])
        return Average(total, new.measure) if total != new.integrand else new
    return new


def _lowered_term(term, z):
    """Lower the order of the one differentiated activation in a product, as far as possible."""
    factors = Mul.make_args(term)
    raised = [f for f in factors if isinstance(f, Applied) and f.order > 0 and z in f.free_symbols]
    if len(raised) != 1:
        return term
    f = raised[0]
    slope = f.argument.diff(z)
    if z in slope.free_symbols:
        return term
    rest = Mul(*[g for g in factors if g is not f])
    lower = Applied(f.label, f.argument, f.order - 1)
    swapped = ((z * rest - rest.diff(z)) * lower / slope).expand(func=False)
    if any(isinstance(a, Applied) and a.order >= f.order for a in swapped.atoms(Applied)):
        return term      # another activation was differentiated instead: no progress
    return Add(*[_lowered_term(t, z) for t in Add.make_args(swapped)])


def close_limit(expr):
    """Take limits, with the names and averages in them as constants."""
    return expr.replace(Limit, lambda e, symbol, point, side: _limit(e, symbol, point))


def _limit(expr, symbol, point):
    sealed = {}
    value = limit(_sealed(expr, sealed), symbol, point)
    return value.xreplace({dummy: e for e, dummy in sealed.items()})


def split(expr):
    """Expand integrands and average term by term, closing each term that can be closed."""
    if not expr.args:
        return expr
    if not isinstance(expr, Average):
        args = [split(a) for a in expr.args]
        return expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)
    terms = Add.make_args(expand(split(expr.integrand)))
    return Add(*[_closed(Average(term, expr.measure)) for term in terms])


def _closed(expr):
    """Close the averages that are factors of a term."""
    factors = []
    for factor in Mul.make_args(expr):
        value = factor.measure.close(factor.integrand) if isinstance(factor, Average) else None
        factors.append(factor if value is None else value)
    return Mul(*factors)


def join(expr):
    """Bring averages over the same measure under one sign and cancel there.

    Names are kept closed, so that a common denominator such as ``1 + V`` is recognised.
    """
    groups, rest = {}, []
    for term in Add.make_args(expand(expr)):
        found = [f for f in Mul.make_args(term) if isinstance(f, Average)]
        if not found:
            rest.append(term)
            continue
        average = found[0]
        stand_ins = _STAND_INS[:len(average.bound_symbols)]
        rename = dict(zip(average.bound_symbols, stand_ins))
        joined = groups.setdefault(average.measure.renamed(stand_ins), [])
        joined.append(term / average * average.integrand.xreplace(rename))
    means = [Average(_rational(Add(*integrands)), measure) for measure, integrands in groups.items()]
    return Add(*rest, *means)


_STAND_INS = tuple(Dummy(f"x{i}", real=True) for i in range(8))


def _rational(expr):
    """Cancel a rational function of names, averages and symbols."""
    sealed = {}
    top, bottom = together(_sealed(expr, sealed)).as_numer_denom()
    result = cancel(expand(top) / bottom) if expand(top) != 0 else expand(top)
    return result.xreplace({dummy: e for e, dummy in sealed.items()})


def _sealed(expr, sealed):
    """Put dummies in place of names and averages, and note them in a dictionary."""
    if isinstance(expr, (Named, Average)):
        return sealed.setdefault(expr, Dummy(f"sealed{len(sealed)}", real=True))
    return expr.func(*[_sealed(a, sealed) for a in expr.args]) if expr.args else expr


def tidy(expr):
    """Let sympy simplify, with the names and averages as constants."""
    sealed = {}
    return simplify(_sealed(expr, sealed)).xreplace({dummy: e for e, dummy in sealed.items()})


def exponents(expr):
    """One exponential a term, its exponent as one fraction in lowest terms."""
    terms = [powsimp(term, combine="exp") for term in Add.make_args(expand_mul(expr))]
    return Add(*[term.replace(exp, lambda x: exp(cancel(together(x)))) for term in terms])


def _euler(exponent):
    real, imaginary = exponent.as_real_imag()
    return exp(real) * (cos(imaginary) + I * sin(imaginary))


def on_support(expr):
    """Say in the assumptions of the eigenvalue that a Marchenko-Pastur law has no mass below 0."""
    if not expr.args:
        return expr
    args = [on_support(a) for a in expr.args]
    if not isinstance(expr, Average) or not isinstance(expr.measure, MarchenkoPastur):
        return expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)
    law, integrand = expr.measure, args[0]
    D = law.bound_symbols[0]
    inside = Symbol(D.name, nonnegative=True)
    return Average(integrand.xreplace({D: inside}), law.renamed((inside, *law.bound_symbols[1:])))


TRANSFORMATIONS = {
    "open": Transformation("names replaced by what they stand for", remove_names),
    "open_S": Transformation("S written out", lambda e: remove_names(e, lambda named: named.label in ("S", "S_tau"))),
    "close": Transformation("averages closed", close),
    "split": Transformation("averages split term by term", split),
    "join": Transformation("averages over one measure joined", join),
    "close_limit": Transformation("limit taken", close_limit),
    "stein": Transformation("Stein's lemma", stein),
    "expand": Transformation("products expanded", expand),
    "cancel": Transformation("fractions cancelled", _rational),
    "erf": Transformation("erfc(x) = 1 - erf(x)", lambda e: e.replace(erfc, lambda x: 1 - erf(x))),
    "diff": Transformation("derivatives taken", lambda e: e.replace(Derivative, lambda f, *by: f.diff(*by))),
    "euler": Transformation("exp(i x) = cos x + i sin x", lambda e: e.replace(exp, _euler)),
    "exponentials": Transformation("sines and hyperbolic functions as exponentials", lambda e: e.rewrite(exp)),
    "arccos": Transformation("arccos x = pi/2 - arcsin x", lambda e: e.replace(acos, lambda x: pi / 2 - asin(x))),
    "trig": Transformation("sums of angles expanded", lambda e: expand_trig(expand(e))),
    "exponents": Transformation("exponents brought to one form", exponents),
    "normal": Transformation("phi and Phi written out", opened),
    "hermite": Transformation("He_{k+1}(x) = x He_k(x) - k He_{k-1}(x)", recursion),
    "support": Transformation("D >= 0 on the support", on_support),
    "simplify": Transformation("simplified", tidy),
}
