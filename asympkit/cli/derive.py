"""``asympkit derive``, ``generate``, ``hermite`` and ``activation``: equations, modules, numbers of an activation."""

from ..errors import DomainError, suggest
from ..notation import FORMATS, format_table
from ..once import Deferred
from ..theories.registry import find, known_names, package_names
from ..theories.registry import titles as theories
from .arguments import FLAGS, UsageError, add_command, add_options, build, find_named_text, positive_integer
from .output import add_plot, print_json, write, write_text

_activations, _derivations, _display, _mpmath, _page, _spec = map(Deferred, (
    "asympkit.activations", "asympkit.derivations", "asympkit.theories.display", "mpmath",
    "asympkit.derivations.page", "asympkit.activations.reading"))


def add_derive(commands, argv):
    """Add the subcommand."""
    about = ("print the free energy of a theory and the equations derived from it, block by block; or a "
             "derivation, each step of which is checked")
    parser = commands.add_parser("derive", help="equations of a theory, or a derivation", description=about)
    asked = find_named_text(argv[1:], FLAGS) if argv[:1] == ["derive"] else None
    parser.add_argument("name", metavar="NAME", nargs=None if asked else "?",  # an optional one stands before options
                        help=f"{', '.join(package_names())}, my_theory.py:name, or a name of --list")
    entry = find(asked) if asked and _is_theory(asked) else None
    add_options(parser, entry)
    parser.add_argument("--format", choices=("text", "latex", "mathml", "html"),
                        default="text", help="(text); html is a web page, and so is mathml of a derivation")
    parser.add_argument("--list", action="store_true", help="list what can be derived")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run_derive, entry=entry)


def _is_theory(text):
    plain = text.replace("_", "-").lower()
    return ".py" in text or plain in package_names() or bool({plain, text} & set(known_names()))


def run_derive(args):
    """Print the equations."""
    if args.list:
        names = [*known_names(), *_derivations.ALL]
        if args.json:
            print_json(names)
            return 0
        found = {**theories(), **_derivations.titles()}
        print(format_table([(n, found.get(n, "equations of a theory")) for n in names]))
        return 0
    if args.name is None:
        raise UsageError("derive: missing NAME; --list shows what can be derived")
    return _derivation(args) if args.entry is None else _theory(args)


def _theory(args):
    name, theory = args.entry
    options = {}
    if isinstance(theory, type):        # functions are unspecified if none are given
        options = {o.name: getattr(args, o.name) for o in theory.options if o.is_required}
        if any(options.values()) and not all(options.values()):
            raise UsageError(f"derive: give both {' and '.join(f'--{k}' for k in options)}, or neither")
        if not all(options.values()) and not hasattr(theory, "unspecified"):
            raise UsageError(f"derive: the equations of {name} follow from its layers; give "
                             f"{' and '.join(f'--{k}' for k in options)}")
        theory = theory(**options) if all(options.values()) else theory.unspecified()
    if args.json:
        print_json({"theory": name, **options, **_display.data(theory, args.format)})
    else:
        print(theory.derive(args.format))
    return 0


def _derivation(args):
    short = [full.rpartition(".")[2] for full in _derivations.ALL]
    known = [*known_names(), *_derivations.ALL, *short]
    if args.name not in known:
        raise UsageError(f"derive: no theory or derivation {args.name!r}{suggest(args.name, known)}; "
                         f"known are {', '.join([*known_names(), *_derivations.ALL])}")
    derivation = _derivations.load(args.name)
    outcomes = derivation.run()
    if args.json:
        steps = [{"number": s.number, "sentence": s.sentence, "equation": s.text, "latex": s.latex,
                  "kind": s.check.kind, "how": o.how} for s, o in zip(derivation.steps, outcomes)]
        print_json({"title": derivation.title, "source": derivation.source, "about": derivation.about,
                    "steps": steps})
        return 0
    if args.format == "text":
        print(derivation.text(outcomes))
        return 0
    print((_page.tex if args.format == "latex" else _page.html)(derivation, outcomes))
    return 0


def add_generate(commands, entry):
    """Add the subcommand."""
    about = "write one file that solves a theory for one student and target in another program"
    parser = add_command(commands, "generate", run_generate, "export a solver module", entry, about=about,
                         parameters=False)
    parser.add_argument("path", metavar="PATH", help="the file to write, NAME.py or NAME.h")
    parser.add_argument("--language", metavar="NAME", default="python", help="python (a module that needs numpy "
                        "alone), jax (one for jit and gradients) or c (a C99 header that needs libm alone)")
    parser.add_argument("--derivatives", action="store_true", help="add gradient() to a Python module")
    parser.add_argument("--width", action="store_true", help="take the number of hidden units as a parameter")


def run_generate(args):
    """Write the module and print its path."""
    path = build(args).generate(args.path, args.language, args.derivatives, args.width)
    if args.json:
        print_json({"path": str(path)})
    else:
        print(path)
    return 0


def _activation_parser(commands, name, run, about, description):
    """Add a command about one activation, with the options that both of them have."""
    parser = commands.add_parser(name, help=about, description=description)
    parser.add_argument("activation", metavar="F", help="a catalogue name, or a text such as 'z*tanh(z)'")
    parser.add_argument("--digits", metavar="N", type=positive_integer, help="correct digits (default: floats)")
    parser.add_argument("--certified", action="store_true",
                        help="proved error bounds, 30 digits unless given (needs asympkit[certify])")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)
    return parser


def add_hermite(commands):
    """Add the subcommand."""
    parser = _activation_parser(commands, "hermite", run_hermite, "Hermite coefficients of an activation",
                             "c_k = E[f(z) He_k(z)]/k! for z ~ N(0,1), and E[f(z)^2].")
    parser.add_argument("-n", dest="order", metavar="N", type=int, default=8, help="highest order (8)")
    parser.add_argument("--exact", action="store_true", help="closed forms where they are known")
    parser.add_argument("--format", choices=FORMATS, default="text", help="(text)")
    parser.add_argument("--out", metavar="FILE", help="write the table there")
    add_plot(parser, "the function and the share of each degree")


def run_hermite(args):
    """Print the coefficients."""
    if args.json and args.format != "text":
        raise UsageError(f"hermite: --json and --format {args.format} are two forms of one output; give one of them")
    activation = _activations.Activation(args.activation)
    kind = {"digits": args.digits, **({"certified": True} if args.certified else {})}
    numbers, square = activation.hermite_coefficients(args.order, **kind), activation.second_moment(**kind)
    closed = [activation.hermite(k) for k in range(args.order + 1)] if args.exact or _is_text(args) else None
    numbers = [_shown(c, args, closed and closed[k]) for k, c in enumerate(numbers)]
    square = _shown(square, args)
    exact = list(map(str, closed)) if args.exact else None
    if args.json:
        data = {"activation": activation.name, "parity": activation.parity, "coefficients": numbers,
                "second_moment": square}
        print_json(data | ({"exact": exact} if exact else {}))
    else:
        columns = [("k", *range(args.order + 1)), ("c_k", *map(_plain, numbers))]
        columns += [("exact", *closed)] if args.exact else []
        text = format_table(list(zip(*columns)), args.format)
        if args.format == "text":
            text = f"{_title(activation)}\n{text}\nE[f^2] = {_plain(square)}"
        write_text(text, args.out)
    if args.plot:
        write(activation.plot(args.order), args.plot)
    return 0


def add_activation(commands):
    """Add the subcommand."""
    parser = _activation_parser(commands, "activation", run_activation, "what an activation is good for",
                             "moments, gains 1/std and 1/rms, and signals in deep networks: fixed points, chi, depths.")
    parser.add_argument("--bias-variance", metavar="V", type=float, default=0.0, help="(0)")
    parser.add_argument("--weight-variance", metavar="V", type=float, help="times fan-in (that of the edge of chaos)")


def run_activation(args):
    """Print moments, gains and the propagation of signals."""
    activation = _activations.Activation(args.activation)
    kind = {"digits": args.digits, **({"certified": True} if args.certified else {})}
    numbers = {"mean": _shown(activation.hermite_coefficients(0, **kind)[0], args, activation.hermite(0)),
               "second_moment": _shown(activation.second_moment(**kind), args)}
    for name in ("std", "rms"):
        numbers[f"gain_{name}"] = _shown(activation.gain(name, **kind), args)
    try:
        depth, why = activation.edge_of_chaos(args.bias_variance, args.weight_variance), None
    except DomainError as error:
        depth, why = None, str(error)
    places = {"kinks": list(map(str, activation.kinks)), "jumps": [str(place) for place, _ in activation.jumps]}
    if args.json:
        print_json({"activation": activation.name, "parity": activation.parity, **places, **numbers, "signals": depth})
        return 0
    rows = [*((name, ", ".join(found) or "none") for name, found in places.items()),
            *((name.replace("_", " "), _plain(v)) for name, v in numbers.items()),
            *((name.replace("_", " "), _plain(v)) for name, v in (depth or {}).items())]
    print(_title(activation))
    print(format_table(rows))
    if why:
        print(why)
    return 0


def _title(activation):
    formula = _spec.meaning(activation.name) or activation.name
    return f"f(z) = {formula}" + (f" ({activation.parity})" if activation.parity else "")


def _is_text(args):
    """Return whether numbers are printed with the digits that are asked for."""
    return args.digits is not None or args.certified


def _plain(number):
    return number if isinstance(number, str) else f"{number:.15g}"


def _shown(value, args, closed=None):
    """Return a number as it is printed: a float, or a text: a fraction, a ball, or of the requested digits."""
    if closed is not None and closed.is_Rational:
        return str(closed) if _is_text(args) else float(closed)
    if args.certified:
        return str(value)
    return float(value) if args.digits is None else _mpmath.nstr(value, args.digits)
