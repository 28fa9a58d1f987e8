"""Functions that numba compiles when one of them is first called: until then numba is not loaded."""

from functools import cache, update_wrapper
from types import CodeType, FunctionType

from ..once import Deferred

__all__ = ["PendingLoop", "compile_loops", "compiled", "fingerprint", "in_parallel", "prange"]

_hashlib, _numba = Deferred("hashlib"), Deferred("numba")

#: division by zero as numpy has it
_ERRORS = "numpy"
#: sums in any order; ``nnan`` and ``ninf``, which would let the compiler forget NaN and infinity, are not among them
_FASTMATH = ("arcp", "contract", "nsz", "reassoc")
#: functions that are written into the loops that call them: these may then work on several numbers at once, and
#: formulas (:mod:`asympkit.codegen.formulas`) do not pass all theirs through memory
_INLINED = ("lane_", "rough_", "linearize_", "prepare_", "conclude")
#: in the loops of :func:`in_parallel` numba's own; this one where they run as plain Python
prange = range


class PendingLoop:
    """Stand for a loop, a Python function, in a module until the module's loops are compiled."""

    def __init__(self, loop, is_parallel=False):
        update_wrapper(self, loop)
        self.loop, self.is_parallel = loop, is_parallel

    def __call__(self, *arguments, **named):
        namespace = self.loop.__globals__
        if isinstance(namespace[self.__name__], PendingLoop):
            compile_loops(namespace)
        return namespace[self.__name__](*arguments, **named)


def compiled(loop):
    """Mark a function at the top of a module for compilation by numba (a decorator).

    It may call others of its module, and plain functions of other modules, which are compiled with it.
    """
    return PendingLoop(loop)


def in_parallel(front):
    """Return the same loop as ``<name>_parallel``, with the turns of its ``prange`` shared between all cores."""
    return PendingLoop(_copy(front.loop, f"{front.__name__}_parallel"), is_parallel=True)


def compile_loops(namespace):
    """Replace all fronts of a module by numba's functions; those that these call stay, for arrays, as they are.

    Numba caches machine code until the file of a loop changes, but ignores changes in the other files that the loop
    calls.  It names cache entries by the qualified name of the loop, which therefore contains a hash of all the code.
    """
    fronts = {name: f for name, f in list(namespace.items()) if isinstance(f, PendingLoop)}
    made_of = fingerprint([f.loop for f in fronts.values()])
    called = {name: _compiled_copy(f) for front in fronts.values() for name, f in _called(front.loop).items()}
    space = {**namespace, **called, "prange": _numba.prange}
    for name, front in fronts.items():
        loop = FunctionType(front.loop.__code__.replace(co_name=name), space, name, front.loop.__defaults__)
        loop.__qualname__ = f"{name}.{made_of}"
        space[name] = _numba.njit(parallel=front.is_parallel, cache=True, nogil=True, **_options())(loop)
    namespace.update({name: space[name] for name in fronts})


def fingerprint(functions):
    """Hash the code and constants of some functions as they are in this process, those of all that they call, and the
    way in which they are compiled."""
    parts, pending, seen = {repr((_ERRORS, _FASTMATH, _INLINED, "nogil"))}, list(functions), set()
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
    return _hashlib.sha256("\0".join(sorted(parts)).encode()).hexdigest()[:16]


def _options():
    return {"error_model": _ERRORS, "fastmath": set(_FASTMATH)}


def _called(function):
    """Return the plain functions that a function mentions, by name."""
    return {name: f for name, f in _globals(function).items() if isinstance(f, FunctionType)}


def _globals(function):
    """Return the globals that a function mentions, by name."""
    space = function.__globals__
    return {name: space[name] for name in sorted(_names(function.__code__)) if name in space}


def _names(code):
    """Return the global names in a code object and those nested in it."""
    return {*code.co_names}.union(*(_names(c) for c in code.co_consts if isinstance(c, CodeType)))


def _text(code):
    """Return the operations of a code object, without file and line."""
    constants = [_text(c) if isinstance(c, CodeType) else c for c in code.co_consts]
    return code.co_code, constants, code.co_names, code.co_varnames


def _copy(function, name, **others):
    """Copy a function under another name, with replacements for functions that it calls."""
    namespace = {**function.__globals__, **others} if others else function.__globals__
    return FunctionType(function.__code__.replace(co_name=name), namespace, name, function.__defaults__)


@cache
def _compiled_copy(function):
    """Compile a copy of a plain function, with those that it calls; its own module stays unchanged."""
    called = {name: _compiled_copy(f) for name, f in _called(function).items()}
    copy = _copy(function, function.__name__, **called)
    # no loop is called from Python but through its front: wrappers for many arguments are long
    return _numba.njit(forceinline=copy.__name__.startswith(_INLINED), no_cpython_wrapper=True, no_cfunc_wrapper=True,
                       **_options())(copy)
