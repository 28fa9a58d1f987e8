"""Names as users type them, named expressions in every place, and old names."""

import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import Abs, Heaviside, Max, Piecewise, Symbol, cosh, erfc, exp, log, sign, sin, sqrt, symbols, tanh

import asympkit as ak
from asympkit.nodes import Applied, remove_names

#: arguments of the methods
ARGUMENTS = ("rtol", "start", "digits", "floats", "backend", "executor", "progress", "file", "quantity", "parameter",
             "over", "bounds", "stop", "begin", "step", "limit", "parameters", "self")


def named(parameter, unknown="m", observable="square"):
    p, m = Symbol(parameter, positive=True), Symbol(unknown, positive=True)
    return ak.Theory(name="named", parameters={p: ("", "positive")}, unknowns=[m], equations=[m - p / (1 + m)],
                     observables={observable: m**2})


@pytest.mark.parametrize("name", [r"\alpha", r"\hat{m}", "q_{1}", "m'", "x y", "\u03b1", "\U0001f436", "lambda"])
def test_what_is_typed_is_the_name(name):
    theory = named(name, f"{name}2", f"{name}3")
    s = theory.solve(parameters={name: 2.0})
    assert list(s.parameters) == [name] and list(s.order_parameters) == [f"{name}2"]
    assert s[f"{name}2"] == pytest.approx(1.0, rel=1e-14) and s[f"{name}3"] == pytest.approx(1.0, rel=1e-14)
    assert list(theory.sweep(parameters={name: np.array([1.0, 2.0])}).axes) == [name]
    module = theory.kernel.module
    assert [*module.PARAMETERS, *module.UNKNOWNS, *module.OBSERVABLES] == [name, f"{name}2", f"{name}3"]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_names_of_arguments_go_through_the_dictionary(name):
    theory, at = named(name), {name: 2}
    assert theory.solve(rtol=1e-10, parameters=at)["m"] == pytest.approx(1.0, rel=1e-9)
    assert theory.sweep(rtol=1e-10, parameters={name: np.array([2.0, 6.0])})["m"] == pytest.approx([1.0, 2.0])
    assert abs(theory.precise(digits=20, parameters=at)["m"] - 1) < 1e-19


def test_the_theories_of_the_papers_take_the_dictionary():
    at = {"eta": 1.0, "alpha0": 2.0, "alpha": 1.5}
    theory = ak.OneStep("tanh", "sin")
    one = theory.solve(**at, lam=0.1).test_error
    assert theory.solve(parameters={**at, "lam": 0.1}).test_error == one
    assert theory.solve(parameters=at, lam=0.1).test_error == one
    spikes = ak.NonlinearSpikes("tanh", "sin")
    at = {"phi": 0.5, "psi": 0.7, "lam": 0.1, "degree": 1}
    assert spikes.solve(parameters=at).test_error == spikes.solve(**at).test_error


@pytest.mark.parametrize(("given", "text"), [
    ({"parameters": {"h": 1}, "h": 2}, "parameters: h is given twice, as 2 and as 1"),
    ({"parameters": [1]}, r"parameters: got \[1\]; expected a dict \{name: value\}"),
    ({"parameters": {"g": 1}}, "named: unknown parameter 'g'"), ({"parameters": {}}, "named: missing parameter h"),
])
def test_what_the_dictionary_refuses(given, text):
    with pytest.raises(ak.DomainError if "unknown" not in text else ak.UnknownNameError, match=text):
        named("h").solve(**given)


def test_a_missing_name_of_an_argument_says_where_it_goes():
    with pytest.raises(ak.DomainError, match=r"missing parameter rtol; .*parameters=\{'rtol': \.\.\.\}"):
        named("rtol").solve(rtol=1e-10)
    with pytest.raises(ak.DomainError, match=r"missing parameter x y; .*parameters=\{'x y': \.\.\.\}"):
        named("x y").solve()


def test_a_symbol_serves_as_a_name():
    assert named("x y").solve(parameters={Symbol("x y"): 2.0})["m"] == pytest.approx(1.0)


MICRO, MU, LIGATURE = "\u00b5", "\u03bc", "\ufb01"


@pytest.mark.parametrize("names", [(MICRO, MU, "o"), ("fi", LIGATURE, "o"), ("p", MICRO, MU), ("p", "x2", "x\u00b2"),
                                   ("p", "m", "re\u017fidual")])
def test_twins_are_refused(names):
    with pytest.raises(ak.StructureError, match=r"look alike, and Python takes them for one name \(NFKC\)"):
        named(*names)


def test_twins_among_arrays_and_observables_are_refused():
    p, m, D = Symbol(MICRO, positive=True), Symbol("m", positive=True), Symbol(MU, real=True)
    mean = ak.mean(1 / (p + m * D), ak.Eigenvalues(D))
    with pytest.raises(ak.StructureError, match=r"symbols: .* look alike"):
        ak.Theory(name="arrays", parameters={p: ("", "positive")}, unknowns=[m], equations=[m - mean])
    p = Symbol("p", positive=True)
    with pytest.raises(ak.StructureError, match=r"results: '\u00b5' \(U\+00B5\) and '\u03bc' \(U\+03BC\) look alike"):
        ak.Theory(name="results", parameters={p: ("", "positive")}, unknowns=[m], equations=[m - p],
                  observables={MICRO: m, MU: m**2})


@pytest.mark.parametrize("name", [MICRO, MU])
def test_a_normalised_keyword_is_the_name_that_is_meant(name):
    theory = named(name, observable=f"{name}2")
    for typed in (MICRO, MU):
        s = theory.solve(**{typed: 2.0})
        assert list(s.parameters) == [name] and s["m"] == pytest.approx(1.0)
        assert s[f"{name}2"] == getattr(s, f"{MU}2") == pytest.approx(1.0)      # Python normalises attributes
    with pytest.raises(ak.DomainError, match="is given twice"):
        theory.solve(**{MICRO: 2.0, MU: 2.0})


def test_several_sets_of_eigenvalues():
    p, m, k = Symbol("p", positive=True), Symbol("m", positive=True), Symbol("k", real=True)
    A, B = symbols("A B", real=True)
    theory = ak.Theory(name="sets", parameters={p: ("", "positive")}, unknowns=[m, k],
                       equations=[m - ak.mean(1 / (p + m * A), ak.Eigenvalues(A)) - ak.mean(B, ak.Eigenvalues(B)) / 9,
                                  k - ak.mean(A * B * m, ak.Eigenvalues(A, B))])
    a, b = np.array([1.0, 2.0, 4.0]), np.array([0.5, 1.0, 3.0])
    s = theory.solve(p=1.0, A=a, B=b)
    assert s["m"] == pytest.approx(np.mean(1 / (1 + s["m"] * a)) + b.mean() / 9, rel=1e-13)
    assert s["k"] == pytest.approx(s["m"] * np.mean(a * b), rel=1e-13)
    assert abs(theory.precise(digits=15, p=1, A=a, B=b)["k"] - s["k"]) < 1e-12
    assert theory.certify(digits=10, p=1, A=[1, 2, 4], B=["1/2", 1, 3])["m"].mid == pytest.approx(s["m"])
    sweep = theory.sweep(p=np.array([1.0, 2.0]), A=a, B=b)
    assert sweep["k"][0] == pytest.approx(s["k"], rel=1e-12)
    assert theory.sensitivity("k", "p", p=1.0, A=a, B=b) == pytest.approx(
        (theory.solve(p=1.001, A=a, B=b)["k"] - theory.solve(p=0.999, A=a, B=b)["k"]) / 0.002, rel=1e-5)
    with pytest.raises(ak.DomainError, match="arrays: A has 2, B has 3 entries"):
        theory.solve(p=1.0, A=a[:2], B=b)


@pytest.mark.parametrize("array", [[1 + 1j, 2.0], np.array([1.0 + 0j, 2.0]), [1.0, 2j]])
def test_complex_eigenvalues_are_refused(array):
    p, m, D = Symbol("p", positive=True), Symbol("m", positive=True), Symbol("D", real=True)
    theory = ak.Theory(name="complex", parameters={p: ("", "positive")}, unknowns=[m],
                       equations=[m - ak.mean(1 / (p + m * D), ak.Eigenvalues(D))])
    for solve in (theory.solve, theory.precise):
        with pytest.raises(ak.DomainError, match="D: got complex numbers; expected an array of real ones"):
            solve(p=1, D=array)
    with pytest.raises(ak.DomainError, match="D: got .*'a'.*; expected an array of real numbers"):
        theory.solve(p=1, D=["a"])
    with pytest.raises(ak.StructureError, match="symbols: p names an array of eigenvalues and a parameter"):
        ak.Theory(name="both", parameters={p: ("", "positive")}, unknowns=[m],
                  equations=[m - p - ak.mean(1 / (1 + m * p), ak.Eigenvalues(p))])


@pytest.mark.parametrize(("unknown", "observables"), [
    ("m", ("e", "de", "size_de", "dde")), ("e", ("de_", "dm", "de")), ("x", ("x_", "dx", "dx_", "size_dx_"))])
def test_derivatives_never_have_the_name_of_another_quantity(unknown, observables):
    p, m, f = Symbol("p", positive=True), Symbol(unknown, positive=True), Symbol(f"d{unknown}__", real=True)
    theory = ak.Theory(name="rates", parameters={p: ("", "positive"), f: ("", "real")}, unknowns=[m],
                       equations=[m - p / (1 + m)], observables={o: m**k + f for k, o in enumerate(observables, 2)})
    at = {"p": 2.0, f"d{unknown}__": 0.5}
    # m (1 + m) = p: dm/dp = 1/(1 + 2m), and m = 1
    assert theory.sensitivity(unknown, "p", **at) == pytest.approx(1 / 3, rel=1e-9)
    for k, o in enumerate(observables, 2):
        assert theory.sensitivity(o, "p", **at) == pytest.approx(k / 3, rel=1e-9), o


def test_a_rate_is_not_bound_by_an_average():
    # an array of eigenvalues may be called what the derivative of an unknown would be
    p, m, D = Symbol("p", positive=True), Symbol("m", positive=True), Symbol("dm", real=True)
    theory = ak.Theory(name="bound", parameters={p: ("", "positive")}, unknowns=[m],
                       equations=[m - ak.mean(1 / (p + m * D), ak.Eigenvalues(D))])
    step = [theory.solve(p=1 + s * 1e-4, dm=[1.0, 3.0])["m"] for s in (-1, 1)]
    assert theory.sensitivity("m", "p", p=1.0, dm=[1.0, 3.0]) == pytest.approx((step[1] - step[0]) / 2e-4, rel=1e-6)


@pytest.mark.parametrize("name", ["</math><script>", "a&b", "\x00", "\n", "]]>", "&lt;", "a_b<c", "\u202e"])
def test_names_in_mathml_are_text(name):
    from xml.dom import minidom

    u, x = Symbol("u", real=True), Symbol("x", real=True)
    theory = ak.Theory(name="markup", parameters={Symbol(name, real=True): ("", "real")}, unknowns=[u],
                       activations={name: "tanh"},
                       equations=[u - Symbol(name, real=True) - ak.E(Applied(name, x) ** 2, x)])
    tree = minidom.parseString(f"<x>{theory.equations().mathml()}</x>")
    tags = {e.tagName for e in tree.getElementsByTagName("*")}
    assert "script" not in tags and all(t == "x" or t.startswith("m") for t in tags)


def test_observables_in_latex_are_letters():
    u, p = symbols("u p", real=True)
    theory = ak.Theory(name="tex", parameters={p: ("", "real")}, unknowns=[u], equations=[u - p],
                       observables={"a_b": u, "50% & {more}\n\\input": u**2})
    text = theory.equations().latex()
    assert r"\mathrm{a\_b} &= u" in text
    assert r"\mathrm{50\%\ \&\ \{more\}?\backslash{}input} &= u^{2}" in text


m, h, z, y = symbols("m h z y", real=True)
a, k = symbols("a k", positive=True)
SCALE, SHIFT, WIDTH = (ak.Named("scale", sqrt(1 + a**2)), ak.Named("shift", h * a + m / 5),
                       ak.Named("width", a / (1 + a)))
FIELD = ak.Named("field", a * z + h)

PLACES = {
    "factor": SCALE * tanh(m), "logarithm": log(1 - WIDTH + WIDTH * exp(SHIFT)), "inside": ak.E(tanh(SCALE * z + h), z),
    "of the variable": ak.E(FIELD**2 / 9 + tanh(FIELD), z), "abs": ak.E(Abs(SHIFT + SCALE * z), z),
    "max": ak.E(Max(0, z - SHIFT) * tanh(z * SCALE), z), "sign": ak.E(sign(FIELD) * z, z),
    "threshold": ak.E(Piecewise((tanh(z), z > SHIFT), (0, True)), z), "step": ak.E(Heaviside(z - SHIFT) * sin(z), z),
    "case": ak.E(Piecewise((SCALE * z, FIELD > 0), (0, True)), z),
    "envelope": ak.E(ak.Moreau("hinge", 1, SCALE * z + SHIFT, WIDTH), z),
    "root": ak.E(ak.Moreau("logistic", 1, SCALE * z + SHIFT, WIDTH), z),
    "point": ak.E(ak.prox("absolute", SHIFT, SCALE * z, WIDTH), z),
    "several": ak.E(tanh(SCALE * z + sin(y) * WIDTH + SHIFT), (z, y)),
    "correlation": ak.E(tanh(z) * tanh(SCALE * y + h), (z, y), WIDTH),
    "nested": ak.E(tanh(z + h + ak.E(tanh(SCALE * y + z * SHIFT), y)), z),
    "tail": ak.E(erfc(SCALE * z + SHIFT) * log(2 * cosh(SHIFT + z)), z),
    "law": ak.mean(k * SCALE / (WIDTH + k * SCALE), ak.MarchenkoPastur(k, WIDTH)),
    "activation": ak.E(Applied("f", SCALE * z + WIDTH), z), "value": ak.E(Applied("f", SCALE * z) * sin(m + z), z),
}
QUICK = ("factor", "inside", "root", "law", "activation", "value")


def results(expr):
    """The unknown by every back end, and its derivative."""
    t = ak.Theory(name="names", parameters={a: ("", "positive"), h: ("", "real")}, unknowns=[m], start={m: 0.3},
                  equations=[m - h - expr / 9], activations={"f": "tanh"} if expr.has(Applied) else None)
    at = {"a": 0.7, "h": 0.2}
    space = {}
    exec(compile(t.source(), "module", "exec"), space)
    return [t.solve(**at)["m"], t.sweep(a=np.array([0.7, 0.8]), h=0.2, backend="numpy", rtol=1e-12)["m"][0],
            float(t.precise(digits=13, **at)["m"]), float(t.certify(digits=10, floats="decimal", **at)["m"].mid),
            space["solve"](**at)["m"]], float(t.sensitivity("m", "a", **at))


@pytest.mark.parametrize("place", slow_but(tuple(PLACES), *QUICK))
def test_names_change_nothing(place):
    (first, *others), slope = results(PLACES[place])
    assert others == pytest.approx([first] * len(others), rel=2e-12)
    plain, plain_slope = results(remove_names(PLACES[place]))
    assert plain == pytest.approx([first] * len(plain), rel=2e-12) and slope == pytest.approx(plain_slope, rel=1e-10)


AT = {"gamma": 0.9, "alpha": 2, "lam": 0.1}


@pytest.mark.parametrize("options", slow_but([{}, {"loss": "square", "labels": "sign"}, {"bias": 0.3}], 0))
def test_letters_are_r_and_c(options):
    theory = ak.SpikedFeatures("tanh", "z", **options)
    new = theory.solve(r=1.2, c=1.1, **AT)
    with pytest.warns(DeprecationWarning, match=r"letters=\[\(r, c, 1\)\] is .* 0\.3\.0; use r=, c=") as found:
        old = theory.solve(letters=[(1.2, 1.1, 1)], **AT)
    assert (old.test_error, old.parameters) == (new.test_error, new.parameters) and found[0].filename == __file__
    with pytest.warns(DeprecationWarning):
        old = theory.precise(digits=20, parameters={"letters": [("1.2", "1.1", 1)]}, gamma="0.9", alpha=2, lam="0.1")
    assert float(old.test_error) == pytest.approx(new.test_error, rel=1e-11)


def test_letters_of_a_sweep():
    theory = ak.SpikedFeatures("tanh", "sin")
    with pytest.warns(DeprecationWarning):
        old = theory.sweep(letters=[(1.2, 1.1, 1)], gamma=0.9, alpha=2, lam=[0.1, 0.2])
    new = theory.sweep(r=[1.2, 2.0], c=1.1, gamma=0.9, alpha=2, lam=[0.1, 0.2])
    np.testing.assert_allclose(new["test_error"][0], old["test_error"], rtol=1e-12)
    assert new["test_error"][1, 1] == pytest.approx(theory.solve(r=2, c=1.1, gamma=0.9, alpha=2, lam=0.2).test_error)


@pytest.mark.parametrize("letters", [3, [(1, 1)], [(1, 1, 1), (1,)], [(1, 1, 0.5), (2, 1, 0.5)], [(1, 1, 2)]])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_letters_that_are_none(letters):
    with pytest.raises(ak.DomainError, match=r"letters: got .*; expected \[\(r, c, 1\)\], or rather r= and c="):
        ak.SpikedFeatures("tanh", "sin").solve(letters=letters, **AT)


def test_a_step_never_had_letters():
    with pytest.raises(ak.UnknownNameError, match="unknown parameter 'letters'"):
        ak.OneStep("tanh", "sin").solve(eta=1, alpha0=1, letters=[(1, 1, 1)], alpha=2, lam=0.1)


def test_grants_are_tolerances():
    m, h = symbols("m h", real=True)
    given = {"name": "shift", "parameters": {h: ("field", "real")}, "unknowns": [m], "equations": [m - h]}
    allowed = [ak.Tolerance("m", 0.02, "finite size")]
    with pytest.warns(DeprecationWarning, match="ak.Grant is deprecated and goes in version 0.3.0; use ak.Tolerance"):
        assert ak.Grant is ak.Tolerance
    with pytest.warns(DeprecationWarning, match="grants= is deprecated .* use tolerances=") as found:
        theory = ak.Theory(**given, grants=allowed)
    assert theory.tolerances == tuple(allowed) and found[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="use tolerances"):
        assert theory.grants == theory.tolerances
    report = theory.check(h=1.0)
    with pytest.warns(DeprecationWarning, match="use Report.tolerances"):
        assert report.grants == report.tolerances == theory.tolerances
    assert "Grant" not in dir(ak) and "grants" not in dir(theory)
