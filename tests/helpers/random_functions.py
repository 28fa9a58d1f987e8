"""Random functions of every kind as texts of the grammar, drawn by ``random.Random``."""


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


def _steep(rng):
    place = f"{10 ** rng.uniform(0.5, 3):.3g}*(z{rng.uniform(-1.5, 1.5):+.3g})"
    return rng.choice([f"tanh({place})", f"1/(1 + ({place})**2)", f"sigmoid({place})", f"softplus({place})/100"])


def random_function(rng):
    """Return a function of the catalogue, of any kind, or a mixture of two."""
    draw, makers = rng.random(), [*KINDS.values()]
    if draw < 0.5:
        return rng.choice(["tanh", "erf", "relu", "sin", "cos", "gelu", "silu", "softplus", "abs", "z", "z**2 - 1",
                           "z + (z**2 - 1)/2", "leaky_relu(0.1)", "elu", "hardtanh", "z**3 - 3*z", "gaussian"])
    if draw < 0.8:
        return rng.choice(makers)(rng)
    if draw < 0.85:
        return _steep(rng)
    first, second = (make(rng) for make in rng.sample(makers, 2))
    first, second = (f"{f}(z)" if f.isalpha() and f != "z" else f for f in (first, second))
    return f"{rng.choice([1e-6, 0.01, 0.5, 1, 3])}*({first}) {rng.choice('+-')} {second}"
