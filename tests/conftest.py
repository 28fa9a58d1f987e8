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


def pytest_collection_finish(session):
    """What is loaded now stays: the collector of garbage need not walk it again, nor run for every few expressions."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
