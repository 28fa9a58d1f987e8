"""Files of simulations that were damaged: a sentence or the right numbers."""

import numpy as np
import pytest
from helpers.damage import KINDS, damaged, same_bits
from helpers.resumable import bad, run_cases

import asympkit as ak

AT = {"eta": 1.0, "alpha0": 1.0, "alpha": [0.5, 1.5], "lam": [0.01, 0.1], "d": 10, "repeats": 3}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "s.npz"
    model = ak.OneStep("tanh", "sin")
    return model, model.simulate(**AT, file=path), path.read_bytes()


def judged(whole, path, case):
    model, right, data = whole
    kind, seed = case.split("|")
    path.write_bytes(damaged(data, kind, np.random.default_rng([int(seed), *map(ord, kind)])))
    try:
        found = model.simulate(**AT, file=path)
    except ak.AsympkitError as error:
        return "" if str(error).startswith("file: ") else f"unclear: {error}"
    return "" if all(same_bits(found[n].values, right[n].values) for n in right) else "other numbers"


def cases(count):
    return [f"{KINDS[k % len(KINDS)]}|{k}" for k in range(count)]


def test_a_sentence_or_the_right_numbers(whole, tmp_path):
    assert {c: v for c in cases(64) if (v := judged(whole, tmp_path / "s.npz", c))} == {}


@pytest.mark.slow
def test_many_damages(whole, tmp_path):
    verdicts = run_cases("simulation_damage", cases(2000), lambda c: judged(whole, tmp_path / "s.npz", c))
    assert bad(verdicts) == {}
