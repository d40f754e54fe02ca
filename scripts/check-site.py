#!/usr/bin/env python3
"""Checks the web site in a folder: `scripts/check-site.py FOLDER`, as `make check-site` does.

In the files: every link, picture, script and style sheet is there, with the anchor that a link names, and nothing is
loaded from elsewhere. Of rustdoc's pages the same, but for the lines of source files, which a script finds.

In a headless Chromium (BROWSER), with the pages opened from disk: every page at the width of a desk in light and of a
phone in dark, and some in all four ways with a picture (in PICTURES). Errors in the console, failed requests, requests to
elsewhere, and pages that are wider than their window or scroll to the side, are failures. Last, a search for `Montgomery` must find pages, and its first
result must open. rustdoc's front pages, the explorer and the report are opened, too. Needs playwright.
"""

import os
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}
PICTURED = [
    "index.html",
    "start.html",
    "benchmarks.html",
    "BENCHMARKS/processor-classes.html",
    "docs/curves.html",
    "docs/recipes.html",
    "reference/sunzi.html",
    "reference/c.html",
    "reference/command.html",
    "papers.html",
]
# Attributes by which a page loads what it needs, or leads to other pages.
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data")}
WORD = "Montgomery"
# What is wider than the window, or scrolls to the side although it is no table and no block of code.
WIDER = """width => {
  const content = document.documentElement.scrollWidth;
  const scrolls = [...document.querySelectorAll("body *")].filter(e =>
    e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX) &&
    !e.matches(".table-wrapper, .scroll, pre, .highlight, .highlight *, div.literal-block-wrapper, dt.sig"));
  if (content <= width && scrolls.length === 0) return null;
  const wide = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width + 1);
  const element = scrolls[0] || wide[0];
  return `${content} pixels wide in a window of ${width}: ${element ? element.outerHTML.slice(0, 120) : ""}`;
}"""


class Parsed(HTMLParser):
    """The anchors of a page, what it loads, and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)
            elif value and tag == "a" and name == "href":
                self.links.append(value)
            elif value and (tag, name) in LOADED:
                # Not loaded: where else the page is, and who has written it.
                if not (tag == "link" and dict(attributes).get("rel") in ("canonical", "author", "license")):
                    self.loaded.append(value)


def links(site: Path) -> Iterator[str]:
    """What is wrong with links and with what pages load."""
    parsed = {page: Parsed(page.read_text(encoding="utf-8")) for page in sorted(site.rglob("*.html"))}
    for page, content in parsed.items():
        shown = page.relative_to(site)
        for address in content.loaded:
            if urlsplit(address).scheme not in ("", "data"):
                yield f"{shown}: is to load {address}"
        for address in content.links + content.loaded:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            place = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not place.is_relative_to(site) or not place.is_file():
                yield f"{shown}: no such file: {address}"
            elif parts.fragment and place in parsed:
                # rustdoc has anchors with escapes in them.
                there = {parts.fragment, unquote(parts.fragment)} & parsed[place].anchors
                lines = page.is_relative_to(site / "rustdoc") and re.fullmatch(r"\d+(-\d+)?", parts.fragment)
                if not there and not lines:
                    yield f"{shown}: no such anchor: {address}"
    for sheet in site.rglob("*.css"):
        for address in re.findall(r"url\(['\"]?(https?:[^)]*)\)", sheet.read_text(encoding="utf-8")):
            yield f"{sheet.relative_to(site)}: is to load {address}"


def opened(browser: Browser, site: Path, address: str, width: str, scheme: str, failures: list[str]) -> Page:
    """A page in a window of its own."""
    name = f"{address}, {width}, {scheme}"
    context = browser.new_context(viewport={"width": WIDTHS[width][0], "height": WIDTHS[width][1]}, color_scheme=scheme)
    page = context.new_page()
    page.on(
        "console",
        lambda message: failures.append(f"{name}: {message.text}") if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: failures.append(f"{name}: {error}"))
    page.on("requestfailed", lambda request: failures.append(f"{name}: failed: {request.url}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((site.as_uri(), "data:", "blob:"))
            else failures.append(f"{name}: a request to {request.url}")
        ),
    )
    page.goto((site / address).as_uri(), wait_until="load")
    return page


def look(
    browser: Browser, site: Path, address: str, width: str, scheme: str, failures: list[str], pictures: Path
) -> None:
    """Opens a page once, and takes a picture if it is one of these."""
    page = opened(browser, site, address, width, scheme, failures)
    if wider := page.evaluate(WIDER, WIDTHS[width][0]):
        failures.append(f"{address}, {width}, {scheme}: {wider}")
    if address in PICTURED:
        name = address.removesuffix(".html").replace("/", "-")
        page.screenshot(path=pictures / f"{name}-{width}-{scheme}.png")
    page.context.close()


def search(browser: Browser, site: Path, failures: list[str], pictures: Path) -> None:
    """Searches as a reader does: from the front page."""
    page = opened(browser, site, "index.html", "desk", "light", failures)
    page.fill("input[name=q]", WORD)
    page.press("input[name=q]", "Enter")
    try:
        page.wait_for_selector("ul.search li a", timeout=20000)
        page.wait_for_function("document.querySelectorAll('ul.search li a').length > 5", timeout=20000)
        page.screenshot(path=pictures / "search.png")
        page.click("ul.search li a >> nth=0")
        page.wait_for_load_state()
        if WORD.lower() not in page.inner_text("article").lower():
            failures.append(f"the first result of a search for {WORD} does not have the word: {page.url}")
    except Exception as error:  # noqa: BLE001 # Whatever it is, it is a failure.
        failures.append(f"a search for {WORD} finds nothing: {error}")
    page.context.close()


def main() -> None:
    site = Path(sys.argv[1]).resolve()
    pictures = Path(os.environ["PICTURES"])
    pictures.mkdir(parents=True, exist_ok=True)
    failures = list(links(site))
    pages = sorted(str(page.relative_to(site)) for page in site.rglob("*.html"))
    others = [page for page in pages if page.startswith(("rustdoc/", "explorer/")) or page == "report.html"]
    own = [page for page in pages if page not in others]
    fronts = [
        page for page in others if not page.startswith("rustdoc/") or re.fullmatch(r"rustdoc/\w+/index\.html", page)
    ]
    views = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["BROWSER"], args=["--no-sandbox"])
        for address in own + fronts:
            ways = [("desk", "light"), ("phone", "dark")]
            if address in PICTURED:
                ways += [("desk", "dark"), ("phone", "light")]
            for width, scheme in ways:
                look(browser, site, address, width, scheme, failures, pictures)
                views += 1
        search(browser, site, failures, pictures)
        browser.close()
    for failure in failures:
        print(failure, file=sys.stderr)
    missing = [page for page in PICTURED if page not in own]
    if missing:
        print(f"not on the site: {', '.join(missing)}", file=sys.stderr)
    print(f"{len(pages)} pages, {views} views, {len(failures) + len(missing)} failures; pictures are in {pictures}")
    sys.exit(bool(failures or missing))


main()
