"""The error of the trapezoid rule, bounded by what the integrand does on a contour."""

import sys

from sympy import (
    Derivative,
    Eq,
    Gt,
    I,
    Integral,
    Limit,
    Rational,
    Sum,
    Symbol,
    cos,
    cot,
    erfc,
    exp,
    log,
    oo,
    pi,
    sin,
    sqrt,
    symbols,
)

from asympkit.gauss import E

from ..checks import exact, exceeds, greater, numerical
from ..command import main
from ..document import Derivation
from ..special import Phi, opened, phi
from .notation import half

h, y, size, d, s = symbols("h y |q| d s", positive=True)
x, w = symbols("x w", real=True)
z = Symbol("z")
j, n = Symbol("j", integer=True), Symbol("n", integer=True, nonnegative=True)
q = Symbol("q", positive=True)


def derivation():
    """The contour theorem of the certified outer rule."""
    doc = Derivation(
        "The trapezoid rule and a contour free of poles",
        "L. N. Trefethen and J. A. C. Weideman, SIAM Review 56, 385 (2014); the certified rule of the package",
        "f is holomorphic on Q = {|x| <= R, |y| <= s(x)}, R = (n + 1/2) h, where s is constant on cells. The sum h "
        "f(j h) over |j| <= n differs from the integral of f over [-R, R] by an integral of f over the boundary of "
        "Q against a kernel, and q = exp(2 pi i z/h) makes the kernel small where Im z > 0.")
    _residues(doc)
    _kernel(doc)
    _bounds(doc)
    _exact_cases(doc)
    _strip(doc)
    _steps(doc)
    return doc


def _residues(doc):
    doc.step("pi cot(pi z/h) has the residue h at every point j h of the lattice: it is periodic ...",
             exact(cot(pi * (z + j * h) / h), cot(pi * z / h), "expand"))
    doc.step("... and z times it tends to h at 0. So 2 pi i times the sum of h f(j h) is the integral of f(z) pi "
             "cot(pi z/h) once around Q, counterclockwise.",
             exact(Limit(z * pi * cot(pi * z / h), z, 0), h, "close_limit"))


def _kernel(doc):
    upper = exp(2 * I * pi * z / h)
    doc.step("Above the line cot is -i times 1 + 2 q/(1 - q), with q = exp(2 pi i z/h): a constant and a correction.",
             exact(cot(pi * z / h), -I * (1 + 2 * upper / (1 - upper)), ("exponentials", "simplify")))
    doc.step("Below the line it is i times the same with 1/q in place of q.",
             exact(-I * (1 + 2 * q / (1 - q)), I * (1 + 2 * (1 / q) / (1 - 1 / q)), "cancel"))
    doc.step("By Cauchy's theorem the constants give half of the integral over [-R, R] from each half of the "
             "boundary, together the integral. What is left is the error: the integral of f q/(1 - q) over the "
             "upper half, and its mirror image. A check in which the sum telescopes, f = cos(w z): 2 sin(w h/2) "
             "times the sum over |j| <= n is 2 sin(w R), while the integral is 2 sin(w R)/w.",
             exact(2 * sin(w * h / 2) * cos(w * j * h), sin(w * h * (j + half)) - sin(w * h * (j - half)),
                   ("trig", "simplify")))


def _bounds(doc):
    angle = Symbol("angle", real=True)
    doc.step("On the top, |q| = exp(-2 pi s/h). Since |1 - q|^2 is least where q is positive, |q/(1 - q)| is at most "
             "1/(exp(2 pi s/h) - 1).",
             exceeds((1 - size * cos(angle)) ** 2 + (size * sin(angle)) ** 2, (1 - size) ** 2,
                     4 * size * sin(angle / 2) ** 2, "simplify", strict=False))
    doc.step("At an end, z = R + i y with R = (n + 1/2) h lies half-way between two points of the lattice: q is "
             "negative.",
             exact(exp(2 * I * pi * ((n + half) * h + I * y) / h), -exp(-2 * pi * y / h), ("expand", "simplify")))
    doc.step("There 1 - q = 1 + |q|, so the kernel is even smaller than |q|, without a denominator that could "
             "vanish.",
             exceeds(size, size / (1 + size), size**2 / (1 + size), "cancel"))
    doc.step("Its integral over the whole end, y > 0, is h/(2 pi); with the mirror image an end costs at most "
             "(h/pi) max |f|.",
             exact(Integral(exp(-2 * pi * y / h), (y, 0, oo)), h / (2 * pi), "close"))
    doc.step("Where the height steps from s upwards, the kernel is at most |q|/(1 - |q|). Its integral over y > s "
             "...",
             exact(Derivative(h / (2 * pi) * log(1 - exp(-2 * pi * y / h)), y), 1 / (exp(2 * pi * y / h) - 1),
                   ("diff", "simplify")))
    m = Symbol("m", positive=True)
    doc.step("... is -(h/(2 pi)) log(1 - q) at y = s. With 1 - q = 1/(1 + m) this is (h/(2 pi)) log(1 + m), at "
             "most (h/(2 pi)) m = (h/(2 pi)) q/(1 - q): both vanish at m = 0 and the slopes are ordered.",
             exceeds(1, Derivative(log(1 + m), m), m / (1 + m), ("diff", "cancel")))


def error():
    """Error of the rule with step h on the whole line for the density times d^2/(z^2 + d^2): the pole alone."""
    return 2 * pi * d * exp(d**2 / 2) / sqrt(2 * pi) / (exp(2 * pi * d / h) - 1)


def lattice(centre=0, count=60):
    """The sum of the rule for the density times d^2/((z - centre)^2 + d^2)."""
    points = [i * h for i in range(-count, count + 1)]
    return h * sum(opened(phi(p)) * d**2 / ((p - centre) ** 2 + d**2) for p in points)


def _exact_cases(doc):
    value = d * sqrt(pi / 2) * exp(d**2 / 2) * erfc(d / sqrt(2))
    doc.step("An integral with poles at i d and -i d, f = phi(z) d^2/(z^2 + d^2).",
             numerical(E(d**2 / (x**2 + d**2), x), value, {d: (0.6, 1.5)}, digits=20))
    doc.step("The residue of f at i d; a contour above the pole must add 2 pi i times it, times q/(1 - q).",
             exact(Limit((z - I * d) * exp(-(z**2) / 2) / sqrt(2 * pi) * d**2 / (z**2 + d**2), z, I * d),
                   d * exp(d**2 / 2) / sqrt(2 * pi) / (2 * I), ("close_limit", "simplify")))
    doc.step("With its mirror image the pole makes the whole error, for the rest of f is entire and costs only "
             "exp(-2 pi^2/h^2). The sum of 121 terms with h about 1/4, corrected by it, has 25 digits.",
             numerical(lattice() - value, error(), {d: (0.3, 1.5), h: (0.22, 0.28)}, digits=25),
             shown=Eq(h * Sum(phi(j * h) * d**2 / ((j * h) ** 2 + d**2), (j, -60, 60)) - value, error(),
                      evaluate=False))


def _strip(doc):
    doc.step("A flat contour below the pole, s < d: on it |z^2 + d^2| is least above the middle, where it is d^2 - "
             "s^2.",
             exceeds((x**2 + (d - s) ** 2) * (x**2 + (d + s) ** 2), (d**2 - s**2) ** 2,
                     x**4 + 2 * x**2 * (d**2 + s**2), "expand", strict=False))
    doc.step("The density grows by exp(s^2/2): |phi(x + i s)| = phi(x) exp(s^2/2).",
             exact(opened(phi(x + I * s)) * opened(phi(x - I * s)), (opened(phi(x)) * exp(s**2 / 2)) ** 2,
                   ("exponents", "simplify")))
    bound = 2 * exp(s**2 / 2) * d**2 / (d**2 - s**2) / (exp(2 * pi * s / h) - 1)
    f = Symbol("f", positive=True)
    doc.step("So the error on the whole line is below twice exp(s^2/2) d^2/(d^2 - s^2), over exp(2 pi s/h) - 1. "
             "The actual error, for s at a fraction f of d:",
             greater(bound, error(), {d: (0.5, 1.5), h: (0.2, 0.5), f: (0.5, 0.95), s: f * d}, points=6))


def _steps(doc):
    """A contour that passes below a pole at x0 + i d and rises above its height elsewhere."""
    x0, r, low, high = Symbol("x0", real=True), *symbols("r s1 s2", positive=True)
    doc.step("At a distance r or more to the side of the pole the contour may be as high as one likes: at height y "
             "the denominator is at least its value at distance r.",
             exceeds(((r + x**2) ** 2 + (y - d) ** 2) * ((r + x**2) ** 2 + (y + d) ** 2),
                     (r**2 + (y - d) ** 2) * (r**2 + (y + d) ** 2),
                     (2 * r * x**2 + x**4) * ((r + x**2) ** 2 + r**2 + 2 * y**2 + 2 * d**2), "expand", strict=False))
    R = (24 + half) * h

    def cdf(point):
        return opened(Phi(point))

    near = cdf(x0 + r) - cdf(x0 - r)
    cells = (2 * exp(low**2 / 2) * near * d**2 / (d**2 - low**2) / (exp(2 * pi * low / h) - 1)
             + 2 * exp(high**2 / 2) * (1 - near) * d**2 / sqrt((r**2 + (high - d) ** 2) * (r**2 + (high + d) ** 2))
             / (exp(2 * pi * high / h) - 1))
    jumps = sum(2 * opened(phi(x0 + side * r)) * exp(high**2 / 2) * d**2 / (r * sqrt(r**2 + (low + d) ** 2))
                * h / (2 * pi) / (exp(2 * pi * low / h) - 1) for side in (1, -1))
    ends = sum(h / pi * opened(phi(R)) * exp(high**2 / 2) * d**2 / (R + side * x0) ** 2 for side in (1, -1))
    tail = 2 * (1 - cdf(R))
    actual = lattice(x0, 24) - E(d**2 / ((x - x0) ** 2 + d**2), x)
    at = {d: (0.7, 1.2), x0: (0.5, 2), h: (0.4, 0.55), low: d * Rational(4, 5), high: d * 2, r: d}
    doc.step("The theorem with two heights, s1 = 0.8 d within r = d of the pole and s2 = 2 d elsewhere: cells, "
             "steps, ends and the real tail bound the error of 49 terms (squares are compared).",
             greater((cells + jumps + ends + tail) ** 2, actual**2, at, points=4),
             shown=Gt(Symbol("bound") ** 2, Symbol("error") ** 2, evaluate=False))
    doc.step("No contour can do better than the nearest pole: the error is the factor exp(-2 pi d/h) times a "
             "constant.",
             exact(Limit(error() * exp(2 * pi * d / h), h, 0), sqrt(2 * pi) * d * exp(d**2 / 2),
                   ("close_limit", "simplify")))


if __name__ == "__main__":
    sys.exit(main(derivation))
