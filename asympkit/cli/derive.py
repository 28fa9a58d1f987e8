"""``asympkit derive``: the equations of a theory, or a derivation with its checks."""

from .arguments import UsageError
from .output import print_json
from .theories import THEORIES, add_functions


def add(commands):
    """Add the subcommand."""
    about = ("print the free energy of a theory and the equations derived from it, block by block; or a "
             "derivation, each step of which is checked")
    parser = commands.add_parser("derive", help="equations of a theory, or a derivation", description=about)
    parser.add_argument("name", metavar="NAME", nargs="?", help=f"{', '.join(THEORIES)}, or a name of --list")
    add_functions(parser)
    parser.add_argument("--format", choices=("text", "latex", "mathml"), default="text",
                        help="(text); mathml of a derivation is a web page")
    parser.add_argument("--list", action="store_true", help="list what can be derived")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args):
    """Print the equations."""
    if args.list:
        from ..derivations import ALL

        names = [*THEORIES, *ALL]
        print_json(names) if args.json else print("\n".join(names))
        return 0
    if args.name is None:
        raise UsageError("derive: missing NAME; --list shows what can be derived")
    name = args.name.replace("_", "-").lower()
    if name in THEORIES:
        return _theory(name, args)
    return _derivation(args)


def _theory(name, args):
    free_energy, paper, system, functions = _equations(name, args)
    meanings = _meanings(name, args)
    if args.json:
        from ..nodes import bind

        write = {"text": str, "latex": _latex, "mathml": _mathml}[args.format]

        def shown(expr):
            return write(bind(expr, functions))

        print_json({"theory": name, "student": args.student, "target": args.target, "format": args.format,
                    "free_energy": None if free_energy is None else shown(free_energy),
                    "paper": [shown(e) for e in paper], "parameters": meanings,
                    "unknowns": [str(u) for u in system.unknowns],
                    "definitions": {n.label: shown(n.expr) for n in system.definitions},
                    "blocks": [_block(b, shown) for b in system.blocks],
                    "observables": {k: shown(e) for k, e in system.observables.items()}})
    elif args.format == "text":
        head = [f"free energy\n  F = {free_energy}"] if paper == () else ["equations of the paper",
                                                                        *(f"  0 = {e}" for e in paper)]
        tail = ["parameters that follow from the functions", *(f"  {k}: {v}" for k, v in meanings.items())]
        print("\n".join([*head, system.text(), *(tail if meanings else ())]))
    elif args.format == "latex":
        rows = [f"0 = {_latex(e)}" for e in paper] or [f"F = {_latex(free_energy)}"]
        print("\n".join([*(f"\\[ {row} \\]" for row in rows), system.latex()]))
    else:
        print("\n".join([*map(_mathml, paper or (free_energy,)), system.mathml()]))
    return 0


def _meanings(name, args):
    """How the functions enter where they do so by numbers alone, with the numbers if functions are given."""
    if name != "nonlinear-spikes":
        return {}
    from ..activations import Activation
    from ..gauss import E
    from ..theories.nonlinear_equations import MEANINGS

    meanings = dict(MEANINGS)
    for label, linear, rest in (("student", "linear", "nonlinear"), ("target", "target_linear", "target_rest")):
        if text := getattr(args, label):
            f = Activation(text)
            first = f.hermite(1)
            left = E((f.expr - f.hermite(0) - first * f.symbol) ** 2, f.symbol).doit()
            meanings[linear] += f" = {first**2 if label == 'student' else first}"
            meanings[rest] += f" = {left}"
    return meanings


def _equations(name, args):
    """Free energy or equations of the paper, system and functions; the functions are unspecified if none are given."""
    if name == "nonlinear-spikes":      # the activations enter by numbers alone
        from ..theories.nonlinear_equations import limit_system, pair

        return None, pair(), limit_system(), {}
    given = [k for k in ("student", "target") if getattr(args, k)]
    if len(given) == 1:
        raise UsageError("derive: give both --student and --target, or neither")
    if given:
        from ..theories import SpikedFeatures

        theory = SpikedFeatures(args.student, args.target)
        return theory.free_energy, (), theory.equations(), theory.functions
    from ..theories.spiked_equations import free_energy, spiked_system

    return free_energy(), (), spiked_system(), {}


def _latex(expr):
    from sympy import latex

    return latex(expr)


def _mathml(expr):
    from ..equations.mathml import presentation

    return presentation(expr)


def _block(block, shown):
    equations = [{"left": str(u) if is_map else "0", "right": shown(f)} for u, f, is_map in block.equations]
    assignments = [{"left": str(u), "right": shown(f)} for u, f in block.assignments]
    return {"kind": block.kind, "unknowns": [str(u) for u in block.unknowns],
            "torn": [str(u) for u in block.torn], "equations": equations, "assignments": assignments}


def _derivation(args):
    from ..derivations import ALL, load
    from ..errors import suggest

    short = [full.rpartition(".")[2] for full in ALL]
    known = [*THEORIES, *ALL, *short]
    if args.name not in known:
        raise UsageError(f"derive: no theory or derivation {args.name!r}{suggest(args.name, known)}; "
                         f"known are {', '.join([*THEORIES, *ALL])}")
    if args.student or args.target:
        raise UsageError(f"derive: {args.name} takes no --student or --target: it holds for all of them")
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
