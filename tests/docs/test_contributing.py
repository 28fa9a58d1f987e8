"""Every page for those who add something is carried out, in a copy of the tree, and what it promises is there."""

from pathlib import Path

import pytest
from helpers.pages import ROOT, Block, apply, blocks, copy_tree, run
from helpers.tiers import slow_but

PAGES = {p.stem: p for p in sorted((ROOT / "docs" / "contributing").glob("*.md"))}
#: a page goes on where another one ends
AFTER = {"package_theory": "theory", "derivation": "package_theory"}


def steps(name):
    """The blocks of a page, and before them the changes of the pages that it goes on from."""
    before = [b for b in steps(AFTER[name]) if b.is_edit or b.language == "sh" and "python" not in b.text] \
        if name in AFTER else []
    return [*before, *blocks(PAGES[name].read_text(encoding="utf-8"))]


def is_long(block):
    """Whether a block walks tests of the package, or writes all generated modules."""
    return any(word in block.text for word in ("-m pytest", "-m asympkit.generated"))


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A copy that no page has changed."""
    return copy_tree(tmp_path_factory.mktemp("original"))


@pytest.mark.parametrize("name", PAGES)
def test_the_edits_of_a_page_fit_the_tree(name, tmp_path):
    root, edits = copy_tree(tmp_path), 0
    for block in steps(name):
        if block.is_edit:
            apply(block, root)
            edits += 1
        elif block.language == "sh" and "python" not in block.text:
            run(block, root)
    assert edits


@pytest.mark.parametrize("name", slow_but(PAGES, "function", "node", "theory"))
def test_a_page_is_carried_out(name, tmp_path):
    root, done = copy_tree(tmp_path), 0
    for block in steps(name):
        if block.is_edit:
            apply(block, root)
        elif not is_long(block):
            run(block, root)
            done += 1
    assert done


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_tests_of_the_package_walk_what_a_page_adds(name, tmp_path):
    root, said = copy_tree(tmp_path), []
    for block in steps(name):
        if block.is_edit:
            apply(block, root)
        elif block.language == "sh":
            said.append(run(block, root))
    walks = any(" -m pytest" in b.text for b in steps(name))
    assert (" passed" in "".join(said)) == walks


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_short(name):
    assert len(PAGES[name].read_text(encoding="utf-8").splitlines()) <= 40


def test_copies_and_edits(tmp_path):
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert all(f"docs/contributing/{p.name}" in guide for p in PAGES.values()) and len(PAGES) == 8
    (tmp_path / "old").write_text("a\n    b,\nc\n")
    apply(Block("python", "# in old, after: b,\nnew\n# in old, instead of: c\nd\ne\n# file: made/x.py\ny\n"), tmp_path)
    assert (tmp_path / "old").read_text() == "a\n    b,\nnew\nd\ne\n"
    assert (tmp_path / "made" / "x.py").read_text() == "y\n"


def test_the_copy_is_what_is_run(original):
    code = ("import asympkit, asympkit.derivations as d, asympkit.generated as g\n"
            "print(asympkit.__file__, d.__file__, g.__file__)")
    assert all(Path(name).is_relative_to(original) for name in run(Block("python", code), original).split())
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run(Block("python", "1/0\n"), original)
