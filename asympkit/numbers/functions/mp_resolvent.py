"""``E 1/(a D + b)`` over Marchenko-Pastur eigenvalues D: two equal forms, chosen by sign for accuracy."""

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


ENTRIES = (
    Entry("MPResolvent", "mp_resolvent", "mp_resolvent_batch", f"{_HERE}:mp_resolvent_batch", _digits, _balls,
          source="mp_resolvent", arity=4, spelling=None),
)
