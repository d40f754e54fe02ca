#!/usr/bin/env bash
# Prints the path of Chromium, or of Chrome; as root on Debian it is installed if it is missing, with a font, as pages
# ask for fonts by their kind only.
set -euo pipefail
browser() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
}
if ! browser; then
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get update -q >&2
        apt-get install -qy --no-install-recommends chromium fonts-dejavu-core python3-venv >&2
        browser
    else
        echo "install Chromium, then run this again" >&2
        exit 1
    fi
fi
