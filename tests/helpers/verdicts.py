"""Mass tests: many cases, each with a verdict, none of which may hang."""

import signal
from contextlib import contextmanager


class OutOfTimeError(Exception):
    """A case took longer than it may."""


#: how much longer than its share of a processor a case may take on a clock: it may wait for other work
_WAITING = 20


@contextmanager
def at_most(seconds):
    """Raise :class:`OutOfTimeError` in this (main) thread when a case has had its time of the processor."""
    def stop(*_):
        raise OutOfTimeError

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, seconds), (signal.SIGALRM, signal.ITIMER_REAL, _WAITING * seconds))
    before = [signal.signal(name, stop) for name, _, _ in timers]
    for _, timer, limit in timers:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for (name, timer, _), handler in zip(timers, before):
            signal.setitimer(timer, 0.0)
            signal.signal(name, handler)


def run_cases(cases, judge, *, seconds=60.0):
    """Return ``{case: verdict}``: ``judge(case)`` is ``""`` where all is well; an exception is a verdict too.

    A case that takes more seconds of a processor has the verdict ``"out of time"``.
    """
    verdicts = {}
    for case in cases:
        try:
            with at_most(seconds):
                verdicts[case] = judge(case) or ""
        except OutOfTimeError:
            verdicts[case] = "out of time"
        except Exception as error:
            verdicts[case] = f"{type(error).__name__}: {error}"[:500]
    return verdicts


def bad(verdicts, but=()):
    """Return the cases whose verdict is neither empty nor one of ``but``."""
    return {case: v for case, v in verdicts.items() if v and v not in but}
