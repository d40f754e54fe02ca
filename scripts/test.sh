#!/usr/bin/env bash
# Runs `cargo test` with these arguments, which must contain `--`, and then names what could not be
# tested on this machine: every test that cannot run prints a line SKIPPED, which cargo shows of a
# test that passes only if it is asked for all output. The list is also in target/untested.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
status=0
cargo test --no-fail-fast "$@" --show-output 2>&1 | tee "$target/test.log" |
    awk '/^successes:$/ { quiet = 1 }
         /^failures:$/ || /^test result: / { quiet = 0 }
         !quiet { print; fflush() }' || status=$?

{
    echo
    if grep -q 'SKIPPED: ' "$target/test.log"; then
        echo "NOT TESTED ON THIS MACHINE (times, reason):"
        grep -o 'SKIPPED: .*' "$target/test.log" | sed 's/^SKIPPED: //' | LC_ALL=C sort | uniq -c
    else
        echo "Nothing was skipped on this machine."
    fi
} | tee "$target/untested.txt"
exit "$status"
