"""``asympkit hermite``: coefficients of an activation."""

from .arguments import positive_integer
from .output import print_json, table
from .pictures import add_plot, write


def add(commands):
    """Add the subcommand."""
    parser = commands.add_parser("hermite", help="Hermite coefficients of an activation",
                                 description="c_k = E[f(z) He_k(z)]/k! for z ~ N(0,1), and E[f(z)^2].")
    parser.add_argument("activation", metavar="F", help="a catalogue name, or a text such as 'z*tanh(z)'")
    parser.add_argument("-n", dest="order", metavar="N", type=int, default=8, help="highest order (8)")
    parser.add_argument("--digits", metavar="N", type=positive_integer, help="correct digits (default: floats)")
    parser.add_argument("--exact", action="store_true", help="closed forms where they are known")
    parser.add_argument("--certified", action="store_true",
                        help="proved error bounds, 30 digits unless given (needs asympkit[certify])")
    add_plot(parser, "the function and the share of each degree")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args):
    """Print the coefficients."""
    from ..activations import Activation

    activation = Activation(args.activation)
    certified = {"certified": True} if args.certified else {}
    numbers = activation.hermite_coefficients(args.order, digits=args.digits, **certified)
    square = activation.second_moment(digits=args.digits, **certified)
    floats = not (args.digits or args.certified)
    numbers = [_shown(c, args) for c in numbers]
    square = _shown(square, args)
    exact = [str(activation.hermite(k)) for k in range(args.order + 1)] if args.exact else None
    if args.json:
        data = {"activation": activation.name, "parity": activation.parity, "coefficients": numbers,
                "second_moment": square}
        print_json(data | ({"exact": exact} if exact else {}))
    else:
        _print(activation, numbers, square, exact, floats)
    if args.plot:
        write(activation.plot(args.order), args.plot)
    return 0


def _print(activation, numbers, square, exact, floats):
    from ..activations.spec import meaning

    rows = [("k", "c_k"), *((k, f"{c:.15g}" if floats else c) for k, c in enumerate(numbers))]
    if exact:
        rows = [(*row, text) for row, text in zip(rows, ["exact", *exact])]
    formula = meaning(activation.name) or activation.name
    print(f"f(z) = {formula}" + (f" ({activation.parity})" if activation.parity else ""))
    print(table(rows))
    print(f"E[f^2] = {format(square, '.15g') if floats else square}")


def _shown(value, args):
    """Return a number as it is printed: a float, or the text of a ball or of the requested digits."""
    if args.certified:
        return str(value)
    if args.digits:
        import mpmath

        return mpmath.nstr(value, args.digits)
    return float(value)
