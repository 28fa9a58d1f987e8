"""The equations of edges and outliers in sympy: their values with any number of digits."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from sympy import Matrix, diag, eye, symbols

from ...gauss import E
from ...nodes import Named
from ..theory import Theory
from .equations import moments
from .equations import symbols as theory_symbols

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ...activations import Activation

#: the unknowns: the response functions at lam = -x, and x, of any sign
V1, V2, X = symbols("V1 V2 x", real=True)
WIDTH = symbols("width", positive=True)


@cache
def place_theory(student: Activation, kind: str) -> Theory:
    """Return the theory of the place of an "edge", or of an outlier, "bbp" in the limit or any at a "width"."""
    s, u = theory_symbols(), moments()
    V = Named("V", u.mu1**2 * V1 + u.mu2sq * V2)
    h1, h2 = (s.alpha / s.beta * E(m / (1 + V), s.kappa) for m in (u.mu1**2, u.mu2sq))
    pair = Matrix([V1 * (1 + s.beta * s.c * h1 * V2) - s.c * V2, (h2 - X) * V2 + h1 * V1 - 1])
    J = Matrix(2, 2, lambda i, j: pair[i].diff((V1, V2)[j]))
    d = WIDTH / s.beta
    shift = s.c / d * (s.kappa**2 - 1) * u.dmu0
    along, common = s.kappa * u.mu1, 2 * s.c**2 / d * u.dmu0**2
    entries = [E(e / (1 + V), s.kappa) for e in (
        u.mu0**2 + (2 * u.mu0 * shift + common if kind == "width" else 0),
        along * (u.mu0 + (shift if kind == "width" else 0)), along**2)]
    M, K = Matrix([entries[:2], entries[1:]]), diag(d * V2, s.c * V2)
    if kind == "edge":
        last, observables = _det(J), {}
    else:
        A = eye(2) + s.alpha * M * K
        last = 1 + s.alpha * K[1, 1] * (M[1, 1] - M[0, 1] ** 2 / M[0, 0]) if kind == "bbp" else _det(A)
        # dV/dx from the pair: J dV = (0, V2)
        change = (last.diff(V2) * J[0, 0] - last.diff(V1) * J[0, 1]) * V2 / _det(J)
        observables = {"bbp": -V2 / change} if kind == "bbp" else {
            "giant": -V2 * A[1, 1] / change, "bbp": -V2 * A[0, 0] / change}
    parameters = {s.r: ("strength of the spike", "real"), s.c: ("squared norm of a row", "positive"),
                  s.alpha: ("samples over d", "positive"), s.beta: ("width over d", "positive")}
    if kind == "width":
        parameters[WIDTH] = ("hidden units", "positive")
    return Theory(name=f"place of an {kind}", parameters=parameters, unknowns=[V1, V2, X], equations=[*pair, last],
                  observables={"place": X, **observables}, activations={"student": student})


def _det(A):
    """Return the determinant without a simplification, which would rename bound variables."""
    return A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]


def precise_places(law: Any, outliers: Sequence[Any], values: Mapping[str, Any], digits: int) -> tuple[Any, Any]:
    """Return the edges of a law and some outliers with any number of digits, from those in double precision."""
    limit = {k: v for k, v in values.items() if k != "width"}

    def solved(kind, x, V, at):
        start = {"V1": float(V[0]), "V2": float(V[1]), "x": float(x)}
        return place_theory(law.student, kind).precise(digits=digits, start=start, **at)

    edges = np.array(law.edges, dtype=object)
    for place, end in enumerate(law.ends):
        if end:
            edges.flat[place] = solved("edge", end[0], end[1:], limit)["place"]
    kind, found = "width" if "width" in values else "bbp", []
    for o in outliers:
        if math.isfinite(o.location):
            at = solved(kind, o.location, law.above(o.location), values)
            o = replace(o, location=at["place"], overlap=at[o.kind])
        found.append(o)
    return edges, tuple(found)
