"""Digits and derivatives of every kind of theory, at the middle of its ranges."""

import pytest
from helpers.every_theory import MORE, TABLE, decimals, middle
from helpers.tiers import slow_but

import asympkit as ak

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")

EVERY = {**TABLE, **MORE}
#: lists, in which nothing is differentiated; and where spikes diverge, derivatives are asked for
FIXED, DIVERGING = ("input_spectrum", "units"), [name for name in EVERY if name != "spikes, finite"]


@pytest.mark.parametrize("variant", slow_but(list(EVERY), "step, width", "features, classes", "own, proximal point"))
def test_digits(variant):
    theory, at = middle(variant, EVERY)
    try:
        precise = theory.precise(digits=20, **decimals(at))
    except ak.NotAvailableError as refused:
        assert "precise" in str(refused)
        return
    found = theory.solve(**at)
    for name in (*found.observables, *found.order_parameters):
        size = max(abs(float(precise[name])), found.scale.get(name, 0.0))
        assert abs(found[name] - float(precise[name])) <= 1e-11 * size, name


@pytest.mark.parametrize("variant", slow_but(DIVERGING, "step, exact, width", "own, spectrum"))
def test_derivatives(variant):
    theory, at = middle(variant, EVERY)
    quantity = next(iter(theory.solve(**at).observables), None) or next(iter(theory.solve(**at).order_parameters))
    for name in (n for n, value in at.items() if n not in FIXED and value):
        step = 1e-4 * at[name]
        up, down = (theory.solve(**{**at, name: at[name] + h})[quantity] for h in (step, -step))
        assert theory.sensitivity(quantity, name, **at) == pytest.approx(
            (up - down) / (2 * step), rel=1e-5, abs=1e-8), name
