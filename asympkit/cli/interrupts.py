"""Handle Ctrl-C on the command line once, however often it is pressed."""

import signal
import time

from ..errors import UnfinishedError

#: seconds after a Ctrl-C in which another one is ignored, while files are closed and workers end
_SAME = 2.0


class CtrlC:
    """Raise KeyboardInterrupt for the first Ctrl-C and for later ones, but not for those that follow at once.

    Parameters
    ----------
    ends : bool
        Whether the process ends with the block: Ctrl-C is then ignored at its end.

    Attributes
    ----------
    pressed : bool
        Whether there was one.  Libraries that are interrupted while they are loaded or compile may lose the
        exception, or raise another.
    """

    def __init__(self, ends=False):
        self.pressed, self._ends, self._last, self._before = False, ends, 0.0, None

    def __enter__(self):
        before = signal.getsignal(signal.SIGINT)
        if callable(before):
            try:
                signal.signal(signal.SIGINT, self._take)
                self._before = before
            except ValueError:           # not the main thread
                pass
        return self

    def _take(self, number, frame):
        now = time.monotonic()
        is_same = self.pressed and now - self._last < _SAME
        self.pressed = True
        if not is_same:
            self._last = now
            raise KeyboardInterrupt

    def __exit__(self, *_):
        if self._before is not None:
            signal.signal(signal.SIGINT, signal.SIG_IGN if self.pressed and self._ends else self._before)


def said(error):
    """Return one line about the state after an interruption."""
    if isinstance(error, UnfinishedError):
        return str(error)
    count = getattr(error, "count", None)
    if count is None:
        return "interrupted"
    if error.path is None:
        return (f"interrupted: {count} were finished and are lost; with --file FILE they are kept, and the same "
                "command resumes")
    return f"interrupted: {count} are finished and in {str(error.path)!r}; the same command resumes"
