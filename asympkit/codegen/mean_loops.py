"""Print conditional means, and the products of columns, as explicit loops for numba."""

from .expressions import ExpressionPrinter

_SUMS = '''
@compiled()
def {name}_sums({arguments}, strides, first, last, rows, values):
    """Means of {items}

    and of their absolute values, of shape (2, items, rows, strides), for strides ``first`` to ``last``.
    """
    most = max(normal.size + 64, int(2.0 * _END * slope / far_step) + 4)
    places, gauss, far_places = np.empty(most), np.empty(most), np.empty(most)
    window, weights = np.empty(most), np.empty(most)
    for t in range(first, last):
        half = int(math.ceil(_CUTS[0] * slope / (step * max(strides[t], 1))))
        nodes, count, rest, total = far_places, 0, 0.0, 1.0
        if strides[t] > 0:
            nodes, count = places, fill_rule(step, slope, strides[t], normal, half, places, gauss)
        for p in range(rows.size):
            k = rows[p]
{columns}            shift = offset[k] / slope
            near = strides[t] > 0 and shift != 0.0 and abs(shift) <= _NEAR
            if strides[t] == 0:
                count = fill_far_row(far, far_step, offset[k], slope, nodes, window, weights)
            else:
                rest, total = fill_row(samples, step, strides[t], half, count, 0.0 if near else offset[k], slope,
                                       places, gauss, window, weights)
{zeros}
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
{zeros_centre}
                for j in range(count):
                    w, z, s = weights[j], nodes[j], window[j]       # the rest is zero
                    growth = math.expm1(shift * z - 0.5 * shift * shift)
{near}
            else:
                for j in range(count):
                    w, z, s = weights[j], nodes[j] - rest, window[j]
{direct}
{results}

'''

_MEANS = '''
@compiled()
def {name}({both}, rows, back, opposite, signs, means):
    """Put the means of {items}

    at ``rows`` and their opposites into ``means``, from the coarsest lattice that agrees with all fine samples.
    Returns their error: infinite if no lattice agrees, -1 where what lies beyond the cut-off counts.
    """
    probes, strides, squares = np.empty(rows.size, np.int64), np.empty(16, np.int64), np.array(({squares}))
    picked, count = probes[:probe_rows(offset, slope, rows, probes)], trial_strides(step, slope, strides)
    values, lattice, width, gauss = np.empty((2, {count}, picked.size, count)), fine, fine_step, fine_normal
    first, last, error = 0 * count, min(2, count), math.inf      # no literal, for which the sums were compiled again
    while True:
        {name}_sums(lattice, width, gauss, {common}, strides, first, last, picked, values)
        if count == 1:
            break
        lattice, width, gauss = samples, step, normal
        chosen, error = settled_stride(values, squares, last, samples, step, offset, slope, picked)
        if chosen < 0:
            return -1.0
        if chosen > 0 and (error <= 1e-15 or chosen < last - 1 or last == count):      # else the next may be better
            strides, picked, count, first, last = strides[chosen:chosen + 1], rows, 1, 0 * count, min(1, count)
            values = np.empty((2, {count}, rows.size, 1))
        elif chosen == 0 and last == count:
            return math.inf
        else:
            first, last = last, last + 1
    put_means(values, squares, samples, step, offset, slope, rows, back, opposite, signs, means)
    return error
'''

_COLUMNS = '''
@compiled()
def {grid}_columns({base}, first, last, weights, symmetric, symmetries):
    """Table and weights of the rule at nodes ``first`` to ``last``, on half of them where that suffices."""
    half = False
    if symmetric:
        half = fits_symmetry(np.array(({parities})), symmetries)
    start = first + (last - first) // 2 if half else first
    table, folded = np.empty(({width}, last - start)), np.empty(last - start)
    for k in range(start, last):
        folded[k - start] = 2.0 * weights[k - first] if half and 2 * k + 1 != first + last else weights[k - first]
{rows}
    return table, folded
'''

#: what the loops call their own
_LOCALS = (
    "fine", "fine_step", "fine_normal", "lattice", "width", "samples", "step", "far", "far_step", "normal", "offset",
    "slope", "strides", "first", "last", "rows", "values", "half", "most", "places", "gauss", "far_places", "nodes",
    "window", "weights", "count", "rest", "total", "shift", "near", "growth", "back", "opposite", "signs", "means",
    "probes", "squares", "picked", "error", "chosen", "t", "p", "k", "j", "w", "z", "s")


def write_mean_loop(name, step, names, varying):
    """Source of the loops of one Means, and of the last argument of ``normal_means``.

    Parameters
    ----------
    name : str
    step : Means
    names : dict
    varying : set of Symbol
        What has an entry for each row; the other symbols are numbers.
    """
    needed = sorted(set().union(*(f.free_symbols for _, f in step.items)) - {step.z, step.value}, key=str)
    columns, functionals = [s for s in needed if s in varying], [f for _, f in step.items]
    squares = [bool(f.is_nonnegative) for f in functionals]
    taken = set(_LOCALS) | {f"{letter}{i}" for letter in "vacdfm" for i in range(len(functionals))}
    own = {s: _free(names[s], taken) for s in needed}
    entry = {s: _free(f"{own[s]}_k", taken) for s in columns}

    def text(expr, z):
        known = {**own, **entry, step.z: z, step.value: "s"}
        return ExpressionPrinter(known).source(expr)

    def lines(depth, *patterns):
        made = [p.format(i=i, f=text(f, "z"), m=text(f, "(z - shift)"))
                for i, f in enumerate(functionals) for p in patterns]
        return "\n".join("    " * depth + line for line in made)

    after = "\n".join(f"                v{i} += 0.0 if abs(c{i}) <= _ROUNDING * d{i} else c{i}"
                      + ("" if square else f"\n                a{i} = max(a{i}, 0.01 * d{i})")
                      for i, square in enumerate(squares))
    shared = ", ".join(["far", "far_step", "offset", "slope", *own.values()])
    common = {"name": name, "items": ", ".join(map(str, functionals)), "common": shared,
              "arguments": f"samples, step, normal, {shared}",
              "both": f"fine, fine_step, fine_normal, samples, step, normal, {shared}"}
    sums = _SUMS.strip("\n").format(
        **common,
        columns="".join(f"            {entry[s]} = {own[s]}[k]\n" for s in columns),
        zeros=lines(3, "v{i} = a{i} = 0.0"), zeros_centre=lines(4, "c{i} = d{i} = 0.0"),
        near=lines(5, "f{i}, m{i} = {f}, {m}", "c{i} += w * f{i}", "d{i} += w * abs(f{i})",
                   "v{i} += w * (m{i} * growth + (m{i} - f{i}))", "a{i} += w * abs(m{i}) * (1.0 + growth)")
        + "\n" + after,
        direct=lines(5, "f{i} = {f}", "v{i} += w * f{i}", "a{i} += w * abs(f{i})"),
        results=lines(3, "values[0, {i}, p, t] = v{i} / total", "values[1, {i}, p, t] = a{i} / total"))
    means = _MEANS.strip("\n").format(**common, squares=_tuple(squares), count=len(functionals))
    return f"{sums}\n\n\n{means}", f"({name}, {len(functionals)}, ({_tuple(names[s] for s in needed)}))"


def write_columns(grid, base, names):
    """Source of ``<grid>_columns(...)``, the products of base columns in a loop."""
    at_node = ExpressionPrinter(names, decorate=lambda s, label: f"{label}[k]")
    return _COLUMNS.strip("\n").format(
        grid=grid.name, base=", ".join(names[s] for s in base), width=len(grid.columns),
        parities="".join(f"column_parity({names[s]}, first, last), " for s in base).strip(),
        rows="\n".join(f"        table[{i}, k - start] = {at_node.source(e)}" for i, e in enumerate(grid.columns)))


def _free(label, taken):
    while label in taken:
        label += "_"
    taken.add(label)
    return label


def _tuple(items):
    return "".join(f"{x}, " for x in items).strip()
