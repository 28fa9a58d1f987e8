"""Deep random features behind layers that are not odd: against a walk of the chain, sampled weights, simulations."""

import numpy as np
import pytest
from helpers.deep_means import errors_with_means, layers, relu, softplus

import asympkit as ak
from asympkit.theories.deep_features.chain import Chain

FUNCTIONS = {"relu": relu, "tanh": np.tanh, "log(1+exp(z))": softplus}
AT = {"alpha": 0.8, "lam": 0.01, "noise_variance": 0.1}


def network(student, target, shared=0):
    """The theory of layers ``(width, activation)``; the target goes on behind the layers that it shares."""
    def text(rows, mark=""):
        return [f"{w}:{f}{mark}" for w, f in rows]

    return ak.DeepFeatures(",".join(text(student)), ",".join(text(student[:shared], "=") + text(target)))


def walked(student, target, shared, spectrum, at):
    own, _ = layers([FUNCTIONS[f] for _, f in student], spectrum)
    whole, (_, rho) = layers([FUNCTIONS[f] for _, f in [*student[:shared], *target]], spectrum)
    transmitted = float(np.prod([u.weights @ u.slope**2 for u in whole[shared:]]))
    return errors_with_means(at["alpha"], at["lam"], at["noise_variance"], [w for w, _ in student], own, spectrum,
                             rho, transmitted, shared)


@pytest.mark.parametrize(("student", "target", "shared"), [
    ([(1.5, "relu"), (0.7, "tanh")], [(1, "tanh")], 0),
    ([(1.5, "relu"), (0.7, "relu")], [(1, "relu"), (1, "relu")], 0),
    ([(1.5, "relu"), (0.7, "relu")], [], 2),
    ([(1.5, "relu"), (0.7, "relu")], [(1, "tanh")], 1),
    pytest.param([(1.5, "relu"), (0.7, "relu")], [], 1, marks=pytest.mark.slow),
    pytest.param([(1.5, "relu"), (0.7, "relu")], [(2, "tanh"), (1, "relu")], 2, marks=pytest.mark.slow),
    pytest.param([(1.5, "tanh"), (0.7, "log(1+exp(z))"), (2, "relu")], [(1, "relu"), (1, "tanh")], 0,
                 marks=pytest.mark.slow),
    pytest.param([(1.5, "relu"), (0.7, "relu"), (1.1, "relu")], [(1, "relu")] * 3, 0, marks=pytest.mark.slow),
    pytest.param([(1.5, "relu"), (0.7, "tanh"), (1.1, "log(1+exp(z))"), (2, "tanh")], [(1, "relu"), (1, "tanh")], 1,
                 marks=pytest.mark.slow)])
def test_against_the_chain_walked_by_one_unknown(student, target, shared):
    t = network(student, target, shared)
    for spectrum, moved in (([1.0], {}), ([2.0, 0.5], {"alpha": 3.0, "lam": 1e-5}), ([2.0, 0.0], {"lam": 4.0})):
        at = AT | moved
        s = t.solve(**at, input_spectrum=spectrum)
        test, train = walked(student, target, shared, spectrum, at)
        assert s.test_error == pytest.approx(test, rel=1e-11)
        assert s.train_error == pytest.approx(train, rel=1e-9)


def test_odd_layers_have_no_means():
    """The form with means, where every unit has the mean zero, is the form without."""
    plain = ak.DeepFeatures("1.5:tanh,0.7:erf(z)", "1:tanh")
    chain, s = Chain(2, 0, scattered=1), Chain(2).symbols
    derived = {k: v for k, v in plain._derived_as_typed.items() if k not in (s.kappa1[2], s.kappastar[2])}
    derived[s.mean[1]] = 0 * s.variance[0]
    scattered = ak.Theory(name="odd layers with means", unknowns=chain.unknowns, free_energy=chain.free_energy,
                          observables=chain.observables, activations=plain.functions, derived=derived,
                          parameters=[p for p in plain.declared if p.name != "input_spectrum"])
    for at in (AT, {**AT, "alpha": 4.0, "lam": 1e-6}):
        one = plain.solve(**at, input_spectrum=[1.3, 0.7])
        other = scattered.solve(**at, input_spectrum=[1.3, 0.7], input_variance=1.0)
        for name, value in one.observables.items():
            assert other[name] == pytest.approx(value, rel=1e-13 * max(1.0, one.condition[name]))
