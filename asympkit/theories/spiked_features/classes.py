r"""Classes of hidden units: spiked features whose units have different spikes (arXiv 2402.04980, appendix D).

They are given as ``units=[(u, c, fraction), ...]``.

Unit i of class a has the weights :math:`w_i+\frac1{\sqrt d}\sum_lu_{a,l}v_l`, the bulk of squared norm :math:`c_a`; a
share :math:`\pi_a` of the units is in the class.  Overlaps are vectors over classes, or matrices
(:math:`Q_{ab}=w_a^\top W_a\Pi W_b^\top w_b/p`, and V beside it), and the channel reads sums over classes.  With rows of
independent directions the conjugates of all overlaps have closed forms, from the determinant of the bulk,

.. math:: W=\sum_a\Bigl[\lambda V_{2,a}-(\pi_a-\tfrac1\beta)\log V_{2,a}+\frac{V_{aa}}{\beta c_aV_{2,a}}\Bigr]
   -\tfrac1\beta\log\det V,

and are not unknowns; the prior is half the derivative of W along (Q, q2), and the cost of the overlaps is

.. math:: \frac1{2\beta}\Bigl[\psi^\top V^{-1}\psi+\sum_{a,l}\frac{\theta_{a,l}^2}{c_aV_{2,a}}\Bigr]
   +\sum_a\frac{m_a^2}{2pV_{2,a}}.

Orthogonal rows have :math:`V_{ab}=\delta_{ab}c_aV_{2,a}` and
:math:`Q_{ab}=\delta_{ab}c_aq_{2,a}-\theta_a\cdot\theta_b`.

The output of a network before its step turns the spike by :math:`\propto-\sum_i\tilde a_iw_i`, so that the units of a
class have the mean projections :math:`-\tau_a/p` on the spike and :math:`\tau_a\gamma/(\rho p)` on the rest of the
target: in predictions :math:`\theta_a` and :math:`\psi_b` move by :math:`-\tau_am_a/p` and
:math:`\frac\gamma{\rho p}\sum_a\tau_aV_{ab}m_a/(c_aV_{2,a})`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from sympy import Integer, Symbol

from ...arguments import check_value, quote
from ...errors import DomainError
from ...nodes import Named
from ..declaration import Parameter
from . import equations as spiked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sympy import Expr


@dataclass(frozen=True)
class UnitClasses:
    """Describe the bulk of several classes of units; it has the interface of :class:`~.equations.Bulk`."""

    #: number of classes, and of projections on the spike
    count: int
    rank: int = 1
    #: whether the rows of the bulk are orthogonal; else their directions are independent
    is_orthogonal: bool = False
    #: whether a finite width includes the effect of an input's norm on the means of all units together
    has_common_mode: bool = True
    #: whether labels depend on that norm
    has_bend: bool = True
    #: whether the output before a step tilts the spike, of one direction
    has_tilt: bool = False

    induced: ClassVar[dict[str, Expr]] = {}
    unknowns: ClassVar[dict[Symbol, Expr]] = {}
    multipliers: ClassVar[dict[Symbol, Symbol]] = {}

    def with_odd_labels(self) -> UnitClasses:
        """Return the same bulk for labels that are independent of the norm of an input."""
        return replace(self, has_bend=False)

    @property
    def projections(self) -> tuple[Symbol, ...]:
        return class_symbols(self.count, self.rank).kappas

    @property
    def along(self) -> Expr:
        return _dot(class_symbols(self.count, self.rank).gammas, self.projections)

    def moments(self, bias: Expr | int = 0) -> SimpleNamespace:
        """Return the conditional moments of the target, and lists of those of the classes."""
        x = class_symbols(self.count, self.rank)
        of_class = [spiked.student_moments(_dot(u, x.kappas) + bias, c, f"_{a}")
                    for a, (u, c) in enumerate(zip(x.u, x.c), 1)]
        return SimpleNamespace(**{name: [m[name] for m in of_class] for name in of_class[0]},
                               **spiked.target_moments(self.along))

    def overlaps(self) -> tuple[dict[tuple[int, int], Expr], dict[tuple[int, int], Expr]]:
        """Return V and Q of pairs of classes, each pair once."""
        x = class_symbols(self.count, self.rank)
        if not self.is_orthogonal:
            return x.V, x.Q
        V = {(a, a): c * V2 for a, (c, V2) in enumerate(zip(x.c, x.V2))}
        Q = {(a, b): (x.c[a] * x.q2[a] if a == b else 0) - _dot(x.theta[a], x.theta[b]) for a, b in x.Q}
        return V, Q

    def prediction(self, s: SimpleNamespace, u: SimpleNamespace,
                   name: Callable[[str, Expr], Expr] = Named) -> SimpleNamespace:
        """Return the law of a prediction at given projections, as :meth:`~.equations.Bulk.prediction`."""
        x, (V, Q) = class_symbols(self.count, self.rank), self.overlaps()
        mean, common, bend = u.mu0, Integer(0), Integer(0)
        inverse_d = s.beta * s.inverse_width
        if self.has_common_mode:
            excess = sum(k**2 for k in x.kappas) - self.rank
            mean = [name(f"mean_{a}", mu0 + c * inverse_d * excess * slope)
                    for a, (mu0, c, slope) in enumerate(zip(u.mu0, x.c, u.dmu0), 1)]
            if not self.is_orthogonal:      # arguments of different units are independent there
                common = 2 * inverse_d * Named("common", _dot(x.c, u.dmu0, x.m)) ** 2
            if self.has_bend:
                bend = Named("bend", inverse_d * _dot(x.c, u.dmu0, x.m))
        strength, T = [_dot(x.kappas, theta) for theta in x.theta], _dot(u.mu1, x.psi)
        if self.has_tilt:
            moved = [s.inverse_width * tilt * m for tilt, m in zip(x.tilt, x.m)]
            strength = [total - s.kappa * less for total, less in zip(strength, moved)]
            ratio = [less / (c * V2) for less, c, V2 in zip(moved, x.c, x.V2)]
            shift = [_dot(ratio, [V[min(a, b), max(a, b)] for a in range(self.count)]) for b in range(self.count)]
            T += x.across * Named("tilted", _dot(u.mu1, shift))
        q1, V1 = ((0, 0) if self.is_orthogonal else (sum(of[a, a] for a in range(self.count)) for of in (x.Q, x.V)))
        return SimpleNamespace(C=Named("C", _dot(mean, x.m) + _dot(u.mu1, strength)), T=T, bend=bend, q1=q1, V1=V1,
                               product=T * u.hz + bend * u.hbend, Q=_form(u.mu1, Q) + _dot(u.mu2sq, x.q2) + common,
                               V=Named("V", _form(u.mu1, V) + _dot(u.mu2sq, x.V2)))

    def norm(self, s: SimpleNamespace) -> Expr:
        """Return the squared norm of the readout."""
        return sum(class_symbols(self.count, self.rank).q2)

    def order_parameters(self, s: SimpleNamespace) -> tuple[Symbol, ...]:
        """Return the unknowns."""
        x = class_symbols(self.count, self.rank)
        pairs = ((), ()) if self.is_orthogonal else (x.V.values(), x.Q.values())
        return (*pairs[0], *x.V2, *pairs[1], *x.q2, *(t for theta in x.theta for t in theta), *x.psi, *x.m)

    def prior(self, s: SimpleNamespace) -> Expr:
        """Return the free energy without its channel term."""
        x, total = class_symbols(self.count, self.rank), Integer(0)
        for a, (c, share, V2, q2) in enumerate(zip(x.c, x.share, x.V2, x.q2)):
            norm, overlaps = s.lam - share / V2, _dot(x.theta[a], x.theta[a]) / c
            if self.is_orthogonal:
                overlaps += x.psi[a] ** 2 / c
            else:
                norm += (1 - x.V[a, a] / (c * V2)) / (s.beta * V2)
                overlaps += x.Q[a, a] / c
            total += (q2 * norm + (overlaps / s.beta + s.inverse_width * x.m[a] ** 2) / V2) / 2
        if self.is_orthogonal:
            return total
        rest = {(a, b): Q - x.psi[a] * x.psi[b] for (a, b), Q in x.Q.items()}
        return total - trace_of_quotient(x.V, rest) / (2 * s.beta)

    @property
    def program_parameters(self) -> tuple[Symbol, ...]:
        """Return the parameters of a program, in the order of a kernel."""
        s, x = spiked.symbols(), class_symbols(self.count, self.rank)
        strengths, shares = tuple(e for u in x.u for e in u), x.share if self.count > 1 else ()
        return (s.alpha, s.beta, s.lam, s.noise_variance, *strengths, *x.c, *shares, *x.gammas, s.rho, s.inverse_width,
                *((*x.tilt, x.across) if self.has_tilt else ()))


def bulk_of_rows(rows: str, has_width: bool) -> spiked.Bulk | UnitClasses:
    """Return the bulk of one class of units: rows on the sphere, of independent entries, or orthogonal."""
    if rows == "orthogonal":
        return UnitClasses(1, is_orthogonal=True)
    bulk = spiked.isotropic(has_width)
    if rows == "sphere":
        return bulk
    # norms of rows fluctuate, by 2*c**2/d, whatever the directions are
    return replace(bulk, kernel={**bulk.kernel, "xx": 2 * spiked.symbols().c**2 * bulk.inverse})


@cache
def class_symbols(count: int, rank: int) -> SimpleNamespace:
    """Return the symbols of several classes: lists over classes, and over directions of the spike.

    Names of a class end in its number, those of a direction have one before it, where there are several.
    """
    s, pairs = spiked.symbols(), [*combinations_with_replacement(range(count), 2)]
    classes = [f"_{a}" for a in range(1, count + 1)] if count > 1 else [""]
    directions = [str(k) for k in range(1, rank + 1)] if rank > 1 else [""]

    def each(name, **known):
        return [Symbol(name + a, **known) for a in classes]

    def along(name):
        return [[Symbol(name + k + a, real=True) for k in directions] for a in classes]

    def matrix(name):
        ends = {(a, b): f"_{a + 1}{b + 1}" if count > 1 else "" for a, b in pairs}
        return {(a, b): Symbol(name + end, positive=a == b or None, real=True) for (a, b), end in ends.items()}

    return SimpleNamespace(
        V=matrix("V1"), Q=matrix("q1"), V2=each("V2", positive=True), q2=each("q2", positive=True),
        m=each("m", real=True), psi=each("psi", real=True), theta=along("theta"), c=each("c", positive=True),
        tilt=each("tilt", real=True), across=Symbol("across", real=True),
        share=each("fraction", positive=True) if count > 1 else [Integer(1)],
        u=along("r" if rank == 1 and count == 1 else "u"),
        kappas=tuple(Symbol(f"kappa{k}", real=True) for k in directions) if rank > 1 else (s.kappa,),
        gammas=tuple(Symbol(f"gamma{k}", real=True) for k in directions) if rank > 1 else (s.gamma,))


def trace_of_quotient(V: dict[tuple[int, int], Expr], N: dict[tuple[int, int], Expr]) -> Expr:
    r"""Return :math:`\operatorname{Tr}V^{-1}N` of symmetric matrices, each entry given once, by elimination.

    With the first row and column eliminated the rest of N becomes
    :math:`N_{bc}-(N_{ab}V_{ac}+V_{ab}N_{ac})/V_{aa}+V_{ab}V_{ac}N_{aa}/V_{aa}^2`.
    """
    total = Integer(0)
    while V:
        (a, _), pivot = next(iter(V.items()))
        total += N[a, a] / pivot
        share = {b: V[a, b] / pivot for b in {b for _, b in V} - {a}}
        V, N = ({(b, c): e for (b, c), e in of.items() if a not in (b, c)} for of in (
            {k: _eliminate("S", a, k, e, V[a, k[1]] * share[k[0]]) if a not in k else e for k, e in V.items()},
            {k: _eliminate("N", a, k, e, N[a, k[0]] * share[k[1]] + N[a, k[1]] * share[k[0]]
                           - N[a, a] * share[k[0]] * share[k[1]]) if a not in k else e for k, e in N.items()}))
    return total


def _eliminate(name, step, pair, entry, less):
    """Return an entry of the rest of a matrix, with a name."""
    return Named(f"{name}{step + 1}_{pair[0] + 1}{pair[1] + 1}", entry - less)


def _dot(*factors):
    """Return the sum over classes of products."""
    total = Integer(0)
    for terms in zip(*factors, strict=True):
        product = Integer(1)
        for t in terms:
            product *= t
        total += product
    return total


def _form(x, matrix):
    """Return a quadratic form, entries of whose matrix are given once."""
    return sum(((1 if a == b else 2) * x[a] * x[b] * e for (a, b), e in matrix.items()), Integer(0))


# -- what is given ----------------------------------------------------------------------------------------------------

#: the most directions of a spike: averages are over all projections on it together
LARGEST_RANK = 3


class UnitClass(NamedTuple):
    """Hold one class of units: strengths of the spike in each direction, squared norm of the bulk, and share."""

    u: tuple[Fraction, ...]
    c: Fraction
    fraction: Fraction


def read_units(value: Any) -> tuple[UnitClass, ...]:
    """Return classes of units as exact numbers (of a float its shortest decimal text); the shares sum to 1.

    DomainError for anything but a list of (u, c, fraction) whose u have one length, up to three.
    """
    expected = "expected a list of (u, c, fraction), u a number or a tuple of up to three, c and fraction positive"
    try:
        found = [UnitClass(tuple(_exact("u", e) for e in (u if isinstance(u, list | tuple | np.ndarray) else (u,))),
                           _exact("c", c, "positive"), _exact("fraction", fraction, "positive"))
                 for u, c, fraction in value]
    except (TypeError, ValueError) as error:
        reason = f" ({error})" if isinstance(error, DomainError) else ""
        raise DomainError(f"units: got {quote(value)}; {expected}{reason}") from None
    ranks = {len(u) for u, _, _ in found}
    if len(ranks) != 1 or not 1 <= max(ranks) <= LARGEST_RANK:
        raise DomainError(f"units: got {quote(value)}; {expected}, the same number for all")
    total = sum((fraction for _, _, fraction in found), Fraction(0))
    if abs(total - 1) > Fraction(1, 10**12):
        raise DomainError(f"units: got {quote(value)}, whose fractions sum to {float(total):g}; expected 1")
    return tuple(UnitClass(u, c, fraction / total) for u, c, fraction in found)


def merge_equal(units: Sequence[UnitClass], is_odd: bool) -> tuple[UnitClass, ...]:
    """Return the classes with equal ones merged, and for odd students those whose spikes are opposite.

    Such a student turns the sign of the weights of a unit into that of its readout.
    """
    found: dict[tuple[Any, Fraction], Fraction] = {}
    for u, c, fraction in units:
        key = u, c
        opposite = tuple(-e for e in u), c
        if is_odd and key not in found and opposite in found:
            key = opposite
        found[key] = found.get(key, Fraction(0)) + fraction
    return tuple(UnitClass(u, c, fraction) for (u, c), fraction in found.items())


def read_overlap(value: Any, rank: int) -> tuple[Fraction, ...]:
    """Return the overlaps of the target with the directions of the spike as exact numbers."""
    entries = value if isinstance(value, list | tuple | np.ndarray) else (value,)
    if len(entries) != rank:
        raise DomainError(f"gamma: got {quote(value)} with a spike of {rank} directions; expected as many numbers")
    found = tuple(_exact("gamma", e) for e in entries)
    if sum(e * e for e in found) > 1:
        raise DomainError(f"gamma: got {quote(value)}, of length above 1; expected the overlaps of a unit vector")
    return found


def _exact(name, value, domain="real"):
    """Return an exact number, or raise a DomainError."""
    number: float = check_value(name, value, domain)
    if isinstance(value, str | Fraction | int):
        return Fraction(value)
    return Fraction(repr(number))


def read_width(value: Any) -> float:
    """Return a number of units, which may be infinite."""
    number: float = check_value("width", value, "nonnegative or inf")
    if number == 0.0:
        raise DomainError(f"width: got {quote(value)}; expected a positive number, or math.inf")
    return number


class UnitsLayer:
    """Give the equations what they need of the first layer: the classes of units, and the overlap with the target.

    If the student ``is_odd``, classes with opposite spikes are one.
    """

    along = "gamma"

    def __init__(self, bulk: UnitClasses, is_odd: bool) -> None:
        self.classes, self.is_odd = bulk, is_odd
        self.names = ("r", "c", "gamma") if self.is_one else ("units", "gamma")
        self.smooth = self.names if self.is_one else ("gamma",) * (bulk.rank == 1)

    @property
    def is_one(self) -> bool:
        """Return whether there is one class, with a spike of one direction, which is given as r and c."""
        return self.classes.count == self.classes.rank == 1

    @property
    def declared(self) -> tuple[Parameter, ...]:
        """Return the parameters of the layer."""
        rank, one = self.classes.rank, (Parameter("gamma", "overlap of the spike with the target", "[-1, 1]"),)
        if self.is_one:
            return (Parameter("r", "strength of the spike", "real"),
                    Parameter("c", "squared norm of the rows of the bulk", "positive"), *one)
        several = (Parameter("gamma", "overlaps with the target", f"a tuple of {rank} numbers", is_axis=False,
                             read=lambda value: tuple(map(float, read_overlap(value, rank)))),)
        return (Parameter("units", "classes of units: strength of the spike, squared norm of the bulk, and share",
                          "a list of (u, c, fraction)", is_axis=False, read=_shown),
                *(one if rank == 1 else several))

    def read(self, given: Mapping[str, Any]) -> tuple[tuple[UnitClass, ...], tuple[Fraction, ...]]:
        """Return the classes without repetitions, and the overlaps, as exact numbers."""
        units: tuple[UnitClass, ...]
        if self.is_one:
            units = (UnitClass((_exact("r", given["r"]),), _exact("c", given["c"], "positive"), Fraction(1)),)
        else:
            units = merge_equal(read_units(given["units"]), self.is_odd)
        return units, read_overlap(given["gamma"], self.classes.rank)

    def values(self, given: Mapping[str, Any]) -> dict[Symbol, Fraction]:
        """Return the parameters of the equations, with the square of rho in its place."""
        x, (units, gamma) = class_symbols(self.classes.count, self.classes.rank), self.read(given)
        found = {symbol: e for of, u in zip(x.u, units, strict=True) for symbol, e in zip(of, u.u)}
        found |= dict(zip(x.c, (u.c for u in units))) | dict(zip(x.gammas, gamma))
        shares = dict(zip(x.share, (u.fraction for u in units))) if self.classes.count > 1 else {}
        return {**found, **shares, spiked.symbols().rho: 1 - sum(e * e for e in gamma)}

    def floats(self, shown: Mapping[str, Any], parameters: Mapping[str, Any] | None = None,
               digits: int = 0) -> dict[str, float]:
        """Return them in double precision, by name."""
        found = {s.name: float(v) for s, v in self.values(shown).items()}
        return {**found, "rho": math.sqrt(found["rho"]), "inverse_width": 1.0 / shown["width"]}

    def numbers(self, parameters: Mapping[str, Any], numbers: Any, has_width: bool = True) -> dict[Symbol, Any]:
        """Return them in a number system, by symbol."""
        s, width = spiked.symbols(), parameters.get("width", math.inf)
        found = {symbol: numbers.number(v) for symbol, v in self.values(parameters).items()}
        is_limit = read_width(width) == math.inf
        return {**found, s.rho: numbers.sqrt(found[s.rho]),
                s.inverse_width: numbers.number(0) if is_limit else 1 / numbers.number(width)}

    def derivatives(self, parameter: str, shown: Mapping[str, Any]) -> dict[str, float]:
        """Return the derivatives of the parameters of the equations by one of the theory, by name."""
        return spiked.differentiate_layer(parameter, shown["gamma"])

    def describe(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Return the description of the layer for the simulator of spiked features."""
        units, gamma = self.read(shown)
        return {"units": [(tuple(map(float, u)), float(c), float(share)) for u, c, share in units],
                "gamma": tuple(map(float, gamma))}


def _shown(value):
    """Return classes of units as floats, which are printed and compared."""
    return tuple((float(u[0]) if len(u) == 1 else tuple(map(float, u)), float(c), float(fraction))
                 for u, c, fraction in read_units(value))


def as_one_class(found: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with r and c in place of the only class of units, and no width in the limit."""
    if "units" in found:
        if "r" in found or "c" in found:
            raise DomainError("units: given together with r or c, which are those of one class; expected either")
        (u, found["c"], _), *_ = found.pop("units")
        found["r"] = u[0] if isinstance(u, list | tuple | np.ndarray) else u
        if isinstance(found["gamma"], list | tuple):
            (found["gamma"],) = found["gamma"]
        if found.get("width") == math.inf:
            del found["width"]
    return found
