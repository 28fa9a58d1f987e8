r"""The spectrum of the sample covariance :math:`\Phi^\top\Phi/p` of the features: bulk, outliers, their eigenvectors.

Outliers are the roots of

.. math:: \det(I+\alpha\mathsf M\mathsf K)=0,\qquad\mathsf K=\mathrm{diag}(dV_2,cV_2),\qquad
   \mathsf M_{jk}=E_\kappa\frac{B_jB_k}{1+V},\qquad B=(\mu_0,\kappa\mu_1),

in the directions :math:`(1,Wv/\sqrt d)`, with the response functions at :math:`\lambda=-x`; squared overlaps of their
eigenvectors are residues.  ``derivations/one_step/outliers.py`` derives both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from sympy import Matrix, Rational, Symbol, diag, eye

from ...activations.activation import shared_activation
from ...arguments import check_count, check_numbers
from ...errors import DomainError
from ...gauss import E
from ...multiprecision.number_systems import MultiprecisionNumbers
from ...nodes import Named
from ...notation import add_title, escape_html, name, one_screen, summarise, table
from ...once import Deferred
from ...plot.canvas import COLOURS, explain_style_error, faint, one_axes
from ...simulate import simulate_spectrum
from ..declaration import read_values
from .equations import moments, symbols
from .feature_law import FeatureLaw

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from ...annotations import Floats

_theory = Deferred("asympkit.theories.theory")

#: parameters of a solution on which the spectrum does not depend
_UNRELATED = ("lam", "gamma")
#: points of a curve, bins of a histogram, and the density, as a share of the largest, that ends a picture
_POINTS, _BINS, _SHOWN = 300, 60, 2e-3
#: relative error of an edge
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Outlier:
    """Describe an eigenvalue, or a singular value, outside of the bulk.

    Attributes
    ----------
    location : float
        Infinite for one that grows with the dimension, in the limit.
    overlap : float
        Squared overlap of its eigenvector with the direction that makes it: the constant for a giant one, Wv for one
        of the BBP type; NaN where there is no formula.
    kind : {"giant", "bbp", "spike"}
    """

    location: float
    overlap: float
    kind: str

    def __str__(self) -> str:
        overlap = "" if math.isnan(self.overlap) else f", overlap {float(self.overlap):.4g}"
        return f"{self.kind} {float(self.location):.6g}{overlap}"


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Hold the spectrum of the features: a bulk, an atom at 0, and outliers.

    Attributes
    ----------
    edges : ndarray, shape (number, 2)
        Intervals of the bulk; the outermost edges may be 0 and infinite.
    atom : float
        Share of the values that are 0.
    outliers : tuple of Outlier
        The largest first.
    parameters : dict
    """

    edges: Floats
    atom: float
    outliers: tuple[Outlier, ...]
    parameters: dict[str, float]
    _density: Callable[[Floats], Floats] = field(repr=False)
    _draw: Callable[..., Floats] = field(repr=False)
    _name: str = field(default="eigenvalues of $\\Phi^T\\Phi/p$", repr=False)

    def __repr__(self) -> str:
        bulk = " and ".join(f"[{low:.6g}, {high:.6g}]" for low, high in self._intervals)
        found = ", ".join(str(o) for o in self.outliers) or "none"
        return one_screen(f"<Spectrum on {bulk}, {self.atom:.4g} at 0, outliers: {found}>")

    def _repr_html_(self) -> str:
        given = ", ".join(f"{name(k)} = {escape_html(summarise(v))}" for k, v in self.parameters.items())
        found = [(o.kind, float(o.location), "" if math.isnan(o.overlap) else float(o.overlap)) for o in self.outliers]
        return add_title("Spectrum", f"<div>{given}</div>", table(self._intervals.tolist(), ("bulk from", "to")),
                         f"<div>share at 0: {float(self.atom):.4g}</div>",
                         *[table(found, ("outlier", "location", "squared overlap"))] * bool(found))

    @property
    def _intervals(self):
        """Return the edges in double precision."""
        return self.edges.astype(float)

    def density(self, x: ArrayLike) -> Floats:
        """Evaluate the density of the bulk, whose integral is 1 - ``atom``.

        Parameters
        ----------
        x : array_like

        Returns
        -------
        ndarray
            Of the shape of x; 0 outside of the intervals of ``edges``.

        Raises
        ------
        DomainError
            For values that are no finite real numbers.
        """
        points = check_numbers("x", x)
        low, high = self._intervals.T * [[1.0 + _ROUNDING], [1.0 - _ROUNDING]]
        inside = ((points[..., None] > low) & (points[..., None] < high)).any(axis=-1)
        found = np.zeros(points.shape)
        found[inside] = self._density(points[inside])
        return found

    def simulate(self, **settings: Any) -> Floats:
        """Draw the same spectrum from the finite model.

        Parameters
        ----------
        **settings
            ``d`` (with a width that of it by default), ``repeats``, ``seed``, ``executor``, ``progress``, ``file``; of
            nonlinear spikes ``seed`` and ``model``.

        Returns
        -------
        ndarray, shape (repeats, values)
            In ascending order.
        """
        return self._draw(**settings)

    def plot(self, simulation: Mapping[str, Any] | None = None, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw the density and the outliers, with a simulated histogram.

        Parameters
        ----------
        simulation : dict, optional
            Settings of :meth:`simulate`.
        ax : matplotlib axes, optional
        **style
            Of the curve, passed to matplotlib.

        Returns
        -------
        matplotlib axes
        """
        drawn, ax = None if simulation is None else self.simulate(**simulation), one_axes(ax)
        curves, high = self._curves()
        near = [float(o.location) for o in self.outliers if o.location < 3.0 * high]
        end = 1.06 * max([high, *near])
        if drawn is not None:
            low = self._intervals[0, 0]
            start = 0.0 if low < 0.1 * high else 0.9 * low
            bins = np.linspace(start, end, _BINS + 1).tolist()
            shown = drawn[(drawn > 1e-9 * high) & (drawn <= end)]
            ax.hist(shown, bins, weights=np.full(shown.size, 1.0 / drawn.size / (bins[1] - bins[0])), color=faint(0.2),
                    label="simulation")
            outside = shown[shown > high]
            ax.plot(outside, np.zeros(outside.size), "|", color=faint(0.6), markersize=9, clip_on=False)
        with explain_style_error(style):
            for k, (x, y) in enumerate(curves):
                ax.plot(x, y, **{"color": COLOURS[0], "label": "" if k else "limit", **style})
        for outlier, colour in zip(self.outliers, COLOURS[1:]):
            at = [x for x in near if x == float(outlier.location)]
            ax.plot(at, [0.0] * len(at), "^", color=colour, markersize=8, clip_on=not at,
                    label=f"{outlier}{'' if at else ' (beyond)'}")
        # without what diverges at 0
        top = max(float(np.max(y[x > 0.02 * high], initial=0.0)) for x, y in curves)
        ax.set(xlim=(None, end), ylim=(0.0, 1.15 * top or 1.0), xlabel=self._name, ylabel="density")
        ax.legend(frameon=False, fontsize=9)
        return ax

    def _curves(self):
        """Return arrays (x, density) of each interval, and where the last one ends or has become invisible."""
        (start, high), found = self._intervals[-1], []
        if math.isinf(high):
            x = max(start, 1.0) * np.geomspace(1.0, 1e4, 80)[1:]
            y = self.density(x)
            high = x[np.flatnonzero(y > _SHOWN * y.max())[-1]]
        for low, up in self._intervals:
            middle, half = 0.5 * (min(up, high) + low), 0.5 * (min(up, high) - low)
            x = middle - half * np.cos(np.linspace(0.0, np.pi, _POINTS + 2))[1:-1]
            found.append((x, self.density(x)))
        return found, high


# -- spiked features --------------------------------------------------------------------------------------------------


def feature_spectrum(theory, parameters, digits=None):
    """Return the spectrum of a theory's features; see :meth:`~asympkit.SpikedFeatures.spectrum`."""
    student = _student(theory)
    if "units" in parameters:
        raise DomainError(f"units: got {parameters['units']!r:.60}; the outliers of spectrum() are known for one "
                          "class of hidden units: expected r and c")
    given = theory.given(parameters)
    for p in theory.declared:
        if p.name in _UNRELATED and p.name in given:
            p.check(given[p.name])
    declared = tuple(p for p in theory.declared if p.name not in _UNRELATED)
    shown = read_values(declared, {k: v for k, v in given.items() if k not in _UNRELATED}, theory.name)
    if "r" not in shown:
        step = {k: v for k, v in shown.items() if k in ("eta", "alpha0", "beta", "noise_variance", "flip")}
        shown |= theory.parameters_at(**step)
        theory.warn(theory.broken(shown))
    at = {k: shown[k] for k in ("r", "c", "alpha", "beta")}
    student.require_second_moment(at["r"] ** 2 + at["c"])
    law, width = FeatureLaw(student, **at), shown.get("width")
    edges, outliers = law.edges, feature_outliers(law, width)
    if digits is not None:
        numbers, s = MultiprecisionNumbers(check_count("digits", digits) + 5), symbols()
        exact = theory.precise_values({"gamma": 0, **given, "lam": 1}, numbers)
        values = {k: exact[getattr(s, k)] for k in at} | ({"width": given["width"]} if width else {})
        edges, outliers = precise_places(law, outliers, values, digits)

    known = {k: v for k, v in shown.items() if v is not None}
    return Spectrum(edges, law.atom, outliers, known, law.density, partial(_drawn, student, at, width))


def _drawn(student, at, width, d=None, **settings):
    if d is None and width is None:
        raise DomainError("simulate: got no d; expected the dimension d=..., or a spectrum at a width")
    found = simulate_spectrum(student, d=round(width / at["beta"]) if d is None else d, **at, **settings)
    return found["eigenvalues"].values


def _student(theory):
    """Return the student with a bias in its argument, or raise where the spectrum is not known."""
    values = getattr(theory, "readout_values", ((1, 1),))
    chosen = (("bulk", getattr(theory, "bulk", "isotropic"), "isotropic"), ("rows", theory.rows, "sphere"),
              ("bias", theory.chosen.get("bias", 0.0), "a number"))
    for option, value, known in chosen:
        if isinstance(value, str) and value != known:
            raise DomainError(f"spectrum: got {option}={value!r:.60}; the outliers of spectrum() are known for "
                              f"{option}={known} alone: expected a theory with it")
    if values != ((1, 1),):
        raise DomainError(f"spectrum: got readout={list(values)!r:.60}; the outliers of spectrum() are known for one "
                          "value of the initial readout alone: expected a theory with it")
    bias, student = theory.chosen.get("bias", 0.0), theory.student
    if not bias:
        return student
    z = student.symbol
    return shared_activation(student.expr.xreplace({z: z + Rational(Fraction(repr(float(bias))))}))


def feature_outliers(law, width):
    """Return the outliers above the bulk, with p hidden units or in the limit."""
    m, found = law.real, []
    if width is None and np.any(m.mu0):
        found.append(Outlier(math.inf, 1.0, "giant"))
    count = 1 if width is None else 2
    if width is not None and not np.any(m.mu0) and not np.any(m.dmu0):
        width, count = None, 1
    if law.limits[0]:           # the second would lie inside of the bulk
        count -= 1
    edge, far = law.right[-1][0], law.right[0][0]
    for which in range(1, count + 1):
        if _margin(law, edge, width, which) >= 0.0:
            break
        high = far
        while _margin(law, high, width, which) <= 0.0:
            high *= 2.0
        x = brentq(lambda x, which=which: _margin(law, x, width, which), edge, high, xtol=4e-16 * high, rtol=1e-15)
        found.append(_outlier(law, x, width))
    return tuple(found)


def _margin(law, x, width, which):
    """Return 1 minus an eigenvalue of the symmetric form of -alpha*M*K: it falls with x, and vanishes at an outlier."""
    K, M, _, _ = _directions(law, x, width)
    root = np.sqrt(-K)
    return 1.0 - law.alpha * np.linalg.eigvalsh(root[:, None] * M * root)[-which]


def _outlier(law, x, width):
    """Return the outlier at a root of det(I + alpha*M*K): squared overlaps are the residues of K*(I + alpha*M*K)^-1."""
    K, M, dK, dM = _directions(law, x, width)
    A, dA = np.eye(K.size) + law.alpha * M * K, law.alpha * (dM * K + M * dK)
    adjugate = np.eye(1) if K.size == 1 else np.array(((A[1, 1], -A[0, 1]), (-A[1, 0], A[0, 0])))
    overlaps = -K * np.diag(adjugate) / np.trace(adjugate @ dA) / ((width / law.beta, law.c) if width else law.c)
    return Outlier(float(x), float(overlaps.max()), "giant" if overlaps[0] > overlaps[-1] else "bbp")


def _directions(law, x, width):
    """Return K, M and their derivatives by x: in the limit the constant direction takes its part of kappa*mu1."""
    m, (V1, V2) = law.real, law.above(x)
    _, ((a, b), (c, e)), D = law.equations(x, V1, V2, m)
    dV1, dV2 = np.array((-b, a)) * V2 / (a * e - b * c)
    w, dw = m.weights / D, -m.weights * (m.mu1**2 * dV1 + m.mu2sq * dV2) / D**2
    along = m.kappa * m.mu1
    if width is None:
        weight = w @ m.mu0**2
        B, K = (along - (w @ (m.mu0 * along) / weight if weight else 0.0) * m.mu0)[None], np.array([law.c * V2])
        return K, w * B @ B.T, K * dV2 / V2, dw * B @ B.T
    # to first order in 1/d: the mean shifts with the norm of the input, and fluctuates with it for all units together
    d = width / law.beta
    B, K = np.array((m.mu0, along)), np.array((d * V2, law.c * V2))
    shift = law.c / d * (m.kappa**2 - 1.0) * m.dmu0
    common = 2.0 * law.c**2 / d * m.dmu0**2
    more = np.array(((2.0 * m.mu0 * shift + common, along * shift), (along * shift, 0.0 * along)))
    return K, w * B @ B.T + more @ w, K * dV2 / V2, dw * B @ B.T + more @ dw


# -- places with any number of digits ---------------------------------------------------------------------------------


#: the unknowns: the response functions at lam = -x, and x, of any sign
V1, V2, X = (Symbol(n, real=True) for n in ("V1", "V2", "x"))
WIDTH = Symbol("width", positive=True)


@cache
def place_theory(student, kind):
    """Return the theory of the place of an "edge", or of an outlier, "bbp" in the limit or any at a "width"."""
    s, u = symbols(), moments()
    V = Named("V", u.mu1**2 * V1 + u.mu2sq * V2)
    h1, h2 = (s.alpha / s.beta * E(m / (1 + V), s.kappa) for m in (u.mu1**2, u.mu2sq))
    pair = Matrix([V1 * (1 + s.beta * s.c * h1 * V2) - s.c * V2, (h2 - X) * V2 + h1 * V1 - 1])
    J = Matrix(2, 2, lambda i, j: pair[i].diff((V1, V2)[j]))
    d = WIDTH / s.beta
    shift = s.c / d * (s.kappa**2 - 1) * u.dmu0
    along, common = s.kappa * u.mu1, 2 * s.c**2 / d * u.dmu0**2
    entries = [E(e / (1 + V), s.kappa) for e in (
        u.mu0**2 + (2 * u.mu0 * shift + common if kind == "width" else 0),
        along * (u.mu0 + (shift if kind == "width" else 0)), along**2)]
    M, K = Matrix([entries[:2], entries[1:]]), diag(d * V2, s.c * V2)
    if kind == "edge":
        last, observables = _det(J), {}
    else:
        A = eye(2) + s.alpha * M * K
        last = 1 + s.alpha * K[1, 1] * (M[1, 1] - M[0, 1] ** 2 / M[0, 0]) if kind == "bbp" else _det(A)
        # dV/dx from the pair: J dV = (0, V2)
        change = (last.diff(V2) * J[0, 0] - last.diff(V1) * J[0, 1]) * V2 / _det(J)
        observables = {"bbp": -V2 / change} if kind == "bbp" else {
            "giant": -V2 * A[1, 1] / change, "bbp": -V2 * A[0, 0] / change}
    parameters = {s.r: ("strength of the spike", "real"), s.c: ("squared norm of a row", "positive"),
                  s.alpha: ("samples over d", "positive"), s.beta: ("width over d", "positive")}
    if kind == "width":
        parameters[WIDTH] = ("hidden units", "positive")
    return _theory.Theory(name=f"place of an {kind}", parameters=parameters, unknowns=[V1, V2, X],
                          equations=[*pair, last], observables={"place": X, **observables},
                          activations={"student": student})


def _det(A):
    """Return the determinant without a simplification, which would rename bound variables."""
    return A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]


def precise_places(law, outliers, values, digits):
    """Return the edges of a law and some outliers with any number of digits, from those in double precision."""
    limit = {k: v for k, v in values.items() if k != "width"}

    def solved(kind, x, V, at):
        start = {"V1": float(V[0]), "V2": float(V[1]), "x": float(x)}
        return place_theory(law.student, kind).precise(digits=digits, start=start, **at)

    edges = np.array(law.edges, dtype=object)
    for place, end in enumerate(law.ends):
        if end:
            edges.flat[place] = solved("edge", end[0], end[1:], limit)["place"]
    kind, found = "width" if "width" in values else "bbp", []
    for o in outliers:
        if math.isfinite(o.location):
            at = solved(kind, o.location, law.above(o.location), values)
            o = replace(o, location=at["place"], overlap=at[o.kind])
        found.append(o)
    return edges, tuple(found)
