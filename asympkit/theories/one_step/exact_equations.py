r"""The equations of the real network after one gradient step: spiked features over the bulk that the step makes.

Pure sympy, no numerics.  One more direction than over an isotropic bulk matters: along the squared norms of the rows,
:math:`|w_i|^2=c+\chi_i/\sqrt d`, which move the means of the units by :math:`\partial_c\mu_0\chi_i/\sqrt d`.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

from sympy import Symbol

from ...nodes import Named
from ...program import build
from ..spiked_features import equations as spiked
from ..spiked_features.equations import Bulk, SquareLoss, compute_tilt, saddle_point
from . import REGRESSION, SIGN
from . import bulk as first_batch


@cache
def symbols():
    """Return all symbols; ``square``: mean squared eigenvalue of the covariance of the rows."""
    shared = {**vars(spiked.symbols()), **vars(first_batch.symbols())}
    return SimpleNamespace(**shared, square=Symbol("square", nonnegative=True))


@cache
def averages(is_odd, labels=REGRESSION):
    r"""Return :math:`\langle1/S\rangle`, and the kernel between spike (v), rest of target (z), norms of rows (x)."""
    s, x = symbols(), first_batch.bulk(is_odd, labels)
    inverse = Named("S_inverse", 1 / (s.lam + s.Vhat2 + s.Vhat1 * x.trace))
    return inverse, {n: Named(f"K_{n}", inverse * e) for n, e in {
        "vv": x.N_vv / x.B_vv, "vz": x.N_vz / x.B_vv, "zz": x.N_zz + s.g * x.N_vz**2 / x.B_vv,
        "vx": x.B_vt / x.B_vv, "xz": x.B_tz + s.g * x.B_vt * x.N_vz / x.B_vv,
        "xx": s.norms - s.g * (x.B_tt - x.B_vt**2 / x.B_vv)}.items()}


@cache
def exact_bulk(is_odd, labels=REGRESSION):
    """Return averages over the spectrum of the bulk, of an odd student or of any.

    With :math:`g=\\beta\\hat V_1\\langle1/S\\rangle` they are forms of its covariance: weights of rows :math:`W` on few
    directions, given that the readout sees :math:`W` on the others.
    """
    s, x = symbols(), first_batch.bulk(is_odd, labels)
    inverse, kernel = averages(is_odd, labels)
    of_g = s.g * (s.lam + s.Vhat2 + s.Vhat1 * x.trace) - s.beta * s.Vhat1
    weighed = inverse * x.trace
    readout, induced = inverse, compute_tilt(kernel["vv"], weighed)
    if is_odd:
        # tilt*c*length is h1/beta, the size of the initial output along the mean row
        readout = inverse / x.shared_rows
        size = s.tilt * s.c * s.length * readout
        induced = {"v": size * x.tilt_v / x.B_vv, "n": size * (
            x.tilt_theta - s.gamma * x.tilt_v + s.g * x.tilt_v * x.rho_N_vz / x.B_vv)}
    own = (s.inverse_width, *([] if labels == SIGN else [s.deviation]), s.overload, s.omega, s.t1, s.t2, s.length,
           s.row1, s.row4, s.norms, s.square, s.tilt, *([] if is_odd else [
               s.h0, s.ell, s.row2, s.row3, s.even_parts, s.cov_vv, s.cov_vz, s.cov_zz]))
    common = {} if is_odd else {n: s.even_parts * e for n, e in {
        "vv": s.cov_vv - s.c, "vz": s.cov_vz, "zz": s.cov_zz}.items()}
    return Bulk(inverse, weighed, kernel, s.square, readout, induced, common, {**x.constraints, s.g: of_g}, own)


@cache
def exact_system(is_odd):
    """Return the saddle-point equations."""
    return saddle_point(SquareLoss(exact_bulk(is_odd)))


@cache
def exact_program(is_odd):
    """Return the equations lowered to a program, with its names."""
    return build(exact_system(is_odd), exact_parameters(is_odd))


def exact_parameters(is_odd):
    """Return the parameters of the program, in the order of the kernel."""
    s, first = symbols(), spiked.spiked_parameters()
    return (*first[:4], s.inverse_width, *first[4:], *exact_bulk(is_odd).parameters[1:])
