"""The pages of ``docs/contributing``, carried out: their blocks edit a copy of the tree, and are run in it.

The first line of a block says what becomes of the lines below it, up to the next line of such a kind::

    # file: PATH                  they are a new file
    # in PATH, after: LINE        they are put after that line, which stands once in the file
    # in PATH, instead of: LINE   they take its place

A block without such a line is run in the copy: ``python`` is a program, ``sh`` are commands.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Block", "apply", "blocks", "copy_tree", "run"]

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EDIT = re.compile(r"^# (?:file: (\S+)|in (\S+), (after|instead of): (.*))\n", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    language: str
    text: str

    @property
    def is_edit(self):
        """Whether it changes the tree."""
        return bool(_EDIT.match(self.text))


def blocks(page):
    """The blocks of a page, in their order."""
    return [Block(*found) for found in _BLOCK.findall(page)]


def copy_tree(folder):
    """A copy of what the package and its tests are made of, which imports itself and nothing of the original."""
    for name in ("asympkit", "derivations", "generated", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
    for name in ("setup.cfg", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for name in ("derivations", "generated"):           # where an installation puts them
        (folder / "asympkit" / name).symlink_to(folder / name)
    return folder


def apply(block, root):
    """Make the changes that a block describes."""
    _, *parts = _EDIT.split(block.text)
    for new, path, how, line, text in zip(*(parts[k::5] for k in range(5))):
        if new:
            _create(root / new, text)
        else:
            _insert(root / path, how, line.strip(), text)


def _create(path, text):
    assert not path.exists(), f"{path.name} is there already"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _insert(path, how, line, text):
    lines = path.read_text(encoding="utf-8").splitlines()
    places = [i for i, found in enumerate(lines) if found.strip() == line]
    assert len(places) == 1, f"{path.name} has the line {line!r} {len(places)} times"
    lines[places[0] + (how == "after"):places[0] + 1] = text.splitlines()
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(block, root):
    """Run a program or a command in the copy; returns what it printed."""
    python = [sys.executable, "-W", "error"]
    command = [*python, "-c", block.text] if block.language == "python" else ["bash", "-euc", block.text]
    environment = os.environ | {"PYTHONPATH": str(root), "ASYMPKIT_CACHE_DIR": str(root / "cache"),
                                "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{block.text}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout
