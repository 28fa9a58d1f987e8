"""The gaps of the test error against elementary limits, and against the formulas on the authors' slides."""

from sympy import Eq, Gt, Limit, Rational, Symbol, oo, sqrt

from asympkit.gauss import E

from ..checks import exact, greater, numerical, simulated
from ..special import He
from .experiments import limit_model
from .notation import (
    A,
    B,
    dm1,
    dm2,
    kappa,
    lam,
    m1,
    m2,
    mu,
    on_solution,
    package,
    phi,
    psi,
    rho,
    slope,
    tau,
    trace_equations,
)
from .package_gap import D, observable, target
from .solved_point import POINT, rates, solve

c1, c2 = package.target_linear, target[2]
z = Symbol("z", real=True)


def elementary_tests(doc):
    """Add two tests of the gaps that need no theory: a strong penalty, and units."""
    s = on_solution()
    step = Symbol("q", positive=True)
    load, total = A * tau + B * mu, A + B * slope()
    speed = (kappa / (kappa * lam * tau + tau * total / (1 + load) ** 2)).subs(psi, s.psi).subs(lam, s.lam)
    doc.step("Two elementary tests of Lambda. Strong penalty: -dm1/(kappa m1^2) tends to 1 (tau and tau - mu = q tau^2 "
             "tend to 0) ...",
             exact(Limit(speed.subs(mu, tau - step * tau**2), tau, 0), 1, "close_limit"),
             shown=Eq(Limit(-dm1 / (kappa * m1**2), lam, oo), 1, evaluate=False))
    doc.step("... and the features are gone: what is left is the regression of y on g and g^2 without a constant, "
             "which explains rho^2 c1^2 with g ...",
             exact(E(z * rho * c1 * z, z) ** 2 / E(z**2, z), rho**2 * c1**2, ("close", "cancel")))
    doc.step("... and 4/3 rho^4 c2^2 with g^2, which is orthogonal to g. This is Lambda with 1 for both quotients.",
             exact(E(z**2 * rho**2 * c2 * He(2, z), z) ** 2 / E(z**4, z), Rational(4, 3) * rho**4 * c2**2,
                   ("split", "close", "cancel")))
    scale = Symbol("k", positive=True)
    scaled = {A: scale**2 * A, B: scale**2 * B, lam: scale**2 * lam, m1: m1 / scale**2, m2: m2 / scale**2}
    for name, equation in zip(("(E1)", "(E2)"), trace_equations()):
        doc.step("Units: a student k times as large with k^2 lam has the same errors. "
                 f"{name} is solved by m1/k^2, m2/k^2, so that dm1 and dm2 are divided by k^4.",
                 exact(equation.subs(scaled, simultaneous=True) * scale**2, equation, "expand"))
    moved = {m1: m1 / scale**2, dm2: dm2 / scale**4}
    first = c1**4 / D * -dm2 / (kappa * m1**2)
    doc.step("Lambda does not change, for it divides by m1^2.",
             exact(first.subs(moved, simultaneous=True), first, "cancel"))


def printed():
    """The gaps of the test error as they are printed on the slides: the first, and the step to the second."""
    return c1**4 / D * -dm2, Rational(4, 3) * c1**4 * c2**2 / D**2 * -dm1 / m1**2


def slides(doc):
    """Add the comparison with the slides, and the evidence."""
    first = observable("test_gap", (1,))
    increment = observable("test_gap", (1, 2)) - first
    doc.step("The first gap on the slides is rho^2 c1^2 (-dm2). The verified one is phi/(psi m1^2) times it, ...",
             exact(first, printed()[0] * phi / (psi * m1**2).subs(psi, kappa * phi), "cancel"),
             shown=Eq(Symbol("Lambda_1"), printed()[0] * phi / (psi * m1**2), evaluate=False))
    doc.step("... and the verified step to the second gap is phi/psi times what is printed. The slides' training gaps "
             "agree with ours.",
             exact(increment, printed()[1] / kappa, "cancel"),
             shown=Eq(Symbol("Lambda_2") - Symbol("Lambda_1"), printed()[1] * phi / psi, evaluate=False))
    where = {c1: 1, c2: 1 / sqrt(2), D: 1 + (2 + Rational(1, 10)) / 2}
    at = {}
    for width, penalty in ((Rational(1, 2), Rational(1, 10)), (Rational(1), Rational(1, 100))):
        solved = solve(POINT | {psi: width, lam: penalty})
        at[width] = {kappa: 2 * width, phi: Rational(1, 2), **where, **solved, **rates(solved)}
    rows = ((Rational(1, 2), first, "0.525", printed()[0], "2.72", "Lambda_1", "psi = 1/2, lam = 1/10",
             "a simulation of the limit gave 0.510(22)"),
            (Rational(1), first, "0.589", printed()[0], "754", "Lambda_1", "psi = 1, lam = 1/100",
             "simulations of the limit gave 0.589(36) and, n = 1200, 0.5885(30)"),
            (Rational(1), increment, "0.310", printed()[1], "0.620", "Lambda_2 - Lambda_1",
             "psi = 1, lam = 1/100", "simulations with n = 1200 gave 0.297 and 0.307 = 0.8952(44) - 0.5885(30)"))
    for width, value, digits, slide, other, name, place, evidence in rows:
        doc.step(f"Evidence, student and teacher z + He_2/sqrt(2), noise 1/10, phi = 1/2, {place}: {name} is {digits} "
                 f"to three digits; {evidence}.",
                 numerical(value.subs(at[width]), Rational(digits), digits=3),
                 shown=Eq(Symbol(name), Rational(digits), evaluate=False))
        doc.step(f"As printed it would be {other}.",
                 numerical(slide.subs(at[width]), Rational(other), digits=3),
                 shown=Eq(Symbol("printed"), Rational(other), evaluate=False))
    labels = {package.target_rest: 1, package.noise_variance: Rational(1, 10)}
    untrained = observable("baseline_test", (1,)).subs(labels)
    doc.step("A gap cannot exceed the error of the untrained features, which is below 4 there; the printed one does.",
             greater(printed()[0].subs(at[Rational(1)]), untrained.subs(at[Rational(1)]), {}, points=1),
             shown=Gt(Symbol("printed"), Symbol("L_test"), evaluate=False))
    doc.step("Features of a real student with g and g^2 as free regressors, phi = 1/2, psi = 1, lam = 1/10: the gap of "
             "the test error on fresh samples, mean over forty teachers.",
             simulated(Symbol("Lambda_2"), -Symbol("dQ") / tau**2, lambda rng, size: limit_model(rng, size)["test_gap"],
                       tolerance=0.8, sizes=(60, 180), repeats=5))
