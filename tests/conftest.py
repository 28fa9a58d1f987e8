"""Shared settings of the tests."""

import gc
import os

import pytest

# one thread for linear algebra: simulated results then do not depend on the machine's number of cores
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")
# collection makes many small objects that stay: the collector of garbage need not run for every few of them
gc.set_threshold(100_000, 20, 100)


@pytest.fixture
def pictures():
    """Close what a test drew."""
    yield
    import matplotlib.pyplot

    matplotlib.pyplot.close("all")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the fast tier: golden records, and the first quick case of every other file."""
    seen = set()
    for item in items:
        if item.get_closest_marker("slow") is None and (item.path.parent.name == "golden" or item.path not in seen):
            seen.add(item.path)
            item.add_marker(pytest.mark.fast)


def pytest_collection_finish(session):
    """What is loaded now stays: the collector of garbage need not walk it again, nor run for every few expressions."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
