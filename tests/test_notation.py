"""How names are written."""

import pytest

from asympkit.notation import in_html, label, spelt, tex

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
    assert in_html(name) == unicodedata.normalize("NFC", NAMES[name][1])


@pytest.mark.parametrize("name, shown, html", [
    ("test_error", "test error", "test_error"), ("energy", "energy", "energy"), ("x<y>&", "x<y>&", "x&lt;y&gt;&amp;"),
    (r"\(a\)", r"\(a\)", r"<span>\</span>(a<span>\</span>)"), ("a$b$", r"a\$b\$", "a<span>$</span>b<span>$</span>"),
    ("two words", "two words", "two words"), ("a\nb", "a?b", "a\nb"), ("", "", "")])
def test_other_names_are_text(name, shown, html):
    assert tex(name) is None and (label(name), in_html(name)) == (shown, html)


@pytest.mark.parametrize("name, written", [
    ("qhat1", r"\hat{q}_{1}"), ("lam", r"\lambda"), ("kappa1_12", r"\kappa_{1,12}"), ("width3", r"\mathrm{width}_{3}"),
    ("energy_10", r"\mathrm{energy}_{10}"), ("target_linear", r"\mathrm{target\_linear}"), ("dchi", r"\mathrm{dchi}"),
    ("a & b", r"\mathrm{a\ \&\ b}"), (r"\hat{m}", None), ("x_{1}", None), ("", r"\mathrm{}")])
def test_words_stand_upright_and_latex_stays(name, written):
    assert spelt(name) == written


def test_a_theory_may_write_its_names_otherwise():
    assert tex("mu2sq", {"mu2sq": r"\mu_{2}^{2}"}) == r"\mu_{2}^{2}"
    assert in_html("angle") == "<i>ϑ</i>"
