"""The networks that are sampled: constants of the student by quadrature, and the numbers of the formulas."""

from functools import cache
from types import SimpleNamespace

from . import batch


def constants(slope):
    """The moments of f for a slope in numbers."""
    mean = batch.normal_mean
    first, two = mean(slope), mean(lambda u: u * slope(u))

    def f(u):
        return slope(u) - first - two * u

    square = mean(lambda u: f(u) ** 2)
    return SimpleNamespace(h1=first, sigma2=two, f=f, square=square, s3=mean(lambda u: (u**2 - 1) * f(u)),
                           s4=mean(lambda u: (u**3 - 3 * u) * f(u)), f21=mean(lambda u: u * f(u) ** 2),
                           f22=mean(lambda u: (u**2 - 1) * f(u) ** 2), f3=mean(lambda u: f(u) ** 3))


@cache
def point(kind):
    """A network: tanh on sin (a = 3, alpha0 = 1/2), or log(1 + exp(2 z + 1)) on sin (a = 1, alpha0 = 1)."""
    import numpy as np

    if kind == "odd":
        at = SimpleNamespace(a=3.0, alpha0=0.5, offset=0.0, slope=lambda u: 1 / np.cosh(u) ** 2)
    else:
        at = SimpleNamespace(a=1.0, alpha0=1.0, slope=lambda u: 2 / (1 + np.exp(-2 * u - 1)),
                             offset=batch.normal_mean(lambda u: np.logaddexp(0, 2 * u + 1)))
    at.target, at.noise, at.k = np.sin, 0.0, constants(at.slope)
    at.spread = spread(at)
    return at


def parts(at, y):
    """Numbers of the formulas at labels y: beta_y, delta_y, L, e."""
    k, o = at.k, 1 / at.alpha0
    ell = at.a * k.sigma2
    start = 1 + ell * at.mean_label
    diagonal = start + ell * y * o
    change = diagonal**2 - start**2
    L = 2 * at.a * k.s3 * y * diagonal + at.a**2 * k.f21 * o * y**2
    e = 2 * at.a**2 * k.f21 * o * y**2 * diagonal + at.a**3 * k.f3 * o**2 * y**3 + at.a * k.s3 * y * change
    return SimpleNamespace(ell=ell, start=start, diagonal=diagonal, change=change, L=L, e=e)


def cumulants(at, y, weights):
    """Free cumulants of K, beta0 and those of order 2 to 4, and the moments of the labels."""
    ell, moments = at.a * at.k.sigma2, [weights @ y**j for j in range(5)]
    return [1 + ell * moments[1], *(ell**j * moments[j] / at.alpha0 ** (j - 1) for j in (2, 3, 4))], moments


def trace_square(at):
    """The limit of tr S^2/d, as common_mode has it."""
    nodes, weights = batch.rule()
    y, o = at.target(nodes) - at.offset, 1 / at.alpha0
    strength = at.a**2 * at.k.square * o
    (b0, c2, c3, c4), moments = cumulants(at, y, weights)
    fourth = c4 + 4 * c3 * b0 + 2 * c2**2 + 6 * c2 * b0**2 + b0**4
    crossed = weights @ (y**2 * (c2 + parts(at, y).diagonal ** 2))
    return fourth + 2 * strength * crossed + strength**2 * (moments[2] ** 2 + o * moments[4])


def spread(at):
    """The variance of chi in numbers, as row_norm has it."""
    import numpy as np

    nodes, weights = batch.rule()
    y, o, a, k = at.target(nodes) - at.offset, 1 / at.alpha0, at.a, at.k
    at.mean_label = weights @ y
    part = parts(at, y)
    (b0, c2, c3, c4), moments = cumulants(at, y, weights)
    f = k.f(nodes)
    U = 2 * a * np.outer(y * part.diagonal, nodes * f) + a**2 * o * np.outer(y**2, f**2 - k.square)
    beyond = weights @ ((U - np.outer(part.L, nodes)) ** 2 @ weights)
    second = 2 * (a * k.s4 * y * part.diagonal + a**2 * k.f22 * o / 2 * y**2)
    linear = o * (weights @ part.L**2) + (weights @ (part.L * nodes)) ** 2
    return (linear + o * beyond + 2 * (c4 + 4 * c3 * b0 + c2**2 + 4 * c2 * b0**2) + 2 * weights @ (part.change * second)
            + 4 * a**2 * k.square * o * moments[2] * c2 + 2 * (a**2 * k.square * o * moments[2]) ** 2)
