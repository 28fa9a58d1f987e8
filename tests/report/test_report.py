"""Reports: accessible without a browser's help, self-contained, safe, complete, and never in the way."""

import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from asympkit.derivations import load
from asympkit.derivations.document import Outcome
from asympkit.derivations.page import tex
from sympy import Symbol, tanh

import asympkit as ak
from asympkit.cli import main
from asympkit.report import STYLE
from asympkit.theories.declared import Declared

AT = {"eta": 1, "alpha0": 2, "alpha": 2, "lam": 0.1, "noise_variance": 0.1}
SMALL = {"simulation": {"d": 40, "repeats": 2}, "over": "lam", "digits": None}
EVIL = '<script>alert("x")</script>'
VOID = {"meta", "br", "link"}


class Reader(HTMLParser):
    """Collect elements with their attributes, ancestors, and text."""

    def __init__(self, page):
        super().__init__()
        self.stack, self.elements, self.text = [], [], []
        self.feed(page)
        assert not self.stack

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "inside": tuple(e["tag"] for e in self.stack), "text": "", **dict(attributes)}
        self.elements.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag, attributes):      # in SVG
        self.handle_starttag(tag, attributes)
        self.stack.pop()

    def handle_endtag(self, tag):
        assert self.stack.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.stack:
            element["text"] += data

    def all(self, *tags):
        return [e for e in self.elements if e["tag"] in tags]


def assert_accessible(page):
    """Check language, headings, tables, pictures, links and identifiers, and that nothing is loaded or run."""
    found = Reader(page)
    (root,), (title,), (heading,) = found.all("html"), [e for e in found.all("title") if "svg" not in e["inside"]], \
        found.all("h1")
    assert root["lang"] == "en" and title["text"] == heading["text"] and len(found.all("main")) == 1
    levels = [int(e["tag"][1]) for e in found.all("h1", "h2", "h3")]
    assert levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:]))
    tables, captions = found.all("table"), found.all("caption")
    assert len(tables) == len(captions) and all(c["text"].strip() for c in captions)
    assert all(th["scope"] == ("col" if "thead" in th["inside"] else "row") for th in found.all("th"))
    assert all(th["text"].strip() for th in found.all("th"))
    identifiers = [e["id"] for e in found.elements if "id" in e]
    assert len({*identifiers}) == len(identifiers)
    text_of = {e["id"]: e["text"] for e in found.elements if "id" in e}
    for picture in found.all("svg"):
        assert picture["role"] == "img" and all(text_of[k].strip() for k in picture["aria-labelledby"].split())
    assert all(e["alt"] for e in found.all("img"))
    for e in found.elements:
        assert e["tag"] not in ("script", "link", "iframe", "object", "embed", "base", "form")
        assert not [n for n in e if n.startswith("on")] and not {"src", "action", "data", "srcset"} & {*e}
        for name in ("href", "xlink:href"):
            if name in e:
                assert e[name].startswith("#") and e[name][1:] in identifiers
        if e["tag"] == "a" or "tabindex" in e:
            assert e.get("aria-label") or e["text"].strip()
    styles = " ".join([e["text"] for e in found.all("style")] + [e.get("style") or "" for e in found.elements])
    assert "@import" not in styles and not re.search(r"url\((?!#)", styles)
    assert all(u in ("http://www.w3.org/1998/Math/MathML", "http://www.w3.org/1999/xlink")
               for u in re.findall(r'="(https?://[^"]*)"', page))
    return found


def contrast(one, other):
    """Relative luminance contrast of WCAG 2."""
    def luminance(colour):
        c = np.array([int(colour[k:k + 2], 16) for k in (1, 3, 5)]) / 255
        return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_text_has_contrast_in_both_schemes():
    assert contrast("#ffffff", "#000000") == pytest.approx(21) and contrast("#777777", "#ffffff") < 4.5
    blocks = re.findall(r":root {(.*?)}", STYLE, re.DOTALL)
    schemes = [dict(re.findall(r"--(\w+): (#\w{6})", block)) for block in blocks]
    assert len(schemes) == 2 and schemes[0].keys() == schemes[1].keys()
    for colours in schemes:
        for name in colours.keys() - {"paper", "line"}:
            assert contrast(colours[name], colours["paper"]) >= 4.5, name
    assert {*re.findall(r"var\(--(\w+)\)", STYLE)} == {*schemes[0]} and "@media print" in STYLE
    outside = re.sub(r":root {.*?}", "", STYLE, flags=re.DOTALL)
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b", outside)


def identifiers(math):
    """The names in MathML: letters with their indices."""
    return {*map(unescape, re.findall(r"<mi>([^<]*)</mi>", math))}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "a.html"
    theory = ak.OneStep("tanh", "sin")
    assert theory.report(path, **SMALL, **AT) == path
    return theory, path, path.read_text(encoding="utf-8")


def test_a_report_is_accessible_and_complete(small):
    theory, _, page = small
    found = assert_accessible(page)
    headings = [e["text"] for e in found.all("h2")]
    assert headings == ["Activations", "Parameters and assumptions", "Symbols", "Equations", "Structure", "Solution",
                        "Curves", "Optimum", "Sensitivities", "Certificate", "Exported code", "Provenance"]
    assert len(found.all("svg")) == 3 and 'class="note"' not in page
    s, cells = theory.solve(**AT), [e["text"] for e in found.all("td")]
    assert f"{s.test_error:.15g}" in cells and f"{theory.sensitivity('test_error', 'eta', **AT):.15g}" in cells
    best = theory.minimize("test_error", over="lam", bounds=(0.004, 2.5), **{n: v for n, v in AT.items() if n != "lam"})
    assert f"at lam = {best.argmin:.10g}; here" in page
    assert "def solve(" in page and "ak.OneStep(student=&#x27;tanh&#x27;, target=&#x27;sin&#x27;).report(" in page


def test_every_symbol_is_defined(small):
    _, _, page = small
    symbols, equations = (re.search(rf'<section id="{key}".*?</section>', page, re.DOTALL)[0]
                          for key in ("symbols", "equations"))
    words = {"sin", "tanh", "max", "𝔼"}
    assert identifiers(equations) - words <= identifiers(symbols) and "μ" in identifiers(equations)
    assert "unknown (order parameter)" not in symbols
    assert "overlap with the spike v</td>" in symbols and "conjugate of theta</td>" in symbols


def test_names_of_the_free_energy_are_defined():
    page = ak.OneStep("tanh", "z", loss="logistic", labels="sign").derive("html")
    assert '<tr><th scope="row">G</th>' in page and "<mi>G</mi><mo>=</mo>" in page


def test_simulated_points_are_those_of_simulate(small):
    theory, _, page = small
    at = np.geomspace(0.02, 0.5, 25)[[0, 8, 16, 24]]
    drawn = theory.simulate(d=40, repeats=2, **{**AT, "lam": at})["test_error"]
    for mean in drawn.mean:
        assert f"<td>{mean:.6g}</td>" in page
    pull = (drawn.mean[0] - theory.solve(**{**AT, "lam": at[0]}).test_error) / drawn.stderr[0]
    assert f"<td>{pull:.2f}</td>" in page


@pytest.mark.slow
def test_the_page_is_the_same_again(small):
    theory, path, page = small
    ak.OneStep("tanh", "sin").report(path, **SMALL, **AT)
    assert path.read_text(encoding="utf-8") == page


def test_what_is_refused_leaves_files_alone(small, tmp_path):
    theory, _, _ = small
    mine = tmp_path / "mine.html"
    mine.write_text("mine")
    with pytest.raises(ak.DomainError, match="was not written by asympkit"):
        theory.report(mine, **AT)
    for wrong, kind in (({"over": "lamb"}, ak.UnknownNameError), ({"quantity": "tset_error"}, ak.UnknownNameError),
                        *(({name: value}, ak.DomainError) for name, value in (("simulation", 3), ("date", 3),
                                                                              ("eta", -1)))):
        with pytest.raises(kind):
            theory.report(tmp_path / "b.html", **{**AT, **wrong})
    with pytest.raises(ak.DomainError, match="is a folder; expected the name of a file"):
        theory.report(tmp_path, **AT)
    assert mine.read_text() == "mine" and not (tmp_path / "b.html").exists()


def strange(draw=None):
    """A theory whose every text is hostile."""
    J, h, m = Symbol("<b onclick='a'>J", positive=True), Symbol('&h"', positive=True), Symbol("<i>m</i>", real=True)
    return ak.Theory(name=EVIL, parameters={J: (f"{EVIL} meaning", "positive"), h: ("a & b", "positive")},
                     unknowns=[m], equations=[m - tanh(J * m / 9 + h)], observables={f"{EVIL}2": m**2}, simulate=draw,
                     assumptions=[ak.Assumption(J < 3, f"{EVIL} breaks")])


STRANGE = {"<b onclick='a'>J": 4.0, '&h"': 0.3}


def failing(rng, size, **parameters):
    raise RuntimeError(EVIL)


def test_texts_of_strangers_stay_texts(tmp_path):
    path = strange(failing).report(tmp_path / "a.html", digits=None, date=EVIL, parameters=STRANGE)
    page = path.read_text(encoding="utf-8")
    found = assert_accessible(page)
    assert found.all("h1")[0]["text"] == f"{EVIL}: report" and not found.all("b", "i")
    assert f"Not simulated: RuntimeError: {EVIL}" in [e["text"] for e in found.elements if e.get("class") == "note"]
    assert f"{EVIL} breaks" in [e["text"] for e in found.all("td")]


def test_what_cannot_be_computed_is_a_sentence(tmp_path, monkeypatch):
    h, m = Symbol("h", positive=True), Symbol("m", real=True)
    theory = ak.Theory(name="none", parameters={h: ("field", "positive")}, unknowns=[m], equations=[m**2 + h])

    def missing(self, **arguments):
        raise ak.NotAvailableError("certify: python-flint is not installed")

    monkeypatch.setattr(Declared, "certify", missing, raising=False)
    monkeypatch.setattr(type(theory), "certify", missing)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    page = theory.report(tmp_path / "a.html", h=1.0).read_text(encoding="utf-8")
    notes = [e["text"] for e in assert_accessible(page).elements if e.get("class") == "note"]
    assert [n.partition(":")[0] for n in notes] == ["Not solved here", *["Not available here"] * 3]
    assert "python-flint is not installed" in notes[-1] and any("install asympkit[plot]" in n for n in notes)


@pytest.mark.slow
def test_a_learned_bias_has_a_report(tmp_path):
    theory, at = ak.SpikedFeatures("tanh", "z", bias="learned"), {"alpha": 2, "lam": 0.1, "r": 1, "c": 1, "gamma": 0.5}
    page = theory.report(tmp_path / "a.html", over="lam", **at).read_text(encoding="utf-8")
    notes = [e["text"] for e in assert_accessible(page).elements if e.get("class") == "note"]
    assert f"{theory.solve(**at).test_error:.15g}" in page
    assert [n for n in notes if "no simulation is drawn" in n] and [n for n in notes if "certify: a learned bias" in n]


@pytest.mark.parametrize("argv", [["one-step", "--student", "tanh", "--target", "sin"],
                                  pytest.param(["result_3_2"], marks=pytest.mark.slow)], ids=lambda argv: argv[0])
def test_equations_and_derivations_are_pages_of_the_same_template(argv, capsys):
    assert main(["derive", *argv, "--format", "html"]) == 0
    page = capsys.readouterr().out
    found = assert_accessible(page)
    assert STYLE in page and len(found.all("math")) > 20 and r"\mu_{2}^{2}" in page


@pytest.mark.parametrize("name", ["result_3_2", pytest.param("classes", marks=pytest.mark.slow)])
def test_raw_names_are_written_in_the_notation(name):
    doc = load(name)
    assert r"\mu_{2" in "".join(step.latex for step in doc.steps)
    text = tex(doc, [Outcome(True, "by hand")] * len(doc.steps))
    assert not re.search(r"mu2sq|hzz|dmu0|noise_", text)


@pytest.mark.slow
def test_the_command_line_writes_a_report(tmp_path, capsys):
    out = tmp_path / "r.html"
    assert main(["report", "one-step", "--student", "relu", "--target", "sin", "--eta", "1", "--alpha0", "2", "--alpha",
                 "2", "--lam", "0.1", "--d", "60", "--repeats", "2", "-o", str(out)]) == 0
    assert capsys.readouterr().out.strip() == str(out)
    page = out.read_text(encoding="utf-8")
    assert_accessible(page)
    assert "exactly one solution" in page and "Proved enclosures" in page and "Points with error bars" in page


ACTIVATIONS = ["hardtanh", "abs", "sign", "tanh(40*z)", "sin(9*z)", "z*sin(z)*exp(-z**2/16)", "step(z-1/3)",
               "max(z,0)**2", "where(z<1,tanh(z),tanh(1))", "erf(30*(z-1))"]


@pytest.mark.slow
@pytest.mark.parametrize("text", ACTIVATIONS)
def test_any_activation_has_a_report(text, tmp_path):
    functions = ("sin", text) if ak.Activation(text).jumps else (text, "sin")       # a student's step needs its slope
    path = ak.OneStep(*functions).report(tmp_path / "a.html", simulation={"d": 60, "repeats": 2}, **AT)
    page = path.read_text(encoding="utf-8")
    notes = [e["text"] for e in assert_accessible(page).elements if e.get("class") == "note"]
    assert not [n for n in notes if re.match(r"Not [a-z ]*: \w*(Error|Exception): ", n)], notes
    assert all("certify" in n for n in notes) or text == "sin(9*z)"     # its mean is below the rounding of doubles


def good(rng, size, **parameters):
    return {f"{EVIL}2": rng.normal() / size}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["strange", "magnet", "energy"])
def test_theories_of_others_have_a_report(name, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "theories" / "outside")
    h, m = Symbol("h", real=True), Symbol("m", real=True)
    theory, at = {"strange": lambda: (strange(good), {"parameters": STRANGE}),
                  "magnet": lambda: (__import__("outside_magnet").magnet, {"J": 1.5, "h": 0.2, "quantity": "m"}),
                  "energy": lambda: (ak.Theory(name="well", parameters={h: ("field", "real")}, unknowns=[m],
                                               free_energy=m**2 / 2 - h * m, observables={"square": m**2}), {"h": 0.0}),
                  }[name]()
    page = theory.report(tmp_path / "a.html", **at).read_text(encoding="utf-8")
    assert_accessible(page)
    assert 'class="note"' not in page and ("error bars" in page) == (name != "energy")
