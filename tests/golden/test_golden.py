"""Every golden record holds: numbers of public calls, frozen (see :mod:`golden.record`)."""

import re

import numpy as np
import pytest

from golden.calls import CallError, Calls
from golden.record import ABOUT, SLOW, files, main, moved, read, write

RECORDS = [(path.stem, call, record) for path in files() for call, record in read(path).items()]
#: files whose records take a moment
QUICK = ("activations", "averages", "ridge")
#: calls that need the extra "certify", or take minutes without it (digits of averages inside averages)
PROOFS = re.compile(r"certif|enclose|check|Ridge\(\[\[.*precise|labels.*precise")


@pytest.mark.parametrize(("call", "record"), [
    pytest.param(call, record, id=f"{stem}: {call}", marks=pytest.mark.slow if record.get(SLOW) else ())
    for stem, call, record in RECORDS])
def test_a_record_holds(call, record):
    if PROOFS.search(call):
        pytest.importorskip("flint")
    assert moved(call, record) == []


def test_there_are_enough_records_of_each_theory():
    count = {path.stem: sum(not r.get(SLOW) for s, _, r in RECORDS if s == path.stem) for path in files()}
    assert sum(count.values()) >= 400 and min(count.values()) >= 30
    assert all(r.keys() - set(ABOUT) for _, _, r in RECORDS)


def kind(value):
    """How a value of a record is compared."""
    if isinstance(value, dict):
        return "ball" if "inside" in value else "list"
    if isinstance(value, list):
        return {str: "digits", list: "array"}.get(type(value[0]), "number")
    return "exact"


def altered(value):
    """What a value is changed to, beyond its tolerance."""
    match kind(value):
        case "ball":
            return {**value, "inside": str(1.001 * float(value["inside"]) + 0.00123456789)}
        case "list":
            return {"exactly": [*value["exactly"], "another"]}
        case "digits":
            return [str(1.001 * float(value[0]) + 0.001), value[1]]
        case "array":
            numbers = np.array(value[0])
            numbers[-1] += 3 * np.ravel(value[1])[-1] + 1e-300
            return [numbers.tolist(), value[1]]
        case "number":
            return [value[0] + 3 * value[1] + 1e-300, value[1]]
    return f"{value} and more"


@pytest.mark.parametrize("wanted", ("number", "digits", "ball", "array", "list", "exact"))
def test_a_changed_value_has_moved(wanted):
    if wanted == "ball":
        pytest.importorskip("flint")
    call, record = next((c, r) for s, c, r in RECORDS if s in QUICK and wanted in map(kind, (r[n] for n in r
                                                                                             if n not in ABOUT)))
    names = [n for n in record if n not in ABOUT]
    for name in names:
        (line,) = moved(call, {**record, name: altered(record[name])})
        assert line.startswith(f"{name}: ")
    assert moved(call, {n: record[n] for n in names[1:]}) == [f"{names[0]}: is new"]
    assert moved(call, {**record, "another": 1}) == ["another: is no longer there"]


def test_a_ball_that_has_grown_has_moved():
    pytest.importorskip("flint")
    call, record = next((c, r) for s, c, r in RECORDS if s == "ridge" and "certify" in c)
    value = record["test_error"]
    (line,) = moved(call, {**record, "test_error": {**value, "radius": 1e-12 * value["radius"]}})
    assert line.startswith("test_error: radius ")


def some_records(count):
    """The first records of a theory that compiles nothing."""
    return dict(list(read(next(p for p in files() if p.stem == "ridge")).items())[:count])


def test_what_moved_is_printed_and_the_file_is_left_as_it_is(tmp_path, capsys):
    ((call, record),) = some_records(1).items()
    value, tolerance = record["test_error"]
    write(tmp_path / "one.json", {call: {**record, "test_error": [value * (1 + 1e-11), tolerance]}})
    before = (tmp_path / "one.json").read_text(encoding="utf-8")
    assert main([str(tmp_path / "one.json")]) == 1
    assert f"test_error: {value * (1 + 1e-11)} -> {value}" in capsys.readouterr().out
    assert (tmp_path / "one.json").read_text(encoding="utf-8") == before


def test_values_are_written_where_that_is_asked_for(tmp_path, capsys):
    records = some_records(2)
    ((call, record), (other, _)) = records.items()
    write(tmp_path / "two.json", {call: {**record, "V": [0.0, 0.0]}, other: {}})
    assert main(["--new", str(tmp_path / "two.json")]) == 0
    assert read(tmp_path / "two.json")[other] == records[other]
    assert read(tmp_path / "two.json")[call]["V"] == [0.0, 0.0]
    assert main(["--write", str(tmp_path / "two.json")]) == 0
    assert read(tmp_path / "two.json") == records
    assert "V: 0.0 -> " in capsys.readouterr().out


def test_what_does_not_move_is_not_printed(tmp_path, capsys):
    write(tmp_path / "some.json", some_records(3))
    assert main([str(tmp_path / "some.json")]) == 0 and capsys.readouterr().out == ""
    assert read(tmp_path / "some.json") == some_records(3)


@pytest.mark.parametrize("text", (
    "__import__('os').getcwd()", "own.np.array([1])", "Ridge.__init__.__globals__", "[1 for x in (1, 2)]", "1 + 1",
    "own.magnet.solve.__self__", "exported(own.magnet)._module", "OneStep('tanh', 'sin').generate('there.py')", "x ="))
def test_only_the_vocabulary_is_carried_out(text):
    with pytest.raises(CallError):
        Calls()(text)
