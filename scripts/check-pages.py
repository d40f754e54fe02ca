#!/usr/bin/env python3
"""Checks the project's pages: every *.md that git lists, outside vectors/.

Four things are checked, and each failure is printed as `file:line: what`:

- a relative link names a file or folder of the tree;
- the anchor of a link, `#section` or `page.md#section`, is a heading of its page;
- a path in backticks, such as `crates/rns/src/base.rs`, exists. Pages may write paths relative to one of the folders
  in ROOTS, as `rns/src/base.rs`;
- a target that a page names, as in `make test`, is in the Makefile.

Python 3.11 and its standard library suffice. Exit status: 0 if all is well, 1 otherwise.
"""

import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

TREE = Path(__file__).resolve().parents[1]

# Folders that paths in backticks may be relative to, besides the page's own folder.
ROOTS = ["", "crates", "crates/engine/src", "crates/program/src", "crates/pk/src", "crates/pk/src/ec", "hardware"]

# Folders below them with which a path of the tree begins. Other texts with a slash in backticks are no paths.
FIRST_PARTS = {
    ".ci", ".github", "api", "bench", "crates", "docs", "fuzz", "hardware", "python", "scripts", "tests", "vectors",
    "BENCHMARKS", "SOUNDNESS",
    "capi", "cli", "engine", "explorer", "explorer-page", "field", "papers", "peers", "pk", "program", "rns",
    "limbs", "residues", "testing",
}

# Paths that are no files of the tree, with the reason.
EXCEPTIONS = {
    "python/dist": "built by `make wheel`",
    "hardware/.venv": "made by hardware/setup.sh",
}

# A text in backticks that may be a path, with braces for several and stars for any.
PATH = re.compile(r"^[A-Za-z0-9_.{},*-]+(/[A-Za-z0-9_.{},*-]+)+/?$")
LINK = re.compile(
    r"(?<!\\)!?\[(?:[^\[\]]|\[[^\]]*\])*\]"
    r"\(<?([^()\s<>]+(?:\([^()\s]*\)[^()\s<>]*)?)>?(?:\s+\"[^\"]*\")?\)"
)
CODE = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)")
MAKE = re.compile(r"\bmake((?:\s+(?:-C\s+\S+|[A-Za-z_]+=\S*|[a-z][a-z0-9-]*))+)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:")


def pages() -> list[Path]:
    """The pages that git lists, new ones included; each once, by the path that is no symbolic link."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=TREE, check=True, capture_output=True, text=True,
    ).stdout
    found = [TREE / name for name in listed.split("\0") if name and not name.startswith(("vectors/", "target/"))]
    return sorted(page for page in found if page.is_file() and page.resolve() == page)


def targets() -> set[str]:
    """The targets of the Makefile."""
    lines = (TREE / "Makefile").read_text(encoding="utf-8").splitlines()
    heads = (re.match(r"^([A-Za-z][A-Za-z0-9 _-]*):(?!=)", line) for line in lines)
    return {name for head in heads if head for name in head[1].split()}


def anchor(heading: str) -> str:
    """The anchor of a heading, by the rule of GitHub: small letters, no punctuation, hyphens for spaces."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    kept = (c for c in text.lower() if c in " -_" or unicodedata.category(c)[0] in "LN")
    return "".join(kept).replace(" ", "-")


def prose(page: Path) -> Iterator[tuple[int, str, bool]]:
    """The lines of a page with their numbers, and whether each is inside a block of code.

    A line of text is joined with the next ones of its paragraph, so that links over several lines are found.
    """
    fence = ""
    paragraph: list[str] = []
    first = 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r"^\s*(`{3,}|~{3,})", line)
        ends = bool(mark) or bool(fence) or not line.strip() or line.lstrip().startswith(("|", "#", "- ", "* "))
        if ends and paragraph:
            yield first, "\n".join(paragraph), False
            paragraph = []
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif fence:
            yield number, line, True
        elif line.strip():
            if not paragraph:
                first = number
            paragraph.append(line)
    if paragraph:
        yield first, "\n".join(paragraph), False


def anchors(page: Path, known: dict[Path, set[str]]) -> set[str]:
    """The anchors of a page's headings; a repeated heading gets a number."""
    if page not in known:
        found: set[str] = set()
        for _, text, is_code in prose(page):
            for line in [] if is_code else text.split("\n"):
                if head := HEADING.match(line):
                    name, count = anchor(head[2]), 0
                    while (unique := f"{name}-{count}" if count else name) in found:
                        count += 1
                    found.add(unique)
        known[page] = found
    return known[page]


def expanded(path: str) -> list[str]:
    """The paths that `a/{b,c}.rs` stands for."""
    if braces := re.search(r"\{([^{}]*)\}", path):
        before, after = path[: braces.start()], path[braces.end():]
        return [whole for part in braces[1].split(",") for whole in expanded(before + part + after)]
    return [path]


def exists(path: str, page: Path) -> bool:
    """Whether a path of a page is in the tree, relative to the page's folder or to one of ROOTS."""
    for root in [page.parent, *(TREE / root for root in ROOTS)]:
        if "*" in path:
            if next(root.glob(path.rstrip("/")), None):
                return True
        elif (root / path).exists():
            return True
    return False


def line_of(first: int, text: str, offset: int) -> int:
    """The number of the line of a place in a text that begins at line `first`."""
    return first + text.count("\n", 0, offset)


def failures(page: Path, known_targets: set[str], known: dict[Path, set[str]]) -> Iterator[tuple[int, str]]:
    """What is wrong on a page, with line numbers."""
    for first, text, is_code in prose(page):
        codes = [] if is_code else list(CODE.finditer(text))
        if not is_code:
            # Links, without those inside of code.
            blank = list(text)
            for code in codes:
                blank[code.start():code.end()] = ["\n" if c == "\n" else "x" for c in code[0]]
            for link in LINK.finditer("".join(blank)):
                target = text[link.start(1):link.end(1)]
                if SCHEME.match(target):
                    continue
                name, _, fragment = target.partition("#")
                place = (page.parent / unquote(name)).resolve() if name else page
                number = line_of(first, text, link.start(1))
                if not place.exists():
                    yield number, f"no such file: {target}"
                elif fragment and place.suffix == ".md" and fragment not in anchors(place, known):
                    yield number, f"no such heading: {target}"
        for code in codes:
            inner = " ".join(code[2].split())
            if not PATH.match(inner) or inner.rstrip("/") in EXCEPTIONS:
                continue
            if inner.split("/")[0] not in FIRST_PARTS:
                continue
            for path in expanded(inner):
                if not exists(path, page):
                    yield line_of(first, text, code.start()), f"no such path: {path}"
        # Targets: in code only, for "make" is an English word.
        for start, part in [(0, text)] if is_code else [(code.start(2), code[2]) for code in codes]:
            for command in MAKE.finditer(part.split("#")[0]):
                words = re.sub(r"-C\s+\S+", "", command[1]).split()
                for word in words:
                    if "=" not in word and word not in known_targets:
                        yield line_of(first, text, start + command.start()), f"no such make target: {word}"


def main() -> int:
    known: dict[Path, set[str]] = {}
    known_targets = targets()
    checked = pages()
    found = 0
    for page in checked:
        for number, what in failures(page, known_targets, known):
            print(f"{page.relative_to(TREE)}:{number}: {what}")
            found += 1
    print(f"{len(checked)} pages, {found} failures" if found else f"{len(checked)} pages: every link and path is there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
