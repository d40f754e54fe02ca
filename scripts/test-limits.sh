#!/usr/bin/env bash
# A part of the tests at each limit of instructions, the lowest first: as on processors without AVX2, without
# AVX-512, and without IFMA. What is not below the processor's own instructions limits nothing.
# The selection of packages and features is that of `make test`: after it nothing is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=(--workspace --locked --features sunzi-pk/signature)
for limit in baseline avx2 avx512; do
    echo "Instructions: $limit"
    export SUNZI_INSTRUCTIONS=$limit
    cargo test "${tests[@]}" --lib -- limbs:: residues:: words::
    cargo test "${tests[@]}" --test conformance --test programs --test backends --test mixed_keys
done
