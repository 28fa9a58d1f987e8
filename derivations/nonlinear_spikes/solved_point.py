"""Points at which the limits are evaluated: the traces solved in arbitrary precision, for experiments and examples."""

from functools import cache
from types import SimpleNamespace

from sympy import Matrix, Rational, lambdify

from .notation import A, B, dm1, dm2, lam, m1, m2, phi, psi, trace_equations

#: where limits are compared with random matrices: student z + (z^2 - 1)/sqrt(2)
POINT = {phi: Rational(1, 2), psi: Rational(1), lam: Rational(1, 10), A: Rational(1), B: Rational(1)}


def explicit_m2():
    """m2 as a function of m1: the second equation is linear in it."""
    second = trace_equations()[1].expand()
    return -second.coeff(m2, 0) / second.coeff(m2, 1)


@cache
def _solver():
    first = (trace_equations()[0] / m1**2).subs(m2, explicit_m2())
    return lambdify((m1, phi, psi, lam, A, B), [first, explicit_m2()], "mpmath")


def solve(point, digits=30):
    """The physical root.

    Parameters
    ----------
    point : dict of Symbol to Rational
        phi, psi, lam, A, B.
    digits : int

    Returns
    -------
    dict
        The point with rational m1 and m2 that are right to that many digits.
    """
    import mpmath

    ctx = mpmath.ctx_mp.MPContext()
    ctx.dps = digits + 15
    numbers = [ctx.mpf(point[s].p) / point[s].q for s in (phi, psi, lam, A, B)]
    ratio = numbers[1] / numbers[0]
    low, high = max(0, 1 - 1 / ratio), ctx.mpf(1)
    for _ in range(4 * ctx.dps):
        middle = (low + high) / 2
        below = _solver()(middle / (numbers[2] * ratio), *numbers)[0] < 0
        low, high = (middle, high) if below else (low, middle)
    first = low / (numbers[2] * ratio)
    second = _solver()(first, *numbers)[1]
    return point | {m1: Rational(ctx.nstr(first, ctx.dps)), m2: Rational(ctx.nstr(second, ctx.dps))}


def rates(solved):
    """The solution with the exact rates dm1/dlam and dm2/dlam at these rational values."""
    J = Matrix(trace_equations()).jacobian((m1, m2)).subs(solved)
    push = Matrix([e.diff(lam) for e in trace_equations()]).subs(solved)
    return dict(zip((dm1, dm2), -J.LUsolve(push)))


@cache
def limit():
    """tau, mu and what follows from them at ``POINT``, in floats."""
    solved = solve(POINT)
    found = {s: float(v) for s, v in (solved | rates(solved)).items()}
    ratio = found[psi] / found[phi]
    t, m = ratio * found[m1], ratio * found[m2]
    scale = 1 / (1 + found[A] * t + found[B] * m)
    return SimpleNamespace(tau=t, mu=m, dtau=ratio * found[dm1], dmu=ratio * found[dm2], mtilde=scale,
                           x=found[B] * m * scale, psi=found[psi], phi=found[phi], lam=found[lam], A=found[A],
                           B=found[B])
