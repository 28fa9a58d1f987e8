"""Conditional means in explicit loops over samples of a function (for numba; copied into generated modules).

The rules are those of :func:`normal_means`; the lattices are multiples of a step in the argument, and all rows of one
function share its samples: on a fine lattice, on the main one, whose step has no simple ratio to that of the first (no
frequency is invisible on both), and on a wide one that reaches to the end of the weight.
"""

import math

import numpy as np

from .nodes import _CUTS, _END, _RATIO, _STEP
from .rows import _ROUNDING, _TINY

#: largest step of the fine lattice, in the argument: nothing as wide as 1/50 is invisible
_SAMPLE_STEP = 0.02
#: steps of the main and of the wide lattice, in fine ones
_MAIN, _WIDE = _RATIO, 45.0


def lattice_fits(lattice, offset, slope, wanted):
    """Whether samples are as close and reach as far as means need; if not, put what they need into ``wanted``.

    ``lattice`` holds the fine step and the number of samples on each side, on the three lattices.
    """
    edge, finest = 0.0, 0.0
    for k in range(offset.size):
        edge = max(edge, abs(offset[k])) if offset[k] == offset[k] else math.inf
    if 1e-6 < slope < 1e6:              # at most 1/30 of the slope
        finest = _SAMPLE_STEP if slope >= 30.0 * _SAMPLE_STEP else math.ldexp(1.0 / 64.0, math.frexp(slope)[1])
    fine, reach, end = lattice[0], edge + (_CUTS[0] + 0.5) * slope, edge + (_END + 1.0) * slope
    wanted[0], wanted[1], wanted[2] = min(fine, finest), reach, end
    return fine <= finest and reach <= lattice[1] * fine and end <= lattice[3] * _WIDE * fine


def lattice_parts(samples, lattice):
    """The samples on each of the three lattices."""
    fine = 2 * int(lattice[1]) + 1
    main = fine + 2 * int(lattice[2]) + 1
    return samples[:fine], samples[fine:main], samples[main:]


def trial_strides(step, slope, strides):
    """Samples from node to node: all fine ones, 0 for those far out, then ever finer ones, by steps of 0.25 widths on.

    Returns their number.
    """
    count = 2
    strides[0], strides[1] = 1, 0
    width = _STEP * slope / step
    while width >= 2.0 and count < strides.size:
        strides[count] = int(width)
        count += strides[count] != strides[count - 1]
        width /= _RATIO
    return count


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


def shift_factor(x):
    """exp(x) for |x| <= 1/4, many at a time: up to a factor exp(-(z - rest)**2/2) is exp(-z**2/2) exp(z rest)."""
    y = x * x
    z = y * y
    power = (1.0 / 40320.0 + x / 362880.0) + y * (1.0 / 3628800.0 + x / 39916800.0)
    power = (1.0 / 24.0 + x / 120.0) + y * (1.0 / 720.0 + x / 5040.0) + z * power
    return (1.0 + x) + y * (0.5 + x / 6.0) + z * power


def fill_far_row(far, far_step, offset, slope, nodes, gauss, values):
    """Samples beyond the cut-off, to the end of the weight in double precision; returns their number."""
    middle, count, width = far.size // 2, 0, far_step / slope
    for side in range(-1, 2, 2):
        j = int(math.ceil((_CUTS[0] + 0.5) / width + side * offset / far_step))
        z = j * width - side * offset / slope
        weight, square = math.exp(-0.5 * z * z), math.exp(-width * width)
        ratio = math.exp(-z * width - 0.5 * width * width)
        while z <= _END:
            nodes[count], values[count], gauss[count] = side * z, far[middle + side * j], weight
            weight *= ratio
            ratio *= square
            count, j, z = count + 1, j + 1, z + width
    return count


def largest_square(samples, step, offset, slope):
    """Largest square of the function within three widths of a row."""
    largest, middle = 0.0, samples.size // 2
    for j in range(-3, 4):
        s = samples[middle + int(round((offset + slope * j) / step))]
        largest = max(largest, s * s)
    return largest


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
    return max(s, _TINY)


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


def put_means(values, squares, floors, samples, step, offset, slope, rows, back, opposite, signs, means):
    """Put the means of one of each pair of opposite offsets into an array of shape (items, all rows).

    At offset zero they are zero below the floors, squares everywhere below the square of the rounding of the function.
    """
    for p in range(rows.size):
        least = _ROUNDING * _ROUNDING * largest_square(samples, step, offset[rows[p]], slope)
        for i in range(means.shape[0]):
            size = floors[i] * values[1, i, p, 0] if offset[rows[p]] == 0.0 else -1.0
            if squares[i]:
                size = max(size, least)
            if abs(values[0, i, p, 0]) <= size:
                values[0, i, p, 0] = 0.0
    for i in range(means.shape[0]):
        for k in range(back.size):
            means[i, k] = signs[i] * values[0, i, back[k], 0] if opposite[k] else values[0, i, back[k], 0]


def column_parity(column, first, last):
    """+1, -1 for an even or odd part of a column to rounding, 0 for one that vanishes, 2 for neither."""
    size, even, odd = 0.0, 0.0, 0.0
    for k in range(first, last):
        other = column[first + last - 1 - k]
        size = max(size, abs(column[k]))
        even = max(even, abs(column[k] - other))
        odd = max(odd, abs(column[k] + other))
    if size == 0.0:
        return 0
    if even <= 1e-14 * size:
        return 1
    return -1 if odd <= 1e-14 * size else 2


def fits_symmetry(parities, symmetries):
    """Whether a pattern of parities is one under which no integrand changes."""
    for n in range(symmetries.shape[0]):
        fits = True
        for i in range(parities.size):
            fits = fits and (parities[i] == 0 or parities[i] == symmetries[n, i])
        if fits:
            return True
    return False
