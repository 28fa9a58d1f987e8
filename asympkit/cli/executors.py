"""Processes for the pieces of a long job, and the file from which it goes on."""

import os
from contextlib import contextmanager

from .arguments import positive_integer

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def add_jobs(parser, endings=".npz"):
    """Add ``--jobs`` and ``--file``."""
    parser.add_argument("--jobs", metavar="N", type=positive_integer, default=1, help="processes (1)")
    parser.add_argument("--file", metavar="FILE",
                        help=f"keep what is finished in this file ({endings}) and go on from it if it is there")


@contextmanager
def executor(args):
    """A process pool for ``--jobs`` above 1, or None.

    The processes are started afresh and each one computes on a single thread.
    """
    if args.jobs == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    added = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    pool = _quiet(ProcessPoolExecutor)(args.jobs, mp_context=get_context("spawn"), initializer=_leave_interrupts)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        for name in added:
            del os.environ[name]


def _quiet(pool):
    """A kind of pool whose processes hear nothing of Ctrl-C from their first moment on."""
    import signal

    class Quiet(pool):
        def submit(self, *arguments):
            if not hasattr(signal, "pthread_sigmask"):
                return super().submit(*arguments)
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})     # new processes inherit it
            try:
                return super().submit(*arguments)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    return Quiet


def _leave_interrupts():
    """Ctrl-C is for the parent, which then stops the pool."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
