#!/usr/bin/env bash
# Runs every fuzz target, or those that are named, for a number of seconds each:
#   scripts/fuzz.sh SECONDS [TARGET...]
# Needs nightly Rust and cargo-fuzz. What finds new paths is kept in fuzz/corpus, what fails in
# fuzz/artifacts; the seeds in fuzz/seeds are in the repository. At the end there is a line for each
# target: inputs run, and seconds. Without sanitizers: with them the engine takes many minutes to compile.
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

for target in "${targets[@]}"; do
    mkdir -p "corpus/$target" "artifacts/$target"
    log=$(mktemp)
    # No input may take longer than ten seconds or 2 GiB. Numbers of 16,384 bits have 2 KiB.
    if ! "$folder/$triple/release/$target" "corpus/$target" "seeds/$target" \
        -artifact_prefix="artifacts/$target/" -max_total_time="$seconds" -max_len=2560 \
        -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 2>"$log"; then
        cat "$log"
        echo "$target failed; run it on what is in fuzz/artifacts/$target" >&2
        exit 1
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    slowest=$(sed -n 's/^stat::slowest_unit_time_sec: *//p' "$log")
    printf '%-14s %12s runs in %s s, slowest %s s\n' "$target" "$runs" "$seconds" "$slowest"
    rm "$log"
done
