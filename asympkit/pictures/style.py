"""Define the style of all pictures: colours that the colour-blind can distinguish, different lines and markers.

Dark or light elements (text, frame, background) follow matplotlib's settings, so that a dark notebook gets a dark
picture; the colours here contrast with black and with white.
"""

import numpy as np

__all__ = ["COLOURS", "FEW", "FIELD", "LINES", "MARKERS", "SIZE", "USUAL", "faint", "family", "foreground", "settings"]

#: blue, vermilion, green, purple, orange, sky (Okabe and Ito)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
LINES = ("-", (0, (5, 1.6)), (0, (1, 1.2)), (0, (7, 1.5, 1.2, 1.5)), (0, (3, 1, 1, 1, 1, 1)), (0, (10, 2.5)))
MARKERS = ("o", "s", "^", "D", "v", "P")
#: a larger family has a colour bar: its members cannot all have their own line style
FEW = len(COLOURS)
#: colours of heat maps and of large families: from dark to light, also in grey
FIELD = "viridis"
#: the quantity that is drawn by default
USUAL = "test_error"
#: width and height of a picture with one pair of axes, in inches
SIZE = (5.4, 3.7)


def settings(rc):
    """Return the settings of matplotlib while axes are made, beside the user's own."""
    return {"axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
            "grid.color": rc["text.color"], "grid.alpha": 0.15, "grid.linewidth": 0.6, "font.size": 10.5,
            "axes.labelsize": 11.5, "xtick.labelsize": 9.5, "ytick.labelsize": 9.5}


def foreground():
    """Return the colour of text."""
    import matplotlib

    return matplotlib.rcParams["text.color"]


def faint(share):
    """Return the colour of text, mixed into the background."""
    import matplotlib
    from matplotlib.colors import to_rgb

    ink, paper = (np.array(to_rgb(matplotlib.rcParams[k])) for k in ("text.color", "axes.facecolor"))
    return tuple(share * ink + (1.0 - share) * paper)


def family(count):
    """Return colour, line and marker of each of several curves."""
    if count <= FEW:
        return [{"color": c, "linestyle": l, "marker": m} for c, l, m in list(zip(COLOURS, LINES, MARKERS))[:count]]
    import matplotlib

    shades = matplotlib.colormaps[FIELD](np.linspace(0.12, 0.88, count))
    return [{"color": tuple(map(float, c)), "linestyle": "-", "marker": "o"} for c in shades]
