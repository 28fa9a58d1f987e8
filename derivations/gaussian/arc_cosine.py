"""Kernels of the powers of relu: each is an integral of the one before it."""

import sys

from sympy import Derivative, Eq, Heaviside, Max, Subs, Symbol, acos, asin, cos, factorial, pi, sin, sqrt, symbols

from asympkit.gauss import E

from ..checks import exact, simulated
from ..command import main
from ..document import Derivation
from ..special import He, phi
from .notation import half, rho, x, y, z

angle = Symbol("angle", positive=True)
leak = Symbol("alpha", real=True)
v1, v2 = symbols("v1 v2", positive=True)
root = sqrt(1 - rho**2)
#: the kernels E (X)_+^n (Y)_+^n, as functions of the correlation
KERNELS = ((pi - acos(rho)) / (2 * pi), (root + rho * (pi - acos(rho))) / (2 * pi),
           (3 * rho * root + (1 + 2 * rho**2) * (pi - acos(rho))) / (2 * pi),
           ((4 + 11 * rho**2) * root + (9 * rho + 6 * rho**3) * (pi - acos(rho))) / (2 * pi))


def derivation():
    """Dual activations of the step, relu, relu^2, relu^3, abs and leaky relu through Price's theorem."""
    doc = Derivation(
        "The arc-cosine kernels", "Y. Cho and L. K. Saul, NeurIPS 2009; the dual activations of the package",
        "X, Y are standard normal with correlation rho, |rho| < 1, and D_n(rho) = E (X)_+^n (Y)_+^n, D_0 for "
        "steps. The slope of (x)_+^n is n (x)_+^(n-1), so Price's theorem (gaussian.price) says dD_n/drho = n^2 "
        "D_{n-1}; D_n(0) is a squared mean. The kernels follow one from the other; an antiderivative is verified "
        "by differentiating it.")
    _order_zero(doc)
    _higher_orders(doc)
    _published_form(doc)
    _relatives(doc)
    _comparisons(doc)
    return doc


def _start(n):
    """The kernel at rho = 0 against the squared mean."""
    return exact(Subs(KERNELS[n], rho, 0), E(Max(0, z) ** n, z) ** 2, ("close", "expand"))


def _order_zero(doc):
    doc.step("The slope of a step is a point mass, so dD_0/drho = p(0, 0) = phi(0)^2/sqrt(1 - rho^2) "
             "(gaussian.arcsine treats the point mass as a limit).",
             exact(Derivative(KERNELS[0], rho), phi(0) ** 2 / root, ("diff", "normal", "simplify")))
    doc.step("At rho = 0 two independent signs are both positive with probability 1/4.",
             exact(Subs(KERNELS[0], rho, 0), E(Heaviside(z), z) ** 2, "close"))
    doc.step("So D_0 = (pi - arccos(rho))/(2 pi), the angle between two half-planes; equivalently:",
             exact(KERNELS[0], half / 2 + asin(rho) / (2 * pi), ("arccos", "simplify")))


def _higher_orders(doc):
    for n in (1, 2, 3):
        name = ("", "relu", "relu^2", "relu^3")[n]
        doc.step(f"{name}: the derivative of the kernel is {'' if n == 1 else f'{n * n} times '}that of order {n - 1}.",
                 exact(Derivative(KERNELS[n], rho), n**2 * KERNELS[n - 1], ("diff", "simplify")))
        doc.step(f"{name}: the kernel at rho = 0 is the squared mean of (Z)_+^{n}.".replace("^1.", "."), _start(n))
    for n in (1, 2, 3):
        doc.step(f"At rho = 1 the kernel of order {n} is half of E Z^{2 * n}.",
                 exact(Subs(KERNELS[n], rho, 1), E(z ** (2 * n), z) / 2, "close"))


def _published_form(doc):
    J = (pi - angle) / sin(angle)
    forms = [pi - angle]
    for n in (1, 2, 3):
        J = J.diff(angle) / sin(angle)
        forms.append((-1) ** n * sin(angle) ** (2 * n + 1) * J)
    doc.step("Cho and Saul write D_n = J_n(angle)/(2 pi), angle = arccos(rho), with J_n = (-1)^n sin^(2n+1) (1/sin "
             "d/dangle)^n ((pi - angle)/sin); the kernels above in the angle: order 1.",
             exact(forms[1], _in_angle(1), "simplify"), shown=_j(1))
    for n in (2, 3):
        doc.step(f"Order {n}.", exact(forms[n], _in_angle(n), "simplify"), shown=_j(n))
    for n in (1, 2, 3):
        doc.step(f"Price's recursion in the angle, drho = -sin(angle) dangle: J_{n} and {n * n} times J_{n - 1}.",
                 exact(-Derivative(_in_angle(n), angle) / sin(angle), n**2 * _in_angle(n - 1), ("diff", "simplify")))


def _in_angle(n):
    """2 pi D_n with rho = cos(angle)."""
    return (2 * pi * KERNELS[n]).subs(acos(rho), angle).subs(root, sin(angle)).subs(rho, cos(angle))


def _j(n):
    return Eq(Symbol(f"J_{n}"), _in_angle(n), evaluate=False)


def _relatives(doc):
    by = ("close", "arccos", "simplify")
    D, mirrored = KERNELS[1], KERNELS[1].subs(rho, -rho)
    doc.step("(x)_+ - (-x)_+ = x: since E XY = rho, D_1(rho) - D_1(-rho) = rho/2.",
             exact(D - mirrored, rho / 2, ("arccos", "simplify")))
    doc.step("abs is (x)_+ + (-x)_+: twice D_1(rho) + D_1(-rho).",
             exact(2 * (D + mirrored), 2 / pi * (root + rho * asin(rho)), ("arccos", "simplify")))
    doc.step("The package integrates abs directly.",
             exact(E(abs(x) * abs(y), (x, y), rho=rho), 2 / pi * (root + rho * asin(rho)), by))
    leaky = leak * z + (1 - leak) * Max(0, z)
    doc.step("leaky relu alpha x + (1 - alpha)(x)_+: E X (Y)_+ = rho/2 gives alpha rho + (1 - alpha)^2 D_1.",
             exact(leak**2 * rho + 2 * leak * (1 - leak) * rho / 2 + (1 - leak) ** 2 * D,
                   leak * rho + (1 - leak) ** 2 * D,
                   "expand"))
    doc.step("The package integrates it directly.",
             exact(E(leaky.subs(z, x) * leaky.subs(z, y), (x, y), rho=rho), leak * rho + (1 - leak) ** 2 * D, by))
    doc.step("Variances: (s x)_+ = s (x)_+ for s > 0, so D_1 is multiplied by sqrt(v1 v2).",
             exact(E(Max(0, sqrt(v1) * x) * Max(0, sqrt(v2) * y), (x, y), rho=rho), sqrt(v1 * v2) * D, by))


def _comparisons(doc):
    by = ("close", "arccos", "simplify")
    for n, f in enumerate((Heaviside(z), Max(0, z), Max(0, z) ** 2)):
        doc.step(f"The package integrates one variable after the other and finds the same: order {n}.",
                 exact(E(f.subs(z, x) * f.subs(z, y), (x, y), rho=rho), KERNELS[n], by))
    coefficient = {0: phi(0), 1: half} | {k: phi(0) * He(k - 2, 0) / factorial(k) for k in range(2, 8)}
    for k in (0, 1, 2, 4, 6):
        doc.step("Mehler's expansion (gaussian.mehler) with the coefficients of relu (gaussian.hermite): order 0."
                 if k == 0 else f"Order {k}.",
                 exact(Subs(Derivative(KERNELS[1], (rho, k)), rho, 0), (factorial(k) * coefficient[k]) ** 2,
                       ("diff", "close", "normal", "expand")))
    doc.step("Sample mean of relu(X) relu(Y) over d^2 pairs (rho = 0.6).",
             simulated(Symbol("sample_mean"
                              ), KERNELS[1].subs(rho, half + half / 5), _sampled, tolerance=0.5, sizes=(50, 200),
                       repeats=4))


def _sampled(rng, d):
    import numpy as np

    x, w = rng.standard_normal((2, d * d))
    mean = (np.maximum(0, x) * np.maximum(0, 0.6 * x + 0.8 * w)).mean()
    return mean, (0.8 + 0.6 * (np.pi - np.arccos(0.6))) / (2 * np.pi)


if __name__ == "__main__":
    sys.exit(main(derivation))
