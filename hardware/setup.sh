#!/usr/bin/env bash
# Makes hardware/.venv with the pinned tools of requirements.txt, unless it is there already, and
# installs iverilog, g++ and Python's venv from Debian where they are missing and this is root.
set -euo pipefail
cd "$(dirname "$0")"

missing=()
command -v iverilog >/dev/null 2>&1 || missing+=(iverilog)
command -v g++ >/dev/null 2>&1 || missing+=(g++)
command -v make >/dev/null 2>&1 || missing+=(make)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
if [ "${#missing[@]}" -gt 0 ]; then
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get update -q
        apt-get install -qy --no-install-recommends "${missing[@]}"
    else
        echo "install what is missing, then run this again: ${missing[*]}" >&2
        exit 1
    fi
fi

if ! cmp -s requirements.txt .venv/installed.txt; then
    python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt
    cp requirements.txt .venv/installed.txt
fi
