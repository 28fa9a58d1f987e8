"""Assemble a module for JAX: the array code of a theory's kernel, traced, with derivatives by implicit differentiation.

The text for arrays of points is printed as for numpy; what it calls is :mod:`asympkit.export.jax_driver`, and functions
of the package whose arrays JAX can trace as they are.  Code that decides by numbers becomes code that selects.
"""

import ast
import re
import textwrap
from dataclasses import replace

from ..codegen.batch import BatchWriter
from ..codegen.formulas import name_formulas
from ..codegen.module import given_routines, join_parts, substitute_labels, write_tables
from ..errors import DomainError
from ..program.statements import Means
from .copies import broken, copy_definitions
from .interface import demand_digits, given_arrays, list_arguments, name_arguments, write_activations, write_checks
from .module import BORDER, VERSION, gather_constants, tidy, write_header, write_table_lines

_WRITTEN = (
    "Written by asympkit from the symbolic equations; do not edit.  JAX is enough, in double precision: "
    "jax.config.update('jax_enable_x64', True).",
    "solve is traced: jax.jit, jax.vmap over all parameters, jax.grad, jax.jacfwd and jax.hessian apply.  Derivatives "
    "are those of the solution, by implicit differentiation.  Nothing is raised: outputs are not a number where "
    "status, an index of STATES, is above 1.",
    "Accuracy: averages have rules of fixed sizes; error_estimate is the largest relative change between the rules of "
    "level and level - 1, and status is 2 above 1e-9.  Licence: this file belongs to whoever generated it, to use, "
    "change and publish, without warranty.  Please cite asympkit {version}{paper}.")
_SOLVE = '''
def solve({arguments}, level=LEVEL{functions}):
    """Unknowns and observables at one point as a dict, with residual, iterations, error_estimate and status.

    Parameters
    ----------
{meanings}
    level : int, that of the finer rules: a static argument, from 1 to 12
{activations}
    Parameters outside their domains give not a number, and the status 7.
    """
    return solution({called}, level{of})


def solve_many({arguments}, level=LEVEL):
    """As :func:`solve` for arrays of all parameters, broadcast, some points at a time."""
    return map_points(solve, ({called},), level)
'''.strip("\n")
_SOLUTION = '''
def solution({labels}, level{of}):
    """Return the solution at one point."""
{lines}

    def tables(levels, places=()):
{tables}

    return refine(({points}), tables, level, valid{start})
'''.strip("\n")
_IMPORTS = "\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n" \
           "from jax.scipy import linalg, special"
_ACTIVATION = "    {} : callable, a function of arrays in the place of the one compiled in; smooth unless it has " \
              "kinks_float\n"
#: what JAX cannot trace: entries that are set, and decisions by values
_UNTRACEABLE = re.compile(r"\][ ]*[-+*/]?= |if .*\b(?:any|all)\(|nonzero|np\.empty|while ")
#: where functions are written for arrays of numbers: their text is that for arrays of JAX
_CONVERTED = ("asympkit.numbers.", "asympkit.runtime.newton")
_HOMES = (*(f"asympkit.runtime.{name}" for name in ("newton", "means", "rules", "tables")),
          "asympkit.export.jax_driver")


def write_jax_module(program, names, system, title, front, functions=None, starts=(), proved=None, notes=(),
                     domains=None, turning="", has_one_root=False, derivatives=True):
    """Write the source of a module for JAX; arguments are those of :func:`asympkit.export.module.write_module`.

    DomainError if the equations hold a function whose arrays JAX cannot trace, or are solved along a path where they
    fail.
    """
    mapping, functions = names.mapping(), functions or {}
    program = replace(program, grids=tuple(replace(g, directions=[]) for g in program.grids))
    steps = [*front.steps, *(s for g in program.grids for s in g.preparation)]
    printed, shared = name_formulas(demand_digits(program), mapping)
    labels = dict.fromkeys(s.label for s in steps if isinstance(s, Means))
    traced = _Traced(front.parts, [mapping[label] for label in labels])
    tables = [t.replace("normal_means(\n        ", "normal_means(\n        levels, ")
              for t in write_tables(program, mapping)]
    code = join_parts([
        *map(as_jax, write_activations(functions, steps, mapping)), *map(traced.part, front.parts),
        *map(as_jax, [*tables, *shared, BatchWriter(printed, mapping, has_diagnosis=False)()])])
    residual = mapping[program.residual]                    # what checks a solution has no part in its derivatives
    code = code.replace(f", {residual}, iterations", f", lax.stop_gradient({residual}), iterations")
    public, solution = _public(program, mapping, front, traced)
    code = join_parts([tidy(code), solution])
    routines = given_routines(code)
    if routines:
        raise _unavailable(re.search(r"def (\w+)", routines[0])[1])
    constants, copied = copy_definitions("\n".join([code, public]), _HOMES, _convert)
    level = 5 if any(g.is_inner for g in program.grids) else 7
    numbers = "\n".join([f"#: the usual level of quadrature rules\nLEVEL = {level}",
                         gather_constants(program, front, starts, domains or {}, has_one_root)])
    around = "\n\n\n".join([*constants, *copied, _IMPORTS])
    settled = substitute_labels(f"\n\n\n{BORDER}\n\n\n".join([numbers, public, code]), [around])
    numbers, public, code = settled.split(f"\n\n\n{BORDER}\n\n\n")
    head = [write_header(title, system, functions, (*_WRITTEN, *notes), front),
            "import functools\n" + "import math\n" * any("math." in t for t in (*constants, *copied, code)) + _IMPORTS,
            f'__all__ = ["STATES", "solve", "solve_many"]\n__version__ = "{VERSION}"']
    text = join_parts(["\n\n".join(head), "\n".join(constants), numbers, code, *copied, public])
    return broken(re.sub(r"\n{4,}", "\n\n\n", text)) + "\n"


def as_jax(text):
    """Return code for arrays of numpy as code for arrays of JAX."""
    text = re.sub(r"\bnp\.ascontiguousarray\(([\w\[\]]+)\)", r"\1", text)
    text = re.sub(r"\bnp\.isfinite\((\([^()]*\))\)", r"np.isfinite(np.stack(\1))", text)
    text = re.sub(r"\bnp\.(?=\w)", "jnp.", text.replace("tuple(NUMBERS)", "np.array(tuple(NUMBERS))"))
    return re.sub(r"_table\[(\[[\d, ]+\])\]", r"_table[np.array(\1)]", text)         # rows, known before


def _convert(home, source):
    if not home.startswith(_CONVERTED):
        return source
    if home.startswith("asympkit.numbers.") and _UNTRACEABLE.search(source):
        raise _unavailable(re.search(r"(\w+) ?[(=]", source.removeprefix("def "))[1])
    return as_jax(source)


def _unavailable(name):
    return DomainError(f"generate: language='jax' has no traced form of the function {name} in these equations; "
                       "expected language='python', or equations without it")


def _public(program, mapping, front, traced):
    """Write ``solve`` and ``solve_many``, and what is behind them."""
    checks, labels = write_checks(program, mapping, front)
    labels |= {a.name: mapping[a] for a in given_arrays(program)}
    inside = list_arguments(program, front, labels)[0]
    called, arguments, meanings = list_arguments(program, front, name_arguments(program, mapping, front))
    lines = [f"[{', '.join(inside)}] = as_floats({', '.join(inside)})", "valid = jnp.array(True)"]
    if traced.activations:
        lines.append(f"[{', '.join(traced.activations)}] = map(as_activation, ({', '.join(traced.activations)},))")
    lines += traced.lines([*checks, *front.lines])
    texts = front.parameters or [mapping[s] for s in program.parameters]
    points = "".join(re.sub(r"^\*(\w+)\[(.*)\]$", r"*row_of(\1, \2)", t) + ", " for t in texts).strip()
    start = f", {traced.expression(front.start)}" if front.start else ""
    of = "".join(f", {a}" for a in traced.activations)
    public = _SOLVE.format(
        arguments=", ".join(arguments), called=", ".join(called), meanings="\n".join(meanings), of=of,
        activations="".join(map(_ACTIVATION.format, traced.activations)),
        functions="".join(f", {a}={a}" for a in traced.activations))
    tables = "\n".join(f"    {line}" for line in write_table_lines(program, mapping, {})[1:])
    return public, _SOLUTION.format(labels=", ".join(inside), of=of, points=points, start=start, tables=tables,
                                    lines="\n".join(f"    {line}" for line in lines))


class _Traced(ast.NodeTransformer):
    """Code of maps and of the public function, with decisions by numbers as selections.

    ``parts`` are functions of a theory; those that call activations take them as arguments.
    """

    def __init__(self, parts, activations):
        self.activations, self.callers, self.has_levels = activations, set(), False
        bodies = {f.name: f for text in parts for f in ast.parse(text).body if isinstance(f, ast.FunctionDef)}
        held = {name: {n.id for n in ast.walk(f) if isinstance(n, ast.Name)} for name, f in bodies.items()}
        own = {name for name, f in bodies.items() if any(a.arg in activations for a in f.args.args)}
        while True:
            found = {n for n in bodies.keys() - own if held[n] & (set(activations) | self.callers)}
            if found == self.callers:
                break
            self.callers = found

    def part(self, text):
        """Return the text of a function of a theory."""
        return as_jax(ast.unparse(self.visit(ast.parse(text)))) if "def " in text else text

    def lines(self, lines):
        """Return lines of a body, without their indent."""
        body = self.visit(ast.parse(textwrap.dedent("\n".join(lines)))).body
        return as_jax("\n".join(map(ast.unparse, body))).split("\n") if body else []

    def expression(self, text):
        """Return the text of an expression."""
        return as_jax(ast.unparse(self.visit(ast.parse(text, mode="eval"))))

    def visit_FunctionDef(self, node):
        before, self.has_levels = self.has_levels, any(a.arg == "levels" for a in node.args.args)
        if node.name in self.callers:
            node.args.args += [ast.arg(a) for a in self.activations]
        cases, body = [], []
        for statement in map(self.visit, node.body):
            if isinstance(statement, ast.If):                   # a case: its values, accurate or not
                values = ast.Tuple(statement.body[0].value.args[1:], ast.Load())
                cases.append(ast.Tuple([statement.test, values], ast.Load()))
            elif isinstance(statement, ast.Return) and cases:
                body.append(ast.Return(_call("choose", ast.List(cases, ast.Load()), statement.value)))
            else:
                body.append(statement)
        node.body, self.has_levels = body, before
        return ast.fix_missing_locations(node)

    def visit_Call(self, node):
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "float":
            return node.args[0]
        if name == "max":
            return _call("jnp.maximum", *node.args)
        if name == "normal_means":
            node.args.insert(0, ast.Name("levels" if self.has_levels else "FINEST", ast.Load()))
        elif name in self.callers:
            node.args += [ast.Name(a, ast.Load()) for a in self.activations]
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        total, *others = node.values
        for value in others:
            total = ast.BinOp(total, ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr(), value)
        return total

    def visit_Assign(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "checked":
            (target,) = node.targets
            return _require(_Renamed("x", target.id).visit(node.value.args[2].body))
        return node

    def visit_Expr(self, node):
        self.generic_visit(node)
        is_required = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "require"
        return _require(node.value.args[0]) if is_required else node


class _Renamed(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit_Name(self, node):
        return ast.Name(self.new, node.ctx) if node.id == self.old else node


def _require(condition):
    return ast.fix_missing_locations(ast.AugAssign(ast.Name("valid", ast.Store()), ast.BitAnd(), condition))


def _call(name, *arguments):
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
