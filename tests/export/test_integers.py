"""Integers of any size in equations: generated code holds doubles, in every language."""

import shutil
from importlib.util import find_spec
from types import ModuleType

import pytest
from sympy import Integer, Max, Piecewise, Rational, cos, exp, log, sqrt, symbols, tanh
from test_headers import Compiled
from test_jax import HEAD, traced

import asympkit as ak
from asympkit.codegen.expressions import ExpressionPrinter

h, m, z, y = symbols("h", positive=True), symbols("m", real=True), *symbols("z y", real=True)
N = 10**20 + 1
#: the first ended in a TypeError of numpy's root of an integer
MAPS = {"two normals": ak.E(10**5 * exp(-((10**5 * (z + y - 1)) ** 2)), (z, y)),
        "root": sqrt(Integer(10**30 + 57)) * m / 10**18, "fraction": h * Integer(N) / (N + 3) / 2 + m * N / 10**25,
        "steep": ak.E(tanh(N * z / 10**20 + h), z) / 3, "larger": Max(m * 10**25, 10**20 * h) / 10**27,
        "cases": Piecewise((h * 10**30, h > 10**20), (Rational(10**25 + 1, 10**26 + 7) * m, True)),
        "power": ak.E((z / 10**10) ** 20 * 10**190 * cos(z + m), z) / 10**3, "log": log(10**40 + m * 10**39) / 200}

NAMES = [f"u{k}" for k in range(len(MAPS))]


def theory(maps):
    unknowns = symbols(NAMES[:len(maps)], real=True)
    return ak.Theory(name="large integers", parameters={h: ("field", "positive")}, unknowns=unknowns,
                     equations=[u - h / 2 - f.xreplace({m: u}) for u, f in zip(unknowns, maps)])


def back_ends(t, folder):
    yield "solve", t.solve(h=1.0)
    for name in ("numpy", "numba"):
        rows = t.sweep(h=[1.0, 1.5], backend=name)
        yield name, {n: rows[n][0] for n in NAMES}
    module = ModuleType("made")
    exec(compile(t.source(), "made", "exec"), module.__dict__)
    yield "module", module.solve(h=1.0)
    if shutil.which("cc"):
        found, _ = Compiled(t, folder).solve(h=1.0)
        yield "C", {n: found[n] for n in NAMES}
    if find_spec("jax"):
        code = HEAD + "\nimport made\nprint(json.dumps(listed({n: made.solve(h=1.0)[n] for n in made.OUTPUTS})))"
        yield "jax", traced(folder, code, made=t.source(language="jax"))


@pytest.mark.slow
def test_integers_of_any_size_in_every_language(tmp_path):
    t = theory(MAPS.values())
    exact = t.precise(h=1, digits=20)
    for name, found in back_ends(t, tmp_path):
        for n in NAMES:
            assert abs(float(found[n]) - float(exact[n])) <= 1e-14, (name, n)


def test_average_over_two_normals_with_large_integers():
    """The integrand is a line of width 1e-5: its mean is close to the density of z + y at 1."""
    t = theory([MAPS["two normals"]])
    found = t.solve(h=1.0)["u0"]
    assert found == pytest.approx(0.5 + 0.3894003915, abs=1e-9)
    assert t.sweep(h=[1.0, 1.5], backend="numpy")["u0"][0] == pytest.approx(found, abs=1e-14)


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("number", [2**53 + 1, -(10**30), Rational(10**30 + 1, 3), Rational(1, 10**25)])
def test_larger_integers_than_doubles_hold_are_written_as_doubles(number, batch):
    text = ExpressionPrinter({}, batch=batch).source(Integer(number) if isinstance(number, int) else number)
    assert isinstance(eval(text), float)
    assert eval(text) == float(number)
    assert not any(len(part) > 17 for part in text.replace(".", "e").split("e"))
