#!/usr/bin/env bash
# Runs lists of steps beside each other:
#   scripts/ci-lanes.sh FOLDER LIST...
# A list has steps, which are commands, one a line, and runs them in turn. Many steps use one processor for a part of
# their time; another list then uses the other. What a step prints is kept in FOLDER, and shown in one piece when
# the step has ended. The first step that fails ends all. At the end there is a table of the times.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$1
shift
mkdir -p "$folder"
rm -f "$folder"/*
mkfifo "$folder/ended"

# Runs the steps of a list, and reports each to the pipe once it has ended: exit code, name.
run_list() {
    local step name status
    while IFS= read -r step; do
        [ -n "$step" ] || continue
        name=${step//[^a-zA-Z0-9=-]/_}
        status=0
        TIMEFORMAT='%R %U %S'
        { time bash -c "$step" >"$folder/$name.log" 2>&1 </dev/null; } 2>"$folder/$name.times" || status=$?
        echo "$status $name $step" >&3
        [ "$status" -eq 0 ] || return 1
    done <<<"$1"
}

# Each list in a process group of its own, by which all that it started can be ended.
set -m
groups=()
exec 4<>"$folder/ended"
for list in "$@"; do
    run_list "$list" 3>&4 4>&- &
    groups+=($!)
done
set +m
trap 'for group in "${groups[@]}"; do kill -- "-$group" 2>/dev/null || true; done' EXIT
trap 'exit 1' HUP INT TERM

total=$(printf '%s\n' "$@" | grep -c .)
for ((ended = 0; ended < total; ended++)); do
    read -r -u 4 status name step
    echo "=== $step"
    cat "$folder/$name.log"
    if [ "$status" -ne 0 ]; then
        echo "=== $step failed with exit code $status" >&2
        exit 1
    fi
    read -r wall user system <"$folder/$name.times"
    echo "$step|$wall|$user|$system" >>"$folder/table"
done
rm "$folder/ended"

echo
echo "Minutes (wall clock beside the other list, processor):"
awk -F'|' '{ printf "%8.1f %8.1f  %s\n", $2 / 60, ($3 + $4) / 60, $1 }' "$folder/table"
