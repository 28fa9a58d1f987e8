"""Conditional means in explicit loops over samples of a function.

The rules are those of :func:`asympkit.runtime.means.normal_means`; the lattices are multiples of a step in the
argument, and all rows of one function share its samples: on a fine lattice, on the main one, whose step has no simple
ratio to that of the first (no frequency is invisible on both), and on a wide one that reaches to the end of the weight.
"""

import math

import numpy as np

from ..runtime.compiled import compiled
from ..runtime.nodes import CUTS, END, RATIO, STEP
from ..runtime.rows import FLOOR, NEAR, TINY

#: what :func:`means_of_samples` came to: means; a lack of samples, which it tells; nothing, whatever the samples
SETTLED, AGAIN, LOST = 0, 1, 2
#: largest step of the fine lattice, in the argument: nothing as wide as 1/50 is invisible
SAMPLE_STEP = 0.02
#: steps of the main lattice in fine ones, and of the wide one: forty steps of 0.9 reach the end of the weight
MAIN, WIDE = RATIO, 45.0


@compiled
def lattice_fits(lattice, offset, slope, wanted):
    """Whether samples are as close and reach as far as means need; if not, put what they need into ``wanted``.

    ``lattice`` holds the fine step and the number of samples on each side, on the three lattices.
    """
    edge, finest = 0.0, 0.0
    for k in range(offset.size):
        edge = max(edge, abs(offset[k])) if offset[k] == offset[k] else math.inf
    if 1e-6 < slope < 1e6:              # at most 1/30 of the slope
        finest = SAMPLE_STEP if slope >= 30.0 * SAMPLE_STEP else math.ldexp(1.0 / 64.0, math.frexp(slope)[1])
    fine, reach, end = lattice[0], edge + (CUTS[0] + 0.5) * slope, edge + (END + 1.0) * slope
    wanted[0], wanted[1], wanted[2] = min(fine, finest), reach, end
    return fine <= finest and reach <= lattice[1] * fine and end <= lattice[3] * WIDE * fine


@compiled
def lattice_parts(samples, lattice):
    """The samples on each of the three lattices."""
    fine = 2 * int(lattice[1]) + 1
    main = fine + 2 * int(lattice[2]) + 1
    return samples[:fine], samples[fine:main], samples[main:]


@compiled
def trial_strides(step, slope, strides):
    """Samples from node to node: all fine ones, 0 for those far out, then ever finer ones, by steps of 0.25 widths on.

    Returns their number.
    """
    count = 2
    strides[0], strides[1] = 1, 0
    width = STEP * slope / step
    while width >= 2.0 and count < strides.size:
        strides[count] = int(width)
        count += strides[count] != strides[count - 1]
        width /= RATIO
    return count


@compiled
def probe_rows(offset, slope, rows, found):
    """Put one row of each interval of one width of the weight into ``found``, or all rows; returns their number."""
    cells, count = np.empty(rows.size), 0
    for k in rows:
        cell = math.floor(offset[k] / slope)
        known = False
        for p in range(count):
            known = known or cells[p] == cell
        if not known:
            found[count], cells[count] = k, cell
            count += 1
    if not 4 <= rows.size >= 2 * count:
        count = rows.size
        for k in range(count):
            found[k] = rows[k]
    return count


@compiled
def fill_rule(step, slope, stride, half, nodes, gauss):
    """Nodes and weights of a row centred at a sample, on every stride-th sample, ``half`` of them to each side.

    Returns the number of nodes with those of no weight behind, a multiple of 16: the compiler takes many at a time.
    """
    width, count = step * stride / slope, 16 * (half // 8 + 1)
    for j in range(half + 1):
        z = j * width
        nodes[half + j], nodes[half - j] = z, -z
        gauss[half + j] = gauss[half - j] = math.exp(-0.5 * z * z)
    for j in range(2 * half + 1, count):
        nodes[j] = gauss[j] = 0.0
    return count


@compiled
def fill_row(samples, step, stride, half, count, offset, slope, values):
    """Values of a row whose centre is the sample nearest to its offset, zeros behind.

    Returns how far that is from the offset, in widths: the nodes are less by this.
    """
    centre = int(math.floor(offset / step + 0.5))
    near = samples[samples.size // 2 + centre - stride * half:]
    if stride == 1:             # what lies side by side is copied many values at a time
        for j in range(2 * half + 1):
            values[j] = near[j]
    else:
        for j in range(2 * half + 1):
            values[j] = near[stride * j]
    for j in range(2 * half + 1, count):
        values[j] = 0.0
    return (offset - centre * step) / slope


@compiled
def shift_factor(x):
    """exp(x) for |x| <= 1/4, many at a time: up to a factor exp(-(z - rest)**2/2) is exp(-z**2/2) exp(z rest)."""
    y = x * x
    z = y * y
    power = (1.0 / 40320.0 + x / 362880.0) + y * (1.0 / 3628800.0 + x / 39916800.0)
    power = (1.0 / 24.0 + x / 120.0) + y * (1.0 / 720.0 + x / 5040.0) + z * power
    return (1.0 + x) + y * (0.5 + x / 6.0) + z * power


@compiled
def fill_far_row(far, far_step, offset, slope, nodes, gauss, values):
    """Samples beyond the cut-off, to the end of the weight in double precision; returns their number."""
    middle, count, width = far.size // 2, 0, far_step / slope
    for side in range(-1, 2, 2):
        j = int(math.ceil((CUTS[0] + 0.5) / width + side * offset / far_step))
        z = j * width - side * offset / slope
        weight, square = math.exp(-0.5 * z * z), math.exp(-width * width)
        ratio = math.exp(-z * width - 0.5 * width * width)
        while z <= END:
            nodes[count], values[count], gauss[count] = side * z, far[middle + side * j], weight
            weight *= ratio
            ratio *= square
            count, j, z = count + 1, j + 1, z + width
    return count


@compiled
def largest_square(samples, step, offset, slope):
    """Largest square of the function within three widths of a row."""
    largest, middle = 0.0, samples.size // 2
    for j in range(-3, 4):
        s = samples[middle + int(round((offset + slope * j) / step))]
        largest = max(largest, s * s)
    return largest


@compiled
def mean_scale(values, item, p, square, least, offset, rows):
    """The size by which errors of one mean are measured."""
    here, inward = offset[rows[p]], 0.0
    for q in range(rows.size):          # the largest among the rows nearer to the centre on this side
        there = offset[rows[q]]
        if (there >= 0.0) == (here >= 0.0) and abs(there) <= abs(here):
            inward = max(inward, values[1, item, q, 0])
    s = max(values[1, item, p, 0], 1e-3 * inward)
    # nothing below the square of a rounding of s is known, be it a square or an odd moment of one
    s = max(s + 0.03 * math.sqrt(s * least), 1e-24 * least) if square else max(s, 1e-17 * min(least, math.sqrt(least)))
    return max(s, TINY)


@compiled
def settled_stride(values, squares, last, samples, step, offset, slope, rows):
    """Which of the strides before ``last`` agrees with all samples: its place and error.

    ``values`` hold means and means of absolute values, shape (2, items, rows, strides).  The place is 0 if no stride
    agrees, and -1 if none will: what lies beyond the cut-off counts.
    """
    errors = np.zeros(last)
    for p in range(rows.size):
        least = largest_square(samples, step, offset[rows[p]], slope)
        for i in range(values.shape[1]):
            scale = mean_scale(values, i, p, squares[i], least, offset, rows)
            if not values[1, i, p, 1] <= 1e-16 * scale:
                return -1, math.inf
            for t in range(2, last):
                share = abs(values[0, i, p, t] - values[0, i, p, 0]) / scale
                errors[t] = max(errors[t], share) if share <= 1e300 else math.inf
    before = math.inf
    for t in range(2, last):
        # two unrelated lattices do not agree by chance; above 1e-13 only where rounding is all that is left
        if errors[t] <= 1e-13 or (errors[t] <= 1e-12 and errors[t] > 0.6 * before):
            if t + 1 < last and errors[t] > 1e-15 and errors[t + 1] < errors[t]:
                t += 1              # the digits below 1e-13 are right too
            return t, errors[t]
        before = errors[t]
    return 0, math.inf


@compiled
def put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means):
    """Put the means of one of each pair of opposite offsets into an array of shape (items, all rows).

    At offset zero they are zero below the floors, squares everywhere below the square of the rounding of the function.
    """
    for p in range(rows.size):
        least = FLOOR * FLOOR * largest_square(samples, step, offset[rows[p]], slope)
        for i in range(means.shape[0]):
            size = floors[i] * values[1, i, p, 0] if offset[rows[p]] == 0.0 else -1.0
            if squares[i]:
                size = max(size, least)
            if abs(values[0, i, p, 0]) <= size:
                values[0, i, p, 0] = 0.0
    for i in range(means.shape[0]):
        for k in range(back.size):
            means[i, k] = signs[i] * values[0, i, back[k], 0] if opposite[k] else values[0, i, back[k], 0]


# -- sums ----------------------------------------------------------------------------------------------------------


@compiled
def fill_item(exponents, coefficients, first, last, power, k, z, s, count, part, out):
    """Put a power of a polynomial in z and s, its terms ``first`` to ``last`` with the coefficients of row k, at all
    nodes into ``out``."""
    # a slice that is assigned to would take longer to compile than all else here
    for t in range(first, last):
        coefficient = coefficients[t, k if coefficients.shape[1] > 1 else 0]
        term = out if t == first else part
        for j in range(count):
            term[j] = coefficient
        for _ in range(exponents[t, 0]):
            for j in range(count):
                term[j] *= z[j]
        for _ in range(exponents[t, 1]):
            for j in range(count):
                term[j] *= s[j]
        if t > first:
            for j in range(count):
                out[j] += term[j]
    if power > 1:
        for j in range(count):
            part[j] = out[j]
        for _ in range(power - 1):
            for j in range(count):
                out[j] *= part[j]


@compiled
def fill_change(exponents, coefficients, first, last, power, k, z, s, count, shift, here, there, out):
    """Put how far an item at z - shift is from that at z into ``out``, where ``there`` and ``here`` are its values.

    Sums of differences of powers of z, none of them a difference of numbers; of higher powers of sums it is one.
    """
    for j in range(count):
        out[j] = there[j] - here[j] if power > 1 else 0.0
    for t in range(first, last):
        if power > 1 or exponents[t, 0] == 0:
            continue
        coefficient = coefficients[t, k if coefficients.shape[1] > 1 else 0]
        for j in range(count):
            change, term, place = 0.0, coefficient, 1.0
            for _ in range(exponents[t, 0]):
                change = change * (z[j] - shift) - place * shift
                place *= z[j]
            for _ in range(exponents[t, 1]):
                term *= s[j]
            out[j] += term * change


@compiled
def put_sums(samples, step, far, far_step, offset, slope, exponents, coefficients, edges, powers, squares, floors,
             strides, first, last, rows, values):
    """Put means of all items, and of their absolute values, into ``values`` of shape (2, items, rows, strides), for
    strides ``first`` to ``last``."""
    most = max(2 * int(math.ceil(CUTS[0] * slope / step)), int(2.0 * END * slope / far_step)) + 64
    nodes, gauss, window, moved, part = np.empty(most), np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    weights, growth, change, here, there = (np.empty(most), np.empty(most), np.empty(most), np.empty(most),
                                            np.empty(most))
    for t in range(first, last):
        half, count = int(math.ceil(CUTS[0] * slope / (step * max(strides[t], 1)))), 0
        if strides[t] > 0:
            count = fill_rule(step, slope, strides[t], half, nodes, gauss)
        for p in range(rows.size):
            k, rest, total = rows[p], 0.0, 1.0
            shift = offset[k] / slope
            near = strides[t] > 0 and shift != 0.0 and abs(shift) <= NEAR
            if strides[t] == 0:
                count = fill_far_row(far, far_step, offset[k], slope, nodes, gauss, window)
                for j in range(count):
                    weights[j] = gauss[j]
            else:
                rest = fill_row(samples, step, strides[t], half, count, 0.0 if near else offset[k], slope, window)
                total = 0.0
                for j in range(count):
                    weights[j] = gauss[j] * shift_factor(nodes[j] * rest)
                    total += weights[j]
            if near:
                for j in range(count):
                    moved[j] = nodes[j] - shift
                    growth[j] = math.expm1(shift * nodes[j] - 0.5 * shift * shift)
            else:
                for j in range(count):
                    moved[j] = nodes[j] - rest
            for i in range(squares.size):
                begin, end, power = edges[i], edges[i + 1], powers[i]
                fill_item(exponents, coefficients, begin, end, power, k, moved, window, count, part, there)
                value = size = 0.0
                if not near:
                    for j in range(count):
                        value += weights[j] * there[j]
                        size += weights[j] * abs(there[j])
                elif squares[i]:    # summed as it is: its value at no shift may be far larger
                    for j in range(count):
                        value += weights[j] * there[j] * (1.0 + growth[j])
                    size = value
                else:               # the shift is moved to the weight, and the value at no shift is separated
                    fill_item(exponents, coefficients, begin, end, power, k, nodes, window, count, part, here)
                    fill_change(exponents, coefficients, begin, end, power, k, nodes, window, count, shift, here, there,
                                change)
                    centre = extent = 0.0
                    for j in range(count):
                        centre += weights[j] * here[j]
                        extent += weights[j] * abs(here[j])
                        value += weights[j] * (there[j] * growth[j] + change[j])
                        size += weights[j] * abs(there[j]) * (1.0 + growth[j])
                    value += 0.0 if abs(centre) <= floors[i] * extent else centre
                    size = max(size, 0.01 * extent)
                values[0, i, p, t], values[1, i, p, t] = value / total, size / total


@compiled
def means_of_samples(values_at, lattice, offset, slope, exponents, coefficients, edges, powers, squares, rows, back,
                     opposite, signs, floors, wanted, means):
    """Put the means of all items at ``rows`` and their opposites into ``means``, from the coarsest lattice that agrees
    with all fine samples.

    Parameters
    ----------
    values_at, lattice : ndarray
        Of :class:`~.samples.Samples`.
    offset : ndarray, shape (K,)
    slope : float
    exponents, coefficients, edges, powers, squares : ndarray
        Of :class:`~.polynomials.Items`.
    rows, back, opposite : ndarray
        Of :func:`~asympkit.runtime.rules.opposite_pairs`.
    signs, floors : ndarray, shape (items,)
        Of the means at opposite offsets, and below which part of their size they are zero without shift.
    wanted : ndarray, shape (3,)
        Takes step, reach and end of the samples that are needed.
    means : ndarray, shape (items, K)

    Returns
    -------
    state : int
        :data:`SETTLED`; :data:`AGAIN`, with the samples that are ``wanted``; or :data:`LOST`, where what lies beyond
        the cut-off counts or a mean is no number.
    error : float
    """
    if not lattice_fits(lattice, offset, slope, wanted):
        return AGAIN, math.inf
    fine, samples, far = lattice_parts(values_at, lattice)
    fine_step, step, far_step = lattice[0], MAIN * lattice[0], WIDE * lattice[0]
    probes, strides = np.empty(rows.size, np.int64), np.empty(16, np.int64)
    picked, count = probes[:probe_rows(offset, slope, rows, probes)], trial_strides(step, slope, strides)
    values, lattice_now, width = np.empty((2, squares.size, picked.size, count)), fine, fine_step
    # numba takes the literal 0 for another type than a number, and would compile the sums for each
    first, last, error = np.int64(0), min(2, count), math.inf
    while True:
        put_sums(lattice_now, width, far, far_step, offset, slope, exponents, coefficients, edges, powers, squares,
                 floors, strides, first, last, picked, values)
        if count == 1:
            break
        lattice_now, width = samples, step
        chosen, error = settled_stride(values, squares, last, samples, step, offset, slope, picked)
        if chosen < 0:
            return LOST, error
        if chosen > 0 and (error <= 1e-15 or chosen < last - 1 or last == count):      # else the next may be better
            strides, picked, count = strides[chosen:chosen + 1], rows, 1
            first, last = np.int64(0), 1
            values = np.empty((2, squares.size, rows.size, 1))
        elif chosen == 0 and last == count:
            wanted[0] *= 0.5
            return AGAIN, error
        else:
            first, last = last, last + 1
    put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means)
    for i in range(squares.size):
        for k in range(offset.size):
            if not math.isfinite(means[i, k]):
                return LOST, math.inf
    return SETTLED, error
