r"""Bounds of the error, and the function that is learned along the spike (arXiv 2402.04980, (26)-(28)).

At a projection :math:`\kappa` on the spike the features express a mean :math:`\mu_0(\kappa)`, and along the weights of
the bulk :math:`\kappa\mu_1(\kappa)` and, across the spike, :math:`z\mu_1(\kappa)`.  The test error of a linear readout
is at least the squared distance of the target :math:`\phi(\gamma\kappa+\rho z)` from the span of these functions, of
all classes of hidden units.  The distance from the span of the means alone is reached as :math:`\lambda\to\infty`,
which makes it an upper bound of the least error.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.hermite_e import hermevander as hermite_vander
from sympy import Symbol, lambdify, sqrt

from ...arguments import broadcast, check_count, check_digits, check_numbers, quote
from ...errors import ConvergenceError, DomainError, LostDigitsError
from ...gauss import E
from ...multiprecision.number_systems import MultiprecisionNumbers
from ...nodes import Applied, Named, Tabled
from ...runtime.rules import trapezoid
from ..declaration import Parameter
from ..theory import Theory
from .class_features import ClassFeatures
from .equations import student_moments, symbols, target_moments
from .feature_law import conditional_moments
from .learned_bias import LearnedBias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from numpy.typing import ArrayLike

    from ...activations import Activation
    from ...annotations import Floats
    from ..model import StudentTargetModel

LEARNED = "learned"
#: moments of the student in the mean of predictions
MOMENTS = ("mu0", "mu1", "dmu0")
#: largest accepted relative error of a moment
_ERROR = 1e-11
#: biases among which the least bounds of a learned bias are looked for
BIASES = (-4.0, 4.0)


@cache
def bounds_theory(student: Activation, target: Activation, count: int = 1, has_norms: bool = False) -> Theory:
    """Return the bounds as a theory: coefficients of linear regressions, whose residuals are the observables.

    Each of ``count`` classes of units has parameters r and c (r1, c1, r2, ... for several).  With ``has_norms`` norms
    of the rows fluctuate with the weights, as after a real step: then the readout has the derivative of the mean by
    them too.
    """
    s, bias, slope = symbols(), Symbol("bias", real=True), Symbol("slope", real=True)
    units = [SimpleNamespace(r=Symbol(f"r{k}", real=True), c=Symbol(f"c{k}", positive=True), k=k)
             for k in ([""] if count == 1 else range(1, count + 1))]
    t, label = target_moments(s.gamma * s.kappa), Applied("target", s.gamma * s.kappa + s.rho * s.z)
    free, means, along, across = [], t["h"], t["h"], t["hz"]
    for u in units:
        of_unit = student_moments(u.r * s.kappa + bias, u.c, u.k)
        mu0, mu1, dmu0 = (of_unit[n] for n in MOMENTS)
        m, mean, theta, psi, chi = (Symbol(f"{n}{u.k}", real=True) for n in ("m", "mean", "theta", "psi", "chi"))
        means -= m * mu0
        along -= mean * mu0 + theta * s.kappa * mu1 + (chi * dmu0 if has_norms else 0)
        across -= psi * mu1
        free += [m, mean, theta, psi, *[chi] * has_norms]
    rest = E(E((label - t["h"] - t["hz"] * s.z) ** 2, s.z), s.kappa) + s.noise_variance
    alone, best = E(means**2, s.kappa), E(along**2, s.kappa) + E(across**2, s.kappa)
    linear = E((Applied("target", s.kappa) - slope * s.kappa) ** 2, s.kappa)
    return Theory(
        name="bounds of the error", unknowns=[*free, slope], free_energy=(alone + best + linear) / 2,
        parameters=[*(p for u in units for p in (Parameter(u.r, "strength of the spike", "real"),
                                                 Parameter(u.c, "squared norm of a row", "positive", 1.0))),
                    Parameter(s.gamma, "overlap of the spike with the target", "[-1, 1]", 1.0),
                    Parameter(s.noise_variance, "variance of the label noise", "nonnegative", 0.0),
                    Parameter(bias, "of the features", "real", 0.0)],
        derived={s.rho: sqrt((1 - s.gamma) * (1 + s.gamma))}, activations={"student": student, "target": target},
        observables={"upper": alone + E(t["hz"]**2, s.kappa) + rest, "lower": best + rest,
                     "best_linear": linear + s.noise_variance})


def find_bounds(theory: StudentTargetModel, parameters: Mapping[str, Any], digits: int | None) -> dict[str, Any]:
    """Return bounds as :meth:`asympkit.SpikedFeatures.bounds`."""
    if theory.chosen.get("labels") == "sign":
        raise DomainError("bounds: got labels='sign'; the bounds are those of the mean square on regression labels: "
                          "expected labels='regression'")
    if digits is not None:
        check_digits(digits)
        if theory.chosen.get("bias") == LEARNED:
            raise DomainError(f"digits: got {digits} with bias='learned', which is found in double precision: expected "
                              "no digits, or a number, bias=...")
    names = ("upper", "lower", "best_linear") if theory.chosen.get("loss", "square") == "square" else \
        ("lower", "best_linear")
    parameters = dict(parameters)
    units = parameters.pop("units", None)
    if units is not None and not (isinstance(units, list | tuple) and units and all(
            isinstance(u, list | tuple) and len(u) == 3 for u in units)):
        raise DomainError(f"units: got {quote(units)}; expected a list of (r, c, fraction), a class of units each")
    arrays, fixed, shape = broadcast("bounds", parameters, ())
    found = [_bounds_at(theory, {**fixed, **{n: float(a[i]) for n, a in arrays.items()}}, units, names, digits)
             for i in np.ndindex(shape)]
    if not arrays:
        return found[0]
    return {n: np.array([f[n] for f in found]).reshape(shape) for n in names}


def _bounds_at(theory, parameters, units, names, digits):
    """Return the bounds at one point by name."""
    has_norms = False
    if units is None:
        given, has_norms = _spike(theory, parameters, digits)
    else:
        given = dict(parameters)
        for k, (r, c, _) in enumerate(units, 1):
            given |= {f"r{k}": r, f"c{k}": c} if len(units) > 1 else {"r": r, "c": c}
    bounds = bounds_theory(theory.student, theory.target, 1 if units is None else len(units), has_norms)
    bias = theory.chosen.get("bias", 0.0)
    given["bias"] = 0.0 if bias == LEARNED else bias
    if digits is not None:
        solution = bounds.precise(digits=digits, **given)
        return {n: solution[n] for n in names}
    try:
        solution = bounds.solve(**given)
    except ConvergenceError:                # of nearly dependent functions the coefficients lose digits first
        solution = bounds.precise(digits=16, **given)
    found = {n: float(solution[n]) for n in names}
    if bias == LEARNED:
        del given["bias"]
        found |= {n: bounds.minimize(n, over="bias", bounds=BIASES, **given).value for n in names
                  if n != "best_linear"}
    return found


def _spike(theory, parameters, digits):
    """Return strength, norm, overlap and noise at a point, with ``digits`` as decimal texts, and if norms count."""
    at = theory.given({"alpha": 1, "lam": 1, **parameters})
    known = _with_equations(theory, at)
    shown = known.point(at).shown
    found = {n: shown[n] for n in ("r", "c", "gamma", "noise_variance")}
    has_norms = any(u.name == "chi" for u in known.lowered_system.unknowns)
    if digits is None:
        return found, has_norms
    numbers = MultiprecisionNumbers(digits + 10)
    exact = {s.name: v for s, v in known.precise_values(at, numbers).items()}
    return {n: numbers.mp.nstr(exact[n], digits + 10) for n in found}, has_norms


def _with_equations(theory, parameters):
    """Return the theory with the equations that a call needs; a learned bias has those of a fixed one."""
    found = theory.regime("solve", parameters)
    return found.theory if isinstance(found, LearnedBias) else found


# -- functions of the projection on the spike -------------------------------------------------------------------------


def find_moments(theory: StudentTargetModel, kappa: ArrayLike, parameters: Mapping[str, Any]) -> dict[str, Floats]:
    """Return moments as :meth:`asympkit.SpikedFeatures.conditional_moments`."""
    regime = _with_equations(theory, parameters)
    if theory.chosen.get("bias") == LEARNED:
        shown = theory.solve(**parameters).parameters
    else:
        widths = {"width": np.inf} if isinstance(regime, ClassFeatures) else {}
        shown = regime.point(regime.given({"alpha": 1, "lam": 1, **widths, **parameters})).shown
    places, units = check_numbers("kappa", kappa), _read_units(regime, shown)
    found = [moments_at(theory, places, {**shown, "r": r, "c": c}) for r, c in units]
    return {n: np.array([f[n] for f in found]) if len(found) > 1 else found[0][n] for n in ("mu0", "mu1", "mu2")}


def _read_units(regime, shown):
    """Return strength of the spike and norm of the bulk of each class of units."""
    if not isinstance(regime, ClassFeatures):
        return [(shown["r"], shown["c"])]
    if (rank := regime.layer.classes.rank) > 1:
        raise DomainError(f"units: got a spike of {rank} directions; functions of the projection on the spike "
                          "need one: expected numbers as strengths of the classes")
    return [(float(u), float(c)) for (u,), c, _ in regime.layer.read(shown)[0]]


def moments_at(theory: StudentTargetModel, kappa: Floats, shown: Mapping[str, float]) -> dict[str, Floats]:
    """Return the conditional moments of the student at parameters with r and c, and ``dmu0``, of mu0 by c."""
    r, c, bias = shown["r"], shown["c"], shown.get("bias", theory.chosen.get("bias", 0.0))
    (mu0, mu1, rest, dmu0), error = conditional_moments(theory.student, r, c, kappa.ravel(), bias)
    if not error <= _ERROR:
        raise LostDigitsError(f"kappa: the means of {theory.student.name!r} at r = {r:g}, c = {c:g} could not "
                              "be computed in double precision; expected smaller projections")
    found = {"mu0": mu0, "mu1": mu1, "mu2": np.sqrt(np.maximum(rest, 0.0)), "dmu0": dmu0}
    return {n: v.reshape(kappa.shape) for n, v in found.items()}


def learned_function(theory: StudentTargetModel, parameters: Mapping[str, Any]) -> Callable[..., Floats]:
    """Return the mean output of the trained network as a function of projections on spike and rest of the target.

    It is the mean C of the predictions in the equations, whichever bulk and width these have.
    """
    solution, regime = theory.solve(**parameters), _with_equations(theory, parameters)
    shown, found = solution.parameters, solution.order_parameters
    units, has_classes = _read_units(regime, shown), isinstance(regime, ClassFeatures)
    ends = [f"_{k}" for k in range(1, len(units) + 1)] if has_classes else [""]         # of the names of moments
    moments = {n + end for n in MOMENTS for end in ends}
    named = {n.label: _in_moments(n.expr, moments) for n in regime.lowered_system.definitions}
    terms = named["C"], *(named.get(n, 0) * Symbol("m") for n in ("cross", "bend"))
    names = sorted({str(x) for e in terms for x in getattr(e, "free_symbols", ())})
    evaluate, rho = lambdify(names, terms), np.sqrt((1.0 - shown["gamma"]) * (1.0 + shown["gamma"]))
    values = regime.point(regime.given(parameters)).values
    known = {**shown, **dict(zip(regime.kernel.module.PARAMETERS, values)), **found, "rho": rho}
    psi = [found["psi" + end * (len(units) > 1)] for end in ends]
    psi[0] += found["psi0"] / rho if found.get("psi0") and rho else 0.0

    def output(kappa, across):
        here = {**known, "kappa": kappa, "z": kappa}
        for end, (r, c) in zip(ends, units):
            here |= {n + end: e for n, e in moments_at(theory, kappa, {**shown, "r": r, "c": c}).items()}
        mean, slope, bend = evaluate(*(here[n] for n in names))
        along = sum(p * here["mu1" + end] for p, end in zip(psi, ends))
        return mean + across * (along + rho * slope) + (across**2 - 1.0) * bend

    return output


def _in_moments(expr, moments):
    """Return an expression in plain symbols of moments, parameters and unknowns, other names written out."""
    if getattr(expr, "label", None) in moments or isinstance(expr, Symbol):
        return Symbol(getattr(expr, "label", None) or expr.name)
    if isinstance(expr, Named | Tabled):
        return _in_moments(expr.expr, moments)
    return expr.func(*(_in_moments(e, moments) for e in expr.args)) if expr.args else expr


def find_coefficients(theory: StudentTargetModel, degree: int, parameters: Mapping[str, Any]) -> Floats:
    """Return coefficients as :meth:`asympkit.SpikedFeatures.learned_coefficients`."""
    degree, output, before = check_count("degree", degree, 0), learned_function(theory, parameters), None
    for step in 0.2 / 2.0 ** np.arange(8):
        kappa, weights = trapezoid(step, 9.5 + np.sqrt(degree))
        values, polynomials = output(kappa, 0.0), hermite_vander(kappa, degree)
        factorials = np.cumprod([1.0, *range(1, degree + 1)])
        found = (weights * values) @ polynomials / factorials
        if before is not None and np.all(np.abs(found - before) <= 1e-13 * np.max(np.abs(found))):
            return found
        before = found
    raise LostDigitsError("degree: the learned function is too steep for its coefficients in double precision; "
                          "expected a weaker spike")
