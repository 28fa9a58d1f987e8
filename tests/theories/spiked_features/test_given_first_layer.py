"""Readouts of given first layers against explicit matrices, other theories, and regressions on the same weights."""

import math
import pickle
import warnings

import numpy as np
import pytest

import asympkit as ak

D = 240
AT = {"alpha": 2.0, "lam": 0.1, "noise_variance": 0.05}


def sphere(rng, p, d, c):
    w = rng.standard_normal((p, d))
    return w * np.sqrt(c) / np.linalg.norm(w, axis=1, keepdims=True)


def directions(d=D, gamma=0.8):
    spike, direction = np.zeros((2, d))
    spike[0], direction[0], direction[1] = 1.0, gamma, np.sqrt(1 - gamma**2)
    return spike, direction


def spiked(p=160, r=0.8, c=1.2, seed=0):
    spike, direction = directions()
    return sphere(np.random.default_rng(seed), p, D, c) + r * spike, direction


def step(d=300, p=300, n0=150, eta=4.0, seed=0):
    """Train the first layer of a network by one large step: its bulk is far from isotropic."""
    rng, direction = np.random.default_rng(seed), np.zeros(d)
    direction[1] = 1.0
    w, x = sphere(rng, p, d, 1.0), rng.standard_normal((n0, d))
    y, fields = np.sin(x @ direction), x @ w.T
    left = y - np.tanh(fields).mean(axis=1)
    return w + eta * d / p / n0 * ((left[:, None] / np.cosh(fields) ** 2).T @ x), direction


def trained(d=200, p=120, steps=3, seed=1):
    """Train both layers by a few steps of gradient descent on fresh batches."""
    rng, direction = np.random.default_rng(seed), np.ones(d) / np.sqrt(d)
    w, a = sphere(rng, p, d, 1.0), np.ones(p) / np.sqrt(p)
    for _ in range(steps):
        x = rng.standard_normal((1000, d))
        features = np.tanh(x @ w.T)
        left = np.sin(x @ direction) - features @ a / np.sqrt(p)
        w, a = w + 0.4 * d * (left[:, None] * a / np.sqrt(p) * (1 - features**2)).T @ x / 1000, \
            a + 0.5 * features.T @ left / np.sqrt(p) / 1000
    return w, direction


def ridge(W, direction, student, target, alpha, lam, noise_variance, repeats, seed=5, test=2000):
    """Train readouts of this layer on fresh samples; return means and errors of test and training error, m and q2."""
    p, d = W.shape
    n, rng, found = round(alpha * d), np.random.default_rng(seed), []
    for _ in range(repeats):
        x = rng.standard_normal((n, d))
        y = target(x @ direction) + np.sqrt(noise_variance) * rng.standard_normal(n)
        f = student(x @ W.T) / np.sqrt(p)
        a = np.linalg.solve(f.T @ f + lam * np.eye(p), f.T @ y)
        x = rng.standard_normal((test, d))
        wrong = target(x @ direction) - student(x @ W.T) @ a / np.sqrt(p)
        found.append([np.mean(wrong**2) + noise_variance, np.mean((y - f @ a) ** 2), a.sum() / np.sqrt(p), a @ a / p])
    return np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(repeats)


def assert_agree(t, W, direction, student, target, repeats, at=AT, most=3.0):
    solution = t.solve(**at)
    mean, error = ridge(W, direction, student, target, **at, repeats=repeats)
    z = (mean - [solution[n] for n in ("test_error", "train_error", "m", "q2")]) / error
    assert np.max(np.abs(z)) < most, (z, mean, error)
    return solution, mean, error


def test_a_layer_with_a_known_spike():
    W, direction = spiked()
    t = ak.SpikedFeatures("tanh", "sin").from_weights(W, target_direction=5 * direction, spike=-directions()[0])
    solution, *_ = assert_agree(t, W, direction, np.tanh, np.sin, 25)
    row = W.mean(axis=0)
    assert solution.r == pytest.approx(-row[0]) and solution.gamma == pytest.approx(-0.8)
    assert solution.width == 160
    bulk = W - row[0] * directions()[0]
    assert solution.c == pytest.approx((bulk**2).sum() / 160)


@pytest.mark.parametrize("spike, student, target", [
    (None, "tanh", "sin"), (directions()[0], "tanh", "sin"), (directions()[0], "tanh(z)+z**2/5", "sin(z)+z**2/3")])
def test_the_equations_by_explicit_matrices(spike, student, target):
    """Section 4 of the theory with the matrices themselves: no eigenvectors, no free energy.

    Labels of functions with even parts see the norm of an input, along the spike and beside it.
    """
    W, direction = spiked(p=90, r=0.5)
    at = {"alpha": 1.3, "lam": 0.2, "noise_variance": 0.1}
    s = ak.SpikedFeatures(student, target).from_weights(W, target_direction=direction, spike=spike).solve(**at)
    student, target = ak.Activation(student), ak.Activation(target)
    p, v = 90, W.mean(axis=0) if spike is None else spike
    v = v / np.linalg.norm(v)
    bulk = W - (W @ v).mean() * v
    gamma = direction @ v
    rho = np.linalg.norm(direction - gamma * v)
    zeta = (direction - gamma * v) / rho
    norms = (bulk**2).sum(axis=1)
    Omega = bulk @ (np.eye(D) - np.outer(v, v)) @ bulk.T
    g = np.sqrt(D) * np.array([bulk @ v, bulk @ zeta, norms - norms.mean(), np.ones(p)])

    def prior(V1, V2):
        S = at["lam"] * np.eye(p) + V2 * np.eye(p) + V1 * Omega
        inverse = np.linalg.inv(S)
        return np.trace(Omega @ inverse) / p, np.trace(inverse) / p, g @ inverse @ g.T / p

    V1, V2, K = prior(s["Vhat1"], s["Vhat2"])
    assert (s["V1"], s["V2"]) == pytest.approx((V1, V2), rel=1e-10)
    hats = np.array([s["thetahat"], s["psihat"], s["chihat"], 0.0])
    hats[3] = (s["m"] - K[3, :3] @ hats[:3]) / K[3, 3]
    psi = s["psi"] + s["psi0"] / rho
    assert K @ hats == pytest.approx(np.array([s["theta"], psi, s["chi"], s["m"]]), rel=1e-8, abs=1e-10)
    step, beta = 1e-5, p / D

    def slope(a, b):
        up, down = (prior(s["Vhat1"] + k * a, s["Vhat2"] + k * b) for k in (step, -step))
        hat = s["qhat1"] * (up[0] - down[0]) + s["qhat2"] * (up[1] - down[1])
        return -(hat + hats @ (up[2] - down[2]) @ hats / beta) / (2 * step)

    assert (s["q1"], s["q2"]) == pytest.approx((slope(1, 0), slope(0, 1)), rel=1e-6)
    # the channel, by averages on a grid over kappa
    z = np.linspace(-9, 9, 361)
    w = np.exp(-z * z / 2) / np.exp(-z * z / 2).sum()
    field, label = student(s.r * z[:, None] + np.sqrt(s.c) * z), target(gamma * z[:, None] + rho * z)
    mu0, mu1, dmu0 = field @ w, field @ (w * z) / np.sqrt(s.c), field @ (w * (z * z - 1)) / (2 * s.c)
    mu2 = field**2 @ w - mu0**2 - s.c * mu1**2
    sees = target.parity != "odd"
    vv, vz, zz = (D / p * a @ b for a, b in ((bulk @ v, bulk @ v), (bulk @ v, bulk @ zeta), (bulk @ zeta, bulk @ zeta)))
    mean = mu0 + (vv if sees else s.c) / D * (z * z - 1) * dmu0
    cross, bend = (dmu0 * e / D * sees for e in (2 * vz * z, zz))
    pairs = ((bulk @ bulk.T) ** 2).sum() - (norms**2).sum()
    common = 2 * pairs / p**2 * dmu0**2
    V, C = mu1**2 * V1 + mu2 * V2, mean * s["m"] + z * mu1 * s["theta"] + dmu0 * s["chi"]
    across = cross[:, None] * z + bend[:, None] * (z * z - 1)
    left = label - C[:, None] - mu1[:, None] * psi * z - across * s["m"]
    R = left**2 @ w + at["noise_variance"] + mu1**2 * (s["q1"] - psi**2) + mu2 * s["q2"] + common * s["m"] ** 2
    assert s.test_error == pytest.approx(w @ R, rel=1e-10)
    assert s.train_error == pytest.approx(w @ (R / (1 + V) ** 2), rel=1e-10)
    ratio = at["alpha"] / beta
    assert s["Vhat1"] == pytest.approx(ratio * w @ (mu1**2 / (1 + V)), rel=1e-10)
    assert s["qhat2"] == pytest.approx(ratio * w @ (mu2 * R / (1 + V) ** 2), rel=1e-10)
    h = label @ w
    for name, basis in (("thetahat", z * mu1), ("chihat", dmu0)):
        assert s[name] == pytest.approx(at["alpha"] * w @ (basis * (h - C) / (1 + V)), rel=1e-8)
    hm = at["alpha"] * (w @ (mean * (h - C) / (1 + V)) - s["m"] * w @ (common / (1 + V)))
    hm += at["alpha"] * w @ ((left * across) @ w / (1 + V))
    assert hats[3] == pytest.approx(hm, rel=1e-8)


def test_rows_that_are_isotropic_have_the_known_errors():
    spike, direction = np.zeros((2, 1500))
    spike[0], direction[0], direction[1] = 1.0, 0.8, 0.6
    W = sphere(np.random.default_rng(2), 1050, 1500, 1.1) + 2 * spike
    at = {"alpha": 2.0, "lam": 0.1, "noise_variance": 0.1}
    found = ak.SpikedFeatures("tanh", "sin").from_weights(W, target_direction=direction, spike=spike).solve(**at)
    known = ak.SpikedFeatures("tanh", "sin").solve(r=2, c=1.1, gamma=0.8, beta=0.7, width=1050, **at)
    # the overlaps of p rows with spike and target fluctuate by the root of 2/p, 4 %, and enter with their share
    assert found.test_error == pytest.approx(known.test_error, rel=1.5e-2)
    assert found.train_error == pytest.approx(known.train_error, rel=1.5e-2)


@pytest.mark.slow
def test_the_theory_has_all_methods(tmp_path):
    W, direction = spiked(p=120)
    t = ak.SpikedFeatures("tanh", "sin").from_weights(W, target_direction=direction)
    curve = t.sweep(alpha=[1.0, 2.0, 3.0], lam=[0.1, 0.3], noise_variance=0.05, file=tmp_path / "a.npz")
    assert curve.converged.all() and curve["test_error"][1, 0] == pytest.approx(t.solve(**AT).test_error, rel=1e-9)
    assert np.all(curve["gamma"] == t.solve(**AT).gamma)
    rate = t.sensitivity("test_error", "lam", **AT)
    sides = [t.solve(**{**AT, "lam": 0.1 + h}).test_error for h in (-1e-4, 1e-4)]
    assert rate == pytest.approx(np.diff(sides)[0] / 2e-4, rel=1e-5)
    best = t.minimize("test_error", over="lam", bounds=(1e-3, 10), alpha=2.0, noise_variance=0.05)
    assert abs(t.sensitivity("test_error", "lam", **{**AT, "lam": best.argmin})) < 1e-9
    many = t.precise(digits=25, **AT)
    assert float(many.test_error) == pytest.approx(t.solve(**AT).test_error, rel=1e-13)
    copy = pickle.loads(pickle.dumps(t))
    assert copy.solve(**AT).test_error == t.solve(**AT).test_error
    assert "given first layer" in repr(t) and "beta" not in t.names and "D/S" in t.derive().replace(" ", "")
    report = t.check(repeats=8, test_size=1000, digits=15, **AT)
    assert report.passed and report.simulation["m"].values.shape == (8,)
    drawn = t.simulate(repeats=4, test_size=500, alpha=[1.0, 2.0], lam=0.1)
    assert drawn["test_error"].mean.shape == (2,)
    f = t.learned_function([0.5, 1.0], **AT)
    assert f.shape == (2,) and t.bounds(noise_variance=0.05)["lower"] < t.solve(**AT).test_error


@pytest.mark.parametrize("change, text", [
    ({"W": np.ones(3)}, r"W: got an array of shape \(3,\); expected finite numbers of shape \(p, d\)"),
    ({"W": "tanh"}, "W: got 'tanh'"), ({"W": np.full((3, 4), np.nan)}, "W: got"),
    ({"target_direction": np.ones(7)}, r"target_direction: got an array of shape \(7,\); expected .* \(240\)"),
    ({"target_direction": np.zeros(D)}, "target_direction: got a direction of length 0"),
    ({"spike": np.zeros(D)}, "spike: got a direction of length 0"),
    ({"W": np.ones((5, D))}, "rows that are all equal")])
def test_errors_name_the_argument(change, text):
    W, direction = spiked()
    with pytest.raises(ak.DomainError, match=text):
        ak.SpikedFeatures("tanh", "sin").from_weights(**{"W": W, "target_direction": direction, **change})


def test_what_the_theory_lacks_is_refused():
    W, direction = spiked(p=60)
    t = ak.SpikedFeatures("tanh", "sin").from_weights(W, target_direction=direction)
    for call, text in ((lambda: t.solve(**AT, beta=1), "beta"), (lambda: t.certify(**AT), "floats"),
                       (t.source, "exported module"), (lambda: t.sensitivity("m", "beta", **AT), "beta"),
                       (lambda: ak.SpikedFeatures("tanh", "sin", bias="learned").from_weights(
                           W, target_direction=direction), "got 'learned'")):
        with pytest.raises(ak.AsympkitError, match=text):
            call()


def test_units_of_several_strengths_are_reported():
    W, direction = spiked()
    W[::2, 0] *= -1
    t = ak.SpikedFeatures("tanh", "sin").from_weights(W, target_direction=direction, spike=directions()[0])
    with pytest.warns(ak.AssumptionWarning, match="do not share one strength"):
        t.solve(**AT)


def test_a_target_along_the_spike():
    W, _ = spiked(p=100)
    spike = directions()[0]
    t = ak.SpikedFeatures("tanh", "sin").from_weights(W, target_direction=spike, spike=spike)
    solution, *_ = assert_agree(t, W, spike, np.tanh, np.sin, 25)
    assert solution.gamma == 1.0 and solution["psi"] == 0.0
    with pytest.raises(ak.DomainError, match="target_direction: got the direction of the spike"):
        ak.SpikedFeatures("tanh", "sin", loss=ak.Huber(1.0)).from_weights(W, target_direction=spike, spike=spike)


@pytest.mark.slow
@pytest.mark.parametrize("layer, student, functions", [
    (spiked(p=300, r=1.5, c=0.8), "erf(z)", None), (spiked(p=160, r=0.3, c=1.1), "tanh", np.tanh),
    (spiked(p=160, r=0.6), "z + (z**2 - 1)/4", lambda z: z + (z * z - 1) / 4), (trained(), "tanh", np.tanh)])
def test_networks_with_these_weights(layer, student, functions):
    W, direction = layer
    from scipy.special import erf

    t = ak.SpikedFeatures(student, "sin").from_weights(W, target_direction=direction)
    for at in (AT, {"alpha": 0.6, "lam": 0.02, "noise_variance": 0.0},
               {"alpha": 5.0, "lam": 1.0, "noise_variance": 0.3}):
        assert_agree(t, W, direction, functions or erf, np.sin, 100, at, most=3.5)


@pytest.mark.slow
def test_a_layer_after_a_real_step():
    """The bulk is far from isotropic (c = 2.35): the isotropic theory is wrong for it, its own law is right."""
    W, direction = step()
    t = ak.SpikedFeatures("tanh", "sin").from_weights(W, target_direction=direction)
    at = {"alpha": 2.0, "lam": 0.01, "noise_variance": 0.0}
    solution, mean, error = assert_agree(t, W, direction, np.tanh, np.sin, 100, at, most=3.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = ak.SpikedFeatures("tanh", "sin").solve(r=solution.r, c=solution.c, gamma=solution.gamma, beta=1,
                                                       width=300, **at)
    assert solution.c > 2.0 and abs(known.test_error - mean[0]) > 8 * error[0]


@pytest.mark.slow
@pytest.mark.parametrize("options, more", [
    ({"loss": ak.Huber(0.3)}, {}), ({"bias": 0.3}, {}), ({"loss": ak.Huber(0.5), "bias": -0.2}, {}),
    ({"loss": "logistic", "labels": "sign", "bias": 0.2}, {"flip": 0.03}), ({"labels": "sign"}, {"flip": 0.1})])
def test_other_losses(options, more):
    W, direction = spiked(p=160, r=0.5)
    t = ak.SpikedFeatures("tanh", "z" if "labels" in options else "sin", **options).from_weights(
        W, target_direction=direction)
    at = {**AT, **more}
    solution, drawn = t.solve(**at), t.simulate(repeats=60, test_size=4000, **at)
    for name in ("test_error", "train_error", "objective", "m", "q1", "q2"):
        z = (drawn[name].mean - solution[name]) / drawn[name].stderr
        assert abs(z) < 3.5, (name, float(z), float(drawn[name].mean), solution[name])
    rate = t.sensitivity("objective", "noise_variance", **at)
    sides = [t.solve(**{**at, "noise_variance": 0.05 + h}).objective for h in (-1e-4, 1e-4)]
    assert rate == pytest.approx(np.diff(sides)[0] / 2e-4, rel=1e-4)


@pytest.mark.slow
def test_the_square_loss_is_written_once_more():
    """A bias that is nearly zero takes the equations of any loss."""
    W, direction = spiked(p=120)
    plain = ak.SpikedFeatures("tanh", "sin").from_weights(W, target_direction=direction).solve(**AT)
    other = ak.SpikedFeatures("tanh", "sin", bias=1e-13).from_weights(W, target_direction=direction).solve(**AT)
    for name in ("test_error", "train_error", "objective", "m", "q1"):
        assert other[name] == pytest.approx(plain[name], rel=1e-10)
    assert math.isclose(plain.objective, plain.train_error + 0.1 * plain["q2"] * 120 / D / 2.0, rel_tol=1e-12)


@pytest.mark.parametrize(("W", "text"), [
    (np.ones((1, 1)), r"shape \(1, 1\); expected finite numbers of shape \(p, d\), at least 2 along each axis"),
    (np.full((3, 4), np.nan), r"shape \(3, 4\) with NaN or infinite numbers; expected finite numbers")])
def test_what_is_wrong_with_weights_is_said(W, text):
    with pytest.raises(ak.DomainError, match=text):
        ak.SpikedFeatures("tanh", "z").from_weights(W, target_direction=np.ones(W.shape[1]))
