#!/usr/bin/env bash
# Makes the explorer page in target/explorer; with --check, opens it in Chromium and runs
# tests/explorer/check.mjs. The check needs Node.js with npm, and Chromium; as root on Debian they are
# installed if they are missing, and elsewhere the check says that it was skipped. Another Chromium, or
# Chrome, can be named in CHROMIUM.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
wasm=wasm32-unknown-unknown
if [ ! -d "$(rustc --print target-libdir --target "$wasm")" ]; then
    rustup target add "$wasm"
fi
cargo run --locked --package sunzi-explorer-page --features page -- "$target/explorer"
if [ "${1:-}" != --check ]; then
    exit
fi

browser() {
    if [ -n "${CHROMIUM:-}" ]; then
        echo "$CHROMIUM"
    else
        command -v chromium || command -v chromium-browser || command -v google-chrome
    fi
}
missing=()
for tool in node npm; do
    command -v "$tool" >/dev/null || missing+=("${tool/#node/nodejs}")
done
browser >/dev/null || missing+=(chromium)
if [ "${#missing[@]}" -gt 0 ]; then
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        apt-get update -q
        # The page asks for fonts by their kind only; a machine without any draws no text.
        apt-get install -qy --no-install-recommends fonts-dejavu-core "${missing[@]}"
    else
        echo "SKIPPED: the explorer page in a browser (missing: ${missing[*]})" |
            tee -a "$target/untested.txt"
        exit
    fi
fi

work=$target/explorer-check
mkdir -p "$work"
cp tests/explorer/check.mjs tests/explorer/package.json "$work/"
(cd "$work" && npm install --no-package-lock --no-audit --no-fund --loglevel=error)
node "$work/check.mjs" "$target/explorer/index.html" "$target/explorer-check" "$(browser)"
