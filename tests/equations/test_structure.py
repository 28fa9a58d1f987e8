"""From equations to blocks, and the texts of a system."""

import random
from xml.etree import ElementTree

import pytest
from sympy import Eq, Max, Piecewise, Rational, Symbol, exp, sign, symbols, tanh

import asympkit as ak
from asympkit.equations import find_blocks
from asympkit.equations.system import presentation
from asympkit.nodes import Applied, Named, bound_symbol
from asympkit.spectra import MPResolvent
from asympkit.theories.spiked_features import equations as spiked_equations
from asympkit.theories.spiked_features.equations import ridge

u, v, w, x, y = symbols("u v w x y", real=True)
p, q = symbols("p q", positive=True)
a = Symbol("a", real=True)


def names(items):
    return {str(s) for s in items}


EXPECTED = {
    frozenset({"V1", "V2", "Vhat1", "Vhat2"}): "nonlinear", frozenset({"theta", "m", "thetahat"}): "linear",
    frozenset({"psi"}): "explicit", frozenset({"psihat"}): "explicit",
    frozenset({"q1", "q2", "qhat1", "qhat2"}): "linear",
}


def test_thirteen_unknowns_collapse_to_two():
    blocks = ridge().system.blocks
    assert {frozenset(names(b.unknowns)): b.kind for b in blocks} == EXPECTED
    torn = {frozenset(names(b.torn)) for b in blocks if b.torn}
    assert torn == {frozenset({"V1", "V2"}), frozenset({"theta", "m"}), frozenset({"q1", "q2"})}
    assert len(ridge().system.unknowns) == 13


def test_blocks_come_in_an_order_of_solution():
    system = ridge().system
    known = set()
    for block in system.blocks:
        known |= set(block.torn)
        for symbol, form in block.assignments:
            assert form.free_symbols & set(system.unknowns) <= known
            known.add(symbol)
        assert known >= set(block.unknowns)
        for _, form, _ in block.equations:
            assert form.free_symbols & set(system.unknowns) <= known


@pytest.mark.parametrize("seed", range(14))
def test_partition_survives_shuffling(seed):
    rng = random.Random(seed)
    equations, order = list(ridge().system.equations), list(ridge().unknowns)
    rng.shuffle(equations)
    rng.shuffle(order)
    blocks = find_blocks(equations, order)
    assert {frozenset(names(b.unknowns)): b.kind for b in blocks} == EXPECTED
    for block in blocks:      # of two equally small sets the one with the unknown listed first is torn
        if block.kind != "explicit":
            assert len(block.torn) == 2
            assert order.index(block.torn[0]) < order.index(block.torn[1])
    core = next(b for b in blocks if b.kind == "nonlinear")
    first = min(core.unknowns, key=order.index)
    assert names(core.torn) == ({"V1", "V2"} if first.name in ("V1", "V2") else {"Vhat1", "Vhat2"})


def test_coefficients():
    # the coefficient a may vanish: no division by it
    (block,) = find_blocks([a * u - 1], [u])
    assert block.kind == "linear"
    assert block.torn == (u,)
    (_, form, is_map), = block.equations
    assert (form, is_map) == (a * u - 1, False)
    (block,) = find_blocks([3 * p * (u - tanh(u))], [u])
    assert block.equations[0][1] in (u - tanh(u), tanh(u) - u)
    z = Symbol("z", real=True)
    equations = [u - ak.E((u * z + v) * tanh(z + a) * z, z) - 1, v - ak.E(u * tanh(z + a) ** 2, z)]
    (block,) = find_blocks(equations, [u, v])
    assert block.kind == "linear"
    (block,) = find_blocks([u - tanh(v), v - 1 - exp(u)], [u, v])
    assert (block.kind, block.torn) == ("nonlinear", (u,))
    assert block.assignments == ((v, exp(u) + 1),)
    assert block.equations == ((u, tanh(v), True),)
    equations = [u - tanh(v), v - tanh(u)]
    assert find_blocks(equations, [u, v])[0].torn == (u,)
    assert find_blocks(equations, [v, u])[0].torn == (v,)


def test_unknowns_without_equations():
    with pytest.raises(ak.StructureError, match="unknowns: v, w occur in no equation; remove them"):
        find_blocks([u - 1, u - 2, u], [u, v, w])
    with pytest.raises(ak.StructureError, match="equations: they cannot determine all unknowns"):
        find_blocks([u - 1, u - 2, u + v + w], [u, v, w])
    stray = Symbol("stray", real=True)
    with pytest.raises(ak.StructureError, match="symbols: stray is neither a parameter nor an unknown"):
        ak.Theory(name="t", parameters={a: ("", "real")}, unknowns=[u], equations=[u - stray])


def test_texts():
    system = ak.SpikedFeatures("relu", "tanh").equations()
    text = system.text()
    lines = text.splitlines()
    assert lines[0] == "where"
    assert "block 1: nonlinear, solved for V1, V2" in lines
    assert "observables" in lines
    for piece in ("  V1 = <D/S>_MP(beta, c)", "  test_error = E_kappa[R]", "  0 = E_kappa["):
        assert any(line.startswith(piece) for line in lines), piece
    assert "Max(0, " in text
    assert "student" not in text
    for unknown in system.unknowns:
        assert any(f"  {unknown} = " in line for line in lines) or unknown.name == "m"
    # a name is defined before it is used
    position = {n.label: k for k, n in enumerate(system.definitions)}
    assert position["mu0"] < position["mu2sq"] < position["V"]
    assert position["C"] < position["R"]
    source = system.latex()
    assert source.startswith("\\begin{align*}\n")
    assert source.endswith("\n\\end{align*}")
    assert source.count(" &= ") == len(system.definitions) + 13 + 4
    for piece in (r"\hat{V}_{1}", r"\mathbb{E}_{\kappa}", r"\right\rangle_{\mathrm{MP}(\beta, c)}",
                  r"\mathrm{test\_error} &= ", r"\mu_{1}"):
        assert piece in source, piece
    assert source.count("{") == source.count("}")
    assert r"\sigma\left(" in ridge().system.latex()
    lines = system.mathml().splitlines()
    assert len(lines) == len(system.definitions) + 13
    for line in lines:
        root = ElementTree.fromstring(line)
        assert root.tag == "{http://www.w3.org/1998/Math/MathML}math"
        assert "=" in "".join(root.itertext())
    assert text_of(lines[0]).startswith("S=")


def text_of(source):
    return "".join(ElementTree.fromstring(source).itertext())


@pytest.mark.parametrize(("expr", "contained"), [
    (ak.E(tanh(x) * x, x), ["\U0001d53c", "z", "[", "tanh", "]"]), (ak.E(tanh(x) * x, x) ** 2, ["\U0001d53c", "2"]),
    (ak.E(tanh(x * y + x), (x, y)), ["\U0001d53c", "z,z2"]), (ak.E(tanh(ak.E(tanh(x + y), x)), y), ["\u03ba", "z"]),
    (ak.mean(1 / (1 + x), ak.Eigenvalues(x)), ["\u27e8", "\u27e9"]), (Named("mu1", u * v) ** 2, ["\u03bc", "12"]),
    (Applied("student", u, 2), ["\u03c3", "\u2032\u2032", "(u)"]), (Applied("target", u), ["\u03c6(u)"]),
    (Applied("other", u), ["other(u)"]), (MPResolvent(u, v, w, p), ["G(u,v,w,p)"]), (bound_symbol(1), ["\u03ba"]),
    (Symbol("Vhat1"), ["V", "^", "1"]), (Symbol("lam") + Symbol("noise_variance"), ["\u03bb", "\u0394"]),
    (Named("mu2sq", u * v), ["\u03bc22"]), (Symbol("thetahat"), ["\u03b8", "^"]),
    (Piecewise((u, u < 0), (v, True)), ["<"]), (Max(u, 0) * sign(v), ["max"]), (Eq(u, v**2 / p), ["u="]),
    (Rational(1, 2) + u, ["1", "2"]),
])
def test_mathml_of_expressions(expr, contained):
    source = presentation(expr, spiked_equations.NOTATION)
    text = text_of(source)
    assert "\n" not in source
    for piece in contained:
        assert piece in text, (piece, text)
