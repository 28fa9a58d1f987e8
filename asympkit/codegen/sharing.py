"""Write the parts of expressions that a run of assignments holds several times once, with the same operations."""

import ast
import re
from collections import Counter

__all__ = ["share_parts"]

#: operations of all assignments from which on it is worth the names
_MANY = 2_600
#: expressions that are named, and those that are left as they are: parts of them may not be evaluated
_NAMED, _LEFT = (ast.BinOp, ast.Call), (ast.IfExp, ast.BoolOp, ast.Lambda, ast.Subscript)
_COMMENT = "    # "


def share_parts(lines, numbers):
    """Return lines that assign each name once, with names ``part_1``, ... for what several expressions hold.

    ``numbers`` is an iterator of those of new names.
    """
    rows = [ast.parse(line).body[0] for line in lines]
    if sum(isinstance(n, _NAMED) for row in rows for n in ast.walk(row)) < _MANY:
        return lines
    forms, found, uses = {}, {}, Counter()

    def form(node):
        """Number an expression, those of one form alike; the parts of each form are counted once."""
        if node not in found:
            parts, key = _parts(node), ast.dump(node)
            if parts:
                shell = ((n, v) for n, v in ast.iter_fields(node) if not isinstance(v, ast.expr | list))
                key = type(node), *(repr(v) if not isinstance(v, ast.AST) else ast.dump(v) for _, v in shell), \
                    *map(form, parts)
            if key not in forms:
                forms[key] = len(forms)
                uses.update(map(form, parts))
            found[node] = forms[key]
        return found[node]

    for row in rows:
        uses[form(row.value)] += 1
    out, known = [], {}
    for line, row in zip(lines, rows):
        code, mark, note = line.partition(_COMMENT)
        code = code.encode()

        def text(node, name=None, code=code):
            """Return the source of an expression, after lines that assign its parts which others hold too."""
            number = found[node]
            if number in known:
                return known[number]
            at, source = node.col_offset, b""
            for part in sorted(_parts(node), key=lambda n: n.col_offset):
                source += code[at:part.col_offset] + text(part).encode()
                at = part.end_col_offset
            source = re.sub(r"(?<![\w\])])\((\w+)\)", r"\1", (source + code[at:node.end_col_offset]).decode())
            if isinstance(node, _NAMED) and uses[number] > 1:
                known[number] = name or f"part_{next(numbers)}"
                if name is None:
                    out.append(f"{known[number]} = {source}")
                    return known[number]
            return source

        is_name = isinstance(row, ast.Assign) and isinstance(row.targets[0], ast.Name)
        whole = text(row.value, row.targets[0].id if is_name else None)
        before, after = code[:row.value.col_offset].decode(), code[row.value.end_col_offset:].decode()
        out.append(f"{before}{whole}{after}{mark}{note}")
    return out


def _parts(node):
    """Return the expressions of which an expression is made, where all of them are evaluated."""
    has_names = isinstance(node, ast.Call) and node.keywords or isinstance(node, ast.Compare)
    return [] if has_names or isinstance(node, _LEFT) else [n for n in ast.iter_child_nodes(node)
                                                             if isinstance(n, ast.expr)]
