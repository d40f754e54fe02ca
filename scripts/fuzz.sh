#!/usr/bin/env bash
# Runs every fuzz target, or those that are named, for a number of seconds each, as many at a time as there
# are processors:
#   scripts/fuzz.sh SECONDS [TARGET...]
# Needs nightly Rust and cargo-fuzz. What finds new paths is kept in fuzz/corpus, what fails in
# fuzz/artifacts; the seeds in fuzz/seeds are in the repository. There is a line for each target: inputs run,
# and seconds. Without sanitizers: with them the engine takes many minutes to compile.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"

seconds=$1
shift
targets=("$@")
if [ "${#targets[@]}" -eq 0 ]; then
    mapfile -t targets < <(cargo +nightly fuzz list)
fi
# A target folder of its own: the flags differ from those of other builds.
folder=${CARGO_TARGET_DIR:-../target}/fuzz
cargo +nightly fuzz build --sanitizer none --target-dir "$folder"
triple=$(rustc -vV | sed -n 's/^host: //p')
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

run() {
    local target=$1 log=$logs/$1
    mkdir -p "corpus/$target" "artifacts/$target"
    # No input may take longer than twenty seconds or 2 GiB, beside as many others as there are processors.
    # Numbers of 16,384 bits have 2 KiB.
    if ! "$folder/$triple/release/$target" "corpus/$target" "seeds/$target" \
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

at_a_time=$(nproc)
running=0
failed=0
for target in "${targets[@]}"; do
    if [ "$running" -ge "$at_a_time" ]; then
        wait -n || failed=1
        running=$((running - 1))
    fi
    run "$target" &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
exit "$failed"
