"""A function added to the list by one entry works in a theory in every back end."""


import mpmath
import numpy as np
import pytest
import sympy as sp
from helpers.modules import run_alone

import asympkit as ak
from asympkit.numbers.functions import Entry, FunctionGrowth, entries, known_names, register, registered, remove

x, z = sp.symbols("x z", real=True)
a = sp.Symbol("a", positive=True)

#: Rybicki's sum, Math. Comp. 1989
SOURCE = '''
def dawson(x):
    """Dawson's integral for abs(x) < 15."""
    total = 0.0
    for k in range(-80, 80):
        total += math.exp(-(x - 0.2 * (2 * k + 1)) ** 2) / (2 * k + 1)
    return total / 1.772453850905516


def dawson_batch(x):
    """The same for arrays."""
    odd = 2.0 * np.arange(-80, 80) + 1.0
    return np.sum(np.exp(-(np.asarray(x)[..., None] - 0.2 * odd) ** 2) / odd, axis=-1) / 1.772453850905516
'''


class Dawson(sp.Function):
    nargs = 1

    def fdiff(self, argindex=1):
        return 1 - 2 * self.args[0] * self

    def _eval_is_extended_real(self):
        return self.args[0].is_extended_real


def digits(mp, x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def balls(x, analytic=False):
    from flint import arb

    return arb.pi().sqrt() / 2 * (-(x * x)).exp() * x.erfi()


def floats(x):
    from scipy.special import dawsn

    return dawsn(x)


ENTRY = Entry("Dawson", "dawson", "dawson_batch", floats, digits, balls, balls, text="dawson", source=SOURCE,
              symbol=Dawson, image=(-1, 1), growth=FunctionGrowth((1,)), parity="odd", is_steep=True)


def theory():
    return ak.Theory(name="dawson", parameters={a: ("", "positive")}, unknowns=[x],
                     equations=[x - a - Dawson(x) / 3 - ak.E(Dawson(x * z) * z, z) / 4],
                     observables={"o": Dawson(a * x)})


def test_one_entry_is_enough(tmp_path):
    with registered(ENTRY):
        assert "Dawson" in known_names()
        t = theory()
        act = ak.Activation("dawson(2*z)")
        assert act.parity == "odd" and act.derivative(0.0) == 2.0 and ak.Activation(Dawson(2 * z)) == act
        assert act.second_moment(certified=True).contains(act.second_moment(digits=40))
        exact = t.precise(digits=25, a="0.3")
        sweep = t.sweep(a=np.array([0.3, 0.4]), backend="numpy")
        for found in (t.solve(a=0.3), {n: sweep[n][0] for n in ("x", "o")}):
            assert found["x"] == pytest.approx(float(exact["x"]), rel=1e-14)
            assert found["o"] == pytest.approx(float(exact["o"]), rel=1e-14)
        proved = t.certify(digits=15, floats="decimal", a=0.3)["x"]
        assert abs(proved.mid - exact["x"]) < 1e-24 and proved.rad < 1e-15
        assert all("dawson" in s.lower() for s in (t.equations().text(), t.equations().latex(), t.equations().mathml()))
        t.generate(tmp_path / "dawson_module.py")
    code = "import dawson_module\nprint(repr(dawson_module.solve(0.3)['x']))"
    printed = run_alone(code, tmp_path, ("asympkit", "sympy", "scipy"))
    assert float(printed) == pytest.approx(float(exact["x"]), rel=1e-14)
    value = float(exact["x"])
    mean = mpmath.quad(lambda v: digits(mpmath, value * v) * v * mpmath.npdf(v), [-12, 0, 12])
    assert value == pytest.approx(0.3 + float(digits(mpmath, value)) / 3 + float(mean) / 4, rel=1e-14)


@pytest.mark.slow
def test_its_loops_are_compiled():
    with registered(ENTRY):
        t = theory()
        sweeps = [t.sweep(a=np.linspace(0.3, 3, 20), backend=backend) for backend in ("numpy", "numba")]
    for name in ("x", "o"):
        np.testing.assert_allclose(sweeps[0][name], sweeps[1][name], rtol=1e-14)


def test_what_is_removed_is_unknown_again():
    before = entries()
    with registered(ENTRY):
        assert len(entries()) == len(before) + 1
    assert entries() == before
    with pytest.raises(ak.StructureError, match=r"the function Dawson in Dawson\(x\) is not known to every back end"):
        ak.Theory(name="dawson", parameters={a: ("", "positive")}, unknowns=[x], equations=[x - a - Dawson(x) / 3])
    with pytest.raises(ak.UnknownNameError, match="unknown function 'dawson'"):
        ak.parse("dawson(z)")


def test_a_function_without_balls_is_refused_by_certify_alone():
    with registered(Entry("Dawson", "dawson", "dawson_batch", floats, digits, source=SOURCE, symbol=Dawson)):
        t = ak.Theory(name="no balls", parameters={a: ("", "positive")}, unknowns=[x],
                      equations=[x - a - Dawson(x + a)])
        assert t.solve(a=0.3)["x"] == pytest.approx(float(t.precise(digits=15, a="0.3")["x"]), rel=1e-14)
        with pytest.raises(ak.ProofError, match=r"no rule in ball arithmetic for the function Dawson in Dawson\("):
            t.certify(a="0.3")


@pytest.mark.parametrize(("entry", "sentence"), [
    ("dawson", "register: got 'dawson'; expected an Entry of asympkit.numbers.functions"),
    (Entry("erf", "a", "b", "c", "d"), "register: name: 'erf' is a function of the list already"),
    (Entry("Own", "a", "b", "c", "d", text="sin"), "register: name: 'sin' is a function of the list already"),
    (Entry("two words", "a", "b", "c", "d"), "register: name: got 'two words'; expected an identifier"),
    (Entry("Own", "", "b", "c", "d"), "register: loops: the entry of Own has none"),
    (Entry("Own", "a", "b", "c", "d", orders=1), "register: orders: got 1 for 1 arguments; expected fewer"),
])
def test_entries_that_nothing_could_use(entry, sentence):
    with pytest.raises(ak.DomainError, match=sentence):
        register(entry)


def test_functions_of_the_list_cannot_be_removed():
    with pytest.raises(ak.DomainError, match="remove: got 'erf'; expected the name of a function that was registered"):
        remove("erf")


class Bare(sp.Function):
    """Without a derivative."""

    nargs = 1


def test_what_a_solver_would_miss_is_said_before():
    """A record that calls functions that nothing defines, and a class that has no derivative."""
    bare = Entry("Bare", "bare", "bare_batch", floats, digits, symbol=Bare)
    with pytest.raises(ak.DomainError, match="register: loops: the entry of Bare calls bare, which its"):
        register(bare)
    source = "def bare(x):\n    return x\n\n\ndef bare_batch(x):\n    return x\n"
    with registered(Entry("Bare", "bare", "bare_batch", floats, digits, symbol=Bare, source=source)), \
            pytest.raises(ak.StructureError, match="equations: the class Bare, which was registered, has no"):
        ak.Theory(name="t", parameters={a: ("", "positive")}, unknowns=[x], equations=[x - a - Bare(x) / 3])
