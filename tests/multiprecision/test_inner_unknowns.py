"""Maps of unknowns inside functions, iterated in doubles: they lead to what Newton's method finds."""

import numpy as np
import pytest

import asympkit as ak
from asympkit.multiprecision.interpreter import InnerUnknowns
from asympkit.theories.one_step import exact_module
from asympkit.theories.one_step.exact_equations import symbols

AT = {"eta": 3.0, "alpha0": 0.5, "alpha": 2.0, "beta": 0.8, "lam": 0.05, "noise_variance": 0.0}


@pytest.mark.parametrize("student", ["tanh", pytest.param("relu", marks=pytest.mark.slow)])
def test_the_spectrum_of_a_bulk_from_afar(student):
    theory, named = ak.OneStep(student, "sin", bulk="exact"), vars(symbols())
    solved, point = theory.solve(**AT), theory.point(AT)
    is_odd = theory.is_odd
    read = InnerUnknowns(exact_module.inner(is_odd), exact_module.limit_parameters(is_odd),
                         exact_module.table_parameters(is_odd), theory.functions)
    values = dict(zip(theory.kernel.module.PARAMETERS, point.values))
    values |= {n: solved[n] for n in ("Vhat1", "Vhat2")}
    begin = {u: np.array([1e-3, 40.0]) for u in read.unknowns}
    found = read({named[n]: np.full(2, v) for n, v in values.items()}, begin)
    for u in read.unknowns:
        assert found[u] == pytest.approx([solved[u.name]] * 2, rel=1e-5), u
