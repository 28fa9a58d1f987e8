"""The mean of a product of functions of two correlated normal variables, as a power series in the correlation."""

import sys

from sympy import (
    Derivative,
    Eq,
    I,
    Integer,
    Subs,
    Sum,
    asin,
    binomial,
    exp,
    factorial,
    oo,
    pi,
    sin,
    sinh,
    sqrt,
    symbols,
)

from asympkit.gauss import E
from asympkit.nodes import Applied

from ..checks import exact, numerical
from ..command import main
from ..document import Derivation
from ..special import He
from .notation import rho, s, student, t, w, x, y, z

A, B = symbols("A B", real=True)
v = 1 - rho**2
j = symbols("j", integer=True, nonnegative=True)


def generator(point, variable):
    """The generating function of the Hermite polynomials."""
    return exp(point * variable - variable**2 / 2)


def derivation():
    """Mehler's formula and the expansion D(rho) = sum k! c_k(sigma) c_k(tau) rho^k."""
    doc = Derivation(
        "Mehler's expansion in the correlation", "F. G. Mehler, J. reine angew. Math. 66, 161 (1866)",
        "X, Y are standard normal with correlation rho, |rho| < 1: Y = rho X + sqrt(1 - rho^2) W. D(rho) = E "
        "sigma(X) tau(Y) for sigma, tau with finite second moments; c_k = E[sigma He_k]/k!. The generating "
        "function of the polynomials is sum_k He_k(x) t^k/k! = exp(x t - t^2/2) (see gaussian.hermite).")
    _orthogonality(doc)
    _expansion(doc)
    _kernel(doc)
    _examples(doc)
    return doc


def _orthogonality(doc):
    later = rho * x + sqrt(v) * w
    doc.step("Y given X = x: the mean of the generating function over W is the generating function at x with rho t "
             "in place of t. So E[He_k(Y) | X] = rho^k He_k(X).",
             exact(E(generator(later, t), w), generator(x, rho * t), ("close", "exponents")))
    doc.step("Both: E of exp(s X - s^2/2) exp(t Y - t^2/2) is exp(rho s t), in which s and t have equal powers.",
             exact(E(generator(x, s) * generator(x, rho * t), x), exp(rho * s * t), ("close", "exponents")))
    doc.step("The coefficient of s^j t^k/(j! k!) is therefore E He_j(X) He_k(Y) = k! rho^k if j = k, and 0 "
             "otherwise. For example j = k = 4, from the right side ...",
             exact(Subs(Derivative(exp(rho * s * t), (s, 4), (t, 4)), (s, t), (0, 0)), factorial(4) * rho**4,
                   ("diff", "close", "expand")))
    for first, second in ((1, 1), (3, 3), (4, 4), (2, 4), (1, 5)):
        value = factorial(first) * rho**first if first == second else Integer(0)
        doc.step(f"... and by the package, orders {first} and {second}.",
                 exact(E(He(first, x) * He(second, y), (x, y), rho=rho), value, ("close", "expand")))


def _expansion(doc):
    other = Applied("target", rho * x + sqrt(v) * y)
    kernel = E(student(x) * E(other, y), x)
    doc.step("With sigma = sum_j c_j He_j and tau = sum_k d_k He_k these means give D(rho) = sum_k k! c_k d_k "
             "rho^k; at rho = 1 with tau = sigma it is Parseval's identity. The coefficients can be read off the "
             "derivatives at rho = 0, for any functions: order 0 ...",
             exact(Subs(kernel, rho, 0), E(student(x), x) * E(Applied("target", x), x), ("close", "split")))
    for n in (1, 2, 3):
        doc.step(f"... and order {n}: k! c_k times k! d_k.",
                 exact(Subs(Derivative(kernel, (rho, n)), rho, 0),
                       E(He(n, x) * student(x), x) * E(He(n, x) * Applied("target", x), x),
                       ("diff", "close", "split", "stein", "split", "expand")))


def _kernel(doc):
    for n in (2, 3, 6):
        powers = sum(binomial(n, i) * y ** (n - i) * I**i * E(w**i, w) for i in range(n + 1))
        doc.step(f"He_k(y) = E (y + i W)^k, since E exp(t (y + i W)) = exp(t y - t^2/2). Order {n}, expanded:"
                 if n == 2 else f"Order {n}.",
                 exact(powers, He(n, y), ("close", "expand")))
    doc.step("So sum_k rho^k He_k(x) He_k(y)/k! is the mean over W of the generating function at x with t = rho (y "
             "+ i W). Its exponent is quadratic in W: A W^2 + B W + C.",
             exact(x * rho * (y + I * w) - (rho * (y + I * w)) ** 2 / 2,
                   rho**2 / 2 * w**2 + I * rho * (x - rho * y) * w + rho * x * y - rho**2 * y**2 / 2, "expand"))
    doc.step("The mean of exp(A W^2 + B W) is exp(B^2/(2 - 4 A))/sqrt(1 - 2 A) (gaussian.heat); here 1 - 2 A = 1 - "
             "rho^2. The exponent becomes that of Mehler's kernel.",
             exact((I * rho * (x - rho * y)) ** 2 / (2 * v) + rho * x * y - rho**2 * y**2 / 2, exponent(), "cancel"))
    doc.step("The kernel is the density of the pair divided by the densities of each: p(x, y) = phi(x) phi((y - rho "
             "x)/sqrt(1 - rho^2))/sqrt(1 - rho^2).",
             exact(-(y - rho * x) ** 2 / (2 * v) + y**2 / 2, exponent(), "cancel"))
    K = exp(exponent()) / sqrt(v)
    doc.step("As a check the kernel, integrated against He_3(y) phi(y) with its factor 1/sqrt(1 - rho^2), is rho^3 "
             "He_3(x): with y = rho x + sqrt(1 - rho^2) W the weight K phi is the density of Y given x.",
             exact(E(He(3, rho * x + sqrt(v) * w), w), rho**3 * He(3, x), ("close", "expand")))
    for n in (1, 2, 3):
        doc.step(f"The first derivatives of the kernel at rho = 0 are the products of the series: order {n}.",
                 exact(Subs(Derivative(K, (rho, n)), rho, 0), He(n, x) * He(n, y), ("diff", "close", "expand")))


def exponent():
    """Exponent of Mehler's kernel."""
    return (2 * rho * x * y - rho**2 * (x**2 + y**2)) / (2 * v)


def _examples(doc):
    n = 2 * j + 1
    doc.step("sin(A z), sin(B z): c_k = A^k exp(-A^2/2) sin(k pi/2)/k! leaves odd orders, with square sign.",
             exact(Sum((A * B * rho) ** n / factorial(n), (j, 0, oo)), sinh(A * B * rho), ("close", "simplify")))
    doc.step("So D(rho) = exp(-(A^2 + B^2)/2) sinh(A B rho); the package finds the same from two means.",
             exact(E(sin(A * x) * sin(B * y), (x, y), rho=rho), exp(-(A**2 + B**2) / 2) * sinh(A * B * rho),
                   ("close", "exponentials", "exponents")))
    doc.step("Exponentials: every order occurs.",
             exact(E(exp(A * x) * exp(B * y), (x, y), rho=rho), exp((A**2 + B**2) / 2 + A * B * rho),
                   ("close", "exponents")))
    doc.step("The series of that.",
             exact(Sum((A * B * rho) ** j / factorial(j), (j, 0, oo)), exp(A * B * rho), ("close", "simplify")))
    doc.step("Parseval: the mean square of sin(A Z) is the sum at rho = 1.",
             exact(E(sin(A * z) ** 2, z), exp(-(A**2)) * sinh(A**2), ("close", "exponentials", "exponents")))
    doc.step("A cubic: three orders.",
             exact(E((x**3 + A * x**2) * (y**3 + B * y), (x, y), rho=rho), (3 * (3 + B)) * rho + 6 * rho**3,
                   ("close", "expand")))
    squared = {i: (2 * He(2 * i, 0)) ** 2 / (2 * pi * factorial(2 * i + 1)) for i in range(40)}
    term = 2 / pi * binomial(2 * j, j) * rho ** (2 * j + 1) / (4**j * (2 * j + 1))
    doc.step("sign: c_k = 2 phi(0) He_{k-1}(0)/k!. With |He_{2j}(0)| = (2j)!/(2^j j!) the terms are those below; "
             "here is j = 3.",
             exact(factorial(7) * (2 * He(6, 0) / factorial(7)) ** 2 / (2 * pi) * rho**7, term.subs(j, 3)))
    doc.step("Forty terms at rho below 1/2 are (2/pi) arcsin(rho) to 20 digits (why: gaussian.arcsine).",
             numerical(sum(c * rho ** (2 * i + 1) for i, c in squared.items()), 2 / pi * asin(rho), {rho: (0.1, 0.5)},
                       digits=20),
             shown=Eq(Sum(term, (j, 0, 39)), 2 / pi * asin(rho), evaluate=False))


if __name__ == "__main__":
    sys.exit(main(derivation))
