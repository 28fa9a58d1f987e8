"""What the script for the lowest versions reads: all bounds of setup.cfg, and the main job of README."""

import numpy as np
import pytest
from lowest_versions import LINTERS, bound, lowest, main_job
from sympy import symbols

import asympkit as ak
from asympkit.equations import blocks as matching


def test_what_is_read():
    found = lowest()
    assert {"sympy", "numpy", "scipy", "mpmath", "numba", "threadpoolctl", "python-flint", "pytest"} <= found.keys()
    assert not {*LINTERS, "sphinx"} & found.keys()
    assert all(version[0].isdigit() for version in found.values())
    assert main_job()[:2] == ["check", "one-step"] and "--repeats" in main_job()


@pytest.mark.parametrize(("line", "expected"), [
    ("sympy >= 1.13", ("sympy", "1.13")), ("  dask[distributed] >= 2024.1", ("dask[distributed]", "2024.1"))])
def test_a_requirement_is_read(line, expected):
    assert bound(line) == expected


def test_graphs_have_indices_that_the_lowest_scipy_reads(monkeypatch):
    seen = []
    graph = matching.csr_matrix
    monkeypatch.setattr(matching, "csr_matrix", lambda *args, **kw: seen.append(graph(*args, **kw)) or seen[-1])
    x, y, a = symbols("x y a", positive=True)
    theory = ak.Theory(name="two", unknowns=[x, y], parameters={a: ("number", "positive")},
                       equations=[x - a * y / 3, y - 1 - x / 4])
    assert theory.solve(a=1)["x"] == pytest.approx(4 / 11)
    assert seen and all(g.indices.dtype == np.int32 for g in seen)
