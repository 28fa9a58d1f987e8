"""The command line of a derivation module."""

import argparse
import sys
from pathlib import Path

from ..errors import AsympkitError


def main(build, arguments=None):
    """Check a derivation and print it; write it as a web page or as LaTeX when asked.

    Parameters
    ----------
    build : callable
        Returns the Derivation.
    arguments : list of str, optional
        Instead of those of the process.

    Returns
    -------
    int
        0, or 1 if a step does not hold.
    """
    from .page import html, tex

    parser = argparse.ArgumentParser(description=build.__doc__)
    parser.add_argument("--html", metavar="FILE", type=Path, help="write a self-contained web page")
    parser.add_argument("--latex", metavar="FILE", type=Path, help="write a LaTeX document")
    options = parser.parse_args(arguments)
    try:
        derivation = build()
        outcomes = derivation.run()
    except AsympkitError as error:
        print(error, file=sys.stderr)
        return 1
    for path, render in ((options.html, html), (options.latex, tex)):
        if path is not None:
            path.write_text(render(derivation, outcomes), encoding="utf-8")
    if options.html is None and options.latex is None:
        print(derivation.text(outcomes))
    return 0
