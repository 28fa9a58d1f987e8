"""The table of what `OneStep` and `SpikedFeatures` lack: each row raises its error, and docs/limits.md shows it.

``python tests/docs/test_refusals.py`` prints the table.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import pytest

import asympkit as ak

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"
SIGNS = {"loss": "logistic", "labels": "sign"}
STEP = {"eta": 1, "alpha0": 2, "alpha": 2, "lam": 0.1}
ALONG = {"r": 0.5, "c": 1, "gamma": 1, "alpha": 2, "lam": "0.1"}
TWO = {"units": [(1, 1, 0.5), (0.5, 1, 0.5)], "gamma": 0.5, "alpha": 1, "lam": 0.1}
VALUES = [(1, 0.5), (2, 0.5)]
LEARNED = ("minimize", "maximize", "certify", "solutions", "continuation", "generate")


@dataclass(frozen=True)
class Refusal:
    """Name a combination, the methods that lack it, the error, and a call."""

    what: str
    methods: str
    error: type
    call: object


def one(method="solve", student="tanh", target="z", at=None, **parts):
    """Return a call of a method after a step."""
    return lambda path: getattr(ak.OneStep(student, target, **parts), method)(**{**STEP, **(at or {})})


def classes(method="solve", rows="sphere", bias=0.0, **changes):
    """Return a call of a method with two classes of units."""
    at = {**TWO, "width": 9, **changes}
    return lambda path: getattr(ak.SpikedFeatures("tanh", "sin", rows=rows, bias=bias), method)(
        **{n: v for n, v in at.items() if v is not None})


def learned(method):
    """Return a call of a method of a learned bias."""
    more = {"generate": (), "certify": ALONG}.get(method, {"quantity": "test_error", "over": "lam"})
    return lambda path: getattr(ak.SpikedFeatures("tanh", "sin", bias="learned"), method)(
        *([path] if method == "generate" else ()), **dict(more))


CURVED = "a target that is curved, or at a width neither it nor the student odd"
REFUSED = [
    Refusal("even student, `bulk=\"exact\"`, a width", "all", ak.DomainError,
            one(student="cos", bulk="exact", at={"width": 100})),
    Refusal("student not odd, `bulk=\"exact\"`, `alpha0=inf`, target without a linear part", "all", ak.DomainError,
            one(student="relu", target="cos", bulk="exact", at={"alpha0": math.inf})),
    Refusal("target that jumps, a width after a step", "all", ak.DomainError, one(target="sign", at={"width": 100})),
    Refusal("signs of another target than `z`", "all", ak.DomainError, one(target="sin", **SIGNS)),
    Refusal("noiseless signs along the spike that the mean feature separates, a loss that falls with the margin, no "
            "width", "all", ak.DomainError, lambda path: ak.SpikedFeatures("tanh", "z", **SIGNS).solve(**ALONG)),
    Refusal("`lam=0` with another loss, labels or bias", "all", ak.DomainError, one(**SIGNS, at={"lam": 0})),
    Refusal("a width of a simulation, which has its own", "`simulate`, `check`", ak.DomainError,
            one("simulate", at={"width": 100, "d": 50})),
    Refusal(f"smooth loss of regression labels, {CURVED}", "`precise`", ak.NotAvailableError,
            one("precise", target="sin", loss=ak.Loss("sqrt(1+(y-z)**2)", ak.parse("y", names=("y",)),
                                                     ak.parse("z", names=("z",))))),
    Refusal(f"loss with kinks, {CURVED}", "`certify`", ak.ProofError,
            one("certify", student="relu", target="z+1", loss=ak.Huber(1), at={"lam": "0.1", "width": 100})),
    Refusal("another loss than the square, target along the spike", "`certify`", ak.ProofError,
            lambda path: ak.SpikedFeatures("tanh", "z", **SIGNS).certify(**ALONG, noise_variance="0.1")),
    Refusal("another loss than the square, or signs, over the exact bulk", "`generate`", ak.NotAvailableError,
            lambda path: ak.OneStep("tanh", "z", **SIGNS, bulk="exact").generate(path)),
    Refusal("several classes of units, or values of the readout, no width (`math.inf` for the limit)", "all",
            ak.DomainError, classes("solve", width=None)),
    Refusal("several classes of units, `rows=\"gaussian\"`", "all", ak.DomainError, classes(rows="gaussian")),
    Refusal("`rows=\"orthogonal\"`, more units than inputs", "all", ak.DomainError, classes(rows="orthogonal", beta=2)),
    Refusal("classes of units, `bias=\"learned\"`", "all", ak.DomainError, classes(bias="learned")),
    Refusal("values of the readout, student not odd", "all", ak.DomainError,
            one(student="relu", readout=VALUES, at={"width": 9})),
    Refusal("values of the readout, `bulk=\"exact\"`", "all", ak.DomainError, one(readout=VALUES, bulk="exact")),
    Refusal("several classes of units, but for orthogonal rows", "`certify`", ak.ProofError,
            classes("certify", floats="decimal")),
    Refusal("values of the readout, or rows that are not on the sphere", "`generate`", ak.NotAvailableError,
            lambda path: ak.SpikedFeatures("tanh", "z", rows="gaussian").generate(path)),
    *(Refusal('`bias="learned"`', f"`{method}`", ak.NotAvailableError, learned(method)) for method in LEARNED)]


def table():
    """Return the table in Markdown, methods of one combination together."""
    rows = {}
    for r in REFUSED:
        rows.setdefault((r.what, r.error.__name__), []).append(r.methods)
    lines = [f"| {what} | {', '.join(methods)} | `{error}` |" for (what, error), methods in rows.items()]
    return "\n".join(["| combination | not in | error |", "|---|---|---|", *lines])


@pytest.mark.parametrize("refusal", REFUSED, ids=lambda r: f"{r.what} {r.methods}")
def test_a_row_is_refused(refusal, tmp_path):
    with pytest.raises(refusal.error):
        refusal.call(tmp_path / "m.py")


def test_the_page_shows_the_table():
    assert table() in PAGE.read_text(encoding="utf-8")


if __name__ == "__main__":
    print(table())
