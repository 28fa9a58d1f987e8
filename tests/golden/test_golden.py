"""Every golden record holds: numbers of public calls, frozen (see :mod:`golden.record`)."""

import json

import pytest

from golden.record import ABOUT, SLOW, files, main, moved, read, write

RECORDS = [(path.stem, call, record) for path in files() for call, record in read(path).items()]
#: theories that compile no loops: what moves is looked for with them
CHEAP = "Ridge(([3, 2, 1], [4, 1, 1]), [1, \"1/2\", \"1/2\"], 2).solve(n=3, lam=0.1)"


@pytest.mark.parametrize(("call", "record"), [
    pytest.param(call, record, id=f"{stem}: {call}", marks=pytest.mark.slow if record.get(SLOW) else ())
    for stem, call, record in RECORDS])
def test_a_record_holds(call, record):
    assert moved(call, record) == []


def test_there_are_enough_records_of_each_theory():
    count = {path.stem: sum(not r.get(SLOW) for s, _, r in RECORDS if s == path.stem) for path in files()}
    assert sum(count.values()) >= 400 and min(count.values()) >= 30
    assert all(set(r) - set(ABOUT) for _, _, r in RECORDS)


@pytest.mark.parametrize("change", (1e-9, -1e-11))
def test_a_changed_value_has_moved(change, tmp_path, capsys):
    path = next(p for p in files() if p.stem == "ridge")
    record = read(path)[CHEAP]
    value, tolerance = record["test_error"]
    write(tmp_path / "one.json", {CHEAP: {**record, "test_error": [value * (1 + change), tolerance]}})
    before = (tmp_path / "one.json").read_text()
    assert main([str(tmp_path / "one.json")]) == 1
    assert "test_error" in capsys.readouterr().out and (tmp_path / "one.json").read_text() == before


def altered(value):
    """A value that is not the one of a record."""
    if isinstance(value, dict) and "inside" in value:
        return {**value, "inside": value["inside"][:-6] + ("111111" if value["inside"][-6:] != "111111" else "222222")}
    if isinstance(value, dict):
        return {"exactly": [*value["exactly"], "another"]}
    if isinstance(value, list) and isinstance(value[0], str):
        return [str(1.5 * float(value[0]) + 1), value[1]]
    if isinstance(value, list) and isinstance(value[0], list):
        return [(value[0][:-1], value[1][:-1])][0] if len(value[0]) else value
    if isinstance(value, list):
        return [value[0] + 3 * value[1] + 1e-300, value[1]]
    return f"{value} and more"


@pytest.mark.parametrize("stem", [path.stem for path in files() if path.stem != "command_line"])
def test_every_kind_of_value_is_compared(stem):
    call, record = next((c, r) for s, c, r in RECORDS if s == stem and not r.get(SLOW))
    for name in record.keys() - set(ABOUT):
        lines = moved(call, {**record, name: altered(record[name])})
        assert len(lines) == 1 and lines[0].startswith(f"{name}: "), name
    name = next(n for n in record if n not in ABOUT)
    assert moved(call, {n: v for n, v in record.items() if n != name}) == [f"{name}: is new"]
    assert moved(call, {**record, "another": 1}) == ["another: is no longer there"]


def test_what_does_not_move_is_left_as_it_is(tmp_path, capsys):
    path = next(p for p in files() if p.stem == "ridge")
    records = dict(list(read(path).items())[:3])
    write(tmp_path / "some.json", records)
    assert main([str(tmp_path / "some.json")]) == 0 and capsys.readouterr().out == ""
    assert json.loads((tmp_path / "some.json").read_text()) == records
