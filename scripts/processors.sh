#!/usr/bin/env bash
# Runs tests of the libraries, compiled for another processor, and says how many passed and what was left out.
#   scripts/processors.sh aarch64       64-bit ARM, in qemu
#   scripts/processors.sh big-endian    IBM Z (s390x), which has the highest byte first, in qemu
#   scripts/processors.sh narrow        32-bit x86, whose addresses have 32 bits; the system runs it as it is
# Needs the Rust target (`rustup target add`), and in qemu a linker and qemu: Debian's packages gcc-aarch64-linux-gnu or
# gcc-s390x-linux-gnu, and qemu-user or qemu-user-static. For narrow Rust's own linker and musl are enough.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
# The name of qemu for an architecture, whichever package brought it.
qemu() { # ARCHITECTURE
    command -v "qemu-$1" || command -v "qemu-$1-static"
}
case ${1:-} in
aarch64 | big-endian)
    architecture=${1/big-endian/s390x}
    target=$architecture-unknown-linux-gnu
    linker=$architecture-linux-gnu-gcc
    command -v "$linker" >/dev/null || missing+=("gcc-$architecture-linux-gnu")
    emulator=$(qemu "$architecture") || missing+=(qemu-user)
    runner="${emulator:-} -L /usr/$architecture-linux-gnu"
    ;;
narrow)
    target=i686-unknown-linux-musl
    linker=rust-lld
    runner=
    ;;
*)
    sed -n '2,/^set /{/^#/p}' "$0" >&2
    exit 2
    ;;
esac
rustc --print target-libdir --target "$target" | xargs test -d || missing+=("rustup's $target")
if [ "${#missing[@]}" -gt 0 ]; then
    echo "install what is missing first: ${missing[*]}" >&2
    exit 1
fi
variable=$(tr 'a-z-' 'A-Z_' <<<"$target")
export "CARGO_TARGET_${variable}_LINKER=$linker"
[ -z "$runner" ] || export "CARGO_TARGET_${variable}_RUNNER=$runner"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
name=$1 status=0

# Each test's line as it comes; with all that a failed one says.
check() {
    echo "$name: $*"
    cargo test --no-fail-fast --locked --target "$target" "$@" --show-output 2>&1 | tee -a "$log" |
        grep -E '^(test |error|thread |  *(left|right):)' | grep -v '^test .*ignored' || status=1
}

check --package sunzi-rns --lib --tests --
# The other libraries take words of 64 bits from crypto-bigint, as it has them on processors of 64 bits and in WebAssembly.
if [ "$name" != narrow ]; then
    check --package sunzi-field --package sunzi-program --lib --tests --
    check --package sunzi-engine --lib --
    check --package sunzi-engine --test programs --test fixed_bases --test recipes --
    check --package sunzi-engine --test conformance -- small_layouts
    check --package sunzi-pk --test signatures --test ecdsa --test eddsa --test xdh --test mixed_keys --test keys \
        --test jwk --test rfc8410_keys --test raw_rsa --test encryption --
fi
echo
awk '/^test result: / { passed += $4; failed += $6; ignored += $8 }
     END { printf "%d passed, %d failed, %d that take minutes left out\n", passed, failed, ignored }' "$log"
grep -o 'SKIPPED: .*' "$log" | LC_ALL=C sort | uniq -c | sed -E 's/^ +([0-9]+) SKIPPED:/SKIPPED (\1):/' || true
if [ "$name" = narrow ]; then
    echo "SKIPPED: all crates but sunzi-rns: they need words of 64 bits"
else
    echo "SKIPPED: AVX2 and AVX-512, which this architecture does not have: the devices avx512, radix52 and fused52, and" \
        "half of float"
    echo "SKIPPED: of sunzi-engine and sunzi-pk all tests but those above, and all other crates"
fi
exit "$status"
