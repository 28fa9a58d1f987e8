"""``ak.SpikedFeatures`` with classes of hidden units, or with orthogonal rows.

Newton's method starts near the square loss, and near the mean class.  The responses V have one solution with a positive
definite matrix, to which a plain iteration falls from above; a start far from it may lead to others.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import product

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from ...codegen import write_kernel
from ...errors import DomainError, NotAvailableError, ProofError
from ...once import computed_once
from ...solve.kernel import Kernel, SolverOptions
from ...solve.ladder import FIRST
from ..declaration import Parameter, Simulator, read_values, size
from ..ridge import required
from . import classes as of
from .convex import ConvexEquations, check_is_reached
from .equations import isotropic
from .parts import ALIGNED, FLIPS, MIXED, NOISELESS, EquationCase, number
from .simulation import check_units, predict, simulate
from .theory import RIDGE, SpikedFeatures


class ClassEquations(ConvexEquations):
    """Solve classes of units, whose kernel has the width as a parameter, for any loss."""

    bulk: of.UnitClasses

    @computed_once
    def kernel(self):
        x, (first, *others) = of.class_symbols(self.bulk.count, self.bulk.rank), self.starts
        pairs = [e for of in (x.V, x.Q) for e in of.values() if not e.is_positive]
        means = [e.name for e in (*x.m, *x.psi, *(t for theta in x.theta for t in theta), *pairs)]
        program, names = self.program
        # the objective is strictly convex: there is one readout; beside the responses those of the square are linear
        return Kernel.from_source(write_kernel(program, names, self._title()), SolverOptions(
            first, self.near, None if self.readout.is_half_square else self._nearer, tuple(others),
            continuation_parameter="lam", may_vanish=tuple(means),
            vanishing_outputs=(*means, "train_error", "train_loss"), has_units=True, is_known_unique=True))

    @property
    def starts(self):
        return far_starts(self.bulk)

    def _near(self, values):
        return near_square_loss(self.bulk, self.readout.shift(self.functions["student"]), values)

    def _nearer(self, values):
        """Return the same with the readout of the mean class."""
        return {**self._near(values), **near_mean_class(self.bulk, self._mean_class, self.functions, values)}

    @computed_once
    def _mean_class(self):
        case = self.case._replace(has_width=self.case.teacher == MIXED)
        return ConvexEquations(self.functions, self.readout, case, isotropic(case.has_width))

    def check_proofs_are_there(self):
        if self.bulk.count > 1 and not self.bulk.is_orthogonal or self.bulk.rank > 1:
            raise ProofError("certify: the response of a prediction is a quadratic form in the classes of units, whose "
                             "sign is not proved, or an average over several projections: expected one class, or rows="
                             "'orthogonal' with a spike of one direction; precise() has the digits without a proof")
        super().check_proofs_are_there()


class ClassFeatures(SpikedFeatures):
    """Solve :class:`~asympkit.SpikedFeatures` with classes of hidden units, or with orthogonal rows."""

    def __init__(self, functions, readout, case, layer):
        self.functions, self.readout, self.case, self.units_layer = dict(functions), readout, case, layer
        self.rows = "orthogonal" if layer.classes.is_orthogonal else "sphere"
        width = Parameter("width", "number of hidden units; inf for the limit, which is far from any network with "
                          "several classes", "a positive number, or math.inf", None, read=of.read_width)
        self.declared = (*layer.declared, *required(RIDGE), *[FLIPS] * readout.has_flips, width)

    @property
    def layer(self):
        return self.units_layer

    def _make_solver(self):
        return ClassEquations(self.functions, self.readout, self.case, self.layer.classes)

    def regime(self, method, keywords):
        return self

    def variant(self, values):
        return self

    def read(self, parameters):
        """Return the checked parameters, with defaults; the width is a number or inf."""
        shown, count = read_values(self.declared, parameters, self.name), self.layer.classes.count
        if shown.get("width") is None and count > 1:
            raise DomainError(f"width: not given with {count} classes of units; in the limit the mean readouts of the "
                              "classes have no penalty, and fit what no network of a usual width does: expected the "
                              "number of hidden units, or math.inf for the limit all the same")
        if self.layer.classes.is_orthogonal and shown["beta"] > 1.0:
            raise DomainError(f"beta: got {shown['beta']:g} with rows='orthogonal'; there are at most as many "
                              "orthogonal rows as inputs: expected at most 1")
        return {**shown, "width": shown.get("width") or math.inf}

    def read_simulated(self, parameters, d):
        """Return the parameters of a simulation, whose width is its own."""
        shown = self.read({"width": math.inf, **parameters})
        check_units({**shown, "width": None if shown["width"] == math.inf else shown["width"]}, d)
        return shown

    def given(self, parameters):
        """Return the parameters of a call by name; beside a simulation the width is its own by default."""
        found = super().given(parameters)
        if isinstance(found.get("d"), int) and "width" not in found and np.ndim(found.get("beta", 1)) == 0:
            found["width"] = float(round(found["d"] * float(found.get("beta", 1))))
        return found

    def _describe_point(self, values, known):
        return values

    def _check_point(self, shown):
        units, gamma = self.layer.read(shown)
        self._check_teacher(shown, gamma)
        for u, c, _ in units:
            strength, square = math.hypot(*u), float(c)
            self.readout.check_range(self.student, shown["lam"], math.hypot(strength, math.sqrt(square)))
            self.trained.require_second_moment(strength**2 + square)
            if self.case.teacher == NOISELESS and shown["width"] == math.inf:
                check_is_reached(self.readout.task().loss, self.trained, {**shown, "r": strength, "c": square},
                                 self._along(shown))
        self.target.require_second_moment(1.0)

    def _check_teacher(self, shown, gamma):
        is_along = not self.readout.is_half_square and sum(e * e for e in gamma) == 1
        is_noiseless = self.readout.has_flips and shown["noise_variance"] == 0.0
        if is_along is not (self.case.teacher != MIXED) or is_along and is_noiseless is not (
                self.case.teacher == NOISELESS):
            raise DomainError(f"{self._along(shown)} among others; where the target lies along the "
                              "spike the equations differ: give such a point alone")

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        raise NotAvailableError("generate: classes of units have no exported module; one class with rows='sphere' has")

    def derivatives(self, parameter, parameters, point):
        if parameter == "width":
            return {**self.layer.derivatives(parameter, point.shown), "inverse_width": -1.0 / point.shown["width"] ** 2}
        return self.layer.derivatives(parameter, point.shown)


def choose_classes(theory, given):
    """Return the theory of the classes of units that a call gives; None if those of one class hold.

    DomainError for classes whose equations are not known.
    """
    is_odd = theory.student.parity == "odd" and not theory.readout.has_bias
    units = of.merge_equal(of.read_units(given["units"]), is_odd) if "units" in given else ()
    count, rank = max(1, len(units)), len(units[0].u) if units else 1
    if count == rank == 1 and theory.rows != "orthogonal":
        return None
    if theory.rows == "gaussian":
        raise DomainError(f"rows: got 'gaussian' with {count} classes of units and a spike of rank {rank}; what "
                          "fluctuating norms of rows do there is not known: expected rows='sphere' or 'orthogonal', or "
                          "one class with a spike of one direction")
    if theory.readout.is_learned:
        raise DomainError("bias: got 'learned' with classes of units or orthogonal rows, whose bias is fixed: expected "
                          "a number")
    gamma = given.get("gamma", math.nan)
    teacher, direction = MIXED, 1
    is_one_point = rank > 1 or np.ndim(gamma) == 0 and not math.isnan(number(gamma))
    if is_one_point and not theory.readout.is_half_square and sum(e * e for e in of.read_overlap(gamma, rank)) == 1:
        is_noiseless = theory.readout.has_flips and number(given.get("noise_variance", 0.0)) == 0.0
        teacher = NOISELESS if is_noiseless else ALIGNED
        direction = int(math.copysign(1, number(gamma))) if rank == 1 else 1
    layer = of.UnitsLayer(of.UnitClasses(count, rank, theory.rows == "orthogonal"), is_odd)
    case = EquationCase(teacher, direction)
    return theory._once(("classes", count, rank, case), lambda: ClassFeatures(theory.functions, theory.readout, case,
                                                                              layer))


ClassFeatures.simulator = Simulator(simulate, (size("d", "input dimension"),), axes=("alpha", "lam"),
                                    expected=partial(predict, every_loss=True))


# -- starts -----------------------------------------------------------------------------------------------------------

#: nodes in each direction of the spike, by their number, and steps, of an estimate
_NODES, _ESTIMATES = (0, 24, 16, 10), 60


def estimate_responses(student, u, c, share, alpha, beta, lam):
    """Return V and V2 of the square loss to some digits, by plain iteration from above, which is monotone.

    Arrays have a first axis of points: ``u`` (points, classes, directions), c and ``share`` (points, classes), V
    (points, classes, classes), V2 (points, classes).
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


def near_square_loss(classes, student, values):
    """Return responses near those of the square loss, by unknown, of points of parameters by name."""
    x, (u, c, share, _) = of.class_symbols(classes.count, classes.rank), _columns(classes, values)
    V, V2 = estimate_responses(student, u, c, share, *(np.atleast_1d(values[n]) for n in ("alpha", "beta", "lam")))
    found = {e.name: V2[:, a] for a, e in enumerate(x.V2)}
    return found | {e.name: V[:, a, b] for (a, b), e in x.V.items() if not classes.is_orthogonal}


def near_mean_class(classes, solver, functions, values):
    """Return readouts near that of one class with the mean strength and norm, the solver of which is given.

    Opposite spikes are the same for odd students, but for the sign of the mean readout.
    """
    x, (u, c, share, gamma) = of.class_symbols(classes.count, classes.rank), _columns(classes, values)
    length = np.linalg.norm(gamma, axis=-1)
    mean = {**values, "r": (share * np.linalg.norm(u, axis=-1)).sum(axis=-1), "c": (share * c).sum(axis=-1),
            "gamma": length, "tilt": 0.0, "even_parts": 1.0}
    kernel = solver.kernel
    tables, _, _ = kernel.tables(FIRST, [float(np.ravel(mean[n])[0]) for n in kernel.module.TABLE_PARAMETERS],
                                 [functions[n] for n in kernel.module.ACTIVATIONS], ())
    points = [np.broadcast_to(mean[n], length.shape) for n in kernel.module.PARAMETERS]
    at = dict(zip(kernel.module.OUTPUTS, kernel.batch(points, tables)[0]))
    found = {}
    for a in range(classes.count):
        along = np.where((u[:, a] * gamma).sum(axis=-1) < 0.0, -1.0, 1.0)
        found |= {x.m[a].name: share[:, a] * along * at["m"], x.psi[a].name: share[:, a] * at["psi"],
                  x.q2[a].name: share[:, a] * at["q2"]}
        found |= {e.name: share[:, a] * at["theta"] * gamma[:, k] / np.maximum(length, 1e-300)
                  for k, e in enumerate(x.theta[a])}
        found |= {x.Q[a, a].name: share[:, a] * at["q1"]} if "q1" in at else {}
    return {n: np.where(np.isfinite(v), v, 1.0) for n, v in found.items()}


def _columns(classes, values):
    """Return strengths, norms, shares and overlaps of points, classes along the second axis."""
    x, shape = of.class_symbols(classes.count, classes.rank), np.broadcast_shapes((1,), *map(np.shape, values.values()))

    def stacked(of):
        return np.stack([np.broadcast_to(values[e.name] if e.is_Symbol else 1.0, shape) for e in of], axis=-1)

    return np.stack([stacked(of) for of in x.u], axis=-2), stacked(x.c), stacked(x.share), stacked(x.gammas)


def far_starts(classes):
    """Return starts for all points, the usual one first."""
    x, found = of.class_symbols(classes.count, classes.rank), []
    for V, Q in ((1.0, 1.0), (10.0, 3.0), (0.1, 0.3), (100.0, 30.0)):
        start = {e.name: of for es, of in ((x.V2, V), (x.q2, Q), (x.m, 0.5), (x.psi, 0.1)) for e in es}
        start |= {t.name: 1.0 for theta in x.theta for t in theta}
        start |= {e.name: of if e.is_positive else 0.0 for es, of in ((x.V, V), (x.Q, 2 * Q)) for e in es.values()}
        found.append(start)
    return found
