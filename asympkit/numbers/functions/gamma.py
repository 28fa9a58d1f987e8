"""The gamma function, its logarithm for positive arguments, and polygamma functions of integer order."""

from math import inf

from .entry import Entry

_HERE = "asympkit.numbers.functions.routines.gamma"


def _log_gamma_digits(mp, x):
    return mp.loggamma(x) if x > 0 else mp.nan


def _polygamma_balls(order, x):
    from flint import acb

    return acb(x).polygamma(acb(order)).real


def _log_gamma(u, analytic):
    # on its cut, the negative axis, the logarithm is not analytic either
    return u.lgamma() + 0 * u.log(analytic=True) if analytic else u.lgamma()


ENTRIES = (
    Entry("gamma", "gamma_function", "gamma_function_batch", f"{_HERE}:gamma_function_batch", "gamma", "gamma",
          "gamma", "gamma", "gamma", domain=(0, inf)),
    Entry("loggamma", "log_gamma", "log_gamma_batch", f"{_HERE}:log_gamma_batch", _log_gamma_digits, "lgamma",
          _log_gamma, "log_gamma", "gamma", domain=(0, inf)),
    Entry("polygamma", "polygamma", "polygamma_batch", f"{_HERE}:polygamma_batch",
          lambda mp, n, x: mp.polygamma(int(n), x), _polygamma_balls, lambda n, u, a: u.polygamma(n), "polygamma",
          "gamma", arity=2, orders=1, domain=(0, inf)),
)
