#!/usr/bin/env bash
# Builds sunzi, makes a key, signs the repository's files, verifies every signature with OpenSSL, and prints a summary.
# Needs Rust, and either the openssl command or a C compiler and Perl to build OpenSSL. All files are written below the
# target folder.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
# Formulas of points are read, not compiled, which takes three quarters of the time: signatures of RSA have none.
RUSTFLAGS="${RUSTFLAGS-} --cfg sunzi_reads_formulas" cargo build --profile quick --locked --package sunzi-cli
mkdir -p "$target"
target=$(cd "$target" && pwd)
sunzi=$target/quick/sunzi
work=$target/run
files=$work/files
key=$work/key.pem
public=$work/public.pem
rm -rf "$work"
mkdir -p "$files"

# The repository's own files, links to files among them as files.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z
else
    find . -name target -prune -o -name .git -prune -o \( -type f -o -type l \) -print0
fi | tar --dereference --null -cf - -T - | tar -xf - -C "$files"

count() { find "$files" -type f ! -name '*.sig' | wc -l | tr -d ' '; }
total=$(count)
if [ "$total" -lt 1000 ]; then
    echo "only $total files were found below $PWD: 1000 are needed" >&2
    exit 1
fi

"$sunzi" key new --bits 2048 --out "$key" --public "$public"
"$sunzi" sign --key "$key" "$files" --json >"$work/sign.jsonl"
"$sunzi" verify --key "$public" "$files" --json >"$work/verify.jsonl"

# Prints a field of the summary, which is the last line of the file.
field() { tail -n 1 "$1" | sed -n "s/.*\"$2\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }
rate() { printf '%.0f' "$(field "$1" per_second)"; }

if command -v openssl >/dev/null 2>&1; then
    verifier=$(openssl version)
    export public
    find "$files" -type f ! -name '*.sig' -print0 |
        xargs -0 -P "$(getconf _NPROCESSORS_ONLN)" -n 16 sh -c '
            for file; do
                openssl dgst -sha256 -verify "$public" -signature "$file.sig" "$file" >/dev/null &&
                    echo good || echo "wrong: $file" >&2
            done' sh >"$work/openssl"
    verified=$(grep -c good "$work/openssl" || true)
else
    echo "the openssl command is missing: building OpenSSL's library to verify with"
    cargo build --release --locked --package sunzi-peers
    "$target/release/sunzi-peers" "$public" "$files" | tee "$work/openssl"
    verifier=$(sed -n 's/.* verified by //p' "$work/openssl")
    verified=$(sed -n 's/^\([0-9]*\) of .*/\1/p' "$work/openssl")
fi

echo
echo "signed      $(field "$work/sign.jsonl" done) of $total files: $(rate "$work/sign.jsonl")/s," \
    "hashing and writing included"
echo "verified    $verified of $total signatures with $verifier"
echo "            $(field "$work/verify.jsonl" done) of $total with sunzi:" \
    "$(rate "$work/verify.jsonl")/s, hashing and reading included"
echo "how         $(tail -n 1 "$work/sign.jsonl" | sed -n 's/.*"how":"\([^"]*\)".*/\1/p')"
echo "backend     $(field "$work/sign.jsonl" backend), $(field "$work/sign.jsonl" threads) threads" \
    "($("$sunzi" backends | sed -n 's/.*chosen: \(the fastest here\|asked for\) *//p'))"
echo "files       $files"
[ "$verified" = "$total" ] && [ "$(field "$work/sign.jsonl" done)" = "$total" ]
