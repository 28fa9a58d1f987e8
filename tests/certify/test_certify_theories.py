"""Certificates of user-defined theories: direct averages, given arrays, closed spectral means, and refusals."""

from fractions import Fraction
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from helpers.routes import exactly
from helpers.tiers import slow_but
from sympy import Abs, Max, Piecewise, Rational, Symbol, cos, exp, lambdify, log, sign, sin, sqrt, symbols, tanh

import asympkit as ak
from asympkit.nodes import Applied

pytest.importorskip("flint", reason="python-flint is not installed")

from asympkit.balls import integral as parametric  # noqa: E402
from asympkit.balls.backend import arb, workprec  # noqa: E402
from asympkit.balls.integral import ParametricMean  # noqa: E402
from asympkit.certify import solutions  # noqa: E402
from asympkit.certify.run import krawczyk  # noqa: E402

m, h, x, z = symbols("m h x z", real=True)
p, s, beta, V = symbols("p s beta V", positive=True)


def magnet():
    return ak.Theory(name="magnet", unknowns=[m], start={m: 1.0},
                     parameters={beta: ("", "positive"), s: ("", "positive"), h: ("", "real")},
                     equations=[m - ak.E(tanh(beta * (m + h + s * z)), z)])


def spectral(law):
    D, T = symbols("D T", real=True)
    alpha, lam, gamma, Vhat = symbols("alpha lam gamma Vhat", positive=True)
    mean = (ak.mean(D / (lam + Vhat * D), ak.MarchenkoPastur(D, ratio=gamma, scale=1)) if law == "closed"
            else ak.mean(D / (lam + Vhat * D), ak.Eigenvalues(D, T)))
    names = (alpha, lam, gamma) if law == "closed" else (alpha, lam)
    return ak.Theory(name="ridge", parameters=dict.fromkeys(names, ("", "positive")), unknowns=[V, Vhat],
                     equations=[V - mean, Vhat - alpha / (1 + V)], observables={"ratio": V / Vhat})


def worst_quantity(solution, precise, digits):
    """The first quantity whose ball is too wide or misses the high-precision value; None if there is none."""
    for name, ball in {**solution.order_parameters, **solution.observables}.items():
        value = precise[name]
        near = ak.Ball(value, abs(value) * mpmath.mpf(10) ** -(digits + 8) + mpmath.mpf(10) ** -60)
        if not (ball.rad <= mpmath.mpf(10) ** -digits * max(1, abs(value)) and ball.overlaps(near)):
            return name
    return None


# -- theories with averages over one normal ---------------------------------------------------------------


def test_more_digits_are_inside_fewer():
    theory = magnet()
    coarse, fine = (theory.certify(digits=d, beta="3/2", s="0.3", h="0.1")["m"] for d in (12, 60))
    assert fine.rad < mpmath.mpf(10) ** -60
    assert abs(exactly(coarse.mid) - exactly(fine.mid)) < Fraction(1, 10**12)
    assert coarse.overlaps(fine)


def test_kinks():
    theory = ak.Theory(name="kink", parameters={p: ("", "positive")}, unknowns=[V],
                       equations=[V - 1 - ak.E(Abs(z) * tanh(V * z) * z / (1 + p * z**2), z)])
    ball = theory.certify(digits=25, p="1/2")["V"]
    with mpmath.workdps(40):
        def residual(t):
            return t - 1 - 2 * mpmath.quad(lambda u: u**2 * mpmath.tanh(t * u) / (1 + u**2 / 2) * mpmath.npdf(u),
                                           [0, 1, 3, 6, 10, 20])

        step = mpmath.mpf(10) ** -24
        assert residual(ball.mid - step) < 0 < residual(ball.mid + step)
    inner = ak.Named("g", ak.E(Applied("student", x + p * z), z))
    theory = ak.Theory(name="unit", parameters={p: ("", "positive")}, unknowns=[V],
                       equations=[V - 1 - ak.E(inner**2 / (1 + V), x)], activations={"student": "relu"})
    ball = theory.certify(digits=20, p="0.7")["V"]
    with mpmath.workdps(35):
        c = mpmath.mpf("0.7")

        def mean(t):
            return t * mpmath.ncdf(t / c) + c * mpmath.npdf(t / c)

        square = mpmath.quad(lambda t: mean(t) ** 2 * mpmath.npdf(t), [-18, -6, -2, 0, 2, 6, 18])
        root = mpmath.sqrt(1 + square)            # (V - 1)(V + 1) = E g**2
    assert ball.overlaps(ak.Ball(root, mpmath.mpf(10) ** -28))


def test_plain_and_nested_averages_side_by_side():
    inner = ak.Named("g", ak.E(Applied("student", x + p * z), z))
    theory = ak.Theory(name="both", parameters={p: ("", "positive")}, unknowns=[V],
                       equations=[V - 1 - ak.E(inner**2, x) / (1 + V) - ak.E(tanh(V * x) ** 2, x) / 5],
                       activations={"student": "erf"}, observables={"flat": ak.E(sqrt(1 + x**2), x)})
    solution = theory.certify(digits=20, p="0.7")
    assert worst_quantity(solution, theory.precise(digits=35, p="0.7"), 20) is None
    text = str(solution.certificate)
    assert "direct averages over" in text and "outer rule: step" in text


# -- spectral means ------------------------------------------------------------------------------------------


def test_given_eigenvalues():
    theory = spectral("given")
    D = [Fraction(k, 7) for k in range(1, 30)]
    solution = theory.certify(digits=30, alpha="1.5", lam="0.01", D=D, T=[1] * 29)
    v, hat = (exactly(solution[n].mid) for n in ("V", "Vhat"))
    assert abs(v - sum(d / (Fraction(1, 100) + hat * d) for d in D) / 29) < Fraction(1, 10**30)
    text = str(solution.certificate)
    assert "D = 29 numbers from 0.142857 to 4.14286, sha256 of the fractions, one a line, " in text
    assert "means over D, T: sums of 29 exact numbers, nothing left out" in text


def test_arrays_of_floats_are_data_only_when_asked():
    theory = spectral("given")
    D, ones = np.array([0.1, 0.2, 0.7]), np.ones(3, dtype=int)
    with pytest.raises(ak.DomainError, match="D: got an array of floats, which may differ from their decimal "
                                             "texts; choose floats='exact'"):
        theory.certify(alpha=1, lam=1, D=D, T=ones)
    binary = theory.certify(alpha=1, lam=1, D=D, T=ones, floats="exact")
    text = theory.certify(alpha=1, lam=1, D=D, T=ones, floats="decimal")
    assert not binary["V"].overlaps(text["V"])
    assert text["V"].overlaps(theory.certify(alpha=1, lam=1, D=["0.1", "1/5", "0.7"], T=ones)["V"])
    assert binary["V"].overlaps(theory.certify(alpha=1, lam=1, D=[Fraction(float(d)) for d in D], T=ones)["V"])
    assert binary.certificate.parameters["D"].endswith(", binary values of floats")
    assert text.certificate.parameters["D"] == "1/10, 1/5, 7/10, shortest texts of floats"


# -- what cannot be proved -----------------------------------------------------------------------------------


def test_floats_and_starts_that_are_refused():
    with pytest.raises(ak.DomainError, match="h: got the float 0.1, which differs from its decimal text"):
        magnet().certify(beta=1, s="0.3", h=0.1)
    theory = ak.Theory(name="rootless", parameters={p: ("", "positive")}, unknowns=[m],
                       equations=[m**2 - m + ak.E(tanh(z) ** 2, z) + p])
    point, false = theory.point({"p": 1}), SimpleNamespace(order_parameters={"m": 0.7}, condition={}, scale={})
    with pytest.raises(ak.ProofError, match="Krawczyk's test fails around the solution found"):
        solutions._attempt(theory, {"p": Fraction(1)}, point, false, 20)
    theory = ak.Theory(name="oscillating", parameters={p: ("", "positive")}, unknowns=[m], start={m: 0.5},
                       equations=[m - p * ak.E(1 / (2 + sin(m * z) - cos(m * z)), z)])
    with pytest.raises(ak.ProofError, match=r"the average E_z.* is not enclosed: no growth bound is proved for .*: the "
                                            "denominator .* is not proved to stay away from zero"):
        theory.certify(digits=10, p="1/5")


def test_a_multiple_root_is_refused():
    critical = ak.Theory(name="critical", parameters={h: ("", "real")}, unknowns=[m],
                         equations=[m**2 - 2 * m * h + h**2], start={m: 0.9})
    with pytest.raises(ak.ProofError, match="Krawczyk's test fails .* or is double"):
        critical.certify(digits=15, h=1)
    singular = ak.Theory(name="singular", parameters={h: ("", "real")}, unknowns=[m], equations=[(m - h) ** 2])
    with pytest.raises(ak.ProofError, match="the Jacobian is singular at the solution found|Krawczyk's test fails"):
        singular.certify(digits=15, h=1)


def test_a_box_moved_is_refused():
    mean, slope = (ParametricMean(e, z, 30) for e in (tanh(m + z / 2), 1 - tanh(m + z / 2) ** 2))

    def test(point, digits=25):
        return krawczyk(lambda u: [2 * u[0] - mean.mean({m: u[0]}) - 1], lambda u: [[2 - slope.mean({m: u[0]})]], point,
                        digits, [[float((2 - slope.mean({m: point[0]})).mid())]])

    with workprec(150):
        root = arb("0.8")
        for _ in range(100):
            root = ((1 + mean.mean({m: root})) / 2).mid()
        (box,), width = test([root])
        assert box.contains(root) and width < 1e-20
        (near,), wide = test([root + arb("1e-12")])        # moved by less than the widest box: the root is found again
        assert near.overlaps(box) and wide > 1e-13
        with pytest.raises(ak.ProofError, match="Krawczyk's test fails"):
            test([root + arb("0.2")], 12)


# -- the enclosures themselves -------------------------------------------------------------------------------


def quadrature(expr, values):
    corner = -m if not expr.has(s) else m / (1 - s) if expr.has(Max(m + s * z, z)) else -m / s
    with mpmath.workdps(30):
        numbers = {k: Rational(v.numerator, v.denominator) for k, v in values.items()}
        cuts = [mpmath.mpf(t) / 2 for t in range(-30, 31)]
        if m in values:
            at = corner.xreplace(numbers)
            cuts = sorted([*cuts, mpmath.mpf(int(at.p)) / int(at.q)])
        g = lambdify(z, expr.xreplace(numbers), "mpmath")
        return mpmath.quad(lambda t: g(t) * mpmath.npdf(t), cuts, maxdegree=5)


SMOOTH = [tanh(m + s * z) ** 2, z * exp(m * z / 3) / (1 + s * z**2), log(2 + s * z**2 + tanh(m * z)),
          sqrt(1 + (m + s * z) ** 2), exp(s * z**2 / 20) * tanh(z + m)]
MOVING = [Max(m + s * z, 0) ** 2, z * sign(m + s * z), Abs(m + s * z) * tanh(z), Max(m + s * z, z)]


@pytest.mark.parametrize("expr", slow_but([*SMOOTH, *MOVING], 0), ids=str)
def test_means_over_boxes_hold_the_means_at_their_points(expr):
    mean = ParametricMean(expr, z, 20)
    rng = np.random.default_rng(5)
    with workprec(110):
        for width in (0.0, 1e-12, 1e-2):
            centre = {m: Fraction(int(rng.integers(-800, 800)), 1000), s: Fraction(int(rng.integers(300, 900)), 1000)}
            ball = {k: arb(v.numerator) / v.denominator * (1 + arb(0, width)) for k, v in centre.items()}
            enclosure = ak.Ball.from_arb(mean.mean(ball))
            at = {k: v * (1 + Fraction(width) * Fraction(int(rng.integers(-9, 10)), 10)) for k, v in centre.items()}
            assert enclosure.overlaps(ak.Ball(quadrature(expr, at), mpmath.mpf(10) ** -12))
            assert enclosure.rad < 1e-19 + 50 * width


def test_moving_corners_and_pieces():
    with workprec(150):
        ball = ParametricMean(Max(m + s * z, 0), z, 30).mean({m: arb("0.3"), s: arb("0.8")})
        q = arb("0.3") / arb("0.8")
        exact = (arb("0.3") * (1 + (q / arb(2).sqrt()).erf()) / 2
                 + arb("0.8") * (-(q**2) / 2).exp() / (2 * arb.pi()).sqrt())
        assert ball.overlaps(exact) and ball.rad() < 1e-30
    elu = Piecewise((m + z, m + z > 0), (exp(m + z) - 1, True))
    with workprec(100):
        ball = ParametricMean(elu, z, 15).mean({m: arb("0.25")})
    assert ak.Ball.from_arb(ball).overlaps(ak.Ball(quadrature(elu, {m: Fraction(1, 4)}), mpmath.mpf(10) ** -14))
    assert ball.rad() < 1e-15


def test_the_proof_is_used_again_only_inside_its_cover(monkeypatch):
    mean = ParametricMean(Abs(m) * z**2 + tanh(m * z) * 0 + z, z, 15)
    with workprec(100):
        for k in range(5):
            assert mean.mean({m: 1 + arb(k) / 10**6}).contains(1 + arb(k) / 10**6)
        assert len(mean.plans) == 1
        assert mean.mean({m: arb(-1)}).contains(1)
        assert len(mean.plans) == 2
        monkeypatch.setattr(parametric.Plan, "holds", lambda self, values: True)     # tampered: |m| = -m everywhere
        assert not mean.mean({m: arb(1)}).contains(1)


def test_a_short_reach_widens_and_dropped_tails_exclude(monkeypatch):
    with workprec(100):
        monkeypatch.setattr(parametric, "reach_of", lambda *a: 4)
        ball = ParametricMean(m * z**2, z, 15).mean({m: arb(1)})
        assert ball.contains(1) and ball.rad() > 1e-4
        monkeypatch.setattr(parametric, "tail", lambda *a: arb(0))
        assert not ParametricMean(m * z**2, z, 15).mean({m: arb(1)}).contains(1)


@pytest.mark.parametrize(("expr", "values", "text"), [
    (Piecewise((1, z + m > 0), (0, True)), {m: 1}, "which moves, and is not proved to be continuous there"),
    (Max(m * z + 1, 0), {m: "0 +/- 0.1"}, "is not proved to be other than zero"),
    (tanh(V * z), {V: -1}, "V is declared positive, which its enclosure"),
    (tanh(m * z), {m: "nan"}, "m is not enclosed by a finite ball"),
    (sqrt(m) * z**2, {m: "0 +/- 0.1"}, "not proved to be real"),
    (exp(m * z**2), {m: "0.5 +/- 0.01"}, "mean over a normal may be infinite"),
    (sign(m) * z**2, {m: "0 +/- 0.1"}, "cannot prove the sign"),
])
def test_refusals(expr, values, text):
    with workprec(100), pytest.raises(ValueError, match=text):
        ParametricMean(expr, z, 15).mean({k: arb(v) for k, v in values.items()})


# -- what is claimed of uniqueness ---------------------------------------------------------------------------------


def hysteresis(base):
    V, W, a = symbols("V W a", positive=True)
    return base(name="three roots", parameters={a: ("offset", "positive")}, unknowns=[V, W],
                equations=[V - a - 3 * W**2 / (1 + W**2), W - V], start={V: 0.01, W: 0.01})


class Overconfident(ak.Theory):
    """A user's class that makes a false claim."""

    monotone = True
    UNIQUE = True


@pytest.mark.parametrize("base", [ak.Theory, Overconfident])
def test_three_roots_are_not_called_one(base):
    theory = hysteresis(base)
    found = set()
    for start in (0.011, 0.4, 2.5):
        theory.start = dict.fromkeys(theory.start, start)
        theory.__dict__.pop("kernel", None)
        record = theory.certify(digits=15, a="1/100").certificate
        assert record.uniqueness == "local"
        assert "exactly one solution in the box of the roots below" in record.claim
        found.add(record.enclosures["V"][:6])
    assert len(found) > 1


def test_a_map_of_ones_own_that_is_scalable_has_one_root():
    V, lam, load = symbols("V lam load", positive=True)
    z = Symbol("z", real=True)
    theory = ak.Theory(name="ridge", parameters={lam: ("penalty", "positive"), load: ("load", "positive")},
                       unknowns=[V], equations=[V - 1 / (lam + load * ak.E(z**2 / (1 + z**2 * V), z))])
    record = theory.certify(digits=15, lam="1/10", load=2).certificate
    assert record.uniqueness == "global"
    assert record.claim.startswith("The equations have exactly one solution with V > 0,")
    assert theory.kernel.module.UNIQUE


def test_a_sign_that_the_parameters_do_not_have_proves_nothing():
    V, a = Symbol("V", positive=True), Symbol("a", real=True)
    theory = ak.Theory(name="shifted", parameters={a: ("offset", "real")}, unknowns=[V],
                       equations=[V - a - 2 * (V + 1) ** Rational(1, 2)])
    assert theory.certify(digits=15, a=1).certificate.uniqueness == "global"
    record = theory.certify(digits=15, a=-1).certificate
    assert record.uniqueness == "local"
    assert any("is not proved to be >= 0" in text for text in record.roots)


def test_a_default_is_the_number_of_its_text():
    """0.3 left to its default is three tenths, as for precise(), and not the nearest float."""
    theory = ak.Theory(name="mean", unknowns=[m], parameters=[ak.Parameter(h, "field", "real", 0.3)], equations=[m - h],
                       observables={"square": m**2})
    for certified in (theory.certify(digits=20), theory.certify(digits=20, h="0.3")):
        assert certified.square.contains("0.09")
        assert certified.certificate.parameters == {"h": "3/10"}
