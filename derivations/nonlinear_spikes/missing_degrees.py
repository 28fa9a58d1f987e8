"""Students with missing Hermite coefficients: one condition for each monomial that is not spanned."""

from sympy import Derivative, Matrix, Rational, Subs, Symbol, binomial, factorial

from ..checks import exact, exceeds
from ..special import He
from .forms import closed_form, matrix_form
from .notation import mu, mu0, rho, targets, tau

z = Symbol("z", real=True)
k = Symbol("k", integer=True, positive=True)

#: sets of present degrees: relu has no odd degree beyond 1, an odd student no even one
SETS = ((1, 2, 4), (1, 3), (1, 2, 5), (1, 4), (1, 2, 4, 6), (0, 1, 3, 4))


def missing_degrees(doc):
    """Add the steps on spans with gaps."""
    doc.step("A missing coefficient is a missing monomial x^j, 0 < j < l, and one more condition on t: the coefficient "
             "of x^j of sum t_h He_h vanishes. Derivatives of He_h lower its order, ...",
             exact(Derivative(He(k, z), z), k * He(k - 1, z), "diff"))
    for h, j in ((5, 3), (6, 2)):
        doc.step(f"... so it is sum_h t_h binomial(h, j) He_(h-j)(0), here h = {h}, j = {j}.",
                 exact(Subs(Derivative(He(h, z), (z, j)), z, 0) / factorial(j), binomial(h, j) * He(h - j, 0),
                       ("diff", "close")))
    for degrees in SETS:
        names = ", ".join(map(str, degrees))
        doc.step("With r_j the value and C_ij the M^(-1)-products of the conditions, the projection takes off "
                 "r^T C^(-1) r: a matrix as large as what is missing, against the matrix form with what is "
                 f"present, degrees {names}."
                 if degrees == SETS[0] else f"Degrees {names}.",
                 exact(by_conditions(degrees), matrix_form(degrees, targets, rho, tau, mu, mu0), "cancel"),
                 shown=r"Q = t^\top M t - r^\top C^{-1} r")
        doc.step(f"The package's closed form, degrees {names}.",
                 exact(closed_form(degrees, targets, rho, tau, mu, mu0), by_conditions(degrees), "cancel"))
    doc.step("mu enters none of the conditions, for He_1 has no other coefficient than that of x: with the first "
             "degree present the linear part is rho^2 c1^2 mu in every case.",
             exact(by_conditions(SETS[0]).diff(mu), rho**2 * targets[1] ** 2, "cancel"))
    step = {targets[4]: 0, mu0: tau}
    freed = [closed_form(range(1, top + 1), targets, rho, tau, mu, mu0).subs(step) for top in (3, 4)]
    doc.step("An even spike can lower the error although the teacher has no such degree (c4 = 0): it frees part of the "
             "constant, which the second degree wants.",
             exceeds(freed[1] - freed[0], 0, Rational(2, 15) * rho**4 * targets[2] ** 2 * tau, "cancel", strict=False))


def by_conditions(degrees):
    """t^T M t - r^T C^(-1) r, one condition for each missing monomial below the highest degree."""
    top = max(degrees)
    weight = [mu0, mu] + [tau] * (top - 1)
    t = [0] + [targets[p] * rho**p for p in range(1, top + 1)]
    total = sum(factorial(h) * weight[h] * t[h] ** 2 for h in range(top + 1))
    absent = [j for j in range(top) if j not in degrees]
    rows = [[binomial(h, j) * He(h - j, 0) if h >= j else 0 for h in range(top + 1)] for j in absent]
    r = Matrix([sum(a * b for a, b in zip(row, t)) for row in rows])
    size = len(absent)
    C = Matrix(size, size, lambda i, j: sum(rows[i][h] * rows[j][h] / (factorial(h) * weight[h])
                                            for h in range(top + 1)))
    return total - (r.T * C.LUsolve(r))[0]
