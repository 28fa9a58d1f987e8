"""Text of exported modules: copies of the functions that generated code calls, with those that these call, from the
modules of the package; lines that are not too long, and texts in docstrings.
"""

import ast
import re
import textwrap
from functools import cache
from importlib import resources

from ..codegen.expressions import docstring
from ..codegen.module import given_routines, identifiers
from ..numbers.functions import list_routine_modules

#: modules of the package that generated code may name; of two definitions of one name the last is meant
_RUNTIME = ("linear", "rules", "lattices", "means", "tables", "newton", "features")
_HOMES = (*(f"asympkit.runtime.{name}" for name in _RUNTIME), "asympkit.export.driver")


def copy_definitions(text, homes=_HOMES, convert=None):
    """Return constants and functions that a text, code of a module with marked labels, needs from the package.

    They are top-level statements, in the order of their modules.  ``homes`` are modules whose names may be meant,
    beside those of routines; of two definitions the last.  ``convert`` returns a source of a module, by name, in
    another form; then what the last module defines is meant in all others too.  Where two modules define one name, that
    which the text does not mean has another.
    """
    routines = [re.sub(r"^@compiled\n", "", r, flags=re.MULTILINE) for r in given_routines(text)]
    named = list_routine_modules() | {name: home for home in homes for name in _module(home)[0]}
    first = dict.fromkeys(_module(homes[-1])[0], homes[-1]) if convert else {}
    known = identifiers("\n".join([text, *routines]))
    wanted = dict.fromkeys((named[name], name) for name in sorted(known & named.keys()))
    pending = list(wanted)
    while pending:
        home, name = pending.pop()
        definitions, imported = _module(home)
        for used in definitions[name][1]:
            key = (first.get(used, home), used) if used in definitions or used in first else imported.get(used)
            if key is not None and key not in wanted:
                wanted[key] = None
                pending.append(key)
    called, taken = {}, set()
    for home, name in wanted:                   # those that the text names come first
        number = 1
        while (chosen := name if number == 1 else f"{name}_{number}") in taken:
            number += 1
        taken.add(chosen)
        called[home, name] = chosen
    constants, functions, late, done = [], [], [], set()
    for home in (homes[-1], *homes[:-1], *sorted({home for home, _ in called} - set(homes))):
        definitions, imported = _module(home)
        renamed = {name: called[key] for name, key in [*((n, (home, n)) for n in definitions), *imported.items()]
                   if key in called and called[key] != name}
        for name, (source, used, is_function) in definitions.items():
            if (home, name) in called and (home, source) not in done:
                done.add((home, source))
                keys = [(home, n) if n in definitions else imported.get(n) for n in used]
                calls = any(k in called and _module(k[0])[0][k[1]][2] for k in keys)
                source = _renamed(source, renamed)
                (functions if is_function else late if calls else constants).append(
                    convert(home, source) if convert else source)
    return constants, [*functions, *routines, *late]


def reached_functions(text, name):
    """Return the names of the functions of a module that one of them calls, itself and others through these."""
    bodies = {n.name: n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
    found, pending = set(), [name]
    while pending:
        here = pending.pop()
        found.add(here)
        pending += [n.id for n in ast.walk(bodies[here]) if isinstance(n, ast.Name) and n.id in bodies.keys() - found]
    return [n for n in bodies if n in found]


@cache
def _module(home):
    """Return ``{name: (source, names in it, whether it is a function)}``, and imported names with their homes."""
    package, _, file = home.rpartition(".")
    text = resources.files(package).joinpath(f"{file}.py").read_text("utf-8")
    lines, definitions, imported = text.splitlines(), {}, {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = ".".join(package.split(".")[:len(package.split(".")) + 1 - node.level])
            imported |= {a.asname or a.name: (f"{folder}.{node.module}", a.name) for a in node.names}
        is_function = isinstance(node, ast.FunctionDef | ast.ClassDef)
        names = [node.name] if is_function else [t.id for target in getattr(node, "targets", ())
                                                 for t in ast.walk(target) if isinstance(t, ast.Name)]
        first = node.lineno - 1 - len(getattr(node, "decorator_list", ()))
        while first and lines[first - 1].startswith("#"):
            first -= 1
        source = shorten_docstrings("\n".join(lines[first:node.end_lineno]))
        used = sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - set(names))
        definitions |= dict.fromkeys([n for n in names if n != "__all__"], (source, used, is_function))
    return definitions, imported


def shorten_docstrings(source):
    """Return a definition whose docstrings have their first paragraphs alone."""
    lines = source.split("\n")
    for node in sorted((n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef | ast.ClassDef)),
                       key=lambda n: -n.lineno):
        text, first = ast.get_docstring(node, clean=False), node.body[0]
        if text and "\n\n" in text:
            kept = first.lineno + text.split("\n\n")[0].count("\n")
            lines[kept - 1:first.end_lineno] = [f'{lines[kept - 1].rstrip()}"""']
    return re.sub(r" *# (?:noqa|ruff|type):.*", "", "\n".join(lines))


def _renamed(source, names):
    """Return a definition with other names for what it defines and mentions."""
    if not names:
        return source
    lines = source.split("\n")
    places = sorted({(n.lineno, n.col_offset, n.id) for n in ast.walk(ast.parse(source))
                     if isinstance(n, ast.Name) and n.id in names}, reverse=True)
    for row, column, name in places:
        line = lines[row - 1]
        lines[row - 1] = line[:column] + names[name] + line[column + len(name):]
    return re.sub(r"^(def|class) (\w+)", lambda m: f"{m[1]} {names.get(m[2], m[2])}", "\n".join(lines), count=1,
                  flags=re.MULTILINE)


WIDTH = 120
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
#: borders of docstrings, which begin a line: quotes in a user's text are escaped there
_QUOTES = re.compile(r'(?<!\\)"""')
#: the beginning of a statement that ends in an expression, and of a condition
_HEAD = re.compile(r"(\s*)((?:[\w, ]+ = )?)(return )?(?=\S)")
_CONDITION = re.compile(r"(\s*(?:if|elif|while) )(.*):")


def paragraph(text, indent="", hanging=""):
    """Wrap a user's text for a docstring; lines after the first are indented further."""
    return _wrapped(docstring(text), indent, hanging)


def _wrapped(text, indent, hanging=""):
    # a text without spaces stays as it is: a line must not end inside of an escape
    return textwrap.wrap(text, WIDTH - 2, initial_indent=indent, subsequent_indent=indent + hanging,
                         break_long_words=False, break_on_hyphens=False) or [indent]


def broken(source):
    """Return the same source with its long lines broken: code at spaces inside brackets, docstrings at spaces."""
    out, inside = [], False
    for line in source.split("\n"):
        indent, text = line[:len(line) - len(line.lstrip())], line.strip()
        quotes = len(_QUOTES.findall(line)) if inside or text.startswith('"""') else 0
        if len(line) <= WIDTH or inside and not quotes:
            out.append(line)
        elif text.startswith("#"):
            out += _wrapped(text.strip("# "), f"{indent}# ")
        elif quotes:
            is_whole = text.count('"""') == 2
            out += [*_wrapped(text.removesuffix('"""') if is_whole else text, indent), *[f'{indent}"""'] * is_whole]
        else:
            out += _broken(line)
        inside ^= quotes % 2 == 1
    return "\n".join(out)


def _broken(line):
    """Return a long line as several: an expression that stands in no brackets is put into some."""
    place = _masked(line).find("    # ")
    if place > 0 and line[:place].strip():           # a remark has no place
        line = line[:place]
    condition = _CONDITION.fullmatch(line)
    if condition and _is_open(condition[2]):
        line = f"{condition[1]}({condition[2]}):"
    head = _HEAD.match(line)
    indent, targets, rest = head[1], head[2], line[head.end():]
    if len(targets) > 0.75 * WIDTH:
        targets = f"({targets.removesuffix(' = ')}) = "
    if targets or head[3]:
        line = f"{indent}{targets}{head[3] or ''}{f'({rest})' if _is_open(rest) else rest}"
    masked, depth, places = _masked(line), 0, []
    for k, c in enumerate(masked):
        depth += (c in "([{") - (c in ")]}")
        if depth > 0 and (c in " (" or c == "*" and "*" not in (masked[k - 1], masked[k + 1])):
            places.append((k + 1 - (WIDTH // 2) * (c == "("), k + 1))         # behind a bracket where there is no other
    lines, start, prefix = [], 0, ""
    while len(prefix) + len(line) - start > WIDTH:
        fits = [p for p in places if start < p[1] <= start + WIDTH - len(prefix)]
        if not fits:
            break
        last = max(fits)[1]
        lines.append(prefix + line[start:last].rstrip())
        start, prefix = last, indent + "    " * (2 if line.lstrip().startswith(("def ", "for ", "if ")) else 1)
    return [*lines, prefix + line[start:]]


def _is_open(text):
    """Return whether an expression has operands outside of all brackets."""
    depth = 0
    for c in _masked(text):
        depth += (c in "([{") - (c in ")]}")
        if c == " " and not depth:
            return True
    return False


def _masked(line):
    """Return a line with the same places and no strings."""
    return _STRING.sub(lambda m: "_" * len(m[0]), line)
