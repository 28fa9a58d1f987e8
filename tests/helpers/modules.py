"""Generated modules in this process."""

import sys
import types
from unittest import mock


def plain_module(source):
    """A generated module without numba: its loops as plain Python."""
    module = types.ModuleType("generated_plain")
    with mock.patch.dict(sys.modules, {"numba": None}):
        exec(compile(source, "generated_plain", "exec"), module.__dict__)
        module.compile_loops()
    return module
