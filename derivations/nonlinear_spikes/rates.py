"""Derivatives of the two traces by lam: the tangent of the pair, and their signs."""

from sympy import Derivative, Eq, Gt, Integer, Matrix, Symbol, symbols

from asympkit.equations.system import System
from asympkit.sensitivity.tangent import tangent_system

from ..checks import exact, exceeds
from .notation import A, B, gap, in_kappa, kappa, lam, m1, m2, mu, on_solution, phi, psi, slope, tau, trace_equations

#: kappa lam tau; the parameters of a positive solution are A, B, mu, gap and this
room = Symbol("e", positive=True)


def tangent(doc):
    """Add the Jacobian of the pair and the rates, against the package's tangent system."""
    first, second = (in_kappa(e) for e in trace_equations())
    S = A * m1 + B * m2
    above, below = 2 * kappa * lam * m1 - 1, kappa * lam * m1 - 1
    slopes = [[phi * (S + A * (m1 - m2)) + B * m2 * above, phi * (-S + B * (m1 - m2)) + B * m1 * below],
              [(B * m2 - phi) / kappa + B * m2 * above, (B * m1 + phi) / kappa + B * m1 * below]]
    for i, equation in enumerate((first, second)):
        for j, unknown in enumerate((m1, m2)):
            doc.step(f"Slope J{i + 1}{j + 1} of the pair.",
                     exact(Derivative(equation, unknown), slopes[i][j], ("diff", "expand")))
    push = B * kappa * m1**2 * m2
    doc.step("lam enters both in the same way.", exact(Derivative(first, lam), push, ("diff", "expand")))
    doc.step("The second.", exact(Derivative(second, lam), push, ("diff", "expand")))
    J = Matrix(slopes)
    rates = rates_of(J, push)
    for i in (0, 1):
        doc.step("Along a solution J (dm1, dm2) + (1, 1) B kappa m1^2 m2 = 0; Cramer's rule solves it, row "
                 f"{i + 1}.", exact((J * rates)[i], -push, "cancel"),
                 shown=Eq((J * Matrix(symbols("dm1 dm2")))[i], -push, evaluate=False))
    package = tangent_system(System((m1, m2), (first, second)), {lam: Integer(1)})
    moved = dict(zip(package.unknowns[2:], rates))
    on = {k: v for k, v in on_solution().values.items() if k != psi}
    for equation in package.equations[2:]:
        doc.step("The equation of the package's tangent system, which `sensitivity` solves, holds for these rates on "
                 "the solution set.",
                 exact(equation.subs(moved).subs(on), 0, "cancel"), shown=Eq(equation, 0, evaluate=False))


def rates_of(J, push):
    """dm1/dlam and dm2/dlam by Cramer's rule."""
    return Matrix([J[0, 1] - J[1, 1], J[1, 0] - J[0, 0]]) * push / J.det()


def _determinant(doc):
    s, above = on_solution(), {tau: mu + gap}
    J = Matrix([in_kappa(e) for e in trace_equations()]).jacobian((m1, m2))
    scale = B**2 * mu * tau / (gap * kappa**4 * (1 + s.load) ** 2)
    left = (J.det().subs({k: v for k, v in s.values.items() if k != psi}) / scale).subs(above)
    steep = A**2 * tau**3 + A * B * mu * tau * (tau + mu) + B**2 * mu**3 + 2 * A * tau**2 + B * mu * (tau + mu) + tau
    offset = A**2 * tau**3 + A * B * mu * tau * (tau + mu) + B**2 * mu**3 + A * tau**2 + B * mu**2
    full = (s.load / (1 + s.load)).subs(above)
    doc.step("The determinant of J is positive at every positive solution, where kappa is (A tau + B mu)/(1 + A tau + "
             "B mu) and a positive e = kappa lam tau (tau = mu + g); the positive factor B^2 mu tau/(g kappa^4 (1 + A "
             "tau + B mu)^2) is left out below. The root is simple and smooth in the parameters.",
             exceeds(left.subs(kappa, full + room), 0, (room * steep + offset / (1 + s.load)).subs(above), "cancel"),
             shown=Gt(Symbol("det(J)"), 0, evaluate=False))
    return J


def signs(doc):
    """Add the signs of determinant and rates."""
    s, J = on_solution(), _determinant(doc)
    on = {k: v for k, v in s.values.items() if k != psi}
    rates = rates_of(J, B * kappa * m1**2 * m2).subs(on)
    load, total = A * tau + B * mu, A + B * slope()
    fall = kappa * tau / (kappa * lam + total / (1 + load) ** 2)
    doc.step("m1 falls with lam: the rules give dtau/dlam = -kappa tau/(kappa lam + d/dtau (1 - mtilde)), the same as "
             "Cramer's rule.",
             exact(kappa * rates[0], -fall.subs(psi, s.psi).subs(lam, s.lam), "cancel"),
             shown=Eq(Symbol("dtau"), -kappa * tau / (kappa * lam + Symbol("slope_of_load") / (1 + load) ** 2),
                      evaluate=False))
    doc.step("And m2 falls too: dmu/dlam is the positive slope of mu(tau) times that.",
             exact(rates[1], rates[0] * slope().subs(psi, s.psi), "cancel"),
             shown=Eq(Symbol("dmu"), Symbol("slope") * Symbol("dtau"), evaluate=False))
