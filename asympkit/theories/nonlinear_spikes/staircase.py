r"""Compute spike sizes, and the staircase of errors against the exponent of the step size (arXiv 2310.07891).

With :math:`\eta=\eta_0n^\alpha` the spike of degree k leaves the bulk for :math:`\alpha>\frac{k-1}{2k}`: 0, 1/4, 1/3,
3/8, ..., which accumulate at 1/2.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...arguments import check_choice, check_value
from ...errors import AssumptionWarning, DomainError
from ...notation import label, one_screen, summarise
from ...plot.canvas import COLOURS, LINES, explain_style_error, faint, one_axes, panels_of
from .equations import TOP, power_moment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ...annotations import Floats


@dataclass(frozen=True)
class Spike:
    """Describe one spike of the feature matrix.

    Attributes
    ----------
    degree : int
    size : float
        Leading operator norm, ``|c_1^k c_k| (eta |beta|)^k (2k-1)!! n^(1/2) N^((1-k)/2)``; at finite n the largest
        singular values lie below it, the more so the higher the degree (powers of normal numbers have heavy tails).
    relative : float
        The size over sqrt(n), the order of the bulk.
    threshold : float
        Exponent of the step above which the spike leaves the bulk as n grows.
    """

    degree: int
    size: float
    relative: float
    threshold: float


@dataclass(frozen=True)
class Step:
    """Describe a step of the staircase: at ``alpha_lr`` the spike of ``degree`` diverges, and the errors fall."""

    alpha_lr: float
    degree: int
    train_error: float
    test_error: float


@dataclass(frozen=True, eq=False)
class Staircase:
    """Hold errors against the exponent of the step size.

    Attributes
    ----------
    alpha_lr : ndarray
    train_error, test_error : ndarray
        Penalty included; on fresh noisy labels.
    baseline_train, baseline_test : float
        Without a step.
    degree : ndarray or None
        Number of spikes that diverge at each exponent; None at finite n.
    steps : tuple of Step
        The reduction of the errors by each spike in the limit, at its threshold.
    n : float or None
        Samples; None for the limit.
    eta0 : float
    parameters : dict
    """

    alpha_lr: Floats
    train_error: Floats
    test_error: Floats
    baseline_train: float
    baseline_test: float
    degree: NDArray[np.int64] | None
    steps: tuple[Step, ...]
    n: float | None
    eta0: float
    parameters: dict[str, float]

    def __repr__(self) -> str:
        where = "the limit" if self.n is None else f"n = {self.n:g}"
        return one_screen(f"<Staircase of {where}: alpha_lr {summarise(self.alpha_lr)}, test_error "
                          f"{summarise(self.test_error)}>")

    def columns(self) -> dict[str, list[float]]:
        """Return the errors and the number of diverging spikes at each exponent, by name."""
        spikes = {} if self.degree is None else {"spikes": self.degree.tolist()}
        return {**{n: getattr(self, n).tolist() for n in ("alpha_lr", "train_error", "test_error")}, **spikes}

    def notes(self) -> list[str]:
        """Return sentences on the errors without a step and on each step."""
        return [f"without a step: train_error {self.baseline_train:.10g}, test_error {self.baseline_test:.10g}",
                *(f"step at {s.alpha_lr:.4g}: the spike of degree {s.degree} takes {s.train_error:.6g} off the "
                  f"train_error, {s.test_error:.6g} off the test_error" for s in self.steps)]

    def data(self) -> dict[str, Any]:
        """Return everything by name."""
        return {"parameters": self.parameters, "samples": self.n, "eta0": self.eta0, "spikes": None, **self.columns(),
                "baseline_train": self.baseline_train, "baseline_test": self.baseline_test,
                "steps": [vars(s) for s in self.steps]}

    def plot(self, name: str | Sequence[str] = "test_error", ax: Axes | None = None, **style: Any) -> Axes:
        """Draw an error against the exponent, with thin lines at the thresholds.

        Parameters
        ----------
        name : {"test_error", "train_error"} or list of these
        ax : matplotlib axes, optional
        **style
            Passed to matplotlib.

        Returns
        -------
        matplotlib axes
        """
        if not isinstance(name, str):
            return panels_of(lambda n, panel: self.plot(n, panel, **style), name, ax)
        check_choice("name", name, ("test_error", "train_error"))
        ax = one_axes(ax)
        before = sum(str(line.get_label()).startswith("n = ") for line in ax.lines) % len(COLOURS)
        low, high = self.alpha_lr.min(), self.alpha_lr.max()
        own, style = style, {"label": "n = infinity" if self.n is None else f"n = {self.n:g}",
                 "marker": "o" if low == high else None, "color": COLOURS[before], "linestyle": LINES[before],
                 "linewidth": 1.8, **style}
        with explain_style_error(own):
            if self.n is None:
                ax.step(*self._treads(name), where="post", **style)
            else:
                order = np.argsort(self.alpha_lr)
                ax.plot(self.alpha_lr[order], getattr(self, name)[order], **style)
        for step in self.steps:
            if low <= step.alpha_lr <= high:
                ax.axvline(step.alpha_lr, color=faint(0.35), linewidth=0.8, zorder=0)
        ax.set_xlabel(label("alpha_lr"))
        ax.set_ylabel(label(name))
        return ax

    def _treads(self, name):
        """Return the corners of the step function between the first and the last exponent."""
        low, high = self.alpha_lr.min(), self.alpha_lr.max()
        if low == high:
            return [low], getattr(self, name)[:1]
        value = getattr(self, f"baseline_{name.removesuffix('_error')}")
        corners = [(low, value)]
        for step in self.steps:
            value -= getattr(step, name)
            corners.append((max(low, step.alpha_lr), value))
        corners = [c for c in corners if c[0] < high]
        return zip(*corners, (high, corners[-1][1]))


def detachment(degree):
    """Return the exponent above which the spike of a degree leaves the bulk."""
    return (degree - 1) / (2 * degree)


def spikes(theory, eta, n, phi, psi, noise_variance, degree):
    """Return the spikes of a theory as :meth:`asympkit.NonlinearSpikes.spikes` describes."""
    eta, n = check_value("eta", eta, "nonnegative"), check_value("n", n, "positive")
    phi, psi = check_value("phi", phi, "positive"), check_value("psi", psi, "positive")
    noise_variance = check_value("noise_variance", noise_variance, "nonnegative")
    theory.warn(theory._mean_assumptions())
    c, length = theory.moments["student"].coefficients, theory._length(phi, noise_variance)
    width, found = theory._width(n, phi, psi), []
    for k in theory.degrees(theory._degree({"degree": degree})):
        # multiply one power at a time, so that large and small factors do not overflow
        argument = abs(c[1]) * eta * math.sqrt(length / width)
        relative = abs(c[k]) * power_moment(2 * k) * math.sqrt(width)
        for _ in range(k):
            relative *= argument
        if not math.isfinite(relative * math.sqrt(n)):
            raise DomainError(f"eta: got {eta:g}; the spike of degree {k} is beyond double precision; take a smaller "
                              "step size or degree")
        found.append(Spike(k, relative * math.sqrt(n), relative, detachment(k)))
    return found


def staircase(theory, alpha_lr, n, eta0, phi, psi, lam, noise_variance):
    """Return the staircase of a theory as :meth:`asympkit.NonlinearSpikes.staircase` describes."""
    alpha, at = _exponents(alpha_lr), {"phi": phi, "psi": psi, "lam": lam, "noise_variance": noise_variance}
    eta0 = check_value("eta0", eta0, "positive")
    passed = np.array([sum(k - 1 < 2 * k * a for k in range(1, 500)) if a > 0 else 0 for a in alpha.tolist()])
    top = min(int(passed.max()), TOP) if n is None else TOP
    limits, notes = _limits(theory, at, top)
    base = limits[0]
    steps = tuple(Step(detachment(k), k, limits[k - 1].train_error - limits[k].train_error,
                       limits[k - 1].test_error - limits[k].test_error) for k in range(1, top + 1))
    if n is None:
        if passed.max() > TOP:
            notes = (*notes, f"alpha_lr up to {alpha.max():g}: spikes of degree above {TOP}, which leave the bulk from "
                     f"{detachment(TOP + 1):.4g} on, were left out")
        theory.warn(notes)
        rows = [limits[k] for k in np.minimum(passed, TOP)]
        train, test = (np.array([row[name] for row in rows]) for name in ("train_error", "test_error"))
    else:
        n = check_value("n", n, "positive")
        eta = eta0 * n**alpha
        theory.solve(**at, eta=float(eta.max()), n=n)       # warns if the series of the spikes does not converge
        found = theory.sweep(**at, eta=eta, n=n)
        train, test = found["train_error"], found["test_error"]
    return Staircase(alpha, train, test, base.train_error, base.test_error, passed if n is None else None, steps, n,
                     eta0, at)


def _exponents(alpha_lr):
    try:
        alpha = np.atleast_1d(np.asarray(alpha_lr, dtype=float))
    except (TypeError, ValueError):
        alpha = np.array([])
    if alpha.ndim != 1 or not alpha.size or not np.all(alpha < 0.5):
        raise DomainError(f"alpha_lr: got {alpha_lr!r}; expected exponents below 1/2, a number or a one-dimensional "
                          "array (from 1/2 on the step changes the bulk)")
    return alpha


def _limits(theory, at, top):
    """Return solutions for all degrees up to one, and the violated assumptions for the highest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)
        found = [theory.solve(**at, degree=k) for k in range(top + 1)]
    return found, found[-1].assumptions
