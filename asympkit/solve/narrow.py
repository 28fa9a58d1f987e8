"""Narrow features of the integrands of a theory, where they are at its solutions."""

import numpy as np

from ..runtime.features import STEPS, find_narrow, may_be_narrow


class NarrowFeatures:
    """The narrow features of the integrands of a module.

    Parameters
    ----------
    module : module
        With a function ``turning(point, found)``, as :func:`asympkit.codegen.turning.write_turning` writes it.
    """

    def __init__(self, module):
        self.turning, self.parameters, self.unknowns = module.turning, module.PARAMETERS, module.UNKNOWNS

    def at(self, values):
        """Find the narrow features at a solution.

        Parameters
        ----------
        values : dict of str to float
            Parameters and unknowns.

        Returns
        -------
        places : list of (float, float)
            Centres and widths of those that nodes of a rule in one variable can be placed around.
        step : float
            The largest step of a rule that meets all others.
        """
        point, found = self._split(values)
        places, others = find_narrow(self.turning, point, found)
        return sorted(set(places)), STEPS * min([np.inf, *(w for _, w in others)])

    def may_be(self, values):
        """Find solutions, arrays by name, at which there may be narrow features; at the others there are none."""
        return may_be_narrow(self.turning, *self._split(values))

    def _split(self, values):
        return tuple(np.array([values[n] for n in names], float) for names in (self.parameters, self.unknowns))
