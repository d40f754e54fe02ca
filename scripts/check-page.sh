#!/usr/bin/env bash
# Opens the page of `sunzi papers` from disk in a headless Chromium: in light and dark, at the width of a
# desk and of a phone, and as it would be printed. It fails on errors in the console, on any request but
# for the page itself, on a page that is wider than its window, and on numbers of verdicts that are outside of it.
# Pictures go to a folder, to be looked at.
#
#   scripts/check-page.sh [PAGE [FOLDER]]     without PAGE, a quick report is made first
#
# Needs Python and Chromium, which it installs on Debian if it may; Playwright comes into a temporary
# environment.
set -euo pipefail
page=${1:-}
pictures=${2:-target/check-page}
mkdir -p "$pictures"

browser=$("$(dirname "$0")/browser.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check playwright

if [ -z "$page" ]; then
    page=$work/papers.html
    cargo run --release --locked --package sunzi-cli -- papers --quick --html "$page" >"$work/report.txt"
fi
BROWSER=$browser PAGE=$(realpath "$page") PICTURES=$pictures \
    "$work/venv/bin/python" "$(dirname "$0")/check-page.py"
