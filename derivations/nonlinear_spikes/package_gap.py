"""The gaps as the package writes them, for given present degrees, against the derivation."""

from functools import cache

from sympy import Eq, Rational, Symbol, sqrt

from asympkit.nodes import remove_names
from asympkit.theories.nonlinear_spikes import equations as nonlinear_equations
from asympkit.theories.nonlinear_spikes.moments import ActivationMoments, limit_numbers

from ..checks import exact
from .forms import closed_form
from .notation import A, B, kappa, lam, m1, m2, package, phi, psi

#: Hermite coefficients of the teacher; the second one of the student
target = {p: Symbol(f"c{p}", real=True) for p in range(2, 6)} | {1: package.target_linear}
student_second = Symbol("s2", real=True)
#: squared length of beta, in place of what it is for the two initial outputs
D = Symbol("D", positive=True)


@cache
def numbers(degrees, gaussian=0):
    """The parameters of the package's limit for given present degrees, as it makes them, from symbols."""
    student = ActivationMoments((0, sqrt(B), student_second), A)
    teacher = ActivationMoments(tuple(target.get(p, 0) for p in range(nonlinear_equations.TOP + 1)),
                                package.target_rest)
    found = limit_numbers(student, teacher, degrees, Rational, gaussian=gaussian, kept=0, free=int(0 in degrees))
    by_name = {s.name: s for s in nonlinear_equations.limit_parameters()}
    return {by_name[name]: value for name, value in found.items() if by_name[name] != value}


@cache
def observable(name, degrees, gaussian=0):
    """An observable of the package's limit in m1, m2, chi and their rates, with the numbers of these degrees put in."""
    expr = nonlinear_equations.limit_system().observables[name].xreplace({nonlinear_equations.pieces().length: D})
    return remove_names(expr).subs(numbers(degrees, gaussian)).subs(psi, kappa * phi)


@cache
def quadratic(degrees, gaussian=0):
    """What the spikes take off y^T R y, from the projection, in the package's symbols."""
    tau = kappa * m1
    spread = 2 * student_second**2 * package.chi / phi * gaussian
    return closed_form(degrees, target, package.target_linear / sqrt(D), tau, kappa * m2, tau / (1 + spread))


def package_gap(doc):
    """Add the steps on the expression that the package solves with."""
    for degrees in ((1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 2, 4), (0, 1, 2)):
        names = ", ".join(map(str, degrees))
        doc.step("The gap of the training error that the package computes is lam b^T G^(-1) b with tau = kappa m1, mu "
                 f"= kappa m2, rho^2 = c1^2/D, here for rows on the sphere: degrees {names}."
                 if degrees == (1,) else f"Degrees {names}.",
                 exact(observable("train_gap", degrees), lam * quadratic(degrees), "cancel"),
                 shown=Eq(Symbol("Delta"), lam * quadratic(degrees), evaluate=False))
