"""Run the pieces of a long job in several processes, and resume from a file."""

import os
from contextlib import contextmanager

from .arguments import positive_integer

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def add_jobs(parser, endings=".npz"):
    """Add ``--jobs`` and ``--file``."""
    parser.add_argument("--jobs", metavar="N", type=positive_integer, default=1, help="processes (1)")
    parser.add_argument("--file", metavar="FILE",
                        help=f"keep finished results in this file ({endings}) and resume from it if it exists")


@contextmanager
def executor(args):
    """Provide a process pool for ``--jobs`` above 1, or None.

    The processes are spawned, and each uses a single thread.
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
    """Return a pool class whose processes ignore Ctrl-C from their start."""
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
    """Ignore Ctrl-C, which the parent handles by stopping the pool."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
