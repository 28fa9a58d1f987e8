"""Check arguments of the simulations of a gradient step with a growing step size."""

from ...errors import DomainError, suggest
from ..core import arguments as check

MODELS = ("network", "truncated", "limit")
ROWS = ("sphere", "gaussian")
INITIAL_OUTPUTS = ("removed", "kept")


def choice(name, value, known):
    """Return `value` if it is one of the known ones."""
    if value not in known:
        raise DomainError(f"{name}={value!r}: expected one of {', '.join(map(repr, known))}{suggest(value, known)}")
    return value


def sizes(phi, psi, n):
    """Return input dimension and width; raise for ratios that round to nothing."""
    d = round(check.real("phi", phi, low=0.0, open_low=True) * n)
    if d < 2:
        raise DomainError(f"phi={phi!r} at n={n} leaves fewer than 2 input dimensions: expected phi >= {2 / n:g}, "
                          "or a larger n")
    width = round(d / check.real("psi", psi, low=0.0, open_low=True))
    if width < 1:
        raise DomainError(f"psi={psi!r} at d={d} leaves no hidden unit: expected psi <= {d}, or a larger n")
    return d, width


def step_size(eta, model):
    """Return the step size as a float, or None in the limit of diverging spikes."""
    if model == "limit":
        if eta is not None:
            raise DomainError(f"eta={eta!r}: expected None for model='limit', where the spikes have diverged; "
                              "take model='network' or 'truncated' for a step size")
        return None
    if eta is None:
        raise DomainError(f"eta=None: expected a step size >= 0 for model={model!r}; only model='limit' needs none")
    return check.real("eta", eta, low=0.0)
