"""Contexts of mpmath whose numbers survive pickle and copy."""

from mpmath.ctx_mp import MPContext
from mpmath.libmp import MPZ

__all__ = ["Context"]


class Context(MPContext):
    """A private context of mpmath.

    Its numbers have a class of their own, which pickle cannot find by name: a number is pickled as its context and
    plain integers, and numbers of one context that are pickled together share one context again.

    Parameters
    ----------
    bits : int
        Its precision.

    Examples
    --------
    >>> import pickle
    >>> third = 1 / Context(100).mpf(3)
    >>> print(pickle.loads(pickle.dumps(third)))
    0.33333333333333333333333333333
    """

    def __init__(self, bits=53):
        super().__init__()
        self.prec = bits
        self.mpf.__reduce__ = _as_integers

    def __reduce__(self):
        return Context, (self.prec,)


def _as_integers(number):
    sign, mantissa, exponent, bits = number._mpf_
    return _number, (number.context, int(sign), int(mantissa), int(exponent), int(bits))


def _number(context, sign, mantissa, exponent, bits):
    return context.make_mpf((sign, MPZ(mantissa), exponent, bits))
