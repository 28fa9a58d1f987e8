r"""Means over the law of a deep covariance, enclosed: integrals along a contour around the spectrum.

All quantities are rational in the lowest penalty y: with :math:`D_0=\sum_js_je_j/(e_j+y)` and :math:`\zeta_0=y`,

.. math::
    \zeta_\ell=\frac{\kappa_1^2}{p_{\ell-1}}\zeta_{\ell-1}(p_\ell-D_{\ell-1})-\kappa_*^2,\qquad
    D_\ell=D_{\ell-1}+\frac{p_{\ell-1}\kappa_*^2}{\kappa_1^2\zeta_{\ell-1}},\qquad
    E\frac1{D+\zeta_L}=\frac{p_{L-1}}{p_L\kappa_1^2\zeta_{L-1}},

so that :math:`E f(D)` is the integral of :math:`f(-\zeta_L)\,E\frac1{D+\zeta_L}\,\zeta_L'/2\pi i` along a polygon
around the poles in the plane of y, symmetric to the real axis. It is proved that:

* It goes around all poles: around minus the inputs' eigenvalues, and where :math:`\kappa_*^2\ne0` in a layer below the
  last around the zeros of the penalty below it, which increases outside (by its signs at the two crossings).
* :math:`\mathrm{Im}\,\zeta_\ell>0` on its upper half for all levels, hence everywhere above the real axis outside: a
  harmonic function there, 0 on the real axis and like Im y at infinity.  The image of the polygon then goes around the
  spectrum once, but for the point mass at :math:`\zeta_{L-1}=0` if that lies beyond it, whose share is 1 minus the
  integral of 1.
* f is analytic on a region that holds the images of ellipses around the sides of the polygon: a rectangle in the plane
  of :math:`\log(x-x_0)`, so that eigenvalues of very different sizes are resolved alike.

On a side a Gauss rule with n nodes errs by at most ``64/15 M r**(-2 n)/(1 - r**-2)``, where M bounds the integrand on
the ellipse with foci in its ends and half-axes of sum r.
"""

from math import ceil, hypot, inf, isfinite, log
from typing import NamedTuple

import numpy as np

from ..balls.analytic import compile_parametric, constant
from ..balls.backend import acb, arb, ctx, workprec
from ..errors import DomainError, ProofError
from ..nodes import remove_names
from ..numbers.functions.routines.deep_chain import chain_above
from ..spectra.deep_network import parts_of
from ..spectra.law import eliminate_companions
from .forms import bound_above, refusal
from .separate import expand_integrand

#: heights of regions that are tried, in the plane of a logarithm, and that of the contour within
_HEIGHTS, _WITHIN = (1.4, 0.8, 0.4, 0.15), 0.4
#: sides of the upper half of the polygon, ellipses around them, and nodes on a side, in steps: means share them
_SIDES, _REACHES, _STEP, _MOST = (8, 16, 32, 64), (4.0, 2.5, 1.7), 12, 2400
#: how often a piece is halved in a proof, a box around a side, and bits of these proofs
_HALVINGS, _SPLITS, _BITS = 10, 3, 80


def contour_mean(average, digits):
    """Enclose one average over a law without free symbols."""
    integrand = eliminate_companions(average.integrand, average.measure)
    if integrand is None:
        raise DomainError(f"certify: {str(average)[:80]} holds companions of the eigenvalue that do not enter "
                          "linearly; expected an integrand in the eigenvalue, or linear in its companions")
    return LawMeans(average.measure, digits).mean(remove_names(integrand), str(average), {})


class ContourSums:
    """Means over the law of a grid, integrands being elementary functions of the eigenvalue.

    ``digits`` is the absolute accuracy, apart from the width that the balls of other symbols bring.
    """

    def __init__(self, grid, digits):
        self._bound, self._means = grid.bound[0], LawMeans(grid.law, digits)

    def sums(self, statement, values):
        """Enclose the sums of a statement, ``{symbol: ball}``."""
        place = {self._bound: self._means.place}
        return {symbol: self._means.mean(expand_integrand(statement, integrand).xreplace(place), note or integrand,
                                         values)
                for symbol, integrand, note in statement.sums}

    def describe(self):
        """Return one sentence on the contours that were proved."""
        return self._means.describe()


class EigenvalueRegion(NamedTuple):
    """Eigenvalues ``origin + exp(w)`` with ``left <= Re w <= right, |Im w| <= height``: none up to the origin."""

    origin: float
    left: float
    right: float
    height: float

    @classmethod
    def around(cls, origin, low, high, height):
        """Make the region around an ellipse in the plane of w that has the ends of the spectrum as foci."""
        left, right = log(low - origin), log(high - origin)
        half = (right - left) / 2
        more = hypot(half, height) - half
        return cls(origin, left - more, right + more, height)

    def holds(self, x):
        """Return whether a ball of eigenvalues is proved to lie inside."""
        w = (x - arb(self.origin)).log(analytic=True)
        return w.is_finite() and w.real > self.left and w.real < self.right and abs(w.imag) < self.height

    def bound(self, f):
        """Bound a function that is real on the real axis; infinite if it is not proved to be analytic."""
        return _largest(lambda w: bound_above(f(arb(self.origin) + w.exp(), True)), (self.left, self.right),
                        (0.0, self.height), _HALVINGS)

    def places(self, low, high, count):
        """Return points along the lower half of an ellipse within, from the left to the right."""
        left, right = log(low - self.origin), log(high - self.origin)
        minor, angles = _WITHIN * self.height, np.linspace(0, np.pi, count + 1)
        major = hypot((right - left) / 2, minor)
        return self.origin + np.exp((left + right) / 2 - major * np.cos(angles) - 1j * minor * np.sin(angles))


class Contour(NamedTuple):
    """A polygon in the plane of the lowest penalty, by the sides of its upper half from one crossing of the real axis
    to the other; the region that holds its image; and whether the point mass lies beyond it."""

    region: EigenvalueRegion
    sides: list
    is_mass_outside: bool


class ContourSide(NamedTuple):
    """One side: its ends, the sum of the half-axes of an ellipse around it (over half its length) on which the image
    stays in the region, and a bound there of the factor of f."""

    start: complex
    end: complex
    reach: float
    size: float

    def at(self, s):
        """Return the point for a parameter from -1 to 1, and half the side."""
        a, b = (acb(v.real, v.imag) for v in (self.start, self.end))
        return (a + b) / 2 + s * (b - a) / 2, (b - a) / 2

    def factor(self, chain, s):
        """Return the eigenvalue at a parameter, and the factor of f in the integral over the parameter."""
        y, half = self.at(s)
        top = chain.top(y)
        return -top.zeta, top.resolvent * top.rate * half

    def node(self, chain, s, weight):
        """Return the eigenvalue and weight of a node."""
        x, factor = self.factor(chain, acb(s))
        return x, factor * weight


class LawMeans:
    """Means over one law, whose numbers hold no symbol, with the contours that were proved for it."""

    def __init__(self, law, digits):
        self.law, self.digits, self.place = law, digits, law.args[0]
        self._contours, self._rules, self._notes = {}, {}, {}

    def mean(self, expr, note, values):
        """Enclose the mean of an expression in the eigenvalue; ``note`` describes it."""
        symbols = expr.free_symbols - {self.place}
        f, bind = compile_parametric(expr, self.place, symbols)
        try:
            bind({s: arb(values[s]) for s in symbols})
            contour, size = self._contour(f, note)
            offset = acb(0)
            if contour.is_mass_outside:         # its share is 1 minus the integral of 1
                offset = f(acb(constant(self.law.numbers[3 * self.law.depth - 1])), False)
        except DomainError as error:
            raise ProofError(f"certify: the average {note} is not enclosed: {error}") from error
        if not offset.is_finite():
            raise refusal(f"certify: the average {note} over a spectral law is not enclosed: its integrand is not "
                          "finite at the point mass of the law")
        total = self._integral(f, offset, contour, size + bound_above(offset), note)
        region, here = contour.region, f"log({self.place} - {contour.region.origin:.4g})"
        self._notes[note] = (f"|f| <= {size:.3g} for {region.left:.4g} <= Re {here} <= {region.right:.4g}, "
                             f"|Im {here}| <= {region.height:.3g}")
        return total

    def describe(self):
        """Return one sentence on the contours that were proved."""
        notes = "; ".join(f"{note}: {text}" for note, text in self._notes.items())
        return f"means over the law of a deep covariance, by contours around its spectrum: {notes}"

    def _integral(self, f, offset, contour, size, note):
        """Integrate along the polygon; its lower half is the reflection of the upper one."""
        needed = (self.digits + 3) * log(10) + max(0.0, log(size + 1e-300))
        total, error = acb(0), arb(0)
        for place, side in enumerate(contour.sides):
            count = _STEP * ceil((needed + max(0.0, log(side.size + 1e-300))) / (2 * log(side.reach)) / _STEP + 1e-9)
            if count > _MOST:
                raise refusal(f"certify: the average {note} over a spectral law needs {count} nodes on a side of its "
                              f"contour, more than {_MOST}; ask for fewer digits")
            for x, weight in self._rule(contour, place, count):
                total += (f(x, False) - offset) * weight
            decay = arb(side.reach)**-2
            error += arb(64) / 15 * arb(size) * arb(side.size) * decay**count / (1 - decay)
        return offset.real + (total.imag + arb(0, error.upper())) / arb.pi()

    def _rule(self, contour, place, count):
        """Return eigenvalues and weights of a Gauss rule on a side; cached, because all means share them."""
        key = contour.region, place, count, ctx.prec
        if key not in self._rules:
            side, chain = contour.sides[place], PenaltyChain(self.law)
            self._rules[key] = [side.node(chain, *arb.legendre_p_root(count, k, weight=True)) for k in range(count)]
        return self._rules[key]

    # -- the contour ---------------------------------------------------------------------------------

    def _contour(self, f, note):
        """Return the widest contour in a region on which a function is analytic, and a bound of the function there."""
        edges = self.law.edges()
        low, high = float(edges[0, 0]), float(edges[-1, 1])
        with workprec(_BITS):
            for origin in self._origins(low, high):
                for height in _HEIGHTS:
                    region = EigenvalueRegion.around(origin, low, high, height)
                    size = region.bound(f)
                    if isfinite(size):
                        if region not in self._contours:
                            self._contours[region] = self._proved(low, high, region)
                        if self._contours[region] is not None:
                            return self._contours[region], size
        raise refusal(f"certify: the average {note} over a spectral law is not enclosed: no contour is proved to go "
                      f"around the spectrum, from {low:.6g} to {high:.6g}, where the integrand is analytic (an edge of "
                      "the law at a singularity of the integrand, or nearly so)")

    def _origins(self, low, high):
        """Return points below the continuous spectrum that contours must stay right of, the usual ones first."""
        masses, wide = [float(x) for x in self.law.atoms()], low - (high - low)
        found = [masses[0], 0.9 * low + 0.1 * masses[0], wide] if masses else [wide, 0.0, 0.9 * low]
        return [x for x in found if x < low]

    def _proved(self, low, high, region):
        """Prove a contour near an ellipse around the spectrum; return None if none is proved."""
        floats, penalties = self.law._chain, self.law._intervals[1]
        chain = PenaltyChain(self.law)
        for count in _SIDES:
            with np.errstate(all="ignore"):
                vertices = _vertices(floats, region.places(low, high, 8 * count), penalties[0, 0], penalties[-1, 1])
            if vertices is None:
                return None
            pairs = list(zip(vertices, vertices[1:]))
            if chain.goes_around(vertices[0].real, vertices[-1].real) and all(
                    chain.is_above(a, b, k in (0, count - 1), _HALVINGS) for k, (a, b) in enumerate(pairs)):
                sides = [chain.side(a, b, region) for a, b in pairs]
                if None not in sides:
                    return Contour(region, sides, not chain.levels(acb(vertices[0].real))[-2][0].real > 0)
        return None


# -- the chain over balls ------------------------------------------------------------------------------


class Top(NamedTuple):
    """Penalty at the top, its derivative in the lowest one, the resolvent there, and the penalty below."""

    zeta: acb
    rate: acb
    resolvent: acb
    before: acb


class PenaltyChain:
    """Penalties of all levels over balls of the lowest one, at the precision in force."""

    def __init__(self, law):
        self.widths, self.slopes, self.remainders, self.inputs, self.shares = (
            [constant(x) for x in part] for part in parts_of(law.depth, law.numbers))

    def levels(self, y):
        """Return the penalty of every level and its derivative, the inputs first."""
        D = sum((s * (1 - y / (e + y)) for e, s in zip(self.inputs, self.shares) if not e.is_zero()), acb(0))
        dD = -sum((s * e / (e + y)**2 for e, s in zip(self.inputs, self.shares) if not e.is_zero()), acb(0))
        zeta, rate, below = acb(y), acb(1), arb(1)
        found = [(zeta, rate)]
        for p, slope, rest in zip(self.widths, self.slopes, self.remainders):
            gain = slope / below
            new = gain * zeta * (p - D) - rest
            new_rate = gain * (rate * (p - D) - zeta * dD)
            if not rest.is_zero():
                D, dD = D + rest / (gain * zeta), dD - rest * rate / (gain * zeta**2)
            zeta, rate, below = new, new_rate, p
            found.append((zeta, rate))
        return found

    def top(self, y):
        """Return the :class:`Top` over a lowest penalty."""
        *_, (before, _), (zeta, rate) = self.levels(y)
        below = self.widths[-2] if len(self.widths) > 1 else arb(1)
        return Top(zeta, rate, below / (self.widths[-1] * self.slopes[-1] * before), before)

    def goes_around(self, right, left):
        """Return whether a contour with these crossings is proved to have all poles inside."""
        seen = [e for e in self.inputs if not e.is_zero()]
        if not all(-left > e and -right < e for e in seen):
            return False
        after, before = self.levels(acb(right)), self.levels(acb(left))
        last = len(self.widths) - 1
        return all(before[k][0].real < 0 and (k == last or after[k][0].real > 0)
                   for k, rest in enumerate(self.remainders) if k == last or not rest.is_zero())

    def is_above(self, start, end, is_last, halvings):
        """Return whether all penalties are proved to have positive imaginary parts on a side."""
        piece = acb(start.real, start.imag).union(acb(end.real, end.imag))
        if all(zeta.imag > 0 for zeta, _ in self.levels(piece)) or (
                is_last and all(rate.real > 0 for _, rate in self.levels(_down(piece)))):
            return True
        middle = (start + end) / 2
        return halvings > 0 and all(self.is_above(a, b, is_last, halvings - 1)
                                    for a, b in ((start, middle), (middle, end)))

    def side(self, start, end, region):
        """Return a :class:`ContourSide` with the largest candidate ellipse that is proved; None if none is."""
        for reach in _REACHES:
            side = ContourSide(start, end, reach, 0.0)
            wide, high = (reach + 1 / reach) / 2, (reach - 1 / reach) / 2

            def size(box, side=side):
                x, factor = side.factor(self, box)
                return bound_above(factor) if region.holds(x) else inf

            found = _largest(size, (-wide, wide), (-high, high), _SPLITS)
            if isfinite(found):
                return side._replace(size=found)
        return None


def _down(piece):
    """Extend a box down to the real axis: where derivatives have positive real parts there, imaginary parts increase
    with that of y from 0."""
    return piece.union(acb(piece.real))


# -- floats --------------------------------------------------------------------------------------------


def _vertices(chain, places, at_low, at_high):
    """Return every eighth of the lowest penalties at places, by Newton's method from one to the next, or None."""
    first, last = (_beyond(chain, -places[k].real, at, side) for k, at, side in ((0, at_low, 1), (-1, at_high, -1)))
    if first is None or last is None:
        return None
    found, y = [complex(first)], complex(first)
    for x in places[1:-1].tolist():
        for _ in range(30):
            zeta, _, _, rate, _ = chain_above(y, *chain)
            step = (zeta + x) / rate
            y -= step
            if abs(step) <= 1e-13 * abs(y):
                break
        else:
            return None
        found.append(y)
    return [*found[::8], complex(last)]


def _beyond(chain, zeta, edge, side):
    """Return the real lowest penalty on a side of an edge with a given one at the top, which increases there."""
    step = max(abs(edge), 1e-6) * 1e-9
    for _ in range(200):
        if side * (chain_above(edge + side * step, *chain)[0] - zeta) >= 0:
            break
        step *= 1.5
    else:
        return None
    near, far = edge, edge + side * step
    for _ in range(100):
        middle = (near + far) / 2
        if side * (chain_above(middle, *chain)[0] - zeta) >= 0:
            far = middle
        else:
            near = middle
    return far if isfinite(far) else None


# -- proofs on boxes -------------------------------------------------------------------------------------


def _largest(size, across, up, halvings):
    """Return the largest of a bound on boxes that cover a rectangle and are divided where it is not finite."""
    found = size(acb(arb(across[0]).union(arb(across[1])), arb(up[0]).union(arb(up[1]))))
    if isfinite(found) or not halvings:
        return found
    largest = 0.0
    for part in _halves(*across):
        for other in _halves(*up):
            largest = max(largest, _largest(size, part, other, halvings - 1))
            if not isfinite(largest):
                return largest
    return largest


def _halves(low, high):
    middle = (low + high) / 2
    return (low, middle), (middle, high)
