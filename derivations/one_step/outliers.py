"""Spectrum of the features: the bulk on the real axis, the giant and the moderate outlier, their eigenvectors."""

import sys
from functools import cache

from sympy import Eq, Function, Limit, Matrix, Symbol, cancel, det, diag, eye, oo, series, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied
from asympkit.theories.spiked_features import equations as spiked_equations

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..sampled import Instances, sampled
from .functions import on_sphere
from .linear_pairs import overlap_solution
from .saddle import eqs_of

s = spiked_equations.symbols()
x, V1, V2, d, t = Symbol("x", real=True), *symbols("V1 V2", real=True), *symbols("d t", positive=True)
M00, M01, M11 = symbols("M00 M01 M11", positive=True)
K0, K1 = symbols("K0 K1", real=True)
M, K = Matrix([[M00, M01], [M01, M11]]), diag(K0, K1)
F = det(eye(2) + s.alpha * M * K)
S = M11 - M01**2 / M00


def derivation():
    """The spectrum of the sample covariance of spiked features."""
    doc = Derivation(
        "Bulk, giant and moderate outlier of the sample covariance", "arXiv 2402.04980, Appendix F, and beyond it",
        "Phi has the rows mu0(kappa) 1 + kappa mu1(kappa) W v/sqrt(d) + z, one for each of n samples; z is what Result "
        "3.2 says of the rest. The eigenvalues are those of Phi^T Phi/p; d = p/beta, n = alpha d, s = c mu1^2 + "
        "mu2sq. In the limit they fill a bulk, whose Stieltjes transform is V2 at lam = -x. The rows of W are on the "
        "sphere.",
        notation=spiked_equations.NOTATION)
    _bulk(doc)
    _two_directions(doc)
    _moderate(doc)
    _residues(doc)
    _giant(doc)
    _width(doc)
    _experiments(doc)
    return doc


def _bulk(doc):
    h1, h2 = (Function(f)(V1, V2) for f in ("h1", "h2"))
    bc = s.beta * s.c
    f = V1 * (1 + bc * h1 * V2) - s.c * V2
    g = (h2 - x) * V2 + h1 * V1 - 1
    pair = eqs_of(s.V1)
    doc.step("Trace: (lam + Vhat2) V2 + Vhat1 V1 = 1 says that V2 is the normalised trace of the resolvent; lam = -x.",
             exact((s.lam + s.Vhat2) * pair[s.V2] + s.Vhat1 * pair[s.V1], 1, ("open", "expand", "join")),
             shown=Eq(g, 0, evaluate=False))
    inverse = h2 - (1 - h1 * V1) / V2
    doc.step("On the real axis outside of the bulk x is an explicit function of the responses.",
             exact(g.subs(x, inverse), 0, "expand"), shown=Eq(x, inverse, evaluate=False))
    J = Matrix([[f.diff(V1), f.diff(V2)], [g.diff(V1), g.diff(V2)]])
    along = -f.diff(V2) / f.diff(V1)             # dV1/dV2 where f = 0
    doc.step("Along the curve f = V1 (1 + beta c Vhat1 V2) - c V2 = 0 its derivative is the Jacobian's determinant "
             "over V2 df/dV1. V2 increases with x outside of the bulk, so an edge is where the determinant vanishes.",
             exact(inverse.diff(V2) + inverse.diff(V1) * along, (det(J) / (f.diff(V1) * V2)).subs(x, inverse),
                   "cancel"))
    step = J.inv() * Matrix([0, V2])
    doc.step("The derivatives of V1 and V2 by x that the residues need: the pair, differentiated.",
             exact((J * step + Matrix([0, g.diff(x)]))[1], 0, "cancel"))


def _two_directions(doc):
    b, w = Matrix(symbols("b0 b1", real=True)), Symbol("w", positive=True)
    doc.step("One sample, by Sherman and Morrison's formula: let R be d/p times the resolvent between the directions a "
             "= (1, W v/sqrt(d)), K the same without the sample, and b = (mu0, kappa mu1) the sample's components. It "
             "adds w b b^T to the inverse of R, w = 1/(p/d (1 + V)).",
             exact(((K.inv() + w * b * b.T).inv() - K + w * K * b * b.T * K / (1 + w * (b.T * K * b)[0]))[0, 1], 0,
                   "cancel"), shown=Eq(Symbol("R") ** -1, Symbol("K") ** -1 + w * Symbol("bb^T"), evaluate=False))
    doc.step("All n samples: the inverse is K^-1 + alpha M with M = E b b^T/(1 + V), and R = K (I + alpha M K)^-1.",
             exact(((K.inv() + s.alpha * M).inv() - K * (eye(2) + s.alpha * M * K).inv())[0, 1], 0, "cancel"),
             shown=Eq(Symbol("R"), Symbol("K") * (1 + s.alpha * Symbol("M") * Symbol("K")) ** -1, evaluate=False))
    doc.step("Without samples along them K = diag(d V2, c V2): 1 has norm p, and W v/sqrt(d) has norm c p/d and its "
             "overlaps with the modes of the bulk are those of a random vector (the kernel of theta is c V2).",
             exact(eqs_of(s.theta)[s.theta], s.thetahat * s.c * eqs_of(s.V2)[s.V2], ("close", "expand")),
             shown=Eq(Symbol("K_11"), s.c * s.V2, evaluate=False))
    doc.step("Outliers are the poles of R: the roots of one determinant.",
             exact(F, (1 + s.alpha * M00 * K0) * (1 + s.alpha * M11 * K1) - s.alpha**2 * M01**2 * K0 * K1, "expand"),
             shown=Eq(F, 0, evaluate=False))


def _moderate(doc):
    f = 1 + s.alpha * K1 * S
    doc.step("Infinite width: the constant direction takes its part of kappa mu1, and the factor f remains.",
             exact(Limit(F / (s.alpha * M00 * K0), K0, oo), f, ("close_limit", "cancel")))
    theta, _ = overlap_solution()
    doc.step("f is the denominator of theta, continued to lam = -x: a readout along the spike diverges there.",
             exact(theta * (1 + _gain() * _gap()), _gain() * _rest(), ("open", "cancel")),
             shown=Eq(Symbol("f"), f, evaluate=False))
    root = symbols("k0 k1", positive=True)
    form = diag(*root) * M * diag(*root)
    doc.step("Above the bulk K is negative. I - alpha |K|^1/2 M |K|^1/2 is symmetric and has the same determinant; |K| "
             "and 1/(1 + V) grow as x falls, so that each of its eigenvalues crosses 0 once at most: there are two "
             "outliers at most, and one of them iff the determinant is negative at the edge.",
             exact(det(eye(2) - s.alpha * form), F.subs({K0: -root[0] ** 2, K1: -root[1] ** 2}), "expand"))


def _gain():
    return s.alpha * s.c * s.V2


@cache
def _averages():
    u, V = spiked_equations.moments(), spiked_equations.pieces().V
    first, second = u.mu0, s.kappa * u.mu1
    moments = [E(a * b / (1 + V), s.kappa) for a, b in ((first, first), (first, second), (second, second))]
    return (*moments, E(first * u.h / (1 + V), s.kappa), E(second * u.h / (1 + V), s.kappa))


def _gap():
    m00, m01, m11, _, _ = _averages()
    return m11 - m01**2 / m00


def _rest():
    m00, m01, _, b0, b1 = _averages()
    return b1 - m01 * b0 / m00


def _residues(doc):
    a, b, w = symbols("a b w", real=True)
    q = Matrix(2, 2, symbols("q00 q01 q10 q11", real=True))
    near = Matrix([[a, a * w], [b, b * w]]) + t * q              # singular at t = 0
    doc.step("Near a root the inverse of A = I + alpha M K has the residue adj(A)/(det A)', and det A the slope "
             "tr(adj(A) A').",
             exact(det(near).diff(t).subs(t, 0), (near.subs(t, 0).adjugate() * q).trace(), "expand"))
    slope = Symbol("Fprime", real=True)
    adjugate = (eye(2) + s.alpha * M * K).adjugate()
    doc.step("A unit eigenvector u makes -(u.a)^2 of the resolvent's residue. With the factor d/p, |1|^2 = p and |W "
             "v|^2 = c p: (u.1)^2/p = [K adj A]_00/(-d F'), (u.Wv)^2/|Wv|^2 = [K adj A]_11/(-c F'). At infinite width "
             "F = alpha M00 K0 f, and the second becomes V2/(-f').",
             exact(Limit((K * adjugate)[1, 1] / (s.c * s.alpha * M00 * K0 * slope), K0, oo), K1 / (s.c * slope),
                   ("close_limit", "cancel")))


def _giant(doc):
    """The location of the giant outlier to order 1, from series in e = 1/d."""
    e, shift = symbols("e shift", real=True)
    m2, mean_s, weighted, cross = symbols("m2 Es Emu0s Ekmu0mu1", positive=True)
    place = s.alpha * m2 / e + shift
    response = -1 / place - s.alpha / s.beta * mean_s / place**2            # V2; V1 = c V2 to first order
    lifted = m2 + weighted / place                                          # E mu0^2/(1 + V), V = -s/x
    found = (1 + s.alpha * lifted * response / e) - s.alpha**2 * cross**2 * response**2 * s.c / e
    leading = series(cancel(found), e, 0, 2).removeO().coeff(e, 1)
    located = s.alpha / s.beta * mean_s + weighted / m2 + s.alpha * s.c * cross**2 / m2
    doc.step("The giant outlier: x = n m2 + O(1) with m2 = E mu0^2. There V = -s/x, V2 = -1/x - (alpha/beta) Es/x^2 "
             "(the mean eigenvalue of the bulk), and F = 0 fixes the shift.",
             exact(cancel(leading.subs(shift, located)), 0, "cancel"),
             shown=Eq(Symbol("shift"), located, evaluate=False))


def _width(doc):
    u, g, mean, slope, e = spiked_equations.moments(), *symbols("g mu0 dmu0 e", real=True)
    student = Applied("student", s.r * s.kappa + t * s.z)
    doc.step("At a finite dimension the fields of all units have the variance c |x|^2/d beside the spike: a change of "
             "it moves mu0 by its derivative by c, dmu0.",
             exact(E(student, s.z).diff(t).subs(t, sqrt(s.c)) / (2 * sqrt(s.c)), u.dmu0,
                   ("open", "stein", "split", "expand")))
    moved = mean + e * s.c * (s.kappa**2 - 1) * slope + sqrt(2 * e) * s.c * g * slope
    doc.step("Given kappa that variance is c (1 + e (kappa^2 - 1)) in the mean, e = 1/d, and fluctuates with the norm "
             "of the input by a normal variable of variance 2 c^2/d. To first order mu0^2 becomes in the mean:",
             exact(E(moved**2, g).doit().expand().coeff(e, 1),
                   2 * s.c * (s.kappa**2 - 1) * mean * slope + 2 * s.c**2 * slope**2, "expand"))


# -- experiments ------------------------------------------------------------------------------------------------------


@cache
def _limits(student, at, size):
    """Return V2 of the package at x = -0.1, and the outliers at the simulated width."""
    import numpy as np

    from asympkit.activations.activation import shared_activation
    from asympkit.theories.spiked_features.feature_law import FeatureLaw
    from asympkit.theories.spiked_features.spectrum import feature_outliers

    law = FeatureLaw(shared_activation(student), *at)
    return law.stieltjes(np.array([-0.1]))[1][0].real, feature_outliers(law, at[3] * size)


def _eigenvectors(rng, size, student, at):
    """Return projections on the spike, eigenvalues, and squared overlaps with the constant and W v."""
    import numpy as np

    r, c, alpha, beta = at
    n, p = round(alpha * size), round(beta * size)
    rows, spike = on_sphere(rng, p, size) * c**0.5, on_sphere(rng, 1, size)[0] * size**0.5
    inputs = rng.standard_normal((n, size))
    features = student(inputs @ (rows + r / size**0.5 * spike).T)
    values, vectors = np.linalg.eigh(features.T @ features / p)
    along = rows @ spike
    return (inputs @ spike / size**0.5, values, vectors.sum(axis=0) ** 2 / p,
            (along @ vectors) ** 2 / (along @ along))


def _moderate_draw(rng, size):
    import numpy as np

    at = 1.0, 1.0, 16.0, 4.0
    _, values, _, along = _eigenvectors(rng, size, lambda z: z * np.sin(z) * np.exp(-z * z / 16), at)
    limit = _limits("z*sin(z)*exp(-z**2/16)", at, size)[1][1]
    return {"moderate": (values[-2], limit.location), "overlap": (along[-2], limit.overlap)}


def _giant_draw(rng, size):
    import numpy as np

    at = r, c, alpha, _ = 1.0, 1.0, 2.0, 1.0
    kappa, values, constant, _ = _eigenvectors(rng, size, np.tanh, at)
    z = np.linspace(-9, 9, 401)
    weights = np.exp(-z * z / 2) / np.exp(-z * z / 2).sum()
    drawn, mean = (np.square(np.tanh(r * k[:, None] + c**0.5 * z) @ weights) for k in (kappa, z))
    trace, (limit,) = _limits("tanh", at, size)
    return {"trace": ((1 / (values + 0.1)).mean(), trace),
            "shift": (values[-1] - drawn.sum(), limit.location - alpha * size * (weights @ mean)),
            "constant": (1 - constant[-1], 1 - limit.overlap)}


@cache
def _instances(draw, size, repeats):
    return Instances(draw, 7, size, repeats)


def _experiments(doc):
    giant, moderate = ((lambda: _instances(_giant_draw, 60, 250)), (lambda: _instances(_moderate_draw, 100, 12)))
    for name, sentence, instances, drift in (
            ("trace", "Experiment with tanh at r = c = 1, alpha = 2, beta = 1: the trace of the resolvent at x = -0.1 "
             "is V2 there.", giant, 20.0),
            ("shift", "The first eigenvalue, less the sum of mu0^2 over the samples, whose fluctuation would hide the "
             "shift.", giant, 0.0),
            ("constant", "What its eigenvector has outside of the constant direction.", giant, 0.1),
            ("moderate", "Experiment with z sin(z) exp(-z^2/16) at alpha = 16, beta = 4: the second eigenvalue.",
             moderate, 0.0),
            ("overlap", "Squared overlap of its eigenvector with W v.", moderate, 0.0)):
        doc.step(sentence, sampled(Symbol(f"sampled_{name}"), Symbol(name), instances, name, drift))


if __name__ == "__main__":
    sys.exit(main(derivation))
