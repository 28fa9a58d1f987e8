"""Sums inside sums get by with fewer nodes than those around them."""

import numpy as np
import pytest

import asympkit as ak
from asympkit.solve.ladder import thinner
from asympkit.sweep import pieces

AT = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2.0}


@pytest.fixture(scope="module")
def logistic():
    return ak.SpikedFeatures("tanh", "z", labels="sign", loss="logistic")


def test_tables_with_fewer_nodes_inside(logistic):
    kernel, point = logistic.kernel, logistic.point(logistic.given({**AT, "lam": 0.1}))
    tables = kernel.tables(3, point.table_parameters, logistic.activations, ())[0]
    found = list(thinner(kernel, tables, 3, point.table_parameters, logistic.activations))
    assert all(fewer[0] is tables[0] and fewer[1] is tables[1] for fewer in found)
    sizes = [fewer[3].size for fewer in found]
    assert len(sizes) == 3 and sizes == sorted(sizes) and sizes[-1] < tables[3].size
    assert all(size % 8 == 0 and fewer[2].shape == (1, size) for size, fewer in zip(sizes, found))
    assert all(np.isclose(fewer[3].sum(), 1.0, rtol=1e-15) for fewer in found)


def test_theories_without_sums_inside_sums_have_none():
    theory = ak.SpikedFeatures("tanh", "sin")
    point = theory.point(theory.given({**AT, "lam": 0.1}))
    tables = theory.kernel.tables(2, point.table_parameters, theory.activations, ())[0]
    assert not list(thinner(theory.kernel, tables, 2, point.table_parameters, theory.activations))


def test_a_sweep_thins_where_nothing_changes(logistic, monkeypatch):
    """Where the coarsest rule inside changes something, a finer one is taken."""
    chosen, choose = [], pieces._thinned

    def noted(how, point, points, start, tables, fine, level):
        found = choose(how, point, points, start, tables, fine, level)
        chosen.append((tables[3].size, found[3].size))
        return found

    monkeypatch.setattr(pieces, "_thinned", noted)
    lam = np.geomspace(0.05, 0.5, 20)
    found = logistic.sweep(**AT, lam=lam, rtol=1e-10, backend="numpy")
    ((whole, fewer),) = chosen
    assert fewer < whole
    for k in (0, 7, 19):
        exact = logistic.solve(**AT, lam=float(lam[k]))
        for name in ("test_error", "objective", "V1", "psi"):
            assert abs(found[name][k] / exact[name] - 1) <= 1e-10, (k, name)
    narrow = logistic.sweep(**AT, lam=lam, rtol=1e-12, backend="numpy")
    assert chosen[1][1] >= fewer
    assert np.max(np.abs(narrow["objective"] / found["objective"] - 1)) <= 1e-10
