"""Find theories by name: those of the package, of installed packages, and in a user's file.

Nothing is imported before a theory is asked for.  The committed files of ``generated/`` are written from here: the
``codegen_targets.py`` of a class of theories lists them, if any; a theory that is one object has its exported module.
"""

from __future__ import annotations

import ast
import importlib
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import AsympkitError, DomainError, StructureError, UnknownNameError, suggest
from ..once import Deferred

if TYPE_CHECKING:
    from .model import Model

_metadata = Deferred("importlib.metadata")

#: entry-point group of installed packages
GROUP = "asympkit.theories"
_SHIPPED = {"one-step": "asympkit.theories.one_step.theory:OneStep",
            "gradient-steps": "asympkit.theories.gradient_steps.theory:GradientSteps",
            "spiked-features": "asympkit.theories.spiked_features.theory:SpikedFeatures",
            "bayes-optimal": "asympkit.theories.bayes_optimal.theory:BayesOptimal",
            "nonlinear-spikes": "asympkit.theories.nonlinear_spikes.theory:NonlinearSpikes",
            "deep-features": "asympkit.theories.deep_features.theory:DeepFeatures"}
#: the commands that theories of the package declare
_COMMANDS = ("asympkit.theories.nonlinear_spikes:STAIRCASE",)


@dataclass(frozen=True)
class CommandOption:
    """Declare an option of a command of a theory: a number, or a grid of numbers, for an argument of its method.

    Without a default it is required; ``text`` is its help.
    """

    name: str
    text: str
    default: object = ...
    is_grid: bool = False

    @property
    def is_required(self) -> bool:
        return self.default is ...


@dataclass(frozen=True)
class Command:
    """Declare a command of a theory: a method of the same name, with a help text.

    The result of the method has ``columns()`` (lists by name), ``notes()`` (sentences), ``data()`` and
    ``plot(quantity)``; ``quantities`` can be drawn, the usual one first.  ``refusal`` says why a theory lacks the
    method, as the end of a sentence.
    """

    name: str
    text: str
    options: tuple[CommandOption, ...]
    quantities: tuple[str, ...]
    refusal: str


def declared_commands() -> list[Command]:
    """Return the commands that theories of the package declare."""
    return [_loaded(where) for where in _COMMANDS]


def _loaded(where):
    module, _, attribute = where.partition(":")
    return getattr(importlib.import_module(module), attribute)


def package_names() -> list[str]:
    """Return the names of the theories of the package."""
    return list(_SHIPPED)


def known_names() -> list[str]:
    """Return the names of all theories that need no file."""
    return [*_SHIPPED, *(e.name for e in _offered() if e.name not in _SHIPPED)]


def titles() -> dict[str, str]:
    """Return the title of each theory of the package, read from its module without importing it."""
    found = {}
    for name, where in _SHIPPED.items():
        spec = find_spec(where.partition(":")[0])
        if spec is not None and spec.origin is not None:
            text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
            first = text.partition("\n")[0]
            found[name] = (first.partition(": ")[2] or first).rstrip(".")
    return found


def find(text: str) -> tuple[str, Model | type[Model]]:
    """Return name and theory, or class of theories that takes options.

    ``text`` is a name such as ``one-step``, that of an entry point in the group :data:`GROUP`, or
    ``my_theory.py:magnet``, which runs that file.
    """
    if ".py" in text and (":" in text or text.endswith(".py")):
        return _in_file(text)
    name = text.replace("_", "-").lower()
    if name in _SHIPPED:
        return name, _loaded(_SHIPPED[name])
    for entry in _offered():
        if text in (entry.name, entry.name.replace("_", "-")) or name == entry.name:
            return entry.name, _checked(text, entry.load())
    known = known_names()
    raise UnknownNameError(f"no theory {text!r}{suggest(name, known)}; theories are {', '.join(known)}; a theory in a "
                           "file is given as my_theory.py:name")


def _offered():
    return sorted(_metadata.entry_points(group=GROUP), key=lambda e: e.name)


def _in_file(text):
    where, _, attribute = text.rpartition(":") if ":" in text else (text, "", "")
    path = Path(where)
    if not path.is_file():
        raise DomainError(f"theory: got {text!r}; there is no file {where!r}")
    module = _module(path)
    found = {n: v for n, v in vars(module).items() if not n.startswith("_") and _is_theory(v)
             and (not isinstance(v, type) or v.__module__ == path.stem)}
    if not attribute:
        if len(found) != 1:
            raise DomainError(f"theory: got {text!r}; expected {where}:NAME, where NAME is one of "
                              f"{', '.join(found) or 'the theories in the file, of which it has none'}")
        return text, next(iter(found.values()))
    if not hasattr(module, attribute):
        raise UnknownNameError(f"theory: {where} has no {attribute!r}{suggest(attribute, found)}; its theories are "
                               f"{', '.join(found) or 'none'}")
    return text, _checked(text, getattr(module, attribute))


def _module(path):
    """Import a file as a module under its own name, so that other processes find its functions."""
    folder, name = str(path.resolve().parent), path.stem
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) and Path(known.__file__).resolve() == path.resolve():
        return known
    if not name.isidentifier() or known is not None:
        raise DomainError(f"theory: got the file {path.name!r}; expected a name that Python can import and that no "
                          "other module has, such as my_theory.py")
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except AsympkitError:
        raise
    except (Exception, SystemExit) as error:
        raise StructureError(f"theory: {path.name} does not run: {type(error).__name__}: {error}") from error


def _is_theory(value):
    from .model import Model

    return isinstance(value, Model) or isinstance(value, type) and issubclass(value, Model) and bool(value.options)


def _checked(text, value):
    if not _is_theory(value):
        raise StructureError(f"theory: {text!r} is {type(value).__name__}; expected an asympkit.Theory, or a class of "
                             "theories that declares its options")
    return value


def writers():
    """Return ``{folder/file: function}`` of everything in ``generated/``; a function returns the text of its file."""
    found = {}
    for theory in package_names():
        folder = theory.replace("-", "_")
        found |= {f"{folder}/{name}": write for name, write in _writers(theory, folder).items()}
    return found


def _writers(name, folder):
    """Return ``{file: function}`` of one theory."""
    _, theory = find(name)
    if not isinstance(theory, type):
        return {"solver.py": theory.source}
    targets = f"{__package__}.{folder}.codegen_targets"
    return importlib.import_module(targets).writers() if find_spec(targets) else {}


def write_all(folder):
    """Write everything in ``generated/`` to a folder, and print what is being written."""
    for name, write in writers().items():
        print(name, flush=True)
        path = Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(write(), encoding="utf-8")
