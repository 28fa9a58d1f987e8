"""Certified averages in one variable and in several, and of the growth that a user states."""

from fractions import Fraction
from math import inf

import mpmath
import pytest
import sympy as sp
from flint import arb
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.balls import coefficients as given
from asympkit.balls import integral, several
from asympkit.balls.backend import workprec
from asympkit.balls.coefficients import read_growth
from asympkit.balls.growth import growth_bound
from asympkit.balls.pieces import pieces
from asympkit.balls.several import SeveralMean, several_ball
from asympkit.parsing.grammar import CATALOGUE

pytest.importorskip("flint", reason="python-flint is not installed")

Z = sp.Symbol("z", real=True)
MORE = ["z*exp(-z**2/2)", "max(z,0)-0.3*min(z,0)**2", "abs(tanh(z))", "log(1+z**2)", "sqrt(1+z**2)",
        "abs(z**3-2*z-1)", "exp(z**2/5)"]


def reference(value, scale=1):
    """A 60-digit number with its rounding, as a ball."""
    return ak.Ball(value, mpmath.mpf(10) ** -57 * (scale + abs(value)))


@pytest.mark.parametrize("name", slow_but([*CATALOGUE, *MORE], 0, 2, 5, 8, 14, 16, 19, 22))
def test_balls_hold_the_values(name):
    activation = ak.Activation(name)
    balls = activation.hermite_coefficients(8, digits=30, certified=True)
    values = activation.hermite_coefficients(8, digits=60)
    assert len(balls) == 9
    for ball, value in zip(balls, values):
        assert ball.rad < 1e-28
        assert ball.overlaps(reference(value))
    square = activation.second_moment(digits=30, certified=True)
    assert square.rad < 1e-28
    assert square.overlaps(reference(activation.second_moment(digits=60)))


@pytest.mark.parametrize("text", [*CATALOGUE.values(), *MORE, "2**z", "sinh(z)*atan(z)", "1/(2+sin(z))",
                                  "exp(-1/(1+z**2))", "asin(tanh(z))*erfc(z)", "log(1/3+z**2)"])
def test_growth_bounds_hold(text):
    parts = pieces(ak.Activation(text).expr, Z)
    sides = ((parts[0].formula, (-inf, Fraction(-2)), -1), (parts[-1].formula, (Fraction(2), inf), 1))
    for formula, domain, side in sides:
        bound = growth_bound(formula, Z, domain)
        assert min(bound.coefficients) >= 0
        for x in (2, 3, 7, 15, 40):
            size = abs(sp.N(formula.subs(Z, side * x), 40))
            limit = sum(c * x**n for n, c in enumerate(bound.coefficients))
            exponent = bound.rate * x + bound.curvature * x**2
            limit = sp.Rational(limit.numerator, limit.denominator) * sp.exp(
                sp.Rational(exponent.numerator, exponent.denominator))
            assert size <= sp.N(limit, 40) * (1 + sp.Float("1e-35"))


@pytest.mark.parametrize("expr, reason", [
    (sp.exp(Z**3), "degree at most two"), (sp.exp(sp.exp(Z)), "degree at most two"),
    (1 / (1 + sp.sin(Z)), "away from zero"), (sp.tan(Z), "tan has no rule"),
    (sp.log(2 + sp.sin(Z) - sp.cos(Z)), "above a positive number"),
    (sp.sqrt(1 + sp.sin(Z) * 2), "not proved non-negative"), (sp.tanh(sp.log(sp.sin(Z))), "not proved non-negative"),
])
def test_growth_refuses(expr, reason):
    with pytest.raises(ak.DomainError, match=reason):
        growth_bound(expr, Z, (Fraction(2), inf))


def test_points_and_roots_at_the_edge():
    ball = ak.enclose(ak.E(sp.exp(Z**2 * sp.Rational(2, 5)), Z), 20)
    assert ak.enclose(sp.sqrt(5) - ak.E(sp.exp(Z**2 * sp.Rational(2, 5)), Z), 20).contains(0)
    assert ball.rad < 1e-19
    with pytest.raises(ak.DomainError, match="may be infinite"):
        ak.enclose(ak.E(sp.exp(Z**2 / 2), Z))
    near = sp.Rational(1, 3) + sp.sqrt(2) / 10**40
    with pytest.raises(ak.DomainError, match="cannot prove whether"):
        ak.enclose(ak.E(sp.Abs(Z - near) + sp.sign(Z - sp.Rational(1, 3)), Z))
    ball = ak.Activation("where(z > 0, sqrt(z), 0)").hermite_coefficients(0, certified=True)[0]
    with mpmath.workdps(60):
        value = mpmath.mpf(2) ** mpmath.mpf("-0.75") * mpmath.gamma(mpmath.mpf("0.75")) / mpmath.sqrt(mpmath.pi)
    assert ball.overlaps(reference(value))


@pytest.mark.parametrize("expr", [sp.Abs(sp.exp(Z) - 3 * Z), sp.Max(sp.erf(Z), sp.Rational(1, 3)),
                                  sp.sign(sp.sin(Z) - Z / 2)])
def test_unproved_switching_points_are_refused(expr):
    with pytest.raises(ak.DomainError, match="not proved"):
        ak.enclose(ak.E(expr, Z))


@pytest.mark.parametrize("expr, points", [
    (sp.Abs(Z**3 - 2 * Z - 1), 3), (sp.Abs(sp.exp(Z) - 2), 1), (sp.Max(sp.tanh(Z), sp.Rational(1, 2)), 1),
    (sp.Abs(Z**5 - Z - 1), 1), (sp.Max(0, sp.Min(sp.sqrt(2), Z)), 2), (sp.sign(sp.sinh(Z - 1)), 1),
    (sp.Abs(sp.Abs(Z) - 1), 3), (sp.sign(2 + sp.sin(Z)), 0), (sp.sign(Z * sp.exp(-100 * Z**2)), 1),
])
def test_exact_switching_points(expr, points):
    assert len(pieces(expr, Z)) == points + 1
    ball = ak.enclose(ak.E(expr, Z))
    with mpmath.workdps(40):
        f = sp.lambdify(Z, expr, "mpmath")
        edges = sorted({mpmath.mpf(-16), mpmath.mpf(16), mpmath.mpf(0), mpmath.mpf(4), mpmath.mpf(-4),
                        *(mpmath.mpf(sp.N(p.high, 45)._to_mpmath(150)) for p in pieces(expr, Z)[:-1])})
        value = mpmath.quad(lambda x: f(x) * mpmath.npdf(x), edges)
    assert ball.overlaps(ak.Ball(value, mpmath.mpf(10) ** -22))


@pytest.mark.parametrize("p", [sp.Rational(7, 3), sp.Rational(1, 3), sp.Rational(3, 2)])
def test_powers_at_their_branch_point(p):
    exact = 2 ** (p / 2) * sp.gamma((p + 1) / 2) / sp.sqrt(sp.pi) / 2
    ball = ak.enclose(ak.E(sp.Max(Z, 0) ** p, Z), 15)
    with mpmath.workdps(30):
        assert ball.overlaps(reference(mpmath.mpf(sp.N(exact, 25)._to_mpmath(80)), 10**35))
    assert ball.rad < 1e-15


@pytest.mark.slow
def test_not_real_and_not_smooth():
    with pytest.raises(ak.DomainError, match="not real"):
        ak.enclose(ak.E(sp.sqrt(Z**2 - 1), Z))
    with pytest.raises(ak.ConvergenceError, match="no enclosure"):
        ak.enclose(ak.E(1 / Z**2, Z), 10)


pytest.importorskip("flint", reason="python-flint is not installed")

X, Y, M = sp.symbols("x y m", real=True)
S = sp.Symbol("s", positive=True)


def ball(expr, variables, digits, inner=None):
    with workprec(53):
        return several_ball(expr, variables, digits, inner)


def holds(found, value, digits):
    with workprec(400), mpmath.workdps(100):
        known = value if isinstance(value, mpmath.mpf) else sp.N(value, 50)._to_mpmath(170)
        exact = arb(mpmath.nstr(known, 45)) + arb(0, arb(10) ** -38)
        return found.contains(exact) and found.rad() <= arb(10) ** -digits


CASES = {
    "entire": (sp.cos(X * Y), 1 / sp.sqrt(2)), "a quadratic form": (sp.exp(X * Y / 2), 2 / sp.sqrt(3)),
    "falling": (sp.exp(-(X**2) - Y**2 - X * Y), 1 / sp.sqrt(8)), "odd": (sp.tanh(X * Y) * (1 + Y**2) ** -1, sp.S.Zero),
    "a kink on an axis": (sp.Abs(X) * sp.cos(Y), sp.sqrt(2 / sp.pi) * sp.exp(-sp.S.Half)),
    "a jump beside it": (sp.Heaviside(X - 1, sp.S.Half) * sp.exp(Y), sp.erfc(1 / sp.sqrt(2)) / 2 * sp.exp(sp.S.Half)),
}


@pytest.mark.parametrize("name", CASES)
def test_known_means(name):
    expr, value = CASES[name]
    assert holds(ball(expr, (X, Y), 12), value, 12)


def lattice(f, step, digits):
    """Mean over two normals by a fine lattice in mpmath, which has all digits for entire functions."""
    with mpmath.workdps(digits + 10):
        line = [mpmath.mpf(step) * k for k in range(-int(13 / step), int(13 / step) + 1)]
        weights = [step * mpmath.npdf(x) for x in line]
        return mpmath.fsum(w * v * f(x, y) for x, w in zip(line, weights) for y, v in zip(line, weights))


def test_thirty_digits_of_mpmath():
    value = lattice(lambda x, y: mpmath.exp(mpmath.sin(x + y / 2)) * mpmath.cos(y), 0.21875, 30)
    assert holds(ball(sp.exp(sp.sin(X + Y / 2)) * sp.cos(Y), (X, Y), 30), value, 30)


@pytest.mark.slow
def test_phase_retrieval_with_thirty_digits():
    """Singularities of the tanh of a product come nearer the larger the other variable is."""
    field, label = X / sp.sqrt(2), (X + Y) / sp.sqrt(2)
    found = ball((2 * (label * sp.tanh(2 * field * label) - field)) ** 2, (X, Y), 30)

    fp, panels = mpmath.fp, [-9, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 9]

    def f(x, y):
        return 2 * ((x + y) * fp.tanh(x * (x + y)) - x) ** 2

    value = fp.quad(lambda x: fp.npdf(x) * fp.quad(lambda y: f(x, y) * fp.npdf(y), panels), panels)
    assert found.rad() <= arb(10) ** -30 and found.overlaps(arb(value, 1e-12))


@pytest.mark.parametrize("reach", [1, 3, 5])
def test_what_is_left_out_is_in_the_radius(reach, monkeypatch):
    """However small the boxes: the bound beyond them makes up for what they miss."""
    def near(bound, dimension, digits):
        from asympkit.balls.several import bound_tail

        return reach, bound_tail(bound, dimension, reach)

    monkeypatch.setattr(several, "reach_and_tail", near)
    for expr, value in ((1 + X**2 * Y**2, 2), (sp.exp(X * Y / 2), 2 / sp.sqrt(3))):
        found = SeveralMean(expr, (X, Y), 8).mean({})
        assert found.contains(_near(value)) and (float(found.rad()) > 1e-6 or reach == 5)


def _near(value, error=1e-25):
    return arb(str(sp.N(value, 40))) + arb(0, error)


def test_functions_of_means():
    """The mean of cos(x + y) over y is cos(x)/sqrt(e)."""
    found = ball(M**2 + X**2, (X,), 12, {M: (sp.cos(X + Y), (Y,))})
    assert holds(found, 1 + (1 + sp.exp(-2)) / (2 * sp.E), 12)


def test_inner_tails_are_in_the_radius(monkeypatch):
    from asympkit.balls import several as inner_means
    from asympkit.balls.several import bound_tail

    monkeypatch.setattr(inner_means, "reach_and_tail", lambda bound, d, digits: (4, bound_tail(bound, d, 4)))
    found = SeveralMean(M**2, (X,), 8, {M: (sp.cos(X + Y), (Y,))}).mean({})
    assert found.contains(_near((1 + sp.exp(-2)) / (2 * sp.E))) and float(found.rad()) > 1e-6


def test_symbols_are_balls():
    mean = SeveralMean(sp.cos(S * X * Y), (X, Y), 10)
    found = mean.mean({S: arb(1, 1e-3)})
    for s in (0.999, 1.0, 1.001):
        assert found.contains(1 / (1 + arb(s) ** 2).sqrt() + arb(0, 1e-15))
    with pytest.raises(ak.ProofError, match="s is declared positive, which its enclosure"):
        mean.mean({S: arb(0, 1)})


@pytest.mark.slow
def test_three_normals():
    assert holds(ball(X**2 * Y**2 * Z**2 + X * Y * sp.exp(Z), (X, Y, Z), 5), 1, 5)


def test_refusals(monkeypatch):
    with pytest.raises(ak.DomainError, match="the mean over 2 normals may be infinite"):
        ball(sp.exp(X * Y), (X, Y), 8)
    with pytest.raises(ak.NotAvailableError, match=r"has a kink or a jump at x - y\*\*2 = 0, which lies across"):
        ball(sp.Abs(X - Y**2), (X, Y), 8)
    monkeypatch.setattr(several, "_EVALUATIONS", (0, 20_000, 0))
    with pytest.raises(ak.ConvergenceError, match="with 20000 evaluations: its variables are too many"):
        ball(sp.cos(40 * X * Y), (X, Y), 8)
    with pytest.raises(ak.ProofError, match="with up to 250 digits; got 300"):
        SeveralMean(sp.cos(X * Y), (X, Y), 300)


flint = pytest.importorskip("flint", reason="python-flint is not installed")
WAVE = sp.log(2 + sp.sin(Z) - sp.cos(Z))         # between log(2 - sqrt(2)) and log(2 + sqrt(2)) = 1.22794...


def trapezoid(f):
    """The mean over a normal of a function that is analytic in a strip, to 25 digits."""
    with mpmath.workdps(40):
        step = mpmath.mpf(1) / 64
        return step * mpmath.fsum(f(step * i) * mpmath.npdf(step * i) for i in range(-960, 961))


def wave(t):
    return mpmath.log(2 + mpmath.sin(t) - mpmath.cos(t))


def test_a_mean_that_no_rule_proves():
    with pytest.raises(ak.DomainError, match="no growth bound is proved for log"):
        ak.enclose(ak.E(WAVE, Z))
    ball = ak.enclose(ak.E(WAVE, Z), growth="5/4")
    assert ball.rad < 1e-30
    assert ball.overlaps(ak.Ball(trapezoid(wave), mpmath.mpf(10) ** -20))
    sentence = "|log(sin(z) - cos(z) + 2)| <= 5/4 for all real z (given, not proved; sampled up to |z| = 60)"
    assert ball.hypotheses == (sentence,)
    assert str(ball).endswith(f", if {sentence}")
    mid, rad = str(ball).split(", if ")[0].split(" +/- ")
    assert ball.contains(mid) and float(rad) < 1e-30


def test_activations():
    f = ak.Activation("1/(1+exp(z)-z)")
    with pytest.raises(ak.DomainError, match="not proved to stay away from zero"):
        f.second_moment(certified=True)
    square = f.second_moment(certified=True, growth="1/2")
    assert square.overlaps(ak.Ball(f.second_moment(digits=40), mpmath.mpf(10) ** -36))
    assert square.hypotheses[0].startswith("|1/(-z + exp(z) + 1)| <= 1/2 for all real z")
    balls = f.hermite_coefficients(4, certified=True, growth="1/2")
    for ball, value in zip(balls, f.hermite_coefficients(4, digits=40)):
        assert ball.hypotheses == square.hypotheses
        assert ball.rad < 1e-29
        assert ball.overlaps(ak.Ball(value, mpmath.mpf(10) ** -36))
    f = ak.Activation("exp(z**3-z**4)")
    value = trapezoid(lambda t: mpmath.exp(2 * t**3 - 2 * t**4))
    assert f.second_moment(certified=True, growth=sp.Rational(9, 8)).overlaps(ak.Ball(value, mpmath.mpf(10) ** -20))


def test_what_is_assumed():
    ball = ak.enclose(ak.E(sp.tanh(Z) ** 2, Z), growth="1")
    assert ball.hypotheses == ()
    assert ball == ak.enclose(ak.E(sp.tanh(Z) ** 2, Z))
    assert ak.Activation("tanh").second_moment(certified=True, growth="1+abs(z)").hypotheses == ()
    ball = ak.enclose(ak.E(WAVE, Z) * ak.E(sp.Max(Z, 0) * WAVE, Z) + ak.E(sp.tanh(Z) ** 2, Z), 20,
                      growth="3/2*(1+abs(z))")
    assert len(ball.hypotheses) == 2
    assert " and |" in str(ball)


@pytest.mark.parametrize(("f", "growth", "text"), [
    (WAVE, "6/5", r"growth: at z = 2 the function log\(sin\(z\) - cos\(z\) \+ 2\) is 1.2016033 and the bound 6/5 only "
                  "1.2000000; give a bound of its absolute value that holds for all real z"),
    (WAVE, "1.2279", "is 1.2279"),
    (WAVE, "1.2279471", "is 1.2279471"),                       # short of the maximum by 8e-8: between the grid points
    (sp.tanh(Z) ** 2, "1/2", "at z = 0.9375 the function"),    # also where a rule would prove enough
    (Z**2, "2+abs(z)", "is 4.2539063 and the bound Abs"),
    (sp.exp(Z**2 / 5), "100*exp(z**2/6)", "the bound 100"),
    (sp.Max(Z, 0) * Z**2, "1+z**2", "at z = 1.5"),
    (sp.sign(Z - sp.sqrt(2)) / (1 + sp.exp(Z - sp.sqrt(2))) * 2, "0.999999", "only 0.999999"),
    (1 / (Z - 20) ** 2, "2", "the function "),
    (1 / Z, "2+abs(z)", "at z = 0.0625 the function 1/z is 16.0"),
])
def test_a_violated_bound_is_refused(f, growth, text):
    with pytest.raises(ak.DomainError, match=text):
        ak.enclose(ak.E(f, Z), growth=growth)


def test_the_refusal_is_what_protects_the_value(monkeypatch):
    monkeypatch.setattr(given.GrowthHypotheses, "check", lambda *a: None)
    monkeypatch.setattr(integral, "reach_of", lambda *a: 1)
    low = ak.Ball.from_arb(_mean("1/100"))
    assert not low.contains("0.179879682810068714666")
    assert ak.Ball.from_arb(_mean("5/4")).contains("0.179879682810068714666")


def _mean(growth):
    bound = read_growth(growth).bound
    parts = integral.pieces(WAVE, Z)
    tails = integral._given_tails(bound, None, Z, WAVE)
    with workprec(120):
        return integral._enclosed(parts, Z, tails, integral.reach_of(parts, tails, 20), 20, 120)


@pytest.mark.parametrize(("growth", "text"), [
    ("z", r"growth: got z; expected P\(abs\(z\)\)\*exp\(a\*abs\(z\) \+ b\*z\*\*2\) with no negative coefficient in P: "
          "z is none of its parts; write abs"),
    ("2-abs(z)", "the coefficient -1 is negative"),
    ("exp(z)", "z is in the exponent"),
    ("exp(z**4/100)", r"z\*\*4/100 is in the exponent"),
    ("sin(z)", r"sin\(z\) is none of its parts"),
    ("1/(1+z**2)", "is none of its parts"),
    (sp.exp(2000 + sp.Abs(Z)), "the constant in the exponent is above 1000"),
    ("exp(z**2/2)", r"does not stay below exp\(z\*\*2/2\)"),
    (1.5, "growth: got 1.5; expected a text in z or a sympy expression"),
    (True, "growth: got True; expected a text"),
    (sp.Float(2), "floating-point number"),
    (Z + sp.Symbol("y"), "holds y, z; expected one variable"),
    ("y", "unknown name 'y'"),
    ("__import__('os')", "cannot read"),
])
def test_what_is_no_bound(growth, text):
    with pytest.raises(ValueError, match=text):
        ak.enclose(ak.E(WAVE, Z), growth=growth)


def test_uses_that_make_no_sense():
    with pytest.raises(ak.DomainError, match="growth: sqrt.2. holds no average over one normal; nothing needs a bound"):
        ak.enclose(sp.sqrt(2), growth="2")
    f = ak.Activation("exp(z**3-z**4)")
    with pytest.raises(ak.DomainError, match="growth: got '2'; a growth bound only serves proofs: ask for certified"):
        f.second_moment(growth="2")
    with pytest.raises(ak.DomainError, match="ask for certified=True"):
        f.hermite_coefficients(2, growth="2")
    with pytest.raises(ak.DomainError, match=r"growth: exp\(z\*\*2/4\) does not stay below exp\(z\*\*2/4\): the"):
        f.second_moment(certified=True, growth="exp(z**2/4)")


def test_the_precision_is_put_back_after_an_error():
    before = flint.ctx.prec
    with pytest.raises(ak.DomainError, match="growth: at"), workprec(333):
        assert flint.ctx.prec == 333
        ak.enclose(ak.E(WAVE, Z), growth="1")
    assert flint.ctx.prec == before
