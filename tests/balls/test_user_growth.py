"""A growth bound given by a user: sampled, refused where it fails, and named by every ball that rests on it."""

import mpmath
import pytest
import sympy as sp

import asympkit as ak

flint = pytest.importorskip("flint", reason="python-flint is not installed")

from asympkit.balls import coefficients as given  # noqa: E402
from asympkit.balls import integral  # noqa: E402
from asympkit.balls.backend import workprec  # noqa: E402
from asympkit.balls.coefficients import read_growth  # noqa: E402

Z = sp.Symbol("z", real=True)
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
