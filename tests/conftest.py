"""Shared settings of the tests."""

import os

import pytest

# one thread for linear algebra: simulated results then do not depend on the machine's number of cores
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture
def pictures():
    """Close what a test drew."""
    yield
    import matplotlib.pyplot

    matplotlib.pyplot.close("all")
