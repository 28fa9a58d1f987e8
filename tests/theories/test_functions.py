"""Every function that a text, an activation or a closed form may hold, in a user-defined theory, in every back end."""

import json
from contextlib import nullcontext

import mpmath
import numpy as np
import pytest
import sympy as sp
from helpers.modules import run_alone
from helpers.tiers import slow_but
from sympy import Rational, Symbol, cosh, erf, erfc, exp, gamma, log, pi, sqrt, tanh

import asympkit as ak
from asympkit.numbers.functions import entries, is_builtin
from asympkit.numbers.functions.classes import NormalBlur, Side, Size, SlopeSize
from asympkit.numbers.functions.elementary import REWRITTEN
from asympkit.numbers.functions.pair_classes import BivariateNormalCDF, OwenT
from asympkit.parsing.grammar import FUNCTIONS
from asympkit.parsing.reader import ELEMENTARY
from asympkit.program.steady import steady

u, x, z = sp.symbols("u x z", real=True)
a = Symbol("a", positive=True)

#: in u, all regular at the points used here
CASES = {name: ak.parse(f"{name}(u)", names=("u",)) for name in (*ELEMENTARY, *FUNCTIONS)}
CASES |= {"max": sp.Max(u, Rational(1, 3)), "min": sp.Min(u, Rational(1, 3), 2), "abs": sp.Abs(u - 2),
          "size": Size(u - 2), "pi": pi * u, "e": sp.E * u,
          "where": ak.parse("where(u > 1/9, u**2, sin(u))", names=("u",)),
          "power 3/2": u ** Rational(3, 2), "power -1/3": u ** Rational(-1, 3), "power u": u**u, "base 2": 2**u,
          "power a": u**a, "a power": a**u, "float": 0.1 * u, "cases": sp.Piecewise(
              (u, (u > 2) | (u < -1)), (u**2, sp.Ne(u, 7) & ~(u < -9)), (0, True)),
          "steady": exp(-(u**2)) / erfc(u), "log of tail": log(1 - erf(u))}
CASES |= {name: getattr(sp, name)(u) for name in ("acos", "sech", "asinh", "atanh", "sinc", "csc", "loggamma")}
CASES |= {"gamma": gamma(1 + u), "polygamma": sp.polygamma(1, 1 + u), "besselj": sp.besselj(2, 3 * u),
          "besseli": sp.besseli(1, u), "OwenT": OwenT(u, 2), "BivariateNormalCDF": BivariateNormalCDF(
              u, Rational(1, 3), Rational(1, 2)), "LogErfc": ak.LogErfc(u), "LogPhi": ak.LogPhi(-u),
          "Mills": ak.Mills(-u), "gap": ak.Mills(-u).diff(u), "log I0": log(sp.besseli(0, u)),
          "I1/I0": sp.besseli(1, u) / sp.besseli(0, u), "log cosh": log(3 * cosh(u)), "log gamma": log(gamma(
              1 + u**2)), "log of sum": log(2 + exp(u)), "log of two": log(exp(u) + exp(-2 * u)),
          "Side": Side(u) * u, "slope size": SlopeSize(u - 2),
          "windows": NormalBlur(0, -2, u - 1, 1 + 2 * u**2, -1, 1) + sum(
              NormalBlur(j, -1, u, Rational(1, 2), -1, -1) for j in (0, 1)),
          "mixture": log(1 - a + a * exp(u)), "three": log(a + exp(u) + exp(-3 * u)), "share": a * exp(2 * u) / (
              1 - a + a * exp(2 * u) + sp.sinh(u) ** 2), "entropy": u * log(u) + (1 - u / 9) * log(1 - u / 9),
          "log1p": log(1 + u**2 / 3), "expm1": exp(u) - 1,
          "logistic": exp(u) / (1 + exp(u)), "sinh/cosh": sp.sinh(u) / cosh(u) ** 2}
JUMPS = ("sign", "step", "Side")
#: cases that do not meet, and whose borders move under an average
MOVING = ("where", "cases", "sinc", "hardshrink")


#: no proof bounds these under an average (poles, cuts), or the point lies on a border for some node
UNBOUNDED = ("tan", "asin", "acos", "hardtanh", "power u", "power a", "float", "sinc", "csc", "log", "sqrt", "atanh",
             "power -1/3", "power 3/2", "steady", "log of tail", "cases", "acos", "where", "softplus", "mish",
             "gamma", "loggamma", "log gamma", "polygamma", "windows", "entropy", "size")


def theory(place, names):
    """A theory in one unknown that is made of the sum of some functions."""
    names = [n for n in names if place == "observable" or n not in JUMPS and (place != "average" or n not in MOVING)]
    arguments = {"unknown": x, "average": Rational(1, 2) + z**2 / (60 + 3 * z**2) + x / 9, "observable": x * a,
                 "column": Rational(1, 7) + z**2 / (2 + 2 * z**2)}
    total = sp.Add(*(CASES[n].xreplace({u: arguments[place]}) for n in names)) / 200
    total = {"average": lambda: ak.E(total, z), "column": lambda: ak.E(total * tanh(x + z), z),
             "observable": lambda: tanh(x) / 20, "unknown": lambda: total}[place]()
    observables = {f"o{k}": CASES[n].xreplace({u: x * a}) for k, n in enumerate(names)} if place == "observable" else {}
    return ak.Theory(name=f"functions, {place}", parameters={a: ("", "positive")}, unknowns=[x],
                     equations=[x - a - total], observables=observables, start={x: 0.4})


def flat(solution):
    return {**solution.order_parameters, **solution.observables}


def readings(t, certified=True, digits=15):
    """Values of a theory by every back end in this process; the first is in double precision."""
    at = {"a": "0.3"}
    got = {"solve": flat(t.solve(a=0.3))}
    sweep = t.sweep(a=np.array([0.3, 0.31]), backend="numpy", rtol=1e-12)
    got["sweep"] = {name: sweep[name][0] for name in got["solve"]}
    got["precise"] = flat(t.precise(digits=digits, **at))
    if certified:
        got["certify"] = {name: ball.mid for name, ball in flat(t.certify(digits=12, floats="decimal", **at)).items()}
    for text in (t.equations().text(), t.equations().latex(), t.equations().mathml()):
        assert "LogErfc" not in text
    return got


def assert_agree(got, tolerance):
    reference = got["precise"]
    for reading, found in got.items():
        for name, value in found.items():
            assert abs(float(value) - float(reference[name])) <= tolerance * (1 + abs(float(reference[name]))), (
                reading, name, value, reference[name])


def test_every_known_function_is_among_the_cases():
    inside = {type(f).__name__ for e in CASES.values() for f in sp.preorder_traversal(e)}
    inside |= {type(f).__name__ for e in CASES.values() for f in sp.preorder_traversal(steady(e))}
    steps = {"LogisticEnvelope", "LogisticSlope", "Saturated"}          # of losses, which have tests of their own
    assert {e.name for e in entries() if is_builtin(e.name)} - inside == {"MPResolvent", "FreeSumRoot", *steps}


FEW = ("erf", "erfc", "max", "step", "where", "abs", "power u", "steady", "log of tail", "gelu", "cases",
       "besselj", "Mills", "log of sum", "log1p", "expm1")


@pytest.mark.parametrize("place", slow_but(["unknown", "observable", "average", "column"], 0, 3))
def test_functions_in_every_reading(place):
    plain = place in ("unknown", "observable")
    t = theory(place, [n for n in CASES if n != "float"] if plain else FEW)
    assert_agree(readings(t, certified=plain, digits=12), 2e-13)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["unknown", "observable", "average", "column"])
@pytest.mark.parametrize("name", CASES)
def test_each_function_in_every_reading(name, place):
    if name in JUMPS and place in ("unknown", "average") or name in MOVING and place == "average":
        # a side is no jump: whoever uses it knows that both forms agree
        with nullcontext() if name == "Side" else pytest.raises(ak.StructureError, match="jump"):
            assert ak.Theory(name="jump", parameters={a: ("", "positive")}, unknowns=[x],
                             equations=[x - a - ak.E(CASES[name].xreplace({u: x + z**3}) * z, z) if place == "average"
                                        else x - a - CASES[name].xreplace({u: x})])
        return
    t = theory(place, [name])
    provable = place in ("unknown", "observable") or name not in UNBOUNDED
    if (name, place) == ("share", "column"):    # a quotient of exponentials beside another function of the node
        provable = False
        with pytest.raises(ak.ProofError, match="no growth bound"):
            t.certify(a="0.3", digits=12)
    assert_agree(readings(t, certified=provable and name != "float"), 2e-13)
    loops = t.sweep(a=np.array([0.3, 0.31]), backend="numba", rtol=1e-13)
    assert abs(loops["x"][0] - t.solve(a=0.3, rtol=1e-13)["x"]) < 1e-13


def assert_outputs(found, expected):
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-13), name


def test_batches_and_generated_modules(tmp_path):
    """The module that the package solves with, and the one that stands alone, without this package."""
    every = theory("observable", list(CASES))
    expected, m = flat(every.solve(a=0.3)), every.kernel.module
    every.generate(tmp_path / "every.py")
    alone = run_alone("import json\nimport every as m\nprint(json.dumps(m.solve(0.3)))", tmp_path,
                      ("asympkit", "sympy", "scipy", "numba"))
    assert_outputs(json.loads(alone), expected)
    batch = m.solve_batch(np.array([0.3]), np.array([0.4]), 2, 1e-9, 100)[0][:, 0]
    assert_outputs(dict(zip(m.OUTPUTS, map(float, batch))), expected)


@pytest.mark.parametrize(("expr", "sentence"), [
    (sp.zeta(x), r"equations: the function zeta in zeta\(x\) is not known to every back end; known functions are Abs,"),
    (sp.bessely(0, x), "the function bessely"), (sp.floor(x), "the function floor"),
    (sp.besselj(a, x), "the order of besselj.* is a; expected an integer of size 200 at most"),
    (sp.besseli(Rational(1, 2), x), "the order of besseli.* is 1/2; expected an integer"),
    (sp.Function("erf")(x), r"erf\(x\) is a function without a meaning"), (sp.EulerGamma * x, "the number EulerGamma"),
    (sp.I * x, "holds I; expected a real expression that is finite"), (sp.Integral(sp.zeta(x), (x, 0, a)), "Integral"),
    (sp.sign(x), "equations: there is a jump where x = 0, and its derivative, which Newton's method needs"),
    (sp.Heaviside(x - a) * x, "there is a jump where"), (ak.E(sp.sign(x + z**3) * z, z), "there is a jump where"),
])
def test_what_no_reading_knows_is_refused_when_the_theory_is_made(expr, sentence):
    with pytest.raises(ak.StructureError, match=sentence):
        ak.Theory(name="refused", parameters={a: ("", "positive")}, unknowns=[x], equations=[x - a - expr])


def test_refusals_in_free_energies_observables_and_of_complex_symbols():
    c = Symbol("c")
    arguments = {"name": "refused", "parameters": {a: ("", "positive")}}
    with pytest.raises(ak.StructureError, match=r"free_energy: the function zeta in zeta\(x\)"):
        ak.Theory(unknowns=[x], free_energy=x**2 - sp.zeta(x), **arguments)
    with pytest.raises(ak.StructureError, match=r"observables\['o'\]: the function zeta"):
        ak.Theory(unknowns=[x], equations=[x - a], observables={"o": sp.zeta(x)}, **arguments)
    with pytest.raises(ak.StructureError, match="must be declared real"):
        ak.Theory(unknowns=[c], equations=[c - a - sp.Abs(c)], **arguments)
    with pytest.raises(ak.StructureError, match="there is a jump where"):
        ak.Theory(unknowns=[x], free_energy=x**2 - a * sp.sign(x), **arguments)


def test_averages_inside_averages_are_closed_or_summed():
    arguments = {"name": "nested", "parameters": {a: ("", "positive")}, "unknowns": [x]}
    y = Symbol("y", real=True)
    nested = ak.Theory(equations=[x - a - ak.E(ak.E(erf(x + z + y), z) ** 2, y) / 20], **arguments)
    flat_one = ak.Theory(equations=[x - a - ak.E(erf((x + y) / sqrt(3)) ** 2, y) / 20], **arguments)
    assert nested.solve(a=0.3)["x"] == pytest.approx(flat_one.solve(a=0.3)["x"], rel=1e-14)
    summed = ak.Theory(equations=[x - a - ak.E(ak.E(tanh(x + z + y), z) ** 2, y) / 20], **arguments)
    value, line = summed.solve(a=0.3)["x"], np.arange(-9, 9.1, 0.1)
    weights = np.exp(-line**2 / 2) / np.exp(-line**2 / 2).sum()
    means = np.tanh(value + line[:, None] + line) @ weights
    assert value == pytest.approx(0.3 + weights @ means**2 / 20, rel=1e-13)


def test_kinks_that_move_are_closed_and_kinks_that_stay_are_resolved():
    closed = ak.Theory(name="closed", parameters={a: ("", "positive")}, unknowns=[x],
                       equations=[x - a - ak.E(sp.Max(0, x + z) + sp.sign(x - z) / 3, z) / 4])
    smooth = x - a - (x * erfc(-x / sqrt(2)) / 2 + exp(-(x**2) / 2) / sqrt(2 * pi) + erf(x / sqrt(2)) / 3) / 4
    same = ak.Theory(name="same", parameters={a: ("", "positive")}, unknowns=[x], equations=[smooth])
    assert closed.solve(a=0.3)["x"] == pytest.approx(same.solve(a=0.3)["x"], rel=1e-14)
    fixed = ak.Theory(name="fixed", parameters={a: ("", "positive")}, unknowns=[x], equations=[
        x - a - ak.E(sp.Max(z - Rational(1, 3), 0) * tanh(x + z) + sp.sign(z + 1) * sp.cos(x * z), z) / 4])
    value = fixed.solve(a=0.3)["x"]
    with mpmath.workdps(30):
        x0, third = mpmath.mpf(value), mpmath.mpf(1) / 3
        mean = mpmath.quad(lambda v: (v - third) * mpmath.tanh(x0 + v) * mpmath.npdf(v), [third, 3, 7, 14])
        cosines = [mpmath.quad(lambda v: mpmath.cos(x0 * v) * mpmath.npdf(v), [low, 6, 14]) for low in (-1, 1)]
        mean += cosines[0] - cosines[1]
        assert abs(x0 - mpmath.mpf("0.3") - mean / 4) < 1e-14
    assert value == pytest.approx(float(fixed.precise(digits=12, a="0.3")["x"]), rel=1e-13)


def test_rewritten_functions_are_what_they_stand_for():
    for name, form in REWRITTEN.items():
        at = 3.7 if name == "acosh" else 0.37
        assert float(form(sp, sp.Float(at, 20)).doit()) == pytest.approx(float(getattr(sp, name)(at)), rel=1e-13), name
