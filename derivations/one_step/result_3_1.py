"""One large gradient step: the strength, the direction and the bulk of the trained first layer."""

import sys
from functools import cache
from types import SimpleNamespace

from sympy import Limit, Max, Rational, Symbol, erf, exp, oo, pi, sin, sqrt, symbols, sympify, tanh

from asympkit.gauss import E
from asympkit.nodes import Applied, Named, remove_names
from asympkit.theories.one_step import parameters as one_step_parameters

from ..checks import exact, numerical, simulated
from ..command import main
from ..document import Derivation
from ..precise import Precise
from .functions import chosen, on_sphere

z, u, w, t = symbols("z u w t", real=True)
eta, alpha0, beta, d, n0 = symbols("eta alpha0 beta d n0", positive=True)
noise = Symbol("noise_variance", nonnegative=True)


@cache
def constants():
    """The averages of student and target on which the result depends, for functions not yet chosen."""
    student, target = Applied("student", z), Applied("target", u)
    slope = Applied("student", z, 1)
    h0 = Named("h0", E(student, z))
    h1 = Named("h1", E(slope, z))
    return SimpleNamespace(
        h0=h0, h1=h1,
        h2=Named("h2", E(z * slope, z)),
        hcheck1=Named("hcheck1", E((slope - h1) ** 2, z)),
        mean=Named("ybar", E(target - h0, u)),
        h1star=Named("h1star", E(u * target, u)),
        h2star=Named("h2star", E((target - h0) ** 2, u) + noise))


@cache
def result():
    """The result: ``r``, ``gamma`` and ``c`` of the spiked random features that the step produces."""
    k = constants()
    norm = sqrt(k.h1star**2 + k.h2star / alpha0)
    step = eta / beta
    return SimpleNamespace(r=step * k.h1 * norm, gamma=k.h1star / norm,
                           c=(1 + step * k.mean * k.h2) ** 2 + step**2 * k.h2star * k.hcheck1 / alpha0)


def derivation():
    """Result 3.1: what one large gradient step makes of the first layer."""
    doc = Derivation(
        "One large gradient step gives a spike and a bulk", "arXiv 2402.04980, Result 3.1",
        "First-layer rows start on the unit sphere, all readout weights at 1/sqrt(p); one step on n0 "
        "samples with rate eta*d, alpha0 = n0/d, beta = p/d. Student and target are any functions; where a "
        "function is named, it is an example.")
    _gradient(doc)
    _spike(doc)
    _bulk(doc)
    _parameters(doc)
    _examples(doc)
    _network(doc)
    _package(doc)
    return doc


def _gradient(doc):
    k = constants()
    w11, w12, w21, w22, a1, a2, x1, x2, y = symbols("w11 w12 w21 w22 a1 a2 x1 x2 y", real=True)
    p = Symbol("p", positive=True)
    first = Applied("student", w11 * x1 + w12 * x2)
    output = (a1 * first + a2 * Applied("student", w21 * x1 + w22 * x2)) / sqrt(p)
    slope = Applied("student", w11 * x1 + w12 * x2, 1)
    gradient = -((y - output) ** 2 / 2).diff(w11)
    doc.step("The descent direction of one row on one sample (shown with two hidden units in two "
             "dimensions).",
             exact(gradient, (y - output) * a1 * slope * x1 / sqrt(p), "expand"))
    start = {a1: 1 / sqrt(p), a2: 1 / sqrt(p)}
    moved = (eta * d * gradient).subs(start).subs(p, beta * d)
    doc.step("With the rate eta*d and a = 1/sqrt(p), p = beta*d, the row moves by (eta/beta) times "
             "residual, slope and input.",
             exact(moved, eta / beta * (y - output.subs(start).subs(p, beta * d)) * slope * x1, "expand"))
    doc.step("The initial output, a mean over p units, is the constant h0 up to 1/sqrt(p), so the residual "
             "is y - h0 (example: relu).",
             simulated(Symbol("yhat0"), k.h0, _initial_output, tolerance=1.5, repeats=24))
    doc.step("The part of the slope common to all rows is h1 = E[student'], by Stein's lemma a mean of the "
             "student itself.", exact(k.h1.expr, E(z * Applied("student", z), z), "stein"))


def _initial_output(rng, size):
    import numpy as np

    weights = on_sphere(rng, size, size)
    return np.maximum(weights @ rng.standard_normal(size), 0).mean(), 1 / np.sqrt(2 * np.pi)


def _spike(doc):
    k = constants()
    target = Applied("target", u)
    residual = target - k.h0
    doc.step("The common part is s = mean of (y - h0) x. A coordinate of x with overlap t with the "
             "target's direction is t u + sqrt(1 - t^2) w: different samples give E[(y - h0) x] = h1star "
             "times the direction; the constant h0 drops out.",
             exact(E(E(residual * (t * u + sqrt(1 - t**2) * w), w), u), t * k.h1star.expr, "split"))
    doc.step("The same sample: |x|^2 = u^2 + (d - 1 other coordinates), and the noise is independent.",
             exact(E(residual**2 * (u**2 + d - 1), u) + noise * d,
                   d * k.h2star.expr + E((u**2 - 1) * residual**2, u), ("open", "split", "expand")))
    finite = (1 - 1 / n0) * k.h1star**2 + (d * k.h2star + E((u**2 - 1) * residual**2, u)) / n0
    squared = k.h1star**2 + k.h2star / alpha0
    doc.step("Of the n0^2 pairs of samples n0 are equal, so E|s|^2 at finite size tends to h1star^2 + "
             "h2star/alpha0.",
             exact(Limit(finite.subs(n0, alpha0 * d), d, oo), squared, ("close_limit", "expand")))
    doc.step("The squared norm concentrates (example: target sin, noise 0.1, alpha0 = 2).",
             simulated(Symbol("s")**2, squared, lambda rng, size: _spike_experiment(rng, size)[0],
                       tolerance=2.0, sizes=(150, 600), repeats=8))
    doc.step("Its cosine with the target's direction is h1star/|s|.",
             simulated(Symbol("gamma"), result().gamma, lambda rng, size: _spike_experiment(rng, size)[1],
                       tolerance=0.6, sizes=(150, 600), repeats=8))


def _spike_experiment(rng, size):
    import numpy as np

    samples, level = 2 * size, 0.1
    direction = on_sphere(rng, 1, size)[0]
    x = rng.standard_normal((samples, size))
    y = np.sin(x @ direction) + np.sqrt(level) * rng.standard_normal(samples)
    s = y @ x / samples
    r, gamma, _, h1 = _predicted("odd")
    return (s @ s, (r / h1) ** 2), (s @ direction / np.linalg.norm(s), gamma)


def _bulk(doc):
    k = constants()
    slope = Applied("student", z, 1) - k.h1
    residual = Applied("target", t * z + sqrt(1 - t**2) * w) - k.h0
    along_row = E(z * slope * E(residual, w), z)
    doc.step("What is left of the slope, student' - h1, meets the target through the overlap t = "
             "O(1/sqrt(d)) of the row with the target's direction. Different samples, component along the "
             "row itself, t = 0.",
             exact(along_row.subs(t, 0), k.mean.expr * k.h2.expr, ("open", "split", "expand")))
    doc.step("h2 is the second Hermite coefficient of the student; it vanishes when the student is odd.",
             exact(k.h2.expr, E((z**2 - 1) * Applied("student", z), z), ("stein", "expand")))
    other = Applied("student", t * u + sqrt(1 - t**2) * w, 1) - k.h1
    along_target = E(u * (Applied("target", u) - k.h0) * E(other, w), u)
    doc.step("Component along the target's direction: it vanishes at t = 0 ...",
             exact(along_target.subs(t, 0), 0, ("open", "split")))
    doc.step("... and has a finite slope there, so it is O(1/sqrt(d)) and does not count.",
             exact(along_target.diff(t).subs(t, 0),
                   E(u**2 * (Applied("target", u) - k.h0), u) * E(Applied("student", z, 2), z),
                   ("open", "split", "expand")))
    doc.step("The same sample: squared residual and squared slope decouple at t = 0 ...",
             exact(E(slope**2 * E(residual**2 + noise, w), z).subs(t, 0), k.h2star.expr * k.hcheck1.expr,
                   ("open", "split", "expand")))
    square = slope**2
    doc.step("... with a first-order correction in t that is finite too.",
             exact(E(square * E(residual**2, w), z).diff(t).subs(t, 0),
                   E(z * square, z) * E(2 * Applied("target", u, 1) * (Applied("target", u) - k.h0), u),
                   ("open", "split", "expand")))
    doc.step("hcheck1 is the variance of the slope.",
             exact(k.hcheck1.expr, E(Applied("student", z, 1) ** 2, z) - k.h1.expr**2,
                   ("open", "split", "expand")))
    doc.step("The increments of different rows share nothing: the mean row of the bulk increment vanishes "
             "(example: tanh on sin).",
             simulated(Symbol("mean_increment"), 0,
                       lambda rng, size: _step_experiment(rng, size, network="odd")[3],
                       tolerance=0.5, sizes=(100, 400), repeats=5))


def _parameters(doc):
    k, found = constants(), result()
    v_norm = Symbol("v", positive=True)
    row = eta / beta * k.h1 * v_norm
    doc.step("The spike row (eta/beta) h1 s is written (r/sqrt(d)) v with |v|^2 = d: r^2 is its squared "
             "norm.",
             exact((row**2).subs(v_norm, sqrt(k.h1star**2 + k.h2star / alpha0)), found.r**2, "expand"))
    doc.step("Strength times direction is the signal (eta/beta) h1 h1star, whatever the number of samples.",
             exact(found.r * found.gamma, eta / beta * k.h1 * k.h1star))
    increment = eta / beta
    squared = (k.mean * k.h2) ** 2 + k.h2star * k.hcheck1 / alpha0
    doc.step("A bulk row starts at norm 1 and gains (eta/beta) times an increment whose overlap with it is "
             "ybar h2 and whose squared norm is (ybar h2)^2 + h2star hcheck1/alpha0.",
             exact(1 + 2 * increment * k.mean * k.h2 + increment**2 * squared, found.c, "expand"))
    odd = 1 + increment**2 * k.h2star * k.hcheck1 / alpha0
    doc.step("For an odd student h2 = 0 and only equal samples contribute.",
             exact(found.c.subs(k.h2, 0), odd, "expand"))
    large = [Limit(e, alpha0, oo) for e in (found.gamma**2, found.c.subs(k.h2, 0), found.r**2)]
    for sentence, lhs, rhs in zip(
            ("With many more samples than dimensions the direction is the target's,",
             "the bulk of an odd student is left as it was,", "and the strength is the signal alone."),
            large, (1, 1, (increment * k.h1 * k.h1star) ** 2)):
        doc.step(sentence, exact(lhs, rhs, "close_limit"))


def _examples(doc):
    found, half = result(), Rational(1, 2)
    e1 = exp(-1)
    step = eta / beta

    squared = e1 + ((1 - exp(-2)) / 2 + noise) / alpha0
    doc.step("sin on sin: strength.", exact(chosen(found.r**2, sin(z), sin(z)), step**2 * e1 * squared,
                                           ("open", "close", "expand")))
    doc.step("sin on sin: bulk.",
             exact(chosen(found.c, sin(z), sin(z)),
                   1 + step**2 * ((1 - exp(-2)) / 2 + noise) * (1 - e1) ** 2 / 2 / alpha0,
                   ("open", "split", "close", "expand")))
    soft = erf(z / sqrt(2))
    doc.step("erf on erf: direction.",
             exact(chosen(found.gamma**2, soft, soft), 1 / (1 + pi * (Rational(1, 3) + noise) / alpha0),
                   ("open", "split", "close", "simplify")))
    doc.step("erf on erf: bulk.",
             exact(chosen(found.c, soft, soft),
                   1 + step**2 * (Rational(1, 3) + noise) * (2 / (pi * sqrt(3)) - 1 / pi) / alpha0,
                   ("open", "split", "close", "expand")))
    cubic, square = z + z**2 / 2 + z**3 / 6, z**2 + z
    # h0 = 1/2, h1 = 1 + 1/2, h2 = 1, hcheck1 = 1 + 2/4; ybar = 1/2, h1star = 1, h2star = 13/4 + noise
    doc.step("A student that is not odd, z + z^2/2 + z^3/6 on z + z^2: the bulk also changes through the "
             "mean of the residual.",
             exact(chosen(found.c, cubic, square),
                   (1 + step / 2) ** 2 + step**2 * (Rational(13, 4) + noise) * 3 * half / alpha0,
                   ("open", "split", "expand")))
    ramp = Max(0, z)
    k = constants()
    doc.step("relu: the second coefficient follows from Stein's form, without a derivative at the kink.",
             exact(chosen(E((z**2 - 1) * Applied("student", z), z), ramp, z), 1 / sqrt(2 * pi), "close"))
    doc.step("tanh has no closed form: the two forms of h1 agree.",
             numerical(chosen(k.h1.expr, tanh(z), z), chosen(E(z * Applied("student", z), z), tanh(z), z)))
    doc.step("Since tanh' = 1 - tanh^2 the slope's mean is 1 minus the second moment.",
             numerical(chosen(E(z * Applied("student", z), z), tanh(z), z), 1 - E(tanh(z) ** 2, z)))
    doc.step("tanh: the variance of the slope in moments of tanh itself.",
             numerical(chosen(k.hcheck1.expr, tanh(z), z), E(tanh(z) ** 4, z) - E(tanh(z) ** 2, z) ** 2))


#: student, slope and target of the two networks that are simulated, as expressions in z
_NETWORKS = {"odd": (tanh(z), sin(z)), "ramp": (Max(0, z), z + z**2 / 2)}


@cache
def _predicted(network):
    """The result for a network that is simulated (eta = beta = 1, alpha0 = 2, noise 1/10), in floats."""
    found, precise = result(), Precise(15)
    values = {eta: 1, beta: 1, alpha0: 2, noise: Rational(1, 10)}
    chosen_ones = [remove_names(chosen(e, *_NETWORKS[network])).doit()
                   for e in (found.r, found.gamma, found.c, constants().h1)]
    return [float(precise.value(sympify(e).subs(values), {})) for e in chosen_ones]


def _step_experiment(rng, size, network):
    """One gradient step of a network; pairs of measured and predicted r, gamma, c, and the mean row."""
    import numpy as np

    level, samples = 0.1, 2 * size
    f, slope, g = {
        "odd": (np.tanh, lambda s: 1 / np.cosh(s) ** 2, np.sin),
        "ramp": (lambda s: np.maximum(s, 0), lambda s: 1.0 * (s > 0), lambda s: s + s**2 / 2)}[network]
    r, gamma, c, h1 = _predicted(network)
    weights, direction = on_sphere(rng, size, size), on_sphere(rng, 1, size)[0]
    x = rng.standard_normal((samples, size))
    y = g(x @ direction) + np.sqrt(level) * rng.standard_normal(samples)
    pre = x @ weights.T
    residual = y - f(pre).mean(axis=1)
    moved = weights + (slope(pre) * residual[:, None]).T @ x / samples
    spike = h1 * residual @ x / samples
    strength, bulk = np.linalg.norm(spike), moved - spike
    mean_row = np.linalg.norm((bulk - weights).mean(axis=0))
    size_of_bulk = (bulk**2).sum(axis=1).mean()
    return (strength, r), (spike @ direction / strength, gamma), (size_of_bulk, c), (mean_row, 0)


def _network(doc):
    found = result()
    for index, (name, what) in enumerate((("r", "the strength"), ("gamma", "the cosine"), ("c", "the bulk"))):
        doc.step("A network trained by one step, tanh on sin, noise 0.1, eta = beta = 1, alpha0 = 2: "
                 f"{what}.",
                 simulated(Symbol(name), getattr(found, name),
                           lambda rng, size, i=index: _step_experiment(rng, size, network="odd")[i],
                           tolerance=0.6, sizes=(100, 400), repeats=5))
    doc.step("The same for relu on z + z^2/2, where the bulk feels the mean of the residual.",
             simulated(Symbol("c"), found.c, lambda rng, size: _step_experiment(rng, size, network="ramp")[2],
                       tolerance=3.0, sizes=(100, 400), repeats=5))


def _package(doc):
    found = result()
    arguments = one_step_parameters.symbols()
    at = {arguments["eta"]: eta, arguments["beta"]: beta, arguments["alpha0"]: alpha0,
          arguments["noise_variance"]: noise}
    package = {name: remove_names(e).subs(at) for name, e in one_step_parameters.expressions().items()}
    by = ("open", "stein", "split", "expand")
    for name, what in (("r", "strength"), ("gamma", "cosine"), ("c", "bulk")):
        doc.step(f"What the package solves with: {what}.", exact(package[name], getattr(found, name), by))
    doc.step("The rest of the target's direction, as the package writes it (no difference of nearly equal "
             "numbers).",
             exact(package["rho"] ** 2, 1 - found.gamma**2, ("open", "stein", "cancel")))


if __name__ == "__main__":
    sys.exit(main(derivation))
