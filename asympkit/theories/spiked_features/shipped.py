"""The generated kernels of spiked features, for every student and target."""

from sympy import Integer, Symbol

from ...codegen import write_module
from .equations import spiked_parameters, spiked_program, spiked_system, symbols

_TITLE = "Spiked random features, square loss, with the derivatives of everything"


def kernel_source():
    """Source of ``kernel.py``, for spiked features and for one gradient step."""
    from ..one_step.shipped import step_source

    program, names = spiked_program()
    return write_module(program, names, "Spiked random features and one gradient step, square loss "
                        "(arXiv 2402.04980)", extra=step_source())


def tangent_source():
    """Source of ``tangent.py``: the kernel with derivatives in any direction."""
    from ...sensitivity.tangent import tangent_program

    parameters = spiked_parameters()
    direction = {s: Symbol(f"rate_{s.name}", real=True) for s in parameters}
    program, names = tangent_program(spiked_system(), parameters, direction)
    return write_module(program, names, f"{_TITLE} along a direction (arXiv 2402.04980)")


def lam_source():
    """Source of ``lam.py``: the kernel with derivatives by lam alone, for minimisation."""
    from ...sensitivity.tangent import tangent_program

    program, names = tangent_program(spiked_system(), spiked_parameters(), {symbols().lam: Integer(1)})
    return write_module(program, names, f"{_TITLE} by lam (arXiv 2402.04980)")


def sources():
    """``{file name: text}`` of the modules in ``generated/spiked_features/``, and of the equations in LaTeX."""
    return {"kernel.py": kernel_source(), "lam.py": lam_source(), "tangent.py": tangent_source(),
            "equations.tex": spiked_system().latex() + "\n"}
