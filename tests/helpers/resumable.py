"""Mass tests that can be interrupted: verdicts of finished cases stay in a file and are not computed again."""

import hashlib
import json
import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import asympkit


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


def run_cases(name, cases, judge, *, seconds=60.0):
    """Return ``{case: verdict}``: ``judge(case)`` is ``""`` where all is well; an exception is a verdict too.

    With ``ASYMPKIT_MASS_DIR`` set, verdicts are kept in ``<name>-<hash of the package>.jsonl`` there, and a second run
    goes on after the last one.  A case that takes more seconds of a processor has the verdict ``"out of time"``.
    """
    folder = os.environ.get("ASYMPKIT_MASS_DIR")
    file = Path(folder, f"{name}-{package_hash()}.jsonl") if folder else None
    known = _read(file) if file and file.exists() else {}
    verdicts = {}
    for case in cases:
        verdict = known.get(str(case))
        if verdict is None:
            start = time.monotonic()
            try:
                with at_most(seconds):
                    verdict = judge(case) or ""
            except OutOfTimeError:
                verdict = "out of time"
            except Exception as error:
                verdict = f"{type(error).__name__}: {error}"[:500]
            if file:
                file.parent.mkdir(parents=True, exist_ok=True)
                with open(file, "a", encoding="utf-8") as stream:
                    stream.write(json.dumps([str(case), verdict, round(time.monotonic() - start, 2)]) + "\n")
        verdicts[case] = verdict
    return verdicts


def bad(verdicts, but=()):
    """The cases whose verdict is neither empty nor one of ``but``."""
    return {case: v for case, v in verdicts.items() if v and v not in but}


def package_hash():
    """Short hash of the sources of the package."""
    root = Path(asympkit.__file__).parent
    whole = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        whole.update(path.read_bytes())
    return whole.hexdigest()[:12]


def _read(file):
    known = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            case, verdict, _ = json.loads(line)
        except ValueError:                  # the line at which the last run was stopped
            continue
        known[case] = verdict
    return known
