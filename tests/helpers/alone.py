"""Programs in a process of their own, where packages that are installed cannot be imported."""

import subprocess
import sys

__all__ = ["run_alone"]


def run_alone(code, folder, without=("asympkit", "sympy", "numba"), given=None):
    """Return what a program prints that runs in a folder, reads ``given``, and does not find packages ``without``."""
    hidden = f"import sys\nfor name in {tuple(without)!r}: sys.modules[name] = None\n"
    done = subprocess.run([sys.executable, "-c", hidden + code], input=given, capture_output=True, text=True,
                          cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout
