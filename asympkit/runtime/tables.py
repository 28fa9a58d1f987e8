"""Assemble the table of a grid from its columns (numpy only; copied into generated modules)."""

import numpy as np


def split_tables(base, rules, symmetries):
    """Split base columns on the nodes of several rules, one after the other, into columns and weights of each.

    Parameters
    ----------
    base : list of ndarray
        Columns, or numbers, on all nodes.
    rules : list of (ndarray, ndarray, bool)
        Nodes, weights, and whether the nodes come in pairs z, -z.
    symmetries : tuple of tuple of int
        See :func:`fold`.

    Returns
    -------
    list of (list of ndarray, ndarray)
    """
    first, out = 0, []
    for nodes, weights, symmetric in rules:
        last = first + nodes.size
        part = [c[first:last] if np.ndim(c) else np.full(nodes.size, float(c)) for c in base]
        out.append(fold(part, weights, symmetries) if symmetric else (part, weights))
        first = last
    return out


def stack_rows(*rows):
    """Stack the rows of one table, numbers broadcast to the length of the others."""
    table = np.empty((len(rows), max(map(np.size, rows))))
    for row, values in zip(table, rows):
        row[...] = values
    return table


def fold(base, weights, symmetries):
    """Halve a symmetric rule when every integrand is even under the parities of the columns.

    Parameters
    ----------
    base : list of ndarray
        Base columns on nodes that come in pairs z, -z, the node itself first.
    weights : ndarray
    symmetries : tuple of tuple of int
        Sign patterns of the base columns under which no integrand changes.

    Returns
    -------
    list of ndarray, ndarray
        The columns and weights on the non-negative nodes, or everything unchanged.
    """
    pattern = _parities(np.array(base))
    if not any(all(p in (0, s) for p, s in zip(pattern, symmetry)) for symmetry in symmetries):
        return base, weights
    half = weights.size // 2
    folded = weights[half:] * 2.0
    if weights.size % 2:
        folded[0] *= 0.5
    return [c[half:] for c in base], folded


def _parities(columns):
    """Return for each column +1 or -1 where it is even or odd to rounding, 0 where it vanishes, 2 for neither."""
    mirrored, size = columns[:, ::-1], np.abs(columns).max(axis=1)
    even = np.abs(columns - mirrored).max(axis=1) <= 1e-14 * size
    odd = np.abs(columns + mirrored).max(axis=1) <= 1e-14 * size
    return np.where(size == 0.0, 0, np.where(even, 1, np.where(odd, -1, 2))).tolist()


def stack_matrix(shape, rows, dtype=float):
    """Stack a nest of scalars and arrays of a shape into an array of shape (*shape, n, n)."""
    out = np.empty((*shape, len(rows), len(rows)), dtype)
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            out[..., i, j] = entry
    return out


def stack_vector(shape, entries, dtype=float):
    """Stack scalars and arrays of a shape into an array of shape (*shape, n)."""
    out = np.empty((*shape, len(entries)), dtype)
    for j, entry in enumerate(entries):
        out[..., j] = entry
    return out
