"""One theory under any names, through every back end: the results must be those under plain names."""

import ast
import json
import math
import random
import unicodedata
import warnings
from functools import cache
from xml.dom import minidom

import numpy as np
from sympy import Abs, Dummy, Symbol, tanh

import asympkit as ak
from asympkit.errors import ConvergenceError
from asympkit.nodes import Applied

from .modules import leave_to_python, run_alone

#: names given by a user, and those in the reference
ROLES = {"p": "p", "q": "q", "u": "u", "v": "v", "w": "w", "x": "x", "D": "D", "F": "F", "error": "error", "label": "V",
         "function": "student"}
AXIS = np.array([0.5, 0.8])
ARRAYS = {"D": [0.3, 1.0, 2.5], "F": [1.0, 0.5, 2.0]}
#: back ends: double precision in Python, derivatives too, all, all and compiled loops
PLAIN, DERIVED, EVERY, COMPILED = range(4)
#: texts that run something if they enter source as they are
RUN = "__import__('pathlib').Path('RAN').touch()"
HOSTILE = (f'"""; {RUN}; """', f"'''\n{RUN}\n'''", f'")\n{RUN}\n("', f"a\n{RUN}", f"a\r{RUN}", f"x', {RUN}, '",
    f"{{{RUN}}}", f"\\\n{RUN}", f"\\N{{{RUN}}}", f"{RUN}", f"# coding: utf-7\n+AAo-{RUN}", f"lambda: {RUN}",
    f"x; {RUN} #", "\\", "\"", "'", "\"\"\"", "{", "}", "{0}", "%s", "%(a)s", "\x00", "\x1b[2J",
    "\u202e\u2066x", "\n", "\t", " ", "</math><x>", "]]>", "&amp;", "<script>alert(1)</script>", "$HOME",
    "../../etc", "a/b", "-x", "--", "a,b", "a=b", "a:b")
TEXTS = (r"\alpha", r"\hat{m}", "q_{1}", "m'", "x y", "\u03b1", "\u00b5", "\u03bc'", "\u00e9", "\ufb01", "\u00b2",
    "\u0416", "\U0001f436", "\u5b57", "1", "2x", "_", "__", "__init__", "__debug__", "__name__", "__builtins__",
    "a" * 300, "\ua66e", "\ua66eu\ua66e", "lambda", "None", "True", "async", "match", "print", "open", "exec", "self",
    "rtol", "start", "digits", "floats", "backend", "executor", "progress", "file", "quantity", "parameter",
    "parameters", "over", "bounds", "stop", "begin", "step", "limit", "seed", "repeats", "np", "math", "numba")


def build(names, title="plain"):
    """The theory under the names ``{role: text}``."""
    p, u = (Symbol(names[r], positive=True) for r in "pu")
    q, v, w, x = (Symbol(names[r], real=True) for r in "qvwx")
    z, y = Dummy("z", real=True), Dummy("y", real=True)
    D, F = Symbol(names["D"], real=True), Symbol(names["F"], real=True)
    inner = ak.Named(names["label"], ak.E(Applied(names["function"], q * z + y), y))
    share = ak.mean(F / (1 + u * D), ak.Eigenvalues(D, F)) / 4
    equations = [u - 1 - p * ak.E(inner**2 / (1 + u * inner**2), z) - share,
                 v - tanh(p * v) / 3 - u, w + x / 3 - q, x - w / 4 - p]
    return ak.Theory(name=title, parameters={p: (title, "positive"), q: (title, "real")}, unknowns=[u, v, w, x],
                     equations=equations, activations={names["function"]: "tanh"},
                     observables={names["error"]: (u + Abs(w)) ** 2 + v * x})


def results(theory, names, routes):
    """Yield ``(what, {role: number})`` by some back ends."""
    back = {names[r]: r for r in ("u", "v", "w", "x", "error")}
    fixed = {names["q"]: 0.7, **{names[r]: ARRAYS[r] for r in ARRAYS}}
    point, rates = {names["p"]: 0.5, **fixed}, [names["error"], names["p"]]

    def named(found):
        return {back[n]: float(v) for n, v in found.items() if n in back}

    s = theory.solve(parameters=point)
    yield "solve", named({**s.order_parameters, **s.observables})
    for backend in ("numpy", "numba") if routes == COMPILED else ("numpy",):
        sweep = theory.sweep(backend=backend, parameters={names["p"]: AXIS, **fixed})
        yield f"sweep {backend}", named({n: sweep[n][0] for n in back})
    yield "loops", named(_by_loops(theory, names))
    exact = {names["p"]: "0.5", names["q"]: "0.7", **{names[r]: ARRAYS[r] for r in ARRAYS}}
    if routes >= EVERY:
        s = theory.precise(digits=12, parameters=exact)
        yield "precise", named({**s.order_parameters, **s.observables})
        s = theory.certify(digits=8, floats="decimal", parameters=exact)
        yield "certify", named({n: b.mid for n, b in {**s.order_parameters, **s.observables}.items()})
        path = theory.continuation(over=names["p"], start=0.4, stop=0.5, parameters=fixed).branches[0]
        yield "continuation", named({n: v[-1] for n, v in {**path.unknowns, **path.observables}.items()})
    if routes != PLAIN:
        yield "sensitivity", {"error": theory.sensitivity(*rates, parameters=point)}
    if routes >= EVERY:
        least = theory.minimize(names["error"], over=names["p"], bounds=(0.45, 0.5), parameters=fixed)
        yield "minimize", {"error": float(least.value)}


def _by_loops(theory, names):
    """The compiled loops as plain Python."""
    module = plain(theory.kernel_source())
    functions = {names["function"]: ak.Activation("tanh")}
    arrays = dict(zip(theory.array_names, (np.array(ARRAYS[r]) for n in theory.array_names
                                           for r in ARRAYS if names[r] == n)))
    tables = []
    for grid in module["GRIDS"]:
        rule = module[f"{grid}_rule"]
        if grid in module["GIVEN"]:
            tables += rule(*(list(arrays.values())[k] for k in module["GIVEN"][grid]))
        else:
            ((made,), _) = rule((4,), 0.7, *(functions[n] for n in module["ACTIVATIONS"]))
            tables += made
    values = {names["p"]: 0.5, names["q"]: 0.7}
    at = [np.full((1, 1), values[n]) for n in module["PARAMETERS"]]
    out = np.empty((1, 1, len(module["OUTPUTS"])))
    with np.errstate(all="ignore"):
        module["solve_rows"](*at, *tables, *[np.ones((1, 1))] * len(module["TORN"]), out, 1e-9, 100, 1e-9)
    return dict(zip(module["OUTPUTS"], out[0, 0]))


def plain(source):
    """The names of a module, its loops left to Python."""
    space = {"__name__": "plain"}
    exec(compile(source, "plain", "exec"), space)
    leave_to_python(space)
    return space


@cache
def reference(routes):
    """Results under plain names."""
    return {what.replace("numba", "numpy"): found for what, found in results(build(ROLES), ROLES, routes)}


def judge(names, title="plain", routes=PLAIN, folder=None):
    """What is wrong with the theory under some names, or ``""``; with a folder a module is generated there too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        theory = build(names, title)
        for text, packages in ((theory.source(), ()), (theory.kernel_source(), KERNEL_PACKAGES)):
            if wrong := surprises(text, packages):
                return f"source: {wrong}"
        system = theory.equations()
        minidom.parseString(f"<x>{system.mathml()}</x>".encode())
        if not system.text() or not system.latex():
            return "no text"
        try:
            for what, found in results(theory, names, routes):
                expected = reference(min(routes, EVERY))[what.replace("numba", "numpy")]
                rel = 1e-6 if what == "minimize" else 1e-9
                for role, value in expected.items():
                    if not math.isclose(found[role], value, rel_tol=rel, abs_tol=1e-12):
                        return f"{what}: {role} is {found[role]!r} instead of {value!r}"
        except ConvergenceError as error:
            return f"ConvergenceError: {error}"
        if folder:
            found, left = alone(theory, names, folder)
            if left:
                return f"generate: the module made {left}"
            value = reference(min(routes, EVERY))["solve"]["u"]
            if not math.isclose(found[names["u"]], value, rel_tol=1e-9):
                return f"generate: u is {found[names['u']]!r} instead of {value!r}"
    return ""


_IMPORT = """
import json, sys
import {stem} as m
print(json.dumps(m.solve(*json.loads(sys.stdin.read()))))
"""


def alone(theory, names, folder):
    """Results of the generated module in a process of its own, in ``folder``, and what it left there."""
    path = theory.generate(folder / "made.py")
    arrays = [ARRAYS[next(r for r in ARRAYS if names[r] == n)] for n in theory.array_names]
    given = [{names["p"]: 0.5, names["q"]: 0.7}[p.name] for p in theory.declared] + arrays
    printed = run_alone(_IMPORT.format(stem=path.stem), folder, (), json.dumps(given))
    path.unlink()
    left = sorted(f.name for f in folder.iterdir() if f.name != "__pycache__")
    return json.loads(printed), left


# -- what a generated module may hold ----------------------------------------------------------------------------

_NODES = (ast.Module, ast.Expr, ast.Constant, ast.Import, ast.ImportFrom, ast.alias, ast.Assign, ast.AugAssign,
          ast.Name, ast.Load, ast.Store, ast.Call, ast.keyword, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.FunctionDef,
          ast.arguments, ast.arg, ast.Raise, ast.Return, ast.For, ast.While, ast.If, ast.Break, ast.Continue, ast.Try,
          ast.ExceptHandler, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.Slice,
          ast.Attribute, ast.Starred, ast.Lambda, ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.comprehension,
          ast.ClassDef, ast.With, ast.withitem, ast.JoinedStr, ast.FormattedValue, ast.operator, ast.unaryop,
          ast.boolop, ast.cmpop, ast.Yield)


def identifiers(tree):
    """All identifiers of a piece of code that are names, arguments or keywords (attributes meet nobody)."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.arg(arg=name) | ast.keyword(arg=str(name)) | ast.ExceptHandler(name=str(name)):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name)
    return found


@cache
def known_names():
    """What the module of the reference defines or calls, and the builtin names it reads."""
    theory, found = build(ROLES), set()
    for tree in map(ast.parse, (theory.source(), theory.kernel_source())):
        found |= identifiers(tree) | {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    return frozenset(found)


#: what kernels import of the package
KERNEL_PACKAGES = ("asympkit.runtime.", "asympkit.numbers.functions.")


def surprises(source, packages=()):
    """What a module holds that no generated one does; a kernel may import from packages of asympkit."""
    if not source.isascii():
        return "a character that is not ASCII"
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            return f"a {type(node).__name__}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = {node.module} if isinstance(node, ast.ImportFrom) else {a.name for a in node.names}
            modules = {m for m in modules if not m.startswith(packages)} if packages else modules
            if not modules <= {"functools", "math", "numpy", "numba"}:
                return f"import of {modules}"
        if isinstance(node, ast.Attribute) and node.attr not in known_names():
            return f"the attribute {node.attr}"
    made = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    made |= {n.targets[0].id for n in ast.walk(tree) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)
             and getattr(n.value.func, "id", "") == "Inner"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in known_names() | made:
            return f"a call of {node.func.id}"
    return ""


# -- names ---------------------------------------------------------------------------------------------------------


@cache
def pool():
    """Awkward names: all that the generated module uses itself, and texts that are none or look like code."""
    return (*sorted(known_names()), *TEXTS, *HOSTILE)


SUFFIXES = ("{}_start", "{}_guess", "{}_last", "{}_before", "{}_table", "{}_weights", "{}_rule", "d{}",
            "{}_map", "{}_check", "{}_k", "size_{}", "size_d{}", "d{}_", "A_{0}_{0}", "step_{}", "{}_2",
            "{}_residual", "linearize_{}", "prepare_{}")


def awkward(seed):
    """Names for all roles, some made of others as writers do."""
    rng = random.Random(seed)
    while True:
        chosen = dict(zip(ROLES, rng.sample(pool(), len(ROLES))))
        for role in rng.sample(sorted(ROLES), 3):
            stem = chosen[rng.choice("puvDq")].replace("{", "").replace("}", "")
            chosen[role] = rng.choice(SUFFIXES).format(stem)
        if not chosen["label"].isidentifier():
            chosen["label"] = "V"
        typed = [unicodedata.normalize("NFKC", chosen[r]) for r in ROLES if r not in ("label", "function")]
        results = {chosen[r] for r in ("u", "v", "w", "x", "error")}
        is_said = chosen["error"].strip()           # an observable is called something
        if is_said and len(set(typed)) == len(typed) and not results & {"residual", "iterations"}:
            return chosen
