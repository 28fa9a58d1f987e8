"""Linear algebra on a single thread, so that results have the same bits in every process."""

import threading
from contextlib import contextmanager
from functools import cache


@contextmanager
def one_thread():
    """Let the BLAS libraries of this process use one thread each.

    The last bits of a product depend on the number of threads, and processes of one computation differ in it:
    dask's workers have one, others as many as there are cores.  The number belongs to the whole process; of
    several Python threads the first that comes sets it and the last that leaves restores it.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


class _Limit:
    """One thread while anybody is inside."""

    def __init__(self):
        self.lock, self.inside, self.before = threading.Lock(), 0, None

    def enter(self):
        with self.lock:
            _free()
            # of a BLAS built on OpenMP this is the limit of the thread that sets it
            limits = _libraries().limit(limits=1, user_api="blas")
            _free()
            if self.inside == 0:
                self.before = limits
            self.inside += 1

    def leave(self):
        with self.lock:
            self.inside -= 1
            if self.inside == 0:
                _free()
                self.before.restore_original_limits()
                _free()


_limit = _Limit()


def _free():
    """Let whichever thread comes next set the number: some versions of threadpoolctl let only the first one."""
    for library in _libraries().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


@cache
def _libraries():
    import scipy.linalg  # noqa: F401  (it brings a BLAS of its own, which must be there to be found)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
