"""The web site's configuration: Sphinx with MyST, which reads Markdown as forges do, and the theme Furo.

`make site` (scripts/site.sh) calls it with the folder of pages that scripts/site-pages.py has gathered.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

TREE = Path(__file__).resolve().parents[1]

project = "Sunzi"
release = re.search(r'^version = "(.*)"$', (TREE / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]
version = release
copyright = "the authors of Sunzi; MIT or Apache 2.0, at your option"

extensions = ["myst_parser", "sphinx_design"]
root_doc = "index"
# Pages are written for forges: headings have anchors, and dashes and quotes are as they were typed.
myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence"]
smartquotes = False
highlight_language = "none"
python_maximum_signature_line_length = 80
c_maximum_signature_line_length = 80
maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"Sunzi {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_permalinks_icon = "#"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b5f8a",
        "color-brand-content": "#0b5f8a",
        "color-brand-visited": "#5b4a9c",
    },
    "dark_css_variables": {
        "color-brand-primary": "#6cbcf0",
        "color-brand-content": "#6cbcf0",
        "color-brand-visited": "#b7a3f5",
    },
}

# Programs with which a line of a block begins that is for a shell; such blocks say no language.
SHELL = {
    "cargo",
    "cc",
    "cd",
    "curl",
    "docker",
    "echo",
    "export",
    "git",
    "install",
    "make",
    "openssl",
    "pip",
    "printf",
    "rustup",
    "sh",
    "ssh-keygen",
    "sudo",
    "sunzi",
    "target/quick/sunzi",
}


class AsOnAForge(SphinxTransform):
    """What differs between a forge and the site: links to files of the tree lead to their pages here, blocks of code get
    their language, and plots come in one picture for light pages and one for dark ones."""

    default_priority = 10

    def apply(self) -> None:
        for link in list(self.document.findall(addnodes.download_reference)):
            path, _ = self.env.relfn2path(link["reftarget"], self.env.docname)
            if path in self.env.found_docs:
                page = addnodes.pending_xref(
                    "",
                    *link.children,
                    refdomain="std",
                    reftype="doc",
                    reftarget=f"/{path}",
                    refexplicit=True,
                    refdoc=self.env.docname,
                    refwarn=True,
                )
                link.replace_self(page)
        for block in self.document.findall(nodes.literal_block):
            if block.get("language") == "none":
                words = {line.split()[0] for line in block.astext().splitlines() if line.strip()}
                block["language"] = "console" if "$" in words else "sh" if words & SHELL else "none"
        for image in list(self.document.findall(nodes.image)):
            if image["uri"].startswith("plots/"):
                light, dark = image.deepcopy(), image.deepcopy()
                dark["uri"] = dark["uri"].replace(".svg", "-dark.svg")
                light["classes"] += ["plot", "only-light"]
                dark["classes"] += ["plot", "only-dark"]
                image.replace_self([light, dark])


def setup(app: Sphinx) -> None:
    """Adds the transformation."""
    app.add_transform(AsOnAForge)
