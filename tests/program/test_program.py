"""The program: names, levels, what cannot be lowered, directions, parities."""

import math
from unittest import mock

import numpy as np
import pytest
from sympy import Abs, Integer, Piecewise, Symbol, cos, exp, symbols, tanh

import asympkit as ak
from asympkit.equations import System
from asympkit.multiprecision.number_systems import Floats
from asympkit.nodes import Applied
from asympkit.numbers.evaluation import evaluate
from asympkit.program import Linear, Means, Newton, Scalar, Sums, build, symmetry
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


def test_levels():
    first = ak.E(tanh(p * z) * z, z)
    second = ak.E(z**2 / (1 + u * z**2), z)
    third = ak.E(tanh(z * v) ** 2, z)
    prog = program([u - first**2, v - 1 - second / p, y - third], [u, v, y], observables={"all": y * u})
    sums = [s for s in prog.statements if isinstance(s, Sums)]
    assert len(sums) == 3
    defined_before_use(prog.statements, prog.parameters)
    prog, _ = ridge().program
    known = defined_before_use(prog.statements, prog.parameters)
    assert set(prog.outputs) <= known
    assert [n.torn for n in prog.newtons] == [prog.unknowns[:2]]
    assert len(prog.linears) == 2
    assert prog.activations == ("student", "target")


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


def test_what_is_equal_has_one_symbol():
    prog = program([u - ak.E(tanh(u * z) ** 2, z) - p], [u], observables={"a": u**2 + p, "b": p + u**2})
    values = {s.symbol: s.expr for s in prog.statements if isinstance(s, Scalar)}
    assert values[prog.observables["b"]] == prog.observables["a"]
    made = [e for e in values.values() if not (e.is_Symbol or e.is_number)]
    assert len(made) == len(set(made))


def test_what_cannot_be_lowered():
    inner = ak.E(Applied("student", z + x) * Applied("target", z), z)
    with pytest.raises(ak.StructureError, match="must hold one activation, at one argument"):
        program([u - ak.E(inner**2 / (1 + u), x)], [u])
    with pytest.raises(ak.StructureError, match="must be affine in"):
        program([u - ak.E(ak.E(Applied("student", z**2 + x), z) ** 2 / (1 + u), x)], [u])


def test_a_mean_square_is_taken_from_the_mean_square_about_a_line():
    program, _ = ridge().program
    (grid,) = program.grids
    (direction,) = grid.directions
    means = [step for step in grid.preparation if isinstance(step, Means) and step.label == "student"]
    assert all(form != step.value**2 for step in means for _, form in step.items)
    size = next(step for step in grid.preparation if direction.size in step.outputs)
    assert isinstance(size, Scalar)

    def sums(functional):
        """A mean of the student at some nodes, by a rule that is nobody's table."""
        return (weights * functional(nodes, np.exp(-(offset[:, None] + math.sqrt(c) * nodes) ** 2))).sum(axis=1)

    c, offset = 1.3, np.linspace(-3.0, 3.0, 7)
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights /= weights.sum()
    mean, moment = sums(lambda z, s: s), sums(lambda z, s: z * s)
    square = sums(lambda z, s: (s - mean[:, None] - moment[:, None] * z) ** 2)
    names = {s.name: s for s in size.expr.free_symbols}
    assert sorted(names)[:2] == ["c", "mean_3"]
    at = {names["c"]: c, names["mean_3"]: square, names["mu0"]: mean, names["mu1"]: moment / math.sqrt(c)}
    np.testing.assert_allclose(evaluate(size.expr, at, Floats()), sums(lambda z, s: s**2), rtol=1e-12)


@pytest.mark.slow
def test_tabulated_lines_tell_where_integrands_turn():
    """Signs of a target almost along the spike change within rho/gamma of 0, and nodes are there."""
    import numpy as np

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


def test_averages_inside_averages():
    """With projection and prediction both labels change places, and nothing else.

    The point at which signs are tried lies outside of the domain of some integrands: that says nothing of them.
    """
    from asympkit import SpikedFeatures

    program, _ = SpikedFeatures("tanh", "z", loss="logistic", labels="sign").program
    outer, inner = program.grids
    assert [s.name for s in symmetry.base_columns(outer)] == ["z", "a", "a_clean", "mu0", "mu1", "mu2sq"]
    assert symmetry.symmetries(program, outer) == ((-1, -1, -1, -1, 1, 1),)
    assert symmetry.symmetries(program, inner) == ()
