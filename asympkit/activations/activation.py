"""The class :class:`Activation`: one function of a real variable in all the forms the package needs.

It is given as a catalogue name, a text in z, or a sympy expression.
"""

from __future__ import annotations

import math
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np
import sympy as sp
from sympy import latex

from ..arguments import check_count
from ..errors import DomainError
from ..once import Deferred, computed_once, exclusive
from ..parsing.expressions import to_text
from ..parsing.reader import Z, expand_named
from ..properties.cells import parity, parity_of_form, split_cells
from ..properties.growth import find_range, growth_of_branch
from ..properties.kinks import check_bounded, check_domain, derivative, jumps, kinks, merge_points, sharp_points
from ..properties.values import Undefined, array_function, float_form, value_at
from .reading import meaning, read_expression, read_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from mpmath import mpf
    from numpy.typing import ArrayLike
    from sympy import Expr, Integer, Symbol

    from ..annotations import ActivationLike, Expression, Floats
    from ..balls.ball import Ball
    from ..properties.growth import Growth

_balls, _closed, _coefficients, _curves, _dual, _gauss, _notation = (Deferred(f"asympkit.{name}") for name in (
    "balls.coefficients", "gauss.closed", "gauss.coefficients", "plot.curves", "gauss.dual", "gauss", "notation"))

V = TypeVar("V")

#: what completion offers
_OFFERED = ("bound", "derivative", "edge_of_chaos", "expr", "gain", "hermite", "hermite_coefficients", "jumps",
            "kernel", "kinks", "name", "parity", "plot", "second_moment", "symbol")
#: where functions are looked at for their size: where a standard normal variable lies, on no lattice
_NEAR = np.array([-2.0, -1.0, -0.4, 0.0, 0.3, 0.9, 2.2])
#: where a function must be real and finite: all the mass of a normal variable, round numbers, at which texts have their
#: poles, among them; two points far out, and two beside 0
_GRID = np.concatenate([np.linspace(-8, 8, 161), [-30.0, 30.0, -0.0137, 0.0137]])


def _decided(method: Callable[[Any], V]) -> Callable[[Any], V]:
    """Compute an attribute by algebra, one thread at a time; :class:`Undefined` never leaves it."""
    alone = exclusive(method)

    @wraps(method)
    def decide(activation):
        try:
            return alone(activation)
        except Undefined:
            raise DomainError(f"cannot decide the {method.__name__} of the activation {activation.name!r:.200}: it has "
                              "no real value of moderate size at a point between its switches; an activation must be "
                              "real and finite on the whole line") from None

    return decide


class Activation:
    """Define an activation function of one real variable.

    Parameters
    ----------
    spec : str, sympy.Expr, callable or Activation
        A catalogue name (``"tanh"``, ``"ReLU"``; ``"elu(0.7)"`` with its parameter), a text in ``z`` or ``x``
        (``"z*erf(z)/2"``), a sympy expression in at most one symbol, or a Python function that makes one of a symbol.
        A bare catalogue name means the catalogue's entry: ``"exp"`` is exp(z/2), ``"exp(z)"`` the exponential.

    Attributes
    ----------
    expr, symbol : sympy.Expr, sympy.Symbol
        The function, in ``symbol = Symbol("z", real=True)``.
    name : str
        The catalogue name, or a text that gives the same activation again.
    parity : {"odd", "even", None}
        Decided exactly, up to values at jumps; the zero function is even.
    kinks : tuple
        Points where the function is not analytic, ascending, as sympy numbers.
    kinks_float : tuple of float
        Where rules of quadrature are split: the kinks, and points around features narrower than 1/50.
    jumps : tuple of (location, height)
        Discontinuities; the derivative has a point mass there that ``derivative`` leaves out. One without a
        limit from each side, as that of sin(1/z), raises :class:`DomainError`.
    growth : Growth
        A bound ``|f(z)| <= C (1+|z|)**power * exp(rate*|z| + curvature*z**2)``.
    derivative : Activation
        The derivative where it exists.

    Raises
    ------
    ParseError
        If a text is not in the grammar (:class:`UnknownNameError` for an unknown name).
    DomainError
        If the function is not real and finite on the whole line.

    Examples
    --------
    >>> act = Activation("z*erf(z)/2")
    >>> act.parity
    'even'
    >>> Activation("relu").kinks
    (0,)
    """

    _form: Expr

    def __init__(self, spec: ActivationLike) -> None:
        if isinstance(spec, Activation):
            self._form, self.__dict__["name"] = spec._form, spec.name
            return
        dropped: tuple[Expr, ...] = ()
        if isinstance(spec, str):
            self.__dict__["name"], self._form, dropped = read_text(spec)
        else:
            self._form = read_expression(spec)
        if dropped or self._range is None:         # it is not certain that the function is real and finite
            self._check_numbers(self._form, np.isfinite)
            for form in dropped:                   # a quotient that sympy cancels may be infinite at a point
                self._check_numbers(form, lambda values: ~np.isnan(values))
            self._check_symbols()

    @classmethod
    def _from_form(cls, form, name=None):
        self = object.__new__(cls)
        self._form = form
        if name is not None:
            self.__dict__["name"] = name
        return self

    @computed_once
    def name(self) -> str:
        return to_text(self._form)

    # -- floating point ------------------------------------------------------------------------------

    def __call__(self, x: ArrayLike) -> Any:
        """Return values at ``x`` (array or scalar) as float64; no floating-point warning is ever raised."""
        if type(x) is not np.ndarray or x.dtype != np.float64:
            x = np.asarray(x)
            if x.dtype.kind not in "fiub":
                raise DomainError(f"activation {self.name!r} needs real numbers, got an array of type {x.dtype}")
            x = x.astype(np.float64, copy=False)
        result = self._function(x)
        if result.size and np.isnan(result.max()) and np.any(lost := np.isnan(result) & np.isfinite(x)):
            # Quotients of overflowing terms; multiple precision has no overflow.
            result = np.array(result)
            result[lost] = [self._value(point) for point in x[lost]]
        return result[()]

    def _value(self, point):
        try:
            return float(value_at(self.float_form, Z, float(point)))
        except Undefined:
            return np.nan

    @computed_once
    def float_form(self) -> Expr:
        """Return an equal expression for floating point: no overflow, full accuracy in the tails."""
        return float_form(self._form)

    @computed_once
    def _function(self):
        return array_function(self._form, [Z])

    @computed_once
    def size(self) -> float:
        """Return the largest absolute value at a few places near the origin."""
        return float(np.abs(self(_NEAR)).max())

    @computed_once
    def bound(self) -> float:
        """Bound the absolute value from above; infinite where interval arithmetic shows no bound."""
        return math.inf if self._range is None else max(-self._range[0], self._range[1])

    # -- symbolic ------------------------------------------------------------------------------------

    @property
    def symbol(self) -> Symbol:
        return Z

    @computed_once
    def expr(self) -> Expr:
        return expand_named(self._form)

    @computed_once
    def _range(self):
        """Return (low, high) of all values where interval arithmetic shows that the function is real and finite, or
        None."""
        return find_range(self.expr)

    @computed_once
    @_decided
    def parity(self) -> Literal["odd", "even"] | None:
        return parity(self.expr, Z)

    @computed_once
    def form_parity(self) -> int:
        """Return 1 or -1 if the form of the function shows that it is even or odd, else 0."""
        return parity_of_form(self.expr, Z)

    @computed_once
    @_decided
    def kinks(self) -> tuple[Expr, ...]:
        return kinks(self.expr, Z)

    @computed_once
    @_decided
    def kinks_float(self) -> tuple[float, ...]:
        return merge_points([*map(float, self.kinks), *sharp_points(self.expr, Z)])

    @computed_once
    @_decided
    def jumps(self) -> tuple[tuple[Expr, Expr], ...]:
        return jumps(self.expr, Z, self.kinks)

    @computed_once
    @_decided
    def growth(self) -> Growth:
        check_bounded(self.expr, Z, self.name)
        cells = split_cells(self.expr, Z)
        return growth_of_branch(cells[0].formula, Z, -1).worst(growth_of_branch(cells[-1].formula, Z, +1))

    @computed_once
    def derivative(self) -> Activation:
        return Activation._from_form(derivative(self.expr, Z))

    def require_second_moment(self, variance: float = 1.0) -> None:
        """Raise :class:`DomainError` unless ``E[f(g)**2]`` is finite for g ~ N(0, variance)."""
        if self.bound < math.inf:
            return
        growth = self.growth
        if not growth.finite_second_moment(variance):
            raise DomainError(f"the activation {self.name!r} grows like exp({growth.curvature:g}*z**2): its "
                              f"second moment under a Gaussian of variance {float(variance):g} is infinite; "
                              f"the coefficient of z**2 must be below {0.25 / float(variance):g}")

    # -- Gaussian calculus ---------------------------------------------------------------------------

    def hermite(self, k: int | Integer | Symbol) -> Expr:
        """Return the Hermite coefficient ``c_k = E[f(z) He_k(z)]/k!`` as a sympy expression.

        Parameters
        ----------
        k : int or Symbol
            With a symbol, a formula for every integer ``k >= 0`` where the rules know one; otherwise an
            average in which a number may be put for k and which ``doit()`` then closes where possible.

        Returns
        -------
        Expr
            In closed form where one is known, else an average, with ``evalf(digits)``.

        Raises
        ------
        DomainError
            For a k that is no number of a coefficient.
        """
        if not isinstance(k, int | sp.Integer | sp.Symbol) or k is True or (not isinstance(k, sp.Symbol) and k < 0):
            raise DomainError(f"k: got {k!r}; expected a non-negative integer or a symbol")
        if k == self.symbol:
            raise DomainError(f"k: got {k!r}, the variable of the activation itself; use another symbol")
        if isinstance(k, sp.Symbol):
            closed = _closed.hermite_sequence(self.expr, self.symbol, k)
            if closed is not None:
                return closed
        return (_gauss.E(self.expr * sp.hermite_prob(k, self.symbol), self.symbol) / sp.factorial(k)).doit()

    @overload
    def hermite_coefficients(self, n: int, digits: None = None, certified: Literal[False] = False,
                             growth: None = None) -> Floats: ...

    @overload
    def hermite_coefficients(self, n: int, digits: int, certified: Literal[False] = False,
                             growth: None = None) -> list[mpf]: ...

    @overload
    def hermite_coefficients(self, n: int, digits: int | None = None, *, certified: Literal[True],
                             growth: str | Expression | None = None) -> list[Ball]: ...

    def hermite_coefficients(self, n: int, digits: int | None = None, certified: bool = False,
                             growth: str | Expression | None = None) -> Floats | list[mpf] | list[Ball]:
        """Return the Hermite coefficients ``c_k = E[f(z) He_k(z)]/k!``, so that ``f = sum_k c_k He_k``.

        Parameters
        ----------
        n : int
            The highest degree.
        digits : int, optional
            Correct digits; without it doubles.
        certified : bool
            Prove the digits, 30 unless given; needs the extra ``certify``.
        growth : str or Expr, optional
            A bound of ``|f(z)|`` to assume where no rule proves one, as in :func:`asympkit.enclose`; the balls then
            name it as their hypothesis.

        Returns
        -------
        ndarray, shape (n + 1,), or list
            float64; of ``mpmath.mpf`` with digits; of :class:`asympkit.Ball`, each proved to hold its coefficient.

        Raises
        ------
        DomainError
            Where the average does not exist, or for a growth without ``certified=True``.
        ProofError
            If no bound of f is proved or given.
        """
        if certified:
            return _balls.hermite_balls(self, n, digits, growth)
        _only_certified(growth)
        return _coefficients.hermite_coefficients(self, n, digits)

    @overload
    def second_moment(self, digits: None = None, certified: Literal[False] = False,
                      growth: None = None) -> float: ...

    @overload
    def second_moment(self, digits: int, certified: Literal[False] = False, growth: None = None) -> mpf: ...

    @overload
    def second_moment(self, digits: int | None = None, *, certified: Literal[True],
                      growth: str | Expression | None = None) -> Ball: ...

    def second_moment(self, digits: int | None = None, certified: bool = False,
                      growth: str | Expression | None = None) -> float | mpf | Ball:
        """Return ``E[f(z)**2]`` for z ~ N(0, 1).

        Parameters
        ----------
        digits, certified, growth
            As for :meth:`hermite_coefficients`.

        Returns
        -------
        float, mpmath.mpf or Ball
        """
        if certified:
            return _balls.second_moment_ball(self, digits, growth)
        _only_certified(growth)
        return _coefficients.second_moment(self, digits)

    def gain(self, kind: Literal["std", "rms"] = "std", digits: int | None = None,
             certified: bool = False, exact: bool = False) -> float | mpf | Ball | Expr:
        """Return the factor that gives outputs at z ~ N(0, 1) variance or mean square 1.

        Parameters
        ----------
        kind : {"std", "rms"}
            ``1/std f(z)``, as in networks without normalisation layers (arXiv:2101.08692), or ``1/sqrt(E f(z)**2)``,
            the square root of the weight variance that keeps lengths (arXiv:1502.01852).
        digits, certified
            As for :meth:`hermite_coefficients`.
        exact : bool
            Return an expression, closed where the averages are.

        Returns
        -------
        float, mpmath.mpf, Ball or Expr

        Raises
        ------
        DomainError
            For a function that is constant, or zero.

        Examples
        --------
        >>> round(Activation("relu").gain(), 14)
        1.71285855044966
        >>> Activation("relu").gain("rms", exact=True)
        sqrt(2)
        """
        if exact:
            return _dual.gain_form(self, kind)
        return _balls.gain_ball(self, kind, digits) if certified else _dual.gain(self, kind, digits)

    def kernel(self, rho: ArrayLike | Expr, q1: ArrayLike | Expr = 1, q2: ArrayLike | Expr = 1,
               derivative: int = 0) -> Any:
        """Return the dual kernel ``E f(x) f(y)`` of centred normals x, y, or that of derivatives of f.

        Parameters
        ----------
        rho : float, array or Expr
            Correlation of x and y, from -1 to 1.
        q1, q2 : float, array or Expr
            Their variances.
        derivative : int
            How often both functions are differentiated: 1 gives the factor of neural tangent kernels.

        Returns
        -------
        float, ndarray or Expr
            Of the shape that the numbers broadcast to, right to about 1e-13 of the root of ``E f(x)**2 E f(y)**2``;
            with symbols an expression, closed where a form is known, that :class:`asympkit.Theory` takes as an
            observable and exports. Forms with several kinks (hardtanh, softshrink, relu6) have no value at rho = 1 and
            -1; those of numbers do.

        Raises
        ------
        DomainError
            For numbers outside these domains, or of shapes that do not fit.
        StructureError
            Where a function that is differentiated jumps, and no closed form is known.
        ConvergenceError
            For functions so steep, or oscillations so fast, that double precision or a budget does not resolve them.

        Examples
        --------
        >>> round(Activation("relu").kernel(0.5), 12)
        0.304498890522
        >>> from sympy import symbols
        >>> Activation("sign").kernel(symbols("rho", real=True))
        2*asin(rho)/pi

        References
        ----------
        Cho and Saul (2009) for powers of relu; arXiv:1806.07572 for neural tangent kernels.
        """
        return _dual.kernel(self, rho, q1, q2, derivative)

    def edge_of_chaos(self, bias_variance: float = 0.0, weight_variance: float | None = None) -> dict[str, float]:
        """Return where signals in a deep network of this activation neither merge nor decorrelate.

        Weights have variance ``weight_variance`` / fan-in, biases ``bias_variance``; lengths obey
        ``q -> weight_variance * E f(sqrt(q) z)**2 + bias_variance``, and small distances grow by
        ``chi = weight_variance * E f'(sqrt(q) z)**2`` a layer.

        Parameters
        ----------
        bias_variance : float
        weight_variance : float, optional
            Without it, that of the edge, chi = 1.

        Returns
        -------
        dict
            ``q``, the fixed point that lengths from 1 on reach (NaN where every length is one, as of relu at the edge
            without biases), ``chi``, ``weight_variance``, ``bias_variance``, ``correlation``, to which two inputs of
            this length tend, and ``length_depth``, ``correlation_depth``: the numbers of layers in which distances from
            these shrink by e; infinite at the edge.

        Raises
        ------
        DomainError
            Where lengths reach no such fixed point (at the edge of gelu and silu with small biases they leave it), or
            the function jumps.

        Examples
        --------
        >>> Activation("tanh").edge_of_chaos(0.05)["weight_variance"]
        1.760954639606...

        References
        ----------
        arXiv:1611.01232.
        """
        return _dual.edge_of_chaos(self, bias_variance, weight_variance)

    def plot(self, orders: int = 12, ax: Any = None, **style: Any) -> Any:
        """Draw the function with its kinks and jumps, and the part of ``E[f(z)**2]`` in each Hermite degree.

        Parameters
        ----------
        orders : int
            Highest degree.
        ax : matplotlib axes, optional
            Two, to draw on.
        **style
            Passed to matplotlib, for the function.

        Returns
        -------
        ndarray of two matplotlib axes

        Raises
        ------
        NotAvailableError
            Without matplotlib.
        """
        return _curves.draw_activation(self, check_count("orders", orders, 0), ax, style)

    # -- identity ------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return self.expr == other.expr if isinstance(other, Activation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.expr)

    def __repr__(self) -> str:
        formula = meaning(self.name)
        return _notation.one_screen(f"Activation({self.name!r}{'' if formula is None else f': {formula}'})")

    def __dir__(self) -> list[str]:
        """List what users ask of an activation: completion offers no parts of the engine."""
        return [*_OFFERED]

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle f({latex(self.symbol)}) = {latex(self.expr)}$"

    def __reduce__(self):
        return Activation._from_form, (self._form, self.name)

    # -- checks --------------------------------------------------------------------------------------

    def _check_numbers(self, form, is_fine):
        values = array_function(form, [Z])(_GRID)
        form = expand_named(form)
        for x in _GRID[~is_fine(values)]:
            try:
                value_at(form, Z, float(x))
            except Undefined:
                raise DomainError(f"the activation {self.name!r} has no finite real value at z = {x:g}; an "
                                  "activation must be real and finite on the whole line") from None

    @exclusive
    def _check_symbols(self):
        check_domain(self.expr, Z, self.name)


def shared_activation(spec: ActivationLike) -> Activation:
    """Return the Activation of a theory's argument; theories share those given by the same text, with their caches."""
    if isinstance(spec, Activation):
        return spec
    return _of_text(spec) if isinstance(spec, str) else Activation(spec)


#: one Activation for each text
_of_text = lru_cache(maxsize=16)(Activation)


def _only_certified(growth):
    if growth is not None:
        raise DomainError(f"growth: got {growth!r}; a growth bound only serves proofs: ask for certified=True")
