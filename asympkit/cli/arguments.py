"""Read options: numbers and grids, and the theory with the options and parameters that it declares."""

import argparse
import math
import re
from fractions import Fraction

from ..errors import AsympkitError, suggest
from ..once import Deferred
from ..theories.registry import find, package_names

#: these load slowly
np, _arguments, _names = Deferred("numpy"), Deferred("asympkit.arguments"), Deferred("asympkit.program.names")

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?(/\d+(\.\d*)?)?\s*\Z", re.IGNORECASE)


class UsageError(AsympkitError):
    """Report a command line that cannot be understood."""


class Parser(argparse.ArgumentParser):
    """Parse options without abbreviations, and report errors in one line."""

    def __init__(self, *args, **kwargs):
        # "resolve": a parameter with the name of an option of the command is given by --set
        super().__init__(*args, allow_abbrev=False, conflict_handler="resolve", **kwargs)

    def error(self, message):
        found = re.match(r"argument .*: invalid choice: '?(.*?)'? \(choose from (.*)\)", message)
        if found:
            known = [k.strip(" '") for k in found[2].split(",")]
            message = f"{found[1]!r} is unknown; expected one of {', '.join(known)}{suggest(found[1], known)}"
        raise UsageError(message)


def number(text):
    """Read a number: int, float if its shortest text is meant exactly, else Fraction; or inf.

    ``0.1`` is the float 0.1 (read as 1/10 in multiprecision), ``1/3`` a Fraction.
    """
    text = text.strip()
    if text.lower() in ("inf", "+inf", "infinity"):
        return math.inf
    if len(text) > 500 or not _NUMBER.match(text):
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a number; write it as 2, 0.1, 1e-3, 1/3 or inf")
    top, _, bottom = text.partition("/")
    if bottom and Fraction(bottom) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} divides by zero")
    exact = Fraction(top) / Fraction(bottom or 1)
    if abs(exact) > Fraction(10) ** 300:
        raise argparse.ArgumentTypeError(f"{text!r} is too large; expected a number below 1e300, or inf")
    if exact.denominator == 1 and "." not in text and "e" not in text.lower():
        return int(exact)
    return float(exact) if Fraction(repr(float(exact))) == exact else exact


def single(text):
    """Read a number, and reject a grid."""
    try:
        return number(text)
    except argparse.ArgumentTypeError:
        if ":" in text or "," in text:
            raise argparse.ArgumentTypeError(f"{text!r} is a grid; expected one number") from None
        raise


def size(text):
    """Read the size of a simulation: a number, which the simulation checks."""
    value = number(text)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def grid(text):
    """Read a number, ``low:high:count``, ``low:high:count:log``, or numbers separated by commas."""
    if ":" not in text:
        values = [number(t) for t in text.split(",")]
        return values if len(values) > 1 else values[0]
    parts = text.split(":")
    usage = f"{text!r} is not a grid; expected low:high:count, low:high:count:log or numbers separated by commas"
    if len(parts) not in (3, 4) or parts[3:] not in ([], ["log"], ["lin"]) or not parts[2].isdigit():
        raise argparse.ArgumentTypeError(usage)
    low, high, count = float(number(parts[0])), float(number(parts[1])), int(parts[2])
    if not 1 <= count <= 10**6 or not math.isfinite(low) or not math.isfinite(high):
        raise argparse.ArgumentTypeError(usage + "; the count goes from 1 to 1000000")
    log = parts[-1] == "log"
    if log and not (low > 0 and high > 0):
        raise argparse.ArgumentTypeError(f"{text!r}: a logarithmic grid needs positive ends")
    steps = [i / (count - 1) for i in range(count)] if count > 1 else [0.0]
    if log:
        values = [low * (high / low) ** s for s in steps]
    else:
        values = [low + (high - low) * s for s in steps]
    return [*values[:-1], high] if count > 1 else values


def positive_integer(text):
    """Read an int of at least 1, in digits."""
    if not text.strip().isdigit() or len(text) > 12 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text[:60]!r}; expected an integer >= 1")
    return int(text)


def collect(name):
    """Return an action that collects a parameter in ``namespace.parameters``, in the order given (the order of
    axes)."""
    class Collect(argparse.Action):
        collects = name

        def __call__(self, parser, namespace, values, option_string=None):
            if name in getattr(namespace, "by_name", ()):
                raise UsageError(f"{name}: given twice, by {option_string} and by --set; give it once")
            namespace.parameters = {**(namespace.parameters or {}), name: values}

    return Collect


def reject_shared_option(names):
    """Return an action that rejects an option which could be one of several parameters."""
    class Shared(argparse.Action):
        def __call__(self, parser, namespace, values, option_string=None):
            raise UsageError(f"{option_string}: it could be {' or '.join(names)}; write "
                             f"{' or '.join(f'--set {name}={values}' for name in names)}")

    return Shared


def option(name):
    """Return the option of a parameter."""
    return "--" + name.replace("_", "-")


def refuse_extras(extras, parser):
    """Raise for arguments that no parser took, with the nearest known option."""
    if not extras:
        return
    known = [o for o in parser._option_string_actions if o.startswith("--")]
    first = extras[0].partition("=")[0]
    if first.startswith("--"):
        raise UsageError(f"unknown option {first}{suggest(first, known)}; options are {', '.join(known)}")
    raise UsageError(f"unexpected argument {first.strip()!r}")


def join_negative(argv):
    """Let a text that starts with one minus sign be a value: ``--gamma -1/2`` means ``--gamma=-1/2``."""
    joined = []
    for position, token in enumerate(argv):
        last = joined[-1] if joined else ""
        if token == "--":
            return joined + list(argv[position:])
        if re.match(r"-(?!-|[ho]\Z|n\d*\Z).", token) and last != "-n":
            if re.match(r"--[a-z][^=]*\Z", last) and last not in FLAGS:
                joined[-1] = f"{last}={token}"
                continue
            token = f" {token}"         # a leading blank tells argparse that this is not an option
        joined.append(token)
    return joined


FLAGS = ("--json", "--exact", "--certified", "--list", "--progress", "--help", "--version", "--free-constant",
         "--traceback", "--csv")


def find_named_text(argv, flags):
    """Return the first text of a command line that is neither an option nor its value, or None."""
    for place, token in enumerate(argv):
        before = argv[place - 1] if place else ""
        is_value = before.startswith("-") and "=" not in before and before not in flags
        if not token.startswith("-") and not is_value:
            return token
    return None


def find_named_theory(argv, flags):
    """Return the theory that a command line names, as (name, theory or class), or None; UsageError for an unknown name.
    """
    text = find_named_text(argv, flags)
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
    """Add the name of a theory, its options, and its parameters if they belong to the command (``parameters``).

    For an ``entry`` of None (see :func:`find_named_theory`) only the name is added.  ``kind`` reads the text of a
    parameter; those in ``grids`` may be grids while others are numbers, those in ``without`` are set otherwise.
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
        group.add_argument(spelt, action=reject_shared_option(names), metavar="X", default=argparse.SUPPRESS,
                           help=f"by --set: {', '.join(names)}")
    for p in _spell(theory, without):
        spelt = spell_option(p.name)
        if spelt in taken or spelt in parser._option_string_actions:
            continue                        # by --set
        reads = kind if p.is_axis else single
        group.add_argument(spelt, dest=p.name, type=grid if p.name in grids else reads, action=collect(p.name),
                           default=argparse.SUPPRESS, metavar="GRID" if (reads is grid or p.name in grids) else "X",
                           help=_help(p))
    for name in _arrays(theory):
        if spell_option(name) in same:
            continue
        group.add_argument(spell_option(name), dest=name, type=_array, action=collect(name), metavar="ARRAY",
                           default=argparse.SUPPRESS, help="numbers separated by commas, or @FILE (.npy or text)")
    group.add_argument("--set", metavar="NAME=X", action=_Set, reads=kind, default=argparse.SUPPRESS,
                       help="a parameter by its exact name")


def add_command(commands, name, run, text, entry, kind=single, about=None, **theory):
    """Add a subcommand about a theory, with ``--json``; arguments as for :func:`add_theory`."""
    parser = commands.add_parser(name, help=text, description=about or text)
    add_theory(parser, entry, kind, **theory)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)
    return parser


def _add_option(group, o):
    if o.is_flag:
        group.add_argument(option(o.name), action="store_true", help=o.meaning)
        return
    value = {"choices": o.choices} if o.choices else {"metavar": "F"}
    group.add_argument(option(o.name), help=o.meaning + f" ({o.default})" * (not o.is_required), **value)


def _spell(theory, but):
    return [p for p in theory.declared if p.name not in but]


def _same_spellings(theory, without):
    """Return ``{option: names}`` for options that several parameters would share."""
    found = {}
    for name in (*(p.name for p in _spell(theory, without)), *_arrays(theory)):
        found.setdefault(spell_option(name), []).append(name)
    return {spelt: names for spelt, names in found.items() if len(names) > 1}


def _arrays(theory):
    """Return the names of the arrays of a theory, or of a class of theories that have the same ones."""
    names = theory.array_names
    return names if isinstance(names, tuple) else ()


def spell_option(name):
    """Return the option of a parameter with any name."""
    if not (name.isascii() and name.isidentifier()):
        name = _names.identifier(name)
    return option(name)


def _help(p):
    text = p.meaning if p.is_required or p.default is None else f"{p.meaning} ({p.default:g})"
    return text.replace("%", "%%")


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
            raise UsageError(f"{name}: given twice, by {spell_option(name)} and by --set; give it once")
        namespace.parameters, namespace.by_name = {**given, name: value}, {*by_name, name}


def _array(text):
    """Read numbers separated by commas, or those of a file."""
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
        if p.is_required and p.name not in given and not _arguments.is_varied(vars(args), p.name):
            missing.append(_missing(p, args.parser))
    if missing:
        raise UsageError(f"{name}: missing {', '.join(missing)}")
    return given


def _missing(p, parser):
    action = parser._option_string_actions.get(spell_option(p.name))
    spelt = spell_option(p.name) if getattr(action, "collects", None) == p.name else f"--set {p.name}=X"
    return f"{spelt} ({p.meaning})" if p.meaning else spelt


def describe_theory(theory):
    """Return the name and functions of a theory, for JSON."""
    return {"theory": theory.name, **{label: f.name for label, f in theory.functions.items()}}
