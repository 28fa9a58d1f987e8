"""The theories of the papers, and the base class of user-defined theories."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .nonlinear_spikes.theory import NonlinearSpikes
    from .one_step.theory import OneStep
    from .spiked_features.theory import SpikedFeatures
    from .theory import Theory

_WHERE = {"NonlinearSpikes": "nonlinear_spikes.theory", "OneStep": "one_step.theory",
          "SpikedFeatures": "spiked_features.theory", "Theory": "theory"}

__all__ = ["NonlinearSpikes", "OneStep", "SpikedFeatures", "Theory"]


if not TYPE_CHECKING:           # a type checker would accept any attribute of this package
    def __getattr__(name):
        import importlib

        if name in _WHERE:
            return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
