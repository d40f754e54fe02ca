#!/usr/bin/env bash
# Runs tests of the libraries, compiled for 64-bit ARM processors, in qemu's emulation of one. Needs
# the Rust target, a linker and qemu: `rustup target add aarch64-unknown-linux-gnu`, Debian's packages
# gcc-aarch64-linux-gnu and qemu-user.
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-gnu
missing=()
command -v aarch64-linux-gnu-gcc >/dev/null || missing+=(gcc-aarch64-linux-gnu)
command -v qemu-aarch64 >/dev/null || missing+=(qemu-user)
rustc --print target-libdir --target "$target" | xargs test -d || missing+=("rustup's $target")
if [ "${#missing[@]}" -gt 0 ]; then
    echo "install what is missing first: ${missing[*]}" >&2
    exit 1
fi
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

check() {
    echo "aarch64: $*"
    cargo test --locked --target "$target" "$@" --show-output 2>&1 | tee -a "$log" |
        grep -E '^(test |error|thread )' | grep -v '^test .*ignored'
}

check --package sunzi-rns --package sunzi-field --lib --tests --
check --package sunzi-engine --lib --
check --package sunzi-engine --test programs --test fixed_bases --test recipes --
check --package sunzi-engine --test conformance -- small_layouts
check --package sunzi-pk --test signatures --test ecdsa --test eddsa --test xdh --test mixed_keys --
echo
grep -o 'SKIPPED: .*' "$log" | LC_ALL=C sort -u || true
echo "SKIPPED: AVX-512 IFMA and AVX2, which this architecture does not have: the devices" \
    "avx512, radix52 and fused52, and half of float"
echo "SKIPPED: of sunzi-engine and sunzi-pk all tests but those above, and all other crates"
