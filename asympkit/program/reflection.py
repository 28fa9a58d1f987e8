"""Signs of expressions when the variables of even and odd activations change theirs."""

from sympy import Abs, Add, Integer, Mul, Pow, Symbol

__all__ = ["sign_of", "vanishing"]


def vanishing(step, arguments):
    """Which means of a Means are zero at offset zero by parity.

    Parameters
    ----------
    step : Means
    arguments : set of Symbol
        What has no sign of its own.

    Returns
    -------
    dict
        ``{parity of the activation: a bool for each output}``; 2 for one whose mean is zero by another proof.
    """
    found = {2: tuple(f == step.value for _, f in step.items)}
    for parity in (1, -1):
        at = {**dict.fromkeys(arguments, 1), step.z: -1, step.value: parity}
        found[parity] = tuple(sign_of(f, at) == -1 for _, f in step.items)
    return found


def sign_of(expr, at):
    """1 or -1, 0 where the expression has no parity by structure."""
    if isinstance(expr, Symbol):
        return at.get(expr, 0)
    parts = [sign_of(a, at) for a in expr.args]
    if isinstance(expr, Mul):
        total = 1
        for p in parts:
            total *= p
        return total
    if isinstance(expr, Add):
        return parts[0] if len(set(parts)) == 1 else 0
    if isinstance(expr, Pow) and isinstance(expr.exp, Integer):
        return parts[0] if int(expr.exp) % 2 else abs(parts[0])
    if isinstance(expr, Abs):
        return abs(parts[0])
    return 1 if all(p == 1 for p in parts) else 0
