"""Comparisons of solutions, sweeps and paths with the programs of ``literature.py``."""

import pytest


def assert_agrees(solution, expected, rel=1e-11, absolute=0.0):
    """Compare the unknowns of a solution, a point of a sweep or of a branch, with those of an independent program."""
    for name, value in expected.items():
        assert float(solution[name]) == pytest.approx(value, rel=rel, abs=absolute), name


def assert_agrees_along(swept, axis, reference, rel=1e-11):
    """Compare every point of a sweep; the program begins at what the sweep found, and finds the root again."""
    assert swept.converged.all(), swept.status
    for k, value in enumerate(swept.axes[axis]):
        point = {name: swept[name][k] for name in swept.names}
        assert_agrees(point, reference(value, point), rel)


def assert_agrees_on_path(path, reference, absolute=1e-8, every=3):
    """Compare points of all branches of a continuation, which follows unknowns in units of 1."""
    compared = 0
    for branch in path.branches:
        for k in range(1, len(branch.parameter) - 1, every):
            point = {name: values[k] for name, values in {**branch.unknowns, **branch.observables}.items()}
            assert_agrees(point, reference(branch.parameter[k], point), absolute, absolute)
            compared += 1
    assert compared > 2


def assert_edge_is_named(refused, name):
    """Check that a refusal says that an unknown tends to an end of its domain, and which unknown."""
    assert "edge of its domain" in str(refused.value) and f"{name} tends to" in str(refused.value)
