"""Theories: those of the papers, and the shape for one's own."""

_WHERE = {"NonlinearSpikes": "nonlinear_spikes.theory", "OneStep": "one_step.theory",
          "SpikedFeatures": "spiked_features.theory", "Theory": "theory"}

__all__ = ["NonlinearSpikes", "OneStep", "SpikedFeatures", "Theory"]


def __getattr__(name):
    import importlib

    if name in _WHERE:
        return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
