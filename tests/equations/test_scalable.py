"""Uniqueness read off the form of the equations: what is claimed holds, and what does not hold is not claimed."""

import numpy as np
import pytest
from sympy import Rational, Symbol, exp, sqrt, symbols, tanh

import asympkit as ak
from asympkit.equations.blocks import Block
from asympkit.equations.scalable import Refusal, by_assumptions, prove_scalable
from asympkit.equations.system import System
from asympkit.nodes import Applied, Named

V, W, a, b = symbols("V W a b", positive=True)
k, x = symbols("k x", real=True)
z, D = symbols("z D", real=True)
S = Symbol("S", nonnegative=True)


def proved(*maps, unknowns=(V, W)):
    """Whether a system of maps is proved to have one positive solution at most."""
    unknowns = unknowns[:len(maps)]
    (block,) = System(unknowns, [u - f for u, f in zip(unknowns, maps)]).blocks
    return holds(block)


def holds(block):
    try:
        prove_scalable(block, by_assumptions)
    except Refusal:
        return False
    return True


UNIQUE = [
    (a + V / 2 + sqrt(V),),
    (V / 2 + V / (1 + V),),                        # V/(1 + V) is 1/(1 + 1/V)
    (a + sqrt(b + V),),
    (1 / (1 + 1 / (a + V)),),
    (a + ak.E(1 / (1 + z**2 + 1 / (b + V)), z),),
    (1 / (1 / (a + W) + b), 2 / (1 / (1 + V) + 1 / W)),
    (ak.mean(D / (a + ak.E(z**2 / (1 + z**2 * V), z) * D), ak.MarchenkoPastur(D, ratio=b, scale=a)),),
    (sqrt(V) * Rational(1, 2) + 1,),
    (a + V * ak.E(z**2 / (1 + z**2 * V), z),),     # 1/(1/V + z**2) inside
    (a + S * W / (b + S), 1 + V / 2),              # S may be 0
]
OPEN = [
    (a + 3 * V**2 / (1 + V**2),),                  # three positive roots at a = 1/100
    (V**2 + a,),                                   # none or two
    (V / 2 + V**2 / (1 + V),),                     # no rule
    (sqrt(V * W), sqrt(V * W)),                    # a line of roots: scalable, but not strictly
    (a / V,),                                      # one root, of a map that decreases
    (a + S * tanh(V),),                            # no rule
    (a + exp(V - 3),),
    (a - 1 + sqrt(V),),                            # a sign that is not known
    (a + k * sqrt(V),),
    (ak.E(z * sqrt(V), z) + a + sqrt(V) * x,),
    (ak.mean(1 / (a + D * x / V), ak.MarchenkoPastur(D, ratio=b, scale=a)),),
    (ak.E(z**2 * V, z) * 3 - V,),
]


@pytest.mark.parametrize("maps", UNIQUE, ids=str)
def test_form_that_has_one_root(maps):
    assert proved(*maps)


@pytest.mark.parametrize("maps", OPEN, ids=str)
def test_form_that_proves_nothing(maps):
    assert not proved(*maps)


def test_places_where_conditional_means_are_positive():
    """A square of a conditional mean is positive around a place where it is positive, if the mean is analytic."""
    def maps(width):
        square = ak.E(Applied("f", k + width * x), x)**2
        K = Named("K", S + square * V)
        return ak.E(K / (b + K), k)

    def block(width):
        (found,) = System((V,), [V - maps(width)]).blocks
        return found

    asked = []
    prove_scalable(block(a), by_assumptions, lambda e: asked.append(e) or True)
    assert asked == [ak.E(Applied("f", 1 + a * x), x)**2]
    for width, answer in ((a, False), (S, True), (0, True)):
        with pytest.raises(Refusal, match="not proved to be strictly scalable"):
            prove_scalable(block(width), by_assumptions, lambda e, answer=answer: answer)


def random_map(rng, depth=3):
    """A random expression of V, and the same as a function."""
    kind = rng.integers(6) if depth else rng.integers(2)
    if kind == 0:
        return V, lambda v: v
    if kind == 1:
        c = Rational(int(rng.integers(0, 9)), 4)
        return c, lambda v, c=float(c): c + 0.0 * v
    f, g = random_map(rng, depth - 1)
    p, q = random_map(rng, depth - 1)
    if kind == 2:
        return f + p, lambda v: g(v) + q(v)
    if kind == 3:
        return f * p, lambda v: g(v) * q(v)
    power = Rational(int(rng.choice([-2, -1, 1, 2])), int(rng.integers(1, 4)))
    return (f + Rational(1, 8)) ** power, lambda v, n=float(power): (g(v) + 0.125) ** n


def test_random_maps_that_are_proved_are_scalable():
    rng = np.random.default_rng(20261122)
    v, count = np.geomspace(1e-3, 1e3, 200), 0
    for _ in range(1500):
        f, g = random_map(rng)
        if not f.has(V) or not holds(Block("nonlinear", (V,), (V,), (), ((V, f, True),))):
            continue
        count += 1
        for t in (1.001, 1.5, 30.0):
            assert np.all(g(t * v) < t * g(v) * (1 + 1e-12)), f
            assert np.all(g(t * v) >= g(v) * (1 - 1e-12)), f
        signs = np.sign(g(v) - v)
        assert np.count_nonzero(np.diff(signs[signs != 0])) <= 1, f
    assert count > 60
