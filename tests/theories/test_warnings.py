"""Where a warning says that it comes from: the line a person wrote, whatever lies between."""

import warnings

import numpy as np
import pytest

import asympkit as ak

CALLS = {
    "solve": lambda: ak.OneStep("softplus", "sin").solve(eta=1, alpha0=2, alpha=1, lam=0.1),
    "sweep": lambda: ak.OneStep("softplus", "sin").sweep(eta=1, alpha0=2, alpha=[1, 2], lam=0.1),
    "plot": lambda: ak.OneStep("softplus", "sin").plot(over="alpha", eta=1, alpha0=2, alpha=[1, 2], lam=0.1),
    "one of several regimes": lambda: ak.NonlinearSpikes("relu", "sin").solve(phi=1, psi=1, lam=1),
    "staircase": lambda: ak.NonlinearSpikes("relu", "sin").staircase(alpha_lr=np.array([0.1]), phi=1, psi=1, lam=1),
}


@pytest.mark.usefixtures("pictures")
@pytest.mark.parametrize("name", CALLS)
def test_a_warning_names_the_line_of_the_call(name):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        CALLS[name]()
    assert found
    for w in found:
        assert issubclass(w.category, ak.AssumptionWarning) and w.filename == __file__
        shown = warnings.formatwarning(w.message, w.category, w.filename, w.lineno)
        assert len(shown) < 1000 and "ak." in shown            # the line itself, no generated code
