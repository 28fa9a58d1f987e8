"""Parities of columns as a linear system over two elements: for grids with too many columns to try all signs.

A product has the sum of the parities of its factors, all terms of a sum must have the same one, and an
integrand must be even.  This is sufficient for an integrand to stay the same, whatever its values.
"""

from itertools import product

from sympy import Abs, Add, Integer, Mul, Pow, Symbol


def parity_solutions(base, steps, integrands):
    """All sign patterns of the base columns, the node odd, under which integrands are even by structure.

    Parameters
    ----------
    base : sequence of Symbol
        The node first.
    steps : dict of Symbol to Expr
        Definitions of the other symbols that vary over the grid.
    integrands : sequence of Expr

    Returns
    -------
    tuple of tuple of int
    """
    # an affine form over two elements is an integer: bit 0 the constant, bit i the i-th base column
    known = {s: 1 << i for i, s in enumerate(base)}
    known[base[0]] = 1
    zero = []

    def parity(e):
        if isinstance(e, Symbol):
            if e not in known:
                known[e] = parity(steps[e]) if e in steps else 0
            return known[e]
        parts = [parity(a) for a in e.args]
        if isinstance(e, Mul):
            total = 0
            for p in parts:
                total ^= p
            return total
        if isinstance(e, Add):
            zero.extend(parts[0] ^ p for p in parts[1:])
            return parts[0]
        if isinstance(e, Pow) and isinstance(e.exp, Integer):
            return parts[0] if int(e.exp) % 2 else 0
        if not isinstance(e, Abs):
            zero.extend(parts)
        return 0

    zero += [parity(e) for e in integrands]
    return _solutions(zero, len(base))


def _solutions(equations, count):
    pivots = {}
    for e in equations:
        for bit, row in pivots.items():
            if e >> bit & 1:
                e ^= row
        if e == 1:
            return ()
        if e:
            bit = e.bit_length() - 1
            pivots = {b: r ^ e if r >> bit & 1 else r for b, r in pivots.items()} | {bit: e}
    free = [i for i in range(1, count) if i not in pivots]
    found = []
    for values in product((0, 1), repeat=len(free)):
        at = dict(zip(free, values))
        odd = [1] + [at[i] if i in at else _value(pivots[i], i, at) for i in range(1, count)]
        found.append(tuple(-1 if o else 1 for o in odd))
    return tuple(sorted(found, reverse=True))


def _value(row, pivot, at):
    return (row & 1) ^ (sum(v for i, v in at.items() if i != pivot and row >> i & 1) & 1)
