"""Polynomials at two places with the difference of their values (numpy only)."""

__all__ = ["TwoPlaces"]


class TwoPlaces:
    """A polynomial expression of a variable, evaluated at two places and with their exact difference.

    Parameters
    ----------
    here, there : float or ndarray
        The values.
    step : float or ndarray
        ``there - here``, without cancellation however close the places are.
    """

    __array_ufunc__ = None          # a number or a column of numpy on the left leaves the operation to this class

    def __init__(self, here, there, step):
        self.here, self.there, self.step = here, there, step

    def __add__(self, other):
        if isinstance(other, TwoPlaces):
            return TwoPlaces(self.here + other.here, self.there + other.there, self.step + other.step)
        return TwoPlaces(self.here + other, self.there + other, self.step)

    def __mul__(self, other):
        if isinstance(other, TwoPlaces):
            return TwoPlaces(self.here * other.here, self.there * other.there,
                             self.step * other.here + self.there * other.step)
        return TwoPlaces(self.here * other, self.there * other, self.step * other)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return TwoPlaces(-self.here, -self.there, -self.step)

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        if isinstance(other, TwoPlaces):
            return NotImplemented
        return TwoPlaces(self.here / other, self.there / other, self.step / other)

    def __pow__(self, power):
        if not isinstance(power, int) or power < 1:
            return NotImplemented
        step = self.step
        for k in range(1, power):
            step = step * self.there + self.here**k * self.step
        return TwoPlaces(self.here**power, self.there**power, step)

    def __array__(self, *_, **__):
        raise TypeError("numpy has no numbers at two places")
