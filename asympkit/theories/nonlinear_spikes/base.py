"""The common part of the two theories of nonlinear spikes, and the theory of spikes of finite strength."""

from __future__ import annotations

import math
import numbers as python_numbers
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...arguments import check_value
from ...errors import AssumptionWarning, ConvergenceError, DomainError, NotAvailableError, ProofError
from ...once import computed_once
from ...solve.kernel import Kernel
from ..declaration import Assumption, Parameter, Penalty, read_values
from ..declared import Point
from ..model import StudentTargetModel
from ..ridge import Ridgeless
from .equations import FINITE_TOP, finite_program, finite_system
from .moments import finite_numbers, float_moments, moments_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from sympy import Symbol

    from ...activations import Activation
    from ...annotations import FloatsMean
    from ...certify.solutions import CertifiedSolution
    from ...equations.system import System
    from ...program.names import Names
    from ...program.statements import Program
    from ...sensitivity.run import Tangent
    from ..declared import S

#: change of a hidden unit's argument, in standard deviations, beyond which the expansion in spikes does not hold
_LARGE = 1.0
#: relative change of an error by the last two degrees above which a warning is given
_UNSETTLED = 0.01
#: a mean below this part of the norm is rounding left by a user who subtracted the mean in decimals
_NO_MEAN = 1e-9


def whole_degree(top: int) -> Callable[[Any], int]:
    """Return a function that reads a degree from 0 to ``top``."""
    def read(value):
        whole = isinstance(value, python_numbers.Real | str) and not isinstance(value, bool)
        number = check_value("degree", value, "real") if whole else -1.0
        if number != int(number) or not 0 <= number <= top:
            raise DomainError(f"degree: got {value!r}; expected an integer from 0 to {top}")
        return int(number)

    return read


#: parameters of the ridge regression
RIDGE = (Parameter("phi", "dimension over samples", "positive"), Parameter("psi", "dimension over width", "positive"),
         Penalty("lam", "penalty on the readout", "positive"),
         Parameter("noise_variance", "variance of the label noise of both steps", "nonnegative", 0.0))


#: powers of the penalty that quantities scale with, with fewer samples than features and with more
_FEWER = dict.fromkeys(("train_error", "baseline_train", "train_gap"), 1)
_MORE = {"m1": -1, "m2": -1, "dm1": -2, "dm2": -2}


def _excess(values, point):
    return 1.0 / values["phi"] - 1.0 / values["psi"]


def _excess_of_linear(values, point):
    excess = 1.0 / values["phi"] - np.minimum(1.0, 1.0 / values["psi"])
    return np.where(excess > 0.0, np.nan, excess)


class SpikeModel(StudentTargetModel):
    """Base class of the limit of diverging spikes and of the finite step size.

    Subclasses define ``declared`` parameters, ``steps`` (those of the step), ``default_degree``, ``top`` (the highest
    degree), and ``numbers`` (from moments to the parameters of the program).
    """

    steps: tuple[str, ...] = ()
    offers: tuple[str, ...] = ("degrees",)

    @property
    def table_names(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return ``degree``, and the names of the parameters that follow from it and the moments of the activations."""
        return ("degree", *self.followers)

    @property
    def followers(self) -> tuple[str, ...]:
        """Return the parameters of the program that follow from the degree and the moments of the activations."""
        typed = {p.name for p in self.declared}
        return tuple(name for name in self.kernel.module.PARAMETERS if name not in typed)

    # -- activations -------------------------------------------------------------------------------

    @computed_once
    def moments(self) -> dict[str, Any]:
        """Return the moments of student and target in double precision, by label."""
        from ...generated.nonlinear_spikes import kernel as nonlinear_spikes

        return {label: float_moments(f, nonlinear_spikes) for label, f in self.functions.items()}

    def degrees(self, degree: int) -> tuple[int, ...]:
        """Return the degrees up to a given one whose spike exists: none without a linear part."""
        c = self.moments["student"].coefficients
        return tuple(k for k in range(1, degree + 1) if c[k] != 0.0) if c[1] != 0.0 else ()

    def _assumptions(self, degree):
        """Return the violated assumptions of the paper as texts, with what was done instead."""
        found = self._mean_assumptions()
        c, name = self.moments["student"].coefficients, self.functions["student"].name
        if degree > 0 and self.functions["student"].jumps:
            found.append(f"student {name!r} has jumps, where arXiv 2310.07891 assumes a derivative: the gradient step "
                         "of a network does not see them, so that c_1 is not the mean of its slopes; the equations "
                         "were solved with the Hermite coefficients, and do not describe such a network")
        if c[1] == 0.0 and degree > 0:
            found.append(f"student {name!r} has no linear part (c_1 = 0), as arXiv 2310.07891 assumes it to have: the "
                         "gradient has no spike, and the gaps are 0")
        elif missing := [k for k in range(2, degree + 1) if c[k] == 0.0]:
            several = "s" if len(missing) > 1 else ""
            found.append(f"student {name!r} has no spike of degree{several} {', '.join(map(str, missing))} (its "
                         f"Hermite coefficient{several} vanish{'' if several else 'es'}), where arXiv 2310.07891 "
                         f"assumes c_1, ..., c_{degree} not to vanish: only the other degrees were used")
        return tuple(found)

    def _mean_assumptions(self):
        """Return warnings about means that the theory does not cover and that were subtracted."""
        found = []
        for label, free in (("student", self.flags["free"] and not self.flags["kept"]), ("target", False)):
            mean = self.moments[label].coefficients[0]
            if self._has_mean(label) and not free:
                found.append(f"{label} {self.functions[label].name!r} has the mean {mean:.6g}, where arXiv 2310.07891 "
                             f"assumes E[{label}(z)] = 0: the mean was subtracted")
        return found

    def _has_mean(self, label):
        m = self.moments[label]
        return abs(m.coefficients[0]) > _NO_MEAN * (m.coefficients[1] ** 2 + m.rest) ** 0.5

    def _length(self, phi, noise_variance):
        """Return the limit of ``|beta|**2``, the squared norm of the direction of the gradient step."""
        student, target = self.moments["student"], self.moments["target"]
        linear, signal = student.coefficients[1] ** 2, target.coefficients[1] ** 2
        length = signal + phi * (signal + target.rest + noise_variance)
        return length + self.flags["kept"] * (linear + phi * (linear + student.rest))

    def _width(self, n, phi, psi):
        """Return the number of hidden units for n samples."""
        width = n * phi / psi
        if not 0.0 < width < math.inf:
            raise DomainError(f"n: got {n:g}; n*phi/psi = {width:g} hidden units are beyond double precision")
        return width

    @computed_once
    def limit(self) -> Ridgeless:     # that of the functions
        """Return the limit without a penalty; a nonlinear student has as many independent features as units."""
        student = self.moments["student"]
        size, is_linear = student.coefficients[1] ** 2 + student.rest, student.rest == 0.0
        name = self.functions["student"].name
        return Ridgeless(_excess_of_linear if is_linear else _excess, _FEWER, _MORE,
                         size if 0.0 < size < math.inf else 1.0, None,
                         f"the linear student {name!r} and more samples than independent features")

    # -- solutions ---------------------------------------------------------------------------------

    def accept_solution(self, method: str, solution: S) -> S:
        """Return the physical root, max(0, 1 - phi/psi) < lam*psi/phi*m1 < 1, or raise; :meth:`certify` proves it."""
        if method == "solve" and solution.parameters["lam"] > 0.0:
            at = solution.parameters
            low, part = max(0.0, 1.0 - at["phi"] / at["psi"]), at["lam"] * at["psi"] / at["phi"] * solution["m1"]
            if not low * (1.0 - 1e-12) <= part <= 1.0 + 1e-12:
                raise ConvergenceError(f"solve: lam*psi/phi*m1 = {part:.6g} lies outside ({low:.6g}, 1): this is not "
                                       "the physical root", solution)
        return solution

    def accept_proof(self, solution: CertifiedSolution, parameters: Mapping[str, Any],
                       floats: FloatsMean) -> CertifiedSolution:
        """Isolate all roots of the quartic equation of m1, and prove that exactly one is physical."""
        from .quartic import with_roots

        return with_roots(solution, self, parameters, floats)

    @property
    def quantities(self) -> tuple[str, ...]:
        """Return the quantities that can be differentiated and minimised."""
        return (*self.kernel.module.OBSERVABLES, "m1", "m2")

    # -- points ------------------------------------------------------------------------------------

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        point = self._anywhere(parameters)
        self._refuse_undecided(point.shown["degree"])
        return point

    def rough_point(self, parameters: Mapping[str, Any]) -> Point:
        point = self._anywhere(parameters)
        self.warn(point.assumptions)
        return point

    def _refuse_undecided(self, degree):
        for label, top in (("student", degree), ("target", 1)):
            found = [k for k in self.moments[label].undecided if k <= top]
            if found:
                raise DomainError(f"{label}: the Hermite coefficient of degree {found[0]} of "
                                  f"{self.functions[label].name!r} is below the range of double precision, or below "
                                  "1e-45 of its norm and not proved to be zero; whether there is a spike depends on "
                                  "it: certify() may decide, or give a function for which this can be decided")

    def _anywhere(self, parameters):
        """Return a point, whether or not double precision decides which spikes exist."""
        given = {k: v for k, v in parameters.items() if k != "degree" or v is not None}
        values = read_values(self.declared, given, self.name)
        degree = values.pop("degree", self.default_degree)
        shown = {n: values[n] for n in ("phi", "psi", "lam", "noise_variance", *self.steps)}
        student = self.moments["student"]
        is_empty = self._has_no_target() and shown["noise_variance"] == 0.0 and not self.flags["kept"]
        if is_empty and (degree or student.coefficients[1] == 0.0 and student.rest == 0.0):
            raise DomainError(f"target: {self.functions['target'].name!r} is zero without its mean and there is no "
                              "noise: the gradient vanishes; give a target or a noise_variance > 0")
        numbers = self._numbers(degree)
        values = {**shown, **numbers}
        assumptions = self._assumptions(degree if "degree" in given or not self.steps else 1)
        return self.substitute_limit(Point(tuple(values[n] for n in self.kernel.module.PARAMETERS), (), (),
                                 {**shown, "degree": degree}, assumptions))

    def _has_no_target(self):
        target = self.moments["target"]
        return target.coefficients[1] == 0.0 and target.rest == 0.0

    def _degree(self, given):
        value = given.get("degree")
        return self.default_degree if value is None else whole_degree(self.top)(value)

    def _numbers(self, degree):
        if degree not in self._known_numbers:
            self._known_numbers[degree] = self._program_numbers(
                self.moments["student"], self.moments["target"], self.degrees(degree), float)
        return self._known_numbers[degree]

    def _program_numbers(self, student, target, degrees, number):
        found = self.numbers(student, target, degrees, number, **self.flags)
        # without a spike nothing depends on the direction of the gradient, but its length must not be 0
        if not degrees and self._has_no_target():
            found["kept"] = number(1)
        return found

    @computed_once
    def _known_numbers(self):
        return {}

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        degree = self._degree({k: v for k, v in parameters.items() if v is not None})
        student, target = (moments_of(f, numbers, self.moments[label]) for label, f in self.functions.items())
        given = {"noise_variance": 0, **parameters}
        found = {n: numbers.number(given[n]) for n in ("phi", "psi", "lam", "noise_variance", *self.steps)}
        degrees = self._proved_degrees(degree, student) if numbers.encloses else self.degrees(degree)
        found |= self._program_numbers(student, target, degrees, numbers.number)
        return {s: found[s.name] for s in self.program[0].parameters}

    def _proved_degrees(self, degree, student):
        """Return the degrees whose spike is proved to exist, from balls in which those of all others are exactly 0."""
        present = []
        for k in range(1, degree + 1):
            c = student.coefficients[k]
            if c.is_zero():
                if k == 1:
                    return ()
            elif c.contains(0):
                raise ProofError(f"certify: the Hermite coefficient c_{k} of the student "
                                 f"{self.functions['student'].name!r} is proved neither to vanish nor not to "
                                 f"({c.str(3)}), and the spike of degree {k} stands or falls with it; ask for more "
                                 "digits, or for a lower degree")
            else:
                present.append(k)
        return tuple(present)


class FiniteStep(SpikeModel):
    r"""Solve the theory at given ``eta`` and ``n``; created and used by :class:`~asympkit.NonlinearSpikes`.

    The spikes :math:`c_1^kc_k\eta^k(\tilde X\beta)^{\circ k}(a^{\circ k})^\top`, :math:`k\le8`, are added to the
    untrained features as they are.  The series over k is asymptotic; the change by its last two degrees is the
    ``error_estimate`` of the solution.  The gaps of the real network are larger by a share that falls like 1/n at fixed
    :math:`\eta` (of the training gap 23 % at n = 500, 12 % at 1000 in a paired simulation), because the rest of the
    step, beyond the spikes, is left out here.

    The spikes are the Taylor series of :math:`\sigma(w_i^\top x+\eta c_1(\beta^\top x)a_i)` in the step, of which
    :math:`\eta|c_1||\beta|/\sqrt N` is the size: if it is not below 1 a warning is issued (in the limit
    :math:`\alpha\ge1/2` raises an error).
    """

    declared = (*RIDGE, Parameter("eta", "step size", "nonnegative"), Parameter("n", "number of samples", "positive"),
                Parameter("degree", "highest degree of the spikes", f"an integer from 0 to {FINITE_TOP}", None,
                          read=whole_degree(FINITE_TOP)))
    steps = ("eta", "n")
    default_degree = top = FINITE_TOP
    numbers = staticmethod(finite_numbers)

    def __init__(self, functions: dict[str, Activation], flags: dict[str, int], name: str) -> None:
        self.functions, self.flags = functions, flags
        self.name = f"{name}, finite step size"

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        """Raise: the numbers of a module follow from moments and degrees, which only the package computes."""
        raise NotAvailableError("generate: the theory at a finite step size cannot be exported as a module; export the "
                                "limit (NonlinearSpikes.generate), or sweep over eta and n and keep the file")

    @property
    def system(self) -> System:
        """Return the equations with their structure."""
        return finite_system()

    @property
    def program(self) -> tuple[Program, Names]:
        return finite_program()

    @property
    def kernel(self) -> Kernel:
        from ...generated.nonlinear_spikes import finite as nonlinear_spikes_finite
        return Kernel(nonlinear_spikes_finite)

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the assumptions of the expansion in spikes."""
        return (Assumption(lambda at: not self._size(at) > _LARGE or not self.degrees(int(at["degree"])),
                           lambda at: f"eta = {at['eta']:g} is large at n = {at['n']:g}: the step moves the argument "
                           f"of a hidden unit by eta*|c_1|*|beta|/sqrt(N) = {self._size(at):.3g}, where the expansion "
                           "in spikes needs it to be small", ("eta", lambda at: at["eta"])),)

    def _size(self, at):
        width = self._width(at["n"], at["phi"], at["psi"])
        return at["eta"] * abs(self.moments["student"].coefficients[1]) * (
            self._length(at["phi"], at["noise_variance"]) / width) ** 0.5

    def _anywhere(self, parameters):
        p = super()._anywhere(parameters)
        self._size(p.shown)                 # raises for sizes beyond double precision
        return p._replace(assumptions=(*p.assumptions, *self.broken(p.shown)))

    def accept_solution(self, method: str, solution: S) -> S:
        solution = super().accept_solution(method, solution)
        if method != "solve":
            return solution
        parameters = solution.parameters
        used = self.degrees(int(solution.parameters["degree"]))
        if not used or max(used) < FINITE_TOP - 1:
            return solution
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssumptionWarning)
            fewer = self.solve(parameters={**parameters, "degree": FINITE_TOP - 2})
        errors = [n for n in ("train_error", "test_error") if fewer[n]]         # without a penalty one may vanish
        change = max(abs(fewer[n] / solution[n] - 1.0) for n in errors)
        assumptions = solution.assumptions
        if change > _UNSETTLED:
            text = (f"eta = {solution.parameters['eta']:g} is large at n = {solution.parameters['n']:g}: the spikes of "
                    f"degrees {FINITE_TOP - 1} and {FINITE_TOP} still change the errors by {100 * change:.2g} %, and "
                    "higher ones, which are left out, would too")
            self.warn([text])
            assumptions = (*assumptions, text)
        return replace(solution, error_estimate=max(change, solution.error_estimate), assumptions=assumptions)

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        raise DomainError(f"{self.name}: derivatives are available for diverging spikes only (eta=None, n=None); at a "
                          f"finite step size take differences of solve(), or a sweep over {parameter}")
