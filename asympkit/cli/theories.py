"""From options to a theory and its parameters."""

from ..errors import suggest
from .arguments import PARAMETERS, UsageError, option

#: what each theory takes: (parameters required, parameters with a default)
THEORIES = {
    "one-step": (("eta", "alpha0", "alpha", "lam"), ("beta", "noise_variance")),
    "spiked-features": (("r", "c", "gamma", "alpha", "lam"), ("beta", "noise_variance")),
}
_LETTER = ("r", "c")


def add_theory(parser):
    """Add the name of a theory and its functions."""
    parser.add_argument("theory", metavar="THEORY", help=" or ".join(THEORIES))
    add_functions(parser)


def add_functions(parser):
    """Add the options for student and target."""
    for name, example in (("student", "tanh"), ("target", "sin")):
        parser.add_argument(f"--{name}", metavar="F", help=f"a catalogue name or a text, such as {example}")


def theory_name(text):
    """Check the name of a theory."""
    name = text.replace("_", "-").lower()
    if name not in THEORIES:
        raise UsageError(f"no theory {text!r}{suggest(name, THEORIES)}; theories are {', '.join(THEORIES)}")
    return name


def build_theory(args):
    """The theory that the options describe."""
    name = theory_name(args.theory)
    _refuse_missing(name, _missing_functions(args))
    from .. import theories

    make = {"one-step": "OneStep", "spiked-features": "SpikedFeatures"}[name]
    return getattr(theories, make)(args.student, args.target)


def check_parameters(args):
    """The given parameters, after checking that they are those of the theory."""
    name = theory_name(args.theory)
    required, optional = THEORIES[name]
    known = (*required, *optional)
    wrong = [option(p) for p in args.parameters if p not in known]
    if wrong:
        raise UsageError(f"{name} has no parameter {', '.join(wrong)}; its parameters are "
                         f"{', '.join(map(option, known))}")
    missing = [f"{option(p)} ({PARAMETERS[p]})" for p in required if p not in args.parameters]
    _refuse_missing(name, _missing_functions(args) + missing)
    return dict(args.parameters)


def _missing_functions(args):
    return [f"--{k}" for k in ("student", "target") if not getattr(args, k)]


def _refuse_missing(name, missing):
    if missing:
        raise UsageError(f"{name}: missing {', '.join(missing)}")


def as_arguments(args):
    """The parameters as ``solve`` takes them."""
    parameters = check_parameters(args)
    if theory_name(args.theory) == "spiked-features":
        letter = tuple(parameters.pop(p) for p in _LETTER)
        parameters["letters"] = [(*letter, 1)]
    return parameters
