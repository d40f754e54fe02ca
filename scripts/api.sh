#!/usr/bin/env bash
# Lists the public API of the published crates, with cargo-public-api, in api/CRATE.txt. With
# --check nothing is written: the listings that exist are compared with the code, and a difference
# is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

crates=(sunzi-rns sunzi-field sunzi-program sunzi-engine sunzi-pk)

# cargo-public-api reads rustdoc's JSON, whose form is not stable: it must be written by a compiler
# that the tool knows. RUSTC_BOOTSTRAP lets a release write it, so that no nightly is needed.
toolchain=$(sed -n 's/^rust-version = "\(.*\)"$/\1.0/p' Cargo.toml)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/api

# Blanket implementations and auto traits are left out.
list() {
    RUSTC_BOOTSTRAP=1 cargo "+$toolchain" rustdoc --quiet --locked --lib --package "$1" -- \
        -Z unstable-options --output-format json --cap-lints allow &&
        cargo public-api --rustdoc-json "$CARGO_TARGET_DIR/doc/${1//-/_}.json" \
            --simplified --simplified --color never
}

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
