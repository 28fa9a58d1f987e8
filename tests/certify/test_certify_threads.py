"""Threads that certify, enclose and expand at once get what one after the other gets."""

import threading
from concurrent.futures import ThreadPoolExecutor

import flint
import mpmath
import pytest
from sympy import Symbol, exp, tanh

import asympkit as ak
from asympkit.balls.backend import workprec

z, m = Symbol("z", real=True), Symbol("m", real=True)
J, h = Symbol("J", positive=True), Symbol("h", positive=True)


def magnet():
    """Random field: its field is a normal of standard deviation h."""
    return ak.Theory(name="random field", parameters={J: ("", "positive"), h: ("", "positive")}, unknowns=[m],
                     equations=[m - ak.E(tanh(J * m + h * z), z)], start={m: 1.0})


def jobs(theory):
    """Functions of exact work with many different digits; activations and averages are made anew."""
    at = {"J": "1.5", "h": "0.2"}
    for digits in (8, 20):
        yield lambda d=digits: str(theory.certify(digits=d, **at)["m"])
    for digits in (10, 30):
        yield lambda d=digits: str(ak.enclose(ak.E(tanh(z) ** 2 * exp(z / 3), z), digits=d))
        yield lambda d=digits: str(ak.Activation("tanh(z)+abs(z-1/3)").hermite_coefficients(2, digits=d))
    for digits in (12, 20):
        yield lambda d=digits: str(ak.Activation("erf(z)*z").hermite_coefficients(2, digits=d, certified=True)[2])
    yield lambda: str(ak.Activation("max(tanh(z-1/5), 1/3)-erf(z)").kinks)


@pytest.mark.parametrize("threads", [4])
def test_threads_get_what_one_after_the_other_gets(threads):
    theory = magnet()
    expected = [job() for job in jobs(theory)]
    before = flint.ctx.prec, mpmath.mp.prec
    with ThreadPoolExecutor(threads) as pool:
        got = list(pool.map(lambda job: job(), jobs(theory)))
    assert got == expected
    assert (flint.ctx.prec, mpmath.mp.prec) == before


def test_a_precision_is_not_changed_by_another_thread():
    seen, inside, done = [], threading.Event(), threading.Event()

    def other():
        inside.wait()
        with workprec(40):
            seen.append(flint.ctx.prec)
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with workprec(200):
        inside.set()
        assert not done.wait(0.05)          # it waits for its turn
        with workprec(100):
            assert flint.ctx.prec == 100
        assert flint.ctx.prec == 200
    thread.join()
    assert seen == [40]
