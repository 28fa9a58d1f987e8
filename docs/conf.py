"""The site: ``sphinx-build -W --keep-going -c docs . build/site``, from the root of the repository.

``-t full`` draws the gallery at full size (hours), in place of ``--quick``; ``-D plot_gallery=0`` leaves it out.
"""

import re
import shutil
from pathlib import Path
from tempfile import mkdtemp

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging
from sphinx_gallery.scrapers import figure_rst, matplotlib_scraper

import asympkit

ROOT, FIGURES = Path(__file__).parents[1], Path(mkdtemp())

project, author, copyright = "asympkit", "The asympkit developers", "The asympkit developers"
version = release = asympkit.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "myst_parser", "numpydoc",
              "sphinx_gallery.gen_gallery", "sphinx_copybutton"]
root_doc, nitpicky = "README", True
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**"]
exclude_patterns = ["docs/templates", ".*", "build", "dist"]
templates_path = [str(ROOT / "docs" / "templates")]
suppress_warnings = ["config.cache"]                                # the gallery's settings hold functions

myst_heading_anchors = 3
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
# types of properties that are not public
nitpick_ignore_regex = [("py:class", r"asympkit\.(nodes\.Measure|theories\.(limits|declaration|simulator)\.\w+)")]
html_math_renderer = "mathml"
html_theme, html_title = "furo", "asympkit"
html_additional_pages = {"index": "home.html"}                      # the site begins with README
html_show_sourcelink = html_copy_source = False


def arguments_of(_, script):
    """Arguments of an example: a small version, whose figure goes to a file of its own."""
    return ["--out", str(FIGURES / Path(script["src_file"]).with_suffix(".png").name),
            *([] if tags.has("full") else ["--quick"])]             # noqa: F821, a name that Sphinx gives


def figures_of(block, variables, settings):
    """Show what an example drew with pyplot, or else saved where its option ``--out`` says."""
    drawn = matplotlib_scraper(block, variables, settings)
    saved = FIGURES / Path(variables["src_file"]).with_suffix(".png").name
    if saved.exists():
        shutil.move(saved, shown := next(variables["image_path_iterator"]))
        drawn += figure_rst([shown], settings["src_dir"])
    return drawn


sphinx_gallery_conf = {
    "examples_dirs": ["examples"], "gallery_dirs": ["docs/gallery"], "filename_pattern": r"\.py$",
    "ignore_pattern": r"real_network_study", "reset_argv": arguments_of, "image_scrapers": (figures_of,),
    "nested_sections": False, "write_computation_times": False, "download_all_examples": False, "show_signature": False,
    # a notebook has arguments of its own, and shows the figure that an example saves
    "first_notebook_cell": "%matplotlib inline\nimport sys\n\nsys.argv = ['', '--quick']  # ['']: at full size",
    "last_notebook_cell": "from pathlib import Path\n\nfrom IPython.display import Image, display\n\n"
                          "for figure in Path().glob('*.png'):\n    display(Image(figure))",
    "capture_repr": (), "remove_config_comments": True, "within_subsection_order": "FileNameSortKey"}


def adapt_markdown(app, docname, source):
    """Lead links to examples to their pages, and make contents of the lists of docs/index.md."""
    source[0] = lead_to_gallery(source[0])
    if docname == root_doc:
        text = lead_to_gallery((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
        for title, _, links in (section.partition("\n") for section in text.split("\n## ")[1:]):
            pages = [page if page.startswith("/") else f"/docs/{page}" for page in re.findall(r"\]\(([^)]+)\)", links)]
            source[0] += "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```", ""])


def lead_to_gallery(text):
    """Replace links to the folder of examples, and to its scripts, by links to the gallery."""
    text = re.sub(r"\]\((?:\.\./)*examples/?\)", "](/docs/gallery/index.rst)", text)
    return re.sub(r"\]\((?:\.\./)*examples/([\w/]+)\.py\)", r"](/docs/gallery/\1.rst)", text)


def write_math(writer, node):
    """Write a formula as MathML, which needs no script and no network."""
    # \frac12 would be read as 12 over what follows
    source = re.sub(r"(frac)(\d)(\d)", r"\1{\2}{\3}", node.astext())
    try:
        text = tex2mathml(source, as_block=isinstance(node, nodes.math_block))
    except MathError as wrong:
        logging.getLogger(__name__).warning("%s in %s", wrong, text := source, location=node)
    writer.body.append(f'<div style="overflow-x: auto">{text}</div>' if isinstance(node, nodes.math_block) else text)
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (write_math, None), (write_math, None))
    app.connect("source-read", adapt_markdown)
