"""Functions that numba compiles when one of them is first called: until then numba is not loaded."""

from functools import cache, update_wrapper
from types import CodeType, FunctionType

__all__ = ["Front", "compile_loops", "compiled", "fingerprint", "in_parallel", "prange"]

#: division by zero as numpy has it
_ERRORS = "numpy"
#: sums in any order; ``nnan`` and ``ninf``, which would let the compiler forget NaN and infinity, are not among them
_FASTMATH = ("arcp", "contract", "nsz", "reassoc")
#: functions that are written into the loops that call them: these may then work on several numbers at once
_INLINED = ("lane_", "rough_")
#: in the loops of :func:`in_parallel` numba's own; this one where they run as plain Python
prange = range


class Front:
    """What stands in a module for a loop until the module's loops are compiled.

    Attributes
    ----------
    loop : function
        As it is written.
    is_parallel : bool
    """

    def __init__(self, loop, is_parallel=False):
        update_wrapper(self, loop)
        self.loop, self.is_parallel = loop, is_parallel

    def __call__(self, *arguments, **named):
        namespace = self.loop.__globals__
        if isinstance(namespace[self.__name__], Front):
            compile_loops(namespace)
        return namespace[self.__name__](*arguments, **named)


def compiled(loop):
    """Leave a function at the top of a module to numba (a decorator).

    It may call others of its module, and plain functions of other modules, which are compiled with it.
    """
    return Front(loop)


def in_parallel(front):
    """The same loop under the name ``<name>_parallel``, the turns of its ``prange`` shared between all cores."""
    return Front(_copy(front.loop, f"{front.__name__}_parallel"), is_parallel=True)


def compile_loops(namespace):
    """Put numba's functions in the place of all fronts of a module, and of the functions that these call.

    Numba keeps machine code on the disk until the file of a loop changes; of the other files that the loop is made of
    it knows nothing.  It names what it keeps by the qualified name of the loop, which says therefore what all of them
    are made of.
    """
    import numba

    fronts = {name: f for name, f in list(namespace.items()) if isinstance(f, Front)}
    made_of = fingerprint([f.loop for f in fronts.values()])
    ready = {name: _compiled_copy(f) for front in fronts.values() for name, f in _called(front.loop).items()}
    for name, front in fronts.items():
        loop = _copy(front.loop, name)
        loop.__qualname__ = f"{name}.{made_of}"
        ready[name] = numba.njit(parallel=front.is_parallel, cache=True, **_options())(loop)
    namespace.update(ready, prange=numba.prange)


def fingerprint(functions):
    """Short hash of some functions as they are in this process: of their code and constants, and of all that they call,
    and of the way in which they are compiled."""
    from hashlib import sha256

    parts, pending, seen = {repr((_ERRORS, _FASTMATH, _INLINED))}, list(functions), set()
    while pending:
        function = pending.pop()
        if function in seen:
            continue
        seen.add(function)
        parts.add(repr((function.__name__, function.__defaults__, *_text(function.__code__))))
        for name, value in _globals(function).items():
            if isinstance(value, int | float | tuple):
                parts.add(f"{name} = {value!r}")
        pending += _called(function).values()
    return sha256("\0".join(sorted(parts)).encode()).hexdigest()[:16]


def _options():
    return {"error_model": _ERRORS, "fastmath": set(_FASTMATH)}


def _called(function):
    """The plain functions that a function mentions, by name."""
    return {name: f for name, f in _globals(function).items() if isinstance(f, FunctionType)}


def _globals(function):
    """What a function mentions of its module, by name."""
    space = function.__globals__
    return {name: space[name] for name in sorted(_names(function.__code__)) if name in space}


def _names(code):
    """Global names of a function, and of those inside it."""
    return {*code.co_names}.union(*(_names(c) for c in code.co_consts if isinstance(c, CodeType)))


def _text(code):
    """What a function does, without where it stands."""
    constants = [_text(c) if isinstance(c, CodeType) else c for c in code.co_consts]
    return code.co_code, constants, code.co_names, code.co_varnames


def _copy(function, name, **others):
    """A function under another name, with others in the place of those that it calls."""
    namespace = {**function.__globals__, **others} if others else function.__globals__
    return FunctionType(function.__code__.replace(co_name=name), namespace, name, function.__defaults__)


@cache
def _compiled_copy(function):
    """A plain function for numba, with what it calls; its own module keeps what it has."""
    import numba

    called = {name: _compiled_copy(f) for name, f in _called(function).items()}
    copy = _copy(function, function.__name__, **called)
    return numba.njit(forceinline=copy.__name__.startswith(_INLINED), **_options())(copy)
