"""Medians of tasks that take turns, so that a busy moment of the machine meets all of them."""

import resource
import statistics
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """A call to be timed.

    Attributes
    ----------
    call : callable
        Without arguments.
    repeats : int
        Measurements in each round.
    loops : int
        Calls in each measurement, for what is too short for the clock.
    """

    call: object
    repeats: int = 1
    loops: int = 1


@dataclass(frozen=True)
class Timing:
    """Median seconds of one call, and what the last call returned."""

    median: float
    result: object


def race(rounds, clock=time.perf_counter, **tasks):
    """Time tasks in turn.

    Parameters
    ----------
    rounds : int
    clock : callable
        Wall time unless given.
    **tasks : Task or callable

    Returns
    -------
    dict of str to Timing
    """
    tasks = {name: t if isinstance(t, Task) else Task(t) for name, t in tasks.items()}
    seconds, results = {name: [] for name in tasks}, {}
    for _ in range(rounds):
        for name, task in tasks.items():
            for _ in range(task.repeats):
                start = clock()
                for _ in range(task.loops):
                    results[name] = task.call()
                seconds[name].append((clock() - start) / task.loops)
    return {name: Timing(statistics.median(s), results[name]) for name, s in seconds.items()}


def cpu_of_children():
    """CPU seconds of all processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
