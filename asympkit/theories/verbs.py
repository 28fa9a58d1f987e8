"""Verbs that know the theory they belong to: signature and documentation list its parameters."""

import re
from functools import update_wrapper
from inspect import Parameter as Argument
from inspect import signature
from keyword import iskeyword
from textwrap import indent, wrap
from types import FunctionType, MethodType

__all__ = ["VERBS", "Verb", "documented"]

#: the methods that take the parameters of a theory
VERBS = ("solve", "precise", "certify", "sweep", "minimize", "maximize", "sensitivity", "continuation", "solutions",
         "simulate", "check", "plot")
_SIMULATING = ("simulate", "check")
_NOTHING: dict[object, object] = {}
_REST = re.compile(r"^( *)\*\*parameters\b[^\n]*\n(?:\1 +[^\n]*\n|(?=\n\1 ))*", re.MULTILINE)


def document_verbs(cls):
    """Let the verbs that a class defines know the theory they are looked up on."""
    for name in VERBS:
        function = vars(cls).get(name)
        if isinstance(function, FunctionType):
            if function.__doc__ is None:        # what overrides a verb means the same
                overridden = next(c for c in cls.__mro__[1:] if name in vars(c))
                function.__doc__ = vars(overridden)[name].function.__doc__
            setattr(cls, name, Verb(name, function))


class Verb:
    """A method whose signature and documentation are those of the theory it is looked up on.

    Parameters
    ----------
    name : str
    function : callable
        With ``**parameters`` for the parameters of the theory.
    """

    def __init__(self, name, function):
        self.name, self.function = name, function
        update_wrapper(self, function)

    def __get__(self, instance, owner=None):
        # a copy is kept by the theory if its parameters are its own, and else by its class
        holder = owner if instance is None or "declared" not in instance.__dict__ else instance
        key = self.function, instance is None
        function = holder.__dict__.get("_documented", _NOTHING).get(key)
        if function is None:
            of = owner if instance is None else instance
            declared = [p for p in of.declared if p.name not in of.implied]
            function = documented(self.function, declared, of.simulator if self.name in _SIMULATING else None)
            if instance is not None and has_regimes(owner):
                function = _of_regime(self.name, function)
            if "_documented" not in holder.__dict__:
                holder._documented = {}
            holder._documented[key] = function
        return function if instance is None else MethodType(function, instance)


def has_regimes(owner):
    """Whether a class has several declarations, one of which a call is about."""
    return next(c for c in owner.__mro__ if "regime" in vars(c)).__name__ != "Declared"


def _of_regime(name, function):
    """The same for the declaration that the call is about."""
    def chosen(self, *arguments, **keywords):
        model = self.regime(name, keywords)
        return function(self, *arguments, **keywords) if model is self else getattr(model, name)(*arguments, **keywords)

    update_wrapper(chosen, function)
    chosen.__signature__ = signature(function)
    del chosen.__wrapped__
    return chosen


def documented(function, declared, simulator=None):
    """A copy of a function with the parameters of a theory in signature and documentation.

    Names that are no identifiers, or arguments of the function, are documented and stand in ``parameters={...}``.
    """
    copy = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                        function.__closure__)
    update_wrapper(copy, function)
    copy.__kwdefaults__ = function.__kwdefaults__
    del copy.__wrapped__
    plain = signature(function)
    own = [a for a in plain.parameters.values() if a.kind is not Argument.VAR_KEYWORD]
    rest = [a for a in plain.parameters.values() if a.kind is Argument.VAR_KEYWORD]
    taken = {a.name for a in plain.parameters.values()}
    settings = simulator.settings if simulator else ()
    shown = (*(p for p in declared if p.name not in {s.name for s in settings}), *settings)
    listed = [p for p in shown if p.name.isidentifier() and not iskeyword(p.name) and p.name not in taken]
    # each is annotated as all of them are in the function itself
    said = rest[0].annotation if rest else Argument.empty
    added = [Argument(p.name, Argument.KEYWORD_ONLY, default=Argument.empty if p.is_required else p.default,
                      annotation=said) for p in listed]
    positional = [a for a in own if a.kind is not Argument.KEYWORD_ONLY]
    keywords = [a for a in own if a.kind is Argument.KEYWORD_ONLY]
    copy.__signature__ = plain.replace(parameters=[*positional, *added, *keywords, *rest])
    copy.__doc__ = _text(function.__doc__, shown)
    return copy


def _text(text, declared):
    if not text or not declared:
        return text
    found = _REST.search(text if text.endswith("\n") else text + "\n")
    if not found:
        return text
    space, lines = found[1], []
    for p in declared:
        lines.append(f"{space}{p.name} : {p.expectation}\n")
        lines.append(indent("\n".join(wrap(p.meaning, 100)), space + "    ") + "\n" if p.meaning else "")
    return text[:found.start()] + "".join(lines) + found[0] + text[found.end():]
