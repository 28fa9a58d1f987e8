"""Progress of long jobs: a bar of tqdm on stderr."""

import sys
from types import SimpleNamespace

#: a bar that shows nothing
HIDDEN = SimpleNamespace(update=lambda: None, close=lambda: None)
#: seconds after which a bar that nobody asked for appears
_DELAY = 1.0


def progress_bar(total, what, done, shown):
    """Start a bar with an estimate of the remaining time.

    Parameters
    ----------
    total : int
        Pieces of the whole job.
    what : str
        The name of the pieces, in the plural.
    done : int
        Pieces that an earlier run has finished; they do not count in the estimate.
    shown : bool or None
        None shows it in a terminal, once the job has taken a second.
    """
    if not (shown or shown is None and sys.stderr is not None and sys.stderr.isatty()):
        return HIDDEN
    from tqdm import tqdm  # takes longer to load than a short sweep

    class Bar(tqdm):
        monitor_interval = 0        # no thread: executors may fork

    return Bar(total=total, initial=done, unit=f" {what}", miniters=1, dynamic_ncols=True,
               delay=0.0 if shown else _DELAY)
