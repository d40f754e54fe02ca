#!/usr/bin/env python3
"""Gathers the pages of the web site in a folder that Sphinx reads: `scripts/site-pages.py FOLDER`.

- Every page that scripts/check-pages.py checks, but for templates of a forge and notes on test data, at its path.
- Pictures that pages show, and a page for each other file of the tree that one links to, with the file's text.
- The pages of `site/`, at the root: a link there to `../docs/jobs.md` becomes one to `docs/jobs.md`.
- Below each README with pages beside it, the list of these, from which the site has its navigation. The lists of
  `site/index.md` come first.
"""

import importlib.util
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

TREE = Path(__file__).resolve().parents[1]
LEFT_OUT = (".github/", "crates/pk/tests/", "site/")
PICTURES = {".svg", ".png"}
# Pages of scripts/site-reference.py, with the page below which they come.
REFERENCES = {"python/README.md": ["python"], "crates/capi/README.md": ["c", "c-manual"]}
LANGUAGES = {
    ".h": "c",
    ".c": "c",
    ".cpp": "c++",
    ".rs": "rust",
    ".py": "python",
    ".sh": "sh",
    ".toml": "toml",
    ".json": "json",
}

spec = importlib.util.spec_from_file_location("check_pages", TREE / "scripts/check-pages.py")
check_pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_pages)


def write(folder: Path, name: str, text: str) -> None:
    """Writes a page."""
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def linked(page: Path) -> list[Path]:
    """The files of the tree that a page links to."""
    found = []
    for _, text, is_code in check_pages.prose(page):
        for link in [] if is_code else check_pages.LINK.finditer(text):
            name = unquote(link[1].partition("#")[0])
            if name and not check_pages.SCHEME.match(name):
                place = (page.parent / name).resolve()
                if place.exists() and place.is_relative_to(TREE):
                    found.append(place)
    return found


def source_page(file: Path) -> str:
    """A page that shows a file."""
    name = file.relative_to(TREE)
    language = LANGUAGES.get(file.suffix, "text")
    return (
        f"---\norphan: true\n---\n\n# `{name}`\n\nA file of the source tree, as it was when the site was made.\n\n"
        f"```{{literalinclude}} {file.name}\n:language: {language}\n:linenos:\n```\n"
    )


def contents(page: Path, pages: set[Path], elsewhere: set[str]) -> str:
    """The pages beside a README and the READMEs one folder below, in the order of its links."""
    if page.name != "README.md":
        return ""
    beside = {other for other in pages if other.parent == page.parent and other != page}
    beside |= {other for other in pages if other.name == "README.md" and other.parent.parent == page.parent}
    # At the root and in `crates` there are pages on different things, each of which has its place in site/index.md.
    beside = {other for other in beside if str(other.relative_to(TREE).with_suffix("")) not in elsewhere}
    first = [other for other in dict.fromkeys(linked(page)) if other in beside]
    names = [f"/reference/{name}" for name in REFERENCES.get(str(page.relative_to(TREE)), [])]
    names += [str(other.relative_to(page.parent).with_suffix("")) for other in first + sorted(beside - set(first))]
    return "\n```{toctree}\n:hidden:\n\n" + "".join(f"{name}\n" for name in names) + "```\n" if names else ""


def main() -> None:
    folder = Path(sys.argv[1])
    pages = {page for page in check_pages.pages() if not str(page.relative_to(TREE)).startswith(LEFT_OUT)}
    pages.add(TREE / "vectors/README.md")
    own = sorted((TREE / "site").glob("*.md"))
    listed = re.findall(r"^(?:.*<)?/([\w/.-]+?)>?$", (TREE / "site/index.md").read_text(encoding="utf-8"), re.M)

    files = {file for page in [*pages, *own] for file in linked(page)} - pages - set(own)
    for page in pages:
        write(
            folder, str(page.relative_to(TREE)), page.read_text(encoding="utf-8") + contents(page, pages, set(listed))
        )
    for page in own:
        write(
            folder,
            page.name,
            page.read_text(encoding="utf-8").replace("](../", "](").replace("{include} ../", "{include} "),
        )
    for file in files:
        if file.is_dir():
            sys.exit(f"a page links to the folder {file.relative_to(TREE)}: link to one of its files")
        name = str(file.relative_to(TREE))
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder / name)
        if file.suffix not in PICTURES:
            write(folder, f"{name}.md", source_page(file))
    print(f"{len(pages) + len(own)} pages and {len(files)} files that they link to")


main()
