r"""Map one large gradient step to spiked random features: (r, c, gamma, rho), and the numbers of the bulk.

arXiv 2402.04980, Result 3.1, at any ratio :math:`\beta=p/d`, with label noise, for students that
are not odd, and for labels that are signs.  ``overload`` is :math:`1/\alpha_0=d/n_0`, 0 for the population gradient.

The numbers of the exact bulk (:mod:`.bulk`) are the law of :math:`\bar\Sigma`, and the squared norms of its rows,
:math:`|w_i|^2=c+\chi_i/\sqrt d`: their variance, and the direction of the bulk they are correlated with.
"""

from functools import cache

from sympy import And, Eq, Integer, Or, Symbol, pi, sqrt

from ...gauss import E
from ...nodes import Applied, Named
from ..derived import Case, Derived
from ..spiked_features.equations import OF_WIDTH
from . import ARGUMENTS, REGRESSION, SIGN


@cache
def symbols():
    """Return the arguments of the map, by name."""
    return {"eta": Symbol("eta", real=True), "alpha0": Symbol("alpha0", extended_nonnegative=True),
            "beta": Symbol("beta", positive=True), "noise_variance": Symbol("noise_variance", nonnegative=True),
            "flip": Symbol("flip", nonnegative=True)}


def arguments(labels=REGRESSION):
    """Return the names of the arguments for labels of a kind."""
    return (*ARGUMENTS, "flip") if labels == SIGN else ARGUMENTS


@cache
def moments(labels=REGRESSION):
    r"""Return the Gaussian moments of student and target that the step depends on.

    ``h0``, ``h1``, ``h2``: :math:`E[\sigma He_k]`; ``spread``: :math:`E(\sigma'-h_1)^2`; ``ybar``, ``t1``, ``t2``:
    mean, linear part and second moment of the labels seen by the step, :math:`\phi-h_0` plus noise (the
    initial output tends to :math:`h_0`).  Signs, of a noisy linear target, of which a share ``flip`` is flipped, have
    the linear part :math:`(1-2\epsilon)\sqrt{2/\pi}/\sqrt{1+\Delta}` and the square 1.
    """
    z, s = Symbol("z", real=True), symbols()
    student, slope, target = Applied("student", z), Applied("student", z, 1), Applied("target", z)
    h0 = Named("h0", E(student, z))
    h1 = Named("h1", E(z * student, z))
    h2 = Named("h2", E((z**2 - 1) * student, z))
    spread = Named("spread", E((slope - h1) ** 2, z))
    if labels == SIGN:
        ybar, t2 = Named("ybar", -h0), Named("t2", 1 + h0**2)
        t1 = Named("t1", (1 - 2 * s["flip"]) * sqrt(2 / pi) / sqrt(1 + s["noise_variance"]))
    else:
        ybar = Named("ybar", E(target, z) - h0)
        t1 = Named("t1", E(z * target, z))
        t2 = Named("t2", E((target - h0) ** 2, z) + s["noise_variance"])
    return {"h0": h0, "h1": h1, "h2": h2, "spread": spread, "ybar": ybar, "t1": t1, "t2": t2}


@cache
def _lengths(labels):
    """Return 1/alpha0, and the length of the gradient's direction."""
    s, u = symbols(), moments(labels)
    overload = Named("overload", 1 / s["alpha0"])
    return overload, Named("length", sqrt(u["t1"] ** 2 + u["t2"] * overload))


@cache
def expressions(labels=REGRESSION):
    """Return spike strength r, row norm c, overlap gamma of spike and target, and rho = sqrt(1 - gamma**2).

    ``rho`` has its own form: 1 - gamma**2 loses all digits when the overlap is nearly one.
    """
    s, u, (overload, length) = symbols(), moments(labels), _lengths(labels)
    rate = s["eta"] / s["beta"]
    return {"r": rate * u["h1"] * length,
            "c": (1 + rate * u["ybar"] * u["h2"]) ** 2 + rate**2 * u["t2"] * u["spread"] * overload,
            "gamma": u["t1"] / length,
            "rho": sqrt(u["t2"]) * sqrt(overload) / length}


@cache
def step_map(labels=REGRESSION):
    """Return the map of the parameters of the step: Result 3.1, and its limiting cases.

    ``eta = 0`` and ``alpha0 = 0`` are no step, which is another limit than a small one.  If the gradient has no
    direction,
    with neither a linear part of the target nor noise, there is no spike, while rows may change their length.
    """
    s, u, (overload, _) = symbols(), moments(labels), _lengths(labels)
    none, one = Integer(0), Integer(1)
    no_spike = {"r": none, "gamma": none, "rho": one}
    cases = (Case(Or(Eq(s["eta"], 0), Eq(s["alpha0"], 0)), {**no_spike, "c": one}, "no step"),
             Case(And(Eq(u["t1"], 0), Eq(overload, 0) if labels == SIGN else Or(Eq(u["t2"], 0), Eq(overload, 0))),
                  no_spike, "a gradient without a spike (no linear part, no noise)"))
    decisive = {"h1": ("student", 1), **({} if labels == SIGN else {"t1": ("target", 1)})}
    return Derived([s[n] for n in arguments(labels)], expressions(labels), cases, decisive)


# -- the numbers of the exact bulk ------------------------------------------------------------------------------------


def _student():
    """Return moments of the derivative of the student without its linear part, f = student' - h1 - h2*z."""
    z, u = Symbol("z", real=True), moments()
    slope = Applied("student", z, 1)
    f = slope - u["h1"] - u["h2"] * z
    rest = Named("rest", E(f**2, z))
    third = Named("third", E((z**2 - 1) * slope, z))
    along = Named("along", E(z * f**2, z))
    linear, square = z * f - third * z, f**2 - rest - along * z       # chaos of degree two and more
    return {"rest": rest, "third": third, "fourth": Named("fourth", E((z**3 - 3 * z) * slope, z)), "along": along,
            "across": Named("across", E((z**2 - 1) * f**2, z)), "cube": Named("cube", E(f**3, z)),
            "v11": Named("v11", E(linear**2, z)), "v12": Named("v12", E(linear * square, z)),
            "v22": Named("v22", E(square**2, z))}


def _labels(labels):
    """Return moments of the labels without the mean of the student, noise included."""
    z, u, noise = Symbol("z", real=True), moments(labels), symbols()["noise_variance"]
    if labels == SIGN:          # moments with tau beside these are those of regression labels alone
        h0 = u["h0"]
        return {"y1": u["ybar"], "y2": u["t2"], "y3": Named("y3", -3 * h0 - h0**3),
                "y4": Named("y4", 1 + 6 * h0**2 + h0**4), "t1": u["t1"], "ty2": Named("ty2", -2 * h0 * u["t1"])}
    clean = Applied("target", z) - u["h0"]
    square = Named("clean2", E(clean**2, z))
    return {"y1": u["ybar"], "y2": u["t2"], "y3": Named("y3", E(clean**3, z) + 3 * noise * u["ybar"]),
            "y4": Named("y4", E(clean**4, z) + 6 * noise * square + 3 * noise**2),
            "t1": u["t1"], "ty2": Named("ty2", E(z * clean**2, z)),
            "ty3": Named("ty3", E(z * clean**3, z) + 3 * noise * u["t1"]), "tty1": Named("tty1", E(z**2 * clean, z)),
            "tty2": Named("tty2", E(z**2 * clean**2, z) + noise)}


def _covariance(y, ell, omega, ov, gamma, rho, length):
    r"""Return the covariance of rows between spike v and rest of the target z, of regression labels.

    In the orthonormal basis of the target's direction t and the noise n of :math:`s=\frac1{n_0}\sum y_\mu x_\mu`,
    v = gamma*t + rho*n; entries vz and tn are over rho.
    """
    tt = 1 + 2 * ell * y["tty1"] + ell**2 * (ov * y["tty2"] + y["tty1"] ** 2) + omega * y["tty2"]
    tn = length / y["y2"] * (ell * y["ty2"] * (2 + ell * (y["tty1"] + y["y1"])) + (ell**2 * ov + omega) * y["ty3"])
    nn = (1 + ell * y["y1"]) ** 2 + omega * y["y2"] + ov / y["y2"] * (
        2 * ell * y["y3"] * (1 + ell * y["y1"]) + ell**2 * (ov * y["y4"] + y["y2"] ** 2 + y["ty2"] ** 2)
        + omega * y["y4"])
    tt, tn, nn = (Named(n, e) for n, e in (("cov_tt", tt), ("cov_tn", tn), ("cov_nn", nn)))
    return {"cov_vv": gamma**2 * tt + rho**2 * (2 * gamma * tn + nn),
            "cov_vz": gamma * (tt - nn) + (rho**2 - gamma**2) * tn,
            "cov_zz": rho**2 * (tt - 2 * gamma * tn) + gamma**2 * nn}


@cache
def bulk_expressions(labels):
    """Return all numbers by name, in the moments of student and labels."""
    s, u, x, y = symbols(), moments(labels), _student(), _labels(labels)
    spike, ov = expressions(labels), Named("overload", 1 / s["alpha0"])
    rate = s["eta"] / s["beta"]
    ell = Named("ell", rate * u["h2"])
    omega = Named("omega", rate**2 * ov * x["rest"])
    start = Named("start", 1 + ell * y["y1"])                 # of I + ell*A1, whose other free cumulants are:
    k2, k3, k4 = (ell**n * y[f"y{n}"] * ov ** (n - 1) for n in (2, 3, 4))
    per_sample = ell * ov                                     # x'(I + ell*A1)x/d of a sample is start + ell*ov*y
    row1 = Named("row1", 2 * rate * x["third"] * start)
    row2 = Named("row2", 2 * rate * x["third"] * per_sample + rate**2 * x["along"] * ov)
    row3 = Named("row3", 2 * start * ov * (rate**2 * x["along"] + rate * x["third"] * ell))
    row4 = Named("row4", ov**2 * (2 * rate**2 * x["along"] * ell + rate**3 * x["cube"]
                                  + rate * x["third"] * ell**2))
    correlated = (ov * (row1**2 * y["y2"] + 2 * row1 * row2 * y["y3"] + row2**2 * y["y4"])
                  + (row1 * y["t1"] + row2 * y["ty2"]) ** 2)
    one_sample = ov * (
        4 * rate**2 * x["v11"] * (start**2 * y["y2"] + 2 * start * per_sample * y["y3"] + per_sample**2 * y["y4"])
        + 4 * rate**3 * ov * x["v12"] * (start * y["y3"] + per_sample * y["y4"]) + rate**4 * ov**2 * x["v22"] * y["y4"])
    linear = 2 * (k4 + 4 * k3 * start + k2**2 + 4 * k2 * start**2)
    more = Named("more", 2 * start * per_sample * y["y3"] + per_sample**2 * y["y4"])      # E[y**2 delta_y]
    with_linear = 4 * (rate * x["fourth"] * (2 * start**2 * per_sample * y["y2"] + 3 * start * per_sample**2 * y["y3"]
                                             + per_sample**3 * y["y4"]) + rate**2 * x["across"] * ov / 2 * more)
    norms = (correlated + one_sample + linear + with_linear + 4 * omega * y["y2"] * k2 + 2 * (omega * y["y2"]) ** 2)
    square = (k4 + 4 * k3 * start + 2 * k2**2 + 6 * k2 * start**2 + start**4
              + 2 * omega * (y["y2"] * (k2 + start**2) + more) + omega**2 * (y["y2"] ** 2 + y["y4"] * ov))
    length = sqrt(y["t1"] ** 2 + y["y2"] * ov)
    tilt = u["h1"] * start / (s["beta"] * spike["c"] * length)
    return {**spike, "deviation": sqrt(s["noise_variance"]), "overload": ov, "omega": omega, "t1": y["t1"],
            "t2": y["y2"], "length": length, "row1": row1, "row4": row4, "norms": norms, "square": square, "tilt": tilt,
            "h0": u["h0"], "ell": ell, "row2": row2, "row3": row3,
            **({} if labels == SIGN else _covariance(y, ell, omega, ov, spike["gamma"], spike["rho"], length))}


@cache
def isotropic_map(labels, has_width):
    """Return the map of the parameters of the step over an isotropic bulk, at a width with the tilt of the spike by the
    initial output, against the mean row."""
    step = step_map(labels)
    if not has_width:
        return step
    tilt = exact_map(True, labels).expressions["tilt"]          # it is the same for all students
    cases = [Case(c.condition, {**c.expressions, "tilt": Integer(0)}, c.text) for c in step.cases]
    return Derived(step.arguments, {**step.expressions, "tilt": tilt}, cases, step.decisive)


@cache
def exact_map(is_odd, labels=REGRESSION, has_width=True):
    """Return the map of the parameters of the step, with its limiting cases; without a width what the limit needs.

    ``eta = 0`` and ``alpha0 = 0`` are no step: the bulk is isotropic, and the moments of one batch of d samples, which
    do not count then, make no form of the bulk 0/0.
    """
    s, step, every = symbols(), step_map(labels), bulk_expressions(labels)
    dropped = {"h0", "ell", "row2", "row3", "cov_vv", "cov_vz", "cov_zz"} if is_odd else set()
    dropped |= set() if has_width else {*OF_WIDTH}
    none, one, (t1, t2) = Integer(0), Integer(1), (every["t1"], every["t2"])
    no_step = {**dict.fromkeys(every, none), **step.cases[0].expressions, "square": one, "overload": one,
               "deviation": every["deviation"], "t1": t1, "t2": t2, "length": sqrt(t1**2 + t2), "h0": every["h0"],
               "cov_vv": one, "cov_zz": one}
    wanted, no_step = ({n: of[n] for n in every if n not in dropped} for of in (every, no_step))
    cases = [Case(Or(Eq(s["eta"], 0), Eq(s["alpha0"], 0)), no_step, "no step")]
    if is_odd:
        overload, _ = _lengths(labels)
        cases.append(Case(And(Eq(moments(labels)["t1"], 0), Eq(overload, 0)), no_step, "a gradient without a spike"))
    return Derived(step.arguments, wanted, cases, step.decisive)
