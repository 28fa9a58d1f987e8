"""Shared settings of the tests."""

import os

# one thread for linear algebra: simulated results then do not depend on the machine's number of cores
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")
