"""Dead statements: what no output needs is not printed."""

from dataclasses import replace

from .statements import Newton, Scalar, Sums


def prune(statements, outputs):
    """Return the statements that the outputs need.

    Parameters
    ----------
    statements : sequence
    outputs : iterable of Symbol
    """
    needed, kept = set(outputs), []
    for s in reversed(statements):
        if isinstance(s, Scalar):
            if s.symbol not in needed:
                continue
            needed |= s.expr.free_symbols
        elif isinstance(s, Sums):
            s = _prune_sums(s, needed)
            if not s.sums:
                continue
        elif isinstance(s, Newton):
            body = prune(s.body, s.wanted)
            s = replace(s, body=tuple(body))
            for inner in body:
                needed |= _inputs(inner)
        else:
            if needed.isdisjoint(s.outputs):
                continue
            needed |= s.inputs
        kept.append(s)
    return kept[::-1]


def _prune_sums(s, needed):
    sums = tuple(item for item in s.sums if item[0] in needed)
    inside = set().union(*(e.free_symbols for _, e, _ in sums)) if sums else set()
    local = []
    for symbol, expr in reversed(s.locals):
        if symbol in inside:
            local.append((symbol, expr))
            inside |= expr.free_symbols
    needed |= inside
    return replace(s, sums=sums, locals=tuple(local[::-1]))


def _inputs(s):
    if isinstance(s, Scalar):
        return s.expr.free_symbols
    if isinstance(s, Sums):
        parts = [e for _, e, _ in s.sums] + [e for _, e in s.locals]
        return set().union(*(e.free_symbols for e in parts))
    return s.inputs
