"""The spectral law of the population covariance of deep random features."""

from fractions import Fraction

import numpy as np
from sympy import Float, Rational, Symbol

from ...arguments.domains import shown
from ...errors import DomainError
from ...nodes import bind, unname
from ...spectra import DeepCovariance

__all__ = ["population_law"]


def population_law(theory, chain, symbol, parameters, exact):
    """Return the law that :meth:`.theory.DeepFeatures.covariance_law` describes."""
    if chain.base == chain.depth:
        raise DomainError(f"covariance_law: layer {chain.depth} is {theory.student[-1]}, which is even: the covariance "
                          "of its features is kappastar2 times the identity; expected a layer with a "
                          "linear part")
    if chain.scattered is not None and chain.scattered < chain.depth:
        raise DomainError(f"covariance_law: layer {chain.scattered} is {theory.student[chain.scattered - 1]}, whose "
                          "features have means: units of the next layer have slopes of their own, and its covariance "
                          "is no product with one law; expected odd layers below the last one")
    unknown = parameters.keys() - {f"width{k}" for k in range(1, chain.depth + 1)} - {"input_spectrum"}
    if unknown:
        raise DomainError(f"covariance_law: got {', '.join(sorted(unknown))}; expected input_spectrum and widths alone")
    given = theory.given({"alpha": 1, "lam": 1, **parameters})
    number = (lambda v: Rational(Fraction(str(v)))) if exact else (lambda v: Float(float(Fraction(str(v))), 17))
    try:
        spectrum = [number(v) for v in np.ravel(np.asarray(given["input_spectrum"], dtype=object)).tolist()]
    except (ValueError, ZeroDivisionError, OverflowError):
        spectrum = []
    if not spectrum or min(spectrum) < 0 or not any(spectrum):
        raise DomainError(f"input_spectrum: got {shown(given['input_spectrum'])}; expected eigenvalues of the inputs' "
                          "covariance, of which one at least is positive")
    values = _exact(theory, chain, sum(spectrum) / len(spectrum)) if exact else \
        {k: Float(v, 17) for k, v in theory.point(given).shown.items() if k.startswith("kappa")}
    widths = {f"width{k}": layer.width for k, layer in enumerate(theory.student, 1)} | parameters
    layers = [(number(widths[f"width{k}"]), values[f"kappa1_{k}"], values[f"kappastar2_{k}"])
              for k in range(1, chain.depth + 1)]
    return DeepCovariance(Symbol("D", nonnegative=True) if symbol is None else symbol, layers, spectrum)


def _exact(theory, chain, variance):
    """Return coefficients as expressions, with averages in closed form where one is known."""
    s, found = chain.symbols, {chain.symbols.variance[0]: variance}
    for target, expr in theory.derived.as_typed.items():
        if target in (*s.kappa1.values(), *s.kappastar.values(), *s.variance.values()):
            found[target] = unname(bind(expr, theory.functions).xreplace(found)).doit()
    return {target.name: expr for target, expr in found.items()}
