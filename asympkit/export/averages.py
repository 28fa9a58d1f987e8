"""Translate what points share to C: maps from parameters, means of activations, and tables of averages."""

import ast

from .translate import Function, c_name, comment, join_rows, number, refuse

#: characters of a kernel above which it is compiled for one processor, since that takes a minute
_LONG = 60_000


class Averages:
    """Translates the functions that make tables (the part of :class:`asympkit.export.header.Header` that does)."""

    def group(self):
        """Write what points share, what each has, and the tables."""
        body, self.pieces = self.functions["solve_group"].body, []
        self.inner, self.items, self.most_at, self.base_columns, self.grids, self.has_products = 0, 0, 1, 0, [], False
        lines = ["static inline int @group(const @parameters *p, double *g, double *work)", "{"]
        self.driver = body[-1].value.func.id
        kept, point, tables = {self.labels[k]: at for at, k in enumerate(self.tied)}, [], None
        lines += [f"    g[{at}] = {self.fields[label]};" for label, at in kept.items()]
        for node in body:
            match node:
                case ast.Expr(ast.Constant()):
                    continue
                case ast.Assign([ast.Tuple(targets)], ast.Call(ast.Name(name), arguments)) \
                        if name in self.functions and self.is_map(name):
                    self.map(name)
                    given = ", ".join(self.scalar(a, _group_names(kept)) for a in arguments)
                    at = len(kept)
                    lines += [f"    {{ int code = @{c_name(name)}({given}, g + {at}, work); if (code) return code; }}"]
                    kept |= {t.id: at + k for k, t in enumerate(targets)}
                case ast.Assign([ast.Name(name)], value):
                    if name == "points":
                        point = value.args[1:]
                        continue
                    lines.append(f"    g[{len(kept)}] = {self.scalar(value, _group_names(kept))};")
                    kept[name] = len(kept)
                case ast.Expr(ast.Call(ast.Name("require"), [test, name, _, said])):
                    lines.append(self.refusal(test, _group_names(kept), name, said))
                case ast.FunctionDef(name="tables"):
                    tables = self.tables(node, kept)
                case ast.Return():
                    continue
                case _:
                    refuse(node)
        lines += ["    (void)p; (void)g; (void)work;", "    return 0;", "}"]
        rows = ["static inline void @point(const @parameters *p, const double *g, double *x)", "{"]
        names = self.fields | _group_names(kept)
        self.point_names = []
        for value in point:
            match value:
                case ast.Starred(ast.Subscript(ast.Name(table), ast.Name(label))):
                    known = self.constants[table]
                    width = len(next(iter(known.values())))
                    flat = ", ".join(f"{{{', '.join(map(number, map(float, r)))}}}" for r in known.values())
                    rows += [f"    static const double known[][{width}] = {{", f"        {flat}", "    };",
                             f"    int k, row = (int){names[label]}{f' - {min(known)}' * (min(known) != 0)};",
                             f"    for (k = 0; k < {width}; k++) x[{len(self.point_names)} + k] = known[row][k];"]
                    self.point_names += [None] * width
                case _:
                    rows.append(f"    x[{len(self.point_names)}] = {self.scalar(value, names)};")
                    self.point_names.append(value)
        return "\n".join(lines), "\n".join([*rows, "    (void)p; (void)g; (void)x;", "}"]), kept, tables

    def scalar(self, node, names):
        """Write an expression of numbers; an activation stands for its parity."""
        match node:
            case ast.Call(ast.Attribute(ast.Name("np"), "all"), [ast.Call(_, [ast.Tuple(values)])]):
                return " && ".join(f"fabs({self.scalar(v, names)}) < INFINITY" for v in values)
            case ast.IfExp(test, ast.Call(ast.Name("with_zero_mean")), ast.Name(label)):
                return f"({self.scalar(test, names)}) ? 2.0 : {number(float(self.activation(label)[2]))}"
        return Function(self.c, names=names).source(node)

    def activation(self, label):
        """Return the C name of an activation, its kinks and its parity."""
        if isinstance(label, ast.Attribute):
            label = f"{label.value.id}_slope"
        label = label.id if isinstance(label, ast.Name) else label
        found = {}
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
                target = node.targets[0]
                if target.value.id == label and target.attr in ("kinks_float", "form_parity"):
                    found[target.attr] = ast.literal_eval(node.value)
        if len(found) != 2 or len(found["kinks_float"]) > 20:
            refuse(f"the activation {label}")
        self.c.function(label)
        return f"@{c_name(label)}", found["kinks_float"], found["form_parity"]

    def is_map(self, name):
        """Return whether a function maps parameters to numbers that follow from averages."""
        return "accurate(" in ast.unparse(self.functions[name])

    def map(self, name):
        """Write a map from parameters to numbers, with its means."""
        tree = self.functions[name]
        f = Function(self.c)
        for a in tree.args.args:
            f.locals[a.arg] = None
        self.map_body(f, tree.body, 1)
        own, parameters = ([c_name(n) for n, kind in f.locals.items() if kind == what] for what in ("local", None))
        self.pieces.append("\n".join([
            f"/* {comment(ast.get_docstring(tree).splitlines()[0])} */",
            f"static inline int @{c_name(name)}({', '.join(f'double {n}' for n in parameters)}, double *out_, double "
            "*work)", "{", *(f"    double {row};" for row in join_rows(f"{n} = 0.0" for n in own)),
            "    double one[@@ITEMS] = {0.0}, *column[@@ITEMS], zero = 0.0, at[@@AT], memory[3];", "    int k;",
            "    for (k = 0; k < @@ITEMS; k++) column[k] = one + k;", *f.idle([*own, *parameters, "work"]),
            "    (void)at; (void)memory; (void)zero;", *f.lines, "}"]))

    def map_body(self, f, body, depth):
        """Write the statements of such a map."""
        for node in body:
            match node:
                case ast.Assign([ast.Tuple([ast.Name("means"), ast.Name("change")])], call):
                    self.call_means(f, call, depth, "1", "&zero", "0", "column")
                case ast.Assign([ast.Tuple(targets)], ast.GeneratorExp()):
                    f.put_all(depth, [f"{f.target(t)} = one[{k}];" for k, t in enumerate(targets)])
                case ast.Return(ast.Call(ast.Name("accurate"), [error, *values])):
                    f.put(depth, f"if (!({f.source(error)} <= 1e-11)) return 7;")
                    f.put_all(depth, [*(f"out_[{k}] = {f.source(v)};" for k, v in enumerate(values)), "return 0;"])
                case ast.If(test, inner, []):
                    f.put(depth, f"if ({f.source(test)}) {{")
                    self.map_body(f, inner, depth + 1)
                    f.put(depth, "}")
                case _:
                    f.statement(node, depth)

    def call_means(self, f, call, depth, rows, offset, columns, out, column_names=(), memory=None):
        """Write one call of means, and the functions of its items."""
        function, _, slope, items, *signs = call.args
        name, kinks, parity = self.activation(function)
        if isinstance(function, ast.Name) and function.id in f.names:
            parity = f.names[function.id]
        floors = next((ast.literal_eval(ast.unparse(k.value).replace("FLOOR", repr(16 * 2.0**-52)).replace(
            "np.inf", "1e308")) for k in call.keywords if k.arg == "floors"), None)
        reflected = ast.literal_eval(signs[0]) if signs else None
        number_of = self.means = self.means + 1
        is_offset = memory is not None
        at = self.items_of(number_of, items, f, column_names, is_offset)
        count = len(items.body.elts)
        self.items = max(self.items, count)
        squares = sum(_is_square(e) << k for k, e in enumerate(items.body.elts))
        own, parts, order = f"@mean_{number_of}", [], (0, 1, 2, -1)         # places of parities: parity & 3
        for what, values in (("kinks", kinks), ("floors", floors), ("signs", reflected)):
            if isinstance(values, dict):
                values = [x for k in order for x in values.get(k, (0.0,) * count)]
            parts.append(f"{own}_{what}" if values else "NULL")
            if values:
                numbers = ", ".join(number(float(x)) for x in values)
                self.pieces.append(f"static const double {parts[-1]}[] = {{{numbers}}};")
        both = f"{own}_both" if is_offset else "NULL"
        self.pieces.append(f"static const @mean {own} = {{{name}, {own}_here, {both}, {count}, {squares}, "
                           f"{len(kinks)}, {', '.join(parts)}}};")
        scalars, from_columns = at
        given = [f"at[{k}] = {f.name(symbol)};" for k, symbol in enumerate(scalars)]
        given += ["memory[0] = 0.0;"] * (memory is None)
        listed = "NULL"
        if from_columns:
            listed = "given"
            given += [f"given[{k}] = {column_names[c].removesuffix('[i]')};" for k, c in enumerate(from_columns)]
        f.put_all(depth, given)
        f.target(ast.Name("change"))
        f.put(depth, f"change = @means(&{own}, {parity if isinstance(parity, int) else f'(int){parity}'}, {rows}, "
                     f"{offset}, {f.source(slope)}, at, {len(scalars)}, {len(from_columns)}, {listed}, {out}, work, "
                     f"{memory or 'memory'});")

    def items_of(self, k, items, f, column_names, is_offset):
        """Write the items of a mean at one place, and at two with their difference."""
        scalars, columns = {}, {}
        for n in ast.walk(items.body):
            if isinstance(n, ast.Call) and ast.unparse(n.func) == "at" and n.args[0].id in column_names:
                columns.setdefault(n.args[0].id, None)
            elif isinstance(n, ast.Name) and n.id not in ("z", "s", "at", "np", "math") and n.id not in column_names \
                    and (n.id in f.locals or n.id in f.names):
                scalars.setdefault(n.id, None)
        place = {n: f"at[{i}]" for i, n in enumerate([*scalars, *columns])}
        own, texts = f"@mean_{k}", [[], []]
        plain = Items(self.c, place)
        for i, e in enumerate(items.body.elts):
            texts[0].append(f"out[{i}] = {plain.source(e)};")
            texts[1] += [f"out[{3 * i + k}] = {part or '0.0'};" for k, part in enumerate(Pair(self.c, place).parts(e))]
        for name, of, rows in (("here", "", texts[0]), ("both", "double there, ", texts[1]))[:1 + is_offset]:
            self.pieces.append("\n".join([
                f"static inline void {own}_{name}(double z, {of}double s, const double *at, double *out)", "{",
                f"    (void)z; (void)s; (void)at;{' (void)there;' * bool(of)}",
                *(f"    {row}" for row in join_rows(rows, " ", 112)), "}"]))
        self.most_at = max(self.most_at, len(place))
        return list(scalars), list(columns)

    # ---- tables

    def tables(self, node, kept):
        """Write the function that makes the tables of a level."""
        calls, directions, lines = [], [], []
        for part in node.body:
            match part:
                case ast.Expr(ast.Constant()):
                    continue
                case ast.Assign([ast.Name(name)], value):
                    lines.append(f"    double {c_name(name)} = {self.scalar(value, _group_names(kept))};")
                    kept = kept | {name: None}
                case ast.Assign([ast.Tuple()], ast.Call(ast.Name("gather"), [_, *calls])) | \
                        ast.Return(ast.Call(ast.Name("gather"), [_, *calls])):
                    continue
                case ast.Expr(ast.Call(ast.Name("check_directions"), _)):
                    directions.append(part.value.args)
                case ast.Return():
                    continue
                case _:
                    refuse(part)
        names = {n: c_name(n) if at is None else f"g[{at}]" for n, at in kept.items()}
        body = []
        for k, call in enumerate(calls):
            self.rule(call.func.id)
            tree = self.functions[call.func.id]
            given = []
            for a, value in zip(tree.args.args, call.args):
                if a.arg in ("levels", "places"):
                    continue
                if isinstance(value, ast.Name) and value.id in self.functions:
                    given.append(number(float(self.activation(value)[2])))
                else:
                    given.append(self.scalar(value, names))
            body.append(f"    change = @{call.func.id}({', '.join([*given, 'level', f't + {k}', 'memory', 'base'])});")
            body.append("    if (change < 0.0) return change; else error = @max(error, change);")
        for first, _, which, activations in directions:
            grid = ast.literal_eval(first.slice) // 2
            for row, place, order, odd, *_ in self.constants[which.id]:
                label = activations.elts[place].id
                parity = f"(int){c_name(label)}" if label not in self.functions else \
                    self.activation(f"{label}{'_slope' * bool(order)}{f'_{order}' * (order > 1)}")[2]
                plain = label.removesuffix("_here")
                is_odd = int(self.activation(plain)[2] in odd)
                body.append(f"    if (@is_lost(t + {grid}, {row}, {parity}, {is_odd})) error = INFINITY;")
        return "\n".join([
            "static inline double @fill(int level, const double *g, double *memory, @table *t, double *base)", "{",
            "    double change = 0.0, error = 0.0;", "    (void)level; (void)g; (void)memory; (void)t; (void)base; "
            "(void)change;", *lines, *body, "    return error;", "}"])

    def at(self):
        """Write the call of the equations at a point."""
        tree = self.functions["solve_point"]
        given, k, torn = [], 0, 0
        for a in tree.args.args:
            name = a.arg
            if name.endswith("_table"):
                given.append(f"t[{k}].columns")
            elif name.endswith("_weights"):
                given += [f"t[{k}].weights", f"t[{k}].n"]
                k += 1
            elif name.endswith("_start"):
                given.append(f"start[{torn}]")
                torn += 1
            elif name in ("plain", "tolerance", "max_steps"):
                given.append({"plain": "plain", "tolerance": "1e-9", "max_steps": "100.0 + plain"}[name])
            else:
                given.append(f"x[{len([g for g in given if g.startswith('x[')])}]")
        is_long = sum(len(text) for text, _ in self.c.written.values()) > _LONG
        kind = "static inline" if is_long or "functions in sums" in self.c.needs else "@@CLONES static"
        return "\n".join([
            f"{kind} void @at(const double *x, const @table *t, const double *start, int plain, double *out)",
            "{", "    (void)x; (void)t; (void)start;", f"    @solve_point({', '.join(given)}, out);", "}"])

    def rule(self, name):
        """Write the function that makes the table of one average."""
        tree, own = self.functions[name], ["offset"]
        match tree.body[1:]:
            case [ast.Assign([ast.Name("made")], ast.Call(ast.Name("product_tables"), [_, kinks, symmetry, _], _)),
                  ast.Return(ast.Tuple([ast.ListComp(ast.Tuple([ast.Call(_, [_]), _])), _]))] \
                    if len(self.constants[kinks.id]) == 1 and not any(self.constants[kinks.id][0]):
                self.inner_rule(name, tree, bool(self.constants[symmetry.id]))
                return
            case [ast.Assign(_, ast.Call(ast.Name("valued_tables"), [_, kinks, symmetries, ast.Constant(False), flat,
                                                                     ast.List(features), ast.Lambda() as values])),
                  ast.Return(ast.Tuple([ast.ListComp(ast.Tuple([ast.Call(_, table), _]), [found]), _]))]:
                self.product_rule(name, tree, kinks, symmetries, flat, features, values, table, found.target.elts[0])
                return
        parameters = [a.arg for a in tree.args.args if a.arg not in ("levels", "places")]
        f = Function(self.c)
        activations = {a for a in parameters if a in self.functions}
        f.names = {a: f"{c_name(a)}_parity" for a in activations}
        for a in parameters:
            f.locals[a] = None
        columns, rows, table, node_name, places = {}, None, None, None, 0
        for node in tree.body:
            match node:
                case ast.Expr(ast.Constant()) | ast.Assign([ast.Name("error")], ast.Constant()):
                    continue
                case ast.Assign([ast.Tuple([_, ast.Name(node_name), _])],
                                ast.Call(ast.Name("outer_rules"), [_, ast.List(features)], keywords)):
                    for feature in features:
                        if isinstance(feature, ast.Starred):
                            continue
                        offset, slope, inner, which = feature.elts
                        is_given = isinstance(which, ast.Tuple)
                        for kink in ast.literal_eval(which) if is_given else self.activation(which.value)[1]:
                            parts = {"offset": offset, "slope": slope, "inner": inner}
                            f.put_all(1, [*(f"feature[{places}].{k} = {f.source(v)};" for k, v in parts.items()),
                                          f"feature[{places}].kink = {number(float(kink))};"])
                            places += 1
                    f.put(1, f"n = @outer_rule(level, {places}, feature, {int(bool(keywords))}, z, w);")
                    f.put(1, "if (n == 0) return -1.0;")
                    f.put_all(1, ["is_paired = n > 0;", "n = n < 0 ? -n : n;"])
                    columns[node_name] = "z[i]"
                case ast.Assign([ast.Tuple([ast.Tuple(targets), ast.Name("change")])],
                                ast.Call(ast.Name("normal_means")) as call):
                    self.loop(f, "offset", call.args[1], columns)
                    for t in targets:
                        columns[t.id] = f"{c_name(t.id)}[i]"
                        own.append(c_name(t.id))
                    f.put_all(1, [f"column[{k}] = {c_name(t.id)};" for k, t in enumerate(targets)])
                    self.call_means(f, call, 1, "n", "offset", "", "column", columns, f"memory + {3 * self.means}")
                    f.put(1, "if (!(change < INFINITY)) return -1.0;")
                    f.put(1, "error = @max(error, change);")
                case ast.Assign([ast.Name("error")], _):
                    continue
                case ast.Assign([ast.Name("made")], _):
                    refuse("an average over several normals, or one whose nodes move")
                case ast.Assign([ast.Name("tables")], ast.Call(_, [ast.List(base), _, symmetry])):
                    rows = [b.id for b in base]
                    symmetries = self.constants[symmetry.id]
                case ast.Assign([ast.Name(label)], value):
                    if isinstance(value, ast.Name) and value.id in columns:
                        columns[label] = columns[value.id]
                    elif any(isinstance(n, ast.Name) and n.id in columns for n in ast.walk(value)):
                        self.loop(f, c_name(label), value, columns)
                        columns[label] = f"{c_name(label)}[i]"
                        own.append(c_name(label))
                    else:
                        f.put(1, f"{f.target(ast.Name(label))} = {f.source(value)};")
                case ast.Return(ast.Tuple([ast.ListComp(ast.Tuple([ast.Call(_, table), _])), _])):
                    continue
                case _:
                    refuse(node)
        if table is None or rows is None:
            refuse(f"the table {name}")
        self.grids.append((name, len(table), "NODES"))
        self.base_columns = max(self.base_columns, len(own))
        all_of = ", ".join(columns[r].removesuffix("[i]") for r in rows)
        even = ", ".join(str(int(x)) for row in symmetries for x in row) or "0"
        f.put_all(1, [f"const double *all[] = {{{all_of}}};", f"static const int even[] = {{{even}}};",
                      f"first = is_paired ? @fold(n, {len(rows)}, all, {len(symmetries)}, even, w) : 0;",
                      "t->n = n - first;"])
        f.put(1, "for (i = first; i < n; i++) {")
        inner = Function(self.c, names=f.names | columns)
        inner.locals = dict.fromkeys(f.locals)
        f.put(2, "double *to = t->columns + i - first;")
        f.put_all(2, [*(f"to[{k}*@@NODES] = {inner.source(v)};" for k, v in enumerate(table)),
                      "t->weights[i - first] = w[i];"])
        f.put(1, "}")
        f.put_all(1, [f"@pad(t, {len(table)});", "return error;"])
        given = [f"{c_name(a)}{'_parity' * (a in activations)}" for a in parameters]
        own_numbers = [c_name(n) for n, kind in f.locals.items() if kind == "local" and n != "change"]
        self.pieces.append("\n".join([
            f"static inline double @{name}({''.join(f'double {n}, ' for n in given)}int level, @table *t, double "
            "*memory, double *base)", "{", "    double error = 0.0, change = 0.0, at[@@AT], *column[@@ITEMS];",
            "    double *z = base + @@BASE, *w = z + @@NODES, *work = w + @@NODES;", "    const double *given[@@AT];",
            f"    @feature feature[{max(places, 1)}] = {{{{0.0, 0.0, 0.0, 0.0}}}};",
            "    int i, n, first = 0, is_paired = 0;",
            *(f"    double {row};" for row in join_rows(f"{n} = 0.0" for n in own_numbers)),
            *(f"    double {row};" for row in join_rows(f"*{n} = base + {k}*@@NODES" for k, n in enumerate(own))),
            "    (void)offset; (void)at; (void)column; (void)given; (void)work; (void)change; (void)memory;",
            *f.idle([*given, *own_numbers]), *f.lines, "}"]))

    def inner_rule(self, name, tree, is_folded):
        """Write the function that makes the rule of an average inside of another."""
        self.grids.append((name, 1, "NODES"))
        self.inner = 1
        parameters = [a.arg for a in tree.args.args if a.arg not in ("levels", "places")]
        given = [f"double {c_name(a)}" for a in parameters]
        idle = "".join(f" (void){n};" for n in [*map(c_name, parameters), "memory", "base", "level"])
        self.pieces.append("\n".join([
            f"static inline double @{name}({', '.join([*given, 'int level', '@table *t', 'double *memory'])}, "
            "double *base)", "{", f"   {idle}",
            f"    t->n = @inner_rule(level, {int(is_folded)}, t->columns, t->weights);", "    @pad(t, 1);",
            "    return t->n ? 0.0 : -1.0;", "}"]))

    def product_rule(self, name, tree, kinks, symmetries, flat, features, values, table, found):
        """Write the function that makes the table of an average over two normals."""
        kinks, symmetries = [list(k) for k in self.constants[kinks.id]], self.constants[symmetries.id]
        for feature in features:
            *numbers, of = feature.elts
            place, offset, slope = map(ast.literal_eval, numbers)
            kinks[place] += [(k - offset) / slope for k in self.activation(of.value)[1]]
        if len(kinks) != 2:
            refuse("an average over three normals or more")
        parameters = [a.arg for a in tree.args.args if a.arg not in ("levels", "places")]
        columns, variables = [e.id for e in found.elts], [a.arg for a in values.args.args]
        width = max(len(table), len(columns))
        self.grids.append((name, width, "WIDE"))
        self.c.space[f"{name.removesuffix('_rule')}_table"] = "WIDE"
        self.has_products = True
        given = [f"{c_name(a)}{'_parity' * (a in self.functions)}" for a in parameters]
        f = Function(self.c, names={v: f"all[{k}][i]" for k, v in enumerate(variables)})
        f.locals |= dict.fromkeys(parameters)
        of_node = Function(self.c)
        of_node.locals |= dict.fromkeys([*parameters, *columns])
        rows = [f"all[{k + 2}][i] = {f.source(v)};" for k, v in enumerate(values.body.elts)]
        halves = [" && ".join(f"{c_name(v.func.id)}_parity == {float(s)}" for v, s in zip(values.body.elts, row[2:]))
                  for row in symmetries if row[:2] == (-1, -1) and not any(kinks)]
        nodes = ", ".join(f"{c_name(v)} = all[{k}][i]" for k, v in enumerate(columns))
        own = ", ".join(number(float(k)) for row in kinks for k in row) or "0.0"
        places = ", ".join(f"t->columns + {k}*t->space" for k in range(len(columns)))
        self.pieces.append("\n".join([
            f"static inline double @{name}({''.join(f'double {n}, ' for n in given)}int level, @table *t, double "
            "*memory, double *base)", "{", f"    static const int kinks[] = {{{len(kinks[0])}, {len(kinks[1])}}};",
            f"    static const double kink[] = {{{own}}};", f"    double *all[] = {{{places}}};",
            f"    const int flat[] = {{{', '.join(of_node.source(x) for x in flat.elts)}}};",
            f"    const int is_half = {' || '.join(f'({h})' for h in halves) or '0'};",
            "    int i, n = @product(level, flat, kinks, kink, is_half, t, base + @@BASE);",
            f"    (void)memory;{''.join(f' (void){n};' for n in given)}", "    if (n == 0) return -1.0;",
            f"    for (i = 0; i < n; i++) {{ {' '.join(rows)} }}", "    for (i = 0; i < n; i++) {",
            f"        double {nodes}, *to = t->columns + i;",
            *(f"        to[{k}*t->space] = {of_node.source(v)};" for k, v in enumerate(table)), "    }",
            "    t->n = n;", f"    @pad(t, {width});", "    return 0.0;", "}"]))

    def loop(self, f, column, value, known):
        """Write a loop that fills a column."""
        inner = Function(self.c, names=f.names | known)
        inner.locals = dict.fromkeys(f.locals)
        f.put(1, f"for (i = 0; i < n; i++) {column}[i] = {inner.source(value)};")


class Items(Function):
    """Writes items of means: ``at(column)`` and numbers from outside are entries of an array."""

    def __init__(self, home, place):
        super().__init__(home, names={"z": "z", "s": "s"} | place)

    def call(self, name, arguments, node):
        if name == "at":
            return self.names[arguments[0].id], 3
        return super().call(name, arguments, node)


class Pair(Items):
    """Writes a polynomial in z at two places, and the difference without cancellation."""

    def parts(self, node):
        """Return sources here and there and of the difference, None where it is 0."""
        match node:
            case ast.Name("z"):
                return "z", "there", "(there - z)"
            case ast.UnaryOp(ast.USub(), value):
                here, there, step = self.parts(value)
                return f"-({here})", f"-({there})", step and f"-({step})"
            case ast.BinOp(left, ast.Add() | ast.Sub() as op, right) if self.varies(node):
                a, b = self.parts(left), self.parts(right)
                sign = "+" if isinstance(op, ast.Add) else "-"
                step = f"({a[2] or '0.0'} {sign} {b[2] or '0.0'})"
                return f"({a[0]} {sign} {b[0]})", f"({a[1]} {sign} {b[1]})", step
            case ast.BinOp(left, ast.Mult(), right) if self.varies(node):
                a, b = self.parts(left), self.parts(right)
                terms = [f"{a[2]}*{b[0]}"] * bool(a[2]) + [f"{a[1]}*{b[2]}"] * bool(b[2])
                return f"{a[0]}*{b[0]}", f"{a[1]}*{b[1]}", f"({' + '.join(terms)})"
            case ast.BinOp(left, ast.Div(), right) if self.varies(node) and not self.varies(right):
                a, b = self.parts(left), f"({self.source(right)})"
                return f"{a[0]}/{b}", f"{a[1]}/{b}", f"{a[2]}/{b}"
            case ast.BinOp(base, ast.Pow(), ast.Constant(int(n))) if self.varies(node):
                product = base
                for _ in range(n - 1):
                    product = ast.BinOp(product, ast.Mult(), base)
                return self.parts(product)
        if not self.varies(node):
            text = self.bracketed(node, 3)
            return text, text, None
        here = self.source(node)                # no polynomial: the difference as it is
        there = Pair(self.home, self.names | {"z": "there"}).source(node)
        return here, there, f"({there} - ({here}))"

    @staticmethod
    def varies(node):
        return any(isinstance(n, ast.Name) and n.id == "z" for n in ast.walk(node))


def _group_names(kept):
    return {n: f"g[{at}]" for n, at in kept.items() if at is not None}


def _is_square(node):
    """Return whether an item is a square by its form."""
    match node:
        case ast.BinOp(_, ast.Pow(), ast.Constant(int(n))):
            return n % 2 == 0
        case ast.BinOp(left, ast.Mult(), right):
            return ast.dump(left) == ast.dump(right)
    return False
