r"""Means over one normal of proximal steps of the logistic loss, by the trapezoidal rule in the prediction.

Let :math:`f(p)=1/(1+e^p)` and :math:`t=p-Vf(p)`: the proximal step of t is p, without a root.  With
:math:`x=(\pm t-C)/W` a mean over x is the integral over the real line of

.. math:: \varphi(x(p))\,\frac{1+Vf(1-f)}{W}\,F(f,1-f,\tfrac1{1+Vf(1-f)},\Phi(A+Bx),\dots).

*Beside the real line of kappa.* The integrand is holomorphic in C, V, W, A, B for W other than 0, and V with
``Re V >= 0``, where :math:`|1+Vf(1-f)|\ge1`, as :math:`f(1-f)\in(0,\tfrac14]`.  With :math:`\pm t-C=u+iv` and
:math:`1/W^2=c-id` one has :math:`|\varphi(x)|\le e^{-cu^2/2+|duv|+cv^2/2}/\sqrt{2\pi}`,
:math:`|\Phi(z)|\le e^{(\mathrm{Im}z)^2/2}` (shift the path by ``Im z``), :math:`|e^{-z^2/2}|\le
e^{(\mathrm{Im}z)^2/2}`, and :math:`|\mathrm{Im}(A+Bx)|\le\beta_0+\beta_1|u|`; so all is below one Gaussian in u, and
:math:`|1+Vf(1-f)|dp\le(1+|\mathrm{Im}V|/4)|du|`.  The integral converges uniformly: it is holomorphic in kappa.

*Beside the real line of p.* Where ``|Im p| <= s < pi/2``, :math:`\mathrm{Re}f(1-f)\ge0` (it is
:math:`1/(2+2\cosh p)`), so that :math:`|1+Vf(1-f)|\ge1` again, |f| and |1-f| are at most 1, and
:math:`|\mathrm{Im}f|\le\tfrac12\tan(s/2)`.  The rule of step h with all nodes errs by at most
:math:`2\int|F|/(e^{2\pi s/h}-1)`, the integral on ``Im p = s``; the nodes left out are bounded by Gaussian tails, for
x increases with p at least as fast as p/W.
"""

from math import log, pi
from math import sqrt as sqrt_of

import numpy as np
from sympy import Add, Dummy, Integer, Mul, erfc, exp, sqrt

from ..balls.backend import arb
from ..errors import ProofError
from ..numbers.functions.classes import LogisticSlope, SoftPlus
from ..numbers.functions.routines.elementary import logistic_slope_batch
from .forms import MARGIN, ball_function, bound_above, refusal
from .graphs import GROWN, SPARE, Degrees, GaussianMass, Sizes, bound_with_share

_HIGHEST = 1.5                                  # below pi/2
_HEIGHTS = np.geomspace(0.5, 100, 60)           # that are tried, in units of the width of the density there
_MOST = 3000                                    # nodes on either side
_f, _g, _inverse, _P, _E, _Z, _log, _any = (Dummy(n, real=True) for n in ("f", "g", "i", "P", "E", "Z", "L", "any"))


class LogisticMean:
    """An inner sum as one over predictions.

    ``quantities`` are the symbols V, C, W, A and B, the last two None where there is no target; ``forms`` holds under 1
    and -1 the form, in marks and V, of the steps at ``C + W x`` and at ``-(C + W x)``.
    """

    def __init__(self, inner):
        self.shown, (self.x,) = inner, inner.bound
        self.quantities = V, C, W, A, B = self._quantities(inner.integrand)
        steps = {sign: LogisticSlope(V, sign * C + sign * W * self.x) for sign in (1, -1)}
        marks = {}
        if A is not None:
            z = A + B * self.x
            marks = dict.fromkeys(inner.integrand.atoms(erfc), 2 * _P) | {z: _Z} | {
                e: _E for e in inner.integrand.atoms(exp) if (e.args[0] + z**2 / 2).expand() == 0}
        expr = inner.integrand.xreplace(marks)
        parts = dict(zip((1, -1), self._parts(expr, steps[1], steps[-1])))
        self.forms = {sign: self._marked(part, sign, steps[sign]) for sign, part in parts.items()}

    def _refused(self, why):
        return refusal(f"certify: the average {str(self.shown)[:80]} is not one over proximal steps of the logistic "
                       f"loss that is enclosed: {why}; precise() computes digits without a proof")

    def _quantities(self, expr):
        x, zero = self.x, {self.x: Integer(0)}
        found = set()
        for step in expr.atoms(LogisticSlope):
            V, t = step.args
            sign = 1 if t.diff(x).is_Symbol else -1
            found.add((V, (sign * t.xreplace(zero)).expand(), sign * t.diff(x)))
        lines = {(-sqrt(2) * e.args[0]).expand() for e in expr.atoms(erfc)}
        lines |= {(-e.args[0].args[-1].base).expand() for e in expr.atoms(exp)
                  if e.args[0].is_Mul and e.args[0].args[-1].is_Pow and e.args[0].args[-1].exp == 2}
        if len(found) != 1 or len(lines) > 1:
            raise self._refused("there are several steps, or none, or several targets")
        (V, C, W), = found
        A, B = next(((line.xreplace(zero), line.diff(x)) for line in lines), (None, None))
        if not all(q is None or q.is_Symbol for q in (V, C, W, A, B)):
            raise self._refused("arguments are not affine in its variable")
        return V, C, W, A, B

    def _parts(self, expr, plus, minus):
        """Split an integrand into one with the first step alone and one with the second."""
        if not expr.has(minus):
            return expr, Integer(0)
        if not expr.has(plus):
            return Integer(0), expr
        if expr.is_Add:
            rows = [self._parts(a, plus, minus) for a in expr.args]
            return Add(*(p for p, _ in rows)), Add(*(m for _, m in rows))
        mixed = [a for a in expr.args if a.has(plus) and a.has(minus)]
        if not expr.is_Mul or len(mixed) != 1:
            raise self._refused("it multiplies steps of both labels")
        rest = Mul(*(a for a in expr.args if a is not mixed[0]))
        if rest.has(plus) or rest.has(minus):
            raise self._refused("it multiplies steps of both labels")
        return tuple(rest * part for part in self._parts(mixed[0], plus, minus))

    def _marked(self, part, sign, step):
        """Write a part in marks; raise unless it is of the kind that the bounds cover."""
        V, t = step.args
        logs = {e: _log for e in part.atoms(SoftPlus) if (e.args[0] + t + V * step).expand() == 0}
        form = part.xreplace(logs).xreplace({step: _f}).xreplace({1 - _f: _g}).xreplace({V * _g * _f + 1: 1 / _inverse})
        targets = form.xreplace({_P: _any, _E: _any}).diff(_any)
        if form.has(self.x) or targets.has(_any):
            raise self._refused("it holds other functions, or powers of shares of labels")
        if form.xreplace({_E: Integer(0)}).has(_Z) or any(form.diff(m).has(m) for m in (_Z, _log)):
            raise self._refused("it holds powers of the target, or of the loss")
        return form

    def size(self, sizes, C, V, growth):
        """Bound the integrand without the density and the factors of :class:`GaussianMass`.

        C, V and growth bound ``|C|``, ``|V|``, and ``|u|`` without its share of the exponent.
        """
        marks = {_f: 1.0, _g: 1.0, _inverse: 1.0, _P: 1.0, _E: 1.0, _Z: GROWN * (1 + sqrt_of(SPARE)),
                 _log: (3 + C + V + growth) * MARGIN}
        inside = Sizes({**sizes.known, **marks}, sizes.special)
        return inside(self.forms[1]) + inside(self.forms[-1])

    def degree(self, degrees, C, V, W):
        """Return the degree in the outer variable of a polynomial that bounds the mean on the real line."""
        marks = dict.fromkeys((_f, _g, _inverse, _P, _E, _Z), 0)
        inside = Degrees({**degrees.known, **marks, _log: max(C, V, W)}, degrees.special)
        return max(inside(self.forms[1]), inside(self.forms[-1]))


class LogisticNodes:
    """Nodes in the prediction for every node of an outer rule, and the means over them.

    V, C, W, A, B are arrays of balls at the outer nodes; A and B may be None.  ``digits`` are those of means of size 1.
    """

    def __init__(self, V, C, W, A, B, digits):
        count = len(C)
        if not all(v > 0 and w > 0 for v, w in zip(V, W)):
            raise ProofError("certify: the variance of predictions is not proved to be positive at every node; ask for "
                             "more digits")
        self.quantities = V, C, W, A, B
        v, c, w = (np.array([float(b.mid()) for b in row]) for row in (V, C, W))
        b = np.zeros(count) if B is None else np.array([float(x.mid()) for x in B])
        self.log = log(10.0) * (digits + 1) + 3
        size = (1 + SPARE) * (1 + b * b) / (1 - SPARE) / (w * w)
        heights = np.minimum(_HEIGHTS[:, None] / np.sqrt(size) / (1 + v / 4), _HIGHEST)
        shift = heights + v * np.tan(heights / 2) / 2
        steps = 2 * pi * heights / (self.log + shift**2 * size / 2)
        best = np.argmax(steps, axis=0), np.arange(count)
        self.heights, self.steps = heights[best], steps[best]
        self.edge = np.sqrt(2 * self.log / (1 - SPARE)) * w
        self.sides = {sign: self._side(sign, v, c) for sign in (1, -1)}
        self.errors = self._errors()
        if not np.isfinite(self.errors).all():
            raise ProofError("certify: averages over predictions are not enclosed where the features saturate: their "
                             "variance is beyond the working digits there; ask for more digits")

    def _side(self, sign, v, c):
        """Return the nodes of one label, one after the other, and the parts of the integrands there."""
        V, C, W, A, B = self.quantities
        middle, low, high = (t + v * logistic_slope_batch(v, t) for t in (sign * c, sign * c - self.edge,
                                                                          sign * c + self.edge))
        # p changes less than t, which bounds it where doubles cannot resolve the difference
        far = [np.where(self.edge < 1e-6, self.edge, np.abs(end - middle)) for end in (low, high)]
        left, right = (np.ceil(distance / self.steps).astype(int) + 1 for distance in far)
        if max(left.max(), right.max()) > _MOST:
            raise ProofError("certify: an average over predictions needs too many nodes; move the parameters")
        home = np.repeat(np.arange(len(c)), left + right + 1)
        starts = np.concatenate([[0], np.cumsum(left + right + 1)[:-1]])
        place = np.arange(len(home)) - np.repeat(starts + left, left + right + 1)
        step = np.array([arb(h) for h in self.steps.tolist()], dtype=object)
        origin = np.array([_improve_step(arb(m), V_, sign * C_) for m, V_, C_ in zip(middle.tolist(), V, C)],
                          dtype=object)
        p = origin[home] + np.array([arb(k) for k in place.tolist()], dtype=object) * step[home]
        e = _each(lambda q: q.exp(), p)
        f = 1 / (1 + e)
        g = f * e
        rate = 1 + V[home] * f * g
        x = (sign * (p - V[home] * f) - C[home]) / W[home]
        weight = (step / W / (2 * arb.pi()).sqrt())[home] * rate * _each(lambda q: (-(q * q) / 2).exp(), x)
        at = {_f: f, _g: g, _inverse: 1 / rate}
        if A is not None:
            z = A[home] + B[home] * x
            root = arb(2).sqrt()
            at |= {_Z: z, _P: _each(lambda q: (-q / root).erfc() / 2, z), _E: _each(lambda q: (-(q * q) / 2).exp(), z)}
        at[_log] = _each(lambda q: (1 + (-q).exp()).log() if q > 0 else (1 + q.exp()).log() - q, p)
        ends = np.minimum(_below(-sign * x[starts]), _below(sign * x[starts + left + right]))
        return home, starts, weight, at, ends

    def _errors(self):
        """Bound the errors at the outer nodes, of integrands of size 1."""
        V, C, W, A, B = self.quantities
        v, inverse = _above(V), _above(1 / W)
        s = self.heights
        shift = (s + v * np.tan(s / 2) / 2) * MARGIN
        beta = shift * inverse * (np.zeros(len(v)) if B is None else _above(B)) * MARGIN
        stretch = 1 + v / (2 * (1 + np.cos(s))) * MARGIN
        none, c = np.zeros(len(v)), (1 / _above(W) ** 2 / MARGIN, inverse**2 * MARGIN)
        mass = GaussianMass(c, none, shift, (beta, none), inverse, stretch).total
        rule = 2 * mass / np.expm1(np.minimum(2 * pi * s / (self.steps * MARGIN), 700))
        for *_, ends in self.sides.values():
            with np.errstate(all="ignore"):
                tail = np.exp(-(1 - SPARE) * ends**2 / 2) / ((1 - SPARE) * ends * sqrt_of(2 * pi))
            rule = rule + np.where(ends > 1, 2 * (2 + v / 4) * tail, np.inf)
        return rule * MARGIN

    def mean(self, inner, values):
        """Enclose a :class:`LogisticMean` at the outer nodes, at balls of the parameters in it."""
        V, C, W, _, _ = self.quantities
        total = 0
        for sign, (home, starts, weight, at, _) in self.sides.items():
            form = inner.forms[sign]
            if form != 0:
                row = ball_function(form)({**values, **at, inner.quantities[0]: V[home]}) * weight
                total = total + np.add.reduceat(row, starts)
        v = _above(V)
        sizes = Sizes({s: bound_above(values[s]) for s in inner.shown.free_symbols if s in values}
                      | {inner.quantities[0]: v})
        size = inner.size(sizes, _above(C), v, bound_with_share((1 - SPARE) / _above(W) ** 2))
        bound = (self.errors * size * MARGIN).tolist()
        return total + np.array([arb(0, b) for b in bound], dtype=object)


def _improve_step(p, V, t):
    """Improve the proximal step of t by Newton's method from double precision."""
    for _ in range(2):
        f = 1 / (1 + p.exp())
        p = (p - (p - V * f - t) / (1 + V * f * (1 - f))).mid()
    return p


def _each(function, x):
    return np.frompyfunc(function, 1, 1)(x)


def _above(row):
    return np.array([bound_above(b) for b in row])


def _below(row):
    """Return floats not above real balls."""
    return np.array([float(b.lower()) for b in row]) - 1e-14 * np.abs(np.array([float(b.mid()) for b in row]))
