"""The published table of widths was made with the kernel of a weak spike; the package has that of any spike.

The mean row of the bulk (derivations/real_network/mean_readout.py) and the response of the bulk to the initial output
(tilt.py) change its fourth digit.  With the kernel of a weak spike in their place the same equations give all digits.
"""

from dataclasses import replace
from functools import cache, cached_property

import pytest
from helpers.modules import loaded

from asympkit.codegen import write_kernel
from asympkit.program import build
from asympkit.solve.kernel import Kernel, SolverOptions
from asympkit.theories.one_step.exact import ExactStep
from asympkit.theories.one_step.exact_equations import exact_bulk, exact_parameters
from asympkit.theories.one_step.exact_module import IsotropicStart
from asympkit.theories.spiked_features.equations import SquareLoss, saddle_point, tilted

ZEXP = "z*exp(-z**2/2)"
#: student, target, eta, alpha0, alpha, beta, lam, noise variance, d: test error, and what the package's is beside it
TABLE = [
    (ZEXP, "sin", 1, 10, 3, 1, 0.001, 0, 100, 0.18468, 0.18479),
    (ZEXP, "sin", 1, 10, 3, 1, 0.001, 0, 200, 0.15513, 0.15522),
    (ZEXP, "sin", 1, 10, 3, 1, 0.001, 0, 400, 0.13647, 0.13653),
    ("tanh", "sin", 0.1, 2, 3, 1, 1e-5, 0, 200, 0.20694, 0.20694),
    ("tanh", "sin", 0.1, 2, 3, 1, 1e-5, 0, 400, 0.19433, 0.19433),
    ("tanh", "sin", 0.1, 2, 2, 0.5, 0.01, 0.1, 300, 0.39682, 0.39683),
    ("sin", "tanh", 0.6, 1, 3, 2, 0.1, 0, 150, 0.09063, 0.09067),
    ("tanh", "sin", 2, 2, 3, 1, 0.01, 0, 300, 0.11773, 0.11775),
    ("erf", "sin", 0.15, 3, 2, 1, 0.05, 0, 200, 0.20682, 0.20682),
    ("tanh(2*z)", "tanh", 0.08, 1, 4, 0.5, 0.001, 0.05, 300, 0.27949, 0.27947),
    (ZEXP, "tanh", 0.6, 4, 2.5, 1.5, 0.01, 0.1, 200, 0.41056, 0.41063),
]
NAMES = ("eta", "alpha0", "alpha", "beta", "lam", "noise_variance")
pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


@cache
def weak_spike_program():
    bulk = exact_bulk(True)
    weak = replace(bulk, readout=bulk.inverse, induced=tilted(bulk.kernel["vv"], bulk.weighed))
    return build(saddle_point(SquareLoss(weak)), exact_parameters(True))


@pytest.fixture(scope="module")
def weak_spike_module(tmp_path_factory):
    path = tmp_path_factory.mktemp("weak") / "weak_spike.py"
    path.write_text(write_kernel(*weak_spike_program(), "The kernel of a weak spike"), encoding="utf-8")
    return loaded(path)


class WeakSpike(ExactStep):
    """The real network, the mean of its readout with the kernel of a weak spike."""

    @cached_property
    def kernel(self):
        start = IsotropicStart(self.student, self.target)
        return Kernel(self.module, SolverOptions(nearby=start, auxiliary=super().kernel.options.auxiliary))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]}-{row[1]}-{row[8]}")
def test_the_published_table(row, weak_spike_module):
    point = dict(zip(NAMES, map(float, row[2:8])))
    width = point["beta"] * row[8]
    theory = WeakSpike(row[0], row[1], bulk="exact")
    theory.module = weak_spike_module
    assert round(theory.solve(**point, width=width).test_error, 5) == row[9]
    found = ExactStep(row[0], row[1], bulk="exact").solve(**point, width=width).test_error
    assert round(found, 5) == row[10]
