"""Read weights: arrays, tensors of other libraries, and modules or dictionaries of parameters.

No library is imported: objects are recognised by their methods.
"""

import re
from collections.abc import Mapping

import numpy as np

from ..arguments.domains import shown
from ..errors import DomainError

__all__ = ["array_of", "layers_of"]


def array_of(name, value):
    """Return a float array from an array, a tensor or nested lists.

    Parameters
    ----------
    name : str
        For errors.
    value : object
        With ``detach().cpu().numpy()`` (torch), ``__array__`` (numpy, jax), or a list of numbers.
    """
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    try:
        array = np.asarray(value)
        # bfloat16 of jax is an extension type, which numpy can cast
        found = array.astype(np.float64) if array.dtype.kind in "fiubV" else np.empty(0)
    except (TypeError, ValueError):
        found = np.empty(0)
    if not found.size:
        raise DomainError(f"{name}: got {shown(value)}; expected an array of real numbers that is not empty")
    return found


def layers_of(name, parameters, activations):
    """Return the layers of a module, or of its dictionary of parameters, in their order.

    Parameters
    ----------
    name : str
        For errors.
    parameters : object
        With ``named_parameters()`` (a torch module: weights of shape (width, inputs)); or a mapping of names to arrays
        or mappings (a ``state_dict``; the parameters of flax or haiku, whose ``kernel`` and ``w`` have shape (inputs,
        width)).
    activations : sequence
        One for each layer. One more matrix than activations is the readout, which is left out.

    Returns
    -------
    list of (ndarray, activation, ndarray or None)
        Weights of shape (width, inputs), activation, bias.

    Raises
    ------
    DomainError
        If the number of matrices is not that of the activations, or one more.
    """
    if hasattr(parameters, "named_parameters"):
        parameters = dict(parameters.named_parameters())
    if not isinstance(parameters, Mapping):
        raise DomainError(f"{name}: got {shown(parameters)}; expected a list of (weights, activation), or a pair of a "
                          "module or mapping of parameters and a list of activations")
    matrices, biases = {}, {}
    for path, value in _leaves(parameters, ()):
        array = array_of(f"{name}: {'.'.join(path)}", value)
        if array.ndim == 2:
            if path[:-1] in matrices:
                raise DomainError(f"{name}: {'.'.join(path[:-1]) or 'the mapping'} holds two matrices; expected one "
                                  "weight of two dimensions in each layer")
            matrices[path[:-1]] = array.T if path[-1] in ("kernel", "w") else array
        elif array.ndim == 1:
            biases[path[:-1]] = array
        else:
            raise DomainError(f"{name}: {'.'.join(path)} has shape {array.shape}; expected dense layers, whose "
                              "weights have two dimensions")
    for path in biases:
        if path not in matrices:
            raise DomainError(f"{name}: {'.'.join(path)} holds a vector and no matrix; expected dense layers without "
                              "normalisation")
    activations = list(activations)
    if len(matrices) not in (len(activations), len(activations) + 1):
        raise DomainError(f"{name}: {len(matrices)} matrices ({', '.join('.'.join(p) for p in matrices)}) for "
                          f"{len(activations)} activations; expected as many, or one more, the readout")
    return [(matrix, act, biases.get(path)) for (path, matrix), act in zip(matrices.items(), activations)]


def _leaves(tree, path):
    """Yield arrays in a nested mapping, names with numbers in their natural order if siblings are layers."""
    names = list(tree)
    if any(isinstance(tree[n], Mapping) for n in names):
        names = sorted(names, key=_natural) if all(re.search(r"\d", str(n)) for n in names) else names
    for key in names:
        if isinstance(tree[key], Mapping):
            yield from _leaves(tree[key], (*path, str(key)))
        else:
            yield (*path, *str(key).split(".")), tree[key]


def _natural(name):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", str(name))]
