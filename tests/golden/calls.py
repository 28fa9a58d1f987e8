"""Read the calls of golden records: Python's syntax for calls, a fixed vocabulary, nothing evaluated as code.

A call is spelled as a user spells it, ``OneStep("tanh", "sin").solve(eta=1, alpha0=5, alpha=1.5, lam=0.1)``.  Beside
the names of the package there are ``own`` (theories, losses and weights of :mod:`golden.own`), ``exported(theory)``
(the module that ``generate`` writes, imported; ``numba=False`` hides numba from it) and ``asympkit("...")``, the
command line.  Where a public name is renamed, its records are edited.
"""

import ast
import contextlib
import importlib.util
import io
import json
import math
import shlex
import sys
import tempfile
import warnings
from pathlib import Path
from unittest import mock

import asympkit as ak
from asympkit.cli import main

from . import own

HERE = Path(__file__).parent

#: what makes theories, activations, losses, averages
CONSTRUCTORS = ("Activation", "DeepCovariance", "DeepFeatures", "E", "Eigenvalues", "Huber", "Layer", "LogErfc",
                "LogPhi", "Loss", "MarchenkoPastur", "Margin", "Mills", "Moreau", "NonlinearSpikes", "OneStep", "Ridge",
                "SpikedFeatures", "enclose", "mean", "prox", "ridge_error")
METHODS = frozenset((
    "atoms", "certify", "check", "compressed", "continuation", "covariance", "covariance_law", "covariances",
    "degrees", "density", "doit", "edges", "effective", "equations", "evalf", "exponential", "from_weights", "grid",
    "hermite", "hermite_coefficients", "laziness", "maximize", "minimize", "moments", "normal", "parameters_at",
    "precise", "prox", "resolvent", "rho", "ridge", "sample", "second_moment", "sel", "sensitivity", "simulate",
    "solutions", "solve", "solve_rows", "spikes", "staircase", "sweep"))
ATTRIBUTES = frozenset((
    "C_eff", "Omega", "Phi", "Psi", "W_eff", "finite", "gardner", "ising", "jumps", "kinks", "layers", "magnet",
    "named", "neglected", "parity", "perceptron", "planted", "pseudo_huber", "quantile", "rho", "ridge", "spectral",
    "steps", "unknowns"))

#: methods that make a theory, too
ONCE = ("compressed", "covariance_law", "from_weights", "ridge")

_VARIABLES = {n: ak.parse(n, names=(n,)) for n in ("x", "y", "z")}
_KNOWN = [n for n in CONSTRUCTORS if n != "enclose" or importlib.util.find_spec("flint")]
_NAMES = {**{n: getattr(ak, n) for n in _KNOWN}, **_VARIABLES, "own": own, "D": own.D, "inf": math.inf}
#: arguments of the command line that are not numbers of the result
_FOLDERS = {"own.py:": f"{HERE / 'own.py'}:"}


class CallError(ValueError):
    """A call that is not in the vocabulary."""


def parse(text):
    """Return the syntax tree of a call.

    Raises
    ------
    CallError
        For text that is no expression.
    """
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise CallError(f"{text}: {error}") from None


class Calls:
    """Carry out calls; theories, activations and exported modules are made once and used again."""

    def __init__(self):
        self._made, self._folder = {}, None

    def __call__(self, text):
        """Return the result of a call given as text; warnings about assumptions are no part of it."""
        return self.value(parse(text))

    def value(self, node):
        """Return what a syntax tree stands for."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ak.AssumptionWarning)
            return self._value(node)

    def _value(self, node):
        match node:
            case ast.Constant(value=value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand)
            case ast.List(elts=elements):
                return [self._value(e) for e in elements]
            case ast.Tuple(elts=elements):
                return tuple(self._value(e) for e in elements)
            case ast.Dict(keys=keys, values=values):
                return {self._value(k): self._value(v) for k, v in zip(keys, values)}
            case ast.Name(id=name) if name in _NAMES:
                return _NAMES[name]
            case ast.Attribute(value=of, attr=name) if name in ATTRIBUTES:
                return getattr(self._value(of), name)
            case ast.Subscript(value=of, slice=ast.Constant(value=index)):
                return self._value(of)[index]
            case ast.Call():
                return self._call(node)
        raise CallError(f"{ast.unparse(node)}: is not in the vocabulary of golden records")

    def _call(self, node):
        once = isinstance(node.func, ast.Name) or getattr(node.func, "attr", "") in ONCE
        key = ast.unparse(node)
        if once and key in self._made:
            return self._made[key]
        function = self._function(node.func)
        result = function(*map(self._value, node.args), **{k.arg: self._value(k.value) for k in node.keywords})
        if once:
            self._made[key] = result
        return result

    def _function(self, node):
        match node:
            case ast.Name(id="exported"):
                return self._exported
            case ast.Name(id="asympkit"):
                return command
            case ast.Name(id=name) if name in CONSTRUCTORS:
                return _NAMES[name]
            case ast.Attribute(value=of, attr=name) if name in METHODS:
                return getattr(self._value(of), name)
            case ast.Call(func=ast.Name(id="Activation")):
                return self._value(node)
        raise CallError(f"{ast.unparse(node)}: no function or method of golden records")

    def _exported(self, theory, numba=True):
        """Return the module that a theory writes, imported from its file; numba may be hidden from it."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory()
        stem = f"golden_module_{len(self._made)}"
        path = theory.generate(Path(self._folder.name) / f"{stem}.py")
        spec = importlib.util.spec_from_file_location(stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[stem] = module
        with _hidden(numba):
            spec.loader.exec_module(module)
        return module if numba else _WithoutNumba(module)


class _WithoutNumba:
    """An exported module whose functions run where numba cannot be imported."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        def run(*args, **parameters):
            with _hidden(False):
                return getattr(self._module, name)(*args, **parameters)

        return run


def _hidden(numba):
    return contextlib.nullcontext() if numba else mock.patch.dict(sys.modules, {"numba": None})


class Printed(dict):
    """What a command prints with ``--json``, and its exit status."""


def command(line):
    """Run the command line in this process, in an empty folder."""
    argv = shlex.split(line)
    for short, long in _FOLDERS.items():
        argv = [long + a.removeprefix(short) if a.startswith(short) else a for a in argv]
    out, err = io.StringIO(), io.StringIO()
    with (tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(out),
          contextlib.redirect_stderr(err)):
        status = main(argv)
    text = out.getvalue()
    return Printed(command=argv[0], status=status, printed=json.loads(text) if text and "--json" in argv else None)
