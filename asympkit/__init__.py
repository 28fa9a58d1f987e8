"""asympkit: a compiler for the asymptotic equations of learning theory.

Names are loaded when first used: ``import asympkit`` alone loads neither sympy, numba, scipy nor
matplotlib.
"""

from ._version import __version__
from .errors import (
    AssumptionWarning,
    AsympkitError,
    ConvergenceError,
    DomainError,
    NotAvailableError,
    ParseError,
    ProofError,
    SimulationFileError,
    StructureError,
    SweepFileError,
    UnfinishedError,
    UnknownNameError,
    WorkerLostError,
)

TYPE_CHECKING = False           # typing takes longer to load than this module
if TYPE_CHECKING:
    from . import cache, losses
    from .activations import Activation
    from .balls import Ball
    from .certify.enclose import enclose
    from .comparison import Tolerance
    from .gauss import E
    from .losses import Huber, Loss, Margin, Moreau, prox
    from .nodes import Named
    from .numbers.functions.classes import LogErfc, LogPhi, Mills
    from .parsing import parse
    from .published.conventions import conventions
    from .spectra import DeepCovariance, Eigenvalues, MarchenkoPastur, Semicircle, mean
    from .sweep import Sweep
    from .theories.declaration import Assumption, Parameter
    from .theories.deep_features.theory import DeepFeatures, Layer
    from .theories.gradient_steps.theory import GradientSteps
    from .theories.nonlinear_spikes.theory import NonlinearSpikes
    from .theories.one_step.theory import OneStep
    from .theories.ridge.theory import Ridge, ridge_error
    from .theories.spiked_features.theory import SpikedFeatures
    from .theories.theory import Theory
    from .versions import show_versions

_WHERE = {
    "Activation": "asympkit.activations",
    "Assumption": "asympkit.theories.declaration",
    "Ball": "asympkit.balls",
    "DeepCovariance": "asympkit.spectra",
    "DeepFeatures": "asympkit.theories.deep_features.theory",
    "E": "asympkit.gauss",
    "Eigenvalues": "asympkit.spectra",
    "GradientSteps": "asympkit.theories.gradient_steps.theory",
    "Layer": "asympkit.theories.deep_features.theory",
    "Huber": "asympkit.losses",
    "LogErfc": "asympkit.numbers.functions.classes",
    "LogPhi": "asympkit.numbers.functions.classes",
    "Loss": "asympkit.losses",
    "MarchenkoPastur": "asympkit.spectra",
    "Margin": "asympkit.losses",
    "Mills": "asympkit.numbers.functions.classes",
    "Moreau": "asympkit.losses",
    "Named": "asympkit.nodes",
    "NonlinearSpikes": "asympkit.theories",
    "OneStep": "asympkit.theories",
    "Parameter": "asympkit.theories.declaration",
    "Ridge": "asympkit.theories.ridge.theory",
    "Semicircle": "asympkit.spectra",
    "SpikedFeatures": "asympkit.theories",
    "Sweep": "asympkit.sweep",
    "Theory": "asympkit.theories",
    "Tolerance": "asympkit.comparison",
    "conventions": "asympkit.published.conventions",
    "enclose": "asympkit.certify.enclose",
    "mean": "asympkit.spectra",
    "parse": "asympkit.parsing",
    "ridge_error": "asympkit.theories.ridge.theory",
    "prox": "asympkit.losses",
    "show_versions": "asympkit.versions",
}

__all__ = [
    "Activation", "Assumption", "AssumptionWarning", "AsympkitError", "Ball", "ConvergenceError", "DeepCovariance",
    "DeepFeatures", "DomainError", "E", "Eigenvalues", "GradientSteps", "Huber", "Layer", "LogErfc", "LogPhi",
    "Loss", "MarchenkoPastur", "Margin", "Mills", "Moreau", "Named", "NonlinearSpikes", "NotAvailableError", "OneStep",
    "Parameter", "ParseError", "ProofError", "Ridge", "Semicircle", "SimulationFileError", "SpikedFeatures",
    "StructureError", "Sweep", "SweepFileError", "Theory", "Tolerance", "UnfinishedError",
    "UnknownNameError", "WorkerLostError", "cache", "conventions", "enclose", "losses", "mean", "parse", "prox",
    "ridge_error", "show_versions", "__version__",
]


if not TYPE_CHECKING:           # a type checker would accept any attribute of this package
    def __getattr__(name):
        import importlib

        if name in ("cache", "losses"):
            return importlib.import_module(f"asympkit.{name}")
        if name in _WHERE:
            value = getattr(importlib.import_module(_WHERE[name]), name)
            globals()[name] = value
            return value
        if name == "Grant":
            from .errors import warn_deprecated

            warn_deprecated("ak.Grant", "ak.Tolerance")
            return __getattr__("Tolerance")
        raise AttributeError(f"module 'asympkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
