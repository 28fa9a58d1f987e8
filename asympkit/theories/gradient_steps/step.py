r"""One gradient step on a fresh batch, from any spike: a map of a few numbers.

A step of size :math:`\tilde\eta d` moves the row :math:`W_i=rv+w_i` by
:math:`\frac e{n_0}\sum_\mu f_\mu\sigma'(W_i\cdot x_\mu)x_\mu` with :math:`e=\tilde\eta/\beta` and the residual
:math:`f=y-\mu_0(\kappa)`: the output of the network is the mean of its units.  The part that rows share, of
:math:`s_1=E_z\sigma'`, is added to the spike: along the old one v, along the rest :math:`\zeta` of the target, and
along the noise n of the batch.

Rows differ from one another by few coordinates :math:`X=(\sqrt dw\cdot v,\sqrt dw\cdot\zeta,\sqrt dw\cdot
n,\sqrt d(|w|^2-c))` that matter.  To first order :math:`X'=AX` plus noise, where A are the derivatives of the gradient,
and the noise that of :math:`u=\sigma'-s_1`.  Along n an input has, beside an independent normal part, the share
:math:`qfs_1,\;q^2=1/(\alpha_0E[s_1^2f^2])`, because n is made of the batch.

Averages are sympy expressions; the algebra between them runs on the numbers of any number system.

The kernel of the bulk of such rows between the coordinates v, z and x is :math:`K=\Sigma\langle1/S\rangle`, with
:math:`\Sigma` the covariance of X, but for the direction z, which the readout sees:

.. math:: K_{ab}-\frac{\beta\hat V_1K_{az}K_{zb}}{1+\beta\hat V_1K_{zz}}.
"""

from __future__ import annotations

from functools import cache
from math import comb
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from sympy import Symbol, sqrt

from ...codegen import write_kernel
from ...equations.system import System
from ...gauss import E
from ...nodes import Applied, Named
from ...once import Deferred, computed_once
from ...program import build
from ...solve.kernel import Kernel, SolverOptions
from ..spiked_features import equations as spiked
from ..spiked_features.parts import RidgeEquations, starts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from sympy import Expr

    from ...activations import Activation
    from ...program.names import Names
    from ...program.statements import Program

_complex_step = Deferred("asympkit.sensitivity.complex_step")
_tangent = Deferred("asympkit.sensitivity.tangent")

#: pairs of coordinates of rows after a step: along the spike (v), the rest of the target (z), and their norm (x)
PAIRS = ("vv", "vz", "zz", "vx", "xz", "xx")
#: weights of averages over a batch, with the power of the residual beside them and the directions of inputs: with the
#: mean of that power and pairs of inputs, single inputs, or none
_TWO, _ONE, _NONE = ("", "vv", "vz", "zz", "vn", "zn", "nn"), ("v", "z", "n"), ("",)
_OF_ROWS = (("s2", 1, _TWO), ("s3", 1, _ONE), ("s4", 1, _NONE), ("u02", 2, _TWO), ("u12", 2, _ONE), ("u22", 2, _NONE),
            ("s2s2", 2, _NONE), ("u03", 3, _ONE), ("u13", 3, _NONE), ("s2u02", 3, _NONE), ("u04", 4, _NONE),
            ("u02u02", 4, _NONE))
_OF_SPIKE = (("s1", 1, ("v", "z")), ("s1s1", 2, _NONE), ("s2", 1, _NONE), ("u02", 2, _NONE), ("one", 2, _NONE))


@cache
def symbols() -> Any:
    """Return the symbols of spiked features, and of the covariance of rows, by pairs of coordinates."""
    rows = {f"rows_{pair}": Symbol(f"rows_{pair}", **{"nonnegative" if pair[0] == pair[1] else "real": True})
            for pair in PAIRS}
    return SimpleNamespace(**vars(spiked.symbols()), **rows)


def start(has_rows: bool) -> dict[str, int]:
    """Return the numbers of the layer before the first step: the spike, of strength 0, is along the target.

    ``noise``: the share of batches in c; ``tilted``: p times the sum of the overlaps of a row with outputs of order
    1/sqrt(p) that the steps took back.
    """
    found = {"r": 0, "gamma": 1, "rho": 0, "c": 1, "noise": 0, "tilted": 0}
    return {**found, **{f"rows_{pair}": int(pair in ("vv", "zz")) for pair in PAIRS}} if has_rows else found


@cache
def _weights():
    r"""Return weights at a projection on the spike: s1 to s4, :math:`E_z\sigma^{(k)}`, and ujk, :math:`E_z[z^ju^k]`."""
    s, u = symbols(), spiked.moments()
    z, at = s.z, s.r * s.kappa + sqrt(s.c) * s.z
    student, slope = Applied("student", at), Applied("student", at, 1)
    found = {"one": 1, "s1": u.mu1, "s2": 2 * u.dmu0, "s3": E((z**3 - 3 * z) * student, z) / (s.c * sqrt(s.c)),
             "s4": E((z**4 - 6 * z**2 + 3) * student, z) / s.c**2}
    found |= {f"u{j}{k}": _central(slope, u.mu1, j, k) for j, k in ((0, 2), (1, 2), (2, 2), (0, 3), (1, 3), (0, 4))}
    found = {n: Named(f"w_{n}", e) if n != "one" else e for n, e in found.items()}
    return found | {a + b: found[a] * found[b] for a, b in (("s1", "s1"), ("s2", "s2"), ("s2", "u02"), ("u02", "u02"))}


def _central(function, middle, j, k):
    """Return the mean of z**j * (function - middle)**k, j <= 2; from moments of the function for k above 2."""
    z = symbols().z
    if k == 2:
        return E(z**j * (function - middle) ** 2, z)
    return sum(comb(k, i) * (-middle) ** (k - i) * (E(z**j * function**i, z) if i else 1 - j % 2) for i in range(k + 1))


@cache
def _residual(j, k):
    """Return the mean of a power k of the residual, and j <= 2 of the input along the rest of the target."""
    s, u = symbols(), spiked.moments()
    noise = s.noise_variance
    known = {(0, 1): u.h - u.mu0, (1, 1): u.hz, (2, 1): u.hbend + u.h - u.mu0,
             (0, 2): u.hzz - 2 * u.mu0 * u.h + u.mu0**2 + noise}
    if (j, k) in known:
        return known[j, k]
    target = Applied("target", s.gamma * s.kappa + s.rho * s.z)
    clean = _central(target, u.mu0, j, k)
    more = {2: noise * (1 - j % 2), 3: 3 * noise * (known.get((j, 1)) or 0),
            4: 6 * noise * (known[0, 2] - noise) + 3 * noise**2}
    return Named(f"f_{j}{k}", clean + more[k])


@cache
def averages(has_rows: bool, directions: str) -> ConditionalAverages:
    """Return the averages over a batch that a step needs, along directions out of v, z and n."""
    s, weights, found = symbols(), _weights(), {"output": E(_weights()["s1s1"], symbols().kappa)}
    # without noise the mean of the gradient is all
    of_rows = [of for of in _OF_ROWS if has_rows and ("n" in directions or of[1] == 1)]
    for weight, power, along in (*_OF_SPIKE, *of_rows):
        for at in (a for a in along if set(a) <= set(directions)):
            noise = at.count("n")
            form = weights[weight] * weights["s1"] ** noise * s.kappa ** at.count("v")
            found[f"{weight}_{power}{at}"] = E(form * _residual(at.count("z"), power + noise), s.kappa)
    return ConditionalAverages("One gradient step", [s.noise_variance, s.r, s.gamma, s.rho, s.c], found)


def advance(mean: dict[str, Any], now: dict[str, Any], root: Callable[[Any], Any], is_along: bool) -> dict[str, Any]:
    """Return the numbers of the layer after a step and the loss before it, from averages and the numbers before.

    ``now`` has ``rate``, e, and ``overload``, 1/alpha0, too; ``root`` is a square root.  If the target ``is_along`` the
    spike and the gradient is that of all samples, no other direction matters.
    """
    e, ov, gamma, rho = now["rate"], now["overload"], now["gamma"], now["rho"]
    along, across = now["r"] + e * mean["s1_1v"], 0 if is_along else e * mean["s1_1z"]
    square = e * e * ov * mean["s1s1_2"]                # of the noise of the spike
    r = root(along * along + across * across + square)
    rest, grown = gamma * across - rho * along, 1 + e * mean["s2_1"]
    own = e * e * ov * mean["u02_2"]
    found = {"r": r, "gamma": (gamma * along + rho * across) / r,
             "rho": rho if is_along else root(rest * rest + square) / r, "c": now["c"] * grown * grown + own,
             "noise": now["noise"] * grown * grown + own, "loss": mean["one_2"],
             "tilted": (now["tilted"] + e * now["c"] * mean["output"]) * grown}
    if "rows_vv" not in now:
        return found
    rows, spike = RowCoordinates(mean, now, root, "v" if is_along else "vzn"), (along, across, root(square))
    after, c = rows.covariance(grown), found["c"]
    if is_along:
        frame = [[along / r, 0], [0, 1]]
        (vv, vx), (_, xx) = _between(frame, after)
        return {**found, "rows_vv": vv, "rows_vz": 0 * c, "rows_zz": c, "rows_vx": vx, "rows_xz": 0 * c, "rows_xx": xx}
    length = r * r * found["rho"]
    other = (across * rest + gamma * square, rho * square - along * rest, -(gamma * along + rho * across) * spike[2])
    (vv, vz, vx), (_, zz, zx), (_, _, xx) = _between(
        [[*(a / r for a in spike), 0], [*(a / length for a in other), 0], [0, 0, 0, 1]], after)
    return {**found, "rows_vv": vv, "rows_vz": vz, "rows_zz": zz, "rows_vx": vx, "rows_xz": zx, "rows_xx": xx}


class RowCoordinates:
    """Propagate the covariance of the coordinates of rows along directions, a text of v, z and n, and their norm."""

    def __init__(self, mean: dict[str, Any], now: dict[str, Any], root: Callable[[Any], Any], directions: str) -> None:
        self.averages, self.now, self.root, self.directions = mean, now, root, directions
        self.share = root(now["overload"] / mean["s1s1_2"]) if "n" in directions else 0

    def mean(self, weight: str, power: int, along: str = "") -> Any:
        """Return the average of a weight times a power of the residual, and inputs along directions."""
        along = "".join(sorted(along, key="vzn".index))
        found = self.share ** along.count("n") * self.averages[f"{weight}_{power}{along}"]
        return self.averages[f"{weight}_{power}"] + found if along == "nn" else found

    def covariance(self, grown: Any) -> list[list[Any]]:
        """Return the covariance after the step, for rows whose squared norm grows by a factor squared."""
        now, size = self.now, len(self.directions)
        names = [*self.directions, "x"]
        before = [[now.get(f"rows_{a}{b}", now.get(f"rows_{b}{a}", 0)) for b in names] for a in names]
        if "n" in self.directions:
            before[2][2] = now["c"]
        after = _between(self.response(grown), before)
        if now["overload"] == 0:
            return after
        noise = self.noise(grown)
        return [[after[i][j] + noise[i][j] for j in range(size + 1)] for i in range(size + 1)]

    def response(self, grown: Any) -> list[list[Any]]:
        """Return the derivatives of the new coordinates by the old ones."""
        e, c, mean, own = self.now["rate"], self.now["c"], self.mean, self.now["rate"] ** 2 * self.now["overload"]
        rows = [[(a == b) + e * mean("s2", 1, a + b) for b in self.directions] + [e * mean("s3", 1, a) / 2]
                for a in self.directions]
        norm = [2 * c * grown * e * mean("s3", 1, a) for a in self.directions]
        last = grown * grown + c * grown * e * mean("s4", 1)
        if own != 0:                # the noise of a row has a variance that depends on its coordinates
            norm = [n + own * mean("u12", 2, a) / self.root(c) for n, a in zip(norm, self.directions)]
            last += own * (mean("u22", 2) - mean("u02", 2)) / (2 * c)
        return [*rows, [*norm, last]]

    def noise(self, grown: Any) -> list[list[Any]]:
        """Return the covariance by the batch, beside what follows from the old coordinate along n."""
        e, c, ov, mean = self.now["rate"], self.now["c"], self.now["overload"], self.mean
        norm, square, root = 2 * self.root(c) * grown, e * ov, self.root(c)
        found = [[mean("u02", 2, a + b) for b in self.directions]
                 + [norm * mean("u12", 2, a) + square * mean("u03", 3, a)] for a in self.directions]
        last = (norm * norm * (mean("u22", 2) - c * mean("s2s2", 2))
                + 2 * norm * square * (mean("u13", 3) - root * mean("s2u02", 3))
                + square * square * (mean("u04", 4) - mean("u02u02", 4) + 2 * mean("u02", 2) ** 2 / ov))
        found.append([*(row[-1] for row in found), last])
        linear = [mean("s2", 1, a + "n") - (a == "n") * mean("s2", 1) for a in self.directions]
        linear.append(2 * c * grown * mean("s3", 1, "n"))
        return [[e * e * (ov * f - c * a * b) for f, b in zip(row, linear)] for row, a in zip(found, linear)]


def _between(frame, matrix):
    """Return frame * matrix * frame^T."""
    left = [[sum(a * b for a, b in zip(row, column)) for column in zip(*matrix)] for row in frame]
    return [[sum(a * b for a, b in zip(row, other)) for other in frame] for row in left]


# -- the bulk of rows that differ --------------------------------------------------------------------------------------


@cache
def row_bulk(has_width: bool) -> spiked.Bulk:
    """Return the averages over this bulk, in the limit or at a width."""
    s, plain = symbols(), spiked.isotropic()
    covariance = {pair: getattr(s, f"rows_{pair}") for pair in PAIRS}
    inverse, weighed = Named("S_inverse", plain.inverse), Named("S_weighed", plain.weighed)
    seen = Named("seen", s.beta * s.Vhat1 * inverse / (1 + s.beta * s.Vhat1 * inverse * covariance["zz"]))
    of_z = {"v": covariance["vz"], "z": covariance["zz"], "x": covariance["xz"]}
    kernel = {pair: Named(f"K_{pair}", inverse * (e - seen * of_z[pair[0]] * of_z[pair[1]]))
              for pair, e in covariance.items()}
    own = tuple(covariance.values())
    if not has_width:
        return spiked.Bulk(inverse, weighed, kernel, plain.square, parameters=own)
    return spiked.Bulk(inverse, weighed, kernel, plain.square, inverse, spiked.compute_tilt(kernel["vv"], weighed),
                {"zz": s.even_parts * s.c}, parameters=(*own, s.inverse_width, s.tilt, s.even_parts))


@cache
def _channel(has_width: bool) -> spiked.SquareLoss:
    return spiked.SquareLoss(row_bulk(has_width))


@cache
def _kernel(has_width: bool) -> Kernel:
    program, names = _channel(has_width).program
    return Kernel.from_source(write_kernel(program, names, "Spiked features whose rows differ, square loss"),
                              SolverOptions(guess_start=starts))


class RowRidge(RidgeEquations):
    """Solve the square loss over this bulk; all schedules, students and targets share the kernels."""

    def __init__(self, functions: Mapping[str, Activation], at_width: bool) -> None:
        super().__init__(functions, True)           # no kernel with derivatives by the penalty alone
        self.at_width = at_width

    @property
    def channel(self) -> spiked.SquareLoss:
        return _channel(self.at_width)

    @property
    def kernel(self) -> Kernel:
        return _kernel(self.at_width)


# -- averages at given parameters --------------------------------------------------------------------------------------


#: size of imaginary parts that stand for derivatives: their squares are far below rounding
TINY = 1e-80


class ConditionalAverages:
    """Hold averages over one normal variable, with averages of activations over others inside, by name.

    Parameters
    ----------
    title : str
    parameters : sequence of Symbol
    expressions : dict of str to Expr

    Examples
    --------
    >>> from sympy import Symbol
    >>> from asympkit.gauss import E
    >>> x, y = Symbol("x", real=True), Symbol("y", real=True)
    >>> square = ConditionalAverages("a square", (y,), {"value": E((x + y) ** 2, x)})
    >>> square.floats({"y": 2.0}, {})
    {'value': 5.0}
    >>> square.floats({"y": 2.0 + 1j * TINY}, {})["value"].imag / TINY
    4.0
    """

    def __init__(self, title: str, parameters: Sequence[Symbol], expressions: Mapping[str, Expr]) -> None:
        self.title, self.parameters, self.names = title, tuple(parameters), tuple(expressions)
        one = Symbol("one", real=True)          # observables are judged by their size before cancellation, unknowns not
        self.system = System((one,), (one - 1,), {f"mean_{name}": e for name, e in expressions.items()})

    @computed_once
    def program_with_names(self) -> tuple[Program, Names]:
        return build(self.system, self.parameters)

    @computed_once
    def kernel(self) -> Kernel:
        source = write_kernel(*self.program_with_names, self.title, loops=False)
        names = tuple(self.program_with_names[0].observables)
        return Kernel.from_source(source, SolverOptions(has_units=True, vanishing_outputs=names))

    @computed_once
    def _tangent_kernel(self):
        module = _complex_step.ComplexStep(self.kernel.module)
        rates, sizes = _tangent.rate_names(self.kernel.module, module)
        return Kernel(module, SolverOptions(derivatives=rates, sizes=sizes, has_units=True,
                                            vanishing_outputs=tuple(module.OBSERVABLES)))

    def floats(self, values: Mapping[str, Any], functions: Mapping[str, Activation]) -> dict[str, Any]:
        """Return the averages in double precision, by name.

        Parameters that are complex, with imaginary parts that are tiny, give averages with derivatives times these as
        imaginary parts.

        Raises
        ------
        ConvergenceError
            If an average does not reach twelve digits.
        """
        module, kernel = self.kernel.module, self.kernel
        used = tuple(functions[label] for label in module.ACTIVATIONS)
        at, table = ([complex(values[n]) for n in names] for names in (module.PARAMETERS, module.TABLE_PARAMETERS))
        if not any(v.imag for v in (*at, *table)):
            found = kernel.solve([v.real for v in at], [v.real for v in table], used)
            return {name: float(found[f"mean_{name}"]) for name in self.names}
        kernel = self._tangent_kernel
        both = ((*(v.real for v in side), *(v.imag / TINY for v in side)) for side in (at, table))
        found, rate = kernel.solve(next(both), next(both), used), kernel.options.derivatives
        return {name: complex(found[f"mean_{name}"], TINY * found[rate[f"mean_{name}"]]) for name in self.names}

    def numbers(self, values: Mapping[str, Any], numbers: Any, functions: Mapping[str, Activation]) -> dict[str, Any]:
        """Return the averages in a number system, from numbers by name."""
        program, _ = self.program_with_names
        found = numbers.explicit(program, {s: values[s.name] for s in self.parameters}, functions)
        return {name: found[program.observables[f"mean_{name}"]] for name in self.names}
