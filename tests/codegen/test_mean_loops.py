"""Loops printed for conditional means: any names, and as plain Python too."""

import math

import numpy as np
from sympy import Symbol

from asympkit import Activation
from asympkit.codegen.mean_loops import write_mean_loop
from asympkit.program.statements import Means
from asympkit.runtime import loops as runtime
from asympkit.runtime import rows
from asympkit.runtime.means import normal_means


def plain_loops(source):
    """The functions of a printed text, without numba."""
    space = {name: value for name, value in {**vars(rows), **vars(runtime)}.items() if not name.startswith("__")}
    space |= {"np": np, "math": math, "compiled": lambda: lambda f: f}
    exec(compile(source, "loops", "exec"), space)
    return space


def test_names_of_a_theory_may_be_those_of_the_loops():
    z, s = Symbol("z", real=True), Symbol("s", real=True)
    labels = ["step", "rows", "k", "rows_k", "v0", "w", "s_"]
    symbols = {label: Symbol(label, real=True) for label in labels}
    columns = {symbols["rows"], symbols["k"], symbols["v0"]}
    functional = (s - symbols["rows"] - symbols["k"] * z) ** 2 * symbols["w"] + symbols["step"] * symbols["v0"]
    other = s * z * symbols["rows_k"] + symbols["s_"]
    step = Means("f", Symbol("a"), Symbol("b"), z, s, ((Symbol("m1"), functional), (Symbol("m2"), other)))
    names = {symbol: label for label, symbol in symbols.items()} | {z: "z", s: "s"}
    source, loop = write_mean_loop("f_means", step, names, columns)
    space = plain_loops(source)
    offset = np.array([-1.0, 0.02, 0.0, 2.5])
    values = {"rows": 0.3 * offset, "k": np.array([0.1, 0.2, 0.3, 0.4]), "v0": offset**2, "w": 1.7, "step": 0.6,
              "rows_k": -0.4, "s_": 0.05}
    from asympkit.runtime.sampled import sampled_means

    got, error = sampled_means(Activation("tanh"), offset, 0.9, eval(loop, space | values))

    def plain(z, s, at):
        first = (s - at(values["rows"]) - at(values["k"]) * z) ** 2 * 1.7 + 0.6 * at(values["v0"])
        return first, s * z * -0.4 + 0.05

    wanted, _ = normal_means(Activation("tanh"), offset, 0.9, plain)
    assert error <= 1e-13
    np.testing.assert_allclose(got, wanted, rtol=1e-13)


def test_squares_are_told_by_the_functional():
    z, s = Symbol("z", real=True), Symbol("s", real=True)
    items = tuple((Symbol(f"m{i}"), f) for i, f in enumerate([s, s * z, s**2, (s - z) ** 2, s**3]))
    source, loop = write_mean_loop("g", Means("f", Symbol("a"), Symbol("b"), z, s, items), {z: "z", s: "s"}, set())
    assert "np.array((False, False, True, True, False,))\n" in source
    assert loop == "(g, 5, ())"
