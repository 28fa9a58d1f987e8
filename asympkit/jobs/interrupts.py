"""Ctrl-C at a moment when it can be answered: not inside compiled code, not while a file is written."""

import sys

# the module beneath signal, without its conversions to enumerations: a short sweep enters half a dozen blocks
from _signal import SIGINT, getsignal
from _signal import signal as set_handler


def interruption(finished, total, what, path, result):
    """Return a KeyboardInterrupt whose message says where finished work is and how to continue.

    Parameters
    ----------
    finished, total : int
    what : str
        Their name, in the plural.
    path : path or None
        The file that holds them.
    result : object or None
        Everything that was finished: the attribute ``result``.

    Notes
    -----
    It is no subclass: a process that ends with one would not end as one that was interrupted does.
    """
    count = f"{finished} of {total} {what}"
    if path is not None:
        kept = f"are finished and in {str(path)!r}; call again with the same file to go on"
    elif result is not None:
        kept = ("are finished and kept in the attribute result of this exception; with file= they are kept on disk, "
                "and the same call goes on")
    else:
        kept = "were finished and are lost; with file= they are kept, and the same call goes on"
    error = KeyboardInterrupt(f"interrupted: {count} {kept}")
    error.count, error.path, error.result = count, path, result
    return error


class held:
    """Let Ctrl-C wait until the block ends; then the previous handler is called.

    A Python handler that runs when compiled code returns raises its exception where none is expected, and the
    interpreter makes a SystemError of it.  A compiler that is interrupted is worse: numba's own
    tables, or a module, stay half loaded, and every later call of the process fails with another error.

    Parameters
    ----------
    deliver : bool
        False drops it: for the end of a job that is being interrupted already.

    Notes
    -----
    Other threads than the main one never see a signal: there the block runs as it is, and so it does where Ctrl-C is
    ignored, or ends the process without Python.
    """

    _pressed, _before = False, None

    def __init__(self, deliver=True):
        self._deliver = deliver

    def __enter__(self):
        before = getsignal(SIGINT)
        if callable(before):
            try:
                set_handler(SIGINT, self._take)
            except ValueError:          # not the main thread
                return self
            self._before = before
        return self

    def _take(self, number, frame):
        self._pressed = True

    def __exit__(self, *_):
        if self._before is not None:
            set_handler(SIGINT, self._before)
            if self._pressed and self._deliver:
                self._before(SIGINT, sys._getframe())
