"""Composition: the free energy is bulk + width + channel, and order parameters alone couple them."""

import sys
from functools import cache
from types import SimpleNamespace

from sympy import Derivative, Eq, Function, Matrix, Rational, Symbol, sin, sqrt, symbols

from asympkit.gauss import E
from asympkit.losses import Huber, logistic
from asympkit.nodes import Applied, Named, slope
from asympkit.theories.one_step.bulk import exact_bulk
from asympkit.theories.spiked_features import equations as spiked_equations
from asympkit.theories.spiked_features.channel import regression, sign_labels
from asympkit.theories.spiked_features.convex import ConvexLoss
from asympkit.theories.spiked_features.parts import MIXED

from ..checks import exact
from ..command import main
from ..document import Derivation

s, K = spiked_equations.symbols(), spiked_equations.symbols().kappa
x, y, omega, tau = symbols("x y omega tau", real=True)
#: a channel at a given projection on the spike, to first order: the means of f, -f', f^2 and of the response D to the
#: covariance, which are any functions of the projection
f, curvature, square, response = (Applied(n, K) for n in ("f", "curvature", "square", "response"))


class AnyChannel(spiked_equations.BulkEquations):
    """A channel known by its slopes at the saddle point alone; it has the interface of the package's channels."""

    def cost(self):
        """Return G to first order in mean, variance and response of a prediction, and its covariance."""
        at = self.bulk.prediction(s, self.bulk.moments())
        return -f * at.C + curvature * at.Q / 2 - square * at.V / 2 - response * at.T


@cache
def parts():
    """The free energies of three bulks, with any channel and with that of the square loss."""
    bulks = {"limit": spiked_equations.isotropic(), "width": spiked_equations.isotropic(True),
             "exact": exact_bulk(True)}
    return {name: SimpleNamespace(bulk=bulk, any=AnyChannel(bulk).free_energy,
                                  square=spiked_equations.SquareLoss(bulk).free_energy)
            for name, bulk in bulks.items()}


def derivation():
    """The composed free energy of spiked features: any bulk, any width, any convex loss."""
    doc = Derivation(
        "Bulk, width and channel are coupled by order parameters alone",
        "arXiv 2402.04980, Result 3.3 and appendix B, and beyond them",
        "Features as in Result 3.2. The prior is the volume of readouts at given overlaps, the channel the cost of the "
        "samples at given overlaps: G is the mean Moreau envelope of the loss, f minus its slope in the prediction. A "
        "channel enters all equations by its slopes alone, so four unspecified functions of kappa stand for any loss.",
        notation=spiked_equations.NOTATION)
    _envelope(doc)
    _slopes(doc)
    _channel_side(doc)
    _losses(doc)
    _bulk_side(doc)
    _width(doc)
    _square(doc)
    _objective(doc)
    _bias(doc)
    _signs(doc)
    return doc


def _envelope(doc):
    V = Symbol("V", positive=True)
    best, loss = Function("best")(omega, V), Function("loss")
    cost = (best - omega) ** 2 / (2 * V) + loss(best)
    pull = (best - omega) / V               # f, which is minus the slope of the loss at the proximal point
    at_minimum = {Derivative(loss(best), best): -pull}
    for name, variable, value in (("the prediction: -f", omega, -pull), ("V: -f^2/2", V, -(pull**2) / 2)):
        doc.step(f"The Moreau envelope, least over the output: its slope by {name}, whatever the loss (the output's "
                 "own motion costs nothing at the minimum).",
                 exact(cost.diff(variable).doit().subs(at_minimum), value, "cancel"),
                 shown=Eq(Derivative(Function("M")(omega, V), variable), value, evaluate=False))


def _slopes(doc):
    C, T = symbols("C T", real=True)
    W, Q = symbols("W Q", positive=True)
    spread = Applied("M", C + W * x)
    doc.step("A prediction varies about C with the variance Q = W^2. The slope of the mean envelope by Q is half its "
             "mean curvature (Stein's lemma) ...",
             exact(E(spread, x).diff(W) / (2 * W), E(Applied("M", C + W * x, 2), x) / 2, ("stein", "expand")))
    doc.step("... and by C it is the mean slope.",
             exact(E(spread, x).diff(C), E(Applied("M", C + W * x, 1), x), ("stein", "expand")))
    label, rest = Applied("target", s.gamma * K + s.rho * y), sqrt(Q - T**2)
    missed = label - (C + T * y + rest * x)
    residual = E(E(missed**2, x), y)
    doc.step("The target's argument shares y with a prediction; their covariance is rho T. For residual losses the "
             "slope by T is minus the mean of the target's slope times -f', D = rho E[target' (-f')]: here for the "
             "square of the residual, where -f' is 2.",
             exact(residual.diff(T), -2 * s.rho * E(Applied("target", s.gamma * K + s.rho * y, 1), y),
                   ("close", "split", "stein", "split", "expand")))


def _conditions(u, rate):
    """What a channel's slopes say of the conjugates: (order parameter, conjugate, its value, factor of dF)."""
    return ((s.q1, s.Vhat1, rate * E(u.mu1**2 * curvature, K), 2), (s.q2, s.Vhat2, rate * E(u.mu2sq * curvature, K), 2),
            (s.V1, s.qhat1, rate * E(u.mu1**2 * square, K), -2), (s.V2, s.qhat2, rate * E(u.mu2sq * square, K), -2),
            (s.theta, s.thetahat, s.alpha * E(K * u.mu1 * f, K), -s.beta),
            (s.psi, s.psihat, s.alpha * E(u.mu1 * response, K), -s.beta))


def _channel_side(doc):
    u, p = spiked_equations.moments(), parts()
    for order, hat, value, factor in _conditions(u, s.alpha / s.beta):
        doc.step(f"Stationarity in {order}, whatever the loss and the bulk: {hat}.",
                 exact(factor * p["limit"].any.diff(order), value - hat, ("open", "expand", "join")),
                 shown=Eq(hat, value, evaluate=False))
    doc.step("Stationarity in m: without a width the mean readout has no penalty, and f has no part along mu0.",
             exact(-s.beta / s.alpha * p["limit"].any.diff(s.m), E(u.mu0 * f, K), ("open", "expand", "join")))
    orders, weights = (s.q1, s.q2, s.V1, s.V2, s.theta, s.psi), symbols("a:f")
    for name, words in (("width", "at a width"), ("exact", "over the exact bulk of a step")):
        left, right = (sum(w * slope(p[n].any, o) for w, o in zip(weights, orders)) for n in (name, "limit"))
        doc.step(f"The same equations of {', '.join(map(str, orders))} hold {words}.",
                 exact(left, right, ("open", "expand", "join")), shown=Eq(Symbol(f"dF_{name}"), Symbol("dF_limit")))


def _losses(doc):
    """Slopes of channels of the package by order parameters."""
    z, bulk = s.z, spiked_equations.isotropic(True)
    huber = regression(Huber(Rational(7, 10)), sin(z), z, MIXED)
    channels = {"The logistic loss on signs with flips":
                ConvexLoss(sign_labels(logistic, MIXED), bulk, has_flips=True),
                "Huber's loss on labels sin": ConvexLoss(huber, bulk)}
    for words, setting in channels.items():
        o, u, G = setting.symbols(), setting.moments(), setting.cost()
        at = bulk.prediction(o, u, lambda name, e, of=setting: of.tabled(Named(name, e)))
        of_mean = slope(G, o.theta) / (K * u.mu1) * slope(at.C, o.m) + slope(G, o.q2) / u.mu2sq * slope(at.Q, o.m)
        for sentence, left, right in (
                ("on q1 and q2 through the variance Q of a prediction alone.",
                 slope(G, o.q1) * u.mu2sq, slope(G, o.q2) * u.mu1**2),
                ("on V1 and V2 through V alone.", slope(G, o.V1) * u.mu2sq, slope(G, o.V2) * u.mu1**2),
                ("on m through mean and variance alone.", slope(G, o.m), of_mean)):
            doc.step(f"{words}: G depends {sentence}", exact(left, right, "expand"))


def _bulk_side(doc):
    for name, words in (("width", "at a width"), ("exact", "over the exact bulk")):
        p = parts()[name]
        hats = (s.Vhat1, s.Vhat2, s.qhat1, s.qhat2, *(hat for _, hat in p.bulk.directions.values()))
        left, right = (sum(w * slope(F, hat) for w, hat in zip(symbols("a:i"), hats)) for F in (p.any, p.square))
        doc.step(f"Stationarity in {', '.join(map(str, hats))} {words}: no slope of the channel occurs, and any "
                 "channel has the equations of the square loss.", exact(left - right, 0, "expand"),
                 shown=Eq(Symbol("dF_any"), Symbol("dF_square")))


def _width(doc):
    p = parts()["width"]
    K00, K01, K11 = symbols("K00 K01 K11", positive=True)
    m, hat, other = symbols("m mhat ohat", real=True)
    prior = m * hat - (K00 * hat**2 + 2 * K01 * hat * other + K11 * other**2) / 2
    best = (m - K01 * other) / K00
    doc.step("The mean readout is one more direction, with a conjugate of its own. Stationarity in it ...",
             exact(prior.diff(hat).subs(hat, best), 0, "cancel"), shown=Eq(hat, best, evaluate=False))
    doc.step("... leaves the price of what the other directions do not induce: the width's part of the free energy.",
             exact(prior.subs(hat, best), (m - K01 * other) ** 2 / (2 * K00) - K11 * other**2 / 2, "expand"))
    averages, induced = spiked_equations.isotropic(), p.bulk.induced
    free = s.m - sum(e * p.bulk.directions[n][1] for n, e in induced.items())
    doc.step("The constant direction has norm p and no overlap with the bulk's modes: K00 = p V2/beta at the saddle. "
             "It is all that a width adds to the prior.",
             exact(p.bulk.prior(s) - averages.prior(s) - s.psi0 * s.psi0hat / s.beta,
                   s.inverse_width * free**2 / (2 * averages.inverse), ("open", "close", "open", "cancel")))
    u, at = spiked_equations.moments(), p.bulk.prediction(s, spiked_equations.moments())
    inverse_d = s.beta * s.inverse_width
    doc.step("In the channel a width moves the mean, since the norm of an input moves all units together,",
             exact(at.C, (u.mu0 + s.c * inverse_d * (K**2 - 1) * u.dmu0) * s.m + K * u.mu1 * s.theta,
                   ("open", "expand")))
    doc.step("the variance, by twice the mean squared eigenvalue of the rows' covariance,",
             exact(at.Q, u.mu1**2 * s.q1 + u.mu2sq * s.q2 + 2 * s.c**2 * inverse_d * u.dmu0**2 * s.m**2,
                   ("open", "expand")))
    doc.step("and the covariance with the target, by what the mean readout adds to rho psi.",
             exact(s.rho * at.T, u.mu1 * (s.rho * s.psi + s.psi0), "expand"))
    gone = {s.inverse_width: 0, s.psi0: 0, s.psi0hat: 0}
    doc.step("Infinitely many units: the limit's free energy is left.",
             exact(p.any.subs(gone), parts()["limit"].any, ("open", "close", "open", "expand", "join")))


def _square(doc):
    C, h, T, hz = symbols("C h T hz", real=True)
    Q, V, spread = symbols("Q V spread", positive=True)
    R = spread + C**2 - 2 * C * h - 2 * T * hz + Q
    G, slopes = R / (1 + V) / 2, {C: -(h - C) / (1 + V), Q: 1 / (1 + V) / 2, V: -R / (1 + V) ** 2 / 2, T: -hz / (1 + V)}
    doc.step("The square loss: G = R/(2 + 2 V) has f = (h - C)/(1 + V), -f' = 1/(1 + V), E f^2 = R/(1 + V)^2 and D = "
             "hz/(1 + V): with these the equations above are those of one_step.result_3_3.",
             exact(sum(G.diff(v) * symbol for v, symbol in zip(slopes, symbols("a:d"))),
                   sum(e * symbol for e, symbol in zip(slopes.values(), symbols("a:d"))), "cancel"),
             shown=Eq(Symbol("G"), G, evaluate=False))


def _objective(doc):
    p, rate, u = parts()["limit"], s.alpha / s.beta, spiked_equations.moments()
    F = p.any
    hats = 2 * s.qhat1 * F.diff(s.qhat1) + 2 * s.qhat2 * F.diff(s.qhat2) \
        + sum(hat * F.diff(hat) for _, hat in p.bulk.directions.values())
    stiff = s.Vhat1 * F.diff(s.Vhat1) + (s.lam + s.Vhat2) * F.diff(s.Vhat2)
    V = u.mu1**2 * s.V1 + u.mu2sq * s.V2
    loss = E(AnyChannel(p.bulk).cost(), K) - E(V * square, K) / 2        # of the outputs: G less V f^2/2
    doc.step("At the saddle point the free energy is alpha/beta times the mean loss of samples and lam q2/2, for any "
             "loss: M is the loss at the output and V f^2/2, and the difference is a combination of the conditions.",
             exact(F - rate * loss - s.lam * s.q2 / 2,
                   hats + stiff - s.V1 * F.diff(s.V1) - s.V2 * F.diff(s.V2), ("open", "expand", "join")),
             shown=Eq(Symbol("F"), rate * Symbol("loss") + s.lam * s.q2 / 2, evaluate=False))
    kernels = p.bulk.inverse, p.bulk.kernel["vv"], p.bulk.weighed
    doc.step("It rests on one property of the bulk: its kernels are homogeneous in (lam + Vhat2, Vhat1), of degree -1.",
             exact(sum(w * (s.Vhat1 * e.diff(s.Vhat1) + (s.lam + s.Vhat2) * e.diff(s.Vhat2) + e)
                       for w, e in zip(symbols("a:c"), kernels)), 0, ("open", "expand", "join")))
    m, hat, scale = symbols("m ohat scale", real=True)
    K00, K01 = symbols("K00 K01", positive=True)
    width = (m - K01 / scale * hat) ** 2 * scale / (2 * K00)
    doc.step("So the identity holds at a width: scaling stiffness and conjugates together leaves the width's part.",
             exact((width.diff(scale) + hat * width.diff(hat)).subs(scale, 1), width.subs(scale, 1), "cancel"))


def _bias(doc):
    b = Symbol("bias", real=True)
    u, field = spiked_equations.moments(b), s.r * K + b + sqrt(s.c) * s.z
    at, rate = Applied("student", field), Applied("student", field, 1)
    mu1_slope = E((s.z**2 - 1) * at, s.z) / s.c
    doc.step("A bias enters the moments alone, and a learned one makes E_kappa G stationary at fixed overlaps. It "
             "moves mu0 by mu1 ...", exact(u.mu0.expr.diff(b), u.mu1.expr, ("stein", "expand")))
    doc.step("... mu1 by the second Hermite coefficient ...",
             exact(u.mu1.expr.diff(b), mu1_slope, ("stein", "split", "expand")))
    doc.step("... and what is left of the variance with them.",
             exact(u.mu2sq.expr.diff(b),
                   2 * E(at * rate, s.z) - 2 * u.mu0 * u.mu1 - 2 * s.c * u.mu1 * mu1_slope,
                   ("open", "split", "stein", "split", "expand")))


def _signs(doc):
    t1 = Symbol("t1", real=True)
    points = [(a, b, (1 + t1 * a * b) / 4) for a in (1, -1) for b in (1, -1)]

    def mean(form):
        return sum(weight * form.subs({y: a, tau: b}) for a, b, weight in points)

    doc.step("A step on signs: the bulk needs E[tau|y] = t1 y and E[tau^2|y] = 1, and y^2 = 1. Four points (y, tau) "
             "have them; the loss of the readout has no part in it.",
             exact(mean((1 + y) * tau + 3 * (1 + y) * tau**2), t1 + 3, "expand"),
             shown=Eq(Symbol("weight"), (1 + t1 * y * tau) / 4, evaluate=False))
    bulk = Matrix([[mean(y * tau), mean(tau**2)], [mean(y**2), mean(y)]])
    doc.step("First and second moments: E[y tau] = t1, E tau^2 = E y^2 = 1, E y = 0.",
             exact((bulk - Matrix([[t1, 1], [1, 0]])).norm() ** 2, 0, "expand"))


if __name__ == "__main__":
    sys.exit(main(derivation))
