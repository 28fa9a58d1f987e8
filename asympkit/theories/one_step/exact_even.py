"""The real network of an even student after one gradient step, in the limit: the bulk does not matter."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from .theory import OneStep

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..declaration import Assumption

__all__ = ["EvenStep"]


class EvenStep(OneStep):
    r"""Solve the exact bulk of an even student with the equations of the isotropic one, which are the same.

    There is no spike, :math:`\mu_1=0`, and so :math:`\hat V_1=0`: :math:`S=\lambda+\hat V_2` whatever the spectrum is.
    The means of the units do not depend on :math:`\kappa`, nor do their derivatives by the norms of rows, which a
    readout of the mean then has at no cost.  What remains is the mean squared norm c, the same for both.
    """

    name = "one step, exact bulk"

    @classmethod
    def of(cls, theory: OneStep) -> EvenStep:
        """Return the theory of the same student and target."""
        model = object.__new__(cls)
        model.functions = theory.functions
        return model

    def regime(self, verb: str, keywords: Mapping[str, Any]) -> EvenStep:
        return self

    @cached_property
    def assumptions(self) -> tuple[Assumption, ...]:  # type: ignore[override]
        """Return no assumptions: nothing is idealised."""
        return ()
