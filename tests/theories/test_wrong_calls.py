"""Wrong calls by the hundred: every argument with everything it cannot be gives a sentence, never a raw error."""

import decimal
import inspect
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sympy as sp
from helpers.tiers import slow_these
from sympy import Eq, Symbol, symbols, tanh

import asympkit as ak
from asympkit.nodes import Applied

x, h, u, z = symbols("x h u z", real=True)
GOOD = {"name": "t", "parameters": {h: ("field", "real")}, "unknowns": [x], "equations": [x - h]}


class Odd:
    """Something that only looks like a number."""

    def __float__(self):
        raise RuntimeError


ANY = [True, 3, -2.5, 1j, float("nan"), float("inf"), b"x", [1], [[1], [2, 3]], (1, 2), {"a": 1}, {1}, object(), Odd(),
       np.zeros(3), np.zeros((2, 2)), np.array("a"), np.array([1, None]), u, x + h, sp.I * x, sp.zoo, sp.nan, sp.oo,
       sp.true, x < h, sp.Matrix([x]), sp.MatrixSymbol("A", 2, 2), Symbol("a", commutative=False),
       Symbol("i", imaginary=True), lambda t: t, [x, "y"], [x, x], range(2), iter([u]), type, sp.Dummy("d"),
       sp.Interval(0, 1), sp.FiniteSet(x), np.datetime64("2020"), 10**400, "x" * 1000, ""]
OWN = {
    "name": [None, 0, x],
    "parameters": [None, {"h": ("a", "real")}, {h: None}, {h: "real"}, {h: ("a",)}, {h: ("a", "b", "c")},
                   {h: ("a", 3)}, {h: (1, "real")}, {h: ("a", (1,))}, {h: ("a", (2, 1))}, {h: ("a", "complex")},
                   {h: ("a", ("0", "1"))}, {h: ("a", None)}, {h: ("a", [1, 2, 3])}, [h], h],
    "unknowns": [None, x, "x", ["x"], {"x"}, {x}, [x**2], [x, None], [Symbol("x", real=False)]],
    "free_energy": ["x**2", "__import__('os')", [x], Eq(x, h), {x: x}, sp.sqrt(-1) * x, sp.log(-1) * x, u**2],
    "equations": ["x", x - h, {x: h}, {x - h}, [], [x - h, x], ["x - h"], [x < h], [Eq(x, x)], [x == x], [[x]], [None],
                  [Eq(sp.Matrix([x]), sp.Matrix([h]))], [sp.I * x], [sp.zoo], [sp.nan], [x - float("inf")], [x - u],
                  [x - z], [Applied("student", x)], [sp.Ne(x, h)]],
    "observables": ["x", [x], {"o": "x"}, {"o": None}, {"o": Eq(x, h)}, {"o": sp.I * x}, {1: x}, {"": x}, {x: x},
                    {"o": sp.Matrix([x])}, {"o": u}, {"o": x > 0}, {"o": sp.oo}],
    "start": [1.0, [1.0], "x", {"x": 1.0}, {u: 1.0}, {x: "1"}, {x: "one"}, {x: None}, {x: 1j}, {x: np.zeros(2)},
              {x: [1.0]}, {x: float("nan")}, {x: sp.oo}, {x: True}, {x: x}, {Symbol("x", positive=True): 1.0}],
    "activations": ["tanh", {1: "tanh"}, {"student": None}, {"student": 3}, {"student": "nonsense("},
                    {"student": x + h}, {"": "tanh"}],
}
#: what is none of these: a name, a constant or another expression
FINE = {"name": (1000 * "x",), "free_energy": (3, -2.5, 10**400, x + h), "equations": ([1],),
        "observables": ({"a": 1},), "activations": ({"student": 3}, {"a": 1})}


def assert_sentence(call, text=None):
    """Whether a call raises an error of ours with a sentence that names the argument."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ak.AsympkitError) as caught:
            call()
    said = str(caught.value)
    assert len(said) > 15 and (text is None or text in said), said


@pytest.mark.parametrize("argument", OWN)
def test_arguments_of_theory(argument):
    for value in (*OWN[argument], *ANY):
        given = {**GOOD, argument: value}
        if argument == "free_energy":
            given.pop("equations")
        if any(type(value) is type(f) and repr(value) == repr(f) for f in FINE.get(argument, ())):
            ak.Theory(**given)
        else:
            assert_sentence(lambda given=given: ak.Theory(**given))


@pytest.mark.parametrize(("changes", "text"), [
    ({"name": None}, "name: got None; expected a text"),
    ({"parameters": [h]}, "parameters: got h in a list; expected asympkit.Parameter(symbol, meaning, domain)"),
    ({"parameters": {h: "real"}}, "parameters: got 'real' for h; expected a pair (meaning, domain)"),
    ({"parameters": {h: ("a", "")}}, "h: domain: got ''; expected one of positive, nonnegative"),
    ({"parameters": {h: ("a", "complex")}}, "h: domain: got 'complex'; expected one of positive, nonnegative"),
    ({"parameters": {h: ("a", (2, 1))}}, "h: domain: got (2, 1); expected one of"),
    ({"unknowns": x}, "unknowns: got x; expected a list of symbols, such as [x, y]"),
    ({"unknowns": {x}}, "unknowns: got a set, which has no order; expected a list"),
    ({"equations": x - h}, "equations: got -h + x; expected a list of expressions that vanish"),
    ({"equations": [x - h, x]}, "equations: got 2 for 1 unknowns (x); expected one for each unknown"),
    ({"equations": [x < h]}, "equations[0]: got the relation x < h; expected an expression that vanishes, or an Eq"),
    ({"equations": [Eq(x, x)]}, "equations[0]: got True, which holds always or never"),
    ({"equations": ["x"]}, "equations[0]: got 'x'; expected a sympy expression (asympkit.parse reads text)"),
    ({"equations": [sp.Matrix([x])]}, "equations[0]: got Matrix([[x]]) (a matrix); expected a sympy expression"),
    ({"equations": [sp.zoo + x]}, "holds zoo; expected a real expression that is finite"),
    ({"observables": {"o": "x"}}, "observables['o']: got 'x'; expected a sympy expression"),
    ({"start": {x: "1"}}, "start: got '1' for x; expected a finite number"),
    ({"start": {u: 1.0}}, "start: u is no unknown; unknowns are x"),
    ({"start": {Symbol("x", positive=True): 1.0}}, "there is one of that name with other assumptions"),
    ({"equations": [x - Applied("student", h)]}, "activations: student is applied in the expressions and not given"),
    ({"activations": ["tanh"]}, "activations: got ['tanh']; expected a dict {label: activation}"),
])
def test_the_sentences(changes, text):
    assert_sentence(lambda: ak.Theory(**{**GOOD, **changes}), text)


def test_what_can_be_read_once_and_what_is_nearly_wrong_is_accepted():
    t = ak.Theory(**{**GOOD, "unknowns": iter([x]), "equations": (e for e in [Eq(2 * x, h)]),
                     "observables": {"constant": 3, "half": sp.Rational(1, 2)}, "start": {x: sp.Rational(1, 2)}})
    assert t.solve(h=3)["x"] == 1.5 and t.solve(h=3).constant == 3.0
    assert ak.Theory(**{**GOOD, "equations": sp.Matrix([x - h]).tolist()[0]}).solve(h=2)["x"] == 2.0
    assert ak.Theory(**{**GOOD, "equations": np.array([x - h])}).solve(h=2)["x"] == 2.0


def test_expressions_that_are_too_deep():
    deep = x
    for _ in range(2000):
        deep = tanh(deep, evaluate=False)
    for changes in ({"equations": [deep]}, {"observables": {"o": deep}}):
        assert_sentence(lambda changes=changes: ak.Theory(**{**GOOD, **changes}).solve(h=1.0), "nested too deeply")


# -- methods -----------------------------------------------------------------------------------------------------


VALUES = [None, *ANY, {"x": 1j}, {"x": "a"}, {"x": float("nan")}, {"y": 1.0}, {"x": None}, {"x": [1, 2]}, {1: 1}, [],
          {}]
P = {"h": 0.3, "J": 0.5}
VERBS = {
    "solve": (P, {"rtol": (), "start": (None, {}), "h": (3, -2.5), "J": (3,), "extra": ()}),
    "precise": ({**P, "digits": 6}, {"digits": (), "start": (None, {}), "h": (3, -2.5), "J": (3,), "extra": ()}),
    "sweep": ({**P, "h": [0.1, 0.2]}, {"rtol": (), "start": (None, {}), "J": (3, [1], (1, 2), range(2), np.zeros(3)),
                                       "h": ([1], (1, 2), range(2), np.zeros(3)), "extra": (), "backend": (),
                                       "executor": (None,), "file": (None,)}),
    "minimize": ({"J": 0.5, "quantity": "square", "over": "h", "bounds": (-1.0, 1.0)},
                 {"quantity": (), "over": (), "bounds": ((1, 2), range(2)), "backend": (),
                  "J": (3, [1], (1, 2), range(2), np.zeros(3)), "extra": ()}),
    "sensitivity": ({**P, "quantity": "square", "parameter": "h"},
                    {"quantity": (), "parameter": ([],), "rtol": (), "J": (3, [1], (1, 2), range(2), np.zeros(3)),
                     "h": (3, -2.5, [1], (1, 2), range(2), np.zeros(3)), "extra": ()}),
    "continuation": ({"J": 0.5, "over": "h", "start": 0.0, "stop": 0.2},
                     {"over": (), "start": (3, -2.5), "stop": (3, -2.5), "begin": (None, {}), "step": (3,),
                      "limit": (3,), "J": (3,), "extra": ()}),
    "generate": ({"path": "t.py"}, {"path": ()}),
}


@pytest.fixture(scope="module")
def theory():
    J = Symbol("J", real=True)
    return ak.Theory(name="t", parameters={h: ("f", "real"), J: ("c", (0, 5))}, unknowns=[x],
                     equations=[x - tanh(J * x + h) / 2], observables={"square": x**2})


@pytest.mark.parametrize("verb", slow_these(VERBS, "continuation", "minimize"))
def test_arguments_of_verbs(theory, verb):
    good, arguments = VERBS[verb]
    for argument, fine in arguments.items():
        for value in VALUES:
            call = lambda a={**good, argument: value}: getattr(theory, verb)(**a)  # noqa: E731
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    call()
            except ak.AsympkitError as error:
                assert len(str(error)) > 15
            else:
                assert any(type(value) is type(f) for f in fine), (argument, value)


def test_results_asked_for_what_they_do_not_hold(theory):
    solution, sweep = theory.solve(**P), theory.sweep(h=[0.1, 0.2], J=0.5)
    for value in (*ANY, None, [], {}):
        assert_sentence(lambda value=value: solution[value])
        assert_sentence(lambda value=value: sweep[value])


def test_exact_numbers_of_every_kind(theory):
    exact = theory.precise(digits=20, h="0.3", J="1/2")["x"]
    for value in (decimal.Decimal("0.3"), sp.Rational(3, 10), np.float64(0.3), np.array(0.3), 0.3):
        assert theory.precise(digits=20, h=value, J=sp.Rational(1, 2))["x"] == exact
    text = "0.314159265358979323846264"
    by_text = theory.precise(digits=20, h=text, J=0.5)["x"]
    assert abs(theory.precise(digits=20, h=sp.pi / 10, J=0.5)["x"] - by_text) < 1e-19


def test_executors_that_take_nothing():
    theory, at = ak.OneStep("tanh", "sin"), {"eta": np.array([1.0, 2.0]), "alpha0": 2, "alpha": 1.5, "lam": 0.1}
    with ThreadPoolExecutor(1) as closed:
        pass
    with pytest.raises(ak.DomainError, match=r"executor: got one that was shut down \(.*\); give it while it is open"):
        theory.sweep(executor=closed, **at)
    with pytest.raises(ak.DomainError, match="executor: got <class .*; expected a concurrent.futures executor or None"):
        theory.sweep(executor=ThreadPoolExecutor, **at)


def test_draws_that_are_not_called_as_they_want():
    def theory(draw):
        return ak.Theory(name="drawn", parameters={h: ("number", "real")}, unknowns=[x], equations=[x - h],
                         simulate=draw)

    with pytest.raises(ak.DomainError, match=r"is called as draw\(rng, size, h=\), which draw\(a\) does not take"):
        theory(lambda a: {"x": 1}).simulate(size=10, repeats=2, h=1)
    with pytest.raises(ak.DomainError, match="the draw returned an integer of 1329 bits for x; expected a number"):
        theory(lambda rng, size, h: {"x": 10**400}).simulate(size=10, repeats=2, h=1)


def test_weights_that_no_fixed_point_holds():
    with pytest.raises(ak.ConvergenceError, match="offset and slope of the argument of an activation differ by too"):
        ak.SpikedFeatures("tanh", "sin").precise(r=1, c="1e-300", gamma=0.5, alpha=1, lam=1, digits=10)


# -- calls of the classes themselves -----------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "text"), [
    (lambda: ak.SpikedFeatures(loss="logistic"), "SpikedFeatures: missing student, target; SpikedFeatures takes "
     "student, target, loss, labels, bias, rows, and needs student, target"),
    (lambda: ak.OneStep("tanh", bulk="exact"), "OneStep: missing target; OneStep takes"),
    (lambda: ak.OneStep("tanh", "z", loss="logistic", labels="sign", bia=2), "OneStep: unknown argument 'bia'; did you "
     "mean 'bias'?; OneStep takes student, target, loss, labels, bulk, bias"),
    (lambda: ak.SpikedFeatures("tanh", "z", bias="learned", foo=1), "SpikedFeatures: unknown argument 'foo'"),
    (lambda: ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign", teacher="mixed"),
     "SpikedFeatures: unknown argument 'teacher'"),
    (lambda: ak.SpikedFeatures("tanh", "z", "hinge", "sign", 0, "sphere", 1),
     "SpikedFeatures: got 7 arguments without names"),
    (lambda: ak.SpikedFeatures("tanh", "z", student="sin"), "SpikedFeatures: got student twice"),
    (lambda: ak.DeepFeatures("1:tanh"), "DeepFeatures: missing target; DeepFeatures takes student, target"),
    (lambda: ak.Ridge(np.eye(2), [1, 1]), "Ridge: missing rho; Ridge takes Omega, psi, rho"),
    (lambda: ak.NonlinearSpikes("tanh", "sin", lam=1), "NonlinearSpikes: unknown argument 'lam'; NonlinearSpikes takes "
     "student, target, rows, initial_output, free_constant (numbers such as penalties go to solve"),
    (lambda: ak.Theory(name="t"), "Theory: missing parameters, unknowns; Theory takes name, parameters"),
    (lambda: ak.SpikedFeatures("tanh", "sin", loss=ak.Huber), "loss: got Huber without its arguments; expected a loss "
     "such as ak.Huber(1)"),
    (lambda: ak.OneStep("tanh", "sin", loss=ak.Loss), "ak.Loss(expr, label, prediction)"),
    (lambda: ak.SpikedFeatures("tanh", "sin", bias="x"), "bias: got 'x'; expected a finite real number, or 'learned'"),
    (lambda: ak.SpikedFeatures("tanh", "sin", bias=np.zeros(100)), "bias: got an array of shape (100,) from 0 to 0;"),
    (lambda: ak.OneStep("tanh", "sin", bias="x"), "bias: got 'x'; expected a finite real number, or 'learned'"),
    (lambda: ak.OneStep("tanh", "sin", labels=np.zeros(3)), "labels: got array([0., 0., 0.]); available"),
    (lambda: ak.Ridge(np.diag([0.01, 0.1, 1.0]), [1, 1, 1], 1.11), "of a target f = theta @ phi it is psi = Omega @ "
     "theta, not theta"),
    (lambda: ak.Ridge(np.diag([0.0, 0.1, 1.0]), [1, 1, 1], 1.11), "of a target f = theta @ phi it is psi = Omega @ "
     "theta, not theta"),
], ids=lambda value: value[:60] if isinstance(value, str) else "call")
def test_classes_are_called_as_they_are_documented(call, text):
    assert_sentence(call, text)


def test_signatures_are_those_of_the_constructors():
    assert list(inspect.signature(ak.OneStep).parameters) == ["student", "target", "loss", "labels", "bulk", "bias",
                                                                "readout"]
    assert list(inspect.signature(ak.Ridge).parameters) == ["Omega", "psi", "rho"]


def test_messages_summarise_arrays():
    step = ak.OneStep("tanh", "sin")
    at = {"alpha0": 2, "alpha": 1, "lam": 0.1}
    text = "eta: got an array of shape (100,) from 0 to 1; expected a finite number >= 0"
    assert_sentence(lambda: step.solve(eta=np.linspace(0, 1, 100), **at), text)
    assert_sentence(lambda: step.solve(eta=[np.float64(1), np.float64(2)], **at), "eta: got [1.0, 2.0]; expected")


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.float32])
def test_numbers_of_numpy_in_lists_are_numbers(kind):
    """A list of them was read as a spectrum of mean 1, without a word: a test error of .54 for .76."""
    deep, at = ak.DeepFeatures("1:tanh", "1:sign"), {"alpha": 2, "lam": 1}
    right = deep.solve(input_spectrum=[1.0, 2.0], **at).test_error
    assert right == pytest.approx(0.7560688711358335, rel=1e-12)
    for values in ([kind(1), kind(2)], (kind(1), 2), np.array([kind(1), kind(2)], dtype=object)):
        assert deep.solve(input_spectrum=values, **at).test_error == right
    assert float(deep.precise(digits=12, input_spectrum=[kind(1), kind(2)], **at).test_error) == pytest.approx(right)
    ridge = ak.Ridge(([kind(3), 2, 1], [kind(1), 1, 1]), [kind(1), "1/2", 0.5], kind(2))
    assert ridge.solve(n=kind(6), lam=0.1).test_error == pytest.approx(2.342532687757, rel=1e-12)
    matrix = ak.Ridge([[kind(3), 0], [0, kind(2)]], [kind(1), kind(1)], 2).certify(n=2, lam=1, floats="decimal")
    plain = ak.Ridge(np.diag([3, 2]), [1, 1], 2).solve(n=2, lam=1).test_error
    assert float(matrix.test_error.mid) == pytest.approx(plain)


@pytest.mark.parametrize(("call", "text"), [
    (lambda t: t[0].solve(alpha=1), "missing parameter lam; parameters are alpha, lam, input_spectrum, noise_variance, "
     "width1, width2"),
    (lambda t: t[0].solve(alpha=1, lam=1, input_varance=2), "unknown parameter 'input_varance'; did you mean "
     "'noise_variance'?; parameters are alpha, lam, input_spectrum, noise_variance, width1, width2"),
    (lambda t: t[0].simulate(d=20, repeats=2, alpha=1, lam=1), "width2=0.001 at d=20 leaves no unit: expected width2"),
    (lambda t: t[0].simulate(d=20, repeats=2, alpha=1, lam=1, width2=1), "target width1=0.001 at d=20 leaves no unit"),
    (lambda t: t[0].solve(alpha=1, lam=1, input_spectrum=[1, -2]), "input_spectrum: got -2.0 (1 of 2 entries are not "
     ">= 0); expected >= 0 numbers: set entries that are rounding errors to 0"),
    (lambda t: t[1].solve(n=3), "ridge: missing parameter lam; parameters are n, lam, noise_variance"),
    (lambda t: t[1].minimize("test_error", over="features", bounds=(1, 3), n=3, lam=1), "over: no parameter "
     "'features'; known are n, lam, noise_variance"),
], ids=lambda value: value[:60] if isinstance(value, str) else "call")
def test_messages_name_what_can_be_typed(call, text):
    theories = ak.DeepFeatures("1.5:tanh,0.001:erf", "0.001:tanh"), ak.Ridge(np.eye(3), [1, 1, 1], 3)
    assert_sentence(lambda: call(theories), text)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize(("more", "at", "text"), [
    ({"bias": 50}, {}, "bias: got 50; features of 'tanh' are saturated there: they vary by 0.0e+00 around 1"),
    ({}, {"lam": 1e300}, "lam: got 1e+300; the readout is of size 1/lam, and products of its squares are below"),
])
def test_readouts_that_no_double_holds_are_refused_at_once(loss, more, at, text):
    """These did not come back."""
    features, step = (kind("tanh", "z", loss=loss, labels="sign", **more) for kind in (ak.SpikedFeatures, ak.OneStep))
    point = {"alpha": 1.5, "lam": 0.1, "noise_variance": 0.1, **at}
    assert_sentence(lambda: features.solve(r=1.5, c=1.0, gamma=0.8, **point), text)
    assert_sentence(lambda: step.solve(eta=1, alpha0=5, **point), text)
