"""A line on stderr with the progress of a long job."""

import sys
import time


class Progress:
    """A line that is rewritten after each piece, with an estimate of the remaining time.

    Parameters
    ----------
    total : int
        Pieces of the whole job.
    what : str
        The name of the pieces, in the plural.
    done : int
        Pieces that an earlier run has finished; they do not count in the estimate.
    shown : bool
        False writes nothing.
    """

    def __init__(self, total, what, done=0, shown=True):
        self.total, self.what, self.done, self.shown = total, what, done, shown
        self._before, self._start, self._written = done, time.monotonic(), False

    def step(self):
        """Count one more finished piece."""
        self.done += 1
        if not self.shown:
            return
        text = f"{self.done}/{self.total} {self.what}"
        if self.done < self.total:
            spent = time.monotonic() - self._start
            text += f", about {duration(spent / (self.done - self._before) * (self.total - self.done))} left"
        sys.stderr.write(f"\r{text:<50}")
        sys.stderr.flush()
        self._written = True

    def close(self):
        """End the line, if there is one."""
        if self._written:
            sys.stderr.write("\n")
            sys.stderr.flush()


def duration(seconds):
    """Write a time in a unit that suits it: ``40 s``, ``12 min``, ``3.5 h``."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    if seconds < 99.5 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
