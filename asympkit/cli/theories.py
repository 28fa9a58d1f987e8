"""Build a theory and its parameters from options, which the theory declares."""

import argparse

from ..arguments.names import moves
from ..errors import AsympkitError
from ..theories.registry import find, package_names
from .arguments import UsageError, collect, grid, number, option, shared, single

__all__ = ["about", "add_options", "add_theory", "arguments", "build", "named_text", "named_theory"]


def named_text(argv, flags):
    """Return the first text of a command line that is neither an option nor its value, or None."""
    for place, token in enumerate(argv):
        before = argv[place - 1] if place else ""
        is_value = before.startswith("-") and "=" not in before and before not in flags
        if not token.startswith("-") and not is_value:
            return token
    return None


def named_theory(argv, flags):
    """Return the theory that a command line names, as (name, theory or class), or None.

    Raises
    ------
    UsageError
        For an unknown name.
    """
    text = named_text(argv, flags)
    if text is None:
        return None
    try:
        name, theory = find(text)
    except AsympkitError as error:
        raise UsageError(str(error)) from error
    if isinstance(theory, type) and hasattr(theory, "described"):      # its parameters depend on its options
        theory = theory.described({o.name: value for o in theory.options if (value := _typed(argv, option(o.name)))})
    return name, theory


def _typed(argv, spelt):
    """Return the text given for an option, or None."""
    for token, after in zip(argv, [*argv[1:], None]):
        if token == spelt:
            return after
        if token.startswith(f"{spelt}="):
            return token[len(spelt) + 1:]
    return None


def add_options(parser, entry):
    """Add the constructor arguments of a theory, and return their options."""
    if entry is None or not isinstance(entry[1], type) or not entry[1].options:
        return set()
    group = parser.add_argument_group(f"{entry[0]} is made of")
    for o in entry[1].options:
        _add_option(group, o)
    return {option(o.name) for o in entry[1].options}


def add_theory(parser, entry, kind=single, grids=(), without=(), parameters=True):
    """Add the name of a theory, its options, and its parameters.

    Parameters
    ----------
    parser : ArgumentParser
    entry : (str, object) or None
        Result of :func:`named_theory`; for None only the name is added.
    kind : callable
        Reads the text of a parameter.
    grids : sequence of str
        Parameters that may be grids while others are numbers.
    without : sequence of str
        Parameters that the command sets otherwise.
    parameters : bool
        Whether parameters belong to the command.
    """
    parser.add_argument("theory", metavar="THEORY",
                        help=f"{', '.join(package_names())}, one of an installed package, or my_theory.py:name")
    parser.set_defaults(parameters={}, entry=entry, parser=parser)
    if entry is None:
        parser.epilog = f"asympkit {parser.prog.split()[-1]} THEORY --help lists the parameters of a theory."
        return
    _, theory = entry
    taken = add_options(parser, entry)
    if not parameters:
        return
    group = parser.add_argument_group("parameters")
    same = _same_spellings(theory, without)
    for spelt, names in same.items():
        group.add_argument(spelt, action=shared(names), metavar="X", default=argparse.SUPPRESS,
                           help=f"by --set: {', '.join(names)}")
    for p in _spelt(theory, without):
        spelt = spelling(p.name)
        if spelt in taken or spelt in parser._option_string_actions:
            continue                        # by --set
        reads = kind if p.is_axis else single
        group.add_argument(spelt, dest=p.name, type=grid if p.name in grids else reads, action=collect(p.name),
                           default=argparse.SUPPRESS, metavar="GRID" if (reads is grid or p.name in grids) else "X",
                           help=_help(p))
    for name in _arrays(theory):
        if spelling(name) in same:
            continue
        group.add_argument(spelling(name), dest=name, type=_array, action=collect(name), metavar="ARRAY",
                           default=argparse.SUPPRESS, help="numbers separated by commas, or @FILE (.npy or text)")
    group.add_argument("--set", metavar="NAME=X", action=_Set, reads=kind, default=argparse.SUPPRESS,
                       help="a parameter by its exact name")


def _add_option(group, o):
    if o.is_flag:
        group.add_argument(option(o.name), action="store_true", help=o.meaning)
    elif o.choices:
        group.add_argument(option(o.name), choices=o.choices, help=f"{o.meaning} ({o.default})")
    else:
        group.add_argument(option(o.name), metavar="F", help=o.meaning)


def _spelt(theory, but):
    return [p for p in theory.declared if p.name not in but]


def _same_spellings(theory, without):
    """Return ``{option: names}`` for options that several parameters would share."""
    found = {}
    for name in (*(p.name for p in _spelt(theory, without)), *_arrays(theory)):
        found.setdefault(spelling(name), []).append(name)
    return {spelt: names for spelt, names in found.items() if len(names) > 1}


def _arrays(theory):
    """Return the names of the arrays of a theory, or of a class of theories that have the same ones."""
    names = theory.array_names
    return names if isinstance(names, tuple) else ()


def spelling(name):
    """Return the option of a parameter with any name."""
    if not (name.isascii() and name.isidentifier()):
        from ..program.names import identifier  # loads sympy

        name = identifier(name)
    return option(name)


def _help(p):
    said = p.meaning if p.is_required or p.default is None else f"{p.meaning} ({p.default:g})"
    return said.replace("%", "%%")


class _Set(argparse.Action):
    """Handle ``--set NAME=X``."""

    def __init__(self, *arguments, reads, **named):
        super().__init__(*arguments, **named)
        self.reads = reads

    def __call__(self, parser, namespace, values, option_string=None):
        name, sign, text = values.partition("=")
        if not sign:
            raise UsageError(f"--set: got {values!r}; expected NAME=X")
        try:
            value = self.reads(text)
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"--set {name}: {error}") from error
        given, by_name = namespace.parameters or {}, getattr(namespace, "by_name", frozenset())
        if name in given and name not in by_name:       # a repeated option overrides, as usual
            raise UsageError(f"{name}: given twice, by {spelling(name)} and by --set; give it once")
        namespace.parameters, namespace.by_name = {**given, name: value}, {*by_name, name}


def _array(text):
    """Read numbers separated by commas, or those of a file."""
    import numpy as np

    if not text.startswith("@"):
        return [number(t) for t in text.split(",")]
    try:
        return np.load(text[1:], allow_pickle=False) if text.endswith(".npy") else np.loadtxt(text[1:], ndmin=1)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} cannot be read: {error}") from error


def build(args):
    """Return the theory that the options describe."""
    name, theory = args.entry
    if not isinstance(theory, type):
        return theory
    given = {o.name: getattr(args, o.name) for o in theory.options}
    missing = [option(o.name) for o in theory.options if o.is_required and not given[o.name]]
    if missing:
        raise UsageError(f"{name}: missing {', '.join(missing)}")
    return theory(**{k: v for k, v in given.items() if v not in (None, False)})


def arguments(args):
    """Return the parameters as ``solve`` takes them; raise if any are missing."""
    name, theory = args.entry
    given, missing = dict(args.parameters), []
    if isinstance(theory, type):
        missing += [option(o.name) for o in theory.options if o.is_required and not getattr(args, o.name)]
    for p in theory.declared:
        if p.is_required and p.name not in given and not moves(vars(args), p.name):
            missing.append(_missing(p, args.parser))
    if missing:
        raise UsageError(f"{name}: missing {', '.join(missing)}")
    return given


def _missing(p, parser):
    action = parser._option_string_actions.get(spelling(p.name))
    spelt = spelling(p.name) if getattr(action, "collects", None) == p.name else f"--set {p.name}=X"
    return f"{spelt} ({p.meaning})" if p.meaning else spelt


def about(theory):
    """Return the name and functions of a theory, for JSON."""
    return {"theory": theory.name, **{label: f.name for label, f in theory.functions.items()}}
