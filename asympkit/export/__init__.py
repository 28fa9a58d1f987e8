"""Modules for other programs: a theory's kernel with all that it calls, for numpy (faster with numba), JAX or C."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path

from ..errors import DomainError
from ..once import Deferred
from .interface import ModuleInterface, make_interface, write_map, write_slopes
from .module import write_module

__all__ = ["LANGUAGES", "MADE_HERE", "ModuleInterface", "make_interface", "write_map", "write_module",
           "write_slopes", "writer_of"]

_header, _jax_module, _translate = (Deferred(f"asympkit.export.{name}") for name in (
    "header", "jax_module", "translate"))

#: a line in every generated file
MADE_HERE = "Written by asympkit from the symbolic equations"
#: what exported modules import, beside the standard library
_SHADOWED = ("numpy", "numba", "jax")


@dataclass(frozen=True)
class Language:
    """A language of exported files, in words ``what``, whose names end in ``suffix``.

    ``is_name`` tells whether a file of this stem can be imported or included, ``expected`` what such a stem looks like;
    ``write`` returns the text, of a theory, the stem, and whether derivatives are asked for.
    """

    suffix: str
    what: str
    is_name: Callable
    expected: str
    write: Callable

    def check_name(self, file: Path):
        """Refuse the name of a file that programs in this language cannot load."""
        if file.suffix != self.suffix:
            raise DomainError(f"path: got {str(file)!r}; expected the name of a {self.what} ({self.suffix})")
        if not self.is_name(file.stem):
            raise DomainError(f"path: got {str(file)!r}, which {self.expected}")


def writer_of(language: str) -> Callable:
    """Return the writer of modules in Python, or for JAX."""
    return _jax_module.write_jax_module if language == "jax" else write_module


def _is_module(stem):
    return stem.isidentifier() and not iskeyword(stem) and stem not in {*sys.stdlib_module_names, *_SHADOWED}


def _write_c(theory, stem, derivatives):
    if derivatives:
        raise DomainError("derivatives: got True with language='c'; expected language='python' or 'jax', or False")
    return _header.write_header(theory.source(), stem)


def _python(language):
    return Language(".py", "Python file", _is_module, "cannot be imported by its name; expected letters, digits and _ "
                    "before .py, no keyword, and no name of a module of Python, numpy, numba or jax",
                    lambda theory, stem, derivatives: theory.source(language, derivatives))


LANGUAGES = {
    "python": _python("python"), "jax": _python("jax"),
    "c": Language(".h", "C header",
                  lambda s: bool(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", s)) and _translate.field_name(s) == s,
                  "cannot begin the names of a header; expected letters, digits and _ before .h, no keyword of C or "
                  "C++ and no function of math.h", _write_c),
}
