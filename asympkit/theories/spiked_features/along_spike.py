"""Methods of theories with a spike: bounds, moments of hidden units, and the function that is learned along it."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from ...arguments import check_numbers
from ...once import Deferred
from ..model import StudentTargetModel

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike
    from sympy import Expr

    from ...annotations import Floats
    from ..theory import Theory

_nodes = Deferred("asympkit.nodes")
_bounds = Deferred("asympkit.theories.spiked_features.bounds")
_convex = Deferred("asympkit.theories.spiked_features.convex")


class AlongSpike(StudentTargetModel):
    """Base of theories of a student and a target whose points have ``r``, ``c`` and ``gamma``."""

    #: names for completion
    offers: tuple[str, ...] = ("bounds", "bounds_theory", "conditional_moments", "learned_coefficients",
                               "learned_function")
    #: the part that has the equations and their kernels
    solver: Any

    @property
    def applied_free_energy(self) -> Expr:
        return self.solver.channel.free_energy

    @property
    def free_energy(self) -> Expr:  # type: ignore[override]     # other theories are given one
        """Return the free energy of this student and target."""
        return _nodes.bind(_convex.expand_tabulated(self.applied_free_energy), self.functions)

    system, lowered_system, program, kernel = (property(attrgetter(f"solver.{part}")) for part in (
        "system", "lowered_system", "program", "kernel"))

    def bounds(self, *, digits: int | None = None, **parameters: Any) -> dict[str, Any]:
        """Bound the test error that the first layer allows, whatever the number of samples ((26)-(28) of the paper).

        Parameters
        ----------
        digits : int, optional
            Return numbers of mpmath with this many digits.
        **parameters : float or array
            Those of the first layer and ``noise_variance``, as for :meth:`solve`; arrays broadcast.  In place of r and
            c, ``units=[(r, c, fraction), ...]`` gives several classes of hidden units, whose fractions do not matter.

        Returns
        -------
        dict
            ``upper``: reached as the penalty grows, so that the best penalty is at least as good (for the square loss
            alone); ``lower``; ``best_linear``: of linear predictors without a constant.  Noise is included. With
            ``bias="learned"`` the least bounds among biases from -4 to 4.

        Raises
        ------
        DomainError
            For ``labels="sign"``.

        Notes
        -----
        The bounds as functions are the theory :attr:`bounds_theory`: ``bounds_theory.minimize("upper", over="r",
        bounds=(0.1, 5))`` is (28).

        Examples
        --------
        >>> import asympkit as ak
        >>> found = ak.SpikedFeatures("tanh", "sin(2*z)").bounds(r=1.2, c=1, gamma=1)
        >>> round(found["upper"], 12), round(found["lower"], 12)
        (0.359483145559, 0.022540425259)
        """
        return _bounds.find_bounds(self, parameters, digits)

    @property
    def bounds_theory(self) -> Theory:
        """Return the bounds for one class of units as a theory in r, c, gamma, noise_variance and bias."""
        return _bounds.bounds_theory(self.student, self.target)

    def learned_function(self, kappa: ArrayLike, across: ArrayLike = 0.0, **parameters: Any) -> Floats:
        r"""Return the mean output of the trained network at projections of an input.

        Parameters
        ----------
        kappa : float or array
            Projection on the spike, :math:`v\cdot x/\sqrt d`.
        across : float or array
            Projection on the rest of the target's direction, :math:`\zeta\cdot x/\sqrt d`, in which the mean is linear
            (at a width, with a square where the norm of an input matters).
        **parameters : float
            As for :meth:`solve`.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import asympkit as ak
        >>> t = ak.SpikedFeatures("tanh", "sin")
        >>> f = t.learned_function([0, 1, 2], r=3, c=1, gamma=1, alpha=3, lam=0.01)
        >>> [round(float(y), 4) for y in f]
        [0.0, 0.8185, 0.8476]
        """
        places = check_numbers("kappa", kappa), check_numbers("across", across)
        return _bounds.learned_function(self, parameters)(*places)

    def learned_coefficients(self, degree: int, **parameters: Any) -> Floats:
        r"""Return Hermite coefficients of the learned function along the spike.

        Parameters
        ----------
        degree : int
            The largest.
        **parameters : float
            As for :meth:`solve`.

        Returns
        -------
        ndarray, shape (degree + 1,)
            :math:`c_k=E[f(\kappa)He_k(\kappa)]/k!`, as :meth:`asympkit.Activation.hermite_coefficients`; those of the
            target along the spike are its own, times :math:`\gamma^k`.
        """
        return _bounds.find_coefficients(self, degree, parameters)

    def conditional_moments(self, kappa: ArrayLike, **parameters: Any) -> dict[str, Floats]:
        r"""Return the moments of a hidden unit at a projection on the spike (Result 3.2).

        Parameters
        ----------
        kappa : float or array
        **parameters : float
            Those of the first layer, as for :meth:`solve`.

        Returns
        -------
        dict of ndarray
            ``mu0``, ``mu1``, ``mu2`` of :math:`\sigma\to\mu_0(\kappa)+\mu_1(\kappa)\,w\cdot x+\mu_2(\kappa)\xi`;
            several classes of units have a first axis of classes.
        """
        return _bounds.find_moments(self, kappa, parameters)
