"""Evaluate quantities that follow from others by averages of conditional means, in every number system.

All averages share one kernel, and so one pass over the tables of the activations; the kernel runs on complex numbers
for exact derivatives along a direction.
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
    from ..annotations import Floats
    from ..program.names import Names
    from ..program.statements import Program

_codegen, _complex_step = Deferred("asympkit.codegen"), Deferred("asympkit.sensitivity.complex_step")
_tangent = Deferred("asympkit.sensitivity.tangent")


class ExplicitMap:
    """Map parameters to the values of expressions, which may hold averages over one normal variable of others inside.

    Parameters
    ----------
    title : str
    parameters : sequence of Symbol
    expressions : dict of str to Expr
        Later ones may hold the symbols of earlier ones.

    Examples
    --------
    >>> from sympy import Symbol
    >>> from asympkit.gauss import E
    >>> x, y = Symbol("x", real=True), Symbol("y", real=True)
    >>> square = ExplicitMap("a square", (y,), {"value": E((x + y) ** 2, x)})
    >>> square.floats({"y": 2.0}, {}), square.derivatives({"y": 2.0}, {"y": 1.0}, {})
    ({'value': 5.0}, {'value': 4.0})
    """

    def __init__(self, title: str, parameters: Sequence[Symbol], expressions: Mapping[str, Expr]) -> None:
        self.title, self.parameters = title, tuple(parameters)
        self.names = tuple(expressions)
        one = Symbol("one", real=True)          # observables are judged by their size before cancellation, unknowns not
        self.system = System((one,), (one - 1,), {f"next_{name}": e for name, e in expressions.items()})

    @computed_once
    def program_with_names(self) -> tuple[Program, Names]:
        """Return the program, and its names."""
        return build(self.system, self.parameters)

    @computed_once
    def kernel(self) -> Kernel:
        source = _codegen.write_kernel(*self.program_with_names, self.title, loops=False)
        return Kernel.from_source(source)

    @computed_once
    def _tangent(self):
        module = _complex_step.ComplexStep(self.kernel.module)
        rates, sizes = _tangent.rate_names(self.kernel.module, module)
        return Kernel(module, SolverOptions(derivatives=rates, sizes=sizes))

    def _arguments(self, *values):
        module = self.kernel.module
        return [tuple(float(of.get(n, 0.0)) for of in values for n in names)
                for names in (module.PARAMETERS, module.TABLE_PARAMETERS)]

    def floats(self, values: Mapping[str, float], functions: Mapping[str, Activation]) -> dict[str, float]:
        """Return the values in double precision, by name.

        ConvergenceError if an average does not reach twelve digits.
        """
        found = self.kernel.solve(*self._arguments(values), self._used(functions), (), 1e-12)
        return {name: float(found[f"next_{name}"]) for name in self.names}

    def derivatives(self, values: Mapping[str, float], rates: Mapping[str, float],
                    functions: Mapping[str, Activation]) -> dict[str, float]:
        """Return the derivatives along a direction of the parameters, by name, on the rule on which values settle.

        Derivatives may vanish, and have no scale of their own.
        """
        kernel, of = self._tangent, self._tangent.options.derivatives
        others = [n for n in kernel.module.OUTPUTS if n not in self.kernel.module.OUTPUTS]
        found = kernel.solve(*self._arguments(values, rates), self._used(functions), (), 1e-12, ignored=others)
        return {name: float(found[of[f"next_{name}"]]) for name in self.names}

    def numbers(self, values: Mapping[str, Any], numbers: Any, functions: Mapping[str, Activation]) -> dict[str, Any]:
        """Return the values in a number system, from numbers by name."""
        program, _ = self.program_with_names
        found = numbers.explicit(program, {s: numbers.number(values[s.name]) for s in self.parameters}, functions)
        return {name: numbers.number(found[program.observables[f"next_{name}"]]) for name in self.names}

    def _used(self, functions):
        return tuple(functions[label] for label in self.kernel.module.ACTIVATIONS)
