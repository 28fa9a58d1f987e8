"""Simulate the learning of a direction from noisy labels by generalised approximate message passing.

Data are drawn, and the algorithm of Rangan (2011), with one variance for all weights, runs on them: averages over the
posterior of a field given its label are sums over nodes, one label at a time. State evolution is not used here.
"""

import numpy as np
from scipy.special import log_ndtr

from .ridge import draw_on_sphere

#: iterations at most, root mean square change of the estimate at which they end, and size of the first estimate
_STEPS, _SETTLED, _BEGIN = 500, 1e-6, 1e-2
#: nodes and weights of a normal variable; numbers of one block of labels
_NODES = np.linspace(-7.0, 7.0, 281)
_WEIGHTS = np.exp(-(_NODES**2) / 2.0) * (_NODES[1] - _NODES[0]) / np.sqrt(2.0 * np.pi)
_CHUNK = 2_000


class MessagePassing:
    """Draw a teacher and labels of normal inputs, run the algorithm, and measure overlap and errors.

    ``target`` is the function of the field; ``labels`` are its values with noise, or with ``"sign"`` the signs of the
    field with noise.  Called as ``draw(rng, size, alpha=, noise_variance=)``.
    """

    def __init__(self, target, labels):
        self.target, self.is_sign = target, labels == "sign"

    def __call__(self, rng, size, *, alpha, noise_variance):
        d, n = size, max(1, round(alpha * size))
        teacher, inputs = draw_on_sphere(rng, (d,), d), rng.standard_normal((n, d)) / np.sqrt(d)
        noise = np.sqrt(noise_variance) * rng.standard_normal(n)
        y = np.sign(inputs @ teacher + noise) if self.is_sign else self.target(inputs @ teacher) + noise
        estimate, variance = self.learn(inputs, y, noise_variance, rng)
        overlap, square = float(estimate @ teacher) / d, float(estimate @ estimate) / d
        overlap = abs(overlap) if self.target.parity == "even" else overlap         # its sign cannot be learned
        cosine = min(overlap / np.sqrt(square), 1.0)
        if self.is_sign:
            noisy = cosine / np.sqrt(1.0 + noise_variance)
            return {"q": overlap, "clean_error": np.arccos(cosine) / np.pi, "test_error": np.arccos(noisy) / np.pi}
        # on fresh inputs the fields of estimate and teacher are two normals
        predicted = self.target(np.sqrt(square) * _NODES[:, None] + np.sqrt(variance) * _NODES) @ _WEIGHTS
        true = self.target(cosine * _NODES[:, None] + np.sqrt(1.0 - cosine**2) * _NODES)
        clean = float(_WEIGHTS @ (true - predicted[:, None]) ** 2 @ _WEIGHTS)
        return {"q": overlap, "clean_error": clean, "test_error": clean + noise_variance}

    def learn(self, inputs, y, noise_variance, rng):
        """Return the estimate of the teacher and the variance of its posterior, from a random start."""
        n, d = inputs.shape
        x, variance, messages = _BEGIN * rng.standard_normal(d), 1.0, np.zeros(n)
        for _ in range(_STEPS):
            messages, slope = self._messages(y, inputs @ x - variance * messages, variance, noise_variance)
            precision = max(-n / d * slope, 1e-9)
            new = (precision * x + inputs.T @ messages) / (1.0 + precision)
            change, x, variance = np.sqrt(np.mean((new - x) ** 2)), new, 1.0 / (1.0 + precision)
            if change < _SETTLED * np.sqrt(np.mean(x**2)):
                break
        return x, variance

    def _messages(self, y, field, variance, noise_variance):
        """Return the messages of all labels, slopes of the logarithm of their probability, and their mean slope."""
        if self.is_sign:
            width = np.sqrt(variance + noise_variance)
            s = y * field / width
            mills = np.exp(-(s**2) / 2.0 - log_ndtr(s)) / np.sqrt(2.0 * np.pi)
            return y * mills / width, float(np.mean(-mills * (mills + s))) / width**2
        messages, slopes = np.empty(len(y)), 0.0
        for first in range(0, len(y), _CHUNK):
            some = slice(first, first + _CHUNK)
            values = self.target(field[some, None] + np.sqrt(variance) * _NODES)
            exponent = -((y[some, None] - values) ** 2) / (2.0 * noise_variance)
            posterior = _WEIGHTS * np.exp(exponent - exponent.max(axis=1, keepdims=True))
            posterior /= posterior.sum(axis=1, keepdims=True)
            mean, square = posterior @ _NODES, posterior @ _NODES**2
            messages[some] = mean / np.sqrt(variance)
            slopes += float(np.sum(square - mean**2 - 1.0)) / variance
        return messages, slopes / len(y)
