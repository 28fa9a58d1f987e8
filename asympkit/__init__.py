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
    from .channels import LabelEntropy
    from .comparison import Tolerance
    from .gauss import E
    from .losses import Huber, Loss, Margin, Moreau, prox
    from .nodes import Named
    from .numbers.functions.classes import LogErfc, LogPhi, Mills
    from .parsing import parse
    from .published import conventions
    from .spectra import (
        DeepCovariance,
        Eigenvalues,
        Gamma,
        MarchenkoPastur,
        Poisson,
        Semicircle,
        StudentT,
        free_sum,
        mean,
    )
    from .sweep import Sweep
    from .theories.bayes_optimal.theory import BayesOptimal
    from .theories.declaration import Assumption, Parameter
    from .theories.deep_features.theory import DeepFeatures, Layer
    from .theories.gradient_steps.theory import GradientSteps
    from .theories.nonlinear_spikes.theory import NonlinearSpikes
    from .theories.one_step.theory import OneStep
    from .theories.ridge.theory import Ridge, ridge_error
    from .theories.spiked_features.theory import SpikedFeatures
    from .theories.theory import Theory
    from .versions import show_versions

_NAMES = {
    "asympkit.activations": "Activation",
    "asympkit.balls": "Ball",
    "asympkit.certify.enclose": "enclose",
    "asympkit.channels": "LabelEntropy",
    "asympkit.comparison": "Tolerance",
    "asympkit.gauss": "E",
    "asympkit.losses": "Huber Loss Margin Moreau prox",
    "asympkit.nodes": "Named",
    "asympkit.numbers.functions.classes": "LogErfc LogPhi Mills",
    "asympkit.parsing": "parse",
    "asympkit.published": "conventions",
    "asympkit.spectra": "DeepCovariance Eigenvalues Gamma MarchenkoPastur Poisson Semicircle StudentT free_sum mean",
    "asympkit.sweep": "Sweep",
    "asympkit.theories.bayes_optimal.theory": "BayesOptimal",
    "asympkit.theories.declaration": "Assumption Parameter",
    "asympkit.theories.deep_features.theory": "DeepFeatures Layer",
    "asympkit.theories.gradient_steps.theory": "GradientSteps",
    "asympkit.theories.nonlinear_spikes.theory": "NonlinearSpikes",
    "asympkit.theories.one_step.theory": "OneStep",
    "asympkit.theories.ridge.theory": "Ridge ridge_error",
    "asympkit.theories.spiked_features.theory": "SpikedFeatures",
    "asympkit.theories.theory": "Theory",
    "asympkit.versions": "show_versions",
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "Activation", "Assumption", "AssumptionWarning", "AsympkitError", "Ball", "BayesOptimal", "ConvergenceError",
    "DeepCovariance", "DeepFeatures", "DomainError", "E", "Eigenvalues", "Gamma", "GradientSteps", "Huber",
    "LabelEntropy", "Layer", "LogErfc", "LogPhi",
    "Loss", "MarchenkoPastur", "Margin", "Mills", "Moreau", "Named", "NonlinearSpikes", "NotAvailableError", "OneStep",
    "Parameter", "ParseError", "Poisson", "ProofError", "Ridge", "Semicircle", "SimulationFileError", "SpikedFeatures",
    "StructureError", "StudentT", "Sweep", "SweepFileError", "Theory", "Tolerance", "UnfinishedError",
    "UnknownNameError", "WorkerLostError", "cache", "conventions", "enclose", "free_sum", "losses", "mean", "parse",
    "prox", "ridge_error", "show_versions", "__version__",
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
