"""A hundred thousand random points: no failure, every residual below 1e-12; a sample on finer rules."""

import numpy as np
import pytest
from asympkit.generated.spiked_features import kernel as kernel

import asympkit as ak

TABLES = [("tanh", 1.5, 1.1), ("tanh", 0.0, 1.0), ("erf", 3.0, 1.5), ("sin", 2.0, 1.0), ("relu", 1.0, 1.2),
          ("z/2+tanh(z)/2", 2.0, 1.3), ("gelu", 0.5, 1.0), ("identity", 1.0, 1.0),
          ("z*exp(-z**2/2)", 2.5, 1.2), ("tanh", 8.0, 2.0)]
GAMMA = 0.7


def sample(size, seed):
    rng = np.random.default_rng(seed)
    return (10 ** rng.uniform(-3, 3, size), 0.05 * 400 ** rng.uniform(0, 1, size), 10 ** rng.uniform(-8, 3, size),
            rng.choice([0.0, 0.25], size))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "table"), list(enumerate(TABLES)))
def test_no_point_of_the_box_fails(seed, table):
    student, r, c = table
    size = 10_000
    rho = np.sqrt(1 - GAMMA**2)
    (rule,), _ = kernel.kappa_rule((4,), r, c, GAMMA, rho, ak.Activation(student), ak.Activation("sin"))
    columns = [x[:, None].copy() for x in sample(size, seed)]
    columns += [np.full((size, 1), v) for v in (r, c, GAMMA, rho)]
    ones = np.ones((size, 1))
    out = np.empty((size, 1, len(kernel.OUTPUTS)))
    kernel.solve_rows(*columns, *rule, ones, ones, out, 1e-9, 100, 1e-9)
    residual = out[:, 0, kernel.OUTPUTS.index("residual")]
    assert np.all(residual < 1e-12), columns
    assert np.all(out[:, 0, kernel.OUTPUTS.index("test_error")] > 0)
    assert out[:, 0, -1].max() <= 20
