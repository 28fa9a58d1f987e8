"""What is on a picture: nothing outside of it, and what its curves are."""

import numpy as np

__all__ = ["assert_inside", "curves", "legend"]


def assert_inside(axes):
    """All points lie inside their axes, all axes with labels and legends inside the figure."""
    axes = np.ravel(np.asarray(axes, dtype=object))
    figure = axes[0].figure
    figure.canvas.draw()
    renderer, frame = figure.canvas.get_renderer(), figure.bbox
    for ax in figure.axes:
        if not ax.get_visible():
            continue
        box = ax.get_tightbbox(renderer)
        assert box.x0 >= frame.x0 - 1 and box.x1 <= frame.x1 + 1, ("horizontally", ax.get_xlabel())
        assert box.y0 >= frame.y0 - 1 and box.y1 <= frame.y1 + 1, ("vertically", ax.get_ylabel())
    for ax in axes:
        low, high = sorted(ax.get_xlim()), sorted(ax.get_ylim())
        for x, y in _points(ax):
            known = np.isfinite(x) & np.isfinite(y)
            assert np.all((x[known] >= low[0]) & (x[known] <= low[1])), "horizontally"
            assert np.all((y[known] >= high[0]) & (y[known] <= high[1])), "vertically"


def _points(ax):
    """Data of lines that are in the coordinates of the axes, and of error bars."""
    for line in ax.lines:
        if line.get_transform() == ax.transData:
            yield np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
    for container in ax.containers:
        for bars in getattr(container, "lines", ((), (), ()))[2]:
            for segment in bars.get_segments():
                yield segment.T


def curves(ax):
    """The lines of axes that are curves: those with a line."""
    return [line for line in ax.lines if line.get_linestyle() not in ("None", "none", "", " ")
            and line.get_transform() == ax.transData]


def legend(ax):
    """The texts of the legend."""
    found = ax.get_legend()
    return [] if found is None else [t.get_text() for t in found.get_texts()]
