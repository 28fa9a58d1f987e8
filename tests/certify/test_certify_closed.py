"""Certificates of piecewise linear-quadratic losses, and kernels of pairs."""

from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp
from helpers.tiers import slow_but
from sympy import Function, lambdify

import asympkit as ak
from asympkit.certify import convex
from asympkit.certify.forms import Circle, Disc
from asympkit.certify.graphs import GraphMean, Sizes
from asympkit.numbers.functions.elementary import blur_by_ends
from asympkit.numbers.functions.pair_classes import BivariateNormalCDF
from asympkit.program.passes import prune
from asympkit.program.statements import Sums, select_statements

pytest.importorskip("flint", reason="python-flint is not installed")

AT = {"r": "1.2", "c": "1.1", "gamma": "0.9", "alpha": 2, "lam": "0.1"}
FLOATS = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2, "lam": 0.1}
mp = mpmath.mp.clone()
mp.dps = 50


def pair(h, low, r):
    """The distribution function of two normals at complex arguments, by its derivative in the correlation."""
    def normal(z):
        return mp.erfc(-z / mp.sqrt(2)) / 2

    def density(s):
        return mp.exp(-(h * h - 2 * s * h * low + low * low) / (2 * (1 - s * s))) / (2 * mp.pi * mp.sqrt(1 - s * s))

    return normal(h) * normal(low) + mp.quad(lambda t: r * density(r * t), [0, 1])


def blurred(*arguments):
    """A mean over a window at complex arguments, by its ends."""
    with mp.workdps(120):
        return blur_by_ends((lambda x: mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi),
                             lambda x: mp.erfc(-x / mp.sqrt(2)) / 2), *arguments)


def first_pass(theory):
    """The sums that a solution needs, with what their locals are derivatives of."""
    program, _ = theory.program
    statements = prune(program.statements, {*program.unknowns, *program.observables.values()})
    return next(s for s in select_statements(Sums, statements) if s.origins), program


def values_of(statement, given, side=lambda x: 1 if mp.re(x) > 0 else -1):
    """All locals at a complex point."""
    found = dict(given)
    for symbol, expr in statement.locals:
        if symbol not in found:
            names, plain = sorted(expr.free_symbols, key=str), expr.replace(BivariateNormalCDF, Function("pair"))
            run = lambdify(names, plain, modules=[{"pair": pair, "erfc": mp.erfc, "exp": mp.exp, "sqrt": mp.sqrt,
                                                  "pi": mp.pi, "Abs": abs, "Side": side, "NormalBlur": blurred}, mp])
            found[symbol] = run(*(found[n] for n in names))
    return found


def at_point(number):
    circle = Circle(complex(number), 0.0)
    return Disc(circle, circle, Circle(0j, 0.0))


@pytest.mark.parametrize(("loss", "labels"), slow_but([
    ("hinge", "sign"), ("absolute", "sign"), (ak.Huber(1), "sign"), ("absolute", "regression"),
    (ak.Huber(0.3), "regression")], 3, 4))
@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (0, *range(2, 8)))])
def test_the_graph_bounds_closed_forms_beside_the_real_line(loss, labels, seed):
    """Against the closed forms at complex V, C, W, also where V is small and their terms cancel."""
    statement, _ = first_pass(ak.SpikedFeatures("tanh", "z", loss=loss, labels=labels))
    g = np.random.default_rng(seed)
    small = 10.0 ** -(3 * (seed % 3))
    named = {s.name: s for e in (*(e for _, e in statement.locals), *(e for _, e, _ in statement.sums))
             for s in e.free_symbols}
    numbers = {"mu1_mu1": 0.7 * small, "mu2sq": 0.4 * small, "mu1": (0.7 * small) ** 0.5, "V1": 1.3, "V2": 0.6,
               "q1": 1.1, "q2": 0.8, "psi": 0.5, "m": 1.0, "theta": 0.4, "mu1_z": 0.3 * small**0.5, "mu0": g.normal(),
               "mu0_2": g.normal(), "a": g.normal(), "a_clean": g.normal(), "rho": 0.43, "noise_variance": 0.1,
               "gamma": 0.9, "z": g.normal(), "flip": 0.1}
    # where variances are small, mean features hardly vary
    turns = {k: 0.08 * (small**0.5 if k.startswith("mu0") else 1.0) * g.normal() for k in numbers}
    turned = {k: mp.mpc(v * (1 + 1j * turns[k])) if k.startswith(("mu", "a")) else mp.mpf(v)
              for k, v in numbers.items()}
    found = values_of(statement, {named[k]: v for k, v in turned.items() if k in named})
    inside = {s: at_point(v) for s, v in found.items() if s not in statement.origins}
    sizes = Sizes({s: d.size for s, d in inside.items()},
                  lambda e: convex.complex_function(e)(inside).size if convex.is_elementary(e) else None)
    looked = 0
    origins = convex._joined(statement.origins.items())
    for symbol, origin in origins.items():
        if len(origin.orders) < 2 or origin.orders[0] == origin.orders[-1] and symbol.name == "G_CC":
            exact, bound = abs(complex(found[symbol])), float(np.max(GraphMean(origin).size(inside, sizes)))
            assert exact <= bound
            looked += np.isfinite(bound)
    assert looked >= 3


@pytest.mark.parametrize(("loss", "labels"), slow_but([
    ("hinge", "sign"), ("absolute", "regression"), ("absolute", "sign")], 1))
def test_closed_forms_are_the_same_on_either_side(loss, labels):
    """What lets a ball that does not tell the side of a place take one of them."""
    statement, _ = first_pass(ak.SpikedFeatures("tanh", "z", loss=loss, labels=labels))
    free = {s for e in (*(e for _, e in statement.locals), *(e for _, e, _ in statement.sums)) for s in e.free_symbols}
    free -= {s for s, _ in statement.locals}
    given = {s: mp.mpf(n) / (3 * len(free)) + mp.mpf(1) / 5 for n, s in enumerate(sorted(free, key=str))}
    above, below = (values_of(statement, given, lambda x, side=side: side) for side in (1, -1))
    assert any(e.func.__name__ == "Side" and above[s] != below[s] for s, e in statement.locals)
    for symbol in statement.origins:
        assert abs(above[symbol] - below[symbol]) < mp.mpf(10) ** -40 * (1 + abs(above[symbol]))


def test_a_solution_of_hubers_loss_is_proved():
    theory = ak.SpikedFeatures("tanh", "z", loss=ak.Huber(1))
    proved, plain = theory.certify(digits=8, noise_variance="0.1", **AT), theory.solve(noise_variance=0.1, **FLOATS)
    for name, value in {**plain.order_parameters, **plain.observables}.items():
        assert float(proved[name].rad) < 1e-8 * max(abs(value), 1e-2)
        assert abs(float(proved[name]) - value) < 1e-9 * max(abs(value), 1e-2)
    record = proved.certificate
    assert record.uniqueness == "open"
    assert "have a solution in the box" in record.claim
    assert "that there is no other in the box is not proved" in record.claim
    assert "Brouwer's theorem" in record.roots[0]
    assert "bounded along the graph of the slope of the loss" in record.hypotheses[-1]


@pytest.mark.slow
def test_integrands_beyond_the_nodes_are_below_their_bounds(monkeypatch):
    """On the real line, where the student saturates and closed forms lose all digits of double precision."""
    kept = []
    place = convex.ConvexSums._bound_cells
    monkeypatch.setattr(convex.ConvexSums, "_bound_cells", lambda self: (kept.append(self), place(self)))
    theory = ak.SpikedFeatures("tanh", "z", loss="hinge", labels="sign")
    with pytest.raises(ak.ProofError):          # the sums are all that is looked at
        monkeypatch.setattr(convex.ConvexSums, "sums", lambda self, *_: (_ for _ in ()).throw(ak.ProofError("enough")))
        theory.certify(digits=8, **AT)
    sums = kept[0]
    radius = sums.reach
    bounds = dict(zip(sums.integrands, sums._at_edge(radius)))
    known = {s: mp.mpf(b.mid().str(50, radius=False)) for s, b in {**sums.parameters, **sums.boxes}.items()}
    statement = next(s for s in sums.statements if s.origins)
    r, c = mp.mpf("1.2"), mp.mpf("1.1")
    for kappa in (radius, radius + 1.5, -radius - 4):
        k = mp.mpf(kappa)

        def mean(f, k=k):
            return mp.fsum(f(mp.mpf(j) / 8) * mp.npdf(mp.mpf(j) / 8) for j in range(-170, 171)) / 8

        def student(z, k=k):
            return mp.tanh(r * k + mp.sqrt(c) * z)

        mu0, mu1 = mean(student), mean(lambda z: z * student(z)) / mp.sqrt(c)
        slope = mp.sqrt(c) * mu1
        mu2sq = mean(lambda z, mu0=mu0, slope=slope: (student(z) - mu0 - slope * z) ** 2)
        scale = {s.name: v for s, v in known.items()}
        base = {"mu0": mu0, "mu0_2": mu0, "mu1": mu1, "mu1_2": mu1, "mu2sq": mu2sq, "z": k,
                "a": scale["gamma"] * k / mp.sqrt(scale["noise_variance"] + scale["rho"] ** 2),
                "a_clean": scale["gamma"] * k / scale["rho"]}
        columns = {symbol: lambdify(sorted(e.free_symbols, key=str), e, modules=mp)(
            *(base[s.name] for s in sorted(e.free_symbols, key=str))) for e, symbol in sums.grid.columns.items()
            if all(s.name in base for s in e.free_symbols)}
        found = values_of(statement, {**known, **columns})
        for symbol, integrand, _ in statement.sums:
            if symbol not in sums.slopes:
                names = sorted(integrand.free_symbols, key=str)
                exact = abs(lambdify(names, integrand, modules=mp)(*(found[n] for n in names)))
                size, degree = bounds[integrand]
                assert exact <= size * (abs(kappa) / radius) ** degree * (1 + 1e-9)


def holds(proved, precise):
    """Return whether every ball overlaps a multiprecision number with its rounding."""
    exact = {**precise.order_parameters, **precise.observables}
    return all(proved[name].overlaps(ak.Ball(v, mpmath.mpf(10) ** -18 * abs(v))) for name, v in exact.items())


@pytest.mark.slow
@pytest.mark.parametrize(("student", "loss", "labels", "more"), [
    ("tanh", "hinge", "sign", {}),
    ("tanh", "hinge", "sign", {"flip": "0.1", "noise_variance": "0.2", "gamma": "-0.3", "alpha": "0.7", "beta": "1.5",
                               "lam": "0.02"}),
    ("relu", "hinge", "sign", {}),
    ("erf", "hinge", "sign", {"flip": "0.05"}),
    ("sin", "hinge", "sign", {"r": "0.4", "c": "1.3"}),
    ("tanh", "absolute", "sign", {"gamma": "0.5"}),
    ("gelu", ak.Huber(1), "sign", {"r": "0.4", "c": "1.3"}),
    ("tanh", "square", "sign", {"flip": "0.2"}),
    ("tanh", "absolute", "regression", {"noise_variance": "0.1", "beta": "0.6"}),
    ("relu", ak.Huber(0.5), "regression", {"lam": 1})])
def test_balls_hold_many_digits(student, loss, labels, more):
    theory = ak.SpikedFeatures(student, "z", loss=loss, labels=labels)
    at = {**AT, **more}
    proved = theory.certify(digits=12, **at)
    assert holds(proved, theory.precise(digits=20, **at))
    assert max(float(b.rad) / max(abs(float(b)), 1e-3) for b in proved.order_parameters.values()) < 1e-12


@pytest.mark.slow
def test_a_bias_is_part_of_the_proof():
    theory = ak.SpikedFeatures("erf", "z", loss="hinge", labels="sign", bias=0.3)
    assert holds(theory.certify(digits=10, **AT), theory.precise(digits=20, **AT))


def test_least_values_on_the_real_line():
    """By signs of coefficients of squares: a line in the numerator is made up for, one in the denominator is not."""
    from types import SimpleNamespace

    from sympy import Rational, sqrt, symbols

    from asympkit.balls.backend import arb
    from asympkit.certify.edge import Edge

    x, y, q, p, Q = symbols("x y q p Q", real=True)
    grid = SimpleNamespace(preparation=(), columns={x: x, y**2: y})
    sums = SimpleNamespace(parameters={q: arb(2), p: arb(1)}, boxes={}, grid=grid, graphs={}, inner={}, node=x,
                           locals={Q: q * x**2 + p * y, })
    edge = Edge(sums, {x: 3.0, y: 4.0}, {x: 1, y: 2})
    assert edge.floor(q * x**2 - 2 * x + 5) == pytest.approx(4.5, rel=1e-8)
    assert edge.floor((5 + x**2) / (2 + x**2)) == pytest.approx(1, rel=1e-8)
    assert edge.floor((5 + x**2) / (2 + x + x**2)) == 0
    assert edge.floor(5 - x**2) == 0 and edge.floor(sqrt(9 + x**2)) == pytest.approx(3, rel=1e-8)
    assert edge.size(x**2 / sqrt(Q)) == pytest.approx(3 / 2**0.5, rel=1e-7)         # x**2 <= x sqrt(Q/q)
    assert edge.degree(x**2 / sqrt(Q)) == 1 and edge.degree(x**3 + Rational(1, 2)) == 3
    with pytest.raises(ak.ProofError, match="a quotient by Q has no bound on the real line, where it may vanish"):
        edge.size(1 / Q)


pytest.importorskip("flint", reason="python-flint is not installed")

X, Y, Z = sp.symbols("x y z", real=True)


def dual(f, g, rho):
    f, g = ak.Activation(f), ak.Activation(g)
    return ak.E(f.expr.subs(f.symbol, X) * g.expr.subs(g.symbol, Y), (X, Y), rho=sp.Rational(rho))


@cache
def coefficients(text, terms):
    return ak.Activation(text).hermite_coefficients(terms, digits=16)


def mehler(f, g, rho, terms=34):
    """The kernel from Hermite coefficients; the terms fall like rho**k."""
    c, d = coefficients(f, terms), coefficients(g, terms)
    rho = mpmath.mpf(sp.Rational(rho).p) / sp.Rational(rho).q
    return mpmath.fsum(mpmath.factorial(k) * c[k] * d[k] * rho**k for k in range(terms + 1))


@pytest.mark.parametrize("f, g, rho", slow_but([
    ("tanh", "tanh", "2/5"), ("tanh", "silu", "-3/10"), ("relu", "tanh", "3/10"), ("tanh", "relu", "3/10"),
    ("sign", "tanh", "1/7"), ("softplus", "gelu", "1/5"), ("sin(z)+z**2", "sigmoid", "1/3")], 4))
def test_kernels_hold_the_mehler_series(f, g, rho):
    ball = ak.enclose(dual(f, g, rho), digits=30)
    assert ball.rad < mpmath.mpf(10) ** -30
    with mpmath.workdps(25):
        assert ball.overlaps(ak.Ball(mehler(f, g, rho), mpmath.mpf("1e-13")))


def test_precision_does_not_matter_to_the_claim():
    balls = [ak.enclose(dual("tanh", "sigmoid", "7/10"), digits=d) for d in (8, 20, 60)]
    assert all(a.overlaps(b) for a in balls for b in balls)
    assert balls[-1].rad < mpmath.mpf(10) ** -60


@pytest.mark.parametrize("rho", [sp.Rational(1, 2), sp.sqrt(2) / 2])
def test_a_correlation_near_a_simple_number_is_not_taken_for_it(rho):
    step = sp.Rational(1, 10**17)
    ball, near = (ak.enclose(ak.E(sp.tanh(X) * sp.tanh(Y), (X, Y), rho=r), digits=30) for r in (rho, rho + step))
    slope = ak.enclose(ak.E((1 - sp.tanh(X)**2) * (1 - sp.tanh(Y)**2), (X, Y), rho=rho), digits=15)  # Price's theorem
    with mpmath.workdps(50):
        moved = near.mid - ball.mid
        assert not near.overlaps(ball)
        assert abs(moved * mpmath.mpf(10) ** 17 - slope.mid) < mpmath.mpf(10) ** -11


def test_arguments_sums_and_boxes():
    left = ak.E(sp.tanh(X) * sp.tanh(3 * X - 2 * Y) + X * sp.sin(Y), (X, Y))
    right = ak.E(sp.tanh(X) * ak.E(sp.tanh(3 * X + 2 * Y), Y), X)       # Y and -Y have one law
    a, b = (ak.enclose(e, digits=25) for e in (left, right))
    assert a.overlaps(b)
    assert a.rad < 1e-25
    closed = ak.enclose(ak.E(sp.tanh(X) * sp.tanh(Y + 1), (X, Y)), digits=25)     # factors
    assert closed.overlaps(ak.enclose(ak.E(sp.tanh(X), X) * ak.E(sp.tanh(X + 1), X), digits=25))
    # the mean of cos(xy) is 1/sqrt(2), that of cos(x + y) over y is cos(x)/sqrt(e)
    assert ak.enclose(ak.E(sp.cos(X * Y) / 2 + sp.cos(X * Y) * sp.tanh(X) / 3, (X, Y)), 12).overlaps(
        ak.enclose(1 / sp.sqrt(8)))
    nested = ak.enclose(ak.E(1 / (3 + ak.E(sp.cos(X + Y) + sp.tanh(Y), Y)), X), 12)
    assert nested.overlaps(ak.enclose(ak.E(1 / (3 + sp.cos(X) / sp.sqrt(sp.E)), X), 20))
    pair = ak.enclose(dual("abs(tanh(z))", "abs(tanh(z))", "0"), 12)
    assert pair.overlaps(ak.enclose(ak.E(sp.Abs(sp.tanh(X)), X) ** 2, 12))
    line = ak.enclose(ak.E(sp.Abs(X + Y - 1) * sp.cos(X - Y), (X, Y)), 12)
    assert line.overlaps(ak.enclose(ak.E(sp.Abs(sp.sqrt(2) * X - 1), X) / sp.E, 12))
    x, y = ak.parse("x", names=("x",)), ak.parse("y", names=("y",))
    cases = ak.parse("where(x > 1, exp(-y), 1/(1 + y**2))", names=("x", "y"))
    ball = ak.enclose(ak.E(cases, (x, y)), digits=12)
    above = (1 - mpmath.erf(1 / mpmath.sqrt(2))) / 2
    cauchy = mpmath.sqrt(mpmath.pi / 2) * mpmath.exp(0.5) * mpmath.erfc(1 / mpmath.sqrt(2))     # E 1/(1 + y**2)
    assert ball.overlaps(ak.Ball(above * mpmath.exp(0.5) + (1 - above) * cauchy, mpmath.mpf("1e-14")))


def test_what_is_refused():
    across = ak.E(sp.Max(X**2 - Y, 0) * sp.tanh(X * Y), (X, Y))
    with pytest.raises(ak.NotAvailableError, match="lies across several normals .* turn the normals so that"):
        ak.enclose(across)
    deep = ak.E(sp.tanh(X + ak.E(sp.tanh(Y + ak.E(sp.tanh(Z * Y + X), Z) ** 2), Y) ** 2), X)
    with pytest.raises(ak.NotAvailableError, match="two levels deep: close one"):
        ak.enclose(deep)
    with pytest.raises(ak.DomainError, match="the mean over 2 normals may be infinite"):
        ak.enclose(ak.E(sp.exp(sp.Rational(3, 2) * X * Y) * sp.cosh(sp.sin(X)), (X, Y)))
