r"""The spectral law of the covariance of deep random features: Marchenko-Pastur once more for every layer.

A layer of independent Gaussian weights makes :math:`\Omega_\ell=\kappa_1^2W\Omega_{\ell-1}W^\top+\kappa_*^2`: the free
multiplicative convolution of the law below with Marchenko-Pastur, shifted and rescaled (arXiv 2402.13999).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from sympy import Add, Dummy, Expr, Integer, Rational, Symbol, Tuple, cos, expand, log, nan, pi, sin, sqrt
from sympy.core.sympify import SympifyError, _sympify

from ..arguments import check_count, quote
from ..errors import DomainError
from ..nodes.average import Average
from ..nodes.named import Named
from ..numbers.functions.routines.deep_chain import deep_density_batch
from ..once import computed_once
from ..parsing import parse
from .deep_network import atoms, cube, functions, intervals, levels, moments_behind_layer, parts_of, two_factors
from .law import Angle, ContinuousLaw, close_rational, eliminate_companions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Self

    from ..annotations import Expression


class DeepCovariance(ContinuousLaw):
    r"""Average over the eigenvalues `D` of the covariance of deep random features, in the limit of large sizes.

    :math:`\Omega_\ell=\kappa_1^2W_\ell\Omega_{\ell-1}W_\ell^\top+\kappa_*^2`, the entries of :math:`W_\ell`
    independent normals of variance one over the width below.

    Parameters
    ----------
    D : Symbol
        The eigenvalue.
    layers : sequence of (width, kappa1, kappastar2)
        The first layer first: units over the dimension of the inputs, the slope :math:`\kappa_1` and the variance
        :math:`\kappa_*^2` beside the linear part.
    inputs : Expr, sequence of Expr, or dict of Expr to Expr
        Eigenvalues of the covariance of the inputs, all equally often, or with their shares; 1 unless given.
    conditional : dict, optional
        ``{F: E[F|D]}`` for companions that enter linearly.

    Examples
    --------
    >>> from sympy import Symbol
    >>> D = Symbol("D")
    >>> DeepCovariance(D, [(2, 1, 0), (3, "1/2", "1/4")]).moments(3)
    [1/2, 17/32, 239/256]
    """

    def __new__(cls, D: Symbol, layers: Sequence[Sequence[Expression | float]],
                inputs: Expression | float | Sequence[Expression | float] | Mapping[Any, Any] = 1,
                conditional: Mapping[Symbol, Expr] | None = None) -> Self:
        if not isinstance(D, Symbol):
            raise DomainError(f"D: got {quote(D)}; expected a Symbol, the eigenvalue")
        return super().__new__(cls, D, _layers(layers), _inputs(inputs), _companions(conditional))

    @property
    def bound_symbols(self) -> tuple[Symbol, ...]:
        return (self.args[0], *[p[0] for p in self.args[3]])

    described = "the law DC of a deep covariance, of the widths"

    @property
    def title(self) -> tuple[Any, ...]:
        return "DC", *(layer[0] for layer in self.args[1])

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self.args[1])

    @property
    def numbers(self) -> tuple[Expr, ...]:
        """Width, squared slope and remainder of each layer, then each eigenvalue of the inputs and its share."""
        layers = [x for p, slope, rest in self.args[1] for x in (p, slope**2, rest)]
        return (*layers, *(x for pair in self.args[2] for x in pair))

    @property
    def conditions(self) -> tuple[Expr, ...]:
        own = [x for p, slope, _ in self.args[1] for x in (p, slope**2)]
        return tuple(x for x in (*own, *(w for _, w in self.args[2])) if not x.is_positive)

    # -- means -----------------------------------------------------------------------------------------

    def close(self, integrand: Expr) -> Expr | None:
        return close_rational(integrand, self)

    #: a mean of 1/D is finite or not as edges lie: it is not read off
    has_atom = True

    def log_mean(self, a: Expr, b: Expr) -> Expr:
        """Return ``E log(a D + b)``: the extremum that the chain of levels makes stationary."""
        at, widths = self._levels(a / b), (Integer(1), *self.numbers[:3 * self.depth:3])
        total = Add(*(share * log(1 + at.Vhat[0] * e) for e, share in self.args[2]))
        for k in range(self.depth):
            total = log(1 + at.Vhat[k + 1] * at.K[k]) + widths[k] / widths[k + 1] * (total - at.V[k] * at.Vhat[k])
        return log(b) + total

    def product(self, j: int, factors: Sequence[tuple[Expr, Expr, int]]) -> Expr | None:
        """Return ``E D**j / ((a D + b)**k (c D + d)**n)``; None for more factors, ``j > 2`` or ``k + n > 3``."""
        if len(factors) != 2 or j > 2 or sum(k for _, _, k in factors) > 2 + (self.depth == 1):
            return None
        (a, b, k), (c, d, n) = factors
        y, z = Symbol("y", positive=True), Symbol("z", positive=True)
        value = two_factors(j, (a, y if k > 1 else b), (c, z if n > 1 else d), self)
        for symbol, shift, power in ((y, b, k), (z, d, n)):
            for order in range(1, power):
                value = -value.diff(symbol) / order
            value = value.subs(symbol, shift)
        return value

    def moment(self, j: int, k: int, a: Expr, b: Expr) -> Expr | None:
        r"""Return :math:`E\,D^j/(aD+b)^k` for integers :math:`j\ge0`, :math:`0\le k\le3`; None for larger ones."""
        if k == 0 or a == 0:
            return (self.moments(j)[-1] if j else Integer(1)) / (b**k if k else 1)
        if k > 3:
            return None
        if j > k:    # D^j/(aD+b)^k = (D^{j-1}/(aD+b)^{k-1} - b D^{j-1}/(aD+b)^k) / a
            return (self.moment(j - 1, k - 1, a, b) - b * self.moment(j - 1, k, a, b)) / a
        if k == 3:
            return cube(j, a, b, self)
        if k == 2:
            return two_factors(j, (a, b), (a, b), self)
        top = self._levels(a / b).K[-1]
        return top**j / (a * top + b)

    def resolved(self, integrand: Expr) -> Expr | None:
        """Return the mean over the angle on each interval of the spectrum, and over the point mass.

        The number of intervals depends on the law's numbers: DomainError if these are symbols.
        """
        f = eliminate_companions(integrand, self)
        if f is None:
            return None
        density, edge = functions(self.depth, len(self.args[2]))
        D, theta = self.args[0], Dummy("theta", real=True)
        total = [share * f.subs(D, place) for place, share in self.atoms().items()]
        for ends in self._intervals[1]:
            low, high = (edge(Rational(str(float(y))), *self.numbers) for y in ends)
            half = Named("half", (high - low) / 2)
            place = Named("D", (high + low) / 2 + half * cos(theta))
            weight = Named("weight", pi * half * sin(theta) * density(place, *self.numbers))
            total.append(Average(weight * f.xreplace({D: place}), Angle(theta)))
        return Add(*total)

    def _levels(self, t):
        return levels(Named("t", t), self.numbers, self.depth)

    def sized(self, integrand: Expr) -> Expr:
        """Return the closed mean, or the mean over the two points that have the first three moments."""
        if (closed := self.close(integrand)) is not None:
            return closed
        first, second, third = self.moments(3)
        variance = Named("variance", second - first**2)
        skew = Named("skew", (third - 3 * first * second + 2 * first**3) / (2 * variance))
        reach = Named("reach", sqrt(skew**2 + variance))
        low, high = Named("D", first + skew - reach), Named("D", first + skew + reach)
        integrand = eliminate_companions(integrand, self)
        at_low, at_high = (integrand.xreplace({self.args[0]: x}) for x in (low, high))
        return ((reach + skew) * at_low + (reach - skew) * at_high) / (2 * reach)

    # -- the law itself ----------------------------------------------------------------------------------

    def moments(self, order: int) -> list[Expr]:
        """Return the moments of the eigenvalue: polynomials in the numbers of the law, exact for exact numbers.

        Parameters
        ----------
        order : int
            The highest.

        Returns
        -------
        list of Expr
            Of orders 1 to ``order``.
        """
        check_count("order", order)
        found, below = [Add(*(w * e**n for e, w in self.args[2])) for n in range(1, order + 1)], Integer(1)
        for p, slope, rest in self.args[1]:
            found, below = [expand(m) for m in moments_behind_layer(found, p / below, slope**2, rest)], p
        return found

    def edges(self) -> np.ndarray:
        """Return the intervals of the continuous part of the spectrum, shape (number, 2), in increasing order."""
        return self._intervals[0]

    def atoms(self) -> dict[Expr, Expr]:
        """Return the point masses, ``{eigenvalue: share}``, in the law's numbers: those of matrices of too low a rank.
        """
        self.check_numbers("atoms")
        widths, _, rests, inputs, shares = parts_of(self.depth, self.numbers)
        return atoms(widths, rests, inputs, shares)

    def _density_inside(self, points):
        return deep_density_batch(points, *self._chain)

    @computed_once
    def _chain(self):
        """Return the numbers of the law as floats."""
        self.check_numbers("the support")
        return tuple(tuple(float(x) for x in part) for part in parts_of(self.depth, self.numbers))

    @computed_once
    def _intervals(self):
        return intervals(self._chain)


def _companions(given):
    pairs = given.items() if isinstance(given, Mapping) else () if given is None else given
    try:
        pairs = [tuple(map(_sympify, p)) for p in pairs]
    except (TypeError, SympifyError):
        pairs = [()]
    if any(len(p) != 2 or not isinstance(p[0], Symbol) for p in pairs):
        raise DomainError(f"conditional: got {quote(given)}; expected a dict of symbols and their means given D")
    return Tuple(*(Tuple(*p) for p in pairs))


def _layers(given):
    try:
        layers = [tuple(map(_number, layer)) for layer in given]
    except (TypeError, SympifyError):
        layers = []
    if not layers or any(len(layer) != 3 for layer in layers):
        raise DomainError(f"layers: got {quote(given)}; expected a list of (width, kappa1, kappastar2), the first "
                          "layer first")
    for k, (width, slope, rest) in enumerate(layers, 1):
        if width.is_positive is False or slope.is_zero or slope.is_real is False or rest.is_negative \
                or not all(map(_may_be_real, (width, slope, rest))):
            raise DomainError(f"layers: layer {k} is {(width, slope, rest)}; expected a positive width, a slope kappa1 "
                              "that is not 0, and kappastar2, a variance")
    return Tuple(*(Tuple(*layer) for layer in layers))


def _inputs(given):
    try:
        if isinstance(given, Mapping):
            pairs = [(_number(e), _number(w)) for e, w in given.items()]
        elif isinstance(given, Tuple) and all(isinstance(p, Tuple) for p in given):
            pairs = [tuple(p) for p in given]
        else:
            entries = [_number(e) for e in (given if hasattr(given, "__len__") and not isinstance(given, str)
                                            else [given])]
            pairs = [(e, Integer(entries.count(e)) / len(entries)) for e in dict.fromkeys(entries)]
    except (TypeError, SympifyError):
        pairs = []
    if not pairs or not all(_may_be_real(x) for pair in pairs for x in pair) \
            or any(e.is_negative or w.is_positive is False for e, w in pairs) or all(e.is_zero for e, _ in pairs):
        raise DomainError(f"inputs: got {quote(given)}; expected eigenvalues of a covariance, or a dict of eigenvalues "
                          "and their shares")
    total = Add(*(w for _, w in pairs))
    if total.is_number and abs(total - 1) > 1e-12:
        raise DomainError(f"inputs: the shares sum to {total}; expected 1")
    return Tuple(*(Tuple(*p) for p in pairs))


def _number(x):
    """Convert to a sympy expression; texts are numbers such as 1/3."""
    if isinstance(x, str):
        return parse(x, names=())
    found = _sympify(x)
    if not isinstance(found, Expr):
        raise TypeError(f"{x} is no expression")
    return found


def _may_be_real(x):
    return x.is_real is not False and x.is_finite is not False and x is not nan
