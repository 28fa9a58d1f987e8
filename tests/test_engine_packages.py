"""Engine packages know no theory, and simulators know none either."""

import ast
from pathlib import Path

import asympkit
from asympkit.notation import CONVENTIONAL
from asympkit.theories import registry

ROOT = Path(asympkit.__file__).parent
NAMES = set(registry._SHIPPED) | {n.replace("-", "_") for n in registry._SHIPPED}
NAMES |= {"OneStep", "SpikedFeatures", "NonlinearSpikes", "one step", "spiked features", "nonlinear spikes"}


#: a theory of matrices has no command line, and is called like the method
FOLDERS = NAMES | {"ridge"}


def is_theory(path):
    """Whether a module belongs to one theory, or to its finite model."""
    room, *rest = path.relative_to(ROOT).parts
    return (room == "theories" and rest[0] in FOLDERS
            or room == "simulate" and rest[0] not in ("repeats.py", "simulation.py", "__init__.py"))


ENGINE = sorted(p for p in ROOT.rglob("*.py") if not is_theory(p) and p.relative_to(ROOT).parts[0] != "generated"
                and p.name != "__init__.py" and p.stem != "registry")
#: letters that mean other things elsewhere: a count, an open file, a matrix, the gamma function, a vector
SHARED_NAMES = {"n", "r", "c", "gamma", "psi"}


def parameters():
    """Names of users' arguments that mean nothing outside of a theory."""
    found = {p.name for name in registry._SHIPPED for p in registry.find(name)[1].declared}
    return found - SHARED_NAMES


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (node.module or "").split(".")
            yield from (a.name for a in node.names)
        elif isinstance(node, ast.Import):
            yield from (part for a in node.names for part in a.name.split("."))


def texts(tree):
    """String constants that are no documentation."""
    documents = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)}
    return {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
            and id(n) not in documents}


def test_engine_packages_and_simulators_know_no_theory():
    wrong, known = {}, NAMES | parameters()
    for path in ENGINE:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        # the spelling of symbols, and what other conventions do to them, for everyone
        spelt = CONVENTIONAL.keys() if path.stem == "notation" else known if path.stem == "conventions" else set()
        wrong[path] = {name for name in imported(tree) if name in NAMES} | texts(tree) & known - spelt
    above = ("theories", "solve", "multiprecision", "certify", "program", "equations", "asympkit")
    for path in (ROOT / "simulate").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        wrong[path] = wrong.get(path, set()) | {m for m in modules if m.split(".")[0] in above}
    assert {path: found for path, found in wrong.items() if found} == {}


def test_the_walk_sees_what_it_is_for():
    tree = ast.parse("from ..theories.one_step import x\nif name == 'alpha0' or name == 'one-step': pass\n")
    assert "one_step" in imported(tree) and texts(tree) == {"alpha0", "one-step"}
    assert {"alpha0", "lam"} <= parameters() and len(ENGINE) > 150 and any(p.stem == "repeats" for p in ENGINE)
