"""Theories of the gallery, from the scripts of ``examples/theories``, and how long a script is."""

import ast
import functools
from pathlib import Path

from helpers.modules import loaded

FOLDER = Path(__file__).parents[2] / "examples" / "theories"


@functools.cache
def script(name):
    """Return the module of a script, whose main part does not run."""
    return loaded(FOLDER / f"{name}.py")


def of(name, theory="theory"):
    """Return a function that returns a theory of a script, and has the script's name."""
    def made():
        return getattr(script(name), theory)

    made.__name__ = name if theory == "theory" else f"{name}_{theory}"
    return made


def code_lines(source):
    """Return how many lines are code: not blank, no comment, no docstring."""
    lines, texts = source.splitlines(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node) is not None:
            texts.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") and k not in texts
               for k, line in enumerate(lines, start=1))
