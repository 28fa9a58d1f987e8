"""Derivative almost everywhere: jumps and kinks contribute nothing."""

__all__ = ["derivative"]


def derivative(expr, z):
    """Derivative where it exists: sign and step have derivative 0, ``|u|`` has ``sign(u)*u'``."""
    import sympy as sp

    if expr == z:
        return sp.Integer(1)
    if not expr.has(z):
        return sp.Integer(0)
    if isinstance(expr, sp.sign | sp.Heaviside):
        return sp.Integer(0)
    if isinstance(expr, sp.Abs):
        return sp.sign(expr.args[0]) * derivative(expr.args[0], z)
    if isinstance(expr, sp.Max | sp.Min):
        return _of_extremum(type(expr), list(expr.args), z)
    if isinstance(expr, sp.log):
        _, rest = expr.args[0].as_independent(z, as_Add=False)
        if isinstance(rest, sp.cosh):  # tanh at once, as the quotient sinh/cosh overflows
            return sp.tanh(rest.args[0]) * derivative(rest.args[0], z)
    if isinstance(expr, sp.Piecewise):
        return sp.Piecewise(*((derivative(value, z), condition) for value, condition in expr.args))
    # Chain rule through placeholders, so that sympy never differentiates a switching function itself.
    slots = [sp.Dummy(f"u{i}", real=True) for i in range(len(expr.args))]
    outer = expr.func(*slots, evaluate=False) if expr.is_Add or expr.is_Mul else expr.func(*slots)
    back = dict(zip(slots, expr.args))
    total = sp.Integer(0)
    for slot, arg in back.items():
        if arg.has(z):
            total += _partial(expr, outer, slot, back) * derivative(arg, z)
    return total


def _partial(expr, outer, slot, back):
    import sympy as sp

    if expr.is_Add:
        return sp.Integer(1)
    if expr.is_Mul:
        return sp.Mul(*(arg for other, arg in back.items() if other is not slot))
    if expr.is_Pow:
        base, exponent = expr.args
        if slot is next(iter(back)):
            return exponent * base ** (exponent - 1)
        return expr * sp.log(base)
    return outer.diff(slot).xreplace(back)


def _of_extremum(kind, args, z):
    import sympy as sp

    first, rest = args[0], (args[1] if len(args) == 2 else kind(*args[1:]))
    if not first.has(z) or len(args) > 2:
        first, rest = rest, first
    # At a tie the derivative is that of `rest`, the part that does not move for max(0, z).
    gap = first - rest if kind is sp.Max else rest - first
    chosen = sp.Heaviside(gap, 0)
    da, db = derivative(first, z), derivative(rest, z)
    return db + chosen * (da - db)
