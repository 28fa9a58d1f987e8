"""What modules are made of: long lines, the definitions that are copied, states of points, refinement."""

import ast

import pytest

from asympkit.export.copies import broken, copy_definitions, reached_functions


@pytest.mark.parametrize("line", [
    "total = " + " + ".join(f"weight_{k}*value_{k}" for k in range(30)),
    "    a, b = " + ", ".join(f"name_{k}" for k in range(40)),
    "    return call(" + ", ".join(f"argument_{k}" for k in range(30)) + ") + 1",
    "    " + ", ".join(f"target_{k}" for k in range(20)) + " = some_function(a, b)",
    "    value = f(" + "*".join(f"factor_{k}" for k in range(40)) + ")",
    "    value = outer(inner(" + " - ".join(f"(p_{k} + q_{k})" for k in range(30)) + "), 2)    # said",
    "if " + " == ".join(f"slope_{k}" for k in range(20)) + " == 0.0:\n    value = 1",
    "def function(" + ", ".join(f"argument_{k}" for k in range(30)) + "):\n    return 1"])
def test_broken_lines_mean_the_same(line):
    text = broken(line)
    assert all(len(part) <= 120 for part in text.split("\n")) and text.count("\n") > line.count("\n")

    def tree(source):
        body = "def f():\n" + "\n".join(f"    {part}" for part in source.split("\n")) if "return" in source[:12] else \
            "if 1:\n" + "\n".join(f"      {part}" for part in source.split("\n")).replace("return", "x =")
        return ast.dump(ast.parse(body))

    assert tree(text) == tree(line)


def test_only_what_is_called_is_copied():
    constants, functions = copy_definitions("a = trapezoid(3)\n")
    assert [text.split("(")[0] for text in functions] == ["def trapezoid"] and not constants
    constants, functions = copy_definitions("def solve_point(p):\n    return mills(p)\n")
    assert {"def mills", "def erfcx"} <= {text.split("(")[0] for text in functions}
    assert not any("owen_t" in text for text in functions)


def test_names_that_two_modules_define_stay_apart():
    # Newton's method and placed nodes both halve something, and not equally often
    constants, functions = copy_definitions("first_ends(e, k)\nnewton_batch(s, i, t, p, 0, 1e-9, 9)\n")
    values, text = {}, "\n".join(constants)
    exec("import numpy as np\n" + text, values)
    assert {values["HALVINGS"], values["HALVINGS_2"]} == {25, 60}
    (ends,) = (f for f in functions if f.startswith("def first_ends"))
    assert values["HALVINGS" if "HALVINGS)" in ends else "HALVINGS_2"] == 60


def test_functions_that_others_call():
    text = "def a():\n    return b()\ndef b():\n    return 1\ndef c():\n    return a()\n"
    assert reached_functions(text, "a") == ["a", "b"]
