"""Somebody's tables beside a theory: what agrees, what does not, and what explains it."""

import json
import math

import numpy as np
import pytest
from helpers.commands import command
from sympy import symbols, tanh

import asympkit as ak

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")

MODEL = ak.OneStep("tanh", "sin")
AT = {"eta": 1, "alpha0": 5, "noise_variance": 0.1}
ALPHA, LAM = [0.5, 1, 1.5, 2, 3, 4], [0.1, 0.01, 0.1, 1, 0.1, 0.3]


def errors(lam=LAM, **changed):
    return [MODEL.solve(alpha=a, lam=v, **{**AT, **changed}).test_error for a, v in zip(ALPHA, lam)]


def printed(values):
    return [f"{v:.4f}" for v in values]


def test_a_file_agrees(tmp_path):
    """Columns in other spellings, comments, semicolons; numbers within their last digit."""
    path = tmp_path / "numbers.csv"
    rows = [f"{a}; {v}; {e}; 3" for a, v, e in zip(ALPHA, LAM, printed(errors()))]
    path.write_text("# of somebody\nAlpha; lambda; Test error; seed\n" + "\n".join(rows), encoding="utf-8")
    found = MODEL.compare(path, columns={"seed": None}, **AT)
    assert found.passed and found.verdict == "all 6 numbers agree" and found.explanations == ()
    assert found.varied == ["alpha", "lam"] and all(n.digits > 3.5 for n in found.numbers)
    assert str(found).startswith("one step: all 6 numbers agree\nrow  alpha  lam")
    found.to_csv(tmp_path / "out.csv")
    head, first, *_ = (tmp_path / "out.csv").read_text().splitlines()
    assert head == "row,alpha,lam,quantity,given,here,difference,agreement,"
    assert first.startswith("1,0.5,0.1,test_error,0.2860,0.2859629742,3.7e-05,3.9 digits")
    assert r"$1$ & $0.5$ & $0.1$ & test\_error & $0.2860$" in found.to_latex()


def test_one_wrong_convention():
    """Read as half squares, as noise of a standard deviation, as a penalty per sample: each is named."""
    table = {"alpha": ALPHA, "lam": LAM, "test_error": printed(errors([2 * v for v in LAM]))}
    found = MODEL.compare(table, **AT)
    assert len(found.differing) == 6 and found.explanations == (
        "6 of 6 agree by the convention 'half square' (1/2 sum (y - f)^2 + lam |w|^2; here lam = 2*lam)",)
    assert MODEL.compare(table, conventions="half square", **AT).passed
    assert MODEL.compare(table, conventions={"lam": "2*lam"}, **AT).passed
    table = {"alpha": ALPHA, "lam": LAM, "sigma": [0.1**0.5] * 6, "test_error": errors()}
    found = MODEL.compare(table, columns={"sigma": "noise_variance"}, eta=1, alpha0=5)
    assert "'noise as a standard deviation'" in found.explanations[0]
    per_sample = [v * a for v, a in zip(LAM, ALPHA)]            # n lam/p at beta = 1
    found = MODEL.compare({"alpha": ALPHA, "lam": LAM, "test_error": printed(errors(per_sample))}, **AT)
    assert "'penalty per sample on plain features'" in found.explanations[0]
    sizes = {"n": [200 * a for a in ALPHA], "d": [200] * 6, "lam": [v / (200 * a) for v, a in zip(LAM, ALPHA)]}
    found = MODEL.compare({**sizes, "test_error": printed(errors())}, **AT)
    assert "'penalty per sample' (mean loss" in found.explanations[0]
    assert MODEL.compare({**sizes, "test_error": printed(errors())}, conventions=["penalty per sample"], **AT).passed
    roots = {"alpha": ALPHA, "lam": LAM, "test_error": [f"{math.sqrt(e):.5f}" for e in errors()]}
    assert "'errors as roots'" in MODEL.compare(roots, **AT).explanations[0]


def test_few_digits_may_agree_by_chance():
    """Numbers of one digit are explained by more than one convention: both are named, and that it may be chance."""
    table = {"alpha": [0.5, 2, 3.5], "lam": [0.1] * 3, "noise_variance": [0.3] * 3, "test_error": ["0.3", "0.3", "0.2"]}
    found = MODEL.compare(table, eta=1, alpha0=2)
    assert len(found.explanations) == 2
    assert all(e.startswith("3 of 3 agree by the convention") for e in found.explanations)
    assert all(e.endswith(": with so few digits it may be chance") for e in found.explanations)


@pytest.mark.slow
def test_a_long_table_is_tried_on_a_sample():
    alpha = np.linspace(0.5, 5, 200)
    values = MODEL.sweep(alpha=alpha, lam=0.2, **AT)["test_error"]
    found = MODEL.compare({"alpha": alpha, "lam": [0.1] * 200, "test_error": np.round(values, 6)}, **AT)
    assert found.explanations[0].startswith("200 of 200 agree by the convention 'half square'")


def test_one_wrong_digit_and_one_small_error():
    numbers = printed(errors())
    numbers[2] = numbers[2].replace("5", "9", 1)
    numbers[4] = numbers[4][:4] + numbers[4][5] + numbers[4][4]
    found = MODEL.compare({"alpha": ALPHA, "lam": LAM, "test_error": numbers}, **AT)
    assert found.explanations == ("row 3, test_error: 0.2995 agrees as 0.2595: a slip of digits?",
                                  "row 5, test_error: 0.2294 agrees as 0.2249: a slip of digits?")
    assert found.verdict.startswith("2 of 6 numbers differ, the first in row 3 (alpha=1.5, lam=0.1)")
    moved = [0.3, -1, 0.5, 1.2, 0.2, -0.7]
    stderr = [0.003 * e for e in errors()]
    table = {"alpha": ALPHA, "lam": LAM, "test_error": [e + s * k for e, s, k in zip(errors(), stderr, moved)]}
    assert MODEL.compare({**table, "test_error_stderr": stderr}, **AT).passed
    stderr[3] /= 20
    found = MODEL.compare({**table, "se": stderr}, error="se", **AT)
    assert [n.row for n in found.differing] == [4] and found.numbers[3].z == pytest.approx(24, rel=1e-2)
    assert found.explanations == ("row 4, test_error: its error 3.3e-05 is 20 times smaller than those of its column; "
                                  "with the usual one z is 1.2",)


def test_a_difference_that_follows_a_parameter():
    table = {"alpha": ALPHA, "lam": LAM, "test_error": [e * (1 + 0.01 * v**0.5) for e, v in zip(errors(), LAM)]}
    (trend,) = MODEL.compare(table, **AT).explanations
    assert trend.startswith("relative differences grow with lam (rank correlation 0.9")


def test_brackets_frames_and_points_without_a_solution():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"alpha": [1.0, 2.0], "test_error": ["0.496(2)", "0.2531(4)"]})
    found = MODEL.compare(frame, lam=0.01, **AT)
    assert [n.error for n in found.numbers] == pytest.approx([0.002, 0.0004])
    assert found.numbers[0].agrees and found.numbers[0].z == pytest.approx(-0.4, abs=0.1)
    panels = pytest.importorskip("matplotlib.axes")
    assert isinstance(found.plot(), panels.Axes)
    (panel,) = found.plot(["test_error"])
    assert panel.get_ylabel() == found.plot("test_error").get_ylabel() and panel.lines[0].get_ydata().size == 2
    with pytest.raises(ak.UnknownNameError, match="plot: no quantity 'test_eror'; did you mean 'test_error'"):
        found.plot("test_eror")


def test_own_theories_are_compared():
    m, b = symbols("m b", positive=True)
    magnet = ak.Theory(name="magnet", unknowns=[m], parameters={b: ("coupling", "positive")},
                       equations=[m - tanh(b * m)])
    table = {"b": ["1.5", "2"], "m": ["0.8586", "0.9575"]}
    assert magnet.compare(table).passed


@pytest.mark.parametrize(("table", "kind", "message"), [
    ({"alfa": [1], "test_error": [1]}, ak.UnknownNameError, "no parameter or quantity is called 'alfa'"),
    ({"alpha": [1]}, ak.DomainError, "the columns alpha hold no quantity of the theory; expected one of test_error"),
    ({"alpha": [1], "test_error": ["x"]}, ak.DomainError, "row 1 of 'test_error' is 'x'; expected a number"),
    ({"alpha": [1, 2], "test_error": [1]}, ak.DomainError, "expected columns of one length"),
    ({"lam": [1], "alpha": [1], "test_error": [1]}, ak.DomainError, "lam: given twice, as a column and as a number"),
    ({"alpha": [1], "Alpha ": [1], "test_error": [1]}, ak.DomainError, "two columns stand for one quantity"),
    ({"alpha": [1], "test_error": [1], "test_error_sem": [0]}, ak.DomainError, "the error of test_error in row 1 is 0"),
    ("missing.csv", ak.DomainError, "'missing.csv' cannot be read"),
])
def test_bad_tables(table, kind, message):
    with pytest.raises(kind, match=message):
        MODEL.compare(table, lam=0.1, **AT)


def test_bad_names():
    table = {"alpha": [1], "test_error": [1]}
    for given, message in (({"columns": {"alhpa": "lam"}}, "the table has no column 'alhpa'; did you mean 'alpha'"),
                           ({"error": "se"}, "error: the table has no column 'se'"),
                           ({"columns": {"alpha": "alpa"}}, "columns: no parameter or quantity 'alpa'; did you mean"),
                           ({"conventions": "half squares"}, "no convention 'half squares'; did you mean")):
        with pytest.raises(ak.UnknownNameError, match=message):
            MODEL.compare(table, lam=0.1, **AT, **given)
    with pytest.raises(ak.DomainError, match=r"convention 'n\*lam': missing n; expected it as a column"):
        MODEL.compare(table, lam=0.1, conventions="penalty per sample", **AT)


def test_conventions_convert():
    found = ak.conventions["unnormalised Hermite"].convert(hermite=np.float64(6.0), k=3)
    assert found == {"hermite": pytest.approx(1.0)}
    assert ak.conventions["penalty per sample on plain features"].convert(lam=0.1, alpha=3, beta=2) == \
        {"lam": pytest.approx(0.15)}


def test_the_command(capsys, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("alpha,lam,test_error,se\n" + "\n".join(
        f"{a},{v},{e},0.001" for a, v, e in zip(ALPHA, LAM, printed(errors()))), encoding="utf-8")
    known = ("compare", str(path), "one-step", "--student", "tanh", "--target", "sin", "--eta", "1", "--alpha0", "5",
             "--noise-variance", "0.1")
    status, out, _ = command(capsys, *known, "--column", "se=", "--json")
    assert status == 0 and json.loads(out)["verdict"] == "all 6 numbers agree"
    status, out, _ = command(capsys, *known, "--error", "se", "--convention", "half square", "--format", "markdown")
    assert status == 1 and out.startswith("| row | alpha | lam | quantity | given | here | difference |")
    status, _, err = command(capsys, *known, "--column", "se")
    assert status == 2 and "--column: got 'se'; expected COLUMN=NAME" in err


def test_no_column_of_the_noise():
    """Conventions that need a parameter take its usual value."""
    found = MODEL.compare({"alpha": [0.5, 1.5], "test_error": ["0.2560", "0.2395"]}, lam=0.1, eta=1, alpha0=5)
    assert len(found.differing) == 2
    numbers = np.float32(errors(noise_variance=0))
    assert MODEL.compare({"alpha": ALPHA, "lam": LAM, "test_error": numbers}, eta=1, alpha0=5).passed
    for given, kind in (({"noise": 0.1}, ak.UnknownNameError), ({"conventions": {"zzz": "1"}}, ak.UnknownNameError),
                        ({"conventions": 3}, ak.DomainError), ({"error": 0.01}, ak.DomainError),
                        ({"error": {"test_err": "alpha"}}, ak.UnknownNameError)):
        with pytest.raises(kind, match=r"compare: no parameter|conventions: |error: (got 0.01|no quantity 'test_err')"):
            MODEL.compare({"alpha": [0.5], "test_error": ["0.13"]}, lam=0.1, eta=1, alpha0=5, **given)
