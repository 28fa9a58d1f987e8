"""Make golden records and show what moved: ``python tests/golden/record.py [FILE ...] [--new | --write]``.

Without an option every record is carried out, and what moved is printed; the exit status is 1 if anything did.
``--new`` fills in calls that have no values yet (a call is added to a file as ``"the call": {}``), ``--write`` replaces
values that moved and prints them: only where the old number is known to be wrong.  Values that are written are checked
by another route, whose name stands in the record, and are refused where the two disagree.
"""

import argparse
import json
import sys
import time
from functools import cache
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import asympkit as ak
from golden.calls import HERE, Calls, parse
from golden.crosscheck import cross_check
from golden.values import compare, encoded, values_of

#: how the values of a record were checked when they were made, and whether it takes seconds: not values
CHECKED, SLOW = ABOUT = "checked by", "slow"


def files():
    """Return the data files, one a theory."""
    return sorted(HERE.glob("*.json"))


def read(path):
    """Return the records of a file: a dict of values for each call."""
    return json.loads(path.read_text(encoding="utf-8"))


def write(path, records):
    """Write records, one value a line."""
    parts = []
    for call, record in records.items():
        values = ",\n".join(f"  {json.dumps(n)}: {json.dumps(v)}" for n, v in record.items())
        parts.append(f" {json.dumps(call)}: {{\n{values}}}" if record else f" {json.dumps(call)}: {{}}")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


@cache
def calls():
    """Return what carries out calls in this process."""
    return Calls()


def found(call):
    """Return the values of a call, each with its tolerance."""
    node = parse(call)
    return values_of(calls().value(node), *how(node))


def how(node):
    """Return the name of the method that a call ends with, and the digits it asks for."""
    method = getattr(getattr(node, "func", None), "attr", getattr(getattr(node, "func", None), "id", ""))
    given = {k.arg: k.value for k in getattr(node, "keywords", ())}
    if "digits" in given:
        return method, given["digits"].value
    if method == "evalf":
        return method, node.args[0].value
    digits = {"precise": 40, "certify": 30}.get(method)
    return method, 30 if given.get("certified") is not None or method == "enclose" else digits


def moved(call, record):
    """Return what differs from a record, as lines of text."""
    return compare({n: v for n, v in record.items() if n not in ABOUT}, found(call))


def made(call, record):
    """Return a record anew, checked by another route."""
    values = found(call)
    route, values, inside = cross_check(calls(), parse(call), values)
    kept = {n: record[n] for n in ABOUT if n in record}
    return {**kept, CHECKED: route, **{n: encoded(*v, inside.get(n)) for n, v in values.items()}}


def main(argv=None):
    """Carry out the records of some files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="*", type=Path, help="data files; all unless given")
    parser.add_argument("--new", action="store_true", help="fill in calls without values")
    parser.add_argument("--write", action="store_true", help="replace values that moved")
    options = parser.parse_args(argv)
    changed = False
    for path in options.file or files():
        records = read(path)
        for call, record in records.items():
            start = time.perf_counter()
            try:
                if CHECKED not in record and (options.new or options.write):
                    records[call] = made(call, record)
                    print(f"new    {call}: {records[call][CHECKED]}, {time.perf_counter() - start:.1f} s", flush=True)
                elif not options.new and (lines := moved(call, record)):
                    changed = True
                    print(f"moved  {path.stem}: {call}", *lines, sep="\n         ", flush=True)
                    if options.write:
                        records[call] = made(call, record)
            except (ak.AsympkitError, ArithmeticError, LookupError, ValueError, TypeError, AttributeError) as error:
                changed = True
                print(f"failed {path.stem}: {call}: {type(error).__name__}: {error}", flush=True)
            if options.new or options.write:
                write(path, records)
    return int(changed and not options.write)


if __name__ == "__main__":
    sys.exit(main())
