"""The program: names, levels, what cannot be lowered, directions, parities."""

from unittest import mock

import numpy as np
import pytest
from sympy import Abs, Integer, Piecewise, Symbol, cos, exp, symbols, tanh

import asympkit as ak
from asympkit.equations import System
from asympkit.nodes import Applied
from asympkit.program import Linear, Newton, Scalar, Sums, build, symmetry
from asympkit.program.statements import LARGEST_ERROR, ROUNDING
from asympkit.sensitivity.tangent import tangent_program
from asympkit.theories.spiked_features.equations import ridge
from asympkit.theories.spiked_features.equations import symbols as symbols_of_theory

u, v, x, y, z, a, b = symbols("u v x y z a b", real=True)
p, q = symbols("p q", positive=True)


@pytest.mark.parametrize(("unknown", "observable"), [("residual", "error"), ("iterations", "error"), ("w", "residual"),
                                                     ("w", "w")])
def test_results_of_equal_name_are_refused(unknown, observable):
    w = Symbol(unknown, positive=True)
    with pytest.raises(ak.StructureError, match=f"names: {w if unknown != 'w' else observable} would occur twice"):
        ak.Theory(name="twice", unknowns=[w], parameters={p: ("", "positive")}, equations=[w - p],
                  observables={observable: w**2})


def program(equations, unknowns, parameters=(p,), observables=None):
    return build(System(unknowns, equations, observables), parameters)[0]


def defined_before_use(statements, known):
    known = {*known, ROUNDING, LARGEST_ERROR}        # constants of every module
    for s in statements:
        if isinstance(s, Newton):
            known |= set(s.torn)
            defined_before_use(s.body, known)
            inputs = set()
        elif isinstance(s, Sums):
            inside = set(s.grid.columns.values())
            for symbol, expr in s.locals:
                assert expr.free_symbols <= known | inside, symbol
                inside.add(symbol)
            inputs = set().union(*(e.free_symbols for _, e, _ in s.sums)) - inside
        else:
            inputs = s.inputs if isinstance(s, Linear) else s.expr.free_symbols
        assert inputs <= known, (s.outputs, inputs - known)
        known |= set(s.outputs)
    return known


def test_errors_are_added_to_what_solves():
    """Without the error analysis a program has the same equations and values, and the residuals of its solvers."""
    system = System([u, v, x, y], [u - 1 / (p + v), v - ak.E(tanh(z * u) ** 2, z), p * x + y - v, x - u * y + 1],
                    {"difference": u - v})
    plain, whole = (build(system, (p,), for_proof=kind)[0] for kind in (True, False))
    (newton,), (linear,) = plain.newtons, plain.linears
    assert set(plain.checks) == {newton.step_residual, linear.residual} and not newton.sizes and not linear.sizes
    assert not plain.errors and plain.limited is None
    assert whole.newtons[0].sizes and whole.linears[0].sizes and set(whole.errors) and whole.limited is not None
    assert linear.residual in whole.checks and len(whole.checks) > len(plain.checks)
    for prog in (plain, whole):
        defined_before_use(prog.statements, prog.parameters)
    bodies = [[s.note for s in prog.newtons[0].body if isinstance(s, Scalar)] for prog in (plain, whole)]
    assert bodies[0] == bodies[1]


def test_what_cannot_be_lowered():
    inner = ak.E(Applied("student", z + x) * Applied("target", z), z)
    with pytest.raises(ak.StructureError, match="must hold one activation, at one argument"):
        program([u - ak.E(inner**2 / (1 + u), x)], [u])
    with pytest.raises(ak.StructureError, match="must be affine in"):
        program([u - ak.E(ak.E(Applied("student", z**2 + x), z) ** 2 / (1 + u), x)], [u])


@pytest.mark.slow
def test_tabulated_lines_tell_where_integrands_turn():
    """Signs of a target almost along the spike change within rho/gamma of 0, and nodes are there."""

    import asympkit as ak

    theory = ak.SpikedFeatures("tanh", "z", loss="hinge", labels="sign")
    (grid,) = theory.program[0].grids
    assert sorted(str(line / grid.bound[0]) for line in grid.lines) == [
        "gamma/rho", "gamma/sqrt(noise_variance + rho**2)"]
    row = [str(c) for c in grid.columns].index("a")
    for gamma, least, most in ((0.8, 0.001, 0.2), (1 - 5e-9, 0.0, 1e-5)):
        point = theory.point({"r": 1, "c": 1, "gamma": gamma, "alpha": 1, "lam": 1})
        (table, _), _, _ = theory.kernel.tables(3, point.table_parameters, [theory.student], ())
        a = np.abs(table[row])
        nearest = a[a > 0].min() * np.sqrt(1 - gamma**2) / gamma
        assert least < nearest < most


t = Symbol("t", real=True)


def test_spiked_features():
    program, _ = ridge().program
    (grid,) = program.grids
    tried = symmetry.symmetries(program, grid)
    with mock.patch.object(symmetry, "_TRIED", 1):
        assert symmetry.symmetries(program, grid) == tried
    assert len(tried) == 2


@pytest.mark.slow
def test_derivatives_keep_the_symmetries():
    """Half of a rule is enough for them too: products of sums that change their signs together stay the same."""
    direction = {symbols_of_theory().lam: Integer(1)}
    program, _ = tangent_program(ridge().system, ridge().parameters, direction)
    (grid,) = program.grids
    plain, _ = ridge().program
    assert symmetry.symmetries(program, grid) == symmetry.symmetries(plain, plain.grids[0])


@pytest.mark.parametrize("integrand, sign", [
    (x * (a - b), 1), ((x - a) * (a - b), 1), (x * (a - t), 0), (abs(x) * (a - b), -1), ((x + a) ** 3, -1),
    ((x * t - a) ** -2, 1), (Abs(x * (a - b) * a), 1), (cos(a * t), 1), (exp(a), 0),
    (Piecewise((x, a > 0), (b, True)), 0), (x + t, 0),
])
def test_signs_are_proved_by_form(integrand, sign):
    flipped = {s: -s for s in (x, a, b)}
    assert symmetry._sign(integrand, flipped) == sign
