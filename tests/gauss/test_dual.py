"""Gains, dual kernels and the propagation of signals, beside integrals of their own and iterated maps."""

import contextlib
import doctest
import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import fsolve
from sympy import Symbol, pi, sqrt, symbols

import asympkit as ak
from asympkit.gauss import dual
from asympkit.gauss.quadrature import pair_series
from asympkit.nodes import Average

#: 1/std: those published with networks without normalisation layers are right to three digits
GAINS = {"relu": 1.7128585504496627, "silu": 1.787187222100442, "tanh": 1.5925374197228313, "selu": 1.0, "sign": 1.0}
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(120)
WEIGHTS = WEIGHTS / math.sqrt(2 * math.pi)


@pytest.mark.parametrize("name", GAINS)
def test_gains(name):
    act = ak.Activation(name)
    assert act.gain() == pytest.approx(GAINS[name], rel=1e-14)
    digits, proved = act.gain(digits=40), act.gain(certified=True)
    assert proved.rad < 1e-30 and abs(digits - proved.mid) < 1e-28
    assert float(digits) == pytest.approx(act.gain(), rel=1e-14)
    mean = quad(lambda z: act(z) * math.exp(-z * z / 2) / math.sqrt(2 * math.pi), -9, 9, points=[0])[0]
    assert act.gain("rms") == pytest.approx(1 / math.sqrt(1 / act.gain()**2 + mean**2), rel=1e-9)


@pytest.mark.parametrize("name", ["relu", "erf", "gelu", "tanh", "z**3"])
def test_gains_as_expressions(name):
    for kind in ("std", "rms"):
        form = ak.Activation(name).gain(kind, exact=True)
        assert bool(form.atoms(Average)) == (name == "tanh")          # the others close
        assert float(form.evalf(18)) == pytest.approx(ak.Activation(name).gain(kind), rel=1e-14)
    with pytest.raises(ak.DomainError, match="does not vary"):
        ak.Activation("3").gain(exact=True)


def test_gain_of_what_hardly_varies():
    act = ak.Activation("1 + tanh(z)/10**9")
    expected = 1e9 * GAINS["tanh"]
    assert act.gain() == pytest.approx(expected, rel=1e-6)
    assert float(act.gain(digits=20)) == pytest.approx(expected, rel=1e-14)
    assert float(act.gain(certified=True)) == pytest.approx(expected, rel=1e-14)
    with pytest.raises(ak.DomainError, match="does not vary: no gain makes its variance 1"):
        ak.Activation("0*z + 2").gain()
    with pytest.raises(ak.DomainError, match="kind: got 'var'; available: 'std', 'rms'"):
        act.gain("var")


def product(f, rho, q1, q2):
    """Return E f(x) f(y) by a product of rules for smooth f."""
    x, y = NODES[:, None], rho * NODES[:, None] + math.sqrt(1 - rho**2) * NODES[None, :]
    return WEIGHTS @ (f(math.sqrt(q1) * x) * f(math.sqrt(q2) * y)) @ WEIGHTS


@pytest.mark.parametrize("name", ["tanh", "gelu", "silu", "exp(-z**2) + z", "erf"])
def test_kernels_of_smooth_functions(name):
    act, rho = ak.Activation(name), np.array([-0.9, -0.2, 0.0, 0.5])
    found = act.kernel(rho, 0.7, 1.2)
    assert found == pytest.approx([product(act, r, 0.7, 1.2) for r in rho], rel=1e-7, abs=1e-8)
    assert act.kernel(rho, 0.7, 1.2, derivative=1) == \
        pytest.approx([product(act.derivative, r, 0.7, 1.2) for r in rho], rel=1e-6, abs=1e-6)
    assert act.kernel(1, 0.7, 0.7) == pytest.approx(product(act, 1.0, 0.7, 0.7), rel=1e-8)


@pytest.mark.parametrize(("name", "derivative"), [
    ("relu", 0), ("gelu", 0), ("sign", 1), ("abs", 1), ("leaky_relu(0.2)", 1), ("tanh", 1), ("z**3 - z", 0)])
def test_kernels_as_expressions(name, derivative):
    """With symbols: equal to numbers, and an observable of a theory without unknowns."""
    act = ak.Activation(name)
    rho, q = Symbol("rho", real=True), symbols("q1 q2", positive=True)
    form = act.kernel(rho, *q, derivative=derivative)
    theory = ak.Theory(name="kernel", unknowns=[], equations=[], observables={"kernel": form}, parameters={
        rho: ("correlation", "real"), q[0]: ("variance", "positive"), q[1]: ("variance", "positive")})
    for r in (-0.6, 0.3):
        assert theory.solve(rho=r, q1=0.4, q2=1.5)["kernel"] == \
            pytest.approx(act.kernel(r, 0.4, 1.5, derivative=derivative), rel=1e-10)


def _arc(rho):
    return np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))


#: published closed forms at variances q1, q2, with their sources
PUBLISHED = {
    "relu": lambda r, q, p: np.sqrt(q * p) * _arc(r) / (2 * np.pi),          # Cho and Saul (2009)
    # Williams (1997)
    "erf": lambda r, q, p: 2 / np.pi * np.arcsin(2 * r * np.sqrt(q * p / ((1 + 2 * q) * (1 + 2 * p)))),
    "abs": lambda r, q, p: 2 / np.pi * np.sqrt(q * p) * (np.sqrt(1 - r**2) + r * np.arcsin(r)),
    "sin": lambda r, q, p: np.exp(-(q + p) / 2) * np.sinh(r * np.sqrt(q * p)),
    "step": lambda r, q, p: (np.pi - np.arccos(r)) / (2 * np.pi),
    "exp(z)": lambda r, q, p: np.exp((q + p) / 2 + r * np.sqrt(q * p)),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_kernels_are_the_published_ones(name):
    rho, (q, p) = np.linspace(-1, 1, 41), (0.8, 1.7)
    act, expected = ak.Activation(name), PUBLISHED[name](rho, q, p)
    size = math.sqrt(act.kernel(1, q, q) * act.kernel(1, p, p))
    assert np.max(np.abs(act.kernel(rho, q, p) - expected)) <= 2e-15 * size


def test_kernel_of_gelu_is_one_integral():
    """Of y given x the mean of gelu is closed: arXiv:2002.08517 has both integrals."""
    act, q, p = ak.Activation("gelu"), 0.8, 1.7
    for rho in (-1.0, -0.4, 0.7, 1.0):
        v = p * (1 - rho**2)

        def inside(z, rho=rho, v=v):
            x, m = math.sqrt(q) * z, rho * math.sqrt(p) * z
            t = m / mpmath.sqrt(1 + v)
            return x * mpmath.ncdf(x) * (m * mpmath.ncdf(t) + v / mpmath.sqrt(1 + v) * mpmath.npdf(t)) * mpmath.npdf(z)

        assert act.kernel(rho, q, p) == pytest.approx(float(mpmath.quad(inside, [-12, -4, 0, 4, 12])), abs=2e-15)


def test_kernels_of_equal_and_opposite_signals():
    """At correlations 1 and -1 closed forms of two-dimensional probabilities are finite, and differentiable."""
    act, (rho, q) = ak.Activation("elu"), (Symbol("rho", real=True), Symbol("q", positive=True))
    theory = ak.Theory(
        name="kernels", unknowns=[], equations=[],
        parameters={rho: ("correlation", "real"), q: ("variance", "positive")},
        observables={"kernel": act.kernel(rho, q, q), "tangent": act.kernel(rho, q, q, derivative=1)})
    for r in (1.0, -1.0, 1 - 1e-9):
        found = theory.solve(rho=r, q=0.7)
        assert found["kernel"] == pytest.approx(act.kernel(r, 0.7, 0.7), rel=1e-13)
        assert found["tangent"] == pytest.approx(act.kernel(r, 0.7, 0.7, derivative=1), rel=1e-13)
    assert theory.solve(rho=1, q=0.7)["kernel"] == pytest.approx(
        quad(lambda z: float(act(math.sqrt(0.7) * z))**2 * math.exp(-z * z / 2) / math.sqrt(2 * math.pi), -12, 12,
             points=[0], epsabs=1e-13)[0], rel=1e-10)
    assert not ak.Activation("abs").kernel(rho, q, q).has(ak.nodes.Average)


@pytest.mark.parametrize("name", ["relu", "gelu", "tanh", "elu(0.7)"])
def test_kernels_are_sampled_means(name):
    rng, act, rho = np.random.default_rng(np.random.SeedSequence(40)), ak.Activation(name), 0.6
    x, y = rng.standard_normal((2, 400_000))
    values = act(math.sqrt(0.8) * x) * act(math.sqrt(1.7) * (rho * x + math.sqrt(1 - rho**2) * y))
    assert act.kernel(rho, 0.8, 1.7) == pytest.approx(values.mean(), abs=4 * values.std() / math.sqrt(values.size))


def test_kernels_have_rates_and_shapes():
    act = ak.Activation("elu")
    h, at = 1e-6, act.kernel(np.linspace(-0.5, 0.5, 3)[:, None], [0.5, 2.0], 1.1, derivative=1)
    assert at.shape == (3, 2) and type(act.kernel(0.5)) is type(act.gain()) is float
    slope = (act.kernel(0.5 + h, 2.0, 1.1) - act.kernel(0.5 - h, 2.0, 1.1)) / (2 * h)
    assert slope == pytest.approx(math.sqrt(2.2) * at[2, 1], rel=1e-8)
    r = Symbol("r", real=True)
    assert ak.Activation("sign").kernel(r, derivative=1) == 2 / (pi * sqrt(1 - r**2))
    assert ak.Activation("sign").kernel(0.5, derivative=1) == pytest.approx(2 / (math.pi * math.sqrt(0.75)))
    for arguments, message in (
            ({"rho": 1.5}, "rho: got 1.5; expected numbers from -1 to 1"), ({"q1": -1}, "q1: got -1"),
            ({"derivative": 1.5}, "derivative: got 1.5; expected"), ({"rho": "a"}, "rho: got 'a'")):
        with pytest.raises(ak.DomainError, match=message):
            act.kernel(**{"rho": 0.5} | arguments)
    with pytest.raises(ak.StructureError, match="jumps, and no closed form of its kernel is known"):
        ak.Activation("tanh(z) + max(0, z)").kernel(0.5, derivative=2)


def test_edge_of_chaos():
    act = ak.Activation("tanh")
    found = act.edge_of_chaos(0.05)
    assert found["weight_variance"] == pytest.approx(1.760954639606739, rel=1e-13)
    assert found["q"] == pytest.approx(
        found["weight_variance"] * WEIGHTS @ np.tanh(math.sqrt(found["q"]) * NODES)**2 + 0.05, rel=1e-9)
    assert found["correlation_depth"] == math.inf and found["chi"] == 1
    assert act.edge_of_chaos()["weight_variance"] == 1 and act.edge_of_chaos()["q"] == 0
    he = ak.Activation("relu").edge_of_chaos()
    assert he["weight_variance"] == pytest.approx(2, rel=1e-13) and math.isnan(he["q"])
    assert ak.Activation("elu(0.7)").edge_of_chaos()["weight_variance"] == pytest.approx(2 / 1.49, rel=1e-14)
    with pytest.raises(ak.DomainError, match="persist; they do at q=0.722036 and weight_variance=2.3.*, wh"):
        ak.Activation("gelu").edge_of_chaos(0.05)
    with pytest.raises(ak.DomainError, match="reach no fixed point at which small differences persist; they do at q=0"):
        ak.Activation("silu").edge_of_chaos()
    for weight in (None, 2.5):
        with pytest.raises(ak.DomainError, match="start at 1 reach no fixed point"):
            ak.Activation("relu").edge_of_chaos(0.05, weight)
    with pytest.raises(ak.DomainError, match="'sign' jumps"):
        ak.Activation("sign").edge_of_chaos(0.05)


@pytest.mark.parametrize(("name", "bias"), [("tanh", 0.05), ("erf", 0.05), ("silu", 1.0), ("gelu", 0.2)])
def test_edges_solve_both_equations(name, bias):
    """By another solver and another rule: lengths are kept, and small distances."""
    act = ak.Activation(name)
    found = act.edge_of_chaos(bias)
    assert found["length_depth"] > 0
    z = np.arange(-9.5, 9.5, 0.02)
    density = 0.02 * np.exp(-z**2 / 2) / math.sqrt(2 * math.pi)

    def excess(x):
        q, weight = np.exp(x)
        return (weight * density @ act(math.sqrt(q) * z)**2 + bias - q,
                weight * density @ act.derivative(math.sqrt(q) * z)**2 - 1)

    q, weight = np.exp(fsolve(excess, np.log([found["q"] * 1.2, found["weight_variance"] * 0.9]), xtol=1e-13))
    assert [found["q"], found["weight_variance"]] == pytest.approx([q, weight], rel=1e-7)


@pytest.mark.parametrize(("bias", "q", "weight", "end"), [
    (0.05, 0.8265760501, 2.7286115263, math.inf), (0.5, 12.1052398336, 1.9974683890, 4.6686940848)])
def test_edges_of_silu_with_small_biases_are_left(bias, q, weight, end):
    """The only lengths at which small differences persist are unstable: signals go elsewhere."""
    z = np.linspace(-12, 12, 4801)
    density = 0.005 * np.exp(-z**2 / 2) / math.sqrt(2 * math.pi)

    def after(x):
        return weight * density @ (math.sqrt(x) * z / (1 + np.exp(-math.sqrt(x) * z)))**2 + bias

    assert after(q) == pytest.approx(q, rel=1e-9) and (after(1.001 * q) - after(q)) / (0.001 * q) > 1.004
    x = 1.0
    for _ in range(2000):
        x = min(after(x), 1e3)
    assert x == pytest.approx(min(end, 1e3), rel=1e-8)
    with pytest.raises(ak.DomainError, match=f"they do at q={q:.6g} and weight_variance={weight:.6g}, which .* not r"):
        ak.Activation("silu").edge_of_chaos(bias)


@pytest.mark.parametrize(("name", "weight"), [("tanh", 1.3), ("tanh", 3.0), ("gelu", 1.1), ("erf", 2.0)])
def test_signals_in_depth(name, weight):
    """Iterate lengths and correlations of two inputs, layer by layer."""
    act, bias = ak.Activation(name), 0.05
    found = act.edge_of_chaos(bias, weight)
    lengths, correlations = [1.0], [0.8]
    for _ in range(400):
        q, c = lengths[-1], correlations[-1]
        lengths.append(weight * product(act, 1.0, q, q) + bias)
        correlations.append(min(1.0, (weight * product(act, c, q, q) + bias) / lengths[-1]))
    assert lengths[-1] == pytest.approx(found["q"], rel=1e-7)
    assert correlations[-1] == pytest.approx(found["correlation"], abs=1e-5)
    short = np.abs(np.array(lengths) - lengths[-1])
    k = int(np.argmax(short < 1e-4))
    assert -1 / math.log(short[k + 1] / short[k]) == pytest.approx(found["length_depth"], rel=2e-3)
    far = np.abs(np.array(correlations) - correlations[-1])
    k = int(np.argmax(far < 1e-3))
    assert -1 / math.log(far[k + 1] / far[k]) == pytest.approx(found["correlation_depth"], rel=2e-2)


@pytest.mark.parametrize(("name", "q", "rho"), [
    ("sin(20*z)", 2.0, 0.9999), ("sin(20*z)", 2.0, 0.999), ("sin(50*z)", 1.0, 0.5), ("sin(50*z)", 1.3, -0.9999)])
def test_kernels_of_fast_oscillations(name, q, rho):
    """Their lattices alias: two that are nested agree on wrong numbers."""
    rate = float(name[4:6])**2
    expected = (math.exp(-rate * q * (1 - rho)) - math.exp(-rate * q * (1 + rho))) / 2
    assert ak.Activation(name).kernel(rho, q, q) == pytest.approx(expected, abs=2e-14)


def test_kernels_of_harmonics():
    """Averages of products of sines are known: those of a periodic function add up its Fourier coefficients."""
    k, x = np.arange(1, 200, 2), (np.arange(4096) + 0.5) * 2 * math.pi / 4096
    b = 2 * np.mean(np.tanh(np.sin(x)) * np.sin(np.outer(k, x)), axis=1)
    for a, rho, q in ((20, 0.9, 2.0), (5, 0.9999, 20.0)):
        rate = a**2 * q / 2
        i, j = k[:, None], k[None, :]
        both = [np.exp(-rate * (i**2 + j**2 - 2 * sign * rho * i * j)) for sign in (1, -1)]
        found = ak.Activation(f"tanh(sin({a}*z))").kernel(rho, q, q)
        assert found == pytest.approx(b @ (both[0] - both[1]) @ b / 2, abs=3e-14)


@pytest.mark.parametrize("rho", [0.5, 0.999, -0.999999])
def test_kernels_of_steep_functions(rho):
    """Beside the closed form of erf, by integrals alone."""
    slope, s = 50.0, np.array([math.sqrt(2.0)])
    expected = 2 / math.pi * math.asin(2 * rho * slope**2 * 2 / (1 + 2 * slope**2 * 2))
    found = pair_series.pair_series(ak.Activation("erf(50*z)"), s, s, np.array([rho]))
    assert found == pytest.approx(expected, abs=3e-14)


def test_kernels_of_steep_tanh():
    """Beside a fine lattice of sums and differences."""
    a, b = math.sqrt(0.75), math.sqrt(0.25)
    u = np.linspace(-9, 9, 1801)
    weights = np.exp(-u**2 / 2) * (u[1] - u[0]) / math.sqrt(2 * math.pi)
    x, y = 20 * math.sqrt(2) * (a * u[:, None] + b * u), 20 * math.sqrt(0.5) * (a * u[:, None] - b * u)
    direct = weights @ (np.tanh(x) * np.tanh(y)) @ weights
    found = ak.Activation("tanh(20*z)").kernel(np.array([0.5, -0.5]), 2.0, 0.5)
    assert found == pytest.approx([direct, -direct], abs=1e-13)


def test_series_and_differences_agree():
    """The two rules of smooth functions share no nodes."""
    for name in ("tanh(20*z)", "exp(-50*(z-1)**2) + z", "tanh(3*z) + sin(9*z)"):
        act = ak.Activation(name)
        edges = pair_series._edges(act, np.array([0.9, 1.2]), 1, None)
        for rho in (0.9, -0.95):
            found = pair_series.pair_series(act, *np.array([[1.2], [0.9], [rho]]))[0]
            assert found == pytest.approx(pair_series._by_differences(act, 1.2, 0.9, rho, edges, 0.03), abs=3e-15)


def test_many_kernels_say_that_they_take_a_while(monkeypatch):
    said = []
    monkeypatch.setattr(dual, "note_when_long", lambda text: contextlib.nullcontext(said.append(text)))
    act, rho = ak.Activation("mish"), np.linspace(-1, 1, 1000)
    found = act.kernel(rho, np.linspace(0.1, 2, 1000), 1.0)
    assert said == ["the kernel of mish at 1000 pairs takes a while"]
    assert found[::333] == pytest.approx([product(act, r, q, 1.0) for r, q in zip(rho[::333],
                                                                                  np.linspace(0.1, 2, 1000)[::333])],
                                         rel=1e-6, abs=1e-7)
    with pytest.raises(ak.DomainError, match=r"got the shapes \(3,\), \(2,\), \(\); expected numbers, or arrays"):
        act.kernel(np.ones(3) * 0.1, np.ones(2))


@pytest.mark.parametrize("name", ["hardtanh", "relu6"])
def test_edges_of_functions_that_are_linear_around_0(name):
    """They shorten all signals at the edge, ever more slowly."""
    act = ak.Activation(name)
    found = act.edge_of_chaos()
    assert found["q"] == 0 and found["chi"] == 1
    weight = found["weight_variance"]
    assert weight == pytest.approx({"hardtanh": 1, "relu6": 2}[name], rel=1e-14)
    for q in (0.3, 1.0, 30.0):
        x = np.linspace(-12, 12, 200_001)
        mean = np.trapezoid(act(math.sqrt(q) * x)**2 * np.exp(-x**2 / 2), x) / math.sqrt(2 * math.pi)
        assert weight * mean < q


def test_what_is_refused():
    """Functions that lattices alias, constants, functions without a slope, odd functions without biases."""
    for text in ("sin(50*z)", "z + sin(50*z)"):
        for call in (lambda a: a.gain(), lambda a: a.edge_of_chaos(0.05, 2.0)):
            with pytest.raises(ak.ConvergenceError, match="differ between two rules"):
                call(ak.Activation(text))
    for text in ("z**2", "0", "1", "softshrink"):
        with pytest.raises(ak.DomainError):
            ak.Activation(text).edge_of_chaos()
    with pytest.raises(ak.DomainError, match=r"bias_variance: got \[0.1, 0.2\]; expected a number"):
        ak.Activation("tanh").edge_of_chaos([0.1, 0.2])
    found = ak.Activation("erf").edge_of_chaos(0, 2.0)
    assert found["correlation"] == 0 and found["correlation_depth"] == pytest.approx(12.336113, rel=1e-6)


def test_examples_of_these_methods_run():
    for method in (ak.Activation.gain, ak.Activation.kernel, ak.Activation.edge_of_chaos):
        find = doctest.DocTestFinder(recurse=False).find
        (example,) = find(method, method.__name__, globs={"Activation": ak.Activation})
        assert example.examples and doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example).failed == 0
