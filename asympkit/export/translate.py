"""Translate scalar functions of generated modules and of the runtime to C: a small part of Python, by its syntax tree.

Numbers are doubles but for the counters of ``range``; arrays are constants of a module, rows of a table, or matrices
whose entries are written out.  Anything else is refused with its text.
"""

import ast
import math
import re

from ..errors import DomainError

#: words that are no names of fields: keywords of C and C++, and what headers define
_KEYWORDS = frozenset(re.findall(r"\w+", """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const
    constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false
    float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public register reinterpret_cast restrict return short signed sizeof static static_assert static_cast
    struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void
    volatile wchar_t while xor xor_eq linux unix NULL NAN INFINITY HUGE_VAL DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS
    size_t status EOF FILE BUFSIZ RAND_MAX M_E M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_LN2 M_LN10 M_SQRT2"""))
#: words that are no names of local variables: functions of libm, and the variables that every header has
_RESERVED = _KEYWORDS | frozenset(re.findall(r"\w+", """
    acos asin atan ceil cos cosh erf erfc exp expm1 fabs floor hypot ldexp lgamma log
    log1p pow rint sin sinh sqrt tan tanh tgamma acosh asinh atanh cbrt copysign all at base block code column even
    feature features first g given i is_even is_paired k known lane lanes level memory n offset one p pattern row s t to
    w work x z zero
    """))
#: functions of math, numpy and the runtime that libm has
_LIBM = {**{n: n for n in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "expm1", "log1p", "floor",
                           "ceil", "erf", "erfc", "hypot", "copysign", "acos", "asin", "atan", "acosh", "asinh",
                           "atanh", "cbrt")},
         "arccos": "acos", "arcsin": "asin", "arctan": "atan", "arccosh": "acosh", "arcsinh": "asinh",
         "arctanh": "atanh", "gamma": "tgamma", "lgamma": "lgamma", "lane_exp": "exp", "rough_exp": "exp",
         "lane_erfc": "erfc", "rough_log": "log", "erf_batch": "erf", "erfc_batch": "erfc", "round": "rint"}
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
              ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.And: "&&", ast.Or: "||", ast.BitAnd: "&&",
              ast.BitOr: "||"}


def refuse(node):
    """Raise an error that shows what has no translation."""
    text = node if isinstance(node, str) else ast.unparse(node)
    raise DomainError(f"language: got 'c', in which a part of this theory cannot be written ({text[:90]}); expected "
                      "'python', in which every theory can")


def c_name(name, words=_RESERVED):
    """Return the name of a local variable for one of Python."""
    plain = re.sub(r"[^A-Za-z0-9_]", lambda m: f"u{ord(m[0]):x}", name)
    return f"v{plain}" if plain.startswith("_") else f"{plain}_" if plain in words or plain.endswith("_") else plain


def field_name(name):
    """Return the name of a field, or of a header, for one of Python."""
    return c_name(name, _KEYWORDS)


def find_functions(tree):
    """Return the top-level functions of a module, by name."""
    return {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}


class Translator:
    """Writes functions in C, with all that they call; names of all begin with ``prefix``.

    ``functions`` are definitions by name; ``find`` returns that of another function, or None; ``look_up`` returns the
    value of a constant, a number or a tuple of numbers, and raises KeyError for other names.
    """

    def __init__(self, prefix, functions, look_up, find):
        self.prefix, self.functions, self.look_up, self.find = prefix, dict(functions), look_up, find
        self.written, self.constants, self.needs, self.rows = {}, {}, set(), 1
        self.space = {}             # sizes of columns of tables that are not those of most

    def function(self, name):
        """Write a function, once, behind those that it calls; returns how many numbers it returns."""
        if name not in self.written:
            tree = self.functions.get(name) or self.find(name)
            if tree is None:
                refuse(f"the function {name}")
            self.functions[name] = tree
            self.written[name] = None, _width(tree)             # not again from inside
            self.written[name] = Function(self, tree).text(), _width(tree)
            self.written[name] = self.written.pop(name)         # behind what it has called
        return self.written[name][1]

    def source(self):
        """Return all constants and functions, prototypes first."""
        rows = [f"static const double {self.prefix}{c_name(n)}[] = {{{', '.join(map(number, v))}}};"
                for n, v in self.constants.items()]
        return "\n".join(rows), "\n".join(text for text, _ in self.written.values())


class Function:
    """Writes one function; ``names`` are C expressions in the place of some names."""

    def __init__(self, home, tree=None, names=None):
        self.home, self.tree, self.names = home, tree, dict(names or {})
        self.lines, self.counters, self.arrays, self.matrices, self.locals = [], set(), {}, {}, {}
        self.columns = {}
        self.temporary, self.depth = 0, 1

    def text(self):
        """Return the source of the function."""
        tree, home = self.tree, self.home
        loads = {n.value.id for n in ast.walk(tree) if isinstance(n, ast.Subscript | ast.Attribute)
                 and isinstance(n.value, ast.Name)}
        parameters = []
        for a in tree.args.args:
            if a.arg in loads:
                self.arrays[a.arg] = f"{c_name(a.arg)}_size"
                parameters += [f"const double *{c_name(a.arg)}"]
                if any(isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == a.arg
                       for n in ast.walk(tree)):
                    parameters.append(f"int {c_name(a.arg)}_size")
            else:
                self.locals[a.arg] = None
                parameters.append(f"double {c_name(a.arg)}")
        width = _width(tree)
        if width > 1:
            parameters.append("double *out_")
        self.statements(tree.body, 1)
        own = [c_name(n) for n, kind in self.locals.items() if kind == "local"]
        head = [f"    double {row};" for row in join_rows([f"{n} = 0.0" for n in own])]
        head += [f"    {line};" for line in self.matrices.values()]
        head += self.idle(map(c_name, self.locals))
        kind = "double" if width == 1 else "void"
        called = f"static inline {kind} {home.prefix}{c_name(tree.name)}("
        doc = ast.get_docstring(tree)
        note = [f"/* {comment(doc.splitlines()[0])} */"] * bool(doc)
        return "\n".join([*note, called + ", ".join(parameters) + ") {", *head, *self.lines, "}"])

    def idle(self, names):
        """Return lines that keep compilers from reporting names that the function does not use."""
        text = "\n".join(self.lines)
        unused = [f"(void){n};" for n in names if not re.search(rf"(?<!@)\b{n}\b(?! = )", text)]
        return [f"    {row}" for row in join_rows(unused, " ")]

    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def put_all(self, depth, statements):
        """Put short statements in rows."""
        for row in join_rows(statements, " ", 115 - 4 * depth):
            self.put(depth, row)

    def statements(self, body, depth):
        for node in body:
            self.statement(node, depth)

    def statement(self, node, depth):
        self.depth = depth
        match node:
            case ast.Expr(ast.Constant(str())):
                return
            case ast.Assign([ast.Tuple()] as targets, ast.IfExp(test, ast.Tuple() as value, ast.Tuple() as other)):
                self.statement(ast.If(test, [ast.Assign(targets, value)], [ast.Assign(targets, other)]), depth)
            case ast.Assign([ast.Tuple(targets)], value):
                self.several(targets, value, depth)
            case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(ast.Name("np"), "array"), [rows])):
                self.matrix(c_name(name), rows, depth)
                self.arrays[name] = len(rows.elts)
            case ast.Assign([ast.Name(name)], ast.Subscript(ast.Name(table))) if table.endswith("_table"):
                self.put(depth, self.table_row(name, node.value))
            case ast.Assign(targets, value):
                self.put(depth, f"{' = '.join(map(self.target, targets))} = {self.source(value)};")
            case ast.AugAssign(target, op, value):
                self.put(depth, f"{self.target(target)} {_OPERATORS[type(op)]}= {self.source(value)};")
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), [ast.Attribute(ast.Name(over), "size") as size]),
                         body, []) if over in self.arrays and is_sum(body):         # tables end with whole lanes
                self.sum(name, size, body, depth)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), bounds), body, []):
                start, end, step = [ast.Constant(0), *bounds, ast.Constant(1)] if len(bounds) == 1 else \
                    [*bounds, ast.Constant(1)][:3]
                sign = ">" if isinstance(step, ast.UnaryOp) else "<"
                self.counters.add(name)
                i = c_name(name)
                by = "++" if ast.unparse(step) == "1" else f" += {ast.unparse(step)}"
                self.put(depth, f"for (int {i} = {self.integer(start)}; {i} {sign} {self.integer(end)}; {i}{by}) {{")
                if not any(isinstance(n, ast.Name) and n.id == name for s in body for n in ast.walk(s)):
                    self.put(depth + 1, f"(void){i};")
                self.statements(body, depth + 1)
                self.put(depth, "}")
            case ast.If(test, body, others):
                self.put(depth, f"if ({self.source(test)}) {{")
                self.statements(body, depth + 1)
                if others:
                    self.put(depth, "} else {")
                    self.statements(others, depth + 1)
                self.put(depth, "}")
            case ast.While(test, body, []):
                self.put(depth, f"while ({self.source(test)}) {{")
                self.statements(body, depth + 1)
                self.put(depth, "}")
            case ast.Break() | ast.Continue():
                self.put(depth, f"{type(node).__name__.lower()};")
            case ast.Return(ast.IfExp(test, ast.Tuple() as value, ast.Tuple() as other)):
                self.statement(ast.If(test, [ast.Return(value)], [ast.Return(other)]), depth)
            case ast.Return(ast.Tuple(values)):
                self.put_all(depth, [f"out_[{k}] = {self.source(value)};" for k, value in enumerate(values)])
                self.put(depth, "return;")
            case ast.Return(value):
                self.put(depth, f"return {self.source(value)};")
            case _:
                refuse(node)

    def sum(self, name, size, body, depth):
        """Write sums over nodes: several at a time, which compilers make one instruction without reordering any sum."""
        i, lanes, before = c_name(name), f"{self.home.prefix.upper()}LANES", dict(self.names)
        totals = list(dict.fromkeys(n.target.id for n in body if isinstance(n, ast.AugAssign)))
        called = {ast.unparse(n.func) for s in body for n in ast.walk(s) if isinstance(n, ast.Call)}
        self.home.needs |= {"functions in sums"} if called - {"abs", "max", "min", "math.sqrt"} else set()
        self.counters.add(name)
        self.put(depth, f"{{ double lanes[{len(totals)}][{lanes}] = {{{{0.0}}}};")
        self.put(depth, f"for (int block = 0; block < {self.integer(size)}; block += {lanes})")
        self.put(depth + 1, f"for (int lane = 0; lane < {lanes}; lane++) {{ const int {i} = block + lane;")
        self.names |= {total: f"lanes[{k}][lane]" for k, total in enumerate(totals)}
        self.statements(body, depth + 2)
        self.names = before
        self.put(depth + 1, "}")
        self.put_all(depth, [f"{self.target(ast.Name(total))} += {self.home.prefix}total(lanes[{k}]);"
                             for k, total in enumerate(totals)] + ["}"])

    def integer(self, node):
        """Return the source of an index or a bound."""
        match node:
            case ast.Constant(int(value)):
                return str(value)
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
                return f"-{value}"
            case ast.Name(name) if name in self.counters:
                return c_name(name)
            case ast.Attribute(ast.Name(name), "size"):
                return self.size(name)
            case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
                return f"{self.integer(left)} {_OPERATORS[type(op)]} {self.integer(right)}"
            case ast.Call(ast.Name("int"), [value]):
                return f"(int)({self.source(value)})"
        return f"(int)({self.source(node)})"

    def size(self, name):
        if name in self.arrays:
            return self.arrays[name]
        return str(len(self.array(name)))

    def array(self, name):
        """Return a constant array, which the file then has."""
        if name not in self.home.constants:
            try:
                value = self.home.look_up(name)
            except KeyError:
                refuse(f"the constant {name}")
            self.home.constants[name] = tuple(map(float, value))
        return self.home.constants[name]

    def target(self, node):
        match node:
            case ast.Name(name):
                self.locals.setdefault(name, "local")
                return self.names.get(name, c_name(name))
        return refuse(node)

    def fresh(self):
        self.temporary += 1
        return f"t{self.temporary}_"

    def several(self, targets, value, depth):
        """Write an assignment to several names."""
        match value:
            case ast.Tuple(values) if all(isinstance(v, ast.Subscript) and isinstance(v.slice, ast.Constant) and
                                          isinstance(v.value, ast.Name) and v.value.id.endswith("_table")
                                          for v in values):
                self.put_all(depth, [self.table_row(t.id, row) for t, row in zip(targets, values)])
            case ast.Tuple(values):
                names = {t.id for t in targets}
                if any(isinstance(n, ast.Name) and n.id in names for v in values for n in ast.walk(v)):
                    fresh = [self.fresh() for _ in targets]
                    self.put_all(depth, ["{", *(f"double {t} = {self.source(v)};" for t, v in zip(fresh, values)),
                                         *(f"{self.target(target)} = {t};" for target, t in zip(targets, fresh)), "}"])
                else:
                    self.put_all(depth, [f"{self.target(t)} = {self.source(v)};" for t, v in zip(targets, values)])
            case ast.Call(ast.Name("factor_linear_n"), [ast.Name(matrix)]):
                a, order = (c_name(t.id) for t in targets)
                n = self.arrays[matrix]
                self.matrices[a], self.matrices[order] = f"double {a}[{n * n}] = {{0.0}}", f"int {order}[{n}] = {{0}}"
                self.put(depth, f"{self.home.prefix}factor_linear_n({n}, {c_name(matrix)}, {a}, {order});")
            case ast.Call(ast.Name("solve_many_factored_n"), [ast.Name(matrix), *factors, rhs]):
                b, x, missed, m = self.fresh(), self.fresh(), self.fresh(), len(rhs.args[0].elts[0].elts)
                n = self.matrix(b, rhs.args[0], depth)
                self.names |= {targets[0].id: x, targets[1].id: missed}
                self.arrays |= {targets[0].id: n, targets[1].id: m}
                self.columns[targets[0].id] = m
                self.matrices |= {x: f"double {x}[{n * m}] = {{0.0}}", missed: f"double {missed}[{m}] = {{0.0}}"}
                given = ", ".join(c_name(a.id) for a in (ast.Name(matrix), *factors))
                self.put(depth, f"{self.home.prefix}solve_many_factored_n({n}, {m}, {given}, {b}, {x}, {missed});")
            case ast.Call(ast.Name("solve_factored_n" | "solve_linear_n" as name), [*first, rhs]):
                b = self.fresh()
                n = self.matrix(b, rhs.args[0], depth)
                given = []
                for part in first:
                    if isinstance(part, ast.Call):
                        given.append(self.fresh())
                        self.matrix(given[-1], part.args[0], depth)
                    else:
                        given.append(c_name(part.id))
                x = self.names[targets[0].id] = self.fresh()
                self.arrays[targets[0].id] = n
                self.matrices[x] = f"double {x}[{n}] = {{0.0}}"
                self.put(depth, f"{self.target(targets[1])} = {self.home.prefix}{name}({n}, {', '.join(given)}, "
                                f"{b}, {x});")
            case ast.Call(ast.Name(name), arguments):
                if self.home.function(name) != len(targets):
                    refuse(value)
                out = self.fresh()
                self.put(depth, f"{{ double {out}[{len(targets)}]; {self.home.prefix}{c_name(name)}("
                                f"{self.arguments(arguments)}, {out});")
                self.put_all(depth + 1, [*(f"{self.target(t)} = {out}[{k}];" for k, t in enumerate(targets)), "}"])
            case _:
                refuse(value)

    def table_row(self, name, row):
        """Return a declaration that names a column of a table."""
        weights = f"{row.value.id.removesuffix('_table')}_weights"
        self.arrays[name] = self.arrays[weights]
        return (f"const double *{c_name(name)} = {c_name(row.value.id)} + "
                f"{row.slice.value}*{self.home.prefix.upper()}{self.home.space.get(row.value.id, 'NODES')};")

    def matrix(self, label, rows, depth):
        """Write a matrix or vector; returns its number of rows."""
        rows = [r.elts if isinstance(r, ast.Tuple) else [r] for r in rows.elts]
        entries = [e for r in rows for e in r]
        self.matrices[label] = f"double {label}[{len(entries)}] = {{0.0}}"
        self.home.needs.add("linear")
        self.home.rows = max(self.home.rows, len(rows))
        self.put_all(depth, [f"{label}[{k}] = {self.source(e)};" for k, e in enumerate(entries)])
        return len(rows)

    def arguments(self, nodes):
        return ", ".join(self.source(n) for n in nodes)

    def source(self, node):
        """Return the source of a number."""
        return self.at_level(node)[0]

    def at_level(self, node):
        """Return the source of a number and how tightly it binds: 3 for one that needs no brackets."""
        match node:
            case ast.Constant(bool() | int() | float() as value):
                return number(float(value)), 3
            case ast.Attribute(ast.Name("math" | "np"), "inf" | "nan" | "pi" as name):
                return {"inf": "INFINITY", "nan": "NAN", "pi": number(math.pi)}[name], 3
            case ast.Attribute(ast.Name(_), "size"):
                return self.integer(node), 3
            case ast.Name(name):
                return self.name(name), 3
            case ast.Subscript(ast.Name(name), ast.Tuple([ast.Constant(int(i)), ast.Constant(int(j))])):
                return f"{self.names[name]}[{i * self.columns[name] + j}]", 3
            case ast.Subscript(ast.Name(name), index):
                if name not in self.arrays:
                    self.array(name)
                    return f"{self.home.prefix}{c_name(name)}[{self.integer(index)}]", 3
                return f"{self.names.get(name, c_name(name))}[{self.integer(index)}]", 3
            case ast.Subscript(ast.Call(ast.Name(name), arguments), ast.Constant(int(k))):
                out = self.fresh()
                self.put(self.depth, f"double {out}[{self.home.function(name)}];")
                self.put(self.depth, f"{self.home.prefix}{c_name(name)}({self.arguments(arguments)}, {out});")
                return f"{out}[{k}]", 3
            case ast.UnaryOp(ast.USub(), value):
                text = self.bracketed(value, 2)
                return f"-{'(' + text + ')' if text.startswith('-') else text}", 1
            case ast.UnaryOp(ast.Not(), value):
                return f"!({self.source(value)})", 3
            case ast.BinOp(base, ast.Pow(), exponent):
                return self.power(base, exponent), 3
            case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
                level = 1 if isinstance(op, ast.Add | ast.Sub) else 2 if isinstance(op, ast.Mult | ast.Div) else 0
                tight = " " * (level != 2)
                sign = _OPERATORS[type(op)]
                return f"{self.bracketed(left, level)}{tight}{sign}{tight}{self.bracketed(right, level + 1)}", level
            case ast.BoolOp(op, values):
                return f" {_OPERATORS[type(op)]} ".join(f"({self.source(v)})" for v in values), 0
            case ast.Compare(left, [op], [right]):
                return f"{self.bracketed(left, 1)} {_OPERATORS[type(op)]} {self.bracketed(right, 1)}", 0
            case ast.Compare(left, operators, others):
                pairs = zip([left, *others], operators, others)
                return self.at_level(ast.BoolOp(ast.And(), [ast.Compare(a, [op], [b]) for a, op, b in pairs]))
            case ast.IfExp(test, value, other):
                return f"({self.source(test)} ? {self.source(value)} : {self.source(other)})", 3
            case ast.Call(ast.Name() | ast.Attribute(ast.Name("math" | "np"), _), arguments):
                return self.call(node.func.id if isinstance(node.func, ast.Name) else node.func.attr, arguments, node)
        return refuse(node)

    def bracketed(self, node, level):
        text, own = self.at_level(node)
        return text if own >= level else f"({text})"

    def name(self, name):
        if name in self.names:
            return self.names[name]
        if name in self.locals or name in self.counters:
            return c_name(name)
        try:
            value = self.home.look_up(name)
        except KeyError:
            value = None
        if not isinstance(value, int | float):
            refuse(f"the constant {name}")
        return number(float(value))

    def power(self, base, exponent):
        match exponent:
            case ast.Constant(int(n)) if n >= 0:
                return f"{self.home.prefix}power({self.source(base)}, {n})"
            case ast.Constant(0.5):
                return f"sqrt({self.source(base)})"
        return f"pow({self.source(base)}, {self.source(exponent)})"

    def call(self, name, arguments, node):
        given = [self.source(a) for a in arguments]
        match name:
            case "abs" | "fabs":
                return f"fabs({given[0]})", 3
            case "max" | "min" | "maximum" | "minimum":
                text = given[0]
                for other in given[1:]:
                    text = f"{self.home.prefix}{name[:3]}({text}, {other})"
                return text, 3
            case "isnan":
                return f"{self.bracketed(arguments[0], 3)} != {self.bracketed(arguments[0], 3)}", 0
            case "isfinite":
                return f"fabs({given[0]}) < INFINITY", 0
            case "heaviside":
                return f"({given[0]} > 0.0 ? 1.0 : {given[0]} < 0.0 ? 0.0 : {given[1]})", 3
            case "sign":
                return f"(({given[0]} > 0.0) - ({given[0]} < 0.0))", 3
            case "where":
                return f"(({given[0]}) ? {given[1]} : {given[2]})", 3
            case "float" | "float64":
                return given[0], self.at_level(arguments[0])[1]
            case "int":
                return f"floor({given[0]})", 3
            case "square":
                return f"{self.home.prefix}power({given[0]}, 2)", 3
        if name in _LIBM and name not in self.locals:
            return f"{_LIBM[name]}({', '.join(given)})", 3
        if self.home.function(name) != 1:
            refuse(node)
        return f"{self.home.prefix}{c_name(name)}({', '.join(given)})", 3


def number(value):
    """Write a double."""
    if value != value or abs(value) == math.inf:
        return "NAN" if value != value else "-INFINITY" if value < 0 else "INFINITY"
    return repr(float(value)) if abs(value) < 1e16 else f"{value!r}".replace("e+", "e")


def comment(text):
    """Write a text inside of a comment; the sign that stands for the prefix of names is masked."""
    text = text.replace("@", "\0").replace("*/", "* /").replace("/*", "/ *")
    return text.encode("ascii", "backslashreplace").decode()


def is_sum(body):
    """Return whether a loop adds up terms, without decisions or loops inside."""
    totals = {n.target.id for n in body if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Add)
              and isinstance(n.target, ast.Name)}
    return bool(totals) and all(isinstance(n, ast.Assign | ast.AugAssign) for n in body) and totals.isdisjoint(
        n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and not (
            isinstance(s, ast.AugAssign) and n is s.target))


def _width(tree):
    """Return how many numbers a function returns."""
    values = [n.value.body if isinstance(n.value, ast.IfExp) else n.value for n in ast.walk(tree)
              if isinstance(n, ast.Return)]
    return max((len(v.elts) for v in values if isinstance(v, ast.Tuple)), default=1)


def join_rows(parts, between=", ", width=110):
    """Join parts to rows that are not too long."""
    rows = []
    for part in parts:
        if rows and len(rows[-1]) + len(part) + 2 <= width:
            rows[-1] += between + part
        else:
            rows.append(part)
    return rows


def wrap(line, more=8):
    """Break a long line at spaces and behind commas."""
    indent = len(line) - len(line.lstrip())
    out = []
    while len(line) > 120:
        place = line.rfind(" ", indent + 20, 120)
        if place < 0:
            place = line.find(" ", 120)
        if place < 0:
            break
        out.append(line[:place].rstrip())
        line = " " * (indent + more) + line[place + 1:]
    return [*out, line]
