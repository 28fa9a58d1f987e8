"""What the derivations share: particular functions for student and target, random rows."""

from types import SimpleNamespace

from sympy import Symbol

from asympkit.nodes import bind

_Z = Symbol("z", real=True)


def chosen(expr, student, target):
    """Put a student and a target, expressions in `z`, in place of the unspecified ones."""
    functions = {label: SimpleNamespace(expr=f, symbol=_Z)
                 for label, f in (("student", student), ("target", target))}
    return bind(expr, functions)


def on_sphere(rng, rows, size):
    """Rows uniform on the unit sphere."""
    import numpy as np

    points = rng.standard_normal((rows, size))
    return points / np.linalg.norm(points, axis=1, keepdims=True)
