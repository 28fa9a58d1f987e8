"""Read classes of hidden units, ``units=[(u, c, fraction), ...]``, and solve their spiked features."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from ...arguments.domains import check_value, quote
from ...codegen import write_kernel
from ...errors import DomainError, NotAvailableError, ProofError
from ...once import computed_once
from ...solve.kernel import Kernel, SolverOptions
from ...solve.ladder import FIRST
from ..declaration import Parameter
from ..declared import Point
from ..ridge.ridgeless import required
from ..simulator import Expected, Simulator, size
from .channel import ALIGNED, FLIP, MIXED, NOISELESS
from .classes import UnitClasses, class_symbols
from .convex import FLIPS, ConvexFeatures, number
from .convex_equations import BIAS
from .convex_simulation import check_is_reached
from .equations import overlap_map, symbols
from .theory import RIDGE, check_units, common_precise, get_simulation_grid, remainder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sympy import Symbol

    from ...annotations import Floats

#: the most directions of a spike: averages are over all projections on it together
LARGEST_RANK = 3


class UnitClass(NamedTuple):
    """Hold one class of units: strengths of the spike in each direction, squared norm of the bulk, and share."""

    u: tuple[Fraction, ...]
    c: Fraction
    fraction: Fraction


def read_units(value: Any) -> tuple[UnitClass, ...]:
    """Return classes of units as exact numbers (of a float its shortest decimal text); the shares sum to 1.

    Raises
    ------
    DomainError
        For anything but a list of (u, c, fraction) whose u have one length, up to three.
    """
    expected = "expected a list of (u, c, fraction), u a number or a tuple of up to three, c and fraction positive"
    try:
        found = [UnitClass(tuple(_exact("u", e) for e in (u if isinstance(u, list | tuple | np.ndarray) else (u,))),
                           _exact("c", c, "positive"), _exact("fraction", fraction, "positive"))
                 for u, c, fraction in value]
    except (TypeError, ValueError) as error:
        reason = f" ({error})" if isinstance(error, DomainError) else ""
        raise DomainError(f"units: got {quote(value)}; {expected}{reason}") from None
    ranks = {len(u) for u, _, _ in found}
    if len(ranks) != 1 or not 1 <= max(ranks) <= LARGEST_RANK:
        raise DomainError(f"units: got {quote(value)}; {expected}, the same number for all")
    total = sum((fraction for _, _, fraction in found), Fraction(0))
    if abs(total - 1) > Fraction(1, 10**12):
        raise DomainError(f"units: got {quote(value)}, whose fractions sum to {float(total):g}; expected 1")
    return tuple(UnitClass(u, c, fraction / total) for u, c, fraction in found)


def merge_equal(units: Sequence[UnitClass], is_odd: bool) -> tuple[UnitClass, ...]:
    """Return the classes with equal ones merged, and for odd students those whose spikes are opposite.

    Such a student turns the sign of the weights of a unit into that of its readout.
    """
    found: dict[tuple[Any, Fraction], Fraction] = {}
    for u, c, fraction in units:
        key = u, c
        opposite = tuple(-e for e in u), c
        if is_odd and key not in found and opposite in found:
            key = opposite
        found[key] = found.get(key, Fraction(0)) + fraction
    return tuple(UnitClass(u, c, fraction) for (u, c), fraction in found.items())


def read_overlap(value: Any, rank: int) -> tuple[Fraction, ...]:
    """Return the overlaps of the target with the directions of the spike as exact numbers."""
    entries = value if isinstance(value, list | tuple | np.ndarray) else (value,)
    if len(entries) != rank:
        raise DomainError(f"gamma: got {quote(value)} with a spike of {rank} directions; expected as many numbers")
    found = tuple(_exact("gamma", e) for e in entries)
    if sum(e * e for e in found) > 1:
        raise DomainError(f"gamma: got {quote(value)}, of length above 1; expected the overlaps of a unit vector")
    return found


def _exact(name, value, domain="real"):
    """Return an exact number, or raise a DomainError."""
    number: float = check_value(name, value, domain)
    if isinstance(value, str | Fraction | int):
        return Fraction(value)
    return Fraction(repr(number))


def read_width(value: Any) -> float:
    """Return a number of units, which may be infinite."""
    number: float = check_value("width", value, "nonnegative or inf")
    if number == 0.0:
        raise DomainError(f"width: got {quote(value)}; expected a positive number, or math.inf")
    return number


class UnitsLayer:
    """Give the equations what they need of the first layer: the classes of units, and the overlap with the target.

    Parameters
    ----------
    bulk : UnitClasses
    is_odd : bool
        Whether classes with opposite spikes are one.
    """

    def __init__(self, bulk: UnitClasses, is_odd: bool) -> None:
        self.classes, self.is_odd = bulk, is_odd
        self.names = ("r", "c", "gamma") if self.is_one else ("units", "gamma")
        self.smooth = self.names if self.is_one else ("gamma",) * (bulk.rank == 1)

    @property
    def is_one(self) -> bool:
        """Return whether there is one class, with a spike of one direction, which is given as r and c."""
        return self.classes.count == self.classes.rank == 1

    @property
    def declared(self) -> tuple[Parameter, ...]:
        """Return the parameters of the layer."""
        rank, one = self.classes.rank, (Parameter("gamma", "overlap of the spike with the target", "[-1, 1]"),)
        if self.is_one:
            return (Parameter("r", "strength of the spike", "real"),
                    Parameter("c", "squared norm of the rows of the bulk", "positive"), *one)
        several = (Parameter("gamma", "overlaps with the target", f"a tuple of {rank} numbers", is_axis=False,
                             read=lambda value: tuple(map(float, read_overlap(value, rank)))),)
        return (Parameter("units", "classes of units: strength of the spike, squared norm of the bulk, and share",
                          "a list of (u, c, fraction)", is_axis=False, read=_shown),
                *(one if rank == 1 else several))

    def read(self, given: Mapping[str, Any]) -> tuple[tuple[UnitClass, ...], tuple[Fraction, ...]]:
        """Return the classes without repetitions, and the overlaps, as exact numbers."""
        units: tuple[UnitClass, ...]
        if self.is_one:
            units = (UnitClass((_exact("r", given["r"]),), _exact("c", given["c"], "positive"), Fraction(1)),)
        else:
            units = merge_equal(read_units(given["units"]), self.is_odd)
        return units, read_overlap(given["gamma"], self.classes.rank)

    def bulk(self, has_width: bool = True) -> UnitClasses:
        """Return the bulk, which has the width as a parameter."""
        return self.classes

    def values(self, given: Mapping[str, Any]) -> dict[Symbol, Fraction]:
        """Return the parameters of the equations, with the square of rho in its place."""
        x, (units, gamma) = class_symbols(self.classes.count, self.classes.rank), self.read(given)
        found = {symbol: e for of, u in zip(x.u, units, strict=True) for symbol, e in zip(of, u.u)}
        found |= dict(zip(x.c, (u.c for u in units))) | dict(zip(x.gammas, gamma))
        shares = dict(zip(x.share, (u.fraction for u in units))) if self.classes.count > 1 else {}
        return {**found, **shares, symbols().rho: 1 - sum(e * e for e in gamma)}

    def floats(self, shown: Mapping[str, Any], parameters: Mapping[str, Any] | None = None,
               digits: int = 0) -> dict[str, float]:
        """Return them in double precision, by name."""
        found = {s.name: float(v) for s, v in self.values(shown).items()}
        return {**found, "rho": math.sqrt(found["rho"]), "inverse_width": 1.0 / shown["width"]}

    def numbers(self, parameters: Mapping[str, Any], numbers: Any, has_width: bool = True) -> dict[Symbol, Any]:
        """Return them in a number system, by symbol."""
        s, width = symbols(), parameters.get("width", math.inf)
        found = {symbol: numbers.number(v) for symbol, v in self.values(parameters).items()}
        is_limit = read_width(width) == math.inf
        return {**found, s.rho: numbers.sqrt(found[s.rho]),
                s.inverse_width: numbers.number(0) if is_limit else 1 / numbers.number(width)}

    def derivatives(self, parameter: str, shown: Mapping[str, Any]) -> dict[str, float]:
        """Return the derivatives of the parameters of the equations by one of the theory, by name."""
        if parameter != "gamma":
            return {parameter: 1.0}
        gamma = shown["gamma"]
        if abs(gamma) == 1.0:
            raise DomainError(f"gamma: got {gamma!r}; a derivative by gamma needs a number between -1 and 1 (rho = "
                              "sqrt(1 - gamma**2) has none at the ends)")
        return {"gamma": 1.0, **overlap_map().derivatives("gamma", {"gamma": gamma}, {})}

    def describe(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the simulator of spiked features takes of the layer."""
        units, gamma = self.read(shown)
        return {"units": [(tuple(map(float, u)), float(c), float(share)) for u, c, share in units],
                "gamma": tuple(map(float, gamma))}


def _shown(value):
    """Return classes of units as floats, which are printed and compared."""
    return tuple((float(u[0]) if len(u) == 1 else tuple(map(float, u)), float(c), float(fraction))
                 for u, c, fraction in read_units(value))


class ClassFeatures(ConvexFeatures):
    """Solve :class:`~asympkit.SpikedFeatures` with classes of hidden units, or with orthogonal rows.

    Parameters
    ----------
    student, target, loss, labels, bias, teacher, direction
        As for ConvexFeatures.
    layer : UnitsLayer
    """

    def __init__(self, student, target, loss, labels, bias, teacher, direction, layer):
        super().__init__(student, target, loss, labels, bias, teacher, direction, True, layer.bulk())
        self.layer, name = layer, "number of hidden units; inf for the limit, which is far from any network with "
        width = Parameter("width", name + "several classes", "a positive number, or math.inf", None, read=read_width)
        self.is_ridge = loss == "square" and labels == "regression" and bias == 0.0
        self.declared = (*layer.declared, *required(RIDGE), *[FLIPS] * self.has_flips, width)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.student, self.target, self._loss_given, self.labels, self.bias, self.teacher,
                            self.direction, self.layer)

    def regime(self, method: str, keywords: Mapping[str, Any]) -> ClassFeatures:
        return self

    @property
    def table_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.layer.names, "width", *["noise_variance"] * self.has_flips)

    @property
    def smooth(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("alpha", "beta", "lam", "noise_variance", *self.layer.smooth, *["flip"] * self.has_flips, "width")

    def read(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        shown, count = super().read(parameters), self.layer.classes.count
        if shown.get("width") is None and count > 1:
            raise DomainError(f"width: not given with {count} classes of units; in the limit the mean readouts of the "
                              "classes have no penalty, and fit what no network of a usual width does: expected the "
                              "number of hidden units, or math.inf for the limit all the same")
        if self.layer.classes.is_orthogonal and shown["beta"] > 1.0:
            raise DomainError(f"beta: got {shown['beta']:g} with rows='orthogonal'; there are at most as many "
                              "orthogonal rows as inputs: expected at most 1")
        return {**shown, "width": shown.get("width") or math.inf}

    def read_simulated(self, parameters: Mapping[str, Any], d: int) -> dict[str, Any]:
        """Return the parameters of a simulation, whose width is its own."""
        shown = self.read({"width": math.inf, **parameters})
        check_units({**shown, "width": None if shown["width"] == math.inf else shown["width"]}, d)
        return shown

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a call by name; beside a simulation the width is its own by default."""
        found = super().given(parameters)
        if isinstance(found.get("d"), int) and "width" not in found and np.ndim(found.get("beta", 1)) == 0:
            found["width"] = float(round(found["d"] * float(found.get("beta", 1))))
        return found

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        shown = self.read(parameters)
        known = {**shown, **self.layer.floats(shown), "bias": self.bias}
        for u, c, _ in self.layer.read(shown)[0]:
            strength, square = math.hypot(*u), float(c)
            self.check_range(shown["lam"], math.hypot(strength, math.sqrt(square)))
            self.shifted_student.require_second_moment(strength**2 + square)
            if self.teacher == NOISELESS and shown["width"] == math.inf:
                check_is_reached(self.task.loss, self.shifted_student, {**shown, "r": strength, "c": square},
                                 f"gamma: got {shown['gamma']!r}")
        self.target.require_second_moment(1.0)
        module = self.kernel.module
        return Point(tuple(known[n] for n in module.PARAMETERS), tuple(known[n] for n in module.TABLE_PARAMETERS), (),
                     shown, ())

    def check_proofs_are_there(self) -> None:
        """Raise for responses whose sign no proof knows: quadratic forms in several classes."""
        if self.layer.classes.count > 1 and not self.layer.classes.is_orthogonal or self.layer.classes.rank > 1:
            raise ProofError("certify: the response of a prediction is a quadratic form in the classes of units, whose "
                             "sign is not proved, or an average over several projections: expected one class, or rows="
                             "'orthogonal' with a spike of one direction; precise() has the digits without a proof")
        super().check_proofs_are_there()

    def source(self) -> str:
        raise NotAvailableError("generate: classes of units have no exported module; one class with rows='sphere' has")

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        flip = {FLIP: numbers.number(parameters.get("flip", 0))} if self.has_flips else {}
        bias = {BIAS: numbers.number(self.exact_bias)} if self.setting.has_bias else {}
        return {**common_precise(parameters, numbers), **self.layer.numbers(parameters, numbers), **flip, **bias}

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        if parameter == "width":
            return {"inverse_width": -1.0 / point.shown["width"] ** 2}
        return self.layer.derivatives(parameter, point.shown)

    @property
    def _symbols(self):
        return class_symbols(self.layer.classes.count, self.layer.classes.rank)

    def new_kernel(self, auxiliary: tuple[str, ...] = ()) -> Kernel:
        x, (first, *others) = self._symbols, self.starts
        pairs = [e for of in (x.V, x.Q) for e in of.values() if not e.is_positive]
        means = [e.name for e in (*x.m, *x.psi, *(t for theta in x.theta for t in theta), *pairs)]
        # the objective is strictly convex: there is one readout
        return Kernel.from_source(write_kernel(*self.program, self._title()), SolverOptions(
            first, self.near, other_starts=tuple(others), continuation_parameter="lam", may_vanish=tuple(means),
            vanishing_outputs=(*means, "train_error", "train_loss"), has_units=True, auxiliary=auxiliary,
            is_known_unique=True))

    @property
    def starts(self) -> list[dict[str, float]]:
        x, found = self._symbols, []
        for V, Q in ((1.0, 1.0), (10.0, 3.0), (0.1, 0.3), (100.0, 30.0)):
            start = {e.name: of for es, of in ((x.V2, V), (x.q2, Q), (x.m, 0.5), (x.psi, 0.1)) for e in es}
            start |= {t.name: 1.0 for theta in x.theta for t in theta}
            start |= {e.name: of if e.is_positive else 0.0 for es, of in ((x.V, V), (x.Q, 2 * Q)) for e in es.values()}
            found.append(start)
        return found

    def near(self, values: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return starts near the responses of the square loss, and near the readout of the mean class."""
        x, points = self._symbols, np.broadcast_shapes(*(np.shape(v) for v in values.values()))
        values = {n: np.broadcast_to(v, points or (1,)) for n, v in values.items()}
        one = np.ones(points or (1,))
        c, share, gamma = (np.stack([values.get(e.name, one) if e.is_Symbol else one for e in of], axis=-1)
                           for of in (x.c, x.share, x.gammas))
        u = np.stack([np.stack([values[e.name] for e in of], axis=-1) for of in x.u], axis=-2)
        V, V2 = estimate_responses(self.shifted_student, u, c, share, values["alpha"], values["beta"], values["lam"])
        found = {e.name: V2[:, a] for a, e in enumerate(x.V2)} | {
            e.name: V[:, a, b] for (a, b), e in x.V.items() if not self.layer.classes.is_orthogonal}
        if self.is_half_square or self.layer.is_one:        # then the other equations are linear, or few
            return found
        length = np.linalg.norm(gamma, axis=-1)
        mean = {**values, "r": (share * np.linalg.norm(u, axis=-1)).sum(axis=-1), "c": (share * c).sum(axis=-1),
                "gamma": length}
        kernel = self.mean_class.kernel
        tables, _, _ = kernel.tables(FIRST, [float(mean[n][0]) for n in kernel.module.TABLE_PARAMETERS],
                                     self.mean_class.activations, ())
        at = dict(zip(kernel.module.OUTPUTS, kernel.batch([mean[n] for n in kernel.module.PARAMETERS], tables)[0]))
        for a in range(self.layer.classes.count):
            along = np.where((u[:, a] * gamma).sum(axis=-1) < 0.0, -1.0, 1.0)
            found |= {x.m[a].name: share[:, a] * along * at["m"], x.psi[a].name: share[:, a] * at["psi"],
                      x.q2[a].name: share[:, a] * at["q2"]}
            found |= {e.name: share[:, a] * at["theta"] * gamma[:, k] / np.maximum(length, 1e-300)
                      for k, e in enumerate(x.theta[a])}
            found |= {x.Q[a, a].name: share[:, a] * at["q1"]} if "q1" in at else {}
        usual = self.starts[0]
        return {n: np.where(np.isfinite(v), v, usual[n]) for n, v in found.items()}

    @computed_once
    def mean_class(self) -> ClassFeatures:
        """Return the theory of one class, from whose solution starts are made."""
        layer = UnitsLayer(replace(self.layer.classes, count=1, rank=1), self.layer.classes.is_orthogonal)
        return ClassFeatures(self.student, self.target, self._loss_given, self.labels, self.bias, self.teacher, 1,
                             layer)


#: nodes in each direction of the spike, by their number, and steps, of an estimate
_NODES, _ESTIMATES = (0, 24, 16, 10), 60


def estimate_responses(student, u, c, share, alpha, beta, lam):
    """Return V and V2 of the square loss to some digits, by plain iteration from above, which is monotone.

    Parameters
    ----------
    student : callable
    u : ndarray, shape (points, classes, directions)
    c, share : ndarray, shape (points, classes)
    alpha, beta, lam : ndarray, shape (points,)

    Returns
    -------
    V : ndarray, shape (points, classes, classes)
    V2 : ndarray, shape (points, classes)
    """
    z, of_z = hermegauss(_NODES[u.shape[-1]])
    of_z = of_z / of_z.sum()
    kappa = np.array([*product(z, repeat=u.shape[-1])])
    weight = np.prod([*product(of_z, repeat=u.shape[-1])], axis=-1)
    values = student((u @ kappa.T)[..., None] + np.sqrt(c)[..., None, None] * z)
    mu0, mu1 = values @ of_z, values @ (of_z * z)
    mu2sq = np.maximum((values - mu0[..., None] - mu1[..., None] * z) ** 2 @ of_z, 0.0)
    mu1 /= np.sqrt(c)[..., None]
    rate, ones = alpha / beta, np.eye(c.shape[-1])
    G = np.ones_like(c) / lam[:, None]
    V, V2 = (c * share * G)[..., None] * ones, share * G
    for _ in range(_ESTIMATES):
        response = np.einsum("pak,pbk,pab->pk", mu1, mu1, V) + np.einsum("pak,pa->pk", mu2sq, V2)
        left = rate[:, None] * weight / (1.0 + response)
        Vhat = np.einsum("pak,pbk,pk->pab", mu1, mu1, left)
        bulk = c * share * G
        K = Vhat @ np.linalg.inv(ones + (beta[:, None] * bulk)[..., None] * Vhat)
        G = 1.0 / (lam[:, None] + np.einsum("pak,pk->pa", mu2sq, left) + c * np.einsum("paa->pa", K))
        V2 = share * G
        bulk = c * V2
        V = np.linalg.inv(ones + (beta[:, None] * bulk)[..., None] * Vhat) @ (bulk[..., None] * ones)
    return V, V2


def choose_classes(theory: Any, given: Mapping[str, Any]) -> ClassFeatures | None:
    """Return the theory of the classes of units that a call gives; None if those of one class hold.

    Raises
    ------
    DomainError
        For classes whose equations are not known.
    """
    if "units" not in given and theory.rows != "orthogonal":
        return None
    is_odd = theory.student.parity == "odd" and getattr(theory, "bias", 0.0) == 0.0
    units = merge_equal(read_units(given["units"]), is_odd) if "units" in given else ()
    count, rank = max(1, len(units)), len(units[0].u) if units else 1
    if count == rank == 1 and theory.rows != "orthogonal":
        return None
    if theory.rows == "gaussian":
        raise DomainError(f"rows: got 'gaussian' with {count} classes of units and a spike of rank {rank}; what "
                          "fluctuating norms of rows do there is not known: expected rows='sphere' or 'orthogonal', or "
                          "one class with a spike of one direction")
    loss, labels, bias = (getattr(theory, n, usual) for n, usual in (
        ("_loss_given", "square"), ("labels", "regression"), ("bias", 0.0)))
    gamma, is_noisy = given.get("gamma", math.nan), number(given.get("noise_variance", 0.0)) != 0.0
    is_along = np.ndim(gamma) == 0 and math.isnan(number(gamma)) is False or rank > 1
    teacher, direction = MIXED, 1
    if is_along and not (loss == "square" and labels == "regression") and \
            sum(e * e for e in read_overlap(gamma, rank)) == 1:
        teacher = ALIGNED if labels == "regression" or is_noisy else NOISELESS
        direction = int(math.copysign(1, number(gamma))) if rank == 1 else 1
    key = count, rank, is_odd, teacher, direction
    if key not in theory.class_theories:
        layer = UnitsLayer(UnitClasses(count, rank, theory.rows == "orthogonal"), is_odd)
        theory.class_theories[key] = ClassFeatures(theory.student, theory.target, loss, labels, bias, teacher,
                                                   direction, layer)
    return theory.class_theories[key]


def as_one_class(found: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with r and c in place of the only class of units, and no width in the limit."""
    if "units" in found:
        if "r" in found or "c" in found:
            raise DomainError("units: given together with r or c, which are those of one class; expected either")
        (u, found["c"], _), *_ = found.pop("units")
        found["r"] = u[0] if isinstance(u, list | tuple | np.ndarray) else u
        if isinstance(found["gamma"], list | tuple):
            (found["gamma"],) = found["gamma"]
        if found.get("width") == math.inf:
            del found["width"]
    return found


def _simulate(theory, parameters, *, d, **how):
    from ...simulate import simulate_spiked

    grid, at = get_simulation_grid(parameters, theory.declared)
    p = theory.read_simulated(at, d)
    task = None if theory.is_ridge else replace(theory.task, flip=p.get("flip", 0.0))
    rows = "orthogonal" if theory.layer.classes.is_orthogonal else "sphere"
    return simulate_spiked(theory.shifted_student, theory.target, d=d, rows=rows, task=task, beta=p["beta"],
                           noise_variance=p["noise_variance"], **theory.layer.describe(p), **how, **grid)


def predict_width(theory: ClassFeatures, parameters: Mapping[str, Any], settings: Mapping[str, Any],
                  simulation: Any) -> Expected:
    """Return the prediction for the width of a simulation."""
    sizes = {"alpha": simulation.alpha, "beta": simulation.beta, "width": simulation.p}
    return Expected(theory, {**parameters, **sizes}, f"width {simulation.p}", remainder(simulation.d))


ClassFeatures.simulator = Simulator(_simulate, (size("d", "input dimension"),), axes=("alpha", "lam"),
                                    expected=predict_width)
