"""Extrapolate the next point of a row from those before it (numpy only)."""

#: the highest order of a polynomial through the last points, and how many differences select the order
MOST_ORDER, DIFFERENCES = 4, 6
#: the longest step in a logarithm: a factor of twenty
_LONGEST = 3.0


def remember(differences, value):
    """Update the backward differences (value, first, second and so on) by the value at a new point."""
    for k in range(differences.size):
        step = value - differences[k]
        differences[k] = value
        value = step


def continued(differences, known):
    """Extrapolate the next value by the polynomial that would have predicted the last point best.

    Parameters
    ----------
    differences : ndarray, shape (DIFFERENCES,)
        Those of :func:`remember`; the sum of the first n is the polynomial of order n - 1 at the next point, and the
        one after them its error at the last point.
    known : int
        Number of earlier points.
    """
    order = min(known - 1, 1)
    for n in range(min(known - 1, MOST_ORDER + 1)):
        if known > 2 and abs(differences[n + 1]) < abs(differences[order + 1]):
            order = n
    value = differences[0]
    for n in range(order):
        value += differences[n + 1]
    return value


def limited(differences, known):
    """Extrapolate in logarithms, where steps are limited."""
    step = continued(differences, known) - differences[0]
    return differences[0] + min(_LONGEST, max(-_LONGEST, step))
