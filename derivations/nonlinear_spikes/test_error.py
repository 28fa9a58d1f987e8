"""The test error: leave-one-out is exact for ridge regression, and its limit is a derivative by lam."""

import sys
from functools import cache

from sympy import Derivative, Eq, Matrix, Symbol, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import remove_names
from asympkit.theories.spiked_features import equations as spiked_equations

from ..checks import exact, exceeds, numerical, simulated
from ..command import main
from ..document import Derivation
from ..one_step.functions import chosen
from ..one_step.linear_pairs import norm_solution
from ..one_step.saddle import eqs_of
from ..special import He
from .experiments import diagonal
from .notation import A, B, dm1, dm2, gap, kappa, lam, m1, m2, mu, on_solution, package, psi, slope, tau
from .package_gap import D, observable, quadratic, target
from .slides import elementary_tests, slides

level = Symbol("L", positive=True)
rho = symbols("rho", real=True)
c1, c2 = package.target_linear, target[2]
z = Symbol("z", real=True)
#: noise, and the part of the teacher beyond the linear one, in the labels
rest = package.target_rest + package.noise_variance


def derivation():
    """Test errors and their gaps."""
    doc = Derivation(
        "The test error by leaving one sample out", "arXiv 2310.07891, the test error",
        "Notation of nonlinear_spikes.gaps; Y = y^T R y, tau = tr R. dm1 and dm2 are the derivatives of m1 and m2 by "
        "lam, D is |beta|^2, target_linear is c1 of the teacher, target_rest its second moment without c1^2. The last "
        "part compares with the formulas printed on the authors' public slides (Lausanne, 31 May 2024); the printed "
        "paper itself was not at hand.")
    _leave_one_out(doc)
    _limit(doc)
    _package(doc)
    _one_step(doc)
    elementary_tests(doc)
    slides(doc)
    return doc


@cache
def _instance():
    F, y = Matrix([[1, 2], [-1, 1], [3, 0]]), Matrix([1, -2, 4])
    M = F * F.T + level * Matrix.eye(3)
    return F, y, M.adjugate() / M.det()


def _leave_one_out(doc):
    F, y, R = _instance()
    for i in range(3):
        rows = [j for j in range(3) if j != i]
        kept, seen = F.extract(rows, [0, 1]), y.extract(rows, [0])
        M = kept * kept.T + level * Matrix.eye(2)
        readout = kept.T * (M.adjugate() / M.det()) * seen
        doc.step("Ridge regression fitted without sample i (same lam n) misses its label by (R y)_i/R_ii; three "
                 "samples, two units, i = 1." if i == 0 else f"i = {i + 1}.",
                 exact(y[i] - (F[i, :] * readout)[0], (R * y)[i] / R[i, i], "cancel"),
                 shown=r"y_i - f_i \cdot \hat a_{-i} = (R y)_i/R_{ii}")
    square = ((R * y).T * (R * y))[0]
    doc.step("The sum of the (R y)_i^2 is the derivative of Y = y^T R y by lam n, with a minus sign.",
             exact(Derivative((y.T * R * y)[0], level), -square, ("diff", "cancel")),
             shown=r"\partial_\lambda\, y^\top R y = -n |R y|^2")
    n, squares, slope_of_Y = symbols("n s dY", real=True)
    doc.step("The R_ii agree in the limit: n R_ii = tau + o(1), for features of a real student here ...",
             simulated(Symbol("R_ii") * n, tau, lambda rng, size: diagonal(rng, size)["mean"], tolerance=0.6,
                       sizes=(60, 180), repeats=6))
    doc.step("... with a spread that vanishes.",
             simulated(Symbol("spread"), 0, lambda rng, size: diagonal(rng, size)["spread"], tolerance=12.0,
                       sizes=(60, 180), repeats=6))
    doc.step("So the mean square of what is missed, the test error, is -dY/tau^2, dY the derivative of Y by lam.",
             exact((squares * n**2 / tau**2 / n).subs(squares, -slope_of_Y / n), -slope_of_Y / tau**2, "cancel"),
             shown=Eq(Symbol("L_test"), -slope_of_Y / tau**2, evaluate=False))


def _limit(doc):
    c = symbols("c1:5", real=True)
    labels = sum(a * He(i + 1, z) for i, a in enumerate(c))
    doc.step("The labels have the linear part c1 He_1, which meets mu, and a rest of variance E s*^2 - c1^2 + noise, "
             "which meets tau: Y tends to c1^2 mu + rest tau (teacher of degree four).",
             exact(E((labels - c[0] * z) ** 2, z), E(labels**2, z) - c[0] ** 2, ("split", "expand")),
             shown=Eq(Symbol("Y"), c1**2 * mu + rest * tau, evaluate=False))
    whole = kappa * (c1**2 * m2 + rest * m1)
    doc.step("The package's training error of untrained features is lam times that ...",
             exact(observable("baseline_train", (1,)), lam * whole, "cancel"))
    doc.step("... and its test error the derivative: the rates come from the tangent of the pair.",
             exact(observable("baseline_test", (1,)), -_slope(whole) / (kappa * m1) ** 2, "cancel"))


def _slope(expr):
    """Derivative by lam along the solution, for an expression in m1 and m2."""
    return expr.diff(m1) * dm1 + expr.diff(m2) * dm2


def second(degrees):
    """S, what spikes bring beyond the linear part."""
    return (quadratic(degrees) / kappa).expand().coeff(m1)


def _package(doc):
    doc.step("A spike changes tr R by a finite number of terms O(1/n): tau stays. With Q = Delta/lam off Y, the test "
             "error falls by Lambda = -dQ/tau^2.",
             exact(-(Symbol("dY") - Symbol("dQ")) / tau**2 - (-Symbol("dY") / tau**2), Symbol("dQ") / tau**2, "expand"),
             shown=Eq(Symbol("Lambda"), -Symbol("dQ") / tau**2, evaluate=False))
    for degrees in ((1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 2, 4)):
        names = ", ".join(map(str, degrees))
        closed = (c1**4 / D * -dm2 + second(degrees) * -dm1) / (kappa * m1**2)
        doc.step(f"The package's gap of the test error, degrees {names}, S = {second(degrees)}.",
                 exact(observable("test_gap", degrees), closed, "cancel"),
                 shown=Eq(Symbol("Lambda"), (c1**4 / D * -dm2 + Symbol("S") * -dm1) / (kappa * m1**2), evaluate=False))
    fall1, fall2, S = symbols("f1 f2 S", positive=True)
    doc.step("Both rates are negative (nonlinear_spikes.root) and S is not (nonlinear_spikes.gaps): spikes never hurt "
             "in the limit.",
             exceeds((c1**4 / D * fall2 + S * fall1) / (kappa * m1**2), 0, c1**4 * fall2 / (D * kappa * m1**2)
                     + S * fall1 / (kappa * m1**2), "expand"))


@cache
def _spikeless():
    """Objective and test error of the one-step theory of the package without a spike, and where to evaluate them."""
    s, k = spiked_equations.symbols(), on_solution()
    student = sqrt(B) * s.z + sqrt(A) * (s.z**2 - 1) / sqrt(2)
    teacher = c1 * s.z + c2 * (s.z**2 - 1)
    plain = {s.r: 0, s.c: 1, s.gamma: 0, s.rho: 1, s.theta: 0, s.m: 0, s.thetahat: 0}

    def closed(expr):
        return remove_names(chosen(expr.subs(plain), student, teacher)).doit().subs(plain)

    V2 = k.mtilde / (kappa * k.lam)
    at = {A: (0.2, 2), B: (0.2, 2), kappa: (1, 2), mu: (0.3, 2), gap: (0.1, 1), tau: mu + gap, c1: (0.5, 1),
          c2: (0.2, 1), s.noise_variance: (0, 1), s.alpha: kappa / k.psi, s.beta: 1 / k.psi, s.lam: kappa * k.lam,
          s.V2: V2, s.V1: V2 * mu / tau}
    at |= {u: closed(eqs_of(u)[u]) for u in (s.Vhat1, s.Vhat2, s.psihat)}
    at[s.psi] = s.psihat * s.V1
    at |= {u: closed(e) for u, e in zip((s.q1, s.q2), norm_solution())}
    return {name: closed(spiked_equations.ridge().observables()[name]) for name in ("objective", "test_error")}, at


def _one_step(doc):
    """The same errors from the theory of the one-step features without their spike."""
    s, k = spiked_equations.symbols(), on_solution()
    found, at = _spikeless()
    load, move = A * tau + B * mu, slope().subs(psi, k.psi)
    fall = kappa * tau / (kappa * k.lam + (A + B * move) / (1 + load) ** 2)
    beyond = 2 * c2**2 + s.noise_variance
    errors = {"objective": k.lam * (c1**2 * mu + beyond * tau), "test_error": fall * (c1**2 * move + beyond) / tau**2}
    for name, value in errors.items():
        doc.step("The package's theory of one-step features, whose equations come from another free energy, gives the "
                 "same without its spike: the objective ..." if name == "objective" else "... and the test error.",
                 numerical(found[name], value, at, digits=20, points=1),
                 shown=Eq(Symbol(name), lam * (c1**2 * mu + rest * tau) if name == "objective"
                          else Symbol("dtau") * (-c1**2 * Symbol("slope") - rest) / tau**2, evaluate=False))


if __name__ == "__main__":
    sys.exit(main(derivation))
