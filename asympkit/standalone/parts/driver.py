"""From rows of parameters to solutions on finer and finer rules (copied into standalone modules)."""

import numpy as np

from ...runtime.features import NARROW, STEPS, as_rule_features, find_features_along, missed_places


def require(holds, name, value, expected):
    """Raise in a sentence unless something holds of all values."""
    if not np.all(holds):
        if np.size(value) > 6:
            value = f"an array of shape {np.shape(value)} from {np.min(value):.6g} to {np.max(value):.6g}"
        raise ValueError(f"{name}: got {value}; expected {expected}")


def solve_points(points, guesses, starts, out, *tables):
    """Solve points, each from a guess (NaN: none) or the first start to lead there; last in it: plain
    steps."""
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


def refined(*how):
    """Solve points on finer and finer rules; last, the largest change of those judged; NaN: no solution."""
    out, rows = refine(*how)
    out[rows, :-3] = np.nan
    return out


def refine(points, tables, starts, width, solved, judged, levels, rtol, missed=None):
    """Refine as :func:`refined` does; return also the values reached without a solution, and where.

    A change above ``rtol`` is rounding where a rule several times finer agrees.  ``missed(level, point, found)`` says
    whether rules step over narrow features, and are not fine enough, however well two agree.
    """
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
            change = relative_change(found[:, judged], before[:, judged])
            size, moved = np.abs(found[:, judged]), np.abs(found[:, judged] - before[:, judged])
            noise = moved <= 1e-15 * np.max(size, axis=1, keepdims=True)
            settled = np.max(np.where(noise, 0.0, moved / (size + 1e-300)), axis=1)
            change = np.where((change > rtol) & (change > 0.1 * last), settled, change)
            size, moved = np.abs(found[:, :-2]), np.abs(found[:, :-2] - before[:, :-2])
            firm = np.all(moved <= 1e-6 * size + 1e-9 * np.max(size, axis=1, keepdims=True), axis=1)
        done = (change <= rtol) | ((change <= 1e-9) & (change > 0.5 * last) & (level > 1))
        done &= (found[:, -2] <= 1e-9) & np.all(np.isfinite(found), axis=1) & firm
        rough = np.flatnonzero(done & (change > rtol))
        done[rough] = False
        if rough.size and level + 4 <= levels:
            near = found[rough][:, [*solved, -1]].copy("C")
            again = solve_points(points[rows[rough]], near * np.append(np.ones(len(solved)), 0.0), starts,
                                 np.full((rough.size, width), np.nan), *tables(level + 4))
            done[rough] = relative_change(again[:, judged], found[rough][:, judged]) <= 1e-9
        for k in np.flatnonzero(done) if missed else ():
            done[k] = not missed(level - 1, points[rows[k]], found[k])
        out[rows] = np.column_stack([found, change])
        rows, found, change, firm = rows[~done], found[~done], change[~done], firm[~done]
        if not rows.size:
            break
    return out, rows


def relative_change(new, old):
    """Return the largest relative change along the last axis."""
    return np.max(np.abs(new - old) / (np.abs(new) + 1e-300), axis=1)


def narrow_features(turning, point, found):
    """Centres and widths of narrow features around which nodes can be placed at a solution, and of all others."""
    places = [], []
    for is_steep, has_nodes, along in turning(point, found):
        places[not has_nodes].extend((c, w) for c, w in zip(*find_features_along(along, is_steep)) if w < NARROW)
    return places


def refined_on_places(points, tables, starts, width, solved, judged, levels, rtol, turning):
    """Solve as :func:`refined` does, with nodes around narrow features where rules step over them.

    ``turning(point, found)`` gives the arguments at which integrands turn at a solution.
    """
    def missed(level, point, found, is_placed=False):
        places, others = narrow_features(turning, point, found)
        return any(0.2788 / 1.4346**level > STEPS * width for _, width in others + places * (not is_placed))

    def on_places(point, row):
        places = []
        for _ in range(8):
            found = narrow_features(turning, point, row)[0] if np.all(np.isfinite(row[:-1])) else []
            if not missed_places(found, places):
                is_solved = places and row[-1] <= 1e-9 and row[-3] <= 1e-9
                break
            features, places = as_rule_features(found), found
            first = np.append(row[solved], 0.0)[np.newaxis]
            row = refine(point[np.newaxis], lambda level, at=features: tables(level, at),
                         np.concatenate([first, starts]), width, solved, judged, levels, rtol,
                         lambda *at: missed(*at, is_placed=True))[0][0]
        else:
            is_solved = False
        return row if is_solved else np.where(np.arange(row.size) < row.size - 3, np.nan, row)

    out, rows = refine(points, tables, starts, width, solved, judged, levels, rtol, missed)
    for k in rows:
        out[k] = on_places(points[k], out[k])
    return out
