"""Ridge regression on features: the committed kernels of the square loss, and its limit without a penalty."""

import math
from functools import cache, partial

import numpy as np

from ...once import Deferred, computed_once
from ...solve.kernel import Kernel, SolverOptions
from ..ridge.ridgeless import Ridgeless, is_affine

_complex_step = Deferred("asympkit.sensitivity.complex_step")
_run = Deferred("asympkit.sensitivity.run")
_equations = Deferred("asympkit.theories.spiked_features.equations")

#: powers of the penalty that quantities scale with, with fewer samples than features; over any bulk, at any width
_FEWER = {**dict.fromkeys(("V1", "V2"), -1),
          **dict.fromkeys(("Vhat1", "Vhat2", "thetahat", "psihat", "psi0hat", "chihat", "bhat", "uhat", "what"), 1),
          **dict.fromkeys(("qhat1", "qhat2", "train_error"), 2), "objective": 1}
#: a penalty below this one stands for no penalty
_SMALL = 1e-30


class LossSolver:
    """Base of solvers: equations of a loss over a bulk for one student and target.

    Subclasses have the ``channel``, whose free energy is differentiated, and the ``kernel``.
    """

    limit = None
    #: default number of digits of a check
    digits = 40
    #: whether a path follows all iteration variables
    is_torn_path = False
    #: parameters of the kernel that are square roots
    roots: tuple[str, ...] = ()

    @property
    def lowered_system(self):
        return self.channel.system

    @computed_once
    def system(self):
        return self.lowered_system.with_(functions=self.functions)

    @property
    def program(self):
        return self.channel.program

    def tangent(self, rates, point):
        """Return the tangent system in a direction of the parameters."""
        of_point, of_table = ([rates.get(n, 0.0) for n in names] for names in (
            self.kernel.module.PARAMETERS, self.kernel.module.TABLE_PARAMETERS))
        return _run.Tangent(self._tangent_kernel, (*point.values, *of_point), (*point.table_parameters, *of_table))

    @computed_once
    def _tangent_kernel(self):
        return _run.tangent_kernel(_complex_step.ComplexStep(self.kernel.module, self.roots), self)

    def check_digits_are_there(self):
        """Raise for averages that take hours in multiprecision."""

    def check_proofs_are_there(self):
        """Raise for averages that no proved quadrature rule covers."""


class RidgeEquations(LossSolver):
    """Solve the square loss of regression labels over an isotropic bulk; all students and targets share the kernels."""

    #: starts of an exported module
    starts = ({"V1": 1.0, "V2": 1.0},)

    def __init__(self, functions, has_width):
        self.functions, self.has_width = functions, has_width

    @property
    def channel(self):
        return _equations.ridge(self.has_width)

    @property
    def kernel(self):
        return isotropic_kernel(self.has_width)

    @computed_once
    def limit(self):
        """Return the limit without a penalty."""
        student = self.functions["student"]
        size = student.size**2
        return Ridgeless(partial(_excess, student), _FEWER, size=size if 0.0 < size < math.inf else 1.0, lost=_lost,
                         unknown=f"the linear student {student.name!r}, more samples than d and at least d features, "
                                 "which leave its readout undetermined")

    def tangent(self, rates, point):
        if rates == {"lam": 1.0} and not self.has_width:
            return _run.Tangent(self._lam_kernel, point.values)
        return super().tangent(rates, point)

    @computed_once
    def _lam_kernel(self):
        from ...generated.spiked_features import lam
        return _run.tangent_kernel(lam, self)


@cache
def isotropic_kernel(has_width=False):
    """Return the kernel over the isotropic bulk, in the limit or at a width."""
    if has_width:
        from ...generated.spiked_features import finite_width as module
    else:
        from ...generated.spiked_features import kernel as module
    return Kernel(module, SolverOptions(guess_start=starts))


def starts(points):
    """Return large starts of V1 and V2 where they diverge, from parameters by name; an empty dict if none does."""
    diverge = points["lam"] < _SMALL
    if not diverge.any():
        return {}
    diverge &= points["alpha"] < points["beta"]
    V = np.where(diverge, 1.0 / points["lam"], 1.0)
    return {"V1": V, "V2": V}


def _excess(student, values, point):
    """Return the excess of samples over independent features.

    Of a linear student at most d features are independent, and if there are more, V2 may have no limit.
    """
    if not is_affine(student):
        return values["alpha"] - values["beta"]
    excess = values["alpha"] - np.minimum(values["beta"], 1.0)
    return np.where((values["beta"] >= 1.0) & (excess > 0.0), np.nan, excess)


def _lost(outputs, values):
    r"""Return by how much the 1 in :math:`1+V` changes the result.

    This is :math:`E[R/(1+V)^2]` over :math:`E[VR/(1+V)^2]`: if a student saturates, V is small at large projections on
    the spike, and the equations may have another limit than without this 1, or none.
    """
    weighed = outputs["V1"] * outputs["qhat1"] + outputs["V2"] * outputs["qhat2"]
    return outputs["train_error"] * values["alpha"] / (values["beta"] * weighed)
