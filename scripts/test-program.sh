#!/usr/bin/env bash
# Builds a program of the workspace from what `make test` has compiled, and prints its path:
#   scripts/test-program.sh PROGRAM
# The selection of packages and features is that of `make test`; the test beside the program, a small one, makes
# cargo add the features that tests need. Another selection would compile most crates once more.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --quiet --workspace --locked --features sunzi-pk/signature --bin "$1" --test c-header >&2
realpath "${CARGO_TARGET_DIR:-target}/debug/$1"
