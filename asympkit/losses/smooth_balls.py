r"""Enclose the proximal step of a smooth convex function: a root of :math:`h(p)=p-t+Vg'(p)` by interval Newton steps.

For real arguments ``h' >= 1``, as g is proved convex, so that the root lies within ``|h(q)|`` of any q.  For complex t
the root that belongs to real t is continued: if the Newton step of a box lies inside it, the box contains exactly one
root for every t of a region.  Boxes and regions that are symmetric about the real line have real roots for real t; from
there regions go up to t, with the root on their common edge in both boxes.
"""

from functools import lru_cache

from ..balls.analytic import compile_parametric
from ..balls.backend import acb, arb, ctx
from ..numbers.evaluation import evaluate
from ..numbers.functions.balls import REAL_BALLS

#: numbers of regions between the real line and t that are tried
_STEPS = (2, 4, 8, 16)


def evaluators_in_balls(rates, x, others, floats):
    """Return pairs of real and complex evaluators of slope, envelope and g''; see :mod:`.smooth`."""
    real = _RealBallRoots(rates, x, others, floats)
    kept = []               # the last root, which is the next start
    compiled = lru_cache(maxsize=8)(lambda bits: [
        compile_parametric(rate, x, frozenset(others)) for rate in rates])

    def slope(V, t, *values):
        return -real.rate(1, real.root(V, t, *values), values)

    def envelope(V, t, *values):
        p = real.root(V, t, *values)
        return V * real.rate(1, p, values) ** 2 / 2 + real.rate(0, p, values)

    def at_root(V, t, values):
        """Return g and its slope at the root."""
        plain = (V, *values)
        if not (all(b.is_finite() and b.imag == 0 for b in plain) and V.real >= 0 and t.is_finite()):
            return acb("nan"), acb("nan")
        reals = [b.real for b in values]
        functions = []
        for function, bind in compiled(ctx.prec):
            bind(dict(zip(others, reals)))
            functions.append(lambda p, f=function: f(p, True))
        if t.imag == 0:
            p = acb(real.root(V.real, t.real, *reals))
        else:
            p = _Followed(functions, V.real, kept, lambda place: real.root(V.real, place, *reals))(t)
        return functions[0](p), functions[1](p)

    def complex_slope(V, t, *values):
        return -at_root(V, t, values[:-1])[1]

    def complex_envelope(V, t, *values):
        g, g1 = at_root(V, t, values[:-1])
        return V * g1 * g1 / 2 + g

    def bend(p, *values):
        return real.rate(2, p, values)

    def complex_bend(p, *values):
        *values, analytic = values
        if not all(b.imag == 0 for b in values):
            return acb("nan")
        function, bind = compiled(ctx.prec)[2]
        bind({s: b.real for s, b in zip(others, values)})
        return function(p, analytic)

    return (slope, complex_slope), (envelope, complex_envelope), (bend, complex_bend)


class _RealBallRoots:
    """Enclose roots for real balls."""

    def __init__(self, rates, x, others, floats):
        self.derivatives, self.x, self.others, self.floats = rates, x, others, floats

    def rate(self, order, p, values):
        return arb(evaluate(self.derivatives[order], {**dict(zip(self.others, values)), self.x: p}, REAL_BALLS))

    def root(self, V, t, *values):
        if not (V >= 0 and all(b.is_finite() for b in (V, t, *values))):
            return arb("nan")
        v, centre, midpoints = V.mid(), t.mid(), [b.mid() for b in values]
        p = centre + v * float(self.floats(*map(float, (v, centre, *midpoints))))
        for _ in range(60):
            step = (p - centre + v * self.rate(1, p, midpoints)) / (1 + v * self.rate(2, p, midpoints))
            if not step.is_finite():
                return arb("nan")
            p = (p - step).mid()
            if abs(step) < arb(2) ** (-ctx.prec // 2) * (1 + abs(p)):
                break
        error = p - t + V * self.rate(1, p, values)
        ball = p + arb(0, error.abs_upper())
        for _ in range(3):
            bend = self.rate(2, ball, values)
            nearer = p - error / (1 + V * bend.max(arb(0))) if bend.is_finite() else ball
            if not nearer.rad() < ball.rad():
                break
            ball = nearer
        return ball


class _Followed:
    """Continue the root to complex t, analytic in t; the result is not finite if that fails."""

    def __init__(self, functions, V, kept, real_root):
        _, self.g1, self.g2 = functions
        self.V, self.kept, self.real_root = V, kept, real_root

    def __call__(self, t):
        if t.imag < 0:
            p = self(acb(t.real, -t.imag))
            return acb(p.real, -p.imag)
        top = arb(t.imag.abs_upper())
        box = self._box_of_real(acb(t.real, arb(0, top)))
        if box is not None:
            p = self._improve_root(box, t)
            self.kept[:] = [p.real.mid()]
            return p
        if not t.imag > 0:
            return acb("nan")
        for steps in _STEPS:
            found = self._up(t, arb(t.imag.lower()), arb(t.imag.upper()), steps)
            if found is not None:
                return found
        return acb("nan")

    def _box_of_real(self, region):
        """Return the box of the real roots, for a region that is symmetric about the real line."""
        for start in (*self.kept, None):
            start = self.real_root(region.real.mid()).mid() if start is None else start
            box = self._box(region, acb(start))
            if box is not None:
                return box
        return None

    def _up(self, t, low, high, steps):
        """Continue through regions of equal height to the lower edge of t, and through t itself last."""
        edges = [low * k / steps for k in range(1, steps + 1)]
        box = self._box_of_real(acb(t.real, (-edges[0]).union(edges[0])))
        for k, edge in enumerate(edges):
            if box is None:
                return None
            on_edge = self._improve_root(box, acb(t.real, edge))
            top = edges[k + 1] if k + 1 < steps else high
            region = acb(t.real, edge.union(top))
            box = self._box(region, on_edge.mid())
            if box is None or not box.contains(on_edge):
                return None
        return self._improve_root(box, t)

    def _newton(self, centre, t, box):
        """Return an enclosure of the roots in a box; ``centre`` is a point of it."""
        return centre - (centre - t + self.V * self.g1(centre)) / (1 + self.V * self.g2(box))

    def _box(self, region, start):
        """Return a box with exactly one root for each t of a region, around the one for its midpoint; or None."""
        centre, middle = start, region.mid()
        for _ in range(8):
            before, centre = centre, self._newton(centre, middle, centre).mid()
            if not centre.is_finite():
                return None
            if abs(centre - before) < 1e-6:
                break
        is_mirrored = region.imag.mid() == 0
        centre = acb(centre.real, 0) if is_mirrored else centre
        box = self._newton(centre, region, centre)
        for _ in range(6):
            if not box.is_finite():
                return None
            half = [arb((part * arb(1.2)).abs_upper()) for part in ((box - centre).real, (box - centre).imag)]
            wide = centre + acb(arb(0, half[0]), arb(0, half[1]))
            box = self._newton(centre, region, wide)
            if box.is_finite() and wide.contains_interior(box):
                return wide
        return None

    def _improve_root(self, box, t):
        """Return the root of a box for t."""
        centre, middle = box.mid(), t.mid()
        for _ in range(8):
            step = self._newton(centre, middle, centre)
            if not (step.is_finite() and box.contains(step.mid())):
                break
            moved = abs(step.mid() - centre)
            centre = step.mid()
            if moved < arb(2) ** (-ctx.prec // 2) * (1 + abs(centre)):
                break
        best = box
        for _ in range(3):
            found = self._newton(centre, t, best)
            if not (found.is_finite() and found.rad() < 0.9 * best.rad()):
                break
            best = found
            if not best.contains(centre):           # the next step would start outside
                break
        return best
