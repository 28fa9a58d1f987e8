"""Write exported modules for one student and target after a gradient step."""

from functools import partial

from sympy import Integer, Symbol

from ...codegen import write_kernel
from ...codegen.tables import write_scalar_map
from ...export import WRITERS, ModuleInterface, write_map, write_slopes
from ...program.symmetry import is_proved_zero
from ..spiked_features.codegen_targets import (
    NOTES,
    isotropic_fields,
    with_width,
    write_title,
    written_functions,
)
from .exact import ExactLayer
from .exact_equations import exact_program
from .exact_module import ExactModule
from .exact_parameters import isotropic_map
from .parameters import step_map
from .step import require_slope

_REAL = "The real network after one gradient step, {}, square loss"
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
    fields, fixed = isotropic_fields(theory, program, labels)
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
        falling="lam" if is_exact or not readout.is_ridge else "", slopes=lambda: with_width(write_slopes(
            "step_slopes", step, mapping, labels, functions, theory.step.proved_parts()), theory), **fields)
    title = write_title(theory, "The real network after one gradient step", ", in the limit" * (not has_width)) \
        if is_exact else write_title(theory, "One gradient step")
    proved = write_no_step_condition(theory.student, labels["r"], labels["c"]) if readout.is_ridge else {}
    return WRITERS[language](program, names, exact or theory.equations(), title, front,
                             written_functions(theory) | functions, (exact or theory.solver).starts, proved,
                             exact.notes if is_exact else NOTES, has_one_root=not readout.is_ridge,
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
    program, names = exact_program(is_odd)
    whose = "odd students" if is_odd else "any student"
    return write_kernel(program, names, f"{_REAL.format(whose)} (arXiv 2402.04980)")


def writers():
    """Return ``{file name: function}`` for the files in ``generated/one_step/``."""
    return {"exact.py": partial(exact_source, False), "exact_odd.py": partial(exact_source, True)}
