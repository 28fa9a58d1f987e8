"""The site is built without a warning, its links lead somewhere, and its pictures have descriptions."""

import html.parser
import shutil
import subprocess
import sys
from urllib.parse import unquote, urlparse

import pytest
from helpers.pages import ROOT


class Page(html.parser.HTMLParser):
    """Collect links, anchors, and pictures without a description."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.bare = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.add(found.get("id"))
        self.links += [found[name] for name in ("href", "src") if tag in ("a", "img") and found.get(name)]
        if tag == "img" and "alt" not in found:
            self.bare.append(found)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the pages of the site by path, the gallery's examples not run."""
    pytest.importorskip("sphinx_gallery")
    pytest.importorskip("furo")
    root = tmp_path_factory.mktemp("site")
    for folder in ("docs", "examples"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "gallery", "api"))
    for page in ROOT.glob("*.md"):
        shutil.copy(page, root)
    command = "sphinx -q -W --keep-going -D plot_gallery=0 -c docs . built"
    done = subprocess.run([sys.executable, "-m", *command.split()], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted((root / "built").rglob("*.html"))}


@pytest.mark.slow
def test_links_and_pictures(site):
    assert len(site) > 100
    wrong = []
    for path, page in site.items():
        for link in page.links:
            url = urlparse(link)
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            if not url.scheme and not url.netloc and (
                    not target.exists() or url.fragment and url.fragment not in site[target].anchors):
                wrong.append((path.name, link))
    assert wrong == [] and [(path.name, page.bare) for path, page in site.items() if page.bare] == []
