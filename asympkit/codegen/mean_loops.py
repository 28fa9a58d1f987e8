"""Print conditional means, and the products of columns, as explicit loops for numba."""

from ..program.names import mark
from ..program.symmetry import base_columns
from .directions import direction_rows
from .expressions import ExpressionPrinter

_SUMS = '''
@compiled()
def {name}_sums(samples, step, {shared}, floors, strides, first, last, rows, values):
    """Means of {items}

    and of their absolute values, of shape (2, items, rows, strides), for strides ``first`` to ``last``.
    """
    most = max(2 * int(math.ceil(_CUTS[0] * slope / step)), int(2.0 * _END * slope / far_step)) + 64
    nodes, gauss, window, weights = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    for t in range(first, last):
        half = int(math.ceil(_CUTS[0] * slope / (step * max(strides[t], 1))))
        count, rest = 0, 0.0
        if strides[t] > 0:
            count = fill_rule(step, slope, strides[t], half, nodes, gauss)
        for p in range(rows.size):
            k = rows[p]
{columns}            shift, total = offset[k] / slope, 0.0
            near = strides[t] > 0 and shift != 0.0 and abs(shift) <= _NEAR
            if strides[t] == 0:
                count = fill_far_row(far, far_step, offset[k], slope, nodes, gauss, window)
            else:
                rest = fill_row(samples, step, strides[t], half, count, 0.0 if near else offset[k], slope, window)
{stages}

'''

_STAGE = '''
{scalars}{zeros}
            if near:      # the shift is moved to the weight, and the value at no shift is separated from the increment
{zeros_centre}                for j in range(count):
                    w, z, s = {weight}, nodes[j], window[j]
{keep}                    growth = math.expm1(shift * z - 0.5 * shift * shift)
{near}
            else:
                for j in range(count):
                    w, z, s = {weight}, nodes[j] - rest, window[j]
{keep}{direct}
{total}{results}
'''

_PASS = '''
@compiled()
def {name}(values_at, lattice, offset, slope, {own}rows, back, opposite, signs, floors, means):
    """Put the means of {items}

    at ``rows`` and their opposites into ``means``, from the coarsest lattice that agrees with all fine samples.
    Returns their error: infinite if no lattice agrees, -1 where what lies beyond the cut-off counts.
    """
    fine, samples, far = lattice_parts(values_at, lattice)
    fine_step, step, far_step = lattice[0], _MAIN * lattice[0], _WIDE * lattice[0]
    probes, strides, squares = np.empty(rows.size, np.int64), np.empty(16, np.int64), np.array(({squares}))
    picked, count = probes[:probe_rows(offset, slope, rows, probes)], trial_strides(step, slope, strides)
    values, lattice_now, width = np.empty((2, {count}, picked.size, count)), fine, fine_step
    first, last, error = 0 * count, min(2, count), math.inf      # no literal, for which the sums were compiled again
    while True:
        {name}_sums(lattice_now, width, {shared}, floors, strides, first, last, picked, values)
        if count == 1:
            break
        lattice_now, width = samples, step
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
    put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means)
    return error
'''

_COLUMNS = '''
@compiled()
def {grid}_columns({base}, first, last, weights, symmetric, symmetries, table, folded):
    """Put table and weights of the rule at nodes ``first`` to ``last``, on half of them where that suffices.

    Returns their number; a row of the table follows the other.
    """
    half = False
    if symmetric:
        half = fits_symmetry(np.array(({parities})), symmetries)
    start = first + (last - first) // 2 if half else first
    size = last - start
    for k in range(start, last):
        folded[k - start] = 2.0 * weights[k] if half and 2 * k + 1 != first + last else weights[k]
{rows}
    return size
'''


def write_pass(name, steps, names, varying):
    """Source of the loops of one pass.

    Parameters
    ----------
    name : str
    steps : Pass
    names : dict
    varying : set of Symbol
        What has an entry for each row; the other symbols are numbers.

    Returns
    -------
    str
        Source of a function of samples, a lattice, offset, slope, the symbols of the second result, and more.
    list of Symbol
    """
    needed, items = sorted(steps.needed, key=str), steps.items
    columns = [s for s in needed if s in varying]
    squares = [bool(f.is_nonnegative) for _, f in items]
    known = {s: names[s] for s in needed}
    entry = {s: f"{names[s]}_k" for s in columns}
    inner = {s: f"{names[s]}_k" for scalars, means in steps.stages
             for s in (*means.outputs, *(x.symbol for x in scalars))}

    def text(expr, z="z"):
        at = {**known, **entry, **inner, steps.first.z: z, steps.first.value: "s"}
        return ExpressionPrinter(at).source(expr)

    stages, place = [], 0
    for scalars, means in steps.stages:
        functionals = list(enumerate((f for _, f in means.items), place))
        later = (scalars, means) != steps.stages[-1]
        stages.append(_stage(functionals, squares, text, [f"{inner[x.symbol]} = {text(x.expr)}" for x in scalars],
                             later))
        if later:
            # what lies far out is no mean: there the means on the fine lattice, which comes first, are taken
            stages += [f"            {inner[s]} = values[0, {i}, p, 0 if strides[t] == 0 else t]"
                       for (i, _), s in zip(functionals, means.outputs)]
        place += len(functionals)
    common = {"name": name, "items": ", ".join(text(f) for _, f in items),
              "shared": ", ".join(["far", "far_step", "offset", "slope", *known.values()]),
              "own": "".join(f"{label}, " for label in known.values())}
    sums = _SUMS.strip("\n").format(
        **common, columns="".join(f"            {entry[s]} = {known[s]}[k]\n" for s in columns),
        stages="\n".join(stages))
    means = _PASS.strip("\n").format(**common, squares=listing(squares), count=len(items))
    return f"{sums}\n\n\n{means}", needed


def _stage(functionals, squares, text, scalars, later):
    """The loops of one stage: zeros, both ways to sum, and what comes of it; the first makes the weights."""
    first = functionals[0][0] == 0
    keep = (["total += w"] if first else []) + (["weights[j] = w"] if first and later else [])

    def lines(depth, *patterns, of=functionals):
        made = [p.format(i=i, f=text(f), m=text(f, "(z - shift)")) for i, f in of for p in patterns]
        return "".join("    " * depth + line + "\n" for line in made)

    # a square is summed as it is: where its value at no shift is far larger, separating that would cost digits
    whole = [(i, f) for i, f in functionals if squares[i]]
    apart = [(i, f) for i, f in functionals if not squares[i]]
    near = lines(5, "m{i} = {m}", "v{i} += w * m{i} * (1.0 + growth)", of=whole)
    near += lines(5, "f{i}, m{i} = {f}, {m}", "c{i} += w * f{i}", "d{i} += w * abs(f{i})",
                  "v{i} += w * (m{i} * growth + (m{i} - f{i}))", "a{i} += w * abs(m{i}) * (1.0 + growth)", of=apart)
    near += lines(4, "a{i} = v{i}", of=whole)
    near += lines(4, "v{i} += 0.0 if abs(c{i}) <= floors[{i}] * d{i} else c{i}", "a{i} = max(a{i}, 0.01 * d{i})",
                  of=apart)
    return _STAGE.strip("\n").format(
        scalars="".join(f"            {line}\n" for line in scalars),
        weight="gauss[j] * shift_factor(nodes[j] * rest)" if first else "weights[j]",
        keep="".join(f"                    {line}\n" for line in keep),
        total="            total = total if strides[t] > 0 else 1.0\n" if first else "",
        zeros=lines(3, "v{i} = a{i} = 0.0").rstrip("\n"), zeros_centre=lines(4, "c{i} = d{i} = 0.0", of=apart),
        near=near.rstrip("\n"),
        direct=lines(5, "f{i} = {f}", "v{i} += w * f{i}", "a{i} += w * abs(f{i})").rstrip("\n"),
        results=lines(3, "values[0, {i}, p, t] = v{i} / total", "values[1, {i}, p, t] = a{i} / total").rstrip("\n"))


def write_columns(grid, base, names):
    """Source of ``<grid>_columns(...)``, the products of base columns in a loop."""
    own = [names[s] for s in base]
    at_node = ExpressionPrinter(names, decorate=lambda s, label: f"{label}[k]")
    return _COLUMNS.strip("\n").format(
        grid=mark(grid.name), base=", ".join(own),
        parities="".join(f"column_parity({names[s]}, first, last), " for s in base_columns(grid)).strip(),
        rows="\n".join(f"        table[{i} * size + k - start] = {at_node.source(e)}"
                       for i, e in enumerate([*grid.columns, *direction_rows(grid)])))


def source_of(means, names):
    """The activation of a Means, as source."""
    return names[means.label] + ".derivative" * means.order


def listing(items):
    """Items as the inside of a tuple."""
    return "".join(f"{x}, " for x in items).strip()
