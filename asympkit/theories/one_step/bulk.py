r"""Compute the resolvent of the bulk of the first layer after a real gradient step, between the directions that matter.

Given the first batch, rows of the bulk have covariance :math:`\bar\Sigma/d`, :math:`\bar\Sigma=(I+\ell A_1)^2+\omega
A_2` with :math:`A_k=\frac1{n_0}\sum_\mu y_\mu^kx_\mu x_\mu^\top`, y the labels without the mean of the student
(:math:`\ell=0` for students that are odd).  The resolvent :math:`(I+g\bar\Sigma)^{-1}` is a corner of a matrix of twice
the size that is linear in the samples; leaving out one of them gives its mean over the diagonal,

.. math:: G=\begin{pmatrix}b&gu\\-u&w\end{pmatrix}=\Bigl(\begin{pmatrix}1&-g\\1&1\end{pmatrix}+
   E[M(I+GM/\alpha_0)^{-1}]\Bigr)^{-1},\qquad M=\begin{pmatrix}g\omega y^2&-g\ell y\\\ell y&0\end{pmatrix},

and its forms between the direction of the target and :math:`s_F=\frac1{n_0}\sum_\mu F(y_\mu)x_\mu`.  All are kept as
:class:`Quotient`: the slope of a form of the resolvent is that of :math:`\bar\Sigma(I+g\bar\Sigma)^{-1}`.

The equations over this bulk have one more direction than over an isotropic one: along the squared norms of the rows,
:math:`|w_i|^2=c+\chi_i/\sqrt d`, which move the means of the units by :math:`\partial_c\mu_0\chi_i/\sqrt d`.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from types import SimpleNamespace

import numpy as np
from sympy import Add, Expr, Integer, Symbol, sqrt

from ...gauss import E
from ...multiprecision.interpreter import InnerUnknowns
from ...nodes import Applied, Named, put
from ...once import Deferred, computed_once
from ...program.lowering import ImplicitFunctions
from ...runtime.rules import OUTER_STEPS
from ...solve.kernel import Kernel, SolverOptions
from ...solve.ladder import FIRST
from ...spectra import MPResolvent
from ..spiked_features import equations as spiked
from ..spiked_features.parts import RidgeEquations, isotropic_kernel
from . import REGRESSION, SIGN

_convex = Deferred("asympkit.theories.spiked_features.convex")


class Quotient:
    r"""Represent a function f of g with its start f(0) and its slope :math:`(f(0)-f(g))/g`, under arithmetic.

    Examples
    --------
    >>> from sympy import Symbol
    >>> g = Symbol("g")
    >>> (1 / (1 + Quotient.variable(g))).slope
    1/(g + 1)
    """

    def __init__(self, value: Expr | int, slope: Expr | int = 0, start: Expr | int | None = None) -> None:
        self.value, self.slope = Integer(0) + value, Integer(0) + slope
        self.start = self.value if start is None else Integer(0) + start

    @classmethod
    def variable(cls, g: Expr) -> Quotient:
        """Return the variable itself."""
        return cls(g, -1, 0)

    def __add__(self, other: Quotient | Expr | int) -> Quotient:
        other = _quotient(other)
        return Quotient(self.value + other.value, self.slope + other.slope, self.start + other.start)

    def __mul__(self, other: Quotient | Expr | int) -> Quotient:
        other = _quotient(other)
        return Quotient(self.value * other.value, self.slope * other.value + self.start * other.slope,
                        self.start * other.start)

    def __rtruediv__(self, other: Quotient | Expr | int) -> Quotient:
        return other * Quotient(1 / self.value, -self.slope / (self.value * self.start), 1 / self.start)

    def __sub__(self, other: Quotient | Expr | int) -> Quotient:
        return self + -1 * _quotient(other)

    __radd__, __rmul__ = __add__, __mul__

    def named(self, label: str) -> Quotient:
        """Return the same with named parts, so that programs compute each once."""
        parts = {"": self.value, "_slope": self.slope, "_start": self.start}
        return Quotient(*(e if e.is_Atom else Named(label + end, e) for end, e in parts.items()))


class Twofold:
    r"""Represent matrices :math:`\begin{pmatrix}a&gb\\c&d\end{pmatrix}` of such functions; they form an algebra."""

    def __init__(self, g: Quotient, a: Quotient, b: Quotient, c: Quotient, d: Quotient) -> None:
        self.g, self.a, self.b, self.c, self.d = g, *map(_quotient, (a, b, c, d))

    def __matmul__(self, other: Twofold) -> Twofold:
        return Twofold(self.g, self.a * other.a + self.g * (self.b * other.c), self.a * other.b + self.b * other.d,
                       self.c * other.a + self.d * other.c, self.d * other.d + self.g * (self.c * other.b))

    def __add__(self, other: Twofold) -> Twofold:
        return Twofold(self.g, self.a + other.a, self.b + other.b, self.c + other.c, self.d + other.d)

    def __sub__(self, other: Twofold) -> Twofold:
        return self + -1 * other

    def __rmul__(self, factor: Expr | int) -> Twofold:
        return Twofold(self.g, factor * self.a, factor * self.b, factor * self.c, factor * self.d)

    def named(self, label: str) -> Twofold:
        """Return the same with named parts, as :meth:`Quotient.named`."""
        return Twofold(self.g, *(getattr(self, n).named(f"{label}_{n}") for n in "abcd"))


def _quotient(value):
    return value if isinstance(value, Quotient) else Quotient(value)


@cache
def symbols():
    r"""Return all symbols: of spiked features, of the first batch, and of the spectrum of the bulk.

    ``overload``: :math:`1/\alpha_0`; ``deviation``: of the label noise; ``h0``: mean of the student; ``t1``, ``t2``:
    linear part and second moment of the labels y; ``length``: that of the direction of the spike; ``omega``, ``ell``:
    of the covariance; ``row1``, ``row2``, ``row3``, ``row4``: squared norms of rows are correlated with the bulk along
    :math:`(I+\ell A_1)s_L+s_e`, :math:`L=` row1 y + row2 y², :math:`e=` row3 y² + row4 y³; ``norms``: their variance;
    ``square``: mean squared eigenvalue of the covariance of the rows.
    """
    positive = {n: Symbol(n, positive=True) for n in ("b", "w", "g")}
    nonnegative = {n: Symbol(n, nonnegative=True) for n in ("overload", "omega", "t2", "norms", "deviation",
                                                            "square")}
    real = {n: Symbol(n, real=True) for n in ("u", "h0", "t1", "length", "ell", "row1", "row2", "row3", "row4", "label",
                                              "tau", "epsilon")}
    return SimpleNamespace(**vars(spiked.symbols()), **positive, **nonnegative, **real)


def _average(labels):
    """Return the average over a sample of the first batch, of expressions of its label, tau and epsilon."""
    s = symbols()
    if labels == SIGN:
        known = {}

        def average_points(f):
            """Average over four points, which have the moments of signs; by name, as other averages are nodes."""
            if f not in known:
                known[f] = Named(f"first_{len(known)}", Add(*(
                    (1 + s.t1 * label * tau) / 4 * put(f, {s.label: label, s.tau: tau})
                    for label, tau in product((Integer(1), Integer(-1)), repeat=2))))
            return known[f]

        return average_points
    return lambda f: E(f, (s.tau, s.epsilon))


@cache
def first_batch(is_odd, labels=REGRESSION):
    r"""Return the resolvent of the bulk, after a first batch with labels of a kind, as the free energy needs it.

    For an odd student ``h0``, ``ell``, ``row2`` and ``row3`` are 0, and u and w follow from b.  The result has
    ``constraints`` that determine each unknown of the bulk at given g, and ``maps`` whose fixed point they are (damped
    iteration by halves converges from :math:`1/(1+g)`); ``trace``, the mean of the eigenvalues of
    :math:`\bar\Sigma(I+g\bar\Sigma)^{-1}`; the forms ``B_vv``, ``N_vv``, ... between the unit vectors v and zeta and
    the direction t of the row norms, B of the resolvent, N with another factor :math:`\bar\Sigma`.
    """
    s = symbols()
    zero = Integer(0)
    ell, h0, row2, row3 = (zero,) * 4 if is_odd else (s.ell, s.h0, s.row2, s.row3)
    g, ov = Quotient.variable(s.g), s.overload
    u, w = (s.b, zero) if is_odd else (s.u, s.w)        # the latter stands beside ell
    average = _average(labels)
    y = s.label - h0 if labels == SIGN else Named("y", Applied("target", s.tau) - h0 + s.deviation * s.epsilon)
    rise = ov * (2 * ell * u * y + (s.omega * s.b + ov * ell**2 * (s.b * w + s.g * u**2)) * y**2)
    # 1 + g*rise, of terms that do not cancel
    weight = Named("weight", 1 / ((1 + s.g * ov * ell * u * y) ** 2
                                  + s.g * ov * s.b * (s.omega + ov * ell**2 * w) * y**2))

    def mean(factor):
        """Average over the first batch, with the weight of each sample given the others."""
        value, slope = (average(factor * f * weight) for f in (1, rise))
        return Quotient(value, slope, value + s.g * slope)

    def corners(factor):
        """Return the corners a, c and d of the average of M/(I + G*M/alpha0) with a factor."""
        first, second = mean(factor * y), mean(factor * y**2)
        return ((s.omega + ov * ell**2 * w) * second, ell * first + ov * ell**2 * u * (g * second),
                ov * ell**2 * s.b * second)

    def resolvent(a, c, d):
        """Return 1/(C + M), for M with these corners."""
        share = 1 / ((1 + g * a) * (1 + g * d) + g * ((1 + c) * (1 + c)))
        return Twofold(g, (1 + g * d) * share, (1 + c) * share, -1 * ((1 + c) * share), (1 + g * a) * share)

    a, c, d = corners(Integer(1))
    G, along = resolvent(a, c, d), resolvent(*corners(s.tau**2))        # in general, and along the target
    inverse_of_G = Twofold(g, 1 + g * a, -1 * (1 + c), 1 + c, 1 + g * d)
    b = Quotient(s.b, Named("trace", G.a.slope), 1)
    u_of_g = b if is_odd else Quotient(s.u, G.b.slope, G.b.start)
    w_of_g = (1 + g * a) * b if is_odd else Quotient(s.w, G.d.slope, G.d.start)
    G = Twofold(g, b, u_of_g, -1 * u_of_g, w_of_g)

    def seen(factor):
        """Return the average of 1/(I + G*M/alpha0) with a factor."""
        one, first, second = mean(factor), mean(factor * y), mean(factor * y**2)
        return Twofold(g, one + ov * ell * u * (g * first), ov * ell * (b * first),
                       ov * (s.omega * u * (g * second)) - ov * ell * (w_of_g * first),
                       one + g * (ov * (s.omega * s.b * second + ell * u * first)))

    relative = (along @ inverse_of_G).named("relative")

    def linear(factor):
        """Return (I E[tau*factor] - seen)/overload, where the first is t1."""
        a, c, d = corners(s.tau * factor)
        return G @ Twofold(g, g * a, -1 * c, c, g * d)

    # the direction of the row norms is (I + ell*A1) s_L + s_e
    labels = {"y": y, "L": s.row1 * y + row2 * y**2, "e": row3 * y**2 + s.row4 * y**3}
    seen_by = {n: seen(s.tau * f) for n, f in labels.items()}
    to_target = {n: (relative @ seen_by[n] @ G).named(f"target_{n}") for n in labels}

    def pairs(m, n):
        return seen(labels[m] * labels[n]) @ G

    def form(m, n):
        """Return the form between s_m and s_n."""
        return ov * pairs(m, n) + seen_by[m] @ to_target[n]

    # between theta - gamma*v and others, up to overload/length**2, in a form that is not 0/0 at overload = 0
    left = (Twofold(g, s.t2, 0, 0, s.t2) + s.t1 * linear(y)).named("left")

    def across(n):
        return left @ to_target[n] - s.t1 * pairs("y", n)

    B_ss = form("y", "y").a.named("B_ss")
    B_st = form("y", "L").b + form("y", "e").a
    B_tt = form("L", "L").d.slope - 2 * form("L", "e").c.value + form("e", "e").a.value
    Z_s, Z_t = across("y").a, across("L").b + across("e").a
    B_zz = (1 / s.t2) * ((left @ along).a - s.t1 / s.length**2 * Z_s)
    spread = sqrt(ov / s.t2) / s.length
    constraints = {s.b: s.b * (1 + s.g * a.value) * (1 + s.g * d.value) + s.b * s.g * (1 + c.value)**2
                   - (1 + s.g * d.value)}
    if not is_odd:
        constraints |= {s.u: s.u * (1 + s.g * d.value) - s.b * (1 + c.value),
                        s.w: s.w * (1 + s.g * d.value) - s.b * (1 + s.g * a.value)}
    size = Named("size", (1 + s.g * a.value) * (1 + s.g * d.value) + s.g * (1 + c.value)**2)
    maps = {s.b: (1 + s.g * d.value) / size}
    maps |= {} if is_odd else {s.u: (1 + c.value) / size, s.w: (1 + s.g * a.value) / size}
    forms = {"B_vv": B_ss.value / s.length**2, "N_vv": B_ss.slope / s.length**2, "N_vz": spread / s.length * Z_s.slope,
             "rho_N_vz": ov / s.length**3 * Z_s.slope, "N_zz": B_zz.slope, "B_vt": B_st.value / s.length,
             "B_tz": spread * Z_t.value, "B_tt": B_tt}
    forms |= _of_mean_row(along.a.value, y, weight, average) if is_odd else {}
    named = {n: Named(n, e) for n, e in forms.items()}
    return SimpleNamespace(constraints=constraints, maps=maps, trace=b.slope, **named)


def _of_mean_row(T, y, weight, mean):
    """Return the forms of the bulk that a finite width needs for an odd student, whose rows have a common part.

    ``shared_rows`` divides the kernel of the mean readout; ``tilt_v`` and ``tilt_theta`` are forms between the initial
    output and spike or target.
    """
    s = symbols()
    seen, along = mean(y**2 * weight), mean(y * s.tau * weight)
    of_v = along * T * mean(y * s.tau * weight**2) + s.b * s.overload * mean(y**2 * weight**2)
    return {"shared_rows": 1 + s.g * s.b * s.overload * s.row1**2 / 8 * seen,
            "tilt_v": s.b / s.length * (2 * s.g * s.omega * of_v - mean(weight)),
            "tilt_theta": 2 * s.b * s.g * s.omega * T * mean(y * s.tau * weight**2)}


# -- the equations ----------------------------------------------------------------------------------------------------


@cache
def averages(is_odd, labels=REGRESSION):
    r"""Return :math:`\langle1/S\rangle`, and the kernel between spike (v), rest of target (z), norms of rows (x)."""
    s, x = symbols(), first_batch(is_odd, labels)
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
    s, x = symbols(), first_batch(is_odd, labels)
    inverse, kernel = averages(is_odd, labels)
    of_g = s.g * (s.lam + s.Vhat2 + s.Vhat1 * x.trace) - s.beta * s.Vhat1
    weighed = inverse * x.trace
    readout, induced = inverse, spiked.compute_tilt(kernel["vv"], weighed)
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
    return spiked.Bulk(inverse, weighed, kernel, s.square, readout, induced, common, {**x.constraints, s.g: of_g}, own)


class ExactSquareLoss(spiked.SquareLoss):
    """Derive the equations of the square loss over the bulk of a real step, at a width."""

    @property
    def parameters(self):
        s, first = symbols(), spiked.spiked_parameters()
        return (*first[:4], s.inverse_width, *first[4:], *self.bulk.parameters[1:])


@cache
def exact_ridge(is_odd, has_width=True):
    """Return the square loss over the bulk of a real step; in the limit without what only a width needs."""
    return ExactSquareLoss(exact_bulk(is_odd)) if has_width else spiked.SquareLoss(exact_bulk(is_odd).limit())


# -- solvers -----------------------------------------------------------------------------------------------------------


#: multipliers of the bulk
MULTIPLIERS = ("bhat", "uhat", "what", "ghat", "chihat")


@cache
def inner(is_odd, has_width=False):
    """Return the inner equations that define these functions, at a width those of the mean readout too."""
    s, x = symbols(), first_batch(is_odd)
    inverse, kernel = averages(is_odd)
    resolvent = MPResolvent(s.Vhat1, s.Vhat2 + s.lam, s.c, s.beta)
    g = s.beta * s.Vhat1 * resolvent
    starts = dict.fromkeys(x.maps, 1 / (1 + s.c * g)) | {s.g: g}
    forms = {"S_inverse": inverse, "S_weighed": inverse * x.trace, **{n.label: n for n in kernel.values()}}
    forms |= of_mean_readout(exact_bulk(is_odd)) if has_width else {}
    return ImplicitFunctions((s.Vhat1, s.Vhat2), starts, {**x.maps, s.g: s.beta * s.Vhat1 * inverse}, forms)


def of_mean_readout(bulk):
    """Return the kernel of the mean readout with itself and with the directions, by the names of functions."""
    return {"S_mean": bulk.readout, **{f"tilt_{n}": e for n, e in bulk.induced.items()}}


class ExactRidge(RidgeEquations):
    """Solve the square loss over the bulk of a real step; the kernels have a width, which may be infinite."""

    is_torn_path, roots = True, ("deviation",)

    def __init__(self, functions, layer):
        super().__init__(functions, True)
        self.layer = layer

    @property
    def channel(self):
        return exact_ridge(self.layer.is_odd)

    @computed_once
    def kernel(self):
        from ...generated.one_step import exact, exact_odd
        module = exact_odd if self.layer.is_odd else exact
        start = IsotropicStart(self.functions["student"], self.functions["target"])
        deviation = module.TABLE_PARAMETERS.index("deviation")

        def levels_at(table_parameters, levels):
            """Return the refinement levels: without noise quadrature is one-dimensional and may be as fine as any."""
            return len(OUTER_STEPS) if table_parameters[deviation] == 0.0 else levels

        # the multipliers of the bulk are excluded from the error estimate
        return Kernel(module, SolverOptions(
            guess_start=start, guess_closer_start=NearBulk(start, self.layer.is_odd),
            continuation_parameter="lam",
            levels_at=levels_at, other_starts=(dict.fromkeys(module.TORN, 1.0),), auxiliary=MULTIPLIERS))

    def tangent(self, rates, point):
        return super().tangent({**rates, "deviation": rates.get("noise_variance", 0.0)}, point)


def make_convex(functions, readout, case, layer):
    """Return the equations of a convex loss over a real bulk, started from the solution over the isotropic one."""
    begin = _convex.ConvexEquations(functions, readout, case._replace(has_width=False), spiked.isotropic())
    start = IsotropicStart(functions["student"], functions["target"], lambda: begin.kernel)
    return _convex.ConvexEquations(functions, readout, case, layer.bulk(case.has_width), start)


class NearBulk:
    """Start near the spectrum of a bulk far from isotropic: solve its own equations at given conjugates.

    Damped iteration of their maps converges slowly from any start; Newton's method does not always converge.
    """

    def __init__(self, isotropic, is_odd):
        self.isotropic, self.is_odd = isotropic, is_odd

    @computed_once
    def _equations(self):
        """Build the equations of the bulk, only when they are needed."""
        s, functions = symbols(), dict(zip(("student", "target"), self.isotropic.functions))
        return InnerUnknowns(inner(self.is_odd), exact_ridge(self.is_odd, False).parameters,
                             (s.deviation,) if self.is_odd else (s.deviation, s.h0), functions)

    def __call__(self, points):
        """Return starts as :class:`IsotropicStart` does."""
        named, begin = vars(symbols()), self.isotropic(points)
        values = {named[n]: v for n, v in {**points, "Vhat1": begin["Vhat1"], "Vhat2": begin["Vhat2"]}.items()}
        found = self._equations(values, {u: begin[u.name] for u in self._equations.unknowns})
        good = np.all([np.isfinite(v) for v in found.values()], axis=0)
        return begin | {u.name: np.where(good, v, begin[u.name]) for u, v in found.items()}


class IsotropicStart:
    """Return starts for points of one student and target.

    Newton's method for V1, V2 and the unknowns of the spectrum does not always converge from a distant start, above all
    at small penalties.  Over rows of the same mean squared norm c the latter are explicit.
    """

    def __init__(self, student, target, kernel=isotropic_kernel):
        self.functions, self._kernel = (student, target), kernel
        self._tables = {}

    def __call__(self, points):
        """Return starts by unknown, from parameters by name; points that are solved together share their tables."""
        kernel = self._kernel()
        module = kernel.module
        shared = tuple(float(points[n][0]) for n in module.TABLE_PARAMETERS)
        if shared not in self._tables:                  # refinements and sweeps use one step many times
            functions = dict(zip(("student", "target"), self.functions))
            self._tables = {shared: kernel.tables(FIRST, shared, [functions[n] for n in module.ACTIVATIONS], ())[0]}
        out, _ = kernel.batch([points[n] for n in module.PARAMETERS], self._tables[shared])
        at = dict(zip(module.OUTPUTS, out))
        with np.errstate(all="ignore"):
            g = points["beta"] * at["Vhat1"] * at["V2"]
            b = 1.0 / (1.0 + g * points["c"])
        # g = 0, for units without a linear part, is a root that cannot be reached in the logarithm
        found = {**{n: at[n] for n in (*module.TORN, "Vhat1", "Vhat2")}, "b": b, "u": b, "w": b, "g": g}
        positive = ("V1", "V2", "b", "g", "Vhat1", "Vhat2")
        good = np.all([np.isfinite(v) & ((v >= 0.0) | (n not in positive)) for n, v in found.items()], axis=0)
        return {n: np.where(good, v, 1.0) for n, v in found.items()}
