"""Entries of Newton's matrix in the variables of the solver: logarithms of positive unknowns."""


def jacobian_entry(newton, i, j, names):
    """Return the source of the derivative of residual i by the solver's variable j.

    The residual is ``log(u/f)`` or ``u - f`` for a map u = f (positive unknown or not), and the
    equation itself otherwise.
    """
    target, is_map = newton.targets[i]
    u, v, t = names[newton.torn[i]], names[newton.torn[j]], names[target]
    symbol = newton.jacobian[i][j]
    d = "0.0" if symbol is None else names[symbol]
    unit = "1.0" if i == j else "0.0"
    scale = f"*{v}" if newton.positive[j] else ""
    if not is_map:
        return f"{d}{scale}"
    if newton.positive[i]:
        unit = unit if newton.positive[j] else ("1.0/" + u if i == j else "0.0")
        return f"{unit} - {d}{scale}/{t}"
    return f"{unit}{scale} - {d}{scale}"
