"""Attributes that are computed once."""

__all__ = ["computed_once"]


class computed_once:
    """What functools.cached_property does without the lock it has before Python 3.12: that costs more than most values.

    Two threads may compute a value twice; it is the same.
    """

    def __init__(self, compute):
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value
