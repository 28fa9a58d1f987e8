"""Numba where it is there, loaded when many points are solved (copied into standalone modules)."""

import math

import numpy as np

#: what the writer lists: functions that numba compiles
LOOPS = ()


def compile_loops():
    """Leave the loops to numba, once; where it is not there, all stays as it is."""
    names = globals()
    try:
        from numba import njit
    except ImportError:
        return
    if not hasattr(names["solve_points"], "py_func"):
        compiled = njit(cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
        names.update({name: compiled(names.get(f"{name}_of_one", names[name])) for name in LOOPS})


def each_node(weights):
    """Return places of the nodes of a rule: in numpy all at once, for numba one by one."""
    return (slice(weights.size),)


def each_node_of_one(weights):
    return range(weights.size)


def dot(weights, values):
    """Return weights times values at nodes: in numpy summed over all, for numba of one."""
    return values @ weights


def dot_of_one(weight, value):
    return weight * value


def choose(condition, yes, no):
    """Return one of two values."""
    return np.where(condition, yes, no)


def choose_of_one(condition, yes, no):
    """Return one of two values, for numba."""
    return yes if condition else no


def outward(x):
    """Broadcast values at outer nodes over all nodes of an inner rule."""
    return x[..., np.newaxis]


def outward_of_one(x):
    """Return the value itself, for numba."""
    return x


def elementwise(function):
    """Return a function of one number as a function of arrays; NaN where it has no value."""
    def value(*x):
        try:
            return function(*x)
        except (ArithmeticError, ValueError):
            return math.nan

    return np.vectorize(value, otypes=[float])


def erf_of_one(x):
    """Return the error function."""
    return math.erf(x)


def erfc_of_one(x):
    """Return the complementary error function."""
    return math.erfc(x)


erf = elementwise(erf_of_one)
erfc = elementwise(erfc_of_one)
erf_of_arrays = np.vectorize(math.erf, otypes=[float])
erfc_of_arrays = np.vectorize(math.erfc, otypes=[float])
