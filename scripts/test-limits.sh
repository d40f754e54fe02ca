#!/usr/bin/env bash
# A part of the tests at each limit of instructions, the lowest first: as on processors without AVX2, without
# AVX-512 and AVX-IFMA, without AVX-512, and without IFMA. What is not below the processor's own instructions limits
# nothing.
# The selection of packages and features is that of `make test`: after it nothing is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=(--workspace --locked --features sunzi-pk/signature)
# The engine's own tests are run without cargo, whose option --lib would also compile the Python package.
unit_tests=$(cargo test "${tests[@]}" --no-run 2>&1 | tee /dev/stderr |
    sed -n 's/^ *Executable unittests .*(\(.*\/sunzi_engine-[0-9a-f]*\))$/\1/p')
unit_tests=$(realpath "$unit_tests")
for limit in baseline avx2 avx-ifma avx512; do
    echo "Instructions: $limit"
    export SUNZI_INSTRUCTIONS=$limit
    # Those of limbs try AVX-IFMA without a limit, too, and nothing else has it.
    [ "$limit" = avx-ifma ] || (cd crates/engine && "$unit_tests" limbs:: residues:: words::)
    cargo test "${tests[@]}" --test conformance --test programs --test backends --test mixed_keys
done
