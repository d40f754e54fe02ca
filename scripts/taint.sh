#!/usr/bin/env bash
# Runs secret operations under valgrind with their secrets marked as undefined memory (tests/taint):
# every branch and every address that depends on one is an error, unless tests/taint/allowed.supp
# lists it. The release build is tested, or that of the profile SUNZI_PROFILE, on the backends that valgrind can run: all
# operations on those that most numbers are computed with, a part on the others; with --every all operations on all, and on
# `float`. Needs valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo "install valgrind first" >&2; exit 1; }
profile=${SUNZI_PROFILE:-release}
# Valgrind runs mulx, adcx and adox, but its processor does not say that it has ADX.
export RUSTC_WORKSPACE_WRAPPER=$PWD/scripts/assuming-adx.sh
CARGO_PROFILE_RELEASE_DEBUG=line-tables-only cargo build --profile "$profile" --locked --package sunzi-taint
program=${CARGO_TARGET_DIR:-target}/$profile/taint

# The exit code where memcheck found something.
found=9
check() {
    valgrind --quiet --error-exitcode="$found" --num-callers=40 --error-limit=no \
        --suppressions=tests/taint/allowed.supp "$program" "$@"
}

# First whether the method finds a leak that is there.
status=0
check portable leak >/dev/null 2>&1 || status=$?
if [ "$status" -ne "$found" ]; then
    echo "a branch on a secret was not found (exit code $status)" >&2
    exit 1
fi
operations=(power sign rsa-key decrypt blind-sign paillier paillier-key ecdsa ecdsa-k1 ecdsa-many schnorr
    ecdh ed25519 x25519)
failed=()
check_all() {
    local backend=$1 operation
    shift
    for operation in "$@"; do
        if check "$backend" "$operation"; then
            echo "$backend $operation: no branch and no address depends on a secret, but for those allowed"
        else
            failed+=("$backend $operation")
        fi
    done
}
if [ "${1:-}" = --every ]; then
    check_all portable "${operations[@]}" bls-g1 bls-g2
    # In residues, as on `portable`, with floating-point sums.
    check_all float "${operations[@]}"
else
    check_all portable power sign paillier ecdsa
fi
# Forced, as single numbers are computed on another device otherwise, and batches of float's on this one.
check_all fused52:lanes "${operations[@]}" ecdh-many
check_all portable:lanes power sign ecdsa
check_all radix64 "${operations[@]}" bls-g1 bls-g2
# Without these instructions, as where a processor lacks ADX, other formulas are compiled for lone numbers.
export SUNZI_INSTRUCTIONS=portable
echo "without instructions beyond SSE2:"
if [ "${1:-}" = --every ]; then
    check_all radix64 "${operations[@]}" bls-g1 bls-g2
else
    check_all radix64 ecdsa-k1 ecdh ed25519 x25519
fi

if [ "${#failed[@]}" -ne 0 ]; then
    printf 'a branch or an address depends on a secret: %s\n' "${failed[@]}" >&2
    exit 1
fi
