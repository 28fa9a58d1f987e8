"""Run linear algebra on a single thread, so that results have the same bits in every process."""

import threading
from contextlib import contextmanager
from functools import cache


@contextmanager
def one_thread():
    """Let the BLAS libraries of this process use one thread each.

    The last bits of a product depend on the number of threads, which differs between processes: dask's workers have
    one, others as many as there are cores.  The number belongs to the whole process; of several Python threads the
    first to enter sets it and the last to leave restores it.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


class _Limit:
    """Limit BLAS to one thread while any Python thread is inside."""

    def __init__(self):
        self.lock, self.inside, self.before = threading.Lock(), 0, None

    def enter(self):
        with self.lock:
            _free()
            # for a BLAS built on OpenMP the limit applies to the calling thread
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
    """Let any thread set the number next: some versions of threadpoolctl let only the first one."""
    for library in _libraries().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


@cache
def _libraries():
    import scipy.linalg  # noqa: F401  (loads its own BLAS, which the controller must find)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
