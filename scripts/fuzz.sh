#!/usr/bin/env bash
# Runs every fuzz target, or those that are named, for a number of seconds each, as many at a time as there
# are processors:
#   scripts/fuzz.sh SECONDS [TARGET...]
# With --corpora instead of the seconds, it makes fuzz/corpora anew from what fuzz/corpus has: of a smallest set of
# inputs with the same coverage the shortest, up to 20,000 bytes and 120 inputs for each target.
# What finds new paths is kept in fuzz/corpus, what fails in fuzz/artifacts; the inputs in fuzz/seeds, which were written by
# hand, and those in fuzz/corpora are in the repository. There is a line for each target: inputs run, and seconds. Targets
# are compiled with the flags of cargo-fuzz, which is not needed; without sanitizers: with them the engine takes many
# minutes to compile.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"

seconds=$1
shift
targets=("$@")
if [ "${#targets[@]}" -eq 0 ]; then
    mapfile -t targets < <(sed -n '/^\[\[bin\]\]$/,/^path/s/^name = "\(.*\)"$/\1/p' Cargo.toml)
fi
# The flags with which libFuzzer sees which paths an input has taken, and which numbers were compared.
flags="--cfg fuzzing -Cdebug-assertions -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-sanitizer-coverage-stack-depth"
if [ "$seconds" != --corpora ] && [ "$seconds" -lt 60 ]; then
    # For a short run only what computes is optimized, and formulas of points are read, not compiled: the compiler would
    # take longer than it saves.
    profile=dev
    flags="$flags --cfg sunzi_reads_formulas"
else
    profile=release
fi
# A target folder of its own, as the flags differ from those of other builds. They are for the targets alone, not for what
# runs when they are compiled, because a processor is named.
folder=${CARGO_TARGET_DIR:-../target}/fuzz
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS=$(echo $flags) cargo build --profile "$profile" --locked --target "$host" --target-dir "$folder"
programs=$folder/$host/${profile/dev/debug}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

run() {
    local target=$1 log=$logs/$1
    mkdir -p "corpus/$target" "corpora/$target" "artifacts/$target"
    # No input may take longer than twenty seconds or 2 GiB, beside as many others as there are processors.
    # Numbers of 16,384 bits have 2 KiB.
    if ! "$programs/$target" "corpus/$target" "corpora/$target" "seeds/$target" \
        -artifact_prefix="artifacts/$target/" -max_total_time="$seconds" -max_len=2560 \
        -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 >"$log" 2>&1; then
        cat "$log"
        echo "$target failed; run it on what is in fuzz/artifacts/$target" >&2
        return 1
    fi
    local runs slowest
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    slowest=$(sed -n 's/^stat::slowest_unit_time_sec: *//p' "$log")
    printf '%-16s %12s runs in %s s, slowest %s s\n' "$target" "$runs" "$seconds" "$slowest"
}

# The corpus of a target for the repository.
keep() {
    local target=$1 few=$logs/few-$1 bytes=0 count=0 size path
    mkdir -p "$few" "corpus/$target" "corpora/$target"
    "$programs/$target" -set_cover_merge=1 -max_len=2560 -rss_limit_mb=2048 \
        "$few" "corpus/$target" "corpora/$target" "seeds/$target" >"$logs/$target" 2>&1 ||
        { cat "$logs/$target"; return 1; }
    rm -rf "corpora/$target"
    mkdir "corpora/$target"
    while read -r size path; do
        bytes=$((bytes + size))
        count=$((count + 1))
        if [ "$bytes" -gt 20000 ] || [ "$count" -gt 120 ]; then
            break
        fi
        cp "$path" "corpora/$target/"
    done < <(find "$few" -type f -printf '%s %p\n' | sort -n)
    printf '%-16s %4s inputs\n' "$target" "$(find "corpora/$target" -type f | wc -l)"
}

work=run
if [ "$seconds" = --corpora ]; then
    work=keep
fi
at_a_time=$(nproc)
running=0
failed=0
for target in "${targets[@]}"; do
    if [ "$running" -ge "$at_a_time" ]; then
        wait -n || failed=1
        running=$((running - 1))
    fi
    "$work" "$target" &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
exit "$failed"
