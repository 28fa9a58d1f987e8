r"""One gradient step on a fresh batch, from any spike: a map of a few numbers.

A step of size :math:`\tilde\eta d` moves the row :math:`W_i=rv+w_i` by :math:`\frac e{n_0}\sum_\mu f_\mu\sigma'(W_i\cdot
x_\mu)x_\mu` with :math:`e=\tilde\eta/\beta` and the residual :math:`f=y-\mu_0(\kappa)`: the output of the network is the
mean of its units.  The part that rows share is the new spike: along the old one v, along the rest :math:`\zeta` of the
target, and along the noise n of the batch.

Rows differ from one another by the coordinates :math:`X=(\sqrt dw\cdot v,\sqrt dw\cdot\zeta,\sqrt dw\cdot
n,\sqrt d(|w|^2-c))`, to first order in which :math:`X'=AX` plus noise: A are the derivatives of the mean gradient and,
with n, of its covariance with the noise of the spike.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from sympy import Expr, Integer, Matrix, Symbol, sqrt

from ...gauss import E
from ...nodes import Applied, Named
from ..explicit import ExplicitMap
from ..spiked_features import equations as spiked

if TYPE_CHECKING:
    from collections.abc import Mapping

#: pairs of coordinates of rows after a step: along the spike (v), the rest of the target (z), and their norm (x)
PAIRS = ("vv", "vz", "zz", "vx", "xz", "xx")


@cache
def symbols() -> Any:
    """Return all symbols; ``rate``: e; ``overload``: 1/alpha0; ``noise``: share of batches in c.

    ``tilted``: p times the sum of the overlaps of a row with outputs of order 1/sqrt(p) that the steps took back.
    """
    rows = {f"rows_{pair}": Symbol(f"rows_{pair}", **{"nonnegative" if pair[0] == pair[1] else "real": True})
            for pair in PAIRS}
    own = {n: Symbol(n, nonnegative=True) for n in ("overload", "noise")}
    return SimpleNamespace(**vars(spiked.symbols()), **own, **rows, rate=Symbol("rate", real=True),
                           tilted=Symbol("tilted", real=True))


def start(has_rows: bool) -> dict[str, int]:
    """Return the numbers of the layer before the first step: the spike, of strength 0, is along the target."""
    found = {"r": 0, "gamma": 1, "rho": 0, "c": 1, "noise": 0, "tilted": 0}
    return {**found, **{f"rows_{pair}": int(pair in ("vv", "zz")) for pair in PAIRS}} if has_rows else found


@cache
def _moments() -> SimpleNamespace:
    r"""Return conditional moments at a projection on the spike.

    ``s1`` to ``s4``: :math:`E_z\sigma^{(k)}`; ``u`` are averages of :math:`u=\sigma'-s_1`, by powers of z and u;
    ``f`` of the residual with the label noise, :math:`E_s[s^jf^k]`, by j and k.
    """
    s, u = symbols(), spiked.moments()
    z, noise = s.z, s.noise_variance
    at, target = s.r * s.kappa + sqrt(s.c) * z, Applied("target", s.gamma * s.kappa + s.rho * z)
    student, slope = Applied("student", at), Applied("student", at, 1)
    clean = {(j, k): E(z**j * (target - u.mu0) ** k, z) for j, k in (
        (0, 3), (1, 3), (0, 4), (1, 2), (2, 2))}
    clean |= {(0, 1): u.h - u.mu0, (1, 1): u.hz, (2, 1): u.hbend + u.h - u.mu0,
              (0, 2): u.hzz - 2 * u.mu0 * u.h + u.mu0**2}
    f = {(j, 1): clean[j, 1] for j in range(3)}
    f |= {(j, 2): clean[j, 2] + (noise, 0, noise)[j] for j in range(3)}
    f |= {(j, 3): clean[j, 3] + 3 * noise * clean[j, 1] for j in range(2)}
    f[0, 4] = clean[0, 4] + 6 * noise * clean[0, 2] + 3 * noise**2
    powers = ((0, 2), (1, 2), (2, 2), (0, 3), (1, 3), (0, 4))
    return SimpleNamespace(
        s1=u.mu1, s2=2 * u.dmu0, s3=Named("s3", E((z**3 - 3 * z) * student, z) / (s.c * sqrt(s.c))),
        s4=Named("s4", E((z**4 - 6 * z**2 + 3) * student, z) / s.c**2),
        u={(j, k): Named(f"u{j}{k}", E(z**j * (slope - u.mu1) ** k, z)) for j, k in powers},
        f={(j, k): Named(f"f{j}{k}", e) for (j, k), e in f.items()})


def _mean(name: str, form: Expr) -> Expr:
    """Return the average of a form over the projection on the spike."""
    return Named(f"mean_{name}", E(form, symbols().kappa))


@cache
def _step() -> SimpleNamespace:
    """Return the parts of the new spike along v, zeta and n, its length, and the new row norm, by the old ones."""
    s, u = symbols(), _moments()
    e = s.rate
    common = _mean("common", u.s1**2 * u.f[0, 2])
    along, across = s.r + e * _mean("along", s.kappa * u.s1 * u.f[0, 1]), e * _mean("across", u.s1 * u.f[1, 1])
    noise = e * sqrt(s.overload * common)
    grown = Named("grown", 1 + e * _mean("bulk", u.f[0, 1] * u.s2))
    own = Named("own", e**2 * s.overload * _mean("own", u.f[0, 2] * u.u[0, 2]))
    return SimpleNamespace(along=along, across=across, noise=noise, common=common, grown=grown, own=own,
                           length=Named("length", sqrt(along**2 + across**2 + noise**2)))


def _numbers(is_along):
    """Return the numbers of the isotropic bulk after the step, and the loss before it."""
    s, u, a = symbols(), _moments(), _step()
    rest = Named("rest", s.gamma * a.across - s.rho * a.along)
    found = {"r": a.length, "gamma": (s.gamma * a.along + s.rho * a.across) / a.length,
             "rho": sqrt(rest**2 + a.noise**2) / a.length, "c": s.c * a.grown**2 + a.own,
             "noise": s.noise * a.grown**2 + a.own, "loss": _mean("loss", u.f[0, 2]),
             "tilted": (s.tilted + s.rate * s.c * _mean("output", u.s1**2)) * a.grown}
    if is_along:
        found |= {"gamma": s.gamma * a.along / a.length, "rho": Integer(0)}
    return found


@cache
def step_map(has_rows: bool, is_along: bool) -> ExplicitMap:
    """Return the map of a step; ``is_along`` if it has all samples and the target lies along the spike.

    Then the spike stays along the target: no other direction matters.
    """
    s, found, given = symbols(), _numbers(is_along), start(has_rows)
    if has_rows:
        found |= _rows_along() if is_along else _rows(found)
    limit: Mapping[Symbol, Expr] = {s.overload: Integer(0), s.rho: Integer(0)} if is_along else {}
    return ExplicitMap("One gradient step", [s.rate, s.overload, s.noise_variance, *(getattr(s, n) for n in given)],
                       {n: e.xreplace(limit) for n, e in found.items()})


class _Rows:
    r"""Propagate the coordinates of rows along directions, a text of v, z and n, and their norm.

    Along the noise n of the spike an input has, beside an independent normal part, the share
    :math:`qfs_1,\;q^2=1/(\alpha_0E[s_1^2f^2])`, because n is made of the batch.
    """

    def __init__(self, directions: str) -> None:
        self.directions, self.u = directions, _moments()
        self.share = sqrt(symbols().overload / _step().common)

    def mean(self, form: Expr, power: int, along: str = "") -> Expr:
        """Return the average of a form times a power of the residual, and inputs along some directions."""
        u, s, f = self.u, symbols(), self.u.f
        of_noise = along.count("n")
        form *= s.kappa ** along.count("v")
        j = along.count("z")
        if of_noise < 2:
            return self.share**of_noise * E(form * u.s1**of_noise * f[j, power + of_noise], s.kappa)
        return E(form * f[j, power], s.kappa) + self.share**2 * E(form * u.s1**2 * f[j, power + 2], s.kappa)

    def response(self) -> Matrix:
        """Return the derivatives of the new coordinates by the old ones: A."""
        s, u, e, grown = symbols(), self.u, symbols().rate, _step().grown
        # derivatives of the variance of slopes by the argument, and by its variance
        slope, curved = u.u[1, 2] / sqrt(s.c), (u.u[2, 2] - u.u[0, 2]) / (2 * s.c)
        own = e**2 * s.overload
        rows = [[int(a == b) + e * self.mean(u.s2, 1, a + b) for b in self.directions]
                + [e / 2 * self.mean(u.s3, 1, a)] for a in self.directions]
        norm = [2 * s.c * grown * e * self.mean(u.s3, 1, a) + own * self.mean(slope, 2, a) for a in self.directions]
        return Matrix([*rows, [*norm, grown**2 + s.c * grown * e * self.mean(u.s4, 1) + own * self.mean(curved, 2)]])

    def noise(self) -> Matrix:
        """Return the covariance of the new coordinates by the batch, beside what follows from those along n."""
        s, u, e, a = symbols(), self.u, symbols().rate, _step()
        of_norm, of_square = 2 * sqrt(s.c) * a.grown, e * s.overload
        rows = [[self.mean(u.u[0, 2], 2, x + y) for y in self.directions] for x in self.directions]
        norm = [of_norm * self.mean(u.u[1, 2], 2, x) + of_square * self.mean(u.u[0, 3], 3, x) for x in self.directions]
        last = (of_norm**2 * self.mean(u.u[2, 2] - s.c * u.s2**2, 2) + 2 * of_norm * of_square * self.mean(u.u[1, 3] - sqrt(s.c) * u.s2 * u.u[0, 2], 3)
                + of_square**2 * self.mean(u.u[0, 4] - u.u[0, 2] ** 2, 4))
        found = e**2 * s.overload * Matrix([*([*row, x] for row, x in zip(rows, norm)), [*norm, last]])
        found[-1, -1] += 2 * a.own**2
        along = Matrix([*(e * self.share * E(u.s1 * u.s2 * self._with(2, x), s.kappa) for x in self.directions),
                        2 * s.c * a.grown * e * self.share * E(u.s1 * u.s3 * u.f[0, 2], s.kappa)])
        return found - s.c * along * along.T

    def _with(self, power, along):
        """Return a moment of the residual times an input along a direction."""
        u, s = self.u, symbols()
        return {"v": s.kappa * u.f[0, power], "z": u.f.get((1, power)),
                "n": self.share * u.s1 * u.f[0, power + 1]}[along]


def _named(found: Mapping[str, Expr]) -> dict[str, Expr]:
    return {f"rows_{pair}": e for pair, e in found.items()}


def _rows_along() -> dict[str, Expr]:
    """Return the covariance of rows after a step along the target, without noise."""
    s, a, sign, A = symbols(), _step(), _step().along / _step().length, _Rows("v").response()
    moved = A * Matrix([[s.rows_vv, s.rows_vx], [s.rows_vx, s.rows_xx]]) * A.T
    return _named({"vv": moved[0, 0], "vx": sign * moved[0, 1], "xx": moved[1, 1], "zz": s.c * a.grown**2,
                   "vz": Integer(0), "xz": Integer(0)})


def _rows(found: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return the covariance of rows after a step with noise, along the new spike and the rest of the target."""
    s, a, rows = symbols(), _step(), _Rows("vzn")
    before = Matrix([[s.rows_vv, s.rows_vz, 0, s.rows_vx], [s.rows_vz, s.rows_zz, 0, s.rows_xz], [0, 0, s.c, 0],
                     [s.rows_vx, s.rows_xz, 0, s.rows_xx]])
    A = rows.response()
    after = (A * before * A.T + rows.noise()).applyfunc(lambda e: Named("after", e))
    new, rho, length = (a.along, a.across, a.noise), Named("new_rho", found["rho"]), a.length
    rest = s.gamma * a.across - s.rho * a.along
    across = (a.across * rest + s.gamma * a.noise**2, s.rho * a.noise**2 - a.along * rest,
              -(s.gamma * a.along + s.rho * a.across) * a.noise)
    frame = Matrix([[*(e / length for e in new), 0], [*(e / (length**2 * rho) for e in across), 0], [0, 0, 0, 1]])
    moved = frame * after * frame.T
    at = {"v": 0, "z": 1, "x": 2}
    return _named({pair: moved[at[pair[0]], at[pair[1]]] for pair in PAIRS})
