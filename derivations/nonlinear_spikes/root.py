"""The pair (E1, E2) has exactly one positive solution, it lies in a bracket, and it falls with lam."""

import sys
from functools import cache

from asympkit.derivations.nonlinear_spikes.rates import signs, tangent
from sympy import Derivative, Eq, Function, Gt, Limit, Poly, Subs, Symbol, oo, resultant

from ..checks import exact, exceeds
from ..command import main
from ..document import Derivation
from .notation import (
    A,
    B,
    first_rule,
    gap,
    in_kappa,
    kappa,
    lam,
    m1,
    m2,
    mu,
    on_solution,
    phi,
    psi,
    slope,
    tau,
    trace_equations,
)
from .solved_form import solved_form
from .solved_point import explicit_m2

u = Symbol("u", positive=True)


def derivation():
    """Root bracket, uniqueness and derivatives of the pair of traces."""
    doc = Derivation(
        "One root of the pair of traces", "arXiv 2310.07891, the equations of m1 and m2",
        "phi, psi, lam, A = E[s^2] - c1^2, B = c1^2 > 0 are positive, kappa = psi/phi, tau = kappa m1, mu = kappa m2, "
        "mtilde = 1 - kappa (1 - lam tau). The document nonlinear_spikes.traces shows that the positive solutions of "
        "(E1), (E2) are those of two rules; here they are counted.")
    _quartic(doc)
    _bracket(doc)
    _one_mu(doc)
    _one_tau(doc)
    solved_form(doc)
    tangent(doc)
    signs(doc)
    return doc


@cache
def quartic():
    """The polynomial whose roots are all values of m1: (E1) with m2 of (E2) put in."""
    first, second = (in_kappa(e) for e in trace_equations())
    return (resultant(first, second, m2) * kappa**2 / (B * phi * m1**2)).cancel()


def _quartic(doc):
    tilde = 1 - kappa * (1 - lam * kappa * m1)
    found = in_kappa(explicit_m2())
    doc.step("(E2) is linear in m2 and gives it explicitly.",
             exact(found, kappa * phi * m1 / (kappa * phi + B * kappa * m1 * tilde), "cancel"),
             shown=Eq(m2, found, evaluate=False))
    first, second = (in_kappa(e) for e in trace_equations())
    doc.step("Elimination of m2 leaves powers of m1 (a resolvent has m1 > 0) and a polynomial; the "
             "polynomial is a quartic: its leading coefficient ...",
             exact(Poly(quartic(), m1).coeff_monomial(m1**4), A * B * kappa**4 * lam**2, "expand"))
    doc.step("It is (E1) with that m2, over m1^2 and without denominators.",
             exact(first.subs(m2, found) / m1**2 * (phi + B * m1 * tilde) ** 2, B * phi * quartic(), "cancel"),
             shown=Eq(Poly(quartic(), m1).as_expr().collect(m1), 0, evaluate=False))


def _bracket(doc):
    s = on_solution()
    doc.step("A positive solution has lam tau = lam kappa m1 below 1 ...",
             exceeds(1, s.lam * tau, s.load / (kappa * (1 + s.load)), "cancel"))
    doc.step("... and above 1 - 1/kappa: it lies in the bracket max(0, 1 - 1/kappa) < lam kappa m1 < 1.",
             exceeds(s.lam * tau, 1 - 1 / kappa, s.mtilde / kappa, "cancel"))
    tilde = Symbol("mtilde", positive=True)
    ratio = psi / (psi + B * tilde * tau)
    doc.step("Conversely mtilde is positive in the bracket, and there m2 of (E2) is positive and less than m1.",
             exceeds(1, ratio, B * tilde * tau / (psi + B * tilde * tau), "cancel"))
    scaled_at = Function("E1_scaled")
    scaled = (in_kappa(trace_equations()[0]) / m1**2).subs(m2, in_kappa(explicit_m2()))
    at = scaled.subs(m1, u / (lam * kappa))
    top = B / (lam * kappa * phi + B)
    doc.step("(E1)/m1^2 at the upper end, u = lam kappa m1 = 1, is positive.",
             exceeds(Subs(at, u, 1), 0, phi * top * (A + B * (1 - top).cancel()), ("close", "cancel")),
             shown=Gt(scaled_at(1), 0, evaluate=False))
    doc.step("At the lower end, where mtilde = 0 and m2 = m1, it is negative (kappa > 1) ...",
             exceeds(0, Subs(at, u, 1 - 1 / kappa), B / kappa, ("close", "cancel")),
             shown=Eq(scaled_at(1 - 1 / kappa), -B / kappa, evaluate=False))
    doc.step("... and so is its limit at u = 0 (kappa <= 1). It is continuous in between: a root exists.",
             exact(Limit(at, u, 0), -B, "close_limit"),
             shown=Eq(Limit(scaled_at(u), u, 0), -B, evaluate=False))


def _one_mu(doc):
    s = on_solution()
    doc.step("Uniqueness. The first rule, tau - mu = tau x/psi, in a form that is monotone.",
             exact(first_rule().subs(psi, s.psi), B, "cancel"), shown=Eq(first_rule(), B, evaluate=False))
    above = {tau: mu + gap}
    fall = psi * ((1 + A * tau) / mu**2 + B / tau)
    rise = (psi * (1 + A * tau + B * mu) / tau**2 + psi * A * gap / (mu * tau)).subs(above)
    doc.step("At given tau its left side falls in mu ...",
             exceeds(0, Derivative(first_rule(), mu), fall, ("diff", "cancel")))
    doc.step("... from infinity at 0 ...", exact(Limit(first_rule() * mu, mu, 0), psi * (1 + A * tau), "close_limit"))
    doc.step("... to 0 at mu = tau: there is one mu(tau), and it is below tau.",
             exact(Subs(first_rule(), mu, tau), 0, "close"))
    doc.step("At given mu < tau it rises in tau ...",
             exceeds(first_rule().diff(tau).subs(above), 0, rise, "cancel"),
             shown=Gt(Derivative(first_rule(), tau), 0, evaluate=False))
    doc.step("... so mu(tau) rises; its slope is the quotient of the two.",
             exceeds(slope().subs(above), 0, rise / fall.subs(above), "cancel"),
             shown=Gt(Symbol("slope"), 0, evaluate=False))


def _one_tau(doc):
    s = on_solution()
    load = A * tau + B * mu
    rest = load / (1 + load) - kappa * (1 - lam * tau)
    rate = Symbol("slope", positive=True)
    doc.step("The other rule: kappa (1 - lam tau) is A tau + B mu over 1 more than it.",
             exact(rest.subs(lam, s.lam), 0, "cancel"), shown=Eq(rest, 0, evaluate=False))
    doc.step("Along mu(tau) its left side rises, ...",
             exceeds(rest.diff(tau) + rate * rest.diff(mu), 0, (A + B * rate) / (1 + load) ** 2 + kappa * lam,
                     "cancel"))
    doc.step("... from -kappa at tau = 0 ...", exact(Subs(rest, (tau, mu), (0, 0)), -kappa, ("close", "expand")))
    doc.step("... to a positive number at tau = 1/lam. So there is exactly one positive solution of (E1), (E2): the "
             "limits of the traces, which are positive, are it, and no other root of the quartic is in the bracket.",
             exceeds(Subs(rest, tau, 1 / lam), 0, (A / lam + B * mu) / (1 + A / lam + B * mu), ("close", "cancel")))
    doc.step("Strong penalty: lam tau tends to 1.",
             exact(Limit(s.lam * tau, tau, 0).subs(mu, tau), 1, "close_limit"),
             shown=Eq(Limit(lam * tau, lam, oo), 1, evaluate=False))


if __name__ == "__main__":
    sys.exit(main(derivation))
