"""``ak.OneStep``: a two-layer network after one large gradient step, square loss (arXiv 2402.04980)."""

import math
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..activations.kept import kept
from ..errors import DomainError
from .declaration import Assumption, Parameter, broken, read_values
from .domains import check_value
from .simulator import Simulator, choice, size
from .spiked_features import LARGE_NORM_CHANGE, RIDGE, SpikedFeatures, common_precise, simulated_grid
from .spiked_width import width_notes

#: part of the size of functions below which a linear part is in doubt
_DOUBT = 1e-9
#: sixteen roundings
_ROUNDING = 16 * np.finfo(float).eps


class OneStep(SpikedFeatures):
    r"""Learning after one gradient step of size :math:`\tilde\eta d` on the first layer.

    The network :math:`\hat y(x)=\frac1{\sqrt p}a\cdot\sigma(Wx)` starts from rows of :math:`W_0` uniform on
    the unit sphere and the uniform readout; its first layer makes one step on :math:`n_0` samples, then
    its readout is fitted by ridge regression on n fresh samples with penalty :math:`\lambda|w|^2`.
    :math:`\alpha_0=n_0/d`, :math:`\alpha=n/d`, :math:`\beta=p/d`.

    Parameters
    ----------
    student, target : str, sympy.Expr or Activation
    loss : {"square"}
    labels : {"regression"}

    Notes
    -----
    Result 3.1 maps the step to spiked features with an isotropic bulk; for the real network this is
    an approximation unless :math:`c-1` is small.  ``eta=0`` and ``alpha0=0`` mean no step;
    ``alpha0=math.inf`` is the population gradient.  :math:`\tilde\eta\to0^+` is a different limit from
    ``eta=0``: the mean of the readout is not penalised.

    Examples
    --------
    >>> import asympkit as ak
    >>> t = ak.OneStep("tanh", "tanh")
    >>> round(t.solve(eta=1, alpha0=0.5, alpha=2, lam=0.01).test_error, 12)
    0.174661944524
    """

    name = "one step"
    declared = (Parameter("eta", "learning rate of the first step, in units of d", "nonnegative"),
                Parameter("alpha0", "samples of the first step over d; inf for the population gradient",
                          "nonnegative or inf"), *RIDGE)
    table_names = ("eta", "alpha0", "beta", "noise_variance")

    @cached_property
    def grants(self):
        """Section 7 of the theory: the isotropic bulk is an idealisation, within 2 % for c - 1 <= 0.02."""
        from ..comparison import Grant

        return tuple(Grant(name, 0.02, "the bulk of the trained weights is idealised as isotropic")
                     for name in ("test_error", "clean_error", "train_error", "objective"))

    def parameters_at(self, *, eta, alpha0, beta=1, noise_variance=0):
        """Spike strength, overlap and row norm after the step (Result 3.1).

        Parameters
        ----------
        eta : float
            Learning rate in units of d.
        alpha0 : float
            First-batch samples per dimension; ``math.inf`` for the population gradient.
        beta, noise_variance : float

        Returns
        -------
        dict
            ``r``, ``gamma``, ``c``.
        """
        r, c, gamma, _ = self._step_parameters(check_value("eta", eta, "nonnegative"),
                                               check_value("alpha0", alpha0, "nonnegative or inf"),
                                               check_value("beta", beta, "positive"),
                                               check_value("noise_variance", noise_variance, "nonnegative"))
        return {"r": r, "gamma": gamma, "c": c}

    def _step_parameters(self, eta, alpha0, beta, noise, loops=False):
        if eta == 0.0 or alpha0 == 0.0:
            return 0.0, 1.0, 0.0, 1.0
        key = (eta, alpha0, beta, noise, loops)
        if key not in self._steps:                 # a curve asks for one step many times
            self._steps = {key: self._step(eta, 0.0 if math.isinf(alpha0) else 1.0 / alpha0, beta, noise, loops)}
        return self._steps[key]

    #: the last step and its parameters
    _steps = {}

    def _step(self, eta, overload, beta, noise, loops):
        if self.student.jumps:
            self._require_moments()
            raise DomainError(f"student: {self.student.name!r} jumps at z = {self.student.jumps[0][0]}; a gradient "
                              "step needs a finite E[student'(z)^2] (eta=0 needs no step)")
        kernel = self.kernel
        with np.errstate(invalid="ignore"), kernel.calling(loops):
            r, c, gamma, rho, error = kernel.module.one_step_parameters(
                eta, overload, beta, noise, self.student, self.target, loops)
        if not math.isfinite(r * c) or error > 1e-12:
            self._require_moments()
            raise DomainError(f"student: the moments of {self.student.name!r} or {self.target.name!r} could not be "
                              "computed in double precision; use precise()")
        if overload > 0.0 and abs(gamma) * math.sqrt(overload) <= _ROUNDING * rho:
            gamma, rho = 0.0, 1.0           # there is no limit to distinguish: the overlap is below rounding

        def doubt(student, target):
            """The spike of functions of these sizes below which it may be the rounding of none."""
            return _DOUBT * eta / beta * student * (target * math.sqrt(1.0 + overload) + math.sqrt(noise * overload))

        # no size is above its bound, which costs nothing
        is_small = not abs(r) > doubt(self.student.bound, self.target.bound) \
            and abs(r) <= doubt(self.student.size, self.target.size)
        if is_small and not math.isnan(gamma):
            if overload == 0.0 and not self._has_linear_part("target"):
                return 0.0, c, 0.0, 1.0
            if not self._has_linear_part("student"):
                r = 0.0
            elif r == 0.0:
                raise DomainError(f"eta: got {eta!r}; the spike that it makes is below the smallest float, and is "
                                  "another limit than none: expected a larger step, or use precise()")
        if math.isnan(gamma):          # no linear part and no noise in the gradient: no spike at all
            return 0.0, c, 0.0, 1.0
        return r, c, gamma, rho

    def _has_linear_part(self, label):
        """Whether E[z f(z)] is other than zero: a limit from there is not the value there."""
        from .nonlinear_zeros import is_present

        if label not in self._linear:
            self._linear[label] = is_present(self.functions[label], 1, self.functions[label].size)
        if self._linear[label] is None:
            raise DomainError(f"{label}: got {self.functions[label].name!r}, whose linear part E[z*f(z)] is below "
                              "1e-45 of its size or cannot be computed, and is not proved to be zero; whether there "
                              "is a spike depends on it: expected a function where this can be told")
        return self._linear[label]

    @cached_property
    def _linear(self):
        return {}

    def _require_moments(self):
        self.student.require_second_moment(1.0)
        self.target.require_second_moment(1.0)
        self.student.derivative.require_second_moment(1.0)

    def located(self, parameters, loops=False):
        values = read_values(self.declared, parameters, self.name)
        table = self._step_parameters(values["eta"], values["alpha0"], values["beta"], values["noise_variance"], loops)
        shown = {**values, "r": table[0], "c": table[1], "gamma": table[2]}
        return self._point(shown, table, broken(self.assumptions, shown))

    _smooth = ("eta", "alpha0", "alpha", "lam", "beta", "noise_variance")

    def _rates(self, parameter, parameters, point):
        rates = {} if parameter in ("eta", "alpha0") else {parameter: 1.0}
        shown = point.shown
        eta, alpha0 = shown["eta"], shown["alpha0"]
        if parameter in ("alpha", "lam"):
            return rates
        if eta == 0.0 or alpha0 == 0.0:
            return self._rates_without_step(parameter, rates, eta, alpha0)
        if parameter == "alpha0" and math.isinf(alpha0):
            raise DomainError("alpha0: got inf; a derivative by alpha0 needs a finite number")
        from .one_step_parameters import typed_map

        moved = typed_map().rates(parameter, shown, self.functions)
        if math.isinf(alpha0):          # the population gradient lies along the target whatever its size
            moved |= {"gamma": 0.0, "rho": 0.0}
        if not all(map(math.isfinite, moved.values())):
            raise DomainError(f"{parameter}: the gradient of this student has no spike (no linear part, no noise); "
                              "its direction is not differentiable here")
        return {**rates, **moved}

    @staticmethod
    def _rates_without_step(parameter, rates, eta, alpha0):
        """Without a step nothing but a start of it can move the spike, and that is not differentiable."""
        if (parameter == "eta" and alpha0 > 0.0) or (parameter == "alpha0" and eta > 0.0):
            raise DomainError(f"{parameter}: got 0, which means no step; the limit {parameter} -> 0 is another one, "
                              "so that there is no derivative here")
        return rates

    @kept
    def _is_odd(self):
        """Whether the student is odd on some points, to rounding."""
        if self.student.mirror:
            return self.student.mirror == -1 or bool(np.all(self.student(np.linspace(0.05, 6.0, 40)) == 0.0))
        x = np.linspace(0.05, 6.0, 40)
        size = np.abs(self.student(x))
        return bool(np.max(np.abs(self.student(x) + self.student(-x))) <= 1e-12 * np.max(size))

    @kept
    def assumptions(self):
        """What arXiv 2402.04980 assumes of student and step."""
        return (Assumption(lambda v: not _makes_step(v) or self._is_odd,
                           lambda v: f"student {self.student.name!r} is not odd, as arXiv 2402.04980 assumes: the "
                           "initial output is taken as the mean of the student, c as (1 + eta/beta*ybar*h2)^2 + ..., "
                           "and the remaining anisotropy of the step is neglected"),
                Assumption(lambda v: not _makes_step(v) or abs(v["c"] - 1.0) <= LARGE_NORM_CHANGE,
                           lambda v: f"c - 1 = {v['c'] - 1.0:.3g} is not small: the bulk of the trained weights is "
                           "idealised as isotropic (arXiv 2402.04980); the real network differs by some percent"))

    def precise_values(self, parameters, numbers):
        from .spiked_equations import symbols

        s = symbols()
        values = common_precise(parameters, numbers)
        eta = numbers.number(parameters["eta"])
        infinite = math.isinf(float(check_value("alpha0", parameters["alpha0"], "nonnegative or inf")))
        alpha0 = None if infinite else numbers.number(parameters["alpha0"])
        zero, one = numbers.number(0), numbers.number(1)
        if eta == 0 or alpha0 == 0:
            step = {"r": zero, "c": one, "gamma": zero, "rho": one}
        else:
            step = self._precise_step(eta, zero if infinite else 1 / alpha0, values[s.beta],
                                      values[s.noise_variance], numbers)
        return {**values, s.r: step["r"], s.c: step["c"], s.gamma: step["gamma"], s.rho: step["rho"]}

    def _precise_step(self, eta, overload, beta, noise, numbers):
        from . import one_step_parameters as osp

        mapping, _ = osp.parameter_map()
        at = dict(zip((osp.symbols()[n] for n in osp.ARGUMENTS), (eta, overload, beta, noise)))
        try:
            step = numbers.scalar_map(mapping, at, self.functions)
            if self._linear.get("target") is False and overload == 0:
                raise ZeroDivisionError
            return step if self._linear.get("student", True) else {**step, "r": numbers.number(0)}
        except ZeroDivisionError:
            # no linear part and no noise in the gradient: no spike at all, but the rows may change their length
            bulk = replace(mapping, outputs=tuple(row for row in mapping.outputs if row[0] in ("r", "c")))
            return {**numbers.scalar_map(bulk, at, self.functions),
                    "gamma": numbers.number(0), "rho": numbers.number(1)}


def _makes_step(values):
    return values["eta"] > 0.0 and values["alpha0"] > 0.0


def _simulate(theory, parameters, *, d, model, **how):
    """Train the real network: real first batch, real gradient step, fresh data, ridge; or sample spiked features."""
    from ..simulate import simulate_network, simulate_spiked

    grid, at = simulated_grid(parameters)
    p = {**read_values(theory.declared, at, theory.name), **grid}
    if model == "network":
        return simulate_network(theory.student, theory.target, d=d, **p, **how)
    r, c, gamma, _ = theory._step_parameters(p.pop("eta"), p.pop("alpha0"), p["beta"], p["noise_variance"])
    return simulate_spiked(theory.student, theory.target, d=d, r=r, gamma=gamma, c=c, **p, **how)


def _unavailable(values):
    if values.get("alpha0") == math.inf and values.get("eta") != 0.0:
        return "alpha0 = inf: a population gradient cannot be sampled; no simulation is available"
    return None


OneStep.simulator = Simulator(
    _simulate, (size("d", "input dimension"),
                choice("model", "the trained network, or spiked features with an isotropic bulk",
                       ("network", "spiked"), "network")),
    axes=("alpha", "lam"), unavailable=_unavailable, notes=width_notes)
