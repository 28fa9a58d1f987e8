"""List the generated modules of the nonlinear spikes: for all activations, and for one student and target."""

import textwrap

from sympy import Symbol

from ...codegen import write_kernel
from ...codegen.tables import write_scalar_map
from ...export import ModuleInterface, writer_of
from ...sensitivity.tangent import tangent_program
from .equations import finite_program, limit_parameters, limit_program, limit_system, symbols
from .moments import moment_map

#: parameters in which the equations are differentiable
RATES = ("phi", "psi", "lam", "noise_variance")

_TITLE = "Nonlinear spikes after a gradient step"
_NUMBERS = '''
#: what follows from the moments of student and target, by the highest degree of the spikes:
{names}
NUMBERS = {{
{rows}
}}
'''


def limit_tangent():
    """Return the tangent program with its names, and the names of the parameters that move."""
    direction = {getattr(symbols(), n): Symbol(f"rate_{n}", real=True) for n in RATES}
    return *tangent_program(limit_system(), limit_parameters(), direction), RATES


def module_source(theory, language="python", derivatives=False):
    """Return the source of an exported module for one student and target, in the limit of diverging spikes."""
    program, names = limit_program()
    known = textwrap.fill(", ".join(theory.followers), 118, initial_indent="#: ", subsequent_indent="#: ")
    rows = "\n".join(f"    {k}: ({', '.join(repr(theory._numbers(k)[n]) for n in theory.followers)}),"
                     for k in range(theory.top + 1))
    labels = {s.name: names.mapping()[s] for s in program.parameters}
    declared = tuple(p for p in theory.declared if p.name not in ("eta", "n"))
    typed = tuple(labels[p.name] for p in declared if p.name in labels)
    front = ModuleInterface(declared, parameters=(*typed, "*NUMBERS[degree]"),
                  parts=(_NUMBERS.strip("\n").format(names=known, rows=rows),),
                  free=tuple(p.name for p in declared if p.name in labels),
                  tests={"degree": ("np.isin(x, tuple(NUMBERS))", f"an integer from 0 to {theory.top}")},
                  tangent=limit_tangent)
    title = f"{_TITLE}, student {theory.functions['student'].name}, target {theory.functions['target'].name} " \
            "(arXiv 2310.07891)"
    return writer_of(language)(program, names, theory.equations(), title, front, {},
                               [dict.fromkeys((u.name for n in program.newtons for u in n.torn), 1.0)],
                               derivatives=derivatives)


def writers():
    """Return ``{file name: function}`` for the files in ``generated/nonlinear_spikes/``."""
    def limit_source():
        mapping, names = moment_map()
        moments = write_scalar_map("activation_moments", mapping, names.mapping(),
                                   "Hermite coefficients of an activation, the second moment without constant and "
                                   "linear part, and the error.")
        return write_kernel(*limit_program(), f"{_TITLE}, diverging spikes (arXiv 2310.07891)", extra=moments)

    return {"kernel.py": limit_source, "equations.tex": lambda: limit_system().latex() + "\n",
            "finite.py": lambda: write_kernel(*finite_program(), f"{_TITLE}, finite step size (arXiv 2310.07891)")}
