"""``E 1/(a D + b)`` over Marchenko-Pastur eigenvalues D: two equal forms, chosen by sign for accuracy."""

from math import inf

from .entry import Entry

_HERE = "asympkit.numbers.functions.routines.mp_resolvent"


def _parts(a, b, scale, ratio):
    x = a * scale
    shifted = b + x * (1 - ratio)
    return shifted, 4 * ratio * x * b


def _digits(mp, a, b, scale, ratio):
    shifted, product = _parts(a, b, scale, ratio)
    root = mp.sqrt(shifted**2 + product)
    return 2 / (shifted + root) if shifted >= 0 else 2 * (root - shifted) / product


def _balls(a, b, scale, ratio):
    shifted, product = _parts(a, b, scale, ratio)
    root = (shifted * shifted + product).sqrt()
    return 2 / (shifted + root) if shifted.mid() >= 0 else 2 * (root - shifted) / product


def _complex_balls(a, b, scale, ratio, analytic):
    """Evaluate the root that is positive for positive arguments, by one of two equal forms."""
    shifted, product = _parts(a, b, scale, ratio)
    root = (shifted * shifted + product).sqrt(analytic=analytic)
    return 2 / (shifted + root) if shifted.real.mid() >= 0 else 2 * (root - shifted) / product


def _range(a, b, scale, ratio):
    """Return a range: for ``a D >= 0`` and ``b > 0`` the mean of ``1/(a D + b)`` lies between 0 and 1/b."""
    if a[0] >= 0 and b[0] > 0 and scale[0] >= 0 and ratio[0] > 0:
        return 0, 1 / b[0]
    return -inf, inf


ENTRIES = (
    Entry("MPResolvent", "mp_resolvent", "mp_resolvent_batch", f"{_HERE}:mp_resolvent_batch", _digits, _balls,
          _complex_balls, source="mp_resolvent", arity=4, spelling=None, values=_range),
)
