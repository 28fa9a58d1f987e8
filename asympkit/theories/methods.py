"""Methods whose signature and documentation list the parameters of the theory that they are looked up on."""

import re
from functools import update_wrapper, wraps
from inspect import Parameter as Argument
from inspect import signature
from keyword import iskeyword
from textwrap import indent, wrap
from types import FunctionType, MethodType

__all__ = ["THEORY_METHODS", "Method", "describe_methods"]

#: the methods that take the parameters of a theory
THEORY_METHODS = ("solve", "precise", "certify", "sweep", "minimize", "maximize", "sensitivity", "continuation",
                  "solutions", "simulate", "check", "plot")
_SIMULATING = ("simulate", "check")
_REST = re.compile(r"^( *)\*\*parameters\b[^\n]*\n(?:\1 +[^\n]*\n|(?=\n\1 ))*", re.MULTILINE)


def describe_methods(cls):
    """Make a :class:`Method` of each theory method that a class defines; an override without docstring inherits it."""
    for name in THEORY_METHODS:
        function = vars(cls).get(name)
        if isinstance(function, FunctionType):
            if function.__doc__ is None:
                overridden = next(c for c in cls.__mro__[1:] if name in vars(c))
                function.__doc__ = vars(overridden)[name].function.__doc__
            setattr(cls, name, Method(function))


class Method:
    """A method of a theory, with the signature and documentation of the theory it is looked up on.

    Looked up, it is a plain function (bound to the instance, if there is one) that calls the function of the class
    body: a debugger that steps into ``theory.solve(...)`` passes :func:`call_described` and stands in ``solve``.

    Parameters
    ----------
    function : callable
        With ``**parameters`` for the parameters of the theory.
    """

    def __init__(self, function):
        self.function = function
        update_wrapper(self, function)

    def __get__(self, instance, owner=None):
        # described once for a theory with parameters or a simulator of its own, and else once for its class
        is_own = instance is not None and ("declared" in vars(instance) or "simulator" in vars(instance))
        holder = instance if is_own else owner
        described = vars(holder).get("_described_methods")
        if described is None:
            described = holder._described_methods = {}
        function = described.get(self.function)
        if function is None:
            function = described[self.function] = _describe(self.function, holder)
        return function if instance is None else MethodType(function, instance)


def _describe(function, theory):
    """Return a function that calls another one, and lists the parameters of a theory in signature and documentation.

    Names that are no identifiers, or arguments of the function, are documented and stand in ``parameters={...}``.
    """
    name = function.__name__

    @wraps(function)
    def call_described(self, *arguments, **keywords):
        theory = self.regime(name, keywords)
        if theory is self:
            return function(self, *arguments, **keywords)
        return getattr(theory, name)(*arguments, **keywords)

    plain = signature(function)
    own = [a for a in plain.parameters.values() if a.kind is not Argument.VAR_KEYWORD]
    rest = [a for a in plain.parameters.values() if a.kind is Argument.VAR_KEYWORD]
    settings = theory.simulator.settings if name in _SIMULATING and theory.simulator else ()
    replaced = {*theory.implied, *(s.name for s in settings)}
    shown = (*(p for p in theory.declared if p.name not in replaced), *settings)
    listed = [p for p in shown
              if p.name.isidentifier() and not iskeyword(p.name) and p.name not in plain.parameters]
    # each is annotated as all of them are in the function itself
    annotation = rest[0].annotation if rest else Argument.empty
    added = [Argument(p.name, Argument.KEYWORD_ONLY, default=Argument.empty if p.is_required else p.default,
                      annotation=annotation) for p in listed]
    positional = [a for a in own if a.kind is not Argument.KEYWORD_ONLY]
    keyword_only = [a for a in own if a.kind is Argument.KEYWORD_ONLY]
    call_described.__signature__ = plain.replace(parameters=[*positional, *added, *keyword_only, *rest])
    call_described.__doc__ = _list_parameters(function.__doc__, shown)
    return call_described


def _list_parameters(text, declared):
    """Put the parameters of a theory in front of ``**parameters`` in a docstring."""
    found = _REST.search(text if text.endswith("\n") else text + "\n") if text and declared else None
    if not found:
        return text
    space, lines = found[1], []
    for p in declared:
        lines.append(f"{space}{p.name} : {p.expectation}\n")
        lines.append(indent("\n".join(wrap(p.meaning, 100)), space + "    ") + "\n" if p.meaning else "")
    return text[:found.start()] + "".join(lines) + found[0] + text[found.end():]
