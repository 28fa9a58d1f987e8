"""Random students as texts, seeded by the number of a case: decaying, growing, oscillating, bumps, kinks, mixtures."""

import random

__all__ = ["KINDS", "random_point", "random_student"]


def _number(rng, low, high):
    return f"{rng.uniform(low, high):.3g}"


def _scaled(rng, low=0.3, high=2.5):
    return f"{_number(rng, low, high)}*z"


def _moved(rng):
    return f"({_scaled(rng)}{rng.uniform(-1.5, 1.5):+.3g})"


def _decaying(rng):
    inner = rng.choice([f"tanh({_scaled(rng)})", "z", f"sin({_scaled(rng)})", "erf(z)", _moved(rng)])
    decay = rng.choice([f"exp(-{_number(rng, 0.05, 3)}*z**2)", f"1/(1 + {_number(rng, 0.2, 2)}*z**2)",
                        f"1/cosh({_scaled(rng)})", f"exp(-{_number(rng, 0.1, 1.5)}*(z{rng.uniform(-2, 2):+.3g})**2)"])
    return f"{inner}*{decay}"


def _growing(rng):
    return rng.choice([f"exp({_number(rng, -0.6, 0.6)}*z)", "z**3/3 - z", f"z**2 - {_number(rng, 0, 2)}",
                       f"log(1 + exp({_scaled(rng)}))", f"z*tanh({_scaled(rng)})", f"sinh({_scaled(rng, 0.1, 0.5)})",
                       f"z*exp({_number(rng, 0.01, 0.04)}*z**2)"])


def _oscillating(rng):
    wave = rng.choice(["sin", "cos"])
    return rng.choice([f"{wave}({_scaled(rng, 0.5, 7)})", f"{wave}({_scaled(rng, 0.5, 7)}{rng.uniform(-2, 2):+.3g})",
                       f"z*{wave}({_scaled(rng)})", f"tanh({wave}({_scaled(rng)}))",
                       f"{wave}({_scaled(rng, 0.5, 4)})*exp(-{_number(rng, 0.1, 1)}*z**2)"])


def _bump(rng):
    return f"exp(-{_number(rng, 0.3, 12)}*(z{rng.uniform(-3, 3):+.3g})**2)"


def _kinked(rng):
    edge = f"z{rng.uniform(-1.5, 1.5):+.3g}"
    return rng.choice([f"max({edge}, 0)", f"abs({edge})", f"max(min({_scaled(rng)}, 1), -1)", f"max({edge}, 0.1*z)",
                       f"abs({edge})*exp(-{_number(rng, 0.1, 1)}*z**2)", "relu", "hardtanh", "elu"])


def _smooth(rng):
    return rng.choice([f"tanh{_moved(rng)}", f"erf({_scaled(rng)})", f"1/(1 + exp(-{_moved(rng)}))",
                       f"atan({_scaled(rng)})", f"tanh({_scaled(rng)})"])


KINDS = {"decaying": _decaying, "growing": _growing, "oscillating": _oscillating, "bump": _bump, "kinked": _kinked,
         "smooth": _smooth}


def random_student(case):
    """Text of the student of a case, and its kind."""
    rng = random.Random(f"student {case}")
    kind = [*KINDS, "mixed"][case % 7]
    if kind != "mixed":
        return KINDS[kind](rng), kind
    smooth = [make for name, make in KINDS.items() if name != "kinked"]
    parts = [make(rng) for make in rng.sample(smooth, 2)]
    return f"{rng.choice([0.01, 0.5, 1, 3])}*{parts[0]} {rng.choice('+-')} {parts[1]}", kind


def random_point(case):
    """Target and parameters of a case, decimal texts of few digits: floats mean the same everywhere."""
    rng = random.Random(f"point {case}")
    target = rng.choice(["sin", "tanh", "relu", "z + 1/2", "cos(z) + z", "erf(2*z)"])
    logs = {"eta": (-3, 1), "alpha0": (-0.5, 1.5), "alpha": (-0.7, 1), "lam": (-5, 0.5), "beta": (-0.5, 0.5)}
    found = {name: f"{10 ** rng.uniform(*ends):.3g}" for name, ends in logs.items()}
    return target, found | {"noise_variance": rng.choice(["0", "0.1"])}
