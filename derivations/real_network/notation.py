"""Symbols of the documents on the real network, and the mean over a sample of the first batch."""

from sympy import Symbol, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied

#: component of the input along the target's direction, and one across it
tau, w = symbols("tau w", real=True)
z, kappa = symbols("z kappa", real=True)
g, omega, alpha0, alpha, beta, b, d, p, n0 = symbols("g omega alpha0 alpha beta b d p n0", positive=True)
#: dimensions per sample of the first batch, 1/alpha0
overload = Symbol("o", nonnegative=True)
#: the rate of the step over beta, the gradient's common slope h1
step, h1 = Symbol("a", positive=True), Symbol("h1", real=True)
#: what the second stage hands to the spectrum: lam + Vhat2, Vhat1, and the two responses
level, Vhat1 = symbols("Lambda Vhat1", positive=True)
V1, V2 = symbols("V1 V2", positive=True)

#: the label of a sample: any function of tau (noise would be one more variable of every mean)
label = Applied("target", tau)


def mean(f):
    """The mean of ``f(y, tau)`` over a sample, as an expression."""
    return E(f(label, tau), tau)


def first(y):
    """A function of the label that is not chosen."""
    return Applied("F", y)


def second(y):
    """Another."""
    return Applied("G", y)


def student(argument, order=0):
    """The student, not chosen, or a derivative."""
    return Applied("student", argument, order)
