#!/usr/bin/env bash
# Makes hardware/.venv with the pinned tools of requirements.txt, unless it is there already, and
# installs what they need from Debian where it is missing and this is root: iverilog, g++, make,
# Python's venv and its shared library, which cocotb loads into the simulator.
set -euo pipefail
cd "$(dirname "$0")"

install_packages() {
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get update -q
        apt-get install -qy --no-install-recommends "$@"
    else
        echo "install what is missing, then run this again: $*" >&2
        exit 1
    fi
}

missing=()
command -v iverilog >/dev/null 2>&1 || missing+=(iverilog)
command -v g++ >/dev/null 2>&1 || missing+=(g++)
command -v make >/dev/null 2>&1 || missing+=(make)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
[ "${#missing[@]}" -eq 0 ] || install_packages "${missing[@]}"

if ! cmp -s requirements.txt .venv/installed.txt; then
    python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt
    [ -n "$(.venv/bin/python -m find_libpython)" ] || install_packages libpython3-dev
    cp requirements.txt .venv/installed.txt
fi

# `setup.sh timing`: also nextpnr, which only `make timing` takes.
if [ "${1:-}" = timing ] && ! cmp -s requirements-timing.txt .venv/installed-timing.txt; then
    .venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements-timing.txt
    cp requirements-timing.txt .venv/installed-timing.txt
fi
