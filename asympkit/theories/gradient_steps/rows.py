r"""The bulk of rows that differ systematically: their components along the spike, and their norms, are correlated.

The coordinates :math:`X_i` of a row along the spike (v), the rest of the target (z) and its norm (x) have a covariance
(:mod:`.step`) and are independent of its other, isotropic components.  Their kernel is :math:`K=\Sigma\langle1/S\rangle`
but for the direction z, which the readout sees:

.. math:: K_{ab}-\frac{\beta\hat V_1K_{az}K_{zb}}{1+\beta\hat V_1K_{zz}}.
"""

from functools import cache

from ...nodes import Named
from ..spiked_features.equations import Bulk, compute_tilt, isotropic
from .step import PAIRS, symbols


@cache
def row_bulk(has_width: bool) -> Bulk:
    """Return the averages over this bulk, in the limit or at a width."""
    s, plain = symbols(), isotropic()
    covariance = {pair: getattr(s, f"rows_{pair}") for pair in PAIRS}
    inverse, weighed = Named("S_inverse", plain.inverse), Named("S_weighed", plain.weighed)
    seen = Named("seen", s.beta * s.Vhat1 * inverse / (1 + s.beta * s.Vhat1 * inverse * covariance["zz"]))
    of_z = {"v": covariance["vz"], "z": covariance["zz"], "x": covariance["xz"]}
    kernel = {pair: Named(f"K_{pair}", inverse * (e - seen * of_z[pair[0]] * of_z[pair[1]]))
              for pair, e in covariance.items()}
    own = tuple(covariance.values())
    if not has_width:
        return Bulk(inverse, weighed, kernel, plain.square, parameters=own)
    return Bulk(inverse, weighed, kernel, plain.square, inverse, compute_tilt(kernel["vv"], weighed),
                {"zz": s.even_parts * s.c}, parameters=(*own, s.inverse_width, s.tilt, s.even_parts))
