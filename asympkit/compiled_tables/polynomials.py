"""What a functional of an activation is made of: it is called with letters in the place of numbers, and they tell.

The loops know powers of polynomials in z and s whose coefficients are numbers or columns, and nothing else: not
expanded, so that a square stays one.
"""

from functools import lru_cache
from itertools import accumulate
from numbers import Real

import numpy as np

__all__ = ["Items", "items_of"]


class Polynomial:
    """A power of a polynomial in z and s.

    Attributes
    ----------
    terms : dict of (int, int) to float or ndarray
        Coefficients by the powers of z and of s; an array has an entry for each row.
    power : int
    """

    __array_ufunc__ = None          # a number or a column of numpy on the left leaves the operation to this class

    def __init__(self, terms, power=1):
        self.terms, self.power = terms, power

    def __add__(self, other):
        terms = dict(self._plain())
        for powers, c in _polynomial(other)._plain().items():
            terms[powers] = terms[powers] + c if powers in terms else c
        return Polynomial(terms)

    def __mul__(self, other):
        one, two = self._plain(), _polynomial(other)._plain()
        if len(one) > 1 < len(two):
            raise TypeError("a product of sums may cancel where its factors do not")
        return Polynomial({(p + m, q + n): c * d for (p, q), c in one.items() for (m, n), d in two.items()})

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -_polynomial(other)

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        if isinstance(other, Polynomial):
            raise TypeError("a quotient of polynomials is none")
        return self * (1.0 / other)

    def __pow__(self, power):
        if not isinstance(power, int) or power < 1:
            raise TypeError("a power is a positive integer")
        terms = self._plain()
        if len(terms) > 1:
            return Polynomial(terms, power)
        return Polynomial({(p * power, q * power): c**power for (p, q), c in terms.items()})

    def __array__(self, *_, **__):
        raise TypeError("numpy has no polynomials")

    def _plain(self):
        """The terms of a first power."""
        if self.power != 1:
            raise TypeError("arithmetic with a power would expand it")
        return self.terms

    @property
    def is_square(self):
        """Whether it is nowhere negative."""
        return self.power % 2 == 0 or all(p % 2 == 0 == q % 2 and np.all(c >= 0.0) for (p, q), c in self.terms.items())


class Items:
    """Polynomials as the arrays that loops read.

    Attributes
    ----------
    exponents : ndarray of int, shape (terms, 2)
        Of z and of s, the terms of all items one after the other.
    coefficients : ndarray, shape (terms, rows) or (terms, 1)
    edges : ndarray of int, shape (items + 1,)
        Where the terms of each item begin, and those of the last end.
    powers : ndarray of int, shape (items,)
    squares : ndarray of bool, shape (items,)
    """

    def __init__(self, polynomials):
        terms = [t for f in polynomials for t in f.terms.items()]
        width = max(getattr(c, "size", 1) for _, c in terms)
        self.coefficients = np.empty((len(terms), width))
        for row, (_, c) in zip(self.coefficients, terms):
            row[...] = c
        self.exponents, self.edges, self.powers, self.squares = _structure(
            tuple((*f.terms,) for f in polynomials), tuple((f.power, f.is_square) for f in polynomials))

    @property
    def arrays(self):
        """What the loops take, in their order."""
        return self.exponents, self.coefficients, self.edges, self.powers, self.squares


@lru_cache(maxsize=64)
def _structure(exponents, powers):
    """What all calls of one functional have in common, as arrays."""
    return (np.array([pair for of_item in exponents for pair in of_item]),
            np.array([*accumulate(map(len, exponents), initial=0)]), np.array([power for power, _ in powers]),
            np.array([is_square for _, is_square in powers]))


def items_of(functional):
    """The :class:`Items` of a functional as of :func:`normal_means`; None where one is no power of a polynomial."""
    try:
        return Items([_polynomial(f) for f in functional(_Z, _S, np.asarray)])
    except TypeError:
        return None


def _polynomial(value):
    if isinstance(value, Polynomial):
        return value
    if isinstance(value, Real) or isinstance(value, np.ndarray) and value.dtype == float:
        return Polynomial({(0, 0): value})
    raise TypeError(f"{type(value).__name__} is no polynomial")


_Z, _S = Polynomial({(1, 0): 1.0}), Polynomial({(0, 1): 1.0})
