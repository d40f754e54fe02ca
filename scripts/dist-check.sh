#!/usr/bin/env bash
# Builds artefacts of a release twice and compares the bytes: once here, once in a fresh clone elsewhere, with another
# name and depth of its folder, another home of cargo, another umask, time zone and locale.
#   scripts/dist-check.sh [ARTEFACT,...]     all, or those named (scripts/dist.sh --list)
# What scripts/dist.sh has built here is not built again. Needs what that script needs; takes as long as it does, of two
# cores.
set -euo pipefail
cd "$(dirname "$0")/.."

only=("${@:+--only}" "$@")
[ $# -gt 0 ] || only=()
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
check=$target/dist-check
rm -rf "$check"
mkdir -p "$check"

# Tools are the same for both. The builds run beside each other: the compiler is mostly one process.
scripts/dist.sh --tools

clone=$check/elsewhere/a-folder-of-another-name
git clone --quiet --no-hardlinks . "$clone"

build_elsewhere() {
    cd "$clone"
    umask 077
    export CARGO_TARGET_DIR=$check/elsewhere/built CARGO_HOME=$check/elsewhere/cargo
    export ZIG_GLOBAL_CACHE_DIR=$check/elsewhere/zig TZ=Asia/Shanghai LC_ALL=C.UTF-8
    # How crates are fetched is the machine's affair; so are tools, which both builds may share.
    mkdir -p "$CARGO_HOME"
    for file in "${HOME:?}"/.cargo/config{,.toml} "$HOME"/.cargo/bin; do
        [ ! -e "$file" ] || ln -s "$file" "$CARGO_HOME/"
    done
    mkdir -p "$CARGO_TARGET_DIR/dist"
    cp -r "$target/dist/tools" "$CARGO_TARGET_DIR/dist/tools"
    scripts/dist.sh --out "$check/second" "${only[@]}"
}

(scripts/dist.sh --out "$check/first" "${only[@]}" | sed -u 's/^/here: /') &
here=$!
(build_elsewhere | sed -u 's/^/elsewhere: /') &
elsewhere=$!
failed=0
wait "$here" || failed=$?
wait "$elsewhere" || failed=$?
[ "$failed" -eq 0 ] || exit "$failed"

different=0
for file in $(cd "$check" && ls first second | grep -v : | sort -u); do
    if cmp -s "$check/first/$file" "$check/second/$file"; then
        echo "the same: $file"
    else
        echo "DIFFERENT: $file" >&2
        different=1
    fi
done
if [ "$different" -ne 0 ]; then
    echo "both builds are in $check/first and $check/second" >&2
    exit 1
fi
echo "both builds have the same bytes"
