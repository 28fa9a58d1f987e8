"""Derivations: what fails is named, what holds is rendered, and every document of the package runs."""

import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from xml.dom import minidom

import pytest
from asympkit.derivations import ALL, load
from asympkit.derivations.checks import Exact, Exceeds, exact, exceeds, greater, numerical, simulated
from asympkit.derivations.command import main
from asympkit.derivations.document import Derivation, DerivationError
from asympkit.derivations.page import html, tex
from asympkit.derivations.precise import Precise, random_points
from asympkit.derivations.sampled import Instances, Sampled, sampled
from asympkit.derivations.special import He, Phi, opened, phi, recursion
from asympkit.derivations.transformations import TRANSFORMATIONS
from helpers.tiers import slow_but, slow_these
from sympy import Abs, Derivative, Integer, Rational, Subs, Symbol, cos, exp, latex, pi, sin, sqrt, symbols, tanh

from asympkit.errors import AsympkitError, ConvergenceError, DomainError, UnknownNameError
from asympkit.gauss import E
from asympkit.nodes import Applied, Named
from asympkit.spectra import Eigenvalues, MarchenkoPastur, mean

x, z = symbols("x z", real=True)
a, b = symbols("a b", positive=True)


def small():
    """A small derivation."""
    doc = Derivation("Two moments & a <sign>", "a test", "About 100 % of it.")
    doc.step("The second moment.", exact(E((a + b * z) ** 2, z), a**2 + b**2, "close"))
    closed = exp(-Rational(1, 2)) * sin(a)
    doc.step("A mean of sin.", numerical(E(sin(a + z), z), closed, {a: (0, 1)}, digits=12))
    doc.step("A row of LaTeX.", exact((a + b) ** 2, a**2 + 2 * a * b + b**2, "expand"), shown=r"(a+b)^2")
    return doc


def wrong(*, check):
    doc = Derivation("A false statement", "a test")
    doc.step("True.", exact(a + a, 2 * a))
    doc.step("False.", check)
    doc.step("Never reached.", exact(a, b))
    return doc


def means(limit=1.0, spread=1.0, d=100, shift=0.0):
    """Forty means of d numbers about 1 + shift/d."""
    return Instances(lambda rng, d: {"mean": (1 + shift / d + spread * rng.standard_normal(d).mean(), limit)}, 5, d, 40)


FALSE = {
    "exact": exact((a + b) ** 2, a**2 + b**2, "expand"),
    "exact inequality": exceeds(a + b, a, a, "expand"),
    "numerical": numerical(E(cos(a * z), z), exp(-(a**2) / 3), {a: (0.5, 1)}, digits=15),
    "inequality": greater(a, b, {b: (0.5, 1), a: b / 2}),
    "simulated": simulated(Symbol("mean"), Symbol("limit"),
                           lambda rng, d: (rng.standard_normal(d).mean(), 1.0), 2.0, sizes=(50, 200)),
    "sampled": sampled(Symbol("mean"), Symbol("limit"), lambda: means(limit=1.3), "mean"),
}


@pytest.mark.parametrize("kind", FALSE)
def test_a_false_step_is_named(kind):
    check = FALSE[kind]
    with pytest.raises(DerivationError) as caught:
        wrong(check=check).run()
    error = caught.value
    assert isinstance(error, AsympkitError)
    assert error.step == "step 2 (False.)"
    assert error.lhs == check.lhs and error.rhs == check.rhs
    assert "step 2" in str(error) and str(check.lhs) in str(error) and str(check.rhs) in str(error)
    assert check.kind == kind


def test_simulations_hold():
    check = simulated(Symbol("mean"), 0, lambda rng, d: (rng.standard_normal(d).mean(), 0), 2.0)
    outcome = check.run(1)
    assert outcome.holds and "2/sqrt(d)" in outcome.how
    assert check.run(1).how == outcome.how     # same seeds, same numbers
    check = sampled(Symbol("mean"), 1, means, "mean")
    outcome = check.run(1)
    assert outcome.holds
    assert outcome.how == ("mean 0.96875 +/- 0.017 over 40 instances with d=100, limit 1: z = -1.9, allowed 4 standard "
                           "errors")
    assert check.run(7).how == outcome.how     # its own seed, not the step's
    drifting = sampled(Symbol("mean"), 1, lambda: means(shift=20), "mean")
    assert not drifting.run(1).holds
    stated = replace(drifting, drift=25).run(1)
    assert stated.holds and stated.how.endswith("allowed 4 standard errors and 25/d")
    for check in (sampled(Symbol("mean"), 1, lambda: means(spread=10), "mean"),
                  sampled(Symbol("mean"), 1, means, "mean", drift=60)):
        outcome = check.run(1)
        assert not outcome.holds
        assert outcome.how.endswith("too coarse to tell the limit from 0 or from its double")


def test_inequalities_need_signs():
    held = exceeds((a + b) ** 2, a**2, 2 * a * b + b**2, "expand").run(1)
    assert held.holds and held.how == "the difference is 2*a*b + b**2, positive by the signs of its parts"
    assert not exceeds((a + x) ** 2, a**2, 2 * a * x + x**2, "expand").run(1).holds      # x has no sign
    square = exceeds((a + x) ** 2, 0, (a + x) ** 2)
    assert not square.run(1).holds
    weak = exceeds((a + x) ** 2, 0, (a + x) ** 2, strict=False).run(1)
    assert weak.holds and weak.how.endswith("not negative by the signs of its parts")
    D = Symbol("D", real=True)
    law = MarchenkoPastur(D, ratio=b, scale=a)
    gap = mean(D / (1 + D) ** 2, law)
    assert gap.is_nonnegative is None
    assert exceeds(gap, 0, gap).run(1).holds                                  # closed: a product of positive factors
    assert not exceeds(mean(D - 1, law), 0, mean(D - 1, law)).run(1).holds


def test_special_functions_stay_closed_until_opened():
    order = Symbol("k", integer=True, positive=True)
    assert He(order, x).diff(x) == order * He(order - 1, x) and He(3, x) == x**3 - 3 * x and He(-1, x) == 0
    assert recursion(He(order + 2, x)) == x * (x * He(order, x) - order * He(order - 1, x)) - (order + 1) * He(order, x)
    assert recursion(E(He(order + 1, z), z)) == E(z * He(order, z) - order * He(order - 1, z), z)
    assert Phi(a * x).diff(x) == a * phi(a * x) and phi(x).diff(x) == -x * phi(x)
    assert abs(float(opened(Phi(1)) - Rational(1, 2)) - 0.341344746068543) < 1e-15
    assert str(He(order + 1, x)) == "He_{k + 1}(x)" and latex(He(order, x)) == r"\mathrm{He}_{k}\left(x\right)"


def test_pages():
    doc = Derivation("Title", "source")
    doc.step("A slope.", exact((x**3).diff(x), 3 * x**2))
    text = doc.text(doc.run())
    assert "     3*x**2\n   [exact: both sides were computed, and come to this: the difference is 0 (identical" in text
    assert "come to this" in html(doc, doc.run()) and "come to this" in tex(doc, doc.run())
    assert "come to this: the" not in small().text(small().run()) and doc.text().endswith("computed, and come to this]")
    doc = small()
    page = html(doc, doc.run())
    assert page.count("<section>") == 3
    assert "The second moment." in page and "Two moments &amp; a &lt;sign&gt;" in page
    assert "<script" not in page and "src=" not in page and "href=" not in page
    assert page.count("<math ") == 2 and "(a+b)^2" in page
    from asympkit.derivations.page import mathml

    lam = Symbol("lam", positive=True)
    doc = Derivation("Title", "source")
    doc.step("A slope at 0.", exact(Subs(Derivative(exp(lam * x), x), x, 0), lam, ("diff", "close")))
    doc.run()
    assert r"\lambda" in doc.steps[0].latex and "lam}" not in doc.steps[0].latex.replace(r"\lambda", "")
    page = mathml(doc.steps[0].equation)
    assert "<mrow><mi>x</mi><mo>=</mo><mn>0</mn></mrow>" in page and "subs" not in page.lower()
    doc = small()
    document = tex(doc, doc.run())
    assert r"Two moments \& a \(<\)sign\(>\)" in document and r"100 \% of it" in document
    assert document.count(r"\item") == 3 and document.rstrip().endswith(r"\end{document}")
    assert len(re.findall(r"(?<!\\)\{", document)) == len(re.findall(r"(?<!\\)\}", document))


@pytest.mark.parametrize("name", slow_but(ALL, 0, 2, 4))
def test_lines_are_short_and_no_step_says_that_a_is_a(name):
    doc = load(name)
    assert max(map(len, doc.text().splitlines())) <= 120
    for step in doc.steps:
        left, sign, right = step.text.partition(" = ")
        assert not sign or left != right, step.number


@pytest.mark.parametrize("name", slow_but(ALL, 19, 25))
def test_mathml_of_every_derivation_is_well_formed(name):
    from asympkit.derivations.page import mathml

    for step in load(name).steps:
        if not isinstance(step.equation, str):
            root = minidom.parseString(mathml(step.equation)).documentElement
            assert root.tagName == "math"
            known = {"math", "mi", "mo", "mn", "mrow", "msup", "msub", "msubsup", "mfrac", "msqrt", "mroot",
                     "mfenced", "munder", "mover", "munderover", "mtext", "mstyle", "mspace"}
            assert {e.tagName for e in root.getElementsByTagName("*")} <= known, step.number


def test_command_line_writes_files(tmp_path, capsys):
    page, document = tmp_path / "page.html", tmp_path / "page.tex"
    assert main(small, ["--html", str(page), "--latex", str(document)]) == 0
    assert "A mean of sin." in page.read_text(encoding="utf-8")
    assert r"\begin{enumerate}" in document.read_text(encoding="utf-8")
    assert capsys.readouterr().out == ""


def test_command_line_reports_a_false_step(capsys):
    assert main(lambda: wrong(check=FALSE["exact"]), []) == 1
    assert "step 2 (False.) does not hold" in capsys.readouterr().err


def test_listing_is_light_and_names_are_suggested():
    code = ("import sys, asympkit.derivations as d; assert len(d.ALL) >= 4; "
            "assert not {'sympy', 'numpy', 'mpmath'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", code], check=True)
    assert load("result_3_2").title == load("one_step.result_3_2").title
    with pytest.raises(UnknownNameError, match="did you mean"):
        load("result_3_9")


@pytest.mark.slow
def test_a_module_runs_as_a_script():
    done = subprocess.run([sys.executable, "-m", ALL["one_step.result_3_2"]], check=True, capture_output=True,
                          text=True)
    assert "Conditional Gaussian equivalence" in done.stdout and done.stderr == ""


# values in arbitrary precision -------------------------------------------------------------------------


@pytest.mark.parametrize("expr, expected", slow_but([
    (E(exp(a * z), z), exp(a**2 / 2)), (E(sin(a * z + x * b) * x, (z, x)), b * exp(-(a**2) / 2 - b**2 / 2)),
    (E(E(cos(a * z + b * x), z) ** 2, x), exp(-(a**2)) * (1 + exp(-2 * b**2)) / 2),
    (E(z**2 * E(z**2, z) + pi, z), 1 + pi), (Named("w", sqrt(a) * b), sqrt(a) * b),
], 0, 4))
def test_precise_values_match_closed_forms(expr, expected):
    precise = Precise(25)
    for point in random_points({a: (0.2, 1.2), b: (0.2, 1.2)}, 2, seed=1):
        value, known = precise.value(expr, point), precise.ctx.mpf(str(expected.subs(point).evalf(40)))
        assert abs(value - known) < 1e-25


def test_precise_refuses_what_it_cannot_do():
    with pytest.raises(ConvergenceError, match="analytic"):
        Precise(15).value(E(tanh(40 * z) ** 2, z), {})
    with pytest.raises(DomainError, match="no rule"):
        Precise(15).value(E(Abs(z), z) * 1, {})
    with pytest.raises(DomainError, match="value is needed"):
        Precise(15).value(a + 1, {})
    D = Symbol("D", real=True)
    with pytest.raises(DomainError, match="Eigenvalues"):
        Precise(15).value(mean(D, Eigenvalues(D)), {})


# transformations ---------------------------------------------------------------------------------


def test_transformations():
    f = Applied("student", z)
    V = Named("V", a * f**2)
    expr = E(f / (1 + V), z) - E(f / (1 + V) ** 2, z) - E(f * V / (1 + V) ** 2, z)
    assert TRANSFORMATIONS["join"].apply(expr) == 0
    assert TRANSFORMATIONS["join"].apply(expr + b * E(f, z)) == b * E(f, z)
    f = Applied("student", z)
    expr = E((f - a - b * z) ** 2, z)
    expected = E(f**2, z) + a**2 + b**2 - 2 * a * E(f, z) - 2 * b * E(z * f, z)
    assert TRANSFORMATIONS["split"].apply(expr) == expected.expand()


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_transformations_keep_values(name):
    expr = (E((a + b * z) ** 2, z) / (1 + a) + Named("n", a * b)) ** 2 + E(cos(a * z), z) / (1 + b)
    changed = TRANSFORMATIONS[name].apply(expr)
    precise = Precise(15)
    for point in random_points({a: (0.2, 1), b: (0.2, 1)}, 2, seed=2):
        assert abs(precise.value(expr, point) - precise.value(changed, point)) < 1e-15


#: steps of a document: one that lost a part is noticed; the theorems of the one-step theory are long, the rules short
LEAST = {"deep_features": 8, "one_step": 30, "gaussian": 18, "nonlinear_spikes": 18, "real_network": 20,
         "one_step.bounds": 13, "one_step.classes": 23, "one_step.outliers": 20}
#: documents whose checks take seconds; while one works they are built alone
LONG = ("gaussian.price", "nonlinear_spikes.gaps", "nonlinear_spikes.test_error", "nonlinear_spikes.traces",
        "one_step.outliers", "one_step.reduction", "one_step.uniqueness")
#: of those that are run, whose exact steps are run again with twice a side
TWICE = ("deep_features.theorem", "gaussian.stein", "nonlinear_spikes.finite_step", "real_network.rows")


def least(name):
    return LEAST.get(name, LEAST.get(name.partition(".")[0], 1))


@cache
def built(name):
    return load(name)


@pytest.mark.parametrize("name", slow_these(
    ALL, *LONG, "one_step.result_3_3", "nonlinear_spikes.initial_output", "real_network.pairs"))
def test_every_step_holds(name):
    derivation = built(name)
    outcomes = derivation.run()
    assert len(outcomes) == len(derivation.steps) >= least(name)
    assert all(outcome.holds and outcome.how for outcome in outcomes)


@pytest.mark.parametrize("name", slow_but(LONG, "gaussian.price", "nonlinear_spikes.traces"))
def test_long_documents_are_built(name):
    assert len(built(name).steps) >= least(name)


@pytest.mark.parametrize("name", slow_these(ALL, *(set(ALL) - set(TWICE))))
def test_no_exact_step_holds_for_twice_a_side(name):
    for step in built(name).steps:
        check = step.check
        if not isinstance(check, Exact) or check.rhs == 0:
            continue
        assert not replace(check, rhs=2 * check.rhs).run(step.number).holds, step.sentence


@pytest.mark.parametrize("name", slow_but(
    ["deep_features.theorem", "one_step.uniqueness", "gaussian.trapezoid", "nonlinear_spikes.root",
     "real_network.forms", "real_network.kernel"], 0, 2, 5))
def test_no_proved_inequality_holds_the_other_way(name):
    strict = [step.check for step in built(name).steps if isinstance(step.check, Exceeds) and step.check.strict]
    assert strict
    for check in strict:
        turned = replace(check, lhs=check.rhs, rhs=check.lhs, excess=-check.excess)
        assert not turned.run(1).holds, check.statement


REAL = [name for name in ALL if name.startswith("real_network")]
DEEP = ["deep_features.theorem", "deep_features.recursion", "deep_features.chain"]


@pytest.mark.parametrize("name", slow_but([*DEEP, *REAL], 0, 2, 4, 6))
def test_what_is_sampled_is_told_from_its_double(name):
    checks = [step.check for step in built(name).steps if isinstance(step.check, Sampled)]
    assert len(checks) >= 3
    for check in checks:
        found = check.instances()
        pairs = {check.name: found.pairs[check.name] * (1, 2)}
        doubled = replace(check, instances=lambda f=found, p=pairs: SimpleNamespace(pairs=p, d=f.d))
        assert not doubled.run(1).holds or not found.pairs[check.name][:, 1].any()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*DEEP, *REAL])
def test_what_is_sampled_holds_on_fresh_instances_of_twice_the_size(name):
    fresh = {}
    for check in (step.check for step in built(name).steps if isinstance(step.check, Sampled)):
        old = check.instances()
        new = fresh.setdefault(id(old), Instances(old.draw, old.seed + 1000, 2 * old.d, old.repeats))
        outcome = replace(check, instances=lambda n=new: n).run(1)
        assert outcome.holds, (check.lhs, outcome.how)


def test_derivations_of_the_real_network_share_nothing_with_the_theories():
    """Neither the documents nor what they import have asympkit.theories."""
    import subprocess
    import sys

    names = ", ".join(f"asympkit.derivations.{name}" for name in REAL)
    code = f"import sys, {names}; print([m for m in sys.modules if m.startswith('asympkit.theories')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("name", slow_but(ALL, *TWICE))
def test_sentences_and_equations_are_complete(name):
    for step in built(name).steps:
        assert step.sentence.endswith((".", "...", ",", ":"))
        assert step.text and step.latex
        assert "Dummy" not in step.text


def test_result_3_1_reads_as_published_for_an_odd_student():
    from asympkit.derivations.one_step import result_3_1 as derived
    from sympy import exp, sin

    from asympkit.nodes import remove_names

    c = remove_names(derived.chosen(derived.result().c, sin(derived.z), sin(derived.z))).doit()
    at = {derived.eta: 2, derived.beta: 1, derived.alpha0: 2, derived.noise: 0}
    expected = 1 + 4 * (1 - exp(-2)) / 2 * (1 - exp(-1)) ** 2 / 2 / 2
    assert abs(float(c.subs(at)) - float(expected)) < 1e-14
    assert derived.result().r.subs(derived.eta, Integer(0)) == 0


def test_predicted_error_of_the_reduction_solves_all_thirteen_equations():
    """The residual of every equation, not only of those that were iterated."""
    from asympkit.derivations.one_step.saddle import system
    from asympkit.derivations.one_step.solved_point import solution

    point, values = solution()
    for unknown, derivative in zip(system().unknowns, system().equations):
        assert abs(values.value(derivative.doit(), point)) < 1e-9, unknown


@pytest.mark.slow
def test_the_map_of_the_uniqueness_theorem_has_one_attractor():
    """Iteration from far above, far below and two corners ends at the same pair."""
    from asympkit.derivations.one_step.saddle import eqs_of
    from asympkit.derivations.one_step.solved_point import solution

    from asympkit.theories.spiked_features import equations as spiked_equations

    s = spiked_equations.symbols()
    solved, values = solution()
    pair = eqs_of(s.V1)
    for start in ((1e4, 1e4), (1e-6, 1e-6), (1e3, 1e-5), (1e-5, 1e3)):
        point = dict(solved) | dict(zip((s.V1, s.V2), start))
        for _ in range(400):
            point |= {x: values.value(pair[x], point) for x in (s.Vhat1, s.Vhat2)}
            point |= {x: values.value(pair[x].doit(), point) for x in (s.V1, s.V2)}
        assert point[s.V1] == pytest.approx(solved[s.V1], rel=1e-11), start
        assert point[s.V2] == pytest.approx(solved[s.V2], rel=1e-11), start


def test_arc_cosine_kernels_are_integrals_over_the_plane():
    """By a rule that shares nothing with the derivation: polar coordinates, where the radius integrates exactly."""
    import math

    from asympkit.derivations.gaussian.arc_cosine import KERNELS
    from asympkit.derivations.gaussian.notation import rho

    nodes = 20000
    for n, kernel in enumerate(KERNELS):
        for value in (-0.7, 0.1, 0.85):
            turn = math.acos(value)
            # X = r cos(a), Y = r cos(a - turn); E r^(2n) = 2^n n!; both are positive between turn - pi/2 and pi/2
            width = math.pi - turn
            angles = (turn - math.pi / 2 + width * (i + 0.5) / nodes for i in range(nodes))
            mean = sum((math.cos(a) * math.cos(a - turn)) ** n for a in angles) * width / nodes / (2 * math.pi)
            expected = 2**n * math.factorial(n) * mean
            assert float(kernel.subs(rho, value)) == pytest.approx(expected, rel=1e-7), (n, value)


def test_contour_bound_needs_its_parts():
    """A contour above the pole is no bound: the theorem asks for a region free of poles."""
    from asympkit.derivations.gaussian import trapezoid as doc
    from sympy import exp, pi

    at = {doc.d: 1, doc.h: Rational(1, 2)}
    flat = 2 * exp(doc.s**2 / 2) * doc.d**2 / abs(doc.d**2 - doc.s**2) / (exp(2 * pi * doc.s / doc.h) - 1)
    error = float(doc.error().subs(at))
    assert error < float(flat.subs(at).subs(doc.s, Rational(4, 5)))
    assert error > float(flat.subs(at).subs(doc.s, 2))
