"""The spike and the bulk that one large gradient step makes, over an isotropic bulk (Result 3.1) or the exact one."""

import math

import numpy as np

from ...errors import DomainError, LostDigitsError
from ...once import Deferred, computed_once
from ..declaration import Assumption
from . import ARGUMENTS, REGRESSION, SIGN

_number_systems = Deferred("asympkit.multiprecision.number_systems")
_lowered = Deferred("asympkit.theories.lowered")
_bulk = Deferred("asympkit.theories.one_step.bulk")
_parameters = Deferred("asympkit.theories.one_step.parameters")
_equations = Deferred("asympkit.theories.spiked_features.equations")
_derived = Deferred("asympkit.theories.derived")

#: part of the size of a function below which its linear part may be rounding
_DOUBT = 1e-9
#: sixteen rounding errors
_ROUNDING = 16 * np.finfo(float).eps


class StepLayer:
    """Map the parameters of a gradient step to those of the equations; ``labels`` are those of the first batch."""

    smooth = ("eta", "alpha0")
    #: the parameter that puts the target along the spike
    along = "alpha0"

    def __init__(self, functions, labels, declared):
        self.functions, self.labels = functions, labels
        self.names = (*ARGUMENTS, "flip") if labels == SIGN else ARGUMENTS
        self.student, self.target = functions.get("student"), functions.get("target")       # the equations need none
        self.defaults = {p.name: p.default for p in declared if p.name in self.names}
        #: the last step and its parameters
        self._steps = {}

    def bulk(self, has_width):
        """Return the averages over the bulk."""
        return _equations.isotropic(has_width)

    def step_parameters(self, values):
        """Return r, c, gamma and rho in double precision, by the generated form of the declared map."""
        at = tuple(values[n] for n in self.names)
        if at not in self._steps:                 # a curve uses one step many times
            self._steps = {at: self._step(at)}
        return self._steps[at]

    def floats(self, shown, parameters, digits=0):
        """Return the quantities of the layer that the equations need in double precision, by name."""
        try:
            step = self.step_parameters(shown)
        except LostDigitsError:
            if not digits:
                raise
            step = self._rounded_step(parameters, digits)
        found, width = dict(zip(("r", "c", "gamma", "rho"), step)), shown.get("width", math.inf)
        return {**found, "inverse_width": 1.0 / width, "tilt": self.tilt(shown) if width < math.inf else 0.0}

    def tilt(self, shown):
        """Return the tilt of the spike by the initial output, against the mean row; without a step it is 0."""
        require_slope(self.target)
        at = {n: shown[n] for n in self.names}
        return _parameters.isotropic_map(self.labels, True).floats(at, self.functions, self.settled)[0]["tilt"]

    def given(self, parameters):
        """Return the given parameters of the step, with defaults."""
        return {n: parameters.get(n, default) for n, default in self.defaults.items()}

    def numbers(self, parameters, numbers, has_width):
        """Return the quantities of the layer that the equations need in a number system, by symbol."""
        s, mapping = _equations.symbols(), _parameters.isotropic_map(self.labels, has_width)
        found = mapping.numbers(self.given(parameters), numbers, self.functions)
        width = {s.inverse_width: 1 / numbers.number(parameters["width"])} if has_width else {}
        return {**{getattr(s, n): v for n, v in found.items()}, **width}

    def derivatives(self, parameter, shown):
        """Return the derivatives of the parameters of the equations by one of the theory, by name."""
        rates = {} if parameter in self.smooth else {parameter: 1.0}
        if parameter not in self.names:
            return rates
        if parameter == "alpha0" and math.isinf(shown["alpha0"]):
            raise DomainError("alpha0: got inf; a derivative by alpha0 needs a finite number")
        mapping = _parameters.isotropic_map(self.labels, shown.get("width", math.inf) < math.inf)
        is_aligned = self.step_parameters(shown)[3] == 0.0
        # a target without a linear part is across the spike, whatever the step
        fixed = ("gamma", "rho") if self.settled.get("t1") == 0.0 else ()
        moved = mapping.derivatives(parameter, shown, self.functions, self.settled, fixed)
        # derivatives that are 0 are left out at rho = 0, because they would be multiplied by 1/rho
        if is_aligned and not moved["gamma"] and not moved["rho"]:
            del moved["gamma"], moved["rho"]
        return {**rates, **moved}

    def describe_point(self, shown, known):
        """Return the parameters of a solution, with the quantities that the layer makes of them."""
        return {**shown, **{n: known[n] for n in ("r", "c", "gamma")}}

    def describe(self, shown):
        """Return the description of the layer for the simulator of spiked features."""
        return dict(zip(("r", "c", "gamma"), self.step_parameters(shown)))

    # -- double precision -------------------------------------------------------------------------

    def _step(self, at):
        if self.student.jumps and makes_step(dict(zip(self.names, at))):
            self._require_moments()
            raise DomainError(f"student: {self.student.name!r} jumps at z = {self.student.jumps[0][0]}; a gradient "
                              "step needs a finite E[student'(z)^2] (eta=0 needs no step)")
        step, case, parts = self._evaluated(at)
        if self._settle(parts, at[1]):
            step, case, parts = self._evaluated(at)
        if case < 0 and step[0] == 0.0 and parts["h1"] != 0.0:
            raise LostDigitsError(f"eta: got {at[0]!r}; the spike that it makes is below the smallest float, and its "
                                  "limit differs from no step: expected a larger step, or use precise()")
        r, c, gamma, rho = step
        is_undecided = self._decide_parts.get("t1", 0.0) is None
        if is_undecided and not math.isinf(at[1]) and abs(gamma) <= _ROUNDING * math.sqrt(at[1]) * rho:
            return r, c, 0.0, 1.0       # the effect of an overlap that may be 0 is below rounding
        return step

    def _evaluated(self, at):
        """Return the step, the case that held (-1 in general), and the linear parts of student and target."""
        *step, case, parts, error = self._mapped(at)
        if not math.isfinite(step[0] * step[1]) or error > 1e-12:
            self._require_moments()
            raise LostDigitsError(f"student: the moments of {self.student.name!r} or {self.target.name!r} could not be "
                                  "computed in double precision; use precise()")
        return tuple(step), case, dict(zip(_written().one_step_parameters_DECISIVE, parts))

    def _mapped(self, at):
        """Return the step, the case that held, the decisive parts, and the error of the means."""
        if self.labels == SIGN:
            return self._mapped_signs(at)
        with np.errstate(invalid="ignore"):
            return _written().one_step_parameters(*at, self.student, self.target, self.settled, self._kept_means)

    def _kept_means(self, student, target, given):
        """Return the numbers of the step that depend on no parameter, computed once for each proof."""
        known = tuple(given.items())
        if known not in self._means:
            self._means[known] = _written().one_step_parameters_means(student, target, given)
        return self._means[known]

    @computed_once
    def _means(self):
        return {}

    def _mapped_signs(self, at):
        found, error = _parameters.step_map(SIGN).floats(dict(zip(self.names, at)), self.functions, self.settled)
        if math.isinf(at[1]) and found["gamma"]:        # the overlap is exact, and not the quotient of roundings
            found |= {"gamma": math.copysign(1.0, found["gamma"]), "rho": 0.0}
        h1 = self.settled.get("h1", self._linear_part)
        has_spike = at[0] and at[1] and not (math.isinf(at[1]) and dict(zip(self.names, at))["flip"] == 0.5)
        return *(found[n] for n in ("r", "c", "gamma", "rho")), -1 if has_spike else 0, (h1, 1.0), error

    @computed_once
    def _linear_part(self):
        return float(self.student.hermite_coefficients(1)[1])

    def _settle(self, parts, alpha0):
        """Decide whether tiny linear parts are 0, and return whether any was decided.

        Only a proof makes one 0, because the limit of a vanishing linear part differs from the value at 0."""
        decisive, known = _written().one_step_parameters_DECISIVE, len(self.settled)
        for name, value in parts.items():
            label, degree = decisive[name]
            f = self.functions[label]
            # the bound of the size is cheap: test it first
            if name in self.settled or abs(value) > _DOUBT * f.bound or abs(value) > _DOUBT * f.size:
                continue
            if name not in self._decide_parts:
                self._decide_parts[name] = _derived.decide_coefficient(f, degree, f.size)
            if self._decide_parts[name] is not None:
                self.settled[name] = self._decide_parts[name]
            elif label == "student" or math.isinf(alpha0):      # noise in the gradient leaves nothing to decide
                raise DomainError(f"{label}: got {f.name!r}, whose linear part E[z*f(z)] is below 1e-45 of its size or "
                                  "cannot be computed, and is not proved to be zero; whether there is a spike depends "
                                  "on it: expected a function for which this can be decided")
        return len(self.settled) > known

    @computed_once
    def settled(self):
        """Return the linear parts that double precision cannot distinguish from 0, by name."""
        return {}

    @computed_once
    def _decide_parts(self):
        """Return the decisions on these linear parts, None if undecided."""
        return {}

    def _require_moments(self):
        self.student.require_second_moment(1.0)
        self.target.require_second_moment(1.0)
        self.student.derivative.require_second_moment(1.0)

    @computed_once
    def looks_odd(self):
        """Return whether the student is odd on some points, to rounding."""
        if self.student.form_parity:
            return self.student.form_parity == -1 or bool(np.all(self.student(np.linspace(0.05, 6.0, 40)) == 0.0))
        x = np.linspace(0.05, 6.0, 40)
        size = np.abs(self.student(x))
        return bool(np.max(np.abs(self.student(x) + self.student(-x))) <= 1e-12 * np.max(size))

    def _rounded_step(self, parameters, digits):
        """Return the result of :meth:`step_parameters`, rounded from multiprecision numbers."""
        numbers, mapping = _number_systems.MultiprecisionNumbers(digits), _parameters.step_map(self.labels)
        found = mapping.numbers(self.given(parameters), numbers, self.functions)
        return tuple(_lowered.round_to_float(found[n]) for n in ("r", "c", "gamma", "rho"))

    def proved_parts(self):
        """Return the linear parts that double precision cannot distinguish from 0, by name: 0 if that is proved.

        DomainError if that of the student is undecided.
        """
        if not self.student.jumps:
            _, _, parts = self._evaluated((1.0, 1.0, 1.0, *[0.0] * (len(self.names) - 3)))
            self._settle(parts, 1.0)
        return dict(self.settled)


class ExactLayer:
    """Give the numbers of the bulk that a real step makes, in the limit or at a width."""

    smooth, along = StepLayer.smooth, StepLayer.along

    def __init__(self, step):
        self.step, self.names = step, step.names
        self.describe, self.describe_point = step.describe, step.describe_point
        self._last = {}

    @property
    def is_odd(self):
        """Return whether the equations of odd students hold: by a proof, not on points."""
        return self.step.student.parity == "odd"

    @computed_once
    def map(self):
        """Return the map from the parameters of the step to the numbers of the bulk."""
        return _parameters.exact_map(self.is_odd, self.step.labels)

    def bulk(self, has_width):
        """Return the averages over the bulk."""
        found = _bulk.exact_bulk(self.is_odd, self.step.labels)
        return found if has_width else found.limit()

    @computed_once
    def assumptions(self):
        """Return the assumptions of the theory of the real network."""
        if self.step.labels != REGRESSION:
            return ()
        return (Assumption(lambda v: v["noise_variance"] == 0.0 or self.is_odd or v["eta"] == 0.0,
                           lambda v: "label noise in the first batch of a student that is not odd: the equations are "
                           "those without noise with noisy labels in all averages, and were not compared with "
                           "networks"),)

    def floats(self, shown, parameters, digits=0):
        """Return the quantities of the layer that the equations need in double precision, by name."""
        step = self.step.floats({n: shown[n] for n in self.names}, parameters, digits)
        return {**step, **self._of_bulk({**shown, **step})}

    def _of_bulk(self, shown):
        student, target, width = self.step.student, self.step.target, shown.get("width", math.inf)
        if width < math.inf:
            require_slope(target)
        if student.parity == "even":
            raise DomainError(f"width: student {student.name!r} is even; units without a linear part depend on "
                              "the bulk by the mean norm of its rows alone, and at a width by its covariance, which "
                              "bulk='exact' lacks for them: expected no width, or bulk='isotropic'")
        if not self.is_odd and shown["eta"] > 0.0 and math.isinf(shown["alpha0"]) and shown["gamma"] == 0.0:
            raise DomainError(f"alpha0: got inf, where the gradient of {target.name!r}, which has no linear part, "
                              f"has no direction; with bulk='exact' student {student.name!r}, which is not odd, "
                              "needs one: expected a finite alpha0, or bulk='isotropic'")
        key = tuple(shown[n] for n in self.names)
        if key not in self._last:                 # a curve uses one step many times
            found, error = self.map.floats(dict(zip(self.names, key)), self.step.functions, self.step.settled)
            if not error <= 1e-12:
                raise LostDigitsError(f"student: the moments of {student.name!r} or {target.name!r} could "
                                      "not be computed in double precision; use precise()")
            if not all(map(math.isfinite, found.values())):
                raise DomainError(f"target: got {target.name!r}, which gives the gradient of "
                                  f"{student.name!r} no direction; bulk='exact' needs one: expected another "
                                  "target, label noise, or bulk='isotropic'")
            self._last = {key: found}
        of_step = ("r", "c", "gamma", "rho")
        return {**{n: v for n, v in self._last[key].items() if n not in of_step}, "inverse_width": 1.0 / width}

    def numbers(self, parameters, numbers, has_width):
        """Return the same in a number system, by symbol."""
        s, width = _bulk.symbols(), parameters.get("width")
        found = self.map.numbers(self.step.given(parameters), numbers, self.step.functions)
        is_finite = width is not None and width != math.inf
        inverse = 1 / numbers.number(width) if is_finite else numbers.number(0)
        # without a step any direction is one of the spike: the same as in doubles
        return {s.inverse_width: inverse, **{getattr(s, n): v for n, v in found.items()},
                **self.step.numbers(parameters, numbers, False)}

    def derivatives(self, parameter, shown):
        """Return the derivatives of the parameters of the equations by one of the theory, by name."""
        limit = {n: v for n, v in shown.items() if n != "width"}
        rates = self.step.derivatives(parameter, limit)
        if parameter not in self.names:
            return rates
        of_step = ("r", "c", "gamma", "rho")
        moved = self.map.derivatives(parameter, limit, self.step.functions, self.step.settled, of_step)
        return rates | {n: v for n, v in moved.items() if n not in of_step}


def _written():
    """Return the module with the step as code."""
    from ...generated.spiked_features import kernel

    return kernel


def makes_step(values):
    return values["eta"] > 0.0 and values["alpha0"] > 0.0


def require_slope(target):
    """Raise for a target that jumps: its mean slope, which the tilt needs, contains a point mass."""
    if target.jumps:
        raise DomainError(f"target: got {target.name!r}, which jumps at {target.jumps[0][0]}; with a width a gradient "
                          "step needs a target without jumps: leave out the width, or smooth the target")
