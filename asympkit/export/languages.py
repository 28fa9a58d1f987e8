"""The languages that a theory is exported in: how a file is named, and what writes it."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path

from ..errors import DomainError
from .header import write_header
from .translate import field_name

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


def _is_module(stem):
    return stem.isidentifier() and not iskeyword(stem) and stem not in {*sys.stdlib_module_names, *_SHADOWED}


def _is_prefix(stem):
    return re.fullmatch("[A-Za-z][A-Za-z0-9_]*", stem) is not None and field_name(stem) == stem


def _write_c(theory, stem, derivatives):
    if derivatives:
        raise DomainError("derivatives: got True with language='c'; expected language='python' or 'jax', or False")
    return write_header(theory.source(), stem)


_NO_MODULE = ("cannot be imported by its name; expected letters, digits and _ before .py, no keyword, and no name of a "
              "module of Python, numpy, numba or jax")
LANGUAGES = {
    "python": Language(".py", "Python file", _is_module, _NO_MODULE,
                       lambda theory, stem, derivatives: theory.source("python", derivatives)),
    "jax": Language(".py", "Python file", _is_module, _NO_MODULE,
                    lambda theory, stem, derivatives: theory.source("jax", derivatives)),
    "c": Language(".h", "C header", _is_prefix, "cannot begin the names of a header; expected letters, digits and _ "
                  "before .h, no keyword of C or C++ and no function of math.h", _write_c),
}
