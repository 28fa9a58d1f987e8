"""Write exported modules for one student and target after a gradient step."""

from functools import partial

from sympy import Integer, Symbol

from ...codegen import write_kernel
from ...codegen.tables import write_scalar_map
from ...errors import NotAvailableError
from ...program.directions import is_proved_zero
from ...standalone import ModuleInterface, write_map, write_standalone
from ..spiked_features.codegen_targets import (
    NOTES,
    convex_title,
    get_limit_parameters,
    write_fixed_bias,
    written_functions,
)
from ..spiked_features.equations import spiked_program
from .exact import ExactLayer
from .exact_equations import exact_program
from .parameters import step_map
from .theory import OneStep

#: committed examples, file name -> (student, target)
PAIRS = {
    "tanh_sin.py": ("tanh", "sin"),
}

_REAL = "The real network after one gradient step, {}, square loss"
#: a line of modules for students that jump
JUMPS = '''    require(eta == 0.0 or alpha0 == 0.0, "eta", eta,
            "0: the student jumps, and a gradient step needs a finite E[student'(z)^2]")'''


def module_source(theory):
    """Return the source of an exported module for the student and the target of a :class:`OneStep`."""
    program, names = spiked_program()
    mapping, functions, step = names.mapping(), theory.functions, step_map()
    r, c, gamma, rho, beta, noise = (mapping[s] for n in ("r", "c", "gamma", "rho", "beta", "noise_variance")
                                     for s in program.parameters if s.name == n)
    own = step.names.mapping() | {label: mapping[label] for label in functions}
    text, steps = write_map("step_parameters", step, own, functions, "r, c, gamma and rho = sqrt(1 - gamma**2) "
                            "after one gradient step (Result 3.1).",
                            theory.step.proved_parts())
    lines = [f"    {r}, {c}, {gamma}, {rho} = step_parameters(eta, alpha0, {beta}, {noise})"]
    if theory.student.jumps:
        lines.insert(0, JUMPS)
    front = ModuleInterface(get_limit_parameters(theory), tuple(lines), None, (text,), tuple(steps), ("alpha", "lam"))
    title = f"One gradient step, student {theory.student.name}, target {theory.target.name}, square loss " \
            "(arXiv 2402.04980)"
    return write_standalone(program, names, theory.equations(), title, front, functions, [{"V1": 1.0, "V2": 1.0}],
                            write_no_step_condition(theory.student, r, c), NOTES)


def convex_module_source(theory):
    """Return the source of an exported module for another loss, or signs, of a :class:`OneStep`."""
    if isinstance(theory.layer, ExactLayer):
        raise NotAvailableError("generate: bulk='exact' is exported for the square loss with regression labels alone; "
                                "solve() and the other methods have other losses: expected bulk='isotropic'")
    functions = theory.functions
    program, names = theory.program
    names.activations(sorted(functions))
    mapping, step = names.mapping(), step_map(theory.readout.labels)
    labels = {s.name: mapping[s] for s in program.parameters}
    own = step.names.mapping() | {label: mapping[label] for label in functions}
    text, steps = write_map("step_parameters", step, own, functions, "r, c, gamma and rho = sqrt(1 - gamma**2) "
                            "after one gradient step (Result 3.1).", theory.step.proved_parts())
    made = ", ".join(labels[n] for n in ("r", "c", "gamma", "rho"))
    at = ", ".join(labels.get(n, n) for n in theory.step.names)
    lines = [f"    {made} = step_parameters({at})", *write_fixed_bias(theory, labels)]
    if theory.student.jumps:
        lines.insert(0, JUMPS)
    tests = {} if theory.readout.is_half_square else {"alpha0": (
        "0.0 <= alpha0 < np.inf", "a finite number >= 0: the population gradient has its own equations")}
    front = ModuleInterface(get_limit_parameters(theory), tuple(lines), None, (text,), tuple(steps), ("alpha", "lam"),
                            tests)
    return write_standalone(program, names, theory.equations(), convex_title(theory, "One gradient step"), front,
                            written_functions(theory) | functions, theory.solver.starts, notes=NOTES)


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
    modules = {name: OneStep(*pair).source for name, pair in PAIRS.items()}
    return {**modules, "exact.py": partial(exact_source, False), "exact_odd.py": partial(exact_source, True)}
