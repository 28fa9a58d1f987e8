r"""The proximal step of a smooth convex function in balls: a root of :math:`h(p)=p-t+Vg'(p)`, by the interval Newton method.

For real arguments ``h' >= 1``, as g is proved convex, so that the root lies within ``|h(q)|`` of any q.  For a complex t
the root that belongs to real t is followed: on a box around the rectangle between t and the real line there is exactly
one root for every place of the rectangle, so for its real places the real one.
"""

from ..numbers.evaluation import evaluate

__all__ = ["readings_in_balls"]


def readings_in_balls(rates, x, others, floats):
    """``((slope, complex slope), (envelope, complex envelope))``; see :mod:`.smooth_digits` for the arguments."""

    def real_root(V, t, *values):
        from flint import arb

        from ..numbers.real_balls import REAL_BALLS

        at = dict(zip(others, values))

        def rate(order, p):
            return arb(evaluate(rates[order], {**at, x: p}, REAL_BALLS))

        if not (V >= 0 and all(b.is_finite() for b in (V, t, *values))):
            return arb("nan"), rate
        v, centre = arb(V.mid()), arb(t.mid())
        p = centre + v * float(floats(*(float(b.mid()) for b in (V, t, *values))))
        for _ in range(60):
            step = (p - centre + v * rate(1, p)) / (1 + v * rate(2, p))
            if not step.is_finite():
                return arb("nan"), rate
            p = arb((p - step).mid())
            if abs(step) < arb(2) ** (-_precision() // 2) * (1 + abs(p)):
                break
        error = p - t + V * rate(1, p)
        ball = p + arb(0, arb(error.abs_upper()))
        for _ in range(3):
            bend = rate(2, ball)
            nearer = p - error / (1 + V * bend.max(arb(0))) if bend.is_finite() else ball
            if not nearer.rad() < ball.rad():
                break
            ball = nearer
        return ball, rate

    def slope(V, t, *values):
        p, rate = real_root(V, t, *values)
        return -rate(1, p)

    def envelope(V, t, *values):
        p, rate = real_root(V, t, *values)
        return V * rate(1, p) ** 2 / 2 + rate(0, p)

    return (slope, ""), (envelope, "")


def _precision():
    from flint import ctx

    return ctx.prec
