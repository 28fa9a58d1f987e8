"""Attributes that algebra decides, one thread at a time: what has no value on the way is told as a domain error."""

from functools import wraps

from ..errors import DomainError
from ..exclusive import exclusive

__all__ = ["decided"]


def decided(method):
    """A method of an activation that computes an attribute; :class:`Undefined` never leaves it."""
    alone = exclusive(method)

    @wraps(method)
    def told(activation):
        try:
            return alone(activation)
        except Exception as error:
            from ..parsing.to_mpmath import Undefined

            if not isinstance(error, Undefined):
                raise
            what = method.__name__.lstrip("_")
            raise DomainError(f"cannot decide the {what} of the activation {activation.name!r:.200}: it has no real "
                              "value of moderate size at a point between its switches; an activation must be real and "
                              "finite on the whole line") from None

    return told
