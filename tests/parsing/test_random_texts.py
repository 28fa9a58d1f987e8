"""Texts of the whole grammar, at random: read, evaluated, examined for parity, kinks and jumps, each in little time.

Only errors of the package are raised, nothing hangs, and every claim holds.
"""

import math
import random
import warnings
from collections import Counter

import numpy as np
import pytest
from helpers.resumable import bad, run_cases

import asympkit as ak
from asympkit.parsing.grammar import COMPARISONS, FUNCTIONS
from asympkit.parsing.reader import ELEMENTARY, Z
from asympkit.properties.values import Undefined, value_at

CALLS = (*ELEMENTARY, *(f for f in FUNCTIONS if f != "leaky_relu"))      # it warns of its slope
POINTS = (-2.3, -0.7031, 0.0173, 0.4187, 1.9)


def random_text(seed):
    """A text of the grammar in z; one in twelve is damaged at one place."""
    r = random.Random(seed)

    def number():
        return r.choice([str(r.randint(0, 9)), f"{r.uniform(0, 6):.2f}", f"{r.uniform(0, 2):.3f}", "1/3", "pi", "e"])

    def argument():
        return r.choice(["z", f"{number()}*z", f"({number()}*z-{number()})", f"(z+{number()})", f"-z/{number()}"])

    def whole(depth):
        kind = r.random()
        if depth == 0 or kind < 0.15:
            return argument() if r.random() < 0.75 else number()
        part = lambda: whole(depth - 1)  # noqa: E731
        if kind < 0.45:
            return f"{r.choice(CALLS)}({part()})"
        if kind < 0.62:
            return f"{part()}{r.choice('+-')}{part()}"
        if kind < 0.76:
            return f"({part()})*({part()})"
        if kind < 0.82:
            return f"({part()})/({part()})"
        if kind < 0.88:
            return f"({part()})**{r.choice(['2', '3', '-1', '(1/2)', '(2/3)', '4', '1.5', '(-z)'])}"
        if kind < 0.94:
            return f"{r.choice(['max', 'min'])}({part()},{part()})"
        return f"where({part()} {r.choice(COMPARISONS)} {part()},{part()},{part()})"

    text = f"{number()}*{whole(3)}+{whole(2)}" if r.random() < 0.5 else whole(r.randint(1, 4))
    if r.random() < 1 / 12:
        at = r.randrange(len(text))
        text = text[:at] + r.choice(["", "(", ")", "+", "zz", "é", "**", "\n", ",", "0x"]) + text[at + 1:]
    return text


def examined(text):
    """Return the name of the package's error that a text raises, or ``""``; raise where a claim does not hold."""
    try:
        ak.parse(text)
        act = ak.Activation(text)
        values = act(np.array(POINTS))
        parity, kinks, jumps, places = act.parity, act.kinks, act.jumps, act.kinks_float
    except ak.AsympkitError as error:
        return type(error).__name__
    for x, value in zip(POINTS, values):
        try:
            exact = float(value_at(act.expr, Z, x))
        except (Undefined, OverflowError):
            continue
        # beside a switch rounding may take the other side, and nothing bounds how rounding is amplified
        if not math.isclose(value, exact, rel_tol=1e-6, abs_tol=1e-6) and math.isfinite(value) \
                and all(abs(x - k) > 1e-6 for k in places) and abs(exact) < 1e6:
            raise AssertionError(f"{value!r} at {x}, exactly {exact!r}")
    for sign in {"odd": (-1,), "even": (1,), None: ()}[parity]:
        mirrored = act(-np.array(POINTS))
        both = np.isfinite(values) & np.isfinite(mirrored) & (np.abs(values) < 1e6)
        if not np.allclose(mirrored[both], sign * values[both], rtol=1e-6, atol=1e-6):
            raise AssertionError(f"said to be {parity}")
    if not {p for p, _ in jumps} <= set(kinks) or len(set(map(float, kinks))) != len(kinks):
        raise AssertionError(f"jumps {jumps}, kinks {kinks}")
    for place, height in jumps:
        try:
            left, right = (float(value_at(act.expr, Z, float(place) + step)) for step in (-1e-9, 1e-9))
        except (Undefined, OverflowError):
            continue
        if abs(float(height)) < 1e3 and abs(right - left - float(height)) > 1e-3 * (1 + abs(left) + abs(right)):
            raise AssertionError(f"a jump of {float(height)} at {float(place)}, but values {left}, {right}")
    return ""


def judge(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        examined(random_text(seed))


def test_fifteen_random_texts():
    outcomes = Counter()
    for seed in range(15):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outcomes[examined(random_text(seed))] += 1
    assert outcomes[""] >= 4, outcomes
    assert set(outcomes) <= {"", "ParseError", "UnknownNameError", "DomainError"}, outcomes


MIXED = ["0.608*sign(0.26*z-1.33)+1/(1+exp(-(5.4*z-1.29)))+1.75*cos(0.73*z)"]
_r = random.Random(7)
MIXED += [f"{_r.uniform(.2, 2):.3f}*{_r.choice(['sign', 'abs', 'step', 'relu'])}({_r.uniform(.2, 3):.2f}*z"
          f"-{_r.uniform(-2, 2):.2f})".replace("--", "+") + f"+{_r.uniform(.2, 2):.2f}*{_r.choice(smooth)}"
          f"({_r.uniform(.2, 6):.2f}*z+{_r.uniform(0, 2):.2f})*{_r.choice(smooth)}({_r.uniform(.2, 2):.2f}*z)"
          for smooth in [("sigmoid", "cos", "tanh", "erf", "gelu", "softplus", "sin", "atan")] for _ in range(12)]


@pytest.mark.parametrize("text", MIXED)
def test_mixed_texts_take_little_time(text):
    verdict = run_cases("mixed texts", [text], lambda t: examined(t) and "refused", seconds=10)[text]
    assert verdict == ""


@pytest.mark.slow
def test_twenty_thousand_random_texts():
    verdicts = run_cases("random texts", range(20_000), judge, seconds=20)
    assert not bad(verdicts)
