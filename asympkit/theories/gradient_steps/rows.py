r"""The bulk of rows that differ systematically: their components along the spike, and their norms, are correlated.

The coordinates :math:`X_i` of a row along the spike (v), the rest of the target (z) and its norm (x) have a
covariance (:mod:`.step`) and are independent of its other, isotropic components.  Their kernel is
:math:`K=\Sigma\langle1/S\rangle` but for the direction z, which the readout sees:

.. math:: K_{ab}-\frac{\beta\hat V_1K_{az}K_{zb}}{1+\beta\hat V_1K_{zz}}.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ...codegen import write_kernel
from ...nodes import Named
from ...solve.kernel import Kernel, SolverOptions
from ..spiked_features.equations import Bulk, SquareLoss, compute_tilt, isotropic
from ..spiked_features.parts import RidgeEquations, starts
from .step import PAIRS, symbols

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...activations import Activation


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


@cache
def _channel(has_width: bool) -> SquareLoss:
    return SquareLoss(row_bulk(has_width))


@cache
def _kernel(has_width: bool) -> Kernel:
    program, names = _channel(has_width).program
    return Kernel.from_source(write_kernel(program, names, "Spiked features whose rows differ, square loss"),
                              SolverOptions(guess_start=starts))


class RowRidge(RidgeEquations):
    """Solve the square loss over this bulk; all schedules, students and targets share the kernels."""

    def __init__(self, functions: Mapping[str, Activation], at_width: bool) -> None:
        super().__init__(functions, True)           # no kernel with derivatives by the penalty alone
        self.at_width = at_width

    @property
    def channel(self) -> SquareLoss:
        return _channel(self.at_width)

    @property
    def kernel(self) -> Kernel:
        return _kernel(self.at_width)
