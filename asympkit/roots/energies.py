"""The free energy as a number: lowered with the equations that are its derivatives, as one more observable."""

__all__ = ["Energy"]

#: name of the observable; a theory may have its own of this name, which is not used here
_NAME = "free_energy"


class Energy:
    """The free energy of a theory at its solutions.

    Parameters
    ----------
    model : Model
        With a free energy.
    """

    def __init__(self, model):
        from ..codegen import write_kernel
        from ..program import build
        from ..solve.kernel import Kernel

        known, _ = model.program
        self.model, self.parameters = model, [s.name for s in known.parameters]
        system = model.lowered_system.with_(observables={_NAME: model.applied_free_energy})
        program, names = build(system, known.parameters)
        self.tables = [s.name for s in program.table_parameters]
        self.arrays = [known.arrays.index(n) for n in program.arrays]
        text = write_kernel(program, names, f"Free energy of the theory {model.name!r}", loops=False)
        self.kernel = Kernel.from_source(text, model.kernel.start)

    def at(self, point, solution):
        """Compute the free energy at a solution of a point.

        Raises
        ------
        ConvergenceError
            If its averages are not reached.
        """
        values = dict(zip(self.parameters, point.values))
        start = {u: solution[u] for u in self.kernel.module.TORN}
        activations = tuple(self.model.functions[label] for label in self.kernel.module.ACTIVATIONS)
        found = self.kernel.solve(point.values, tuple({**values, **point.shown}[n] for n in self.tables), activations,
                                  tuple(point.arrays[k] for k in self.arrays), 1e-9, start, point.shown)
        return found.observables[_NAME]
