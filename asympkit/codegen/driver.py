"""Print the loop that solves rows of points, each started from those before it."""

from ..program.names import mark

_DRIVER = '''
@compiled
def solve_rows({arguments}, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from those of the points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in prange(rows):
        known, past = 0, np.zeros(({torn}, DIFFERENCES))
        for j in range(points):
            for attempt in range(2):          # as predicted, if anything is; then from the given start
                plain = 2
{cold}
                if known >= 1 and attempt == 0:
                    plain = 0
{warm}
                result = solve_point({call})
                if known == 0 or result[{residual}] <= accept:
                    break
            for k in range({width}):
                out[row, j, k] = result[k]
            if result[{residual}] <= accept:
                known += 1
{remember}
            else:
                known = 0


solve_rows_parallel = in_parallel(solve_rows)
'''


def write_driver(program, names):
    """Write ``solve_rows`` and the same on all cores, which call ``solve_point``."""
    torn = [(names[u], p) for n in program.newtons for u, p in zip(n.torn, n.positive)]
    parameters = [names[s] for s in program.parameters]
    grids = [f"{g}_table, {g}_weights" for g in (mark(g.name) for g in program.grids)]
    index = {s: k for k, s in enumerate(program.unknowns)}
    position = [index[u] for n in program.newtons for u in n.torn]
    call = ", ".join([*(f"{p}[row, j]" for p in parameters), *grids, *(f"{u}_guess" for u, _ in torn),
                      "plain", "tolerance", "max_steps"])
    width = len(program.unknowns) + len(program.observables) + 2
    return _DRIVER.strip("\n").format(
        arguments=", ".join([*parameters, *grids, *(f"{u}_start" for u, _ in torn), "out"]), call=call,
        cold=_block(4, [f"{u}_guess = {u}_start[row, j]" for u, _ in torn]),
        warm=_block(5, [f"{u}_guess = {_next(k, p)}" for k, (u, p) in enumerate(torn)]),
        remember=_block(4, [f"remember(past[{k}], {_kept(f'result[{at}]', p)})"
                            for k, (at, (_, p)) in enumerate(zip(position, torn))]), torn=len(torn),
        residual=width - 2, width=width)


def _kept(value, positive):
    """Return the source of the stored form of an unknown: the logarithm of a positive one."""
    return f"math.log(max({value}, 1e-300))" if positive else value


def _next(k, positive):
    """Return the source of the next value of unknown k."""
    return f"math.exp(limited(past[{k}], known))" if positive else f"continued(past[{k}], known)"


def _block(depth, lines):
    return "\n".join("    " * depth + line for line in lines or ["pass"])
