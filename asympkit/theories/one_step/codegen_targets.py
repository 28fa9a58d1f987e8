"""Write exported modules for one student and target after a gradient step."""

from dataclasses import replace
from functools import partial

from sympy import Integer, Symbol

from ...codegen import write_kernel
from ...codegen.batch import BatchWriter
from ...codegen.tables import write_scalar_map, write_table
from ...equations.system import System
from ...errors import NotAvailableError
from ...export import ModuleInterface, write_map, write_slopes, writer_of
from ...nodes import bind
from ...program import build
from ...program.lowering import classify_function
from ...program.names import mark
from ...program.symmetry import is_proved_zero
from ..spiked_features import codegen_targets as of_spiked
from ..spiked_features.convex import ConvexEquations
from ..spiked_features.equations import SquareLoss, ridge, spiked_parameters
from .bulk import averages, exact_ridge, inner, of_mean_readout, symbols
from .parameters import exact_map, isotropic_map, step_map
from .step import ExactLayer, require_slope

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
#: a line of modules for students that jump
JUMPS = '''    require(eta == 0.0 or alpha0 == 0.0, "eta", eta,
            "0: the student jumps, and a gradient step needs a finite E[student'(z)^2]")'''


def module_source(theory, language="python", derivatives=False):
    """Return the source of an exported module for readout, student and target of a :class:`OneStep`."""
    readout, functions, is_exact = theory.readout, theory.functions, isinstance(theory.layer, ExactLayer)
    has_width, exact = theory.case.has_width, ExactModule(theory) if is_exact else None
    if has_width:
        require_slope(theory.target)
    program, names = exact.program if is_exact else theory.program
    names.activations(sorted(functions))
    mapping, step = names.mapping(), exact.map if is_exact else isotropic_map(readout.labels, has_width)
    labels = {s.name: mapping[s] for s in program.parameters}
    own = step.names.mapping() | {label: mapping[label] for label in functions}
    what = "What the first batch and the student make of the bulk." if is_exact else \
        "r, c, gamma and rho = sqrt(1 - gamma**2) after one gradient step (Result 3.1)."
    text, steps = write_map("step_parameters", step, own, functions, what, theory.step.proved_parts())
    made, at = (", ".join(labels.get(n, n) for n in of) for of in (step.expressions, theory.step.names))
    fields, fixed = of_spiked.isotropic_fields(theory, program, labels)
    lines = [JUMPS] * bool(theory.student.jumps) + [f"    {made} = step_parameters({at})", *fixed]
    tests = {} if readout.is_half_square else {"alpha0": (
        "(x >= 0.0) & (x < np.inf)", "a finite number >= 0: the population gradient has its own equations")}
    parts = ()
    if is_exact:
        lines += exact.tests(made, labels["noise_variance"])
        parts = exact.parts(mapping, labels)
        fields |= {"internal": exact.internal, "tangent": None, **exact.start(labels)}
    front = ModuleInterface(
        lines=tuple(lines), parts=(text, *parts), steps=tuple(steps), tests=tests,
        falling="lam" if is_exact or not readout.is_ridge else "", slopes=lambda: of_spiked.with_width(write_slopes(
            "step_slopes", step, mapping, labels, functions, theory.step.proved_parts()), theory), **fields)
    what = ("The real network after one gradient step", ", in the limit" * (not has_width)) if is_exact else (
        "One gradient step",)
    title = of_spiked.write_title(theory, *what)
    proved = write_no_step_condition(theory.student, labels["r"], labels["c"]) if readout.is_ridge else {}
    return writer_of(language)(program, names, exact or theory.equations(), title, front,
                             of_spiked.written_functions(theory) | functions, (exact or theory.solver).starts, proved,
                             exact.notes if is_exact else of_spiked.NOTES, has_one_root=not readout.is_ridge,
                             derivatives=derivatives)


def write_no_step_condition(student, r, c):
    """Return the condition of no step, if the mean of the student is proved to be zero there without its parity."""
    z, value = Symbol("z", real=True), Symbol("s", real=True)
    vanishes = is_proved_zero(student, Integer(0), Integer(1), value, z, value)
    return {"student": f"({r} == 0.0 and {c} == 1.0)"} if vanishes else {}


def step_source():
    """Return the source of the map from a gradient step to its spike."""
    step = step_map()
    return write_scalar_map("one_step_parameters", step.moments, step.names.mapping(),
                            "r, c, gamma, rho after one gradient step (Result 3.1), and the error of the means.",
                            step.lowered_outputs, step.lowered_cases, step.decisive)


def exact_source(is_odd):
    """Return the source of ``exact.py`` or ``exact_odd.py``: the kernel of the exact bulk."""
    whose = "odd students" if is_odd else "any student"
    return write_kernel(*exact_ridge(is_odd).program, f"The real network after one gradient step, {whose}, square loss "
                        "(arXiv 2402.04980)")


def writers():
    """Return ``{file name: function}`` for the files in ``generated/one_step/``."""
    return {"exact.py": partial(exact_source, False), "exact_odd.py": partial(exact_source, True)}


# -- modules over the exact bulk --------------------------------------------------------------------------------------


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
    system = ridge().system
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
        of_ridge = exact_ridge(self.is_odd, self.has_width)
        self.bulk = of_ridge.bulk
        self.map = exact_map(self.is_odd, has_width=self.has_width)
        self.internal = tuple(u.name for pair in self.bulk.multipliers.items() for u in pair)
        self.equations = ConvexEquations(self.functions, theory.readout, theory.case, self.bulk)
        self.program = of_ridge.program if self.readout.is_ridge else self.equations.program
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
        system = SquareLoss(bulk).system if self.readout.is_ridge else ConvexEquations(
            self.functions, self.readout, self.equations.case, bulk).system
        return f"{system.with_(functions=self.functions).text()}\n" \
               f"{inner(self.is_odd, self.has_width).text(partial(bind, functions=self.functions))}"

    def tests(self, made, noise):
        """Return lines that refuse a gradient without a direction."""
        return _FINITE.format(made=made, noise=noise).split("\n")
