"""Descriptions of the symbols of a system that it does not define itself."""

from ..gauss.measure import Gaussian
from ..nodes import Average, free_of

__all__ = ["legend"]


def legend(system, meanings=None):
    """Return ``[(symbols, description), ...]``: normal variables, eigenvalues, parameters, unknowns.

    Parameters
    ----------
    system : System
    meanings : dict of str to str, optional
        Descriptions of more parameters, by name.
    """
    meanings, defined = {**system.meanings, **(meanings or {})}, {n.label for n in system.definitions}
    expressions = [*(n.expr for n in system.definitions), *(f for _, f in system.solved), *system.observables.values()]
    measures = dict.fromkeys(a.measure for e in expressions for a in e.atoms(Average))
    normal = [s for m in measures if isinstance(m, Gaussian) for s in m.bound_symbols]
    spectral = [m.bound_symbols for m in measures if not isinstance(m, Gaussian)]
    bound = {*normal, *(s for symbols in spectral for s in symbols)}
    free = {s for e in expressions for s in free_of(e)} - {*system.unknowns} - bound
    parameters = sorted((s for s in free if s.name not in defined), key=lambda s: s.name)
    rows = [(system.unknowns, "order parameters")]
    rows += [((s,), meanings[s.name]) for s in parameters if s.name in meanings]
    rows += [(tuple(s for s in parameters if s.name not in meanings), "parameters")]
    rows += [(tuple(dict.fromkeys(normal)), "standard normal variables")]
    rows += [(s, "an eigenvalue and its companions, under the mean <...>") for s in dict.fromkeys(spectral)]
    return [(symbols, what) for symbols, what in rows if symbols]

