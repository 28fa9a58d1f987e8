"""Conditional means and tables at complex parameters x + i*h*x': the imaginary parts are derivatives times h.

Nodes and panels are those of the real parts; an activation is never called at a complex number, because the
value s at the argument a + b*z stands still while the variable and its weight move (see :mod:`.heat`).
"""

import numpy as np

from ..runtime import rules
from ..runtime.differences import TwoPlaces
from ..runtime.means import normal_means

__all__ = ["TABLES", "complex_means"]

#: imaginary parts are measured in units of the largest one, and of this at least
_LEAST = 1e-280


def complex_means(function, offset, slope, functional, signs=None, pairs=None, floors=None):
    """Compute means as :func:`asympkit.runtime.means.normal_means` for complex offset, slope and functionals."""
    offset, slope = np.asarray(offset), complex(slope)
    a, b, da, db = np.real(offset), slope.real, np.imag(offset), slope.imag
    values, error = normal_means(function, a, b, _real(functional), signs, pairs, floors)
    moves = bool(np.any(da)) or db != 0.0
    if not (moves or _holds_imaginary(function, a, b, functional)):
        return values, error
    scale = max(np.max(np.abs(da), initial=0.0), abs(db), _LEAST)

    def rate(z, s, at):
        items = [_part(np.imag, f) / scale for f in functional(z, s, at)]
        if moves:
            beside = [_part(np.imag, f) / scale for f in functional(z + 1j * scale, s, at)]
            by_offset, by_slope = at(np.broadcast_to(da / scale, a.shape)) / b, db / scale / b
            items = [i + by_offset * (z * f - (j - i)) + by_slope * ((z * z - 1.0) * f - z * (j - i))
                     for i, j, f in zip(items, beside, _real(functional)(z, s, at))]
        return tuple(items)

    moved, its_error = normal_means(function, a, b, rate)
    return [v + 1j * scale * m for v, m in zip(values, moved)], max(error, its_error)


def _real(functional):
    """Restrict a functional to real parts; real values stay the same objects, on which callers depend."""
    def real(z, s, at):
        return tuple(_part(np.real, f) if _is_complex(f) else f for f in functional(z, s, at))

    return real


def _part(part, f):
    """Take the real or the imaginary part."""
    return TwoPlaces(part(f.here), part(f.there), part(f.step)) if isinstance(f, TwoPlaces) else part(f)


def _is_complex(f):
    return np.iscomplexobj(f.there + f.step if isinstance(f, TwoPlaces) else f)


def _holds_imaginary(function, a, b, functional):
    """Return whether the functional is complex at real arguments."""
    z, s = np.zeros((1, 1)), np.ones((1, 1))
    found = functional(z, s, lambda column: np.asarray(column)[:1][:, None])
    return any(map(_is_complex, found))


def _outer_rules(levels, features, is_layered=False):
    return rules.outer_rules(levels, [(float(np.real(o)), float(np.real(s)), float(np.real(i)), kinks)
                                      for o, s, i, kinks in features], is_layered)


def _split_tables(base, rules, symmetries):
    """Split tables without folding any rule: even integrands may have derivatives that are not even."""
    first, out = 0, []
    for nodes, weights, _ in rules:
        last = first + nodes.size
        out.append(([c[first:last] if np.ndim(c) else np.full(nodes.size, c) for c in base], weights))
        first = last
    return out


def _stack_rows(*rows):
    table = np.empty((len(rows), max(map(np.size, rows))), dtype=complex)
    for row, values in zip(table, rows):
        row[...] = values
    return table


#: replacements of functions of :mod:`asympkit.runtime` for building tables
TABLES = {"normal_means": complex_means, "outer_rules": _outer_rules, "split_tables": _split_tables,
          "stack_rows": _stack_rows}
