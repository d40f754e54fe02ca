#!/usr/bin/env bash
# Tests the module for OpenSSL with unmodified programs. Without arguments the part that takes at most three minutes;
# with --all all of it, and the measurements (ARGS of openssl/tests/check.py). Needs OpenSSL's headers, pkg-config, a C
# compiler and Python; where one is missing it says so, and that the tests were skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in cc openssl pkg-config python3; do
    command -v "$tool" >/dev/null 2>&1 || { echo "SKIPPED: $tool is missing, with which the module for OpenSSL is tested"; exit 0; }
done
if ! pkg-config --exists 'openssl >= 3.0'; then
    echo "SKIPPED: OpenSSL 3.0 or later with its headers is missing, for which the module is built"
    exit 0
fi
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
major=$(pkg-config --modversion libcrypto | cut -d. -f1)
# The module for tests has all that the other one has: the short tests take it for both, as linking takes a minute.
scripts/openssl-module.sh --faults >/dev/null
module=sunzi-openssl-faults
if [ "${1:-}" = --all ]; then
    scripts/openssl-module.sh
    module=sunzi-openssl
fi
for program in stress clients copies; do
    # shellcheck disable=SC2046
    cc -std=gnu11 -O1 -Wall -Wextra -Werror -pthread $(pkg-config --cflags openssl) \
        -o "$target/openssl/$program" "openssl/tests/$program.c" $(pkg-config --libs openssl)
done
cc -std=gnu11 -O1 -Wall -Wextra -Werror -shared -fPIC -o "$target/openssl/readonly.so" openssl/tests/readonly.c
python3 -B openssl/tests/check.py "$target/openssl/$module-$major.cnf" \
    "$target/openssl/sunzi-openssl-faults-$major.cnf" "$target/openssl" "$@"
if [ "${1:-}" = --all ]; then
    if [ -n "${OPENSSL_SOURCE:-}" ]; then
        python3 -B openssl/tests/own.py "$target/openssl/sunzi-openssl-faults-$major.cnf" "$OPENSSL_SOURCE" \
            "$target/openssl"
    else
        echo "SKIPPED: OpenSSL's own tests, as OPENSSL_SOURCE does not name OpenSSL's source with its tests"
    fi
fi
