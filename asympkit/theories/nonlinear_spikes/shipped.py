"""The generated modules of the nonlinear spikes: for all activations, and for one student and target."""

from dataclasses import replace

from sympy import Symbol

from ...codegen import write_kernel, write_module
from ...codegen.tables import write_scalar_map
from .equations import limit_parameters, limit_program, limit_system, symbols
from .finite_equations import finite_program
from .moments import moment_map

__all__ = ["RATES", "module_source", "sources"]

#: parameters that a derivative can be taken by
RATES = ("phi", "psi", "lam", "noise_variance")

_TITLE = "Nonlinear spikes after a gradient step"
_FRONT = '''
#: what follows from the moments of student and target, by the degree of the spikes
NUMBERS = {{
{rows}
}}


def solve(phi, psi, lam, noise_variance=0.0, degree=2):
    """Traces, errors and gaps of diverging spikes up to a degree, as a dict (arXiv 2310.07891)."""
    values = solve_point(phi, psi, lam, noise_variance, *NUMBERS[degree], 1.0, 2, 1e-9, 200)
    return dict(zip(OUTPUTS, values))
'''


def limit_source():
    """Source of ``kernel.py``: the limit of diverging spikes, for all activations."""
    mapping, names = moment_map()
    moments = write_scalar_map("activation_moments", mapping, names.mapping(),
                               "Hermite coefficients of an activation, the second moment without constant and linear "
                               "part, and the error.")
    return write_kernel(*limit_program(), f"{_TITLE}, diverging spikes (arXiv 2310.07891)", extra=moments)


def tangent_source():
    """Source of ``tangent.py``: the same with derivatives in any direction."""
    from ...sensitivity.tangent import tangent_program

    direction = {getattr(symbols(), n): Symbol(f"rate_{n}", real=True) for n in RATES}
    program, names = tangent_program(_renamed(limit_system()), limit_parameters(), direction)
    return write_kernel(program, names, f"{_TITLE}, diverging spikes, with the derivatives of everything along a "
                        "direction (arXiv 2310.07891)")


def _renamed(system):
    """The system with ``dm1`` called ``m1_lam``, and so on: in the tangent ``dm1`` is the rate along the direction."""
    named = {u.name: u for u in system.unknowns}
    other = {named[f"d{n}"]: Symbol(f"{n}_lam", real=True) for n in named if f"d{n}" in named}

    def move(rows):
        return tuple(tuple(e.xreplace(other) if hasattr(e, "xreplace") else e for e in row) for row in rows)

    unknowns, equations = move((system.unknowns, system.equations))
    blocks = [replace(b, unknowns=move((b.unknowns,))[0], torn=move((b.torn,))[0], assignments=move(b.assignments),
                      equations=move(b.equations)) for b in system.blocks]
    return system.with_(unknowns=unknowns, equations=equations, blocks=blocks,
                        observables={n: e.xreplace(other) for n, e in system.observables.items()})


def finite_source():
    """Source of ``finite.py``: a finite step size, for all activations."""
    return write_kernel(*finite_program(), f"{_TITLE}, finite step size (arXiv 2310.07891)")


def module_source(functions, numbers):
    """Source of a standalone module for one student and target.

    Parameters
    ----------
    functions : dict of str to Activation
    numbers : dict of int to sequence of float
        The parameters that follow from their moments, for each degree.
    """
    student, target = (f.name for f in functions.values())
    rows = "\n".join(f"    {degree}: ({', '.join(map(repr, row))})," for degree, row in numbers.items())
    return write_module(*limit_program(), f"{_TITLE}, student {student}, target {target} (arXiv 2310.07891)",
                        extra=_FRONT.format(rows=rows).strip("\n"))


def sources():
    """``{file name: text}`` of the modules in ``generated/nonlinear_spikes/``, and of the equations in LaTeX."""
    return {"kernel.py": limit_source(), "tangent.py": tangent_source(), "finite.py": finite_source(),
            "equations.tex": limit_system().latex() + "\n"}
