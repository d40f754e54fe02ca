#!/usr/bin/env bash
# Builds the C library, and compiles and runs its examples and tests in C and C++ against the installed
# shared library, and against the static one with the address sanitizer. With --install DIRECTORY PREFIX it
# only installs library, header and pkg-config file into DIRECTORY, for use below PREFIX. What is installed
# comes into place whole, file by file.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
library=crates/capi
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
case $version in
0.*) interface=$(echo "$version" | cut -d. -f1,2) ;;
*) interface=${version%%.*} ;;
esac

cargo build --release --locked --package sunzi-capi --target-dir "$target"

# What a program that links the static library needs besides it.
system_libraries="-lpthread -ldl -lm -lgcc_s"

install_library() {
    local directory=$1 prefix=$2
    mkdir -p "$directory"/{include,lib/pkgconfig}
    place() { # MODE SOURCE DESTINATION
        install -m "$1" "$2" "$3.new"
        mv -f "$3.new" "$3"
    }
    place 644 $library/include/sunzi.h "$directory/include/sunzi.h"
    place 644 "$target/release/libsunzi.a" "$directory/lib/libsunzi.a"
    place 755 "$target/release/libsunzi.so" "$directory/lib/libsunzi.so.$version"
    ln -sf "libsunzi.so.$version" "$directory/lib/libsunzi.so.$interface"
    ln -sf "libsunzi.so.$interface" "$directory/lib/libsunzi.so"
    cat >"$target/sunzi.pc" <<PC
prefix=$prefix
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: sunzi
Description: Public-key operations and modular powers in batches
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lsunzi
Libs.private: $system_libraries
PC
    place 644 "$target/sunzi.pc" "$directory/lib/pkgconfig/sunzi.pc"
}

if [ "${1:-}" = --install ]; then
    install_library "$2" "$3"
    echo "installed libsunzi $version below $2"
    exit 0
fi

work=$target/c-library
rm -rf "$work"
mkdir -p "$work"
install_library "$work/prefix" "$work/prefix"
for program in examples/powers.c examples/signatures.cpp tests/conditions.c; do
    name=$(basename "${program%.*}")
    case $program in
    *.cpp) compiler=(${CXX:-c++} -std=c++17) ;;
    *) compiler=(${CC:-cc} -std=c11) ;;
    esac
    compile=("${compiler[@]}" -Wall -Wextra -Werror -g "-I$work/prefix/include" "$library/$program")
    "${compile[@]}" -o "$work/$name" "-L$work/prefix/lib" -lsunzi -pthread
    LD_LIBRARY_PATH=$work/prefix/lib "$work/$name"
    # shellcheck disable=SC2086
    "${compile[@]}" -fsanitize=address,undefined -o "$work/$name-sanitized" \
        "$work/prefix/lib/libsunzi.a" $system_libraries
    "$work/$name-sanitized" >/dev/null
    echo "$program: runs, also with the sanitizers"
done
