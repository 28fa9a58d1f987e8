"""Standalone modules for one student and target after a gradient step."""

from ...codegen import write_module
from ...codegen.tables import write_scalar_map
from ..spiked_features.equations import spiked_program
from ..spiked_features.shipped import SOLVED
from .parameters import step_map

#: committed examples, file name -> (student, target)
PAIRS = {
    "tanh_sin.py": ("tanh", "sin"),
    "erf_relu.py": ("erf(z/sqrt(2))", "relu"),
    "bump_tanh.py": ("z*exp(-z**2/2)", "tanh"),
}

_FRONT = '''
def solve(eta, alpha0, alpha, lam, beta=1.0, noise_variance=0.0, level=4):
    """Order parameters and errors after one gradient step, as a dict (arXiv 2402.04980).

    ``level`` is the refinement of the averages: compare two levels for the quadrature error.
    """
    r, c, gamma, rho, *_ = one_step_parameters(eta, alpha0, beta, noise_variance, student, target)
''' + SOLVED


def module_source(student, target):
    """Source of a standalone module for one student and target."""
    program, names = spiked_program()
    title = f"One gradient step, student {student.name}, target {target.name}, square loss (arXiv 2402.04980)"
    return write_module(program, names, title, {"student": student, "target": target}, ("student",),
                        extra=step_source() + "\n\n\n" + _FRONT.strip("\n"))


def step_source():
    """Source of the map from a gradient step to the spike that it makes."""
    step = step_map()
    return write_scalar_map("one_step_parameters", step.moments, step.names.mapping(),
                            "r, c, gamma, rho after one gradient step (Result 3.1), and the error of the means.",
                            step.lowered_outputs, step.lowered_cases, step.decisive)


def sources():
    """``{file name: text}`` of the modules in ``generated/one_step/``."""
    from ...activations import Activation

    return {name: module_source(*map(Activation, pair)) for name, pair in PAIRS.items()}
