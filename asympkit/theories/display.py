"""Display a theory: on one line, as HTML, and in name completion."""


from ..notation import escaped
from ..summary import headed, name, one_screen, table
from .methods import THEORY_METHODS

__all__ = ["html_of", "line_of", "offered"]

#: names that completion offers for every theory, beside its methods
_OFFERED = {"name", "free_energy", "equations", "derive", "generate", "functions", "declared", "names", "quantities",
            "assumptions", "tolerances", "meanings", "stated"}


def line_of(theory):
    """Return a one-line description: the theory, its functions, and a call that solves it."""
    of = "".join(f", {label} {value!r}" for label, value in _made_of(theory))
    return one_screen(f"<{_kind(theory)} {theory.name!r}{of}: {_call(theory)}>")


def html_of(theory):
    """Return the same as HTML, with the meanings of all parameters."""
    rows = [(name(p.name), p.name, p.meaning, p.expectation) for p in theory.declared if p.name not in theory.implied]
    rows += [(name(n), n, "given as an array", "") for n in _arrays(theory)]
    of = _made_of(theory)
    return headed(f"{_kind(theory)}: {theory.name}", *([table(of)] if of else []),
                  table(rows, ("", "name", "meaning", "which numbers")), f"<code>{escaped(_call(theory))}</code>")


def offered(cls):
    """Public names: the verbs and what else a person asks a theory for; no parts of the engine."""
    from .model import Model

    own = {n for c in cls.__mro__ if not c.__module__.startswith("asympkit.") for n, value in vars(c).items()
           if not n.startswith("_") and callable(value) and not hasattr(Model, n)}
    return sorted({*THEORY_METHODS, *_OFFERED, *cls.offers, *own})


def _made_of(theory):
    """Return the functions and the other constructor arguments by name."""
    return [*((label, f.name) for label, f in theory.functions.items()), *theory.chosen.items()]


def _kind(theory):
    """Return the name of the public class of a theory."""
    from .. import __all__ as public

    return next((c.__name__ for c in type(theory).__mro__ if c.__name__ in public), type(theory).__name__)


def _arrays(theory):
    return theory.array_names if isinstance(theory.array_names, tuple) else ()


def _call(theory):
    """Return the call that solves a theory, with the defaults of optional parameters."""
    typed = [f"{p.name}=" + ("" if p.is_required else _default(p.default)) for p in theory.declared
             if p.name not in theory.implied and p.default is not None]
    arrays = f" and the arrays {', '.join(_arrays(theory))}" if _arrays(theory) else ""
    return f"solve({', '.join(typed)}){arrays}"


def _default(value):
    return f"{value:g}" if isinstance(value, float) else repr(value)
