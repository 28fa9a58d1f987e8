"""Draw the networks that the theory of deep features describes."""

from dataclasses import dataclass

from ...simulate.deep_features.random_weights import draw_deep

__all__ = ["Networks"]


@dataclass(frozen=True)
class Networks:
    """Draw a student and a target: ``networks(rng, d, **parameters)``.

    Attributes
    ----------
    student, target : tuple of Layer
    """

    student: tuple
    target: tuple

    def __call__(self, rng, d, *, alpha, lam, noise_variance, input_spectrum, input_variance, **widths):
        sizes = [widths[f"width{k}"] for k in range(1, len(self.student) + 1)]
        own = [(width, layer.activation) for width, layer in zip(sizes, self.student)]
        target = [(sizes[k] if layer.shared else layer.width, layer.activation, layer.shared)
                  for k, layer in enumerate(self.target)]
        return draw_deep(rng, d, student=own, target=target, alpha=alpha, lam=lam, noise_variance=noise_variance,
                         spectrum=input_spectrum, centred=True)
