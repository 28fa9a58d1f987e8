"""Functions that switch between formulas; the printers of most back ends write them out."""

from .entry import Entry, FunctionGrowth


def _heaviside_digits(mp, x, at_zero=0.5):
    return mp.convert(at_zero) if x == 0 else (1 + mp.sign(x)) / 2


def _heaviside_balls(x, at_zero):
    """Return the hull of all values between the sides of a jump, which are also the slopes of a corner."""
    from flint import arb

    return arb(1) if x > 0 else arb(0) if x < 0 else at_zero if x == 0 else arb(0).union(arb(1))


def _side_balls(x):
    """Return either side: the expressions that hold it have the same value for both."""
    from flint import arb

    return arb(1) if x.mid() > 0 else arb(-1)


def _larger_balls(a, b):
    """Return the larger midpoint: the expressions that hold it do not depend on the choice."""
    from flint import arb

    return max((arb(x.mid()) if isinstance(x, arb) else arb(x[0].mid()) for x in (a, b)), key=float)


def _larger_complex(a, b, analytic):
    from flint import acb

    return acb(_larger_balls(a.real, b.real))


ENTRIES = (
    Entry("Abs", "abs", "np.abs", "numpy:abs", "fabs", "__abs__", text="abs", image=(0, float("inf")),
          growth=FunctionGrowth((0, 1)), parity="even", is_kinked=True),
    Entry("Size", "abs", "np.abs", "numpy:abs", "fabs", "__abs__", image=(0, float("inf")), growth=FunctionGrowth((0,
          1)),
          parity="even", symbol="asympkit.numbers.functions.classes:Size", spelling=None),
    Entry("Side", "side", "side_batch", "asympkit.numbers.functions.routines.sides:side_batch",
          lambda mp, x: mp.one if x > 0 else -mp.one, _side_balls, lambda u, analytic: 0 * u + _side_balls(u.real),
          source="sides", lanes="lane_side", image=(-1, 1),
          growth=FunctionGrowth((1,)), monotone=1, symbol="asympkit.numbers.functions.classes:Side", spelling=None),
    Entry("Larger", "larger", "larger_batch", "asympkit.numbers.functions.routines.sides:larger_batch",
          lambda mp, *x: max(x), _larger_balls, _larger_complex, source="sides", arity=2,
          symbol="asympkit.numbers.functions.classes:Larger", spelling=None),
    Entry("sign", "np.sign", "np.sign", "numpy:sign", "sign", "sgn", text="sign", image=(-1, 1),
          growth=FunctionGrowth((1,)),
          monotone=1, parity="odd", is_kinked=True),
    Entry("Heaviside", "", "np.heaviside", "numpy:heaviside", _heaviside_digits, _heaviside_balls, text="step",
          arity=2, image=(0, 1), growth=FunctionGrowth((1,)), is_kinked=True),
    Entry("Max", "max", "np.maximum", "numpy:maximum", lambda mp, *x: max(x), "max", text="max", arity=2,
          is_kinked=True),
    Entry("Min", "min", "np.minimum", "numpy:minimum", lambda mp, *x: min(x), "min", text="min", arity=2,
          is_kinked=True),
    Entry("Piecewise", spelling="Piecewise (where)", is_kinked=True),
)
