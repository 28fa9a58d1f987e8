"""Averages over Gamma, Poisson and Student's t law beside scipy's quadratures and sums of the densities."""

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats
from sympy import Abs, Max, Rational, exp, log, sqrt, symbols, tanh

import asympkit as ak

x, n, b = symbols("x n b", positive=True)
t, z = symbols("t z", real=True)


def theory(mean):
    return ak.Theory(name="mean", unknowns=[], equations=[], parameters={n: ("of the law", "positive")},
                     observables={"mean": mean})


def integral(f, law, kink=0.0):
    """Return the mean of f, by quadrature over u where the number is exp(u), or sinh(u)."""
    place, rate, low = (np.sinh, np.cosh, -300.0) if law.dist.name == "t" else (np.exp, np.exp, -60 / law.args[0] - 60)
    inverse = np.arcsinh if law.dist.name == "t" else np.log
    middle = inverse([kink if kink else 1.0, law.median()])
    ends = np.unique([low, *(m + d for m in middle for d in (-20, -3, -0.5, -0.1, 0, 0.1, 0.5, 3, 20)), 300.0])

    def density(u):
        return f(place(u)) * np.exp(law.logpdf(place(u))) * rate(u)

    return sum(integrate.quad(density, *pair, epsabs=1e-15, epsrel=1e-13, limit=200)[0] for pair in zip(ends, ends[1:]))


@pytest.mark.parametrize("at", [0.3, 2.0, 40.0])
@pytest.mark.parametrize(("form", "f"), [
    (tanh(x), np.tanh), (log(1 + x)**2, lambda v: np.log1p(v)**2), (x / (1 + 3 * x), lambda v: v / (1 + 3 * v)),
    (Max(x - 1, 0), lambda v: np.maximum(v - 1, 0))])
def test_gamma(form, f, at):
    found = theory(ak.E(form, x, measure=ak.Gamma(n)))
    assert found.solve(n=at)["mean"] == pytest.approx(integral(f, stats.gamma(at)), rel=1e-11)
    assert found.sweep(n=[at, 3.0])["mean"][0] == pytest.approx(found.solve(n=at)["mean"], rel=1e-12)


def test_powers_and_logarithms_of_gamma():
    law = ak.Gamma(n)
    found = theory(ak.E(1 / x + log(x), x, measure=law))
    for at in (1.3, 5, 1e5):
        exact = 1 / (at - 1) + special.digamma(at)
        assert found.solve(n=at)["mean"] == pytest.approx(exact, rel=1e-12)
    assert ak.E(x**3 + b * x, x, measure=law).doit().equals(n * (n + 1) * (n + 2) + b * n)


@pytest.mark.parametrize("at", [1.5, 4, 300])
@pytest.mark.parametrize(("form", "f"), [
    (tanh(t)**2, lambda v: np.tanh(v)**2), (1 / (1 + exp(t)), lambda v: 1 / (1 + np.exp(np.minimum(v, 700)))),
    (exp(-Abs(t)), lambda v: np.exp(-abs(v))), (tanh(Max(t - 1, 0)), lambda v: np.tanh(np.maximum(v - 1, 0)))])
def test_student(form, f, at):
    found = theory(ak.E(form, t, measure=ak.StudentT(n)))
    assert found.solve(n=at)["mean"] == pytest.approx(integral(f, stats.t(at)), rel=1e-11)


def test_moments_of_student():
    size = theory(ak.E(Abs(t), t, measure=ak.StudentT(n)))
    assert size.solve(n=3)["mean"] == pytest.approx(2 * np.sqrt(3) / np.pi, rel=1e-13)
    assert float(size.precise(digits=25, n=3)["mean"]) == pytest.approx(2 * np.sqrt(3) / np.pi, rel=1e-15)
    assert ak.E(t**4, t, measure=ak.StudentT(6)).doit() == Rational(27, 2)
    with pytest.raises(ak.DomainError, match="no finite moment of order 2 with 1 degrees of freedom; expected more"):
        ak.E(t**2, t, measure=ak.StudentT(1)).doit()


@pytest.mark.slow
def test_noise_of_infinite_variance():
    """Huber's regression on Student's t noise, a normal number of a random scale, beside closed means at each noise."""
    alpha, lam, c, nu, s = 3.0, 0.1, 0.7, 1.5, 0.4
    (V, q, qhat), (m, mhat, Vhat) = symbols("V q qhat", positive=True), symbols("m mhat Vhat", real=True)
    loss = ak.E(ak.E(ak.Moreau(ak.Huber(c), sqrt(1 - 2 * m + q + s**2 * n / x) * z, 0, V), z), x, measure=ak.Gamma(n))
    found = ak.Theory(
        name="huber", unknowns=[V, q, m, Vhat, qhat, mhat], parameters={n: ("half the degrees of freedom", "positive")},
        free_energy=alpha * loss - (Vhat * q - qhat * V) / 2 + m * mhat - (qhat + mhat**2) / (lam + Vhat) / 2,
        observables={"error": 1 - 2 * m + q}, start={V: 0.5, q: 0.5, m: 0.5}).solve(n=nu / 2)
    u = np.linspace(-40, 40, 20001)
    weights = stats.t(nu).pdf(np.sinh(u)) * np.cosh(u) * (u[1] - u[0])
    shift = s * np.sinh(u)[weights > 1e-25]
    weights = weights[weights > 1e-25]

    def equations(logarithms):
        v, error = np.exp(logarithms)
        size = np.sqrt(error)
        low, high = (-c * (1 + v) - shift) / size, (c * (1 + v) - shift) / size
        inside = np.where(low > 0, special.ndtr(-low) - special.ndtr(-high), special.ndtr(high) - special.ndtr(low))
        squares = shift**2 * inside + 2 * shift * size * (stats.norm.pdf(low) - stats.norm.pdf(high)) + error * (
            inside + low * stats.norm.pdf(low) - high * stats.norm.pdf(high))
        clipped = weights @ (squares / (1 + v)**2 + c**2 * (1 - inside))
        return 1 / v - lam - alpha * weights @ inside / (1 + v), error - v**2 * (lam**2 + alpha * clipped)

    exact = np.exp(optimize.fsolve(equations, np.log([0.5, 0.3]), xtol=1e-13))
    assert [found["V"], found["error"]] == pytest.approx(exact, rel=1e-10)
    assert found["error"] == pytest.approx(0.224563, abs=1e-6)


@pytest.mark.parametrize(("a", "slope"), [(2.5, 0.6), pytest.param(0.3, 2.0, marks=pytest.mark.slow)])
def test_mean_of_a_function_of_a_mean(a, slope):
    """Far out the inner mean turns within a layer around 0, of which the nodes must show that it is no feature."""
    inner = ak.E(tanh(slope * z * sqrt(x))**2, z)
    s = np.linspace(-10, 10, 4001)
    near = 1e-3 * np.sinh(s)
    weights = 1e-3 * np.cosh(s) * (s[1] - s[0]) * stats.norm.pdf(near)
    u = np.linspace(-60 / a, 6, 3001)
    means = [np.log1p(np.tanh(slope * near * np.exp(v / 2))**2 @ weights) for v in u]
    exact = means @ np.exp(a * u - np.exp(u)) * (u[1] - u[0]) / special.gamma(a)
    assert theory(ak.E(log(1 + inner), x, measure=ak.Gamma(n))).solve(n=a)["mean"] == pytest.approx(exact, rel=1e-11)


def test_exponentials_of_one_rate():
    """The logarithm of their ratio holds no variable along which it could turn."""
    found = theory(ak.E(tanh(log(n * exp(z) + 2 * n * exp(z))), z)).solve(n=0.3)["mean"]
    nodes = np.linspace(-12, 12, 4001)
    exact = np.tanh(np.log(0.9) + nodes) @ stats.norm.pdf(nodes) * (nodes[1] - nodes[0])
    assert found == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("mean", "least"), [
    (ak.E(t, t, measure=ak.StudentT(n)), 1), (ak.E(t * sqrt(1 + t**2), t, measure=ak.StudentT(n)), 2),
    (ak.E(Abs(t - 1) + 3, t, measure=ak.StudentT(n)), 1), (ak.E(t * log(1 + t**2), t, measure=ak.StudentT(n)), 1.5),
    (ak.E(Max(t, 0)**3 * tanh(t), t, measure=ak.StudentT(2 * n)), 1.5), (ak.E(x**-2, x, measure=ak.Gamma(n)), 2),
    (ak.E(1 / x + log(x) + x**4, x, measure=ak.Gamma(n - 1)), 2)])
def test_where_means_are_finite(mean, least):
    found = theory(mean)
    for call in (found.solve, found.precise, lambda **at: found.sweep(n=[at["n"], least + 1]),
                 lambda **at: mean.subs(n, at["n"]).evalf()):
        with pytest.raises(ak.DomainError, match="is known to be finite for|no finite moment"):
            call(n=least)
    assert np.isfinite(found.solve(n=least + 0.5)["mean"])


@pytest.mark.parametrize("method", ["solve", pytest.param("precise", marks=pytest.mark.slow)])
def test_infinite_means_are_refused(method):
    found = theory(ak.E(t**2 * log(1 + t**2), t, measure=ak.StudentT(n)))       # the logarithm is bounded alone
    with pytest.raises(ak.ConvergenceError, match=r"a mean over StudentT\(n\) may be infinite here"):
        getattr(found, method)(n=1.5)
    with pytest.raises(ak.DomainError, match="is infinite"):
        theory(ak.E(exp(t), t, measure=ak.StudentT(n))).solve(n=3)
    assert theory(ak.E(tanh(t), t, measure=ak.StudentT(n))).sweep(n=[0.3, 2])["mean"].tolist() == [0, 0]


def test_poisson():
    law, k = ak.Poisson(3), np.arange(150)
    weights = stats.poisson(3).pmf(k)
    found = theory(ak.E(ak.E(tanh(sqrt(x) * z + n)**2, z), x, measure=law))
    nodes = np.linspace(-9, 9, 4001)
    inner = np.tanh(np.sqrt(k)[:, None] * nodes + 0.4)**2 @ stats.norm.pdf(nodes) * (nodes[1] - nodes[0])
    assert found.solve(n=0.4)["mean"] == pytest.approx(weights @ inner, rel=1e-11)
    assert ak.E(x**3, x, measure=ak.Poisson(n)).doit().equals(n**3 + 3 * n**2 + n)
    ball = theory(ak.E(1 / (n + x), x, measure=law)).certify(n=2, digits=30).observables["mean"]
    assert float(ball.mid) == pytest.approx(weights @ (1 / (2 + k)), rel=1e-14)
    assert ball.rad < 1e-30


def test_exponentials_close():
    k = np.arange(200.0)
    mean = ak.E(x**2 * exp(1 - b * x) * 2**x, x, measure=ak.Poisson(n)).doit()
    exact = k**2 * np.exp(1 - 0.3 * k) * 2**k @ stats.poisson(40).pmf(k)
    assert float(mean.subs({n: 40, b: 0.3}).doit()) == pytest.approx(exact, rel=1e-12)
    mean = ak.E(x**2 * exp(1 - b * x), x, measure=ak.Gamma(n)).doit()
    exact = integral(lambda v: v**2 * np.exp(1 - 0.3 * v), stats.gamma(2.5))
    assert float(mean.subs({n: 2.5, b: 0.3})) == pytest.approx(exact, rel=1e-12)


def test_rate_that_varies():
    found, k = theory(ak.E(1 / (1 + sqrt(x)), x, measure=ak.Poisson(2 * n))), np.arange(200)
    exact = [1 / (1 + np.sqrt(k)) @ stats.poisson(2 * r).pmf(k) for r in (0.1, 3, 10)]
    assert found.sweep(n=[0.1, 3, 10])["mean"] == pytest.approx(exact, rel=1e-13)
    with pytest.raises(ak.DomainError, match="is cut for 2[*]n up to 20; got 20.2"):
        found.solve(n=10.1)
    module = {}
    exec(found.source(), module)            # noqa: S102
    assert module["solve"](3.0)["mean"] == pytest.approx(exact[1], rel=1e-13)
    with pytest.raises(ValueError, match="a number > 0, at most 10"):
        module["solve"](10.1)
    with pytest.raises(ak.StructureError, match="holds unknowns"):
        ak.Theory(name="rate", unknowns=[x], parameters={n: ("n", "positive")},
                  equations=[x - n * ak.E(1 / (1 + b), b, measure=ak.Poisson(x))]).solve(n=1)


def test_everything_follows():
    """An unknown inside, derivatives by the shape, a Python module, both back ends."""
    lam, v = symbols("lam v", positive=True)
    found = ak.Theory(name="weighted", unknowns=[x], parameters={n: ("shape", "positive"), lam: ("l", "positive")},
                      equations=[x - lam - ak.E(v / (1 + x * v), v, measure=ak.Gamma(n))])
    at = {"n": 2.0, "lam": 0.3}
    root = found.solve(**at)["x"]
    assert root == pytest.approx(0.3 + integral(lambda s: s / (1 + root * s), stats.gamma(2)), rel=1e-12)
    up, down = (found.precise(digits=20, n=2 + h, lam=0.3)["x"] for h in (2.0**-20, -2.0**-20))
    assert found.sensitivity("x", "n", **at) == pytest.approx(float(up - down) * 2.0**19, rel=1e-10)
    for backend in ("numpy", "numba"):
        assert found.sweep(n=[1.0, 2.0], lam=0.3, backend=backend)["x"][1] == pytest.approx(root, rel=1e-12)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: ak.Gamma(-1), r"shape: got -1; expected a positive number"),
    (lambda: ak.StudentT("a"), "dof: got 'a'"),
    (lambda: ak.E(x, x, measure=3), r"measure: got 3 for 1 variables; expected ak.Gamma\(shape\)"),
    (lambda: ak.E(x * z, (x, z), measure=ak.Gamma(2)), "for 2 variables"),
    (lambda: ak.E(1 / x, x, measure=ak.Poisson(3)).evalf(), "infinite or not defined at a count"),
    (lambda: theory(ak.E(tanh(x), x, measure=ak.Poisson(201))).solve(n=1), "no closed mean over Poisson's law of")])
def test_refusals(call, message):
    with pytest.raises(ak.AsympkitError, match=message):
        call()


def test_shown():
    mean = ak.E(v := tanh(x), x, measure=ak.Gamma(n))
    assert str(mean) == f"<{v}>_Gamma(n)"
    assert "x: a random number, under the Gamma law of this shape" in theory(mean).derive("text")
