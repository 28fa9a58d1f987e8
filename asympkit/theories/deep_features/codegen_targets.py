"""List the generated files of deep features: the exported module of two layers."""

__all__ = ["writers"]


def writers():
    """Return ``{file: function}``; a function returns the text of its file."""
    return {"solver.py": _solver}


def _solver():
    from .theory import DeepFeatures

    return DeepFeatures("1.5:tanh,1:erf(z)", "1:sign").source()
