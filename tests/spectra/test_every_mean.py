"""Marchenko-Pastur means of every function of the eigenvalue, and laws of one's own, through every reading."""

import json
import subprocess
import sys

import mpmath
import numpy as np
import pytest
from helpers.tiers import slow_but
from scipy import optimize
from sympy import Symbol, exp, expand, lambdify, log, sqrt, symbols, sympify, tanh

import asympkit as ak
from asympkit.multiprecision.number_systems import Floats, MultiprecisionNumbers
from asympkit.nodes import Average, unname
from asympkit.numbers.evaluation import evaluate
from asympkit.spectra import SpectralLaw

D, s, t, u, c, beta, lam, w = symbols("D s t u c beta lam w", positive=True)
z = Symbol("z", real=True)
DIGITS = MultiprecisionNumbers(40)


def reference(f, c, beta, nodes=400, mp=np):
    """Mean over the density in the angle of D, and over the atom at zero, as the textbooks have it."""
    total = 0
    for k in range(nodes):
        angle = mp.pi * (k + 0.5) / nodes
        x = c * (1 + beta + 2 * mp.sqrt(beta) * mp.cos(angle))
        total += 2 * c * mp.sin(angle) ** 2 / x * f(x) / nodes
    return total + (max(1 - 1 / beta, 0) * f(0 * beta) if beta > 1 else 0)


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
    assert abs(evaluate(unname(closed), at, DIGITS) - expected) < 1e-36 * abs(expected)


@pytest.mark.parametrize("variable", [s, t, c, beta])
def test_derivatives_of_closed_means(variable):
    law = ak.MarchenkoPastur(D, beta, c)
    at = {x: DIGITS.number(v) for x, v in ((s, "0.7"), (t, "1.3"), (c, "1.2"), (beta, "1.7"))}
    step = DIGITS.number("1e-12")
    for integrand in (CLOSED[2], CLOSED[4], CLOSED[7]):
        closed = unname(ak.mean(integrand, law).doit())
        slope = evaluate(unname(ak.mean(integrand, law).diff(variable).doit()), at, DIGITS)
        high, low = (evaluate(closed, {**at, variable: at[variable] + h}, DIGITS) for h in (step, -step))
        assert abs((high - low) / (2 * step) - slope) < 1e-20


def test_nearly_equal_denominators_lose_no_digits():
    closed = ak.mean(1 / ((D + s) * (D + t)), ak.MarchenkoPastur(D, beta, c)).doit()
    at = {s: 0.5, t: 0.5 + 1e-13, c: 1.2, beta: 0.7}
    square = unname(ak.mean(1 / (D + s) ** 2, ak.MarchenkoPastur(D, beta, c)).doit())
    floats = Floats()
    assert evaluate(unname(closed), at, floats) == pytest.approx(evaluate(square, at, floats), rel=1e-12)


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
    """Double precision, a batch, the printed module, and the minimum they find."""
    model, at = theory(name), extra(name)
    found = model.solve(lam=0.1, **at)
    least = optimize.minimize_scalar(lambda v: v**2 / 2 - v + energy(name, v, 0.1), bounds=(0.1, 3),
                                     options={"xatol": 1e-8})
    assert found["u"] == pytest.approx(least.x, rel=1e-6)
    assert found["F"] == pytest.approx(found["u"] ** 2 / 2 - found["u"] + energy(name, found["u"], 0.1), rel=1e-12)
    swept = model.sweep(lam=np.array([0.1, 0.2]), backend="numpy", rtol=1e-12, **at)
    assert swept["F"][0] == pytest.approx(found["F"], rel=1e-13)
    model.generate(tmp_path / "mean.py")
    code = f"import json, mean; print(json.dumps(mean.solve({', '.join(['0.1', *map(repr, at.values())])})))"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout)["F"] == pytest.approx(found["F"], rel=1e-11)


@pytest.mark.parametrize("name", slow_but(LAWS, 0, 2))
def test_digits(name):
    digits = 8 if name == "a normal inside" else 20
    precise = theory(name).precise(lam="0.1", digits=digits, **extra(name, str))
    found = theory(name).solve(lam=0.1, **extra(name))
    assert abs(float(precise["F"]) - found["F"]) < 2e-13 + 2 * 10.0**-digits


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


def test_a_law_prints():
    node = ak.mean(log(1 + D), Mixture(D, 2, w, 3, w / 2, "1/2"))
    assert str(node) == "<log(D + 1)>"
    assert node.free_symbols == {w}
    assert expand(node.diff(w).subs(w, 0.1)).is_Add
