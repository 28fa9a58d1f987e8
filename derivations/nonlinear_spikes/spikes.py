"""The spikes: what one large step adds to the features, how large each term is, and when it detaches."""

import sys

from sympy import Derivative, Limit, Max, Rational, Subs, Symbol, factorial, factorial2, oo, pi, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied
from asympkit.theories.nonlinear_spikes.equations import hermite_of_power, power_moment

from ..checks import exact, exceeds, simulated
from ..command import main
from ..document import Derivation
from ..one_step.functions import chosen, on_sphere
from ..special import He
from .notation import phi, psi

z, u, w, t = symbols("z u w t", real=True)
eta, eta0, n, N, d, D, c1 = symbols("eta eta0 n N d D c1", positive=True)
noise = Symbol("noise_variance", nonnegative=True)
k, excess = Symbol("k", integer=True, positive=True), Symbol("e", positive=True)
rate = Symbol("alpha", positive=True)


def derivation():
    """Spikes of the features after one step with rate eta = eta0 n^alpha."""
    doc = Derivation(
        "Non-linear spikes after one gradient step", "arXiv 2310.07891, the spiked feature matrix",
        "n samples y = s*(b x) + noise with |b| = 1, N units s(w x) with |w| = 1, readout a ~ N(0, I/N), one step of "
        "rate eta on half the mean squared error, initial output removed. phi = d/n, psi = d/N. Sums over samples and "
        "units are replaced by their means; what is left of the gradient beside its rank-one part has an operator norm "
        "of smaller order, which is the theorem of the paper and is not proved here.")
    _gradient(doc)
    _direction(doc)
    _expansion(doc)
    _sizes(doc)
    _thresholds(doc)
    _monomials(doc)
    return doc


def _gradient(doc):
    w1, w2, a1, x1, x2, y = symbols("w1 w2 a1 x1 x2 y", real=True)
    inner = w1 * x1 + w2 * x2
    output = a1 * Applied("student", inner)
    doc.step("The descent direction of a row on one sample (two inputs): residual, readout, slope, input.",
             exact(-((y - output) ** 2 / 2).diff(w1), (y - output) * a1 * Applied("student", inner, 1) * x1, "expand"))
    slope = Applied("student", z, 1)
    doc.step("The mean of the slope is c1, by Stein's lemma: the common part of the step is eta c1 a beta^T, beta = "
             "X^T y/n.",
             exact(E(slope, z), E(z * Applied("student", z), z), "stein"))


def _direction(doc):
    target = Applied("target", u)
    linear = E(u * target, u)
    doc.step("beta averages (y x): different samples have the mean of s*(u) x. A coordinate with overlap t with b "
             "gives t times c*1 = E[u s*(u)].",
             exact(E(E(target * (t * u + sqrt(1 - t**2) * w), w), u), t * linear, "split"))
    power = E(target**2, u) + noise
    finite = (1 - 1 / n) * linear**2 + (phi * n * power + E((u**2 - 1) * target**2, u)) / n
    doc.step("Pairs of equal samples add |x|^2 y^2: with d = phi n the squared norm tends to D = c*1^2 + phi (E s*^2 + "
             "noise).",
             exact(Limit(finite, n, oo), linear**2 + phi * power, ("close_limit", "expand")))
    for index, (name, value) in enumerate((("beta", D), ("cosine", Symbol("rho")))):
        doc.step("The squared norm of a sampled beta (target H1 + H2/sqrt(2), noise 1/10, phi = 1/2) is D ..."
                 if index == 0 else "... and its cosine with b is rho = c*1/sqrt(D).",
                 simulated(Symbol(name)**(2 - index), value, lambda rng, size, i=index: _direction_once(rng, size)[i],
                           tolerance=(2.5, 0.4)[index], sizes=(80, 320), repeats=6))


def _direction_once(rng, size):
    """Squared norm and cosine, means over ten samples, and their limits."""
    import numpy as np

    samples, level, found = 2 * size, 0.1, []
    for _ in range(10):
        b = on_sphere(rng, 1, size)[0]
        x = rng.standard_normal((samples, size))
        g = x @ b
        y = g + (g**2 - 1) / 2**0.5 + level**0.5 * rng.standard_normal(samples)
        beta = y @ x / samples
        found.append((beta @ beta, beta @ b / np.linalg.norm(beta)))
    square = 1 + 0.5 * (2 + level)
    return tuple(zip(np.mean(found, axis=0), (square, square**-0.5)))


def _expansion(doc):
    student = Applied("student", z)
    for order in (2, 3, 4):
        doc.step("The units' inputs move by t = eta c1 a (X beta). In the expansion s(z + t) = sum t^k s^(k)(z)/k! "
                 f"the derivative may be replaced by its mean, k! c_k = E[He_k s], here k = {order}."
                 if order == 2 else f"The same, k = {order}.",
                 exact(E(Applied("student", z, order), z), E(He(order, z) * student, z), ("stein", "expand")))
    letters = symbols("c0:5", real=True)
    poly = sum(c * He(i, z) for i, c in enumerate(letters))
    doc.step("For a polynomial the mean after the move is exactly sum_k c_k t^k: spike k of the features is c_k t^k, "
             "that is c1^k c_k eta^k (X beta)^k (a^k)^T with powers taken entry by entry.",
             exact(E(poly.subs(z, z + t), z), sum(c * t**i for i, c in enumerate(letters)), ("split", "expand")))
    doc.step("A missing coefficient is a missing spike: relu has no third one ...",
             exact(chosen(E(He(3, z) * student, z), Max(0, z), z), 0, "close"))
    doc.step("... but a fourth.", exact(chosen(E(He(4, z) * student, z), Max(0, z), z), -1 / sqrt(2 * pi), "close"))


def _size(order):
    """Operator norm of a spike by c1^k c_k: norms of (X beta)^k and of a^k, with means for sums."""
    moment = power_moment(2 * order)
    return eta**order * sqrt(n * moment * D**order) * sqrt(N * moment / N**order)


def _sizes(doc):
    for order in (1, 2, 3):
        doc.step("A spike has rank one: its norm is that of its column times that of its row. Mean squares of powers: "
                 "(X beta)_i/sqrt(D) and sqrt(N) a_s are standard normal, E z^(2k) = (2k - 1)!!, k = 1."
                 if order == 1 else f"k = {order}.",
                 exact(E(z ** (2 * order), z), factorial2(2 * order - 1), "close"))
    for order in (1, 2, 3, 4):
        doc.step(f"The size of spike {order}, by |c1^k c_k|: (eta sqrt(D))^k (2k - 1)!! n^(1/2) N^((1 - k)/2).",
                 exact(_size(order), (eta * sqrt(D)) ** order * factorial2(2 * order - 1) * sqrt(n)
                       * N ** Rational(1 - order, 2), "simplify"))
    scaled = (eta0 * n**rate) ** k * n ** Rational(1, 2) * (n * phi / psi) ** ((1 - k) / 2)
    doc.step("With eta = eta0 n^alpha and N = n phi/psi the size is of order n^((alpha - 1/2) k + 1).",
             exact(scaled / (eta0**k * (phi / psi) ** ((1 - k) / 2)), n ** ((rate - Rational(1, 2)) * k + 1),
                   "simplify"))


def threshold(order):
    """The exponent of the learning rate above which a spike detaches."""
    return (order - 1) / (2 * order)


def _thresholds(doc):
    doc.step("The bulk of the features is of order n^(1/2). Spike k is n^(k alpha - (k - 1)/2) times as large; that "
             "exponent is positive above the threshold (k - 1)/(2k).",
             exact((rate - Rational(1, 2)) * k + 1 - Rational(1, 2), k * (rate - threshold(k)), "simplify"))
    doc.step("The thresholds increase: 0, 1/4, 1/3, 3/8, ... In the window number l, between thresholds l and l + 1, "
             "the spikes 1 to l have detached ...",
             exceeds(threshold(k + 1), threshold(k), 1 / (2 * k * (k + 1)), "cancel"))
    doc.step("... which ends at l/(2l + 2), ...", exact(threshold(k + 1), k / (2 * k + 2), "cancel"))
    doc.step("... and all of them lie below 1/2, where they accumulate.",
             exact(Limit(threshold(k), k, oo), Rational(1, 2), "close_limit"))
    doc.step("At an exponent below 1/2 the later spikes are smaller: the size of k + 1 against k is of order n^(alpha "
             "- 1/2), so finitely many count, with alpha = 1/2 - e.",
             exceeds(0, ((rate - Rational(1, 2)) * (k + 1) + 1 - ((rate - Rational(1, 2)) * k + 1)).subs(
                 rate, Rational(1, 2) - excess), excess, "expand"))


def _monomials(doc):
    for power in range(1, 7):
        doc.step("The columns span powers of g = (X beta)/sqrt(D). In Hermite polynomials x^p = sum_i xi_{p,i} He_i, "
                 "xi_{p,i} = p!/(2^j j! i!), j = (p - i)/2; the package's coefficients, p = 1."
                 if power == 1 else f"p = {power}.",
                 exact(sum(hermite_of_power(power, i) * He(i, z) for i in range(power + 1)), z**power, "expand"))
    doc.step("They are c_i of the function x^p: the i-th derivative of E (t + z)^p at 0 over i!, here p = 6, i = 2.",
             exact(Subs(Derivative(E((t + z) ** 6, z), (t, 2)), t, 0) / factorial(2), hermite_of_power(6, 2),
                   ("diff", "close")))


if __name__ == "__main__":
    sys.exit(main(derivation))
