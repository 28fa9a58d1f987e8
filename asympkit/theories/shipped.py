"""The generated modules that ship with the package, and standalone modules for one pair."""

from sympy import Integer, Symbol

from ..codegen import write_module
from ..codegen.tables import write_scalar_map
from .nonlinear_shipped import nonlinear_sources
from .one_step_parameters import step_map
from .spiked_equations import spiked_parameters, spiked_program, spiked_system, symbols

#: committed examples of standalone modules, file name -> (student, target)
PAIRS = {
    "one_step_tanh_sin.py": ("tanh", "sin"),
    "one_step_erf_relu.py": ("erf(z/sqrt(2))", "relu"),
    "one_step_bump_tanh.py": ("z*exp(-z**2/2)", "tanh"),
}

_FRONT = '''
def solve(eta, alpha0, alpha, lam, beta=1.0, noise_variance=0.0, level=4):
    """Order parameters and errors after one gradient step, as a dict (arXiv 2402.04980).

    ``level`` is the refinement of the averages: compare two levels for the quadrature error.
    """
    r, c, gamma, rho, *_ = one_step_parameters(eta, alpha0, beta, noise_variance, student, target)
    ((table, weights),), _ = kappa_rule((level,), r, c, gamma, rho, student, target)
    if not direction_error(table, weights, kappa_DIRECTIONS[0], (student, target)) <= 1e-9:
        raise ValueError("the mean of the student is below the rounding of double precision, or too near to it, and "
                         "its direction counts however small it is: asympkit's precise() has the digits")
    values = solve_point(alpha, beta, lam, noise_variance, r, c, gamma, rho, table, weights, 1.0, 1.0, 2, 1e-9, 200)
    return dict(zip(OUTPUTS, values))
'''


def kernel_source():
    """Source of ``generated/spiked_features.py``: the kernel for every student and target."""
    program, names = spiked_program()
    return write_module(program, names, "Spiked random features and one gradient step, square loss "
                        "(arXiv 2402.04980)", extra=_step_source())


def tangent_source():
    """Source of ``generated/spiked_features_tangent.py``: the kernel with derivatives in any direction."""
    from ..sensitivity.tangent import tangent_program

    parameters = spiked_parameters()
    direction = {s: Symbol(f"rate_{s.name}", real=True) for s in parameters}
    program, names = tangent_program(spiked_system(), parameters, direction)
    return write_module(program, names, "Spiked random features, square loss, with the derivatives of everything "
                        "along a direction (arXiv 2402.04980)")


def lam_source():
    """Source of ``generated/spiked_features_lam.py``: the kernel with derivatives by lam alone, for minimisation."""
    from ..sensitivity.tangent import tangent_program

    program, names = tangent_program(spiked_system(), spiked_parameters(), {symbols().lam: Integer(1)})
    return write_module(program, names, "Spiked random features, square loss, with the derivatives of everything "
                        "by lam (arXiv 2402.04980)")


def pair_source(student, target):
    """Source of a standalone module for one student and target."""
    program, names = spiked_program()
    title = f"One gradient step, student {student.name}, target {target.name}, square loss (arXiv 2402.04980)"
    return write_module(program, names, title, {"student": student, "target": target}, ("student",),
                        extra=_step_source() + "\n\n\n" + _FRONT.strip("\n"))


def _step_source():
    step = step_map()
    return write_scalar_map("one_step_parameters", step.moments, step.names.mapping(),
                            "r, c, gamma, rho after one gradient step (Result 3.1), and the error of the means.",
                            step.lowered_outputs, step.lowered_cases, step.decisive)


def latex_source():
    """LaTeX of the equations, definitions first."""
    return spiked_system().latex() + "\n"


def sources():
    """``{file name: text}`` of everything in ``generated/``."""
    from ..activations import Activation

    files = {"spiked_features.py": kernel_source(), "spiked_features.tex": latex_source(),
             "spiked_features_lam.py": lam_source(), "spiked_features_tangent.py": tangent_source()}
    for name, (student, target) in PAIRS.items():
        files[name] = pair_source(Activation(student), Activation(target))
    return files | nonlinear_sources()


def write_all(folder):
    """Write everything in ``generated/`` to a folder."""
    from pathlib import Path

    for name, text in sources().items():
        (Path(folder) / name).write_text(text, encoding="utf-8")
