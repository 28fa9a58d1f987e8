"""Write a theory's solver as one C99 header, from its exported Python module.

What the module says in scalar functions is translated (:mod:`asympkit.export.translate`): the equations, maps from
parameters, activations, integrands of means, columns of tables.  What it says about arrays is in ``runtime.c``: rules,
means of an activation, and the refinement of rules until a solution stands still.
"""

import ast
import re
import textwrap
from functools import cache
from importlib import import_module, resources
from itertools import accumulate

from ..numbers.functions import list_routine_modules
from .averages import Averages
from .copies import copy_definitions
from .translate import (
    Function,
    Translator,
    comment,
    field_name,
    find_functions,
    join_rows,
    number,
    refuse,
    wrap,
)

#: nodes of an outer and of an inner rule at most
_NODES, _INNER = 4096, 16384
#: nodes of an average over two normals at most, unless a user defines more
_WIDE = 16384
#: terms of a sum that are added up apart: two to four vectors of doubles
_LANES = 8
#: what every header begins with
_BEGINNING = '''#include <math.h>
#include <stddef.h>

/* largest change of averages under refinement; another may be defined before the header */
#ifndef @@RTOL
#define @@RTOL 1e-11
#endif

/* the equations, compiled for several processors where the program can choose one as it starts */
#if defined(__GLIBC__) && defined(__x86_64__) && __GNUC__ > 7 && !defined(__clang__) && !defined(__AVX2__) && \\
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define @@CLONES __attribute__((target_clones("default", "avx2", "avx512f"), flatten))
#else
#define @@CLONES
#endif'''
_FINER = f'''
/* nodes of an average over two normals at most; more, for @solve_many, may be defined before the header */
#ifndef @@WIDE
#define @@WIDE {_WIDE}
#endif'''
#: what statuses say; those of parameters follow
_STATUSES = ("converged", "limited: converged, but rounding leaves some outputs fewer digits",
             "quadrature: the averages did not stand still under refinement, or rounding leaves nothing of one",
             "residual: the equations were not solved", "infinite: a quantity has no value, or leaves its domain",
             "dependent: the equations do not determine the unknowns",
             "ill-conditioned: rounding leaves no digit of an output",
             "averages that the parameters follow from are not accurate")


def write_header(source, stem):
    """Return the header ``stem.h`` of an exported Python module, in which names begin with ``stem``.

    It has the same bytes for the same theory; DomainError if the module does what has no translation.
    """
    try:
        return Header(source, stem).text()
    except (AttributeError, LookupError, TypeError):        # source of another form than those that are looked for
        return refuse("its tables or parameters")


class Header(Averages):
    """Translates one module."""

    def __init__(self, source, stem):
        self.source, self.stem, self.prefix = source, stem, f"{stem}_"
        self.tree = ast.parse(source)
        self.functions = find_functions(self.tree)
        self.constants = _constants(self.tree)
        self.c = Translator(self.prefix, self.functions, self.look_up, _find)
        self.messages, self.means = [], 0
        solutions = self.functions["solutions"]
        self.labels = [a.arg for a in solutions.args.args if a.arg != "rtol"]
        self.public = [a.arg for a in self.functions["solve"].args.args if a.arg != "rtol"]
        (call,) = (n for n in ast.walk(self.functions["solve"]) if isinstance(n, ast.Call) and
                   ast.unparse(n.func) == "solutions")
        self.given = [a.id for a in call.args if a.id != "rtol"]        # names of users in the order of the labels
        self.fields = {label: f"p->{field_name(name)}" for label, name in zip(self.labels, self.given)}

    def look_up(self, name):
        """Return a constant of the module, or of the package where that computes it."""
        if name in self.constants:
            return self.constants[name]
        for home in sorted(set(list_routine_modules().values())):
            if hasattr(import_module(home), name):
                return getattr(import_module(home), name)
        raise KeyError(name)

    def text(self):
        """Return the header."""
        checks = self.checks()
        group, point, kept, tables = self.group()
        self.c.function("solve_point")
        loops = self.at()
        constants, functions = self.c.source()
        outputs = self.constants["OUTPUTS"]
        torn = self.constants["SOLVED_FOR"]
        count = len(outputs) - 1
        runtime = _runtime({"linear": "linear" in self.c.needs, "rules": self.grids or self.means,
                            "means": self.means or self.has_products,
                            "inner": self.inner, "product": self.has_products,
                            "falling": self.constants["FALLING"] >= 0})
        before, after = runtime.split("/* ---- solve points on finer")
        parameters = len(self.point_names)
        base = self.base_columns * _NODES
        first = base + max(4 * _NODES, 2 * (_NODES + _INNER))
        most = {"NODES": _NODES, "WIDE": _WIDE}
        size = first + 2 * sum((columns + 1) * most[space] for _, columns, space in self.grids)
        held = [f"{columns + 1}*@@{space}" for _, columns, space in self.grids]
        macros = {"LANES": _LANES, "NODES": _NODES, "INNER": _INNER, "OUT": count, "POINT": parameters,
                  "TORN": len(torn), "JUDGED": len(self.constants["JUDGED"]), "DOMAINS": len(self.constants["DOMAINS"]),
                  "STARTS": len(self.starts()), "GRIDS": len(self.grids), "GROUP": len(kept),
                  "MEANS": self.means, "TRIALS": max(2 * parameters + 3, 17), "ITEMS": max(self.items, 1),
                  "ROWS": self.c.rows, "IS_REFINED": int(self.constants["IS_REFINED"]),
                  "FALLING": self.constants["FALLING"], "IS_PREDICTED": int(self.constants["IS_UNIQUE"]),
                  "AGREEING": 1 + (self.driver == "refine_on_places"), "AT": self.most_at,
                  "TABLES": " + ".join(held) or 0, "BASE": base, "FIRST": first,
                  "WORKSPACE": f"{first} + 2*@@TABLES"}
        sizes = join_rows([f"@@{k} = {v}" for k, v in macros.items()], width=90)
        parts = [self.head(size), self.structures(), "enum {\n    " + ",\n    ".join(sizes) + "\n};", self.listed(),
                 before, constants, functions, "\n".join(self.pieces), checks, group, point, tables, loops,
                 self.store(), "/* ---- solve points on finer" + after, "#endif /* @@H */"]
        text = _filled("\n\n".join(p.strip("\n") for p in parts if p), self.stem)
        return "\n".join(line for row in re.sub(r"\n{3,}", "\n\n", text).split("\n") for line in wrap(row)) + "\n"

    # ---- what a user sees

    def head(self, size):
        """Write what the header is, how it is called, and the equations."""
        first, *rest = ast.get_docstring(self.tree).split("\n\n")
        accuracy = next(p for p in rest if p.startswith("Accuracy:")).replace("below rtol", "below RTOL")
        body = [p for p in rest if not p.startswith(("Written by", "Accuracy:"))]
        example = ", ".join(f".{field_name(n)} = ..." for n in self.public)
        shared = ", ".join(self.given[k] for k in self.tied)
        notes = [
            "Written by asympkit from the symbolic equations; do not edit.  C99 and C++11; needs libm alone, allocates "
            "nothing and has no state, so that threads may call it at once.",
            f"    @parameters p = {{{example}}};", "    @solution s;",
            "    if (@solve(&p, &s) != 0) puts(@error_text(s.status));",
            f"@solve needs {8 * size} bytes of stack; @solve_many takes a workspace instead, and "
            f"{f'neighbours that agree in {shared}' if shared else 'all points'} share their averages.  Both return 0 "
            "if every point is solved, else the status of the first that is not." + "  Features of integrands far "
            "narrower than 1/20, which three rules may step over, are not searched for." * (
                self.driver == "refine_on_places"),
            comment(accuracy).replace("RTOL", "@@RTOL")]
        lines = [part for note in notes for part in ["", *(textwrap.wrap(_filled(note, self.stem), 118)
                                                           if note[0] != " " else [note])]]
        version = self.constants["__version__"]
        body = comment("\n\n".join(body)).replace("math.inf", "INFINITY")
        return "\n".join(["/*", comment(first), *lines, "", body, "*/", "#ifndef @@H", "#define @@H",
                          f'#define @@VERSION "{version}"', "", _BEGINNING, *[_FINER] * self.has_products])

    def structures(self):
        """Write the structures of a user, and the texts of errors."""
        docs = re.findall(r"^    (\w+) : float\n        (.*)$", ast.get_docstring(self.functions["solve"]) and
                          self.source, re.MULTILINE)
        meanings = dict(docs)
        lines = ["typedef struct {"]
        lines += [f"    double {field_name(n)};    /* {comment(meanings.get(n, n))} */" for n in self.public]
        lines += ["} @parameters;", "", "typedef struct {"]
        internal = self.constants["INTERNAL"]
        shown = [n for n in self.constants["OUTPUTS"][:-3] if n not in internal]
        lines += [f"    double {row};" for row in join_rows(map(field_name, shown))]
        lines += ["    double residual, iterations, error_estimate;",
                  "    int status;    /* 0 and 1: solved; others: outputs are NaN, @error_text says why */",
                  "} @solution;", "", "/* Describe a status. */",
                  "static inline const char *@error_text(int status)", "{", "    static const char *const text[] = {"]
        texts = [*_STATUSES, *self.messages, "no such status"]
        parts = [textwrap.wrap(_quoted(t), 105, drop_whitespace=False) for t in texts]
        lines += ["        " + "\n        ".join(f'"{row}"' for row in rows) + "," for rows in parts]
        lines += ["    };", f"    return text[status < 0 || status >= {len(texts)} ? {len(texts) - 1} : status];", "}"]
        return "\n".join(lines)

    def checks(self):
        """Write the function that refuses parameters outside of their domains, and the one that compares them."""
        lines = ["static inline int @check(const @parameters *p)", "{"]
        tied = None
        for node in self.functions["solutions"].body:
            match node:
                case ast.Expr(ast.Constant()):
                    continue
                case ast.Assign([ast.Name(label)], ast.Call(ast.Name("checked"), [name, _, test, said])):
                    lines.append(self.refusal(test.body, {"x": self.fields[label], label: self.fields[label]},
                                              name, said))
                case ast.Expr(ast.Call(ast.Name("require"), [test, name, _, said])):
                    lines.append(self.refusal(test, self.fields, name, said))
                case ast.Return(ast.Call(ast.Name("solve_groups"), [_, places, _, _])):
                    tied = ast.literal_eval(places)
                case ast.Assign([ast.Name()], ast.Call(ast.Attribute(ast.Name("np"), "asarray"))):
                    continue
                case ast.Assign([ast.Name(label)], ast.Call(ast.Attribute(ast.Name("np"), "atleast_1d"))):
                    refuse(f"the array {label} among its parameters")
                case _:
                    refuse(node)
        self.tied = tied
        same = [f"p->{name} == q->{name}" for name in (field_name(self.given[k]) for k in tied)] or ["p != q"]
        return "\n".join([*lines, "    return 0;", "}", "",
                          "static inline int @is_alike(const @parameters *p, const @parameters *q)", "{",
                          f"    return {' && '.join(same)};", "}"])

    def refusal(self, test, names, name, said):
        """Write the line that refuses a parameter, with a status and a text of its own."""
        text = f"{ast.literal_eval(name)}: expected {ast.literal_eval(said)}"
        self.messages.append(text.replace("math.inf", "INFINITY"))
        match test:
            case ast.Call(ast.Attribute(ast.Name("np"), "isin"), [_, ast.Call(_, [ast.Name(known)])]):
                holds = " || ".join(f"{names['x']} == {number(k)}" for k in self.constants[known])
            case _:
                holds = Function(self.c, names=names).source(test)
        return f"    if (!({holds})) return {len(_STATUSES) - 1 + len(self.messages)};"

    def store(self):
        """Write the function that hands a solution to the user."""
        outputs = self.constants["OUTPUTS"]
        lines = ["static inline void @store(const double *out, double change, int status, @solution *s)", "{"]
        found = [f"s->{field_name(n)} = status > 1 ? NAN : out[{k}] + 0.0;" for k, n in enumerate(outputs[:-3])
                 if n not in self.constants["INTERNAL"]]
        lines += [f"    {row}" for row in join_rows(found, " ")]
        return "\n".join([*lines, f"    s->residual = out[{len(outputs) - 3}];",
                          f"    s->iterations = floor(out[{len(outputs) - 2}]);",
                          "    s->error_estimate = change;", "    s->status = status;", "}"])

    # ---- what the runtime reads

    def starts(self):
        """Return starts of Newton's method with the plain steps before it; careful steps are left to numpy."""
        return [row for row in self.constants["STARTS"] if not row[2]]

    def listed(self):
        """Write starts, and the places of outputs that the driver reads."""
        c, torn = self.constants, self.constants["SOLVED_FOR"]
        text = ast.unparse(self.functions["solve_in_order"])
        positive = [int(f"math.exp(limited(past[{k}]" in text) for k in range(len(torn))]
        starts = self.starts()
        rows = [("double", f"starts[][{len(torn) + 1}]",
                 [f"{{{', '.join(map(number, [*row[0], 0.0]))}}}" for row in starts]),
                ("int", "plain[]", [str(row[1]) for row in starts]), ("int", "solved[]", [*map(str, torn), "0"]),
                ("int", "judged[]", map(str, c["JUDGED"])), ("int", "is_positive[]", [*map(str, positive), "0"]),
                ("int", "following[]", [*map(str, c["POSITIVE"]), "-1"]),
                ("int", "space[]", [*(f"@@{space}" for _, _, space in self.grids), "0"]),
                ("int", "offset[]", accumulate((f"{columns + 1}*@@{space}" for _, columns, space in self.grids),
                                               "{} + {}".format, initial="0")),
                ("double", "domains[][4]", [f"{{{', '.join(map(number, map(float, d)))}}}" for d in c["DOMAINS"]] or
                 ["{0.0}"])]
        return "\n".join(f"static const {kind} @{name} = {{{', '.join(values)}}};" for kind, name, values in rows)


def _constants(tree):
    """Return the constants of a module that are literals, by name."""
    known = {"ROUNDING": 2.0**-52}
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        target = node.targets[0]
        pairs = zip(target.elts, node.value.elts) if isinstance(target, ast.Tuple) and \
            isinstance(node.value, ast.Tuple) else [(target, node.value)]
        for name, value in pairs:
            text = ast.unparse(value).replace("-np.inf", "-1e999").replace("np.inf", "1e999")
            try:
                known.setdefault(ast.unparse(name), ast.literal_eval(text))
            except ValueError:
                continue
    return known


@cache
def _find(name):
    """Return the definition of a scalar function of the package."""
    for plain in (name, name.removesuffix("_batch")):
        if plain in list_routine_modules():
            _, functions = copy_definitions(f"{plain}(")
            return find_functions(ast.parse("\n\n\n".join(functions))).get(plain)
    return None


@cache
def _template():
    return resources.files(__package__).joinpath("runtime.c").read_text("utf-8")


def _runtime(wanted):
    """Return the parts of the runtime that a theory needs."""
    text = _template()
    for part, is_kept in wanted.items():
        text = re.sub(rf"(?s)/\*#{part}\n(.*?)#?{part}\*/\n", (lambda m: m[1]) if is_kept else "", text)
    return text


def _filled(text, stem):
    return text.replace("@@", f"{stem.upper()}_").replace("@", f"{stem}_").replace("\0", "@")


def _quoted(text):
    return comment(text).replace("\\", "\\\\").replace('"', '\\"')
