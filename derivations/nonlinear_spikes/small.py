"""Small matrices in integers, on which the rules for derivatives of the resolvent hold exactly."""

from functools import cache
from types import SimpleNamespace

from sympy import Matrix, Rational, Symbol, eye

#: stands for lam n in the resolvent
level = Symbol("L", positive=True)
n, d, N = 2, 3, 4
_LINEAR, _REST = 2, 3
_X = Matrix([[1, -2, 3], [2, 1, -1]])
_W = Matrix([[1, 0, 2], [-1, 1, 1], [0, 3, -1], [2, -1, 1]])
_Z = Matrix([[1, 2, -1, 0], [-2, 1, 1, 3]])


def parts(X=_X, W=_W, Z=_Z):
    """Features ``F = c X W^T + a Z`` (c = 2, a = 3) and the resolvent of ``F F^T``."""
    F = _LINEAR * X * W.T + _REST * Z
    M = F * F.T + level * eye(F.rows)
    return SimpleNamespace(X=X, W=W, Z=Z, F=F, R=M.adjugate() / M.det(), c=_LINEAR, a=_REST)


@cache
def divergences():
    """Left sides of the three integrations by parts, in the entries of X, Z and W."""
    return SimpleNamespace(X=divergence(lambda p: p.R * p.X, "X"), Z=divergence(lambda p: p.R * p.F, "Z"),
                           W=divergence(lambda p: p.c * p.F.T * p.R * p.X, "W"))


def divergence(of, name):
    """Sum over the entries of X, W or Z of the derivative of the same entry of ``of(parts)``."""
    base = {"X": _X, "W": _W, "Z": _Z}[name]
    step, total = Symbol("t"), Rational(0)
    for i in range(base.rows):
        for j in range(base.cols):
            moved = base.copy()
            moved[i, j] += step
            total += of(parts(**{name: moved}))[i, j].diff(step).subs(step, 0)
    return total


@cache
def traces():
    """The traces of the three rules: tau, P, T, the trace of F^T R F, and the terms without two traces."""
    p = parts()
    cross = p.F.T * p.R * p.X
    return SimpleNamespace(
        tau=p.R.trace(), P=p.c * (p.W.T * cross).trace(), T=(p.X.T * p.R * p.X).trace(),
        gram=(p.F.T * p.R * p.F).trace(),
        rest_X=p.c * (p.W.T * p.F.T * p.R * p.R * p.X).trace(),
        rest_Z=p.a * (p.F.T * p.R * p.R * p.F).trace(),
        rest_W=p.c * sum(e**2 for e in cross))
