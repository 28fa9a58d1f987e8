"""The two linear pairs of the saddle point: the overlaps theta, m and the norms q1, q2."""

from functools import cache
from types import SimpleNamespace

from sympy import Integer, Matrix, Symbol, solve, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied, Named
from asympkit.spectra import mean
from asympkit.theories.spiked_features import equations as spiked_equations

from ..checks import exact
from .saddle import eqs_of, law

s = spiked_equations.symbols()
K = s.kappa


@cache
def _overlaps():
    """Averages of the linear pair of theta and m, under short names."""
    u, V = spiked_equations.moments(), spiked_equations.pieces().V
    return SimpleNamespace(
        M00=Named("M00", E(u.mu0**2 / (1 + V), K)), M01=Named("M01", E(K * u.mu0 * u.mu1 / (1 + V), K)),
        M11=Named("M11", E(K**2 * u.mu1**2 / (1 + V), K)), b0=Named("b0", E(u.mu0 * u.h / (1 + V), K)),
        b1=Named("b1", E(K * u.mu1 * u.h / (1 + V), K)), gain=s.alpha * s.c * s.V2)


def linear_overlaps(doc):
    """Add the steps on theta and m."""
    o, eqs = _overlaps(), eqs_of(s.theta)
    doc.step("psi is explicit: psi = psihat V1, since H averages to D.",
             exact(eqs_of(s.psi)[s.psi], s.psihat * eqs_of(s.V1)[s.V1], ("close", "expand")))
    doc.step("theta = c V2 thetahat, since F averages to c.",
             exact(eqs[s.theta], s.thetahat * s.c * eqs_of(s.V2)[s.V2], ("close", "expand")))
    doc.step("The block of theta and m is linear: its second equation, split, ...",
             exact(eqs[s.m], o.M00 * s.m + o.M01 * s.theta - o.b0, ("open", "expand", "join")))
    doc.step("... and the conjugate.",
             exact(eqs[s.thetahat], s.alpha * (o.b1 - o.M01 * s.m - o.M11 * s.theta),
                   ("open", "expand", "join")))
    names = {n: Symbol(n) for n in ("M00", "M01", "M11", "b0", "b1", "gain")}
    n = SimpleNamespace(**names)
    found = solve([n.gain * (n.b1 - n.M01 * s.m - n.M11 * s.theta) - s.theta,
                   n.M00 * s.m + n.M01 * s.theta - n.b0], [s.theta, s.m], dict=True)[0]
    filled = {symbol: getattr(o, name) for name, symbol in names.items()}
    theta, m = overlap_solution()
    doc.step("Solved: theta.", exact(found[s.theta].xreplace(filled), theta, "cancel"))
    doc.step("Solved: m.", exact(found[s.m].xreplace(filled), m, "cancel"))
    a1, b1, w1, a2, b2, w2 = [Applied(f, x) for x in symbols("one two", real=True) for f in ("a", "b", "w")]
    one, two = symbols("one two", real=True)
    double = E(E((a1 * b2 - a2 * b1) ** 2 * w1 * w2, two), one) / 2
    doc.step("The denominator is at least 1. For any functions a, b and weight w the determinant of second "
             "moments is half a mean square over two copies (Lagrange's form of Cauchy-Schwarz); here a = "
             "mu0, b = kappa mu1, w = 1/(1 + V).",
             exact(E(a1**2 * w1, one) * E(b1**2 * w1, one) - E(a1 * b1 * w1, one) ** 2, double,
                   ("split", "expand")))


def overlap_solution():
    """theta and m of the linear pair, in the averages of it."""
    o = _overlaps()
    gap = o.M11 - o.M01**2 / o.M00
    theta = o.gain * (o.b1 - o.M01 * o.b0 / o.M00) / (1 + o.gain * gap)
    return theta, (o.b0 - o.M01 * theta) / o.M00


@cache
def _norms():
    """Matrices of the linear pair of q1 and q2 under short names: G, L, start and drive."""
    u, k = spiked_equations.moments(), spiked_equations.pieces()
    rate, squares = s.alpha / s.beta, (u.mu1**2, u.mu2sq)
    G = Matrix(2, 2, lambda i, j: Named(f"G{i + 1}{j + 1}",
                                        rate * E(squares[i] * squares[j] / (1 + k.V) ** 2, K)))
    R0 = Named("R0", k.R.expr.subs({s.q1: 0, s.q2: 0}))
    start = Matrix([Named(f"start{i + 1}", rate * E(squares[i] * R0 / (1 + k.V) ** 2, K)) for i in (0, 1)])
    L = Matrix(2, 2, lambda i, j: Named(f"L{i + 1}{j + 1}", mean(s.D ** (2 - i - j) / k.S**2, law())))
    drive = Matrix([s.psihat**2 * L[i, 0] + s.c * s.thetahat**2 * L[i, 1] for i in (0, 1)]) / s.beta
    return SimpleNamespace(G=G, L=L, start=start, drive=drive)


def norm_solution():
    """q1 and q2 of the linear pair by Cramer's rule."""
    n = _norms()
    (a, b), (c, d) = (Matrix([[1, 0], [0, 1]]) - n.L * n.G).tolist()
    x, y = n.L * n.start + n.drive
    det = a * d - b * c
    return (d * x - b * y) / det, (a * y - c * x) / det


def linear_norms(doc):
    """Add the steps on q1 and q2."""
    p, u, k = law(), spiked_equations.moments(), spiked_equations.pieces()
    eqs = eqs_of(s.q1)
    rate = s.alpha / s.beta
    qs, hats = (s.q1, s.q2), (s.qhat1, s.qhat2)
    n = _norms()
    G, L = n.G, n.L
    for i in (0, 1):
        doc.step(f"The conjugate qhat{i + 1} is affine in q1, q2.",
                 exact(eqs[hats[i]], n.start[i] + (G * Matrix(qs))[i], ("open", "expand", "join")))
    for i in (0, 1):
        doc.step(f"q{i + 1} is affine in the conjugates, with F and H at their means c and D.",
                 exact(eqs[qs[i]], (L * Matrix(hats) + n.drive)[i], ("open", "close", "open", "cancel")))
    solution = Matrix(norm_solution())
    for i in (0, 1):
        image = (L * (n.start + G * solution) + n.drive)[i]
        doc.step("(I - L G) q = L start + drive, solved by Cramer's rule, satisfies both: component "
                 f"{i + 1}.",
                 exact(image, solution[i], "cancel"))
    doc.step("G loses against Vhat: the first row ...",
             exact(rate * E(u.mu1**2 / (1 + k.V), K) - (G * Matrix([s.V1, s.V2]))[0],
                   rate * E(u.mu1**2 / (1 + k.V) ** 2, K), ("open", "expand", "join")))
    doc.step("... and the second; both gaps are positive.",
             exact(rate * E(u.mu2sq / (1 + k.V), K) - (G * Matrix([s.V1, s.V2]))[1],
                   rate * E(u.mu2sq / (1 + k.V) ** 2, K), ("open", "expand", "join")))
    for i, weight in enumerate((s.D, Integer(1))):
        doc.step(f"L Vhat falls short of V by lam times a positive mean (row {i + 1}). So L G V < V at the "
                 "solution: the spectral radius of the non-negative matrix L G is below 1 and det(I - L G) "
                 "> 0."
                 if i else "L Vhat falls short of V by lam times a positive mean (row 1).",
                 exact(mean(weight / k.S, p) - (L * Matrix([s.Vhat1, s.Vhat2]))[i],
                       s.lam * mean(weight / k.S**2, p), ("open", "expand", "join")))
