#!/usr/bin/env bash
# Builds the module for the OpenSSL that is installed, puts it into target/openssl with a configuration to try it, and
# prints what to do with both. With --faults it builds the module for tests, into another file, whose computations can
# be made to fail. Needs OpenSSL's headers (Debian: libssl-dev) and pkg-config.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
features=() name=sunzi-openssl
if [ "${1:-}" = --faults ]; then
    features=(--features faults) name=sunzi-openssl-faults
fi
if ! pkg-config --exists 'libcrypto >= 3.0'; then
    echo "OpenSSL 3.0 or later with its headers is missing: Debian has it in libssl-dev, with pkg-config" >&2
    exit 1
fi
version=$(pkg-config --modversion libcrypto)
folder=$(pkg-config --variable=libdir libcrypto)
major=${version%%.*}

# The module is linked to this libcrypto (openssl/build.rs).
profile=${SUNZI_PROFILE:-release}
SUNZI_LIBCRYPTO=$folder cargo build --profile "$profile" --locked --package sunzi-openssl "${features[@]}" \
    --target-dir "$target" --quiet
mkdir -p "$target/openssl"
module=$target/openssl/$name-$major.so
install -m 755 "$target/$profile/libsunzi_openssl.so" "$module"
if ! readelf -d "$module" | grep -q "NEEDED.*libcrypto\.so\.$major"; then
    echo "the module is not linked to libcrypto.so.$major of $folder" >&2
    exit 1
fi

# OpenSSL joins sections of the same name: the system's own settings stay.
openssl=$(pkg-config --variable=prefix libcrypto)/bin/openssl
[ -x "$openssl" ] || openssl=openssl
usual=$("$openssl" version -d | cut -d'"' -f2)/openssl.cnf
configuration=$target/openssl/$name-$major.cnf
{
    [ ! -e "$usual" ] || echo ".include $usual"
    cat <<CNF
openssl_conf = openssl_init

[openssl_init]
providers = provider_sect

[provider_sect]
default = default_sect
sunzi = sunzi_sect

[default_sect]
activate = 1

[sunzi_sect]
module = $module
activate = 1
CNF
} >"$configuration"

cat <<TEXT
The module for OpenSSL $version:
  $module
A configuration to try it with, OPENSSL_CONF=FILE PROGRAM:
  $configuration
Three lines for the configuration of the system or of a server, where its section of providers is:
  sunzi = sunzi_sect            (in the section of providers, which must activate "default", too)
  [sunzi_sect]
  module = $module
  activate = 1
openssl/README.md says how to see that it works, and how to turn it off.
TEXT
