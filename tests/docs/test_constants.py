"""The table of certified constants in docs/activations.md: ``python tests/docs/test_constants.py`` prints it."""

from decimal import Decimal, localcontext
from pathlib import Path

import mpmath
import pytest

import asympkit as ak

PAGE = Path(__file__).parents[2] / "docs" / "activations.md"
NAMES = ("tanh", "erf", "sigmoid", "softplus", "relu", "relu6", "squared_relu", "leaky_relu(0.01)", "elu", "elu(0.7)",
         "celu(2)", "selu", "gelu", "gelu_tanh", "quick_gelu", "silu", "mish", "hardswish", "hardsigmoid", "softsign",
         "logsigmoid", "squareplus", "tanhshrink", "softshrink", "hardshrink", "snake", "atan", "asinh", "sin", "cos",
         "step", "abs", "hardtanh", "gaussian")


def row(name):
    """Return the gains of an activation as a row, rounded to 30 decimals; ends of balls round alike."""
    act = ak.Activation(name)
    balls = act.gain(certified=True), act.gain("rms", certified=True)
    cells = []
    with mpmath.workdps(60), localcontext(prec=60):
        for ball in balls:
            low, high = (round(Decimal(mpmath.nstr(end, 45)), 30) for end in (ball.mid - ball.rad, ball.mid + ball.rad))
            assert low == high, (name, ball)
            cells.append(f"{low.normalize() + 0:f}")
    return f"| {name} | {' | '.join(cells)} |"


@pytest.mark.parametrize("name", NAMES)
def test_constants_are_proved(name):
    pytest.importorskip("flint")
    assert row(name) in PAGE.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    print(*map(row, NAMES), sep="\n")
