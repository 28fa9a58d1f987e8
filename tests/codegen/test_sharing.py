"""Parts of expressions that assignments share."""

import math
from itertools import count
from unittest import mock

from asympkit.codegen import sharing

LINES = ["first = (b + 1.0)*(c*d) + math.exp(c*d)*f(b + 1.0, k=c*d)", "second = c*d",
         "total += w[0]*((c*d)*second/(b + 1.0) if b + 1.0 > 0.0 else 1.0/(c - c))    # (b + 1.0), once",
         "third = -((b + 1.0)*(c*d))*3.0 - math.sqrt(b + 1.0)"]


def test_parts_are_computed_once_and_the_values_stay():
    with mock.patch.object(sharing, "_MANY", 1):
        lines = sharing.share_parts(LINES, count(1))
    found = []
    for text in (LINES, lines):
        space = {"b": 0.3, "c": 1.7, "d": -2.2, "w": [0.4], "total": 0.1, "math": math, "f": lambda x, k: x / k}
        exec("\n".join(text), space)
        found.append([space[n] for n in ("first", "second", "third", "total")])
    assert found[0] == found[1]
    assert lines[:3] == ["part_1 = b + 1.0", "part_2 = c*d", "part_3 = part_1*part_2"]
    # a branch may have no value
    assert lines[-2].endswith("if b + 1.0 > 0.0 else 1.0/(c - c))    # (b + 1.0), once")
    assert sharing.share_parts(LINES, count(1)) is LINES
