"""Symbols, and the positive solutions of the two trace equations in rational form."""

from functools import cache
from types import SimpleNamespace

from sympy import Symbol, symbols

from asympkit.theories.nonlinear_spikes import equations as nonlinear_equations

package = nonlinear_equations.symbols()
phi, psi, lam, m1, m2 = package.phi, package.psi, package.lam, package.m1, package.m2
kappa, A, B, tau, mu, mtilde, x = symbols("kappa A B tau mu mtilde x", positive=True)
#: the derivatives of m1 and m2 by lam, named as in the package's tangent system
dm1, dm2 = symbols("dm1 dm2", real=True)
#: what the constant meets, the overlap of spike and teacher, Hermite coefficients of the teacher
mu0, rho = Symbol("mu0", positive=True), Symbol("rho", real=True)
targets = {p: Symbol(f"c{p}", real=True) for p in range(1, 7)}
#: excess of tau over mu on the solution set
gap = Symbol("g", positive=True)
#: the package's names of B = c1^2 and A
LETTERS = {package.linear: B, package.nonlinear: A}


@cache
def trace_equations():
    """The left sides of (E1) and (E2) in the package, in m1, m2 and the parameters."""
    return tuple(e.xreplace(LETTERS) for e in nonlinear_equations.trace_pair())


@cache
def on_solution():
    """Parameters and unknowns on the solution set, as rational functions of A, B, kappa, tau, mu.

    Two equations for five numbers: tau, mu, kappa (and A, B) are free, psi and lam follow.
    """
    load = A * tau + B * mu
    width = B * tau * mu / ((tau - mu) * (1 + load))
    level = (1 - load / (kappa * (1 + load))) / tau
    return SimpleNamespace(load=load, psi=width, phi=width / kappa, lam=level, mtilde=1 / (1 + load),
                           x=B * mu / (1 + load),
                           values={m1: tau / kappa, m2: mu / kappa, psi: width, phi: width / kappa, lam: level})


def in_kappa(expr):
    """Write psi = kappa phi."""
    return expr.subs(psi, kappa * phi)


def first_rule():
    """psi (1/mu - 1/tau)(1 + A tau + B mu), which is B at a solution: tau - mu = tau x/psi in monotone form."""
    return psi * (1 / mu - 1 / tau) * (1 + A * tau + B * mu)


@cache
def slope():
    """d mu/d tau along the first rule."""
    return -first_rule().diff(tau) / first_rule().diff(mu)
