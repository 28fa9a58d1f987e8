"""Draw the result of a command (``--plot FILE``)."""

import argparse
from pathlib import Path

from .arguments import UsageError

__all__ = ["add_plot", "add_quantity", "draw_simulation", "drawn", "write"]

_ENDINGS = (".png", ".pdf", ".svg")
#: points of a theory's curve behind simulated points
_POINTS = 60


def add_plot(parser, what="the result"):
    """Add ``--plot``."""
    parser.add_argument("--plot", metavar="FILE", type=_picture, help=f"draw {what} (.png, .pdf or .svg; needs "
                        "asympkit[plot])")


def add_quantity(parser):
    """Add ``--quantity``, the quantity to draw."""
    parser.add_argument("--quantity", metavar="NAME", help="an observable or an unknown to draw; several separated by "
                        "commas (test_error, or the first observable)")


def _picture(text):
    """Check the name of a picture, and that one can be drawn, before anything is computed."""
    path = Path(text)
    if path.suffix.lower() not in _ENDINGS:
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a picture; expected one that ends in "
                                         f"{', '.join(_ENDINGS)}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r}: the folder {str(path.parent)!r} does not exist")
    from ..plot.canvas import pyplot

    pyplot()
    return path


def drawn(theory, asked):
    """Return the quantities to draw: a name, a list of several, or None for the usual one."""
    if asked is None:
        return None
    names = [n.strip() for n in asked.split(",")]
    for name in names:
        theory.check_quantity("plot", name)
    return names[0] if len(names) == 1 else names


def write(axes, path):
    """Write a picture to its file."""
    from ..plot.canvas import save

    try:
        save(axes, path)
    except OSError as error:
        raise UsageError(f"--plot: could not write {str(path)!r} ({error.strerror or error})") from error


def draw_simulation(theory, result, quantity, parameters):
    """Draw a simulation; along axes with the curves of the theory and the pulls."""
    if not result.axes:
        return result.plot()
    import numpy as np

    over, *rest = sorted(result.axes, key=lambda n: -result.axes[n].size)
    x = result.axes[over]
    if x.size > 1:
        from ..plot.canvas import is_geometric

        x = (np.geomspace if is_geometric(x) else np.linspace)(x.min(), x.max(), _POINTS)
    return theory.plot(quantity, over=over, simulation=result,
                       parameters={**parameters, **{n: result.axes[n] for n in rest}, over: x})
