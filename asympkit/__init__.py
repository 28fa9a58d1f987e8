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

_WHERE = {
    "Activation": "asympkit.activations",
    "Assumption": "asympkit.theories.declaration",
    "Ball": "asympkit.balls",
    "E": "asympkit.gauss",
    "Eigenvalues": "asympkit.spectra",
    "Grant": "asympkit.comparison",
    "LogErfc": "asympkit.numbers.functions.classes",
    "LogPhi": "asympkit.numbers.functions.classes",
    "MarchenkoPastur": "asympkit.spectra",
    "Mills": "asympkit.numbers.functions.classes",
    "Named": "asympkit.nodes",
    "NonlinearSpikes": "asympkit.theories",
    "OneStep": "asympkit.theories",
    "Parameter": "asympkit.theories.declaration",
    "SpikedFeatures": "asympkit.theories",
    "Theory": "asympkit.theories",
    "enclose": "asympkit.certify",
    "mean": "asympkit.spectra",
    "parse": "asympkit.parsing",
    "show_versions": "asympkit.versions",
}

__all__ = [
    "AssumptionWarning", "AsympkitError", "ConvergenceError", "DomainError", "NotAvailableError",
    "ParseError", "ProofError", "SimulationFileError", "StructureError", "SweepFileError", "UnfinishedError",
    "UnknownNameError", "WorkerLostError", "__version__", "cache", *_WHERE,
]


def __getattr__(name):
    import importlib

    if name == "cache":
        return importlib.import_module("asympkit.cache")
    if name in _WHERE:
        value = getattr(importlib.import_module(_WHERE[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'asympkit' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
