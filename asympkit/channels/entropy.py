r"""Define the entropy of a noisy label as a function of the overlap and the noise, in every back end.

A label is :math:`y=f(x)+\sqrt\Delta\epsilon`, its field x a standard normal that is known up to
:math:`x=\sqrt q\,u+\sqrt{1-q}\,z`. With :math:`P(y|\omega)=E_zN(y;f(\omega+\sqrt{1-q}z),\Delta)` the node is

.. math:: \Psi(q,\Delta)=E_u\int dy\,P\log P,\qquad\omega=\sqrt q\,u

and :math:`\partial_q\Psi=\frac12E\int P(\partial_\omega\log P)^2`,
:math:`\partial_q^2\Psi=\frac12E\int P(\partial_\omega^2\log P)^2`; each derivative by :math:`\Delta` in the place of
one by q is one of log P by y, and a sign: P obeys heat equations in both variables. All integrands but the first have
one sign, so that nothing cancels.
"""

from __future__ import annotations

import math
import re
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from sympy import Expr, Float, Function, Integer, Symbol, srepr
from sympy.core.function import ArgumentIndexError

from ..activations import Activation
from ..codegen.expressions import ExpressionPrinter
from ..errors import DomainError, StructureError
from ..nodes.named import as_expression
from ..numbers.evaluation import mp_function
from ..numbers.functions import Entry, entry, register, sources
from ..numbers.functions.classes import real_numbers
from .digits import EntropyInDigits

if TYPE_CHECKING:
    from ..annotations import ActivationLike, Expression

#: where the largest slope of a function is looked for
_PLACES = np.linspace(-3.0, 3.0, 301)

#: the lattices of one function, in loops that numba compiles (``kind`` is empty) and in numpy
_LATTICE = '''
def label_field_{digest}{kind}(step):
    """Return nodes of the field, weights, and labels without noise."""
    nodes, weights = label_field(step, {breaks})
    {values}
    return nodes, weights, values


def label_lattice_{digest}{kind}(i, k, q, D):
    """Return the entropy of a label, i times differentiated by q and k times by D, and steps that resolve it."""
    if not (0.0 <= q < 1.0 and D > 0.0):
        return math.nan, 0.0, 0.0, 0.0
    field, normal, label = label_steps(q, D, {slope})
    for _ in range(20):
        value, missed = label_mean(i, k, q, D, label_field_{digest}{kind}(field),
                                   label_field_{digest}{kind}(2.0 * field), (field, normal, label), {is_even})
        if missed == 0:
            return value, field, normal, label
        field = field * 0.5 if missed % 2 == 1 else field
        normal = normal * 0.5 if missed // 2 % 2 == 1 else normal
        label = label * 0.5 if missed >= 4 else label
    return math.nan, field, normal, label
'''
_VALUES = '''values = np.empty(nodes.size)
    for n in range(nodes.size):
        x = nodes[n]
        values[n] = {f}'''
_VALUES_BATCH = '''x = nodes
    values = {f} + 0.0 * x'''
_TEXT = '''
def label_entropy_{digest}(i, k, q, D):
    """Return the entropy of a label with its sign, i times differentiated by q and k times by D."""
    return label_lattice_{digest}(i, k, q, D)[0]


def label_entropy_{digest}_batch(i, k, q, D):
    """Return the same for arrays."""
    q, D = np.broadcast_arrays(q, D)
    out = np.empty(q.shape)
    for place in np.ndindex(q.shape):
        out[place] = label_lattice_{digest}_batch(i, k, q[place], D[place])[0]
    return out
'''


class LabelEntropyNode(Function):
    """Base of the functions ``(i, k, q, D)`` of one label: the entropy, i times differentiated by q and k by D."""

    nargs = 4
    target: Activation
    #: what legends say of its symbol
    symbol = Symbol("Psi")

    @property
    def described(self) -> str:
        q, D = self.args[2:]
        return (f"E_u of the integral of P*log(P) over y, P = E_z N(y; f(sqrt({q})*u + sqrt(1 - {q})*z), {D}), of "
                f"f = {self.target.name}, with its derivatives")

    def fdiff(self, argindex: int = 1) -> Expr:
        i, k, q, D = self.args
        if argindex < 3:
            raise ArgumentIndexError(self, argindex)
        if i + k == 2:
            raise StructureError(f"LabelEntropy: a third derivative of the entropy of a label of {self.target.name} is "
                                 "needed; there are formulas for two: expected a free energy that is differentiated by "
                                 "the overlap and by parameters once, or equations in its first derivatives")
        return self.func(i + (argindex == 3), k + (argindex == 4), q, D)

    def _eval_is_extended_real(self):
        return True

    _eval_is_real = _eval_is_extended_real

    def _eval_evalf(self, prec):
        found = real_numbers(self.args[2:], prec)
        if found is None:
            return None
        mp, (q, D) = found
        return Float._new(entry(type(self).__name__).at_digits(mp, *map(int, self.args[:2]), q, D)._mpf_, prec)

    def _orders(self):
        return "".join("q" * int(self.args[0]) + "D" * int(self.args[1]))

    def _sympystr(self, printer):
        below = f"_{self._orders()}" if self._orders() else ""
        return f"Psi{below}({', '.join(map(printer._print, self.args[2:]))})"

    def _latex(self, printer, exp=None):
        below = "".join(["q" * int(self.args[0]), r"\Delta" * int(self.args[1])])
        body = rf"\Psi_{{{below}}}" if below else r"\Psi"
        body += "" if exp is None else f"^{{{exp}}}"
        return rf"{body}\left({', '.join(map(printer._print, self.args[2:]))}\right)"


def LabelEntropy(target: ActivationLike, overlap: Expression | float, noise: Expression | float) -> Expr:
    r"""Return the entropy of a noisy label with its sign, as a node for free energies and equations.

    Parameters
    ----------
    target : str, Expr or Activation
        The function f of the label :math:`y=f(x)+\sqrt\Delta\epsilon`.
    overlap : Expr
        The overlap q, in [0, 1), of the field x with what is known of it: :math:`x=\sqrt q\,u+\sqrt{1-q}\,z`.
    noise : Expr
        Its variance :math:`\Delta>0`.

    Returns
    -------
    Expr
        :math:`\Psi(q,\Delta)=E_u\int dy\,P\log P`, with :math:`P=E_zN(y;f(\sqrt q\,u+\sqrt{1-q}\,z),\Delta)`. Its
        derivative by q is half the integral of a ratio of averages, :math:`\frac12E_u\int dy(\partial_\omega P)^2/P`;
        there are derivatives of two orders.

    Raises
    ------
    DomainError
        If the target grows faster than a power, or is infinite somewhere.

    Notes
    -----
    A free energy of a generalised linear model (Barbier et al. 2019) is ``prior(q, qhat) - q*qhat/2 + alpha*Psi``.
    Steps of the lattices are halved until two agree to half of the digits, from where on the error is squared; features
    of f that both step over are not seen. Noise below about 1e-6 of the square of the target's
    range needs lattices beyond memory, and the value is NaN.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import symbols
    >>> q, D = symbols("q Delta", positive=True)
    >>> ak.LabelEntropy("sin", q, D).diff(q)
    Psi_q(q, Delta)
    >>> round(float(ak.LabelEntropy("z", q, D).diff(q).subs({q: 0.5, D: 1}).evalf()), 12)
    0.333333333333
    """
    node = label_entropy_class(Activation(target))
    q, D = as_expression("overlap", overlap), as_expression("noise", noise)
    return node(Integer(0), Integer(0), q, D)


def label_entropy_class(target: Activation) -> type[LabelEntropyNode]:
    """Return the sympy class of one function, registered in the list of functions when first asked for."""
    digest = sha256(srepr(target.expr).encode()).hexdigest()[:12]
    name = f"LabelEntropyOf{digest}"
    if (found := entry(name)) is not None:
        return found.sympy_class
    if (target.growth.curvature, target.growth.rate) > (0.0, 0.0):
        raise DomainError(f"target: got {target.name}, which grows exponentially: its labels have no common lattice; "
                          "expected a function that grows like a power")
    kinks, has_parity = target.kinks_float, target.parity is not None
    slope = float(np.max(np.abs(target.derivative(_PLACES))))
    if not math.isfinite(slope):
        raise DomainError(f"target: got {target.name}, whose slope is infinite: no lattice resolves its labels; "
                          "expected a function of bounded slope")
    shape = {"digest": digest, "slope": slope, "is_even": has_parity,
             "breaks": f"np.array([{', '.join(map(repr, kinks))}])" if kinks else "np.empty(0)"}
    forms = [("", _VALUES), ("_batch", _VALUES_BATCH)]
    forms = [(kind, values.format(f=ExpressionPrinter({target.symbol: "x"}, batch=bool(kind)).source(target.expr)))
             for kind, values in forms]
    text = "\n".join([*(_LATTICE.format(kind=kind, values=values, **shape) for kind, values in forms),
                      _TEXT.format(digest=digest)])
    space = {"math": math, "np": np}
    for source in (*sources(text), text):
        exec(re.sub(r"^(?:from|import) .*\n", "", source, flags=re.MULTILINE), space)      # generated, no user's text
    node = type(name, (LabelEntropyNode,), {"target": target, "__module__": __name__})

    def floats(i, k, q, D):
        with np.errstate(all="ignore"):
            return space[f"label_entropy_{digest}_batch"](i, k, np.asarray(q, float), np.asarray(D, float))

    digits = EntropyInDigits(partial(mp_function, target), target.kinks, has_parity,
                             lambda q, D: space[f"label_lattice_{digest}_batch"](1, 0, q, D)[1:])
    register(Entry(name, f"label_entropy_{digest}", f"label_entropy_{digest}_batch", floats, digits, source=text,
                   arity=4, orders=2, symbol=node, spelling=None))
    node.__reduce_ex__ = lambda self, protocol: (_rebuild, (target, self.args))
    return node


def _rebuild(target, arguments):
    """Rebuild a node in another process."""
    return label_entropy_class(target)(*arguments)
