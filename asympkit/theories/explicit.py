"""Evaluate averages of conditional means at given parameters, in every number system.

All averages share one kernel, and so one pass over the tables of the activations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Symbol

from ..equations.system import System
from ..once import Deferred, computed_once
from ..program import build
from ..solve.kernel import Kernel, SolverOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sympy import Expr

    from ..activations import Activation
    from ..program.names import Names
    from ..program.statements import Program

_codegen, _complex_step = Deferred("asympkit.codegen"), Deferred("asympkit.sensitivity.complex_step")
_tangent = Deferred("asympkit.sensitivity.tangent")

#: size of imaginary parts that stand for derivatives: their squares are far below rounding
TINY = 1e-80


class ConditionalAverages:
    """Hold averages over one normal variable, with averages of activations over others inside, by name.

    Parameters
    ----------
    title : str
    parameters : sequence of Symbol
    expressions : dict of str to Expr

    Examples
    --------
    >>> from sympy import Symbol
    >>> from asympkit.gauss import E
    >>> x, y = Symbol("x", real=True), Symbol("y", real=True)
    >>> square = ConditionalAverages("a square", (y,), {"value": E((x + y) ** 2, x)})
    >>> square.floats({"y": 2.0}, {})
    {'value': 5.0}
    >>> square.floats({"y": 2.0 + 1j * TINY}, {})["value"].imag / TINY
    4.0
    """

    def __init__(self, title: str, parameters: Sequence[Symbol], expressions: Mapping[str, Expr]) -> None:
        self.title, self.parameters, self.names = title, tuple(parameters), tuple(expressions)
        one = Symbol("one", real=True)          # observables are judged by their size before cancellation, unknowns not
        self.system = System((one,), (one - 1,), {f"mean_{name}": e for name, e in expressions.items()})

    @computed_once
    def program_with_names(self) -> tuple[Program, Names]:
        return build(self.system, self.parameters)

    @computed_once
    def kernel(self) -> Kernel:
        source = _codegen.write_kernel(*self.program_with_names, self.title, loops=False)
        names = tuple(self.program_with_names[0].observables)
        return Kernel.from_source(source, SolverOptions(has_units=True, vanishing_outputs=names))

    @computed_once
    def _tangent_kernel(self):
        module = _complex_step.ComplexStep(self.kernel.module)
        rates, sizes = _tangent.rate_names(self.kernel.module, module)
        return Kernel(module, SolverOptions(derivatives=rates, sizes=sizes, has_units=True,
                                            vanishing_outputs=tuple(module.OBSERVABLES)))

    def floats(self, values: Mapping[str, Any], functions: Mapping[str, Activation]) -> dict[str, Any]:
        """Return the averages in double precision, by name.

        Parameters that are complex, with imaginary parts that are tiny, give averages with derivatives times these as
        imaginary parts.

        Raises
        ------
        ConvergenceError
            If an average does not reach twelve digits.
        """
        module, kernel = self.kernel.module, self.kernel
        used = tuple(functions[label] for label in module.ACTIVATIONS)
        at, table = ([complex(values[n]) for n in names] for names in (module.PARAMETERS, module.TABLE_PARAMETERS))
        if not any(v.imag for v in (*at, *table)):
            found = kernel.solve([v.real for v in at], [v.real for v in table], used)
            return {name: float(found[f"mean_{name}"]) for name in self.names}
        kernel = self._tangent_kernel
        both = ((*(v.real for v in side), *(v.imag / TINY for v in side)) for side in (at, table))
        found, rate = kernel.solve(next(both), next(both), used), kernel.options.derivatives
        return {name: complex(found[f"mean_{name}"], TINY * found[rate[f"mean_{name}"]]) for name in self.names}

    def numbers(self, values: Mapping[str, Any], numbers: Any, functions: Mapping[str, Activation]) -> dict[str, Any]:
        """Return the averages in a number system, from numbers by name."""
        program, _ = self.program_with_names
        found = numbers.explicit(program, {s: values[s.name] for s in self.parameters}, functions)
        return {name: found[program.observables[f"mean_{name}"]] for name in self.names}
