#!/usr/bin/env bash
# Runs the tests of the crates without unsafe code, sunzi-rns and sunzi-field, in miri, which interprets them
# and finds undefined behaviour, theirs or that of the crates they use. Needs nightly Rust with its
# components miri and rust-src. Tests that take minutes there are in scripts/miri-skipped.txt, with the reason.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo +nightly miri --version >/dev/null 2>&1 || {
    echo "install miri first: rustup toolchain install nightly --component miri,rust-src" >&2
    exit 1
}
skip=()
while read -r name reason; do
    case $name in '' | '#'*) continue ;; esac
    echo "SKIPPED in miri: $name: $reason"
    skip+=(--skip "$name")
done <scripts/miri-skipped.txt
echo "SKIPPED in miri: examples in the documentation, and tests of other crates"

# Tests read the files of vectors/. Random tests run once for each property.
export MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=1
cargo +nightly miri test --locked --package sunzi-rns --package sunzi-field --lib --tests -- "${skip[@]}"
