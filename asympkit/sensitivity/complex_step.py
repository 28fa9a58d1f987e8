r"""Derivatives of the outputs of a generated module, by its own code run on complex numbers.

:math:`f(x+ihx')=f(x)+ih\,f'(x)x'+O(h^2)`: no numbers are subtracted, so that h may be arbitrarily small and the
derivative is exact to rounding.  Newton's method makes two complex steps from a real solution, which is implicit
differentiation with the module's own matrix.  No code is generated, and large systems have derivatives as soon as they
can be solved.

Conditional means and tables at complex parameters x + i*h*x': the imaginary parts are derivatives times h.

Nodes and panels are those of the real parts; an activation is never called at a complex number, because the
value s at the argument a + b*z stands still while the variable and its weight move (see :mod:`.heat`).
"""

from contextlib import suppress
from functools import cache, partial
from inspect import signature
from types import CodeType, FunctionType

import numpy as np
from sympy import Dummy

from ..numbers.evaluation import Floats, evaluate
from ..numbers.functions import entries
from ..once import computed_once
from ..runtime import rules
from ..runtime.linear import eliminate_batch_checked, solve_linear_batch
from ..runtime.means import TwoPlaces
from ..runtime.tables import split_tables, stack_matrix, stack_rows, stack_vector
from ..solve.ladder import means_of_points, rebind, select_points
from ..tolerances import ITERATIONS, LARGEST_ERROR, RESIDUAL
from .tangent import make_free_name

__all__ = ["ComplexStep", "complex_means"]

#: imaginary parts are measured in units of the largest one, and of this at least
_LEAST = 1e-280
#: values of several points at a time, which are twice the size of real ones, and the difference from those on a finer
#: rule: parts of a derivative are larger than it
_OF_POINTS = 16_000, 1e-10


def complex_means(function, offset, slope, functional, signs=None, pairs=None, floors=None):
    """Compute means as :func:`asympkit.runtime.means.normal_means` for complex offset, slope and functionals."""
    a, b, da, db = np.real(offset), np.real(slope), np.imag(offset), np.imag(slope)
    values, error = means_of_points(function, a, b, _real(functional), signs, pairs, floors)
    moves = bool(np.any(da) or np.any(db))
    if not (moves or _holds_imaginary(function, a, b, functional)):
        return values, error
    scale = max(np.max(np.abs(da), initial=0.0), np.max(np.abs(db)), _LEAST)
    shape = np.broadcast_shapes(np.shape(a), np.shape(b))

    def rate(z, s, at):
        if not moves:
            return tuple(_part(np.imag, f) / scale for f in functional(z, s, at))
        by_offset, by_slope = at(np.broadcast_to(da / scale / b, shape)), at(db / scale / b)
        found = functional(z - 1j * scale * (by_offset + by_slope * z), s, at)
        growth = by_offset * z + by_slope * (z * z - 1.0)
        return tuple(_part(np.imag, f) / scale + growth * _part(np.real, f) for f in found)

    rate.of_points = _OF_POINTS
    if signs and not (pairs and _is_odd(np.broadcast_to(da, shape), *pairs)):
        signs = pairs = None
    moved, its_error = means_of_points(function, a, b, rate, signs, pairs)
    return [v + 1j * scale * m for v, m in zip(values, moved)], max(error, its_error)


def _is_odd(rows, first, back, opposite):
    """Return whether rows change their signs with those of offsets, exactly."""
    return np.array_equal(rows, np.where(opposite, -1.0, 1.0) * rows[..., first[back]])


def _real(functional):
    """Restrict a functional to real parts; real values stay the same objects, on which callers depend."""
    def real(z, s, at):
        return tuple(_part(np.real, f) if _is_complex(f) else f for f in functional(z, s, at))

    real.plain = functional
    return real


def _part(part, f):
    """Take the real or the imaginary part."""
    return TwoPlaces(part(f.here), part(f.there), part(f.step)) if isinstance(f, TwoPlaces) else part(f)


def _is_complex(f):
    return np.iscomplexobj(f.there + f.step if isinstance(f, TwoPlaces) else f)


def _holds_imaginary(function, a, b, functional):
    """Return whether the functional is complex at real arguments."""
    z, s = np.zeros((1, 1)), np.ones((1, 1))
    found = functional(z, s, lambda column: np.atleast_1d(column)[:1][:, None])
    return any(map(_is_complex, found))


def _outer_rules(levels, features, is_layered=False):
    return rules.outer_rules(levels, [(*map(np.real, numbers), kinks) for *numbers, kinks in features], is_layered)


def _split_tables(base, rules, symmetries):
    """Split tables without folding any rule: even integrands may have derivatives that are not even."""
    return split_tables(base, [(nodes, weights, False) for nodes, weights, _ in rules], symmetries)


#: stacking of complex numbers
_stack_vector, _stack_matrix = partial(stack_vector, dtype=complex), partial(stack_matrix, dtype=complex)
_stack_rows = partial(stack_rows, dtype=complex)
#: replacements of functions of :mod:`asympkit.runtime` for building tables
TABLES = {"normal_means": complex_means, "outer_rules": _outer_rules, "split_tables": _split_tables,
          "stack_rows": _stack_rows}


#: imaginary steps: in general, whose square is nothing beside real parts (smaller ones underflow, which is slow); and
#: where a parameter leaves zero like a square root, whose own step is then its root: first orders cancel to rounding,
#: and the third is as small
_STEP, _ROOT_STEP = 1e-100, 1e-7
#: real parts of an equation that are no more, relative to imaginary ones
_NOTHING = 1e-50
#: complex steps of Newton's method: the first is exact but for second orders
_NEWTON = 2
#: points times nodes of one pass: arrays of complex numbers are slow beyond
_PASS = 4_000
#: part of a derivative, which counts as some part of its quantity, and of others, at least, that is too much to be lost
#: by rounding; how far beside a point that is looked for
_LOST, _PART, _ASIDE = 1e-7, 1e-5, 3e-11


class ComplexStep:
    """Give a generated module the derivatives of all its outputs along a direction in its parameters.

    It has the attributes of a module of a tangent system (see :func:`asympkit.sensitivity.tangent.tangent_system`):
    parameters and then their derivatives, unknowns and then theirs, observables and then derivatives and their sizes;
    table parameters are followed by their derivatives too. Functions of the list have the derivatives of their classes.
    ``roots`` are parameters that are square roots; their derivatives are those of the squares.  With ``is_probed``
    derivatives are computed at parameters beside the point too, which shows how many digits are lost where formulas
    cancel.
    """

    def __init__(self, module, roots=(), is_probed=False):
        self.module, self.roots, self.is_probed, self._contradicted, self._known = module, roots, is_probed, [], {}
        names = {*module.PARAMETERS, *module.OUTPUTS}
        rates = [make_free_name(f"d{n}", names) for n in (*module.UNKNOWNS, *module.OBSERVABLES)]
        sizes = [make_free_name(f"size_d{n}", names) for n in module.OBSERVABLES]
        count = len(module.UNKNOWNS)
        self.PARAMETERS = (*module.PARAMETERS, *(make_free_name(f"rate_{n}", names) for n in module.PARAMETERS))
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
        rule = getattr(self.module, f"{grid}_rule")
        if grid in getattr(self.module, "GIVEN", {}):
            return partial(_given_rule, rule)
        rule = rebind(rule, TABLES)
        count, takes_places = len(self.module.TABLE_PARAMETERS), "places" in signature(rule).parameters

        def complex_rule(levels, *at, places=()):
            values, rates, activations = at[:count], at[count:2 * count], at[2 * count:]
            known = dict(zip(self.module.TABLE_PARAMETERS, zip(values, rates)))
            step = self._step(known)
            moved = [self._moved(n, *v, step) if np.any(v[1]) else v[0] for n, v in known.items()]
            made, error = rule(levels, *moved, *activations, **({"places": places} if places and takes_places else {}))
            if step == _STEP:
                return [(np.vstack([t.real, 0.0 * t.real, t.imag / step]), weights) for t, weights in made], error
            # first orders are separate from the values here; the nodes are those of the varying parameters
            here = [v + 1e-300j if np.any(rate) else v for v, rate in known.values()]
            plain, _ = rule(levels, *here, *activations)
            return [(np.vstack([p.real, (t.real - p.real) / step, t.imag / step]), weights)
                    for (t, weights), (p, _) in zip(made, plain)], error

        return complex_rule

    def _step(self, known):
        """Return the imaginary step for parameters, ``{name: (value, rate)}``."""
        leaves = any(n in known and np.any((known[n][0] == 0.0) & (known[n][1] != 0.0)) for n in self.roots)
        return _ROOT_STEP if leaves else _STEP

    def _moved(self, name, value, rate, step):
        """Return a parameter with its imaginary step."""
        return np.sqrt(value * value + 1j * step * rate) if name in self.roots else value + 1j * step * rate

    # -- points -----------------------------------------------------------------------------------

    def solve_batch(self, *arguments, **how):
        """Solve as the module does, with derivatives among the parameters and the outputs."""
        m, given = self.module, len(self.module.PARAMETERS)
        values, rates, rest = arguments[:given], arguments[given:2 * given], arguments[2 * given:]
        grids = 2 * len(m.GRIDS)
        both, others = rest[:grids], rest[grids:]         # starts, and further arguments
        real = [x if k % 2 else _third(x, 0) for k, x in enumerate(both)]
        out, blocks = m.solve_batch(*values, *real, *others, **how)
        width = max(1, _PASS // max((w.size for w in both[1::2]), default=1))
        some = [slice(k, k + width) for k in range(0, out.shape[1], width)]
        rate, size, noise, residual = (np.concatenate(parts, axis=-1) for parts in zip(*(self._derivatives(
            [v[k] for v in values], [v[k] for v in rates], select_points(both, k), select_points(real, k), out[:, k],
            is_judged=bool(blocks)) for k in some)))
        out[RESIDUAL] = np.maximum(out[RESIDUAL], residual)
        count, last = len(m.UNKNOWNS), len(m.UNKNOWNS) + len(m.OBSERVABLES)
        pairs = np.stack([rate[count:last], size[count:last]], axis=1).reshape(-1, out.shape[1])
        names = self.OBSERVABLES[len(m.OBSERVABLES)::2]
        if blocks:
            blocks = [*blocks, *(("explicit", (n,), s) for n, s, r in zip(names, size[count:last], rate[count:last])
                                 if r[0] != 0.0)]
        if self.is_probed:
            counts = np.maximum(np.abs(out), np.abs(rate).max(axis=0))
            lost = noise > _LOST * np.maximum(np.abs(rate), _PART * counts)
            out[ITERATIONS] = np.where(lost[:last].any(axis=0), np.floor(out[ITERATIONS]) + 0.5, out[ITERATIONS])
            names = (*self.UNKNOWNS[count:], *names)
            blocks = blocks and [*blocks, *(("lost", (n,), x) for n, x in zip(names, lost) if x[0])]
        return np.vstack([out[:count], rate[:count], out[count:last], pairs, out[last:]]), blocks

    def _complex(self, values, rates, tables):
        """Return the imaginary step, and parameters and tables with their derivatives as imaginary parts."""
        known = dict(zip(self.module.PARAMETERS, zip(values, rates)))
        step = self._step(known)
        moved = [self._moved(n, *v, step) for n, v in known.items()]
        return step, moved, [x if k % 2 else _third(x, 0) + step * (_third(x, 1) + 1j * _third(x, 2))
                             for k, x in enumerate(tables)]

    def _derivatives(self, values, rates, both, real, out, is_judged):
        """Return derivatives of all outputs, where they are judged the sum of the sizes of their terms, their noise,
        and 1 where there are none: a linear equation that vanishes does not do so beside the point."""
        m = self.module
        step, moved, tables = self._complex(values, rates, both)
        torn = [out[m.OUTPUTS.index(u)] for u in m.TORN]
        self._contradicted.clear()
        with np.errstate(all="ignore"):
            rate = self._solve(*moved, *tables, *torn, 0, 0.0, _NEWTON)[0].imag / step
            residual = 1.0 * np.any([np.zeros(out.shape[1], dtype=bool), *self._contradicted], axis=0)
            noise = np.zeros(rate.shape)
            if self.is_probed:          # differences of fourth order, in which rounding alone is left
                around = [self._solve(*(x * (1.0 + side * (-1) ** k * _ASIDE) for k, x in enumerate(moved)), *tables,
                                      *torn, 0, 0.0, _NEWTON)[0].imag / step for side in (-2, -1, 1, 2)]
                noise = np.abs(around[0] - 4.0 * around[1] + 6.0 * rate - 4.0 * around[2] + around[3])
            if not (torn and is_judged):
                return rate, np.abs(rate), noise, residual
            by_torn, points = self._by_torn(values, real, torn), out.shape[1]
        parts = [by_torn[:, j * points:(j + 1) * points] * rate[m.OUTPUTS.index(u)] for j, u in enumerate(m.TORN)]
        return rate, np.abs(rate - sum(parts)) + sum(map(np.abs, parts)), noise, residual

    def _by_torn(self, values, real, torn):
        """Return derivatives by the iteration variables, for sizes alone: those of a point serve all its parameters."""
        point = str([[f"{x:.8e}" for v in (*values, *torn) for x in np.ravel(v)], *(np.shape(x) for x in real)])
        if point not in self._known:
            count, beside = torn[0].size, [np.tile(u, len(torn)).astype(complex) for u in torn]
            for j, u in enumerate(beside):
                u[j * count:(j + 1) * count] += 1j * _STEP
            real = select_points(real, np.tile(np.arange(count), len(torn)))
            if len(self._known) > 8:
                self._known.clear()
            self._known[point] = self._solve(*(np.tile(v, len(torn)) for v in values), *real, *beside, 0, 0.0,
                                             0)[0].imag / _STEP
        return self._known[point]

    def newton_equations(self, values, tables, torn):
        """Evaluate the residuals of Newton's method at one point, with the derivatives.

        ``values`` are parameters and their derivatives, ``torn`` the iteration variables. Return residuals (n,) and
        slopes (n, n + 1): by the unknowns, and along the direction of the parameters; NaN where a positive unknown is
        not positive.
        """
        given = len(self.module.PARAMETERS)
        step, moved, tables = self._complex(values[:given], values[given:], tables)
        seen = []

        def look(equations, inputs, start, positive, *_, tables=(), **__):
            _, residuals, rows = equations(*tables, *inputs, *np.array(start, dtype=complex))
            seen.append((_stack_vector((1,), residuals)[0], _stack_matrix((1,), rows)[0], np.array(positive)))
            raise _SeenError

        torn = np.asarray(torn, dtype=float)
        with np.errstate(all="ignore"), suppress(_SeenError):
            self._with_newton(look)(*np.array(moved)[:, None], *tables, *torn[:, None], 0, 0.0, 0)
        ((residuals, matrix, positive),) = seen
        slopes = np.column_stack([np.where(positive, matrix.real / torn, matrix.real), residuals.imag / step])
        is_outside = bool(np.any(positive & ~(torn > 0.0)))
        return np.where(is_outside, np.nan, residuals.real), np.where(is_outside, np.nan, slopes)

    def outputs_at(self, values, tables, torn):
        """Evaluate the outputs at one point for given iteration variables."""
        real = [x if k % 2 else _third(x, 0) for k, x in enumerate(tables)]
        given = np.array(values[:len(self.module.PARAMETERS)], dtype=float)[:, None]
        with np.errstate(all="ignore"):
            return self._solve(*given, *real, *np.asarray(torn)[:, None], 0, 0.0, 0)[0].real

    @computed_once
    def _solve(self):
        """Return ``solve_batch`` of the module for complex numbers."""
        return self._with_newton(_newton)

    def _with_newton(self, newton):
        function, analytic = self.module.solve_batch, {"np": _Analytic(), "abs": _Analytic.abs}
        inside = (c for c in function.__code__.co_consts if isinstance(c, CodeType))          # steps of Newton's method
        names = set(function.__code__.co_names).union(*(c.co_names for c in inside))
        analytic |= _listed(function.__globals__)
        called = {n: rebind(f, analytic) for n, f in function.__globals__.items()
                  if n in names and isinstance(f, FunctionType)}
        return rebind(function, {**called, "newton_batch": newton, "stack_vector": _stack_vector,
                                   "stack_matrix": _stack_matrix, "stack_rows": _stack_rows,
                                   "solve_linear_batch": self._solve_linear, **analytic})

    def _solve_linear(self, matrix, rhs):
        """Solve as :func:`asympkit.runtime.linear.solve_linear_batch`; an equation without real part leaves its unknown
        at 0, and contradicts that unless its imaginary part vanishes there."""
        free = _is_free(matrix)
        x, residual = solve_linear_batch(np.where(free[..., None], 0.0, matrix), np.where(free, 0.0, rhs))
        terms = np.concatenate([matrix * x[..., None, :], -rhs[..., None]], axis=-1)
        missed = np.abs(terms.sum(axis=-1)) > LARGEST_ERROR * np.abs(terms).sum(axis=-1)
        self._contradicted.append((free & missed).any(axis=-1))
        return x, residual

    def solve_rows(self, *arguments):
        """Solve rows as a module that numba compiles does, by plain numpy."""
        count = len(self.PARAMETERS) + 2 * len(self.module.GRIDS) + len(self.module.TORN)
        *given, out, tolerance, max_steps, accept = arguments
        tables = slice(len(self.PARAMETERS), len(self.PARAMETERS) + 2 * len(self.module.GRIDS))
        for k in range(out.shape[0]):
            rows = [x if tables.start <= i < tables.stop else x[k] for i, x in enumerate(given[:count])]
            out[k] = self.solve_batch(*rows, 2, tolerance, max_steps)[0].T


def _given_rule(rule, *arrays):
    """Return the table and weights of given arrays, which do not move."""
    table, weights = rule(*arrays)
    return np.vstack([table, 0.0 * table, 0.0 * table]), weights


def _is_free(matrix):
    """Return which equations determine nothing at real parameters: squares of imaginary parts are nothing."""
    real, imaginary = (np.abs(part).max(axis=-1) for part in (matrix.real, matrix.imag))
    return real <= _NOTHING * imaginary


class _SeenError(Exception):
    """Newton's method has been reached, and no more is needed."""


class _Analytic:
    """Numpy, with the absolute value that is plus or minus the number, and sign and step of the real part."""

    def __getattr__(self, name):
        return getattr(np, name)

    @staticmethod
    def abs(x):
        return np.where(np.real(x) < 0.0, -x, x)

    @staticmethod
    def sign(x):
        return np.sign(np.real(x))

    @staticmethod
    def heaviside(x, middle):
        return np.heaviside(np.real(x), middle)


def _listed(space):
    """Return the functions of the list that a module calls, by name, at complex arguments."""
    found = {e.arrays: partial(_at_complex, e, space[e.arrays]) for e in entries() if e.arrays in space}
    several = {e.together[1]: partial(_several_at_complex, e, space[e.together[1]]) for e in entries()
               if e.together and e.together[1] in space}
    return found | several


def _at_complex(entry, function, *numbers):
    """Evaluate a function of the list: its value at real parts, and derivatives times imaginary parts."""
    orders, numbers = numbers[:entry.orders], numbers[entry.orders:]
    return function(*orders, *map(np.real, numbers)) + 1j * _moved_by(entry, orders, numbers)


def _several_at_complex(entry, function, several, *numbers):
    return function(several, *map(np.real, numbers)) + 1j * np.stack(np.broadcast_arrays(*(
        _moved_by(entry, orders, numbers) for orders in several)))


def _moved_by(entry, orders, numbers):
    """Return the imaginary part of a function at complex arguments."""
    arguments, rates = _partial_derivatives(entry, orders)
    known, total = dict(zip(arguments, map(np.real, numbers))), 0.0 * sum(map(np.real, numbers))
    for x, rate in zip(numbers, rates):
        if np.any(step := np.imag(x)):
            total = total + np.where(step == 0.0, 0.0, step * evaluate(rate(), known, Floats()))
    return total


@cache
def _partial_derivatives(entry, orders):
    arguments = tuple(Dummy(f"x{k}", real=True) for k in range(entry.arity - entry.orders))
    applied = entry.sympy_class(*orders, *arguments)
    return arguments, [cache(partial(applied.fdiff, entry.orders + k + 1)) for k in range(len(arguments))]


def _third(table, place):
    """Return rows of a table: values, or the real or imaginary part of their step in units of the imaginary one."""
    count = table.shape[0] // 3
    return table[place * count:(place + 1) * count]


def _newton(step, inputs, start, positive, plain, tolerance, max_steps, intervals=(), tables=(), **_):
    """Take complex steps from a real solution; arguments and results as of
    :func:`asympkit.runtime.newton.newton_batch`."""
    now = np.array(np.broadcast_arrays(*start), dtype=complex)
    is_log = np.array(positive)[:, None]
    matrix = np.full((now.shape[1], len(now), len(now)), np.nan)
    for _ in range(max_steps):
        _, residuals, rows = step(*tables, *inputs, *now)
        matrix = _stack_matrix(now.shape[1:], rows)
        delta, singular = eliminate_batch_checked(np.where(_is_free(matrix)[..., None], 0.0, matrix),
                                                  _stack_vector(now.shape[1:], residuals))
        delta = np.where(singular[:, None], np.nan, delta).T
        now = np.where(is_log, now * np.exp(-delta), now - delta)
    return now, np.zeros(now.shape[1]), matrix, np.zeros(now.shape[1])
