"""Marchenko-Pastur means of every function of the eigenvalue, and user-defined laws, in every back end."""

import json

import mpmath
import numpy as np
import pytest
from helpers.densities import over_marchenko_pastur as reference
from helpers.modules import run_alone
from helpers.tiers import slow_but
from scipy import optimize
from sympy import Rational, Symbol, exp, lambdify, log, sqrt, symbols, sympify, tanh

import asympkit as ak
from asympkit.multiprecision.number_systems import Floats, MultiprecisionNumbers
from asympkit.nodes import Average, remove_names
from asympkit.numbers.evaluation import evaluate
from asympkit.spectra import SpectralLaw

D, E2, s, t, u, c, beta, lam, w, V, J = symbols("D E2 s t u c beta lam w V J", positive=True)
z = Symbol("z", real=True)
DIGITS = MultiprecisionNumbers(40)


CLOSED = [1 / ((D + s) * (2 * D + t)), D / ((D + s) * (2 * D + t)), D**2 / ((D + s) * (2 * D + t)),
          D / ((D + s) ** 2 * (2 * D + t) ** 3), 1 / ((D + s) * (2 * D + t) * (3 * D + 1)),
          1 / ((D + s) * (2 * D + t) * (3 * D + 1) ** 2), (1 + D) / ((D + s) * (2 * D + t)), log(s * D + t),
          log(D + s) + D / (D + t)]


@pytest.mark.parametrize("integrand", CLOSED)
@pytest.mark.parametrize("ratio", ["0.6", "1.7"])
def test_closed_means(integrand, ratio):
    closed = ak.mean(integrand, ak.MarchenkoPastur(D, beta, c)).doit()
    assert not closed.has(Average)
    at = {x: DIGITS.number(v) for x, v in ((s, "0.7"), (t, "1.3"), (c, "1.2"), (beta, ratio))}
    f = lambdify([D, s, t], integrand, [{"log": DIGITS.mp.log}])
    expected = reference(lambda x: f(x, at[s], at[t]), at[c], at[beta], mp=DIGITS.mp)
    assert abs(evaluate(remove_names(closed), at, DIGITS) - expected) < 1e-36 * abs(expected)


@pytest.mark.parametrize("variable", [s, t, c, beta])
def test_derivatives_of_closed_means(variable):
    law = ak.MarchenkoPastur(D, beta, c)
    at = {x: DIGITS.number(v) for x, v in ((s, "0.7"), (t, "1.3"), (c, "1.2"), (beta, "1.7"))}
    step = DIGITS.number("1e-12")
    for integrand in (CLOSED[2], CLOSED[4], CLOSED[7]):
        closed = remove_names(ak.mean(integrand, law).doit())
        slope = evaluate(remove_names(ak.mean(integrand, law).diff(variable).doit()), at, DIGITS)
        high, low = (evaluate(closed, {**at, variable: at[variable] + h}, DIGITS) for h in (step, -step))
        assert abs((high - low) / (2 * step) - slope) < 1e-20


def test_nearly_equal_denominators_lose_no_digits():
    closed = ak.mean(1 / ((D + s) * (D + t)), ak.MarchenkoPastur(D, beta, c)).doit()
    at = {s: 0.5, t: 0.5 + 1e-13, c: 1.2, beta: 0.7}
    square = remove_names(ak.mean(1 / (D + s) ** 2, ak.MarchenkoPastur(D, beta, c)).doit())
    floats = Floats()
    assert evaluate(remove_names(closed), at, floats) == pytest.approx(evaluate(square, at, floats), rel=1e-12)


class Mixture(SpectralLaw):
    """Two point masses and Marchenko-Pastur eigenvalues."""

    def __new__(cls, eigenvalue, ratio, *masses):
        return super().__new__(cls, eigenvalue, *map(sympify, (ratio, *masses)))

    @property
    def bound_symbols(self):
        return self.args[:1]

    def resolved(self, integrand):
        eigenvalue, ratio, first, at_first, second, at_second = self.args
        rest = ak.MarchenkoPastur(eigenvalue, ratio)
        return (first * integrand.subs(eigenvalue, at_first) + second * integrand.subs(eigenvalue, at_second)
                + (1 - first - second) * ak.mean(integrand, rest).doit())


#: free energies in u and lam whose minimum is found, with the law they are averaged under
LAWS = {
    "every function": (log(lam + u * D) + exp(-u * D) / 3 + 1 / (lam + u**2 + D**2), ak.MarchenkoPastur(D, 2)),
    "two resolvents": (1 / ((D + u) * (D + lam)) + log(1 + u * D), ak.MarchenkoPastur(D, 2)),
    "point masses": (exp(-u * D) + lam * log(1 + u * D) + sqrt(1 + u * D) / 9, Mixture(D, 2, w, 3, w / 2, "1/2")),
    "a normal inside": (ak.E(log(2 + tanh(z * u + D)), z) + u * D / 9, ak.MarchenkoPastur(D, 2)),
}


def energy(name, v, x):
    """The mean of an integrand, independently."""
    integrand, law = LAWS[name]
    if name == "a normal inside":
        line = np.arange(-9, 9.01, 0.15)
        weights = np.exp(-line**2 / 2) / np.exp(-line**2 / 2).sum()

        def f(e):
            return np.log(2 + np.tanh(line * v + e)) @ weights + v * e / 9
    else:
        plain = lambdify([D, u, lam], integrand)

        def f(e):
            return plain(e, v, x)
    value = reference(f, 1.0, 2.0)
    return 0.2 * f(3.0) + 0.1 * f(0.5) + 0.7 * value if isinstance(law, Mixture) else value


def theory(name):
    integrand, law = LAWS[name]
    parameters = {lam: ("", "positive")} | ({w: ("", "positive")} if name == "point masses" else {})
    free_energy = u**2 / 2 - u + ak.mean(integrand, law)
    return ak.Theory(name=name, parameters=parameters, unknowns=[u], free_energy=free_energy,
                     observables={"F": free_energy})


def extra(name, number=float):
    return {"w": number("0.2")} if name == "point masses" else {}


@pytest.mark.parametrize("name", slow_but(LAWS, 0, 2))
def test_theories(name, tmp_path):
    """Double precision, a batch, digits, the printed module, and the minimum they find."""
    model, at = theory(name), extra(name)
    found = model.solve(lam=0.1, **at)
    least = optimize.minimize_scalar(lambda v: v**2 / 2 - v + energy(name, v, 0.1), bounds=(0.1, 3),
                                     options={"xatol": 1e-8})
    assert found["u"] == pytest.approx(least.x, rel=1e-6)
    assert found["F"] == pytest.approx(found["u"] ** 2 / 2 - found["u"] + energy(name, found["u"], 0.1), rel=1e-12)
    swept = model.sweep(lam=np.array([0.1, 0.2]), backend="numpy", rtol=1e-12, **at)
    assert swept["F"][0] == pytest.approx(found["F"], rel=1e-13)
    digits = 8 if name == "a normal inside" else 20
    precise = model.precise(lam="0.1", digits=digits, **extra(name, str))
    assert abs(float(precise["F"]) - found["F"]) < 2e-13 + 2 * 10.0**-digits
    model.generate(tmp_path / "mean.py")
    printed = run_alone(f"import json, mean; print(json.dumps(mean.solve(0.1, **{at})))", tmp_path, ())
    assert json.loads(printed)["F"] == pytest.approx(found["F"], rel=1e-11)


@pytest.mark.parametrize("name", slow_but([n for n in LAWS if n != "a normal inside"], 2))
def test_proofs(name):
    found = theory(name).certify(lam="0.1", digits=20, **extra(name, str))
    precise = theory(name).precise(lam="0.1", digits=30, **extra(name, str))
    for quantity in ("u", "F"):
        assert found[quantity].rad < 1e-20
        with mpmath.workdps(40):
            assert abs(mpmath.mpf(str(precise[quantity])) - mpmath.mpf(str(found[quantity].mid))) < 1e-19


def test_what_is_not_proved_analytic_is_refused():
    edge = ak.Theory(name="edge", parameters={lam: ("", "positive")}, unknowns=[u],
                     equations=[u - lam - ak.mean(sqrt(D), ak.MarchenkoPastur(D, 1)) * u / 9])
    with pytest.raises(ak.ProofError, match="over a spectral law is not enclosed: its integrand is not proved"):
        edge.certify(lam="0.1", digits=10)
    with pytest.raises(ak.ProofError, match="is not enclosed; close it"):
        theory("a normal inside").certify(lam="0.1", digits=10)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_compiled_loops_and_derivatives(name):
    model, at = theory(name), extra(name)
    swept = model.sweep(lam=np.array([0.1, 0.2]), backend="numba", rtol=1e-12, **at)
    assert swept["F"][1] == pytest.approx(model.solve(lam=0.2, **at)["F"], rel=1e-12)
    slope = (model.solve(lam=0.1001, **at)["F"] - model.solve(lam=0.0999, **at)["F"]) / 0.0002
    assert model.sensitivity("F", "lam", lam=0.1, **at) == pytest.approx(slope, rel=1e-6)


def test_a_ratio_that_is_swept_through_one():
    """No feature of the mean is at one, where the density has a hard edge."""
    model = ak.Theory(name="ratio", parameters={beta: ("", "positive")}, unknowns=[u],
                      equations=[u - ak.mean(exp(-u * D), ak.MarchenkoPastur(D, beta))])
    found = model.sweep(beta=np.array([0.9, 0.999, 1.0, 1.001, 1.1]))["u"]
    for ratio, v in zip((0.9, 1.1), found[[0, 4]]):
        assert v == pytest.approx(reference(lambda x, v=v: np.exp(-v * x), 1.0, ratio, 4000), rel=1e-12)
    assert found[2] == pytest.approx((found[1] + found[3]) / 2, rel=1e-6)


@pytest.mark.slow
def test_normals_inside_means_over_given_eigenvalues():
    entries = np.linspace(0.1, 2.0, 30)
    model = ak.Theory(name="given", parameters={lam: ("", "positive")}, unknowns=[u], equations=[
        u - lam - ak.mean(log(1 + ak.E(tanh(z + u * D) ** 2, z)), ak.Eigenvalues(D)) / 3])
    v = model.solve(lam=0.4, D=entries)["u"]
    line = np.arange(-9, 9.01, 0.15)
    weights = np.exp(-line**2 / 2) / np.exp(-line**2 / 2).sum()
    value = np.log(1 + np.tanh(line + v * entries[:, None]) ** 2 @ weights).mean()
    assert v == pytest.approx(0.4 + value / 3, rel=1e-13)
    assert abs(float(model.precise(lam="0.4", D=entries[:5], digits=8)["u"])
               - model.solve(lam=0.4, D=entries[:5])["u"]) < 1e-7
    swept = model.sweep(lam=np.array([0.4, 0.5]), D=entries, backend="numba", rtol=1e-12)
    assert swept["u"][0] == pytest.approx(v, rel=1e-13)


def test_means_inside_normals():
    model = ak.Theory(name="inside", parameters={lam: ("", "positive")}, unknowns=[u], equations=[
        u - lam - ak.E(ak.mean(1 / (1 + u * D + z**2), ak.MarchenkoPastur(D, 2)) ** 2, z) / 3])
    v = model.solve(lam=0.4)["u"]
    line = np.arange(-9, 9.01, 0.15)
    weights = np.exp(-line**2 / 2) / np.exp(-line**2 / 2).sum()
    value = weights @ reference(lambda x: 1 / (1 + v * x + line**2), 1.0, 2.0) ** 2
    assert v == pytest.approx(0.4 + value / 3, rel=1e-12)


# -- another branch of the resolvent, and an atom at zero ------------------------------------------------------------


x = symbols("x", real=True)


def mean_theory(integrand, ratio, unknown=x):
    return ak.Theory(name="mean", parameters={lam: ("shift", "positive")}, unknowns=[unknown],
                     equations=[unknown - ak.mean(integrand, ak.MarchenkoPastur(D, ratio))])


@pytest.mark.parametrize(("integrand", "ratio", "at"), slow_but([
    (1 / (D - lam) ** 2, Rational(1, 2), 5), (1 / (D - lam), Rational(1, 2), 5), (1 / (D - lam), 4, 10),
    (1 / ((D - lam) * (D + 1)), Rational(1, 2), 5), (-1 / (lam - D), Rational(1, 2), 5),
    (D / (lam - 2 * D) ** 2, Rational(1, 3), 9)], 1, 2, 5))
def test_a_pole_above_the_spectrum(integrand, ratio, at):
    # closed on the branch for poles below it, these were proved with the wrong sign
    t = mean_theory(integrand, ratio)
    value = reference(lambdify(D, integrand.subs(lam, at)), 1.0, float(ratio))
    assert t.solve(lam=at)["x"] == pytest.approx(value, rel=1e-9)
    ball = t.certify(digits=12, lam=at)["x"]
    assert abs(float(ball.mid) - value) < 1e-9 * abs(value)


def test_atoms():
    for integrand in (1 / sqrt(D), log(D), 1 / D):
        with pytest.raises(ak.AsympkitError, match="is infinite at D = 0, where a share 1 - 1/ratio of"):
            mean_theory(integrand, 2).solve(lam=0.5)
    value = reference(lambda d: 1 / np.sqrt(d), 1.0, 0.5)
    assert mean_theory(1 / sqrt(D), Rational(1, 2)).solve(lam=0.5)["x"] == pytest.approx(value, rel=1e-10)
    t = mean_theory(1 / (lam + D**2), Rational(1, 2), u)
    assert t.solve(lam=1e-12)["u"] == pytest.approx(7.999999999648, rel=1e-12)
    steep = mean_theory(1 / ((D + lam) * (D + 2 * lam) * (D + 3 * lam) * (D + 4 * lam)), Rational(1, 10), u)
    value = reference(lambda d: 1 / ((d + 1e-6) * (d + 2e-6) * (d + 3e-6) * (d + 4e-6)), 1.0, 0.1)
    assert steep.solve(lam=1e-6)["u"] == pytest.approx(value, rel=1e-10)
    inner = ak.mean(1 / (E2 + D * V), ak.MarchenkoPastur(E2, 2))
    t = ak.Theory(name="nested", parameters={J: ("coupling", "positive")}, unknowns=[V],
                  equations=[V - 1 - J * ak.mean(log(1 + inner), ak.MarchenkoPastur(D, Rational(1, 2))) / 5])
    assert t.solve(J=0.7)["V"] == pytest.approx(1.09551035555958, rel=1e-12)
