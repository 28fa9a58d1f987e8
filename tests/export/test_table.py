"""Points x languages: each exported solver beside the package, at random points that move every parameter."""

import shutil
from importlib.util import find_spec
from types import ModuleType

import numpy as np
import pytest
from helpers.tiers import slow_but
from test_headers import OWN, SPIKES, STEPS, Compiled, random_points
from test_jax import traced

import asympkit as ak

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
WIDTH, FLIP = {"width": (5, 500)}, {"flip": (0, 0.3)}
NONLINEAR = {"phi": (0.2, 5), "psi": (0.2, 5), "lam": (1e-4, 10), "noise_variance": (0, 1), "degree": (0, 5)}
ALL = ("python", "c", "jax")
LOSSES = {"r": (0.5, 2.0), "c": (0.8, 1.4), "gamma": (0.3, 0.9), "alpha": (0.7, 3.0), "beta": (0.5, 2.0),
          "lam": (0.05, 1.0), "noise_variance": (0.05, 0.2)}
#: theory, arguments, options, ranges of parameters, number of points, languages
SHIPPED = {
    "tanh": (ak.OneStep, ("tanh", "sin"), {}, STEPS, 300, ALL),
    "relu": (ak.OneStep, ("relu", "z + z**2"), {}, STEPS, 300, ("python", "c")),
    "tanh, width": (ak.OneStep, ("tanh", "sin"), {}, STEPS | WIDTH, 300, ALL),
    "bias": (ak.OneStep, ("softplus", "sin"), {"bias": 0.3}, STEPS | WIDTH, 60, ("python", "c")),
    "spike": (ak.SpikedFeatures, ("erf", "z**2 - 1"), {}, SPIKES, 300, ALL),
    "spike, width": (ak.SpikedFeatures, ("relu", "abs"), {}, SPIKES | WIDTH, 300, ("python", "c")),
    "signs": (ak.SpikedFeatures, ("tanh", "z"), {"labels": "sign"}, SPIKES | FLIP, 60, ALL),
    "Huber": (ak.SpikedFeatures, ("tanh", "z"), {"loss": "huber(0.5)"}, SPIKES, 20, ("jax",)),
    "logistic": (ak.SpikedFeatures, ("tanh", "z"), {"loss": "logistic", "labels": "sign"}, LOSSES | FLIP, 2,
                 ("python",)),
    "logistic, bias": (ak.SpikedFeatures, ("tanh", "z"), {"loss": "logistic", "labels": "sign", "bias": 0.3},
                       LOSSES | FLIP, 2, ("python",)),
    "hinge": (ak.SpikedFeatures, ("tanh", "z"), {"loss": "hinge", "labels": "sign"}, LOSSES | FLIP, 2, ("python",)),
    "Huber, sin": (ak.SpikedFeatures, ("tanh", "sin"), {"loss": "huber(1.0)"}, LOSSES, 2, ("python",)),
    "exact bulk": (ak.OneStep, ("tanh", "sin"), {"bulk": "exact"}, STEPS, 60, ALL),
    "exact bulk, width": (ak.OneStep, ("tanh", "sin"), {"bulk": "exact"}, STEPS | WIDTH, 30, ("python",)),
    "exact bulk, odd": (ak.OneStep, ("z*exp(-z**2/2)", "relu"), {"bulk": "exact"}, STEPS, 20, ("python",)),
    "exact bulk, relu": (ak.OneStep, ("relu", "sin"), {"bulk": "exact"}, STEPS, 20, ("python",)),
    "exact bulk, any": (ak.OneStep, ("tanh(z+1/2)", "cos(z)+z"), {"bulk": "exact"}, STEPS, 20, ("python",)),
    "nonlinear": (ak.NonlinearSpikes, ("tanh", "z + z**2"), {}, NONLINEAR, 300, ALL)}
#: own theories without a form in JAX
NOT_TRACED = ("a tail",)
#: statuses by their numbers
STATUSES = ("CONVERGED", "LIMITED", "QUADRATURE", "RESIDUAL", "INFINITE", "DEPENDENT", "ILL_CONDITIONED")
#: points whose derivatives are compared, and one of how many at least
DERIVED, ONE_OF = 12, 5


def draw(count, ranges):
    """Draw points; numbers of degrees are integers."""
    points = random_points(count, 38, **ranges)
    return {n: np.floor(v).astype(int) if n == "degree" else v for n, v in points.items()}


def solve_in(language, theory, points, folder):
    """Return outputs with statuses as numbers, and derivatives ``{output: {parameter: values}}`` if there are any."""
    if language == "c":
        made = Compiled(theory, folder, "-O2", "-DMADE_WIDE=131072")
        found, _ = made.solve(**{n: points[n] if n in points else points[n.rstrip("_")] for n in made.parameters})
        return {n: found[n] for n in (*made.outputs, "status")}, None
    if language == "python":
        made = ModuleType("made")
        try:
            text, has_rates = theory.source(derivatives=True), True
        except ak.NotAvailableError:
            text, has_rates = theory.source(), False
        exec(compile(text, "made", "exec"), made.__dict__)
        found = made.solve_many(**points)
        names = [s.lower().replace("_", "-") for s in STATUSES]
        some = {n: v[:DERIVED] for n, v in points.items()}
        return found | {"status": np.array([names.index(s) for s in found["status"]])}, \
            made.gradient(**some) if has_rates else None
    listed = {n: v.tolist() for n, v in points.items()}
    wanted = ["test_error", "q2"] if hasattr(theory, "readout") else list(theory.equations().observables) or [
        str(theory.equations().unknowns[0])]
    found, rates = traced(folder, f"print(json.dumps(everything(made, {wanted}, **{listed})))",
                          made=theory.source("jax"))
    return {n: np.array(v) for n, v in found.items()}, rates


def assert_agrees(model, points, found, rates, is_strict=True, unsolved=0.0, has_fixed_rules=False):
    """Compare values to 1e-12 of their conditions, statuses, and derivatives to 1e-9, with those of the package.

    Over the exact bulk and of losses kernels judge fewer quantities than solve.  A share may be ``unsolved``: JAX has
    rules of fixed sizes, whose errors count; C has less space for rules, and looks for no narrow features.
    """
    failed, careful, derived = 0, 0, min(DERIVED, -(-len(found["status"]) // ONE_OF))
    for k in range(len(found["status"])):
        at = {n: v[k].item() for n, v in points.items()}
        try:
            here = model.solve(parameters=at)
        except ak.ConvergenceError:
            assert found["status"][k] > 1 or not is_strict, at
            continue
        if unsolved and found["status"][k] > 1:
            failed += 1
            continue
        lost = 2.0**-52 * max(here.condition.values(), default=0.0)
        # about what solve asks for, and at quantities that are 0, two bounds may disagree
        if is_strict and not (3e-13 < lost < 3e-12 or lost > 0.01):
            names = STATUSES[found["status"][k]], here.status.name
            # modules judge unknowns by their changes alone, and are more careful at some
            careful += names == ("LIMITED", "CONVERGED")
            assert names[0] == names[1] or names == ("LIMITED", "CONVERGED"), at
        assert found["status"][k] < 2, at
        for n, value in {**here.order_parameters, **here.observables}.items():
            given = found.get(n, found.get(f"{n}_"))
            if given is not None:
                size = max(abs(value), here.scale.get(n, 0.0), 1e-290) * max(1.0, here.condition.get(n, 1.0))
                allowed = 2e-12 + found["error_estimate"][k] * has_fixed_rules          # 1e-12 of either side
                assert abs(given[k] - value) <= allowed * size, (n, at)
        for n in (rates or {}).keys() & {*model.quantities} if k < derived else ():
            for by in rates[n].keys() & at.keys() - {"degree"}:
                try:
                    rate = model.sensitivity(n, by, parameters=at)
                except ak.ConvergenceError:             # of the derivative alone
                    continue
                rounding = 1e-13 * (1e-3 + abs(here[n])) / abs(at[by]) * max(1.0, here.condition.get(n, 1.0))
                assert abs(rates[n][by][k] - rate) <= 1e-9 * abs(rate) + rounding, (n, by, at)
    assert failed <= unsolved * len(found["status"]) and careful <= 0.03 * len(found["status"])


@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize(("name", "language"), slow_but(
    [(name, language) for name, row in SHIPPED.items() for language in row[-1]], ("nonlinear", "c")))
def test_shipped_theories(name, language, tmp_path):
    if language == "jax" and find_spec("jax") is None:
        pytest.skip("needs jax")
    kind, functions, options, ranges, count, _ = SHIPPED[name]
    theory, points = kind(*functions, **options), draw(count, ranges)
    at_width, is_special = theory.at_width() if "width" in ranges else theory, bool({*options} & {"labels", "bulk",
                                                                                                  "loss"})
    unsolved = {"python": 0.0, "c": 0.0 if "bulk" in options else 0.05 if is_special else 0.01,
                "jax": 0.1 if "loss" in options else 0.02}[language]
    is_traced = language == "jax"
    assert_agrees(theory, points, *solve_in(language, at_width, points, tmp_path), not (is_special or is_traced),
                  unsolved, is_traced)


@pytest.mark.slow
@pytest.mark.parametrize("language", ALL)
@pytest.mark.parametrize("name", OWN)
def test_own_theories(name, language, tmp_path):
    if language == "jax" and (find_spec("jax") is None or name in NOT_TRACED):
        pytest.skip("needs jax, and equations that it traces")
    theory = ak.Theory(name=name, **OWN[name])
    points = draw(300 if language == "c" else 100, dict.fromkeys((p.name for p in theory.declared), (0.05, 0.95)))
    assert_agrees(theory, points, *solve_in(language, theory, points, tmp_path))
