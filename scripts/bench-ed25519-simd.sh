#!/usr/bin/env bash
# Measures Sunzi and its peers as `make bench` does, with ed25519-simd among them; or, as
#   scripts/bench-ed25519-simd.sh --test
# tests how it is called. That crate chooses its instructions when it is compiled, so that it is compiled by itself, as a
# library that the command loads. It needs a processor with AVX-512 IFMA.
set -euo pipefail
cd "$(dirname "$0")/.."

grep -qw avx512ifma /proc/cpuinfo || { echo "the processor has no AVX-512 IFMA, which ed25519-simd needs" >&2; exit 1; }
folder=$(realpath -m "${CARGO_TARGET_DIR:-target}")/ed25519-simd
RUSTFLAGS="-C target-feature=+avx512f,+avx512bw,+avx512dq,+avx512ifma" cargo build --release --locked --quiet \
    --manifest-path crates/peers/ed25519-simd/Cargo.toml --target-dir "$folder"
export SUNZI_ED25519_SIMD=$folder/release/libed25519_simd_library.so
if [ "${1:-}" = --test ]; then
    exec cargo test --locked --package sunzi-peers --all-features -- --nocapture ed25519_simd
fi
exec cargo run --release --locked --package sunzi-cli --features peers -- bench "$@"
