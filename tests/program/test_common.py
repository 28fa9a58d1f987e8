"""Common parts of statements: the same values with fewer operations, and nothing moved past what changes it."""

import numpy as np
import pytest
from sympy import Piecewise, Symbol, exp, symbols

from asympkit.codegen import write_kernel
from asympkit.equations import System
from asympkit.multiprecision.interpreter import Interpreter
from asympkit.multiprecision.number_systems import Floats
from asympkit.numbers.evaluation import evaluate
from asympkit.program import Names, Newton, Scalar, build, common
from asympkit.program.common import length, name_common
from asympkit.solve.kernel import Kernel

a, b, x, y = symbols("a b x y", real=True)
p, q = symbols("p q", positive=True)
POLYNOMIAL = (1 + a) * (2 + b) * (3 + a * b) + a**3 + exp(a)


@pytest.fixture
def always(monkeypatch):
    """Programs of any length have their common parts named."""
    monkeypatch.setattr(common, "LONG", 0)


def run(statements, values):
    values = dict(values)
    for s in statements:
        values[s.symbol] = evaluate(s.expr, values, Floats())
    return values


def test_values_stay_and_operations_go(always):
    statements = [Scalar(x, POLYNOMIAL**2 + 1 / POLYNOMIAL), Scalar(y, x * POLYNOMIAL / (a + b * exp(a)) ** 2)]
    found = name_common(statements, Names((a, b, x, y)))
    values = {a: 0.3, b: 1.7}
    assert {s: run(found, values)[s] for s in (x, y)} == pytest.approx(
        {s: run(statements, values)[s] for s in (x, y)}, rel=1e-15)
    assert length(found) < 0.6 * length(statements)
    assert [s.symbol for s in found if s.symbol in (x, y)] == [x, y]


def test_short_programs_stay_as_they_are():
    statements = (Scalar(x, POLYNOMIAL), Scalar(y, POLYNOMIAL**2))
    assert name_common(statements, Names((a, b, x, y))) == statements


def test_a_branch_is_computed_in_its_case_only(always):
    branch = exp(1 / a) / (a + b * exp(1 / a)) + POLYNOMIAL
    statements = [Scalar(s, Piecewise((branch, a > 0), (b, True))) for s in (x, y)]
    assert name_common(statements, Names((a, b, x, y))) == tuple(statements)


def test_nothing_is_shared_across_a_solve(always):
    moved, target = Symbol("moved"), Symbol("target")
    newton = Newton((p,), (Scalar(target, POLYNOMIAL.subs(b, p)),), ((target, True),), ((None,),), moved, (None,), ())
    before, after = (Scalar(s, POLYNOMIAL.subs(b, p) ** 2) for s in (x, y))
    assert name_common([before, newton, after], Names((a, p, x, y))) == (before, newton, after)


def test_names_do_not_depend_on_what_was_named_before(always):
    statements = [Scalar(x, POLYNOMIAL), Scalar(y, POLYNOMIAL**2)]
    first, second = (name_common(statements, Names((a, b, x, y))) for _ in range(2))
    assert first == second
    assert any(s.symbol.name == "common" for s in first)


def test_interpreter_loops_and_batch_agree(always):
    part = (1 + a**2) * (2 + q) * (3 + a**2 * q) + exp(a * q)
    system = System((q, x), (q - (1 + a**2) / (1 + part / (1 + part**2)), x - part**2 * (part + q) / (1 + a**2 * part)),
                    {"value": part**3 + x * part})
    program, names = build(system, (a,))
    assert any(s.symbol.name.startswith("common") for s in program.statements if isinstance(s, Scalar))
    kernel = Kernel.from_source(write_kernel(program, names, "Common parts"))
    wanted = Interpreter(program, Floats(), {}).run({a: 0.7}, {q: 1.0})
    wanted = [float(wanted[s]) for s in program.outputs[:-1]]
    point = kernel.module.solve_point(0.7, 1.0, 2, 1e-12, 100)
    batch, _ = kernel.module.solve_batch(np.array([0.7]), np.array([1.0]), 2, 1e-12, 100)
    assert point[:len(wanted)] == pytest.approx(wanted, rel=1e-13)
    assert batch[:len(wanted), 0] == pytest.approx(wanted, rel=1e-13)
