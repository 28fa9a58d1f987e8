"""The framework: what fails is named, what holds is rendered."""

import re
import subprocess
import sys
from dataclasses import replace
from xml.dom import minidom

import pytest
from asympkit.derivations import ALL, load
from asympkit.derivations.checks import exact, exceeds, greater, numerical, simulated
from asympkit.derivations.command import main
from asympkit.derivations.document import Derivation, DerivationError
from asympkit.derivations.page import html, tex
from asympkit.derivations.precise import Precise, random_points
from asympkit.derivations.sampled import Instances, sampled
from asympkit.derivations.special import He, Phi, opened, phi, recursion
from asympkit.derivations.transformations import TRANSFORMATIONS
from helpers.tiers import slow_but
from sympy import Abs, Derivative, Rational, Subs, Symbol, cos, exp, latex, pi, sin, sqrt, symbols, tanh

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
