"""Free sums with a semicircle beside roots of their cubic, and eigenvalues of drawn matrices."""

import mpmath as mp
import numpy as np
import pytest
from sympy import Rational, expand, latex, symbols, tanh

import asympkit as ak
from asympkit.equations.system import legend, presentation

D, T = symbols("D T", real=True)
b, s, c = symbols("b s c", positive=True)


def law(ratio, scale, wave):
    return ak.free_sum(ak.MarchenkoPastur(D, ratio, scale), ak.Semicircle(D, wave))


MEANS = ak.Theory(name="means of a free sum", unknowns=[], equations=[],
                  parameters={b: ("ratio", "positive"), s: ("scale", "positive"), c: ("wave", "positive")},
                  observables={"square": ak.mean(tanh(D)**2, law(b, s, c)),
                               "resolvent": ak.mean(1 / (20 - D), law(b, s, c))})


def resolvent(x, ratio, scale, wave):
    """Return the root of the cubic for the resolvent that lies below the real axis, or the smallest."""
    t = ratio * scale
    roots = mp.polyroots([wave**2 * t, -wave**2 - x * t, x - scale + t, -1], maxsteps=500, extraprec=80)
    return min(roots, key=lambda g: (g.imag if abs(g.imag) > mp.mpf(10)**(-mp.mp.dps // 2) else 0, abs(g)))


def integral(f, ratio, scale, wave, count):
    """Return the mean of f by the density on intervals between the zeros of the derivative of x(g)."""
    t = ratio * scale
    ends = mp.polyroots([wave**2 * t**2, -2 * wave**2 * t, wave**2 + scale * t - t**2, 2 * t, -1], maxsteps=500,
                        extraprec=80)
    edges = sorted(1 / g + scale / (1 - t * g) + wave**2 * g for g in (z.real for z in ends if abs(z.imag) < 1e-12))
    total = mp.mpf(0)
    for low, high in zip(edges[::2], edges[1::2]):
        for k in range(count):
            angle = mp.pi * (2 * k + 1) / (2 * count)
            x = (low + high + (high - low) * mp.cos(angle)) / 2
            total -= f(x) * resolvent(x, ratio, scale, wave).imag * (high - low) / 2 * mp.sin(angle) / count
    return total, edges


@pytest.mark.parametrize(("at", "count"), [
    ((0.5, 1, 1), 40), *(pytest.param(at, count, marks=pytest.mark.slow) for at, count in (
        ((3, 0.7, 0.2), 80), ((0.5, 2, 0.1), 160), ((0.01, 1, 3), 60), ((4, 1, 0.1), 80)))])
def test_density_edges_and_means(at, count):
    with mp.workdps(20):
        exact = [mp.mpf(x) for x in at]
        mean, edges = integral(lambda x: mp.tanh(x)**2, *exact, count)
        found = law(*at)
        assert found.edges().ravel() == pytest.approx([float(x) for x in edges], rel=1e-13, abs=1e-15)
        low, high = found.edges()[-1]
        x = low + (high - low) * np.array([0.01, 0.2, 0.5, 0.83, 0.999])
        known = [float(-resolvent(mp.mpf(v), *exact).imag / mp.pi) for v in x]
        assert found.density(x) == pytest.approx(known, rel=1e-12)
        g = resolvent(mp.mpf(20), *exact).real
    fixed = ak.Theory(name="fixed", unknowns=[], equations=[], parameters={s: ("place", "positive")}, observables={
        "square": ak.mean(tanh(D)**2, found), "resolvent": ak.mean(1 / (s - D), found)}).solve(s=20)
    for solution in (fixed, *([MEANS.solve(**dict(zip("bsc", at)))] if len(edges) == 2 else [])):
        assert solution["square"] == pytest.approx(float(mean), rel=1e-13)
        assert solution["resolvent"] == pytest.approx(float(g), rel=1e-14)


def test_digits_and_balls():
    at = {"b": "1/2", "s": 1, "c": 1}
    with mp.workdps(40):
        g = resolvent(mp.mpf(20), mp.mpf(0.5), 1, 1).real
        assert abs(MEANS.precise(digits=30, **at)["resolvent"] - g) < 1e-30
        assert MEANS.certify(digits=12, **at)["resolvent"].contains(g)
        gap = ak.mean(1 / (20 - D), law(4, 1, Rational(1, 10))).evalf(20)
        assert abs(mp.mpf(str(gap)) - resolvent(mp.mpf(20), 4, 1, mp.mpf(1) / 10).real) < 1e-19


@pytest.mark.slow
def test_sensitivities():
    for name in "bsc":
        ends = [MEANS.solve(**{"b": 0.5, "s": 1.0, "c": 1.0, name: {"b": 0.5}.get(name, 1.0) + k})["square"]
                for k in (1e-4, -1e-4)]
        assert MEANS.sensitivity("square", name, b=0.5, s=1, c=1) == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=1e-7)


def test_sums_of_drawn_matrices():
    rng, n = np.random.default_rng(np.random.SeedSequence(41)), 700
    a, g = rng.standard_normal((n, n)), rng.standard_normal((n, 2 * n))
    drawn = np.linalg.eigvalsh(0.5 * (a + a.T) / np.sqrt(2 * n) + g @ g.T / (2 * n))
    found = MEANS.solve(b=0.5, s=1, c=0.5)
    assert np.mean(np.tanh(drawn)**2) == pytest.approx(found["square"], abs=3e-3)
    assert [drawn[0], drawn[-1]] == pytest.approx(law(0.5, 1, 0.5).edges()[0], abs=0.05)


def test_polynomials_and_sums_of_semicircles_close():
    assert expand(ak.mean(D**2, law(b, s, c)).doit() - s**2 - b * s**2 - c**2) == 0
    assert ak.mean(D + 3, law(b, s, c)).doit() == s + 3
    assert ak.free_sum(ak.Semicircle(D, 3), ak.Semicircle(T, 4)) == ak.Semicircle(D, 5)


def test_what_is_refused():
    with pytest.raises(ak.DomainError, match="expected a Semicircle and a Semicircle or a MarchenkoPastur"):
        ak.free_sum(ak.MarchenkoPastur(D, 1), ak.MarchenkoPastur(D, 2))
    with pytest.raises(ak.DomainError, match="that holds b, c, s; expected numbers"):
        law(b, s, c).density(1.0)
    with pytest.raises(ak.ConvergenceError, match="outside its domain"):
        MEANS.solve(b=4, s=1, c=0.1)
    assert law(1, 1, 1).density([-9.0, 9.0]).tolist() == [0.0, 0.0]


def test_printed_means_name_their_law():
    wave, both, plain = ak.Semicircle(D, c), law(b, s, c), ak.Eigenvalues(D)
    assert [str(ak.mean(tanh(D), m)) for m in (wave, both, plain, ak.MarchenkoPastur(D, b, s))] == [
        "<tanh(D)>_SC(c)", "<tanh(D)>_MP+SC(b, s, c)", "<tanh(D)>", "<tanh(D)>_MP(b, s)"]
    assert latex(ak.mean(tanh(D), both)) == \
        r"\left\langle \tanh{\left(D \right)} \right\rangle_{\mathrm{MP+SC}(b, s, c)}"
    assert "<mtext>SC</mtext><mo>(</mo><mi>c</mi><mo>)</mo>" in presentation(ak.mean(tanh(D), wave))
    assert "eigenvalue, under the free sum MP+SC(ratio, scale, scale of the" in dict(legend(MEANS.equations()))[(D,)]
