"""The mathematics as runnable documents: every step of a derivation carries a machine check.

``python -m asympkit.derivations.one_step.result_3_1`` prints one; :func:`load` returns it as an object.
Nothing heavy is imported until a derivation is loaded.
"""

from ..errors import UnknownNameError, suggest

#: name of each derivation and the module that holds it, in the order in which they build on each other
ALL = {
    "gaussian.stein": "asympkit.derivations.gaussian.stein",
    "gaussian.heat": "asympkit.derivations.gaussian.heat",
    "gaussian.hermite": "asympkit.derivations.gaussian.hermite",
    "gaussian.mehler": "asympkit.derivations.gaussian.mehler",
    "gaussian.price": "asympkit.derivations.gaussian.price",
    "gaussian.arcsine": "asympkit.derivations.gaussian.arcsine",
    "gaussian.arc_cosine": "asympkit.derivations.gaussian.arc_cosine",
    "gaussian.trapezoid": "asympkit.derivations.gaussian.trapezoid",
    "one_step.result_3_1": "asympkit.derivations.one_step.result_3_1",
    "one_step.result_3_2": "asympkit.derivations.one_step.result_3_2",
    "one_step.result_3_3": "asympkit.derivations.one_step.result_3_3",
    "one_step.reduction": "asympkit.derivations.one_step.reduction",
    "one_step.uniqueness": "asympkit.derivations.one_step.uniqueness",
    "nonlinear_spikes.traces": "asympkit.derivations.nonlinear_spikes.traces",
    "nonlinear_spikes.root": "asympkit.derivations.nonlinear_spikes.root",
    "nonlinear_spikes.spikes": "asympkit.derivations.nonlinear_spikes.spikes",
    "nonlinear_spikes.gaps": "asympkit.derivations.nonlinear_spikes.gaps",
    "nonlinear_spikes.test_error": "asympkit.derivations.nonlinear_spikes.test_error",
    "nonlinear_spikes.initial_output": "asympkit.derivations.nonlinear_spikes.initial_output",
    "nonlinear_spikes.gaussian_rows": "asympkit.derivations.nonlinear_spikes.gaussian_rows",
    "nonlinear_spikes.finite_step": "asympkit.derivations.nonlinear_spikes.finite_step",
}


def load(name):
    """Build a derivation.

    Parameters
    ----------
    name : str
        A key of ``ALL``; the part after the last dot is enough.

    Returns
    -------
    Derivation

    Raises
    ------
    UnknownNameError
    """
    from importlib import import_module

    short = {full.rpartition(".")[2]: full for full in ALL}
    full = name if name in ALL else short.get(name)
    if full is None:
        known = [*ALL, *short]
        raise UnknownNameError(f"name: no derivation {name!r}{suggest(name, known)}; known: {', '.join(ALL)}")
    return import_module(ALL[full]).derivation()


__all__ = ["ALL", "load"]
