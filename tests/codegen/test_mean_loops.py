"""Loops printed for conditional means: any names, any order of the means, and as plain Python too."""

import math

import numpy as np
import pytest
from helpers.modules import plain_module
from sympy import Symbol

import asympkit as ak
from asympkit.codegen.identifiers import settle
from asympkit.codegen.mean_loops import write_pass
from asympkit.codegen.passes import passes
from asympkit.nodes import Applied
from asympkit.program.names import mark
from asympkit.program.statements import Means, Scalar
from asympkit.runtime import loops as runtime
from asympkit.runtime import rows
from asympkit.runtime.means import normal_means
from asympkit.runtime.sampled import by_loops

Z, S = Symbol("z", real=True), Symbol("s", real=True)


def real(*names):
    return [Symbol(name, real=True) for name in names]


def plain_loops(source):
    """The functions of a printed text, without numba."""
    space = {name: value for name, value in {**vars(rows), **vars(runtime)}.items() if not name.startswith("__")}
    space |= {"np": np, "math": math, "compiled": lambda: lambda f: f}
    exec(compile(source, "loops", "exec"), space)
    return space


def run(f_means, activation, offset, slope, arguments, count):
    every = np.arange(offset.size)

    def loop(wanted, samples, lattice, mirror):
        if not runtime.lattice_fits(lattice, offset, slope, wanted):
            return (-2.0,)
        means = np.empty((count, offset.size))
        error = f_means(samples, lattice, offset, slope, *arguments, every, every, every < 0, np.ones(count),
                        np.zeros(count), means)
        return error, means

    return by_loops(loop, (ak.Activation(activation),))


def test_names_of_a_theory_may_be_those_of_the_loops():
    labels = ["step", "rows", "k", "rows_k", "v0", "fill_row", "s_", "values_at", "m1_k"]
    symbols = dict(zip(labels, real(*labels)))
    columns = {symbols["rows"], symbols["k"], symbols["v0"]}
    first, second, third = real("m1", "m2", "m3")
    functional = (S - symbols["rows"] - symbols["k"] * Z) ** 2 * symbols["fill_row"] + symbols["step"] * symbols["v0"]
    other = S * Z * symbols["rows_k"] + symbols["s_"] + symbols["values_at"]
    later = (S - first * symbols["m1_k"]) ** 2
    a, b = real("a", "b")
    (only,), before = passes([Means("f", a, b, Z, S, ((first, functional), (second, other))),
                              Means("f", a, b, Z, S, ((third, later),))])
    assert before == []
    names = {symbol: mark(symbol.name) for symbol in (*symbols.values(), first, second, third)}
    source, needed = write_pass("f_means", only, names, columns)
    source = settle(source)
    offset = np.array([-1.0, 0.02, 0.0, 2.5])
    values = {"rows": 0.3 * offset, "k": np.array([0.1, 0.2, 0.3, 0.4]), "v0": offset**2, "fill_row": 1.7, "step": 0.6,
              "rows_k": -0.4, "s_": 0.05, "values_at": 0.01, "m1_k": 0.3}
    error, got = run(plain_loops(source)["f_means"], "tanh", offset, 0.9, [values[s.name] for s in needed], 3)

    def plain(z, s, at):
        one = (s - at(values["rows"]) - at(values["k"]) * z) ** 2 * 1.7 + 0.6 * at(values["v0"])
        return one, s * z * -0.4 + 0.06

    wanted, _ = normal_means(ak.Activation("tanh"), offset, 0.9, plain)
    (last,), _ = normal_means(ak.Activation("tanh"), offset, 0.9, lambda z, s, at: ((s - 0.3 * at(wanted[0])) ** 2,))
    assert error <= 1e-13
    np.testing.assert_allclose(got, [*wanted, last], rtol=1e-13)


def test_squares_are_told_by_the_functional():
    items = tuple((Symbol(f"m{i}"), f) for i, f in enumerate([S, S * Z, S**2, (S - Z) ** 2, S**3]))
    (only,), _ = passes([Means("f", Symbol("a"), Symbol("b"), Z, S, items)])
    source, needed = write_pass("g", only, {Z: "z", S: "s", **{m: m.name for m, _ in items}}, set())
    assert "np.array((False, False, True, True, False,))\n" in source
    assert needed == []


# -- passes ------------------------------------------------------------------------------------------------------


def test_means_of_one_argument_are_one_pass_where_the_order_allows():
    a, b, m, n, o, p, u, v, x = real("a", "b", "m", "n", "o", "p", "u", "v", "x")
    preparation = [
        Scalar(x, b**2),
        Means("f", a, b, Z, S, ((m, S),)),
        Means("g", a, b, Z, S, ((n, S * x),)),
        Scalar(u, 2 * m),
        Scalar(v, u + n),
        Means("f", a, b, Z, S, ((o, (S - u) ** 2),)),          # holds nothing but the first pass
        Means("f", a, b, Z, S, ((p, S * v),)),                 # holds the second pass too
    ]
    made, before = passes(preparation)
    assert [s.symbol for s in before] == [x]
    assert [[means.outputs for _, means in step.stages] for step in made] == [[(m,), (o,)], [(n,)], [(p,)]]
    assert [s.symbol for s in made[0].stages[1][0]] == [u]
    assert [[s.symbol for s in step.after] for step in made] == [[u], [v], []]
    assert made[0].needed == set() and made[1].needed == {x} and made[2].needed == {v}


@pytest.fixture(scope="module")
def chained():
    """A theory whose means hold means of other passes, under names that the loops use too."""
    every, signs, error, first, unknown, node = real("every", "signs", "error", "first", "samples_0", "means_0")
    student, target = Applied("student", every * node + signs * Z), Applied("target", error * node + first * Z)
    mean = ak.Named("wanted", ak.E(student, Z))
    spread = ak.Named("rows", ak.E((target - mean) ** 2, Z))
    again = ak.Named("lattice_1", ak.E((student - spread) ** 2, Z))
    positive = dict.fromkeys((signs, first), ("", "positive"))
    return ak.Theory(name="chained", parameters={every: ("", "real"), error: ("", "real"), **positive},
                     unknowns=[unknown], activations={"student": "tanh", "target": "softplus"},
                     equations=[unknown - 1 - ak.E(spread * again / (1 + unknown**2), node)])


@pytest.mark.parametrize(("student", "target"), [("tanh(1.2*z)", "log(1 + exp(z))"), ("sin(z) + 1", "z**2 - 1"),
                                                 ("cos(2*z)", "tanh")])
def test_tables_of_chained_passes_are_those_of_numpy(chained, student, target):
    module = plain_module(chained.kernel_source())
    (grid,) = module.GRIDS
    assert chained.kernel_source().count("_sums(samples") == 3              # student, target, student again
    levels, parameters = (0, 1), {"every": 0.7, "signs": 0.9, "error": -0.4, "first": 0.3}
    at = [parameters[n] for n in module.TABLE_PARAMETERS] + [
        ak.Activation({"student": student, "target": target}[n]) for n in module.ACTIVATIONS]
    plain, error = getattr(module, f"{grid}_rule")(levels, *at)
    loops, other = getattr(module, f"{grid}_by_loops")(levels, *at)
    assert error <= 1e-12 and other <= 1e-12
    for (a, wa), (b, wb) in zip(plain, loops, strict=True):
        np.testing.assert_array_equal(wa, wb)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * np.max(np.abs(a)))


@pytest.mark.parametrize("names", [("r", "b"), ("change", "s"), ("s", "change"), ("at", "z"), ("levels", "_CUTS"),
                                   ("normal_means", "table_by_loops")])
def test_any_name_of_a_parameter_gives_the_same_solution(names):
    r, b = real(*names)
    u, node, y = real("u", "x", "y")
    mean = ak.Named("mean", ak.E(Applied("student", r * node + b * y), y))
    left = ak.Named("left", ak.E((Applied("student", r * node + b * y) - r * mean) ** 2, y))
    theory = ak.Theory(name="named", parameters={r: ("", "real"), b: ("", "positive")}, unknowns=[u],
                       activations={"student": "tanh"}, equations=[u - 1 - ak.E(left / (1 + u**2), node)])
    u_of_precise = 1.132330248850171372742101
    assert theory.solve(**dict(zip(names, (0.7, 0.9))))["u"] == pytest.approx(u_of_precise, rel=1e-12)
    module = plain_module(theory.kernel_source())
    (grid,) = module.GRIDS
    at = [dict(zip(names, (0.7, 0.9)))[n] for n in module.TABLE_PARAMETERS] + [ak.Activation("tanh")]
    ((plain, _),), _ = getattr(module, f"{grid}_rule")((0,), *at)
    ((loops, _),), _ = getattr(module, f"{grid}_by_loops")((0,), *at)
    np.testing.assert_allclose(plain, loops, rtol=0, atol=1e-13)


@pytest.mark.parametrize("label", ["change", "list", "rules", "lambda", "two words", "f.derivative", "x", "z"])
def test_labels_of_activations_may_be_any_text(label):
    u, x, node, p = real("u", "x", "y", "p")
    theory = ak.Theory(name="labels", parameters={p: ("", "real")}, unknowns=[u],
                       activations={label: "tanh", "f": "sin"},
                       equations=[u - ak.E(ak.E(Applied(label, p * x + node), node) ** 2, x)
                                  - ak.E(ak.E(Applied("f", p * x + node, 1), node) ** 2, x)])
    module = plain_module(theory.kernel_source())
    (grid,) = module.GRIDS
    assert set(module.ACTIVATIONS) == {label, "f"}
    (((table, weights),), error) = getattr(module, f"{grid}_rule")((3,), 0.7, *(
        {label: ak.Activation("tanh"), "f": ak.Activation("sin")}[n] for n in module.ACTIVATIONS))
    values = dict(zip(module.OUTPUTS, module.solve_point(0.7, table, weights, 0, 1e-9, 100)))
    # E_y cos(p x + y) = exp(-1/2) cos(p x)
    t = np.arange(-9.0, 9.1, 0.25)
    weight = np.exp(-0.5 * t**2) / np.exp(-0.5 * t**2).sum()
    mean = weight @ (np.tanh(0.7 * t + t[:, None]) * weight[:, None]).sum(axis=0) ** 2
    assert values["u"] == pytest.approx(mean + 0.5 * math.exp(-1) * (1 + math.exp(-2 * 0.49)), rel=1e-10)


def test_an_activation_without_a_label_is_refused():
    u, node = real("u", "x")
    with pytest.raises(ak.errors.StructureError, match="activations: got the label 3; expected a text"):
        ak.Theory(name="labels", parameters={}, unknowns=[u], activations={"f": "sin", 3: "tanh"},
                  equations=[u - ak.E(Applied("f", node) ** 2, node)])
