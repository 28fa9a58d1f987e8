"""From rows of parameters to solutions on finer and finer rules (copied into standalone modules)."""

import numpy as np


def require(holds, name, value, expected):
    """Raise in a sentence unless something holds of all values."""
    if not np.all(holds):
        if np.size(value) > 6:
            value = f"an array of shape {np.shape(value)} from {np.min(value):.6g} to {np.max(value):.6g}"
        raise ValueError(f"{name}: got {value}; expected {expected}")


def solve_points(points, guesses, starts, out, *tables):
    """Outputs of points, each from a guess (NaN: none) or the first start to lead there; last in it: plain steps."""
    for k in range(len(points)):
        found = False
        for n in range(-1, len(starts)):
            if not found and (n >= 0 or not np.isnan(guesses[k, 0])):
                start = guesses[k] if n < 0 else starts[n]
                result = solve_point(points[k], start[:-1], int(start[-1]), *tables)        # noqa: F821
                if n <= 0 or result[-2] < out[k, -2] or np.isnan(out[k, -2]):
                    out[k] = result
                found = out[k, -2] <= 1e-9
    return out


def refined(points, tables, starts, width, solved, judged, levels, rtol):
    """Outputs of points on finer and finer rules, last the largest change of what is judged; NaN: no solution."""
    out, rows = np.full((len(points), width + 1), np.nan), np.arange(len(points))
    found, change = out[:, :-1], np.full(len(points), np.inf if levels > 1 else 0.0)
    firm = np.full(len(points), True)
    for level in range(levels):
        guesses = np.where((found[:, -2] <= 1e-9) & firm, found[:, [*solved, -1]].T, np.nan).T.copy("C")
        guesses[:, -1] *= 0.0
        before, last, found = found, change, np.full(found.shape, np.nan)
        found = solve_points(points[rows], guesses, starts, found, *tables(level))
        if level:
            found[:, -1] += before[:, -1]
            size, moved = np.abs(found[:, judged]), np.abs(found[:, judged] - before[:, judged])
            change = np.max(moved / (size + 1e-300), axis=1)
            noise = moved <= 1e-15 * np.max(size, axis=1, keepdims=True)
            settled = np.max(np.where(noise, 0.0, moved / (size + 1e-300)), axis=1)
            change = np.where((change > rtol) & (change > 0.1 * last), settled, change)
            size, moved = np.abs(found[:, :-2]), np.abs(found[:, :-2] - before[:, :-2])
            firm = np.all(moved <= 1e-6 * size + 1e-9 * np.max(size, axis=1, keepdims=True), axis=1)
        done = (change <= rtol) | ((change <= 1e-9) & (change > 0.5 * last) & (level > 1))
        done &= (found[:, -2] <= 1e-9) & np.all(np.isfinite(found), axis=1) & firm
        out[rows] = np.column_stack([found, change])
        rows, found, change, firm = rows[~done], found[~done], change[~done], firm[~done]
        if not rows.size:
            break
    out[rows, :-3] = np.nan
    return out
