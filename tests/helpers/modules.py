"""Generated modules, in this process and alone in one of their own."""

import importlib.util
import subprocess
import sys
import types
from pathlib import Path
from unittest import mock

from asympkit.runtime.compiled import PendingLoop


def plain_module(source):
    """A generated module without numba: its loops as plain Python."""
    module = types.ModuleType("generated_plain")
    with mock.patch.dict(sys.modules, {"numba": None}):
        exec(compile(source, "generated_plain", "exec"), module.__dict__)
        if hasattr(module, "compile_loops"):        # it stands alone
            module.compile_loops()
    leave_to_python(module.__dict__)
    return module


def leave_to_python(space):
    """Put the loops themselves in the place of their fronts."""
    space.update({name: f.loop for name, f in space.items() if isinstance(f, PendingLoop)})


def loaded(path):
    """Return the module of a file: a script, or a generated module that stands alone."""
    spec = importlib.util.spec_from_file_location(f"loaded_{Path(path).stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_alone(code, folder, without=("asympkit", "sympy", "numba"), given=None):
    """Return what a program prints that runs in a folder, reads ``given``, and does not find packages ``without``."""
    hidden = f"import sys\nfor name in {tuple(without)!r}: sys.modules[name] = None\n"
    done = subprocess.run([sys.executable, "-c", hidden + code], input=given, capture_output=True, text=True,
                          cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout
