#!/usr/bin/env bash
# Builds what a release has into the folder dist: `make dist`. Every file there is made from the checkout's last commit,
# the pinned tools below and crates of the lock file, so that the same bytes come out elsewhere (scripts/dist-check.sh).
#   scripts/dist.sh [--out FOLDER] [--only NAME,...]     builds all artefacts, or those named
#   scripts/dist.sh --list                               prints their names
#   scripts/dist.sh --tools                              installs the tools alone
# Needs Rust with rustup, a C compiler (for build scripts), Python 3.11 with venv, git, and GNU tar; everything else
# comes from package registries. With --only, files of earlier runs stay in the folder, and the sums cover them, too.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
export LC_ALL=C TZ=UTC
umask 022

# The compiler and tools; another version may give other bytes.
toolchain=$(sed -n 's/^rust-version = "\(.*\)"$/\1.0/p' Cargo.toml)
python_tools="maturin==1.16.0 ziglang==0.17.1 cargo-zigbuild==0.24.1"
auditable=0.7.7
cyclonedx=0.5.9

# Each artefact with what makes it. glibc 2.17 is that of 2012: any later one runs the programs, and manylinux_2_17 is
# the name of such wheels.
x86=x86_64-unknown-linux arm=aarch64-unknown-linux
artefacts="
source             make_source
crates             make_crates
command-x86_64     make_command  $x86-musl
command-aarch64    make_command  $arm-musl
library-x86_64     make_library  $x86-gnu
library-aarch64    make_library  $arm-gnu
openssl-x86_64     make_openssl  $x86-gnu
openssl-aarch64    make_openssl  $arm-gnu
wheel-x86_64       make_wheel    $x86-gnu  manylinux_2_17
wheel-aarch64      make_wheel    $arm-gnu  manylinux_2_17
wheel-musl-x86_64  make_wheel    $x86-musl musllinux_1_2
wheel-musl-aarch64 make_wheel    $arm-musl musllinux_1_2
licences           make_licences
"
names=$(awk 'NF { print $1 }' <<<"$artefacts")

out=dist only= tools_only=
while [ $# -gt 0 ]; do
    case $1 in
    --list) echo "$names"; exit 0 ;;
    --out) out=$2; shift 2 ;;
    --only) only=${2//,/ }; shift 2 ;;
    --tools) tools_only=1; shift ;;
    *) sed -n '2,/^set /{/^#/p}' "$0" >&2; exit 2 ;;
    esac
done
for name in $only; do
    grep -qx "$name" <<<"$names" || { echo "there is no artefact $name: scripts/dist.sh --list" >&2; exit 2; }
done

git rev-parse --verify --quiet HEAD >/dev/null || { echo "this is no checkout: the version is that of a commit" >&2; exit 1; }
if [ -n "$(git status --porcelain)" ]; then
    if [ -z "${SUNZI_DIST_DIRTY:-}" ]; then
        echo "there are changes that are in no commit: commit them, or set SUNZI_DIST_DIRTY=1 to try" >&2
        exit 1
    fi
    echo "NOT FOR RELEASE: there are changes that are in no commit" >&2
fi
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# Builds of their own, as these have other flags than those of development.
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")/dist
tools=$target/tools
work=$target/work
rm -rf "$work"
mkdir -p "$work" "$tools"
export CARGO_TARGET_DIR=$target RUSTUP_TOOLCHAIN=$toolchain PATH="$tools/python/bin:$tools/bin:$PATH"

# Tools: once for a target folder.
install_tools() {
    rustup toolchain list | grep -q "^$toolchain-" || rustup toolchain install --profile minimal "$toolchain"
    rustup --quiet target add --toolchain "$toolchain" "$x86"-{gnu,musl} "$arm"-{gnu,musl}
    if [ "$(cat "$tools/python/installed" 2>/dev/null)" != "$python_tools" ]; then
        rm -rf "$tools/python"
        "${PYTHON:-python3}" -m venv "$tools/python"
        # shellcheck disable=SC2086 # Several packages.
        "$tools/python/bin/pip" install --quiet $python_tools
        echo "$python_tools" >"$tools/python/installed"
    fi
    local tool
    for tool in cargo-auditable@$auditable cargo-cyclonedx@$cyclonedx; do
        grep -qs "^\"${tool/@/ } " "$tools/.crates.toml" || CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=$tools/build \
            cargo install --quiet --debug --locked --force --root "$tools" "$tool"
    done
    # What is called as cargo, also by maturin: builds get the list of their dependencies. The compiler's wrappers are
    # named without their path, as crates' symbols, and by them the order of code, depend on that name.
    cat >"$tools/bin/cargo-named" <<SH
#!/bin/sh
RUSTC_WRAPPER=rustc-remapped RUSTC_WORKSPACE_WRAPPER=cargo-auditable exec $(rustup which cargo) "\$@"
SH
    cat >"$tools/bin/cargo-with-list" <<SH
#!/bin/sh
CARGO=$tools/bin/cargo-named exec cargo-auditable auditable "\$@"
SH
    # Paths of this machine become names, lest they get into panics' messages. Cargo's flags would not reach what runs
    # while building: macros' paths count in the hashes of the crates that use them, and some symbols have such a hash.
    cat >"$tools/bin/rustc-remapped" <<'SH'
#!/bin/sh
exec "$@" $SUNZI_REMAPPED
SH
    chmod +x "$tools"/bin/{cargo-named,cargo-with-list,rustc-remapped}
}

# What rustc-remapped adds to the compiler's options. A registry's folder is named for its address.
remapped() {
    local flags="--remap-path-prefix=$PWD=/sunzi --remap-path-prefix=$target=/target" registry
    for registry in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
        flags+=" --remap-path-prefix=${registry%/}=/crates"
    done
    echo "$flags"
}

# For C: debugging information would have paths of this machine, and mimalloc says when it was compiled, which stays from
# an earlier commit where it is not compiled anew.
c_flags='-g0 -Wno-builtin-macro-redefined -D__DATE__="" -D__TIME__=""'

# Builds a package for a target by zig's C compiler and linker, with the list of its dependencies inside, and prints
# the folder of what was built.
build() { # PACKAGE TARGET
    local glibc=
    [[ $2 != *-gnu ]] || glibc=.2.17
    SUNZI_REMAPPED=$(remapped) CARGO_PROFILE_RELEASE_STRIP=symbols CFLAGS=$c_flags \
        cargo-with-list zigbuild --release --locked --quiet --package "$1" --target "$2$glibc" >&2
    echo "$target/$2/release"
}

# Packs a folder below $work: sorted, without owners, with the commit's time.
pack() { # NAME
    tar -C "$work" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
        --mtime="@$SOURCE_DATE_EPOCH" -cf - "$1" | gzip -9n >"$work/$1.tar.gz"
    mv "$work/$1.tar.gz" "$out/"
}

# Writes the list, in CycloneDX, of what a package is made from. cargo-cyclonedx writes lists of all packages beside
# their manifests: it gets a copy of the tree.
list_contents() { # PACKAGE TARGET
    local manifest
    if [ ! -e "$work/tree/listed-$2" ]; then
        mkdir -p "$work/tree"
        git archive HEAD | tar -C "$work/tree" -x
        (cd "$work/tree" && cargo cyclonedx --quiet --all --format json --spec-version 1.5 --target "$2" --override-filename "$2.cdx")
        touch "$work/tree/listed-$2"
    fi
    manifest=$(grep -l --include=Cargo.toml -rx "name = \"$1\"" "$work/tree")
    python3 -B scripts/dist-contents.py list "${manifest%/*}/$2.cdx.json" "$2" "$1"
}

# The folder for an archive, with the licences and the list of what is inside. Archives may be unpacked over each other.
begin() { # NAME PACKAGE TARGET
    about=$work/$1/share/doc/${1%%-"$version"*}
    rm -rf "${work:?}/$1"
    mkdir -p "$about"
    cp LICENSE-APACHE LICENSE-MIT CHANGELOG.md "$about/"
    python3 -B scripts/dist-contents.py licences "$3" "$2" >"$about/licences-of-dependencies.txt"
    list_contents "$2" "$3" >"$about/$2.cdx.json"
    cp "$about/$2.cdx.json" "$out/$1.cdx.json"
}

make_source() {
    git archive --format=tar --prefix="sunzi-$version/" HEAD | gzip -9n >"$out/sunzi-$version-source.tar.gz"
}

# The libraries as they would be published. They are compiled from the packages by `make check-packages`.
make_crates() {
    local crate packages=()
    for crate in rns field program engine pk; do packages+=(--package "sunzi-$crate"); done
    cargo package --quiet --locked --no-verify --allow-dirty "${packages[@]}"
    for crate in rns field program engine pk; do
        cp "$target/package/sunzi-$crate-$version.crate" "$out/"
        tar -tzf "$out/sunzi-$crate-$version.crate" >"$out/sunzi-$crate-$version.crate.txt"
    done
}

# Static programs. Completions and manual pages are the same for all processors: the one for this machine writes them.
make_command() { # TARGET
    local name=sunzi-$version-${1/-unknown/} here folder
    here=$(build sunzi-cli "$(uname -m)-unknown-linux-musl")
    folder=$(build sunzi-cli "$1")
    begin "$name" sunzi-cli "$1"
    cp README.md "$about/"
    scripts/command.sh --install "$work/$name" "$folder/sunzi" "$here/sunzi"
    pack "$name"
}

# It may be unpacked anywhere: the files for CMake and pkg-config find the library from where they are.
make_library() { # TARGET
    local name=libsunzi-$version-${1/-unknown/} folder
    folder=$(build sunzi-capi "$1")
    begin "$name" sunzi-capi "$1"
    cp -r crates/capi/README.md crates/capi/examples "$about/"
    # shellcheck disable=SC2016 # pkg-config's own variable.
    scripts/c-library.sh --install "$work/$name" '${pcfiledir}/../..' "$folder"
    pack "$name"
}

# The module for OpenSSL 3. Its functions are those of the program that loads it: an empty library by libcrypto's name
# is enough to link with.
make_openssl() { # TARGET
    local name=sunzi-openssl-3-$version-${1/-unknown/} folder
    rm -rf "$work/libcrypto-$1"
    mkdir -p "$work/libcrypto-$1"
    : >"$work/empty.c"
    python-zig cc -target "${1/-unknown/}.2.17" -shared -Wl,-soname,libcrypto.so.3 -o "$work/libcrypto-$1/libcrypto.so" \
        "$work/empty.c"
    folder=$(SUNZI_LIBCRYPTO=$work/libcrypto-$1 build sunzi-openssl "$1")
    begin "$name" sunzi-openssl "$1"
    cp openssl/README.md "$about/"
    mkdir -p "$work/$name/lib"
    install -m 755 "$folder/libsunzi_openssl.so" "$work/$name/lib/sunzi-openssl-3.so"
    pack "$name"
}

# A wheel for every Python from 3.11, with the list of what is inside in *.dist-info/sboms (PEP 770). maturin has a
# linker of its own, of another name: in the same folder each would compile everything anew after the other.
make_wheel() { # TARGET PLATFORM
    local python wheels=$work/wheel-$1 list=$work/wheel-$1/sunzi-python.cdx.json texts=python/licences-of-dependencies.txt
    rm -rf "$wheels"
    mkdir -p "$wheels"
    list_contents sunzi-python "$1" >"$list"
    trap 'rm -f python/licences-of-dependencies.txt' EXIT
    python3 -B scripts/dist-contents.py licences "$1" sunzi-python >"$texts"
    python=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
    SUNZI_REMAPPED=$(remapped) CARGO_PROFILE_RELEASE_STRIP=symbols CFLAGS=$c_flags CARGO=$tools/bin/cargo-with-list \
        maturin build --release --locked --quiet --zig --target "$1" --compatibility "$2" --interpreter "$python" \
        --manifest-path python/Cargo.toml --target-dir "$target/wheels" --sbom-include "$list" --out "$wheels"
    rm "$texts"
    mv "$wheels"/*.whl "$out/"
}

# Licences of all that is shipped, once more in one file.
make_licences() {
    python3 -B scripts/dist-contents.py licences all sunzi-cli sunzi-capi sunzi-openssl sunzi-python \
        >"$out/sunzi-$version-licences.txt"
}

install_tools
[ -z "$tools_only" ] || exit 0
hash -r # Python is now another one.
# The registry's folder, whose path is remapped, is there once crates are.
cargo fetch --quiet --locked
mkdir -p "$out"
out=$(realpath "$out")
[ -n "$only" ] || rm -f "$out"/{sunzi,libsunzi}-* "$out/SHA256SUMS"
while read -r name make arguments; do
    [ -n "$name" ] || continue
    case " ${only:-$name} " in *" $name "*) ;; *) continue ;; esac
    begun=$SECONDS
    # shellcheck disable=SC2086 # Several arguments.
    $make $arguments </dev/null
    echo "$name: $((SECONDS - begun)) seconds"
done <<<"$artefacts"

# The statement of where the files come from, and the sums.
cd "$out"
rm -f SHA256SUMS ./*.intoto.json
files=$(find . -maxdepth 1 -type f -printf '%P\n' | sort)
# shellcheck disable=SC2086 # Names without blanks.
(cd "$OLDPWD" && python3 -B scripts/dist-contents.py provenance "$out" $files) >"sunzi-$version.intoto.json"
# shellcheck disable=SC2086
sha256sum $files "sunzi-$version.intoto.json" >SHA256SUMS
echo "$out:"
ls -l --time-style=+ "$out" | awk 'NF > 3 { printf "%12d  %s\n", $5, $NF }'
