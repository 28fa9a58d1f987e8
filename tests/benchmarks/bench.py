"""All benchmarks of asympkit: one table, each row with a baseline that is run beside it.

    python tests/benchmarks/bench.py [--json FILE] [--quick] [--only GROUP] [--threads N]

Ratios are of medians of one run, in which task and baseline take turns.  Threads: ``--threads`` (1 unless given)
sets OPENBLAS_NUM_THREADS, OMP_NUM_THREADS and MKL_NUM_THREADS before numpy is loaded, here and in all processes that
are started; linear algebra of both sides then may use equally many.  The compiled loops of asympkit run on one core,
except in the row that names a number of cores: that is NUMBA_NUM_THREADS, all cores unless it is set.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import time
import warnings
from importlib.metadata import PackageNotFoundError, version

#: what a group is about, and the module and function that measure it
GROUPS = {"one-step": ("one_step_rows", "rows"), "root": ("one_step_rows", "root"),
          "minimum": ("one_step_rows", "minimum"), "ridge": ("ridge_rows", "rows"),
          "features": ("ridge_rows", "features"), "losses": ("losses_rows", "rows"), "deep": ("deep_rows", "rows"),
          "scaling": ("scaling_rows", "rows"), "process": ("process_rows", "rows")}
BLAS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
PACKAGES = ("asympkit", "numpy", "scipy", "numba", "sympy", "scikit-learn")


def measure(groups, quick):
    """Rows of the groups, in their order, and sentences about what was left out."""
    import asympkit as ak

    rows, skipped = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        for group in groups:
            start = time.perf_counter()
            module, function = GROUPS[group]
            made, without = getattr(importlib.import_module(module), function)(quick)
            rows += [row.of(group) for row in made]
            skipped += without
            print(f"{group}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return rows, skipped


def surroundings(threads):
    """Versions and threads, as they are in this process."""
    import numba

    found = {"python": platform.python_version(), "blas threads": threads,
             "numba threads": numba.config.NUMBA_NUM_THREADS, "cores": os.cpu_count()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE", help="write all numbers to a file too")
    parser.add_argument("--quick", action="store_true", help="smaller tasks and few repetitions, to try the script")
    parser.add_argument("--only", metavar="GROUP", choices=GROUPS, action="append",
                        help=f"measure this group alone ({', '.join(GROUPS)}); may be repeated")
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="threads of linear algebra (default 1)")
    options = parser.parse_args(arguments)
    if options.threads < 1:
        parser.error(f"--threads: got {options.threads}; expected a number from 1 on")
    os.environ.update(dict.fromkeys(BLAS, str(options.threads)))

    from harness import markdown

    rows, skipped = measure(options.only or list(GROUPS), options.quick)
    about = surroundings(options.threads)
    print(markdown(rows))
    print("\nTimes are medians; the ratio says how many times more the baseline takes, per point or as noted.")
    print(*skipped, sep="\n", end="\n" if skipped else "")
    print(", ".join(f"{name} {value}" for name, value in about.items() if value is not None))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump({"rows": [row.record() for row in rows], "skipped": skipped, "quick": options.quick,
                       "surroundings": about}, stream, indent=1)


if __name__ == "__main__":
    main()
