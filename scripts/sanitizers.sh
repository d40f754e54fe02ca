#!/usr/bin/env bash
# Runs tests of sunzi-engine and sunzi-pk, compiled with the address sanitizer and the thread sanitizer:
# those that reach unsafe code (every device in every layout) and threads (batches, keys that are shared).
#   scripts/sanitizers.sh [address | thread]
# Needs nightly Rust with its component rust-src: for the thread sanitizer the standard library is compiled,
# too. Debug assertions are on, as in all tests.
set -euo pipefail
cd "$(dirname "$0")/.."

source_of_std=$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock
[ -f "$source_of_std" ] || {
    echo "install what is missing first: rustup toolchain install nightly --component rust-src" >&2
    exit 1
}
triple=$(rustc -vV | sed -n 's/^host: //p')
log=$(mktemp)
# What a sanitizer found is long, and comes last.
trap '[ $? -eq 0 ] || tail -n 80 "$log"; rm -f "$log"' EXIT

# check SANITIZER PACKAGE ARGUMENTS: tests of a package.
check() {
    local sanitizer=$1 package=$2
    shift 2
    local build=()
    [ "$sanitizer" = thread ] && build=(-Zbuild-std)
    echo "$sanitizer sanitizer: $package $*"
    RUSTFLAGS="-Zsanitizer=$sanitizer" cargo +nightly test "${build[@]}" --locked --target "$triple" \
        --target-dir "${CARGO_TARGET_DIR:-target}/sanitizer-$sanitizer" --package "$package" \
        "$@" --show-output 2>&1 | tee -a "$log" | grep -E '^(test |error|WARNING|SUMMARY|==)' | grep -v '^test .*ignored'
}

for sanitizer in ${1:-address thread}; do
    # Kernels at their bounds and all layouts; programs, powers and tables; batches on several threads.
    check "$sanitizer" sunzi-engine --lib -- limbs:: residues:: words:: schedule::
    check "$sanitizer" sunzi-engine --test programs --test fixed_bases --test random_bases --
    check "$sanitizer" sunzi-engine --test conformance -- small_layouts
    check "$sanitizer" sunzi-engine --test agreement -- whatever_comes_in_one_batch moduli_of_every_kind
    check "$sanitizer" sunzi-pk --test mixed_keys --test signatures --test jwk --
done
echo
grep -o 'SKIPPED: .*' "$log" | LC_ALL=C sort -u || true
echo "SKIPPED: of sunzi-engine and sunzi-pk all tests but those above; no other crate is tested here"
