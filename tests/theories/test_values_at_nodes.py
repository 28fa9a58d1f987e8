"""Functions of a theory at the node of an average: in every back end the numbers of the function written out."""

from functools import cache

import numpy as np
import pytest
from helpers.modules import plain_module
from helpers.tiers import slow_but
from sympy import Abs, Max, Min, Piecewise, Rational, Symbol, cos, exp, sign, sin, sqrt, symbols, tanh

import asympkit as ak
from asympkit.nodes import Applied, Named

m, h, x, e = symbols("m h x e", real=True)
J, w = symbols("J w", positive=True)
D = Symbol("D", nonnegative=True)

#: one variable, and another one that D switches off
ONE, TWO = (x,), (x, e)
FUNCTIONS = {
    "smooth": ("tanh(z) + z**2/4", lambda z: tanh(z) + z**2 / 4), "odd": ("sin", sin),
    "even": ("exp(-z**2)", lambda z: exp(-z**2)), "kinked": ("relu", lambda z: Max(z, 0)),
    "twice kinked": ("hardtanh", lambda z: Max(-1, Min(1, z))),
    "even and kinked": ("abs(z) - 1/2", lambda z: Abs(z) - Rational(1, 2)),
    "in branches": ("where(z > 1/3, z, z/10)", lambda z: Piecewise((z, z > Rational(1, 3)), (z / 10, True))),
    "odd and jumping": ("sign", sign), "jumping": ("z + sign(z - 1/3)", lambda z: z + sign(z - Rational(1, 3))),
}
#: function, argument, order of the derivative, variables
CASES = {
    **{name: (name, h + w * x, 0, ONE) for name in FUNCTIONS},
    "at the node itself": ("odd", x, 0, ONE),
    "even at the node itself": ("even", x, 0, ONE),
    "jump at the origin": ("odd and jumping", x, 0, ONE),
    "slope": ("smooth", h + w * x, 1, ONE),
    "slope of a kink": ("kinked", h + w * x, 1, ONE),
    "mirrored": ("kinked", -w * x, 0, ONE),
    "noisy": ("smooth", h + w * x, 0, TWO),
    "odd and noisy": ("odd", x, 0, TWO),
    "kinked and noisy": ("twice kinked", h + w * x, 0, TWO),
    "jumping and noisy": ("odd and jumping", h + w * x, 0, TWO),
}
#: with the second variable, and without
NOISE = {ONE: (None,), TWO: ("0", "3/10")}
POINTS = [(name, noise) for name, (*_, bound) in CASES.items() for noise in NOISE[bound]]
STEEP = ("kinked", "twice kinked", "even and kinked", "in branches", "odd and jumping", "jumping")


def theory(value, bound, functions, is_noisy=False):
    y = Named("y", value + sqrt(D) * e if is_noisy else value)
    parameters = {J: ("coupling", "positive"), h: ("field", "real"), w: ("width", "positive")}
    if is_noisy:
        parameters[D] = "noise", "nonnegative"
    return ak.Theory(name="values", unknowns=[m], parameters=parameters,
                     equations=[m - J * ak.E(y**2 / (1 + m**2 * y**2), bound) + Rational(1, 10)],
                     observables={"o": ak.E((1 + y + sin(y)) / (1 + m**2 * y**2), bound)}, activations=functions)


@cache
def applied(name):
    function, argument, order, bound = CASES[name]
    return theory(Applied("target", argument, order), bound, {"target": FUNCTIONS[function][0]}, bound is TWO)


@cache
def explicit(name, noise=None, at_numbers=True):
    """The function written out, and, where kinks should stand still, at the numbers of the point."""
    function, argument, order, bound = CASES[name]
    z = Symbol("z", real=True)
    form = FUNCTIONS[function][1](z).diff(z, order).subs(z, argument)
    if at_numbers:
        form = form.subs({h: Rational(1, 5), w: Rational(13, 10)})
        if noise is not None:
            form, bound = form + sqrt(Rational(noise)) * e, bound[:1 if noise == "0" else 2]
    return theory(form, ONE if at_numbers and len(bound) == 1 else bound, None, not at_numbers and bound is TWO)


def exactly(noise):
    return {"J": "7/10", "h": "1/5", "w": "13/10"} | ({} if noise is None else {"D": noise})


def in_floats(noise):
    return {"J": 0.7, "h": 0.2, "w": 1.3} | ({} if noise is None else {"D": {"0": 0.0, "3/10": 0.3}[noise]})


@cache
def known(name, noise):
    """The numbers that every reading should find."""
    found = explicit(name, noise).solve(**in_floats(None))
    return {"m": found.m, "o": found.o}


def assert_known(found, name, noise, rel=2e-13):
    for quantity, value in known(name, noise).items():
        assert float(found[quantity]) == pytest.approx(value, rel=rel, abs=2e-14), quantity


def tiered(points, *quick):
    """Points of which a few are in the default tier."""
    return [p if p[0] in quick else pytest.param(*p, marks=pytest.mark.slow) for p in points]


@pytest.mark.parametrize("name, noise", tiered(POINTS, "in branches", "jumping", "slope", "noisy"))
def test_floats(name, noise):
    assert_known(applied(name).solve(**in_floats(noise)), name, noise)


@pytest.mark.parametrize("name, noise", tiered(POINTS, "even and kinked", "noisy"))
def test_batches(name, noise):
    at = in_floats(noise)
    for axis in ({"J": [0.7, 0.5]}, {"h": [0.2, -0.4]}):        # along the loops, and with a table for each point
        rows = applied(name).sweep(**{**at, **axis}, rtol=1e-12, backend="numpy")
        assert_known({q: rows[q][0] for q in ("m", "o")}, name, noise, 2e-12)


@pytest.mark.parametrize("name, noise", tiered([("smooth", None), ("jumping", None), ("noisy", "3/10")], "jumping"))
def test_compiled_loops(name, noise):
    at = in_floats(noise) | {"h": np.array([0.2, -0.4])}
    plain, fast = (applied(name).sweep(**at, rtol=1e-12, backend=b) for b in ("numpy", "numba"))
    assert_known({q: fast[q][0] for q in ("m", "o")}, name, noise, 2e-12)
    np.testing.assert_allclose(fast["o"], plain["o"], rtol=1e-13)


@pytest.mark.parametrize("name, noise", tiered([p for p in POINTS if p[1] != "3/10"], "jumping"))
def test_digits(name, noise):
    many = applied(name).precise(digits=25, **exactly(noise))
    assert_known(many, name, noise)
    same = explicit(name, noise).precise(digits=25, **exactly(None))
    assert all(abs(many[q] - same[q]) <= 1e-24 * max(1, abs(same[q])) for q in ("m", "o"))


@pytest.mark.parametrize("name, noise", tiered([p for p in POINTS if p[1] != "3/10"], "kinked", "noisy"))
def test_balls(name, noise):
    ball, same = applied(name).certify(digits=15, **exactly(noise)), explicit(name, noise).certify(
        digits=15, **exactly(None))
    assert_known({q: ball[q].mid for q in ("m", "o")}, name, noise)
    for q in ("m", "o"):
        assert ball[q].rad <= 1e-15 and abs(ball[q].mid - same[q].mid) <= ball[q].rad + same[q].rad


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, d in POINTS if d == "3/10"])
def test_digits_and_balls_over_two_normals(name):
    many = applied(name).precise(digits=16, **exactly("3/10"))
    ball = applied(name).certify(digits=8, **exactly("3/10"))
    assert_known(many, name, "3/10")
    assert all(abs(ball[q].mid - many[q]) <= ball[q].rad + 1e-15 for q in ("m", "o"))


@pytest.mark.parametrize("name, noise", tiered([("smooth", None), *((n, None) for n in STEEP), ("noisy", "3/10"),
                                                ("jumping and noisy", "3/10"), ("jumping and noisy", "0")],
                                               "jumping and noisy"))
def test_derivatives(name, noise):
    """Also where the argument moves a jump."""
    at, step, t = in_floats(noise), 1e-3, applied(name)
    for parameter in (n for n, value in at.items() if value):
        near = [t.solve(**{**at, parameter: at[parameter] + k * step}).o for k in (-2, -1, 1, 2)]
        slope = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * step)
        assert t.sensitivity("o", parameter, **at) == pytest.approx(slope, rel=1e-8, abs=1e-9), parameter


@pytest.mark.parametrize("name, noise", tiered(POINTS, "slope", "jumping and noisy"))
def test_module_that_stands_alone(name, noise):
    at = in_floats(noise)
    module = plain_module(applied(name).source())
    assert_known(module.solve(**at), name, noise)
    rows = module.solve_rows(**{**at, "J": [0.5, 0.7]})
    assert_known({q: rows[q][1] for q in ("m", "o")}, name, noise)


@pytest.mark.parametrize("name", slow_but(["smooth", "noisy"], 0))
def test_text_and_formulas(name):
    given, same = applied(name).equations(), explicit(name, at_numbers=False).equations()
    assert given.text() == same.text() and given.latex() == same.latex() and given.mathml() == same.mathml()


@pytest.mark.slow
def test_two_functions_of_one_variable():
    """Jumps of both move with parameters."""
    y = Applied("f", h + w * x) + Applied("g", x) ** 2
    form = sign(h + w * x) + Max(x, 0) ** 2
    given, same = (ak.Theory(name="two", unknowns=[m], parameters={h: ("field", "real"), w: ("width", "positive")},
                             equations=[m - ak.E(v / (2 + m**2 * v**2), x)], activations=functions)
                   for v, functions in ((y, {"f": "sign", "g": "relu"}), (form, None)))
    at = {"h": 0.2, "w": 1.3}
    assert given.solve(**at).m == pytest.approx(same.solve(**at).m, rel=1e-13)
    assert given.sensitivity("m", "h", **at) == pytest.approx(same.sensitivity("m", "h", **at), rel=1e-12)


def test_a_value_inside_an_average_inside():
    """Functions of a theory in an inner average at the nodes of the outer one: as with the function written out."""
    def nested(value, activations=None):
        return ak.Theory(name="nested", unknowns=[m], parameters={h: ("field", "real")}, activations=activations,
                         equations=[m - ak.E(ak.E(exp(-(m**2) * (e + value) ** 2), e) ** 2, x) / 5 + h])

    given, same = nested(f(x), {"f": "tanh"}), nested(tanh(x))
    assert given.solve(h=0.1).m == pytest.approx(same.solve(h=0.1).m, rel=1e-13)
    rows, wanted = (t.sweep(h=[0.1, 0.2], backend=b)["m"] for t, b in ((given, "numpy"), (same, "numpy")))
    assert rows == pytest.approx(wanted, rel=1e-12)


# -- what is refused -------------------------------------------------------------------------------------------


def f(argument, order=0):
    return Applied("f", argument, order)


def assert_refused(integrand, bound, match, spec="tanh"):
    with pytest.raises(ak.StructureError, match=match):
        t = ak.Theory(name="refused", unknowns=[m], parameters={h: ("field", "real")}, activations={"f": spec},
                      equations=[m - ak.E(integrand, bound) / 5 + h if bound else m - integrand])
        t.solve(h=0.1)


REFUSED = {
    "not affine": (1 / (1 + m**2 * f(x**2)), ONE, r"argument z\*\*2 of f must be affine in one of z"),
    "nested": (1 / (1 + m**2 * f(f(x)) ** 2), ONE, r"argument f\(z\) of f must be affine in one of z"),
    "holds an unknown": (f(m * x) ** 2, ONE, r"tables: f\(m\*z\) holds m, which is not known before .* are solved: .* "
                                             r"parameters a and b; put a particular function in its place"),
    "shifted by an unknown": (1 / (1 + f(m + x) ** 2), ONE, r"tables: f\(m \+ z\) holds m"),
    "sum of two": (1 / (1 + m**2 * f(x + e) ** 2), TWO, "'f' of the theory stands under an average over"),
    "product of two": (1 / (1 + m**2 * f(x * e) ** 2), TWO, "'f' of the theory stands under an average over"),
    "averaged inside several": (1 / (1 + m**2 * ak.E(f(x + e) ** 2, e) + x**2 * e**2), TWO,
                                "'f' of the theory stands under an average over"),
    "outside all averages": (f(h) * m / 9, None, r"equations: f\(h\) is a value of the function 'f' of the theory "
                                                 "outside all averages; .* or make the value a parameter"),
    "a constant of the average": (1 / (1 + m**2 * (x + f(h)) ** 2), ONE, "argument h of f must be affine in one of z"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    assert_refused(*REFUSED[case])


@pytest.mark.parametrize("spec, order, what", [("sign", 1, "jumps at 0"), ("relu", 2, "has a kink at 0")])
def test_point_masses_are_refused(spec, order, what):
    match = f"equations: f = '{spec}' {what}, so that its derivative of order {order} holds a point mass"
    assert_refused(1 / (2 + m**2 * x**2 + f(x, order)), ONE, match, spec)
    assert_refused(1 / (2 + m**2 * x**2 + ak.E(f(x + e, order), e)), ONE, match, spec)


def test_eigenvalues_are_no_normals():
    law = Symbol("t", positive=True)
    t = ak.Theory(name="spectral", unknowns=[m], parameters={h: ("field", "real")}, activations={"f": "tanh"},
                  equations=[m - ak.mean(1 / (1 + m**2 * f(law)), ak.Eigenvalues(law)) + h])
    with pytest.raises(ak.StructureError, match=r"f\(t\) is taken at the variable of an average over a spectral law"):
        t.solve(h=0.1, t=[1.0, 2.0])


def test_balls_of_values_and_conditional_means_together():
    t = ak.Theory(name="mixed", unknowns=[m], parameters={h: ("field", "real")}, activations={"f": "tanh"},
                  equations=[m - ak.E(1 / (1 + m**2 * f(x) ** 2 + ak.E(f(x + e) ** 2, e)), x) + h],
                  observables={"o": ak.E(1 / (2 + m**2 * cos(f(x))), x)})
    assert float(t.precise(digits=20, h="1/5").m) == pytest.approx(t.solve(h=0.2).m, rel=1e-13)
    with pytest.raises(ak.ProofError, match=r"takes f\(\w+\) at its node and holds a conditional mean of f\(.*\); only "
                                            "one of the two is enclosed: put particular functions"):
        t.certify(digits=10, h="1/5")
