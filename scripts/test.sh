#!/usr/bin/env bash
# Runs `cargo test` with these arguments, which must contain `--`, and then names what could not be
# tested on this machine: every test that cannot run prints a line SKIPPED, which cargo shows of a
# test that passes only if it is asked for all output. The list is also in target/untested.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
status=0
# sed -u, because some versions of awk wait for thousands of characters before they filter any.
cargo test --no-fail-fast "$@" --show-output 2>&1 | tee "$target/test.log" |
    sed -uE '/^successes:$/,/^(failures:$|test result: )/ { /^(failures:$|test result: )/!d; }' || status=$?

# A line for each reason, which engines' errors name last, with the number of tests that it stopped, in whole or in part.
{
    echo
    if grep -q 'SKIPPED: ' "$target/test.log"; then
        echo "NOT TESTED ON THIS MACHINE (tests, reason):"
        awk '/^ +(Running|Doc-tests) / { program = $0 }
             /^---- .* stdout ----$/ { name = $2 }
             /SKIPPED: / {
                 sub(/.*SKIPPED: /, "")
                 sub(/.* cannot run here: /, "")
                 if (!seen[program, name, $0]++) tests[$0]++
             }
             END { for (reason in tests) printf "%7d %s\n", tests[reason], reason }' \
            "$target/test.log" | LC_ALL=C sort -k2
    else
        echo "Nothing was skipped on this machine."
    fi
} | tee "$target/untested.txt"
exit "$status"
