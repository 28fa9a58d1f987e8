"""``asympkit derive``: the equations of a theory, or a derivation with its checks."""

from ..theories.registry import find, known_names, package_names
from ..theories.registry import titles as theories
from .arguments import FLAGS, UsageError
from .output import print_json, table
from .theories import add_options, named_text


def add(commands, argv):
    """Add the subcommand."""
    about = ("print the free energy of a theory and the equations derived from it, block by block; or a "
             "derivation, each step of which is checked")
    parser = commands.add_parser("derive", help="equations of a theory, or a derivation", description=about)
    asked = named_text(argv[1:], FLAGS) if argv[:1] == ["derive"] else None
    parser.add_argument("name", metavar="NAME", nargs=None if asked else "?",  # an optional one stands before options
                        help=f"{', '.join(package_names())}, my_theory.py:name, or a name of --list")
    entry = find(asked) if asked and _is_theory(asked) else None
    add_options(parser, entry)
    parser.add_argument("--format", choices=("text", "latex", "mathml"), default="text",
                        help="(text); mathml of a derivation is a web page")
    parser.add_argument("--list", action="store_true", help="list what can be derived")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run, entry=entry)


def _is_theory(text):
    plain = text.replace("_", "-").lower()
    return ".py" in text or plain in package_names() or bool({plain, text} & set(known_names()))


def run(args):
    """Print the equations."""
    if args.list:
        from ..derivations import ALL, titles

        names = [*known_names(), *ALL]
        if args.json:
            print_json(names)
            return 0
        found = {**theories(), **titles()}
        print(table([(n, found.get(n, "equations of a theory")) for n in names]))
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
        from ..theories.display import data

        print_json({"theory": name, **options, **data(theory, args.format)})
    else:
        print(theory.derive(args.format))
    return 0


def _derivation(args):
    from ..derivations import ALL, load
    from ..errors import suggest

    short = [full.rpartition(".")[2] for full in ALL]
    known = [*known_names(), *ALL, *short]
    if args.name not in known:
        raise UsageError(f"derive: no theory or derivation {args.name!r}{suggest(args.name, known)}; "
                         f"known are {', '.join([*known_names(), *ALL])}")
    derivation = load(args.name)
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
    from ..derivations import page

    print((page.tex if args.format == "latex" else page.html)(derivation, outcomes))
    return 0
