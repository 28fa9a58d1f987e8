"""Source text of the proximal step of a smooth convex function, for numbers and for arrays."""

from sympy import cse, numbered_symbols

from ..codegen.expressions import ExpressionPrinter
from ..numbers.functions import entry

__all__ = ["source_of"]

_TEXT = '''
def slope_of_{digest}(V, t{others}):
    """The root f of f + g'(t + V f) between 0 and -g'(t), by Newton's method."""
    p = t
    {first}
    end = -g1
    low, high = min(end, 0.0), max(end, 0.0)
    f = end / (1.0 + V * g2)
    was_near = False
    for _ in range(200):
        p = t + V * f
        {first_inside}
        h = f + g1
        if h > 0.0:
            high = f
        else:
            low = f
        new = f - h / (1.0 + V * g2)
        if not low <= new <= high:
            new = 0.5 * (low + high)
        is_near = abs(new - f) <= 1e-9 * abs(new) or high - low <= 1e-15 * (abs(low) + abs(high))
        f = new
        if is_near and was_near or f == 0.0:
            return f
        was_near = is_near
    return math.nan


def slope_of_{digest}_batch(V, t{others}):
    """The same for arrays."""
    p = t
    {first_batch}
    end = -g1 + 0.0 * V
    low, high = np.minimum(end, 0.0), np.maximum(end, 0.0)
    f = end / (1.0 + V * g2)
    was_near = np.zeros(np.shape(f), dtype=bool)
    for _ in range(200):
        p = t + V * f
        {batch_inside}
        h = f + g1
        high, low = np.where(h > 0.0, f, high), np.where(h > 0.0, low, f)
        new = f - h / (1.0 + V * g2)
        new = np.where((low <= new) & (new <= high), new, 0.5 * (low + high))
        is_near = np.abs(new - f) <= 1e-9 * np.abs(new)
        is_near |= high - low <= 1e-15 * (np.abs(low) + np.abs(high))
        f = np.where(was_near & is_near, f, new)
        if np.all(is_near & was_near | (f == 0.0) | np.isnan(f)):
            break
        was_near = is_near
    return f


def envelope_of_{digest}(V, t{others}):
    """The least (p - t)^2/(2 V) + g(p)."""
    f = slope_of_{digest}(V, t{others})
    p = t + V * f
    return 0.5 * V * f * f + {g}


def envelope_of_{digest}_batch(V, t{others}):
    """The same for arrays."""
    f = slope_of_{digest}_batch(V, t{others})
    p = t + V * f
    return 0.5 * V * f * f + {g_batch}
'''


def source_of(digest, rates, x, others):
    """The text; ``rates`` are the function and its first two derivatives in x."""
    g, *slopes = rates
    names = {s: s.name for s in (x, *others)}
    scalar, batch = _assigned(slopes, names, False), _assigned(slopes, names, True)
    return _TEXT.format(
        digest=digest, others="".join(f", {s.name}" for s in others),
        first="\n    ".join(scalar), first_inside="\n        ".join(scalar),
        first_batch="\n    ".join(batch), batch_inside="\n        ".join(batch),
        g=ExpressionPrinter(names).source(g), g_batch=ExpressionPrinter(names, batch=True).source(g))


def _assigned(slopes, names, is_batch):
    """Lines that compute g1 and g2 and what they have in common."""
    steps, forms = cse(slopes, symbols=numbered_symbols("u", real=True))
    printer = ExpressionPrinter({**names, **{s: s.name for s, _ in steps}}, batch=is_batch)
    return [f"{s} = {printer.source(e)}" for s, e in (*steps, *zip(("g1", "g2"), forms))]
