"""Write the source text of the proximal step of a smooth convex function, for numbers and for arrays."""

from sympy import cse, numbered_symbols

from ..codegen.expressions import ExpressionPrinter

__all__ = ["source_of"]

_TEXT = '''
def slope_of_{digest}(V, t{others}):
    """Return the root f of f + g'(t + V f) between 0 and -g'(t): Newton steps that halve, else bisection."""
    p = t
    {first}
    end = -g1
    low, high = min(end, 0.0), max(end, 0.0)
    f, moved, left = end / (1.0 + V * g2), high - low, 2
    for _ in range(200):
        p = t + V * f
        {first_inside}
        h = f + g1
        if h > 0.0:
            high = f
        else:
            low = f
        step = h / (1.0 + V * g2)
        if abs(step) <= 1e-6 * abs(f) or end == 0.0:
            f, left = f - step, left - 1
            if left == 0:
                return f
        else:
            new = f - step
            if not (low <= new <= high and 2.0 * abs(step) <= moved):
                new = 0.5 * (low + high)
            moved, f = abs(new - f), new
    return math.nan


def slope_of_{digest}_batch(V, t{others}):
    """Return the same for arrays."""
    p = t
    {first_batch}
    end = -g1 + 0.0 * V
    low, high = np.minimum(end, 0.0), np.maximum(end, 0.0)
    f, moved = end / (1.0 + V * g2), high - low
    left = np.full(np.shape(f), 2)
    for _ in range(200):
        p = t + V * f
        {batch_inside}
        h = f + g1
        high, low = np.where(h > 0.0, f, high), np.where(h > 0.0, low, f)
        step = np.where(left > 0, h / (1.0 + V * g2), 0.0)
        is_near = (np.abs(step) <= 1e-6 * np.abs(f)) | (end == 0.0)
        new = f - step
        is_halved = (low <= new) & (new <= high) & (2.0 * np.abs(step) <= moved)
        new = np.where(is_near | is_halved, new, 0.5 * (low + high))
        left, moved, f = left - is_near, np.abs(new - f), new
        if not np.any((left > 0) & ~np.isnan(f)):
            break
    return np.where(left > 0, np.nan, f)


def envelope_of_{digest}(V, t{others}):
    """Return the minimum of (p - t)^2/(2 V) + g(p)."""
    f = slope_of_{digest}(V, t{others})
    p = t + V * f
    return 0.5 * V * f * f + {g}


def envelope_of_{digest}_batch(V, t{others}):
    """Return the same for arrays."""
    f = slope_of_{digest}_batch(V, t{others})
    p = t + V * f
    return 0.5 * V * f * f + {g_batch}


def bend_of_{digest}(p{others}):
    """Return the second derivative of g."""
    return {bend}


def bend_of_{digest}_batch(p{others}):
    """Return the same for arrays."""
    return {bend_batch}
'''


def source_of(digest, rates, x, others):
    """Return the text; ``rates`` are the function and its first two derivatives in x."""
    g, *slopes = rates
    names = {s: s.name for s in (x, *others)}
    scalar, batch = _assigned(slopes, names, False), _assigned(slopes, names, True)
    scalar_printer, batch_printer = ExpressionPrinter(names), ExpressionPrinter(names, batch=True)
    return _TEXT.format(
        digest=digest, others="".join(f", {s.name}" for s in others),
        first="\n    ".join(scalar), first_inside="\n        ".join(scalar),
        first_batch="\n    ".join(batch), batch_inside="\n        ".join(batch),
        g=scalar_printer.source(g), g_batch=batch_printer.source(g), bend=scalar_printer.source(slopes[1]),
        bend_batch=batch_printer.source(slopes[1]))


def _assigned(slopes, names, is_batch):
    """Return lines that compute g1 and g2 and their common parts."""
    steps, forms = cse(slopes, symbols=numbered_symbols("u", real=True))
    printer = ExpressionPrinter({**names, **{s: s.name for s, _ in steps}}, batch=is_batch)
    return [f"{s} = {printer.source(e)}" for s, e in (*steps, *zip(("g1", "g2"), forms))]
