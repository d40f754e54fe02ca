#!/usr/bin/env bash
# Lists the public API of the published crates, with cargo-public-api, in api/CRATE.txt. With
# --check nothing is written: the listings that exist are compared with the code, and a difference
# is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

crates=(sunzi-rns sunzi-field sunzi-engine sunzi-pk)

# The tool reads rustdoc's JSON, which is not stable. RUSTC_BOOTSTRAP lets a release write it, so
# that no nightly compiler is needed. It is always the same release, as compilers differ in what
# they write.
toolchain=$(sed -n 's/^rust-version = "\(.*\)"$/\1.0/p' Cargo.toml)
export RUSTC_BOOTSTRAP=1
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/api

# Blanket implementations and auto traits are left out.
list() { cargo "+$toolchain" public-api --package "$1" --simplified --simplified --color never; }

case ${1:-} in
"")
    mkdir -p api
    for crate in "${crates[@]}"; do
        list "$crate" >"api/$crate.txt.new"
        mv "api/$crate.txt.new" "api/$crate.txt"
    done
    ;;
--check)
    different=0
    for crate in "${crates[@]}"; do
        [ -f "api/$crate.txt" ] || continue
        list "$crate" | diff --unified=0 --label "api/$crate.txt" --label "the code" \
            "api/$crate.txt" - || different=1
    done
    if [ "$different" -ne 0 ]; then
        echo "the public API differs from the listing: if it is meant to, run make api" >&2
        exit 1
    fi
    ;;
*)
    echo "usage: scripts/api.sh [--check]" >&2
    exit 2
    ;;
esac
