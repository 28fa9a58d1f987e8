r"""Compute the moments of student and target that enter the chain.

The variance of the features of a layer is that of the next preactivations.  Behind a layer that is not odd they have
means too; their root mean square :math:`\bar\mu_\ell` goes down the layers with the variance :math:`v_\ell`.
"""

from dataclasses import dataclass
from types import SimpleNamespace

from sympy import Expr, Integer, Symbol

from ...nodes import Named
from .units import alike, conditional, over_units, passed_on, variance_around

__all__ = ["moments_of"]


@dataclass(frozen=True)
class _Level:
    """Hold variance and root mean square mean of the features of a level."""

    variance: Expr
    mean: Expr | None = None


def moments_of(chain, own):
    """Return the definitions of the symbols of a chain.

    Parameters
    ----------
    chain : Chain
    own : sequence of bool
        Whether each layer of the target beyond the shared ones is odd.

    Returns
    -------
    derived : dict of Symbol to Expr
        Quantities that follow from the variance of the inputs, for the argument ``derived`` of a theory.
    averages : dict of Symbol to Expr
        Quantities of the target that are averages over units with means.
    """
    derived = _student(chain, is_continued=bool(own))
    target = _target(chain, own)
    return derived | target.derived, target.averages


def _student(chain, is_continued):
    """Return the moments of the student's layers, with the mean of the last one if the target continues after it."""
    s, found = chain.symbols, {}
    for k in range(1, chain.depth + 1):
        goes_on = k < chain.depth or chain.shared == k and is_continued
        if chain.is_scattered(k):
            if goes_on:
                mean, variance = passed_on(f"student{k}", s.mean[k - 1], s.variance[k - 1])
                found |= {s.mean[k]: mean, s.variance[k]: variance(s.mean[k])}
            continue
        mean, slope, rest, variance = alike(f"student{k}", s.variance[k - 1])
        wanted = {s.kappa1.get(k): slope, s.kappastar.get(k): rest, s.variance[k]: variance}
        found |= {symbol: expr for symbol, expr in wanted.items() if symbol is not None}
        if k == chain.scattered and goes_on:
            found[s.mean[k]] = mean
    return found


def _target(chain, own):
    """Return ``derived`` and ``averages`` of the target, whose own layers follow the shared ones."""
    s, first, derived = chain.symbols, chain.shared + 1, {}
    has_means = chain.scattered is not None and chain.shared >= chain.scattered
    if not own and chain.is_scattered(chain.shared) and chain.shared == chain.depth:
        rho = variance_around(f"student{chain.shared}", s.mean[chain.shared - 1], s.variance[chain.shared - 1])
        return SimpleNamespace(derived={s.transmitted: Integer(1)}, averages={s.rho: Named("rho", rho)})
    level = _Level(s.variance[chain.shared], s.mean[chain.shared] if has_means else None)
    transmitted, averages = Integer(1), {}
    for k, is_odd in enumerate(own, first):
        label, is_last = f"target{k}", k == chain.shared + len(own)
        mean_symbol, variance_symbol = (Symbol(f"target_mean{k}", real=True),
                                        Symbol(f"target_variance{k}", nonnegative=True))
        if level.mean is None:
            mean, slope, _, variance = alike(label, level.variance)
            linear = Symbol(f"target_kappa1_{k}", real=True)
            derived |= {linear: slope, variance_symbol: variance}
            transmitted *= linear**2
            if not is_odd and not is_last:
                derived[mean_symbol] = mean
            level = _Level(variance_symbol, None if is_odd or is_last else mean_symbol)
            continue
        slope, _ = conditional(label, level.mean, level.variance, f"_target{k}")
        transmitted *= over_units(slope**2)
        if is_last:
            averages[s.rho] = Named("rho", variance_around(label, level.mean, level.variance))
        else:
            mean, variance = passed_on(label, level.mean, level.variance)
            derived |= {mean_symbol: mean, variance_symbol: variance(mean_symbol)}
            level = _Level(variance_symbol, mean_symbol)
    if averages:
        averages[s.transmitted] = Named("transmitted", transmitted)
    else:
        derived |= {s.rho: level.variance, s.transmitted: transmitted}
    return SimpleNamespace(derived=derived, averages=averages)
