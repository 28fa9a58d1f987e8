"""Ctrl-C at a moment when it can be answered: not inside compiled code, not while a file is written."""

import signal
import sys

#: packages in whose Python code nothing compiled runs yet
_COMPILERS = {"numba", "llvmlite"}


class Interruption(KeyboardInterrupt):
    """Ctrl-C during a long job; ``str()`` says what is kept and how to go on.

    Attributes
    ----------
    result : object or None
        Everything that was finished.
    count : str
        How much that is: ``3 of 10 repeats``.
    path : path or None
        The file that keeps it.
    """

    def __init__(self, finished, total, what, path, result):
        self.result, self.path, self.count = result, path, f"{finished} of {total} {what}"
        if path is not None:
            kept = f"are finished and in {str(path)!r}; call again with the same file to go on"
        elif result is not None:
            kept = ("are finished and kept in the attribute result of this exception; with file= they are kept on "
                    "disk, and the same call goes on")
        else:
            kept = "were finished and are lost; with file= they are kept, and the same call goes on"
        super().__init__(f"interrupted: {self.count} {kept}")


class held:
    """Let Ctrl-C wait until the block ends; then the handler that was there is called.

    A Python handler that runs when compiled code returns raises its exception where nobody expects one, and the
    interpreter makes a SystemError of it.  While numba compiles or loads there is nothing to wait for: Ctrl-C counts
    at once, and whatever becomes of its exception there, the block ends with it.

    Parameters
    ----------
    deliver : bool
        False drops it: for the end of a job that is being interrupted already.

    Notes
    -----
    Other threads than the main one never see a signal: there the block runs as it is, and so it does where Ctrl-C is
    ignored, or ends the process without Python.
    """

    def __init__(self, deliver=True):
        self._deliver, self._pending, self._before = deliver, False, None

    def __enter__(self):
        before = signal.getsignal(signal.SIGINT)
        if callable(before):
            try:
                signal.signal(signal.SIGINT, self._take)
            except ValueError:          # not the main thread
                return self
            self._before = before
        return self

    def _take(self, number, frame):
        self._pending = True
        if self._deliver and _is_compiling(frame):
            self._before(number, frame)
            self._pending = False       # a handler that raises nothing has had its call

    def __exit__(self, *_):
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            if self._pending and self._deliver:
                self._before(signal.SIGINT, sys._getframe())


def _is_compiling(frame):
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in _COMPILERS:
            return True
        frame = frame.f_back
    return False
