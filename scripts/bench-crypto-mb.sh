#!/usr/bin/env bash
# Measures Sunzi and its peers as `make bench` does, with Intel's crypto_mb among them; or, as
#   scripts/bench-crypto-mb.sh --test
# tests how it is called. The library and the run-time library of Intel's compiler come as Python packages, of
# which only the files are used. It needs a processor with AVX-512 IFMA.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=$(realpath -m "${CARGO_TARGET_DIR:-target}")/crypto-mb
if [ ! -e "$environment/lib/libcrypto_mb.so.13" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --no-deps "ipp-crypto==2026.2.0" "intel-cmplr-lib-rt>=2026,<2027"
fi
export SUNZI_CRYPTO_MB=$environment/lib/libcrypto_mb.so.13
export LD_LIBRARY_PATH=$environment/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
if [ "${1:-}" = --test ]; then
    exec cargo test --locked --package sunzi-peers --all-features -- --nocapture groups
fi
exec cargo run --release --locked --package sunzi-cli --features peers -- bench "$@"
