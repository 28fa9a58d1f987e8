"""Print JSON, tables and notes, draw the result of a command, and run its pieces in several processes."""

import argparse
import json
import math
import os
import signal
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

from ..once import Deferred
from .arguments import UsageError, positive_integer

np, _canvas = Deferred("numpy"), Deferred("asympkit.plot.canvas")


def print_json(data):
    """Print data as JSON: infinity is the text ``inf``, NaN is ``null``."""
    print(json.dumps(to_plain_data(data), indent=2, allow_nan=False))


def to_plain_data(value):
    """Convert data to Python's own types."""
    if isinstance(value, dict):
        return {str(k): to_plain_data(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain_data(v) for v in value]
    if value is None or isinstance(value, str | int) or isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else str(value)
    if hasattr(value, "tolist"):            # numpy
        return to_plain_data(value.tolist())
    return str(value)


def write_text(text, path):
    """Print a text, or write it to a file."""
    if path is None:
        print(text)
        return
    try:
        Path(path).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out: could not write {str(path)!r} ({error.strerror or error})") from error


def colour_verdict(verdict, holds):
    """Colour the first words of a verdict green or red on a terminal (see https://no-color.org)."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return verdict
    words, colon, rest = verdict.partition(":")
    return f"\x1b[1;{32 if holds else 31}m{words}\x1b[0m{colon}{rest}"


def print_line(text):
    """Print one line on stderr."""
    print(f"asympkit: {' '.join(str(text).split())}", file=sys.stderr)


@contextmanager
def notes():
    """Show the warnings of asympkit as one line each, once, on stderr."""
    seen = set()

    def show(message, category, filename, lineno, file=None, line=None):
        if not issubclass(category, UserWarning):
            return usual(message, category, filename, lineno, file, line)
        text = " ".join(str(message).split())
        if text not in seen:
            seen.add(text)
            print(f"note: {text}", file=sys.stderr)
        return None

    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def add_progress(parser):
    """Add ``--progress``."""
    parser.add_argument("--progress", action="store_true", default=None,
                        help="show progress on stderr even if it is no terminal")


_ENDINGS = (".png", ".pdf", ".svg")
#: points of a theory's curve behind simulated points
_POINTS = 60


def add_plot(parser, what="the result"):
    """Add ``--plot``."""
    parser.add_argument("--plot", metavar="FILE", type=_picture, help=f"draw {what} (.png, .pdf or .svg; needs "
                        "asympkit[plot])")


def add_quantity(parser):
    """Add ``--quantity``, the quantity to draw."""
    parser.add_argument("--quantity", metavar="NAME", help="an observable or an unknown to draw; several separated by "
                        "commas (test_error, or the first observable)")


def _picture(text):
    """Check the name of a picture, and that one can be drawn, before anything is computed."""
    path = Path(text)
    if path.suffix.lower() not in _ENDINGS:
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a picture; expected one that ends in "
                                         f"{', '.join(_ENDINGS)}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r}: the folder {str(path.parent)!r} does not exist")
    _canvas.pyplot()
    return path


def choose_drawn(theory, asked):
    """Return the quantities to draw: a name, a list of several, or None for the usual one."""
    if asked is None:
        return None
    names = [n.strip() for n in asked.split(",")]
    for name in names:
        theory.check_quantity("plot", name)
    return names[0] if len(names) == 1 else names


def write(axes, path):
    """Write a picture to its file."""
    try:
        _canvas.save(axes, path)
    except OSError as error:
        raise UsageError(f"--plot: could not write {str(path)!r} ({error.strerror or error})") from error


def draw_simulation(theory, result, quantity, parameters):
    """Draw a simulation; along axes with the curves of the theory and the pulls."""
    if not result.axes:
        return result.plot()
    over, *rest = sorted(result.axes, key=lambda n: -result.axes[n].size)
    x = result.axes[over]
    if x.size > 1:
        x = (np.geomspace if _canvas.is_geometric(x) else np.linspace)(x.min(), x.max(), _POINTS)
    return theory.plot(quantity, over=over, simulation=result,
                       parameters={**parameters, **{n: result.axes[n] for n in rest}, over: x})


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
    signal.signal(signal.SIGINT, signal.SIG_IGN)
