"""Random theories of the package at random points of wide ranges: all routes say the same, or refuse in words.

A case is a variant and a number; ``complaints`` says what is wrong with it.  ``python tests/theories/test_scan.py
VARIANT FIRST LAST`` prints those of many.
"""

import math
import random
import re
import sys
import time
import warnings
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from helpers.every_theory import decimals
from helpers.random_functions import random_function
from helpers.verdicts import OutOfTimeError, bad, run_cases

import asympkit as ak

#: seconds of a processor that an ordinary call may take
LONG = 20.0
#: relative errors that a solution may have: of what it promises, and units of its condition
PROMISED, ROUNDINGS = 2e-12, 2.0**-50
#: relative size of the steps of differences
STEP_SIZE = Fraction(1, 10**6)

#: ranges of parameters, whose logarithms are drawn evenly, and values at their ends; or how they are drawn
SAMPLES = {"alpha": (1e-3, 1e3), "lam": (1e-10, 1e6, 0.0), "noise_variance": (1e-8, 1e4, 0.0)}
RIDGE = {**SAMPLES, "beta": (1e-2, 1e2)}
STEP = {"eta": (1e-6, 1e3, 0.0), "alpha0": (1e-4, 1e4, 0.0, math.inf), **RIDGE}
SPIKE = {"gamma": lambda rng: rng.choice([-1.0, 0.0, 1.0, *(round(rng.uniform(-1, 1), 4) for _ in range(15))]),
         "r": (1e-6, 1e3, 0.0), "c": (1e-4, 1e2), **RIDGE}
WIDTH, FLIP = {"width": (1.0, 1e6, math.inf)}, {"flip": (1e-4, 0.4, 0.0)}
#: losses take long where features are steep or saturated
LOSS = {"alpha": (0.1, 30.0), "lam": (1e-4, 1e2), "beta": (0.1, 10.0), "noise_variance": (1e-4, 10.0, 0.0)}
STEP_OF_LOSS = {**STEP, **LOSS, "eta": (1e-3, 10.0, 0.0)}
SPIKE_OF_LOSS = {**SPIKE, **LOSS, "r": (1e-3, 10.0, 0.0), "c": (0.1, 10.0)}
SPIKES = {"phi": (1e-3, 1e3), "psi": (1e-3, 1e3), "lam": (1e-10, 1e6), "noise_variance": (1e-8, 1e4, 0.0)}
UNITS = {n: v for n, v in SPIKE.items() if n not in ("r", "c")} | {"width": (3.0, 1e6, math.inf), "units": lambda rng: [
    (round(rng.uniform(-2, 3), 3), round(10 ** rng.uniform(-1, 1), 3), share) for share in (0.5, 0.3, 0.2)]}


def draw_point(rng, ranges):
    def draw(low, high, *ends):
        return rng.choice(ends) if ends and rng.random() < 0.1 else float(f"{low * (high / low) ** rng.random():.4g}")

    return {name: ends(rng) if callable(ends) else draw(*ends) for name, ends in ranges.items()}


def drawn(make, ranges, **options):
    """Return a function that draws a theory and a point; options that are lists are drawn from."""
    def draw(rng):
        chosen = {n: rng.choice(v) if isinstance(v, list) else v for n, v in options.items()}
        functions = {n: random_function(rng) for n in ("student", "target")}
        return make(**functions | chosen), draw_point(rng, ranges)

    return draw


def draw_layer(rng):
    draw = np.random.default_rng(rng.randrange(10**6))
    p, d = draw.integers(2, 30, 2)
    W = (draw.standard_normal((p, d)) + rng.choice([0.0, 0.3, 3.0]) * draw.standard_normal(d)) / math.sqrt(d)
    theory = ak.SpikedFeatures(random_function(rng), random_function(rng))
    return theory.from_weights(W, target_direction=draw.standard_normal(d)), draw_point(rng, SAMPLES)


def draw_deep(rng):
    layers = [",".join(f"{rng.uniform(0.1, 3):.3g}:{random_function(rng)}" for _ in range(rng.randint(1, 3)))
              for _ in range(2)]
    return ak.DeepFeatures(*layers), draw_point(rng, SAMPLES)


def draw_ridge(rng):
    draw = np.random.default_rng(rng.randrange(10**6))
    count = int(draw.integers(1, 8))
    values, multiples = 10.0 ** draw.uniform(-6, 3, count), draw.integers(1, 300, count)
    psi = draw.standard_normal(count) * np.sqrt(values)
    rho = float((psi**2 / values).sum() * rng.choice([1.000001, 1.5, 10]))
    at, Q = draw_point(rng, {**SAMPLES, "n": (1.0, 1e5)}), np.linalg.qr(draw.standard_normal((count, count)))[0]
    Omega, _ = (Q * values) @ Q.T, at.pop("alpha")
    return rng.choice([ak.Ridge((values.tolist(), multiples.tolist()), psi.tolist(), rho),
                       ak.Ridge((Omega + Omega.T) / 2, Q @ psi, 2 * rho)]), at


def draw_steps(rng):
    lists = [draw_point(rng, {"eta": (1e-3, 10.0, 0.0), "alpha0": (0.05, 1e3, 0.0, math.inf)})
             for _ in range(rng.randint(1, 3))]
    theory = ak.GradientSteps(random_function(rng), random_function(rng))
    return theory, {n: [one[n] for one in lists] for n in ("eta", "alpha0")} | draw_point(rng, RIDGE)


LOSSES, SIGNS = ["absolute", "huber(0.3)", "huber(2)"], {"labels": "sign", "target": "z"}
OF_SPIKES = {"rows": ["sphere", "gaussian"], "initial_output": ["removed", "kept"], "free_constant": [False, True]}
VARIANTS = {
    "step": drawn(ak.OneStep, STEP),
    "step, bias": drawn(ak.OneStep, STEP, bias=[-3.0, -0.3, 1e-3, 1.0]),
    "step, width": drawn(ak.OneStep, STEP | WIDTH),
    "step, exact": drawn(ak.OneStep, STEP, bulk="exact"),
    "step, exact, width": drawn(ak.OneStep, STEP | WIDTH, bulk="exact"),
    "step, readout": drawn(ak.OneStep, STEP | {"width": (1.0, 1e6)}, student=["tanh", "erf", "sin(2*z)"],
                           readout=[[(0.5, 0.5), (1.5, 0.5)]]),
    "step, loss": drawn(ak.OneStep, STEP_OF_LOSS, loss=LOSSES),
    "step, signs": drawn(ak.OneStep, STEP_OF_LOSS | FLIP, loss=["square", "logistic", "hinge"], **SIGNS),
    "step, exact, loss": drawn(ak.OneStep, STEP_OF_LOSS, loss=LOSSES, bulk="exact"),
    "features": drawn(ak.SpikedFeatures, SPIKE),
    "features, rows": drawn(ak.SpikedFeatures, SPIKE, rows=["gaussian", "orthogonal"]),
    "features, width": drawn(ak.SpikedFeatures, SPIKE | WIDTH),
    "features, units": drawn(ak.SpikedFeatures, UNITS),
    "features, loss": drawn(ak.SpikedFeatures, SPIKE_OF_LOSS | WIDTH, loss=LOSSES),
    "features, signs": drawn(ak.SpikedFeatures, SPIKE_OF_LOSS | FLIP, loss=["square", "logistic", "hinge"], **SIGNS),
    "features, learned bias": drawn(ak.SpikedFeatures, SPIKE_OF_LOSS, loss=["square", "huber(2)"], bias="learned"),
    "given layer": draw_layer,
    "deep": draw_deep,
    "ridge": draw_ridge,
    "spikes": drawn(ak.NonlinearSpikes, SPIKES | {"degree": lambda rng: rng.randint(0, 4)}, **OF_SPIKES),
    "spikes, finite": drawn(ak.NonlinearSpikes, SPIKES | {"eta": (1e-3, 1e3), "n": (10.0, 1e6)}, **OF_SPIKES),
    "steps": draw_steps,
}


class Case:
    """A theory and a point; ``said`` is what was wrong with its calls."""

    def __init__(self, variant, number):
        seed = np.random.SeedSequence((list(VARIANTS).index(variant), number))
        self.rng, self.said = random.Random(int(seed.generate_state(1, np.uint64)[0])), []
        self.theory = self.call("make", lambda: VARIANTS[variant](self.rng))
        self.theory, self.at = self.theory or (None, {})

    def call(self, name, function):
        """Call a method: return its result, or None where it refuses; note raw errors, warnings and long calls."""
        begun = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", ak.AssumptionWarning)
                return function()
        except OutOfTimeError:
            raise
        except ak.AsympkitError:
            pass
        except Exception as error:
            if name == "module" and isinstance(error, ValueError) and re.match(r"\w+: got |solve: ", str(error)):
                return None                     # as modules refuse
            where = error.__traceback__
            while where.tb_next is not None:
                where = where.tb_next
            self.said.append(f"{name}: {type(error).__name__} in {where.tb_frame.f_code.co_name}: {str(error)[:200]}")
        finally:
            if (spent := time.process_time() - begun) > LONG and name not in ("precise", "certify"):
                self.said.append(f"{name}: {spent:.0f} s")
        return None

    def compare(self, name, found, true, allowed):
        """Note where numbers differ from others by more than ``allowed(name)`` of their size."""
        for n, value in {**self.solution.order_parameters, **self.solution.observables}.items():
            if n not in found or n not in true or n == "bias_slope":       # the residual of a learned bias
                continue
            here, there = float(found[n]), float(true[n])
            size = max(abs(there), self.solution.scale.get(n, 0.0), 1e-290)
            if here != there and not abs(here - there) <= allowed(n) * size:
                self.said.append(f"{name}: {n} = {here!r}, {there!r} expected (solve {float(value)!r}, "
                                 f"{self.solution.status.name}, condition {self.solution.condition.get(n, 1.0):.1e})")

    def allowed(self, name):
        """Return the relative error that is allowed; unknowns have that of others that they are made of."""
        of = self.solution
        is_made = of.status.name == "LIMITED" and name in of.order_parameters
        names = of.order_parameters if is_made else (name,)
        return PROMISED + ROUNDINGS * max(of.condition.get(n, 1.0) for n in names)

    def run(self, compiled=True):
        """Compare all routes at the point."""
        at, theory = self.at, self.theory
        self.solution = solution = self.call("solve", lambda: theory.solve(**at)) if theory is not None else None
        if solution is None:
            return self.said
        is_asked = self.rng.random() < 0.5              # many digits are slow
        true = self.call("precise", lambda: theory.precise(digits=12, **decimals(at))) if is_asked else None
        if true is not None:
            self.compare("solve", solution, true, self.allowed)
        if self.rng.random() < 0.1:
            proved = self.call("certify", lambda: theory.certify(digits=15, floats="decimal", **at))
            if proved is not None:
                self.compare("certify", solution, {n: proved[n].mid for n in (
                    *proved.order_parameters, *proved.observables)}, self.allowed)
        for backend in ("numpy", *["numba"] * compiled):
            sweep = self.call(f"sweep {backend}", lambda: theory.sweep(
                backend=backend, **at | {"lam": [at["lam"], 2 * at["lam"] or 1.0]}))        # noqa: B023
            if sweep is not None:
                if not self.is_like(sweep.status[0].name):
                    self.said.append(f"sweep {backend}: {sweep.status[0].name}, solve {solution.status.name}")
                if sweep.converged[0]:
                    self.compare(f"sweep {backend}", {n: sweep[n][0] for n in sweep.names}, solution,
                                 lambda n: 1e-10 + self.allowed(n))
        self.check_module()
        self.check_rate()
        return self.said

    def is_like(self, status):
        """Return whether a status is that of ``solve``, or promises fewer digits that are there."""
        return status == self.solution.status.name or {status, self.solution.status.name} == {"LIMITED", "CONVERGED"}

    def check_module(self):
        """Compare the exported module with ``solve``."""
        has_width = self.at.get("width", math.inf) < math.inf
        theory = self.theory.at_width() if has_width else getattr(
            self.theory, "finite" if "n" in self.at else "", self.theory)
        source = self.call("generate", theory.source)
        if source is None or "units" in self.at:            # they have modules of one class
            return
        made, at = ModuleType("made"), {n: v for n, v in self.at.items() if has_width or n != "width"}
        exec(compile(source, "made", "exec"), made.__dict__)
        found = self.call("module", lambda: made.solve_many(**at))
        if found is not None:
            if not self.is_like(str(found["status"]).upper()):
                self.said.append(f"module: {found['status']}, solve {self.solution.status.name}")
            elif found["status"] in ("converged", "limited"):
                self.compare("module", {n.rstrip("_"): v for n, v in found.items()}, self.solution, self.allowed)

    def check_rate(self):
        """Compare a derivative with a difference of many digits."""
        name = self.rng.choice([n for n, v in self.at.items() if isinstance(v, float) and 0 < abs(v) < math.inf])
        if self.rng.random() < 0.8 or name == "gamma" and abs(self.at[name]) == 1:
            return
        rate = self.call("sensitivity", lambda: self.theory.sensitivity("test_error", name, **self.at))
        value = Fraction(repr(self.at[name]))
        ends = [self.call("precise", lambda x=value * (1 + h): self.theory.precise(digits=18, **{
            **decimals(self.at), name: x})) for h in (STEP_SIZE, -STEP_SIZE) if rate is not None]
        if ends and None not in ends:
            right = float((ends[0].test_error - ends[1].test_error) / float(2 * STEP_SIZE * value))
            size = abs(right) + 1e-3 * abs(self.solution.test_error / self.at[name])
            if not abs(rate - right) <= 1e-6 * size:
                self.said.append(f"sensitivity: {name} {rate!r}, {right!r} expected")


def complaints(variant, number, compiled=True):
    """Return what is wrong with a case, with its theory and its point."""
    case = Case(variant, number)
    said = case.run(compiled)
    return f"{case.theory!r} {case.at}: {'; '.join(said)}" if said else ""


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_all_routes_agree_at_random_points(variant):
    assert bad(run_cases(range(6), lambda number: complaints(variant, number, number == 0), seconds=120.0)) == {}


if __name__ == "__main__":
    for number in range(*map(int, sys.argv[2:4])):
        print(number, complaints(sys.argv[1], number, number % 10 == 0), flush=True)
