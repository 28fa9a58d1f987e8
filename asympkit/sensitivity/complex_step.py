r"""Derivatives of what a generated module computes, by its own code run on complex numbers.

:math:`f(x+ihx')=f(x)+ih\,f'(x)x'+O(h^2)`: no numbers are subtracted, so that h may be as small as one likes and the
derivative is exact to rounding.  Newton's method makes two complex steps from a real solution, which is implicit
differentiation with the matrix that is there.  No code is generated, and large systems have derivatives as soon as they
can be solved.
"""

from functools import cached_property
from inspect import signature
from types import FunctionType

import numpy as np

from ..runtime.linear import eliminate_batch_checked
from .complex_means import TABLES, complex_means
from .tangent import fresh

__all__ = ["ComplexStep"]

#: imaginary steps: in general, whose square is 0, so that real parts stay what they are; and where a parameter leaves
#: zero like a square root, whose own step is then its root: first orders cancel to rounding, and the third is as small
_STEP, _ROOT_STEP = 1e-200, 1e-7
#: complex steps of Newton's method: the first is exact but for second orders
_NEWTON = 2


class ComplexStep:
    """A generated module together with the derivatives of all it computes along a direction in its parameters.

    It has the attributes of a module of a tangent system (see :func:`asympkit.sensitivity.tangent.tangent_system`):
    parameters and then their rates, unknowns and then theirs, observables and then rates and their sizes; table
    parameters are followed by their rates too.

    Parameters
    ----------
    module : module
        Written by :func:`asympkit.codegen.write_kernel`; of formulas that know no functions but those of numpy.
    roots : tuple of str
        Parameters that are square roots; their rates are those of the squares.
    """

    def __init__(self, module, roots=()):
        self.module, self.roots = module, roots
        names = {*module.PARAMETERS, *module.OUTPUTS}
        rates = [fresh(f"d{n}", names) for n in (*module.UNKNOWNS, *module.OBSERVABLES)]
        sizes = [fresh(f"size_d{n}", names) for n in module.OBSERVABLES]
        count = len(module.UNKNOWNS)
        self.PARAMETERS = (*module.PARAMETERS, *(fresh(f"rate_{n}", names) for n in module.PARAMETERS))
        self.TABLE_PARAMETERS = (*module.TABLE_PARAMETERS, *(f"rate_{n}" for n in module.TABLE_PARAMETERS))
        self.UNKNOWNS = (*module.UNKNOWNS, *rates[:count])
        more = (n for pair in zip(rates[count:], sizes) for n in pair)
        self.OBSERVABLES = (*module.OBSERVABLES, *more)
        self.OUTPUTS = (*self.UNKNOWNS, *self.OBSERVABLES, "residual", "iterations")
        for grid in module.GRIDS:
            setattr(self, f"{grid}_rule", self._rule(grid))

    def __getattr__(self, name):
        if name == "module" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.module, name)

    # -- tables -----------------------------------------------------------------------------------

    def _rule(self, grid):
        own = getattr(self.module, f"{grid}_rule")
        rule = _rebound(own, TABLES)
        more = {"normal_means": complex_means} if "normal_means" in signature(own).parameters else {}
        count = len(self.module.TABLE_PARAMETERS)

        def complex_rule(levels, *at):
            values, rates, activations = at[:count], at[count:2 * count], at[2 * count:]
            known = dict(zip(self.module.TABLE_PARAMETERS, zip(values, rates)))
            step = self._step(known)
            made, error = rule(levels, *(self._moved(n, *v, step) if v[1] else v[0] for n, v in known.items()),
                               *activations, **more)
            return [(np.vstack([table.real, table.imag / step]), weights) for table, weights in made], error

        return complex_rule

    def _step(self, known):
        """The imaginary step for parameters, ``{name: (value, rate)}``."""
        leaves = any(n in known and np.any((known[n][0] == 0.0) & (known[n][1] != 0.0)) for n in self.roots)
        return _ROOT_STEP if leaves else _STEP

    def _moved(self, name, value, rate, step):
        """A parameter a little beside its value."""
        return np.sqrt(value * value + 1j * step * rate) if name in self.roots else value + 1j * step * rate

    # -- points -----------------------------------------------------------------------------------

    def solve_batch(self, *arguments, **how):
        """As that of the module, with rates among the parameters and derivatives among the outputs."""
        m, given = self.module, len(self.module.PARAMETERS)
        values, rates, rest = arguments[:given], arguments[given:2 * given], arguments[2 * given:]
        grids = 2 * len(m.GRIDS)
        both, others = rest[:grids], rest[grids:]         # starts, and how to go on from there
        real = [x[:x.shape[0] // 2] if k % 2 == 0 else x for k, x in enumerate(both)]
        out, blocks = m.solve_batch(*values, *real, *others, **how)
        rate, size = self._derivatives(values, rates, both, real, out)
        count, last = len(m.UNKNOWNS), len(m.UNKNOWNS) + len(m.OBSERVABLES)
        pairs = np.stack([rate[count:last], size[count:last]], axis=1).reshape(-1, out.shape[1])
        if blocks:
            names = self.OBSERVABLES[len(m.OBSERVABLES)::2]
            blocks = [*blocks, *(("explicit", (n,), s) for n, s, r in zip(names, size[count:last], rate[count:last])
                                 if r[0] != 0.0)]
        return np.vstack([out[:count], rate[:count], out[count:last], pairs, out[last:]]), blocks

    def _derivatives(self, values, rates, both, real, out):
        """Derivatives of all outputs, and the sum of the sizes of what they are made of."""
        m = self.module
        known = dict(zip(m.PARAMETERS, zip(values, rates)))
        step = self._step(known)
        moved = [self._moved(n, *v, step) for n, v in known.items()]
        tables = [x[:x.shape[0] // 2] + 1j * step * x[x.shape[0] // 2:] if k % 2 == 0 else x
                  for k, x in enumerate(both)]
        torn = [out[m.OUTPUTS.index(u)] for u in m.TORN]
        with np.errstate(all="ignore"):
            rate = self._solve(*moved, *tables, *torn, 0, 0.0, _NEWTON)[0].imag / step
            if not torn:
                return rate, np.abs(rate)
            points, places = out.shape[1], range(len(torn))
            beside = [np.tile(u, len(torn)).astype(complex) for u in torn]
            for j in places:
                beside[j][j * points:(j + 1) * points] += 1j * _STEP
            by_torn = self._solve(*(np.tile(v, len(torn)) for v in values), *real, *beside, 0, 0.0, 0)[0].imag / _STEP
        parts = [by_torn[:, j * points:(j + 1) * points] * rate[m.OUTPUTS.index(m.TORN[j])] for j in places]
        return rate, np.abs(rate - sum(parts)) + sum(map(np.abs, parts))

    @cached_property
    def _solve(self):
        """``solve_batch`` of the module for complex numbers."""
        function = self.module.solve_batch
        called = {n: _rebound(f, {"np": _Analytic()}) for n, f in function.__globals__.items()
                  if n in function.__code__.co_names and isinstance(f, FunctionType)}
        return _rebound(function, {**called, "newton_batch": _newton, "stack_vector": _stack_vector,
                                   "stack_matrix": _stack_matrix, "np": _Analytic()})

    def solve_rows(self, *arguments):
        """As that of a module that numba compiles, by plain numpy."""
        count = len(self.PARAMETERS) + 2 * len(self.module.GRIDS) + len(self.module.TORN)
        *given, out, tolerance, max_steps, accept = arguments
        tables = slice(len(self.PARAMETERS), len(self.PARAMETERS) + 2 * len(self.module.GRIDS))
        for k in range(out.shape[0]):
            rows = [x if tables.start <= i < tables.stop else x[k] for i, x in enumerate(given[:count])]
            out[k] = self.solve_batch(*rows, 2, tolerance, max_steps)[0].T


class _Analytic:
    """Numpy, with the absolute value that is plus or minus the number."""

    def __getattr__(self, name):
        return getattr(np, name)

    @staticmethod
    def abs(x):
        return np.where(np.real(x) < 0.0, -x, x)


def _rebound(function, names):
    """A function with others in the place of some that it calls."""
    return FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__,
                        function.__defaults__, function.__closure__)


def _newton(step, inputs, start, positive, plain, tolerance, max_steps, intervals=()):
    """Complex steps from a real solution; arguments and results as of
    :func:`asympkit.runtime.newton.newton_batch`."""
    now = np.array(np.broadcast_arrays(*start), dtype=complex)
    is_log = np.array(positive)[:, None]
    matrix = np.full((now.shape[1], len(now), len(now)), np.nan)
    for _ in range(max_steps):
        _, residuals, rows = step(*inputs, *now)
        matrix = _stack_matrix(now.shape[1:], rows)
        delta, singular = eliminate_batch_checked(matrix, _stack_vector(now.shape[1:], residuals))
        delta = np.where(singular[:, None], np.nan, delta).T
        now = np.where(is_log, now * np.exp(-delta), now - delta)
    return now, np.zeros(now.shape[1]), matrix, np.zeros(now.shape[1])


def _stack_vector(shape, entries):
    out = np.empty((*shape, len(entries)), dtype=complex)
    for j, entry in enumerate(entries):
        out[..., j] = entry
    return out


def _stack_matrix(shape, rows):
    out = np.empty((*shape, len(rows), len(rows)), dtype=complex)
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            out[..., i, j] = entry
    return out
