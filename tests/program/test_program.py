"""The program: names, levels, dead statements, magnitudes, derivatives."""

import keyword
import math

import numpy as np
import pytest
from sympy import Abs, Symbol, cos, exp, sqrt, symbols, tanh

import asympkit as ak
from asympkit.multiprecision.number_systems import Floats
from asympkit.nodes import Applied, Named
from asympkit.numbers.evaluation import evaluate
from asympkit.program import Linear, Means, Names, Newton, Scalar, Sums, build, scalar_map
from asympkit.program.build import total_derivative
from asympkit.program.names import slug
from asympkit.program.passes import prune
from asympkit.program.rounding import magnitude
from asympkit.program.statements import LARGEST_ERROR, ROUNDING
from asympkit.theories.spiked_features.equations import spiked_program

u, v, x, y, z, a = symbols("u v x y z a", real=True)
p, q = symbols("p q", positive=True)


# -- names -----------------------------------------------------------------------------------------------


def test_names_keep_what_is_free():
    names = Names((u, p))
    assert names[u] == "u"
    assert names.fresh("V").name == "V"
    assert names.fresh("V").name == "V_2"
    assert names.fresh("u").name != "u"


@pytest.mark.parametrize("word", ["lambda", "class", "None", "in"])
def test_names_avoid_keywords(word):
    names = Names((Symbol(word),))
    assert names[Symbol(word)] == f"{word}_"
    assert not keyword.iskeyword(names[Symbol(word)])


def test_names_are_all_different():
    names = Names(symbols("lambda lambda_ lambda_2 w w_2"))
    fresh = [names.fresh(n).name for n in ("w", "w", "lambda", "lambda_", "w_2", "E1", "E1")]
    used = [*(names[s] for s in symbols("lambda lambda_ lambda_2 w w_2")), *fresh]
    assert len(set(used)) == len(used)


def test_slug():
    assert slug(Named("mu1", x * y) ** 2 * z) in ("mu1_mu1_z", "z_mu1_mu1")
    assert slug(sqrt(x)) == "column"
    assert slug(exp(x)) == "column"
    assert slug(1 / x) == "column"


AWKWARD = ("s0", "T", "w", "k", "lambda", "e", "G", "V", "table", "weights", "class", "math", "z", "kappa", "i",
           "delta", "E1", "row", "A", "b", "mean", "out", "np")


@pytest.mark.parametrize("names", [AWKWARD[i:i + 4] for i in range(0, len(AWKWARD) - 3, 4)])
def test_awkward_names_of_a_user(names):
    # the same theory under plain and under awkward names has the same solution
    def solve(first, second, third, unknown):
        f, s, t = (Symbol(n, positive=True) for n in (first, second, third))
        w = Symbol(unknown, positive=True)
        node = Symbol("node", real=True)
        theory = ak.Theory(
            name="awkward", unknowns=[w],
            parameters={f: ("", "positive"), s: ("", "positive"), t: ("", "positive")},
            equations=[w - f - t * ak.E(Named("S", tanh(node) ** 2 * s) / (1 + w * node**2), node)],
            observables={"error": w**2 * t})
        got = theory.solve(**{first: 0.3, second: 0.7, third: 0.4})
        return got[unknown], got.error

    assert solve(*names) == pytest.approx(solve("f1", "f2", "f3", "w1"), rel=1e-13)


@pytest.mark.parametrize(("unknown", "observable"), [("residual", "error"), ("iterations", "error"), ("w", "residual"),
                                                     ("w", "w")])
def test_results_of_equal_name_are_refused(unknown, observable):
    w = Symbol(unknown, positive=True)
    with pytest.raises(ak.StructureError, match=f"names: {w if unknown != 'w' else observable} would occur twice"):
        ak.Theory(name="twice", unknowns=[w], parameters={p: ("", "positive")}, equations=[w - p],
                  observables={observable: w**2})


# -- levels --------------------------------------------------------------------------------------------------


def program(equations, unknowns, parameters=(p,), observables=None):
    from asympkit.equations import System

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


def test_a_sum_that_needs_a_scalar_that_needs_a_sum():
    first = ak.E(tanh(p * z) * z, z)
    second = ak.E(z**2 / (1 + u * z**2), z)
    third = ak.E(tanh(z * v) ** 2, z)
    prog = program([u - first**2, v - 1 - second / p, y - third], [u, v, y], observables={"all": y * u})
    sums = [s for s in prog.statements if isinstance(s, Sums)]
    assert len(sums) == 3
    defined_before_use(prog.statements, prog.parameters)


def test_independent_sums_share_one_pass():
    prog = program([u - ak.E(tanh(p * z) * z, z), v - ak.E(exp(-p * z**2), z)], [u, v])
    sums = [s for s in prune(prog.statements, prog.outputs) if isinstance(s, Sums)]
    assert len(sums) == 1
    assert len(sums[0].sums) == 2


def test_equal_averages_are_one_sum():
    node = ak.E(tanh(p * z) * z, z)
    prog = program([u - node, v - node**2 - ak.E(tanh(p * x) * x, x)], [u, v])
    assert sum(len(s.sums) for s in prune(prog.statements, prog.outputs) if isinstance(s, Sums)) == 1


def test_spiked_theory_defines_before_use():
    prog, _ = spiked_program()
    known = defined_before_use(prog.statements, prog.parameters)
    assert set(prog.outputs) <= known
    assert [n.torn for n in prog.newtons] == [prog.unknowns[:2]]
    assert len(prog.linears) == 2
    assert prog.activations == ("student", "target")


def test_averages_have_become_sums():
    from asympkit.nodes import Average

    prog, _ = spiked_program()
    for s in prog.statements:
        expressions = [s.expr] if isinstance(s, Scalar) else [e for _, e, _ in s.sums] if isinstance(s, Sums) else []
        assert not any(e.has(Average) or e.has(Named) for e in expressions)


# -- dead statements ---------------------------------------------------------------------------------------------


def test_prune_drops_what_no_output_needs():
    s1, s2, s3 = Scalar(u, p + 1), Scalar(v, p**2), Scalar(y, u * 2)
    assert prune([s1, s2, s3], [y]) == [s1, s3]
    assert prune([s1, s2, s3], [v]) == [s2]
    assert prune([s1, s2, s3], []) == []


def test_prune_drops_single_sums_and_locals():
    prog = program([u - ak.E(tanh(p * z) * z, z), v - ak.E(exp(-p * z**2), z)], [u, v])
    (kept,) = [s for s in prune(prog.statements, [u]) if isinstance(s, Sums)]
    assert len(kept.sums) == 1
    assert sum(isinstance(s, Scalar) for s in prune(prog.statements, [u])) == 1


def test_prune_is_idempotent_and_keeps_the_outputs():
    prog, _ = spiked_program()
    once = prune(prog.statements, prog.outputs)
    assert prune(once, prog.outputs) == once
    assert set(prog.outputs) <= defined_before_use(once, prog.parameters)
    assert len(once) < len(prog.statements)
    for_diagnosis = {*prog.errors.values()}
    assert for_diagnosis and not any(s.outputs[0] in for_diagnosis for s in once)


# -- magnitudes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("expr", "expected"), [
    (x - y, Abs(x) + Abs(y)),
    (p - q, p + q),
    (-p * (x - q) / q, p * (Abs(x) + q) / q),
    ((x - y) ** 2, (x - y) ** 2),
    ((x - y) ** 3, (Abs(x) + Abs(y)) ** 3),
    (Named("V", p - q) + 1, p + q + 1),
    (tanh(x - y), Abs(tanh(x - y))),
])
def test_magnitude(expr, expected):
    assert (magnitude(expr) - expected).expand() == 0


def test_magnitude_of_an_average():
    node = ak.E(z * tanh(z) - p, z)
    assert magnitude(node) == ak.E(Abs(z * tanh(z) - p), z)


def test_magnitude_bounds_the_value():
    rng = np.random.default_rng(0)
    exprs = [x * y - p * x / q + 3, (x - 1) / (p + x**2) - q, x**3 * (y - p) - tanh(x * y) * 2]
    for e in exprs:
        for _ in range(20):
            at = {s: float(rng.normal()) if s in (x, y) else float(rng.uniform(0.1, 2)) for s in (x, y, p, q)}
            size = evaluate(magnitude(e), at, Floats())
            assert size >= abs(evaluate(e, at, Floats())) * (1 - 1e-14)


def test_magnitude_of_known_symbols():
    size = Symbol("size", positive=True)
    assert magnitude(x - p, {x: size}) == size + p


# -- derivatives --------------------------------------------------------------------------------------------------


def test_total_derivative_follows_assignments():
    chain = {v: 3 * p, x: v * 2}
    assert total_derivative(u * v + x**2, u, chain) == v + 3 * p * u + 4 * x * v
    assert total_derivative(u**2, y, {}) == 0


def test_total_derivative_against_differences():
    # f(u, v(u), w(u, v)) with v = tanh(p u), w = exp(-u v)
    w = Symbol("w", real=True)
    v_of, w_of = tanh(p * u), exp(-u * v)
    f = u * v**2 + w / (1 + u**2)
    dv = total_derivative(v_of, u, {})
    dw = total_derivative(w_of, u, {v: dv})
    df = total_derivative(f, u, {v: dv, w: dw})

    def along(t):
        at_v = math.tanh(0.7 * t)
        return t * at_v**2 + math.exp(-t * at_v) / (1 + t * t)

    at = {u: 0.4, p: 0.7, v: math.tanh(0.28)}
    at[w] = math.exp(-0.4 * at[v])
    assert evaluate(df, at, Floats()) == pytest.approx((along(0.4 + 1e-5) - along(0.4 - 1e-5)) / 2e-5, rel=1e-9)


def test_jacobian_of_the_core_against_differences():
    from asympkit.multiprecision.interpreter import Interpreter
    from asympkit.theories.spiked_features.theory import SpikedFeatures

    prog, _ = spiked_program()
    newton = prog.newtons[0]
    theory = SpikedFeatures("tanh", "sin")
    point = theory.point({"r": 1.5, "c": 1.1, "gamma": 0.8, "alpha": 1.4, "lam": 0.05, "beta": 0.7})
    (table, weights), _, _ = theory.kernel.tables(4, point.table_parameters, theory.activations, ())
    grid = prog.grids[0]
    tables = {grid.name: (dict(zip(grid.columns.values(), table)), weights)}

    def body(at):
        run = Interpreter(prog, Floats(), tables)
        values = dict(zip(prog.parameters, point.values)) | dict(zip(newton.torn, at))
        return run.execute(newton.body, values)

    at = np.array([0.9, 1.7])
    values = body(at)
    for j in range(2):
        h = np.zeros(2)
        h[j] = 1e-5
        up, down = body(at + h), body(at - h)
        for (target, is_map), row in zip(newton.targets, newton.jacobian):
            assert is_map
            assert float(values[row[j]]) == pytest.approx((up[target] - down[target]) / 2e-5, rel=1e-8)


# -- numbers from means ---------------------------------------------------------------------------------------------


def test_scalar_map():
    from asympkit.multiprecision.number_systems import MultiprecisionNumbers

    f = Applied("student", z)
    h1 = Named("h1", ak.E(z * f, z))
    mapping = scalar_map((p,), {"h1": p * h1, "spread": ak.E((f - h1 * z) ** 2, z)}, Names((p,)))
    assert [name for name, _ in mapping.outputs] == ["h1", "spread"]
    assert mapping.activations == ("student",)
    assert any(isinstance(s, Means) for s in mapping.preparation)
    got = MultiprecisionNumbers(40).scalar_map(mapping, {p: 2}, {"student": ak.Activation("relu")})
    # relu: E z s = 1/2, E s^2 = 1/2
    assert abs(got["h1"] - 1) < 1e-35
    assert abs(got["spread"] - MultiprecisionNumbers(40).mp.mpf(1) / 4) < 1e-35


def test_scalar_map_agrees_in_floats_and_digits():
    theory = ak.OneStep("tanh", "sin")
    at = theory.parameters_at(eta=1.3, alpha0=0.7, beta=0.8, noise_variance=0.05)
    from asympkit.multiprecision.number_systems import MultiprecisionNumbers

    numbers = MultiprecisionNumbers(30)
    exact = theory._precise_step({"eta": "1.3", "alpha0": "0.7", "beta": "0.8", "noise_variance": "0.05"}, numbers)
    for name in ("r", "c", "gamma"):
        assert at[name] == pytest.approx(float(exact[name]), rel=1e-13)


# -- what cannot be lowered --------------------------------------------------------------------------------------------


def test_activation_at_the_node_is_a_column():
    (grid,) = program([u - ak.E(Applied("student", z) ** 2 / (1 + u**2 * z**2), z)], [u]).grids
    (step,) = grid.preparation
    assert step.is_value and step.outputs[0] ** 2 in grid.columns


def test_averages_over_two_normals_and_inside_others_have_grids_of_their_own():
    made = program([u - ak.E(tanh(x * y + u), (x, y)) - ak.E(tanh(ak.E(cos(x * y + u), y)), x) / 9], [u])
    assert [(len(g.bound), g.is_inner, g.is_product) for g in made.grids] == [(2, False, True), (1, False, False),
                                                                            (1, True, True)]


def test_two_activations_in_one_inner_average():
    inner = ak.E(Applied("student", z + x) * Applied("target", z), z)
    with pytest.raises(ak.StructureError, match="must hold one activation, at one argument"):
        program([u - ak.E(inner**2 / (1 + u), x)], [u])


def test_argument_that_is_not_affine():
    with pytest.raises(ak.StructureError, match="must be affine in"):
        program([u - ak.E(ak.E(Applied("student", z**2 + x), z) ** 2 / (1 + u), x)], [u])


# -- directions ------------------------------------------------------------------------------------------


def test_a_mean_square_is_taken_from_the_mean_square_about_a_line():
    program, _ = spiked_program()
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

    from asympkit.theories.spiked_features.convex import ConvexFeatures

    theory = ConvexFeatures("tanh", "z", loss="hinge", labels="sign")
    (grid,) = theory.program[0].grids
    assert sorted(str(line / grid.bound[0]) for line in grid.lines) == [
        "gamma/rho", "gamma/sqrt(noise_variance + rho**2)"]
    row = [str(c) for c in grid.columns].index("a")
    for gamma, least, most in ((0.8, 0.05, 0.2), (1 - 5e-9, 0.0, 1e-5)):
        point = theory.point({"r": 1, "c": 1, "gamma": gamma, "alpha": 1, "lam": 1})
        (table, _), _, _ = theory.kernel.tables(3, point.table_parameters, [theory.student], ())
        a = np.abs(table[row])
        nearest = a[a > 0].min() * np.sqrt(1 - gamma**2) / gamma
        assert least < nearest < most
