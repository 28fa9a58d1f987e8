"""Readings with many digits: conditional means, rules, the interpreter, identities of the solution."""

from functools import cache

import mpmath
import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import Abs, Integer, Max, Rational, Symbol, exp, hermite_prob, pi, sqrt, symbols, tanh

import asympkit as ak
from asympkit.arguments.domains import check_digits
from asympkit.gauss.quadrature.digits import legendre, normal_panels, normal_trapezoid
from asympkit.multiprecision.digits_tables import DigitsTables
from asympkit.multiprecision.inner_means import ConditionalMeans
from asympkit.multiprecision.interpreter import Interpreter, solve_scaled
from asympkit.multiprecision.number_systems import Floats, MultiprecisionNumbers
from asympkit.nodes import Average, unname
from asympkit.numbers.digits import compile_mp, mp_function
from asympkit.numbers.evaluation import evaluate
from asympkit.program.statements import Means
from asympkit.theories.spiked_features.equations import free_energy, moments, pieces, spiked_program
from asympkit.theories.spiked_features.equations import symbols as theory_symbols

z = Symbol("z", real=True)
s = Symbol("s", real=True)
x, y = symbols("x y", real=True)


# -- rules -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [2, 5, 24, 61])
def test_legendre(order):
    mp = MultiprecisionNumbers(50).mp
    nodes, weights = legendre(mp, order)
    assert abs(mp.fsum(weights) - 2) < 1e-47
    for k in {0, 1, order // 2, order - 1}:       # exact to degree 2 order - 1
        assert abs(mp.fdot(weights, [t ** (2 * k) for t in nodes]) - mp.mpf(2) / (2 * k + 1)) < 1e-47
    assert nodes == sorted(nodes, reverse=True)
    assert abs(nodes[0] + nodes[-1]) < 1e-48
    if order == 2:
        assert abs(nodes[0] - 1 / mp.sqrt(3)) < 1e-48


def test_normal_rules():
    mp = MultiprecisionNumbers(40).mp
    index, weights = normal_trapezoid(mp, mp.mpf(1) / 8, mp.mpf(15))
    assert abs(mp.fsum(weights) - 1) < 1e-38
    assert abs(mp.fdot(weights, [mp.cos(mp.mpf(i) / 8) for i in index]) - mp.exp(mp.mpf(-1) / 2)) < 1e-36
    nodes, weights = normal_panels(mp, [mp.mpf(e) for e in range(-14, 15, 2)], 40)
    assert abs(mp.fdot(weights, [t**4 for t in nodes]) - 3) < 1e-36


# -- conditional means ----------------------------------------------------------------------------------------


def inner_means(name, offsets, slope, digits=45):
    numbers = MultiprecisionNumbers(digits)
    out = symbols("m0 m1 m2", real=True)
    step = Means("student", None, None, z, s, tuple(zip(out, (s, z * s, s**2))))
    means = ConditionalMeans(step, ak.Activation(name), numbers)
    return means, means([numbers.number(a) for a in offsets], numbers.number(slope), {})


def reference(f, a, b, kinks=(), digits=45):
    with mpmath.workdps(digits):
        a, b = mpmath.mpf(a), mpmath.mpf(b)
        edges = sorted({*map(mpmath.mpf, (-14, -10, -7, -4, -2, 0, 2, 4, 7, 10, 14)),
                        *((k - a) / b for k in kinks if abs(k - a) < 14 * b)})
        return [mpmath.quad(lambda t, g=g: g(t, f(a + b * t)) * mpmath.npdf(t), edges)
                for g in (lambda t, v: v, lambda t, v: t * v, lambda t, v: v * v)]


OFFSETS = ("0", "0.001", "-1.5", "7")


@pytest.mark.parametrize(("name", "f", "kinks", "closed"), [
    pytest.param("tanh", mpmath.tanh, (), False, marks=pytest.mark.slow),
    pytest.param("sin", mpmath.sin, (), True, marks=pytest.mark.slow),
    ("relu", lambda t: max(t, mpmath.mpf(0)), (0,), True),
    pytest.param("erf", mpmath.erf, (), False, marks=pytest.mark.slow),      # its square's mean holds Owen's function
    pytest.param("abs(tanh(z))", lambda t: abs(mpmath.tanh(t)), (0,), False, marks=pytest.mark.slow),
])
@pytest.mark.parametrize("slope", ["0.3", pytest.param("1.7", marks=pytest.mark.slow)])
def test_conditional_means_at_40_digits(name, f, kinks, closed, slope):
    means, got = inner_means(name, OFFSETS, slope)
    assert (means.closed is not None) == closed
    # the quadrature of the reference is trusted to 38 digits; two offsets bound its cost
    for k in (0, 2):
        for value, expected in zip(got, reference(f, OFFSETS[k], slope, kinks)):
            with mpmath.workdps(45):
                assert abs(mpmath.mpf(value[k]) - expected) < mpmath.mpf(10) ** -38


@pytest.mark.parametrize("name", slow_but(["tanh", "erf", "abs(tanh(z))"], 0, 1))
def test_conditional_means_at_two_precisions(name):
    for slope in ("0.05", "4"):
        _, low = inner_means(name, OFFSETS, slope, 32)
        _, high = inner_means(name, OFFSETS, slope, 50)
        for one, two in zip(low, high):
            for u, v in zip(one, two):
                with mpmath.workdps(50):
                    assert abs(mpmath.mpf(u) - mpmath.mpf(v)) < 1e-26 * (abs(mpmath.mpf(v)) + 1)


def test_means_of_odd_functions_vanish_at_zero():
    for name in ("tanh", "erf", "sin"):
        _, (mean, linear, second) = inner_means(name, ("0", "0.5"), "1.2", 40)
        assert mean[0] == 0
        assert mean[1] > 0
        assert linear[0] > 0
        assert second[0] > 0


def test_slope_zero():
    _, (mean, linear, second) = inner_means("tanh", ("0.5", "-2"), "0", 40)
    with mpmath.workdps(40):
        assert abs(mpmath.mpf(mean[0]) - mpmath.tanh(mpmath.mpf("0.5"))) < 1e-38
        assert abs(mpmath.mpf(second[1]) - mpmath.tanh(2) ** 2) < 1e-38
    assert linear[0] == 0


def test_functional_that_is_not_polynomial():
    step = Means("student", None, None, z, s, ((x, exp(s)),))
    with pytest.raises(ak.StructureError, match="high precision: .* is not polynomial in z and the activation"):
        ConditionalMeans(step, ak.Activation("tanh"), MultiprecisionNumbers(30))


# -- numbers ------------------------------------------------------------------------------------------------------


def test_numbers_are_read_exactly():
    from decimal import Decimal
    from fractions import Fraction

    numbers = MultiprecisionNumbers(40)
    tenth = numbers.mp.mpf(1) / 10
    for value in (0.1, "0.1", "1/10", Fraction(1, 10), np.float64(0.1)):
        assert numbers.number(value) == tenth
    assert numbers.number(3) == 3
    assert abs(numbers.number(str(Decimal("0.1"))) - tenth) == 0
    assert mpmath.mp.dps == 15      # the common context is never touched


@pytest.mark.parametrize("digits", [4, 1001, 3.5, "40", None])
def test_digits_are_checked(digits):
    with pytest.raises(ak.DomainError, match="digits: got .*; expected an integer from 5 to 1000"):
        check_digits(digits)


@pytest.mark.parametrize("expr", [
    x + 2 * y, x / y - 1, (x + y) ** 3, (x + y) ** -2, sqrt(x), 1 / sqrt(x * y), tanh(x) * exp(-y), Max(x, y, 1),
    Abs(x - y), pi * x, Rational(2, 7) * y, x**Rational(5, 2), Integer(3), 0.5 * x,
])
def test_expressions_in_both_number_systems(expr):
    floats, digits = Floats(), MultiprecisionNumbers(40)
    at = {x: 1.25, y: 2.5}
    double = evaluate(expr, at, floats)
    precise = evaluate(expr, {k: digits.number(v) for k, v in at.items()}, digits)
    assert double == pytest.approx(float(precise), rel=1e-15)
    assert abs(digits.mp.mpf(precise) - digits.mp.mpf(str(expr.subs({x: Rational(5, 4), y: Rational(5, 2)}).evalf(45)))
               ) < 1e-37
    arrays = {k: np.array([v, 2 * v]) for k, v in at.items()}
    if not expr.has(Max):
        np.testing.assert_allclose(np.broadcast_to(evaluate(expr, arrays, floats), 2)[0], double, rtol=1e-15)


def test_functions_of_digits():
    mp = MultiprecisionNumbers(30).mp
    for name in ("tanh", "relu", "sign", "gelu", "where(z > 1, z, z**2)", "max(z, min(1, z**3))"):
        act = ak.Activation(name)
        run = mp_function(act, mp)
        for t in (-1.5, 0.25, 1.5):
            assert float(run(mp.mpf(t))) == pytest.approx(float(act(np.array([t]))[0]), rel=1e-14)
    with pytest.raises(ak.StructureError, match="high precision: no form is known for"):
        from sympy import Function

        compile_mp(Function("unheard")(x), mp)


def test_elimination_in_any_field():
    mp = MultiprecisionNumbers(40).mp
    rows = [[mp.mpf(1) / 3, 2, 0], [mp.mpf(10) ** -30, 1, 1], [0, 0, 0]]
    solution, residual = solve_scaled(rows, [mp.mpf(1), mp.mpf(2), mp.mpf(0)])
    assert solution[2] == 0
    assert abs(rows[0][0] * solution[0] + 2 * solution[1] - 1) < 1e-38
    assert residual < 1e-38


# -- the interpreter ----------------------------------------------------------------------------------------------


PARAMETERS = {"gamma": "0.8", "alpha": "1.4", "lam": "0.05", "beta": "0.7", "noise_variance": "0.1"}


@cache
def solved(digits):
    """The spiked theory with its tables, in digits."""
    theory = ak.SpikedFeatures("erf", "sin")
    parameters = {"r": "1.2", "c": "1.1", **PARAMETERS}
    numbers = MultiprecisionNumbers(digits)
    program, _ = spiked_program()
    values = theory.precise_values(parameters, numbers)
    rough = theory.solve(**parameters)
    inner = {t: values[t] for t in program.table_parameters}
    (grid,) = program.grids
    tables = {grid.name: DigitsTables(grid, inner, theory.functions, numbers, ()).level(2)}
    start = {u: numbers.number(rough[u.name]) for n in program.newtons for u in n.torn}
    run = Interpreter(program, numbers, tables, tolerance=numbers.mp.mpf(10) ** (-digits // 2), plain=0)
    return theory, program, numbers, rough, tables, run.run(values, start)


def test_interpreter_in_floats_and_digits():
    theory, program, numbers, rough, tables, precise = solved(50)
    double = {name: ({k: np.array([float(t) for t in np.broadcast_to(column, weights.shape)])
                      for k, column in columns.items()}, np.array([float(w) for w in weights]))
              for name, (columns, weights) in tables.items()}
    values = {t: float(precise[t]) for t in program.parameters}
    start = {u: 1.0 for n in program.newtons for u in n.torn}
    floats = Interpreter(program, Floats(), double).run(values, start)
    for symbol in program.outputs[:-1]:
        assert float(floats[symbol]) == pytest.approx(float(precise[symbol]), rel=1e-11, abs=1e-14), symbol
        name = {v: k for k, v in program.observables.items()}.get(symbol, symbol.name)
        assert rough[name] == pytest.approx(float(precise[symbol]), rel=1e-10, abs=1e-13), symbol
    assert precise[program.residual] < 1e-45


def digits_reading():
    """Mean over kappa of expressions in the named moments, on the tables of the solution."""
    theory, program, numbers, _, tables, values = solved(50)
    u, t = moments(), theory_symbols()
    (grid,) = program.grids
    inner = {q: values[q] for q in program.table_parameters}
    builder = DigitsTables(grid, inner, theory.functions, numbers, ())
    builder.level(2)
    fractions = sorted(builder._known)
    _, weights = tables[grid.name]
    labels = {column.name: k for k, column in enumerate(builder.base)}
    columns = {name: np.array([builder._known[f][k] for f in fractions], dtype=object) for name, k in labels.items()}
    named = {getattr(u, n): Symbol(n, real=True) for n in ("mu0", "mu1", "mu2sq", "h", "hz", "hzz")}
    at = {named[getattr(u, n)]: columns[n] for n in ("mu0", "mu1", "mu2sq", "h", "hz", "hzz")}
    at[t.kappa] = columns[grid.bound[0].name]

    def mean(expr):
        plain = unname(expr, lambda n: n.label in ("V", "C", "R")).xreplace(named)
        return numbers.mp.fdot(zip(np.broadcast_to(evaluate(plain, {**values, **at}, numbers), len(weights)), weights))

    return mean, values, numbers, program


def test_identity_of_the_objective():
    # eps_t + lam beta/alpha q2 = E[(hzz + Delta - h C - mu1 psi hz)/(1 + V)]
    mean, values, numbers, program = digits_reading()
    t, u, p = theory_symbols(), moments(), pieces()
    right = mean((u.hzz + t.noise_variance - u.h * p.C - u.mu1 * t.psi * u.hz) / (1 + p.V))
    train = mean(p.R / (1 + p.V) ** 2)
    left = train + values[t.lam] * values[t.beta] / values[t.alpha] * values[t.q2]
    assert abs(left - right) < 1e-35
    assert abs(values[program.observables["objective"]] - left) < 1e-35
    assert abs(values[program.observables["train_error"]] - train) < 1e-35


@pytest.mark.slow
def test_identity_of_the_free_energy():
    # at the saddle the free energy is half the objective, in units of beta/alpha
    mean, values, numbers, program = digits_reading()
    t, p = theory_symbols(), pieces()
    names = ["V1", "V2", "Vhat1", "Vhat2", "q1", "q2", "qhat1", "qhat2", "theta", "thetahat", "psi", "psihat",
             "alpha", "beta"]
    v = {name: values[getattr(t, name)] for name in names}
    hats = (v["qhat1"] * v["V1"] - v["q1"] * v["Vhat1"] + v["qhat2"] * v["V2"] - v["q2"] * v["Vhat2"]) / 2
    overlaps = (v["theta"] * v["thetahat"] + v["psi"] * v["psihat"]) / v["beta"]
    (prior,) = [a for a in free_energy().atoms(Average) if a.measure == p.law]
    factor = free_energy().coeff(prior)
    energy = hats + overlaps + evaluate(unname(factor * prior.doit()), values, numbers) \
        + v["alpha"] / (2 * v["beta"]) * mean(p.R / (1 + p.V))
    assert abs(energy - v["alpha"] / (2 * v["beta"]) * values[program.observables["objective"]]) < 1e-35


@pytest.mark.slow
def test_precise_twice():
    theory = ak.SpikedFeatures("tanh", "sin")
    parameters = {"r": "1.2", "c": 1, **PARAMETERS}
    low, high = theory.precise(digits=15, **parameters), theory.precise(digits=25, **parameters)
    for name in ("V1", "q1", "theta", "m", "psi", "test_error", "objective"):
        assert abs(low[name] - high[name]) < 1e-14 * abs(high[name])
    assert high.residual < 1e-30
    assert high.error_estimate < 1e-24


@pytest.mark.slow
def test_averages_of_growing_integrands_reach_as_far_as_they_must():
    z = Symbol("z", real=True)
    # the polynomial outgrows the reach of the weight alone
    high = ak.E(hermite_prob(63, z) * tanh(z), z).evalf(15)
    with mpmath.workdps(60):
        he = [mpmath.mpf(c.p) for c in hermite_prob(63, z).as_poly(z).all_coeffs()]
        step = mpmath.mpf(1) / 20
        exact = mpmath.fsum(step * mpmath.polyval(he, x) * mpmath.tanh(x) * mpmath.npdf(x)
                            for x in (k * step for k in range(-600, 601)))
    assert abs(high / exact - 1) < 1e-13
    slow = exp(Rational(2, 5) * z**2) * tanh(z) ** 2
    assert abs(float(ak.E(slow, z).evalf(18)) - float(ak.enclose(ak.E(slow, z), digits=18))) < 1e-14


@pytest.mark.slow
def test_a_bump_that_few_offsets_see():
    """Neither the lattice nor the parity of the columns may be judged where the bump does not show."""
    theory = ak.SpikedFeatures("tanh", "exp(-30*(z-3)**2)+z")
    at = {"alpha": 3.74, "lam": 1e-5, "noise_variance": 0, "r": 0.1, "c": 0.1, "gamma": -0.99}
    low, high = (theory.precise(digits=d, **at).test_error for d in (15, 40))
    assert abs(low / high - 1) < 1e-14
    assert abs(theory.solve(**at).test_error / high - 1) < 1e-11
    theory = ak.SpikedFeatures("tanh(z)+exp(-50*(z-6)**2)", "sin(20*z**2)")
    at |= {"lam": 2e-5, "noise_variance": "0.1", "r": "1e-8", "c": 1}
    # the mean of the student is 1e-8 of its size: its direction has that many digits less
    plain = {**at, "noise_variance": 0.1, "r": 1e-8, "c": 1}
    with pytest.raises(ak.ConvergenceError, match="the mean of an activation is below the rounding .* use precise"):
        theory.solve(**plain)
    assert abs(theory.precise(digits=15, **at).clean_error - theory.solve(rtol=1e-7, **plain).clean_error) < 1e-7
