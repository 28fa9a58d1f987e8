"""Every public name says what it is, what it takes and returns, and shows itself in an example that runs."""

import doctest
import importlib
import inspect
import pydoc
import re

import pytest

import asympkit as ak

NAMES = [n for n in ak.__all__ if not n.startswith("_")]
MODULES = [n for n in NAMES if inspect.ismodule(getattr(ak, n))]
ERRORS = [n for n in NAMES if inspect.isclass(getattr(ak, n)) and issubclass(getattr(ak, n), Exception)]
OBJECTS = [n for n in NAMES if n not in (*MODULES, *ERRORS) and callable(getattr(ak, n))]
#: results, whose constructors nobody calls
MADE = ("Sweep",)
#: methods that all theories have, and other calls of users
VERBS = ("solve", "precise", "certify", "sweep", "minimize", "maximize", "sensitivity", "continuation", "solutions",
         "simulate", "check", "plot", "equations", "derive", "generate", "report", "compare")
#: of theories with a spike
ALONG = ("bounds", "learned_function", "learned_coefficients", "conditional_moments", "from_weights")
METHODS = {
    "Activation": ("hermite", "hermite_coefficients", "second_moment", "gain", "kernel", "edge_of_chaos", "plot",
                   "derivative", "expr", "symbol", "name",
                   "parity", "kinks", "jumps"),
    "BayesOptimal": (*VERBS, "fixed_points", "thresholds"),
    "Ball": ("contains", "overlaps", "mid", "rad"), "DeepCovariance": ("density", "edges", "atoms", "moments"),
    "DeepFeatures": (*VERBS, "from_weights", "covariance_law"), "MarchenkoPastur": ("moment",),
    "NonlinearSpikes": (*VERBS, "spikes", "staircase", "finite"), "OneStep": (*VERBS, "parameters_at", *ALONG),
    "GradientSteps": (*VERBS, "path", *ALONG),
    "Ridge": (*VERBS, "compressed"), "SpikedFeatures": (*VERBS, *ALONG), "Theory": VERBS,
    "Sweep": ("sel", "load", "plot", "to_csv", "to_npz", "to_xarray", "to_dataframe", "status", "converged"),
}

#: results of the methods, and the declarations of theories: every public attribute of it is documented
RETURNED = {
    "solve.solution": ("Solution",), "certify.solutions": ("CertifiedSolution", "Certificate"),
    "minimize.result": ("Minimum", "Maximum", "Optimum"), "roots": ("Solutions",),
    "continuation.run": ("Continuation", "Branch", "Fold", "BranchPoint"),
    "simulate.simulation": ("Estimate", "Simulation", "Draws"), "check": ("Report", "Row"),
    "comparison": ("Comparison", "Tolerance"), "checks": ("Checks",), "published": ("Convention",),
    "published.run": ("ComparedNumber", "ComparedTable"), "equations.system": ("System",),
    "equations.blocks": ("Block",),
    "theories.nonlinear_spikes.staircase": ("Staircase", "Spike"), "balls.ball": ("Ball",), "sweep.result": ("Sweep",),
    "theories.bayes_optimal.fixed_points": ("FixedPoints",),
    "theories.declaration": ("Parameter", "Assumption"), "theories.deep_features.theory": ("Layer",),
}
CLASSES = [(room, name) for room, names in RETURNED.items() for name in names]
#: methods that refuse what they cannot do with an error of the package
REFUSING = ("solve", "precise", "certify", "sweep", "minimize", "maximize", "sensitivity", "continuation", "solutions",
            "simulate", "check", "plot", "generate")


def text(thing):
    return inspect.getdoc(thing) or ""


def undocumented(thing, said):
    """Arguments of a callable that its documentation does not name."""
    taken = [p for p in inspect.signature(thing).parameters.values()
             if p.name not in ("self", "cls") and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    lines = [line.partition(" : ")[0] for line in said.splitlines()]
    names = [line.strip() for line in lines if re.fullmatch(r" *\*{0,2}\w+(, \*{0,2}\w+)*", line)]
    named = {n for line in names for n in re.findall(r"\w+", line)}
    return [p.name for p in taken if p.name not in named]


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_documented_with_an_example_that_runs(name):
    thing = getattr(ak, name)
    said = text(thing)
    assert name in MADE or not undocumented(thing, said)
    if inspect.isfunction(thing) and inspect.signature(thing).return_annotation not in (None, "None"):
        assert "\nReturns\n" in said
    (example,) = doctest.DocTestFinder(recurse=False).find(thing, name)
    assert example.examples, f"{name} has no example"
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    assert runner.run(example).failed == 0


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_documented(name):
    of = getattr(ak, name)
    for method in METHODS[name]:
        thing = getattr(of, method, None)
        if not callable(thing):             # an attribute is documented by itself, or where its class is
            assert len(text(thing)) > 10 or re.search(rf"\b{method}\b", text(of)), method
            continue
        said, takes = text(thing), len(inspect.signature(thing).parameters) > 1
        assert len(said) > 10 and not undocumented(thing, said), method
        if takes and inspect.signature(thing).return_annotation not in (None, "None"):
            assert "\nReturns\n" in said, method
        if method in REFUSING:
            found = re.search(r"\nRaises\n-+\n(?:.|\n)*", said)
            assert found and re.search(r"^(\w+Error|KeyboardInterrupt)(, \w+)*$", found[0], re.MULTILINE), method
            named = re.findall(r"^((?:\w+Error)(?:, \w+Error)*)$", found[0], re.MULTILINE)
            assert all(hasattr(ak, error) for line in named for error in line.split(", ")), method


@pytest.mark.parametrize(("room", "name"), CLASSES)
def test_whatever_is_returned_is_documented(room, name):
    of = getattr(importlib.import_module(f"asympkit.{room}"), name)
    own = [c for c in of.__mro__ if c.__module__.startswith("asympkit")]
    said = "\n".join(map(text, own))
    names = {a for c in own for a in (*vars(c), *getattr(c, "__dataclass_fields__", ())) if not a.startswith("_")}
    assert names
    for attribute in sorted(names):
        thing = getattr(of, attribute, None)
        if callable(thing):
            about = text(thing)
            assert len(about) > 10 and not undocumented(thing, about), attribute
            signature = inspect.signature(thing)
            if len(signature.parameters) > 1 and signature.return_annotation not in (None, "None"):
                assert "\nReturns\n" in about, attribute
        else:
            own_words = text(inspect.getattr_static(of, attribute, None)) if hasattr(of, attribute) else ""
            assert re.search(rf"\b{attribute}\b", said) or len(own_words) > 10, attribute


@pytest.mark.parametrize(("name", "own"), [
    ("OneStep", {"parameters_at", "spectrum", *ALONG}), ("SpikedFeatures", {"spectrum", *ALONG}), ("Theory", set()),
    ("Ridge", {"compressed"}), ("DeepFeatures", {"covariance_law", "from_weights"}),
    ("NonlinearSpikes", {"degrees", "spectrum", "spikes", "staircase"})])
def test_help_shows_public_methods_only(name, own):
    shown = pydoc.render_doc(getattr(ak, name), renderer=pydoc.plaintext)
    assert set(re.findall(r"^ \|  (\w+)\(", shown, re.MULTILINE)) == {name, "__init__", *VERBS, *own}
    assert "  lam : " in shown or name == "Theory"


def test_what_is_called_is_what_is_read():
    """A method is the function of its class body, reached by one call whose signature lists the parameters."""
    source = inspect.getsource(ak.OneStep.solve)
    assert source.lstrip().startswith("def solve(self, *, rtol") and source == inspect.getsource(ak.Theory.solve)
    assert inspect.unwrap(ak.OneStep("tanh", "sin").solve).__code__ is inspect.unwrap(ak.Theory.solve).__code__
    assert "alpha0" in inspect.signature(ak.OneStep.solve).parameters


def test_errors_say_when_they_come_and_modules_what_they_are():
    assert [name for name in ERRORS if len(text(getattr(ak, name))) <= 20] == []
    for module in (getattr(ak, name) for name in MODULES):
        things = [module, *(getattr(module, public) for public in getattr(module, "__all__", ()))]
        assert [thing for thing in things if len(text(thing)) <= 10] == []


@pytest.mark.parametrize("name", [n for n, methods in METHODS.items() if set(VERBS) <= {*methods} and n != "Theory"])
def test_a_theory_names_its_source(name):
    theory = getattr(ak, name)
    assert "arXiv" in text(theory) or "arXiv" in text(inspect.getmodule(theory))
