"""The law of deep covariances: beside Marchenko-Pastur, its own density, exact moments, sampled matrices, the chain."""

import pickle

import numpy as np
import pytest
from helpers.densities import over_density
from helpers.modules import run_alone
from helpers.tiers import slow_but
from sympy import N, Rational, Symbol, exp, factorial, lambdify, log, sqrt, symbols

import asympkit as ak
from asympkit.multiprecision.number_systems import Floats, MultiprecisionNumbers
from asympkit.nodes import Average, remove_names
from asympkit.numbers.evaluation import evaluate

D, s, t, c, beta, lam, u, w = symbols("D s t c beta lam u w", positive=True)
DIGITS = MultiprecisionNumbers(40)
#: laws of one to four layers: layers, inputs, intervals
LAWS = {
    "more units than inputs": ([(1.5, 1, 0)], 1, 1), "two kinds of inputs": ([(3, 1, "1/5")], {1: "1/2", 10: "1/2"}, 2),
    "a narrow second layer": ([(3, 1, "1/10"), ("1/2", "4/5", "3/10")], 1, 1),
    "two intervals, an atom": ([(3, "1/2", "1/4"), (4, 1, "1/10")], {1: "1/2", 9: "1/2"}, 2),
    "three layers": ([("3/2", "3/4", "1/10"), ("7/10", "9/10", "3/10"), ("6/5", "7/10", "1/20")], [1, 2, 2], 1),
    "four layers": ([(2, "1/2", "1/4"), (1, 1, "1/8"), ("3/2", "3/4", "1/4"), (3, 1, "1/10")], 1, 1),
}


def law(name):
    layers, inputs, _ = LAWS[name]
    return ak.DeepCovariance(D, layers, inputs)


def closed_value(integrand, own):
    """A closed mean in s, at s = 0.3."""
    return float(evaluate(remove_names(ak.mean(integrand, own).doit()), {s: 0.3}, Floats()))


# -- one layer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrand", [1 / (D + s), D / (2 * D + s)**2, 1 / ((D + s) * (2 * D + t)), log(s * D + t),
                                       D**2 / ((D + s) * (2 * D + t)), D / (D + s)**3])
def test_one_layer_is_marchenko_pastur(integrand):
    at = {x: DIGITS.number(v) for x, v in ((s, "0.7"), (t, "1.3"), (c, "1.2"), (beta, "1.7"))}
    theirs, mine = (ak.mean(integrand, x).doit() for x in (
        ak.MarchenkoPastur(D, beta, c), ak.DeepCovariance(D, [(beta, sqrt(c), 0)])))
    assert not mine.has(Average)
    for x in (None, s) if integrand.has((D + s)**-3) else (None, s, c, beta):
        one, other = (evaluate(remove_names(e if x is None else e.diff(x)), at, DIGITS) for e in (theirs, mine))
        assert abs(one - other) < 1e-36 * (1 + abs(other))


def test_a_rescaled_and_shifted_law():
    """A layer without inputs' spread is Marchenko-Pastur eigenvalues, times the slope squared, and the rest."""
    own, x = ak.DeepCovariance(D, [(2, "1/2", "1/4")]), Rational(1, 3)
    plain = ak.mean(1 / (D / 4 + Rational(1, 4) + x), ak.MarchenkoPastur(D, 2)).doit()
    assert abs(N(ak.mean(1 / (D + x), own).doit() - remove_names(plain), 30)) < 1e-29
    assert own.atoms() == {Rational(1, 4): Rational(1, 2)}
    root = np.sqrt(2.0)
    assert np.allclose(own.edges(), [[0.25 + (root - 1)**2 / 4, 0.25 + (root + 1)**2 / 4]], rtol=1e-14)


# -- the law against its density ---------------------------------------------------------------------


@pytest.mark.parametrize("name", LAWS)
def test_density_atoms_and_moments_are_those_of_one_law(name):
    own = law(name)
    assert own.edges().shape == (LAWS[name][2], 2) and np.all(np.diff(own.edges().ravel()) > 0)
    assert over_density(np.ones_like, own) == pytest.approx(1, rel=1e-13)
    for k, moment in enumerate(own.moments(4), 1):
        assert moment.is_Rational or name == "more units than inputs"
        assert over_density(lambda x, k=k: x**k, own) == pytest.approx(float(moment), rel=1e-13)


@pytest.mark.parametrize("name", slow_but(LAWS, "two kinds of inputs", "two intervals, an atom"))
def test_closed_means_are_those_of_the_density(name):
    own = law(name)
    for integrand in (1 / (D + s), D / (D + s)**2, log(1 + D / s), D**2 / ((D + s) * (D + 2 * s)), 1 / (D + s)**3,
                      D / (2 * D + s)**3, D**2 / (D + s)**3, D**3 / (D + s)**3):
        f = lambdify(D, integrand.subs(s, 0.3))
        assert over_density(f, own) == pytest.approx(closed_value(integrand, own), rel=1e-12)


def test_the_density_is_the_resolvent_at_the_real_axis():
    own = law("two intervals, an atom")
    outside = np.array([0.05, 0.105, 2.8, 25.0])
    assert np.array_equal(own.density(outside), np.zeros(4))
    low, high = own.edges()[0]
    near = own.density(np.array([low + 1e-8, low + 4e-8]))
    assert near[1] / near[0] == pytest.approx(2, rel=1e-4)         # a square root
    assert own.density(np.array([[1.0], [3.5]])).shape == (2, 1)
    assert sum(own.atoms().values()) == Rational(1, 4)


# -- sampled matrices --------------------------------------------------------------------------------


def sampled(name, d, seed=0):
    """Eigenvalues of one draw of the network's linearised covariance."""
    layers, inputs, _ = LAWS[name]
    own = ak.DeepCovariance(D, layers, inputs)
    rng, size = np.random.default_rng(seed), d
    shares = np.cumsum([float(x) for _, x in own.args[2]])
    bottom = np.array([float(e) for e, _ in own.args[2]])[np.searchsorted(shares, (np.arange(d) + 0.5) / d)]
    matrix = np.diag(bottom)
    for width, slope, rest in own.args[1]:
        rows = round(float(width) * d)
        W = rng.standard_normal((rows, size)) / np.sqrt(size)
        matrix = float(slope)**2 * W @ matrix @ W.T + float(rest) * np.eye(rows)
        size = rows
    return np.linalg.eigvalsh(matrix)


def check_sample(name, d, tolerance):
    own, found = law(name), sampled(name, d)
    for z in (0.1, 1.0):
        closed = closed_value(1 / (D + s * round(10 * z) / 3), own)
        assert np.mean(1 / (found + z)) == pytest.approx(closed, rel=tolerance)
    for k, moment in enumerate(own.moments(3), 1):
        assert np.mean(found**k) == pytest.approx(float(moment), rel=4 * k * tolerance)
    for place, share in own.atoms().items():
        assert np.mean(np.abs(found - float(place)) < 1e-9) == pytest.approx(float(share), abs=1 / d)
    edges = own.edges()
    for low, high in edges:
        margin = 3 * (high - low) * d**(-2 / 3)
        inside = np.mean((found > low - margin) & (found < high + margin) & (np.abs(found - low) > 0))
        nodes = np.linspace(low, high, 2001)
        mass = float(np.sum(own.density((nodes[1:] + nodes[:-1]) / 2)) * (nodes[1] - nodes[0]))
        atoms = sum(float(x) for place, x in own.atoms().items() if low - margin < place < high + margin)
        assert inside == pytest.approx(mass + atoms, abs=2e-3 + 4 / d)


@pytest.mark.parametrize("name", ["two kinds of inputs", "a narrow second layer", "three layers"])
def test_sampled_matrices(name):
    check_sample(name, 300, 0.02)


# -- in theories -------------------------------------------------------------------------------------


def deep_theory(own, more=(), extra=0):
    energy = u**2 / 2 - ak.mean(log(lam + u * D) + lam / (1 + u * D) + extra, own)
    return ak.Theory(name="deep", parameters=dict.fromkeys((lam, *more), ("", "positive")), unknowns=[u],
                     free_energy=energy, observables={"F": energy})


def energy_at(own, v, x, extra=None):
    plain = lambdify([D, u, lam], log(lam + u * D) + lam / (1 + u * D) + (extra or 0))
    return v**2 / 2 - over_density(lambda e: plain(e, v, x), own)


def test_a_theory_over_a_law_with_parameters():
    model = deep_theory(ak.DeepCovariance(D, [(w, "1/2", "1/4"), (2, 1, "1/10")], {1: "1/2", 3: "1/2"}), [w])
    found = model.solve(lam=0.3, w=0.7)
    at = ak.DeepCovariance(D, [("7/10", "1/2", "1/4"), (2, 1, "1/10")], {1: "1/2", 3: "1/2"})
    assert found["F"] == pytest.approx(energy_at(at, found["u"], 0.3), rel=1e-12)
    assert model.sweep(lam=np.array([0.3, 0.4]), w=0.7, backend="numpy")["F"][0] == pytest.approx(found["F"], rel=1e-13)
    precise = model.precise(lam="0.3", w="0.7", digits=25)
    assert abs(float(precise["F"]) - found["F"]) < 1e-14
    assert r"\left\langle" in model.equations().latex()


@pytest.mark.parametrize("more", slow_but([[(2, 1, "1/10")], []], 1))
def test_a_slope_along_a_parameter_of_a_law(more):
    model = deep_theory(ak.DeepCovariance(D, [(w, "1/2", "1/4"), *more], {1: "1/2", 3: "1/2"}), [w])
    apart = (model.solve(lam=0.3, w=0.7001)["F"] - model.solve(lam=0.3, w=0.6999)["F"]) / 2e-4
    assert model.sensitivity("F", "w", lam=0.3, w=0.7) == pytest.approx(apart, rel=1e-6)


@pytest.mark.slow
def test_a_proof_a_module_and_compiled_loops(tmp_path):
    model = deep_theory(ak.DeepCovariance(D, [(w, "1/2", "1/4"), (2, 1, "1/10")], {1: "1/2", 3: "1/2"}), [w])
    found, proved = model.solve(lam=0.3, w=0.7), model.certify(lam="0.3", w="0.7", digits=20)
    precise = model.precise(lam="0.3", w="0.7", digits=30)
    assert proved["F"].rad < 1e-20 and abs(precise["F"] - precise["F"].context.mpf(proved["F"].mid)) < 1e-20
    swept = model.sweep(lam=np.array([0.3, 0.4]), w=0.7, backend="numba")
    assert swept["F"][0] == pytest.approx(found["F"], rel=1e-13)
    model.generate(tmp_path / "deep.py")
    printed = run_alone("import deep; print(repr(deep.solve(0.3, 0.7)['F']))", tmp_path, ())
    assert float(printed) == pytest.approx(found["F"], rel=1e-13)


def test_functions_of_a_law():
    F = Symbol("F", real=True)
    own = ak.DeepCovariance(D, [(2, 1, "1/3"), (1, "1/2", 1)], conditional={F: 3 * D})
    assert remove_names(ak.mean(F / (D + s), own).doit()) == remove_names(ak.mean(3 * D / (D + s), own).doit())
    closed = ak.mean(1 / (D + s), law("three layers")).doit()
    assert pickle.loads(pickle.dumps(closed)) == closed            # noqa: S301
    closed = remove_names(ak.mean(1 / (D + Rational(1, 3)), law("four layers")).doit())
    ball = ak.enclose(closed, 40)
    assert ball.rad < 1e-40 and ball.contains(str(N(closed, 60)))


# -- deep features -----------------------------------------------------------------------------------


def test_laws_of_networks():
    theory = ak.DeepFeatures("1.5:tanh,0.7:erf(z)", "1:sign")
    spectrum = [0.5, 1.0, 2.5]
    at = theory.solve(alpha=2.0, lam=0.1, input_spectrum=spectrum)
    own = theory.covariance_law(input_spectrum=spectrum)
    assert at["V2"] == pytest.approx(over_density(lambda x: x / (0.1 + at["Vhat2"] * x), own), rel=1e-12)
    assert float(theory.covariance_law(width1=3).args[1][0][0]) == 3
    theory = ak.DeepFeatures("1.5:erf(z),2:erf(z)", "1:sign")
    exact, plain = theory.covariance_law(exact=True).moments(3), theory.covariance_law().moments(3)
    for ball, value in zip((ak.enclose(m, 20) for m in exact), plain):
        assert ball.rad < 1e-20 and float(ball.mid) == pytest.approx(float(value), rel=1e-14)
    # at the nodes of a rule they took minutes
    own = ak.DeepFeatures("2:3*z,3:tanh", "1:sign").covariance_law(D, exact=True)
    plain = ak.DeepFeatures("2:3*z,3:tanh", "1:sign").covariance_law(D)
    assert own.edges() == pytest.approx(plain.edges(), rel=1e-12)
    assert float(own.moments(2)[1]) == pytest.approx(float(plain.moments(2)[1]), rel=1e-13)


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("layers", "inputs", "sentence"), [
    ([], 1, "layers: got .*expected a list of"), ([(1, 2)], 1, "layers: got .*expected a list of"),
    ([(1, 0, 1)], 1, "layer 1 is .*a slope kappa1 that is not 0"), ([(0, 1, 1)], 1, "expected a positive width"),
    ([(1, 1, -1)], 1, "kappastar2, a variance"), ([(1, 1, 0)], [], "inputs: got"), ([(1, 1, 0)], [0, 0], "inputs: got"),
    ([(1, 1, 0)], {1: "1/3", 2: "1/3"}, "the shares sum to 2/3; expected 1"), ([(1, 1, 0)], -1, "inputs: got")])
def test_what_is_no_law(layers, inputs, sentence):
    with pytest.raises(ak.DomainError, match=sentence):
        ak.DeepCovariance(D, layers, inputs)


def test_laws_without_numbers():
    own = ak.DeepCovariance(D, [(beta, 1, 0)])
    for ask in (own.edges, own.atoms, lambda: own.density(1.0), lambda: own.resolved(exp(-D))):
        with pytest.raises(ak.DomainError, match="of DeepCovariance that holds beta; expected numbers"):
            ask()
    with pytest.raises(ak.DomainError, match="covariance_law: layer 1 is 1:relu, whose features have means"):
        ak.DeepFeatures("1:relu,1:tanh", "1:sign").covariance_law()
    with pytest.raises(ak.DomainError, match="covariance_law: got alpha; expected input_spectrum and widths alone"):
        ak.DeepFeatures("1:tanh", "1:sign").covariance_law(alpha=1)
    last = ak.DeepFeatures("1:tanh,1:relu", "1:sign").covariance_law()
    assert last.depth == 2 and float(last.moments(1)[0]) < 0.5
    with pytest.raises(ak.ConvergenceError, match="reaches 0 where its density is infinite .*expected another width"):
        ak.mean(exp(-D), ak.DeepCovariance(D, [(1, 1, 0), (1, 1, 0)])).evalf(15)


@pytest.mark.parametrize("zero", [0, 0.0, "0", np.float64(0)])
def test_zeros_of_any_kind_count_for_point_masses(zero):
    one = ak.DeepCovariance(D, [(3, "1/2", "1/4")], {zero: 0.5, 2: 0.5})
    assert {float(x): float(share) for x, share in one.atoms().items()} == {0.25: pytest.approx(5 / 6, rel=1e-15)}
    two = ak.DeepCovariance(D, [("1/2", 1, zero), (1, 1, zero), (2, 1, "1/4")])
    assert float(sum(two.atoms().values())) == pytest.approx(3 / 4, rel=1e-15)
    assert over_density(np.ones_like, two) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(("arguments", "sentence"), [
    ((None, [(1, 1, 0)]), "D: got None; expected a Symbol"), (("D", [(1, 1, 0)]), "D: got 'D'; expected a Symbol"),
    ((D, [(float("nan"), 1, 0)]), "layer 1 is .*expected a positive width"),
    ((D, [(True, 1, 0)]), "layers: got .*expected a list of"),
    ((D, [(1, 1, 1j)]), "layer 1 is .*kappastar2, a variance"), ((D, [(1, 1, 0)], [1j]), "inputs: got"),
    ((D, [(1, 1, 0)], {1: float("nan")}), "inputs: got"), ((D, [(1, 1, 0)], float("inf")), "inputs: got"),
    ((D, [(1, 1, 0)], 1, 5), "conditional: got 5; expected a dict of symbols"),
    ((D, [(1, 1, 0)], 1, {"F": 3}), "conditional: got .*expected a dict of symbols")])
def test_arguments_that_are_no_numbers(arguments, sentence):
    with pytest.raises(ak.DomainError, match=sentence):
        ak.DeepCovariance(*arguments)


@pytest.mark.parametrize("x", ["a", [1, "b"], 1j, [[1, 2], [3]]])
def test_places_that_are_no_numbers(x):
    with pytest.raises(ak.DomainError, match="x: got .*expected real numbers"):
        law("more units than inputs").density(x)


@pytest.mark.parametrize("order", [0, -1, 1.5, "2", None])
def test_orders_that_are_none(order):
    with pytest.raises(ak.DomainError, match="order: got .*expected an integer >= 1"):
        law("more units than inputs").moments(order)


@pytest.mark.parametrize("spectrum", [["x"], "1,2", ["1/0"], [float("nan")], [float("inf")], [-1, 2], [0, 0]])
@pytest.mark.parametrize("exact", [False, True])
def test_spectra_that_are_none(spectrum, exact):
    with pytest.raises(ak.DomainError, match="input_spectrum: got "):
        ak.DeepFeatures("1:erf(z)", "1:sign").covariance_law(input_spectrum=spectrum, exact=exact)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_square_layers_reach_zero_and_no_further(layers):
    """A contour needs no density: the proved mean beside the series of the exponential in exact moments."""
    own = ak.DeepCovariance(D, [(1, 1, 0)] * layers)
    (low, high), = own.edges()
    assert low == 0.0 and high == pytest.approx((layers + 1)**(layers + 1) / layers**layers, rel=1e-12)
    series = sum((-Rational(1, 5))**k * m / factorial(k) for k, m in enumerate(own.moments(30), 1)) + 1
    assert abs(N(ak.enclose(ak.mean(exp(-D / 5), own), 20).mid - series, 25)) < 1e-12


def test_an_edge_at_the_rest_of_the_last_layer_against_a_sample():
    """Square layers behind inputs that vanish: the law reaches down to the last rest, where the penalty is singular."""
    layers, inputs = [("5/4", "3/2", "1/10"), ("5/4", 1, "1/2")], [2, 0, "1/5"]
    own = ak.DeepCovariance(D, layers, inputs)
    (low, high), = own.edges()
    assert low == 0.5 and high == pytest.approx(19.134332872, rel=1e-9)
    rng, d = np.random.default_rng(4), 600
    matrix = np.diag(np.repeat([2.0, 0.0, 0.2], d // 3))
    for width, slope, rest in ((1.25, 1.5, 0.1), (1.25, 1.0, 0.5)):
        W = rng.standard_normal((round(width * d), len(matrix))) / np.sqrt(len(matrix))
        matrix = slope**2 * W @ matrix @ W.T + rest * np.eye(round(width * d))
    found = np.linalg.eigvalsh(matrix)
    assert 0.5 - 1e-9 < found[0] < 0.501 and found[-1] == pytest.approx(high, rel=0.02)
