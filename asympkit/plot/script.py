"""Options of a script that ends with a picture, such as those of the gallery."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from . import canvas


def options():
    """Read ``--out`` and ``--quick`` of the command line: return whether it is quick, and what saves the picture.

    A picture goes to ``NAME.png`` of a script ``NAME.py``; in a notebook, which has no such name, it is only shown.

    Returns
    -------
    quick : bool
    save : callable
        Takes the axes.
    """
    name = Path(sys.argv[0]).stem
    parser = ArgumentParser(description="Solve the theory, check its numbers and draw it.")
    parser.add_argument("--out", metavar="FILE", default=f"{name}.png" if name else None, help="where the picture goes")
    parser.add_argument("--quick", action="store_true", help="fewer points, where they take time")
    found = parser.parse_args()
    return found.quick, lambda axes: canvas.save(axes, found.out) if found.out else None
