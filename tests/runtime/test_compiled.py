"""Functions left to numba: loaded late, together with what they call; stale machine code is never used."""

import os
import subprocess
import sys
import threading

import pytest

from asympkit.runtime.compiled import fingerprint
from asympkit.runtime.linear import solve_linear_2, solve_linear_n

LOOPS = """
from asympkit.runtime.compiled import compiled, in_parallel, prange
from called import OFFSET, twice


@compiled
def inner(x):
    return twice(x) + OFFSET


@compiled
def rows(out):
    \"\"\"Fill.\"\"\"
    for k in prange(out.size):
        out[k] = inner(float(k))


rows_parallel = in_parallel(rows)
"""
CALLED = """
OFFSET = {offset}


def twice(x):
    return helper(x) * {factor}


def helper(x):
    return x + {shift}
"""
RUN = """
import sys, numpy as np, loops
assert "numba" not in sys.modules
out = np.zeros(3)
loops.{name}(out)
print(out.tolist(), sum(loops.rows.stats.cache_hits.values()))
"""


@pytest.fixture
def run(tmp_path):
    """What a process of its own finds in a module whose loops call functions of another file."""
    (tmp_path / "loops.py").write_text(LOOPS)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_NUM_THREADS": "2"}
    environment.pop("NUMBA_CACHE_DIR", None)

    def result(offset=1.0, factor=2.0, shift=0.0, name="rows"):
        text = CALLED.format(offset=offset, factor=factor, shift=shift)
        if not (tmp_path / "called.py").exists() or (tmp_path / "called.py").read_text() != text:
            (tmp_path / "called.py").write_text(text)
        done = subprocess.run([sys.executable, "-W", "error", "-c", RUN.format(name=name)], capture_output=True,
                              text=True, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return result


@pytest.mark.slow
def test_machine_code_is_kept_until_anything_it_is_made_of_changes(run):
    assert run() == "[1.0, 3.0, 5.0] 0"
    assert run() == "[1.0, 3.0, 5.0] 1"                   # from the disk
    assert run(factor=3.0) == "[1.0, 4.0, 7.0] 0"         # a function of another file
    assert run(offset=0.5) == "[0.5, 2.5, 4.5] 0"         # its constant
    assert run(shift=1.0) == "[3.0, 5.0, 7.0] 0"          # what the function calls
    assert run() == "[1.0, 3.0, 5.0] 1"                   # the first one is still there


@pytest.mark.slow
def test_the_parallel_form_has_machine_code_of_its_own(run):
    assert run(name="rows_parallel") == run(name="rows_parallel") == "[1.0, 3.0, 5.0] 0"
    assert run() == "[1.0, 3.0, 5.0] 0"
    assert run() == "[1.0, 3.0, 5.0] 1"


def test_a_fingerprint_is_that_of_code_and_constants():
    first, second = ({"OFFSET": 1.0}, {"OFFSET": 2.0})
    for space in (first, second):
        exec("def f(x):\n    '''Text.'''\n    return x + OFFSET\n\n\ndef g(x):\n    return [f(y) for y in x]", space)
    again = {}
    exec("OFFSET = 1.0\n\n\ndef f(x):\n    '''Text.'''\n    return x + OFFSET", again)
    assert fingerprint([first["f"]]) == fingerprint([again["f"]]) != fingerprint([second["f"]])
    assert fingerprint([first["g"]]) != fingerprint([second["g"]])         # inside of what it calls
    assert len(fingerprint([solve_linear_2])) == 16 and fingerprint([solve_linear_2]) != fingerprint([solve_linear_n])


def test_the_fingerprint_is_the_same_in_every_process():
    code = ("from asympkit.runtime.compiled import fingerprint; from asympkit.runtime.linear import solve_linear_n\n"
            "print(fingerprint([solve_linear_n]))")
    found = {subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed},
                            capture_output=True, text=True, check=True).stdout.strip() for seed in ("0", "31")}
    assert found == {fingerprint([solve_linear_n])}


def test_threads_may_ask_at_once(tmp_path, monkeypatch):
    (tmp_path / "asked_at_once.py").write_text(
        "from asympkit.runtime.compiled import compiled\n\n\n@compiled\ndef double(x):\n    return 2.0 * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    import asked_at_once

    front, found = asked_at_once.double, []
    threads = [threading.Thread(target=lambda k=k: found.append(front(float(k)))) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(found) == [0.0, 2.0, 4.0, 6.0]
    assert asked_at_once.double is not front and front(5.0) == asked_at_once.double(5.0) == 10.0
