"""Draw paths of solutions: branches, folds and branch points."""

from ..errors import UnknownNameError, suggest
from ..notation import label
from .canvas import one_axes, styled
from .scales import set_scale
from .style import FEW, USUAL, family, foreground

__all__ = ["draw_path"]


def draw_path(path, name, ax, style):
    """Draw as :meth:`asympkit.continuation.Continuation.plot` describes."""
    first = path.branches[0]
    known = [*first.observables, *first.unknowns]
    if name is None:
        name = USUAL if USUAL in known else known[0]
    if name not in known:
        raise UnknownNameError(f"plot: no quantity {name!r}{suggest(name, known)}; known are {', '.join(known)}")
    ax = one_axes(ax)
    paths = path, *path.emanating
    branches, folds = [b for p in paths for b in p.branches], [f for p in paths for f in p.folds]
    several, styles = len(branches) > 1, family(min(len(branches), FEW))
    for number, branch in enumerate(branches):
        own = {**styles[number % len(styles)], "marker": "o" if branch.parameter.size == 1 else "None"}
        called = {"label": f"branch {number + 1}"} if several and len(branches) <= FEW else {}
        with styled(style):
            ax.plot(branch.parameter, branch[name], **{"linewidth": 1.8, "markersize": 4.5, **own, **called, **style})
    for points, marker, called in ((folds, "o", "fold"), (path.branch_points, "s", "branch point")):
        if points:
            at = [f.parameter for f in points], [{**f.unknowns, **f.observables}[name] for f in points]
            ax.plot(*at, linestyle="none", marker=marker, markersize=7, markerfacecolor=ax.get_facecolor(),
                    markeredgecolor=foreground(), markeredgewidth=1.4, zorder=4, label=called)
    set_scale(ax, "x", False, first.parameter)
    ax.set_xlabel(label(path.over))
    ax.set_ylabel(label(name))
    ax.margins(0.04)
    if several or folds or path.branch_points:
        ax.legend(frameon=False, fontsize=9, handlelength=2.6)
    return ax
