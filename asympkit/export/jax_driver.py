"""Solve points with a generated kernel in JAX (copied into exported modules, never imported by the package).

Every function works under ``jit`` and ``vmap``: sizes of arrays are fixed, conditions are arrays.  Newton's method is
differentiated implicitly at its solution (``lax.custom_root``), and nothing else iterates.  Names that are not defined
here are those of the kernel: ``solve_batch``, and the constants that :mod:`asympkit.export.jax_module` writes.
"""

# ruff: noqa: F821

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import linalg, special

from ..runtime.means import FLOOR
from ..runtime.newton import HALVINGS, LONGEST_STEP, NO_STEP, SHORT_STEP
from ..runtime.rules import OUTER_CUTS, OUTER_STEPS, PANEL_ORDERS, trapezoid
from ..runtime.tables import FARTHEST

#: largest residual and change of a solution
ACCEPT = 1e-9
#: states of a point, by their numbers
STATES = ("converged", "limited", "quadrature", "residual", "infinite", "dependent", "ill-conditioned", "domain")
#: finest level of the rules on which a solution is searched for
SEARCHED = 4
#: levels of quadrature rules of averages that parameters follow from, which have no nodes inside others
FINEST = (5, 6)
#: how often panels of an outer rule are halved towards a smoothed kink, and the width of the others
GRADES, WIDTH = 6, 1.5
#: width around 0 of a rule that sees changes on every scale down to it
LEAST = 1e-6
#: edges of panels of an inner rule, and further ones around argument 0 of a smooth function, in the argument
INSIDE, AROUND = np.linspace(-12.0, 12.0, 13), 1.5 * np.array((-81, -27, -9, -3, -1, 0, 1, 3, 9, 27, 81))
#: rows of an inner rule at a time
ROWS = 32
#: points that one call of solve_many solves at a time
TOGETHER = 64


def as_floats(*values):
    """Return arguments as numbers of double precision; raise unless JAX has them."""
    if not jax.config.jax_enable_x64:
        raise RuntimeError("solve: JAX computes in single precision, which is too coarse here; call "
                           'jax.config.update("jax_enable_x64", True) first')
    return [None if v is None else jnp.asarray(v, dtype=float) for v in values]


def as_activation(function):
    """Return an activation with its kinks, parity and derivative; other functions are taken to be smooth."""
    if hasattr(function, "kinks_float"):
        return function

    def wrapped(x):
        return function(x)

    def derivative(x):
        return jax.jvp(function, (x,), (jnp.ones_like(x),))[1]

    wrapped.kinks_float, wrapped.form_parity = (), 0
    wrapped.derivative = derivative
    derivative.kinks_float, derivative.form_parity = (), 0
    return wrapped


def with_slopes(slopes):
    """Give a function its derivatives by all arguments, which ``slopes`` returns of the value and these."""
    def decorate(function):
        known = jax.custom_jvp(function)

        @known.defjvp
        def rule(values, tangents):
            found = known(*values)
            return found, sum(s * t for s, t in zip(slopes(found, *values), tangents))

        return known

    return decorate


def select_slopes(_, holds, value, otherwise):
    """Return the derivatives of :func:`select`."""
    return 0.0, holds, jnp.where(holds > 0.0, jnp.nan, 1.0)


@with_slopes(select_slopes)
def select(holds, value, otherwise):
    """Return a value where a special case holds, which is no limit: what moves the general one has no derivative."""
    return jnp.where(holds > 0.0, value, otherwise)


def choose(cases, otherwise):
    """Return the values of the first case that holds, ``(condition, values)``."""
    for holds, values in reversed(cases):
        otherwise = [select(jnp.where(holds, 1.0, 0.0), 1.0 * v, o) for v, o in zip(values, otherwise)]
    return otherwise


def accurate(error, *values):
    """Return numbers that follow from parameters, NaN where averages in them are not accurate."""
    return [jnp.where(error <= 1e-11, v, jnp.nan) for v in values]


def row_of(rows, key):
    """Return the entry of a dictionary whose key is a traced number."""
    place = jnp.argmin(jnp.abs(jnp.array(list(rows)) - key))
    return jnp.array(list(rows.values()))[place]


def map_points(solve, arguments, level):
    """Solve points of any shape, some at a time."""
    arrays = jnp.broadcast_arrays(*as_floats(*arguments))
    found = map_rows(solve, tuple(a.ravel() for a in arrays), level)
    return {name: row.reshape(arrays[0].shape) for name, row in found.items()}


@functools.partial(jax.jit, static_argnums=(0, 2))
def map_rows(solve, rows, level):
    """Solve rows of points, compiled."""
    return lax.map(lambda row: solve(*row, level=level), rows, batch_size=TOGETHER)


# -- solutions ---------------------------------------------------------------------------------------------------------


def refine(points, tables, level, valid, starts=None):
    """Solve one point on a coarse rule, from all starts, and from there on two finer ones; returns outputs by name."""
    points = [jnp.reshape(p, (1,)) for p in points]
    known = lax.stop_gradient(points)

    def made(level):
        return tables((level,))[0][0]

    def solved_on(points, made):
        more = (False,) * HAS_CAREFUL_STEPS
        return within_domains(solve_batch(*points, *made, *near[:, None], 0, 1e-9, 100, *more)[:, 0])

    near, steps = search(known, lax.stop_gradient(made(min(level, SEARCHED) if IS_REFINED else level)), starts)
    out = solved_on(points, made(level))
    now, residual, change = out[:-2], lax.stop_gradient(out[-2]), jnp.zeros(())
    if IS_REFINED:
        change = changes(lax.stop_gradient(now), solved_on(known, lax.stop_gradient(made(level - 1)))[:-2])
    solved = (residual <= ACCEPT) & (change <= ACCEPT)
    status = jnp.select([~valid, solved & (out[-1] % 1.0 == 0.0), solved, residual <= ACCEPT, residual == jnp.inf,
                         residual == 1e290, residual == 1e289], [7, 0, 1, 2, 4, 5, 6], 3)
    now = now * jnp.where(solved & valid, 1.0, jnp.nan)
    found = {name: now[k] for k, name in enumerate(OUTPUTS[:-3]) if name not in INTERNAL}
    return {**found, "residual": residual, "iterations": lax.stop_gradient(steps + jnp.floor(out[-1])),
            "error_estimate": change, "status": status}


def search(points, tables, starts):
    """Return what Newton's method solves for, from the first start that leads to a solution, and the number of steps.

    After the usual start comes the end of a path, on which a parameter falls from 1 in steps of a factor of 4 at most.
    """
    def usual(share):
        row = jnp.array(STARTS[0][0])
        found = row if starts is None else lax.stop_gradient(starts(jnp.stack(along(share))))[:, 0]
        return jnp.where(jnp.isnan(found), row, found)

    def along(share):
        return [jnp.where(p < 1.0, p**share, p) if k == FALLING else p for k, p in enumerate(points)]

    now, wanted = usual(0.0), jnp.array([*SOLVED_FOR, -2, -1], dtype=int)        # observables cost more than they say
    out = jnp.full(wanted.size, jnp.nan)
    for is_careful in (False, True)[:1 + HAS_CAREFUL_STEPS]:
        kinds = [kind for kind in STARTS if kind[2] == is_careful]
        rows, counts = jnp.array([row for row, *_ in kinds]), jnp.array([count for _, count, _ in kinds])
        rows, steps = rows if is_careful else rows.at[0].set(usual(1.0)), 0
        if FALLING >= 0 and not is_careful:
            steps = 2 + jnp.ceil(jnp.log(jnp.maximum(1.0, 1.0 / points[FALLING][0])) / np.log(4.0)).astype(int)

        def attempt(state, rows=rows, counts=counts, steps=steps, more=(is_careful,) * HAS_CAREFUL_STEPS):
            k, out, now = state
            place, is_of_path = jnp.maximum(k - steps, 0), (k > 0) & (k <= steps)
            share = jnp.where(is_of_path, (k - 1.0) / jnp.maximum(steps - 1, 1), 1.0)
            begin = jnp.where(is_of_path, now, rows[place])
            plain = jnp.where(is_of_path, jnp.where(share < 1.0, 2, 0), counts[place])
            tried = solve_batch(*along(share), *tables, *begin[:, None], plain, 1e-9, 100 + plain, *more)[:, 0]
            tried = within_domains(tried, wanted)
            is_better = (share == 1.0) & ((tried[-2] < out[-2]) | jnp.isnan(out[-2]))
            is_nearer = (share < 1.0) & (tried[-2] <= 1e-6)
            return k + 1, jnp.where(is_better, tried, out), jnp.where(is_nearer, tried[:-2], now)

        def fails(state, last=counts.size + steps):
            return (state[0] < last) & ~(state[1][-2] <= ACCEPT)

        _, out, now = lax.while_loop(fails, attempt, (0, out, now))
    return jnp.where(jnp.isfinite(out[:-2]), out[:-2], usual(1.0)), jnp.floor(out[-1])


def changes(now, before):
    """Return the largest relative change of what is judged; below the rounding of terms of order 1 there is none."""
    size, moved = jnp.abs(now[jnp.array(JUDGED)]), jnp.abs(now - before)[jnp.array(JUDGED)]
    return jnp.max(jnp.where(moved <= 1e-15 * jnp.minimum(jnp.max(size), 1.0), 0.0, moved / (size + 1e-300)))


def within_domains(out, wanted=slice(None)):
    """Return some outputs, the residual infinite where they have no value, or a quantity has one outside its domain."""
    found = out[wanted]
    good = jnp.all(jnp.isfinite(found[:-2]))
    for place, low, high, slack in DOMAINS:
        slack = slack * (1.0 + jnp.abs(out[place]))
        good &= (out[place] >= low - slack) & (out[place] <= high + slack)
    return found.at[-2].set(jnp.where(~good & ~(out[-2] > ACCEPT), jnp.inf, out[-2]))


def newton_batch(step, inputs, start, positive, plain, tolerance, max_steps, intervals=(), no_step=-1.0, tables=()):
    """Solve one system by Newton's method, damped where an equation is no map; derivatives are those of the root.

    Arguments and results are those of :func:`asympkit.runtime.newton.newton_batch`, for one point.
    """
    is_log = jnp.array(positive)
    low, high = (jnp.array([(pair or (-jnp.inf, jnp.inf))[k] for pair in intervals or (None,) * len(positive)])
                 for k in (0, 1))
    has_units = not all(positive) or bool(intervals)

    def equations(u):
        return jnp.ravel(stack_vector((1,), step(*tables, *inputs, *u[:, None])[1]))

    def move(state):
        k, u, delta, best, weight, origin, small, last, stood, matrix, _ = state
        maps, residuals, rows, *plain_rows = step(*tables, *inputs, *u[:, None])
        residuals, slopes = stack_vector((1,), residuals)[0], stack_matrix((1,), rows)[0]
        known = stack_matrix((1,), *plain_rows)[0] if plain_rows else slopes
        full, singular = eliminate(slopes, residuals)
        full = jnp.where(singular, jnp.where(is_log, 0.5, 0.1 + 0.1 * jnp.abs(u)), full)
        empty = (residuals == 0.0) & (slopes == 0.0).all(axis=0) & (slopes == 0.0).all(axis=1) & ~is_log
        full, halved = jnp.where(empty, u, full), jnp.array(False)
        if maps is None:
            size = 1.0 / (jnp.abs(slopes).sum(axis=1) + 1e-300)
            halved = ~(jnp.max(jnp.abs(residuals) * weight) <= best) & (best < jnp.inf) & (last > SHORT_STEP)
            halved &= (stood > -HALVINGS) & (small > no_step)
            best = jnp.where(halved, best, jnp.max(jnp.abs(residuals) * size))
            weight, origin = jnp.where(halved, weight, size), jnp.where(halved, origin, u)
            full = jnp.where(halved, 0.5 * delta, full)
        taken = jnp.where(is_log, jnp.clip(full, -LONGEST_STEP, LONGEST_STEP), full)
        base = u if maps is not None else origin
        now = jnp.where(is_log, base * jnp.exp(jnp.where(is_log, -taken, 0.0)), base - taken)
        if intervals:
            now = jnp.clip(now, base - 0.9 * (base - low), base + 0.9 * (high - base))
        if maps is not None:
            now = jnp.where(k < plain, stack_vector((1,), maps)[0], now)
        own, unit = jnp.abs(taken), jnp.where(is_log, jnp.abs(taken), jnp.abs(taken) / (1.0 + jnp.abs(now)))
        border = jnp.minimum(jnp.abs(now), jnp.minimum(now - low, high - now))
        is_near = ~is_log | jnp.isfinite(low) | jnp.isfinite(high)
        own = jnp.where(is_near, own * jnp.where(is_log, now, 1.0) / (border + 1e-300), own)
        size, at_rest = own.max(), unit.max()
        is_rest = (at_rest <= max(no_step, NO_STEP)) | (at_rest <= tolerance) & (at_rest >= small)
        stood = jnp.where(halved, jnp.minimum(stood, 0) - 1, jnp.where(is_rest & has_units, jnp.maximum(stood, 0) + 1,
                                                                       0))
        is_plain = (k < plain) if maps is not None else False
        goes_on = halved | is_plain | (size > tolerance) & (stood < 2)
        return (k + 1, now, taken, best, weight, origin, jnp.where(halved, small, at_rest),
                jnp.where(halved, last, size), stood, jnp.where(halved | is_plain, matrix, known), goes_on)

    def iterate(_, u):
        width, infinite = jnp.ones_like(u), jnp.array(jnp.inf)
        state = (0, u, width, infinite, width, u, infinite, infinite, 0, jnp.full((u.size, u.size), jnp.nan),
                 jnp.array(True))
        state = lax.while_loop(lambda s: s[-1] & (s[0] < max_steps), move, state)
        moved = jnp.where(jnp.isfinite(state[1]).all(), jnp.where(state[-1], state[7], 0.0), jnp.inf)
        return state[1], (1.0 * state[0], moved, state[-2])

    def solve_tangent(g, y):
        return eliminate(jax.jacfwd(g)(jnp.zeros_like(y)), y)[0]

    begin = jnp.concatenate([jnp.broadcast_to(u, (1,)) for u in start])
    found, (steps, moved, matrix) = lax.custom_root(equations, begin, iterate, solve_tangent, has_aux=True)
    return found[:, None], steps[None], matrix[None], moved[None]


def eliminate(matrix, rhs):
    """Solve a system with scaled rows; those that vanish leave their unknown at 0, and a singular matrix all of them.

    Two unknowns are eliminated here, which compiles in a tenth of the time.
    """
    scale = lax.stop_gradient(jnp.abs(matrix).sum(axis=-1))
    empty = scale == 0.0
    scale = jnp.where(empty, 1.0, scale)
    a, b = jnp.where(empty[:, None], jnp.eye(rhs.size), matrix / scale[:, None]), jnp.where(empty, 0.0, rhs / scale)
    if rhs.size == 1:
        x, singular = b / a[0], jnp.array(False)
    elif rhs.size == 2:
        is_swapped = jnp.abs(a[1, 0]) > jnp.abs(a[0, 0])
        (p1, p2), (q1, q2) = jnp.where(is_swapped, a[::-1], a)
        p, q = jnp.where(is_swapped, b[::-1], b)
        lead = jnp.where(p1 == 0.0, 1.0, p1)
        pivot = q2 - q1 / lead * p2
        singular = (p1 == 0.0) | (pivot == 0.0)
        y = (q - q1 / lead * p) / jnp.where(singular, 1.0, pivot)
        x = jnp.stack([(p - p2 * y) / lead, y])
    else:
        width = lax.stop_gradient(jnp.abs(a).max(axis=0))           # of the columns: unknowns have all sizes
        width = jnp.where(width == 0.0, 1.0, width)
        factors, order = linalg.lu_factor(a / width)
        singular = (jnp.diag(factors) == 0.0).any()             # of the matrix alone: x is linear in b
        x = linalg.lu_solve((jnp.where(singular, jnp.eye(rhs.size), factors), order), b) / width
    return jnp.where(singular, 0.0, x), (singular & (b != 0.0).any()) | (empty & (rhs != 0.0)).any()


def solve_linear_batch(matrix, rhs):
    """Solve a linear system of one point, with a correction if it is long; returns the solution and its residual."""
    matrix, rhs = matrix[0], rhs[0]
    x = eliminate(matrix, rhs)[0]
    if rhs.size > 2:
        x = x - eliminate(matrix, matrix @ x - rhs)[0]
    size = jnp.abs(matrix) @ jnp.abs(x) + jnp.abs(rhs) + 1e-300
    return x[None], jnp.max(jnp.abs(matrix @ x - rhs) / size)[None]


def stack_matrix(shape, rows):
    """Stack a nest of numbers and arrays of a shape."""
    return jnp.stack([stack_vector(shape, row) for row in rows], axis=-2)


def stack_vector(shape, entries):
    """Stack numbers and arrays of a shape."""
    return jnp.stack([jnp.broadcast_to(jnp.asarray(e, dtype=float), shape) for e in entries], axis=-1)


# -- rules and tables --------------------------------------------------------------------------------------------------


def gauss_legendre(edges, order):
    """Return the composite Gauss-Legendre rule of the standard normal on panels; rows of edges give rows of nodes."""
    x, w = np.polynomial.legendre.leggauss(order)
    middle, half = 0.5 * (edges[..., 1:, None] + edges[..., :-1, None]), 0.5 * jnp.diff(edges)[..., None]
    z = middle + half * x
    return tuple(a.reshape(*edges.shape[:-1], -1) for a in (z, half * w * jnp.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)))


def outer_rules(levels, features, is_layered=False):
    """Return the rule of one level, its nodes, and a true value if they come in pairs z, -z."""
    (level,) = levels
    cut, edges, steps = OUTER_CUTS[level], [], np.outer((-1.0, 1.0), 2.0 ** -np.arange(GRADES)).ravel()
    for offset, slope, _, kinks in features:
        moved = [k for k in kinks if not (isinstance(offset, int) and offset == k)]
        is_layered |= len(moved) < len(kinks)                   # smoothed around 0, whatever the slope
        edges += [(k - offset) / jnp.where(slope == 0.0, 1e-300, slope) + np.append(steps, 0.0) for k in moved]
    if edges:
        edges += [np.append(steps, 0.0)] * is_layered
        edges = [lax.stop_gradient(e) for e in edges]
        every = jnp.concatenate([np.linspace(-cut, cut, 2 * int(np.ceil(cut / WIDTH)) + 1), *edges])
        nodes, weights = gauss_legendre(jnp.sort(jnp.clip(every, -cut, cut)), PANEL_ORDERS[level])
        return [(nodes, weights / weights.sum())], nodes, False
    nodes, weights = every_scale(OUTER_STEPS[level], cut) if is_layered else trapezoid(OUTER_STEPS[level], cut)
    return [(nodes, weights)], nodes, True


def every_scale(step, cut):
    """Return a symmetric rule of the standard normal whose nodes are as dense in the logarithm around 0 as far away.

    It is trapezoidal in u for nodes arsinh(LEAST*sinh(u)), and sees smoothed kinks at 0 on every scale.
    """
    n = int(np.ceil(np.arcsinh(np.sinh(cut) / LEAST) / step))
    u = step * np.arange(-n, n + 1)
    z = np.arcsinh(LEAST * np.sinh(u))
    w = np.exp(-0.5 * z * z) * np.cosh(u) / np.cosh(z)
    return z, w / w.sum()


def normal_means(levels, function, offset, slope, functional, signs=None, pairs=None, floors=None):
    """Return means over z ~ N(0, 1) of ``functional(z, function(offset + slope*z), at)`` on the last level.

    Of several levels the change between the last two is returned too, relative to the mean absolute integrand.
    Arguments are those of :func:`asympkit.runtime.means.normal_means`.
    """
    offset, slope = jnp.asarray(offset, dtype=float), jnp.asarray(slope, dtype=float)
    parity = getattr(function, "form_parity", 0)
    if signs and pairs and parity in signs and offset.size > 1:         # nodes come in pairs
        half = offset.size // 2
        found, error = normal_means(levels, function, offset[half:], slope, lambda z, s, at: functional(
            z, s, lambda x: at(x[half:] if jnp.ndim(x) else x)), floors=floors)
        return [jnp.concatenate([sign * m[::-1][:half], m]) for sign, m in zip(signs[parity], found)], error
    made = [_means(level, function, offset, slope, functional, (floors or {}).get(parity)) for level in levels]
    values, sizes = made[-1]
    if len(levels) == 1:
        return values, 0.0
    return values, jnp.max(jnp.stack([jnp.max(jnp.abs(v - before) / (size + 1e-300))
                                      for v, before, size in zip(values, made[-2][0], sizes)]))


def _means(level, function, offset, slope, functional, floors):
    kinks, known = jnp.array(function.kinks_float), jnp.where(slope > 0.0, slope, 1.0)

    @jax.checkpoint
    def mean(row):                                              # some rows at a time, and again for their derivatives
        turns = lax.stop_gradient((AROUND - offset[row]) / known) if not kinks.size else (kinks - offset[row]) / known
        z, w = gauss_legendre(jnp.sort(jnp.clip(jnp.append(INSIDE, turns), INSIDE[0], INSIDE[-1])), 10 + level)
        s = function(offset[row] + slope * z)
        terms = [jnp.broadcast_to(f, s.shape) for f in functional(z, s, lambda x: x[row] if jnp.ndim(x) else x)]
        return [t @ w for t in terms], [jnp.abs(t) @ w for t in terms]

    values, sizes = lax.map(mean, np.arange(offset.size), batch_size=ROWS)
    sizes = lax.stop_gradient(sizes)
    for k, floor in enumerate(floors or [FLOOR] * len(values)):
        if floor >= 0.0:            # rounding alone, whose derivatives count all the same
            lost = (offset == 0.0) & (slope != 0.0) & (jnp.abs(values[k]) <= floor * sizes[k])
            values[k] = values[k] - jnp.where(lost, lax.stop_gradient(values[k]), 0.0)
    return values, sizes


def split_tables(base, rules, symmetries):
    """Return columns and weights of one rule; no rule is folded."""
    ((nodes, weights),) = rules
    return [([jnp.broadcast_to(column, nodes.shape) for column in base], weights)]


def stack_rows(*rows):
    """Stack the rows of a table."""
    return jnp.stack(jnp.broadcast_arrays(*(jnp.asarray(row, dtype=float) for row in rows)))


def valued_tables(levels, kinks, symmetries, is_shifted, flat, features, values):
    """Return product rules with values of activations at the nodes as further columns; nothing is folded.

    Arguments are those of :func:`asympkit.runtime.tables.valued_tables`.
    """
    (level,) = levels
    cut, rules = OUTER_CUTS[level], []
    for k, points in enumerate(kinks):
        cut = OUTER_CUTS[level] + FARTHEST * (is_shifted and k == 0)
        moved = [(p - offset) / jnp.where(slope == 0.0, 1e-300, slope) for place, offset, slope, own in features
                 for p in own if place == k]
        edges = jnp.concatenate([np.linspace(-cut, cut, int(np.ceil(cut)) + 1), jnp.array([*points, *moved])])
        rules.append(gauss_legendre(jnp.sort(jnp.clip(edges, -cut, cut)), PANEL_ORDERS[level]) if points or moved else
                     trapezoid(OUTER_STEPS[level], cut))
    nodes = [z.ravel() for z in jnp.meshgrid(*(z for z, _ in rules), indexing="ij")]
    weights = rules[0][1]
    for _, w in rules[1:]:
        weights = jnp.multiply.outer(weights, w)
    weights = weights.ravel()
    return [([*nodes, *(jnp.broadcast_to(v, weights.shape) for v in values(*nodes))], weights)]


def nodes_inside(table, weights, at_nodes, at_points, switches, kinks, shares, steep):
    """Take the same nodes in nested sums everywhere, and not a number where they would have to be placed."""
    return SameNodes(table, weights, at_nodes, at_points, steep)


class SameNodes:
    """Sums over the same nodes at every node of the outer sum."""

    def __init__(self, table, weights, at_nodes, at_points, steep):
        self.nodes, self.weights = table[0], jnp.where(jnp.any(steep > 0.0), jnp.nan, weights)
        self.values = [*(x[..., None] for x in at_nodes), *(x[..., None, None] for x in at_points)]

    def total(self, terms):
        """Sum at every outer node."""
        return terms @ self.weights


def gather(levels, *rules):
    """Return tables and weights, one after the other, and no error: two levels are compared by their solutions."""
    return [[x for pairs, _ in rules for x in pairs[k]] for k in range(len(levels))], 0.0


def average_on_finer_rules(value):
    """Return an average on a fine rule; not a number where a coarser one does not agree."""
    before, found = (value(level) for level in FINEST)
    return jnp.where(jnp.abs(found - before) <= 1e-12 * jnp.abs(found), found, jnp.nan)


# -- functions whose derivatives JAX knows -----------------------------------------------------------------------------


erf_batch, erfc_batch, erfcx_batch, owen_t_batch = special.erf, special.erfc, special.erfcx, special.owens_t
gamma_function_batch, log_gamma_batch, polygamma_batch = special.gamma, special.gammaln, special.polygamma


def gauss_exp_batch(x):
    """Evaluate exp(-x**2/2)."""
    return jnp.exp(-0.5 * x * x)


def normal_tail_batch(x):
    """Evaluate the probability that a normal exceeds x."""
    return 0.5 * special.erfc(x / np.sqrt(2.0))


def log_phi_batch(x):
    """Evaluate the logarithm of the normal distribution function."""
    left = jnp.minimum(x, 0.0)
    below = jnp.log(0.5 * special.erfcx(-left / np.sqrt(2.0))) - 0.5 * left * left
    return jnp.where(x >= 0.0, jnp.log1p(-normal_tail_batch(jnp.maximum(x, 0.0))), below)


def log_erfc_batch(x):
    """Evaluate log(erfc(x))."""
    return log_phi_batch(-np.sqrt(2.0) * x) + np.log(2.0)


def mills_batch(x):
    """Evaluate the normal density over the distribution function."""
    left, right = jnp.minimum(x, 0.0), jnp.maximum(x, 0.0)
    above = gauss_exp_batch(right) / np.sqrt(2.0 * np.pi) / (1.0 - normal_tail_batch(right))
    return jnp.where(x < 0.0, np.sqrt(2.0 / np.pi) / special.erfcx(-left / np.sqrt(2.0)), above)


def logistic_slope_batch(V, t):
    """Evaluate :func:`asympkit.numbers.functions.routines.elementary.logistic_slope`.

    Newton's method between two ends, and twice more at the root: derivatives up to the third are those of the root.
    """
    given, (V, t) = (V, t), lax.stop_gradient(jnp.broadcast_arrays(V, t))

    def move(state):
        k, f, low, high, _ = state
        rest, slope = logistic_equation(f, V, t)
        low, high = jnp.where(rest > 0.0, low, f), jnp.where(rest > 0.0, f, high)
        now = f - rest / slope
        now = jnp.where((low < now) & (now < high), now, 0.5 * (low + high))
        return k + 1, now, low, high, jnp.any(jnp.abs(now - f) > 1e-8 * now)

    begin = special.expit(-t) / (1.0 + V * special.expit(-t))
    _, f, *_ = lax.while_loop(lambda s: (s[0] < 100) & s[-1], move, (0, begin, 0.0 * t, special.expit(-t), True))
    for _ in range(2):
        rest, slope = logistic_equation(f, *given)
        f = f - rest / slope
    return f


def logistic_equation(f, V, t):
    """Return what is left of the equation of the slope f of the logistic loss at t + V f, and its derivative."""
    value = special.expit(-t - V * f)
    return f - value, 1.0 + V * value * special.expit(t + V * f)


def bivariate_slopes(_, h, k, r):
    """Return the derivatives of the bivariate normal distribution function."""
    width = jnp.sqrt(jnp.maximum((1.0 - r) * (1.0 + r), 1e-300))
    left, right = (gauss_exp_batch(x) / np.sqrt(2.0 * np.pi) for x in (h, (k - r * h) / width))
    return left * normal_tail_batch((r * h - k) / width), gauss_exp_batch(k) / np.sqrt(2.0 * np.pi) * \
        normal_tail_batch((r * k - h) / width), left * right / width


@with_slopes(bivariate_slopes)
def bivariate_cdf_batch(h, k, r):
    """Evaluate P(X < h, Y < k) of unit normals with correlation r; nan for abs(r) > 1."""
    h, k, r = jnp.broadcast_arrays(h, k, r)
    size, is_up = jnp.minimum(jnp.abs(r), 1.0), r >= 0.0
    apart, end = normal_tail_batch(-h) * normal_tail_batch(-k), jnp.sqrt((1.0 - size) / (1.0 + size))
    gained = correlated(h, jnp.where(is_up, -k, k), end, jnp.ones(end.shape))
    aside = (h < 0.0) | (k > 0.0)
    left, right = jnp.where(aside, h, k), jnp.where(aside, k, h)
    overlap = jnp.where(h + k <= 0.0, 0.0, normal_tail_batch(-left) - normal_tail_batch(right))
    far = overlap + correlated(h, k, jnp.zeros(h.shape), end)
    value = jnp.where(is_up, apart + gained, jnp.where(gained <= 0.5 * apart, apart - gained, far))
    value = jnp.where(is_up & (size == 1.0), normal_tail_batch(-jnp.minimum(h, k)), value)
    return jnp.where(jnp.abs(r) <= 1.0, value, jnp.nan)


def correlated(h, k, low, high):
    """Integrate as :func:`asympkit.numbers.functions.routines.normal_pairs.correlated_batch`, without derivatives."""
    g, d = 0.125 * (h + k) * (h + k), 0.125 * (h - k) * (h - k)
    is_empty = (high <= low) | ~(g + d < 1e300)
    g, d, low, high = (jnp.where(is_empty, at, x) for at, x in ((0.0, g), (0.0, d), (0.0, low), (1.0, high)))
    known = jnp.where(d > 0.0, d, 1.0)
    top = jnp.where(d > 0.0, jnp.clip(jnp.sqrt(jnp.sqrt(g / known)), low, high), high)
    least = g / jnp.where(g > 0.0, top * top, 1.0) + d * top * top
    low = jnp.maximum(jnp.maximum(low, jnp.sqrt(g / (least + 40.0))), 1e-18 * high)
    high = jnp.where(d > 0.0, jnp.minimum(high, jnp.sqrt((least + 40.0) / known)), high)
    turns = jnp.maximum(1.0, jnp.ceil(jnp.log(high / low) / np.log(16.0)))
    factor = (high / low) ** (1.0 / turns)
    root = jnp.sqrt(factor)
    bend = (root - 1.0) / (root + 1.0)
    points, weights = np.polynomial.legendre.leggauss(40)
    y = bend[..., None] * points
    up, below = (1.0 + y) * (1.0 + y), (1.0 - y) * (1.0 - y)

    def add(state):
        n, total, middle = state
        above = (middle * middle)[..., None] * up
        depth = jnp.minimum(least[..., None] - g[..., None] * (below / above) - d[..., None] * (above / below), 0.0)
        part = (weights * jnp.exp(depth) / (above + below)).sum(axis=-1)
        return n + 1, total + jnp.where(n < turns, middle * part, 0.0), middle * factor

    _, total, _ = lax.while_loop(lambda s: s[0] < jnp.max(turns), add, (0, jnp.zeros(h.shape), low * root))
    return jnp.where(is_empty, 0.0, 2.0 * bend * total * jnp.exp(-least - 0.25 * (h * h + k * k)) / np.pi)
