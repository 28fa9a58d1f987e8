"""Where the next point of a row is expected to lie, from those before it (numpy only)."""

#: the highest order of a polynomial through the last points, and how many differences tell which orders are good
MOST_ORDER, DIFFERENCES = 4, 6
#: the longest step in a logarithm: a factor of twenty
_LONGEST = 3.0


def remember(differences, value):
    """Put the value at a new point before the differences of those before it: values, slopes, bends and so on."""
    for k in range(differences.size):
        step = value - differences[k]
        differences[k] = value
        value = step


def continued(differences, known):
    """The next value: on the polynomial through the last points that would have met the last one best.

    Parameters
    ----------
    differences : ndarray, shape (DIFFERENCES,)
        What :func:`remember` keeps; the sum of the first n of them is the polynomial of order n - 1 at the next point,
        and the one after them is how far it has missed the last point.
    known : int
        How many points there were.
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
    """The same in logarithms, where steps are limited."""
    step = continued(differences, known) - differences[0]
    return differences[0] + min(_LONGEST, max(-_LONGEST, step))
