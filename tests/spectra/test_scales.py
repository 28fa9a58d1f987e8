"""Gamma's, Student's and the semicircle law beside integrals of their densities, in theories, digits and exports."""

import importlib.util
import subprocess
from math import inf

import mpmath as mp
import numpy as np
import pytest
from sympy import Rational, Symbol, exp, gamma, log, sqrt, symbols, tanh

import asympkit as ak

x, t, D = Symbol("x", positive=True), Symbol("t", real=True), Symbol("D", real=True)
a, n, c, m, h = symbols("a n c m h", positive=True)
MEANS = ak.Theory(
    name="means", unknowns=[], equations=[], parameters={
        a: ("shape", "positive"), n: ("degrees of freedom", "positive"), c: ("scale", "positive")},
    observables={"bounded": ak.E(tanh(x), x, measure=ak.Gamma(a)), "slow": ak.E(log(1 + x), x, measure=ak.Gamma(a)),
                 "heavy": ak.E(tanh(t)**2, t, measure=ak.StudentT(n)), "exp": ak.mean(exp(D), ak.Semicircle(D, c)),
                 "resolvent": ak.mean(1 / (3 * c - D), ak.Semicircle(D, c))})


def expected(shape, dof, scale):
    """The same by integrals over the logarithm, over u of x = sqrt(n) sinh(u), and by published forms."""
    def of_gamma(f):
        ends = [-90 / shape, -20, -5, *(mp.log(shape) + k for k in (-1, 0, 1, 4, 12))]
        return mp.quad(lambda u: f(mp.exp(u)) * mp.exp(shape * u - mp.exp(u)) / mp.gamma(shape), ends)

    level = mp.gamma((dof + 1) / mp.mpf(2)) / mp.sqrt(mp.pi) / mp.gamma(dof / mp.mpf(2))
    heavy = 2 * level * mp.quad(lambda u: mp.tanh(mp.sqrt(dof) * mp.sinh(u))**2 / mp.cosh(u)**dof,
                                [0, 0.1, 0.5, 1, 3, 10, 80 / dof + 10])
    return {"bounded": of_gamma(mp.tanh), "slow": of_gamma(lambda v: mp.log(1 + v)), "heavy": heavy,
            "exp": mp.besseli(1, 2 * scale) / scale, "resolvent": (3 - mp.sqrt(5)) / (2 * scale)}


@pytest.mark.parametrize("at", [(2.0, 5.0, 1.0), (0.5, 3.0, 0.3), (0.05, 0.8, 2.0), (40.0, 60.0, 1.0)])
def test_means_are_those_of_the_densities(at):
    found = MEANS.solve(**dict(zip("anc", at)))
    with mp.workdps(25):
        for name, value in expected(*at).items():
            assert found[name] == pytest.approx(float(value), rel=3e-14), name


def test_digits_and_balls():
    with mp.workdps(40):
        for name, value in expected(mp.mpf(2), 5, mp.mpf(1)).items():
            assert abs(MEANS.precise(digits=30, a=2, n=5, c=1)[name] - value) < mp.mpf(10)**-26 * abs(value), name
        assert abs(mp.mpf(str(ak.E(tanh(x), x, measure=ak.Gamma(2)).evalf(25))) - expected(2, 5, 1)["bounded"]) < 1e-23
    law = ak.Semicircle(D, c)
    proved = ak.Theory(name="proved", unknowns=[], equations=[], parameters={c: ("scale", "positive")},
                       observables={"exp": ak.mean(exp(D), law)}).certify(digits=15, c=2)["exp"]
    assert proved.rad < 1e-15 and float(proved.mid) == pytest.approx(float(mp.besseli(1, 4)) / 2, rel=1e-15)
    with pytest.raises(ak.ProofError, match="certify: the average E_z"):
        MEANS.certify(digits=15, a=2, n=5, c=2)


def test_powers_close():
    assert ak.E(c * x**2 + sqrt(x), x, measure=ak.Gamma(a)).doit() == \
        c * gamma(a + 2) / gamma(a) + gamma(a + Rational(1, 2)) / gamma(a)
    assert ak.E(x**3, x, measure=ak.Gamma(2)).doit() == 24
    assert ak.E(t**4 + t, t, measure=ak.StudentT(6)).doit() == Rational(27, 2)
    assert ak.E(t**4, t, measure=ak.StudentT(4)).doit().has(ak.nodes.Average)       # infinite
    assert [ak.mean(D**k, ak.Semicircle(D, c)).doit() for k in (2, 3, 4, 6)] == [c**2, 0, 2 * c**4, 5 * c**6]
    with pytest.raises(ak.ConvergenceError, match="did not reach the accuracy asked for at the finest rule"):
        ak.Theory(name="infinite", unknowns=[], equations=[], parameters={},
                  observables={"fourth": ak.E(t**4, t, measure=ak.StudentT(3))}).solve()


@pytest.fixture(scope="module")
def magnet():
    return ak.Theory(name="magnet with random couplings", unknowns=[m],
                     parameters={a: ("shape", "positive"), h: ("field", "positive")},
                     equations=[m - ak.E(tanh(x * m + h), x, measure=ak.Gamma(a))])


def test_an_own_theory_has_all_methods(magnet, tmp_path):
    """Solved, swept, differentiated and exported, beside draws of the couplings and a bracket."""
    s = magnet.solve(a=2, h=0.1)
    draws = np.random.default_rng(np.random.SeedSequence(41)).gamma(2.0, size=400_000)
    values = np.tanh(draws * s["m"] + 0.1)
    assert s["m"] == pytest.approx(values.mean(), abs=4 * values.std() / values.size**0.5)
    assert magnet.sweep(a=[1.0, 2.0], h=0.1)["m"][1] == pytest.approx(s["m"], rel=1e-11)
    ends = [magnet.solve(a=2 + k * 1e-4, h=0.1)["m"] for k in (1, -1)]
    assert magnet.sensitivity("m", "a", a=2, h=0.1) == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=1e-7)
    path = magnet.generate(tmp_path / "magnet.py")
    spec = importlib.util.spec_from_file_location("magnet", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.solve(2.0, 0.1)["m"] == pytest.approx(s["m"], rel=1e-12)


@pytest.mark.slow
def test_a_header_in_c(magnet, tmp_path):
    magnet.generate(tmp_path / "magnet.h", language="c")
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "magnet.h"\nint main(void) { magnet_parameters p = {.a = 2, .h = 0.1}; '
        'magnet_solution s; int status = magnet_solve(&p, &s); printf("%d %.17g\\n", status, s.m); return 0; }')
    subprocess.run(["cc", "-std=c99", "-O1", "main.c", "-o", "main", "-lm"], cwd=tmp_path, check=True)
    status, value = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout.split()
    assert status == "0" and float(value) == pytest.approx(magnet.solve(a=2, h=0.1)["m"], rel=1e-12)


@pytest.mark.parametrize(("call", "text"), [
    (lambda: ak.Gamma(-1), "shape: got -1; expected a positive number"),
    (lambda: ak.StudentT(0), "dof: got 0; expected a positive number"),
    (lambda: ak.Gamma("2"), "shape: got '2'; expected a sympy expression or a number"),
    (lambda: ak.E(x, (x, t), measure=ak.Gamma(2)), "measure: expected exactly one variable for a law; got 2"),
    (lambda: ak.E(x, x, measure=3), "measure: got 3; expected a law of one variable, such as ak.Gamma"),
    (lambda: ak.E(x, (x, t), rho=0.5, measure=ak.Gamma(2)), "measure: expected exactly one variable"),
    (lambda: ak.Semicircle(3), "D: got 3; expected the symbol of an eigenvalue of any sign"),
    (lambda: ak.Semicircle(x), "D: got x; expected the symbol of an eigenvalue of any sign"),
    (lambda: ak.Semicircle(D, -1), "scale: got -1; expected a positive number"),
    (lambda: ak.Gamma(inf), "shape: got oo")])
def test_what_is_no_law(call, text):
    with pytest.raises(ak.DomainError) as error:
        call()
    assert text in str(error.value)
