"""From options to a theory and its parameters."""

from ..errors import suggest
from .arguments import PARAMETERS, UsageError, option

#: what each theory takes: (parameters required, parameters with a default)
THEORIES = {
    "one-step": (("eta", "alpha0", "alpha", "lam"), ("beta", "noise_variance")),
    "spiked-features": (("r", "c", "gamma", "alpha", "lam"), ("beta", "noise_variance")),
    "nonlinear-spikes": (("phi", "psi", "lam"), ("noise_variance", "degree", "eta", "n")),
}
_CLASSES = {"one-step": "OneStep", "spiked-features": "SpikedFeatures", "nonlinear-spikes": "NonlinearSpikes"}
_LETTER = ("r", "c")


def add_theory(parser):
    """Add the name of a theory and its functions."""
    parser.add_argument("theory", metavar="THEORY", help=" or ".join(THEORIES))
    add_functions(parser)


def add_functions(parser):
    """Add the options for student and target."""
    for name, example in (("student", "tanh"), ("target", "sin")):
        parser.add_argument(f"--{name}", metavar="F", help=f"a catalogue name or a text, such as {example}")
    group = parser.add_argument_group("nonlinear-spikes")
    group.add_argument("--rows", choices=("sphere", "gaussian"), help="rows of the initial weights (sphere)")
    group.add_argument("--initial-output", choices=("removed", "kept"), help="in the gradient (removed)")
    group.add_argument("--free-constant", action="store_true", help="the readout has a constant without penalty")


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
    options = _options(name, args)
    from .. import theories

    return getattr(theories, _CLASSES[name])(args.student, args.target, **options)


def _options(name, args):
    """What shapes the equations, as the class takes it."""
    given = {k: getattr(args, k) for k in ("rows", "initial_output", "free_constant") if getattr(args, k)}
    if given and name != "nonlinear-spikes":
        raise UsageError(f"{name} has no option {', '.join(map(option, given))}")
    return given


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
