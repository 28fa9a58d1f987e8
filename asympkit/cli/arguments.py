"""Read options: numbers, grids, parameters in the order given; errors in one line."""

import argparse
import math
import re
from fractions import Fraction

from ..errors import AsympkitError, suggest

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


def shared(names):
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
        if re.match(r"-(?!-|h\Z|n\d*\Z).", token) and last != "-n":
            if re.match(r"--[a-z][^=]*\Z", last) and last not in FLAGS:
                joined[-1] = f"{last}={token}"
                continue
            token = f" {token}"         # a leading blank tells argparse that this is not an option
        joined.append(token)
    return joined


FLAGS = ("--json", "--exact", "--certified", "--list", "--progress", "--help", "--version", "--free-constant",
         "--traceback", "--csv")
