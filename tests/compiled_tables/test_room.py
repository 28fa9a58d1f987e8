"""The room of compiled tables: one door, no theory's loops, numba and the room loaded when they are asked for."""

import ast
import subprocess
import sys
from pathlib import Path

import asympkit
from asympkit import compiled_tables
from asympkit.compiled_tables import loops
from asympkit.runtime.compiled import Front

ROOT = Path(asympkit.__file__).parent


def imported_from(path):
    """(module, names) of what a file imports, modules written out from the package on."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            here = path.relative_to(ROOT).parts[:-node.level] if node.level else ()
            yield ".".join([*here, *(node.module or "").split(".")]), {a.name for a in node.names}


def test_nobody_enters_but_by_the_door():
    outside = [p for p in ROOT.rglob("*.py") if p.parent.name != "compiled_tables"]
    entered = {path.name: (module, names) for path in outside for module, names in imported_from(path)
               if "compiled_tables" in {*module.split("."), *names}}
    assert entered == {"run.py": ("compiled_tables", {"means_by_loops"})}
    assert compiled_tables.__all__ == ["means_by_loops"]


def test_loops_call_nothing_outside_of_their_file():
    """Numba would look at no other."""
    fronts = [f for f in vars(loops).values() if isinstance(f, Front) or hasattr(f, "py_func")]
    assert len(fronts) > 10
    assert not [v for v in vars(loops).values() if hasattr(v, "__code__") and v.__module__ != loops.__name__
                and v.__name__ != "compiled"]


def test_a_sweep_in_numpy_does_not_load_the_room():
    code = ("import sys, asympkit as ak\n"
            "ak.OneStep('tanh', 'sin').sweep(eta=0.1, alpha0=2, alpha=[1, 2], lam=0.1, backend='numpy')\n"
            "assert 'asympkit.compiled_tables' not in sys.modules\n"
            "import asympkit.compiled_tables; assert 'numba' not in sys.modules")
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
