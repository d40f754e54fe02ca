#!/usr/bin/env python3
"""Copies rustdoc's pages into the web site and mends their links: `scripts/site-rustdoc.py RUSTDOC SITE`.

Derivations are pages of `docs/` that the engine's modules include. Their links to each other are to Markdown files, and
become links to the site's pages. rustdoc itself links to two pages that it does not write: a front page of all crates, for
which the site's page on Rust stands in, and the list of all items in a module that is a crate elsewhere.
"""

import os
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

TREE = Path(__file__).resolve().parents[1]
FOLDERS = ["docs/engine", "docs", "crates/engine", "crates/pk", "crates/program", "crates/field", "crates/rns"]
FRONT = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Rust</title>'
    '<meta http-equiv="refresh" content="0; url=../rust.html"></head><body><a href="../rust.html">Rust</a></body></html>\n'
)


def identifier(anchor: str, page: Path) -> str:
    """The site's anchor for a heading that has this one on a forge."""
    if f'id="{anchor}"' in page.read_text(encoding="utf-8"):
        return anchor
    return re.sub(r"^[-0-9]+", "", re.sub(r"[^a-z0-9]+", "-", anchor)).strip("-")


def mended(match: re.Match, page: Path, site: Path) -> str:
    """A link of a page, with another address if there is no file at its own."""
    name, _, anchor = match[1].partition("#")
    if not name or re.match(r"[a-z]+:", name) or (page.parent / unquote(name)).exists():
        return match[0]
    if name == "all.html" and (page.parent.parent / name).exists():
        return f'href="../{name}"'
    for folder in FOLDERS if name.endswith(".md") else []:
        source = (TREE / folder / name).resolve()
        target = site / source.relative_to(TREE).with_suffix(".html") if source.is_file() else None
        if target and target.is_file():
            address = os.path.relpath(target, page.parent)
            return f'href="{address}#{identifier(anchor, target)}"' if anchor else f'href="{address}"'
    return match[0]


def main() -> None:
    rustdoc, site = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    copied = site / "rustdoc"
    shutil.copytree(rustdoc, copied)
    for page in copied.rglob("*.html"):
        # Pages of sources are many, and have no such links.
        if not page.is_relative_to(copied / "src"):
            text = page.read_text(encoding="utf-8")
            new = re.sub(r'href="([^"]*)"', lambda match, page=page: mended(match, page, site), text)
            if new != text:
                page.write_text(new, encoding="utf-8")
    (copied / "index.html").write_text(FRONT, encoding="utf-8")


main()
