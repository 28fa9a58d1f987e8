"""Linear equations that leave unknowns free: every route says the same, one solution or none."""

import numpy as np
import pytest
from sympy import Rational, symbols

import asympkit as ak
from asympkit.solve.solution import Status

x, y, w, a, b, c = symbols("x y w a b c", real=True)
HALF = Rational(1, 2)
#: unknowns, equations and parameters of systems with many solutions, or none
DEPENDENT = {
    "a free direction": ([x, y], [x + y - 1 + a, x + y - 1], {a: 0}),
    "a contradiction": ([x, y], [x + y - 1 + a, x + y - 1], {a: HALF}),
    "by the numbers": ([x, y], [a * x + b * y - 1, a * x + b * y - 1], {a: HALF, b: 3}),
    "in proportion": ([x, y], [b * x + c * y - 1, a * b * x + a * c * y - a], {a: 2, b: HALF, c: 3}),
    "three of them": ([x, y, w], [a * x + b * y + c * w - 1, a * x + b * y + c * w - 1, a * x - b * y - 2],
                      {a: 1, b: 1, c: 1}),
    "an entry that cancels": ([x, y], [b * x + y - 1, c * x + y - 1], {b: 2, c: 2}),
    "one that others read": ([x, y], [a * x, y - x - 1], {a: 0}),
    "one that a linear block reads": ([x, y], [a * x, x + y - 1 + a * y], {a: 0}),
    "one that a nonlinear block reads": ([x, y], [a * x, y**3 + y - x - 1], {a: 0}),
    "one inside its block": ([x, y], [a * x + b * y, y - x - 1], {a: 0, b: 0}),
}
#: and of systems in which nothing depends on what is free, with their solutions
FREE = {
    "alone": ([x, y], [a * x, y - 1], {a: 0}, {x: 0, y: 1}),
    "read with a factor that vanishes": ([x, y], [a * x, y**3 + y - 2 - a * x], {a: 0}, {x: 0, y: 1}),
    "all": ([x, y], [a * x + b * y, b * x + a * y], {a: 0, b: 0}, {x: 0, y: 0}),
    "none is": ([x, y], [x + y - 1, x + (1 + a) * y - 1], {a: HALF}, {x: 1, y: 0}),
}


def theory(unknowns, equations, at):
    return ak.Theory(name="linear", unknowns=unknowns, equations=equations,
                     parameters=dict.fromkeys(at, ("number", "real")))


def by_name(at):
    return {s.name: Rational(v) for s, v in at.items()}


def sweeps(t, at, backends):
    floats = {n: float(v) for n, v in by_name(at).items()}
    first = next(iter(floats))
    for backend in backends:
        yield t.sweep(backend=backend, **{**floats, first: np.full(2, floats[first])})


def is_refused(sweep):
    """Whether no point has a number, because the equations are dependent."""
    return not sweep.converged.any() and (sweep.status == Status.DEPENDENT).all() and np.isnan(sweep["x"]).all()


@pytest.mark.slow
def test_compiled_loops_refuse():
    unknowns, equations, at = DEPENDENT["three of them"]
    (sweep,) = sweeps(theory(unknowns, equations, at), at, ("numba",))
    assert is_refused(sweep)


@pytest.mark.parametrize("case", DEPENDENT)
def test_every_route_refuses(case):
    unknowns, equations, at = DEPENDENT[case]
    t, texts = theory(unknowns, equations, at), {n: str(v) for n, v in by_name(at).items()}
    with pytest.raises(ak.ConvergenceError, match="solve: the linear equations are dependent here") as caught:
        t.solve(**texts)
    assert caught.value.solution.status is Status.DEPENDENT
    with pytest.raises(ak.ConvergenceError, match="precise: the linear equations are dependent here"):
        t.precise(digits=20, **texts)
    assert all(map(is_refused, sweeps(t, at, ("numpy",))))
    pytest.importorskip("flint", reason="python-flint is not installed")
    with pytest.raises(ak.ProofError, match="not one solution but many|has no solution|not proved to be regular"):
        t.certify(digits=15, **texts)


@pytest.mark.parametrize("case", FREE)
def test_every_route_leaves_at_0_what_nothing_depends_on(case):
    unknowns, equations, at, right = FREE[case]
    t, texts = theory(unknowns, equations, at), {n: str(v) for n, v in by_name(at).items()}
    s, digits = t.solve(**texts), t.precise(digits=20, **texts)
    (sweep,) = sweeps(t, at, ("numpy",))
    assert sweep.converged.all()
    for u, value in right.items():
        assert s[u.name] == pytest.approx(float(value), abs=1e-14)
        assert float(digits[u.name]) == pytest.approx(float(value), abs=1e-18)
        assert sweep[u.name] == pytest.approx(float(value), abs=1e-14)
    pytest.importorskip("flint", reason="python-flint is not installed")
    certified = t.certify(digits=15, **texts)
    assert all(certified[u.name].contains(float(value)) for u, value in right.items())
    assert ("0 by convention" in certified.certificate.claim) == (case != "none is")


def test_a_derivative_of_what_is_free_is_none():
    t = theory([x, y], [x + y - c, x + y - c + a], {a: 0, c: 1})
    with pytest.raises(ak.ConvergenceError):
        t.sensitivity("x", "c", a=0, c=1)


def test_many_digits_resolve_what_is_nearly_dependent():
    """The digits lost to a matrix that is nearly singular are computed on top, up to a limit."""
    t = theory([x, y], [x + y - 3, x + (1 + a) * y - 3 - 2 * a], {a: 0})
    for near in ("1e-18", "1e-60", "1e-120"):
        with pytest.raises(ak.ConvergenceError):
            t.solve(a=near)
        found = t.precise(digits=15, a=near)
        assert abs(found["y"] - 2) < 1e-14 and abs(found["x"] - 1) < 1e-14


def test_the_file_of_a_sweep_keeps_the_reason(tmp_path):
    t = theory([x, y], [x + (1 + a) * y - 1, x + y - 1], {a: 0})
    for ending in (".npz", ".csv", ".npy"):
        for _ in range(2):
            sweep = t.sweep(a=[0.0, 1.0], file=tmp_path / f"s{ending}")
            assert list(sweep.status) == [Status.DEPENDENT, Status.CONVERGED]
