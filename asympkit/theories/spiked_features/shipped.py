"""The generated kernels of spiked features, for every student and target."""

from sympy import Integer, Symbol

from ...codegen import write_kernel, write_module
from .equations import spiked_parameters, spiked_program, spiked_system, symbols

#: how a module solves, once r, c, gamma and rho are known
SOLVED = '''    ((table, weights),), _ = kappa_rule((level,), r, c, gamma, rho, student, target)
    if not direction_error(table, weights, kappa_DIRECTIONS[0], (student, target)) <= 1e-9:
        raise ValueError("the mean of the student is below the rounding of double precision, or too near to it, and "
                         "its direction counts however small it is: asympkit's precise() has the digits")
    values = solve_point(alpha, beta, lam, noise_variance, r, c, gamma, rho, table, weights, 1.0, 1.0, 2, 1e-9, 200)
    return dict(zip(OUTPUTS, values))
'''
_FRONT = '''
def solve(letters, gamma, alpha, lam, beta=1.0, noise_variance=0.0, level=4):
    """Order parameters and errors of spiked features with ``letters=[(r, c, 1)]``, as a dict (arXiv 2402.04980).

    ``level`` is the refinement of the averages: compare two levels for the quadrature error.
    """
    ((r, c, fraction),) = letters
    if fraction != 1 or not c > 0.0 or not -1.0 <= gamma <= 1.0:
        raise ValueError("solve: expected letters=[(r, c, 1)] with c > 0, and gamma from -1 to 1")
    rho = math.sqrt((1.0 - gamma)*(1.0 + gamma))
''' + SOLVED

_TITLE = "Spiked random features, square loss, with the derivatives of everything"


def kernel_source():
    """Source of ``kernel.py``, for spiked features and for one gradient step."""
    from ..one_step.shipped import step_source

    program, names = spiked_program()
    return write_kernel(program, names, "Spiked random features and one gradient step, square loss "
                        "(arXiv 2402.04980)", extra=step_source())


def tangent_source():
    """Source of ``tangent.py``: the kernel with derivatives in any direction."""
    from ...sensitivity.tangent import tangent_program

    parameters = spiked_parameters()
    direction = {s: Symbol(f"rate_{s.name}", real=True) for s in parameters}
    program, names = tangent_program(spiked_system(), parameters, direction)
    return write_kernel(program, names, f"{_TITLE} along a direction (arXiv 2402.04980)")


def lam_source():
    """Source of ``lam.py``: the kernel with derivatives by lam alone, for minimisation."""
    from ...sensitivity.tangent import tangent_program

    program, names = tangent_program(spiked_system(), spiked_parameters(), {symbols().lam: Integer(1)})
    return write_kernel(program, names, f"{_TITLE} by lam (arXiv 2402.04980)")


def module_source(student, target):
    """Source of a standalone module for one student and target."""
    program, names = spiked_program()
    title = f"Spiked random features, student {student.name}, target {target.name}, square loss (arXiv 2402.04980)"
    return write_module(program, names, title, {"student": student, "target": target}, extra=_FRONT.strip("\n"))


def sources():
    """``{file name: text}`` of the modules in ``generated/spiked_features/``, and of the equations in LaTeX."""
    return {"kernel.py": kernel_source(), "lam.py": lam_source(), "tangent.py": tangent_source(),
            "equations.tex": spiked_system().latex() + "\n"}
