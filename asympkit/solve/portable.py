"""Records that survive pickle and copy: numbers of a private mpmath context travel as what they are made of."""

from dataclasses import dataclass

__all__ = ["Portable"]


@dataclass(frozen=True)
class _Number:
    """A real number of many digits: sign, mantissa, exponent and bits, as mpmath keeps them, and its precision."""

    parts: tuple
    bits: int


class Portable:
    """Base of records with numbers of mpmath in them.

    Such numbers belong to a context of their own, whose class no process can find by its name.  They are written
    as plain integers, and read into one new context for each precision of a record.
    """

    def __getstate__(self):
        return {name: _packed(value) for name, value in self.__dict__.items()}

    def __setstate__(self, state):
        contexts = {}
        self.__dict__.update({name: _unpacked(value, contexts) for name, value in state.items()})


def _packed(value):
    if isinstance(value, dict):
        return {k: _packed(v) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_packed, value))
    if hasattr(value, "_mpf_") and hasattr(value, "context"):
        sign, mantissa, exponent, bits = value._mpf_
        return _Number((int(sign), int(mantissa), int(exponent), int(bits)), value.context.prec)
    return value


def _unpacked(value, contexts):
    if isinstance(value, dict):
        return {k: _unpacked(v, contexts) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_unpacked(v, contexts) for v in value)
    if isinstance(value, _Number):
        if value.bits not in contexts:
            contexts[value.bits] = _context(value.bits)
        from mpmath.libmp import MPZ

        sign, mantissa, exponent, bits = value.parts
        return contexts[value.bits].make_mpf((sign, MPZ(mantissa), exponent, bits))
    return value


def _context(bits):
    from mpmath.ctx_mp import MPContext

    context = MPContext()
    context.prec = bits
    return context
