"""Activation functions: the catalogue, user texts and sympy expressions behind one class."""

__all__ = ["CATALOGUE", "Activation", "Growth"]

_WHERE = {"Activation": "activation", "CATALOGUE": "catalogue", "Growth": "growth"}


def __getattr__(name):
    # Lazy, so that the grammar can read the catalogue without loading the class built on the grammar.
    import importlib

    if name in _WHERE:
        value = getattr(importlib.import_module(f".{_WHERE[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
