"""Derivatives of the gradient step: how r, c, gamma, rho move with eta, 1/alpha0, beta and the noise."""

from functools import cache

import numpy as np

from ..program import Names, scalar_map
from ..program.statements import Means
from ..readings.expression import evaluate
from ..readings.numbers import Floats
from ..runtime.means import normal_means
from ..theories import one_step_parameters as osp


@cache
def step_derivatives():
    """The derivatives, lowered to a :class:`~asympkit.program.ScalarMap` with outputs ``(name, argument)``."""
    arguments = [osp.symbols()[n] for n in osp.ARGUMENTS]
    outputs = {(name, s.name): e.diff(s) for name, e in osp.expressions().items() for s in arguments}
    return scalar_map(arguments, outputs, Names(arguments))


def step_rates(argument, values, functions):
    """Derivatives of r, c, gamma, rho by one argument of the step.

    Parameters
    ----------
    argument : str
        ``eta``, ``overload`` (1/alpha0), ``beta`` or ``noise_variance``.
    values : dict of str to float
        All arguments.
    functions : dict
        ``{label: Activation}``.

    Returns
    -------
    dict of str to float
    """
    mapping, numbers = step_derivatives(), Floats()
    known = {s: values[s.name] for s in mapping.arguments}
    for s in mapping.preparation:
        if isinstance(s, Means):
            means, _ = normal_means(s.activation(functions), np.zeros(1), 1.0, _functional(s, known, numbers))
            known.update((o, float(m[0])) for o, m in zip(s.outputs, means))
        else:
            known[s.symbol] = evaluate(s.expr, known, numbers)
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = {name: float(_value(e, known, numbers))
                 for (name, by), e in mapping.outputs if by == argument}
    if values["overload"] == 0.0 and argument != "overload":
        rates |= {"gamma": 0.0, "rho": 0.0}     # the population gradient lies along the target whatever its size
    return rates


def _functional(step, known, numbers):
    return lambda z, s, at: tuple(evaluate(f, {**known, step.z: z, step.value: s}, numbers) for _, f in step.items)


def _value(expr, known, numbers):
    return evaluate(expr, {k: np.float64(v) for k, v in known.items()}, numbers)
