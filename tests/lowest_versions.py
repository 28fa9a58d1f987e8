"""Make an environment of exactly the lowest versions that setup.cfg declares, and run the main job and golden records.

``python tests/lowest_versions.py FOLDER``: the environment is made in FOLDER, which must not exist yet or hold one that
was made so.  The exit status is that of the first step that fails, else 0.
"""

import argparse
import configparser
import os
import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: linters, which judge the text and run nothing of it
LINTERS = ("import-linter", "mypy", "ruff")
#: what modules for other programs import, and the package never: it needs a later scipy
BESIDE = ("jax",)


def lowest():
    """Return the lowest declared version of everything that is required, of extras too but the site's, by name."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    extras = config["options.extras_require"]
    lists = [config["options"]["install_requires"], *(extras[name] for name in extras if name != "docs")]
    found = dict(bound(line) for lines in lists for line in lines.splitlines() if line.strip())
    return {name: version for name, version in found.items() if name not in (*LINTERS, *BESIDE)}


def bound(line):
    """Return the name, with its extras, and the lower bound of a requirement."""
    return re.fullmatch(r"\s*([\w.-]+(?:\[\w+\])?)\s*>=\s*([\d.]+)\s*", line).groups()


def main_job():
    """Return the arguments of the first command of README, from ``asympkit`` on."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    return shlex.split(re.search(r"\.venv/bin/asympkit (check .*)", text)[1])


def main(argv=None):
    """Install the lowest versions and carry out what has to work with them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="of the environment")
    parser.add_argument("tests", nargs="*", type=Path, help="run these too")
    options = parser.parse_args(argv)
    folder = options.folder.resolve()
    requirements = [f"{name}=={version}" for name, version in lowest().items()]
    print("lowest versions:", *requirements)
    if not (folder / "pyvenv.cfg").exists():
        venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    settings = {**os.environ, "ASYMPKIT_CACHE_DIR": str(folder / "cache"), "OPENBLAS_NUM_THREADS": "1"}
    steps = ([python, "-m", "pip", "install", "-q", "--only-binary", ":all:", *requirements],
             [python, "-m", "pip", "install", "-q", "--no-deps", "-e", ROOT],
             [python, "-m", "pip", "check"],
             [programs / "asympkit", *main_job()],
             [python, "-m", "pytest", "-q", "-n", "2", ROOT / "tests" / "golden",
              *(t.resolve() for t in options.tests)])
    for step in steps:
        print("$", *step, flush=True)
        status = subprocess.run(list(map(str, step)), cwd=folder, env=settings).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
