"""Draw the packages in layers from their imports.

``python tests/helpers/layers.py`` prints the figure of docs/architecture.md.

A package stands above all that it imports at the tops of its modules; after it stand the packages next below.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2] / "asympkit"
#: what every package may import, and what is loaded lazily or holds types alone
SHARED = {"__init__", "__main__", "_version", "annotations", "errors", "exact", "notation", "once", "tolerances",
          "versions", "generated"}


def imports():
    """Return ``{package: packages it imports}``."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.level:
                base = [*parts[:len(parts) - node.level], *(node.module or "").split(".")]
                names = [base[0]] if base[0] else [a.name for a in node.names]
                found.setdefault(parts[0], set()).update(names)
    known = {parts.stem for parts in ROOT.iterdir() if parts.is_dir() or parts.suffix == ".py"} - SHARED
    return {name: (found.get(name, set()) & known) - {name} for name in sorted(known)}


def below(name, edges):
    """Return all packages that a package imports, directly or not."""
    return edges[name].union(*(below(other, edges) for other in edges[name]))


def figure():
    """Return the figure, the highest layer first."""
    edges = imports()
    edges = {name: others for name, others in edges.items() if others or any(name in o for o in edges.values())}
    height = {}
    while len(height) < len(edges):
        height |= {name: 1 + max((height[o] for o in others), default=0) for name, others in edges.items()
                   if name not in height and others <= set(height)}
    lines = []
    for level in sorted(set(height.values()), reverse=True):
        for name in sorted(n for n in height if height[n] == level):
            near = edges[name] - set().union(*(below(o, edges) for o in edges[name]))
            lines.append(f"{level:2}  {name:14} {' '.join(sorted(near))}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    print(figure())
