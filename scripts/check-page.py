"""What check-page.sh runs: the page in a headless Chromium, in several settings."""

import os
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

# The name of a picture, the width and height of the window, and the color scheme.
SETTINGS = [
    ("light", 1200, 900, "light"),
    ("dark", 1200, 900, "dark"),
    ("phone-light", 390, 844, "light"),
    ("phone-dark", 390, 844, "dark"),
]

# The numbers of the table of verdicts that are not in the window, or whose kind of verdict is not.
HIDDEN = """width => {
  const inside = element => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.left >= 0 && box.right <= width;
  };
  const heads = [...document.querySelectorAll("table.verdicts thead th .badge")];
  const rows = [...document.querySelectorAll("table.verdicts tbody tr, table.verdicts tfoot tr")];
  const cells = rows.flatMap(row => [...row.querySelectorAll("td")].map((cell, index) => [cell, index]));
  const seen = ([cell, index]) =>
    inside(cell) && (inside(heads[index]) || inside(cell.querySelector(".badge")));
  return cells.length === 0 ? "all" : cells.filter(cell => !seen(cell)).length;
}"""


def main():
    address = Path(os.environ["PAGE"]).as_uri()
    pictures = Path(os.environ["PICTURES"])
    failures = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ["BROWSER"], args=["--no-sandbox"]
        )
        for name, width, height, scheme in SETTINGS:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            page = context.new_page()
            page.on(
                "console",
                lambda message, name=name: failures.append(f"{name}: {message.type}: {message.text}"),
            )
            page.on("pageerror", lambda error, name=name: failures.append(f"{name}: {error}"))
            page.on(
                "request",
                lambda request, name=name: request.url == address
                or failures.append(f"{name}: a request to {request.url}"),
            )
            page.goto(address)
            content = page.evaluate("document.documentElement.scrollWidth")
            if content > width:
                failures.append(f"{name}: the page is {content} pixels wide in a window of {width}")
            hidden = page.evaluate(HIDDEN, width)
            if hidden:
                failures.append(f"{name}: verdicts that cannot be read without scrolling: {hidden}")
            if page.locator("svg.plot").count() == 0 or page.locator("table").count() == 0:
                failures.append(f"{name}: plots or tables are missing")
            page.screenshot(path=pictures / f"{name}.png", full_page=True)
            if name == "light":
                page.pdf(path=pictures / "printed.pdf", format="A4", print_background=False)
            context.close()
        browser.close()
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(SETTINGS)} settings, {len(failures)} failures; pictures are in {pictures}")
    sys.exit(bool(failures))


main()
