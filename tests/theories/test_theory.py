"""User-defined theories: free energies and equations, domains of unknowns, arrays, what is refused."""

import numpy as np
import pytest
from helpers.tiers import BACKENDS
from sympy import Rational, Symbol, log, sqrt, symbols, tanh

import asympkit as ak
from asympkit.nodes import Applied

x, h, u, v = symbols("x h u v", real=True)
p = Symbol("p", positive=True)
z = Symbol("z", real=True)


def quadratic(**changes):
    arguments = {"name": "shift", "parameters": {h: ("field", "real")}, "unknowns": [x],
                 "free_energy": x**2 / 2 - h * x, "observables": {"square": x**2}, **changes}
    return ak.Theory(**arguments)


def test_free_energy_is_differentiated():
    theory = quadratic()
    assert theory.equations().equations == (x - h,)
    assert theory.free_energy == x**2 / 2 - h * x
    assert theory.solve(h=3.0).square == 9.0


def test_free_energy_and_equations_agree():
    m = Symbol("m", real=True)
    energy = m**2 / 2 - ak.E(tanh(p * m + z) * z, z)
    arguments = {"name": "both", "parameters": {p: ("", "positive")}, "unknowns": [m]}
    one = ak.Theory(free_energy=energy, **arguments)
    two = ak.Theory(equations=[energy.diff(m)], **arguments)
    assert one.equations().equations == two.equations().equations
    assert one.kernel_source() == two.kernel_source()


def test_own_theory_with_an_unspecified_activation():
    m = Symbol("m", positive=True)
    arguments = {"name": "unit", "parameters": {p: ("", "positive")}, "unknowns": [m]}
    inner = ak.Named("g", ak.E(Applied("student", x + p * z), z))
    theory = ak.Theory(equations=[m - 1 - ak.E(inner**2 / (1 + m), x)], activations={"student": "erf"}, **arguments)
    s = theory.solve(p=0.7)
    # E_z erf(x + p z) = erf(x / sqrt(1 + 2 p^2))
    grid = np.linspace(-12, 12, 4001)
    weight = np.exp(-grid**2 / 2) / np.sqrt(2 * np.pi) * (grid[1] - grid[0])
    import math

    g = np.array([math.erf(t / math.sqrt(1 + 2 * 0.49)) for t in grid])
    assert s["m"] - 1 == pytest.approx(np.sum(weight * g**2) / (1 + s["m"]), rel=1e-12)


def test_precise_reads_decimals_exactly():
    s = quadratic().precise(digits=40, h=0.1)
    assert abs(s["x"] * 10 - 1) < 1e-38
    assert abs(quadratic().precise(digits=40, h=Rational(1, 3).p)["x"] - 1) < 1e-38


@pytest.mark.parametrize(("changes", "text"), [
    ({"free_energy": None}, "Theory: give either free_energy or equations"),
    ({"equations": [x - h]}, "Theory: give either free_energy or equations"),
    ({"unknowns": [x, x]}, "unknowns: a symbol is listed twice"),
    ({"free_energy": x**2 - h * x * u}, "symbols: u is neither a parameter nor an unknown"),
    ({"observables": {"o": v}}, "symbols: v is neither a parameter nor an unknown"),
    ({"unknowns": ["x"]}, "symbols: got 'x'; expected a sympy Symbol"),
    ({"unknowns": [x**2]}, "expected a sympy Symbol"),
    ({"unknowns": [x, Symbol("h", positive=True)]}, "symbols: two different symbols are called h; make each once"),
    ({"free_energy": None, "equations": [Symbol("x", positive=True) - h]},
     "symbols of equal name and different assumptions are different"),
])
def test_what_a_theory_refuses(changes, text):
    with pytest.raises(ak.StructureError, match=text):
        quadratic(**changes)


def test_structure_is_refused_when_solving():
    theory = quadratic(unknowns=[x, u], free_energy=x**2 / 2 - h * x)
    with pytest.raises(ak.StructureError, match="unknowns: u occur in no equation"):
        theory.solve(h=1)


@pytest.mark.parametrize(("parameters", "error", "text"), [
    ({}, ak.DomainError, "shift: missing parameter h; parameters are h"),
    ({"h": 1, "g": 2}, ak.UnknownNameError, "shift: unknown parameter 'g'"),
    ({"h": "one"}, ak.DomainError, "h: got 'one'; expected a finite real number"),
    ({"h": np.nan}, ak.DomainError, "h: got nan; expected a finite real number"),
    ({"h": np.inf}, ak.DomainError, "h: got inf; expected"), ({"h": True}, ak.DomainError, "h: got True; expected"),
    ({"h": None}, ak.DomainError, "h: got None; expected"), ({"h": 1j}, ak.DomainError, "h: got 1j; expected"),
    ({"h": [1, 2]}, ak.DomainError, r"h: got \[1, 2\]; expected"),
    ({"h": 1, "rtol": 2}, ak.DomainError, "rtol: got 2; expected a number"),
])
def test_parameters_are_checked(parameters, error, text):
    with pytest.raises(error, match=text):
        quadratic().solve(**parameters)


def test_suggestions():
    alpha, beta = symbols("alpha beta", positive=True)
    memory = quadratic(parameters={alpha: ("load", "positive"), beta: ("inverse temperature", "positive")},
                       free_energy=x**2 / 2 - alpha * beta * x)
    with pytest.raises(ak.UnknownNameError, match="unknown parameter 'alhpa'; did you mean 'alpha'"):
        memory.solve(alhpa=1, beta=2)
    with pytest.raises(ak.DomainError, match="missing parameters alpha, beta"):
        memory.solve()
    s = quadratic().solve(h=1)
    with pytest.raises(ak.UnknownNameError, match="no quantity 'squar'; did you mean 'square'"):
        s["squar"]
    with pytest.raises(AttributeError, match="Solution has no attribute 'squar'; observables are square"):
        s.squar  # noqa: B018


@pytest.mark.parametrize(("domain", "good", "bad"), [
    ("positive", (1e-300, 5, "1/3"), (0, -1)), ("nonnegative", (0, 2.5), (-1e-9, np.inf)),
    ("real", (-3, 0, 4), (np.inf,)), ("[-1, 1]", (-1, 1, 0), (1.01,)), ("[0, 1]", (0, 1), (-0.1,)),
    ((2, 3), (2, 3, 2.5), (1.99, 3.01)),
])
def test_domains(domain, good, bad):
    theory = quadratic(parameters={h: ("", domain)})
    for value in good:
        assert theory.solve(h=value).converged
    for value in bad:
        with pytest.raises(ak.DomainError, match="h: got .*; expected a"):
            theory.solve(h=value)


def test_arrays_are_checked():
    D, T = symbols("D T", real=True)
    theory = quadratic(parameters={p: ("", "positive")}, free_energy=None, observables={},
                       equations=[x - ak.mean(T / (p + D), ak.Eigenvalues(D, T))])
    assert theory.solve(p=1, D=[1, 3], T=[2, 4])["x"] == 1.0
    with pytest.raises(ak.DomainError, match="arrays: D has 2, T has 3 entries; expected the same number"):
        theory.solve(p=1, D=[1, 3], T=[1, 2, 3])
    with pytest.raises(ak.DomainError, match="D: expected a non-empty array of finite numbers"):
        theory.solve(p=1, D=[], T=[])
    with pytest.raises(ak.DomainError, match="T: expected a non-empty array of finite numbers"):
        theory.solve(p=1, D=[1], T=[np.nan])
    with pytest.raises(ak.DomainError, match="missing parameters D, T"):
        theory.solve(p=1)


def test_a_symbol_that_vanishes_on_differentiation_is_noticed():
    x, h = symbols("x h", real=True)
    with pytest.raises(ak.StructureError, match="x is neither a parameter nor an unknown"):
        ak.Theory(name="stray", parameters={h: ("field", "real")}, unknowns=[x],
                  free_energy=x**2 / 2 - h * x + symbols("x", positive=True) ** 2)


def test_ambiguous_names_are_refused():
    x, h = symbols("x h", real=True)
    with pytest.raises(ak.StructureError, match="'V' stands for two different expressions"):
        ak.Theory(name="twice", parameters={h: ("field", "real")}, unknowns=[x],
                  equations=[x - ak.Named("V", h**2)], observables={"o": ak.Named("V", h**3)})


def test_text_is_never_evaluated_as_an_expression():
    x = symbols("x", real=True)
    with pytest.raises(ak.StructureError, match="expected a sympy expression"):
        ak.Theory(name="text", parameters={}, unknowns=[x], free_energy="__import__('os')")
    with pytest.raises(ak.ParseError):
        ak.E(x**2, (x, symbols("y", real=True)), rho="__import__('os')")


def test_many_digits_without_a_newton_block():
    x, a = symbols("x a", real=True)
    z = symbols("z", real=True)
    t = ak.Theory(name="explicit", parameters={a: ("shift", "real")}, unknowns=[x],
                  equations=[x - ak.E(tanh(z + 1) ** 2, z) - a])
    exact = ak.E(tanh(z + 1) ** 2, z).evalf(25)
    assert abs(t.precise(digits=20, a=2)["x"] - 2 - exact) < 1e-19


a = Symbol("a", positive=True)
q, s = symbols("q s")


def theory(unknowns, equations, **more):
    return ak.Theory(name="domain", unknowns=unknowns, equations=equations, parameters={a: ("number", "real")}, **more)


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_iterate_leaves_its_interval(backend):
    """The entropy is not defined outside (0, 1), and roots lie as near the borders as doubles do."""
    t = ak.Theory(name="entropy", unknowns={q: (0, 1)}, parameters={a: ("field", "positive")},
                  free_energy=-q * a + q * log(q) + (1 - q) * log(1 - q))
    fields = np.linspace(0.1, 35.0, 40)
    sweep = t.sweep(a=fields, backend=backend)
    assert sweep.converged.all()
    assert np.abs(sweep["q"] - 1 / (1 + np.exp(-fields))).max() < 3e-16
    exact = t.precise(digits=25, a="2.5")["q"]
    assert str(exact)[:20] == "0.924141819978756448"


def test_names_of_domains_mean_what_they_say():
    root = q**2 + q - 6                                       # 2 and -3
    assert theory({q: "positive"}, [root + 0 * a]).solve(a=1)["q"] == pytest.approx(2.0, rel=1e-14)
    assert theory({q: (-10, 0)}, [root + 0 * a]).solve(a=1)["q"] == pytest.approx(-3.0, rel=1e-14)
    assert theory({q: "nonnegative"}, [q - q / (2 + q)]).solve(a=1)["q"] == 0.0
    assert theory({q: "real"}, [q**3 + 8]).solve(a=1)["q"] == pytest.approx(-2.0, rel=1e-14)


def test_a_result_outside_its_domain_is_none():
    t = theory({q: (0, 1)}, [q - a])
    assert t.solve(a=0.5)["q"] == 0.5 and t.solve(a=1.0)["q"] == 1.0
    with pytest.raises(ak.ConvergenceError, match=r"q is declared in \(0, 1\) and came out as 2.0"):
        t.solve(a=2.0)
    with pytest.raises(ak.ConvergenceError):
        theory({q: (0, 1)}, [q + q**3 - a]).solve(a=5.0)


def test_a_start_that_is_not_defined_is_replaced():
    """sqrt(q - 4) and log(s - 9) are not real at the usual start, nor at most others."""
    t = theory({q: (0, 5), s: (0, 10)}, [sqrt(q - 4) - Rational(1, 2), log(s - 9) + 1 + 0 * q])
    found = t.solve(a=1)
    assert found["q"] == pytest.approx(4.25, rel=1e-13) and found["s"] == pytest.approx(9 + np.exp(-1), rel=1e-13)


def test_starts_outside_are_refused():
    with pytest.raises(ak.DomainError, match=r"start: q is 2.0, outside its domain \(0, 1\)"):
        theory({q: (0, 1)}, [q + q**3 - a], start={q: 2})
    with pytest.raises(ak.DomainError, match=r"start: q is -1.0, outside its domain \(0, 1\)"):
        theory({q: (0, 1)}, [q + q**3 - a]).solve(a=1, start={"q": -1})


@pytest.mark.parametrize("domain", [(1, 0), (0, 0), "postive", (0,), (0, "1"), None, 3, (0, float("nan")), (True, 2)])
def test_what_is_no_domain_is_refused(domain):
    with pytest.raises(ak.DomainError, match="unknowns: q has the domain .*; expected 'positive', 'nonneg"):
        theory({q: domain}, [q - a])


def test_a_domain_that_contradicts_the_symbol_is_refused():
    below = Symbol("below", negative=True)
    with pytest.raises(ak.StructureError, match="below has the domain 'positive', which contradicts"):
        theory({below: "positive"}, [below - a])


def test_a_root_beyond_its_interval_is_named():
    """No iterate leaves (0, 1): what ends at its border is no singular point."""
    t = theory({q: (0, 1)}, [q + q**3 - a])
    said = r"the root found lies outside the interval of its unknown: q = 1.3788 \(declared in \(0, 1\)\)"
    for solve in (t.solve, t.precise):
        with pytest.raises(ak.ConvergenceError, match=f"{solve.__name__}: {said}") as caught:
            solve(a=4.0)
    assert caught.value.solution["q"] == pytest.approx(1.3787967001, rel=1e-9)
    assert t.solve(a=1.0)["q"] == pytest.approx(0.6823278038, rel=1e-9)
    with pytest.raises(ak.ConvergenceError, match="the equations are not satisfied"):      # no root anywhere
        theory({q: (0, 1)}, [q**2 + q**4 + a]).solve(a=1.0)


def test_a_start_where_nothing_is_started():
    t = theory([q], [q - a])
    for verb in (t.solve, t.sweep):
        with pytest.raises(ak.DomainError, match=r"start: got 3; expected none: all unknowns follow from the param"):
            verb(a=[1.0] if verb == t.sweep else 1.0, start=3)


V, lam = symbols("V lam", positive=True)


def ridge(**assumed):
    D = Symbol("D", **assumed)
    return ak.Theory(name="ridge", unknowns=[V], parameters={lam: ("ridge", "positive")},
                     equations=[V - ak.mean(D / (lam + D / (1 + V)), ak.Eigenvalues(D))])


@pytest.mark.parametrize(("assumed", "array", "said"), [
    ({"positive": True}, [1.0, -1e-17, 2.0], r"D: got -1e-17 \(1 of 3 entries are not positive\); expected positive"),
    ({"positive": True}, [1.0, 0.0], r"D: got 0.0 \(1 of 2 entries are not positive\); expected positive numbers"),
    ({"nonnegative": True}, [-2, 1, -1], r"D: got -2.0 \(2 of 3 entries are not >= 0\); expected >= 0 numbers"),
    ({"positive": True}, np.eye(2) + 1, r"D: got an array of shape \(2, 2\); expected a one-dimensional array"),
    ({"real": True}, [[1.0], [2.0]], r"D: got an array of shape \(2, 1\); expected a one-dimensional array"),
    ({"real": True}, [[1.0], [2.0, 3.0]], r"D: got \[\[1.0\], \[2.0, 3.0\]\]; expected an array of real numbers")])
def test_every_verb_refuses(assumed, array, said):
    pytest.importorskip("flint", reason="python-flint is not installed")
    theory = ridge(**assumed)
    for method, more in ((theory.solve, {"lam": 1}), (theory.precise, {"lam": 1, "digits": 10}),
                         (theory.sweep, {"lam": [1.0, 2.0]}), (theory.certify, {"lam": 1, "floats": "exact"})):
        with pytest.raises(ak.DomainError, match=said):
            method(D=array, **more)


@pytest.mark.parametrize(("assumed", "array"), [
    ({"positive": True}, [1.0, 2.0]), ({"nonnegative": True}, [0.0, 2.0]), ({"real": True}, [-0.1, 2.0]),
    ({"positive": True}, 2.0), ({"positive": True}, (1, 2))])
def test_what_is_declared_is_taken(assumed, array):
    found = ridge(**assumed).solve(lam=1, D=array)["V"]
    D = np.array(array, float)
    assert found == pytest.approx(np.mean(D / (1 + D / (1 + found))), rel=1e-12)
