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
from helpers.random_functions import random_function
from helpers.verdicts import bad, run_cases

import asympkit as ak

#: seconds of a processor that an ordinary call may take
LONG = 20.0
SAMPLES = {"alpha": (1e-3, 1e3), "lam": (1e-10, 1e6, 0.0), "noise_variance": (1e-8, 1e4, 0.0)}
RIDGE = {**SAMPLES, "beta": (1e-2, 1e2)}
STEP = {"eta": (1e-6, 1e3, 0.0), "alpha0": (1e-4, 1e4, 0.0, math.inf), **RIDGE}
SPIKE = {"r": (1e-6, 1e3, 0.0), "c": (1e-4, 1e2), **RIDGE}
#: losses are slow and smooth in their parameters: nearer to what is used
LOSS = {"alpha": (0.1, 30.0), "lam": (1e-4, 1e2), "beta": (0.1, 10.0), "noise_variance": (1e-4, 10.0, 0.0)}
WIDTH = {"width": (1.0, 1e6, math.inf)}
LOSSES = ("absolute", "huber(0.3)", "huber(2)", "logistic", "hinge")
#: relative errors that a solution may have: of what it promises, and units of its condition
PROMISED, ROUNDINGS = 2e-12, 2.0**-50
#: relative size of the steps of differences
STEP_SIZE = Fraction(1, 10**7)


def draw_point(rng, **ranges):
    """Draw logarithms evenly between the two first numbers of each range; one in ten is one of the others."""
    def draw(low, high, *more):
        if more and rng.random() < 0.1:
            return rng.choice(more)
        return float(f"{low * (high / low) ** rng.random():.4g}")

    return {name: draw(*ends) for name, ends in ranges.items()}


def gamma(rng):
    return rng.choice([-1.0, 0.0, 1.0]) if rng.random() < 0.15 else round(rng.uniform(-1, 1), 4)


def pair(rng, **options):
    return {"student": random_function(rng), "target": random_function(rng), **options}


def sign_or_not(rng, losses=LOSSES):
    """Draw a loss with its labels, and the range of the share of flips."""
    loss, is_sign = rng.choice(losses), rng.random() < 0.5
    is_sign = loss in ("logistic", "hinge") or is_sign
    options = {"loss": loss, "student": random_function(rng), "target": "z" if is_sign else random_function(rng)}
    return options | ({"labels": "sign"} if is_sign else {}), {"flip": (1e-4, 0.4, 0.0)} if is_sign else {}


def units(rng):
    shares = [0.25, 0.75] if rng.random() < 0.5 else [0.5, 0.3, 0.2]
    return [(round(rng.uniform(-2, 3), 3), round(10 ** rng.uniform(-1, 1), 3), share) for share in shares]


def given_layer(rng):
    draw = np.random.default_rng(rng.randrange(10**6))
    p, d = draw.integers(2, 30, 2)
    W = (draw.standard_normal((p, d)) + rng.choice([0.0, 0.3, 3.0]) * draw.standard_normal(d)) / math.sqrt(d)
    layer = ak.SpikedFeatures(**pair(rng)).from_weights(W, target_direction=draw.standard_normal(d))
    return layer, draw_point(rng, **SAMPLES)


def layers(rng, count):
    return ",".join(f"{draw_point(rng, w=(0.1, 10))['w']}:{random_function(rng)}" for _ in range(count))


def ridge(rng):
    draw = np.random.default_rng(rng.randrange(10**6))
    count = int(draw.integers(1, 8))
    values, multiples = 10.0 ** draw.uniform(-6, 3, count), draw.integers(1, 300, count)
    psi = draw.standard_normal(count) * np.sqrt(values)
    rho = float((psi**2 / values).sum() * rng.choice([1.000001, 1.5, 10]))
    at = draw_point(rng, n=(1.0, 1e5), lam=RIDGE["lam"], noise_variance=RIDGE["noise_variance"])
    if rng.random() < 0.5:
        return ak.Ridge((values.tolist(), multiples.tolist()), psi.tolist(), rho), at
    Q = np.linalg.qr(draw.standard_normal((count, count)))[0]
    return ak.Ridge((Q * values) @ Q.T, Q @ psi, 2 * rho), at


def one_step(rng, ranges=STEP, options=None, more=None):
    made = pair(rng) if options is None else options
    return ak.OneStep(**made), draw_point(rng, **ranges, **(more or {}))


def features(rng, ranges=SPIKE, options=None, more=None):
    made = pair(rng) if options is None else options
    return ak.SpikedFeatures(**made), {"gamma": gamma(rng), **draw_point(rng, **ranges, **(more or {}))}


def loss_step(rng, **options):
    made, more = sign_or_not(rng)
    return one_step(rng, {**STEP, **LOSS, "eta": (1e-3, 10.0, 0.0)}, made | options, more)


def loss_features(rng, ranges=None, **options):
    made, more = sign_or_not(rng)
    ranges = {**SPIKE, **LOSS, "r": (1e-3, 10.0, 0.0), "c": (0.1, 10.0), **(ranges or {})}
    return features(rng, ranges, made | options, more)


def spikes(rng, **ranges):
    options = {"rows": rng.choice(["sphere", "gaussian"]), "initial_output": rng.choice(["removed", "kept"]),
               "free_constant": rng.random() < 0.3}
    at = draw_point(rng, phi=(1e-3, 1e3), psi=(1e-3, 1e3), lam=(1e-10, 1e6), noise_variance=(1e-8, 1e4, 0.0), **ranges)
    return ak.NonlinearSpikes(**pair(rng, **options)), at | ({} if ranges else {"degree": rng.randint(0, 4)})


def steps(rng):
    count = rng.randint(1, 3)
    lists = [draw_point(rng, eta=(1e-3, 10.0, 0.0), alpha0=(0.05, 1e3, 0.0, math.inf)) for _ in range(count)]
    at = {n: [one[n] for one in lists] for n in ("eta", "alpha0")}
    return ak.GradientSteps(**pair(rng)), at | draw_point(rng, **RIDGE)


VARIANTS = {
    "step": one_step,
    "step, bias": lambda rng: one_step(rng, options=pair(rng, bias=round(rng.uniform(-3, 3), 3))),
    "step, width": lambda rng: one_step(rng, more=WIDTH),
    "step, exact": lambda rng: one_step(rng, options=pair(rng, bulk="exact")),
    "step, exact, width": lambda rng: one_step(rng, options=pair(rng, bulk="exact"), more=WIDTH),
    "step, readout": lambda rng: one_step(rng, {**STEP, "width": (1.0, 1e6)}, {
        "student": rng.choice(["tanh", "erf", "sin(2*z)"]), "target": random_function(rng),
        "readout": [(0.5, 0.5), (1.5, 0.5)]}),
    "step, square signs": lambda rng: one_step(rng, more={"flip": (1e-4, 0.4, 0.0)}, options={
        "student": random_function(rng), "target": "z", "labels": "sign"}),
    "step, loss": loss_step,
    "step, loss, exact": lambda rng: loss_step(rng, bulk="exact"),
    "features": features,
    "features, rows": lambda rng: features(rng, options=pair(rng, rows=rng.choice(["gaussian", "orthogonal"]))),
    "features, width": lambda rng: features(rng, more=WIDTH),
    "features, units": lambda rng: (ak.SpikedFeatures(**pair(rng)), {
        "units": units(rng), "gamma": gamma(rng), **draw_point(rng, **RIDGE, width=(3.0, 1e6, math.inf))}),
    "features, loss": loss_features,
    "features, loss, width": lambda rng: loss_features(rng, WIDTH),
    "features, learned bias": lambda rng: loss_features(rng, bias="learned"),
    "given layer": given_layer,
    "deep": lambda rng: (ak.DeepFeatures(layers(rng, rng.randint(1, 3)), layers(rng, rng.randint(1, 2))),
                         draw_point(rng, **SAMPLES)),
    "ridge": ridge,
    "spikes": spikes,
    "spikes, finite": lambda rng: spikes(rng, eta=(1e-3, 1e3), n=(10.0, 1e6)),
    "steps": steps,
}


def texts(at):
    """Numbers as the decimals that they were drawn as, inside lists and tuples too."""
    if isinstance(at, dict):
        return {n: texts(v) for n, v in at.items()}
    return type(at)(map(texts, at)) if isinstance(at, list | tuple) else repr(at) if isinstance(at, float) and (
        math.isfinite(at)) else at


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
            if (spent := time.process_time() - begun) > LONG:
                self.said.append(f"{name}: {spent:.0f} s")
        return None

    def compare(self, name, found, true, allowed):
        """Note where numbers differ from others by more than ``allowed(name)`` of their size."""
        for n, value in {**self.solution.order_parameters, **self.solution.observables}.items():
            if n not in found or n not in true:
                continue
            here, there = float(found[n]), float(true[n])
            size = max(abs(there), self.solution.scale.get(n, 0.0), 1e-290)
            if here != there and not abs(here - there) <= allowed(n) * size:
                self.said.append(f"{name}: {n} = {here!r}, {there!r} expected (solve {float(value)!r}, "
                                 f"{self.solution.status.name}, condition {self.solution.condition.get(n, 1.0):.1e})")

    def allowed(self, name):
        return PROMISED + ROUNDINGS * self.solution.condition.get(name, 1.0)

    def run(self, compiled=True):
        """Compare all routes at the point."""
        at, theory = self.at, self.theory
        self.solution = solution = self.call("solve", lambda: theory.solve(**at)) if theory is not None else None
        if solution is None:
            return self.said
        true = self.call("precise", lambda: theory.precise(digits=12, **texts(at)))
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
        if self.rng.random() < 0.6:             # many digits are slow
            return
        name = self.rng.choice([n for n, v in self.at.items() if isinstance(v, float)])
        value = Fraction(repr(self.at[name])) if math.isfinite(self.at[name]) else 0
        if value == 0 or name == "gamma" and abs(value) == 1:
            return
        rate = self.call("sensitivity", lambda: self.theory.sensitivity("test_error", name, **self.at))
        ends = [self.call("precise", lambda x=value * (1 + h): self.theory.precise(
            digits=25, **{**texts(self.at), name: x})) for h in (STEP_SIZE, -STEP_SIZE)] if rate is not None else [None]
        if None not in ends:
            right = float((ends[0].test_error - ends[1].test_error) / float(2 * STEP_SIZE * value))
            size = abs(right) + 1e-6 * abs(self.solution.test_error / self.at[name])
            if not abs(rate - right) <= 1e-7 * size:
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
