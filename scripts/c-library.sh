#!/usr/bin/env bash
# Builds the C library, and compiles and runs its examples and tests in C and C++ against the installed
# shared library, and against the static one with the address sanitizer; the header also in the C of 1990, and
# the installation also by CMake if that is there. With --install DIRECTORY PREFIX it only installs the library,
# header, files for pkg-config and CMake and the manual page into DIRECTORY, for use below PREFIX; the library is taken
# from the folder BUILT if that is named. Needs Python for test vectors.
#   scripts/c-library.sh [--install DIRECTORY PREFIX [BUILT]]
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
library=crates/capi
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
case $version in
0.*) interface=$(echo "$version" | cut -d. -f1,2) ;;
*) interface=${version%%.*} ;;
esac

profile=${SUNZI_PROFILE:-release}
built=${4:-$target/$profile}
[ $# -eq 4 ] || cargo build --profile "$profile" --locked --package sunzi-capi --target-dir "$target"

# What a program that links the static library needs besides it.
system_libraries="-lpthread -ldl -lm -lgcc_s"

# All files are made first, in a folder of their own; then they come into place, each whole.
install_library() (
    directory=$1 prefix=$2
    mkdir -p "$directory"/{include,lib/{pkgconfig,cmake/sunzi},share/man/man3}
    new=$(mktemp -d "$directory/lib/.sunzi-XXXXXX")
    trap 'rm -rf "$new"' EXIT
    trap 'exit 1' HUP INT TERM
    install -m 644 "$library/include/sunzi.h" "$new/sunzi.h"
    install -m 644 "$built/libsunzi.a" "$new/libsunzi.a"
    install -m 755 "$built/libsunzi.so" "$new/libsunzi.so.$version"
    ln -s "libsunzi.so.$version" "$new/libsunzi.so.$interface"
    ln -s "libsunzi.so.$interface" "$new/libsunzi.so"
    cat >"$new/sunzi.pc" <<PC
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
    for file in sunziConfig.cmake sunziConfigVersion.cmake; do
        sed "s/@version@/$version/; s/@interface@/$interface/; s/@system_libraries@/${system_libraries// /;}/" \
            "$library/cmake/$file" >"$new/$file"
    done
    cp "$library/sunzi.3" "$new/sunzi.3"
    chmod 644 "$new"/{sunzi.pc,sunzi.3,*.cmake}
    # From here on it is a matter of renaming, which is not interrupted.
    trap '' HUP INT TERM
    mv -f "$new/libsunzi.so.$version" "$new/libsunzi.so.$interface" "$new/libsunzi.so" \
        "$new/libsunzi.a" "$directory/lib/"
    mv -f "$new/sunzi.h" "$directory/include/"
    mv -f "$new/sunzi.pc" "$directory/lib/pkgconfig/"
    mv -f "$new"/*.cmake "$directory/lib/cmake/sunzi/"
    mv -f "$new/sunzi.3" "$directory/share/man/man3/"
)

if [ "${1:-}" = --install ]; then
    install_library "$2" "$3"
    echo "installed libsunzi $version below $2"
    exit 0
fi

work=$target/c-library
rm -rf "$work"
mkdir -p "$work"
install_library "$work/prefix" "$work/prefix"

# No symbol is exported that the header does not declare, and none is missing.
scripts/abi.py --symbols "$work/prefix/lib/libsunzi.so"

# An installation that fails, here for a limit on the length of files, changes nothing and leaves nothing.
state() { (cd "$work/prefix" && find . -printf '%p %i\n' | sort); }
before=$(state)
set +e
(set -e; ulimit -f 64; install_library "$work/prefix" "$work/prefix") 2>/dev/null
status=$?
set -e
if [ "$status" -eq 0 ]; then
    echo "an installation without room for the library came to an end" >&2
    exit 1
fi
if [ "$(state)" != "$before" ]; then
    echo "an installation that failed has left something" >&2
    diff <(echo "$before") <(state) >&2
    exit 1
fi

python3 "$library/tests/vectors.py" "$work/vectors.h"
"${CC:-cc}" -std=c90 -pedantic -Wall -Wextra -Werror "-I$work/prefix/include" -o "$work/c90" \
    "$library/tests/c90.c" "-L$work/prefix/lib" -lsunzi
LD_LIBRARY_PATH=$work/prefix/lib "$work/c90"

if command -v cmake >/dev/null 2>&1; then
    # The installation is found where it was moved to, and no other version is taken for it.
    mv "$work/prefix" "$work/moved"
    use() {
        cmake -S "$library/tests/cmake" -B "$work/cmake-$1" "-DCMAKE_PREFIX_PATH=$work/moved" "-DSUNZI_ASKED=$1" \
            >"$work/cmake-$1.log" 2>&1
    }
    use "$interface" || { cat "$work/cmake-$interface.log" >&2; exit 1; }
    cmake --build "$work/cmake-$interface" >/dev/null
    for kind in sunzi static; do "$work/cmake-$interface/powers_$kind" >/dev/null; done
    for other in 0.0 "$interface.99" 99.0; do
        if use "$other"; then
            echo "CMake takes version $version for $other" >&2
            exit 1
        fi
    done
    mv "$work/moved" "$work/prefix"
    echo "CMake: finds the library, shared and static"
else
    echo "SKIPPED: cmake is missing, which would use the installed library"
fi
if command -v groff >/dev/null 2>&1; then
    warnings=$(groff -man -ww -z "$library/sunzi.3" 2>&1)
    if [ -n "$warnings" ]; then
        echo "$warnings" >&2
        exit 1
    fi
fi

for program in examples/{powers.c,signatures.cpp,election.c,gather.c} tests/{conditions,vectors,groups,bls}.c; do
    name=$(basename "${program%.*}")
    case $program in
    *.cpp) compiler=(${CXX:-c++} -std=c++17) ;;
    *) compiler=(${CC:-cc} -std=c11) ;;
    esac
    compile=("${compiler[@]}" -Wall -Wextra -Werror -g "-I$work/prefix/include" "-I$work" \
        "$library/$program")
    "${compile[@]}" -o "$work/$name" "-L$work/prefix/lib" -lsunzi -pthread
    LD_LIBRARY_PATH=$work/prefix/lib "$work/$name"
    # shellcheck disable=SC2086
    "${compile[@]}" -fsanitize=address,undefined -o "$work/$name-sanitized" \
        "$work/prefix/lib/libsunzi.a" $system_libraries
    "$work/$name-sanitized" >/dev/null
    echo "$program: runs, also with the sanitizers"
done
