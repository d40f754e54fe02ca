#!/usr/bin/env bash
# Installs the command with its completions and manual pages into a folder, and looks whether shells and man
# find them there; this command is the one that `make test` compiles. With --install DIRECTORY it only installs: the
# release build, or PROGRAM, which may be for another processor if WRITER, of the same version, runs here.
#   scripts/command.sh [--install DIRECTORY [PROGRAM WRITER]]
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
if [ $# -eq 4 ]; then
    program=$3 writer=$4
elif [ "${1:-}" = --install ]; then
    cargo build --release --locked --package sunzi-cli --target-dir "$target"
    program=$target/release/sunzi
    writer=$program
else
    program=$(scripts/test-program.sh sunzi)
    writer=$program
fi

# Where shells and man look, below the prefix.
bash=share/bash-completion/completions/sunzi
fish=share/fish/vendor_completions.d/sunzi.fish
zsh=share/zsh/site-functions/_sunzi
manual=share/man/man1

# All files are made first, in a folder of their own; then they come into place, each whole.
install_command() (
    directory=$1
    mkdir -p "$directory"/{bin,"$manual"} "$directory"/{"${bash%/*}","${fish%/*}","${zsh%/*}"}
    new=$(mktemp -d "$directory/bin/.sunzi-XXXXXX")
    trap 'rm -rf "$new"' EXIT
    trap 'exit 1' HUP INT TERM
    install -m 755 "$program" "$new/sunzi"
    mkdir "$new/man1"
    "$writer" man --out "$new/man1"
    for shell in bash fish zsh; do "$writer" completions "$shell" >"$new/$shell"; done
    chmod 644 "$new"/{man1/*,bash,fish,zsh}
    # From here on it is a matter of renaming, which is not interrupted.
    trap '' HUP INT TERM
    mv -f "$new/sunzi" "$directory/bin/"
    mv -f "$new"/man1/* "$directory/$manual/"
    mv -f "$new/bash" "$directory/$bash"
    mv -f "$new/fish" "$directory/$fish"
    mv -f "$new/zsh" "$directory/$zsh"
)

if [ "${1:-}" = --install ]; then
    install_command "$2"
    echo "installed sunzi below $2"
    exit 0
fi

work=$target/command
rm -rf "$work"
install_command "$work"
pages=$(find "$work/$manual" -name 'sunzi*.1' | wc -l)
if [ "$pages" -lt 15 ]; then
    echo "only $pages manual pages were installed" >&2
    exit 1
fi
if command -v man >/dev/null 2>&1; then
    for page in sunzi sunzi-sign sunzi-key-new; do
        MANPATH=$work/share/man man -w "$page" >/dev/null
    done
else
    echo "SKIPPED: man is missing, which would find the manual pages"
fi
# What bash completes after `sunzi ver`.
completed=$(PATH=$work/bin:$PATH bash -c '
    source "$1"
    COMP_WORDS=(sunzi ver) COMP_CWORD=1 COMPREPLY=()
    _sunzi sunzi ver sunzi
    echo "${COMPREPLY[*]}"' bash "$work/$bash")
if [ "$completed" != verify ]; then
    echo "bash completes \"sunzi ver\" to \"$completed\"" >&2
    exit 1
fi
echo "the command, its completions and $pages manual pages are found where they were installed"
