"""How public objects show themselves: a screen of text, markup that escapes users' text, names."""

import html.parser
import re
from functools import cache

import numpy as np
import pytest
from sympy import Symbol, symbols, tanh

import asympkit as ak
from asympkit.continuation.run import Branch, BranchPoint, Continuation, Fold
from asympkit.equations.system import legend
from asympkit.notation import (
    COLUMNS,
    LINES,
    add_title,
    format_html,
    label,
    one_screen,
    spell_latex,
    summarise,
    table,
    tex,
)
from asympkit.simulate.simulation import Estimate

m, h = symbols("m h", real=True)
D, J, y, z = symbols("D J y z", positive=True)
AT = {"eta": 1, "alpha0": 2, "alpha": 1.5, "lam": 0.1}
#: a name that is markup, if one lets it
EVIL = "<script>alert(1)</script>&$x$"


@cache
def step():
    return ak.OneStep("tanh", "sin")


@cache
def magnet():
    def draw(rng, size, h):
        return {"twice": 2 * np.tanh(h) + rng.standard_normal() / size}

    return ak.Theory(name=EVIL, parameters={h: (f"field {EVIL}", "real")}, unknowns=[m],
                     equations=[m - tanh(m / 2 + h)], observables={"twice": 2 * m, EVIL: m**2}, simulate=draw)


THINGS = {
    "Activation": lambda: ak.Activation("relu"),
    "Assumption": lambda: ak.Assumption(J < 2, "J is large"),
    "Ball": lambda: ak.Activation("relu").second_moment(certified=True),
    "DeepCovariance": lambda: ak.DeepCovariance(D, [(2, 1, 0), (3, 0.5, 0.25)]),
    "DeepFeatures": lambda: ak.DeepFeatures("1.5:tanh,1:erf(z)", "1:sign"),
    "Eigenvalues": lambda: ak.Eigenvalues(D),
    "GivenWeights": lambda: ak.DeepFeatures.from_weights([(np.ones((3, 2)), "tanh")], [(np.ones((3, 2)), "erf(z)")]),
    "Semicircle": lambda: ak.Semicircle(m),
    "Gamma": lambda: ak.Gamma(2),
    "StudentT": lambda: ak.StudentT(3.5),
    "Poisson": lambda: ak.Poisson(J),
    "free_sum": lambda: ak.free_sum(ak.MarchenkoPastur(m, ratio=2), ak.Semicircle(m)),
    "Tolerance": lambda: ak.Tolerance("test_error", 0.1, "because"),
    "Huber": lambda: ak.Huber(1.0),
    "conventions": lambda: ak.conventions,
    "BayesOptimal": lambda: ak.BayesOptimal("sin"),
    "Layer": lambda: ak.Layer(1.5, "tanh"),
    "Loss": lambda: ak.Loss((y - z) ** 2, y, z),
    "MarchenkoPastur": lambda: ak.MarchenkoPastur(D, ratio=2),
    "NonlinearSpikes": lambda: ak.NonlinearSpikes("tanh", "sin"),
    "OneStep": step,
    "GradientSteps": lambda: ak.GradientSteps("tanh", "sin", steps=2),
    "Parameter": lambda: ak.Parameter("eta", "step", "positive", 1.0),
    "SpikedFeatures": lambda: ak.SpikedFeatures("tanh", "sin"),
    "Theory": magnet,
    "System": lambda: step().equations(),
    "Block": lambda: step().equations().blocks[0],
    "Solution": lambda: step().solve(**AT),
    "precise Solution": lambda: magnet().precise(h="0.3", digits=200),
    "CertifiedSolution": lambda: magnet().certify(h="0.3", digits=20),
    "Certificate": lambda: magnet().certify(h="0.3", digits=20).certificate,
    "Sweep": lambda: step().sweep(**{**AT, "alpha": np.linspace(0.5, 2, 300)}),
    "Minimum": lambda: magnet().minimize("twice", over="h", bounds=(-1, 1)),
    "Minimum along a curve": lambda: step().minimize("test_error", over="lam", bounds=(1e-2, 10.0), eta=1, alpha0=2,
                                                     alpha=np.linspace(0.5, 2, 300)),
    "Maximum": lambda: magnet().maximize("twice", over="h", bounds=(-1, 1)),
    "Optimum": lambda: step().minimize("test_error", over=("lam", "beta"), bounds=((1e-2, 10.0), (0.5, 2)), eta=1,
                                       alpha0=2, alpha=1.5),
    "Solutions": lambda: magnet().solutions(h=0.3, starts=4),
    "Continuation": lambda: magnet().continuation(over="h", start=0, stop=1),
    "Branch": lambda: Branch(np.arange(300.0), {"m": np.arange(300.0)}, {}),
    "Fold": lambda: Fold(0.1, {"m": 0.2}, {}),
    "BranchPoint": lambda: BranchPoint(0.1, {"m": 0.2}, {}, "pitchfork"),
    "Estimate": lambda: Estimate.from_values(np.arange(40.0)),
    "Estimate of an array": lambda: Estimate.from_values(np.arange(4000.0).reshape(4, 1000)),
    "Simulation": lambda: step().simulate(d=20, repeats=3, **{**AT, "alpha": np.linspace(0.5, 2, 60)}),
    "Draws": lambda: magnet().simulate(size=10, repeats=3, h=0.3),
    "Report": lambda: magnet().check(size=10, repeats=3, h=0.3),
    "Row": lambda: magnet().check(size=10, repeats=3, h=0.3).rows[0],
    "Staircase": lambda: ak.NonlinearSpikes("tanh", "sin").staircase(alpha_lr=np.linspace(0, 0.3, 300), phi=1, psi=1,
                                                                     lam=1),
    "Spike": lambda: ak.NonlinearSpikes("tanh", "sin").spikes(eta=1, n=100, phi=1, psi=1)[0],
}
#: public names that are no classes with something to show: functions, errors, symbols of sympy, modules
OTHERS = {"E", "LabelEntropy", "LogErfc", "LogPhi", "Margin", "Mills", "Moreau", "Named", "Ridge", "cache", "enclose",
          "losses", "mean", "parse", "prox", "ridge_error", "show_versions", "__version__"}
_built = cache(lambda name: THINGS[name]())
IN_HTML = ["DeepFeatures", "GivenWeights", "OneStep", "Theory", "Ball", "Solution", "precise Solution",
           "CertifiedSolution", "Sweep", "Continuation", "Minimum", "Minimum along a curve", "Maximum", "Optimum",
           "Solutions", "Estimate", "Simulation", "Draws", "Report"]


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_a_repr_is_one_screen(name):
    text = repr(_built(name))
    assert " at 0x" not in text and "array([" not in text and "mpf(" not in text
    lines = text.splitlines()
    assert 0 < len(lines) <= LINES <= 40 and all(len(line) <= COLUMNS <= 120 for line in lines)


def test_every_public_class_is_in_the_table():
    errors = {n for n in ak.__all__ if n.endswith(("Error", "Warning"))}
    assert set(ak.__all__) - errors - OTHERS <= set(THINGS)


class Reader(html.parser.HTMLParser):
    """Tags that are open, and all that were seen."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", IN_HTML)
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_markup_is_well_formed_and_names_are_text(name):
    text, reader = _built(name)._repr_html_(), Reader()
    reader.feed(text)
    assert not reader.open and reader.seen <= {"div", "b", "i", "sub", "table", "tr", "th", "td", "code", "span"}
    if _built(name) is magnet() or name in ("precise Solution", "CertifiedSolution", "Report"):
        assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;<span>$</span>x<span>$</span>" in text


def test_html_of_objects():
    text = step().solve(**AT)._repr_html_()
    for written in ("<i>q̂</i><sub>1</sub>", "<i>θ̂</i>", "<i>V̂</i><sub>2</sub>", "<i>λ</i> = 0.1"):
        assert written in text
    assert "<td style=\"text-align:left\">test_error</td>" in text
    text = step()._repr_html_()
    assert "learning rate of the first step, in units of d" in text and "a number &gt;= 0 or math.inf" in text
    assert repr(step()).endswith("solve(eta=, alpha0=, alpha=, lam=, beta=1, noise_variance=0)>")
    assert repr(step()).startswith("<OneStep 'one step', student 'tanh', target 'sin': ")
    branches = tuple(Branch(np.array([k, k + 1.0]), {"m": np.zeros(2)}, {}) for k in range(60))
    text = Continuation("h", branches, (), "stop was reached")._repr_html_()
    assert text.count("<tr>") == LINES + 1 and f"{60 - LINES} more branches" in text
    with pytest.raises(ak.UnknownNameError, match="branch: no quantity 'mm'; did you mean 'm'.; known are m"):
        branches[0]["mm"]
    found = magnet().solve(h=0.3)
    assert "m" in found and "h" in found and "twice" in found and "mm" not in found


def test_systems_define_every_symbol():
    text = step().equations()._repr_latex_()
    assert text.startswith("$$\\begin{aligned}\n") and text.endswith("\\end{aligned}$$")
    rows = text.split("\n")[1:-1]
    said = " ".join(row for row in rows if row.startswith("& "))
    defined = {row.partition(" &=")[0] for row in rows if " &=" in row}
    for s in ("\\hat{V}_{1}", "\\kappa", "\\lambda", "D, F, H", "\\Delta"):
        assert s in said
    used = re.findall(r"\\mu_\{\d\}(?:\^\{2\})?|\\hat\{\w\}_\{\d\}", text)
    assert all(u in defined or u in said or u.partition("^")[0] in defined for u in used)
    place = {d: k for k, row in enumerate(rows) for d in defined if row.startswith(f"{d} &=")}
    assert place["S"] < place["V_{1}"] and place["\\mu_{1}"] < place["V"]        # before they are used


@pytest.mark.parametrize("name", ["OneStep", "SpikedFeatures", "NonlinearSpikes", "DeepFeatures", "Theory"])
def test_a_symbol_is_written_in_one_way_and_stands_for_one_thing(name):
    system = _built(name).equations()
    rows = system._repr_latex_().split("\n")[1:-1]
    said, equations = "\n".join(r for r in rows if r[0] == "&"), "\n".join(r for r in rows if r[0] != "&")
    names = {s.name for symbols, _ in legend(system) for s in symbols}
    written = {n: spell_latex(n, system.notation) for n in names | {d.label for d in system.definitions}}
    assert len(set(written.values())) == len(written)
    assert all(w in equations for w in written.values()) and all(written[n] in said for n in names)
    upright = r"\\(mathrm|text|mathbb|left|right|operatorname|_)\{[^{}]*\}|\\[A-Za-z]+|_\{[a-z]+\}"
    assert name == "Theory" or not re.search(r"[A-Za-z]{2,}", re.sub(upright, " ", equations))


def test_parameters_say_what_they_are():
    text = step().equations()._repr_latex_()
    for line in (r"& \alpha:\ \text{samples over d} \\", r"& r:\ \text{strength of the spike} \\",
                 r"& \lambda:\ \text{penalty on the readout} \\"):
        assert line in text
    assert "parameters}" not in text.replace("order parameters", "")
    assert "  rho: what is left of the target: sqrt(1 - gamma**2)\n" in step().derive()
    deep = _built("DeepFeatures").derive("latex")
    assert "noise" not in deep and r"\Delta" in deep.splitlines()[0] and r"\mathrm{width}_{1}" in deep.splitlines()[0]


def test_latex_of_objects():
    assert ak.Activation("exp")._repr_latex_() == r"$\displaystyle f(z) = e^{\frac{z}{2}}$"
    assert _built("Loss")._repr_latex_() == r"$\displaystyle \ell(y, z) = \left(y - z\right)^{2}$"
    f = ak.Theory(name="x", parameters={Symbol("F"): ("field", "real")}, unknowns=[m],
                  free_energy=m**2 / 2 - Symbol("F") * m)
    assert f.derive().startswith("free energy\n  f = ") and "  F: field\n" in f.derive()


def test_completion_offers_quantities_and_verbs():
    names = dir(step())
    for verb in ("solve", "sweep", "plot", "equations", "parameters_at", "free_energy"):
        assert verb in names, verb
    assert not {"kernel", "located", "precise_values", "table_names", "accept_proof", "regime"} & set(names)
    solution = _built("Solution")
    assert {"test_error", "q1", "eta", "converged", "observables"} <= set(dir(solution))
    assert not any(n.startswith("_") for n in dir(solution))
    assert "test_error" in solution._ipython_key_completions_()
    assert _built("Sweep")._ipython_key_completions_()[-1] == "alpha"
    assert _built("Draws")._ipython_key_completions_() == ["twice"]
    offered = set(dir(ak.Activation("relu")))
    assert {"hermite_coefficients", "plot", "kinks", "expr"} <= offered and not {"numpy_source", "samples"} & offered
    assert all(hasattr(ak.Activation, n) for n in offered)


def test_long_lines_are_broken_between_words():
    xs = symbols("x0:40", real=True)
    many = ak.Theory(name="many", parameters={}, unknowns=list(xs), equations=[x - tanh(x / 2 + 1) for x in xs])
    for shown in (many, many.solve(), many.equations(), many.equations().blocks[0],
                  ak.Activation("+".join(f"sin({k}*z)" for k in range(1, 60))),
                  ak.enclose(ak.E("tanh(z)**2", ak.parse("z")), digits=150), ak.Assumption(lambda at: 1, "w " * 200)):
        lines = repr(shown).splitlines()
        assert len(lines) <= LINES and max(map(len, lines)) <= COLUMNS and " at 0x" not in repr(shown)
    assert one_screen("a " * 100) == f"{'a ' * 60}".rstrip() + "\n" + "    " + f"{'a ' * 40}".rstrip()
    assert one_screen(f"m  {'1' * 200}") == "m  " + 114 * "1" + "..."


def test_what_is_long_is_made_short():
    text = one_screen("\n".join(map(str, range(100))) + "\n")
    assert len(text.splitlines()) == LINES and text.endswith("... 77 more lines; str() shows all of it")
    assert summarise(np.array([1.0, np.nan, 3.0])) == "array of shape 3 from 1 to 3"
    assert (summarise(1 / 3), summarise(np.float64(2)), summarise("a\n b"), summarise(np.array(["a"]))) == (
        "0.333333", "2", "a b", "array of shape 1")
    assert add_title("<b>", table([("a<b", 0.1)], ("&",))) == (
        '<div><b>&lt;b&gt;</b></div>\n<table>\n<tr><th style="text-align:left">&amp;</th></tr>\n<tr><td '
        'style="text-align:left">a&lt;b</td><td style="text-align:left">0.1</td></tr>\n</table>')


# -- names -----------------------------------------------------------------------------------------------------------


NAMES = {
    "lam": (r"\lambda", "<i>λ</i>"), "noise_variance": (r"\Delta", "<i>Δ</i>"),
    "alpha0": (r"\alpha_{0}", "<i>α</i><sub>0</sub>"), "qhat12": (r"\hat{q}_{12}", "<i>q̂</i><sub>12</sub>"),
    "thetahat": (r"\hat{\theta}", "<i>θ̂</i>"), "alpha_lr": (r"\alpha_{lr}", "<i>α</i><sub>lr</sub>"),
    "m": ("m", "<i>m</i>"), "eps": (r"\varepsilon", "<i>ϵ</i>"),
}


@pytest.mark.parametrize("name", NAMES)
def test_symbols_are_mathematics(name):
    import unicodedata

    assert tex(name) == NAMES[name][0] and label(name) == f"${NAMES[name][0]}$"
    assert format_html(name) == unicodedata.normalize("NFC", NAMES[name][1])


@pytest.mark.parametrize("name, shown, html", [
    ("test_error", "test error", "test_error"), ("energy", "energy", "energy"), ("x<y>&", "x<y>&", "x&lt;y&gt;&amp;"),
    (r"\(a\)", r"\(a\)", r"<span>\</span>(a<span>\</span>)"), ("a$b$", r"a\$b\$", "a<span>$</span>b<span>$</span>"),
    ("two words", "two words", "two words"), ("a\nb", "a?b", "a\nb"), ("", "", "")])
def test_other_names_are_text(name, shown, html):
    assert tex(name) is None and (label(name), format_html(name)) == (shown, html)


@pytest.mark.parametrize("name, written", [
    ("qhat1", r"\hat{q}_{1}"), ("lam", r"\lambda"), ("kappa1_12", r"\kappa_{1,12}"), ("width3", r"\mathrm{width}_{3}"),
    ("energy_10", r"\mathrm{energy}_{10}"), ("target_linear", r"\mathrm{target\_linear}"), ("dchi", r"\mathrm{dchi}"),
    ("a & b", r"\mathrm{a\ \&\ b}"), (r"\hat{m}", None), ("x_{1}", None), ("", r"\mathrm{}")])
def test_words_stand_upright_and_latex_stays(name, written):
    assert spell_latex(name) == written


def test_a_theory_may_write_its_names_otherwise():
    assert tex("mu2sq", {"mu2sq": r"\mu_{2}^{2}"}) == r"\mu_{2}^{2}"
    assert format_html("angle") == "<i>ϑ</i>"
