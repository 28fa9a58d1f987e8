"""The lowest layer knows no package above it, and the list alone loads neither sympy nor the ball library."""

import ast
import subprocess
import sys
from pathlib import Path

import asympkit

ROOT = Path(asympkit.__file__).parent
FILES = sorted((ROOT / "numbers").rglob("*.py"))


def imported(path):
    """Modules of the package that a file imports, by their full names."""
    place = ("asympkit", *path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield ".".join([*place[:len(place) - node.level + 1], *filter(None, [node.module])])
        elif isinstance(node, ast.ImportFrom):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names)


def test_arrows_point_down():
    allowed = ("asympkit.errors", "asympkit.tolerances")
    for path in FILES:
        own = [m for m in imported(path) if m.split(".")[0] == "asympkit"]
        assert [m for m in own if not m.startswith("asympkit.numbers") and m not in allowed] == [], path
        if path.parent.name == "routines":      # copied into modules that have numpy alone
            assert {m for m in imported(path) if not m.startswith("asympkit")} <= {"math", "numpy"}, path


def test_the_list_is_light():
    code = ("import sys, asympkit.numbers.functions\n"
            "heavy = {'sympy', 'flint', 'scipy', 'mpmath', 'numba', 'numpy'} & set(sys.modules)\n"
            "print(*heavy)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
