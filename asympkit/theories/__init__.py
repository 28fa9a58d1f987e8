"""Theories: those of the papers, and the shape for one's own."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .nonlinear_spikes.theory import NonlinearSpikes
    from .one_step.theory import OneStep
    from .spiked_features.theory import SpikedFeatures
    from .theory import Theory

_WHERE = {"NonlinearSpikes": "nonlinear_spikes.theory", "OneStep": "one_step.theory",
          "SpikedFeatures": "spiked_features.theory", "Theory": "theory"}

__all__ = ["NonlinearSpikes", "OneStep", "SpikedFeatures", "Theory"]


if not TYPE_CHECKING:           # else a checker would take every name for one of the room
    def __getattr__(name):
        import importlib

        if name in _WHERE:
            return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
