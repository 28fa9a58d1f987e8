r"""What a layer does to Gaussian preactivations of variance r: the numbers that the chain is made of.

:math:`\kappa_1=E[z\phi(\sqrt rz)]/\sqrt r`, :math:`\kappa_*^2=E[(\phi-E\phi-E[z\phi]z)^2]`, and the variance of the
features, which is that of the next preactivations; by Stein's lemma, so that no derivative of an activation is needed.
"""

from sympy import Integer, Symbol, sqrt

from ...gauss import E
from ...nodes import Applied

__all__ = ["derived_moments"]


def derived_moments(chain, own):
    """``{symbol: expression}`` of the moments of student and target, for the argument ``derived`` of a theory.

    Parameters
    ----------
    chain : Chain
    own : int
        Layers of the target beyond those that it shares.
    """
    s, found = chain.symbols, {}
    for k in range(1, chain.depth + 1):
        slope, rest, variance = _moments(f"student{k}", s.variance[k - 1])
        found |= {s.kappa1[k]: slope, s.kappastar[k]: rest, s.variance[k]: variance}
    variance, transmitted = s.variance[chain.shared], Integer(1)
    for k in range(chain.shared + 1, chain.shared + own + 1):
        slope, _, after = _moments(f"target{k}", variance)
        symbol = Symbol(f"target_variance{k}", nonnegative=True)
        linear = Symbol(f"target_kappa1_{k}", real=True)
        found |= {linear: slope, symbol: after}
        variance, transmitted = symbol, transmitted * linear**2
    return found | {s.rho: variance, s.transmitted: transmitted}


def _moments(label, variance):
    z = Symbol("z", real=True)
    value = Applied(label, sqrt(variance) * z)
    mean, slope = E(value, z), E(z * value, z)
    return slope / sqrt(variance), E((value - mean - slope * z)**2, z), E((value - mean)**2, z)
