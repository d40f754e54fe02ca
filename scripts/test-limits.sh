#!/usr/bin/env bash
# A part of the tests at each limit of instructions, or at those that are named, the lowest first: as on processors without
# AVX2, without AVX-512 and AVX-IFMA, without AVX-512, and without IFMA:
#   scripts/test-limits.sh [baseline] [avx2] [avx-ifma] [avx512]
# A limit that is not below the processor's own instructions is
# left out: there `make test` has run all.
# The selection of packages and features is that of `make test`: after it nothing is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=(--workspace --locked --features sunzi-pk/signature)
# The engine's own tests are run without cargo, whose option --lib would also compile the Python package.
unit_tests=$(cargo test "${tests[@]}" --no-run 2>&1 | tee /dev/stderr |
    sed -n 's/^ *Executable unittests .*(\(.*\/sunzi_engine-[0-9a-f]*\))$/\1/p')
unit_tests=$(realpath "$unit_tests")
# Whether the processor has one of these instructions; yes where it cannot be asked.
flags=$(grep -m1 '^flags' /proc/cpuinfo || true)
has() {
    local instruction
    [ -n "$flags" ] || return 0
    for instruction in "$@"; do
        [[ " $flags " != *" $instruction "* ]] || return 0
    done
    return 1
}
# The instructions that a limit takes away.
declare -A beyond=([baseline]="avx2" [avx2]="avx_ifma avx512f" [avx-ifma]="avx512f" [avx512]="avx512ifma")
[ $# -gt 0 ] || set -- baseline avx2 avx-ifma avx512
for limit in "$@"; do
    [ -n "${beyond[$limit]:-}" ] || { echo "no limit is called $limit" >&2; exit 1; }
    # shellcheck disable=SC2086 # Several names.
    if ! has ${beyond[$limit]}; then
        echo "Instructions: $limit: SKIPPED, as it takes nothing away from this processor"
        continue
    fi
    echo "Instructions: $limit"
    export SUNZI_INSTRUCTIONS=$limit
    # Those of limbs try AVX-IFMA without a limit, too, and nothing else has it.
    [ "$limit" = avx-ifma ] || (cd crates/engine && "$unit_tests" limbs:: residues:: words::)
    cargo test "${tests[@]}" --test conformance --test programs --test backends --test mixed_keys
done
