"""User code, as a type checker sees it: never run.

Right uses must pass.  Each wrong one carries the error that must be reported there; the checker complains about a
comment that silences nothing.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, assert_type

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol

import asympkit as ak
from asympkit.certify.solutions import Certificate, CertifiedSolution
from asympkit.check import Report
from asympkit.checks import Checks
from asympkit.continuation.run import BranchPoint, Continuation, Fold
from asympkit.equations.blocks import Block
from asympkit.equations.system import System
from asympkit.minimize.result import Minimum, Optimum
from asympkit.numbers.functions import Entry, register
from asympkit.roots import Solutions
from asympkit.simulate.simulation import Estimate
from asympkit.solve.solution import Solution, Status
from asympkit.spectra import SpectralLaw
from asympkit.sweep.result import Sweep

Floats = NDArray[np.float64]


def solutions(model: ak.OneStep) -> None:
    solved = model.solve(eta=1, alpha0=5, alpha="1.5", lam=Fraction(1, 10), rtol=1e-10, start={"V1": 1.0})
    assert_type(solved, Solution[float])
    assert_type(solved.test_error, float)
    assert_type(solved["q1"], float)
    assert_type(solved.order_parameters, dict[str, float])
    assert_type(solved.status, Status)
    assert_type(solved.converged, bool)
    assert_type(solved.assumptions, tuple[str, ...])
    proved = model.certify(digits=30, floats="decimal", eta=1, alpha0=5, alpha=1.5, lam=0.1)
    assert_type(proved, CertifiedSolution)
    assert_type(proved.test_error, ak.Ball)
    assert_type(proved["q1"].contains("0.5"), bool)
    assert_type(proved.certificate, Certificate)
    assert_type(proved.certificate.save("proof.json"), Path)
    model.solve(alpha={1, 2})  # type: ignore[arg-type]
    model.solve(rtol="1e-9", alpha=1.5)  # type: ignore[arg-type]
    model.solve(start=[1.0], alpha=1.5)  # type: ignore[arg-type]
    model.precise(digits="30", alpha=1.5)  # type: ignore[arg-type]
    model.certify(floats="round", alpha="1.5")  # type: ignore[arg-type]
    assert solved.test_error.mid  # type: ignore[attr-defined]
    assert proved["q1"] + 1  # type: ignore[operator]
    solved.observables = {}  # type: ignore[misc]


def curves(model: ak.SpikedFeatures, at: dict[str, Any]) -> None:
    # Any: a checker holds values of an unpacked dictionary against all arguments that are not named
    found = model.sweep(alpha=np.linspace(0.1, 3, 20), lam=[0.1, 1.0], backend="numpy", file=Path("a.npz"), **at)
    assert_type(found, Sweep)
    assert_type(found["test_error"], Floats)
    assert_type(found.axes, dict[str, Floats])
    assert_type(found.converged, NDArray[np.bool_])
    least = model.minimize("test_error", over="lam", bounds=(1e-6, 1e3), alpha=2.0)
    assert_type(least, Minimum)
    assert_type(least.argmin, float | Floats)
    both = model.maximize("test_error", over=("lam", "eta"), bounds={"lam": (1e-6, 1e3), "eta": (0.1, 10.0)}, alpha=2.0)
    assert_type(both, Optimum)
    assert_type(both.argmin, dict[str, float | Floats])
    found_all = model.solutions(starts=10, **at)
    assert_type(found_all, Solutions)
    assert_type(found_all[0].converged, bool)
    assert_type(found_all.free_energies, tuple[float, ...] | None)
    path = model.continuation(over="alpha", start=1, stop=3, lam=0.1)
    assert_type(path, Continuation)
    assert_type(path.folds, tuple[Fold, ...])
    assert_type(path.branch_points, tuple[BranchPoint, ...])
    assert_type(path.emanating, tuple[Continuation, ...])
    assert_type(path.branches[0]["q1"], Floats)
    assert_type(model.sensitivity("test_error", "lam", **at), float | Floats)
    assert_type(model.sensitivity("test_error", ["lam", "alpha"], **at), dict[str, float | Floats])
    model.sweep(backend="cuda", alpha=[1, 2])  # type: ignore[arg-type]
    model.sweep(file=1, alpha=[1, 2])  # type: ignore[arg-type]
    model.minimize("test_error", over="lam", bounds=1.0, alpha=2.0)  # type: ignore[call-overload]
    model.minimize("test_error", bounds=(0, 1), alpha=2.0)  # type: ignore[call-overload]
    model.continuation(over="alpha", start="low", stop=3)  # type: ignore[arg-type]
    found.shape = (3,)  # type: ignore[misc]
    assert_type(found.sel(alpha=2.0, lam=[0.1]), Sweep)
    assert_type(ak.Sweep.load("a.csv", axes=("alpha", "lam")), Sweep)
    found.plot(["test_error", "q1"], over="alpha", color="black")
    least.plot(over="alpha")
    path.plot("q1")
    model.plot("test_error", over="alpha", simulation={"d": 100}, alpha=[0.5, 1.0], lam=0.1)
    found.plot(5)  # type: ignore[arg-type]
    model.plot("test_error", over=3, alpha=[0.5, 1.0])  # type: ignore[arg-type]


def experiments(model: ak.NonlinearSpikes) -> None:
    drawn = model.simulate(n=500, repeats=4, seed=1, phi=0.5, psi=1, lam=[0.01, 0.1])
    assert_type(drawn["test_gap"], Estimate)
    assert_type(drawn["test_gap"].values, Floats)
    report = model.check(n=500, phi=0.5, psi=1, lam=0.01)
    assert_type(report, Report)
    assert_type(report.passed, bool)
    assert_type(report.rows[0].z, float | None)
    assert_type(model.staircase(alpha_lr=[0.1, 0.3], phi=1, psi=1, lam=0.1).steps[0].test_error, float)
    model.simulate(repeats="4", phi=0.5)  # type: ignore[arg-type]
    assert_type(model.check(n=500, phi=0.5, psi=1, lam=[0.01, 0.1]), Report | Checks)
    model.check(progress="no", phi=0.5)  # type: ignore[call-overload]
    model.staircase(alpha_lr=[0.1, 0.3], phi=1, psi=1)  # type: ignore[call-arg]
    ak.NonlinearSpikes("tanh", "sin", rows="cube")  # type: ignore[arg-type]
    ak.OneStep("tanh")  # type: ignore[call-arg]
    ak.OneStep("tanh", 3)  # type: ignore[arg-type]


def functions() -> None:
    act = ak.Activation("z*erf(z)/2")
    assert_type(act.parity, Literal["odd", "even"] | None)
    assert_type(act.derivative, ak.Activation)
    assert_type(act.hermite_coefficients(3), Floats)
    assert_type(act.hermite_coefficients(3, certified=True), list[ak.Ball])
    assert_type(act.second_moment(), float)
    assert_type(act.second_moment(certified=True), ak.Ball)
    assert_type(ak.enclose("tanh(1)", digits=30), ak.Ball)
    ak.Activation(3)  # type: ignore[arg-type]
    act.hermite_coefficients("3")  # type: ignore[call-overload]
    ak.parse(3)  # type: ignore[arg-type]
    ak.enclose("tanh(1)", digits="30")  # type: ignore[arg-type]
    assert ak.hermite  # type: ignore[attr-defined]


def draw(rng: np.random.Generator, size: int, *, h: float) -> dict[str, float]:
    return {"m": h + rng.standard_normal() / size}


def theories(m: Symbol, h: Symbol, energy: Expr) -> None:
    assert_type(ak.E("tanh(z)**2", ak.parse("z")), Expr)
    parameters = [ak.Parameter(h, "field", "real"), ak.Parameter("J", "coupling", (0.0, 2.0), default=1.0)]
    theory = ak.Theory(name="shift", parameters=parameters, unknowns=[m], free_energy=energy, simulate=draw,
                       assumptions=[ak.Assumption(lambda v: v["h"] < 1, "h is large")],
                       tolerances=[ak.Tolerance("m", 0.02, "finite size")])
    ak.Theory(name="shift", parameters={h: ("field", "real")}, unknowns={m: (0, 1)}, equations=[m - h])
    assert_type(theory.equations(), System)
    assert_type(theory.equations().blocks[0], Block)
    assert_type(theory.derive("latex"), str)
    assert_type(theory.generate("mine.py"), Path)
    ak.Theory(parameters={h: ("field", "real")}, unknowns=[m], free_energy=energy)  # type: ignore[call-arg]
    ak.Theory(name="shift", parameters=[h], unknowns=[m], simulate=3)  # type: ignore[arg-type]
    ak.Parameter(h, "field", 3)  # type: ignore[arg-type]
    ak.Parameter(h, "field", "real", optional=True)  # type: ignore[call-arg]
    ak.Assumption("J < 3", 4)  # type: ignore[arg-type]
    ak.Tolerance("m", "2 %", "finite size")  # type: ignore[arg-type]
    theory.derive("pdf")  # type: ignore[arg-type]
    theory.generate(3)  # type: ignore[arg-type]


class Shifted(SpectralLaw):
    def resolved(self, integrand: Expr) -> Expr | None:
        return ak.mean(integrand, ak.MarchenkoPastur(self.bound_symbols[0], 0.5))


def additions() -> None:
    entry = register(Entry("Dawson", "dawson", "dawson_batch", np.tanh, "tanh", parity="odd", monotone=0))
    assert_type(entry.text, str)
    Entry("Dawson", parity="left")  # type: ignore[arg-type]
    Entry("Dawson", monotone=2)  # type: ignore[arg-type]
    assert entry.name.value  # type: ignore[attr-defined]


def errors(error: ak.ConvergenceError, lost: ak.SweepFileError) -> None:
    assert_type(error.solution, Solution[Any] | None)
    assert_type(lost.sweep, Sweep | None)
    assert error.solution.converged  # type: ignore[union-attr]
    ak.ConvergenceError(solution=None)  # type: ignore[call-arg]
