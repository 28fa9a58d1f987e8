"""Write exported modules for one student and target over the bulk that a gradient step really makes.

Start Newton's method for the exact bulk at the solution over the isotropic bulk.
"""

from dataclasses import replace
from functools import cache, partial

import numpy as np

from ...codegen.batch import BatchWriter
from ...codegen.tables import write_table
from ...equations.system import System
from ...errors import NotAvailableError
from ...multiprecision.interpreter import InnerUnknowns
from ...nodes import bind
from ...once import computed_once
from ...program import build
from ...program.lowering import ImplicitFunctions, classify_function
from ...program.names import mark
from ...solve.ladder import FIRST
from ...spectra import MPResolvent
from ..derived import Case, Derived
from ..spiked_features.convex import ConvexEquations
from ..spiked_features.equations import OF_WIDTH, SquareLoss, saddle_point, spiked_parameters, spiked_system
from ..spiked_features.ridge import isotropic_kernel
from . import bulk as first_batch
from .exact_equations import averages, exact_bulk, exact_program, symbols
from .exact_parameters import exact_map

#: definitions of the unknowns, for the documentation of the module
_NOTES = ("q1, q2, theta, psi, chi, m: w'Omega w/p, |w|^2/p, w'Wv/sqrt(pd), w'W zeta/sqrt(pd), w'X/sqrt(p), "
          "1'w/sqrt(p) of the readout w over bulk rows W_i of squared norms c + X_i/sqrt(d); V1, V2: their variances; "
          "names with hat: conjugates; alpha = n/d, beta = p/d.  r, c, gamma: strength of the spike, mean squared norm "
          "of the rows, overlap of the spike with the target; rho = sqrt(1 - gamma**2).  The other numbers of "
          "step_parameters are those of the first batch: overload = 1/alpha0, deviation of the noise, and the law "
          "of the covariance of the rows.",)
_FINITE = '''    finite = np.all(np.isfinite(({made})))
    require(finite or alpha0 < np.inf, "alpha0", alpha0,
            "a finite number: the gradient of the population has no direction without a linear part of the target")
    require(finite, "noise_variance", {noise}, "a number above 0: without noise there is no gradient here")'''


@cache
def limit_system(is_odd):
    """Return the equations of the limit."""
    return saddle_point(SquareLoss(exact_bulk(is_odd).limit()))


@cache
def inner(is_odd, has_width=False):
    """Return the inner equations that define these functions, at a width those of the mean readout too."""
    s, x = symbols(), first_batch.bulk(is_odd)
    inverse, kernel = averages(is_odd)
    resolvent = MPResolvent(s.Vhat1, s.Vhat2 + s.lam, s.c, s.beta)
    g = s.beta * s.Vhat1 * resolvent
    starts = dict.fromkeys(x.maps, 1 / (1 + s.c * g)) | {s.g: g}
    forms = {"S_inverse": inverse, "S_weighed": inverse * x.trace, **{n.label: n for n in kernel.values()}}
    forms |= of_mean_readout(exact_bulk(is_odd)) if has_width else {}
    return ImplicitFunctions((s.Vhat1, s.Vhat2), starts, {**x.maps, s.g: s.beta * s.Vhat1 * inverse}, forms)


def of_mean_readout(bulk):
    """Return the kernel of the mean readout with itself and with the directions, by the names of functions."""
    return {"S_mean": bulk.readout, **{f"tilt_{n}": e for n, e in bulk.induced.items()}}


@cache
def limit_program(is_odd):
    """Return the equations lowered to a program, with its names."""
    return build(limit_system(is_odd), limit_parameters(is_odd))


def limit_parameters(is_odd):
    """Return the parameters of the program, without those that only a finite width needs."""
    return *spiked_parameters(), *exact_bulk(is_odd).limit().parameters


def table_parameters(is_odd):
    """Return the parameters of the tables of averages over the first batch."""
    s = symbols()
    return (s.deviation,) if is_odd else (s.deviation, s.h0)


@cache
def limit_map(is_odd):
    """Return the map to the numbers of the bulk, without those that only a finite width needs."""
    whole = exact_map(is_odd)

    def kept(expressions):
        return {n: e for n, e in expressions.items() if n not in OF_WIDTH}

    return Derived(whole.arguments, kept(whole.expressions),
                   [Case(c.condition, kept(c.expressions), c.text) for c in whole.cases], whole.decisive)


_START = '''def isotropic_start(points, {r}, {c}):
    """Return the solutions over rows of the same norm, near which those over the bulk of the step are."""
    (made,), _ = gather((1,), isotropic_rule((1,), {r}, {c}, {student}))
    given, ones = [np.ascontiguousarray(points[k]) for k in {rows}], np.ones(points.shape[1])
    V1, V2, Vhat1, _, *_ = isotropic_batch(*given, *made, ones, ones, 2, 1e-9, 102)
    g = given[1]*Vhat1*V2
    b = 1.0/(1.0 + g*given[5])
    found = np.array((V1, V2, {b}, g))
    return np.where(np.all(np.isfinite(found) & (found >= 0.0), axis=0), found, np.nan)'''


def isotropic_parts(names):
    """Write the start of Newton's method: V1 and V2 over the isotropic bulk, in names of the exact one."""
    system = spiked_system()
    rows = dict(zip((u.name for u in system.unknowns), system.equations))
    kept = [u for u in system.unknowns if u.name in ("V1", "V2", "Vhat1", "Vhat2")]
    equations = tuple(rows[n] for n in ("qhat1", "qhat2", "q1", "q2"))
    program, own = build(System(tuple(kept), equations), spiked_parameters())
    own = own.mapping() | {label: names[label] for label in program.activations}
    (grid,) = program.grids
    parts = [write_table(program, grid, own), BatchWriter(program, own, has_diagnosis=False)()]
    return [part.replace(f"{mark(grid.name)}_", "isotropic_").replace("def solve_batch(", "def isotropic_batch(")
            for part in parts]


class ExactModule:
    """Hold what an exported module of a theory over an exact bulk is written from."""

    notes = _NOTES

    def __init__(self, theory):
        if not theory.readout.is_half_square:       # its unknowns need second derivatives through those of the bulk
            raise NotAvailableError("generate: bulk='exact' is exported for the square loss with regression labels "
                                    "alone; solve() and the other methods have other losses: expected "
                                    "bulk='isotropic'")
        self.functions, self.is_odd, self.readout = theory.functions, theory.layer.is_odd, theory.readout
        self.has_width = theory.case.has_width
        self.bulk = exact_bulk(self.is_odd) if self.has_width else exact_bulk(self.is_odd).limit()
        self.map = exact_map(self.is_odd) if self.has_width else limit_map(self.is_odd)
        self.internal = tuple(u.name for pair in self.bulk.multipliers.items() for u in pair)
        self.equations = ConvexEquations(self.functions, theory.readout, theory.case, self.bulk)
        program = exact_program if self.has_width else limit_program
        self.program = program(self.is_odd) if self.readout.is_ridge else self.equations.program
        self.program[1].activations(sorted(self.functions))

    @property
    def starts(self):
        """Return the starts of Newton's method."""
        torn = [u.name for n in self.program[0].newtons for u in n.torn]
        return [dict.fromkeys(torn, 1.0)] if self.readout.is_ridge else self.equations.starts

    def parts(self, names, labels):
        """Return the source of functions that start Newton's method."""
        if not self.readout.is_ridge:
            return ()
        places = [s.name for s in self.program[0].parameters]
        start = _START.format(r=labels["r"], c=labels["c"], student=names["student"],
                              b="b" if self.is_odd else "b, b, b",
                              rows=[places.index(s.name) for s in spiked_parameters()])
        return *isotropic_parts(names), start

    def start(self, labels):
        """Return the field of the interface that names these, if there are any."""
        call = f"lambda points: isotropic_start(points, {labels['r']}, {labels['c']})"
        return {"start": call} if self.readout.is_ridge else {}

    def text(self):
        """Return the equations, averages over the bulk as functions of the conjugates, and what defines these."""
        s = symbols()

        def function(name, is_positive=False):
            return classify_function(name, ("Vhat1", "Vhat2"), is_positive)(s.Vhat1, s.Vhat2)

        mean = {n: function(n) for n in of_mean_readout(self.bulk)} if self.has_width else {}
        bulk = replace(self.bulk, inverse=function("S_inverse", True), weighed=function("S_weighed", True),
                       kernel={k: function(f"K_{k}") for k in averages(True)[1]}, readout=mean.pop("S_mean", None),
                       induced={n.removeprefix("tilt_"): e for n, e in mean.items()}, unknowns={})
        system = saddle_point(SquareLoss(bulk)) if self.readout.is_ridge else ConvexEquations(
            self.functions, self.readout, self.equations.case, bulk).system
        return f"{system.with_(functions=self.functions).text()}\n" \
               f"{inner(self.is_odd, self.has_width).text(partial(bind, functions=self.functions))}"

    def tests(self, made, noise):
        """Return lines that refuse a gradient without a direction."""
        return _FINITE.format(made=made, noise=noise).split("\n")


class NearBulk:
    """Start near the spectrum of a bulk far from isotropic: solve its own equations at given conjugates.

    Damped iteration of their maps converges slowly from any start; Newton's method does not always converge.
    """

    def __init__(self, isotropic, is_odd):
        self.isotropic, self.is_odd = isotropic, is_odd

    @computed_once
    def _equations(self):
        """Build the equations of the bulk, only when they are needed."""
        functions = dict(zip(("student", "target"), self.isotropic.functions))
        return InnerUnknowns(inner(self.is_odd), limit_parameters(self.is_odd), table_parameters(self.is_odd),
                             functions)

    def __call__(self, points):
        """Return starts as :class:`IsotropicStart` does."""
        named, begin = vars(symbols()), self.isotropic(points)
        values = {named[n]: v for n, v in {**points, "Vhat1": begin["Vhat1"], "Vhat2": begin["Vhat2"]}.items()}
        found = self._equations(values, {u: begin[u.name] for u in self._equations.unknowns})
        good = np.all([np.isfinite(v) for v in found.values()], axis=0)
        return begin | {u.name: np.where(good, v, begin[u.name]) for u, v in found.items()}


class IsotropicStart:
    """Return starts for points of one student and target.

    The exact bulk has the unknowns of its spectrum beside V1 and V2, and Newton's method for all of them does not
    always
    converge from a distant start, above all at small penalties.  Over rows of the same mean squared norm c they are
    explicit.
    """

    def __init__(self, student, target, kernel=isotropic_kernel):
        self.functions, self._kernel = (student, target), kernel
        self._tables = {}

    def __call__(self, points):
        """Return starts by unknown, from parameters by name; points that are solved together share their tables."""
        kernel = self._kernel()
        module = kernel.module
        shared = tuple(float(points[n][0]) for n in module.TABLE_PARAMETERS)
        if shared not in self._tables:                  # refinements and sweeps use one step many times
            functions = dict(zip(("student", "target"), self.functions))
            self._tables = {shared: kernel.tables(FIRST, shared, [functions[n] for n in module.ACTIVATIONS], ())[0]}
        out, _ = kernel.batch([points[n] for n in module.PARAMETERS], self._tables[shared])
        at = dict(zip(module.OUTPUTS, out))
        with np.errstate(all="ignore"):
            g = points["beta"] * at["Vhat1"] * at["V2"]
            b = 1.0 / (1.0 + g * points["c"])
        # g = 0, for units without a linear part, is a root that cannot be reached in the logarithm
        found = {**{n: at[n] for n in (*module.TORN, "Vhat1", "Vhat2")}, "b": b, "u": b, "w": b, "g": g}
        positive = ("V1", "V2", "b", "g", "Vhat1", "Vhat2")
        good = np.all([np.isfinite(v) & ((v >= 0.0) | (n not in positive)) for n, v in found.items()], axis=0)
        return {n: np.where(good, v, 1.0) for n, v in found.items()}
